"""Messages as chat models take them: a list of objects with role and content, or objects that hold such a list.

Knows that format; must not know other formats.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from remanence.core.errors import InvalidInput
from remanence.core.keywords import Moment
from remanence.core.model import NAME_CHARS_MAX, Kind, Turn
from remanence.write.transcripts import base, turn_fields
from remanence.write.transcripts.turn_fields import FlawError, Path

ROLES = ("user", "assistant")
# Not of the format, but in many logs that are otherwise of it.
SPEAKERS, TIMES = ("name", "speaker"), ("said_at", "timestamp", "created_at", "time", "date")


class OpenAI:
    """Messages with role and content: one list, an object with `messages`, or such an object a line."""

    summary = "messages with role and content, as chat models take them"

    def recognises(self, text: str) -> bool:
        """Tell whether the first object is a message, or holds a list of messages."""
        head = base.head(text)
        return head is not None and (
            (isinstance(head.get("role"), str) and "content" in head)
            or isinstance(head.get("messages"), list)
        )

    def turns(self, text: str, source: str, skipped: Counter[str]) -> list[Turn]:
        """Return what user and assistant said; all else is counted in `skipped` by its reason."""
        first = text.lstrip().partition("\n")[0]
        if first.startswith("{") and base.is_json(first):
            return base.read_lines(text, source, partial(_read_turns, source), skipped)
        return base.read(text, source, partial(_read_turns, source), skipped)


def _read_turns(source: str, whole: Any, skipped: Counter[str]) -> Iterator[Turn]:
    seen: Counter[str] = Counter()
    for thread, place, messages in _read_conversations(whole, source):
        for number, message in enumerate(messages):
            path = (*place, number)
            if not isinstance(message, dict) or not isinstance(message.get("role"), str):
                raise FlawError(
                    "a message has no role", 'each message is like {"role": "user", "content": "…"}', path
                )
            if message["role"] not in ROLES:
                problem: str | None = "of the system or a tool"
            else:
                text = _read_text(message.get("content"))
                problem = turn_fields.problem_of(text) if text else "no text in it"
            if problem:
                skipped[problem] += 1
            else:
                turn = _make_turn(message, thread, source, seen, path)
                yield replace(turn, said_at=_read_time(message, skipped))


def _read_conversations(whole: Any, source: str) -> Iterator[tuple[str, Path, list[Any]]]:
    """Yield (thread, path, messages) of each conversation; one without an id is named after its file."""
    if isinstance(whole, list) and not any(isinstance(one, dict) and "messages" in one for one in whole):
        yield source[-NAME_CHARS_MAX:], (), whole
        return
    for number, (place, one) in enumerate(base.objects(whole, "a list of messages")):
        thread_id = one.get("id") or one.get("thread_id")
        name = f"{source}#{number + 1}" if place else source
        thread = (
            name[-NAME_CHARS_MAX:]
            if thread_id is None
            else turn_fields.check_at(place, turn_fields.plain_name, "id", thread_id)
        )
        yield thread, (*place, "messages"), base.child(one, "messages", list, place)


def _make_turn(message: Mapping[str, Any], thread: str, source: str, seen: Counter[str], path: Path) -> Turn:
    text, role = _read_text(message.get("content")), message["role"]
    name = next((message[one] for one in SPEAKERS if message.get(one) is not None), None)
    return Turn(
        text=text,
        kind=Kind.EPISODIC.label,
        role=role,
        speaker=None if name is None else turn_fields.check_at(path, turn_fields.plain_name, "name", name),
        thread=thread,
        session=thread,
        source=source[-NAME_CHARS_MAX:],
        key=turn_fields.content_key("message", source, f"{thread}\0{role}\0{text}", seen),
    )


def _read_time(message: Mapping[str, Any], skipped: Counter[str]) -> Moment | None:
    """Return when a message was said, where it says so; a time that cannot be read is counted."""
    given = next((message[name] for name in TIMES if message.get(name) is not None), None)
    said_at: Moment | None = turn_fields.read_seconds(given)
    if isinstance(given, str):
        with suppress(ValueError, InvalidInput):
            said_at = turn_fields.place_moment(datetime.fromisoformat(given))
    if given is not None and said_at is None:
        skipped["time that cannot be read, such as one without a zone"] += 1
    return said_at


def _read_text(content: Any) -> str:
    """Return the words of a message: a text, or the texts among its parts."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str) and text.strip()).strip()
