"""The resident columns of recall are a cache: patched or read anew, they hold the same."""

import asyncio
import random
import threading
from typing import Any

import numpy as np
import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Turn
from remanence.flows.indexes import arm as kept_terms
from remanence.flows.indexes.index_columns import ASKS, COLUMNS
from remanence.flows.indexes.scope_index import ScopeIndex
from remanence.recall.corpus import Floats
from remanence.recall.semantic import measure_windows
from tests.flows.conftest import Opener

WORDS = "boat rope sail paint harbour meeting monday tea lisbon keel engine note".split()
TAGS = ["harbour", "self/goal", "self/value"]
PURGE = """
version = 1
name = "purge"
[[rule]]
name = "gone"
every = "deep"
phase = "purge"
where = "status == 'pruned'"
do = "purge"
because = "test"
"""


async def _act(memory: remanence.Engine, choice: random.Random, seqs: list[int]) -> None:
    """Do one thing that changes what recall must see."""
    text = " ".join(choice.choices(WORDS, k=6)) + f" {choice.randrange(10_000)}"
    name = choice.choice(seqs) if seqs else None
    match choice.randrange(11):
        case 0 | 1 | 2:
            turns = [Turn(f"{text} {k}", session=choice.choice("abc"), speaker="Ann") for k in range(3)]
            seqs += [learned.seq for learned in await memory.learn(turns)]
        case 3:
            seqs.append((await memory.learn(text, speaker=choice.choice(["Bo", "Cy"]))).seq)
        case 4 if name is not None:
            await memory.update(name, text=text)
        case 5 if name is not None:
            await memory.forget(name)
        case 6 if name is not None:
            await memory.consolidate()
        case 7:
            receipt = await memory.apply(await memory.plan(PURGE), allow_destroyed=10_000)
            if receipt.changes and choice.random() < 0.5:
                await memory.undo(receipt)
        case 8 | 9 if name is not None:
            await memory.tag(name, *choice.sample(TAGS, k=2))
        case 10:
            tag = choice.choice(TAGS)
            for bearer in await memory.list(status="any", tags=[tag], limit=2):
                await memory.tag(bearer.seq, tag, off=True)


async def _refreshed(memory: remanence.Engine, index: ScopeIndex | None = None) -> ScopeIndex:
    core = memory._core
    fresh = index or ScopeIndex(core.store, core.scope, core.embedder.dimensions)
    await fresh.refresh(core.clock.now())
    return fresh


def _compared(index: ScopeIndex) -> Floats:
    found = index.compare(np.arange(1, 1 + index.dimensions).astype(np.float32))
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(6))
async def test_a_patched_index_holds_what_a_fresh_one_reads(
    opener: Opener, clock: ManualClock, seed: int
) -> None:
    """Learning, editing, forgetting, purging and undoing, in any order, followed step by step."""
    choice = random.Random(seed)
    async with opener() as memory:
        followed = await _refreshed(memory)
        seqs: list[int] = []
        for _ in range(25):
            await _act(memory, choice, seqs)
            clock.advance(hours=1)
            followed = await _refreshed(memory, followed)
            fresh = await _refreshed(memory)
            seqs = fresh.seq.tolist()

            assert fresh.seq.tolist() == followed.seq.tolist()
            np.testing.assert_array_equal(fresh.bare_vectors[:], followed.bare_vectors[:])
            np.testing.assert_allclose(_compared(fresh), _compared(followed), atol=1e-6)
            for name in COLUMNS:
                assert _said(fresh, name) == _said(followed, name)
            np.testing.assert_array_equal(fresh.column(ASKS), followed.column(ASKS))
            np.testing.assert_allclose(await _gained(fresh), await _gained(followed), atol=1e-6)
            for pattern in ("self/*", "self/goal", "harbour"):
                expected, found = [await index.match_tag(pattern, clock.now()) for index in (fresh, followed)]
                np.testing.assert_array_equal(expected, found)


@pytest.mark.parametrize("seed", range(4))
async def test_an_index_goes_past_uses_of_its_own_and_misses_nothing_of_others(
    opener: Opener, clock: ManualClock, seed: int
) -> None:
    """Whatever another opening writes before a commit of uses, after it or between two, the index follows."""
    choice = random.Random(seed)
    async with opener() as memory, opener() as other:
        seqs: list[int] = []
        for _ in range(20):
            for _ in range(choice.randrange(3)):
                await _act(other, choice, seqs)
            await memory.frame("attention") if choice.random() < 0.5 else await memory.recall(
                "boat rope keel"
            )
            for _ in range(choice.randrange(2)):
                await _act(other, choice, seqs)
            await memory._core.uses.settle()
            clock.advance(minutes=1)
            fresh, followed = await _refreshed(memory), await _refreshed(memory, memory._core.index)
            seqs = fresh.seq.tolist()

            assert fresh.seq.tolist() == followed.seq.tolist()
            for name in COLUMNS:
                assert _said(fresh, name) == _said(followed, name)


