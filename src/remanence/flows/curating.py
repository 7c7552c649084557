"""Plans are made, applied, undone and explained here; what they decide is decided in `curate`.

A plan is applied in parts of at most 20,000 changes, each all or nothing. A memory that was used, linked or edited
since the plan was made drops out of it with a reason; the rest goes on.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from remanence.arguments import check_path
from remanence.change import PART_CHANGES_MAX, Change, Receipt
from remanence.curate.changes import gravest
from remanence.curate.plan import Plan
from remanence.curate.plan import plan as decide
from remanence.curate.policy import Policy, load, wanted
from remanence.effects import action_of
from remanence.errors import Conflict, InvalidInput, PlanHeld, PolicyError, PolicyMismatch
from remanence.flows import heartbeat
from remanence.flows.core import Core, receipt
from remanence.model import Memory
from remanence.snapshot import Snapshot
from remanence.store.base import Bookkeeping

POLICY = "policy"  # the adopted policy's name in the bookkeeping: {"name", "hash", "source"}
LAST_CURATE = "last_curate_at"
SKIPPED_SHOWN = 100

Group = Sequence[Change]


def choose(core: Core, policy: str | None, overrides: Mapping[str, Mapping[str, Any]] | None) -> Policy:
    """Return the policy to plan with: the one named, or the one this memory was opened with or has adopted."""
    if policy is not None:
        return load(policy_source(policy), overrides)
    if not core.policy_given:
        raise InvalidInput(
            "no policy was named", recovery="name one with policy= or --policy, such as 'tidy', or adopt one"
        )
    return load(core.policy.source, overrides) if overrides else core.policy


def policy_source(policy: str) -> str:
    """Return a preset's name or a TOML text as it is, and the text of a TOML file for its path."""
    if "\n" not in policy and policy.endswith(".toml"):
        check_path(policy)
        try:
            return Path(policy).read_text(encoding="utf-8")
        except OSError as error:
            raise InvalidInput(
                f"cannot read the policy {policy}: {error.strerror}", recovery="check the path"
            ) from error
        except UnicodeDecodeError as error:
            raise PolicyError(
                f"is not UTF-8: {error.reason} at byte {error.start}",
                recovery="save it as UTF-8",
                source=policy,
            ) from error
    return policy


async def plan(core: Core, policy: Policy, *, automatic: bool = False) -> Plan:
    """Decide what a policy would do now; nothing of it is done yet."""
    snapshot, now = await frozen(core, policy)
    return await asyncio.to_thread(decide, snapshot, policy, now, automatic=automatic)


async def frozen(core: Core, policy: Policy) -> tuple[Snapshot, int]:
    """Freeze the scope for a policy, with all uses and all time that the open session has to count."""
    await heartbeat.beat(core)
    await core.uses.settle()
    now = core.clock.now()
    snapshot = await core.store.snapshot(core.scope, wanted(policy), now)
    return replace(snapshot, calibrated=core.embedder.bands.calibrated), now


async def adopt(core: Core, policy: Policy) -> None:
    """Make a policy the one of this database's scope; processes that hold another one can no longer apply."""
    stored = {"name": policy.name, "hash": policy.hash, "source": policy.source}
    await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put={POLICY: stored}))


async def adopted(core: Core) -> Mapping[str, Any] | None:
    """Return the adopted policy as it is stored, or None."""
    booked = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=(POLICY,)))
    return booked.values.get(POLICY)


async def apply(core: Core, plan: Plan, allow_destroyed: int | None) -> Receipt:
    """Do what a plan says, and nothing else."""
    await _refuse(core, plan, allow_destroyed)
    done = await carry_out(core, plan, "curate")
    now = core.clock.now()
    if not core.policy_given or plan.policy == core.policy.name:
        # Another policy's run is none of the one whose interval is counted.
        await core.store.bookkeep(core.scope, Bookkeeping(now, put={LAST_CURATE: now}))
    return done


async def carry_out(core: Core, plan: Plan, verb: str) -> Receipt:
    """Do what a plan says, whoever asked for it; what was used, linked or edited since is left out and listed."""
    await core.uses.settle()
    cause = core.cause(
        verb, policy=plan.policy_hash, planned=True, detail={"plan": plan.digest, "policy": plan.policy}
    )
    applied = _Applied(core, plan.automatic)
    await applied.run(plan, cause)
    counts = {name: count - applied.dropped.get(name, 0) for name, count in plan.counts.items()}
    return receipt(
        core.scope,
        cause,
        applied.changes,
        counts,
        skipped=tuple(applied.skipped[:SKIPPED_SHOWN]),
        parts=applied.parts,
        notes=plan.notes,
    )


