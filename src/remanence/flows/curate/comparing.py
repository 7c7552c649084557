"""A plan that was kept is compared with now: with what its policy would do, and with what the audit tells of since.

Knows where policies and the audit lie; what a comparison says lies with `plan_report`. Nothing is written.
"""

import asyncio
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from remanence.core.arguments import check_count
from remanence.core.change import AuditPart
from remanence.core.errors import InvalidInput, PolicyError, PolicyMismatch
from remanence.core.snapshot import Snapshot
from remanence.curate.planner import brake
from remanence.curate.planner.plan import Plan
from remanence.curate.planner.plan import plan as decide
from remanence.curate.planner.plan_agreement import ExclusionReasons, filter_to_proposed
from remanence.curate.planner.plan_report import (
    PlanComparison,
    PlanDiff,
    Preview,
    Since,
    compare_plans,
    policy_changes,
)
from remanence.curate.planner.proposal import refuse_foreign
from remanence.curate.policy.compiled import Policy, load
from remanence.flows.base import policy_reading
from remanence.flows.base.audit_log import iterate_audit_log
from remanence.flows.base.context import LISTED_MAX, Core
from remanence.flows.curate import curating
from remanence.store.constraints import APART, memories_of

LISTED = 100  # memories of each action, unless more are asked for
_BORN = frozenset({"learned_at"})


async def diff(
    core: Core, plan: Plan, limit: int | None, named: str | None, overrides: Mapping[str, Any] | None
) -> PlanDiff:
    """Compare a plan with now; a policy that is named judges, with the plan's overrides, else the one in force."""
    if overrides is not None:
        raise InvalidInput(
            "a plan is compared under its own overrides", recovery="leave `overrides` out, or `compare`"
        )
    limit = LISTED if limit is None else limit
    check_count("limit", limit, 1, LISTED_MAX)
    curating.refuse_scope(core, plan)
    await core.uses.settle()
    policy_row, origin = await policy_reading.read_adopted_policy(core), core.made.get(plan)
    policy = _pick_policy(core, plan, policy_row) if named is None else _read_plan_policy(named, plan)
    is_same = plan.policy_hash == policy.hash
    if is_same and origin is None:
        await asyncio.to_thread(refuse_foreign, plan, policy)
    snapshot, now = await curating.read_frozen(
        core, policy, _BORN, only=origin.only if origin is not None else None
    )
    _refuse_another(plan, snapshot)
    fresh = await asyncio.to_thread(decide, snapshot, policy, now, automatic=plan.automatic)
    comparison = await asyncio.to_thread(_compare_plans, plan, fresh, snapshot, policy)
    memories = await curating.read_affected(core, comparison.list_shown_memories(limit))
    hold = brake.find_hold(fresh)
    apply_cause = await curating.applied_by(core, plan, plan.digest)
    since = await _find_done_since(core, plan.position, comparison, limit)
    preview = Preview(memories, limit)
    return PlanDiff(
        digest=plan.digest,
        scope=plan.scope,
        policy=plan.policy,
        planned_at=plan.now,
        now=now,
        policy_changes=() if is_same else tuple(policy_changes(plan, policy)),
        applied=None if apply_cause is None else apply_cause.run,
        held=None if hold is None else hold.why,
        same=tuple(map(preview.list_act, comparison.kept)),
        left=tuple(comparison.list_left(since, preview)),
        added=tuple(map(preview.list_act, comparison.added)),
    )


def _compare_plans(plan: Plan, fresh: Plan, snapshot: Snapshot, policy: Policy) -> PlanComparison:
    part = filter_to_proposed(plan, fresh, policy)
    return compare_plans(plan, part, fresh, ExclusionReasons(plan, part, snapshot, policy))


def refuse_limit(limit: int | None) -> None:
    """Refuse a limit where no plan is compared: a plan names all memories that it would change."""
    if limit is not None:
        raise InvalidInput(
            "`limit` is how many memories a comparison lists", recovery="leave it out, or pass `compare`"
        )


def _read_plan_policy(policy: str, plan: Plan) -> Policy:
    """Return a policy, with the overrides of a plan where that was made with just these."""
    bare = policy_reading.read_policy(policy)
    try:
        with_overrides = policy_reading.read_policy(policy, plan.overrides)
    except PolicyError:  # it has no such rules
        return bare
    return with_overrides if with_overrides.hash == plan.policy_hash else bare


def _pick_policy(core: Core, plan: Plan, stored: Mapping[str, Any] | None) -> Policy:
    """Return the policy that judges now: what was adopted since comes before the one that a plan follows."""
    origin = core.made.get(plan)
    follows = plan.policy_hash if origin is None else origin.follows
    if stored is not None and not policy_reading.is_adopted(stored, follows):
        return load(stored["source"], stored=True)
    if origin is not None:
        return origin.policy
    try:
        return curating.at_hand(core, plan, None, stored)
    except PolicyMismatch:
        return curating.choose(core, None, None)


def _refuse_another(plan: Plan, snapshot: Snapshot) -> None:
    """Refuse a plan of another memory, or of a later state of this one: revisions only rise, nothing is younger."""
    at = np.searchsorted(snapshot.seq, plan.seq)
    at[at == len(snapshot)] = 0
    there = snapshot.seq[at] == plan.seq if len(snapshot) else np.zeros(len(plan.seq), np.bool_)
    rows = at[there]
    is_older = bool((snapshot.columns["revision"][rows] < plan.revision[there]).any())
    is_younger = bool((snapshot.columns["learned_at"][rows] > plan.now).any()) and plan.held is None
    if snapshot.position < plan.position or is_older or is_younger:
        raise InvalidInput(
            "the plan is of another memory, or of a later state of this one",
            recovery="open the memory that it was made of, or make a new plan: `remanence plan -o plan.json`",
        )


async def _find_done_since(
    core: Core, position: int, found: PlanComparison, limit: int
) -> dict[int, list[Since]]:
    """Return what was done since to the first memories that are left out, each verb once: how often, and the last."""
    seqs = {seq for act in found.left for seq in act.seqs[:limit]}
    by_verb: dict[tuple[int, str], Since] = {}
    if not seqs:
        return {}
    async for part in iterate_audit_log(core, None, None, position):
        cause = part.cause
        for seq in seqs.intersection(_list_memories(part)):
            before = by_verb.pop((seq, cause.verb), None)
            count = 1 if before is None else before.count + (before.run != cause.run)
            by_verb[seq, cause.verb] = Since(cause.verb, count, cause.at, cause.actor, cause.run)
    since: dict[int, list[Since]] = {}
    for (seq, _), one in by_verb.items():
        since.setdefault(seq, []).append(one)
    return since


def _list_memories(part: AuditPart) -> Iterator[int]:
    """Yield the memories that a part changed, used or linked."""
    yield from part.used
    for entry in part.entries:
        if entry.table == "memories":
            yield from entry.row_keys()
        elif entry.table not in APART:
            yield from (seq for key in entry.row_keys() for seq in memories_of(entry.table, key))
