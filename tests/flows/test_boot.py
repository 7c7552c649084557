"""Boot returns what later work rests on before what happened last, within a budget, on both stores."""

import itertools
from typing import cast

import pytest

import remanence
from remanence.clock import ManualClock
from remanence.errors import InvalidInput
from remanence.flows.recall.fill import DROPPED_SHOWN
from remanence.keywords import KindName
from remanence.model import Kind, Turn, is_load_bearing
from remanence.text import token_estimate

from .conftest import Opener

TAGGINGS: tuple[tuple[str, ...], ...] = ((), ("rejected-path",), ("self/goal",), ("other",))


async def order(memory: remanence.Engine, budget: int = 100_000) -> list[str]:
    """Return the texts that boot returns, in order."""
    return [hit.memory.text for hit in (await memory.boot(budget=budget)).memories]


async def test_boot_orders_by_what_is_load_bearing(memory: remanence.Engine, clock: ManualClock) -> None:
    """Pinned, then identity, then rejected paths, then by keep-value, then episodes from the newest."""
    for text, kind, tags in (
        ("an old episode", "episodic", ()),
        ("a short fact", "semantic", ()),
        ("we tried the north channel and ran aground", "episodic", ("rejected-path",)),
        ("I keep the log", "semantic", ("self/goal",)),
        (
            "always decide on the 14 knot limit before Ingrid sails, because the insurers of Bergen said so",
            "semantic",
            (),
        ),
        ("pinned for good", "semantic", ()),
        ("a new episode", "episodic", ()),
    ):
        clock.advance(hours=1)
        await memory.learn(text, kind=cast("KindName", kind), tags=tags)
    await memory.pin(6)

    assert [
        "pinned for good",
        "I keep the log",
        "we tried the north channel and ran aground",
        "always decide on the 14 knot limit before Ingrid sails, because the insurers of Bergen said so",
        "a short fact",
        "a new episode",
        "an old episode",
    ] == await order(memory)


async def test_boot_and_the_model_agree_on_what_is_load_bearing(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """For every kind, none included, and every tag, no episode stands before what is load-bearing."""
    for kind, tags in itertools.product([None, *Kind], TAGGINGS):
        clock.advance(hours=1)
        await memory.learn(f"{kind!r} {tags}", kind=None if kind is None else kind.label, tags=tags)
    kept = [hit.memory for hit in (await memory.boot(budget=100_000)).memories]
    bearing = [is_load_bearing(one.kind, one.tags) for one in kept]

    assert len(TAGGINGS) * 4 == len(kept)
    assert sorted(bearing, reverse=True) == bearing
    assert 3 == bearing.count(False)


async def test_boot_keeps_to_its_budget_and_lists_what_it_left_out(memory: remanence.Engine) -> None:
    """What is too large is passed over; a count says how many are missing, and a hundred are named."""
    await memory.learn("tide " * 5_000, tags=["self/goal"])
    await memory.learn_many([Turn(f"entry {k} of the harbour log", kind="episodic") for k in range(300)])
    answer = await memory.boot(budget=500)
    whole = await memory.boot(budget=1_000_000)

    assert 500 >= token_estimate(answer.text) == answer.tokens
    assert "tide" not in answer.text
    assert "entry 299 of" in answer.text
    assert 301 == len(answer.memories) + answer.left_out["budget"]
    assert DROPPED_SHOWN == len(answer.dropped) == len({one.id for one in answer.dropped})
    assert {"budget"} == {one.reason for one in answer.dropped}
    assert ({}, ()) == (whole.left_out, whole.dropped)


async def test_boot_shows_what_stands_and_counts_no_use(memory: remanence.Engine) -> None:
    """A tombstone is not told of, the inbox is; nothing is counted as used."""
    gone = await memory.learn("the gate shuts at six")
    await memory.learn("the gate shuts at eight")
    await memory.forget(gone.id)

    assert ["the gate shuts at eight"] == await order(memory)
    assert 0 == (await memory.get(2)).uses


async def test_boot_without_a_budget_has_the_settings(opener: Opener) -> None:
    """The setting boot_tokens holds where no budget is given; an empty memory gives nothing."""
    async with opener() as memory:
        empty = await memory.boot()
        await memory.learn_many([Turn(f"entry {k} of the harbour log") for k in range(200)])
        usual = await memory.boot()
        await memory.settings.set("boot_tokens", 200)
        less = await memory.boot()

    assert ("", 0, ()) == (empty.text, empty.tokens, empty.memories)
    assert 1_600 - 20 < usual.tokens <= 1_600
    assert 200 - 20 < less.tokens <= 200


@pytest.mark.parametrize("budget", [0, -1, True, 1.5, 2_000_000])
async def test_a_budget_that_is_none_is_refused(memory: remanence.Engine, budget: int) -> None:
    """A budget is a whole number of tokens."""
    with pytest.raises(InvalidInput):
        await memory.boot(budget=budget)