async def _refuse(core: Core, plan: Plan, allow_destroyed: int | None) -> None:
    """Refuse a plan of another scope, under another policy than the adopted one, or held by the brake."""
    if plan.scope != core.scope:
        raise InvalidInput(
            f"the plan is for scope {plan.scope!r}", recovery=f"open that scope, not {core.scope!r}"
        )
    stored = await adopted(core)
    if stored is not None and stored["hash"] != plan.policy_hash:
        raise PolicyMismatch(
            f"this memory has adopted the policy {stored['name']!r}, and the plan follows another",
            recovery="plan again without naming a policy, or adopt the new one first",
        )
    if plan.held is not None and (allow_destroyed is None or plan.destroyed > allow_destroyed):
        raise PlanHeld(
            f"held: {plan.held}",
            recovery=f"look at the plan; if you mean it, allow {plan.destroyed} (allow_destroyed, --allow-destroyed)",
            destroyed=plan.destroyed,
        )


@dataclass
class _Applied:
    """How far a plan has been applied."""

    core: Core
    automatic: bool
    parts: int = 0
    changes: int = 0
    skipped: list[str] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)

    async def run(self, plan: Plan, cause: Any) -> None:
        """Commit all parts; an empty plan commits nothing."""
        pending: list[Group] | None = None
        for groups in _parts(plan.changes()):
            if pending is not None:
                await self._part(pending, replace(cause, part=self.parts, final=False))
            pending = groups
        if pending is not None:
            await self._part(pending, replace(cause, part=self.parts, final=True, fired=plan.fired))

    async def _part(self, groups: list[Group], cause: Any) -> None:
        """Commit one part; groups whose rows changed since the plan drop out, and the rest is tried again."""
        while True:
            # Anew on each try: a link between two purged memories goes with either, so with the one that is left.
            whole = await _completed(self.core, groups)
            changes = [change for group in whole for change in group]
            destroyed = sum(map(_destroys, changes)) if self.automatic else 0
            try:
                await self.core.commit(changes, replace(cause, destroyed=destroyed))
            except Conflict as conflict:
                groups = self._without(groups, whole, conflict)
                continue
            self.parts += 1
            self.changes += len(changes)
            return

    def _without(self, groups: list[Group], whole: list[Group], conflict: Conflict) -> list[Group]:
        """Leave out the groups that have a conflict, in what they were completed to."""
        bad = set(conflict.keys)
        kept: list[Group] = []
        for group, completed in zip(groups, whole, strict=True):
            hit = [change for change in completed if (change.table, change.key) in bad]
            if not hit:
                kept.append(group)
                continue
            self.skipped.append(
                f"{hit[0].table} {hit[0].key}: changed, used or linked since the plan was made"
            )
            action = gravest(group).name
            self.dropped[action] = self.dropped.get(action, 0) + 1
        if len(kept) == len(groups):
            raise conflict
        return kept


def _destroys(change: Change) -> bool:
    """Tell whether a change counts against the brake: a memory pruned, purged or merged away."""
    return change.table == "memories" and action_of(change).destroys


def _parts(groups: Iterator[Group]) -> Iterator[list[Group]]:
    part: list[Group] = []
    size = 0
    for group in groups:
        if part and size + len(group) > PART_CHANGES_MAX:
            yield part
            part, size = [], 0
        part.append(group)
        size += len(group)
    if part:
        yield part


async def _completed(core: Core, groups: list[Group]) -> list[Group]:
    """Add to each purged memory the tags, sources and links that go with it: there are no hidden effects."""
    purged = [
        change.key
        for group in groups
        for change in group
        if change.table == "memories" and change.after is None
    ]
    if not purged:
        return groups
    seqs = [key for key in purged if isinstance(key, int)]
    memories = {memory.seq: memory for memory in await core.store.get(core.scope, seqs) if memory is not None}
    gone: set[tuple[int, int, int]] = {key for group in groups for key in _cut(group)}
    hanging: dict[int, list[Change]] = {seq: _attached(memory) for seq, memory in memories.items()}
    for link in await core.store.neighbours(core.scope, seqs):
        if link.key not in gone:
            gone.add(link.key)
            owner = link.source if link.source in hanging else link.target
            hanging[owner].append(Change("links", link.key, link.values, None))
    return [[*_hanging(group, hanging), *group] for group in groups]


def _cut(group: Group) -> Iterator[tuple[int, int, int]]:
    return (change.key for change in group if change.table == "links" and change.after is None)  # type: ignore[misc]


def _attached(memory: Memory) -> list[Change]:
    tags = [Change("tags", (memory.seq, tag), {}, None) for tag in memory.tags]
    return tags + [Change("sources", (memory.seq, source), {}, None) for source in memory.sources]


def _hanging(group: Group, hanging: Mapping[int, list[Change]]) -> list[Change]:
    return [
        change
        for owner in group
        if owner.table == "memories" and owner.after is None and isinstance(owner.key, int)
        for change in hanging.get(owner.key, ())
    ]
