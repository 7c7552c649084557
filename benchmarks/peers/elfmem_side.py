"""The peer's side, run by the peer's own Python: `elfmem_side.py STEP STORE MATERIAL`. Imports nothing of ours.

It is asked through its public class. Two things it offers no verb for are set in its own tables: how long ago a block
was reinforced (its clock runs only while a session is open), and, above API_FILL_MAX blocks, the filling, since its
`dream` compares every new block with every other in Python.
"""

import asyncio
import json
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from elfmem.adapters.mock import make_mock_llm
from elfmem.api import MemorySystem
from elfmem.config import ElfmemConfig
from elfmem.db.engine import create_engine
from elfmem.db.models import blocks, edges, metadata
from elfmem.db.queries import content_hash, embedding_to_bytes, seed_builtin_data, set_total_active_hours
from sqlalchemy import insert, text

API_FILL_MAX = 2_000
PAGE = 5_000
HOURS = 1_000.0  # active hours that the store has seen
OLD_HOURS = 400.0  # since an aged block was reinforced: a recency of e^-4, below its threshold of 0.05
LINK_HOURS = 10.0  # since a link was active
TOP_K = 5  # its default; recall then returns up to ten, as many as our side is asked for
SQLITE_VARIABLES = 32_766  # bound at most in SQLite as its authors build it; distributions may raise it
# What is filled in is given: no block is a duplicate, no link is drawn by similarity, the inbox goes in one call.
CONFIG = {
    "memory": {
        "near_dup_exact_threshold": 1.01,
        "near_dup_near_threshold": 1.01,
        "edge_score_threshold": 1.01,
        "max_inbox_per_run": None,
    }
}


class Prepared:
    """Vectors made beforehand; it only looks them up, as the embedder of the other side does."""

    model_name = "prepared"

    def __init__(self, texts: list[str], vectors: Any) -> None:
        self._row = {content: row for row, content in enumerate(texts)}
        self._vectors = vectors

    async def embed(self, content: str) -> Any:
        """Return the vector of a text."""
        return self._vectors[self._row[content]]

    async def embed_batch(self, contents: list[str]) -> list[Any]:
        """Return the vectors of some texts."""
        return [self._vectors[self._row[content]] for content in contents]


def main() -> None:
    step, store, material = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    given = {} if step.startswith("curate") else json.loads((material / f"{step}.json").read_text())
    vectors = np.load(material / f"{step}.npy") if given else None
    asyncio.run(STEPS[step](store / "elfmem.db", Prepared(given.get("texts", []), vectors), given))
    peak = next(row for row in Path("/proc/self/status").read_text().splitlines() if row.startswith("VmHWM:"))
    tell(rss_mb=int(peak.split()[1]) / 1024)


def tell(**fields: Any) -> None:
    print(json.dumps(fields), flush=True)


