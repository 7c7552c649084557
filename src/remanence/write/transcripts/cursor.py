"""The conversations of Cursor: its database `state.vscdb`, a row a conversation and a row a message.

Knows that format; must not know other formats.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from remanence.core.model import Role, Turn
from remanence.write.transcripts import item_fields
from remanence.write.transcripts.content_types import note_type
from remanence.write.transcripts.host_sessions import HostSession
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.item_fields import MessageKeys

_TABLE, _COLUMNS = "cursorDiskKV", ("key", "value")
_ROLES = {1: Role.USER, 2: Role.ASSISTANT}
_Json = Mapping[str, Any]


class CursorHistory:
    """What was said in conversations; those that a window keeps for itself have no words."""

    reads_sources: Literal[True] = True
    summary = "conversations of Cursor: its state.vscdb in globalStorage"

    def recognises(self, source: Source) -> bool:
        """Tell whether there is a table of that name and shape."""
        return bool(source.list_tables(_TABLE, *_COLUMNS))

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield the turns of all conversations in their order."""
        keys = MessageKeys()
        for _, table in item_fields.require_tables(source, "conversations of Cursor", _TABLE, *_COLUMNS):
            rows = {str(row["key"]): row["value"] for row in table.records()}
            for name, value in rows.items():
                kind, _, id_ = name.partition(":")
                if kind == "composerData" and id_:
                    yield from _read_conversation(id_, value, rows, keys, skipped, source.with_actions)


def _read_conversation(
    id_: str, value: Any, rows: Mapping[str, Any], keys: MessageKeys, skipped: SkipCounts, with_actions: bool
) -> Iterator[Turn]:
    whole = _parse(value)
    if whole is None:
        skipped.note("conversation that is not JSON", id_)
        return
    session = HostSession("cursor", keys, skipped, id_)
    headers, inside = whole.get("fullConversationHeadersOnly"), whole.get("conversation")
    bubbles: list[Any] = inside if isinstance(inside, list) else []
    if isinstance(headers, list) and headers:
        names = [one.get("bubbleId") for one in headers if isinstance(one, dict)]
        found = {name: _parse(rows.get(f"bubbleId:{id_}:{name}")) for name in names}
        for name in (name for name, bubble in found.items() if bubble is None):
            skipped.note("message that is not there any more", str(name))
        bubbles = [bubble for bubble in found.values() if bubble is not None]
    if not bubbles:
        skipped.note("conversation without messages", id_)
    for bubble in bubbles:
        yield from _read_bubble(session, bubble, whole.get("createdAt"), with_actions)


def _read_bubble(session: HostSession, bubble: Any, began: Any, with_actions: bool) -> Iterator[Turn]:
    kind = bubble.get("type") if isinstance(bubble, dict) else None
    role = _ROLES.get(kind) if isinstance(kind, int) else None
    if role is None:
        note_type(str(kind), None, session.skipped, "message")
        return
    at, id_, text = bubble.get("createdAt") or began, bubble.get("bubbleId"), bubble.get("text")
    tool = bubble.get("toolFormerData")
    if isinstance(text, str) and text.strip():
        yield from session.make_turns(role, text, at, id_)
    elif not isinstance(tool, dict):
        session.skipped.note("no text in it", str(id_))
    if isinstance(tool, dict) and with_actions:
        yield from session.make_action(
            tool.get("name"), tool.get("rawArgs") or tool.get("params"), at, f"{id_}:tool"
        )
    elif isinstance(tool, dict):
        note_type("tool", tool, session.skipped, "message")


def _parse(value: Any) -> _Json | None:
    """Return the object of a value, which the database has as a text or as bytes; None where it has none."""
    try:
        read = json.loads(value) if isinstance(value, str | bytes) else None
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None
