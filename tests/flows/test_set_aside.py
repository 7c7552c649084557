"""A turn for which a writer gives no answer is set aside and tried again by itself; no other turn waits for it."""

from collections.abc import Sequence

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import WriterError
from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn
from tests.flows.conftest import Opener
from tests.sentences import Sentences

BAD = "Nobody answers this one. So."
TRIES = 12  # of ten turns, five, two and one, each time that there was an answer from ten again


class Refusing(Sentences):
    """Refuses every request that has a turn with the word."""

    word = "Nobody"

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Refuse, or give the sentences."""
        if any(self.word in turn.text for turn in turns):
            self.asked.append([*turns])
            raise WriterError("the model refuses to answer", recovery="try again")
        return await super().extract(turns, wanted)


async def _list_facts(memory: remanence.Engine) -> list[str]:
    """Return the texts of what was extracted."""
    return sorted(
        one.text for one in await memory.list(limit=100) if (one.attributes or {}).get("extracted_by")
    )


async def test_a_text_from_outside_that_is_refused_holds_up_no_turn_of_a_user(opener: Opener) -> None:
    """What a user says has its facts at once; the text waits by itself, with the reason."""
    async with opener(writer=Refusing()) as memory:
        await memory.note("I keep a boat. So.", session="s", speaker="Mia", later=True)
        await memory.note(BAD, session="s", role="tool", speaker="search", later=True)
        await memory.note("I live in Tartu. So.", session="s", speaker="Mia", later=True)
        done = (await memory.consolidate()).heard
        (waiting,) = (await memory.status()).waiting
        facts = await _list_facts(memory)

    assert ["I keep a boat.", "I live in Tartu."] == facts
    assert (2, 2) == (done.turns, done.stored)
    assert "refuses" in done.failed[0]
    assert (1, "s") == (waiting.turns, waiting.session)
    assert waiting.failures > 0


async def test_a_turn_that_is_refused_holds_up_those_beside_it_for_some_tries_only(opener: Opener) -> None:
    """Each try asks for fewer turns, until the one is alone and is set aside; the rest go on."""
    async with opener(writer=Refusing()) as memory:
        for number in range(6):
            await memory.note(f"I keep boat {number}. So.", session="s", speaker="Mia", later=True)
        await memory.note(BAD, session="s", speaker="Mia", later=True)
        await memory.note("I live in Tartu. So.", session="s", speaker="Mia", later=True)
        for _ in range(TRIES):
            await memory.consolidate()
        facts = await _list_facts(memory)
        (waiting,) = (await memory.status()).waiting

    assert 7 == len(facts)
    assert "I live in Tartu." in facts
    assert 1 == waiting.turns


async def test_a_turn_that_was_set_aside_is_extracted_once_there_is_an_answer(opener: Opener) -> None:
    """Whoever exchanges the writer has all facts, each once, and nothing waits."""
    async with opener(writer=Refusing()) as memory:
        await memory.note("I keep a boat. So.", session="s", speaker="Mia", later=True)
        await memory.note(BAD, session="s", role="tool", speaker="search", later=True)
        await memory.consolidate()
    async with opener(writer=Sentences()) as memory:
        done = (await memory.consolidate()).heard
        state = await memory.status()
        facts = await _list_facts(memory)

    assert (1, ()) == (done.turns, done.failed)
    assert () == state.waiting
    assert [BAD.removesuffix(" So."), "I keep a boat."] == sorted(facts, reverse=True)


async def test_new_turns_do_not_ask_again_for_one_that_was_set_aside(
    opener: Opener, clock: ManualClock
) -> None:
    """It is tried again when its time has come, later after each failure, or when somebody consolidates."""
    writer = Refusing()
    async with opener(writer=writer) as memory:
        session = await memory.begin_session()
        await memory.note("I keep a boat. So.", session=session, speaker="Mia", later=True)
        await memory.note(BAD, session=session, role="tool", speaker="search", later=True)
        await memory.consolidate()
        (first,) = (await memory.status()).waiting
        await memory.consolidate()
        (second,) = (await memory.status()).waiting
        asked = len(writer.asked)
        await memory.note("I live in Tartu. So.", session=session, speaker="Mia", later=True)
        await memory.end_session()
        meanwhile = len(writer.asked) - asked
        facts = await _list_facts(memory)

    assert ["I keep a boat.", "I live in Tartu."] == facts
    assert 1 == meanwhile
    assert clock.now() < (first.due_at or 0) < (second.due_at or 0)


async def test_a_learned_text_that_is_refused_is_passed_at_the_next_call(opener: Opener) -> None:
    """Of texts that are learned one after another the rest is extracted though one is refused."""
    async with opener(writer=Refusing()) as memory:
        await memory.learn("I keep a boat. So.", speaker="Mia")
        await memory.learn(BAD, speaker="Mia")
        await memory.learn("I live in Tartu. So.", speaker="Mia")
        first = (await memory.consolidate(listen=True)).heard
        await memory.consolidate(listen=True)
        facts = await _list_facts(memory)
        (waiting,) = (await memory.status()).waiting

    assert first.failed
    assert ["I keep a boat.", "I live in Tartu."] == facts
    assert 1 == waiting.turns
