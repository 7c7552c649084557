"""What was at an instant is what a copy that was made then shows: from what stands and what the audit says since."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import HOUR, ManualClock, to_datetime
from remanence.core.errors import Erased, ImagesEnded, InvalidInput, NotFound
from remanence.core.model import Memory, Status
from remanence.flows.base.undo_data_expiry import expire
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.command_line import typed
from tests.flows.conftest import Opener
from tests.flows.test_history import PURGE

TEXTS = ("the ferry leaves at nine", "the mill is closed", "Ada keeps the key", "the roof leaks")
# What the audit does not log: uses, and what guards edits.
UNLOGGED: dict[str, Any] = dict.fromkeys(("uses", "use_days", "use_day", "touched", "revision"), 0)
UNLOGGED |= {"used_at": None, "accessors": None}


def _plain(memories: list[Memory]) -> list[Memory]:
    """Return memories without what nobody can know of an instant, and what `get` alone tells."""
    return [replace(one, **UNLOGGED, last_action=None, ended=()) for one in memories]


async def test_a_memory_is_shown_as_it_was(opener: Opener, clock: ManualClock) -> None:
    """Text, status, validity, tags and what it says of itself, before and after each of its changes."""
    async with opener() as memory:
        learned = await memory.learn(TEXTS[0], key="ferry", tags=["boats"])
        born = clock.now()
        clock.advance(hours=1)
        await memory.consolidate()
        await memory.update(learned.id, text="the ferry leaves at ten", valid_to=clock.now() + HOUR)
        await memory.tag(learned.id, "harbour")
        edited = clock.now()
        clock.advance(hours=2)
        await memory.forget(learned.id)
        first = await memory.get("ferry", as_of=born)
        second = await memory.get(learned.seq, as_of=to_datetime(edited))
        later = await memory.get(learned.id, as_of=edited + HOUR)
        last = await memory.get(learned.id, as_of=clock.now())
        with pytest.raises(NotFound, match="was forgotten"):
            await memory.get("ferry", as_of=clock.now())

    assert (TEXTS[0], Status.INBOX, ("boats",), None) == (
        first.text,
        first.status,
        first.tags,
        first.valid_to,
    )
    assert ("the ferry leaves at ten", Status.ACTIVE) == (second.text, second.status)
    assert ("boats", "harbour") == second.tags
    assert ((), ("expired 2026-01-01",)) == (second.ended, later.ended)
    assert Status.PRUNED is last.status


async def test_what_was_purged_is_shown_as_it_was(opener: Opener, clock: ManualClock) -> None:
    """Its row is in the image of the run that destroyed it; today it is not there."""
    async with opener() as memory:
        learned = await memory.learn(TEXTS[1], key="mill", tags=["works"], source="log:1")
        stood = clock.now()
        clock.advance(hours=1)
        await memory.forget(learned.id)
        await memory.apply(await memory.plan(PURGE), allow_destroyed=1)
        then = await memory.get("mill", as_of=stood)
        listed = await memory.list(as_of=stood)
        with pytest.raises(NotFound):
            await memory.get(learned.id)

    assert (TEXTS[1], Status.INBOX, ("works",), ("log:1",)) == (
        then.text,
        then.status,
        then.tags,
        then.sources,
    )
    assert _plain([then]) == _plain(listed)


async def test_before_the_first_memory_nothing_was(opener: Opener, clock: ManualClock) -> None:
    """A list is empty, and a memory was not there yet, which is told with since when it is."""
    async with opener() as memory:
        before = clock.now()
        clock.advance(hours=1)
        learned = await memory.learn(TEXTS[0])

        assert [] == await memory.list(as_of=before)
        with pytest.raises(NotFound, match="was not there on 2026-01-01 00:00 UTC"):
            await memory.get(learned.id, as_of=before)


@pytest.mark.parametrize(
    ("as_of", "said"),
    [
        (datetime(2200, 1, 1, tzinfo=UTC), "still to come"),
        (datetime(2026, 1, 1), "no time zone"),  # noqa: DTZ001 - a naive one is what is refused
        (datetime(1601, 1, 1, tzinfo=UTC), "out of range"),
        ("yesterday", "as_of"),
        (True, "."),
    ],
)
async def test_an_instant_that_is_none_is_refused(memory: remanence.Engine, as_of: Any, said: str) -> None:
    """By every verb that takes one, with one error of ours that says what to do."""
    learned = await memory.learn(TEXTS[0])
    for asked in (memory.get(learned.id, as_of=as_of), memory.list(as_of=as_of)):
        with pytest.raises(InvalidInput, match=said) as refused:
            await asked

        assert refused.value.recovery


async def test_what_was_erased_since_is_not_guessed(opener: Opener, clock: ManualClock) -> None:
    """By its name it is refused, and a list leaves it out."""
    async with opener() as memory:
        gone, kept = await memory.learn(TEXTS[0]), await memory.learn(TEXTS[1])
        stood = clock.now()
        clock.advance(hours=1)
        await memory.erase.apply(await memory.erase.show(gone.id))
        listed = await memory.list(as_of=stood)
        with pytest.raises(Erased):
            await memory.get(gone.id, as_of=stood)

    assert [kept.id] == [one.id for one in listed]


async def test_where_images_have_ended_it_is_refused(opener: Opener, clock: ManualClock) -> None:
    """What the audit has no more nobody knows, and the error says until when."""
    async with opener() as memory:
        learned = await memory.learn(TEXTS[0])
        stood = clock.now()
        clock.advance(days=1)
        await memory.update(learned.id, text="the ferry leaves at ten")
        clock.advance(days=100)
        await memory.review.settle("clock", "accept")
        await expire(memory._core)
        for asked in (memory.get(learned.id, as_of=stood), memory.list(as_of=stood)):
            with pytest.raises(ImagesEnded, match="ended on") as refused:
                await asked

            assert "audit_days" in refused.value.recovery
        now = await memory.list(as_of=clock.now())

    assert [learned.id] == [one.id for one in now]


async def test_filters_hold_of_what_was(opener: Opener, clock: ManualClock) -> None:
    """A status, a tag and a column are those of then, and a list goes on behind the last of one before."""
    async with opener() as memory:
        learned = [await memory.learn(text, category="fact") for text in TEXTS]
        await memory.tag(learned[0].id, "old")
        stood = clock.now()
        clock.advance(hours=1)
        await memory.tag(learned[0].id, "old", off=True)
        await memory.update(learned[1].id, category="decision")
        await memory.forget(learned[2].id)
        tagged = await memory.list(tags=["old"], as_of=stood)
        facts = await memory.list(category="fact", as_of=stood)
        fallen = await memory.list(status="pruned", as_of=stood)
        page = await memory.list(as_of=stood, limit=2)
        rest = await memory.list(as_of=stood, after=page[-1])

    assert [learned[0].seq] == [one.seq for one in tagged]
    assert (
        [one.seq for one in learned][::-1]
        == [one.seq for one in facts]
        == [one.seq for one in (*page, *rest)]
    )
    assert [] == fallen


async def test_what_went_and_came_again_was_as_it_was_first(opener: Opener, clock: ManualClock) -> None:
    """Of a tag the first change since counts; a counter loses what was added since, before an edit and after it."""
    async with opener() as memory:
        learned = await memory.learn(TEXTS[0], tags=["old"])
        await memory.rate(learned.id, "right")
        await memory.rate(learned.id, "wrong")
        stood, then = clock.now(), await memory.get(learned.id)
        clock.advance(hours=1)
        await memory.tag(learned.id, "old", off=True)
        await memory.rate(learned.id, "right")
        await memory.rate(learned.id, "wrong")
        await memory.update(learned.id, text=TEXTS[1])
        await memory.tag(learned.id, "old")
        await memory.rate(learned.id, "right")
        now, was = await memory.get(learned.id), await memory.get(learned.id, as_of=stood)

    assert (3, 2) == (now.confirmations, now.disputes)
    assert (1, 1, ("old",)) == (was.confirmations, was.disputes, was.tags)
    assert _plain([then]) == _plain([was])


async def _edited(path: Path) -> str:
    """Learn a text on the first day of 2026, replace it now, and return its id."""
    async with remanence.open(path, clock=ManualClock()) as memory:
        learned = await memory.learn(TEXTS[0])
    async with remanence.open(path) as memory:
        await memory.update(learned.id, text=TEXTS[1])
    return learned.id


def test_the_command_line_shows_what_was(tmp_path: Path) -> None:
    """By `get` and by `list`, where a time without a zone is local."""
    path = tmp_path / "memory.db"
    name = asyncio.run(_edited(path))
    then = typed("--db", str(path), "get", name, "--as-of", "2026-01-02", "--json")
    listed = typed("--db", str(path), "list", "--as-of", "2026-01-02", "--json")
    wrong = typed("--db", str(path), "list", "--as-of", "2200-01-02")

    assert TEXTS[0] in then.stdout
    assert TEXTS[0] in listed.stdout
    assert TEXTS[1] not in then.stdout + listed.stdout
    assert "still to come" in wrong.stderr


_ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            (
                "learn",
                "edit",
                "tag",
                "untag",
                "pin",
                "forget",
                "restore",
                "consolidate",
                "confirm",
                "supersede",
                "purge",
            )
        ),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=14,
)


async def _act(memory: remanence.Engine, act: str, seq: int, number: int) -> None:
    match act:
        case "learn":
            await memory.learn(f"{TEXTS[seq % 4]}, said {number}", tags=[f"t{seq}"], category="fact")
        case "edit":
            await memory.update(seq, text=f"edited {number}", valid_to=(number + 1) * HOUR, importance=0.5)
        case "tag" | "untag" as verb:
            await memory.tag(seq, f"t{seq}", off=verb == "untag")
        case "consolidate":
            await memory.consolidate()
        case "supersede":
            await memory.correct(seq, by=seq + 1)
        case "confirm":
            await memory.rate(seq, "right")
        case "purge":
            await memory.apply(await memory.plan(PURGE), allow_destroyed=10)
        case verb:
            await getattr(memory, verb)(seq)


@settings(max_examples=25, deadline=None)
@given(_ACTS, st.booleans())
async def test_what_was_is_what_a_copy_of_then_shows(acts: list[tuple[str, int]], in_file: bool) -> None:
    """After any history each instant reads as it was recorded, by list and by get; now reads as it is."""
    clock = ManualClock()
    store = None if in_file else MemoryStore()
    async with remanence.open(embedder="none", clock=clock, store=store) as memory:
        recorded: list[tuple[int, list[Memory]]] = []
        for number, (act, seq) in enumerate(acts):
            try:
                await _act(memory, act, seq + 1, number)
            except remanence.RemanenceError:  # nothing has that number, or it may not be done to it
                pass
            recorded.append((clock.now(), await memory.list(status="any")))
            clock.advance(hours=1)
        for at, then in recorded:
            assert _plain(then) == _plain(await memory.list(status="any", as_of=at))
        for one in recorded[-1][1]:
            assert _plain([one]) == _plain([await memory.get(one.seq, as_of=clock.now())])
