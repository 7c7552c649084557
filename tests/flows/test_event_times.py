"""A question that tells its time by an event finds what was said then, on both stores."""

from datetime import UTC, datetime, timedelta

import remanence
from remanence.core.clock import ManualClock
from tests.flows.conftest import Opener

FAIR = datetime(2026, 5, 30, 12, tzinfo=UTC)
PAINTED = ("I painted the fence green.", "I painted the door blue.", "I painted the shed red.")


async def _learn(memory: remanence.Engine) -> None:
    for text, weeks in zip(PAINTED, (-2, 1, -5), strict=True):
        await memory.learn(text, said_at=FAIR + timedelta(weeks=weeks), session=text)
    await memory.learn("The village fair is on 30 May.", said_at=FAIR - timedelta(days=60), session="fair")


async def test_what_was_said_then_stands_first(opener: Opener, clock: ManualClock) -> None:
    """The answer says which time was read, and by which memory; a frame puts it first, too, and no use counts."""
    clock.set(FAIR + timedelta(days=30))
    async with opener() as memory:
        await _learn(memory)
        answer = await memory.recall("What did I paint two weeks before the village fair?", limit=3)
        later = await memory.recall("What did I paint a week after the village fair?", limit=1)
        uses = (await memory.get(4)).uses
        frame = await memory.frame("attention", "What did I paint two weeks before the village fair?")

    assert [PAINTED[0], PAINTED[1], PAINTED[0]] == [next(iter(one)).text for one in (answer, later, frame)]
    assert ("two weeks before the village fair (#4): 2026-05-13 to 2026-05-19",) == answer.times
    assert "What did I paint two weeks before the village fair?" == answer.query
    assert 0 == uses


async def test_by_what_was_said_of_it_where_no_day_is_named(opener: Opener, clock: ManualClock) -> None:
    """Who tells of an event without a date mostly does so at its time."""
    clock.set(FAIR + timedelta(days=30))
    async with opener() as memory:
        await memory.learn("The regatta was great fun!", said_at=FAIR, session="regatta")
        for days, who in ((1, "Ada"), (4, "Ben"), (-9, "Cleo")):
            await memory.learn(f"{who} came to visit.", said_at=FAIR + timedelta(days=days), session=who)
        answer = await memory.recall("Who came to visit the day after the regatta?", limit=1)

    assert ["Ada came to visit."] == [hit.text for hit in answer]


async def test_what_is_said_in_these_words_is_asked_for(opener: Opener, clock: ManualClock) -> None:
    """Where a memory says "two days before the surgery" itself, that is the answer and no time."""
    clock.set(FAIR)
    async with opener() as memory:
        await memory.learn("The surgery is on 4 May.", session="date")
        told = await memory.learn("Stop taking aspirin two days before the surgery.", session="pills")
        await memory.learn("Aspirin is in the kitchen drawer.", session="drawer")
        answer = await memory.recall("What do I stop two days before the surgery?", limit=1)

    assert [told.id] == [hit.id for hit in answer]
    assert () == answer.times


async def test_the_event_is_looked_up_where_the_question_is(opener: Opener, clock: ManualClock) -> None:
    """What somebody disputed tells no day, nor does a question; of others the most trusted; frames say it, too."""
    clock.set(FAIR + timedelta(days=30))
    question = "What did I paint two weeks before the village fair?"
    async with opener() as memory:
        await _learn(memory)
        await memory.learn("The village fair is on 3 June.", trust="outside", said_at=FAIR)
        wrong = await memory.learn("The village fair is on 1 May.", said_at=FAIR)
        await memory.rate(wrong.id, "wrong")
        await memory.learn("Is the village fair on 9 May?", said_at=FAIR)
        answer, frame = await memory.recall(question), await memory.frame("attention", question)
        await memory.forget(4)
        other = await memory.recall(question)

    assert ["(#4): 2026-05-13"] == [one[one.index("(") : -len(" to 2026-05-19")] for one in answer.times]
    assert answer.times == frame.times
    assert () == other.times  # by the other day nothing was painted two weeks before


async def test_what_was_not_said_then_is_asked_by_all_words(opener: Opener, clock: ManualClock) -> None:
    """Advice for the day after something is found by its own words, whenever it was given."""
    clock.set(FAIR)
    async with opener() as memory:
        await memory.learn("The surgery is on 4 May.", session="date")
        told = await memory.learn("After surgery a shower is fine from the next day on.", session="advice")
        await memory.learn("The shower head is broken.", session="broken")
        answer = await memory.recall("May I shower a day after the surgery?", limit=1)

    assert [told.id] == [hit.id for hit in answer]
    assert () == answer.times


async def test_an_event_that_nobody_tells_of_hides_nothing(opener: Opener, clock: ManualClock) -> None:
    """The question is then one by its words; where without the event's words nothing is found, they count again."""
    clock.set(FAIR)
    async with opener(embedder="none") as memory:
        await memory.learn("The surgery was on 4 May.", session="date")
        unknown = await memory.recall("What did I paint two weeks before the regatta?")
        nothing = await memory.recall("zzz two weeks before the surgery")

    assert () == unknown.times
    assert ["The surgery was on 4 May."] == [hit.text for hit in nothing]
