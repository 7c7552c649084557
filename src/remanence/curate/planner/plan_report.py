"""Reports of a plan: as text (`render`), beside a plan made now (`PlanDiff`), and as the counts that the audit keeps.

Knows plans, and texts and parts of the audit that somebody has read for it; reads nothing itself and decides nothing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from remanence.core.clock import format_duration, to_datetime
from remanence.core.effects import ACTIONS, UNLINK, action
from remanence.core.model import STANDING, AffectedMemory, short_id
from remanence.core.results import Result, Time, minute_of, number, visible
from remanence.core.snapshot import Ints, Snapshot, shown_lengths
from remanence.core.text_cuts import step_back
from remanence.curate.planner.diff import Edits, PlanDecision
from remanence.curate.policy.compiled import Policy

LISTED = 5  # memories of each action that a plan shows of itself
WIDTH = 100
CUT_LINK_LEFT = "changed since the plan was made, or the policy does not cut it now"
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


@dataclass(frozen=True, slots=True, repr=False)
class Action(Result):
    """What one rule does to some memories, by their sequence numbers; for `unlink` the ends of each link that goes.

    `rule` is "" where a plan does not tell which of several rules set a tag.
    """

    name: str
    rule: str
    because: str
    seqs: tuple[int, ...] = ()
    links: tuple[tuple[int, int], ...] = ()

    @property
    def count(self) -> int:
        """How many memories or links."""
        return len(self.seqs) + len(self.links)

    def __str__(self) -> str:
        return f"{self.name} {self.count:,} [{self.rule}]"


def actions(plan: PlanDecision) -> tuple[Action, ...]:
    """Return what a plan does by action and rule, the gravest action first, then by the name of the rule."""
    order = [effect.name for effect in ACTIONS]
    return tuple(sorted(_iterate_actions(plan), key=lambda one: (order.index(one.name), one.rule)))


def count_acts(plan: PlanDecision) -> Counter[tuple[str, str]]:
    """Count what each rule does, by action and rule; tags apart, of which a plan does not tell by which rule."""
    counts = Counter({(name, rule): len(seqs) for name, rule, seqs in _iterate_memory_acts(plan)})
    counts.update((UNLINK.name, plan.rules[rule]) for rule in plan.links.why[plan.links.why >= 0].tolist())
    return counts


def _iterate_memory_acts(plan: PlanDecision) -> Iterator[tuple[str, str, Ints]]:
    """Yield each action on memories with the rule that does it, and their sequence numbers."""
    for effect, places in plan.iterate_actions():
        rules = plan.why[effect.group][places] if len(places) else places
        for rule in np.flatnonzero(np.bincount(rules[rules >= 0])).tolist():
            yield effect.name, plan.rules[rule], plan.seq[places[rules == rule]]


def _iterate_actions(plan: PlanDecision) -> Iterator[Action]:
    def because(rule: str) -> str:
        return plan.because.get(rule, "")

    for name, rule, seqs in _iterate_memory_acts(plan):
        yield Action(name, rule, because(rule), tuple(seqs.tolist()))
    for name, _, seqs in plan.iterate_tag_changes():
        rules = {rule for action, rule, _ in plan.by_rule if action == name}
        rule = min(rules) if len(rules) == 1 else ""
        yield Action(name, rule, because(rule), tuple(seqs.tolist()))
    cuts: dict[int, list[tuple[int, int]]] = {}
    for why, (source, target, _) in zip(plan.links.why.tolist(), plan.links.list_keys(), strict=True):
        if why >= 0:
            cuts.setdefault(why, []).append((source, target))
    for why, ends in sorted(cuts.items()):
        yield Action(UNLINK.name, plan.rules[why], because(plan.rules[why]), (), tuple(ends))


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

    def list_memories(self, seqs: Iterable[int]) -> tuple[AffectedMemory, ...]:
        """Return the first of some memories with their texts."""
        return tuple(self.memories.get(seq, AffectedMemory(seq)) for seq in tuple(seqs)[: self.listed])

    def list_act(self, act: Action, into: Mapping[int, int] | None = None) -> "PlannedAct":
        """Say what one rule would do, and where it is known `into` which others memories would be merged."""
        seqs = act.seqs[: self.listed]
        return PlannedAct(
            act.name,
            act.rule,
            act.because,
            act.count,
            self.list_memories(seqs),
            tuple(into[seq] for seq in seqs) if into and action(act.name).unites else (),
            act.links[: self.listed],
        )


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
    into = dict(zip(plan.merges.discard.tolist(), plan.merges.survivor.tolist(), strict=True))
    return PlanReport(
        digest=plan.digest,
        scope=plan.scope,
        policy=plan.policy,
        now=plan.now,
        memories=plan.memories,
        held=plan.held,
        acts=tuple(preview.list_act(one, into) for one in actions(plan)),
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
                preview.list_memories(item.examples),
            )
            for item in plan.refusals
        ),
        deferred=tuple(
            PutOff(item.rule, len(item.seqs), preview.list_memories(item.seqs)) for item in plan.deferred
        ),
        notes=plan.notes,
    )


def list_shown_memories(plan: PlanDecision, listed: int) -> list[int]:
    """Return the memories whose texts a report shows: of a large plan not all are written out."""
    named = [seqs for _, _, seqs in (*_iterate_memory_acts(plan), *plan.iterate_tag_changes())]
    numbers = {seq for seqs in named for seq in seqs[:listed].tolist()}
    for some in (*(item.examples for item in plan.refusals), *(item.seqs for item in plan.deferred)):
        numbers.update(some[:listed])
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


@dataclass(frozen=True, slots=True, repr=False)
class Since(Result):
    """What was done to a memory after a plan was made: how often by this verb, the last time by whom in which run."""

    verb: str
    count: int
    at: int
    actor: str | None
    run: str

    time = Time("at")

    def __str__(self) -> str:
        times = f" {self.count:,} times, last" if self.count > 1 else ""
        by = f" by {self.actor}" if self.actor else ""
        return f"{self.verb}{times}{by} {minute_of(self.at)} (run {self.run})"


@dataclass(frozen=True, slots=True, repr=False)
class LeftOut(Result):
    """A change that a plan names and that `apply` would leave out: why, and what was done to the memory `since`.

    Where it is a link that goes, `other` is its other end. What a plan of now would do `again` is due as before.
    """

    memory: AffectedMemory
    why: str
    since: tuple[Since, ...] = ()
    again: bool = False
    other: int | None = None

    def __str__(self) -> str:
        return self.why + ("; a plan of now does it again" if self.again else "")


@dataclass(frozen=True, slots=True, repr=False)
class LeftAct(Result):
    """What one rule was to do and is not to any more: to how many memories or links, and the first of them."""

    name: str
    rule: str
    count: int
    memories: tuple[LeftOut, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.count:,} [{self.rule}]"


@dataclass(frozen=True, slots=True, repr=False)
class PlanDiff(Result):
    """A kept plan compared with now: `same` would be done as it says, `left` would not, `added` is due besides.

    `policy_changes` say in words how the policy differs, `applied` names the run that carried the plan out already,
    `held` says what holds a plan of now.
    """

    digest: str
    scope: str
    policy: str
    planned_at: int
    now: int
    same: tuple[PlannedAct, ...]
    left: tuple[LeftAct, ...]
    added: tuple[PlannedAct, ...]
    policy_changes: tuple[str, ...] = ()
    applied: str | None = None
    held: str | None = None

    time = Time("now")

    @property
    def is_same(self) -> bool:
        """Return True if the whole plan would be done, and nothing else is due."""
        return not (self.left or self.added or self.policy_changes or self.applied or self.held)

    @property
    def count(self) -> int:
        """How many changes are compared."""
        return sum(act.count for act in (*self.same, *self.added)) + sum(act.count for act in self.left)

    @property
    def listed_count(self) -> int:
        """How many of them are listed with their memories."""
        acts = (*self.same, *self.added)
        total = sum(len(act.memories) + len(act.links) for act in acts)
        return total + sum(len(act.memories) for act in self.left)

    def __str__(self) -> str:
        return "\n".join(self.lines(WIDTH))

    def _line(self) -> str:
        """Say in one line how much differs."""
        same, left, added = (sum(act.count for act in acts) for acts in (self.same, self.left, self.added))
        return f"plan {self.digest[:12]} for {self.scope!r}: {same:,} as planned, {left:,} not any more, {added:,} new"

    def lines(self, width: int) -> Iterator[str]:
        """Yield it in lines of about `width` columns; stored text is cut to fit."""
        then, now = (to_datetime(at).strftime("%Y-%m-%d %H:%M UTC") for at in (self.planned_at, self.now))
        yield f"Plan {self.digest[:12]} for {self.scope!r} under {self.policy!r} of {then}, compared with {now}"
        for change in self.policy_changes:
            yield visible(f"Policy: {change}")
        if self.applied is not None:
            yield f"Applied already by run {self.applied}."
        if self.held is not None:
            yield f"HELD now: {self.held}."
        if self.is_same:
            yield "Nothing has changed." if self.same else "Nothing has changed: there is nothing to do."
        yield from _render_acts("Still as planned:", self.same, self.now, width)
        if self.left:
            yield "No longer due:"
        for act in self.left:
            yield f"  {describe_action(act.name, act.count)}{_render_rule(act.rule)}"
            for one in act.memories:
                yield (
                    memory_line(one.memory, self.now, width)
                    if one.other is None
                    else _render_link(one.memory.seq, one.other)
                )
                yield f"      {one}"
                yield from (visible(f"        {line}") for line in one.since)
            yield from _render_remainder(act.count - len(act.memories))
        yield from _render_acts("Newly due:", self.added, self.now, width)


@dataclass(frozen=True, slots=True)
class PlanComparison:
    """Two plans compared, by sequence numbers: what of the first is kept and what left, and what the second adds."""

    kept: tuple[Action, ...]
    left: tuple[Action, ...]
    added: tuple[Action, ...]
    why: Callable[[int], str]

    def list_shown_memories(self, listed: int) -> list[int]:
        """Return the memories of which so many are listed of each action."""
        seqs: set[int] = set()
        for act in (*self.kept, *self.left, *self.added):
            seqs.update(act.seqs[:listed], *act.links[:listed])
        return sorted(seqs)

    def list_left(self, since: Mapping[int, Sequence[Since]], preview: Preview) -> Iterator[LeftAct]:
        """Yield what is left out, with what was done since."""
        again = {(act.name, seq) for act in self.added for seq in act.seqs}
        for act in self.left:
            rows = [
                LeftOut(memory, self.why(seq), tuple(since.get(seq, ())), (act.name, seq) in again)
                for seq, memory in zip(act.seqs, preview.list_memories(act.seqs), strict=False)
            ]
            links = [
                LeftOut(memory, CUT_LINK_LEFT, other=target)
                for (_, target), memory in zip(
                    act.links, preview.list_memories(source for source, _ in act.links), strict=False
                )
            ]
            yield LeftAct(act.name, act.rule, act.count, (*rows, *links))


def compare_plans(
    plan: PlanDecision, part: PlanDecision, fresh: PlanDecision, why: Callable[[int], str]
) -> PlanComparison:
    """Compare a plan with one that was made on a snapshot of now, and the part on which both agree."""
    kept = actions(part)
    left, added = _subtract_actions(actions(plan), kept), _subtract_actions(actions(fresh), kept)
    return PlanComparison(kept, left, added, why)


def policy_changes(plan: PlanDecision, policy: Policy) -> Iterator[str]:
    """Say how the policy that judges now differs from that of a plan."""
    then, now = f"{plan.policy!r} ({plan.policy_hash[:12]})", f"{policy.name!r} ({policy.hash[:12]})"
    yield f"it was {then} when the plan was made and is {now} now; `apply` refuses a plan of another policy"
    names = [rule.name for rule in policy.rules]
    for words, some in (("new", set(names) - {*plan.rules}), ("gone", {*plan.rules} - {*names})):
        if some:
            yield f"{number(len(some), 'rule is', 'rules are')} {words}: {', '.join(sorted(some))}"
    if plan.overrides != policy.overrides:
        yield f"overrides were {plan.overrides or 'none'} and are {policy.overrides or 'none'}"


def _subtract_actions(acts: Sequence[Action], done: Sequence[Action]) -> tuple[Action, ...]:
    """Return actions without the memories and links to which the same is done in others."""
    seqs: dict[str, set[int]] = {}
    links: Counter[tuple[int, int]] = Counter()
    for act in done:
        seqs.setdefault(act.name, set()).update(act.seqs)
        links.update(act.links)
    rest = []
    for act in acts:
        cut = [link for link in act.links if not _take_link(links, link)]
        mine = seqs.get(act.name, set())
        rest.append(replace(act, seqs=tuple(seq for seq in act.seqs if seq not in mine), links=tuple(cut)))
    return tuple(act for act in rest if act.count)


def _take_link(links: Counter[tuple[int, int]], link: tuple[int, int]) -> bool:
    """Take one link of many away, and tell whether there was one; two may differ in their relation alone."""
    links[link] -= 1
    return links[link] >= 0


def render(report: PlanReport, width: int = WIDTH) -> Iterator[str]:
    """Yield what a plan would do, what it leaves alone and why, in lines about so wide; stored text is cut to fit."""
    moment = to_datetime(report.now).strftime("%Y-%m-%d %H:%M UTC")
    size = f"{report.memories:,} {_choose_noun('', report.memories)}"
    yield f"Plan {report.digest[:12]} for {report.scope!r} under {report.policy!r}, {moment}, {size}"
    if report.held is not None:
        yield f"HELD: {report.held}."
    if not report.acts:
        yield "Nothing to do."
    for act in report.acts:
        yield f"  {describe_action(act.name, act.count)}{_render_rule(act.rule)}{_render_reason(act.because)}"
        yield from _render_memories(act.memories, act.count, report.now, width, act.into)
        if act.links:
            links = (f"{short_id(source)} to {short_id(target)}" for source, target in act.links)
            yield "    " + ", ".join(links) + (", …" if act.count > len(act.links) else "")
    if report.destroyed:
        yield f"In all {report.destroyed:,} of {report.memories:,} memories would be deleted; `undo` takes that back."
    if report.exempt:
        yield f"Outside the limits on deletion {report.exempt:,} expire by age, or are purged after 30 days."
    if report.acts and report.tokens_before is not None:
        yield f"Active tokens: {report.tokens_before:,} before, {report.tokens_after:,} after."
    for refusal in report.kept:
        noun = _choose_noun("", refusal.count)
        why = _render_reason(refusal.because)
        yield f"  kept: {refusal.count:,} {noun} of [{refusal.rule}] by {refusal.guard}{why}"
        yield from _render_memories(refusal.memories, refusal.count, report.now, width)
    for late in report.deferred:
        yield f"  deferred to another day: {late.count:,} {_choose_noun('', late.count)} of [{late.rule}]"
        yield from _render_memories(late.memories, late.count, report.now, width)
    for note in report.notes:
        yield f"  note: {note}"


def describe_action(action: str, count: int) -> str:
    """Say what an action does to how many, as in "archive 3 memories"."""
    return describe_action_on(action, f"{count:,} {_choose_noun(action, count)}")


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
    return head + (text if len(text) <= room else text[: step_back(text, room - 1)] + "…")


def _render_memories(
    memories: Sequence[AffectedMemory], count: int, now: int, width: int, into: Sequence[int] = ()
) -> Iterator[str]:
    """Yield a line a memory, and how many more there are; of a plan whose texts nobody has read, the numbers alone."""
    more = count - len(memories)
    if not any(memory.id for memory in memories):
        if memories:
            yield (
                "    " + ", ".join(short_id(memory.seq) for memory in memories) + (", …" if more > 0 else "")
            )
        return
    for place, memory in enumerate(memories):
        yield memory_line(memory, now, width, into[place] if into else None)
    yield from _render_remainder(more)


def _choose_noun(name: str, count: int) -> str:
    many = "links" if name in _OF_LINKS else "memories"
    return many if count != 1 else {"links": "link", "memories": "memory"}[many]


def _render_rule(name: str) -> str:
    return f"  [{name}]" if name else ""


def _render_reason(because: str) -> str:
    return f" because {because}" if because else ""


def _render_acts(title: str, acts: Sequence[PlannedAct], now: int, width: int) -> Iterator[str]:
    if acts:
        yield title
    for act in acts:
        yield f"  {describe_action(act.name, act.count)}{_render_rule(act.rule)}"
        yield from (memory_line(one, now, width) for one in act.memories)
        yield from (_render_link(*ends) for ends in act.links)
        yield from _render_remainder(act.count - len(act.memories) - len(act.links))


def _render_link(source: int, target: int) -> str:
    return f"    {short_id(source)} to {short_id(target)}"


def _render_remainder(count: int) -> Iterator[str]:
    if count > 0:
        yield f"    and {count:,} more"
