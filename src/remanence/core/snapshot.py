"""A scope frozen as columns: what the planner decides on. Numbers, codes and times; no text and no vectors."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from remanence.core.attributes import AttributeColumn, Codes
from remanence.core.change import FRACTIONS, MILLION
from remanence.core.errors import InvalidInput
from remanence.core.model import (
    REJECTED_PATH,
    STANDING,
    SYMMETRIC,
    Form,
    Kind,
    Relation,
    Status,
    is_load_bearing,
)
from remanence.core.timekeeping import Present

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
# Labels (by their numbers) and names by column: of a memory that is meant, each column holds one of its own, and it
# bears one of the tags under `TAG`.
Holds: TypeAlias = Mapping[str, frozenset[int | str]]
TAG = "tag"
Among: TypeAlias = tuple[Holds, ...]  # several of these, of which a memory meets at least one
# By these a memory rests on another, as long as it stands or lies in the archive: no likeness of two, no mere order.
_ORDER = {Relation.SUPERSEDES, Relation.MERGED_FROM, Relation.FOLLOWS, Relation.NEWER}
RESTING_ON = frozenset(Relation) - SYMMETRIC - _ORDER
RESTING = STANDING | {Status.ARCHIVED}


@dataclass(frozen=True, slots=True)
class LinkColumns:
    """The links of a scope, one array each of the same length, in order; ends are row numbers of the snapshot.

    Columns that nobody asked for are None. `cut` marks those that a plan has cut, which are links no more.
    """

    source: npt.NDArray[np.int32]
    target: npt.NDArray[np.int32]
    relation: npt.NDArray[np.int8]
    weight: npt.NDArray[np.int32]  # millionths
    confidence: npt.NDArray[np.int32] | None = None  # millionths, -1 where nobody said
    last_at: Floats | None = None  # microseconds
    count: npt.NDArray[np.int32] | None = None  # how often it was seen; a merge of two memories adds them up
    resolved_at: Floats | None = None  # microseconds, NaN where open
    cut: Bools | None = None

    def __len__(self) -> int:
        return len(self.source)

    def read_column(self, name: str, edges: Ints) -> npt.NDArray[Any]:
        """Return a column of some links, fractions from 0 to 1, NaN where nobody said."""
        array = getattr(self, name)
        if array is None:
            raise InvalidInput(
                f"the snapshot lacks the column {name!r} of links",
                recovery="take it with wanted(policy) of this policy",
            )
        some: npt.NDArray[Any] = array[edges]
        if name not in FRACTIONS:
            return some
        return np.where(some < 0, np.nan, some / MILLION)

    def find_uncut(self, chosen: Bools) -> Ints:
        """Number the chosen links that are not cut."""
        return np.flatnonzero(chosen if self.cut is None else chosen & ~self.cut)

    def without(self, edges: Ints) -> "LinkColumns":
        """Return the same links with some more of them cut."""
        cut = np.zeros(len(self), np.bool_) if self.cut is None else self.cut.copy()
        cut[edges] = True
        return replace(self, cut=cut)


# Further back, or with more memories written to, what has changed since is no cheaper to read than what there is.
SINCE_PARTS_MAX, SINCE_ROWS_MAX = 2_000, 2_000
# What can be asked for of links, beside what always comes.
LINK_COLUMNS = frozenset({"confidence", "last_at", "count", "resolved_at"})


@dataclass(frozen=True, slots=True)
class SnapshotRequest:
    """What a snapshot is asked for: columns, tag patterns (`self/*`), links, clocks but the wall's, which texts ask.

    `links` are the columns of links beside their ends, relation and weight; None for no links. `attributes` are names
    of attributes, `tagged_at` tags of which it is asked when they were set, `agents` how many used each memory. With
    `among` only memories that meet it are read; where links are asked for, also the other ends of theirs, and of links
    those of memories that meet it. With `only` those of these sequence numbers are read; where links are
    asked for, theirs, and the other ends. Attributes are of all memories. With `since` a store may answer what may be
    otherwise than it was at that position, `Snapshot.changed`, whatever `among` says; where that is too much or not
    known, it answers as without.
    """

    columns: frozenset[str]
    tags: frozenset[str] = frozenset()
    links: frozenset[str] | None = None
    clocks: frozenset[str] = frozenset()  # "active", "turns"
    asks: bool = False
    attributes: frozenset[str] = frozenset()
    link_count: bool = False  # only how many links there are
    tagged_at: frozenset[str] = frozenset()
    agents: bool = False
    among: Among | None = None
    only: tuple[int, ...] | None = None
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All memories of a scope that still have a row, in order of arrival, as they stood at `position`.

    Of a snapshot that was asked for some of them alone, `whole` says how many there are in all.

    Arrays are aligned with `seq` (ascending). Kinds of column (see `model.COLUMNS`): enum → int8, −1 where
    absent; name → int32 code into `names[column]`, −1 where absent; int and flag → int64; time and fraction →
    float64 (microseconds; 0 to 1), NaN where absent. `revision` and `touched` are always there (int64).
    """

    scope: str
    position: int
    seq: Ints
    columns: Mapping[str, npt.NDArray[np.generic]]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tags: Mapping[str, Bools] = field(default_factory=dict)
    links: LinkColumns | None = None
    fired: Mapping[str, int] = field(default_factory=dict)  # periodic rule → when it last fired
    restored: Mapping[int, int] = field(default_factory=dict)  # what somebody restored in the last day → when
    newest_at: int = 0  # the latest time the scope has recorded, for clock sanity
    present: Present | None = None  # what the clocks say, for the same; None where nobody looked
    destroyed_today: int = 0  # memories destroyed by automatic runs in the 24 hours before `now`
    spans: Ints | None = None  # (began, ended) of what sessions covered: disjoint, ascending
    heard: Ints | None = None  # (minute, turns heard in it), ascending
    shortens: bool = False  # whether a writer is at hand that says the same in fewer words
    # Pairs of near duplicates, the older first, that say the same by their words alone.
    same_words: frozenset[tuple[int, int]] = frozenset()
    only: tuple[int, int] | None = (
        None  # the pair that a person makes one, the older first: no other is looked at
    )
    asks: Bools | None = None  # whose text holds a question mark
    attributes: Mapping[str, tuple[AttributeColumn, Codes]] = field(default_factory=dict)
    link_count: int | None = None
    # Microseconds by tag; NaN where it is not set, or nobody knows when.
    tagged_at: Mapping[str, Floats] = field(default_factory=dict)
    agents: Ints | None = None  # how many agents used it
    other_agents: Ints | None = None  # and how many of these it does not belong to
    sharing_agents: Ints | None = None  # and how many such used it, or have a memory that rests on it
    whole: int | None = None
    # Of an answer to what may be otherwise since a position: the memories that were written to, also those that have
    # gone, ascending. Rows are theirs and their neighbours', links those that they have. None in any other answer.
    changed: Ints | None = None

    def __len__(self) -> int:
        return len(self.seq)

    @property
    def memories(self) -> int:
        """How many memories the scope has, read or not."""
        return len(self) if self.whole is None else self.whole


