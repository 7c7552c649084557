"""Plans are made and applied here; what they decide, and what may be done of them, is decided in `curate`."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from remanence.core.arguments import check_count
from remanence.core.change import Cause, Fence
from remanence.core.effects import CURATE
from remanence.core.errors import InvalidInput, PlanHeld, PolicyMismatch, StoreDamaged
from remanence.core.keywords import CadenceName, Progress
from remanence.core.model import STANDING, AffectedMemory, Memory
from remanence.core.owner import BY_POLICY
from remanence.core.receipt import Receipt
from remanence.core.snapshot import Among, Holds, Snapshot, SnapshotRequest
from remanence.curate.language.view import View
from remanence.curate.planner import brake, snapshot_update
from remanence.curate.planner.plan import Plan, decide
from remanence.curate.planner.plan import plan as plan_of
from remanence.curate.planner.plan_agreement import destroyed_count, filter_to_proposed, left_out
from remanence.curate.planner.plan_report import (
    PlanReport,
    Preview,
    list_shown_memories,
    summary,
    tokens,
)
from remanence.curate.planner.proposal import refuse_foreign
from remanence.curate.policy.compiled import Policy, build_affected_filter, build_snapshot_request, load
from remanence.curate.policy.document import PRESETS
from remanence.flows.base import session_heartbeat
from remanence.flows.base.context import (
    LISTED_MAX,
    QUIET,
    REMARKS_SHOWN,
    Core,
    RememberedPlan,
    aside_of_rows,
    first_remarks,
    ignore_progress,
    receipt,
)
from remanence.flows.base.cut_runs import CUT_SHORT, closed_run
from remanence.flows.base.policy_reading import (
    POLICY,
    is_adopted,
    no_policy,
    read_adopted_policy,
    read_policy,
)
from remanence.flows.base.tracing import begin_span, trace_step
from remanence.flows.curate.applying import PlanProgress, find_links_cut_by_rules
from remanence.flows.curate.plan_inputs import (
    find_recently_restored,
    same_words_of,
)
from remanence.flows.curate.summarising import Summarising
from remanence.flows.undo.refusals import may_be_named
from remanence.flows.undo.runs import iterate_standing_runs
from remanence.llm.base import Shortener
from remanence.store.base import Bookkeeping, BookkeepResult

LAST_CURATE = "last_curate_at"
GOING_ON = frozenset({"category", "state", "severity", "status"})
# The memories that tell what is going on.
TASKS: Holds = {"category": frozenset({"task"}), "status": STANDING}
_COUNTED = frozenset({"status", "form", "tokens", "short_tokens"})


def choose(core: Core, policy: str | None, overrides: Mapping[str, Mapping[str, Any]] | None) -> Policy:
    """Return the policy to plan with: the one named, or the one this memory was opened with or has adopted."""
    if policy is not None:
        return read_policy(policy, overrides)
    if not core.policy_given:
        raise InvalidInput(
            "no policy was named",
            recovery="pass one, such as 'default' (--policy default), or adopt one: remanence policy use default",
        )
    return load(core.policy.source, overrides, stored=True) if overrides else core.policy


async def plan(
    core: Core,
    policy: Policy,
    *,
    automatic: bool = False,
    sparing: bool = False,
    listed: int = 0,
    only: tuple[int, int] | None = None,
) -> Plan:
    """Decide what a policy would do now, and read what shows so many memories of each action; nothing is done yet.

    Of pairs it looks at `only` one, where a person names it.
    """
    snapshot, now = await freeze_scope(core, policy, _COUNTED if listed else frozenset(), only)
    with begin_span(core.tracer, "decide"):
        new_plan = await asyncio.to_thread(
            plan_of, snapshot, policy, now, automatic=automatic, sparing=sparing
        )
    if listed:
        new_plan = replace(new_plan, preview=await _preview_plan(core, new_plan, snapshot, listed))
    del snapshot  # of a large scope it is most of what is held
    core.remember(
        new_plan, RememberedPlan(await asyncio.to_thread(_digest_plan, new_plan), policy, policy.hash, only)
    )
    return new_plan


class PartOfPolicy(NamedTuple):
    """What the rules of a part would do on what snapshot, and the view that is left where they would do no more."""

    plan: Plan
    snapshot: Snapshot
    policy: Policy
    rest: View | None


async def plan_part(
    core: Core, policy: Policy, cadence: CadenceName, *, sparing: bool = False
) -> PartOfPolicy:
    """Decide what the rules of a cadence and of quicker ones would do now, by themselves.

    The snapshot also tells what is going on; memories that the rules cannot concern are not in it.
    """
    part = policy.part(cadence)
    among = build_affected_filter(part)
    among = None if among is None else (*among, TASKS)
    snapshot, now = await freeze_scope(core, part, GOING_ON | _COUNTED, among=among, kept=True)
    with begin_span(core.tracer, "decide"):
        new_plan, digest, rest = await aside_of_rows(
            len(snapshot), _decide_plan, snapshot, part, now, sparing
        )
    core.remember(new_plan, RememberedPlan(digest, part, policy.hash))
    return PartOfPolicy(new_plan, snapshot, part, rest)


def _decide_plan(
    snapshot: Snapshot, policy: Policy, now: int, sparing: bool
) -> tuple[Plan, str, View | None]:
    new_plan, rest = decide(snapshot, policy, now, automatic=True, sparing=sparing)
    if not new_plan.empty:
        # How many tokens there are in all is known only where all was read.
        before, after = tokens(new_plan, snapshot)
        is_whole = len(snapshot) == snapshot.memories
        new_plan = replace(
            new_plan, preview=Preview(tokens=(before, after) if is_whole else None, freed=before - after)
        )
    return new_plan, new_plan.digest, rest


def _digest_plan(plan: Plan) -> str:
    return plan.digest


async def describe(core: Core, plan: Plan, limit: int) -> PlanReport:
    """Say what a plan would do, with at most so many memories of each action as they are now."""
    check_count("limit", limit, 1, LISTED_MAX)
    refuse_scope(core, plan)
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(_COUNTED), core.clock.now())
    return replace(plan, preview=await _preview_plan(core, plan, snapshot, limit)).describe()


async def _preview_plan(core: Core, plan: Plan, snapshot: Snapshot, listed: int) -> Preview:
    memories = await read_affected(core, list_shown_memories(plan, listed))
    return Preview(memories, listed, tokens(plan, snapshot))


async def read_affected(core: Core, seqs: Sequence[int]) -> dict[int, AffectedMemory]:
    """Read what is shown of memories, by sequence number."""
    rows = [one for one in await _read_undamaged(core, seqs) if one is not None]
    return {one.seq: AffectedMemory(one.seq, one.id, one.text, one.said_at, one.said_offset) for one in rows}


async def _read_undamaged(core: Core, seqs: Sequence[int]) -> list[Memory | None]:
    """Read memories to show; one that is damaged is shown by its number alone, since a plan needs no texts."""
    try:
        return await core.store.get(core.scope, seqs)
    except StoreDamaged:
        if len(seqs) == 1:
            return []
        return [memory for seq in seqs for memory in await _read_undamaged(core, [seq])]


@trace_step("gather")
async def freeze_scope(
    core: Core,
    policy: Policy,
    more: AbstractSet[str] = frozenset(),
    only: tuple[int, int] | None = None,
    among: Among | None = None,
    *,
    kept: bool = False,
) -> tuple[Snapshot, int]:
    """Freeze the scope for a policy, with all uses and all time that the open session has to count.

    `more` are columns that it does not ask for, `only` the one pair that may become one, `among` which memories are
    read, None for all. What is `kept` is for who comes again.
    """
    await session_heartbeat.beat(core)
    await core.uses.settle()
    return await read_frozen(core, policy, more, only, among, kept=kept)


async def read_frozen(
    core: Core,
    policy: Policy,
    more: AbstractSet[str] = frozenset(),
    only: tuple[int, int] | None = None,
    among: Among | None = None,
    *,
    kept: bool = False,
) -> tuple[Snapshot, int]:
    """Freeze the scope as it is kept; nothing is written."""
    present = await core.watch.read_present()
    now = present.reading.wall
    base = build_snapshot_request(policy)
    request = replace(base, columns=base.columns | more, among=among)
    stored = partial(core.store.snapshot, core.scope)
    read = partial(core.snapshots.read, patch=snapshot_update.patch_snapshot) if kept else stored
    snapshot = await read(request, now)
    merges = only is None and any(rule.effect.unites for rule in policy.rules)
    same = await same_words_of(core, snapshot) if merges else frozenset()
    shortens = isinstance(core.writer, Shortener)
    snapshot = replace(snapshot, present=present, shortens=shortens)
    # A person who names two memories to merge knows what they restored: that guard is against policies alone.
    restorations = {} if only is not None else await find_recently_restored(core, snapshot, now)
    return replace(snapshot, same_words=same, only=only, restored=restorations), now


async def adopt(core: Core, policy: Policy) -> Policy:
    """Make a policy the one of this database's scope; processes that hold another one can no longer apply."""
    policy_row = {"name": policy.name, "hash": policy.hash, "source": policy.source}
    await core.store.bookkeep(
        core.scope, Bookkeeping(core.clock.now(), put={POLICY: policy_row, QUIET: None})
    )
    core.policy, core.policy_given = policy, True
    return policy


