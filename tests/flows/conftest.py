"""Engines on both stores, with a clock that moves when told."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.receipt import ExtractPendingResult
from remanence.flows.consolidate.extract_pending import listen
from remanence.llm.base import SimilarityThresholds
from remanence.llm.offline import HashedEmbedder
from remanence.store.base import Store
from remanence.store.memory.memory_store import MemoryStore
from remanence.store.sqlite.sqlite_store import SqlStore

Opener = Callable[..., remanence.Engine]


class Measured(HashedEmbedder):
    """An embedder of which it was measured how often it takes different texts for near duplicates."""

    thresholds = SimilarityThresholds(similar=0.5, near=0.85, calibrated=True)


async def hear(memory: remanence.Engine) -> ExtractPendingResult:
    """Extract facts from all turns that wait, and leave the inbox as it is: `consolidate` does both."""
    return await listen(memory._core)


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands still."""
    return ManualClock()


@pytest.fixture(params=["memory", "sqlite"])
def opener(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Opener:
    """Opens the same store again and again; scope and policy may be given."""
    kept = MemoryStore()

    def _open(**more: object) -> remanence.Engine:
        store: Store = kept if request.param == "memory" else SqlStore(str(tmp_path / "memory.db"))
        settings = {"clock": clock, "embedder": "hashed", "store": store, **more}
        return remanence.open(**settings)  # type: ignore[arg-type]

    return _open


@pytest.fixture
async def memory(opener: Opener) -> AsyncIterator[remanence.Engine]:
    """An open, empty memory."""
    async with opener() as engine:
        yield engine
