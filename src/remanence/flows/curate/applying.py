"""A plan is committed in parts: what changed since drops out, what goes with purged memories is added, summaries made.

Knows plans and changes; must not know whether a plan may be applied.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

from remanence.core.acts import action_of, acts_of, kinds_of
from remanence.core.change import PART_CHANGES_MAX, Change, Entry, Key, Row, row_count
from remanence.core.errors import Conflict
from remanence.core.keywords import Progress
from remanence.core.model import short_id
from remanence.core.receipt import CYCLE, LEFT_OUT
from remanence.core.snapshot import Ints
from remanence.curate.planner.changes import CommitPart, Group
from remanence.curate.planner.plan import Plan
from remanence.flows.base.context import Core, aside_of_rows
from remanence.flows.base.cut_runs import commit_part
from remanence.flows.curate.plan_inputs import attached_changes, complete_merges, cut_links, hanging_changes
from remanence.flows.curate.summarising import Summarising


@dataclass
class PlanProgress:
    """How far a plan has been applied."""

    core: Core
    automatic: bool
    cut: AbstractSet[Key] | None  # the links that rules cut; None where all that go are
    merges: Mapping[int, int]  # what is taken in → what takes it in
    exempt: Ints  # whose deletion no limit counts
    skipped: list[str]
    summaries: Summarising
    cycle: Mapping[str, Any]  # what the first part says of the run
    tell: Progress
    parts: int = 0
    position: int = 0  # of the last part
    changes: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    async def run(self, plan: Plan, cause: Any, stopped: Callable[[], bool]) -> None:
        """Commit all parts, or those for which there is time; an empty plan commits nothing.

        Rules with a period have had their turn also where time was up: what is done of it, and no more. `tell` hears
        how many actions are done, of how many.
        """
        total = sum(plan.counts.values())
        self.tell(0, total)
        pending: CommitPart | None = None
        parts = plan.parts(PART_CHANGES_MAX)
        # A part takes a moment to write down, which others need not wait for.
        while (part := await aside_of_rows(len(plan.seq), next, parts, None)) is not None:
            if pending is not None and stopped():
                break
            if pending is not None:
                await self._commit_plan_part(pending, replace(cause, part=self.parts, final=False))
                self.tell(min(total, self.counts.total()), total)
            pending = part
        if pending is not None:
            await self._commit_plan_part(
                pending, replace(cause, part=self.parts, final=True, fired=plan.fired)
            )
        self.tell(min(total, self.counts.total()), total)

    async def _commit_plan_part(self, part: CommitPart, cause: Any) -> None:
        """Commit one part; rows that changed since the plan drop out with their group, and the rest is tried again."""
        part, cause = await self.summaries.complete_part(part, cause)
        if not part.groups and not part.blocks and not cause.final:
            return
        while True:
            # Anew on each try: a link between two purged memories goes with either, so with the one that is left.
            whole = await complete_merges(
                self.core, self.merges, await _complete_purges(self.core, part.groups)
            )
            entries: list[Entry] = [*chain.from_iterable(whole), *part.blocks]
            destroy_count = _count_destroyed(entries, self.exempt) if self.automatic else 0
            try:
                # The first part names what the run looked at, each how much was left out until then.
                cycle_detail = {CYCLE: self.cycle} if not self.parts else {}
                left_out = {LEFT_OUT: len(self.skipped)} if self.skipped else {}
                detail = {**cause.detail, **cycle_detail, **left_out}
                detailed = replace(cause, detail=detail, destroyed=destroy_count)
                commit = await commit_part(self.core, entries, detailed)
            except Conflict as conflict:
                part = self._drop_conflicts(part, whole, conflict)
                continue
            self.parts, self.position = self.parts + 1, commit.position
            changes = row_count(entries)
            self.changes += changes
            self.counts.update(await aside_of_rows(changes, self._count_actions, part))
            return

    def _count_actions(self, part: CommitPart) -> Counter[str]:
        """Count what was committed by the actions that it carries out."""
        counts = Counter(
            name for group in part.groups for change in group for name in self._name_actions(change)
        )
        for block in part.blocks:
            for change, count in kinds_of(block):
                counts.update(dict.fromkeys(acts_of(change), count))
        return counts

    def _name_actions(self, change: Change) -> Iterator[str]:
        """Name the actions that a change carries out; links that a merge moves are no action of their own."""
        if change.table == "links" and (
            change.after is not None or (self.cut is not None and change.key not in self.cut)
        ):
            return
        yield from acts_of(change)

    def _drop_conflicts(
        self, part: CommitPart, whole: Sequence[Sequence[Change]], conflict: Conflict
    ) -> CommitPart:
        """Leave out the rows that have a conflict, with their group in what it was completed to."""
        bad = set(conflict.keys)
        count_before = len(self.skipped)
        remainder = CommitPart()
        for group, full_group in zip(part.groups, whole, strict=True):
            hit = [(change.table, change.key) for change in full_group if (change.table, change.key) in bad]
            if hit:
                self._note_skipped(*hit[0])
            else:
                remainder.groups.append(group)
        for block in part.blocks:
            hits, rest = block.split(bad)
            for change in hits:
                self._note_skipped(change.table, change.key)
            remainder.blocks.extend(rest)
        if len(self.skipped) == count_before:
            raise conflict
        return remainder

    def _note_skipped(self, table: str, key: Key) -> None:
        self.skipped.append(f"{_name_row(table, key)}: changed, used or linked since the plan was made")


def _name_row(table: str, key: Key) -> str:
    """Write which row is meant as people name it: a memory by its short id, a link by those of its ends."""
    ends = key if isinstance(key, tuple) and table == "links" else (key,)
    numbers = [one for one in ends[:2] if isinstance(one, int)]
    return " to ".join(map(short_id, numbers)) or f"{table} {key}"


def find_links_cut_by_rules(plan: Plan) -> AbstractSet[Key] | None:
    """Return the links that rules cut where merges take others away too."""
    if not len(plan.merges.discard):
        return None
    return set(plan.links.where(plan.links.why >= 0).list_keys())


def _count_destroyed(entries: Iterable[Entry], exempt: Ints) -> int:
    """Count what counts against the brake: memories pruned, purged or merged away."""
    free: set[Row] = {("memories", seq) for seq in exempt.tolist()}
    return sum(
        count
        for entry in entries
        if entry.table == "memories"
        for counted in entry.split(free)[1]
        for change, count in kinds_of(counted)
        if action_of(change).destroys
    )


async def _complete_purges(core: Core, groups: list[Group]) -> list[Group]:
    """Add to each purged memory the tags, sources and links that go with it: there are no hidden effects."""
    purge_keys = [
        change.key
        for group in groups
        for change in group
        if change.table == "memories" and change.after is None
    ]
    if not purge_keys:
        return groups
    seqs = [key for key in purge_keys if isinstance(key, int)]
    memories = {memory.seq: memory for memory in await core.store.get(core.scope, seqs) if memory is not None}
    cut_keys: set[tuple[int, int, int]] = {key for group in groups for key in cut_links(group)}
    hanging: dict[int, list[Change]] = {seq: attached_changes(memory) for seq, memory in memories.items()}
    for link in await core.store.neighbours(core.scope, seqs):
        if link.key not in cut_keys:
            cut_keys.add(link.key)
            owner = link.source if link.source in hanging else link.target
            hanging[owner].append(Change("links", link.key, link.values, None))
    return [[*hanging_changes(group, hanging), *group] for group in groups]
