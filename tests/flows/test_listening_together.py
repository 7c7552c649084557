"""Real processes and real HTTP: several that note and listen at once, and model servers that fail."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from threading import Thread

import pytest

import remanence
from remanence.core.clock import MINUTE, ManualClock
from remanence.core.model import Relation
from remanence.core.receipt import ExtractPendingResult
from remanence.flows.consolidate import extract_pending
from remanence_store_kit.model_server import Handler, ModelServer
from tests.flows.conftest import hear
from tests.models import ANY_MODEL, KEY, asking, model_server, variables

NOTES = 100
# An agent of its own: it notes so many turns of one session, and closes.
AGENT = """
import asyncio, sys
import remanence
from remanence.flows.consolidate import consolidation

consolidation.EXTRACTIONS_MIN = 1_000_000

async def main(path, name, notes, writer):
    async with remanence.open(path, embedder="none", writer=writer) as memory:
        for number in range(int(notes)):
            said = f"{name} keeps boat {number} in harbour {number}. So."
            noted = await memory.note(said, session="both", speaker=name, key=f"{name}/{number}")
            assert noted.status == "stored", noted

asyncio.run(main(*sys.argv[1:]))
"""


@contextmanager
def asked_server() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Answer as the model server does, in a thread; yield the address and the requests as they come."""
    asked: list[dict[str, str]] = []

    class Recording(Handler):
        """Keeps what is asked."""

        def do_POST(self) -> None:  # noqa: N802 - the name of the base class
            """Answer, with what was asked kept."""
            raw = self.rfile.read(int(self.headers.get("content-length", 0)))
            asked.append(json.loads(raw))
            self.rfile = BytesIO(raw)
            super().do_POST()
            self.close_connection = True

    with ModelServer() as server:
        server.RequestHandlerClass = Recording
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.address, asked
        finally:
            server.shutdown()


async def _hear_rest(path: Path, address: str) -> ExtractPendingResult:
    """Extract with a writer that asks a server what waits in a file."""
    async with (
        asking("openai", ANY_MODEL, address) as writer,
        remanence.open(path, embedder="none", writer=writer) as memory,
    ):
        return await hear(memory)


