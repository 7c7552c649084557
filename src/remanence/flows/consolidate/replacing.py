"""What a writer says holds no longer gives up its place, in a run of its own: so many a day, the rest is for a person.

Knows the proposals that judgements left; each is looked at anew when it is carried out.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from remanence.core.change import Cause, Change
from remanence.core.errors import Conflict
from remanence.core.model import STANDING, Kind, Memory
from remanence.core.receipt import ConsolidateResult
from remanence.core.results import date_of
from remanence.core.snapshot import SnapshotRequest
from remanence.curate.planner.brake import DESTROYED_MIN, DESTROYED_SHARE
from remanence.edit.one_memory import merge_changes
from remanence.flows.base.context import RACES_MAX, Core, overtaken
from remanence.flows.edit.editing import decide_supersession
from remanence.flows.write import proposals
from remanence.flows.write.claiming import may_replace
from remanence.flows.write.superseding import claims_ended
from remanence.store.base import Bookkeeping
from remanence.write.engine_actions import Actions, of_memory

UNDER = "replaced/"  # what the counter's name begins with; the day follows, UTC

WHY = "a writer replaces no episode, and nothing that is protected or was said by others who are trusted as much"

Pairs = Sequence[tuple[Memory, Memory]]  # (newer, older)


@dataclass
class Verdicts:
    """The one run of a consolidation in which a writer's verdicts are carried out, part by part."""

    core: Core
    cause: Cause = field(init=False)
    part: int = 0
    done: int = 0
    refused: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Name the run, which is none until something is carried out."""
        writer = self.core.writer
        self.cause = self.core.cause("replace", detail={} if writer is None else {"writer": writer.name})

    @property
    def run(self) -> str | None:
        """The run that `undo` takes back, where there was one."""
        return self.cause.run if self.part else None

    async def carry_out(self, seqs: Collection[int], of: Cause) -> None:
        """Let what a writer says holds no longer give up its place to some memories, as far as today allows.

        `of` is the part of the consolidation, whose lease this relies on.
        """
        for attempt in range(RACES_MAX if seqs else 0):
            pairs = await self._read_pending_pairs(seqs)
            allowed = [pair for pair in pairs if self._may(*pair)]
            taken = allowed[: await self._count_allowed_today()] if allowed else []
            refused = [pair for pair in pairs if pair not in allowed]
            now = self.core.clock.now()
            values = await proposals.settle_proposals(self.core, [*taken, *refused])
            try:
                if taken:
                    counts = {f"{UNDER}{date_of(now)}": len(taken)}
                    detail = {**self.cause.detail, **_record_verdicts(taken, refused).detail()}
                    named = replace(self.cause, at=now, part=self.part, fence=of.fence, detail=detail)
                    changes = await self._changes(taken)
                    await self.core.commit(changes, replace(named, counts=counts, values=values))
                    self.part += 1
                elif refused:
                    await self.core.store.bookkeep(self.core.scope, Bookkeeping(now, put=values))
            except Conflict as conflict:
                await overtaken(attempt, conflict)
                continue
            self.done += len(taken)
            self.refused += tuple(f"{new.id}: {old.id} stands: {WHY}" for new, old in refused)
            return

    def added_to(self, total: ConsolidateResult) -> ConsolidateResult:
        """Return what a consolidation did, with what came of verdicts."""
        return replace(total, replaced=self.done, verdicts=self.run, refused=self.refused)

    async def _read_pending_pairs(self, seqs: Collection[int]) -> Pairs:
        """Return the pairs that wait for some memories, each older one once."""
        pairs: dict[int, tuple[Memory, Memory]] = {}
        for one in await proposals.waiting(self.core):
            if one.memory.seq in seqs:
                pairs |= {old.seq: (one.memory, old) for old in one.replaces if old.seq not in pairs}
        return sorted(pairs.values(), key=lambda pair: (pair[0].seq, pair[1].seq))

    def _may(self, new: Memory, old: Memory) -> bool:
        said_since = new.said_at >= old.said_at and old.kind is not Kind.EPISODIC
        return said_since and may_replace(self.core, old, new.trust, new.speaker, new.confidence)

    async def _count_allowed_today(self) -> int:
        """Say how many may give up their place today still: ten, or a share of the scope."""
        core, now = self.core, self.core.clock.now()
        request = SnapshotRequest(frozenset({"status"}))
        status = (await core.store.snapshot(core.scope, request, now)).columns["status"]
        standing = int(np.isin(status, [int(one) for one in STANDING]).sum())
        name = f"{UNDER}{date_of(now)}"
        asked = Bookkeeping(now, counters=(name,))
        done = (await core.store.bookkeep(core.scope, asked)).counters.get(name, 0)
        return max(0, max(DESTROYED_MIN, int(standing * DESTROYED_SHARE)) - done)

    async def _changes(self, pairs: Pairs) -> list[Change]:
        changes: list[Change] = []
        for new, old in pairs:
            changes += [
                *await decide_supersession(self.core, old, new),
                *await claims_ended(self.core, old, new),
            ]
        return merge_changes(changes)


def _record_verdicts(taken: Pairs, refused: Pairs) -> Actions:
    """Record what became of the verdicts, each judged by the newer memory."""
    actions = Actions()
    for new, _ in taken:
        actions.record(
            "update_note", of_memory(new, "consolidation"), reason="takes the place of an older one"
        )
    for new, _ in refused:
        actions.record("update_note", of_memory(new, "consolidation"), "denied", WHY)
    return actions
