"""A frame as of an instant shows what the frame showed then: what stood, as it was said, by tags of then."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import HOUR, ManualClock
from remanence.core.errors import ImagesEnded, InvalidInput
from remanence.core.model import RecallResult
from remanence.flows.base.undo_data_expiry import expire
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.command_line import typed
from tests.flows.conftest import Opener
from tests.flows.test_history import PURGE
from tests.flows.test_recall_as_of import ACTS, ASKED, TEXTS, act_on

WHOLE: dict[str, Any] = {"budget": 100_000, "limit": 1_000, "count_use": False}
# By name what each looks at: all of it, tags, guarantees and the profile, categories, hours, what is not stale.
FRAMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("attention", {}),
    ("attention", {"query": ASKED}),
    ("attention", {"query": TEXTS[0]}),
    ("self", {}),
    ("messages", {}),
    ("lately", {"query": ASKED}),
)


def _shown(answer: RecallResult) -> set[tuple[str, str, str]]:
    return {(hit.id, hit.text, hit.memory.status.label) for hit in answer}


async def _put_frames(memory: remanence.Engine) -> None:
    await memory.frames.set("messages", categories="message", guarantees="boats/*", diversity=0.5)
    await memory.frames.set("lately", window_hours=3, tags="boats/*", per_token=True)


async def test_a_frame_shows_what_was_said_then(opener: Opener, clock: ManualClock) -> None:
    """Texts, tags and statuses of then, also of what was deleted and purged since; nothing that came later."""
    async with opener() as memory:
        ferry = await memory.learn(TEXTS[0], tags=["self/value"])
        mill = await memory.learn(TEXTS[1], tags=["self/constitutional"], role="system")
        stood = clock.now()
        clock.advance(hours=1)
        await memory.update(ferry.id, text="a coach goes at ten")
        await memory.tag(ferry.id, "self/value", off=True)
        await memory.forget(mill.id)
        await memory.apply(await memory.plan(PURGE), allow_destroyed=1)
        await memory.learn(TEXTS[2], tags=["self/value"])
        then = await memory.frame("self", as_of=stood)
        asked = await memory.frame("attention", "the ferry leaves when", as_of=stood)
        now = await memory.frame("self", as_of=clock.now())

    assert {(ferry.id, TEXTS[0]), (mill.id, TEXTS[1])} == {(hit.id, hit.text) for hit in then}
    assert "coach" not in then.text and "coach" not in asked.text
    assert ferry.id == next(iter(asked)).id
    assert [TEXTS[2]] == [hit.text for hit in now]


async def test_a_profile_is_that_of_then(opener: Opener, clock: ManualClock) -> None:
    """Its lines follow the memories of a frame as they were worth and held then."""
    async with opener() as memory:
        gone = await memory.learn("I prefer tea to coffee.", category="preference", role="user")
        ended = await memory.learn("I prefer trains to cars.", category="preference", role="user")
        await memory.update(ended.id, valid_to=clock.now() + HOUR)
        early, late = clock.now(), clock.now() + 2 * HOUR
        clock.advance(hours=3)
        await memory.forget(gone.id)
        texts = [(await memory.frame("self", as_of=at)).text for at in (early, late, clock.now())]

    assert [("tea" in text, "trains" in text) for text in texts] == [
        (True, True),
        (True, False),
        (False, False),
    ]


async def test_a_category_of_then_is_known(tmp_path: Path) -> None:
    """Also to a process that has seen no memory of it: what has it today is none."""
    path, clock = tmp_path / "memory.db", ManualClock()
    async with remanence.open(path, clock=clock) as memory:
        learned = await memory.learn(TEXTS[0], category="preference")
        await memory.frames.set("mine", categories="preference")
        clock.advance(hours=1)
        await memory.update(learned.id, category="fact")
    async with remanence.open(path, clock=clock) as memory:
        then = await memory.frame("mine", as_of=clock.now() - HOUR)
        now = await memory.frame("mine")

    assert ([learned.id], []) == ([hit.id for hit in then], [hit.id for hit in now])


async def test_no_use_counts(opener: Opener, clock: ManualClock) -> None:
    """Who looks back uses nothing."""
    async with opener() as memory:
        learned = await memory.learn(TEXTS[0])
        clock.advance(hours=1)
        assert await memory.frame("attention", as_of=clock.now())

        assert 0 == (await memory.get(learned.id)).uses


async def test_a_later_use_does_not_make_fresh(opener: Opener, clock: ManualClock) -> None:
    """Hours since the last use count to then: what was used afterwards was idle."""
    async with opener() as memory:
        await memory.frames.set("lately", window_hours=3)
        await memory.learn(TEXTS[0])
        clock.advance(hours=2)
        early = clock.now()
        clock.advance(hours=2)
        stood = clock.now()
        clock.advance(hours=1)
        await memory.frame("attention")
        shown = [await memory.frame("lately", as_of=at) for at in (early, stood, clock.now())]

    assert [1, 0, 1] == [len(one.memories) for one in shown]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"as_of": "yesterday"}, "as_of"),
        ({"as_of": 7_258_118_400_000_000}, "still to come"),
        ({"as_of": 0, "explain": True}, "for the present alone"),
        ({"as_of": 0, "why_not": 1}, "for the present alone"),
    ],
)
async def test_what_cannot_be_told_as_of_then_is_refused(
    memory: remanence.Engine, options: dict[str, Any], said: str
) -> None:
    """With one error of ours that says what to do."""
    await memory.learn(TEXTS[0])
    with pytest.raises(InvalidInput, match=said) as refused:
        await memory.frame("attention", **options)

    assert refused.value.recovery


async def test_where_images_have_ended_a_frame_is_refused(opener: Opener, clock: ManualClock) -> None:
    """What the audit has no more nobody knows; before the first memory nothing was."""
    async with opener() as memory:
        first = clock.now()
        clock.advance(hours=1)
        learned = await memory.learn(TEXTS[0])
        stood = clock.now()
        clock.advance(days=1)
        empty = await memory.frame("attention", as_of=first)
        await memory.update(learned.id, text=TEXTS[1])
        clock.advance(days=100)
        await memory.review.settle("clock", "accept")
        await expire(memory._core)
        with pytest.raises(ImagesEnded):
            await memory.frame("attention", as_of=stood)

    assert not empty


async def _edit(path: Path) -> None:
    async with remanence.open(path, clock=ManualClock()) as memory:
        learned = await memory.learn(TEXTS[0])
    async with remanence.open(path) as memory:
        await memory.update(learned.id, text=TEXTS[1])


def test_the_command_line_shows_a_frame_as_it_was(tmp_path: Path) -> None:
    """A time without a zone is local."""
    path = tmp_path / "memory.db"
    asyncio.run(_edit(path))
    then = typed("--db", str(path), "frame", "attention", "--as-of", "2026-01-02", "--text")
    wrong = typed("--db", str(path), "frame", "attention", "--as-of", "2200-01-02")

    assert TEXTS[0] in then.stdout
    assert TEXTS[1] not in then.stdout
    assert "still to come" in wrong.stderr


_IDENTITY = st.lists(st.tuples(st.just("value"), st.integers(0, 4)), max_size=2)


@settings(max_examples=25, deadline=None)
@given(ACTS, _IDENTITY, st.booleans(), st.sampled_from(("none", "hashed")))
async def test_what_is_shown_is_what_was_shown_then(
    acts: list[tuple[str, int]], values: list[tuple[str, int]], in_file: bool, embedder: str
) -> None:
    """After any history a frame as of each instant has the memories, texts and statuses of the frame at it."""
    clock = ManualClock()
    store = None if in_file else MemoryStore()
    async with remanence.open(embedder=embedder, clock=clock, store=store) as memory:
        await _put_frames(memory)
        recorded: list[tuple[int, list[set[tuple[str, str, str]]]]] = []
        for number, (act, seq) in enumerate([*acts[:3], *values, *acts[3:]]):
            try:
                await _act_on(memory, act, seq + 1, number)
            except remanence.RemanenceError:  # nothing has that number, or it may not be done to it
                pass
            recorded.append((clock.now(), await _show_all(memory, {})))
            clock.advance(hours=1)
        for at, then in recorded:
            assert then == await _show_all(memory, {"as_of": at})


async def _act_on(memory: remanence.Engine, act: str, seq: int, number: int) -> None:
    if act == "value":
        await memory.tag(seq, "self/value" if number % 2 else "self/constitutional")
    else:
        await act_on(memory, act, seq, number)


async def _show_all(memory: remanence.Engine, when: dict[str, Any]) -> list[set[tuple[str, str, str]]]:
    return [_shown(await memory.frame(name, **asked, **WHOLE, **when)) for name, asked in FRAMES]
