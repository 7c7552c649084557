"""The times that a question asks about: those that the caller says, else what its words say or tell by an event."""

from collections.abc import Awaitable, Callable, Sequence

from remanence.core.clock import DAY, to_span
from remanence.core.keywords import Moment
from remanence.core.model import Memory, short_id
from remanence.core.results import date_of
from remanence.read.event_times import find_event_day, find_event_time
from remanence.read.when import TimeSpan, find_time_spans

AROUND = "around"  # what the caller said himself


async def read_times(
    now: int,
    question: str,
    around: tuple[Moment, Moment] | None,
    find_event: Callable[[str], Awaitable[Sequence[Memory]]],
) -> tuple[tuple[TimeSpan, ...], str]:
    """Return the times that a question asks about, and the question by whose words the answer is found.

    `find_event` looks for what speaks of an event. The first that names its day tells when that was, else the first by
    when it was said, and the event's words are then words of a time. InvalidInput for a span that ends before it
    begins, or is none.
    """
    if around is not None:
        span = to_span(around, AROUND)
        return (() if span is None else (TimeSpan(*span, AROUND),)), question
    event = find_event_time(question)
    if event is not None:
        telling = [one for one in await find_event(event.event) if event.is_told_by(one.text)]
        days = [find_event_day(one.text, one.said_at) for one in telling]
        if telling and not any(event.is_told_alike(one.text) for one in telling):
            at = next((place for place, day in enumerate(days) if day is not None), 0)
            memory, day = telling[at], days[at]
            meant = event.find_span(memory.said_at // DAY if day is None else day, short_id(memory.seq))
            if meant.begins <= now:
                return (meant,), event.leave_out(question, memory.text)
    return find_time_spans(question, now), question


def describe_times(times: Sequence[TimeSpan]) -> tuple[str, ...]:
    """Write each time with the words that it was read from: `last tuesday: 2026-06-09`."""
    return tuple(
        f"{one.words}: {begins}" if begins == ends else f"{one.words}: {begins} to {ends}"
        for one in times
        for begins, ends in [(date_of(one.begins), date_of(one.ends))]
    )
