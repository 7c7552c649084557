"""What a writer takes for a repeat waits for a person, who makes one memory of the two or declines."""

from collections.abc import Mapping

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, Protected
from remanence.core.model import Status
from remanence.llm.base import Judgement
from tests.flows.conftest import Measured, Opener

TEXTS = (
    "The ferryman mends the landing stage in spring.",
    "In spring the landing stage is mended by the ferryman.",
)


class Repeats:
    """A writer that takes each text for a repeat of all that it is shown, as sure as it is told to be."""

    name = "repeats"

    def __init__(self, sure: float = 0.9, *, odd: bool = False) -> None:
        self.sure, self.odd = sure, odd

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Name all of them, or one that nobody showed."""
        del text, identity
        return Judgement(0.5, repeats={"nobody": 1.0} if self.odd else dict.fromkeys(others, self.sure))


async def _told(memory: remanence.Engine, other: str | None = None) -> None:
    await memory.learn(TEXTS[0], tags=("red",), source="letter")
    await memory.consolidate()
    await memory.learn(TEXTS[1], tags=("blue",), source="call", speaker=other)
    await memory.consolidate()


async def _statuses(memory: remanence.Engine) -> list[Status]:
    return [(await memory.get(seq)).status for seq in (1, 2)]


async def test_a_repeat_that_a_writer_sees_waits_for_a_person(opener: Opener, clock: ManualClock) -> None:
    """Nothing is merged by it; the list says what to type, and once that is done nothing waits any more."""
    async with opener(writer=Repeats()) as memory:
        await _told(memory)
        stand = await _statuses(memory)
        review = await memory.review.list()
        (item,) = review.items
        done = await memory.merge(1, 2)
        one, other = await memory.get(1), await memory.get(2)
        after = await memory.review.list()
        clock.advance(minutes=5)
        await memory.undo(done)
        back = [await memory.get(seq) for seq in (1, 2)]

    assert ([Status.ACTIVE] * 2, {"proposal": 1}) == (stand, review.counts)
    assert item.what == "repeats proposes that #2 says the same as #1"
    assert {
        "make them one": "remanence review settle proposal/2/3/1 accept",
        "decline it": "remanence review settle proposal/2/3/1 decline",
    } == item.commands
    assert (Status.ACTIVE, Status.SUPERSEDED, {"merge": 1}) == (one.status, other.status, dict(done.counts))
    assert ({"red", "blue"}, {"letter", "call"}) == ({*one.tags}, {*one.sources})
    assert {} == after.counts
    assert [(Status.ACTIVE, ("red",)), (Status.ACTIVE, ("blue",))] == [(was.status, was.tags) for was in back]


async def test_a_declined_repeat_waits_no_more(opener: Opener) -> None:
    """Both stay as they are."""
    async with opener(writer=Repeats()) as memory:
        await _told(memory)
        declined = await memory.review.settle(2, "decline", only=[1])
        left = (await memory.review.list()).counts
        stand = await _statuses(memory)

    assert ("decline", {"decline": 1}, {}) == (declined.verb, declined.counts, left)
    assert [Status.ACTIVE] * 2 == stand


@pytest.mark.parametrize(
    ("writer", "other"), [(Repeats(0.79), None), (Repeats(odd=True), None), (Repeats(), "Ada")]
)
async def test_what_is_unsure_or_makes_no_sense_is_no_proposal(
    opener: Opener, writer: Repeats, other: str | None
) -> None:
    """From 0.80 on, only of memories that the writer was shown, and of one speaker's."""
    async with opener(writer=writer) as memory:
        await _told(memory, other)
        waits = (await memory.review.list()).counts

    assert {} == waits


async def test_a_person_keeps_either_and_merges_one_after_the_other(opener: Opener) -> None:
    """The one named first stays, whatever arrived first, and takes in as many as wished."""
    async with opener(embedder=Measured()) as memory:
        for text, category in (
            ("The weir is shut.", "fact"),
            ("The weir is closed.", None),
            ("Weir: shut!", None),
        ):
            await memory.learn(text, category=category)
        await memory.consolidate()
        await memory.merge(3, 1)
        await memory.merge(3, 2)
        found = [(await memory.get(seq)).status for seq in (1, 2, 3)]

    assert [Status.SUPERSEDED, Status.SUPERSEDED, Status.ACTIVE] == found


async def test_what_is_protected_or_fallen_is_not_merged(opener: Opener) -> None:
    """A pin keeps a memory from being merged away, not from taking in; what fell has to be brought back first."""
    async with opener() as memory:
        await memory.learn([*TEXTS, "The heron nests by the weir."])
        await memory.pin(2)
        with pytest.raises(Protected, match="pinned"):
            await memory.merge(1, 2)
        refused = await memory.links(1)
        await memory.merge(2, 1)
        with pytest.raises(InvalidInput, match="superseded"):
            await memory.merge(3, 1)
        with pytest.raises(InvalidInput, match="both names"):
            await memory.merge(3, 3)
        stand = await _statuses(memory)

    assert [Status.SUPERSEDED, Status.INBOX] == stand
    assert [] == refused  # nothing is written by what is refused


@pytest.mark.parametrize("restored", [1, 2])
async def test_what_was_restored_today_is_merged_all_the_same(
    memory: remanence.Engine, restored: int
) -> None:
    """That guard is against policies; a person who names both knows what they restored."""
    for text in TEXTS:
        await memory.learn(text)
    await memory.forget(restored)
    await memory.restore(restored)
    done = await memory.merge(1, 2)

    assert 1 == done.counts["merge"]
    assert Status.SUPERSEDED is (await _statuses(memory))[1]
