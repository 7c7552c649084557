"""A whole scope is looked through for near duplicates that were never compared; what it finds is linked."""

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Relation, Status
from remanence.flows.consolidate import consolidation
from remanence.text.twins import SAME_WORDS, UNSURE_MAX
from tests.flows.conftest import Opener
from tests.flows.test_same_words import MERGE

LONG = "The ferryman keeps spare oars, two lanterns and the rope for the tow boat in the shed behind the boathouse"
TOLD = (
    LONG,
    LONG.replace(",", "").lower(),
    f"{LONG} by the quay",
    f"{LONG}, not in the loft",
    LONG.replace("two", "three"),
    "We don't sell eel, says Ada",
    "We do not sell eel, says Ada.",
)


async def _pairs(memory: remanence.Engine, many: int = 3) -> dict[tuple[int, int], float | None]:
    found = [link for seq in range(1, many + 1) for link in await memory.links(seq)]
    near = [link for link in found if link.relation is Relation.NEAR_DUPLICATE]
    return {(link.source, link.target): link.confidence for link in near}


async def test_what_was_never_compared_is_found_by_its_words(opener: Opener, clock: ManualClock) -> None:
    """Without vectors nothing was linked; then texts that share most words are, unless numbers or negations differ."""
    async with opener(embedder="none") as memory:
        await memory.learn(TOLD)
        await memory.consolidate()
        before = await _pairs(memory, len(TOLD))
        done = (await memory.consolidate(duplicates=True)).duplicates
        assert done is not None
        found = await _pairs(memory, len(TOLD))
        again = (await memory.consolidate(duplicates=True)).duplicates
        assert again is not None
        clock.advance(hours=2)
        await memory.apply(await memory.plan(MERGE), allow_destroyed=2)
        merged = [seq for seq in range(1, 8) if (await memory.get(seq)).status is Status.SUPERSEDED]

    assert {} == before
    assert dict.fromkeys([(1, 2), (6, 7)], SAME_WORDS) == {
        pair: sure for pair, sure in found.items() if sure and sure > 0.96
    }
    assert {(1, 3), (2, 3)} == {pair for pair, sure in found.items() if sure and sure <= UNSURE_MAX}
    assert (len(TOLD), len(found), None) == (done.compared, done.linked, again.run)
    assert [2, 7] == merged


async def test_what_it_linked_is_taken_back(opener: Opener) -> None:
    """It is a run like others: shown, and undone."""
    async with opener(embedder="none") as memory:
        await memory.learn(TOLD)
        await memory.consolidate()
        done = (await memory.consolidate(duplicates=True)).duplicates
        assert done is not None
        assert done.run is not None
        shown = await memory.history(run=done.run)
        await memory.undo(done.run)
        left = await _pairs(memory, len(TOLD))

    assert "consolidate" in str(shown)
    assert {} == left


async def test_equal_texts_that_came_apart_are_found(opener: Opener, clock: ManualClock) -> None:
    """A text that was altered into another's is one with it: linked as sure as can be, merged, and got back."""
    async with opener(embedder="none") as memory:
        await memory.learn(
            ["The tide bell rings at noon", "The fog horn sounds at noon", "Flour is at the mill"]
        )
        await memory.consolidate()
        await memory.update(2, text="the tide bell rings at noon.")
        await memory.consolidate(duplicates=True)
        found = await _pairs(memory)
        clock.advance(hours=2)
        done = await memory.apply(await memory.plan(MERGE), allow_destroyed=1)
        merged = (await memory.get(2)).status
        await memory.undo(done)
        back = await memory.get(2)

    assert ({(1, 2): 1.0}, Status.SUPERSEDED) == (found, merged)
    assert (Status.ACTIVE, "the tide bell rings at noon.") == (back.status, back.text)


async def test_no_chain_is_merged(opener: Opener, clock: ManualClock) -> None:
    """Of three that say the same two become one, and the third joins them in a later cycle."""
    texts = ("On Mondays, the ferry rests", "On Mondays the ferry rests!", "On Mondays the ferry: rests")
    async with opener(embedder="none") as memory:
        await memory.learn(texts)
        await memory.consolidate()
        await memory.consolidate(duplicates=True)
        left = []
        for _ in range(3):
            clock.advance(hours=2)
            await memory.apply(await memory.plan(MERGE), allow_destroyed=1)
            stand = [(await memory.get(seq)).status for seq in (1, 2, 3)]
            left.append(stand.count(Status.ACTIVE))

    assert [2, 1, 1] == left


async def test_who_is_known_to_be_two_is_not_linked(opener: Opener) -> None:
    """What contradicts, or took the other's place, is no near duplicate however alike the words; nor is another's."""
    async with opener(embedder="none") as memory:
        await memory.learn(["The ferry, on Mondays, rests", "The ferry on Mondays rests"])
        await memory.learn("The ferry on Mondays, rests", speaker="Ada")
        await memory.consolidate()
        await memory.link(1, 2, "contradicts")
        done = (await memory.consolidate(duplicates=True)).duplicates
        assert done is not None
        found = await _pairs(memory)

    assert (0, {}) == (done.linked, found)


async def test_an_engine_looks_for_them_by_itself_every_six_hours(opener: Opener, clock: ManualClock) -> None:
    """After a consolidation that was due, and only where a text has come since; stopped, it links nothing."""
    told = []
    async with opener(embedder="none") as memory:
        for text, hours, stopped in (
            ("On Mondays, the ferry rests", 1, False),
            ("On Mondays the ferry rests!", 5, False),
            ("On Mondays the ferry: rests", 2, True),
            ("The heron nests by the weir", 1, False),
        ):
            await memory.learn(text)
            clock.advance(hours=hours)
            ran = await consolidation.by_itself(memory._core, lambda stopped=stopped: stopped)  # type: ignore[misc]
            told.append(
                (ran is not None and dict(ran.counts).get("near_duplicate", 0), len(await _pairs(memory, 1)))
            )
        clock.advance(hours=7)
        quiet = await consolidation.by_itself(memory._core, lambda: False)

    assert quiet is None
    assert [(0, 0), (0, 0), (0, 0), (3, 2)] == told
