"""The sessions of Codex: a file of lines a session, `rollout-….jsonl`, in folders by day.

Knows that format, with the envelope of today and without it as before; must not know other formats.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from remanence.core.model import Role, Turn
from remanence.write.transcripts import export_files
from remanence.write.transcripts.base import LineValue
from remanence.write.transcripts.content_types import LEFT_OUT, ContentTypes, note_type
from remanence.write.transcripts.host_sessions import SIDE_CHAIN, HostSession, read_session_lines
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.item_fields import MessageKeys
from remanence.write.transcripts.turn_fields import FlawError

CONTENT = ContentTypes(
    {"input_text": ("text",), "output_text": ("text",), "text": ("text",), "input_image": LEFT_OUT}
)
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}
_ENVELOPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}


class Codex:
    """What was said in sessions, of one file or of all in a folder."""

    reads_sources: Literal[True] = True
    summary = "sessions of Codex: a rollout-….jsonl file, or the folder sessions with all"

    def recognises(self, source: Source) -> bool:
        """Tell whether lines of a file are the envelopes of a session, or records of an earlier one."""
        return export_files.holds_lines(source, _is_of_session)

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Return the turns of all sessions; other files are counted."""
        return read_session_lines(
            source, skipped, lambda keys: _CodexReader(keys, skipped, with_actions=source.with_actions)
        )


def _is_of_session(head: Mapping[str, Any]) -> bool:
    kind = head.get("type")
    return (isinstance(kind, str) and kind in _ENVELOPES and isinstance(head.get("payload"), dict)) or (
        head.get("record_type") == "state"
    )


class _CodexReader:
    """Reads the lines of one file, which begins with what is true of the session."""

    def __init__(self, keys: MessageKeys, skipped: SkipCounts, *, with_actions: bool) -> None:
        self.session = HostSession("codex", keys, skipped)
        self.skipped = skipped
        self.with_actions = with_actions
        self.is_side_chain = False

    def read(self, line: LineValue) -> list[Turn]:
        """Return what is said on a line, and what is done where that is asked for; the rest is counted."""
        row = line.value
        if not isinstance(row, dict):
            raise FlawError("not a JSON object", "each line is one object of a session")
        payload = row.get("payload")
        envelope = row.get("type") if isinstance(payload, dict) else "response_item"
        item = payload if isinstance(payload, dict) else row
        if envelope in ("session_meta", "turn_context") or (
            item is row and "id" in row and "type" not in row
        ):
            self._note_session(item)
            return []
        kind = item.get("type")
        if envelope != "response_item" or not isinstance(kind, str):
            # What an event says of a message stands as an item, too.
            note_type(row.get("type") or "state", None, self.skipped, "line")
            return []
        if self.is_side_chain:
            self.skipped[SIDE_CHAIN] += 1
            return []
        if kind == "message":
            return self._read_message(item, row.get("timestamp"))
        if kind in _CALLS and self.with_actions:
            given = item.get(_CALLS[kind])
            tool = "local_shell" if kind == "local_shell_call" else item.get("name")
            return self.session.make_action(tool, given, row.get("timestamp"), item.get("call_id"))
        note_type(kind, None, self.skipped, "line")
        return []

    def _read_message(self, item: Mapping[str, Any], at: Any) -> list[Turn]:
        given = item.get("role")
        role = _ROLES.get(given) if isinstance(given, str) else None
        if role is None:
            self.skipped["of the system or a tool"] += 1
            return []
        text = CONTENT.read_text(item.get("content"), self.skipped)
        return [] if text is None else self.session.make_turns(role, text, at)

    def _note_session(self, item: Mapping[str, Any]) -> None:
        """Keep what a line says of the session: its id, the folder, the branch, and whether another began it."""
        for name, given in (("session", item.get("id")), ("project", item.get("cwd"))):
            if isinstance(given, str) and given:
                setattr(self.session, name, given)
        git = item.get("git")
        branch = git.get("branch") if isinstance(git, dict) else None
        self.session.branch = branch if isinstance(branch, str) else self.session.branch
        source = item.get("source")
        self.is_side_chain = self.is_side_chain or (isinstance(source, dict) and "subagent" in source)
