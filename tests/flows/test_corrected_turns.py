"""A turn is corrected of which facts were extracted: what it no longer says is marked, what it says now is heard."""

import asyncio
from collections.abc import Sequence

import pytest

import remanence
from remanence.core.model import Link, Relation, Status
from remanence.llm.base import Judgement
from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn, Fact
from tests.flows.conftest import Opener

VERA = "Mara's sister Vera lives in Oslo."
MOVED = "My sister Vera lives in Bergen."
DOG = "My dog is called Rex."
WORK = "I work as a nurse in Kiel."


@pytest.fixture
def memory(telling: remanence.Engine) -> remanence.Engine:
    """An engine whose writer finds what stands in a turn."""
    return telling


async def tell(memory: remanence.Engine, text: str, *more: str) -> remanence.Memory:
    """Note some turns of a session, listen to them, and return the first."""
    noted = [await memory.note(one, speaker="Mara", session="first", role="user") for one in (text, *more)]
    await memory.consolidate(listen=True)
    return await memory.get(noted[0].seq)


async def find_text(memory: remanence.Engine, text: str) -> remanence.Memory:
    """Return what says a text and stands."""
    return next(one for one in await memory.list() if text == one.text)


async def find_newer(memory: remanence.Engine, older: int) -> set[int]:
    """Return what is linked as newer than a memory."""
    return {
        link.source
        for link in await memory.links(older)
        if link.relation is Relation.NEWER and link.target == older
    }


def lines_of(answer: remanence.RecallResult, word: str) -> list[str]:
    """Return the lines of an answer that have a word."""
    return [line for line in answer.text.splitlines() if word in line]


async def test_a_correction_stands_above_the_fact_and_is_heard(memory: remanence.Engine) -> None:
    """Until it is listened to and after: the old fact stays, marked, under what holds."""
    turn = await tell(memory, "My sister Vera lives in Oslo.")
    old = await find_text(memory, VERA)
    corrected = await memory.correct(turn.seq, MOVED)

    assert {corrected.seq} == await find_newer(memory, old.seq)
    answer = await memory.recall("Where does Vera live?")
    assert [corrected.seq, old.seq] == [hit.seq for hit in answer.memories]
    assert f"newer: #{corrected.seq}" in lines_of(answer, "Oslo")[0]

    await memory.consolidate(listen=True)
    new = await find_text(memory, "Mara's sister Vera lives in Bergen.")
    assert {corrected.seq, new.seq} == await find_newer(memory, old.seq)
    answer = await memory.recall("Where does Vera live?")
    assert f"newer: #{new.seq}" in lines_of(answer, "Oslo")[0]
    assert "Bergen" in answer.text.splitlines()[0]
    assert Status.ACTIVE is (await memory.get(old.seq)).status


async def test_views_of_one_line_a_matter_say_what_holds(memory: remanence.Engine) -> None:
    """None of what was before; the history of the line's number has it."""
    turn = await tell(memory, "My sister Vera lives in Oslo.")
    await memory.correct(turn.seq, MOVED)
    await memory.consolidate(listen=True)

    for view in (await memory.frame("profile"), await memory.frame("boot"), await memory.frame("self")):
        assert "Bergen" in view.text and "Oslo" not in view.text


async def test_what_it_still_says_and_what_it_does_not_speak_of_is_left_alone(
    memory: remanence.Engine,
) -> None:
    """A dog that is named again, and one of which the correction says nothing."""
    turn = await tell(memory, f"My sister Vera lives in Oslo. {DOG}")
    dog, vera = await find_text(memory, "Mara's dog is called Rex."), await find_text(memory, VERA)
    corrected = await memory.correct(turn.seq, f"{MOVED} {DOG}")
    assert set() == await find_newer(memory, dog.seq)
    assert {corrected.seq} == await find_newer(memory, vera.seq)
    again = await memory.correct(corrected.seq, MOVED)
    await memory.consolidate(listen=True)
    assert set() == await find_newer(memory, dog.seq)
    assert again.seq not in await find_newer(memory, dog.seq)


