"""What a cycle decided, as arrays: the data of a plan, and the digest over it.

Knows its own shape and how it is written down; knows nothing of how it came about.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
import orjson

from remanence.snapshot import Bools, Floats, Ints

FORMAT = 3
OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_SORT_KEYS
ABSENT = int(np.iinfo(np.int64).min)  # what stands for None in an array of integers


def _no_ints() -> Ints:
    return np.zeros(0, np.int64)


def _no_floats() -> Floats:
    return np.zeros(0, np.float64)


def packed(values: Ints) -> Any:
    """Write down integers: as a list, or as (number, value) where all are the same, as times of change are."""
    if len(values) > 1 and values[0] == values[-1] and bool((values == values[0]).all()):
        return {"times": len(values), "value": int(values[0])}
    return values


def unpacked(data: Any, count: int | None = None) -> Ints:
    """Read integers back; raise ValueError for what is none, or not so many."""
    if isinstance(data, dict):
        # Known beforehand, so that a short file cannot claim a long array.
        if count is None or data.keys() != {"times", "value"} or data["times"] != count:
            raise ValueError("packed integers of another length")
        return np.full(count, _integers([data["value"]])[0], np.int64)
    values = _integers(data)
    if count is not None and len(values) != count:
        raise ValueError("integers of another length")
    return values


def _integers(data: Any) -> Ints:
    values = np.array(data) if isinstance(data, list) and data else _no_ints()
    if not isinstance(data, list) or values.ndim != 1 or values.dtype.kind != "i":
        raise ValueError("no integers")
    return values.astype(np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class Edits:
    """What changes in one column: where, from what, to what; times and codes as integers, ABSENT for none."""

    rows: Ints
    before: Ints
    after: Ints

    @classmethod
    def none(cls) -> "Edits":
        """Nothing changes."""
        return cls(_no_ints(), _no_ints(), _no_ints())

    def placed(self, places: Ints) -> "Edits":
        """Number the rows by their places in a plan."""
        return Edits(places[self.rows], self.before, self.after)

    def where(self, kept: Bools) -> "Edits":
        """Return some of them, by a mask of theirs."""
        return Edits(self.rows[kept], self.before[kept], self.after[kept])

    @classmethod
    def read(cls, data: Any) -> "Edits":
        """Read it back from JSON."""
        rows, before, after = data
        places = unpacked(rows)
        return cls(places, unpacked(before, len(places)), unpacked(after, len(places)))


@dataclass(frozen=True, eq=False, slots=True)
class Merged:
    """Who survives and what is taken in, pair by pair, as sequence numbers."""

    survivor: Ints = field(default_factory=_no_ints)
    discard: Ints = field(default_factory=_no_ints)

    def where(self, kept: Bools) -> "Merged":
        """Return some of them, by a mask."""
        return Merged(self.survivor[kept], self.discard[kept])


@dataclass(frozen=True, eq=False, slots=True)
class Sides:
    """The values of links on one side of a change; weight is NaN where there is no such link."""

    weight: Floats = field(default_factory=_no_floats)
    confidence: Floats = field(default_factory=_no_floats)
    last_at: Ints = field(default_factory=_no_ints)
    count: Ints = field(default_factory=_no_ints)
    resolved_at: Ints = field(default_factory=_no_ints)

    def payload(self) -> list[Any]:
        """Return it as JSON writes it."""
        return [self.weight, self.confidence, self.last_at, self.count, packed(self.resolved_at)]

    def where(self, kept: Bools) -> "Sides":
        """Return some of them, by a mask."""
        return Sides(*(getattr(self, name.name)[kept] for name in fields(self)))

    @classmethod
    def read(cls, data: Any, count: int) -> "Sides":
        """Read it back from JSON; null is a number that is not there."""
        weight, confidence, *times = data
        last_at, seen, resolved_at = (unpacked(values, count) for values in times)
        return cls(_fractions(weight, count), _fractions(confidence, count), last_at, seen, resolved_at)


@dataclass(frozen=True, eq=False, slots=True)
class LinkEdits:
    """What becomes of links, by sequence numbers of their ends; `why` numbers the rule that cuts one, -1 for merges."""

    source: Ints = field(default_factory=_no_ints)
    target: Ints = field(default_factory=_no_ints)
    relation: Ints = field(default_factory=_no_ints)
    before: Sides = field(default_factory=Sides)
    after: Sides = field(default_factory=Sides)
    why: Ints = field(default_factory=_no_ints)

    def __len__(self) -> int:
        return len(self.source)

    def payload(self) -> dict[str, Any]:
        """Return it as JSON writes it; a number that is not there becomes null."""
        return {
            "keys": [self.source, self.target, self.relation],
            "before": self.before.payload(),
            "after": self.after.payload(),
            "why": packed(self.why),
        }

    def where(self, kept: Bools) -> "LinkEdits":
        """Return some of them, by a mask."""
        return LinkEdits(
            self.source[kept],
            self.target[kept],
            self.relation[kept],
            self.before.where(kept),
            self.after.where(kept),
            self.why[kept],
        )

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> "LinkEdits":
        """Read it back from JSON."""
        ends, *others = data["keys"]
        source = unpacked(ends)
        target, relation = (unpacked(values, len(source)) for values in others)
        before, after = (Sides.read(data[side], len(source)) for side in ("before", "after"))
        return cls(source, target, relation, before, after, unpacked(data["why"], len(source)))


def _fractions(data: Any, count: int) -> Floats:
    if not isinstance(data, list) or len(data) != count:
        raise ValueError("no fractions")
    if not all(value is None or (type(value) in {int, float} and 0 <= value <= 1) for value in data):
        raise ValueError("no fractions")
    return np.array([np.nan if value is None else value for value in data], np.float64)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What a guard kept a rule from: how many memories, and some of them."""

    guard: str
    rule: str
    count: int
    examples: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Deferred:
    """Memories that a rule would destroy today, were it not for the brake."""

    rule: str
    seqs: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Decision:
    """What would be done, and what was refused, deferred or left alone.

    `seq`, `revision` and `touched` are the changed memories; `columns` maps a column to what changes in it, at
    places in `seq`; `purged` are places too. `why` maps a group of actions to the number of the rule, per place,
    -1 where none. `flags` maps a tag to the sequence numbers that get it.
    """

    scope: str
    policy: str
    policy_hash: str
    now: int
    position: int
    automatic: bool
    rules: tuple[str, ...]
    overrides: Mapping[str, Any] = field(default_factory=dict)
    because: Mapping[str, str] = field(default_factory=dict)
    seq: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    revision: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    touched: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    columns: Mapping[str, Edits] = field(default_factory=dict)
    states: tuple[str, ...] = ()
    purged: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    flags: Mapping[str, Ints] = field(default_factory=dict)
    links: LinkEdits = field(default_factory=LinkEdits)
    merges: Merged = field(default_factory=Merged)
    why: Mapping[str, Ints] = field(default_factory=dict)
    by_rule: tuple[tuple[str, str, int], ...] = ()
    refusals: tuple[Refusal, ...] = ()
    deferred: tuple[Deferred, ...] = ()
    held: str | None = None
    destroyed: int = 0
    memories: int = 0
    fired: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Return how many memories (or links) each action changes."""
        counts: Counter[str] = Counter()
        for action, _, count in self.by_rule:
            counts[action] += count
        return dict(counts)

    @property
    def empty(self) -> bool:
        """Tell whether nothing would be done."""
        return not (len(self.seq) or len(self.links) or any(map(len, self.flags.values())))

    @cached_property
    def digest(self) -> str:
        """Return 32 hex digits over all that the plan says."""
        return self.digest_now()

    def digest_now(self) -> str:
        """Return the digest of what the arrays hold at this moment; whoever holds a plan could have written to them."""
        return hashlib.blake2b(orjson.dumps(self.payload(), option=OPTIONS), digest_size=16).hexdigest()

    def payload(self) -> dict[str, Any]:
        """Return it as JSON writes it, digest apart."""
        return {
            "format": FORMAT,
            "scope": self.scope,
            "policy": {"name": self.policy, "hash": self.policy_hash, "overrides": self.overrides},
            "now": self.now,
            "position": self.position,
            "automatic": self.automatic,
            "rules": self.rules,
            "because": self.because,
            "memories": {
                "seq": self.seq,
                "revision": packed(self.revision),
                "touched": packed(self.touched),
                "purged": self.purged,
            },
            "columns": {
                name: [edits.rows, packed(edits.before), packed(edits.after)]
                for name, edits in self.columns.items()
            },
            "states": self.states,
            "flags": self.flags,
            "links": self.links.payload(),
            "merges": [self.merges.survivor, self.merges.discard],
            "why": {group: packed(rules) for group, rules in self.why.items()},
            "by_rule": self.by_rule,
            "refusals": [[item.guard, item.rule, item.count, item.examples] for item in self.refusals],
            "deferred": [[item.rule, item.seqs] for item in self.deferred],
            "held": self.held,
            "destroyed": self.destroyed,
            "of": self.memories,
            "fired": self.fired,
            "notes": self.notes,
        }
