"""A memory whose vectors another embedder made is embedded again beside everything else, and no two kinds are mixed."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import remanence
from remanence.core.clock import ManualClock, SystemClock
from remanence.flows.write import embedding
from remanence.llm.base import SimilarityThresholds, Vectors, WordWeight
from remanence.llm.local import REPLACED, StaticEmbedder
from remanence.store.base import Bookkeeping
from remanence.store.sqlite.sqlite_store import SqliteStore

(OLD,) = REPLACED
TEXTS = [
    f"Boat {number} is moored at pier {number % 7} and sails on day {number % 5}" for number in range(60)
]
# Opens the file and says when it has: whoever started it may then kill it.
OPENED = (
    "import asyncio, sys, remanence\n"
    "from remanence.flows.write import embedding\n"
    "embedding.CHUNK = 5\n"
    "async def main():\n"
    "    async with remanence.open(sys.argv[1]) as memory:\n"
    "        while True:\n"
    "            print((await memory.status()).to_embed, flush=True)\n"
    "            await asyncio.sleep(0.01)\n"
    "asyncio.run(main())\n"
)


TOMBS = """
version = 1

[[rule]]
name = "tombs"
every = "deep"
phase = "purge"
do = "purge"
where = "status == 'pruned'"
"""


class Mirrored:
    """The embedder before: other vectors of the same length."""

    name = OLD
    dimensions = StaticEmbedder.dimensions
    thresholds = SimilarityThresholds(similar=0.6, near=0.9)

    def __init__(self) -> None:
        self._plain = StaticEmbedder()

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return the vectors back to front."""
        return self._plain.embed(texts, weight)[:, ::-1].copy()


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A file with memories whose vectors the embedder before made."""
    file = tmp_path / "memory.db"
    async with remanence.open(file, embedder=Mirrored()) as memory:
        await memory.learn(TEXTS)
        await memory.consolidate()
    return file


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "CHUNK", 5)


async def kinds(path: Path) -> dict[str, int]:
    """Count the vectors by the embedder that must have made them."""
    store = SqliteStore(str(path))
    await store.open()
    seqs, vectors = await store.vectors("default")
    memories = await store.get("default", seqs.tolist())
    await store.close()
    plain = StaticEmbedder().embed([memory.text for memory in memories if memory is not None])
    rows = vectors.astype(np.float32)
    ours = np.einsum("ij,ij->i", rows, plain)
    theirs = np.einsum("ij,ij->i", rows, plain[:, ::-1])
    return {"new": int((ours > theirs).sum()), "old": int((ours <= theirs).sum())}


async def booked(path: Path) -> dict[str, object]:
    """Read what the file says of its embedder."""
    store = SqliteStore(str(path))
    await store.open()
    found = await store.bookkeep("default", Bookkeeping(0, get=(embedding.EMBEDDER,)))
    await store.close()
    value: dict[str, object] = found.values[embedding.EMBEDDER]
    return value


def revisions(path: Path) -> list[tuple[int, ...]]:
    """Read the revisions of all memories."""
    with sqlite3.connect(path) as connection:
        return connection.execute("SELECT seq, revision FROM states ORDER BY seq").fetchall()


async def test_all_memories_are_embedded_again(path: Path) -> None:
    """Each has the present embedder's vector in the end; its revision is what it was, and `doctor` finds nothing."""
    before = revisions(path)
    async with remanence.open(path) as memory:
        await memory.consolidate()
        strong = (await memory.recall("a boat at pier 3")).strength
        left = (await memory.status()).to_embed
        checks = await memory.doctor()

    assert {"new": len(TEXTS), "old": 0} == await kinds(path)
    assert before == revisions(path)
    assert 0 == left
    assert strong > 0
    assert StaticEmbedder.name == (await booked(path))["name"]
    assert [] == [check for check in checks if not check.ok]