async def test_what_was_said_with_it_is_known_and_confirmed(memory: remanence.Engine) -> None:
    """What the corrected turn repeats is no fact that fell, though the turn that first said it did."""
    turn = await tell(memory, f"My sister Vera lives in Oslo. {DOG} {WORK}")
    await memory.correct(turn.seq, f"{MOVED} {DOG} {WORK}")
    heard = (await memory.consolidate(listen=True)).heard
    assert (1, 2, 0) == (heard.stored, heard.confirmed, sum(heard.left_out.values()))


async def test_what_another_turn_says_too_is_not_outdated(memory: remanence.Engine) -> None:
    """A fact that was heard twice rests on the other turn."""
    turn = await tell(memory, "My sister Vera lives in Oslo.")
    await tell(memory, f"My sister Vera lives in Oslo. {WORK}")
    old = await find_text(memory, VERA)
    turns = [link for link in await memory.links(old.seq) if link.relation is Relation.LEARNED_FROM]
    assert 2 == len(turns), "the two turns are to say one fact"
    await memory.correct(turn.seq, MOVED)
    assert set() == await find_newer(memory, old.seq)


async def test_a_fact_that_was_edited_or_forgotten_is_left_alone(memory: remanence.Engine) -> None:
    """Somebody has decided about these."""
    turn = await tell(memory, f"My sister Vera lives in Oslo. {DOG}")
    vera, dog = await find_text(memory, VERA), await find_text(memory, "Mara's dog is called Rex.")
    await memory.update(vera.seq, text="Mara's sister Vera has a flat in Oslo.")
    await memory.forget(dog.seq)
    await memory.correct(turn.seq, f"{MOVED} My dog is called Max.")
    assert set() == await find_newer(memory, vera.seq) | await find_newer(memory, dog.seq)


@pytest.mark.parametrize("verb", ["correct", "update", "put", "supersede"])
async def test_undo_takes_the_marks_back(memory: remanence.Engine, verb: str) -> None:
    """However it was said otherwise: the fact is as it was."""
    turn = await tell(memory, "My sister Vera lives in Oslo.")
    old = await find_text(memory, VERA)
    links: list[Link] = list(await memory.links(old.seq))
    if verb == "correct":
        run = (await memory.correct(turn.seq, MOVED)).run
    elif verb == "update":
        run = (await memory.update(turn.seq, text=MOVED)).run
    elif verb == "put":
        run = (await memory.learn(MOVED, key=turn.id, speaker="Mara", session="first")).run
    else:
        newer = await memory.note(MOVED, speaker="Mara", session="first", later=True)
        run = (await memory.correct(turn.seq, by=newer.seq)).run
    assert 1 == len(await find_newer(memory, old.seq))
    assert run is not None
    await memory.undo(run)
    assert links == list(await memory.links(old.seq))


async def test_an_edited_turn_is_heard_again(memory: remanence.Engine) -> None:
    """Its old fact is older than the turn, then than its new fact; edited back, it is neither."""
    turn = await tell(memory, "My sister Vera lives in Oslo.")
    old = await find_text(memory, VERA)
    await memory.update(turn.seq, text=MOVED)
    assert {turn.seq} == await find_newer(memory, old.seq)
    assert 1 == (await memory.consolidate(listen=True)).heard.turns
    new = await find_text(memory, "Mara's sister Vera lives in Bergen.")
    assert {turn.seq, new.seq} == await find_newer(memory, old.seq)
    assert 0 == (await memory.consolidate(listen=True)).heard.turns


async def test_a_turn_that_waits_is_heard_once_as_it_was_edited(memory: remanence.Engine) -> None:
    """It waited before, and does not wait twice."""
    noted = await memory.note("My sister Vera lives in Oslo.", speaker="Mara", session="first", later=True)
    await memory.update(noted.seq, text=MOVED)
    assert [1] == [one.turns for one in (await memory.status()).waiting]
    await memory.consolidate(listen=True)
    assert [] == list((await memory.status()).waiting)
    texts = {one.text for one in await memory.list()}
    assert VERA not in texts and "Mara's sister Vera lives in Bergen." in texts


