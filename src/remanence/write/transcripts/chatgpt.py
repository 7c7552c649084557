"""The `conversations.json` of a ChatGPT export: trees of messages, of which the branch last shown is taken.

Knows that format; must not know other formats.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from remanence.core.clock import SECOND, to_micros
from remanence.core.errors import InvalidInput
from remanence.core.model import NAME_CHARS_MAX, Kind, Turn
from remanence.write.transcripts import base, fields
from remanence.write.transcripts.base import child, objects
from remanence.write.transcripts.fields import FlawError, Path

TEXTS = ("text", "multimodal_text")


class ChatGPT:
    """The conversations of an export."""

    summary = "conversations.json of a ChatGPT export"

    def recognises(self, text: str) -> bool:
        """Tell whether the first object maps its nodes."""
        head = base.head(text)
        return head is not None and "mapping" in head

    def turns(self, text: str, source: str, skipped: Counter[str]) -> list[Turn]:
        """Return the turns of all conversations."""
        return base.read(text, source, conversations, skipped)


def conversations(whole: Any, skipped: Counter[str]) -> Iterator[Turn]:
    """Yield what user and assistant said in every conversation; all else is counted in `skipped` by its reason."""
    seen: set[str] = set()
    for place, conversation in objects(whole, "a list of conversations"):
        for turn in _turns(conversation, place, skipped):
            # A conversation that was branched off shares its first messages with the original.
            if turn.key in seen:
                skipped["shared with another conversation"] += 1
                continue
            seen.add(str(turn.key))
            yield turn


def _turns(conversation: Mapping[str, Any], place: Path, skipped: Counter[str]) -> Iterator[Turn]:
    mapping = child(conversation, "mapping", dict, place)
    conversation_id = conversation.get("conversation_id") or conversation.get("id")
    thread = fields.check_at(place, fields.plain_name, "conversation_id", conversation_id)
    said_at = _time(conversation.get("create_time"))
    current = conversation.get("current_node")
    if current is None and mapping:
        skipped["conversation without a current message"] += 1
    for node, message in _branch(mapping, current, (*place, "mapping")):
        said_at = _time(message.get("create_time")) or said_at
        problem = _describe_misfit(message)
        if problem:
            skipped[problem] += 1
        else:
            key = fields.check_at(place, fields.plain_name, "id", message.get("id") or node)
            yield _turn(message, key, thread, said_at)


def _branch(mapping: Mapping[str, Any], current: Any, path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    """Follow the parents of the current node and return (node, message) from the first to the last."""
    branch: list[tuple[str, Mapping[str, Any]]] = []
    visited: set[str] = set()
    while current is not None:
        node = mapping.get(current) if isinstance(current, str) else None
        if not isinstance(node, dict) or current in visited:
            fault = "is its own ancestor" if isinstance(node, dict) else "is missing"
            raise FlawError(
                f"node {current!r} {fault}", "export the conversations again; this file is damaged", path
            )
        visited.add(current)
        message = node.get("message")
        if isinstance(message, dict):
            branch.append((current, message))
        current = node.get("parent")
    return branch[::-1]


def _describe_misfit(message: Mapping[str, Any]) -> str | None:
    """Say why a message is no turn, or None where it is one."""
    if _role(message) not in ("user", "assistant"):
        return "of the system or a tool"
    text = _text(message.get("content"))
    return fields.problem_of(text) if text else "no text in it"


def _turn(message: Mapping[str, Any], key: str, thread: str, said_at: int | None) -> Turn:
    return Turn(
        text=_text(message.get("content")),
        kind=Kind.EPISODIC.label,
        role=_role(message),
        thread=thread,
        session=thread,
        said_at=said_at,
        source=f"{thread}:{key}"[-NAME_CHARS_MAX:],
        key=key,
    )


def _role(message: Mapping[str, Any]) -> str:
    author = message.get("author")
    return str(author.get("role")) if isinstance(author, dict) else ""


def _text(content: Any) -> str:
    parts = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(parts, list) or content.get("content_type") not in TEXTS:
        return ""
    return "\n".join(part for part in parts if isinstance(part, str) and part.strip()).strip()


def _time(given: Any) -> int | None:
    """Turn seconds since 1970 into microseconds; what is no time counts as not said."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    try:
        return to_micros(round(given * SECOND))
    except (InvalidInput, OverflowError, ValueError):
        return None
