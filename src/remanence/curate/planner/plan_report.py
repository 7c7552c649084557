"""What a person is shown of a plan before any of it is done, and what its run says of itself in the audit.

Knows plans, and texts that somebody has read for it; reads no memory itself and decides nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from remanence.core.clock import format_duration, to_datetime
from remanence.core.effects import ACTIONS, action
from remanence.core.model import STANDING, AffectedMemory, short_id
from remanence.core.results import Result, Time
from remanence.core.snapshot import Snapshot, shown_lengths
from remanence.curate.planner import actions
from remanence.curate.planner.actions import Action
from remanence.curate.planner.diff import Edits, PlanDecision
from remanence.text.analysis import visible

LISTED = 5  # memories of each action that a plan shows of itself
WIDTH = 100
_TEXT_MIN = 20  # characters of a text, however narrow the screen is
_OF_LINKS = {effect.name for effect in ACTIONS if effect.table == "links"}
_WORDS = {effect.name: effect.words for effect in ACTIONS}
# Of actions whose words go round what they are done to.
_OBJECT_WITHIN = {
    "merge": "merge {} into another",
    "supersede": "replace {} with what is newer",
    "move": "move {} to another tier",
    "take in": "let {} take in another",
}


@dataclass(frozen=True, slots=True)
class Preview:
    """What stands beside a plan while it is shown: texts by sequence number, at most `listed` of each action.

    `tokens` are those of what stands, before and after, `freed` how many fewer they become, where that alone is known.
    None of it is part of the plan, of its file or its digest.
    """

    memories: Mapping[int, AffectedMemory] = field(default_factory=dict)
    listed: int = LISTED
    tokens: tuple[int, int] | None = None
    freed: int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class PlannedAct(Result):
    """What one rule would do, to how many memories or links, and the first of them; `into` takes them in."""

    name: str
    rule: str
    because: str
    count: int
    memories: tuple[AffectedMemory, ...] = ()
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
    memories: tuple[AffectedMemory, ...]

    def __str__(self) -> str:
        return f"{self.guard} keeps {self.count:,} from [{self.rule}]"


@dataclass(frozen=True, slots=True, repr=False)
class PutOff(Result):
    """What a rule does on another day, since no more may be destroyed on this one."""

    rule: str
    count: int
    memories: tuple[AffectedMemory, ...]

    def __str__(self) -> str:
        return f"{self.count:,} of [{self.rule}] on another day"


@dataclass(frozen=True, slots=True, repr=False)
class PlanReport(Result):
    """Report of a plan with the memories that it names; tokens of active memories are None where nobody counted them.

    `destroyed` counts changes to which the deletion limit applies, `exempt` changes to which it does not: of memories
    that were ephemeral from arrival and are too old, and of memories that were deleted 30 days ago or more.
    """

    digest: str
    scope: str
    policy: str
    now: int
    memories: int
    held: str | None
    acts: tuple[PlannedAct, ...]
    destroyed: int
    exempt: int
    tokens_before: int | None
    tokens_after: int | None
    kept: tuple[KeptBack, ...]
    deferred: tuple[PutOff, ...]
    notes: tuple[str, ...]

    time = Time("now")

    def __str__(self) -> str:
        return "\n".join(render(self))

    def _line(self) -> str:
        """Say in one line what would be done."""
        acts = "; ".join(map(str, self.acts)) or "nothing to do"
        return f"plan {self.digest[:12]} for {self.scope!r} under {self.policy!r}: {acts}"


def report(plan: PlanDecision, preview: Preview) -> PlanReport:
    """Say what a plan would do, to which memories, and what it leaves alone."""
    before, after = preview.tokens or (None, None)
    return PlanReport(
        digest=plan.digest,
        scope=plan.scope,
        policy=plan.policy,
        now=plan.now,
        memories=plan.memories,
        held=plan.held,
        acts=tuple(build_planned_act(one, preview, _survivors(plan)) for one in actions.actions(plan)),
        destroyed=plan.destroyed,
        exempt=len(plan.exempt),
        tokens_before=before,
        tokens_after=after,
        kept=tuple(
            KeptBack(
                item.guard,
                item.rule,
                plan.because.get(item.guard, ""),
                item.count,
                _list_affected(item.examples, preview),
            )
            for item in plan.refusals
        ),
        deferred=tuple(
            PutOff(item.rule, len(item.seqs), _list_affected(item.seqs, preview)) for item in plan.deferred
        ),
        notes=plan.notes,
    )


def list_shown_memories(plan: PlanDecision, listed: int) -> list[int]:
    """Return the sequence numbers of the memories whose texts a report shows."""
    numbers = set(actions.iterate_first_seqs(plan, listed))
    for seqs in (*(item.examples for item in plan.refusals), *(item.seqs for item in plan.deferred)):
        numbers.update(seqs[:listed])
    return sorted(numbers)


def tokens(plan: PlanDecision, snapshot: Snapshot) -> tuple[int, int]:
    """Count the tokens that what stands shows now, and what would stand after a plan."""
    standing = list(STANDING)
    stands = np.isin(snapshot.columns["status"], standing)
    counts = shown_lengths(snapshot.columns, "tokens").astype(np.int64)
    edits = plan.columns.get("status", Edits.none())
    falls = edits.rows[~np.isin(edits.after, standing)]
    before = int(counts[stands].sum())
    rows = np.searchsorted(snapshot.seq, plan.seq)
    shrunk = rows[plan.columns.get("form", Edits.none()).rows]
    counts[shrunk] = snapshot.columns["short_tokens"][shrunk]
    stands[rows[falls]] = stands[rows[plan.purged]] = False
    return before, int(counts[stands].sum())


def _survivors(plan: PlanDecision) -> Mapping[int, int]:
    """Return what takes in each memory that is merged away."""
    return dict(zip(plan.merges.discard.tolist(), plan.merges.survivor.tolist(), strict=True))


def build_planned_act(act: Action, preview: Preview, into: Mapping[int, int] | None = None) -> PlannedAct:
    """Say what one rule would do, and where it is known `into` which others memories would be merged."""
    seqs = act.seqs[: preview.listed]
    return PlannedAct(
        act.name,
        act.rule,
        act.because,
        act.count,
        _list_affected(seqs, preview),
        tuple(into[seq] for seq in seqs) if into and action(act.name).unites else (),
        act.links[: preview.listed],
    )


def _list_affected(seqs: Iterable[int], preview: Preview) -> tuple[AffectedMemory, ...]:
    return tuple(_iterate_affected(seqs, preview))


def _iterate_affected(seqs: Iterable[int], preview: Preview) -> Iterator[AffectedMemory]:
    for _, seq in zip(range(preview.listed), seqs, strict=False):
        yield preview.memories.get(seq) or AffectedMemory(seq)


def render(report: PlanReport, width: int = WIDTH) -> Iterator[str]:
    """Yield what a plan would do, what it leaves alone and why, in lines about so wide; stored text is cut to fit."""
    moment = to_datetime(report.now).strftime("%Y-%m-%d %H:%M UTC")
    size = f"{report.memories:,} {_noun('', report.memories)}"
    yield f"Plan {report.digest[:12]} for {report.scope!r} under {report.policy!r}, {moment}, {size}"
    if report.held is not None:
        yield f"HELD: {report.held}."
    if not report.acts:
        yield "Nothing to do."
    for act in report.acts:
        yield f"  {describe_action(act.name, act.count)}{_rule(act.rule)}{_render_reason(act.because)}"
        yield from _render_memories(act.memories, act.count, report.now, width, act.into)
        yield from _cut(act)
    if report.destroyed:
        yield f"In all {report.destroyed:,} of {report.memories:,} memories would be deleted; `undo` takes that back."
    if report.exempt:
        yield f"Outside the limits on deletion {report.exempt:,} expire by age, or are purged after 30 days."
    if report.acts and report.tokens_before is not None:
        yield f"Active tokens: {report.tokens_before:,} before, {report.tokens_after:,} after."
    for refusal in report.kept:
        noun = _noun("", refusal.count)
        why = _render_reason(refusal.because)
        yield f"  kept: {refusal.count:,} {noun} of [{refusal.rule}] by {refusal.guard}{why}"
        yield from _render_memories(refusal.memories, refusal.count, report.now, width)
    for late in report.deferred:
        yield f"  deferred to another day: {late.count:,} {_noun('', late.count)} of [{late.rule}]"
        yield from _render_memories(late.memories, late.count, report.now, width)
    for note in report.notes:
        yield f"  note: {note}"


def describe_action(action: str, count: int) -> str:
    """Say what an action does to how many, as in "archive 3 memories"."""
    return describe_action_on(action, f"{count:,} {_noun(action, count)}")


def describe_action_on(action: str, what: str) -> str:
    """Say what an action does to something, as in "move it to another tier"."""
    return _OBJECT_WITHIN.get(action, f"{_WORDS[action]} {{}}").format(what)


def memory_line(memory: AffectedMemory, now: int, width: int, into: int | None = None) -> str:
    """Write a memory on one line: short id, age, and as much of its text as fits."""
    age = "" if memory.said_at is None else f" {format_duration(now - memory.said_at)} old"
    whither = "" if into is None else f" into {short_id(into)}"
    absence = "" if memory.id is not None else " not there any more"
    head = f"    {short_id(memory.seq)}{absence}{age}{whither}  "
    text = visible(" ".join((memory.text or "").split()))
    room = max(_TEXT_MIN, width - len(head))
    return head + (text if len(text) <= room else text[: room - 1] + "…")


def _render_memories(
    memories: Sequence[AffectedMemory], count: int, now: int, width: int, into: Sequence[int] = ()
) -> Iterator[str]:
    """Yield a line a memory, and how many more there are; of a plan whose texts nobody has read, the numbers alone."""
    more = count - len(memories)
    if not any(memory.id for memory in memories):
        if memories:
            yield "    " + ", ".join(short_id(memory.seq) for memory in memories) + ", …" * (more > 0)
        return
    for place, memory in enumerate(memories):
        yield memory_line(memory, now, width, into[place] if into else None)
    if more > 0:
        yield f"    and {more:,} more"


def _cut(act: PlannedAct) -> Iterator[str]:
    if act.links:
        more = ", …" * (act.count > len(act.links))
        yield (
            "    "
            + ", ".join(f"{short_id(source)} to {short_id(target)}" for source, target in act.links)
            + more
        )


def _noun(name: str, count: int) -> str:
    many = "links" if name in _OF_LINKS else "memories"
    return many if count != 1 else {"links": "link", "memories": "memory"}[many]


def _rule(name: str) -> str:
    return f"  [{name}]" if name else ""


def _render_reason(because: str) -> str:
    return f" because {because}" if because else ""


def summary(plan: PlanDecision, preview: Preview | None) -> dict[str, Any]:
    """Count what a plan does: `scanned` memories are those that it `kept` and those that it `changed`, once each.

    `acts` are counts by action, of which a memory may have several; `refused` by guard; `deferred` waits for another
    day. `tokens` are those of what stands, before and after, where somebody counted them; `freed` how many fewer there
    are, of a tick, which does not read all.
    """
    by_guard: Counter[str] = Counter()
    for refusal in plan.refusals:
        by_guard[refusal.guard] += refusal.count
    counts = {
        "scanned": plan.memories,
        "kept": plan.memories - len(plan.seq),
        "changed": len(plan.seq),
        "acts": dict(plan.counts),
        "refused": dict(sorted(by_guard.items())),
        "deferred": sum(len(one.seqs) for one in plan.deferred),
    }
    if preview is not None and preview.tokens is not None:
        return {**counts, "tokens": list(preview.tokens)}
    return counts if preview is None or preview.freed is None else {**counts, "freed": preview.freed}
