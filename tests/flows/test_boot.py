"""Boot returns what later work rests on before what happened last, within a budget, on both stores."""

import itertools
from collections.abc import Sequence
from typing import Any, cast

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput
from remanence.core.keywords import KindName
from remanence.core.model import Kind, Memory, Turn, is_load_bearing
from remanence.flows.recall.fill import DROPPED_SHOWN
from remanence.text.tokens import token_counts
from remanence_store_kit.memory.memory_store import MemoryStore

from .conftest import Opener

TAGGINGS: tuple[tuple[str, ...], ...] = ((), ("rejected-path",), ("self/goal",), ("other",))


async def order(memory: remanence.Engine, budget: int = 100_000) -> list[str]:
    """Return the texts that boot returns, in order."""
    return [hit.memory.text for hit in (await memory.frame("boot", budget=budget)).memories]


async def test_boot_leaves_out_and_counts_what_is_out_of_date_or_over(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """A plan goes once its day is over, unless it is pinned; of two of a matter the newer stays."""
    for text in ("The talk is in Tartu.", "The regatta is in Riga."):
        await memory.learn(text, kind="semantic", attributes={"event_at": "2026-01-05"})
    await memory.pin(2)
    old = await memory.learn("The office opens at seven.", kind="semantic")
    new = await memory.learn("The office opens at nine now.", kind="semantic")
    await memory.link(new, old, "newer")
    before = await memory.frame("boot")
    clock.advance(days=6)
    after = await memory.frame("boot")

    assert {1, 2, new.seq} == {hit.seq for hit in before}
    assert {2, new.seq} == {hit.seq for hit in after}
    assert [4, 4] == [len(one) + sum(one.left_out.values()) for one in (before, after)]


async def test_boot_orders_by_what_is_load_bearing(memory: remanence.Engine, clock: ManualClock) -> None:
    """Pinned, then identity, then rejected paths, then the rest, in each by keep-value; then episodes, newest first."""
    for text, kind, tags in (
        ("we moved the regatta to Friday 29 May, since the permit of Bergen lapses", "episodic", ()),
        ("a short fact", "semantic", ()),
        ("we tried the north channel and ran aground", "episodic", ("rejected-path",)),
        ("I keep the log", "semantic", ("self/goal",)),
        (
            "always decide on the 14 knot limit before Ingrid sails, because the insurers of Bergen said so",
            "semantic",
            (),
        ),
        ("pinned for good", "semantic", ()),
        ("yeah, thanks!", "episodic", ()),
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
        "yeah, thanks!",
        "we moved the regatta to Friday 29 May, since the permit of Bergen lapses",
    ] == await order(memory)


async def test_boot_reads_alike_from_memory_and_from_the_file(opener: Opener, clock: ManualClock) -> None:
    """Once a recall has read the scope, boot follows it from there: what is pinned, tagged or forgotten since, too."""
    async with opener() as memory, opener() as other:
        for number in range(8):
            clock.advance(hours=1)
            await memory.learn(f"the log of day {number}", kind="semantic" if number % 2 else "episodic")
        await memory.recall("log", count_use=False)  # both are of one store, which the first of them closes
        await other.pin(2)
        await other.tag(3, "self/goal")
        await other.tag(4, "rejected-path")
        await other.forget(5)
        await other.learn("the log of the last day")

        assert await order(other) == await order(memory)
        assert "the log of day 1" == (await order(memory))[0]


async def test_boot_and_the_model_agree_on_what_is_load_bearing(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """For every kind, none included, and every tag, no episode stands before what is load-bearing."""
    for kind, tags in itertools.product([None, *Kind], TAGGINGS):
        clock.advance(hours=1)
        await memory.learn(f"{kind!r} {tags}", kind=None if kind is None else kind.label, tags=tags)
    kept = [hit.memory for hit in (await memory.frame("boot", budget=100_000)).memories]
    bearing = [is_load_bearing(one.kind, one.tags) for one in kept]

    assert len(TAGGINGS) * 4 == len(kept)
    assert sorted(bearing, reverse=True) == bearing
    assert 3 == bearing.count(False)


async def test_boot_keeps_to_its_budget_and_lists_what_it_left_out(memory: remanence.Engine) -> None:
    """What is too large is cut to half of the room; a count says how many are missing, and a hundred are named."""
    await memory.learn("tide " * 5_000, tags=["self/goal"])
    await memory.learn([Turn(f"entry {k} of the harbour log", kind="episodic") for k in range(300)])
    answer = await memory.frame("boot", budget=500)
    whole = await memory.frame("boot", budget=1_000_000)

    assert 500 >= token_counts([answer.text])[0] == answer.tokens
    assert [True] + [False] * (len(answer.memories) - 1) == [hit.cut for hit in answer.memories]
    assert answer.text.startswith("[#1 2026-01-01; cut] tide tide")
    assert 301 == len(answer.memories) + answer.left_out["budget"]
    assert DROPPED_SHOWN == len(answer.dropped) == len({one.id for one in answer.dropped})
    assert {"budget"} == {one.reason for one in answer.dropped}
    assert ({}, ()) == (whole.left_out, whole.dropped)


async def test_boot_shows_the_newest_episodes_first(memory: remanence.Engine, clock: ManualClock) -> None:
    """Of 300 outcomes of one form, each worth less than the one before, the last come first, however small the room."""
    for number in range(300):
        clock.advance(minutes=10)
        await memory.learn(
            f"Issue {number} failed: timeout.",
            key=f"failed-{number}",
            kind="episodic",
            agent="loop",
            source="log",
        )
    whole = await order(memory)
    few = await order(memory, 200)

    assert [f"Issue {number} failed: timeout." for number in reversed(range(300))] == whole
    assert 5 < len(few) < 30
    assert whole[: len(few)] == few


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
        empty = await memory.frame("boot")
        await memory.learn([Turn(f"entry {k} of the harbour log") for k in range(200)])
        usual = await memory.frame("boot")
        await memory.settings.set("boot_tokens", 200)
        less = await memory.frame("boot")

    assert ("", 0, ()) == (empty.text, empty.tokens, empty.memories)
    assert 1_600 - 40 < usual.tokens <= 1_600
    assert 200 - 20 < less.tokens <= 200


@pytest.mark.parametrize("budget", [0, -1, True, 1.5, 2_000_000])
async def test_a_budget_that_is_none_is_refused(memory: remanence.Engine, budget: int) -> None:
    """A budget is a whole number of tokens."""
    with pytest.raises(InvalidInput):
        await memory.frame("boot", budget=budget)


async def test_boot_does_not_look_through_a_scope_for_what_fits_the_last_gap() -> None:
    """Where pages in a row hold nothing that fits what room is left, the rest is passed over unread, and counted."""
    store = MemoryStore()
    async with remanence.open(store=store, embedder="none") as memory:
        many = [
            f"entry {number:04} of the harbour book, by the second keeper of the year"
            for number in range(1_500)
        ]
        await memory.learn(many)
        alone = await memory.frame("boot", budget=40)
        size, read, fetched = alone.tokens, store.get, 0

        async def counting(scope: str, names: Sequence[int | str]) -> list[Memory | None]:
            nonlocal fetched
            fetched += len(names)
            return await read(scope, names)

        store.get = counting  # type: ignore[method-assign]
        found = await memory.frame("boot", budget=5 * size - 1)

    assert 1 == len(alone.memories)
    assert 4 == len(found.memories)
    assert 1_496 == sum(found.left_out.values())
    assert fetched <= 640


BESIDE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("boot", {"query": "What stands here?"}),
    ("boot", {"limit": 3}),
    ("boot", {"explain": True}),
    ("boot", {"as_of": 1}),
    ("profile", {"query": "Who am I?"}),
    ("profile", {"budget": 100}),
    ("profile", {"agent": "desk"}),
)


@pytest.mark.parametrize(("name", "more"), BESIDE)
async def test_start_context_and_profile_refuse_what_has_no_meaning_for_them(
    memory: remanence.Engine, name: str, more: dict[str, Any]
) -> None:
    """The answer names the argument; that no use is to be counted may be said, since none is."""
    await memory.learn("The gate shuts at eight.")
    with pytest.raises(InvalidInput, match=f"takes no {next(iter(more))}") as caught:
        await memory.frame(name, **more)
    assert "leave the rest out" in caught.value.recovery
    assert await memory.frame(name, count_use=False) == await memory.frame(name)
