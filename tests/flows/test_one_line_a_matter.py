"""The profile, `boot` and the page of an entity show the newest of what is surely out of date, and that alone."""

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Status
from tests.flows.conftest import Opener
from tests.models import Naming

TEXTS = ("I prefer mornings for calls.", "I prefer evenings for calls now.", "I prefer noon for calls now.")


async def told(
    memory: remanence.Engine, clock: ManualClock, *, sure: bool, texts: tuple[str, ...] = TEXTS
) -> list[int]:
    """Learn preferences one after the other, each linked as newer than the one before."""
    seqs: list[int] = []
    for text in texts:
        learned = await memory.learn(text, speaker="Ana", category="preference", kind="semantic")
        if seqs:
            await memory.link(learned.seq, seqs[-1], "newer", confidence=None if sure else 0.6)
        seqs.append(learned.seq)
        clock.advance(hours=1)
    return seqs


async def test_the_profile_shows_the_newest_alone(opener: Opener, clock: ManualClock) -> None:
    """One line, though all stand; two that the same is newer than have none either."""
    async with opener() as memory:
        seqs = await told(memory, clock, sure=True)
        beside = await memory.learn("I prefer calls at ten.", speaker="Ana", category="preference")
        await memory.link(seqs[-1], beside, "newer")
        drawn = await memory.frame("profile")
        stands = {one.status for one in await memory.list()}

    assert [seqs[-1]] == [line.seq for line in drawn.lines]
    assert not any(text in drawn.text for text in TEXTS[:2])
    assert {Status.INBOX} == stands


async def test_a_guess_hides_no_line(opener: Opener, clock: ManualClock) -> None:
    """What is linked as newer, not surely, stands beside the older one."""
    async with opener() as memory:
        seqs = await told(memory, clock, sure=False)
        drawn = await memory.frame("profile")
        booted = await memory.frame("boot")

    assert {*seqs} == {line.seq for line in drawn.lines} == {hit.seq for hit in booted.memories}


async def test_boot_shows_the_newest_within_its_budget(opener: Opener, clock: ManualClock) -> None:
    """What is out of date is not shown in the room that the newest did not get."""
    async with opener() as memory:
        seqs = await told(memory, clock, sure=True)
        for budget in (*range(40, 160, 7), 1_600):
            booted = await memory.frame("boot", budget=budget)
            shown = [hit.seq for hit in booted.memories]

            assert booted.tokens <= budget
            assert shown in ([], [seqs[-1]])
        whole = await memory.frame("boot")

    assert [seqs[-1]] == [hit.seq for hit in whole.memories]


async def test_the_page_of_an_entity_shows_the_newest(opener: Opener, clock: ManualClock) -> None:
    """Neither its lines nor its timeline have what is out of date."""
    async with opener(writer=Naming(("Mia Tamm", "person"), fact_of=lambda turn: turn.text)) as memory:
        noted = ["Mia Tamm lives in Tartu.", "Mia Tamm lives in Bergen now."]
        for text in noted:
            await memory.note(text, speaker="Ana", session="s", later=True)
            await memory.consolidate()
            clock.advance(hours=1)
        facts = {one.text: one.seq for one in await memory.list() if one.text in noted}
        await memory.link(facts[noted[1]], facts[noted[0]], "newer")
        (known,) = [one for one in await memory.entities.list() if one.name == "Mia Tamm"]
        page = await memory.entities.get(known.seq)

    assert ["Mia Tamm lives in Bergen now."] == [one.text for one in page.lines]
    assert page.lines == page.timeline
    assert "Tartu" not in str(page)
    assert f"#{facts[noted[1]]} " in str(page)


async def test_the_page_of_an_entity_leaves_out_what_was_still_to_come_and_is_over(
    opener: Opener, clock: ManualClock
) -> None:
    """Once the day of a plan is over it is in neither lines nor timeline, though nothing was written since."""
    async with opener(writer=Naming(("Mia Tamm", "person"), fact_of=lambda turn: turn.text)) as memory:
        await memory.note("Mia Tamm speaks in Tartu.", speaker="Ana", session="s", later=True)
        await memory.consolidate()
        (fact,) = [one for one in await memory.list() if one.text == "Mia Tamm speaks in Tartu."]
        await memory.update(fact, attributes={"event_at": "2026-01-05"})
        before = await memory.entities.get("Mia Tamm")
        clock.advance(days=6)
        after = await memory.entities.get("Mia Tamm")

    assert [fact.seq] == [one.seq for one in before.lines] == [one.seq for one in before.timeline]
    assert () == after.lines == after.timeline


async def test_a_long_chain_and_a_circle_hide_nothing_that_is_newest(
    opener: Opener, clock: ManualClock
) -> None:
    """Of thirty the last has a line; of two that outdate each other neither is sure to be newest."""
    many = tuple(f"I prefer {number} o'clock for calls now." for number in range(30))
    async with opener() as memory:
        seqs = await told(memory, clock, sure=True, texts=many)
        drawn = await memory.frame("profile")
    async with opener(scope="other") as memory:
        one, other = await told(memory, clock, sure=True, texts=TEXTS[:2])
        await memory.link(one, other, "newer")
        await memory.frame("profile")

    assert [seqs[-1]] == [line.seq for line in drawn.lines]
