"""LoCoMo's samples (Maharana et al., 2024): long chats of two people, in sessions.

Knows that format; must not know other formats.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from remanence.core.model import Kind, Turn
from remanence.write.imported import SkipCounts
from remanence.write.transcripts import base, turn_fields
from remanence.write.transcripts.base import child, objects
from remanence.write.transcripts.turn_fields import FlawError, Path

MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
DATE = re.compile(r"(\d{1,2}):(\d{2})\s*([ap])m\s+on\s+(\d{1,2})\s+([a-z]+),?\s+(\d{4})", re.IGNORECASE)
DATE_RECOVERY = 'write it like "9:05 am on 3 March, 2026"'
SESSION = re.compile(r"session_(\d{1,9})")


@dataclass(frozen=True, slots=True)
class _LocomoSession:
    thread: str
    name: str
    start: datetime
    path: Path


class Locomo:
    """The samples of the LoCoMo benchmark."""

    summary = "samples of the LoCoMo benchmark"

    def recognises(self, text: str) -> bool:
        """Tell whether the first object holds a conversation."""
        head = base.head(text)
        return head is not None and isinstance(head.get("conversation"), dict)

    def turns(self, text: str, source: str, skipped: SkipCounts) -> list[Turn]:
        """Return the turns of all samples."""
        return base.read(text, source, samples, skipped)


def samples(whole: Any, _skipped: SkipCounts) -> Iterator[Turn]:
    """Yield the turns of every sample, session by session, one second apart so that their order holds."""
    seen: set[str] = set()
    for place, sample in objects(whole, "a list of samples"):
        thread = turn_fields.check_at(place, turn_fields.plain_name, "sample_id", sample.get("sample_id"))
        conversation = child(sample, "conversation", dict, place)
        for session in _read_sessions(conversation, thread, (*place, "conversation")):
            for turn in _read_turns(conversation, session):
                _refuse_repeated_turn(turn, seen, session.path)
                yield turn


def _read_sessions(conversation: Mapping[str, Any], thread: str, path: Path) -> Iterator[_LocomoSession]:
    sessions = [(int(match[1]), name) for name in conversation if (match := SESSION.fullmatch(name))]
    for _, name in sorted(sessions):
        yield _LocomoSession(thread, name, _read_start(conversation, name, (*path, name)), (*path, name))


def _read_start(conversation: Mapping[str, Any], name: str, path: Path) -> datetime:
    date_text = conversation.get(f"{name}_date_time")
    match = DATE.fullmatch(date_text.strip()) if isinstance(date_text, str) else None
    if match is None or match[5].lower() not in MONTHS:
        raise FlawError(f"{name}_date_time {date_text!r} is not a time", DATE_RECOVERY, path)
    hour = int(match[1]) % 12 + 12 * (match[3].lower() == "p")
    month = MONTHS.index(match[5].lower()) + 1
    try:
        start = datetime(int(match[6]), month, int(match[4]), hour, int(match[2]))  # noqa: DTZ001 # the scope's
        return turn_fields.place_moment(start, UTC)
    except ValueError as error:
        raise FlawError(f"{name}_date_time: {error}", DATE_RECOVERY, path) from None


def _read_turns(conversation: Mapping[str, Any], session: _LocomoSession) -> Iterator[Turn]:
    for number, row in enumerate(child(conversation, session.name, list, session.path)):
        yield _read_turn(row, number, session)


def _read_turn(row: Any, number: int, session: _LocomoSession) -> Turn:
    path = (*session.path, number)
    if not isinstance(row, dict):
        raise FlawError("a turn is not an object", "each turn has speaker, dia_id and text", path)
    key = (
        f"{session.thread}:{turn_fields.check_at(path, turn_fields.plain_name, 'dia_id', row.get('dia_id'))}"
    )
    return Turn(
        text=turn_fields.check_at(path, turn_fields.text, _with_caption(row)),
        kind=Kind.EPISODIC.label,
        speaker=turn_fields.check_at(path, turn_fields.plain_name, "speaker", row.get("speaker")),
        thread=session.thread,
        session=f"{session.thread}/{session.name}",
        said_at=session.start + timedelta(seconds=number),
        source=key,
        key=key,
    )


def _with_caption(row: Mapping[str, Any]) -> Any:
    text, caption = row.get("text"), row.get("blip_caption")
    if not isinstance(text, str) or not isinstance(caption, str) or not caption.strip():
        return text
    return f"{text} [shares a photo: {caption.strip()}]".strip()


def _refuse_repeated_turn(turn: Turn, seen: set[str], path: Path) -> None:
    if turn.key in seen:
        raise FlawError(f"the turn {turn.key!r} is there twice", "give each turn a dia_id of its own", path)
    seen.add(str(turn.key))
