"""A memory on a store that lacks capabilities: what can go on does, and nothing is half done or silently otherwise."""

import pytest

import remanence
from remanence.core.change import Change
from remanence.core.errors import CapabilityMissing, InvalidInput, StoreIncompatible
from remanence.core.model import Status
from remanence.engine import Engine
from remanence.store.base import Store
from remanence.store.capabilities import (
    BOXES,
    CAPABILITIES,
    CORE,
    ERASABLE,
    TRANSFER,
    VECTORS,
    Capability,
    complete,
    find_lacks,
)
from remanence.store.erasure import ERASE
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import NOW, create_change, expect_error, make_cause
from remanence_store_kit.dump import dump
from remanence_store_kit.limited_store import limit_store
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.sentences import Sentences

SCOPE = "default"
MOVED = ("I live in Leeds.", "I live in Rome now.")


PRUNE_ALL = """
version = 1
[[rule]]
name = "all"
every = "deep"
phase = "expire"
where = "status == 'active' and not pinned"
do = "prune"
because = "nothing is wanted any more"
"""
PURGE_ALL = (
    PRUNE_ALL.replace('"prune"', '"purge"').replace('"expire"', '"purge"').replace("'active'", "'pruned'")
)


def lack(*capabilities: Capability) -> Store:
    """Return a store that lacks these."""
    return limit_store(MemoryStore(), *(one for one in CAPABILITIES if one not in capabilities))


def open_on(store: Store, clock: remanence.Clock | None = None, **more: object) -> Engine:
    """Return a memory on a store, at a time that stands."""
    return remanence.open(store=store, clock=clock or remanence.ManualClock(NOW), **more)  # type: ignore[arg-type]


def test_a_whole_store_is_used_as_it_is() -> None:
    """Nothing is put between the engine and a store that lacks nothing."""
    store = SqliteStore(":memory:")

    assert store is complete(store)
    assert [*CAPABILITIES] == [*find_lacks(complete(limit_store(MemoryStore())))]


def test_a_capability_of_which_a_verb_is_missing_is_lacking() -> None:
    """Half of one is of no use to the engine."""
    store = limit_store(MemoryStore(), *CAPABILITIES)
    del store.embed  # type: ignore[attr-defined]

    assert (VECTORS, TRANSFER) == find_lacks(store)


@pytest.mark.parametrize("verb", CORE)
def test_a_store_without_a_verb_of_the_core_is_none(verb: str) -> None:
    """It is refused where it is passed, and the verb is named."""
    store = limit_store(MemoryStore())
    delattr(store, verb)

    with pytest.raises(InvalidInput, match=verb):
        remanence.open(store=store)


async def test_a_memory_lives_on_twelve_verbs() -> None:
    """Learned, noted, extracted, recalled, planned, applied, undone, explained, and all of it in the history."""
    store = limit_store(MemoryStore())
    async with open_on(store, writer=Sentences()) as memory:
        learned = await memory.learn("The boathouse key is 2217.")
        for text in MOVED:
            await memory.note(text, speaker="Pia", session="s", later=True)
        await memory.consolidate()
        recalled = await memory.recall("Where does Pia live?")
        content = await dump(store, SCOPE)
        await memory.apply(await memory.plan(PRUNE_ALL), allow_destroyed=99)
        pruned = await memory.get(learned.id)
        await memory.undo("last")

        assert "Rome" in " ".join(hit.memory.text for hit in recalled.memories)
        assert content.drop_unrestorable().memories.keys() == (await dump(store, SCOPE)).memories.keys()
        assert (Status.PRUNED, Status.ACTIVE) == (pruned.status, (await memory.get(learned.id)).status)
        assert str(await memory.explain(learned.id))
        assert ["learn", "learn", "learn", "extract", "consolidate", "curate", "undo"] == [
            event.verb for event in await memory.history()
        ]


@pytest.mark.parametrize(
    "preset", ["default", "janitor", "autonomous", "elfmem", "mvs", "engram", "episodic-cap"]
)
async def test_a_policy_does_the_same_on_twelve_verbs(preset: str) -> None:
    """Tick by tick for half a year, what is archived, forgotten, purged and kept; without vectors on either store."""
    ends = []
    for store in (limit_store(MemoryStore()), lack(VECTORS)):
        clock = remanence.ManualClock(NOW)
        async with open_on(store, clock) as memory:
            await memory.policy.use(preset)
            for day in range(0, 180, 15):
                await memory.learn(list_turns(day))
                await memory.consolidate()
                await memory.run_jobs("deep")
                clock.advance(days=15)
            content = await dump(store, SCOPE)
        ends.append({one["text"]: (one["status"], one["tier"]) for one in content.memories.values()})

    assert 12 * 16 >= len(ends[0]) > 0
    assert ends[0] == ends[1]


