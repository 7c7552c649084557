"""An exact name stands above one that begins like it, through the public verb."""

import pytest

import remanence
from remanence.core.model import Hit, Memory
from remanence.flows.recall.ordering import order_hits
from tests.flows.conftest import Opener


@pytest.mark.parametrize("embedder", ["auto", "none"])
@pytest.mark.parametrize("pair", [("TKT-100", "TKT-1000"), ("1.2", "1.2.1"), ("billing", "billing-legacy")])
async def test_who_asks_by_a_name_gets_it_first(opener: Opener, embedder: str, pair: tuple[str, str]) -> None:
    """In either order of arrival, however few are asked for; what was moved says over what, and why."""
    moved = []
    for names in (pair, pair[::-1]):
        async with opener(embedder=embedder, scope=names[0].replace(".", "-")) as memory:
            for name in names:
                await memory.learn(f"The owner of {name} is {'Mara' if name == pair[0] else 'Nils'}.")
            for name, owner in zip(pair, ("Mara", "Nils"), strict=True):
                for question, limit in ((name, 1), (name, 10), (f"Who owns {name}?", 1)):
                    (first, *_) = (await memory.recall(question, limit=limit, count_use=False)).memories
                    assert owner in first.text
                    moved += [first.stands_above] if first.stands_above else []

    assert all(why.endswith(" itself") for why in moved)


async def test_a_question_that_names_it_is_not_raised(memory: remanence.Engine) -> None:
    """What only asks by the exact name knows nothing of it; the same words as a statement are raised."""
    first = await memory.get(await memory.learn("At the north pier stands TKT-1000."))
    asked = await memory.get(await memory.learn("Is TKT-100 at the north pier?"))
    said = await memory.get(await memory.learn("TKT-100 is at the north pier."))

    def order(other: Memory) -> list[int]:
        hits = [Hit(first, 2.0, {}), Hit(other, 1.0, {})]
        return [
            hit.seq
            for hit in order_hits("north pier TKT-100", hits, [], newer_first=False, by_assistants=False)
        ]

    assert [first.seq, asked.seq] == order(asked)
    assert [said.seq, first.seq] == order(said)


async def test_a_shorter_answer_begins_a_longer_one(opener: Opener) -> None:
    """What stands above the best is the same for one as for ten: a name itself, or a later word of the speaker."""
    async with opener(embedder="none") as memory:
        for name in ("billing-legacy", "billing-archive", "billing"):
            await memory.learn(f"The owner of {name} is Nils.")
        for hour in ("two", "three", "four, on the lawn behind the house, if it is dry enough"):
            await memory.learn(f"The party starts at {hour}.", speaker="Mara", role="user")

        for question, first in (("billing", 3), ("Who owns billing?", 3), ("When starts the party?", 6)):
            ten = [hit.seq for hit in await memory.recall(question, count_use=False)]
            assert first == ten[0]
            for limit in (1, 2, 3):
                shown = await memory.recall(question, limit=limit, count_use=False)
                assert ten[:limit] == [hit.seq for hit in shown]
