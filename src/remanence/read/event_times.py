"""Times that are told by an event: two weeks before the open day. Knows words and a calendar, no clock and no memories.

A question tells how far from which event; when that was, a text says that speaks of it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from remanence.core.clock import DAY
from remanence.languages.families import WHEN
from remanence.read.when import (
    QUESTION_CHARS_MAX,
    Roles,
    TimeSpan,
    WordSign,
    find_all_spans,
    find_languages,
    find_tokens,
    sign_words,
)
from remanence.text.analysis import normalize_nfkc, stems

_ROLES: Roles = (
    ("before_event", "b"),
    ("after_event", "p"),
    ("of", "f"),
    ("at", "i"),
    ("between", "o"),
)
_DAYS = {"D": 1, "W": 7, "M": 30, "Y": 365}
# Nobody counts weeks to the day, or months to the week.
_MARGINS = {"D": 0, "W": 3, "M": 15, "Y": 180}
# "two weeks before the open day"; where words have no blanks: 开放日前两周, 公開日の二週間前.
_SPACED = re.compile(r"[nkoi][DWMY](?P<side>[bp])(?P<event>[^bp]{1,40})")
_UNSPACED = re.compile(r"(?P<event>[^bp]{2,12})(?:(?P<side>[bp])f?[nk][DWMY]|f[nk][DWMY](?P<behind>[bp]))")
_BREAK = re.compile(r"[,;:.?!，。；：？！、]")
_YEAR = 366  # days until each day of a calendar has come again
EVENT_STEMS_MAX = 4  # of an event; what follows it in a question is another matter


class EventTime(NamedTuple):
    """A time that an event tells: so many `days` from it, give or take `margin`; `words` say all of it."""

    days: int
    margin: int
    event: str
    words: str

    def find_span(self, day: int, told_by: str) -> TimeSpan:
        """Return the time that is meant where the event was on a day since 1970, as somebody tells."""
        first = (day + self.days - self.margin) * DAY
        last = (day + self.days + self.margin + 1) * DAY - 1
        return TimeSpan(first, last, f"{self.words} ({told_by})")

    def is_told_by(self, text: str) -> bool:
        """Tell whether a text speaks of the event: it has most of its words, or half with the first of them."""
        event, told = list(dict.fromkeys(stems(self.event)))[:EVENT_STEMS_MAX], set(stems(text))
        twice = 2 * len(told.intersection(event))
        return twice > len(event) or (twice == len(event) and event[0] in told)

    def is_told_alike(self, text: str) -> bool:
        """Tell whether a text says the same of an event: who asks then asks for that, and not about a time."""
        own = find_event_time(text)
        return own is not None and own.days == self.days

    def leave_out(self, question: str, text: str) -> str:
        """Return a question without what it tells of the time, where a text speaks of the event.

        What else stands behind the event stays: "the day after the wedding about the cake".
        """
        told = set(stems(text))
        rest = " ".join(word for word in self.event.split() if told.isdisjoint(stems(word)))
        return normalize_nfkc(question).casefold().replace(self.words, rest)


def find_event_time(question: str) -> EventTime | None:
    """Return the time that a question tells by an event, None where it tells none so."""
    if len(question) > QUESTION_CHARS_MAX:
        return None
    text = normalize_nfkc(question).casefold()
    words, characters = find_tokens(text, spaced=True), find_tokens(text, spaced=False)
    found = [
        one
        for code in find_languages(words, characters)
        for one in _read(text, words if WHEN[code].spaced else characters, code)
    ]
    return max(found, key=lambda one: len(one.words) - len(one.event), default=None)


def find_event_day(text: str, said_at: int) -> int | None:
    """Return which day since 1970 a text names, None where it names none; without a year it is the nearest."""
    said = said_at // DAY
    days = [_find_named_day(text, read_on) for read_on in (said, said + _YEAR)]
    return min((day for day in days if day is not None), key=lambda day: abs(day - said), default=None)


def _find_named_day(text: str, read_on: int) -> int | None:
    """Return the first day that a text names for who reads it on another, where it is the latest."""
    spans = find_all_spans(text, read_on)
    return next((one.begins // DAY for one in spans if one.begins // DAY == one.ends // DAY), None)


def _read(text: str, tokens: Sequence[re.Match[str]], code: str) -> Iterator[EventTime]:
    """Yield the times that a text tells by an event if its words are of a language."""
    spaced = WHEN[code].spaced
    words = list(sign_words(tokens, code, _ROLES))
    signs = "".join([word.sign for word in words])
    for match in _SPACED.finditer(signs) if spaced else _UNSPACED.finditer(signs):
        begins, ends = match.span("event")
        said = text[words[begins].begins : words[ends - 1].ends]
        event = _BREAK.split(said)[0 if spaced else -1].strip()
        if "." not in signs[begins:ends] or not stems(event):
            continue  # a day by its name is no event
        distance = [*words[match.start() : begins], *words[ends : match.end()]]
        at = text.index(event, words[begins].begins)
        first, last = min(at, distance[0].begins), max(at + len(event), distance[-1].ends)
        side = match.group("side") or match.group("behind")
        yield _build(distance, event, text[first:last], is_before=side == "b")


def _build(distance: Sequence[WordSign], event: str, words: str, *, is_before: bool) -> EventTime:
    number = next((word.value for word in distance if word.sign in "nk"), 1)
    unit = next(word.sign for word in distance if word.sign in _DAYS)
    days = number * _DAYS[unit]
    return EventTime(-days if is_before else days, _MARGINS[unit], event, words)
