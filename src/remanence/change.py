"""Every write as data: a list of changes with a cause, which can be shown, logged, applied and turned round.

Knows the shape of a change and nothing of how a store keeps it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from remanence.results import Result, Time, counted, number

Table: TypeAlias = Literal["memories", "tags", "links", "sources"]
# memories: seq · tags: (seq, tag) · sources: (seq, source) · links: (source seq, target seq, relation)
Key: TypeAlias = int | tuple[int, str] | tuple[int, int, int]

# One transaction: at this size it holds the write lock for about half a second and the process about 80 MB more.
PART_CHANGES_MAX = 20_000
GUARDS = frozenset({"revision", "touched"})


@dataclass(frozen=True, slots=True)
class Increment:
    """A counter's change by an amount; its inverse is the negative amount, and it never conflicts."""

    by: int


@dataclass(frozen=True, slots=True)
class Change:
    """One row's change: the columns that change, with their values before and after.

    `before` is None for a row that is created, `after` for one that is destroyed. Where `before` names
    `revision` (or `touched`), the store refuses the whole commit with `Conflict` if that is no longer the
    row's. A new memory has a negative key, a placeholder that the store replaces by the sequence number it
    assigns, there and in tags, sources and links of the same commit that name it.
    """

    table: Table
    key: Key
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a commit happens: the verb, when, for whom, under which policy, as which part of which run.

    `run` names all parts of one run; `final` marks the last part, so that a run killed between two parts shows
    as interrupted. `destroyed` counts against the brake. `fired` names periodic rules that have now fired.
    `planned` tells that the changes were decided on a snapshot that knew all rows of the run, so that
    neighbours of the changed rows are not marked as touched. `turns` is how many turns were heard, for the clock of
    turns.
    """

    verb: str
    at: int
    run: str
    part: int = 0
    final: bool = True
    actor: str | None = None
    policy: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    destroyed: int = 0
    fired: tuple[str, ...] = ()
    planned: bool = False
    turns: int = 0

    @property
    def closes(self) -> bool:
        """Whether this is the last part of several, which is logged though nothing is in it."""
        return self.final and self.part > 0


@dataclass(frozen=True, slots=True)
class Committed:
    """What a store answers to a commit: its position in the change sequence, and the keys it assigned.

    The new memory with the placeholder key `-k` has the sequence number `assigned[k - 1]`.
    """

    run: str
    part: int
    position: int
    assigned: tuple[int, ...]
    changes: int


@dataclass(frozen=True, slots=True)
class Logged:
    """One part of a run as the audit keeps it, with its changes in order.

    A creation is logged by its key and `revision` alone, a destruction with the whole row, anything else with the
    columns that changed. `count` is the number of changes, also where they were not asked for.
    """

    position: int
    cause: Cause
    changes: tuple[Change, ...]
    digest: str
    count: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(Result):
    """What was done; give it, or its `run`, to `undo`.

    `counts` maps an action ("archive", "unlink", …) to how many rows it changed; `skipped` lists what was
    planned and not done, with the reason, `notes` what there is to say besides. `undoes` is the run that was taken
    back, where one was.
    """

    run: str
    verb: str
    at: int
    scope: str
    changes: int
    counts: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    parts: int = 1
    notes: tuple[str, ...] = ()
    undoes: str | None = None

    @property
    def archived(self) -> int:
        """How many memories were archived."""
        return self.counts.get("archive", 0)

    @property
    def pruned(self) -> int:
        """How many memories were made tombstones."""
        return self.counts.get("prune", 0)

    @property
    def edges_pruned(self) -> int:
        """How many links were cut."""
        return self.counts.get("unlink", 0)

    @property
    def reinforced(self) -> int:
        """How many memories were reinforced."""
        return self.counts.get("reinforce", 0)

    time = Time("at")

    def __str__(self) -> str:
        what = counted(self.counts) if self.undoes is None else f"took back {self.undoes}"
        left = f", {len(self.skipped):,} left out" if self.skipped else ""
        run = f" ({number(self.changes, 'change', 'changes')}, run {self.run})" if self.changes else ""
        return f"{self.verb}: {what}{left}{run}"


def inverse(change: Change) -> Change:
    """Swap before and after; the revision still rises, so that a stale plan can never pass for a fresh one."""
    before, after = change.after, change.before
    if after is None:
        return Change(change.table, change.key, before, None)
    latest = (after if before is None else before).get("revision")
    after = {name: value for name, value in after.items() if name not in GUARDS}
    if latest is not None:
        after["revision"] = latest + 1
    return Change(change.table, change.key, before, after)


def inverses(changes: Sequence[Change]) -> list[Change]:
    """Turn a list of changes round: each inverted, in reverse order."""
    return [inverse(change) for change in reversed(changes)]
