"""The sessions of Claude Code: a file of lines a session, in a folder a project.

Knows that format; must not know other formats.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from remanence.core.model import Role, Turn
from remanence.write.transcripts import export_files
from remanence.write.transcripts.base import LineValue
from remanence.write.transcripts.content_types import LEFT_OUT, ContentTypes, note_type
from remanence.write.transcripts.host_sessions import ADDED, SIDE_CHAIN, HostSession, read_session_lines
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.item_fields import MessageKeys
from remanence.write.transcripts.turn_fields import FlawError

CONTENT = ContentTypes(
    {
        "text": ("text",),
        "thinking": LEFT_OUT,
        "redacted_thinking": LEFT_OUT,
        "tool_use": LEFT_OUT,
        "server_tool_use": LEFT_OUT,
        "tool_result": LEFT_OUT,
        "web_search_tool_result": LEFT_OUT,
        "image": LEFT_OUT,
        "document": LEFT_OUT,
    }
)
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
# Marks of lines that nobody said, and why such a line is left out.
_UNSAID = {
    "isSidechain": SIDE_CHAIN,
    "isMeta": ADDED,
    "isCompactSummary": "summary by the host",
    "isApiErrorMessage": "error of the host",
}


class ClaudeCode:
    """What was said in sessions, of one file or of all in a folder."""

    reads_sources: Literal[True] = True
    summary = "sessions of Claude Code: a .jsonl file, or the folder projects with all"

    def recognises(self, source: Source) -> bool:
        """Tell whether lines of a file have messages of a session."""
        return export_files.holds_lines(
            source, lambda head: "sessionId" in head and isinstance(head.get("message"), dict)
        )

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Return the turns of all sessions; other files are counted."""
        return read_session_lines(
            source, skipped, lambda keys: _ClaudeReader(keys, skipped, with_actions=source.with_actions)
        )


class _ClaudeReader:
    """Reads the lines of one file."""

    def __init__(self, keys: MessageKeys, skipped: SkipCounts, *, with_actions: bool) -> None:
        self.session = HostSession("claude-code", keys, skipped)
        self.skipped = skipped
        self.with_actions = with_actions

    def read(self, line: LineValue) -> list[Turn]:
        """Return what is said on a line, and what is done where that is asked for; the rest is counted."""
        row = line.value
        if not isinstance(row, dict):
            raise FlawError("not a JSON object", "each line is one object of a session")
        kind, message = row.get("type"), row.get("message")
        role = _ROLES.get(kind) if isinstance(kind, str) else None
        if role is None or not isinstance(message, dict):
            note_type(kind, None, self.skipped, "line")
            return []
        if why := next((why for mark, why in _UNSAID.items() if row.get(mark) is True), None):
            self.skipped[why] += 1
            return []
        session = self.session
        session.session = _text_of(row, "sessionId") or session.session
        session.project = _text_of(row, "cwd") or session.project
        session.branch = _text_of(row, "gitBranch")
        content = message.get("content")
        actions = _list_actions(content) if self.with_actions else []
        rest = [one for one in content if one not in actions] if isinstance(content, list) else content
        text = None if actions and not rest else CONTENT.read_text(rest, self.skipped)
        at, id_ = row.get("timestamp"), row.get("uuid")
        turns = session.make_turns(role, text, at, id_) if text is not None else []
        for one in actions:
            turns += session.make_action(one.get("name"), one.get("input"), at, one.get("id"))
        return turns


def _list_actions(content: Any) -> list[Mapping[str, Any]]:
    parts = content if isinstance(content, list) else []
    return [one for one in parts if isinstance(one, dict) and one.get("type") == "tool_use"]


def _text_of(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    return value if isinstance(value, str) and value else None
