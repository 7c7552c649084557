"""Counts what recall returned, off the caller's path: uses that come soon after each other share a commit.

Memories that a frame returned together strengthen the links between them, in the same commit.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from remanence.core.change import Change, CommitResult
from remanence.core.effects import VERBS
from remanence.core.errors import Conflict, StoreError
from remanence.core.model import Link
from remanence.edit.links import Group, strengthen_links

# By whom a use was, and when: what bears one time is written by one commit.
Key = tuple[str | None, int]
Part = tuple[str, int]  # a run and the number of a part
Write = Callable[[Sequence[Change], str | None, int, Part | None], Awaitable[CommitResult]]
Read = Callable[[Sequence[int]], Awaitable[Sequence[Link]]]

# So long uses wait for others, unless somebody needs them written: a commit takes longer than all else that a recall
# does beside ranking, and voids the page cache of the next. On the engine's clock they share a time as long.
GATHER_S = 0.05
TOGETHER = 50_000
RACES_MAX = 20  # re-reads of links that others changed meanwhile


@dataclass(slots=True)
class _UseBatch:
    """What one agent used at a time, how often, and what of it together.

    `links` are those inside a group as somebody has just read them; a commit that finds others reads them again.
    """

    seqs: Counter[int] = field(default_factory=Counter)
    together: Counter[Group] = field(default_factory=Counter)
    links: dict[Group, Sequence[Link]] = field(default_factory=dict)

    def add(self, other: "_UseBatch") -> None:
        """Take in what another holds."""
        self.seqs.update(other.seqs)
        self.together.update(other.together)

    def known_links(self) -> list[Link] | None:
        """Return the links inside the groups as they were read last, None where those of one were not."""
        if self.links.keys() != self.together.keys():
            return None
        return list({link.key: link for links in self.links.values() for link in links}.values())


class Uses:
    """Uses not yet written, by agent and time; whoever reads uses, plans, applies or closes settles them first."""

    def __init__(self, write: Write, links: Read, now: Callable[[], int]) -> None:
        self._write = write
        self._links = links
        self._now = now
        self._pending: dict[Key, _UseBatch] = {}
        self._next: tuple[str | None, Part] | None = None  # who wrote last, and the part that may follow
        self._task: asyncio.Task[None] | None = None
        self._wanted = asyncio.Event()  # somebody waits until all is written
        self.are_counted = True

    def give_up(self) -> int:
        """Forget the uses that wait to be written; return how many they were."""
        batches, self._pending = self._pending, {}
        return sum(batch.seqs.total() for batch in batches.values())

    def count(
        self,
        seqs: Sequence[int],
        agent: str | None,
        *,
        together: bool = False,
        links: Sequence[Link] | None = None,
    ) -> None:
        """Count one use of each memory by an agent now, and of all `together`; it is written soon, without waiting.

        `links` are theirs, and of others, as they were just read.
        """
        if not seqs or not self.are_counted:
            return
        # The uses of an agent within a moment wait together.
        now = self._now()
        begun_at = next((at for by, at in self._pending if by == agent and at <= now < at + TOGETHER), now)
        batch = self._pending.setdefault((agent, begun_at), _UseBatch())
        batch.seqs.update(seqs)
        if together and len(seqs) > 1:
            group = frozenset(seqs)
            batch.together[group] += 1
            batch.links.pop(group, None)
            if links is not None:  # read later than those that wait
                batch.links[group] = [one for one in links if one.source in group and one.target in group]
        if self._task is None or self._task.done():
            if self._task is not None and not self._task.cancelled():
                self._task.exception()  # looked at: what it could not write is tried again with these
            self._begin_writing()

    def _begin_writing(self) -> asyncio.Task[None]:
        self._wanted = asyncio.Event()
        self._task = asyncio.get_running_loop().create_task(self._gather_and_write(self._wanted))
        return self._task

    async def _gather_and_write(self, wanted: asyncio.Event) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(wanted.wait(), GATHER_S)
        await self._write_pending_uses()

    async def settle(self) -> None:
        """Wait until all uses are written; raise what kept them from it.

        Who stops waiting stops nothing: a commit under way goes on, and is waited for by whoever settles next.
        """
        while self._task is not None or self._pending:
            task = self._task or self._begin_writing()
            self._wanted.set()
            await asyncio.wait([task])
            if self._task is task:
                self._task = None
            task.result()

    async def settle_to_read(self) -> None:
        """Write what waits before uses are read; a store that takes no writes is read as it stands.

        What could not be written waits on, and closing says so.
        """
        with suppress(StoreError, Conflict):
            await self.settle()

    async def _write_pending_uses(self) -> None:
        """Write what each agent used at a time in a commit of its own, since a commit is by one and of one time."""
        while self._pending:
            key = next(iter(self._pending))
            batch = self._pending.pop(key)
            is_written = False
            try:
                await self._commit(batch, *key)
                is_written = True
            except asyncio.CancelledError:
                is_written = True  # as the loop ends: it may have been, and no use is counted twice
                raise
            finally:
                if not is_written:
                    self._pending.setdefault(key, _UseBatch()).add(batch)

    async def _commit(self, batch: _UseBatch, agent: str | None, at: int) -> None:
        """Write one batch; memories that were purged meanwhile drop out, and links that changed are read again."""
        races = 0
        while batch.seqs:
            changes = [VERBS["use"].build_count_change(seq, uses=n) for seq, n in batch.seqs.items()]
            links = None if races else batch.known_links()
            changes += await self._strengthen_links(batch.together, at, links)
            try:
                # One more part of the run that the same agent wrote last, where the store can go on with it.
                last, self._next = self._next, None  # what becomes of a commit that raises is not known
                extends = last[1] if last is not None and last[0] == agent else None
                commit = await self._write(changes, agent, at, extends)
                self._next = agent, (commit.run, commit.part + 1)
            except Conflict as conflict:
                purged_seqs = [
                    key for table, key in conflict.keys if table == "memories" and key in batch.seqs
                ]
                races += 1
                if not purged_seqs and (
                    races == RACES_MAX or not any(table == "links" for table, _ in conflict.keys)
                ):
                    raise
                for key in purged_seqs:
                    del batch.seqs[key]
                continue
            return

    async def _strengthen_links(
        self, groups: Mapping[Group, int], at: int, known: Sequence[Link] | None
    ) -> list[Change]:
        if not groups:
            return []
        links = await self._links(sorted(frozenset().union(*groups))) if known is None else known
        return strengthen_links(links, groups, at)
