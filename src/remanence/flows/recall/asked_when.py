"""The times that a question asks about: those that the caller says, else what its words say or tell by an event."""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

from remanence.core.clock import DAY, to_span
from remanence.core.keywords import Moment
from remanence.core.model import Memory, Verification, short_id
from remanence.core.results import date_of
from remanence.read.event_relative_times import find_event_day, find_event_time
from remanence.read.when import TimeSpan, find_time_spans
from remanence.text.analysis import only_asks, stems

AROUND = "around"  # what the caller said himself


class AskedTime(NamedTuple):
    """A time that an event tells, and the question without the words that tell it."""

    span: TimeSpan
    rest: str


def read_times(now: int, question: str, around: tuple[Moment, Moment] | None) -> tuple[TimeSpan, ...]:
    """Return the times that a question asks about; InvalidInput for a span that ends before it begins, or is none."""
    if around is None:
        return find_time_spans(question, now)
    span = to_span(around, AROUND)
    return () if span is None else (TimeSpan(*span, AROUND),)


async def read_event_time(
    now: int, question: str, find_event: Callable[[str], Awaitable[Sequence[Memory]]]
) -> AskedTime | None:
    """Return the time that a question tells by an event, None where it tells none so or nobody knows when that was.

    `find_event` looks for what speaks of an event. Of those that name its day the most trusted tells when it was, of
    equals the newest; where none does, the first by when it was said.
    """
    event = find_event_time(question)
    if event is None:
        return None
    telling = [
        one
        for one in await find_event(event.event)
        if one.verification is not Verification.DISPUTED
        and not only_asks(one.text)
        and event.is_told_by(one.text)
    ]
    if not telling or any(event.is_told_alike(one.text) for one in telling):
        return None
    days = {one.seq: find_event_day(one.text, one.said_at) for one in telling}
    dated = [one for one in telling if days[one.seq] is not None]
    memory = max(dated, key=lambda one: (one.trust, one.said_at), default=telling[0])
    day = days[memory.seq]
    span = event.find_span(memory.said_at // DAY if day is None else day, short_id(memory.seq))
    rest = event.leave_out(question, memory.text)
    return AskedTime(span, rest) if span.begins <= now and stems(rest) else None


def describe_times(times: Sequence[TimeSpan]) -> tuple[str, ...]:
    """Write each time with the words that it was read from: `last tuesday: 2026-06-09`."""
    return tuple(
        f"{one.words}: {begins}" if begins == ends else f"{one.words}: {begins} to {ends}"
        for one in times
        for begins, ends in [(date_of(one.begins), date_of(one.ends))]
    )
