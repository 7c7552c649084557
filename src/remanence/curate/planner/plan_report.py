"""What a person is shown of a plan before a word of it is done: each action with its memories, and what is kept.

Knows plans, and texts that somebody has read for it; reads no memory itself.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from remanence.curate.planner import actions
from remanence.curate.planner.actions import Action
from remanence.curate.planner.diff import Decision, Edits
from remanence.model import STANDING, Affected
from remanence.results import Result, Time
from remanence.snapshot import Ints

LISTED = 5  # memories of each action that a plan shows of itself


@dataclass(frozen=True, slots=True)
class Preview:
    """What stands beside a plan while it is shown: texts by sequence number, at most `listed` of each action.

    `tokens` are those of what stands, before and after. None of it is part of the plan, of its file or its digest.
    """

    memories: Mapping[int, Affected] = field(default_factory=dict)
    listed: int = LISTED
    tokens: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class PlannedAct(Result):
    """What one rule would do, to how many memories or links, and the first of them; `into` takes them in."""

    name: str
    rule: str
    because: str
    count: int
    memories: tuple[Affected, ...] = ()
    into: tuple[int, ...] = ()
    links: tuple[tuple[int, int], ...] = ()

    def __str__(self) -> str:
        return f"{self.name} {self.count:,} [{self.rule}]"


@dataclass(frozen=True, slots=True, repr=False)
class KeptBack(Result):
    """What a guard keeps from a rule: how many memories, and some of them."""

    guard: str
    rule: str
    because: str
    count: int
    memories: tuple[Affected, ...]

    def __str__(self) -> str:
        return f"{self.guard} keeps {self.count:,} from [{self.rule}]"


@dataclass(frozen=True, slots=True, repr=False)
class PutOff(Result):
    """What a rule does on another day, since no more may be destroyed on this one."""

    rule: str
    count: int
    memories: tuple[Affected, ...]

    def __str__(self) -> str:
        return f"{self.count:,} of [{self.rule}] on another day"


@dataclass(frozen=True, slots=True, repr=False)
class PlanReport(Result):
    """A plan with the memories that it names; the tokens of what stands are None where nobody counted them."""

    digest: str
    scope: str
    policy: str
    now: int
    memories: int
    held: str | None
    acts: tuple[PlannedAct, ...]
    destroyed: int
    tokens_before: int | None
    tokens_after: int | None
    kept: tuple[KeptBack, ...]
    deferred: tuple[PutOff, ...]
    notes: tuple[str, ...]

    time = Time("now")

    def __str__(self) -> str:
        acts = "; ".join(map(str, self.acts)) or "nothing to do"
        return f"plan {self.digest[:12]} for {self.scope!r} under {self.policy!r}: {acts}"


def report(plan: Decision, preview: Preview) -> PlanReport:
    """Say what a plan would do, to which memories, and what it leaves alone."""
    before, after = preview.tokens or (None, None)
    return PlanReport(
        digest=plan.digest,
        scope=plan.scope,
        policy=plan.policy,
        now=plan.now,
        memories=plan.memories,
        held=plan.held,
        acts=tuple(_planned(plan, one, preview) for one in actions.actions(plan)),
        destroyed=plan.destroyed,
        tokens_before=before,
        tokens_after=after,
        kept=tuple(
            KeptBack(
                item.guard,
                item.rule,
                plan.because.get(item.guard, ""),
                item.count,
                _first(item.examples, preview),
            )
            for item in plan.refusals
        ),
        deferred=tuple(
            PutOff(item.rule, len(item.seqs), _first(item.seqs, preview)) for item in plan.deferred
        ),
        notes=plan.notes,
    )


def named(plan: Decision, listed: int) -> list[int]:
    """Return the sequence numbers of the memories whose texts a report shows."""
    found = set(actions.first(plan, listed))
    for seqs in (*(item.examples for item in plan.refusals), *(item.seqs for item in plan.deferred)):
        found.update(seqs[:listed])
    return sorted(found)


def tokens(plan: Decision, seq: Ints, status: Ints, counts: Ints) -> tuple[int, int]:
    """Count the tokens of what stands now, and of what would stand after a plan; the arrays are a scope's columns."""
    standing = list(STANDING)
    stands = np.isin(status, standing)
    edits = plan.columns.get("status", Edits.none())
    falls = edits.rows[~np.isin(edits.after, standing)]
    before = int(counts[stands].sum())
    stands[np.isin(seq, plan.seq[np.union1d(falls, plan.purged)])] = False
    return before, int(counts[stands].sum())


def _planned(plan: Decision, action: Action, preview: Preview) -> PlannedAct:
    shown = action.seqs[: preview.listed]
    survivors = dict(zip(plan.merges.discard.tolist(), plan.merges.survivor.tolist(), strict=True))
    return PlannedAct(
        action.name,
        action.rule,
        action.because,
        action.count,
        _first(shown, preview),
        tuple(survivors[seq] for seq in shown) if action.name == "merge" else (),
        action.links[: preview.listed],
    )


def _first(seqs: Iterable[int], preview: Preview) -> tuple[Affected, ...]:
    return tuple(_shown(seqs, preview))


def _shown(seqs: Iterable[int], preview: Preview) -> Iterator[Affected]:
    for _, seq in zip(range(preview.listed), seqs, strict=False):
        yield preview.memories.get(seq) or Affected(seq)
