"""The times that a question asks about: those that the caller says, else what its words say now."""

from collections.abc import Sequence

from remanence.core.clock import to_span
from remanence.core.keywords import Moment
from remanence.core.results import date_of
from remanence.read.when import TimeSpan, find_time_spans

AROUND = "around"  # what the caller said himself


def read_times(now: int, question: str, around: tuple[Moment, Moment] | None) -> tuple[TimeSpan, ...]:
    """Return the times that a question asks about; InvalidInput for a span that ends before it begins, or is none."""
    if around is None:
        return find_time_spans(question, now)
    span = to_span(around, AROUND)
    return () if span is None else (TimeSpan(*span, AROUND),)


def describe_times(times: Sequence[TimeSpan]) -> tuple[str, ...]:
    """Write each time with the words that it was read from: `last tuesday: 2026-06-09`."""
    return tuple(
        f"{one.words}: {begins}" if begins == ends else f"{one.words}: {begins} to {ends}"
        for one in times
        for begins, ends in [(date_of(one.begins), date_of(one.ends))]
    )
