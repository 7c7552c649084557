"""Embeddings over real HTTP: what a server gets wrong is said, keeps nothing, and recall goes on without it."""

from collections.abc import Iterator

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import ExtensionError, InvalidInput
from remanence.llm import asking as asking_module
from remanence.llm.openai_api import OpenAIEmbedder
from tests.flows.conftest import Opener
from tests.meaning import TEXTS, by_model, learned
from tests.models import KEY, VARIABLES, model_server


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return where the model server answers."""
    with model_server() as where:
        yield where


@pytest.fixture(autouse=True)
def _server(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """Name the server and a key in the environment, the only place they are read from."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{address}/v1")
    for name in VARIABLES:
        monkeypatch.setenv(name, KEY)
    monkeypatch.setattr(asking_module, "PAUSE_S", 0.01)


@pytest.mark.parametrize("name", ["openai", "openai:rules", "openai:429"])
async def test_a_server_embeds_what_is_consolidated(opener: Opener, name: str) -> None:
    """By a model that is named or the usual one; what it took is counted."""
    async with opener(embedder=name) as memory:
        await learned(memory)
        done = await memory.consolidate()
        found = await memory.recall(TEXTS[1], limit=1)
        stated = await memory.status()

    assert (4, "") == by_model(done)
    assert (TEXTS[1], "") == (found.memories[0].memory.text, found.without_model)
    assert found.memories[0].parts["contextual_cosine"] == pytest.approx(1, abs=1e-3)
    assert int(stated.contextual["tokens"]) > 20
    assert f"openai:{name.partition(':')[2] or 'text-embedding-3-small'}" == stated.contextual["model"]


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("500", "answered with status 500"),
        ("401", "answered with status 401"),
        ("closed", "gave no whole answer"),
        ("malformed", "no JSON"),
        ("nan", "no JSON"),
        ("fewer", "3 vectors came for 4 texts"),
    ],
)
async def test_what_a_server_gets_wrong_keeps_nothing(
    opener: Opener, model: str, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Memories are consolidated all the same, recall finds them, and no message says the key."""
    caplog.set_level("DEBUG")
    async with opener(embedder=f"openai:{model}") as memory:
        await learned(memory)
        done = await memory.consolidate()
        found = await memory.recall("Where does the dog sleep?", limit=1)

    assert (4, 0) == (done.activated, by_model(done)[0])
    assert says in by_model(done)[1]
    assert TEXTS[1] == found.memories[0].memory.text
    assert KEY not in f"{by_model(done)[1]}{caplog.text}"


async def test_a_model_that_changes_its_length_is_refused(opener: Opener) -> None:
    """The first answer tells it; a question that is shorter goes without."""
    async with opener(embedder="openai:shorter") as memory:
        await learned(memory)
        await memory.consolidate()
        found = await memory.recall("Where does the dog sleep?", limit=1)

    assert "numbers instead of" in found.without_model
    assert TEXTS[1] == found.memories[0].memory.text


async def test_a_server_that_is_too_slow_is_not_waited_for(address: str) -> None:
    """Within the time that a request has with all its tries."""
    model = OpenAIEmbedder("slow", seconds_max=0.2)
    async with model, remanence.open(embedder=model) as memory:
        await learned(memory)
        done = await memory.consolidate()

    assert "gave no answer within 0.2 s" in by_model(done)[1]


async def test_a_budget_stops_it_until_the_next_day(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has used is said; what is not embedded waits."""
    monkeypatch.setattr("remanence.flows.base.extra_vectors.WRITTEN_AT_ONCE", 2)
    async with opener(embedder="openai:rules") as memory:
        await memory.settings.set("embedder_tokens_day", 1_000)
        await learned(memory, [f"{number} {'boat ' * 1_000}" for number in range(4)])
        done = await memory.consolidate()
        clock.advance(hours=24)
        again = await memory.consolidate()

    assert 2 == by_model(done)[0]
    assert "embedder_tokens_day" in by_model(done)[1]
    assert (2, "") == by_model(again)


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key, the model, or the package with what installs it."""
    with pytest.raises(InvalidInput, match="names no model"):
        remanence.open(embedder="openai:")
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(InvalidInput, match="the embedder 'openai:large' has no key"):
        remanence.open(embedder="openai:large")
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(ExtensionError) as caught:
        remanence.open(embedder="openai:large")

    assert "install it: pip install 'remanence[openai]'" == caught.value.recovery
