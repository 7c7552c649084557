"""Where a conversation turns to another matter, how a matter ended, and which matters are one over days.

Knows turns by their words, vectors and times; must not know how boxes are kept.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from remanence.core.box import BoxOutcome, SealReason, TraceRow
from remanence.core.model import INT_MAX
from remanence.languages import LEXICONS
from remanence.languages.families import TOPICS, load_small_talk
from remanence.text.analysis import stems, term_hash, words

Floats = npt.NDArray[np.floating]
Topics = Mapping[str, int]

# Measured on sixteen sessions of LoCoMo that a reader cut by hand.
LOOK_BACK = 8  # turns before a place whose words are compared with those after it
LOOK_AHEAD = 5
DECAY = 0.9  # what the words of a turn weigh for each turn that lies between
NEIGHBOURHOOD = 4  # a cut is where the overlap is lowest among so many places on either side
TURNS_LEAST = 4  # in a box that another matter ends
OPENING = 0.08  # by how much a phrase that opens another matter lowers the overlap
COMMON = 3.0  # what a word weighs that is in one memory of twenty; such words are of no matter
UNSETTLED = (
    LOOK_AHEAD + NEIGHBOURHOOD - 1
)  # turns at the end, between which nothing is cut until more have come
TOPICS_LEAST, TOPICS_MAX, TRACE_TOPICS_MAX = 4, 12, 24
# What a word of a box weighs the less for each turn, so that one said in two turns weighs four times one said in one.
SAID_ONCE = 0.7
OUTCOME_TURNS = 4  # the last ones of a box, whose words say how it ended
GOAL_CHARS_MAX = 100
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """When a box is sealed and joins a trace; times in microseconds.

    Sealed below `overlap_min`, after a silence of `gap` or longer, and when a turn comes beyond `turns_max`; a trace is
    joined from `alike_min` on, by a box no further than `reach` from it. All five are engram's numbers.
    """

    overlap_min: float = 0.35
    gap: int = 30 * 60 * MILLION
    turns_max: int = 50
    alike_min: float = 0.4
    reach: int = 7 * 24 * 60 * 60 * MILLION


@dataclass(frozen=True, slots=True)
class BoxTurn:
    """A turn as boxes see it: its number, when it was said, what its words weigh, and its vector.

    `topics` are words above common ones by how far they are so, `said` all but small talk.
    """

    seq: int
    at: int
    topics: Mapping[int, float]
    vector: Floats | None
    opens: bool = False
    said: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Piece:
    """Turns that belong in one box, and why nothing follows in it; None while more may come."""

    turns: tuple[BoxTurn, ...]
    reason: SealReason | None


class _FirstWordIndex:
    """Phrases of all languages with their first words, and those of scripts without blanks."""

    def __init__(self, name: str) -> None:
        spaced: list[str] = []
        unspaced: list[str] = []
        for code, topics in TOPICS.items():
            (spaced if code in LEXICONS else unspaced).extend(getattr(topics, name))
        self.unspaced = tuple(unspaced)
        self._first: dict[str, list[tuple[int, str]]] = {}
        for at, phrase in enumerate(spaced):
            self._first.setdefault(phrase.split(" ", 1)[0], []).append((at, phrase))

    def find_by_first_word(self, here: AbstractSet[str]) -> list[str]:
        """Return the phrases whose first word is among some, in the order of their lists."""
        return [phrase for _, phrase in sorted(one for word in here for one in self._first.get(word, ()))]


_OPENS = _FirstWordIndex("opens")
_FAILED = _FirstWordIndex("failed")
_SUCCEEDED = _FirstWordIndex("succeeded")
_PARTLY = _FirstWordIndex("partly")


def turn_of(
    turn: tuple[int, int, str],
    vector: Floats | None,
    weight: Callable[[str], float],
    names: AbstractSet[str],
) -> BoxTurn:
    """Return a turn, given by number, time and text, as boxes see it; names of speakers say nothing."""
    seq, at, text = turn
    weights = {stem: weight(stem) for stem in set(stems(text)) - names}
    topics = {term_hash(stem): over - COMMON for stem, over in weights.items() if over > COMMON}
    hash_weights = {term_hash(stem): over for stem, over in weights.items() if stem not in _small_talk()}
    return BoxTurn(seq, at, topics, vector, opens(text), hash_weights)


@cache
def _small_talk() -> frozenset[str]:
    talk = load_small_talk()
    return frozenset(stem for word in talk.core | talk.beside for stem in stems(word))


def opens(text: str) -> bool:
    """Tell whether a turn has a phrase in it that opens another matter."""
    return _has_phrase(text, _OPENS)


def outcome_of(texts: Sequence[str]) -> BoxOutcome:
    """Tell by the words of the last turns how a matter ended; success and failure together are a part of each."""
    last_texts = texts[-OUTCOME_TURNS:]
    has_failure = any(_has_phrase(text, _FAILED) for text in last_texts)
    has_success = any(_has_phrase(text, _SUCCEEDED, _FAILED) for text in last_texts)
    if any(_has_phrase(text, _PARTLY) for text in last_texts) or (has_failure and has_success):
        return BoxOutcome.PARTIAL
    if has_failure:
        return BoxOutcome.FAILURE
    return BoxOutcome.SUCCESS if has_success else BoxOutcome.UNKNOWN


def overlap(one: Mapping[int, float], other: Mapping[int, float]) -> float:
    """Return the overlap coefficient of two sets of weighed words: what both have, of what the lesser has.

    Weighed as min(wA, wB) over the words of both, divided by the lesser sum of weights (Szymkiewicz and Simpson).
    """
    lesser = min(sum(one.values()), sum(other.values()))
    both = sum(min(weight, other[word]) for word, weight in one.items() if word in other)
    return both / lesser if lesser else 0.0


def cut(turns: Sequence[BoxTurn], limits: Limits, ended: SealReason | None = None) -> list[Piece]:
    """Cut turns, of which the first ones may be those of an open box, where boxes end.

    A silence and the greatest number of turns end a box at once, in this order where both do; another matter does once
    enough turns have come after to tell. `ended` says why nothing will come after the last turn, None where it may.
    """
    pieces: list[Piece] = []
    # Turns are parted where nobody spoke for long; a clock that was set back is no silence.
    stretches: list[list[BoxTurn]] = []
    for turn in turns:
        if stretches and turn.at - max(one.at for one in stretches[-1]) < limits.gap:
            stretches[-1].append(turn)
        else:
            stretches.append([turn])
    for number, stretch in enumerate(stretches, start=1):
        is_last = number == len(stretches)
        pieces += _cut_stretch(stretch, limits, ended if is_last else SealReason.TIME_GAP)
    return pieces


def _cut_stretch(turns: Sequence[BoxTurn], limits: Limits, reason: SealReason | None) -> list[Piece]:
    """Cut a stretch without a silence; `reason` is what ends its last box."""
    pieces: list[Piece] = []
    first = 0
    settled_end = len(turns) if reason is not None else len(turns) - UNSETTLED
    alike = _WordOverlap(turns)
    for at in range(1, len(turns)):
        if at - first == limits.turns_max:
            why = SealReason.FULL
        elif at < settled_end and alike.shifts(first, at, limits.overlap_min):
            why = SealReason.TOPIC_SHIFT
        else:
            continue
        pieces.append(Piece(tuple(turns[first:at]), why))
        first = at
    return [*pieces, Piece(tuple(turns[first:]), reason)]


class _WordOverlap:
    """How far the words on both sides of each place in some turns are the same, within a box that begins somewhere."""

    def __init__(self, turns: Sequence[BoxTurn]) -> None:
        self._turns = turns
        self._known: dict[tuple[int, int], float] = {}

    def shifts(self, first: int, at: int, least: float) -> bool:
        """Tell whether another matter begins at a place: its overlap is below the least, and the lowest around it."""
        if at - first < TURNS_LEAST or len(self._turns) - at < 2:  # a last turn is a farewell
            return False
        own = self._measure_cut_overlap(first, at)
        if own >= least:
            return False
        low, high = max(first + 1, at - NEIGHBOURHOOD), min(len(self._turns), at + NEIGHBOURHOOD + 1)
        return all(own <= self._measure_cut_overlap(first, near) for near in range(low, high))

    def _measure_cut_overlap(self, first: int, at: int) -> float:
        likeness = self._known.get((first, at))
        if likeness is None:
            before = self._turns[max(first, at - LOOK_BACK) : at][::-1]
            likeness = (
                measure_side_overlap(before, self._turns[at : at + LOOK_AHEAD])
                - OPENING * self._turns[at].opens
            )
            self._known[first, at] = likeness
        return likeness


def measure_side_overlap(before: Sequence[BoxTurn], after: Sequence[BoxTurn]) -> float:
    """Return how far two sides speak of the same, the nearest turns first: by their words, and by their vectors.

    The mean of both; without vectors words alone tell, and count double, since few are said again.
    """
    shared = overlap(sum_topics(before), sum_topics(after))
    one, other = _compute_direction(before), _compute_direction(after)
    if one is None or other is None:
        return min(1.0, 2 * shared)
    return (shared + float(one @ other)) / 2


def sum_topics(turns: Sequence[BoxTurn]) -> Counter[int]:
    """Return what the words of turns weigh together, the nearest first, each further one less."""
    total: Counter[int] = Counter()
    for far, turn in enumerate(turns):
        for word, weight in turn.topics.items():
            total[word] += weight * DECAY**far  # type: ignore[assignment]
    return total


def _compute_direction(turns: Sequence[BoxTurn]) -> Floats | None:
    """Return the direction that turns have together, each as far as it says something."""
    pairs = [
        (turn.vector.astype(np.float64), sum(turn.topics.values()) * DECAY**far)
        for far, turn in enumerate(turns)
        if turn.vector is not None
    ]
    total = np.sum([vector * weight for vector, weight in pairs], axis=0) if pairs else np.zeros(1)
    size = float(np.linalg.norm(total))
    return total / size if size else None


def kept_topics(turns: Sequence[BoxTurn]) -> dict[str, int]:
    """Return the weightiest topics of a box, as they are kept: rare words that were said in many of its turns."""
    counts = Counter(word for turn in turns for word in turn.said)
    rare = {word: weight for turn in turns for word, weight in turn.said.items()}
    totals = Counter(
        {word: round((count - SAID_ONCE) * rare[word] * MILLION) for word, count in counts.items()}
    )
    return {
        f"{word:x}": min(weight, INT_MAX)
        for word, weight in sorted(totals.most_common(TOPICS_MAX))
        if weight > 0
    }


def trace_of(
    topics: Topics, at: tuple[int, int], traces: Sequence[TraceRow], limits: Limits
) -> TraceRow | None:
    """Return the trace that a box from one time to another joins: the most alike within reach, of equals the first.

    A box of few topics, such as a farewell, joins none.
    """
    if len(topics) < TOPICS_LEAST:
        return None
    began_at, last_at = at
    numbered = {int(word, 16): weight for word, weight in topics.items()}
    near = [
        (
            -overlap(numbered, {int(word, 16): weight for word, weight in one.topics.items()}),
            one.trace,
            one,
        )
        for one in traces
        if one.last_at >= began_at - limits.reach and one.began_at <= last_at + limits.reach
    ]
    best = min(near, default=None, key=lambda each: each[:2])
    return None if best is None or -best[0] < limits.alike_min else best[2]


def merge_topics(old: Topics, new: Topics) -> dict[str, int]:
    """Return the topics of a trace that a box joins: older ones fade, and only the weightiest are kept."""
    total = Counter({word: round(weight * DECAY) for word, weight in old.items()})
    for word, weight in new.items():
        total[word] = max(total[word], weight)
    return {word: weight for word, weight in sorted(total.most_common(TRACE_TOPICS_MAX)) if weight > 0}


def _has_phrase(text: str, listed: _FirstWordIndex, but: _FirstWordIndex | None = None) -> bool:
    """Tell whether a phrase stands in a text, of any language, outside phrases of `but`."""
    plain = text.casefold().replace("'", "").replace("\u2019", "")
    each = words(plain)
    sentence, here = f" {' '.join(each)} ", frozenset(each)
    for phrase in () if but is None else but.find_by_first_word(here):
        sentence = sentence.replace(f" {phrase} ", " . ")
    return any(f" {phrase} " in sentence for phrase in listed.find_by_first_word(here)) or any(
        phrase in text for phrase in listed.unspaced
    )