async def timed(work: Awaitable[Any], *, counted: bool = True) -> Any:
    """Await something and print what it took: CPU seconds of all threads, wall seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = await work
    if counted:
        tell(cpu_s=time.process_time() - cpu, wall_s=time.perf_counter() - wall)
    return result


@asynccontextmanager
async def tables(path: Path) -> AsyncIterator[Any]:
    """Open the tables, in a transaction."""
    engine = await create_engine(str(path))
    async with engine.begin() as connection:
        yield connection
    await engine.dispose()


@asynccontextmanager
async def opened(path: Path, vectors: Prepared) -> AsyncIterator[MemorySystem]:
    """Open the system with services of our own and a session, without which its clock stands at 0."""
    engine, config = await create_engine(str(path)), ElfmemConfig(**CONFIG)
    system = MemorySystem(
        engine=engine, llm_service=make_mock_llm(), embedding_service=vectors, config=config
    )
    await system.begin_session()
    yield system
    await system.close()


async def fill(path: Path, vectors: Prepared, given: dict[str, Any]) -> None:
    """Make the schema and fill it; every text must have become an active block."""
    async with tables(path) as connection:
        await connection.run_sync(metadata.create_all)
        await seed_builtin_data(connection)
        await set_total_active_hours(connection, HOURS)
    small = len(given["texts"]) <= API_FILL_MAX
    await (fill_by_api if small else fill_by_tables)(path, vectors, given)
    async with opened(path, vectors) as system:
        active = (await system.status()).active_count
    if active != len(given["texts"]):
        raise ValueError(f"{active} of {len(given['texts'])} blocks became active")
    tell(filled="api" if small else "tables", version=version("elfmem"))


async def fill_by_api(path: Path, vectors: Prepared, given: dict[str, Any]) -> None:
    """Learn, dream, connect."""
    async with opened(path, vectors) as system:
        ids = [(await system.learn(content)).block_id for content in given["texts"]]
        await system.dream(skip_llm=True)
        for source, target, weight in given["links"]:
            await system.connect(ids[source], ids[target], weight=weight)


async def fill_by_tables(path: Path, vectors: Prepared, given: dict[str, Any]) -> None:
    """Write what learn, dream and connect would have left: all blocks active and reinforced once."""
    now, texts = datetime.now(UTC).isoformat(), given["texts"]
    ids = [content_hash(content) for content in texts]
    always = {"category": "knowledge", "source": "api", "created_at": now, "status": "active"}
    always |= {"confidence": 0.5, "self_alignment": 0.5, "decay_lambda": 0.01, "embedding_model": "prepared"}
    always |= {"reinforcement_count": 1, "last_reinforced_at": HOURS}
    rows = [
        {
            "id": id_,
            "content": content,
            "embedding": embedding_to_bytes(await vectors.embed(content)),
            "token_count": max(1, len(content) // 4),
            **always,
        }
        for id_, content in zip(ids, texts, strict=True)
    ]
    pairs = [(*sorted((ids[source], ids[target])), weight) for source, target, weight in given["links"]]
    made = {"reinforcement_count": 0, "created_at": now, "last_active_hours": HOURS}
    links = [{"from_id": low, "to_id": high, "weight": weight, **made} for low, high, weight in pairs]
    async with tables(path) as connection:
        for table, records in ((blocks, rows), (edges, links)):
            for start in range(0, len(records), PAGE):
                await connection.execute(insert(table), records[start : start + PAGE])


async def learn(path: Path, vectors: Prepared, given: dict[str, Any]) -> None:
    async with opened(path, vectors) as system:
        for number, content in enumerate(given["texts"]):
            await timed(system.learn(content), counted=number >= given["warm"])


async def recall(path: Path, vectors: Prepared, given: dict[str, Any]) -> None:
    """Recall without reinforcing; tell how often the text that the question's words are from was among the found."""
    found = 0
    async with opened(path, vectors) as system:
        for number, (query, sought) in enumerate(zip(given["texts"], given["sought"], strict=True)):
            hits = await timed(system.recall(query, top_k=TOP_K), counted=number >= given["warm"])
            found += any(hit.content == sought for hit in hits)
    tell(found=f"{found} of {len(given['texts'])}")


async def curate(path: Path, vectors: Prepared, _: dict[str, Any]) -> None:
    """Curate once a third of the blocks is past its recency."""
    async with tables(path) as connection:
        await age(connection)
    async with opened(path, vectors) as system:
        done = await timed(system.curate())
    tell(counts={name: count for name, count in vars(done).items() if count})


async def age(connection: Any) -> None:
    """Put every third block, in order of arrival, past its recency, and let links fade as those it draws itself."""
    old, last = {"hours": HOURS - OLD_HOURS}, {"hours": HOURS - LINK_HOURS}
    await connection.execute(text("UPDATE blocks SET last_reinforced_at = :hours WHERE rowid % 3 = 1"), old)
    await connection.execute(text("UPDATE edges SET origin = 'similarity', last_active_hours = :hours"), last)


async def curate_at_default_limit(path: Path, vectors: Prepared, given: dict[str, Any]) -> None:
    """Curate where SQLite binds as many variables as its authors allow by default."""
    connect = sqlite3.connect

    def limited(*args: Any, **more: Any) -> sqlite3.Connection:
        connection = connect(*args, **more)
        connection.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, SQLITE_VARIABLES)
        return connection

    sqlite3.connect = limited  # type: ignore[assignment]
    await curate(path, vectors, given)


STEPS = {
    "fill": fill,
    "learn": learn,
    "recall": recall,
    "curate": curate,
    "curate_at_default_limit": curate_at_default_limit,
}

if __name__ == "__main__":
    main()
