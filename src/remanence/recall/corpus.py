"""One scope as aligned arrays, and the windows of neighbours in it. Knows no texts and no queries.

A window is a memory with up to four neighbours on each side in the same segment (session, thread or run). Rows stand
in order of arrival; windows are worked in `slots`, where the rows of one segment stand side by side.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]

# What the 1st to 4th neighbour on each side lends of its words (shared study, section 1: a falling window beats a
# flat one, and the gain ends at the fourth).
NEIGHBOUR_WEIGHTS = (0.3, 0.2, 0.1, 0.1)
# A long neighbour would drown the memory it stands beside: beyond 50 words it lends 50/words of itself.
NEIGHBOUR_WORDS_MAX = 50.0

_DAY_MICROSECONDS = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Corpus:
    """The n memories of a scope in order of arrival, as aligned arrays of length n.

    `seq` ascends. `segment` is the same for all of a session, a thread or a run, `speaker` is a code (-1 for none),
    `said_at` microseconds UTC, `said_local` the same by the clocks where it was said, `value` the keep-value, `live`
    whether a row may be returned (others only lend words; nothing where `words` is 0), `counts` whether it counts in
    how rare words are: no tombstone does, and nothing in quarantine; `assistant` whether one spoke, `asks` whether the
    text holds a question mark.
    """

    seq: Ints
    segment: Codes
    words: Codes
    speaker: Codes
    said_at: Ints
    said_local: Ints
    value: Floats
    live: Bools
    counts: Bools
    assistant: Bools
    asks: Bools

    def __len__(self) -> int:
        """Return the number of memories."""
        return len(self.seq)

    def take(self, rows: npt.NDArray[np.intp]) -> "Corpus":
        """Return some memories alone, by ascending row."""
        return Corpus(**{name: getattr(self, name)[rows] for name in Corpus.__dataclass_fields__})


@dataclass(frozen=True, slots=True)
class Windows:
    """The neighbourhood of every memory of a corpus, worked out once; all arrays are in slots.

    `order` gives the row of a slot, `slot` the slot of a row, both None where they are the same. `share[k - 1][i]` is
    what slots i and i + k lend each other: the weight of the kth neighbour in one segment, else 0. `starts` are the
    slots that begin a segment. `lends` is the
    share of its words that a memory lends at all. `length` is the number of words in the window. `counts` tells which
    windows count, None where all do. `day`, `month`, `year` are of `said_local`.
    """

    order: npt.NDArray[np.intp] | None
    slot: npt.NDArray[np.intp] | None
    share: tuple[Floats, ...]
    starts: npt.NDArray[np.intp]
    lends: Floats
    length: Floats
    counts: Bools | None
    speaker: Codes
    day: npt.NDArray[np.int16]
    month: npt.NDArray[np.int16]
    year: npt.NDArray[np.int16]

    def to_slots(self, rows: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Return the slots of rows, ascending."""
        return rows if self.slot is None else np.sort(self.slot[rows])

    def to_rows(self, by_slot: Floats) -> Floats:
        """Return an array by slot as an array by row."""
        return by_slot if self.slot is None else by_slot[self.slot]


def windows_of(corpus: Corpus) -> Windows:
    """Work out the windows of a corpus; O(n), or O(n log n) where segments interleave."""
    order, slot = _side_by_side(corpus.segment)
    segment = corpus.segment if order is None else corpus.segment[order]
    own = (corpus.words if order is None else corpus.words[order]).astype(np.float32)
    said_local = corpus.said_local if order is None else corpus.said_local[order]
    lends = np.minimum(own > 0, NEIGHBOUR_WORDS_MAX / np.maximum(own, 1.0)).astype(np.float32)
    share = tuple(
        np.float32(weight) * (segment[:-k] == segment[k:]) for k, weight in enumerate(NEIGHBOUR_WEIGHTS, 1)
    )
    day, month, year = _find_calendar(said_local)
    return Windows(
        order=order,
        slot=slot,
        share=share,
        starts=np.flatnonzero(np.concatenate(([True], segment[1:] != segment[:-1]))[: len(segment)]),
        lends=lends,
        length=own + spread(own * lends, share),
        counts=_by_slot(corpus.counts, order),
        speaker=corpus.speaker if order is None else corpus.speaker[order],
        day=day,
        month=month,
        year=year,
    )


def _by_slot(counts: Bools, order: npt.NDArray[np.intp] | None) -> Bools | None:
    """Return which windows count, None where all do."""
    if counts.all():
        return None
    return counts if order is None else counts[order]


def spread(lent: Floats, share: tuple[Floats, ...]) -> Floats:
    """Return what each slot's neighbours lend it: Σ share × lent."""
    totals = np.zeros_like(lent)
    # One buffer for all products: fresh ones cost as much as the products.
    product = np.empty_like(lent)
    for k, weights in enumerate(share, 1):
        part = product[: len(weights)]
        np.multiply(weights, lent[k:], out=part)
        totals[:-k] += part
        np.multiply(weights, lent[:-k], out=part)
        totals[k:] += part
    return totals


def _side_by_side(segment: Codes) -> tuple[npt.NDArray[np.intp] | None, npt.NDArray[np.intp] | None]:
    """Return (order, slot), or Nones where every segment already stands in one piece."""
    # The runs of one agent ascend; to see that is cheaper than to look for what is there twice.
    if not len(segment) or (segment[1:] >= segment[:-1]).all():
        return None, None
    starts = np.flatnonzero(segment[1:] != segment[:-1]) + 1
    heads = segment[np.concatenate(([0], starts))]
    if len(np.unique(heads)) == len(heads):
        return None, None
    order = np.argsort(segment, kind="stable")
    slot = np.empty_like(order)
    slot[order] = np.arange(len(order))
    return order, slot


def _find_calendar(
    said_local: Ints,
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    """Return day, month and year of each time; worked out once for each day where many times are of few days."""
    numbers = said_local // _DAY_MICROSECONDS
    first, last = (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)
    if last - first < len(numbers):
        day, month, year = _split_dates(np.arange(first, last + 1))
        places = numbers - first
        return day[places], month[places], year[places]
    return _split_dates(numbers)


def _split_dates(numbers: Ints) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int16], npt.NDArray[np.int16]]:
    days = numbers.astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    years = months.astype("datetime64[Y]")
    day = (days - months).astype(np.int16) + 1
    month = (months - years).astype(np.int16) + 1
    return day, month, years.astype(np.int64).astype(np.int16) + 1970