async def unadopt(core: Core) -> None:
    """Let no policy be the scope's; what this memory was given stays."""
    policy_row = await read_adopted_policy(core)
    if policy_row is None:
        return
    await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put={POLICY: None, QUIET: None}))
    if is_adopted(policy_row, core.policy.hash):
        core.policy, core.policy_given = no_policy(), False


async def apply(
    core: Core,
    plan: Plan,
    allow_destroyed: int | None = None,
    policy: Policy | None = None,
    *,
    fence: Fence | None = None,
    progress: Progress | None = None,
) -> Receipt:
    """Do what of a plan may be done; `policy` is the one that it follows, where it is not the one in force.

    With a `fence` nothing is written once the lease has another holder. Who is cancelled between two parts leaves a run
    of what was done, and may apply the same plan again for the rest.
    """
    return (await apply_at(core, plan, allow_destroyed, policy, fence=fence, progress=progress))[0]


async def apply_at(
    core: Core,
    plan: Plan,
    allow_destroyed: int | None = None,
    policy: Policy | None = None,
    *,
    fence: Fence | None = None,
    stopped: Callable[[], bool] = lambda: False,
    progress: Progress | None = None,
) -> tuple[Receipt, int | None]:
    """Do the same; return also where the scope stands then if nobody else has written since the plan, or else None.

    With a `fence` nothing is written once the lease has another holder. `stopped` is asked between parts; what is left
    then waits to be planned anew.
    """
    await core.uses.settle()
    books = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=(POLICY,)))
    policy_row, origin = books.values.get(POLICY), core.made.get(plan)
    refuse_scope(core, plan)
    refuse_elsewhere(plan.policy_hash if origin is None else origin.follows, policy_row)
    if "policy" in core.denials:
        _refuse_own_rules(core, plan, policy_row, allow_destroyed)
    judgement = await _agreed_on(core, plan, policy, books)
    _refuse_held(judgement, allow_destroyed)
    outcome, position = await _carried_out(core, plan, judgement, fence, stopped, progress)
    await _keep_last(core, judgement.plan, origin, fence)
    # Positions are given once and rise: where as many were given as there are parts, nobody else got one.
    return outcome, position if position == plan.position + outcome.parts else None


