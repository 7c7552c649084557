"""The keep-value: what a memory is worth keeping for, fixed on arrival and listed as reasons. Knows no store.

    value = information × points × speaker

Source: the keeping study that this project's recipe comes from; of LoCoMo cut to 50, 25
and 10 % by it 96, 75 and 43 % of the R@10 of the word search remain, by random cuts 55, 27 and 12 %.
The signs carry the gain, not the constants, so every sign is worth the same.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from remanence.core.segment import FIRST_IN_SEGMENT
from remanence.languages import LEXICONS, Lexicon
from remanence.text.analysis import ChunkReading, asks, lexicon_of, readings

RAREST_MAX = 10  # six to thirteen words rank alike; beyond that length alone would win
MEMORIES_PRIOR = (
    500  # as if 500 memories without the word had come before, so that the first ones are comparable
)
POINTS_MIN = 0.1
ASSISTANT_SHARE = (
    0.3  # a default: what an assistant says is asked for less than what people say about themselves
)

_SENTENCE = re.compile(r"[^.!?…。！？؟\n]*[.!?…。！？؟\n]*")
# A capital inside a sentence makes a name; one after these marks only opens a sentence.
_CAPITAL = re.compile(r" ([A-ZÀ-ÖØ-ÞΑ-ΩА-Я][\w'’-]+)")
_OPENS_AFTER = frozenset(".!?…。\"'”“»)-–—*:")

# Sign → the list of its words, and which way it counts.
_LISTED = (
    ("first person", "first_person", 1),
    ("time or date", "time_words", 1),
    ("number", "number_words", 1),
    ("second person", "second_person", -1),
)
_SEEN_MAX = 3


class ValueReason(NamedTuple):
    """One sign that spoke for or against keeping: what was seen, and the points it gave."""

    sign: str
    seen: str
    points: float

    def __str__(self) -> str:
        """Return the reason as a line to read."""
        return (
            f"{self.points:+.2f} {self.sign}: {self.seen}" if self.seen else f"{self.points:+.2f} {self.sign}"
        )


class Value(NamedTuple):
    """A keep-value, `total` = `information` × `points` × `speaker`, with the reasons behind its points."""

    total: float
    information: float
    points: float
    speaker: float
    reasons: tuple[ValueReason, ...]


def keep_value(
    text: str,
    *,
    terms: Collection[int],
    memories: int,
    df: Mapping[int, int],
    place: int,
    after_question: bool,
    assistant: bool,
) -> Value:
    """Return what a memory is worth keeping for, on the statistics of its arrival.

    `terms` are the hashes of its stems. `memories` of the scope have been seen so far, `df` maps a term to how many of
    them hold it.
    `place` is how many memories of its segment (session, thread or run) came before, `after_question` says that the
    last of them asked something.
    """
    read = readings(text)
    lexicon = lexicon_of(read)
    # The sum over the rarest terms of ln((N + 500) / (df + 1)).
    counts = sorted([df.get(term, 0) for term in terms])[:RAREST_MAX]
    # df may count memories that arrived since; a word then says nothing, never less.
    information = sum([max(0.0, math.log((memories + MEMORIES_PRIOR) / (count + 1))) for count in counts])
    reasons = _word_signs(read, lexicon)
    reasons += _text_signs(text, lexicon)
    reasons += _place_signs(place, after_question)
    points = max(POINTS_MIN, 1 + sum([reason.points for reason in reasons]))
    speaker = ASSISTANT_SHARE if assistant else 1.0
    return Value(information * points * speaker, information, points, speaker, tuple(reasons))


def word_information(memories: int, df: Mapping[str, int]) -> dict[str, float]:
    """Return what the rarest of some words add to the information of a text; `df` says how many memories hold each."""
    rarest = sorted(df, key=lambda word: (df[word], word))[:RAREST_MAX]
    return {word: max(0.0, math.log((memories + MEMORIES_PRIOR) / (df[word] + 1))) for word in rarest}


def _compute_worth(times: int) -> float:
    """Return 1 − 2^−n: the first sight of a sign is worth half a point, all sights together never a whole one."""
    return 1 - 0.5**times


def _word_signs(read: Sequence[ChunkReading], lexicon: Lexicon) -> list[ValueReason]:
    words = [word for reading in read for word in reading.folded]
    reasons = []
    for sign, name, direction in _LISTED:
        listed = getattr(lexicon, name)
        seen = [word for word in words if word in listed or (sign == "number" and word[0].isdigit())]
        if seen:
            reasons.append(ValueReason(sign, _format_words(seen), direction * _compute_worth(len(seen))))
    return reasons


@cache
def _collect_listed_words(code: str) -> frozenset[str]:
    """Return the words of one language that are no names, whatever their capitals: function words, other signs."""
    lexicon = LEXICONS[code]
    return lexicon.stop.union(*(getattr(lexicon, name) for _, name, _ in _LISTED))


def _text_signs(text: str, lexicon: Lexicon) -> list[ValueReason]:
    reasons: list[ValueReason] = []
    if lexicon.names_by_capital and not text.islower() and (names := _find_names(text, lexicon)):
        reasons.append(ValueReason("name", _format_words(names), _compute_worth(len(names))))
    if asks(text):  # by how many of the characters stand in sentences closed by a question mark
        share = sum(len(part) for part in _SENTENCE.findall(text) if asks(part)) / len(text)
        if share:
            reasons.append(ValueReason("share of it that asks", f"{share:.0%}", -share))
    return reasons


def _find_names(text: str, lexicon: Lexicon) -> list[str]:
    """Return capitalised words inside sentences that are in no list: Tuesday is another sign."""
    listed = _collect_listed_words(lexicon.code)
    return [
        match.group(1)
        for match in _CAPITAL.finditer(text)
        if match.start() > 0
        and text[match.start() - 1] not in _OPENS_AFTER
        and match.group(1).casefold() not in listed
    ]


def _place_signs(place: int, after_question: bool) -> list[ValueReason]:
    reasons = []
    if after_question:
        reasons.append(ValueReason("answers a question", "", _compute_worth(1)))
    if place < FIRST_IN_SEGMENT:
        reasons.append(ValueReason("opens a session", "", _compute_worth(1)))
    return reasons


def _format_words(words: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(words))
    return ", ".join(distinct[:_SEEN_MAX]) + (" …" if len(distinct) > _SEEN_MAX else "")
