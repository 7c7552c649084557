"""Engines on SQLite, with a clock that moves when told; `make deep` takes the memory store and a server too."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Link, Memory
from remanence.core.receipt import ExtractPendingResult
from remanence.flows.base.decision_log import EngineAction
from remanence.flows.consolidate.extract_pending import listen
from remanence.llm.base import SimilarityThresholds
from remanence.llm.offline import HashedEmbedder
from remanence.store.base import Store
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.flows.remote import ALWAYS, holds_remotely, open_behind_server
from tests.sentences import Sentences

Opener = Callable[..., remanence.Engine]


class Measured(HashedEmbedder):
    """An embedder of which it was measured how often it takes different texts for near duplicates."""

    thresholds = SimilarityThresholds(similar=0.5, near=0.85, calibrated=True)


async def decisions_of(
    memory: remanence.Engine, decision: str = "any", outcome: str | None = None
) -> list[EngineAction]:
    """Return what the engine decided by itself, the newest run first."""
    events = await memory.history(decision=decision, outcome=outcome)  # type: ignore[call-overload] # any name
    return [one for event in reversed(events) for one in event.decisions]


async def hear(memory: remanence.Engine) -> ExtractPendingResult:
    """Extract facts from all turns that wait, and leave the inbox as it is: `consolidate` does both."""
    return await listen(memory._core)


async def list_quarantined(memory: remanence.Engine) -> list[Memory]:
    """List the texts that are in quarantine, as the review shows them."""
    return [item.memories[0] for item in (await memory.review.list("quarantine", limit=1_000)).items]


async def list_contradictions(memory: remanence.Engine, *, settled: bool = False) -> list[Link]:
    """List the links of contradictions, as the review shows them."""
    review = await memory.review.list("contradiction", settled=settled, limit=1_000)
    return [item.link for item in review.items if item.link is not None]


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands still."""
    return ManualClock()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test on SQLite, and deep on the memory store, and behind a server where it can hold there."""
    definitions = metafunc._arg2fixturedefs.get("opener", ())
    if not definitions or definitions[-1].func.__module__ != __name__:
        return
    file = metafunc.module.__name__.rpartition(".")[2]
    kinds: list[Any] = ["sqlite", pytest.param("memory", marks=pytest.mark.deep)]
    if holds_remotely(file, metafunc.function.__name__):
        kinds.append(pytest.param("remote", marks=() if file in ALWAYS else pytest.mark.deep))
    metafunc.parametrize("opener", kinds, indirect=True)


@pytest.fixture
def opener(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Opener:
    """Opens the same store again and again; scope and policy may be given."""
    kept = MemoryStore()

    def _open(**more: object) -> remanence.Engine:
        store: Store = kept if request.param == "memory" else SqliteStore(str(tmp_path / "memory.db"))
        settings = {"clock": clock, "embedder": "hashed", "store": store, **more}
        if request.param == "remote":
            return open_behind_server(settings)
        return remanence.open(**settings)  # type: ignore[arg-type]

    return _open


@pytest.fixture
async def telling(opener: Opener) -> AsyncIterator[remanence.Engine]:
    """An open, empty memory whose writer finds what stands in a turn."""
    async with opener(writer=Sentences()) as engine:
        yield engine


@pytest.fixture
async def memory(opener: Opener) -> AsyncIterator[remanence.Engine]:
    """An open, empty memory."""
    async with opener() as engine:
        yield engine