async def pass_by(core: Core, plan: Plan, stored: Mapping[str, Any] | None, fence: Fence | None) -> None:
    """Do of a plan that changes nothing what `apply` does beside the changes; `stored` is the adopted policy."""
    origin = core.made.get(plan)
    refuse_elsewhere(plan.policy_hash if origin is None else origin.follows, stored)
    await _keep_last(core, plan, origin, fence)


async def _keep_last(core: Core, plan: Plan, made: RememberedPlan | None, fence: Fence | None) -> None:
    """Keep when the policy in force ran last; another one's run is none of that whose interval is counted."""
    now, is_whole = core.clock.now(), made is None or made.follows == made.policy.hash
    if is_whole and (not core.policy_given or plan.policy == core.policy.name):
        await core.store.bookkeep(core.scope, Bookkeeping(now, put={LAST_CURATE: now}, fence=fence))


async def carry_out(core: Core, plan: Plan) -> Receipt:
    """Do what of a plan may be done, whether or not the brake holds it and whatever policy is adopted."""
    return (await _carried_out(core, plan, await _agreed_on(core, plan, None, None)))[0]


@dataclass(frozen=True, slots=True)
class _JudgedPlan:
    """What of a plan is done, how many memories that destroys, what holds it, and what is left out.

    `proposed` is the digest of all that was proposed.
    """

    plan: Plan
    proposed: str
    destroyed: int
    held: brake.Hold | None
    skipped: tuple[str, ...] = ()
    more: int = 0  # left out, too