def means(pattern: str, tag: str) -> bool:
    """Tell whether a pattern means a tag: it is the tag itself, or the beginning of it and a star."""
    return tag.startswith(pattern[:-1]) if pattern.endswith("*") else tag == pattern


def is_among(numbers: Ints, ascending: Ints) -> Bools:
    """Tell which numbers are among some that ascend; `np.isin` sorts both first."""
    if not len(ascending):
        return np.zeros(len(numbers), np.bool_)
    places = ascending.searchsorted(numbers)
    places[places == len(ascending)] = 0
    matches: Bools = ascending[places] == numbers
    return matches


def shown_lengths(columns: Mapping[str, npt.NDArray[np.generic]], unit: str) -> Ints:
    """Return how long what is shown of each memory is, in tokens or words."""
    lengths: Ints = np.where(columns["form"] == Form.FULL, columns[unit], columns[f"short_{unit}"])
    return lengths


# The answers of the one classifier, by kind and whether it bears the tag; the last row is the unknown kind.
_LOAD_BEARING = np.array(
    [[is_load_bearing(kind, tags) for tags in ((), (REJECTED_PATH,))] for kind in (*Kind, None)]
)


def load_bearing(kinds: npt.NDArray[np.generic], rejected: Bools) -> Bools:
    """Tell on which memories later work rests, by the column `kind` and the tag of rejected paths."""
    # A kind that this version does not know lies beyond the table, on the row of the unknown.
    mask: Bools = _LOAD_BEARING[np.minimum(kinds, len(Kind)), rejected.astype(np.int8)]
    return mask