async def test_recall_goes_by_words_until_all_are_done(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While some are left no vector is compared, `status` counts them, and what is learned has a new vector."""
    gate = asyncio.Event()
    step = embedding.Embedding._step

    async def held(self: embedding.Embedding) -> tuple[float, bool]:
        await gate.wait()
        return await step(self)

    monkeypatch.setattr(embedding.Embedding, "_step", held)
    async with remanence.open(path) as memory:
        found = await memory.recall("a boat at pier 3")
        compared = memory._core.index.compare(np.ones(1, np.float32))
        status = await memory.status()
        await memory.learn("A gull sits on the harbour wall")
        mixed = await kinds(path)
        gate.set()
        await memory.consolidate()
        vectors = memory._core.index.dimensions

    assert len(TEXTS) == status.to_embed
    assert f"{len(TEXTS)} memories to embed again" in str(status)
    assert 10 == len(found.memories)
    assert compared is None
    assert {"new": 1, "old": len(TEXTS)} == mixed
    assert {"new": len(TEXTS) + 1, "old": 0} == await kinds(path)
    assert StaticEmbedder.dimensions == vectors


async def test_a_killed_process_is_gone_on_from(path: Path) -> None:
    """Killed half-way, the next process begins where it was, and ends with one kind of vector."""
    with subprocess.Popen([sys.executable, "-c", OPENED, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) < len(TEXTS):
                break
        os.kill(process.pid, signal.SIGKILL)
    half = await booked(path)
    async with remanence.open(path) as memory:
        await memory.consolidate()

    assert StaticEmbedder.name == half["name"]
    assert {"new": len(TEXTS), "old": 0} == await kinds(path)
    assert embedding.AFTER not in await booked(path)


async def test_two_processes_share_the_work(path: Path) -> None:
    """A second process meanwhile waits or goes on; both end with the same, and neither fails."""
    with subprocess.Popen([sys.executable, "-c", OPENED, str(path)], stdout=subprocess.PIPE) as process:
        async with remanence.open(path) as memory:
            await memory.consolidate()
            found = await memory.recall("a boat at pier 3")
        assert process.stdout is not None
        last = next(int(line) for line in process.stdout if int(line) == 0)
        process.terminate()

    assert 0 == last
    assert 10 == len(found.memories)
    assert {"new": len(TEXTS), "old": 0} == await kinds(path)


async def test_what_the_audit_holds_comes_back_with_a_new_vector(path: Path) -> None:
    """A text that was changed, or purged, before is taken back with a vector of the present embedder."""
    clock = ManualClock(SystemClock().now() + 1)
    async with remanence.open(path, embedder=Mirrored(), clock=clock) as memory:
        first, second = (await memory.list(limit=2, oldest_first=True))[:2]
        changed = await memory.update(first.id, text="The ferry leaves from another town")
        await memory.forget(second.id)
        clock.advance(days=40)
        await memory.apply(await memory.plan(TOMBS), allow_destroyed=9)
    async with remanence.open(path, clock=clock) as memory:
        await memory.consolidate()
        await memory.undo(changed.run)
        await memory.restore(second.id)

    assert {"new": len(TEXTS), "old": 0} == await kinds(path)


async def test_an_export_of_the_embedder_before_is_embedded_again(path: Path, tmp_path: Path) -> None:
    """Its memories come in with new vectors; an export of any other embedder is still refused."""
    async with remanence.open(path, embedder=Mirrored()) as memory:
        lines = [line async for line in memory.export()]
    other = tmp_path / "other.db"
    async with remanence.open(other) as memory:
        await memory.import_(lines)

    assert {"new": len(TEXTS), "old": 0} == await kinds(other)


async def test_other_vectors_are_refused_as_before(path: Path) -> None:
    """Only the embedder that was replaced is embedded again, and only by the one that replaces it."""
    with pytest.raises(remanence.StoreIncompatible) as raised:
        async with remanence.open(path, embedder="hashed"):
            pass

    assert "without naming an embedder" in raised.value.recovery
    assert OLD == (await booked(path))["name"]
