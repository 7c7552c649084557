"""A file that shows the rows of a scope in a graph, so that the checker of files looks at a graph as well."""

from dataclasses import dataclass
from pathlib import Path

from remanence.flows.scopes.moving import copy_rows
from remanence.store.neo4j.neo_store import Neo4jStore
from remanence.store.sqlite.sqlite_store import SqliteStore

LOOKS_EVERY = 20  # ticks: each look copies the whole scope


@dataclass
class GraphMirror:
    """What the file of a scope is written over with, whenever somebody is to look at it."""

    graph: Neo4jStore
    file: SqliteStore
    path: Path
    scope: str
    ticks: int = 0

    @classmethod
    async def open(cls, address: str, path: Path, scope: str) -> "GraphMirror":
        """Return one of a scope that somebody wrote to."""
        mirror = cls(Neo4jStore(address), SqliteStore(str(path)), path, scope)
        await mirror.graph.open()
        await mirror.file.open()
        await mirror.refresh()
        return mirror

    async def refresh(self) -> None:
        """Write the file anew; what arrives in it is never settled, so that it can be written over."""
        await copy_rows(self.graph, self.file, self.scope, moves=True)

    async def copy_to(self, path: Path) -> None:
        """Make another file of the scope as it is, which can be written to."""
        file = SqliteStore(str(path))
        await file.open()
        await copy_rows(self.graph, file, self.scope, moves=False)
        await file.close()

    async def refresh_sometimes(self) -> bool:
        """Do so at one tick of some; tell whether it was this one."""
        self.ticks += 1
        is_due = self.ticks % LOOKS_EVERY == 0
        if is_due:
            await self.refresh()
        return is_due

    async def close(self) -> None:
        """Let both go."""
        await self.graph.close()
        await self.file.close()
