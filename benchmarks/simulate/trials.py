"""What is tried on a file and on copies of it: a dry run, a second run, the way back, and the other store.

Calls public verbs on a memory; what came of it is judged by the checker, from rows.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import remanence
from benchmarks.simulate.checker import Checker
from benchmarks.simulate.mirror import GraphMirror
from remanence.core.clock import DAY, ManualClock
from remanence.engine import Engine
from remanence_store_kit.memory.memory_store import MemoryStore

BROUGHT_BACK = 25  # memories that are restored at each trial


@dataclass(frozen=True)
class Trials:
    """Where copies may lie, and how a memory of the fleet is opened."""

    folder: Path
    scope: str
    policy: str
    mirror: GraphMirror | None = None

    @asynccontextmanager
    async def opened(self, path: Path | None, clock: ManualClock) -> AsyncIterator[Engine]:
        """Open a copy, or an empty memory in the other store, as the fleet's memory is opened."""
        store = MemoryStore() if path is None else None
        async with remanence.open(
            path or ":memory:",
            scope=self.scope,
            policy=self.policy,
            clock=clock,
            embedder="hashed",
            store=store,
        ) as memory:
            yield memory

    async def tried(self, memory: Engine, checker: Checker, now: int) -> None:
        """Try all four on a memory as it stands, the last three on a copy that nobody else has."""
        copy = self.folder / f"copy at {now}.db"
        if self.mirror is None:
            before = checker.files()
            await memory.plan()
            checker.unchanged("E6", before, checker.files())
            await memory.backup(copy)
        else:
            content = await self.mirror.graph.read_content(self.scope)
            await memory.plan()
            after = await self.mirror.graph.read_content(self.scope)
            checker.unchanged("E6", {"digest": content.digest}, {"digest": after.digest})
            await self._second_run_on_graph(memory, checker)
            await self.mirror.copy_to(copy)
        clock, other_clock = ManualClock(now), ManualClock(now)
        async with self.opened(copy, clock) as here, self.opened(None, other_clock) as other:
            await other.import_([line async for line in here.export()], trust="user")
            await self._second_run(here, checker, copy)
            await other.run_jobs("deep")
            for one in (clock, other_clock):
                one.set(now + DAY)
            await self._way_back(here, other, checker, copy)
        for left in self.folder.glob(f"{copy.name}*"):
            left.unlink()

    async def _second_run(self, memory: Engine, checker: Checker, path: Path) -> None:
        """Curate all there is to curate, and once more at the same instant."""
        await memory.run_jobs("deep")
        before = checker.rows(path)
        await memory.run_jobs("deep")
        checker.same("E7", before, checker.rows(path))

    async def _second_run_on_graph(self, memory: Engine, checker: Checker) -> None:
        """Do the same on the graph itself, which no copy can stand for."""
        assert self.mirror is not None
        rows = []
        for _ in range(2):
            await memory.run_jobs("deep")
            await self.mirror.refresh()
            rows.append(checker.rows(self.mirror.path))
        checker.same("E7", *rows)

    async def _way_back(self, memory: Engine, other: Engine, checker: Checker, path: Path) -> None:
        """Let both stores delete what a day later is due, compare them, and bring some of it back."""
        before = checker.keep(path)
        for one in (memory, other):
            await one.run_jobs("deep")
        checker.alike([line async for line in memory.export()], [line async for line in other.export()])
        deleted = checker.deleted(path, before)[:BROUGHT_BACK]
        for seq in deleted:
            await memory.restore(seq)
        checker.as_before(before, path, deleted)