async def _agreed_on(
    core: Core, plan: Plan, policy: Policy | None, booked: BookkeepResult | None
) -> _JudgedPlan:
    """Find what of a plan may be done: all of it where nothing has happened since, else what a new one agrees on.

    `booked` is what was read of the adopted policy; None where what is asked for follows none.
    """
    if booked is None:
        await core.uses.settle()
        booked = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now()))
    origin = core.made.get(plan)
    digest = await aside_of_rows(len(plan.seq), plan.digest_now)
    own, has_moved = origin is not None and digest == origin.digest, booked.position != plan.position
    if has_moved:
        await _refuse_applied(core, plan, digest)
    if own and not has_moved:
        return _JudgedPlan(plan, digest, plan.destroyed, brake.find_hold(plan))
    policy = origin.policy if origin is not None else at_hand(core, plan, policy, booked.values.get(POLICY))
    if not own:
        await asyncio.to_thread(refuse_foreign, plan, policy)
    snapshot, now = await freeze_scope(core, policy, only=origin.only if origin is not None else None)
    with begin_span(core.tracer, "decide"):
        return await asyncio.to_thread(_judge_plan, plan, digest, snapshot, policy, now)


def _judge_plan(plan: Plan, digest: str, snapshot: Snapshot, policy: Policy, now: int) -> _JudgedPlan:
    """Plan again, and keep of it what was proposed; guards, brake and conditions are those of now.

    What holds the whole holds a part that destroys anything: or else many small plans would do what one may not.
    """
    whole = plan_of(snapshot, policy, now, automatic=plan.automatic)
    part = filter_to_proposed(plan, whole, policy)
    destroy_count = destroyed_count(part)
    hold = (
        brake.find_hold(whole)
        if destroy_count
        else brake.check_brake(snapshot, now, 0, automatic=plan.automatic)
    )
    return _JudgedPlan(
        part, digest, destroy_count, hold, *left_out(plan, part, snapshot, policy, REMARKS_SHOWN)
    )


def at_hand(core: Core, plan: Plan, given: Policy | None, stored: Mapping[str, Any] | None) -> Policy:
    """Return the policy that a plan follows: one that was named here, is in force or adopted."""
    policies = [*core.named.values(), *([core.policy] if core.policy_given else [])]
    if given is not None:
        policies = [given]
    elif stored is not None:
        policies.append(load(stored["source"], stored=True))
    for policy in policies:
        if policy.hash == plan.policy_hash:
            return policy
    raise PolicyMismatch(
        f"the plan follows a policy {plan.policy!r:.80} ({plan.policy_hash[:12]!r}) that is not "
        f"{'the one given' if given is not None else 'at hand'}",
        recovery="name the policy that it was made with, and the overrides if there were any: apply(plan, policy=…),"
        " or --policy",
    )


