"""Messages as chat models take them: a list of objects with role and content, or objects that hold such a list.

Knows that format; must not know other formats.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from remanence.core.errors import InvalidInput
from remanence.core.keywords import Moment
from remanence.core.model import NAME_CHARS_MAX, Kind, Turn
from remanence.write.imported import SkipCounts
from remanence.write.transcripts import base, item_fields, turn_fields
from remanence.write.transcripts.base import LineValue
from remanence.write.transcripts.content_types import LEFT_OUT, ContentTypes, note_type
from remanence.write.transcripts.turn_fields import FlawError, Path

CONTENT = ContentTypes(
    {
        **dict.fromkeys(("text", "input_text", "output_text"), ("text",)),
        "refusal": ("refusal",),
        **dict.fromkeys(("audio", "input_audio", "output_audio"), ("transcript",)),
        # What a model thought, what it asked of a program and was told, and what is no text.
        **dict.fromkeys(("thinking", "redacted_thinking", "reasoning", "reasoning_text"), LEFT_OUT),
        **dict.fromkeys(("tool_use", "tool_result", "function_call", "function_call_output"), LEFT_OUT),
        **dict.fromkeys(("image_url", "image", "input_image", "file", "input_file"), LEFT_OUT),
    },
    unknown=("text",),  # of logs that are otherwise of this format
)
ROLES = ("user", "assistant")
_EXAMPLE = 'each message is like {"role": "user", "content": "…"}'
# Not of the format, but in many logs that are otherwise of it.
SPEAKERS, TIMES = ("name", "speaker"), ("said_at", "timestamp", "created_at", "time", "date")


class OpenAI:
    """Messages with role and content: one list, an object with `messages`, or such an object a line."""

    summary = "messages with role and content, as chat models take them"

    def recognises(self, text: str) -> bool:
        """Tell whether the first object is a message, or holds a list of messages; or one on the first lines."""
        return any(_is_message(one) or isinstance(one.get("messages"), list) for one in base.heads(text))

    def turns(self, text: str, source: str, skipped: SkipCounts) -> list[Turn]:
        """Return what user and assistant said; all else is counted in `skipped` by its reason."""
        if base.holds_lines(text):
            lines = base.read_lines(text, source, "message", _check_line, skipped)
            return list(_read_turns(_group_lines(lines, source), source, skipped))
        return base.read(
            text,
            source,
            lambda whole, _: _read_turns(_list_conversations(whole, source), source, skipped),
            skipped,
        )


class _Conversation(NamedTuple):
    """Messages of a thread, each with where it stands: its path in a document, or its line."""

    thread: str
    messages: Iterable[tuple[Path, Any]]
    line: int | None = None


def _is_message(one: Mapping[str, Any]) -> bool:
    return isinstance(one.get("role"), str) and "content" in one


def _check_line(line: LineValue) -> LineValue:
    """Return a line that is a message or holds a list of them."""
    if not isinstance(line.value, dict):
        raise FlawError("not a JSON object", _EXAMPLE)
    if "messages" in line.value:
        base.child(line.value, "messages", list, ())
    elif not any(isinstance(line.value.get(name), str) for name in ("role", CONTENT.type_field)):
        raise FlawError("a message has no role", _EXAMPLE)
    return line


def _group_lines(lines: Sequence[LineValue], source: str) -> Iterator[_Conversation]:
    """Yield a conversation for each line that holds messages; lines that are a message have the thread of the file."""
    for line in lines:
        if "messages" in line.value:
            name = f"{source}#{line.number}" if len(lines) > 1 else source
            thread = line.value.get("id") or line.value.get("thread_id")
            thread = thread if item_fields.is_name(thread) else name[-NAME_CHARS_MAX:]
            yield _Conversation(thread, [((), one) for one in line.value["messages"]], line.number)
        else:
            yield _Conversation(source[-NAME_CHARS_MAX:], [((), line.value)], line.number)


def _list_conversations(whole: Any, source: str) -> Iterator[_Conversation]:
    """Yield the conversations of a document; one without an id is named after its file."""
    if isinstance(whole, list) and not any(isinstance(one, dict) and "messages" in one for one in whole):
        yield _Conversation(source[-NAME_CHARS_MAX:], [((number,), one) for number, one in enumerate(whole)])
        return
    for number, (place, one) in enumerate(base.objects(whole, "a list of messages")):
        thread_id = one.get("id") or one.get("thread_id")
        name = f"{source}#{number + 1}" if place else source
        thread = (
            name[-NAME_CHARS_MAX:]
            if thread_id is None
            else turn_fields.check_at(place, turn_fields.plain_name, "id", thread_id)
        )
        messages = base.child(one, "messages", list, place)
        yield _Conversation(
            thread, [((*place, "messages", number), message) for number, message in enumerate(messages)]
        )


def _read_turns(conversations: Iterable[_Conversation], source: str, skipped: SkipCounts) -> Iterator[Turn]:
    seen: Counter[str] = Counter()
    several = ((one, *message) for one in conversations for message in one.messages)
    for conversation, path, message in several:
        try:
            yield from _read_message(message, conversation.thread, source, seen, skipped)
        except FlawError as flaw:
            if conversation.line is None:
                raise FlawError(str(flaw), flaw.recovery, path) from None
            skipped.note_line("line with what is no message", conversation.line, str(flaw), flaw.recovery)


def _read_message(
    message: Any, thread: str, source: str, seen: Counter[str], skipped: SkipCounts
) -> Iterator[Turn]:
    role = message.get("role") if isinstance(message, dict) else None
    if not isinstance(role, str):
        if isinstance(message, dict) and isinstance(message.get(CONTENT.type_field), str):
            CONTENT.note_left_out(message, skipped)  # a call or a thought beside the messages
            return
        raise FlawError("a message has no role", _EXAMPLE)
    if role not in ROLES:
        skipped["of the system or a tool"] += 1
        return
    text = _read_text(message, skipped)
    problem = None if text is None else turn_fields.problem_of(text) if text else "no text in it"
    if problem:
        skipped[problem] += 1
    elif text is not None:
        yield replace(_make_turn(message, text, thread, source, seen), said_at=_read_time(message, skipped))


def _make_turn(message: Mapping[str, Any], text: str, thread: str, source: str, seen: Counter[str]) -> Turn:
    role = message["role"]
    name = next((message[one] for one in SPEAKERS if message.get(one) is not None), None)
    return Turn(
        text=text,
        kind=Kind.EPISODIC.label,
        role=role,
        speaker=None if name is None else turn_fields.plain_name("name", name),
        thread=thread,
        session=thread,
        source=source[-NAME_CHARS_MAX:],
        key=turn_fields.content_key("message", source, f"{thread}\0{role}\0{text}", seen),
    )


def _read_time(message: Mapping[str, Any], skipped: SkipCounts) -> Moment | None:
    """Return when a message was said, where it says so; a time that cannot be read is counted."""
    given = next((message[name] for name in TIMES if message.get(name) is not None), None)
    said_at: Moment | None = turn_fields.read_seconds(given)
    if isinstance(given, str):
        with suppress(ValueError, InvalidInput):
            said_at = turn_fields.place_moment(datetime.fromisoformat(given))
    if given is not None and said_at is None:
        skipped["time that cannot be read, such as one without a zone"] += 1
    return said_at


def _read_text(message: Mapping[str, Any], skipped: SkipCounts) -> str | None:
    """Return the words of a message, None where all of it is left out; each call of a tool is counted."""
    audio = message.get("audio")
    spoken = {**audio, CONTENT.type_field: "audio"} if isinstance(audio, dict) else None
    text = CONTENT.read_text([message.get("content"), message.get("refusal"), spoken], skipped)
    several, one = message.get("tool_calls"), message.get("function_call")
    for call in [*(several if isinstance(several, list) else ()), *([one] if one else ())]:
        function = call.get("function", call) if isinstance(call, dict) else call
        note_type("tool_call", function, skipped)
        text = text or None
    return text
