"""Counts what recall returned, off the caller's path: uses that wait while a commit runs share the next one."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from remanence.change import Change, Increment
from remanence.errors import Conflict

if TYPE_CHECKING:
    from remanence.flows.core import Core


class Uses:
    """Uses not yet written; whoever plans, applies or closes settles them first."""

    def __init__(self) -> None:
        self._pending: Counter[int] = Counter()
        self._writing: asyncio.Task[None] | None = None

    def count(self, core: "Core", seqs: Iterable[int]) -> None:
        """Count one use of each memory; it is written soon, without waiting for the disk."""
        self._pending.update(seqs)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.get_running_loop().create_task(self._write(core))

    async def settle(self, core: "Core") -> None:
        """Wait until all uses are written; raise what kept them from it."""
        if self._writing is not None:
            task, self._writing = self._writing, None
            await task
        await self._write(core)

    async def _write(self, core: "Core") -> None:
        while self._pending:
            batch, self._pending = self._pending, Counter()
            written = False
            try:
                await _commit(core, batch)
                written = True
            finally:
                if not written:
                    self._pending.update(batch)


async def _commit(core: "Core", batch: Counter[int]) -> None:
    """Write one batch; memories that were purged meanwhile drop out."""
    while batch:
        changes = [
            Change("memories", seq, {"uses": Increment(-n)}, {"uses": Increment(n)})
            for seq, n in batch.items()
        ]
        try:
            await core.commit(changes, core.cause("use"))
        except Conflict as conflict:
            gone = [key for _, key in conflict.keys if key in batch]
            if not gone:
                raise
            for key in gone:
                del batch[key]
            continue
        return
