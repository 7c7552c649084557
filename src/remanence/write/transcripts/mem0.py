"""Memories of mem0: what `get_all()` answers, as JSON, and its `history.db`, alone or both in one folder.

Knows that format; must not know other formats.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Literal

from remanence.core.model import Turn
from remanence.write.imported import ImportedTurn
from remanence.write.transcripts import base, item_fields
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.turn_fields import FlawError, Path

_COLUMNS = ("memory_id", "old_memory", "new_memory", "event")
ROLES = ("user", "assistant", "system", "tool")
# What has a place of its own, and `hash`, which follows from the text.
_PLACED = frozenset(
    {
        "id",
        "memory",
        "hash",
        "metadata",
        "created_at",
        "updated_at",
        "user_id",
        "agent_id",
        "run_id",
        "actor_id",
        "role",
        "categories",
    }
)


@dataclass
class _Version:
    """What a memory said from a time on."""

    id: str
    text: str
    at: datetime | None
    role: str | None = None
    actor: str | None = None
    item: Mapping[str, Any] = field(default_factory=dict)
    ended: datetime | None = None
    is_deleted: bool = False


class Mem0:
    """Memories with their ids, and what each said before where the history is there."""

    reads_sources: Literal[True] = True
    summary = "get_all() of mem0 as JSON, its history.db, or a folder with both"

    def recognises(self, source: Source) -> bool:
        """Tell whether there is a history of mem0, or an answer of `get_all`."""
        return bool(source.list_tables("history", *_COLUMNS)) or bool(
            item_fields.find_files(source, _is_answer)
        )

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield every version of every memory, the oldest first."""
        versions: dict[str, list[_Version]] = defaultdict(list)
        for path, table in source.list_tables("history", *_COLUMNS):
            for _ in item_fields.read_rows(path, table, partial(_read_event, versions, skipped)):
                pass
        find = (
            item_fields.find_files
            if versions
            else partial(item_fields.require_files, what="memories of mem0")
        )
        answers = find(source, _is_answer)
        for name in answers:
            base.read(source.text(name), name, partial(_read_answer, versions), skipped)
        for path, table in source.list_tables("messages", "session_scope"):
            # The last messages that mem0 keeps beside its memories are no memories of it.
            if table.rows:
                skipped.note("message that waits to be remembered", path)
                skipped["message that waits to be remembered"] += len(table.rows) - 1
        for several in versions.values():
            yield from _make_turns(several, skipped)


def _is_answer(head: Mapping[str, Any]) -> bool:
    """Tell whether an object is an answer of `get_all`, or a memory of one."""
    results = head.get("results")
    first = results[0] if isinstance(results, list) and results else head
    return isinstance(first, dict) and "memory" in first and "id" in first


def _read_event(
    versions: dict[str, list[_Version]], skipped: SkipCounts, row: Mapping[str, Any]
) -> tuple[()]:
    """Take one event of the history in."""
    id_ = item_fields.require_id(row, "memory_id", ())
    created, updated = (item_fields.read_moment(name, row.get(name)) for name in ("created_at", "updated_at"))
    several, who = versions[id_], (row.get("role"), row.get("actor_id"))
    event = str(row["event"]).upper()
    if event not in ("ADD", "UPDATE", "DELETE"):
        skipped.note("event of an unknown kind", event)
        return ()
    old = row["old_memory"]
    if not several and event != "ADD" and old:
        several.append(_Version(id_, old, created, *who))
    if event == "DELETE" and several:
        several[-1].is_deleted, several[-1].ended = True, updated
    elif event != "DELETE" and row["new_memory"] and not (several and several[-1].text == row["new_memory"]):
        several.append(_Version(id_, row["new_memory"], updated if several else created, *who))
    return ()


def _read_answer(versions: dict[str, list[_Version]], whole: Any, _: Any) -> tuple[()]:
    """Take the memories of an answer in: each is the last version of itself."""
    path: Path = ()
    if isinstance(whole, dict) and "results" in whole:
        whole, path = base.child(whole, "results", list, ()), ("results",)
    if isinstance(whole, dict) and isinstance(whole.get("relations"), list):
        raise FlawError("it holds relations and no memories", "give what get_all() answers")
    for place, item in base.objects(whole, "an answer of get_all()"):
        _read_item(versions, item, (*path, *place))
    return ()


def _read_item(versions: dict[str, list[_Version]], item: Mapping[str, Any], path: Path) -> None:
    id_ = item_fields.require_id(item, "id", path)
    created, updated = (
        item_fields.read_moment(name, item.get(name), path) for name in ("created_at", "updated_at")
    )
    metadata = item.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise FlawError("'metadata' is not an object", "export it again", path)
    several = versions[id_]
    if not several or several[-1].text != item.get("memory"):
        is_later = updated is not None and created is not None and updated != created
        several.append(_Version(id_, item.get("memory", ""), updated if is_later else created))
    last = several[-1]
    last.role, last.actor = item.get("role", last.role), item.get("actor_id", last.actor)
    last.item, last.is_deleted, last.ended = item, False, None


def _make_turns(several: list[_Version], skipped: SkipCounts) -> Iterator[Turn]:
    """Yield the versions of one memory that can be kept, each replaced by the next.

    The id is the key of what it says now, so that an export tells of a change; what it said before has the text in its.
    """
    kept = [one for one in several if item_fields.can_keep_text(one.text, one.id, skipped)]
    before = [item_fields.make_version_key(one.id, one.text) for one in kept[:-1]]
    keys = [f"{key}{'+' * before[:place].count(key)}" for place, key in enumerate(before)]
    keys += [item_fields.make_key(one.id) for one in kept[-1:]]
    about = next((one.item for one in reversed(kept) if one.item), {})
    for place, one in enumerate(kept):
        later = keys[place + 1] if place + 1 < len(kept) else None
        item = one.item or about
        role = one.role if one.role in ROLES else None
        agent = item_fields.keep_name("agent_id", item.get("agent_id"), skipped)
        user = item_fields.keep_name("user_id", item.get("user_id"), skipped)
        # `user_id` is whose memory it is; who said it is told by `actor_id`, a name, or by the role.
        speaker = item_fields.keep_name("actor_id", one.actor, skipped)
        speaker = speaker or (agent if role == "assistant" else user)
        rest = {name: value for name, value in item.items() if name not in _PLACED}
        categories = item.get("categories")
        metadata = item.get("metadata") or {}
        yield ImportedTurn(
            text=one.text,
            role=role,
            speaker=speaker,
            agent=agent,
            thread=item_fields.keep_name("run_id", item.get("run_id"), skipped),
            tags=item_fields.keep_tags(categories if isinstance(categories, list) else (), skipped),
            said_at=one.at,
            source="mem0",
            key=keys[place],
            attributes=item_fields.keep_attributes(
                {**rest, **metadata, **({} if speaker == user else {"user_id": user})}
            ),
            valid_until=one.ended,
            replaced_by=later,
            is_deleted=one.is_deleted and later is None,
        )