async def test_after_uses_of_its_own_nobody_asks_what_changed(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recall and a frame whose uses were written do not read the log."""
    await memory.learn("a boat", kind="semantic")
    await memory.learn("a boat and a rope", kind="semantic")
    await memory.recall("boat")
    await memory.frame("attention")
    monkeypatch.setattr(memory._core.store, "history", None)
    found = []
    for _ in range(2):
        found += [(await memory.frame("attention")).memories, (await memory.recall("boat")).memories]
        await memory._core.uses.settle()

    assert [2, 2, 2, 2] == [len(one) for one in found]


async def test_a_second_boot_reads_no_scope_and_sees_what_is_new(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a boot weighs is read once and then followed, and nothing is read that only a recall needs."""
    await memory.learn("a boat", kind="semantic")
    await memory.frame("boot")
    await memory.learn("a rope", kind="semantic")
    monkeypatch.setattr(memory._core.store, "snapshot", None)
    monkeypatch.setattr(memory._core.store, "vectors", None)
    booted = await memory.frame("boot")

    assert {"a boat", "a rope"} == {hit.memory.text for hit in booted.memories}


async def test_columns_that_are_asked_for_late_are_of_the_same_moment(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where somebody writes while further columns are read, all are read anew."""
    async with opener() as memory:
        await memory.learn("a boat", speaker="Ann")
        core = memory._core
        index = ScopeIndex(core.store, core.scope, core.embedder.dimensions)
        async with index.hold_rows(clock.now(), frozenset({"words"})):
            pass
        snapshot = core.store.snapshot

        async def late(*given: Any) -> Any:
            monkeypatch.setattr(core.store, "snapshot", snapshot)
            await memory.learn("a long red rope", speaker="Bo")
            return await snapshot(*given)

        monkeypatch.setattr(core.store, "snapshot", late)
        async with index.hold_rows(clock.now(), frozenset({"words", "speaker"})):
            found = [len(index), index.column("words").tolist(), _said(index, "speaker")]

    assert [2, [2, 4], ["Ann", "Bo"]] == found


async def test_windows_that_are_asked_for_late_have_room(opener: Opener) -> None:
    """A scope that was followed for a while before its first recall goes on being followed after it."""
    async with opener() as memory:
        for k in range(3):
            await memory.learn(f"the boat at harbour number {k}")
            await memory.consolidate()
        found = []
        for k in range(3, 6):
            await memory.recall("boat at the harbour")
            await memory.learn(f"the boat at harbour number {k}")
            found.append(len((await memory.recall("boat at the harbour")).memories))

    assert [4, 5, 6] == found


async def test_tags_that_are_put_on_need_no_second_look(
    memory: remanence.Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who bears a tag is read from all memories once, then followed, so that learning with tags stays cheap."""
    await memory.learn("a boat", tags=["self/goal"])
    index = await _refreshed(memory)
    before = (await index.match_tag("self/*", clock.now())).tolist()
    await memory.learn("a rope", tags=["self/value"])
    await memory.learn("a sail", tags=["harbour"])
    await index.refresh(clock.now())
    monkeypatch.setattr(memory._core.store, "snapshot", None)

    assert ([True], [True, True, False]) == (before, (await index.match_tag("self/*", clock.now())).tolist())


async def test_who_is_cancelled_twice_still_waits_for_the_index(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that writes the index is never left behind, however often its caller is cancelled meanwhile."""
    began, go_on = asyncio.Event(), threading.Event()
    loop, worked = asyncio.get_running_loop(), measure_windows

    def slow(*given: Any, **more: Any) -> Any:
        loop.call_soon_threadsafe(began.set)
        go_on.wait()
        return worked(*given, **more)

    await memory.learn("a boat")
    monkeypatch.setattr("remanence.flows.indexes.arm.measure_windows", slow)
    recalling = asyncio.ensure_future(memory.recall("boat"))
    try:
        await began.wait()
        left = []
        for _ in range(3):
            recalling.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            left.append(recalling.done())
    finally:
        go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await recalling

    assert [False] * 3 == left
    assert ["a boat"] == [found.memory.text for found in (await memory.recall("boat")).memories]


async def test_recalls_and_learns_at_once_do_not_meet(opener: Opener) -> None:
    """A recall reads the index as it was when it began, though others learn and recall meanwhile."""

    async def work(memory: remanence.Engine, name: str) -> list[int]:
        found = []
        for turn in range(15):
            await memory.learn(f"{name} says {turn}")
            found.append(len((await memory.recall(name, limit=100)).memories))
            if not turn % 5:
                await memory.consolidate()
        return found

    async with opener() as memory:
        found = await asyncio.gather(*(work(memory, name) for name in WORDS[:6]))

    assert [sorted(counts) for counts in found] == list(found)
    assert all(counts[-1] >= 15 for counts in found)


async def _gained(index: ScopeIndex) -> list[list[float]]:
    """Return what each memory scores for each word; what was kept of them, where it was."""
    forms = {stem: (stem,) for stem in WORDS}
    terms, windows = index.terms(forms, await index.postings(forms)), index.ground.windows
    found = []
    for stem in WORDS:
        by_slot = np.zeros(len(index), np.float32)
        by_slot[terms[stem].slots] = terms[stem].gained
        found.append(windows.to_rows(by_slot).tolist())
    return found


def _said(index: ScopeIndex, name: str) -> list[object]:
    """Return a column with its codes turned into names."""
    values = index.column(name).tolist()
    if name not in {"category", "state", "agent", "speaker", "thread", "session"}:
        return [None if np.isnan(value) else value for value in values]
    names = index.names(name)
    return [None if code < 0 else names[code] for code in values]


async def test_a_new_word_pushes_out_none_of_the_same_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that are kept are taken before others take their place: the answer is that of a store that kept none."""
    monkeypatch.setattr(kept_terms, "NUMBERS_MAX", 20)
    async with remanence.open(embedder="none") as memory:
        await memory.learn(
            [f"The {word} of the quay." for word in ("lamp", "bell", "rope", "oar", "net")], session="s"
        )
        kept = []
        for _ in range(2):
            for question in ("lamp bell rope", "rope oar net", "lamp oar bell net rope"):
                found = await memory.recall(question, count_use=False)
                kept.append([hit.memory.seq for hit in found.memories])

    assert kept[:3] == kept[3:]
    assert {5} == {len(one) for one in kept}
