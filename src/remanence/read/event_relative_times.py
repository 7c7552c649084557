"""Times that are told by an event: two weeks before the open day. Knows words and a calendar, no clock and no memories.

A question tells how far from which event; when that was, a text says that speaks of it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from remanence.core.clock import DAY
from remanence.languages.families import LEXICONS, WHEN
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
DAYS_MAX = 100 * 365  # from an event
TEXT_CHARS_MAX = 2_000  # of a memory, that are looked through for its event
# "two weeks before the open day", "the week before it"; where words have no blanks: 开放日前两周, 公開日の二週間前.
_SPACED = re.compile(
    r"(?P<article>[oi])?(?P<number>[nk])?(?P<unit>[DWMY])(?P<side>[bp])(?P<event>[^bp]{1,40})"
)
_UNSPACED = re.compile(
    r"(?P<event>[^bp]{2,12})(?:(?P<side>[bp])f?(?P<number>[nk])(?P<unit>[DWMY])|f[nk][DWMY](?P<behind>[bp]))"
)
_BREAK = re.compile(r"[,;:.?!，。；：？！、]")
_YEAR = 366  # days until each day of a calendar has come again
EVENT_STEMS_MAX = 4  # of an event; what follows it in a question is another matter


class EventTime(NamedTuple):
    """A time that an event tells: from `first` to `last` days after it, below 0 before it.

    `words` say all of it, from the character `at` of the question as `fold_question` returns it.
    """

    first: int
    last: int
    event: str
    words: str
    at: int

    def find_span(self, day: int, told_by: str) -> TimeSpan:
        """Return the time that is meant where the event was on a day since 1970, as somebody tells."""
        return TimeSpan(
            (day + self.first) * DAY, (day + self.last + 1) * DAY - 1, f"{self.words} ({told_by})"
        )

    def is_told_by(self, text: str) -> bool:
        """Tell whether a text speaks of the event: it has most of its words, or half with the first of them."""
        event = list(dict.fromkeys(stems(self.event)))[:EVENT_STEMS_MAX]
        told = set(stems(text[:TEXT_CHARS_MAX]))
        twice = 2 * len(told.intersection(event))
        return twice > len(event) or (twice == len(event) and event[0] in told)

    def is_told_alike(self, text: str) -> bool:
        """Tell whether a text says the same of an event: who asks then asks for that, and not about a time."""
        own = find_event_time(text[:TEXT_CHARS_MAX])
        return own is not None and (own.first, own.last) == (self.first, self.last)

    def leave_out(self, question: str, text: str) -> str:
        """Return a question without what it tells of the time, where a text speaks of the event.

        What else stands behind the event stays: "the day after the wedding about the cake".
        """
        told, folded = set(stems(text[:TEXT_CHARS_MAX])), fold_question(question)
        rest = " ".join(word for word in self.event.split() if told.isdisjoint(stems(word)))
        return f"{folded[: self.at]}{rest}{folded[self.at + len(self.words) :]}"


def fold_question(question: str) -> str:
    """Return a question with its letters in one form, and in lower case where that has as many."""
    plain = normalize_nfkc(question)
    folded = plain.casefold()
    return plain if len(plain) == len(folded) else folded


def find_event_time(question: str) -> EventTime | None:
    """Return the time that a question tells by an event, None where it tells none so."""
    if len(question) > QUESTION_CHARS_MAX:
        return None
    text = fold_question(question).casefold()
    words, characters = find_tokens(text, spaced=True), find_tokens(text, spaced=False)
    found = [
        one
        for code in find_languages(words, characters)
        for one in _read_times(text, words if WHEN[code].spaced else characters, code)
    ]
    return max(found, key=lambda one: len(one.words) - len(one.event), default=None)


def find_event_day(text: str, said_at: int) -> int | None:
    """Return which day since 1970 a text names, None where it names none; without a year it is the nearest."""
    said = said_at // DAY
    days = [_find_named_day(text, read_on) for read_on in (said, said + _YEAR)]
    return min((day for day in days if day is not None), key=lambda day: abs(day - said), default=None)


def _find_named_day(text: str, read_on: int) -> int | None:
    """Return the first day that a text names for who reads it on another, where it is the latest."""
    spans = find_all_spans(text[:TEXT_CHARS_MAX], read_on)
    return next((one.begins // DAY for one in spans if one.begins // DAY == one.ends // DAY), None)


def _read_times(text: str, tokens: Sequence[re.Match[str]], code: str) -> Iterator[EventTime]:
    """Yield the times that a text tells by an event if its words are of a language."""
    spaced = WHEN[code].spaced
    words = list(sign_words(tokens, code, _ROLES))
    signs = "".join([word.sign for word in words])
    for match in _SPACED.finditer(signs) if spaced else _UNSPACED.finditer(signs):
        begins, ends = match.span("event")
        said = text[words[begins].begins : words[ends - 1].ends]
        event = _BREAK.split(said)[0 if spaced else -1].strip()
        distance = [*words[match.start() : begins], *words[ends : match.end()]]
        days = _count_days(match, distance)
        if days is None or not _is_event(event, code):
            continue
        at = text.index(event, words[begins].begins)
        first, last = min(at, distance[0].begins), max(at + len(event), distance[-1].ends)
        yield EventTime(*days, event, text[first:last], first)


def _count_days(match: re.Match[str], distance: Sequence[WordSign]) -> tuple[int, int] | None:
    """Return from which to which day after an event is meant; None where none is: "how many days after".

    "The week after it", "in the three weeks before it" are all of these days, "three weeks before it" is one.
    """
    said = match.groupdict()
    number = next((word.value for word in distance if word.sign in "nk"), 0)
    unit = next(word.sign for word in distance if word.sign in _DAYS)
    days, margin = (number or 1) * _DAYS[unit], _MARGINS[unit]
    if days > DAYS_MAX or (not number and not said.get("article")):
        return None
    is_stretch = said.get("article") is not None and days > 1
    first, last = days - margin, days + margin
    if is_stretch:
        first = 1
    return (-last, -first) if (said["side"] or said.get("behind")) == "b" else (first, last)


def _is_event(event: str, code: str) -> bool:
    """Tell whether words tell an event, and no day by its name, such as tomorrow, the next or the last one."""
    spaced = WHEN[code].spaced
    others = [
        event[word.begins : word.ends]
        for word in sign_words(find_tokens(event, spaced=spaced), code)
        if word.sign == "."
    ]
    named = LEXICONS[code].time_words if code in LEXICONS else frozenset()
    return bool(stems(" ".join(word for word in others if word not in named)))
