"""Views of one line a matter show the newest of what is surely out of date, and what it was before."""

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
            await memory.link(learned.seq, seqs[-1], "newer", confidence=0.9 if sure else 0.6)
        seqs.append(learned.seq)
        clock.advance(hours=1)
    return seqs


async def test_the_profile_shows_the_newest_and_what_was_before(opener: Opener, clock: ManualClock) -> None:
    """One line, though all stand."""
    async with opener() as memory:
        seqs = await told(memory, clock, sure=True)
        drawn = await memory.profile()
        stands = {one.status for one in await memory.list()}

    assert [seqs[-1]] == [line.seq for line in drawn.lines]
    assert [TEXTS[1]] == [line.before for line in drawn.lines]
    assert f"{TEXTS[2]} (before: {TEXTS[1]})" in drawn.text
    assert {Status.INBOX} == stands


async def test_a_guess_hides_no_line(opener: Opener, clock: ManualClock) -> None:
    """What is linked as newer, not surely, stands beside the older one, and says nothing of it."""
    async with opener() as memory:
        seqs = await told(memory, clock, sure=False)
        drawn = await memory.profile()
        booted = await memory.boot()

    assert {*seqs} == {line.seq for line in drawn.lines} == {hit.seq for hit in booted.memories}
    assert "before:" not in drawn.text + booted.text


async def test_boot_shows_the_newest_within_its_budget(opener: Opener, clock: ManualClock) -> None:
    """What it says of before takes no more room than the line that is left out."""
    async with opener() as memory:
        seqs = await told(memory, clock, sure=True)
        for budget in (*range(40, 160, 7), 1_600):
            booted = await memory.boot(budget=budget)
            shown = [hit.seq for hit in booted.memories]

            assert booted.tokens <= budget
            assert seqs[-1] not in shown or {seqs[-1]} == {*shown}
        booted = await memory.boot()

        whole = await memory.boot(budget=1_600)

    assert f"{TEXTS[2]} (before: {TEXTS[1]})" in whole.text


async def test_the_page_of_an_entity_shows_the_newest(opener: Opener, clock: ManualClock) -> None:
    """Its timeline has all."""
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
    assert noted == [one.text for one in page.timeline]
    assert "(before: Mia Tamm lives in Tartu.)" in str(page)


async def test_a_long_chain_and_a_circle_hide_nothing_that_is_newest(
    opener: Opener, clock: ManualClock
) -> None:
    """Of thirty the last has a line; of two that outdate each other neither is sure to be newest."""
    many = tuple(f"I prefer {number} o'clock for calls now." for number in range(30))
    async with opener() as memory:
        seqs = await told(memory, clock, sure=True, texts=many)
        drawn = await memory.profile()
    async with opener(scope="other") as memory:
        one, other = await told(memory, clock, sure=True, texts=TEXTS[:2])
        await memory.link(one, other, "newer", confidence=0.9)
        await memory.profile()

    assert [seqs[-1]] == [line.seq for line in drawn.lines]