def list_turns(day: int) -> list[remanence.Turn]:
    """Return what is learned on a day: four things of four categories each."""
    return [
        remanence.Turn(f"{word} number {day} of the {kind}", category=kind, session=f"s{day}")
        for word in ("sail", "rope", "anchor", "buoy")
        for kind in ("fact", "notification", "task", "observation")
    ]


async def test_what_is_protected_stays_on_twelve_verbs() -> None:
    """What is pinned or held is neither forgotten nor purged; what was purged comes back by undo."""
    store = limit_store(MemoryStore())
    async with open_on(store) as memory:
        pinned, held, plain = [(await memory.learn(f"text number {k}")).id for k in range(3)]
        await memory.consolidate()
        await memory.pin(pinned)
        await memory.hold(held, "audit")
        before = await dump(store, SCOPE)
        await memory.apply(await memory.plan(PRUNE_ALL), allow_destroyed=99)
        await memory.apply(await memory.plan(PURGE_ALL), allow_destroyed=99)
        stays = {one.id for one in await store.get(SCOPE, [pinned, held, plain]) if one is not None}
        error = await expect_error(CapabilityMissing, memory.restore(plain))
        await memory.undo("last")
        await memory.undo("last")

        assert {pinned, held} == stays
        assert "image expiry" == error.capability
        assert before.drop_unrestorable() == (await dump(store, SCOPE)).drop_unrestorable()


async def test_doctor_lists_what_the_store_lacks() -> None:
    """Each capability in a line, with what is otherwise; nothing of a store that has all."""
    async with open_on(lack(BOXES, ERASABLE)) as less, open_on(MemoryStore()) as whole:
        told = {check.name: check for check in await less.doctor()}
        names = {check.name for check in await whole.doctor()}

    assert {"boxes", "erasing"} == told.keys() - names
    assert (True, True) == (told["boxes"].ok, bool(told["boxes"].advice))
    assert BOXES.without in told["boxes"].detail


@pytest.mark.parametrize("embedder", ["hashed", "multilingual"])
async def test_an_embedder_that_was_asked_for_is_not_left_out(embedder: str) -> None:
    """Without vectors only words are compared; who names an embedder all the same is refused at once."""
    with pytest.raises(CapabilityMissing, match="vectors"):
        remanence.open(store=lack(VECTORS), embedder=embedder)
    async with open_on(lack(VECTORS)) as memory:
        assert "none" == memory.embedder.name


async def test_vectors_of_another_opening_are_not_left_behind() -> None:
    """A scope that has vectors is not opened without them: its words would be embedded by nobody."""
    kept = MemoryStore()
    async with open_on(kept, embedder="hashed") as memory:
        await memory.learn("The key is 2217.")

    await expect_error(StoreIncompatible, open_on(limit_store(kept)).__aenter__())


async def test_an_import_says_what_it_leaves_out() -> None:
    """Boxes with their count; a file that forbids texts is refused whole where none can be forbidden."""
    async with open_on(MemoryStore(), embedder="none") as whole:
        forgotten = await whole.learn("The old code is 1111.")
        await whole.learn("Pia lives in Leeds.")
        await whole.note("Let us talk about boats.", session="s", speaker="Pia", later=True)
        await whole.consolidate()
        plain = [line async for line in whole.export()]
        await whole.forbid(forgotten.id)
        forbidding = [line async for line in whole.export()]
    store = limit_store(MemoryStore())
    async with open_on(store) as memory:
        receipt = await memory.import_(plain, trust="user")
        before = await dump(store, SCOPE)
        error = await expect_error(CapabilityMissing, memory.import_(forbidding, trust="user"))

        after = await dump(store, SCOPE)

    assert ["boxes"] == [line.split()[0] for line in receipt.skipped]
    assert "erasing" == error.capability
    assert before == after


async def test_a_commit_of_what_is_lacking_is_refused_before_the_store_sees_it() -> None:
    """Whatever flow forgets to ask: rows of its tables, a memory's vector, an erasure."""
    store = MemoryStore()
    await store.open()
    less = complete(limit_store(store))
    refused = {
        BOXES: Change("boxes", 1, None, {}),
        ERASABLE: Change("forbidden", "ab" * 16, None, {}),
        VECTORS: create_change(2, "b", vector=bytes(4)),
    }
    for capability, change in refused.items():
        changes = [create_change(1, "a"), change]
        error = await expect_error(CapabilityMissing, less.commit(SCOPE, changes, make_cause()))
        assert capability.name == error.capability
    await expect_error(CapabilityMissing, less.commit(SCOPE, [], make_cause(ERASE)))

    assert [] == await store.history(SCOPE)