async def _carried_out(
    core: Core,
    plan: Plan,
    found: _JudgedPlan,
    fence: Fence | None = None,
    stopped: Callable[[], bool] = lambda: False,
    tell: Progress | None = None,
) -> tuple[Receipt, int | None]:
    """Commit a plan; return the receipt and the position of its last part, or of the plan where there was none."""
    by_rule, because = found.plan.by_rule, found.plan.because
    reasons = [[action, rule, because.get(rule, "")] for action, rule, _ in by_rule]  # what the audit keeps
    cause = core.cause(
        CURATE,
        policy=plan.policy_hash,
        planned=True,
        fence=fence,
        owner=BY_POLICY if plan.automatic else core.owner,
        detail={"plan": found.proposed, "policy": found.plan.policy, "rules": reasons},
    )
    cycle = summary(found.plan, plan.preview)
    merges = dict(zip(found.plan.merges.discard.tolist(), found.plan.merges.survivor.tolist(), strict=True))
    exempt = found.plan.seq[found.plan.exempt]
    remarks = [*found.skipped]
    summaries = Summarising(core, stopped, remarks.append)
    progress = PlanProgress(
        core,
        plan.automatic,
        find_links_cut_by_rules(found.plan),
        merges,
        exempt,
        remarks,
        summaries,
        cycle,
        tell or ignore_progress,
    )
    async with closed_run(core, cause):
        await progress.run(found.plan, cause, stopped)
    outcome = receipt(
        core.scope,
        cause,
        progress.changes,
        progress.counts,
        skipped=first_remarks(progress.skipped, found.more),
        parts=progress.parts,
        notes=found.plan.notes,
    )
    return outcome, progress.position if progress.parts else plan.position


def _refuse_own_rules(
    core: Core, plan: Plan, stored: Mapping[str, Any] | None, allow_destroyed: int | None
) -> None:
    """Refuse rules of one's own, and what lifts the brake, to who may not choose the policy; a preset is no choice.

    `stored` is the adopted policy, where the plan follows it.
    """
    is_preset = plan.policy in PRESETS and load(plan.policy).hash == plan.policy_hash
    follows = stored is not None or (core.policy_given and core.policy.hash == plan.policy_hash)
    if allow_destroyed is not None or not (follows or is_preset):
        core.refuse_verb("apply", "policy")


def refuse_elsewhere(policy_hash: str, stored: Mapping[str, Any] | None) -> None:
    """Refuse a plan under another policy than the adopted one."""
    if stored is not None and not is_adopted(stored, policy_hash):
        raise PolicyMismatch(
            f"this memory has adopted the policy {stored['name']!r}, and the plan follows another",
            recovery="plan again without naming a policy, or adopt the new one first (`policy.use`)",
        )


def refuse_scope(core: Core, plan: Plan) -> None:
    """Refuse a plan of another scope."""
    if plan.scope != core.scope:
        raise InvalidInput(
            f"the plan is for scope {plan.scope!r}", recovery=f"open that scope, not {core.scope!r}"
        )


async def applied_by(core: Core, plan: Plan, digest: str) -> Cause | None:
    """Return the run that carried a plan out and stands; one that was cut short may be gone on with."""
    async for part in iterate_standing_runs(core, plan.position):
        if (
            part.cause.detail.get("plan") == digest
            and part.cause.final
            and CUT_SHORT not in part.cause.detail
        ):
            return part.cause
    return None


async def _refuse_applied(core: Core, plan: Plan, digest: str) -> None:
    """Refuse a plan that was carried out already."""
    cause = await applied_by(core, plan, digest)
    if cause is None:
        return
    by, back = (
        (f" by {cause.run}", f", or take that back: undo {cause.run}")
        if may_be_named(core, cause)
        else ("", "")
    )
    raise InvalidInput(
        f"plan {digest[:12]} was applied already{by}",
        recovery=f"plan anew for what is to be done now{back}",
    )


def _refuse_held(found: _JudgedPlan, allow_destroyed: int | None) -> None:
    """Refuse what the brake holds; as much as the caller allows is let through, but not under a clock in doubt."""
    hold = found.held
    if hold is None:
        return
    if hold.clock:
        recovery = (
            "set the clock right, or accept the present (`remanence review settle clock accept`,"
            ' `memory.review.settle("clock", "accept")`), then plan again'
        )
    elif allow_destroyed is None or found.destroyed > allow_destroyed:
        recovery = (
            f"look at the plan; if you mean it, allow {found.destroyed} (allow_destroyed, --allow-destroyed)"
        )
    else:
        return
    raise PlanHeld(f"held: {hold.why}", recovery=recovery, destroyed=found.destroyed, clock=hold.clock)
