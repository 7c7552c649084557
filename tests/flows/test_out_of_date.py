"""A turn stands, whatever became of its facts: where none of them holds any more it says so and stands lower."""

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import RecallResult, Relation, Verification
from remanence.flows.recall.current_only import mark_outdated
from tests.flows.conftest import hear

CELLO = "She plays the cello in the orchestra of Tartu."
SAID = f"My boss is Carmen. {CELLO}"
QUESTION = "Who is Ana's boss, is it Carmen, who plays the cello in the orchestra?"


@pytest.fixture
def memory(telling: remanence.Engine) -> remanence.Engine:
    """An engine whose writer finds what stands in a turn."""
    return telling


async def _noted(memory: remanence.Engine, clock: ManualClock, text: str = SAID) -> tuple[int, list[int]]:
    """Note a turn of which facts are extracted; return it and them."""
    noted = await memory.note(text, speaker="Ana", session="s", later=True)
    await hear(memory)
    clock.advance(minutes=1)
    links = await memory.links(noted.seq)
    return noted.seq, sorted(link.source for link in links if link.relation is Relation.LEARNED_FROM)


async def _answers(memory: remanence.Engine) -> list[RecallResult]:
    return [
        await memory.recall(QUESTION, count_use=False),
        await memory.recall(QUESTION, budget=500, count_use=False),
        await memory.frame("attention", QUESTION, count_use=False),
        await memory.frame("boot"),
    ]


def _places(answer: RecallResult) -> dict[int, int]:
    return {hit.seq: place for place, hit in enumerate(answer.memories)}


async def test_a_turn_whose_facts_were_corrected_stands_below_what_is_right(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Also where its words fit the question better; each answer says what is out of date, and see what."""
    turn, facts = await _noted(memory, clock)
    for fact in facts:
        text = (await memory.get(fact)).text
        await memory.correct(fact, text.replace("Carmen", "Anders").replace("cello", "harp"))
    right = {one.seq for one in await memory.list()} - {turn}

    assert right
    for answer in await _answers(memory):
        places = _places(answer)
        assert all(places[one] < places[turn] for one in right & places.keys())
        assert "out of date: Ana's boss is Carmen." in answer.text
        assert f"(see #{min(right)})" in answer.text
    assert any("Carmen" in mark for mark in (await memory.get(turn)).ended)


async def test_a_turn_whose_facts_were_edited_does_not_stand_for_them(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """The facts say something else by now: they are shown, and the turn is neither in their place nor above them."""
    turn, facts = await _noted(memory, clock, "My boss is Carmen. My sister Mia lives in Tartu.")
    for fact in facts:
        text = (await memory.get(fact)).text
        await memory.update(fact, text=text.replace("Carmen", "Anders").replace("Tartu", "Bergen"))

    assert 2 == len(facts)
    for question in ("Who is Ana's boss?", "Where does Mia, the sister of Ana's boss Carmen, live?"):
        places = _places(await memory.recall(question, count_use=False))
        assert places.keys() & set(facts)
        assert all(places[one] < places.get(turn, len(places)) for one in facts if one in places)
    assert ["out of date: edited since (see #2)", "out of date: edited since (see #3)"] == list(
        (await memory.get(turn)).ended
    )


async def test_a_turn_of_which_a_fact_holds_says_what_does_not_and_keeps_its_place(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Only in part it is out of date."""
    turn, facts = await _noted(memory, clock, "My boss is Carmen. My sister Mia lives in Tartu.")
    texts = {fact: (await memory.get(fact)).text for fact in facts}
    (boss,) = [fact for fact, text in texts.items() if "boss" in text]
    right = await memory.correct(boss, "Ana's chief is Anders.")
    places = _places(await memory.recall("My boss is Carmen, my sister Mia lives in Tartu", count_use=False))

    assert 2 == len(facts)
    assert (f"out of date: Ana's boss is Carmen. (see #{right.seq})",) == (await memory.get(turn)).ended
    assert min(places[one] for one in (turn, *facts) if one in places) < places[right.seq]


async def test_what_was_corrected_twice_is_seen_as_it_is_now(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """The end of the chain is named."""
    turn, facts = await _noted(memory, clock, "My boss is Carmen. Well.")
    first = await memory.correct(facts[0], "Ana's boss is Anders.")
    second = await memory.correct(first.seq, "Ana's boss is Bea.")

    assert (f"out of date: Ana's boss is Carmen. (see #{second.seq})",) == (await memory.get(turn)).ended


async def test_a_turn_whose_fact_gave_up_its_place_stands_below_what_took_it(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """By the caller's word; whichever of turn and fact is shown."""
    old, (fact,) = await _noted(memory, clock, "My boss is Carmen. Well.")
    new, (newer,) = await _noted(memory, clock, "My boss is Anders. Well.")
    await memory.correct(fact, by=newer)
    below = (await mark_outdated(memory._core, [await memory.get(old)])).below

    assert {old: {new, newer}} == below
    for answer in await _answers(memory):
        places = _places(answer)
        later = [places[one] for one in (new, newer) if one in places]
        assert later
        assert old not in places or min(later) < places[old]


async def test_a_turn_whose_fact_was_forgotten_says_nothing_of_it(
    memory: remanence.Engine, clock: ManualClock
) -> None:
    """Nothing was said to hold instead."""
    turn, facts = await _noted(memory, clock, "My boss is Carmen. Well.")
    await memory.forget(facts)

    assert () == (await memory.get(turn)).ended


@pytest.mark.parametrize("settled", [False, True])
async def test_an_open_contradiction_makes_both_disputed(memory: remanence.Engine, settled: bool) -> None:
    """As long as nobody resolves it."""
    one = await memory.learn("The ferry leaves at noon.")
    other = await memory.learn("The ferry leaves at dusk, says the captain.", speaker="Bea")
    await memory.link(one.id, other.id, Relation.CONTRADICTS)
    if settled:
        await memory.link(one.id, other.id, Relation.CONTRADICTS, off=True)
    found = {(await memory.get(name.id)).verification for name in (one, other)}

    assert {Verification.UNVERIFIED if settled else Verification.DISPUTED} == found