@pytest.mark.parametrize("times", [1, 2])
async def test_a_text_that_was_learned_and_corrected_is_heard(memory: remanence.Engine, times: int) -> None:
    """As a turn that was noted is, where somebody asks for it; a fact that was corrected is not."""
    said = await memory.learn(f"My sister Vera lives in Oslo. {DOG}", speaker="Mara")
    await memory.consolidate(listen=True)
    old, dog = await find_text(memory, VERA), await find_text(memory, "Mara's dog is called Rex.")
    corrected = await memory.correct(said.seq, f"{MOVED} {DOG}")
    if times == 2:
        corrected = await memory.correct(corrected.seq, f"My sister Vera lives in Turku. {DOG}")
    fact = await memory.correct(dog.seq, "Mara's dog is called Max.")
    for _ in range(times):
        fact = await memory.correct(fact.seq, f"Mara's dog is called {fact.seq}.")

    heard = (await memory.consolidate(listen=True)).heard
    town = "Turku" if times == 2 else "Bergen"
    new = await find_text(memory, f"Mara's sister Vera lives in {town}.")
    assert 1 == heard.turns
    assert {corrected.seq, new.seq} <= await find_newer(memory, old.seq)
    lines = (await memory.recall("Where does Vera live?")).text.splitlines()
    assert town in lines[0] and any(f"newer: #{new.seq}" in line for line in lines if "Oslo" in line)


@pytest.mark.parametrize("heard_between", [True, False])
async def test_a_correction_that_is_taken_back_by_another_is_newest(
    memory: remanence.Engine, *, heard_between: bool
) -> None:
    """The fact that was first said is said again: it is older than nothing, and what was said in between is."""
    turn = await tell(memory, "My sister Vera lives in Oslo.")
    old = await find_text(memory, VERA)
    corrected = await memory.correct(turn.seq, MOVED)
    if heard_between:
        await memory.consolidate(listen=True)
    again = await memory.correct(corrected.seq, f"My sister Vera lives in Oslo. {DOG}")
    await memory.consolidate(listen=True)

    lines = (await memory.recall("Where does Vera live?")).text.splitlines()
    assert "Oslo" in lines[0]
    assert not any("newer:" in line for line in lines if "Oslo" in line), lines
    assert all("newer:" in line for line in lines if "Bergen" in line), lines
    assert again.seq not in await find_newer(memory, old.seq)


@pytest.mark.parametrize("text", [MOVED, "The boat is red."])
async def test_an_edited_turn_stands_in_no_facts_place(memory: remanence.Engine, text: str) -> None:
    """What it said before is found by its fact, marked or not: the turn does not say it any more."""
    turn = await tell(memory, "My sister Vera lives in Oslo. I work as a nurse in Kiel.")
    await memory.update(turn.seq, text=text)
    for _ in range(2):
        for view in (await memory.recall("Oslo"), await memory.frame("attention", "Oslo")):
            assert VERA in view.text, view.text
        await memory.consolidate(listen=True)


async def test_a_turn_that_is_edited_back_is_older_than_nothing(memory: remanence.Engine) -> None:
    """Heard in between or not, its fact stands as before."""
    turn = await tell(memory, f"My sister Vera lives in Oslo. {DOG}")
    old = await find_text(memory, VERA)
    for is_heard in (False, True):
        await memory.update(turn.seq, text=f"{MOVED} {DOG}")
        if is_heard:
            await memory.consolidate(listen=True)
        await memory.update(turn.seq, text=f"My sister Vera lives in Oslo. {DOG}")
        assert turn.seq not in await find_newer(memory, old.seq)
        await memory.consolidate(listen=True)
        assert set() == await find_newer(memory, old.seq)


async def test_an_unsure_link_becomes_sure(memory: remanence.Engine) -> None:
    """What rules only guessed, a correction says."""
    turn = await tell(memory, f"My sister Vera lives in Oslo. {DOG}")
    old = await find_text(memory, VERA)
    newer = await memory.note(f"{MOVED} {DOG}", speaker="Mara", session="first", later=True)
    await memory.link(newer.seq, old.seq, "newer", confidence=0.6)
    await memory.correct(turn.seq, by=newer.seq)
    (link,) = [one for one in await memory.links(old.seq) if one.relation is Relation.NEWER]
    assert link.is_certain


