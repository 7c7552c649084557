"""The sessions of OpenCode: its folder `storage` with a file a session, message and part, or one exported session.

Knows that format; must not know other formats.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from remanence.core.model import Role, Turn
from remanence.write.transcripts import base, item_fields
from remanence.write.transcripts.base import child
from remanence.write.transcripts.content_types import LEFT_OUT, ContentTypes, note_type
from remanence.write.transcripts.host_sessions import ADDED, SIDE_CHAIN, HostSession
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.item_fields import MessageKeys

CONTENT = ContentTypes(
    {
        "text": ("text",),
        **dict.fromkeys(
            ("reasoning", "tool", "file", "step-start", "step-finish", "patch", "snapshot", "agent", "retry"),
            LEFT_OUT,
        ),
        "compaction": LEFT_OUT,
        "subtask": LEFT_OUT,
    }
)
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_Json = Mapping[str, Any]


class OpenCode:
    """What was said in sessions, of the storage of the program or of one session that it exported."""

    reads_sources: Literal[True] = True
    summary = "sessions of OpenCode: its folder storage, or one session by opencode export"

    def recognises(self, source: Source) -> bool:
        """Tell whether a folder has messages and parts as the program keeps them, or a file has a session."""
        if source.is_folder:
            return bool(_list_records(source, "message") and _list_records(source, "part"))
        text = source.only_text()
        head = None if text is None else base.head(text)
        return head is not None and "messages" in head and "id" in _object(head.get("info"))

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield the turns of all sessions in the order of their messages."""
        keys = MessageKeys()
        for info, messages in _read_stored(source) if source.is_folder else _read_exported(source):
            session = HostSession("opencode", keys, skipped, str(info.get("id")), _folder_of(info))
            for message, parts in messages:
                yield from _read_message(
                    session, message, parts, bool(info.get("parentID")), source.with_actions
                )


def _read_exported(source: Source) -> Iterator[tuple[_Json, list[tuple[_Json, list[Any]]]]]:
    for name in source.files:
        whole = base.parse_json(source.text(name), name)
        messages = child(whole, "messages", list, ())
        yield (
            child(whole, "info", dict, ()),
            [
                (_object(one.get("info")), one["parts"] if isinstance(one.get("parts"), list) else [])
                for one in map(_object, messages)
            ],
        )


def _read_stored(source: Source) -> Iterator[tuple[_Json, list[tuple[_Json, list[Any]]]]]:
    """Yield each session with its messages and their parts, which lie in folders by the id of what they are of."""
    parts: dict[str, list[Any]] = defaultdict(list)
    for name in _list_records(source, "part"):
        part = _read_record(source, name)
        parts[str(part.get("messageID"))].append(part)
    messages: dict[str, list[_Json]] = defaultdict(list)
    for name in _list_records(source, "message"):
        message = _read_record(source, name)
        messages[str(message.get("sessionID"))].append(message)
    infos = {
        str(info.get("id")): info
        for info in (_read_record(source, name) for name in _list_records(source, "session"))
    }
    for id_, several in messages.items():
        ordered = sorted(several, key=lambda one: (_time_of(one), str(one.get("id"))))
        yield infos.get(id_, {"id": id_}), [(one, parts[str(one.get("id"))]) for one in ordered]


def _read_message(
    session: HostSession, message: _Json, parts: list[Any], is_side_chain: bool, with_actions: bool
) -> Iterator[Turn]:
    given, skipped = message.get("role"), session.skipped
    role = _ROLES.get(given) if isinstance(given, str) else None
    if role is None:
        note_type(given, None, skipped, "message")
        return
    if is_side_chain:
        skipped[SIDE_CHAIN] += 1
        return
    session.project = _folder_of(message) or session.project
    said, actions = [], []
    for part in parts:
        if isinstance(part, dict) and (part.get("synthetic") is True or part.get("ignored") is True):
            skipped[ADDED] += 1
        elif with_actions and isinstance(part, dict) and part.get("type") == "tool":
            actions.append(part)
        else:
            said.append(part)
    at = _time_of(message)
    text = CONTENT.read_text(said, skipped) if said else None
    if text is not None:
        yield from session.make_turns(role, text, at, message.get("id"))
    for part in actions:
        given = _object(part.get("state")).get("input")
        yield from session.make_action(part.get("tool"), given, at, part.get("id"))


def _list_records(source: Source, kind: str) -> list[str]:
    """Return the files of a kind: `storage/message/SESSION/ID.json`, wherever the folder that was named begins."""
    names = source.list_files(".json")
    return [name for name in names if name.rpartition("/")[0].rpartition("/")[0].rpartition("/")[2] == kind]


def _read_record(source: Source, name: str) -> _Json:
    return item_fields.require_object(base.parse_json(source.text(name), name), name, ())


def _object(given: Any) -> _Json:
    return given if isinstance(given, dict) else {}


def _folder_of(info: _Json) -> str | None:
    folder = info.get("directory") or _object(info.get("path")).get("cwd")
    return folder if isinstance(folder, str) and folder else None


def _time_of(message: _Json) -> float:
    created = _object(message.get("time")).get("created")
    return created if isinstance(created, int | float) and not isinstance(created, bool) else 0
