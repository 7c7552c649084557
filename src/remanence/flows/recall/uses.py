"""Counts what recall returned, off the caller's path: uses that wait while a commit runs share the next one.

Memories that a frame returned together strengthen the links between them, in the same commit.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence

from remanence.change import Change
from remanence.edit.links import Group, strengthened
from remanence.effects import VERBS
from remanence.errors import Conflict
from remanence.model import Link

Write = Callable[[Sequence[Change]], Awaitable[object]]
Read = Callable[[Sequence[int]], Awaitable[Sequence[Link]]]

RACES_MAX = 20  # re-reads of links that others changed meanwhile


class Uses:
    """Uses not yet written; whoever plans, applies or closes settles them first."""

    def __init__(self, write: Write, links: Read, now: Callable[[], int]) -> None:
        self._write = write
        self._links = links
        self._now = now
        self._pending: Counter[int] = Counter()
        self._together: Counter[Group] = Counter()
        self._task: asyncio.Task[None] | None = None

    def give_up(self) -> int:
        """Forget the uses that wait to be written; return how many they were."""
        left, self._pending, self._together = self._pending, Counter(), Counter()
        return left.total()

    def count(self, seqs: Sequence[int], *, together: bool = False) -> None:
        """Count one use of each memory, and of all `together`; it is written soon, without waiting for the disk."""
        self._pending.update(seqs)
        if together and len(seqs) > 1:
            self._together[frozenset(seqs)] += 1
        if self._task is None or self._task.done():
            if self._task is not None and not self._task.cancelled():
                self._task.exception()  # looked at: what it could not write is tried again with these
            self._task = asyncio.get_running_loop().create_task(self._drain())

    async def settle(self) -> None:
        """Wait until all uses are written; raise what kept them from it.

        Who stops waiting stops nothing: a commit under way goes on, and is waited for by whoever settles next.
        """
        while self._task is not None or self._pending:
            if self._task is None:
                self._task = asyncio.get_running_loop().create_task(self._drain())
            task = self._task
            await asyncio.wait([task])
            if self._task is task:
                self._task = None
            task.result()

    async def _drain(self) -> None:
        while self._pending:
            batch, self._pending = self._pending, Counter()
            groups, self._together = self._together, Counter()
            written = False
            try:
                await self._commit(batch, groups)
                written = True
            except asyncio.CancelledError:
                written = True  # as the loop ends: it may have been, and no use is counted twice
                raise
            finally:
                if not written:
                    self._pending.update(batch)
                    self._together.update(groups)

    async def _commit(self, batch: Counter[int], groups: Counter[Group]) -> None:
        """Write one batch; memories that were purged meanwhile drop out, and links that changed are read again."""
        races = 0
        while batch:
            changes = [VERBS["use"].counted(seq, uses=n) for seq, n in batch.items()]
            changes += await self._strengthened(groups)
            try:
                await self._write(changes)
            except Conflict as conflict:
                gone = [key for table, key in conflict.keys if table == "memories" and key in batch]
                races += 1
                if not gone and (
                    races == RACES_MAX or not any(table == "links" for table, _ in conflict.keys)
                ):
                    raise
                for key in gone:
                    del batch[key]
                continue
            return

    async def _strengthened(self, groups: Mapping[Group, int]) -> list[Change]:
        members = sorted(frozenset().union(*groups))
        return strengthened(await self._links(members), groups, self._now()) if members else []
