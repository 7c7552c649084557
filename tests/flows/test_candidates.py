"""A writer is shown the older memories that a text may change: with no threshold, its own speaker's first."""

from collections.abc import Sequence

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.flows.write.candidates import BARE_MOST, MOST, OWN_FIRST, candidates
from tests.flows.conftest import Opener


async def shown(memory: remanence.Engine, name: str) -> list[str]:
    """Return the texts that a writer would be shown beside a memory."""
    one = await memory.get(name)
    found = (await candidates(memory._core, [one]))[one.seq]
    return [other.text for other in await memory._core.store.get("default", found) if other is not None]


@pytest.mark.parametrize("embedder", ["none", "auto"])
async def test_a_pair_that_shares_one_rare_word_is_shown(
    opener: Opener, clock: ManualClock, embedder: str
) -> None:
    """Also without vectors; what was said later is not."""
    async with opener(embedder=embedder) as memory:
        await memory.learn("Priya here, I own the checkout service until further notice.", speaker="Priya")
        for number in range(30):
            await memory.learn(f"The tide at quay {number} was low in the morning.", speaker="Priya")
        clock.advance(days=1)
        new = await memory.learn("Handed the checkout over to Emeka, please page him.", speaker="Priya")
        clock.advance(days=1)
        await memory.learn("The checkout is fast.", speaker="Priya")
        found = await shown(memory, new.id)

    assert "Priya here, I own the checkout service until further notice." == found[0]
    assert "The checkout is fast." not in found
    assert len(found) <= MOST


async def test_the_same_speaker_comes_first_and_leaves_room_for_others(memory: remanence.Engine) -> None:
    """So many of one's own, however well those of others match; then the best of all that are left."""
    for number in range(MOST):
        await memory.learn(f"The ferry of line {number} leaves at six.", speaker="Ana")
        await memory.learn(f"The ferry of line {number} leaves at seven, from the north pier.", speaker="Ben")
    new = await memory.learn("The ferry leaves at seven, from the north pier.", speaker="Ana")
    one = await memory.get(new.id)
    found = await memory._core.store.get("default", (await candidates(memory._core, [one]))[one.seq])

    assert MOST == len(found)
    assert ["Ana"] * OWN_FIRST == [other.speaker for other in found[:OWN_FIRST] if other is not None]
    assert "Ben" in {other.speaker for other in found[OWN_FIRST:] if other is not None}


async def test_what_fell_is_not_shown(memory: remanence.Engine) -> None:
    """Superseded, archived and deleted memories are compared with nothing; nor is a lone one."""
    gone = await memory.learn("The checkout belongs to Priya.", speaker="Priya")
    await memory.forget(gone.id)
    new = await memory.learn("The checkout belongs to Emeka.", speaker="Emeka")

    assert [] == await shown(memory, new.id)
    assert {} == await candidates(memory._core, [])


async def test_a_turn_gives_way_to_its_facts(telling: remanence.Engine) -> None:
    """What it says is shown once, so that others have room; a turn of which no fact was found is shown itself."""
    await telling.note("Hello! Our boat lies in Tarrow. Did you see the match?", speaker="Ana")
    await telling.note("Whose boat is that in Tarrow?", speaker="Ana")
    await telling.end_session()
    await telling.consolidate()
    facts = [one for one in await telling.list() if "turn" not in one.tags]
    new = await telling.learn("The boat in Tarrow is gone.", speaker="Ana")
    found = await shown(telling, new.id)

    assert 1 == len(facts)
    assert {facts[0].text, "Whose boat is that in Tarrow?"} == {*found}


@pytest.mark.parametrize("embedder", ["none", "auto"])
async def test_a_writer_is_shown_what_the_speaker_said_last(opener: Opener, embedder: str) -> None:
    """An update often shares no word with what it changes."""
    async with opener(embedder=embedder) as memory:
        await memory.learn("I keep bees behind the mill.", speaker="Priya")
        await memory.learn("My sister sings.", speaker="Priya")
        for number in range(60):
            await memory.learn(f"The tide at quay {number} was low in the morning.", speaker="Ben")
        new = await memory.learn("Sold all the hives to Emeka.", speaker="Priya")
        found = await shown(memory, new.id)

    assert {"I keep bees behind the mill.", "My sister sings."} == {*found[:2]}


async def test_turns_that_a_writer_found_nothing_in_come_last(opener: Opener) -> None:
    """It comes last, since it hardly holds what could change, and few do; one that is a fact itself takes its place."""
    asked = [f"Whose boat {number} is that in Tarrow?" for number in range(BARE_MOST + 2)]
    fact = "My boat is in Tarrow."
    for writer, expected in ((Silent(fact), BARE_MOST), (None, len(asked))):
        async with opener(writer=writer) as memory:
            if writer is not None:
                for text in (*asked, fact):
                    await memory.note(text, speaker="Ana")
                await memory.end_session()
                await memory.consolidate()
            new = await memory.learn("The boat in Tarrow is gone.", speaker="Ana")
            found = await shown(memory, new.id)
            await memory.forget(new.id)

        assert expected == len({*found} & {*asked})
        assert writer is None or fact == found[0]


class Silent:
    """A writer that finds nothing but one fact."""

    name = "silent"

    def __init__(self, fact: str) -> None:
        self.fact = fact

    async def judge(self, text: str, identity: str, others: object) -> remanence.types.Judgement:
        """Judge nothing."""
        del text, identity, others
        return remanence.types.Judgement(0.5)

    async def extract(
        self, turns: Sequence[remanence.types.ExtractTurn], wanted: object
    ) -> remanence.types.ExtractResult:
        """Find it where a turn is that fact."""
        del wanted
        return remanence.types.ExtractResult(
            tuple(
                remanence.types.Fact("fact", one.text, one.id, (0, len(one.text)))
                for one in turns
                if one.text == self.fact
            )
        )
