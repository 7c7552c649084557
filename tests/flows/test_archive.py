"""What is archived is found behind what stands, says so, and comes back by confirmation."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import remanence
from remanence.core.errors import InvalidInput
from remanence.core.model import Hit, Status
from remanence.recall.fuse import ARCHIVED_FACTOR
from tests.command_line import typed

KEY = "The spare key of the boathouse hangs behind the red oar."
OLD_KEY = "The spare key of the boathouse lies under the blue bucket."
SISTER = "My sister Ines was born in Lagos on 3 May 1990."
QUESTION = "Where is the spare key of the boathouse?"
ARCHIVE = """version = 1
name = "clear"
[[rule]]
name = "category-fact"
every = "deep"
phase = "expire"
where = "category == 'fact'"
do = "archive"
"""


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[remanence.Engine]:
    """A store that is not in memory, of which facts are archived."""
    async with remanence.open(tmp_path / "memory.db", embedder="hashed") as memory:
        await memory.learn(KEY, category="fact", session="one")
        await memory.learn(SISTER, session="two")
        await memory.consolidate()
        yield memory


async def first(memory: remanence.Engine, **asking: object) -> Hit | None:
    """Return the best hit."""
    found = await memory.recall(QUESTION, **asking)  # type: ignore[arg-type] # as the tests name them
    return next((hit for hit in found if "spare key" in hit.text), None)


async def test_what_is_archived_is_found_at_a_factor_and_says_so(memory: remanence.Engine) -> None:
    """All parts of its score stay as they were, but the one that lowers it; the text marks it, too."""
    before = await first(memory)
    await memory.curate(ARCHIVE)
    after = await first(memory)
    text = (await memory.recall(QUESTION)).text.splitlines()[0]

    assert before is not None
    assert after is not None
    assert (False, True) == (before.archived, after.archived)
    assert pytest.approx({**before.parts, "archived": ARCHIVED_FACTOR}) == after.parts
    assert before.score * ARCHIVED_FACTOR == pytest.approx(after.score)
    assert text.startswith(f"[#{after.seq} ")
    assert "; archived] " in text
    assert after.to_dict()["archived"] is True


async def test_of_two_that_are_as_good_the_one_that_stands_comes_first(tmp_path: Path) -> None:
    """Though the archived one was the better by a little."""
    async with remanence.open(tmp_path / "memory.db", embedder="none") as memory:
        await memory.learn("Ada keeps bees.", category="fact", session="one")
        await memory.learn("Olav has bees in Wells.", session="two")
        await memory.consolidate()
        before = [hit.seq for hit in await memory.recall("bees")]
        await memory.curate(ARCHIVE)
        standing = [(hit.seq, hit.archived) for hit in await memory.recall("bees")]

        assert [1, 2] == before
        assert [(2, False), (1, True)] == standing


async def test_a_closed_archive_is_left_out(memory: remanence.Engine) -> None:
    """By the question, or by the setting, which a question overrules either way."""
    await memory.curate(ARCHIVE)
    closed = await first(memory, archived="closed")
    await memory.settings.set("recall_leaves_out", "archived")
    unset, asked = await first(memory), await first(memory, archived="open")

    assert (None, None) == (closed, unset)
    assert asked is not None
    with pytest.raises(InvalidInput):
        await first(memory, archived="ajar")


async def test_frames_boot_and_lists_know_no_archive(memory: remanence.Engine) -> None:
    """They show what stands."""
    await memory.curate(ARCHIVE)
    shown = [await memory.frame("attention", QUESTION), await memory.frame("boot")]

    assert not [hit for answer in shown for hit in answer if hit.text == KEY]
    assert [SISTER] == [one.text for one in await memory.list()]


async def test_who_asks_for_a_status_gets_it_at_its_full_score(memory: remanence.Engine) -> None:
    """What stands alone, or the archive alone, whatever is open."""
    await memory.curate(ARCHIVE)
    active = await first(memory, filters={"status": "active"}, archived="open")
    archived = await first(memory, filters={"status": "archived"})

    assert active is None
    assert archived is not None
    assert "archived" not in archived.parts
    assert archived.archived


async def test_only_what_stands_counts_as_used(memory: remanence.Engine) -> None:
    """An archived hit is no use, else the archive would keep itself alive."""
    await memory.curate(ARCHIVE)
    found = [hit.text for hit in await memory.recall(f"{QUESTION} And my sister Ines?")]
    await memory._core.uses.settle()
    used = {one.text: one.uses for one in await memory.list(status="any")}

    assert {KEY, SISTER} == {*found}
    assert {KEY: 0, SISTER: 1} == used


async def test_confirming_brings_it_back_and_can_be_undone(memory: remanence.Engine) -> None:
    """It is active at once, the run is in the audit, and undo archives it again."""
    await memory.curate(ARCHIVE)
    hit = await first(memory)
    assert hit is not None
    receipt = await memory.rate(hit, "right")
    back = await first(memory)
    verbs = [event.verb for event in await memory.history(hit.seq)]
    await memory.undo(receipt)
    again = await first(memory)

    assert back is not None
    assert again is not None
    assert (False, Status.ACTIVE, 1) == (back.archived, back.memory.status, back.memory.confirmations)
    assert "confirm" in verbs
    assert (True, Status.ARCHIVED, 0) == (again.archived, again.memory.status, again.memory.confirmations)


async def test_it_still_lends_its_words_to_its_neighbours(tmp_path: Path) -> None:
    """What stands is found by the words of what was said beside it; what is forgotten lends nothing."""
    async with remanence.open(tmp_path / "memory.db", embedder="none") as memory:
        asked = await memory.learn("Which orchestra do you conduct?", category="fact", session="s")
        answer = await memory.learn("The one in Lisbon.", session="s")
        await memory.consolidate()
        await memory.curate(ARCHIVE)
        lent = [hit.seq for hit in await memory.recall("orchestra", archived="closed")]
        await memory.forget(asked)
        forgotten = [hit.seq for hit in await memory.recall("orchestra", archived="closed")]

        assert [answer.seq] == lent
        assert [] == forgotten


async def test_what_fell_otherwise_stays_out_of_sight(memory: remanence.Engine) -> None:
    """Superseded and pruned memories are not found, however open the archive is."""
    old = await memory.learn(OLD_KEY, category="fact", session="three")
    new = await memory.learn("It hangs at the door.", session="four")
    await memory.correct(old, by=new)
    await memory.forget((await memory.list(filters={"text": KEY}))[0])

    assert await first(memory, archived="open") is None


async def test_what_an_archived_memory_says_out_of_date_is_marked(memory: remanence.Engine) -> None:
    """It says when it expired, as one that stands does."""
    one = (await memory.list(filters={"text": KEY}))[0]
    await memory.update(one, valid_to=one.said_at + 1)
    await memory.curate(ARCHIVE)
    hit = await first(memory)

    assert hit is not None
    assert hit.memory.ended[0].startswith("expired ")


def test_the_command_line_says_so_and_closes_it(tmp_path: Path) -> None:
    """The row is marked, the reasons name the factor, and `--archived closed` finds nothing."""
    path = tmp_path / "memory.db"

    async def fill() -> None:
        async with remanence.open(path, embedder="none") as memory:
            await memory.learn(KEY, category="fact")
            await memory.consolidate()
            await memory.curate(ARCHIVE)

    asyncio.run(fill())
    opened, closed = (
        typed("--db", str(path), "--embedder", "none", "recall", QUESTION, "--why", *words)
        for words in ((), ("--archived", "closed"))
    )

    assert "[archived]" in opened.stdout
    assert "archived ×0.850" in " ".join(opened.stdout.split())
    assert "spare key" not in closed.stdout
