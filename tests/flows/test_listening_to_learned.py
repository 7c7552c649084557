"""What was learned or ingested is listened to where somebody asks for it: once, to the end, and it can be undone."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import remanence
from remanence.core.model import Status
from tests.command_line import typed
from tests.flows.conftest import Opener
from tests.flows.test_rest import ROOT
from tests.models import ANY_MODEL, model_server, variables
from tests.sentences import Sentences

DIARY = (
    "I moved to Ghent in May and work at Brightwater as a nurse.",
    "My sister Vera has a dog named Biscuit.",
    "I'm allergic to bee stings. The stings of wasps do nothing to me.",
    "ok",
    "We decided to sell the van.",
)
KILLED_AT = 2  # batches

CHILD = """
import asyncio, os, signal, sys
import pytest

import remanence
from tests.sentences import Sentences

async def main():
    calls = []
    def progress(done, total):
        calls.append(done)
        if len(calls) == {killed_at}:
            os.kill(os.getpid(), signal.SIGKILL)
    async with remanence.open(sys.argv[1], writer=Sentences()) as memory:
        await memory.consolidate(progress, listen=True)

asyncio.run(main())
"""


@pytest.fixture
def memory(telling: remanence.Engine) -> remanence.Engine:
    """An engine whose writer finds what stands in a turn."""
    return telling


async def test_what_was_learned_is_heard_once(memory: remanence.Engine) -> None:
    """A diary that was learned has facts and a profile afterwards; a second time nothing is heard."""
    for text in DIARY:
        await memory.learn(text, speaker="Runa")
    plain = (await memory.consolidate()).heard
    done = (await memory.consolidate(listen=True)).heard
    again = (await memory.consolidate(listen=True)).heard

    assert 0 == plain.turns
    assert len(DIARY) == done.turns
    assert 0 == again.turns
    assert {"Runa's sister Vera has a dog named Biscuit."} <= {
        one.text for one in await memory.list(limit=100)
    }
    assert "Runa: " in (await memory.frame("profile")).text


async def test_turns_that_were_noted_without_a_writer_are_heard_once_there_is_one(opener: Opener) -> None:
    """Where somebody asks for it, and once."""
    async with opener() as memory:
        for number, text in enumerate(DIARY):  # of two sessions that are talked in by turns
            await memory.note(text, speaker="Runa", session="a" if number in {0, 4} else "z", later=True)
        done = await memory.consolidate()
        facts = [one for one in await memory.list() if "turn" not in one.tags]
    async with opener(writer=Sentences()) as memory:
        plain = (await memory.consolidate()).heard
        heard = (await memory.consolidate(listen=True)).heard
        again = (await memory.consolidate(listen=True)).heard
        texts = {one.text for one in await memory.list()}

    assert ([], 0) == (facts, done.heard.stored)
    assert (0, len(DIARY) - 1, 0) == (plain.turns, heard.turns, again.turns)
    assert "Runa's sister Vera has a dog named Biscuit." in texts


async def test_turns_and_facts_are_not_heard_again(memory: remanence.Engine) -> None:
    """What was noted, what was extracted and who was met are no texts that somebody learned."""
    for text in DIARY:
        await memory.note(text, speaker="Runa", later=True)
    await memory.consolidate()

    assert 0 == (await memory.consolidate(listen=True)).heard.turns


async def test_hearing_is_undone(memory: remanence.Engine) -> None:
    """Each run is taken back alone: facts are gone, and what was learned is as it was."""
    for text in DIARY:
        await memory.learn(text, speaker="Runa")
    before = {one.seq: (one.text, one.category, one.tags) for one in await memory.list()}
    done = (await memory.consolidate(listen=True)).heard
    for run in reversed(done.runs):
        await memory.undo(run)

    assert before == {one.seq: (one.text, one.category, one.tags) for one in await memory.list()}


async def test_what_is_learned_later_is_heard_then(memory: remanence.Engine) -> None:
    """A text that comes after a first hearing is heard by the next one, and only that."""
    await memory.learn(DIARY[0], speaker="Runa")
    await memory.consolidate(listen=True)
    await memory.learn(DIARY[1], speaker="Runa")

    assert 1 == (await memory.consolidate(listen=True)).heard.turns


async def test_a_killed_hearing_goes_on_where_it_was(tmp_path: Path) -> None:
    """Killed between two batches, the next one hears the rest: no text is left out, none gives a fact twice."""
    path = tmp_path / "memory.db"
    async with remanence.open(path, writer=Sentences()) as memory:
        for number in range(35):
            await memory.learn(f"We decided to sell van number {number}.", speaker="Runa")
    child = subprocess.run(
        [sys.executable, "-c", CHILD.format(killed_at=KILLED_AT), str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    async with remanence.open(path, writer=Sentences()) as memory:
        heard = (await memory.consolidate(listen=True)).heard
        told = [one for one in await memory.list(limit=1_000) if one.status is Status.ACTIVE]

    assert -signal.SIGKILL == child.returncode
    assert 35 - 10 * KILLED_AT == heard.turns
    assert 35 == len(told) == sum("van number" in one.text and one.category == "decision" for one in told)


def test_the_command_listens_where_it_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`consolidate --listen` says how much it heard; without it nothing that was learned is heard."""
    path = str(tmp_path / "memory.db")
    typed("learn", "It rained. My sister Vera lives in Ghent.", "--speaker", "Runa", "--db", path)
    with model_server() as address:
        for name, value in variables(address).items():
            monkeypatch.setenv(name, value)
        writer = ("--writer", f"openai:{ANY_MODEL}", "--db", path)
        plain, listening = typed("consolidate", *writer), typed("consolidate", "--listen", *writer)

    assert "heard" not in plain.stdout
    assert "1 turn heard: facts stored 1" in listening.stdout