@pytest.fixture(autouse=True)
def _only_listening(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing be consolidated by itself: that asks a writer, too, and confirms what is said twice."""
    monkeypatch.setattr("remanence.flows.consolidate.consolidation.EXTRACTIONS_MIN", 1_000_000)


def _agents(path: Path, address: str) -> None:
    """Run two agents on one file to their end."""
    both = [
        subprocess.Popen(
            [sys.executable, "-c", AGENT, str(path), name, str(NOTES), f"openai:{ANY_MODEL}"],
            env=variables(address) | {"HOME": str(path.parent)},
        )
        for name in ("Ana", "Bea")
    ]
    assert [0, 0] == [process.wait(120) for process in both]


async def test_two_processes_on_one_session_ask_and_store_everything_once(tmp_path: Path) -> None:
    """Each of 200 turns is stored, shown to the model in one request, and has its facts once."""
    path = tmp_path / "m.db"
    with asked_server() as (address, asked):
        _agents(path, address)
        left = await _hear_rest(path, address)
    async with remanence.open(path, embedder="none") as memory:
        turns = await memory.list(tags=("turn",), limit=1_000)
        links = await memory._core.store.neighbours("default", None, Relation.LEARNED_FROM)
        facts = [one for one in await memory.list(limit=1_000) if "turn" not in one.tags]
        state = await memory.status()
        checks = await memory.doctor()
    # Who judges is shown older memories, too; that is another question.
    extracting = [told for told in map(json.dumps, asked) if "alignment" not in told]
    shown = Counter(turn.id for turn in turns for told in extracting if turn.id in told)

    assert 2 * NOTES == len(turns)
    assert {1} == set(Counter(link.target for link in links).values())
    assert len(links) == len(facts) == 2 * NOTES
    assert {0} == {one.confirmations for one in facts}
    assert (0, ()) == (left.turns, state.waiting)
    assert dict.fromkeys([turn.id for turn in turns], 1) == shown
    assert len(asked) == state.spent["calls"]
    assert [] == [check for check in checks if not check.ok]


@pytest.mark.parametrize(
    "writer",
    [
        "openai:malformed",
        "anthropic:cut-off",
        "openai:schema-invalid",
        "anthropic:closed",
        "openai:refusing",
        "openai:500",
        "anthropic:10mb",
        "openai:401",
        "anthropic:unknown-ids",
    ],
)
async def test_while_a_server_fails_turns_wait_longer_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: str
) -> None:
    """Nothing is stored and nothing lost: once a server answers, all is extracted, each fact once."""
    clock = ManualClock()
    with model_server() as address:
        for name, value in variables(address).items():
            monkeypatch.setenv(name, value)
        async with remanence.open(tmp_path / "m.db", embedder="none", clock=clock, writer=writer) as memory:
            for number in range(12):
                await memory.note(f"Mia keeps boat {number} in Tartu. So.", session="s", later=True)
            first = await hear(memory)
            (once,) = (await memory.status()).waiting
            await hear(memory)
            (twice,) = (await memory.status()).waiting
        async with remanence.open(
            tmp_path / "m.db", embedder="none", clock=clock, writer=f"openai:{ANY_MODEL}"
        ) as memory:
            done = await hear(memory)
            state = await memory.status()

    assert (0, 0, 1) == (first.turns, first.stored, len(first.failed))
    assert KEY not in first.failed[0]
    assert [(12, 1), (12, 2)] == [(one.turns, one.failures) for one in (once, twice)]
    assert [MINUTE, 2 * MINUTE] == [(one.due_at or 0) - clock.now() for one in (once, twice)]
    assert (12, 12, ()) == (done.turns, done.stored, state.waiting)


async def test_a_server_that_is_busy_once_is_asked_again_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What asks to wait for a second is waited for within the question."""
    with model_server() as address:
        for name, value in variables(address).items():
            monkeypatch.setenv(name, value)
        async with remanence.open(tmp_path / "m.db", embedder="none", writer="openai:429") as memory:
            await memory.note("Mia keeps a boat in Tartu. So.", session="s", later=True)
            done = await hear(memory)

    assert (1, 1, ()) == (done.turns, done.stored, done.failed)


async def test_a_slow_server_is_not_waited_for_and_what_it_may_cost_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turns wait, with the reason."""
    monkeypatch.setattr(extract_pending, "TIMEOUT_S", 0.5)
    with model_server() as address:
        for name, value in variables(address).items():
            monkeypatch.setenv(name, value)
        async with remanence.open(tmp_path / "m.db", embedder="none", writer="openai:slow") as memory:
            await memory.note("Mia keeps a boat in Tartu. So.", session="s", later=True)
            done = await hear(memory)
            state = await memory.status()

    assert ("nothing extracted within 0.5 s" in done.failed[0], done.turns) == (True, 0)
    assert 1 == state.waiting[0].turns
    assert state.spent["calls"] == 1
    assert state.spent["tokens"] > 0


async def test_a_server_that_dies_between_two_batches_leaves_the_rest_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was extracted before stays, and the rest goes on where it ended."""
    server = ModelServer()
    left = [1]

    class Dying(Handler):
        """Answers once, then lets the connection go."""

        def do_POST(self) -> None:  # noqa: N802 - the name of the base class
            """Answer as long as any is left."""
            if not left:
                self.close_connection = True
                return
            left.pop()
            super().do_POST()

    with server:
        server.RequestHandlerClass = Dying
        Thread(target=server.serve_forever, daemon=True).start()
        for name, value in variables(server.address).items():
            monkeypatch.setenv(name, value)
        async with remanence.open(tmp_path / "m.db", embedder="none", writer=f"openai:{ANY_MODEL}") as memory:
            for number in range(25):
                await memory.note(f"Mia keeps boat {number} in Tartu. So.", session="s", later=True)
            done = await hear(memory)
            (waiting,) = (await memory.status()).waiting
        server.shutdown()
    with model_server() as address:
        rest = await _hear_rest(tmp_path / "m.db", address)
    async with remanence.open(tmp_path / "m.db", embedder="none") as memory:
        texts = Counter(one.text for one in await memory.list() if "turn" not in one.tags)

    assert (10, 10, 15) == (done.turns, done.stored, waiting.turns)
    assert (15, 15) == (rest.turns, rest.stored)
    assert {1} == set(texts.values())