class Thoughtful:
    """A writer that extracts the first sentence of a turn, and thinks for as long as it is not told to go on."""

    name = "thoughtful"

    def __init__(self) -> None:
        self.thinks, self.may_answer = asyncio.Event(), asyncio.Event()

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Say nothing of a memory."""
        del text, identity, others
        return Judgement(0.5)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Return a fact of each turn once it may."""
        del wanted
        self.thinks.set()
        await self.may_answer.wait()
        first = [(one.id, one.text.partition(". ")[0]) for one in turns]
        facts = [
            Fact("relationship", text.replace("My", "Mara's"), turn, (0, len(text)), 0.9)
            for turn, text in first
        ]
        return ExtractResult(tuple(facts))


@pytest.mark.parametrize("verb", ["update", "correct", "forget", "erase"])
async def test_what_changes_while_a_writer_thinks_is_not_kept(opener: Opener, verb: str) -> None:
    """No fact is stored of a text that is not there any more; one that was edited is listened to again."""
    writer = Thoughtful()
    async with opener(writer=writer) as memory:
        turn = await memory.note(
            "My sister Vera lives in Oslo. Ahoy.", speaker="Mara", session="first", later=True
        )
        hearing = asyncio.create_task(memory.consolidate())
        await writer.thinks.wait()
        if verb == "update":
            await memory.update(turn.seq, text=f"{MOVED} Ahoy.")
        elif verb == "correct":
            await memory.correct(turn.seq, f"{MOVED} Ahoy.")
        elif verb == "forget":
            await memory.forget(turn.seq)
        else:
            await memory.erase.apply(await memory.erase.show(turn.seq))
        writer.may_answer.set()
        await hearing
        await memory.consolidate()
        texts = {one.text for one in await memory.list()}

    assert not any("Oslo" in text for text in texts)
    assert (verb in {"update", "correct"}) == ("Mara's sister Vera lives in Bergen" in texts)


async def test_undo_of_an_edit_takes_along_what_was_heard_since(memory: remanence.Engine) -> None:
    """The facts of the text that goes, unless somebody touched them; those of the text that comes back stand."""
    turn = await tell(memory, f"My sister Vera lives in Oslo. {DOG}")
    before = {(one.seq, one.text) for one in await memory.list()}
    edit = await memory.update(turn.seq, text=f"{MOVED} My cat is called Tom. {DOG}")
    await memory.consolidate(listen=True)
    assert any("Tom" in one.text for one in await memory.list() if one.seq != turn.seq)
    cat = await find_text(memory, "Mara's cat is called Tom.")
    await memory.rate(cat.seq, "right")
    await memory.undo(edit)

    after = {(one.seq, one.text) for one in await memory.list()}
    assert before | {(cat.seq, cat.text)} == after
    old = await find_text(memory, VERA)
    assert set() == await find_newer(memory, old.seq)
    lines = (await memory.frame("profile")).text.splitlines()
    assert any("Oslo" in line for line in lines) and not any("Bergen" in line for line in lines)


async def test_facts_that_a_correction_outdates_are_found_and_in_no_view(memory: remanence.Engine) -> None:
    """The profile and the start context hold what is current; recall finds the older facts, marked as such."""
    turn = await tell(
        memory, "My sister Vera lives in Oslo. My brother Tom plays in Kiel. My boss Rex sleeps in the barn."
    )
    await memory.correct(turn.seq, "My sister Vera and my brother Tom and my boss Rex are at the lake.")
    for _ in range(2):
        for view in (await memory.frame("profile"), await memory.frame("boot")):
            assert "at the lake" in view.text
            assert not any(word in view.text for word in ("Oslo", "Kiel", "sleeps")), view.text
        await memory.consolidate(listen=True)
    for question, word in (("Where does Vera live?", "Oslo"), ("Where does Tom play?", "Kiel")):
        assert word in (await memory.recall(question)).text
