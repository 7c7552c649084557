"""What follows from a change follows at once: decay class, state, and what protects a memory whose place is taken."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, ManualClock
from remanence.core.errors import Conflict, InvalidInput, NameUnknown, Protected
from remanence.core.model import Decay, Link, Memory, Relation, Status, Turn
from tests.flows.conftest import Opener
from tests.flows.test_elfmem import BY_HAND

FOUNDED: dict[str, Any] = {"agent": "a", "source": "s"}


async def _dump(memory: remanence.Engine) -> list[bytes]:
    return [line async for line in memory.export()]


# The decay class


Step = Callable[[remanence.Engine], Awaitable[Any]]
STEPS: dict[str, tuple[Step, Decay]] = {
    "tag": (lambda memory: memory.tag("k", "self/constitutional"), Decay.PERMANENT),
    "tag with another": (lambda memory: memory.tag("k", "x", "self/goal"), Decay.DURABLE),
    "another tag": (lambda memory: memory.tag("k", "x"), Decay.STANDARD),
    "update": (lambda memory: memory.update("k", category="observation"), Decay.EPHEMERAL),
    "put": (lambda memory: memory.learn("who I am", key="k", tags=["self/value"], **FOUNDED), Decay.DURABLE),
    "put of another category": (
        lambda memory: memory.learn("I am another", key="k", category="observation", **FOUNDED),
        Decay.EPHEMERAL,
    ),
    "repeat": (lambda memory: memory.learn("who I am", tags=["self/constraint"]), Decay.DURABLE),
    "many repeats": (
        lambda memory: memory.learn([Turn("who I am"), Turn("who I am", tags=["self/constitutional"])]),
        Decay.PERMANENT,
    ),
}


@pytest.mark.parametrize("step", STEPS)
async def test_the_decay_class_follows_tags_and_category(memory: remanence.Engine, step: str) -> None:
    """Whatever changes one of them changes it in the same run, and the undoing of the run takes both back."""
    await memory.learn("who I am", key="k")
    before = await _dump(memory)
    do, decay = STEPS[step]
    await do(memory)
    after = (await memory.get("k")).decay
    run = (await memory.history())[-1]
    await memory.undo(run.run)

    assert decay is after
    assert before == await _dump(memory)


async def test_a_tag_taken_away_takes_its_class_with_it(memory: remanence.Engine) -> None:
    """The class is the one of what is left: of other tags, else of the category."""
    await memory.learn("x", key="k", category="observation", tags=["self/constitutional", "self/goal"])
    seen = [(await memory.get("k")).decay]
    for tag in ("self/constitutional", "self/goal"):
        await memory.tag("k", tag, off=True)
        seen.append((await memory.get("k")).decay)

    assert [Decay.PERMANENT, Decay.DURABLE, Decay.EPHEMERAL] == seen


async def test_of_tags_given_at_once_none_is_overlooked(opener: Opener) -> None:
    """Many callers give and take the tags on which the class hangs: in the end it is the one of the tags there are."""
    async with opener() as memory:
        for number in range(12):
            learned = await memory.learn(f"text {number}", tags=["self/constitutional"])
            await asyncio.gather(
                memory.tag(learned.id, "self/constitutional", off=True),
                memory.tag(learned.id, "self/goal"),
                memory.tag(learned.id, "x"),
            )
            found = await memory.get(learned.id)

            assert (("self/goal", "x"), Decay.DURABLE) == (found.tags, found.decay)


async def test_who_an_agent_is_outlasts_the_work(opener: Opener, clock: ManualClock) -> None:
    """Tagged after it was learned, a memory stands after 301 hours of work, which archive what was not tagged."""
    async with opener(policy=BY_HAND) as memory:
        who, what = await memory.learn("who I am"), await memory.learn("what I did")
        await memory.tag(who.id, "self/constitutional")
        await memory.begin_session()
        clock.advance(hours=301)
        await memory.end_session()
        await memory.curate()

        assert Status.ACTIVE is (await memory.get(who.id)).status
        assert Status.ARCHIVED is (await memory.get(what.id)).status


async def test_what_comes_in_again_by_an_import_brings_its_class(opener: Opener) -> None:
    """A memory that is here gets the tags of the one that says the same, and the class that follows from them."""
    async with opener(scope="there") as memory:
        await memory.learn("who I am", tags=["self/constitutional"])
        lines = await _dump(memory)
    async with opener(scope="here") as memory:
        learned = await memory.learn("who I am", tags=["x"])
        await memory.import_(lines, trust="user")
        found = await memory.get(learned.id)

    assert (("self/constitutional", "x"), Decay.PERMANENT) == (found.tags, found.decay)


# States


@pytest.mark.parametrize(
    ("category", "state"), [("task", "pending"), ("notification", "unread"), ("fact", None)]
)
async def test_a_category_begins_in_its_first_state(
    memory: remanence.Engine, clock: ManualClock, category: str, state: str | None
) -> None:
    """On arrival, by `learn` and by `put`, and for a memory that comes to the category; said states stay."""
    at = clock.now()
    await memory.learn("one", key="one", category=category)
    await memory.learn("two", key="two", category=category, **FOUNDED)
    await memory.learn("three", key="three", category="preference")
    clock.advance(hours=1)
    await memory.update("three", category=category)
    found = [await memory.get(name) for name in ("one", "two", "three")]
    said = await memory.learn("said", category="task", state="blocked")

    assert [state] * 3 == [one.state for one in found]
    times = [at, at, clock.now()] if state else [None] * 3
    assert times == [one.state_at for one in found]
    assert "blocked" == (await memory.get(said.id)).state


async def test_what_has_ended_does_not_begin_again(memory: remanence.Engine) -> None:
    """A last state is left by undo alone: not for an earlier one, nor for none, by no verb; said with a way on."""
    task = await memory.learn("Water the plants", key="k", category="task")
    done = await memory.update(task.id, state="completed")
    again: dict[str, Callable[[], Awaitable[Any]]] = {
        "pending": lambda: memory.update(task.id, state="pending"),
        "failed": lambda: memory.update(task.id, state="failed"),
        "none": lambda: memory.update(task.id, state=None),
        "put": lambda: memory.learn("Water them all", key="k", category="task", state="pending", **FOUNDED),
        "by another category": lambda: memory.update(task.id, category="fact"),
        "by another's state": lambda: memory.update(task.id, category="analysis", state="in_progress"),
        "by none": lambda: memory.update(task.id, category=None, state=None),
        "by putting it there": lambda: memory.learn(
            "Water them all", key="k", category="notification", **FOUNDED
        ),
    }
    for way in again.values():
        with pytest.raises(InvalidInput, match="completed") as caught:
            await way()

        assert "undo" in caught.value.recovery

    await memory.update(task.id, state="completed", text="Water the roses")
    await memory.learn("Water the tulips", key="k", **FOUNDED)

    assert ("completed", "Water the tulips") == ((one := await memory.get("k")).state, one.text)

    other = await memory.learn("Sow", category="task")
    done = await memory.update(other.id, state="completed")
    await memory.undo(done)

    assert "pending" == (await memory.get(other.id)).state


async def test_a_state_that_fits_another_category_stays(memory: remanence.Engine) -> None:
    """Else it begins anew there; an abbreviation of a condition is no state."""
    task = await memory.learn("Look into it", category="task", state="in_progress")
    await memory.update(task.id, category="analysis")
    kept = (await memory.get(task.id)).state
    await memory.update(task.id, category="recommendation")

    assert ("in_progress", "open") == (kept, (await memory.get(task.id)).state)

    with pytest.raises(NameUnknown):
        await memory.update(task.id, category="task", state="unfinished")


# Repeats


async def test_a_repeat_keeps_what_it_brings(opener: Opener) -> None:
    """Its tags, its source and a higher confidence; a lower one is nothing new, whether one by one or in a batch."""
    turns = [
        Turn("Ann likes tea", source="a", confidence=0.5),
        Turn("Ann likes tea", source="b", confidence=0.8, tags=["drink", "self/goal"]),
        Turn("Ann likes tea", source="c", confidence=0.3, tags=["drink", "ann"]),
    ]
    found: dict[str, Memory] = {}
    async with opener(scope="one by one") as memory:
        done = [await memory.learn(turn.text, **_more(turn)) for turn in turns]
        found["one by one"] = await memory.get(done[0].id)
    async with opener(scope="batch") as memory:
        many = await memory.learn(turns)
        found["batch"] = await memory.get(many[0].id)
    async with opener(scope="both") as memory:
        first = await memory.learn(turns[:1])
        await memory.learn(turns[1:])
        found["both"] = await memory.get(first[0].id)

    assert (
        ["stored", "confirmed", "confirmed"] == [one.status for one in done] == [one.status for one in many]
    )
    for one in found.values():
        assert (("ann", "drink", "self/goal"), ("a", "b", "c")) == (one.tags, one.sources)
        assert (0.8, Decay.DURABLE, 2) == (one.confidence, one.decay, one.confirmations)


def _more(turn: Turn) -> dict[str, Any]:
    return {"source": turn.source, "confidence": turn.confidence, "tags": turn.tags}


async def test_a_turn_that_came_in_before_brings_nothing(memory: remanence.Engine) -> None:
    """A turn that is noted again under its key is not taken in again, tags and all."""
    first = await memory.note("Ann likes tea", key="1", source="chat")
    again = await memory.note("Ann likes tea", key="1", tags=["late"], confidence=1)
    found = await memory.get(first.id)

    assert ("known", ("turn",), None, 0) == (again.status, found.tags, found.confidence, found.confirmations)


# What takes a memory's place


async def _protected(memory: remanence.Engine) -> Memory:
    """Learn a memory that is pinned and under two holds, one of them for a day."""
    learned = await memory.learn("The meeting is at two", tags=["plan"])
    await memory.pin(learned.id)
    await memory.hold(learned.id, "legal")
    await memory.hold(learned.id, "short", until=memory._core.clock.now() + DAY)
    return await memory.get(learned.id)


@pytest.mark.parametrize("way", ["correct", "correct by what is known", "supersede", "resolve"])
async def test_what_takes_a_place_takes_over_its_protection(memory: remanence.Engine, way: str) -> None:
    """Pin and holds in the same commit as the place, undone together; the old memory keeps them too."""
    old = await _protected(memory)
    other = await memory.learn("The meeting is at four", key="other", tags=["meeting"])
    await memory.hold("other", "short")
    before, new = await _dump(memory), other.id
    if way == "correct":
        new = (await memory.correct(old.id, "The meeting is at five")).id
    elif way == "correct by what is known":
        new = (await memory.correct(old.id, "The meeting is at four")).id
    elif way == "supersede":
        await memory.correct(old.id, by="other")
    else:
        await memory.link(old.id, "other", "contradicts")
        before = await _dump(memory)
        await memory.review.settle((old.id, "other"), "other")
    successor, left = await memory.get(new), await memory.get(old.id)
    short = None if new == other.id else old.holds and old.holds["short"]

    assert (1, {"legal": None, "short": short}) == (successor.pinned, dict(successor.holds or {}))
    assert (Status.SUPERSEDED, 1, old.holds) == (left.status, left.pinned, left.holds)
    with pytest.raises(Protected):
        await memory.forget(new)

    (run, *_) = (await memory.history())[-1:]
    await memory.undo(run.run)

    assert before == await _dump(memory)


async def test_a_hold_that_has_ended_is_not_taken_over(memory: remanence.Engine, clock: ManualClock) -> None:
    """What protects no longer protects no successor."""
    old = await _protected(memory)
    await memory.pin(old.id, off=True)
    await memory.hold(old.id, "legal", off=True)
    clock.advance(days=2)
    new = await memory.correct(old.id, "The meeting is at four")

    assert (0, None, None) == ((one := await memory.get(new.id)).pinned, one.holds, one.hold_until)


async def test_protection_goes_on_to_who_stands(memory: remanence.Engine) -> None:
    """Superseded by what was itself superseded since, a memory protects the last of the line too."""
    old = await _protected(memory)
    for key in ("second", "third"):
        await memory.learn(f"the {key}", key=key)
    await memory.correct("second", by="third")
    await memory.correct(old.id, by="second")

    assert [1, 1] == [(await memory.get(key)).pinned for key in ("second", "third")]


async def test_a_correction_is_one_run(memory: remanence.Engine) -> None:
    """Text, link and place change in one commit; of a text that cannot be kept nothing is left."""
    old = await memory.learn("The meeting is at two", tags=["plan"])
    born = len(await memory.history())
    new = await memory.correct(old.id, "The meeting is at four")
    (event,) = (await memory.history())[born:]

    assert "correct" == event.verb
    assert [(new.seq, old.seq, Relation.SUPERSEDES)] == [_ends(link) for link in await memory.links(old.id)]

    same = await memory.correct(new.id, "The meeting is at four")

    assert (new.id, 1) == (same.id, (await memory.get(new.id)).confirmations)
    with pytest.raises(InvalidInput):
        await memory.correct(new.id, " ")
    assert Status.INBOX is (await memory.get(new.id)).status


def _ends(link: Link) -> tuple[int, int, Relation]:
    return link.source, link.target, link.relation


async def test_two_corrections_at_once_leave_one_line(opener: Opener) -> None:
    """Of two that correct the same reading, with `if_revision` one is told; without it the later one holds."""
    async with opener() as memory:
        old = await memory.get((await memory.learn("two")).id)
        done = await asyncio.gather(
            *(memory.correct(old.id, f"text {n}", if_revision=old.revision) for n in range(4)),
            return_exceptions=True,
        )
        both = await asyncio.gather(*(memory.correct(old.id, f"later {n}") for n in range(2)))
        drawn = [link for link in await memory.links(old.id) if link.relation is Relation.SUPERSEDES]

    assert 3 == sum(isinstance(one, Conflict) for one in done)
    assert 1 == len(drawn)
    assert drawn[0].source in {one.seq for one in both}


# Text under a hold


async def test_a_held_text_is_not_rewritten(memory: remanence.Engine, clock: ManualClock) -> None:
    """By `update` nor `put`, while the hold lasts; anything else may change, and a correction keeps it as history."""
    learned = await memory.learn("The meeting is at two", key="k")
    await memory.hold("k", "legal", until=clock.now() + DAY)

    with pytest.raises(Protected, match="legal") as caught:
        await memory.update("k", text="The meeting is at four", confidence=0.1)
    with pytest.raises(Protected):
        await memory.learn("The meeting is at four", key="k", **FOUNDED)

    assert ("held",) == caught.value.guards
    assert ("The meeting is at two", None) == ((one := await memory.get("k")).text, one.confidence)

    await memory.update("k", text="The meeting is at two", confidence=0.5)
    await memory.learn("The meeting is at two", key="k", tags=["plan"], **FOUNDED)
    corrected = await memory.correct("k", "The meeting is at three")

    assert "The meeting is at two" == (await memory.get(learned.id)).text
    with pytest.raises(Protected):
        await memory.update(corrected.id, text="The meeting is at four")

    clock.advance(days=2)
    await memory.update(corrected.id, text="The meeting is at four")

    assert "The meeting is at four" == (await memory.get(corrected.id)).text
