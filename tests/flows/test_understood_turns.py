"""What a writer is shown beside a turn, and what of a fact goes with the turns that lent it words."""

from collections.abc import Mapping, Sequence

import pytest

import remanence
from remanence.core.model import Memory, Relation, Status, Trust, Turn
from remanence.llm.base import Judgement
from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn, Fact
from tests.flows.conftest import Opener, hear, list_quarantined
from tests.flows.test_model_says import facts_of

ASKED, ANSWERED = "Is your physio with Tjark still on Tuesday?", "No, on Wednesday now."
MOVED = "Ana's physio with Tjark is on Wednesday now."


class Telling:
    """A writer that knows which facts each turn tells, and keeps what it was shown before the turns."""

    name = "telling"

    def __init__(self, facts: Mapping[str, str]) -> None:
        self.facts = facts
        self.before: list[list[str]] = []

    async def judge(self, text: str, identity: str, others: object) -> Judgement:
        """Judge nothing."""
        del text, identity, others
        return Judgement(0.5)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Give the facts of the turns."""
        self.before.append([one.text for one in wanted.before])
        found = [one for one in turns if one.text in self.facts]
        return ExtractResult(
            tuple(Fact("fact", self.facts[one.text], one.id, (0, len(one.text)), 0.9) for one in found)
        )


async def say(memory: remanence.Engine, *turns: Turn) -> None:
    """Note some turns of one session, and listen to them."""
    for turn in turns:
        await memory.note(turn, session="s", later=True)
    await hear(memory)


async def only_fact(memory: remanence.Engine) -> Memory:
    """Return the one fact that there is, in quarantine or not."""
    held = [
        *(await facts_of(memory)).values(),
        *await list_quarantined(memory),
    ]
    (fact,) = held
    return fact


@pytest.mark.parametrize("trust", ["outside", "tool", "agent"])
async def test_what_is_believed_less_is_not_shown_beside_what_is_believed_more(
    opener: Opener, trust: str
) -> None:
    """Not even the question before an answer: a page that was read out puts no words into a user's mouth."""
    asked = Turn(ASKED, speaker="Ben", role="user", trust=trust)
    async with opener(writer=(writer := Telling({ANSWERED: MOVED}))) as memory:
        await say(memory, asked, Turn(ANSWERED, speaker="Ana", role="user"))
        fact = await only_fact(memory)

    assert ("Ana", Trust.USER, Status.INBOX) == (fact.speaker, fact.trust, fact.status)
    assert [[], []] == writer.before


async def test_another_conversation_is_not_shown(opener: Opener) -> None:
    """Also where no session tells them apart."""
    said = "She comes home on Friday."
    writer = Telling({said: "Ana's aunt Hedda comes home on Friday."})
    async with opener(writer=writer) as memory:
        for text, thread in (("My aunt Hedda has a cold.", "zoe"), (said, "ana")):
            await memory.note(Turn(text, speaker="Ana", role="user", thread=thread), later=True)
            await hear(memory)

    assert [[], []] == writer.before


async def test_a_fact_that_another_turn_says_stays(opener: Opener) -> None:
    """A link that somebody drew, or a lender of what is said elsewhere in full, takes nothing with it."""
    said = "I love Graz."
    async with opener(writer=Telling({said: "Ana loves Graz."})) as memory:
        await say(memory, Turn(said, speaker="Ana", role="user"))
        fact = await only_fact(memory)
        spam = await memory.learn("Graz has many hotels.", trust="outside")
        await memory.link(fact.seq, spam.seq, "refers")
        await memory.erase.apply(await memory.erase.show(spam.id))
        left = [one.text for one in await memory.list()]

    assert "Ana loves Graz." in left


async def test_a_fact_goes_with_the_turn_that_lent_it_words(opener: Opener) -> None:
    """Whatever else it says."""
    lent, said = "My aunt Hedda has a cold.", "It rained all day."
    async with opener(writer=Telling({said: "The aunt Hedda, who has a cold, saw the rain."})) as memory:
        await say(memory, *(Turn(text, speaker="Ana", role="user") for text in (lent, said)))
        aunt = next(one for one in await memory.list() if one.text == lent)
        await memory.erase.apply(await memory.erase.show(aunt.id))
        left = [one.text for one in await memory.list(status="any")]

    assert not any("Hedda" in text for text in left)


@pytest.mark.parametrize("together", [True, False])
async def test_what_is_erased_while_a_writer_thinks_lends_nothing(opener: Opener, together: bool) -> None:
    """Whether the writer listens to it, or was shown it as said before: no fact keeps its words, and nothing fails."""
    lent, said = "My aunt Hedda is in hospital.", "She comes home on Friday."
    told = Turn("My aunt Hedda is in hospital.", speaker="Ana", role="user")

    class Slow(Telling):
        """A writer that thinks so long that somebody erases what it was shown."""

        async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
            """Give the fact, too late."""
            found = await super().extract(turns, wanted)
            if found.facts:
                gone = next(one for one in await memory.list() if one.text == lent)
                await memory.erase.apply(await memory.erase.show(gone.id))
            return found

    async with opener(writer=Slow({said: "Ana's aunt Hedda comes home on Friday."})) as memory:
        await memory.note(told, session="s", later=True)
        if not together:
            await hear(memory)
        await say(memory, Turn(said, speaker="Ana", role="user"))
        left = [one.text for one in await memory.list(status="any")]

    assert said in left
    assert not any("Hedda" in text for text in left)


async def test_who_erases_the_turn_that_lent_a_name_erases_the_fact(opener: Opener) -> None:
    """Its words were that turn's; what a person linked so stays."""
    lent = "My aunt Hedda is in hospital.", "She comes home on Friday."
    async with opener(writer=Telling({lent[1]: "Ana's aunt Hedda comes home on Friday."})) as memory:
        await say(memory, *(Turn(text, speaker="Ana", role="user") for text in lent))
        aunt = next(one for one in await memory.list() if one.text == lent[0])
        fact = await only_fact(memory)
        drawn = [link for link in await memory.links(fact.seq) if link.relation is Relation.REFERS]
        beside = await memory.learn("The ward has visiting hours.", speaker="Ana")
        await memory.link(beside.seq, aunt.seq, "refers")
        await memory.erase.apply(await memory.erase.show(aunt.id))
        left = [one.text for one in await memory.list(status="any")]

    assert [(fact.seq, aunt.seq)] == [(link.source, link.target) for link in drawn]
    assert not any("Hedda" in text for text in left)
    assert {lent[1], "The ward has visiting hours."} <= {*left}


async def test_a_writer_is_shown_the_turns_before(opener: Opener) -> None:
    """The last four of the session, and none of another one."""
    writer = Telling({})
    async with opener(writer=writer) as memory:
        await memory.note("Somebody said this elsewhere.", session="other", later=True)
        for number in range(12):
            await memory.note(f"Turn number {number} of the talk.", session="s", later=True)
        await hear(memory)

    shown = [one for one in writer.before if one]
    assert [[f"Turn number {number} of the talk." for number in range(6, 10)]] == shown
