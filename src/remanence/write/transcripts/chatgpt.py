"""The `conversations.json` of a ChatGPT export: trees of messages, of which the branch last shown is taken.

Knows that format; must not know other formats.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from remanence.core.model import NAME_CHARS_MAX, Kind, Turn
from remanence.write.transcripts import base, export_files, turn_fields
from remanence.write.transcripts.base import child, objects
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.turn_fields import Path

TEXTS = ("text", "multimodal_text")


class ChatGPT:
    """The conversations of an export."""

    reads_sources: Literal[True] = True
    summary = "a ChatGPT export: its conversations.json, also in parts, its folder or zip archive"

    def recognises(self, source: Source) -> bool:
        """Tell whether the first object of a file of conversations maps its nodes."""
        return export_files.holds_conversations(source, lambda head: "mapping" in head)

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield the turns of all conversations; other files are counted."""
        seen: set[str] = set()
        for name, text in export_files.read_conversations(source):
            yield from base.read(
                text, name, lambda whole, _: _read_conversations(whole, seen, skipped), skipped
            )
        export_files.note_other_files(source, export_files.list_candidates(source), skipped)


def _read_conversations(whole: Any, seen: set[str], skipped: SkipCounts) -> Iterator[Turn]:
    """Yield what user and assistant said in every conversation; all else is counted in `skipped` by its reason."""
    for place, conversation in objects(whole, "a list of conversations"):
        for turn in _read_turns(conversation, place, skipped):
            # A conversation that was branched off shares its first messages with the original.
            if turn.key in seen:
                skipped["shared with another conversation"] += 1
                continue
            seen.add(str(turn.key))
            yield turn


def _read_turns(conversation: Mapping[str, Any], place: Path, skipped: SkipCounts) -> Iterator[Turn]:
    mapping = child(conversation, "mapping", dict, place)
    conversation_id = conversation.get("conversation_id") or conversation.get("id")
    thread = turn_fields.check_at(place, turn_fields.plain_name, "conversation_id", conversation_id)
    said_at = turn_fields.read_seconds(conversation.get("create_time"))
    current = conversation.get("current_node")
    if mapping and not (isinstance(current, str) and current in mapping):
        skipped.note("conversation without a current message: its latest branch is taken", thread)
        current = _find_latest(mapping)
    for node, message in _follow_branch(mapping, current, thread, skipped):
        said_at = turn_fields.read_seconds(message.get("create_time")) or said_at
        text = _read_text(message.get("content"))
        if _read_role(message) not in ("user", "assistant"):
            problem: str | None = "of the system or a tool"
        else:
            problem = turn_fields.problem_of(text) if text else "no text in it"
        if problem:
            skipped[problem] += 1
        else:
            key = turn_fields.check_at(place, turn_fields.plain_name, "id", message.get("id") or node)
            yield Turn(
                text=text,
                kind=Kind.EPISODIC.label,
                role=_read_role(message),
                thread=thread,
                session=thread,
                said_at=said_at,
                source=f"{thread}:{key}"[-NAME_CHARS_MAX:],
                key=key,
            )


def _find_latest(mapping: Mapping[str, Any]) -> str | None:
    """Return the last node of the branch that was written to last, of those that nothing follows."""
    messages = {
        name: node["message"]
        for name, node in mapping.items()
        if isinstance(node, dict) and isinstance(node.get("message"), dict)
    }
    followed = {str(node.get("parent")) for node in mapping.values() if isinstance(node, dict)}
    ends = [name for name in messages if name not in followed] or list(messages)
    times = {name: turn_fields.read_seconds(messages[name].get("create_time")) or 0 for name in ends}
    return max(reversed(ends), key=times.__getitem__, default=None)


def _follow_branch(
    mapping: Mapping[str, Any], current: Any, thread: str, skipped: SkipCounts
) -> list[tuple[str, Mapping[str, Any]]]:
    """Follow the parents of the current node and return (node, message) from the first to the last.

    Where a parent is missing, or comes again, the branch begins; that is counted.
    """
    branch: list[tuple[str, Mapping[str, Any]]] = []
    visited: set[str] = set()
    while current is not None:
        node = mapping.get(current) if isinstance(current, str) else None
        if not isinstance(node, dict):
            skipped.note("conversation whose beginning is missing", thread)
            break
        if current in visited:
            skipped.note("conversation that goes in a circle", thread)
            break
        visited.add(current)
        message = node.get("message")
        if isinstance(message, dict):
            branch.append((current, message))
        current = node.get("parent")
    return branch[::-1]


def _read_role(message: Mapping[str, Any]) -> str:
    author = message.get("author")
    return str(author.get("role")) if isinstance(author, dict) else ""


def _read_text(content: Any) -> str:
    parts = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(parts, list) or content.get("content_type") not in TEXTS:
        return ""
    return "\n".join(part for part in parts if isinstance(part, str) and part.strip()).strip()
