"""Memories that become active are linked by time, and by what both mention, each a few times."""

from collections import Counter
from collections.abc import Sequence

import pytest

import remanence
from remanence.core.model import Link, Relation, Turn
from remanence.flows.consolidate.connecting import LINKS_MAX, SIBLINGS_MAX
from tests.flows.conftest import Opener, decisions_of

TIED = (Relation.FOLLOWS, Relation.CO_OCCURS)


async def _tied(memory: remanence.Engine, seq: int) -> list[tuple[int, int, Relation]]:
    """The links of a memory that are none of likeness."""
    found = [link for link in await memory.links(seq) if link.relation in TIED]
    return sorted((link.source, link.target, link.relation) for link in found)


async def _mentioning(
    memory: remanence.Engine, texts: Sequence[str], *entities: int, **more: str
) -> list[int]:
    """Learn texts that mention entities, as an extraction would store them."""
    seqs = []
    for text in texts:
        learned = await memory.learn(text, **more)  # type: ignore[call-overload]
        seqs.append(learned.seq)
        for entity in entities:
            await memory.link(learned, entity, "mentions")
    return seqs


@pytest.fixture
def plain(opener: Opener) -> Opener:
    """Opens without vectors, so that nothing is similar."""
    return lambda **more: opener(embedder="none", **more)


# Time


async def test_each_memory_follows_the_one_before_it_in_its_session(plain: Opener) -> None:
    """Turns follow turns and what was learned follows what was learned; other sessions are other chains."""
    async with plain() as memory:
        for text in ("Turn one.", "Turn two."):
            await memory.note(text, session="a", later=True)
        for text, session in (("One.", "a"), ("Other.", "b"), ("Two.", "a")):
            await memory.learn(text, session=session)
        done = await memory.consolidate()
        await memory.learn("Three.", session="a")
        await memory.consolidate()
        await memory.learn("Of none.")
        await memory.consolidate()

        found = [pair for seq in range(1, 8) for pair in await _tied(memory, seq) if pair[0] == seq]

    assert [(2, 1, Relation.FOLLOWS), (5, 3, Relation.FOLLOWS), (6, 5, Relation.FOLLOWS)] == found
    assert {"follows": 2} == done.steps


async def test_a_memory_without_a_session_follows_in_its_thread(plain: Opener) -> None:
    """The latest that stands: what was forgotten is followed by nobody."""
    async with plain() as memory:
        learned = await memory.learn([Turn(text, thread="t") for text in ("One.", "Two.")])
        await memory.forget(learned[1])
        await memory.learn("Three.", thread="t")
        await memory.consolidate()

        assert [(3, 1, Relation.FOLLOWS)] == await _tied(memory, 3)


# Entities


async def test_what_mentions_the_same_is_linked_and_seen_twice_is_stronger(plain: Opener) -> None:
    """Two entities in common are one link that was seen twice; one that was drawn by hand is strengthened."""
    async with plain() as memory:
        first, second = [(await memory.learn(name, category="entity")).seq for name in ("Mia", "Tartu")]
        one, two = await _mentioning(memory, ["Mia lives in Tartu.", "Mia was born in Tartu."], first, second)
        (three,) = await _mentioning(memory, ["Mia sings."], first)
        await memory.link(one, three, "co_occurs", weight=0.5)
        done = await memory.consolidate()
        links = {
            link.key[:2]: link for link in await memory.links(one) if link.relation is Relation.CO_OCCURS
        }

        assert {"co_occurs": 3} == done.steps
        assert (2, 0.65, 0.75) == _weighs(links[one, two])
        assert (2, 0.6, None) == _weighs(links[one, three])
        assert [(two, three, Relation.CO_OCCURS)] == [
            pair for pair in await _tied(memory, two) if pair[:2] == (two, three)
        ]


def _weighs(link: Link) -> tuple[int, float, float | None]:
    return link.count, link.weight, link.confidence


async def test_no_memory_has_more_than_ten_links_of_a_sort(plain: Opener) -> None:
    """However many mention an entity: a newcomer draws three to the latest, and nobody takes more than ten."""
    async with plain() as memory:
        entity = (await memory.learn("Mia", category="entity")).seq
        seqs = []
        for part in range(3):
            seqs += await _mentioning(
                memory, [f"Mia did thing {part} {number}." for number in range(10)], entity
            )
            await memory.consolidate()
        degrees: Counter[int] = Counter()
        for seq in seqs:
            degrees[seq] = len(await _tied(memory, seq))

        assert max(degrees.values()) <= LINKS_MAX
        assert min(degrees.values()) > 0
        assert sum(degrees.values()) // 2 <= SIBLINGS_MAX * len(seqs)


async def test_what_no_longer_mentions_it_is_linked_to_nobody_by_it(plain: Opener) -> None:
    """As after an entity was taken apart."""
    async with plain() as memory:
        entity = (await memory.learn("Mia", category="entity")).seq
        (one,) = await _mentioning(memory, ["Mia lives in Tartu."], entity)
        await memory.consolidate()
        await memory.link(one, entity, "mentions", off=True)
        (two,) = await _mentioning(memory, ["Mia sings."], entity)
        await memory.consolidate()

        assert [] == await _tied(memory, two)


# What is recorded, and taken back


async def test_links_are_drawn_once_and_again_after_they_were_taken_back(plain: Opener) -> None:
    """A second consolidation draws nothing; after `undo` the next one draws the same."""
    async with plain() as memory:
        entity = (await memory.learn("Mia", category="entity")).seq
        seqs = await _mentioning(memory, ["Mia lives in Tartu.", "Mia sings."], entity, session="s")
        done = await memory.consolidate()
        drawn = [await _tied(memory, seq) for seq in seqs]
        nothing = await memory.consolidate()
        await memory.undo(done)
        gone = [await _tied(memory, seq) for seq in seqs]
        again = await memory.consolidate()

        assert {"follows": 1, "co_occurs": 1} == done.steps == again.steps
        assert {} == nothing.steps
        assert [[], []] == gone
        assert drawn == [await _tied(memory, seq) for seq in seqs]
        assert {"link_graph"} == {one.action for one in await decisions_of(memory)}


async def test_what_is_less_sure_is_linked_to_nobody(plain: Opener) -> None:
    """And the next follows the one before it all the same."""
    async with plain() as memory:
        await memory.learn("One.", session="s")
        await memory.learn("Two.", session="s", confidence=0.3)
        await memory.consolidate()

        assert [] == await _tied(memory, 2)
        assert ["deferred"] == [one.outcome for one in await decisions_of(memory)]
