"""Counts what recall returned, off the caller's path: uses that wait while a commit runs share the next one."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence

from remanence.change import Change, Increment
from remanence.errors import Conflict

Write = Callable[[Sequence[Change]], Awaitable[object]]


class Uses:
    """Uses not yet written; whoever plans, applies or closes settles them first."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._pending: Counter[int] = Counter()
        self._task: asyncio.Task[None] | None = None

    def count(self, seqs: Iterable[int]) -> None:
        """Count one use of each memory; it is written soon, without waiting for the disk."""
        self._pending.update(seqs)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._drain())

    async def settle(self) -> None:
        """Wait until all uses are written; raise what kept them from it."""
        if self._task is not None:
            task, self._task = self._task, None
            await task
        await self._drain()

    async def _drain(self) -> None:
        while self._pending:
            batch, self._pending = self._pending, Counter()
            written = False
            try:
                await self._commit(batch)
                written = True
            finally:
                if not written:
                    self._pending.update(batch)

    async def _commit(self, batch: Counter[int]) -> None:
        """Write one batch; memories that were purged meanwhile drop out."""
        while batch:
            changes = [
                Change("memories", seq, {"uses": Increment(-n)}, {"uses": Increment(n)})
                for seq, n in batch.items()
            ]
            try:
                await self._write(changes)
            except Conflict as conflict:
                gone = [key for _, key in conflict.keys if key in batch]
                if not gone:
                    raise
                for key in gone:
                    del batch[key]
                continue
            return
