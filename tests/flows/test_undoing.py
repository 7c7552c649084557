"""Runs are taken back in any order that makes sense: the last first, and what was taken back is no change."""

from collections.abc import Awaitable, Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import remanence
from remanence.change import Receipt
from remanence.clock import ManualClock
from remanence.errors import Conflict, NotFound
from remanence.flows import exchange
from remanence.store.base import Find
from remanence.store.memory import MemoryStore
from tests.flows.conftest import Opener

Verb = Callable[[remanence.Engine, int], Awaitable[Receipt]]

VERBS: dict[str, Verb] = {
    "text": lambda memory, n: memory.update(1, text=f"The bell rings {n} times."),
    "confidence": lambda memory, n: memory.update(1, confidence=n / 100),
    "pin": lambda memory, _: memory.pin(1),
    "unpin": lambda memory, _: memory.unpin(1),
    "tag": lambda memory, n: memory.tag(1, f"t{n % 3}"),
    "hold": lambda memory, n: memory.hold(1, f"h{n % 2}"),
    "curate": lambda memory, _: memory.curate("elfmem"),
}


async def test_what_was_taken_back_is_no_change(memory: remanence.Engine) -> None:
    """A, then B, then B taken back: A can be taken back, though the memory's revision has moved on."""
    learned = await memory.learn("The bell rings twice.")
    first = await memory.update(learned.id, text="The bell rings thrice.")
    second = await memory.pin(learned.id)

    with pytest.raises(Conflict):
        await memory.undo(first)

    await memory.undo(second)
    await memory.undo(first)

    assert "The bell rings twice." == (await memory.get(learned.id)).text


async def test_what_was_done_again_is_a_change(memory: remanence.Engine) -> None:
    """B taken back, and the taking back taken back: B stands again, and A is refused."""
    learned = await memory.learn("The bell rings twice.")
    first = await memory.update(learned.id, text="The bell rings thrice.")
    second = await memory.pin(learned.id)
    undone = await memory.undo(second)
    await memory.undo(undone)

    with pytest.raises(Conflict):
        await memory.undo(first)

    assert "The bell rings thrice." == (await memory.get(learned.id)).text


async def test_a_memory_can_be_unlearned_once_its_edits_are_taken_back(memory: remanence.Engine) -> None:
    """Learning is a run like any other: with the edits gone it can be taken back."""
    learned = await memory.learn("The bell rings twice.")
    edited = await memory.tag(learned.id, "bell")
    (born, *_) = await memory.history(learned.id)

    with pytest.raises(Conflict):
        await memory.undo(born.run)

    await memory.undo(edited)
    await memory.undo(born.run)

    with pytest.raises(NotFound):
        await memory.get(learned.id)


async def test_a_run_of_many_parts_is_unlearned_whole_or_not_at_all(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One tag on a memory of the first part keeps all parts of an import; without it all go, links and all."""
    monkeypatch.setattr(exchange, "PAGE", 2)
    async with opener(scope="here") as memory:
        for number in range(5):
            await memory.learn(f"The bell of the harbour rings at {number} o'clock.", tags=["bell"])
        await memory.link(1, 5, "supports")
        lines = [line async for line in memory.export()]
    async with opener(scope="there") as memory:
        done = await memory.import_(lines)
        ids = [one.id for one in await memory.list_memories(Find())]
        edited = await memory.tag(ids[-1], "old")

        with pytest.raises(Conflict):
            await memory.undo(done)

        assert (5, 1) == ((state := await memory.status()).memories, state.links)

        await memory.undo(edited)
        await memory.undo(done)

        assert (0, 0) == ((state := await memory.status()).memories, state.links)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.lists(st.tuples(st.sampled_from(sorted(VERBS)), st.integers(0, 99)), min_size=1, max_size=8))
async def test_the_last_first_takes_everything_back(steps: list[tuple[str, int]]) -> None:
    """Any edits of a memory, taken back from the last to the first, leave it as it was."""
    async with remanence.open(store=MemoryStore(), clock=ManualClock(), embedder="none") as memory:
        await memory.learn("The bell rings twice.")
        await memory.consolidate()
        before = await memory.get(1)
        done = [await VERBS[name](memory, n) for name, n in steps]
        for receipt in reversed(done):
            if receipt.changes:
                await memory.undo(receipt)
        after = await memory.get(1)

    differing = {
        name
        for name in remanence.Memory.__dataclass_fields__
        if name not in {"revision", "touched"} and getattr(before, name) != getattr(after, name)
    }
    assert set() == differing
