"""The open files of a folder: each is opened when it is asked for, and closed when nobody asked for a while.

Knows when a file is open; must not know what is read in it.
"""

import asyncio
import os
import sys
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from remanence.core.errors import ErasedSince
from remanence.store.base import LedgerFindings
from remanence.store.sqlite.sqlite_store import SqliteStore

if sys.platform != "win32":
    import resource

OPEN_MAX = 32  # files that are open at once, but for those in use: 4 MB each
_HANDLES = 8  # of an open file: three connections, the log, the ledger
IDLE_S = 60.0  # after which a file that nobody used is closed


@dataclass(eq=False)
class _PooledFile:
    """A file, whether it is open, and how many use it now."""

    store: SqliteStore
    users: int = 0
    is_open: bool = False
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    leaving: asyncio.TimerHandle | None = None


class FilePool:
    """Opens the files of a folder as they are asked for; `build` makes the store of one."""

    def __init__(
        self, build: Callable[[Path], SqliteStore], *, open_max: int | None = None, idle_s: float = IDLE_S
    ) -> None:
        self._build = build
        self._open_max, self._idle_s = open_max or _compute_most(), idle_s
        self._files: OrderedDict[Path, _PooledFile] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    def list_open(self) -> list[Path]:
        """Return the files that are open."""
        return [path for path, one in self._files.items() if one.is_open]

    @asynccontextmanager
    async def use(self, path: Path, *, read_only: bool) -> AsyncIterator[SqliteStore]:
        """Use a file, which is opened where it is not.

        Raises ErasedSince where it holds what was erased since it was copied: nobody else's file is refused for it.
        """
        pooled = self._files.get(path)
        if pooled is None:
            pooled = self._files[path] = _PooledFile(self._build(path))
        self._files.move_to_end(path)
        pooled.users += 1
        if pooled.leaving is not None:
            pooled.leaving.cancel()
            pooled.leaving = None
        try:
            async with pooled.turn:
                if not pooled.is_open:
                    await _open_settled(path, pooled.store, read_only=read_only)
                    pooled.is_open = True
            yield pooled.store
        finally:
            pooled.users -= 1
            self._let_rest(path, pooled)
            await self._close_idle()

    async def close(self) -> None:
        """Close every file."""
        for pooled in self._files.values():
            if pooled.leaving is not None:
                pooled.leaving.cancel()
        while self._files:
            await self._files.popitem()[1].store.close()
        await asyncio.gather(*self._closing)

    def _let_rest(self, path: Path, pooled: _PooledFile) -> None:
        """Forget a file that could not be opened; close one that is open, later, unless it is used again."""
        if pooled.users or self._files.get(path) is not pooled:
            return
        if not pooled.is_open:
            del self._files[path]
        else:
            pooled.leaving = asyncio.get_running_loop().call_later(self._idle_s, self._leave, path, pooled)

    def _leave(self, path: Path, pooled: _PooledFile) -> None:
        if pooled.users or self._files.get(path) is not pooled:
            return
        del self._files[path]
        task = asyncio.create_task(pooled.store.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close_idle(self) -> None:
        """Close files that nobody uses, the least used first, while more are open than may be."""
        idle = [path for path, one in self._files.items() if not one.users]
        leaving = [self._files.pop(path) for path in idle[: max(0, len(self._files) - self._open_max)]]
        for pooled in leaving:
            if pooled.leaving is not None:
                pooled.leaving.cancel()
            await pooled.store.close()


async def _open_settled(path: Path, store: SqliteStore, *, read_only: bool) -> None:
    """Open a file that holds nothing that was erased since, and let it and its ledgers learn from each other."""
    if os.path.exists(path):  # noqa: ASYNC240, PTH110 - as quick as a look at the clock
        _refuse_unsettled(path, await store.compare_ledgers())
    await store.open(read_only=read_only)
    is_settled = False
    try:
        found = await store.compare_ledgers()
        _refuse_unsettled(path, found)
        if found.is_due and not store.reads_only:
            await store.take_ledgers("")
        is_settled = True
    finally:
        if not is_settled:
            await store.close()


def _refuse_unsettled(path: Path, found: LedgerFindings) -> None:
    if not found.is_settled:
        refusal = found.refusal()
        raise ErasedSince(
            f"{path}: {refusal}",
            recovery=f"open that file by itself (--db {path}): {found.ways_out}",
            count=refusal.count,
            ledgers=refusal.ledgers,
        )


def _compute_most() -> int:
    """Return how many files may be open at once: half of what this process may open is theirs."""
    if sys.platform == "win32":  # which knows no such limit
        return OPEN_MAX
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return OPEN_MAX if soft == resource.RLIM_INFINITY else max(1, min(OPEN_MAX, soft // 2 // _HANDLES))
