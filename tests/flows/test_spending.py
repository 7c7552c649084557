"""What a writer costs is counted by day, for every process; at a limit the rest of the inbox waits."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import remanence
from remanence.core.change import Change
from remanence.core.clock import ManualClock
from remanence.core.model import Trust
from remanence.flows.base.spending import DAY_LIMIT
from remanence.llm.base import Judgement
from tests.command_line import typed
from tests.models import ANY_MODEL, model_server, variables

COMMAND = Path(sys.executable).with_name("remanence")


class Dear:
    """A writer that asks its price, whether it answers or not."""

    name = "dear"

    def __init__(self, price: object = 400, *, fails: bool = False) -> None:
        self.price, self.fails = price, fails
        self.shown: list[tuple[str, Mapping[str, str]]] = []

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Take the price."""
        self.shown.append((text, others))
        if self.fails:
            raise remanence.WriterError("cut off", recovery="wait", tokens_used=self.price)  # type: ignore[arg-type]
        return Judgement(0.5, tokens_used=self.price)  # type: ignore[arg-type]


async def _learn(memory: remanence.Engine, count: int) -> None:
    for number in range(count):
        await memory.learn(f"Lamp {number} was trimmed.")


@pytest.mark.parametrize("fails", [False, True])
async def test_at_the_limit_of_a_day_the_rest_waits_for_tomorrow(tmp_path: Path, fails: bool) -> None:
    """Another opening of the file goes by the same sum, and by midnight, UTC, there is a new one.

    Answers that cannot be used cost as much; the limit is looked at before each four texts.
    """
    clock = ManualClock()
    async with remanence.open(tmp_path / "m.db", writer=Dear(fails=fails), clock=clock) as memory:
        await memory.settings.set(DAY_LIMIT, 1_000)
        await _learn(memory, 6)
        first = await memory.consolidate()
        waiting = await memory.list(status="inbox")
        state = await memory.status()
    async with remanence.open(tmp_path / "m.db", writer=Dear(fails=fails), clock=clock) as memory:
        second = await memory.consolidate()
        clock.advance(hours=24)
        fresh = (await memory.status()).spent
        third = await memory.consolidate()

    assert (4, 0, 2) == (first.activated, second.activated, third.activated)
    assert f"1,600 of 1,000 tokens are used today ({DAY_LIMIT}); tomorrow, UTC, it goes on" == second.waits
    assert (1_600, 2) == (first.tokens_used, len(waiting))
    assert first.waits and first.waits in str(first)
    assert {"calls": 4, "tokens": 1_600} == state.spent
    assert "calls 4, tokens 1,600 today" in str(state)
    assert {"calls": 0, "tokens": 0} == fresh


async def test_without_a_writer_nothing_waits(tmp_path: Path) -> None:
    """The limit is of what is asked, not of what is consolidated."""
    async with remanence.open(tmp_path / "m.db", writer=Dear(10_000)) as memory:
        await memory.settings.set(DAY_LIMIT, 1_000)
        await _learn(memory, 6)
        await memory.consolidate()
    async with remanence.open(tmp_path / "m.db") as memory:
        done = await memory.consolidate()

    assert (2, "") == (done.activated, done.waits)


@pytest.mark.parametrize("price", [-5, 1.5, True, "much", 1 << 50, None])
async def test_a_price_that_is_none_is_not_counted(tmp_path: Path, price: object) -> None:
    """A writer that says nonsense of its price is believed in the rest."""
    async with remanence.open(tmp_path / "m.db", writer=Dear(price)) as memory:
        await _learn(memory, 1)
        done = await memory.consolidate()

    assert (1, 0) == (done.judged, done.tokens_used)


async def test_a_writer_is_told_how_far_a_text_is_to_be_trusted(tmp_path: Path) -> None:
    """What is less than a user's own word says so, in the text that is judged and in those beside it."""
    writer = Dear()
    async with remanence.open(tmp_path / "m.db", writer=writer) as memory:
        first = await memory.learn("The supply boat comes at noon on Fridays.")
        lowered = Change("memories", first.seq, {"trust": Trust.USER}, {"trust": Trust.OUTSIDE})
        await memory._core.commit([lowered], memory._core.cause("update"))
        await memory.consolidate()
        await memory.learn("The supply boat comes at dusk on Fridays.")
        await memory.consolidate()

    assert "[outside] The supply boat comes at noon on Fridays." == writer.shown[0][0]
    assert writer.shown[1][0].startswith("The supply boat")
    assert ["[outside] The supply boat comes at noon on Fridays."] == [*writer.shown[1][1].values()]


async def test_two_processes_go_by_one_sum(tmp_path: Path) -> None:
    """A vendor's model says what it used; the command line counts it, shows it and waits."""
    async with remanence.open(tmp_path / "a.db") as memory:
        await _learn(memory, 9)
    with model_server() as address:
        async with remanence.open(tmp_path / "a.db") as memory:
            await memory.settings.set(DAY_LIMIT, 1000)
        words = ("--db", str(tmp_path / "a.db"), "consolidate", "--writer")
        apart = subprocess.run(
            [str(COMMAND), *words, f"openai:{ANY_MODEL}", "--json"],
            env=variables(address) | {"HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        first = json.loads(apart.stdout)
        second = typed(*words, f"anthropic:{ANY_MODEL}", env=variables(address))
    async with remanence.open(tmp_path / "a.db") as memory:
        spent = (await memory.status()).spent
    told = typed("--db", str(tmp_path / "a.db"), "status").stdout

    assert 4 == first["activated"]
    assert (0, True) == (second.exit_code, "the rest waits: " in second.stdout)
    assert {"calls": 4, "tokens": first["tokens_used"]} == spent
    assert f"4 calls, {first['tokens_used']:,} tokens today, UTC" in told
