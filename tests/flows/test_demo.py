"""The demonstration tells the truth: what it claims is in the store that it leaves behind."""

import asyncio
import io
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import remanence
from examples import demo

ROOT = Path(__file__).resolve().parents[2]
LONG_AGO = 100_000


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, demo.Shown, str]:
    """Run it once: the database, what it claims, and what it printed."""
    path = tmp_path_factory.mktemp("demo") / "school.db"
    page = io.StringIO()
    shown = asyncio.run(demo.demonstrate(path, Console(file=page, width=200)))
    return path, shown, page.getvalue()


async def test_every_turn_is_stored_or_confirms_one(told: tuple[Path, demo.Shown, str]) -> None:
    """All lines of the file are accounted for, and a second ingest knew each of them."""
    path, shown, _ = told
    lines = len(demo.TALK.read_text(encoding="utf-8").splitlines())
    async with remanence.open(path, clock=remanence.ManualClock(demo.END)) as memory:
        found = await memory.list_memories(status="any", limit=LONG_AGO)

    assert lines == shown.stored + shown.repeats == shown.known_again
    assert (shown.stored, shown.repeats) == (len(found), sum(one.confirmations for one in found))
    assert shown.repeats >= 10


async def test_the_run_was_applied_and_taken_back(told: tuple[Path, demo.Shown, str]) -> None:
    """The plan moved much, destroyed something, and the undo gave all of it back."""
    path, shown, _ = told
    async with remanence.open(path, clock=remanence.ManualClock(demo.END)) as memory:
        verbs = {event.run: event.verb for event in await memory.history(limit=LONG_AGO)}
        statuses = (await memory.status()).statuses

    assert shown.after["archived"] > 50
    assert 0 < shown.after["pruned"] < 20
    assert shown.before == shown.restored == statuses
    assert "curate" == verbs[shown.run]
    assert "undo" == list(verbs.values())[-1]


async def test_the_memories_stand_as_before(told: tuple[Path, demo.Shown, str]) -> None:
    """Nothing is archived or pruned in the end; the corrected memory stays superseded."""
    path, _, _ = told
    async with remanence.open(path, clock=remanence.ManualClock(demo.END)) as memory:
        found = await memory.list_memories(status="any", limit=LONG_AGO)
        checks = await memory.doctor()

    assert {demo.WRONG} == {one.key for one in found if one.status.label != "active"}
    assert all(one.reason is None for one in found if one.key != demo.WRONG)
    assert all(check.ok for check in checks)


def test_the_page_answers_its_questions(told: tuple[Path, demo.Shown, str]) -> None:
    """The right answers are on the page, in order of the steps."""
    _, _, page = told
    steps = [page.index(f"\n{number}. ") for number in range(2, 10)]

    assert sorted(steps) == steps
    assert "starts at four o'clock, not at two" in page
    assert "allergic to latex" in page
    assert "9038" in page
    assert "nothing of this has happened yet" in page
    assert "kept by unfinished" in page
    assert "all sound" in page


def test_it_runs_as_make_runs_it() -> None:
    """The command of `make demo` works from a clean start."""
    done = subprocess.run(
        [sys.executable, "-m", "examples.demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert (0, "") == (done.returncode, done.stderr)
    assert "9. Where the memory stands" in done.stdout
