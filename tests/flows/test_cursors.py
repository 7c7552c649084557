"""Whatever lists can be read in parts: each goes on behind the last one that was had, whatever came in or went."""

import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import ManualClock
from tests.command_line import typed
from tests.flows.conftest import Opener
from tests.flows.test_boxes import CAKE, PIER, begun, tell
from tests.flows.test_entities import say
from tests.models import Naming

List = Callable[..., Awaitable[Sequence[Any]]]


async def read_in_parts(listing: List, size: int, *, first: bool = False) -> list[Any]:
    """Return all that a list has, so many at once; `first` where the list goes on behind the first one."""
    entries: list[Any] = []
    after = None
    while part := await listing(limit=size, after=after):
        assert len(part) <= size
        entries = [*part, *entries] if first else [*entries, *part]
        after = part[0 if first else -1]
    return entries


async def learn_gates(memory: remanence.Engine, count: int = 7) -> list[remanence.LearnResult]:
    """Learn a text for each of so many gates, a tenth from outside in quarantine."""
    return await memory.learn([f"Gate {number} of the pier shuts at six." for number in range(count)])


@pytest.mark.parametrize("size", [1, 2, 7, 9])
async def test_a_list_is_read_in_parts(memory: remanence.Engine, size: int) -> None:
    """Newest or oldest first, by what narrows it, the parts are the whole list."""
    await learn_gates(memory)
    await memory.tag([1, 3, 4, 6], "lock")
    await memory.update(5, attributes={"of": "pier"})
    narrowings: list[dict[str, Any]] = [
        {},
        {"oldest_first": True},
        {"tags": ["lock"]},
        {"filters": {"attributes.of": ["pier"]}},
    ]
    for narrowing in narrowings:

        async def listing(narrowing: dict[str, Any] = narrowing, **page: Any) -> Sequence[Any]:
            return await memory.list(**narrowing, **page)

        whole = await memory.list(**narrowing)
        assert whole == await read_in_parts(listing, size)
        assert whole


async def test_what_comes_and_goes_meanwhile_moves_no_part(memory: remanence.Engine) -> None:
    """Also where the last one that was had has gone, and by whatever name it is passed."""
    learned = await learn_gates(memory)
    first = await memory.list(limit=3)
    await memory.learn("Gate 9 of the pier is new.")
    await memory.forget(first[-1])
    for name in (first[-1], first[-1].id, first[-1].seq, f"#{first[-1].seq}", first[-1].id[-8:]):
        rest = await memory.list(after=name)

        assert [one.id for one in learned[3::-1]] == [one.id for one in rest]
    assert [] == await memory.list(after=1)
    with pytest.raises(remanence.NotFound):
        await memory.list(after="nobody")


async def test_a_list_by_when_it_was_said_and_by_whom(memory: remanence.Engine) -> None:
    """Both ends are included; what ends before it begins is refused."""
    days = [datetime(2026, 3, day, tzinfo=UTC) for day in range(1, 6)]
    for day, who in zip(days, ("Ines", "Tom", "Ines", "Tom", "Ines"), strict=True):
        await memory.learn(f"{who} walked on day {day.day}.", said_at=day, speaker=who)

    between = await memory.list(between=(days[1], days[3]), oldest_first=True)
    assert [2, 3, 4] == [one.said_time.day for one in between]
    assert [3] == [one.said_time.day for one in await memory.list(between=(days[1], days[3]), speaker="Ines")]
    assert [3] == [
        one.said_time.day for one in await memory.list(between=(days[1], days[3]), after=4, limit=1)
    ]
    with pytest.raises(remanence.InvalidInput, match="ends before it begins"):
        await memory.list(between=(days[3], days[1]))


@pytest.mark.parametrize("size", [1, 2, 3])
async def test_the_history_is_read_in_parts(memory: remanence.Engine, size: int) -> None:
    """Of all runs towards older ones, of a memory towards later ones, by an event or by its run."""
    await learn_gates(memory, 3)
    for number in range(4):
        await memory.update(2, importance=0.1 * number)
    runs, events = await memory.history(), await memory.history(2)

    async def of_one(**page: Any) -> Sequence[Any]:
        return await memory.history(2, **page)

    assert runs == await read_in_parts(memory.history, size, first=True)
    assert events == await read_in_parts(of_one, size)
    assert 5 == len(events) == len(runs)
    assert runs[:2] == await memory.history(after=runs[2].run)
    assert events[3:] == await memory.history(2, after=events[2].run)
    with pytest.raises(remanence.NotFound, match="no run 'nothing'"):
        await memory.history(after="nothing")


async def test_what_the_engine_decided_is_read_in_parts(telling: remanence.Engine) -> None:
    """A run with all that was decided in it; one by its id is passed whole."""
    for text in ("I live in Tartu now.", "I decided to buy the red boat.", "My sister Mia likes tea."):
        await say(telling, text)
    await telling.consolidate()
    whole = await telling.history(decision="any")

    async def decided(**page: Any) -> Sequence[Any]:
        return await telling.history(decision="any", **page)

    assert 3 < len([one for event in whole for one in event.decisions])
    for size in (1, 2, 5):
        assert whole == await read_in_parts(decided, size, first=True)
    run = whole[-1].run
    assert [one for one in whole if one.run != run] == await decided(after=run)


async def test_boxes_and_traces_are_read_in_parts(memory: remanence.Engine, clock: ManualClock) -> None:
    """Behind one of them, or behind its number."""
    for texts in (PIER, CAKE, PIER):
        session = await begun(memory)
        await tell(memory, [f"{text} So it is in {session[-4:]}." for text in texts], session, clock)
        await memory.end_session(session)
    boxes, traces = await memory.conversations.list(), await memory.conversations.list(threads=True)

    assert 3 <= len(boxes) and 2 <= len(traces)
    assert boxes == await read_in_parts(memory.conversations.list, 1)
    assert traces == await read_in_parts(partial(memory.conversations.list, threads=True), 1)
    assert boxes[1:] == await memory.conversations.list(after=boxes[0].number)
    assert traces[1:] == await memory.conversations.list(threads=True, after=traces[0].number)


async def test_entities_are_read_in_parts(opener: Opener) -> None:
    """By how often they are mentioned; one of a list before stands where that list had it."""
    writer = Naming(("Mia", "person"), ("Jon", "person"), ("Tartu", "place"))
    async with opener(writer=writer) as memory:
        for text in ("Mia sails to Tartu.", "Mia reads.", "Jon mends the net in Tartu.", "Mia sleeps."):
            await say(memory, text)
        whole = await memory.entities.list()

        assert 3 <= len(whole)
        assert whole == await read_in_parts(memory.entities.list, 1)
        assert whole[1:] == await memory.entities.list(after=whole[0].name)
        assert whole[2:] == await memory.entities.list(after=whole[1].seq)


async def test_forbidden_texts_are_read_in_parts(memory: remanence.Engine) -> None:
    """By their hashes."""
    learned = await learn_gates(memory)
    await memory.forbid(learned[4:])
    forbidden = await memory.forbidden()

    assert 3 == len(forbidden)
    assert forbidden == await read_in_parts(memory.forbidden, 1)
    assert forbidden[2:] == await memory.forbidden(after=forbidden[1].fold)
    with pytest.raises(remanence.InvalidInput):
        await memory.forbidden(limit=0)


async def test_contradictions_are_read_in_parts(memory: remanence.Engine) -> None:
    """From the surest on, the settled ones as well; an item of another sort is no place among them."""
    learned = await learn_gates(memory)
    for number, weight in ((1, 0.5), (2, 0.9), (3, 0.5)):
        await memory.link(learned[0], learned[number], "contradicts", weight=weight)
    await memory.review.settle((learned[0], learned[1]), "both")

    async def listing(limit: int, after: str | remanence.types.ReviewItem | None = None) -> Sequence[Any]:
        review = await memory.review.list("contradiction", settled=True, limit=limit, after=after)
        return review.items

    contradictions = [*await listing(100)]
    assert [True, False, True] == [one.is_open for one in contradictions]
    assert contradictions == await read_in_parts(listing, 1)
    assert contradictions[1:] == [*await listing(100, contradictions[0].cursor)]
    for wrong in ("contradiction/sure/1/2", "quarantine/7"):
        with pytest.raises(remanence.InvalidInput, match="no place"):
            await listing(100, wrong)
    with pytest.raises(remanence.InvalidInput, match="only of contradictions"):
        await memory.review.list("quarantine", settled=True)


def test_the_command_line_goes_on_behind(tmp_path: Path) -> None:
    """By number, run, hash or name; fields are shown a memory a line, with nothing else."""
    db = ("--db", str(tmp_path / "m.db"))
    for number in range(4):
        typed("learn", f"Gate {number} of the pier.", "--speaker", "Tom" if number % 2 else "Ines", *db)
    listed = json.loads(typed("list", "--limit", "2", "--json", *db).stdout)
    rest = typed("list", "--after", str(listed[-1]["seq"]), "--field", "seq", "--field", "text", *db).stdout
    runs = json.loads(typed("history", "--limit", "1", "--json", *db).stdout)
    older = json.loads(typed("history", "--after", runs[0]["run"], "--json", *db).stdout)

    assert ["2\tGate 1 of the pier.", "1\tGate 0 of the pier."] == rest.splitlines()
    assert [{"seq": 1, "speaker": "Ines"}] == json.loads(
        typed(
            "list", "--after", "3", "--speaker", "Ines", "--field", "seq", "--field", "speaker", "--json", *db
        ).stdout
    )
    assert (3, []) == (len(older), [one for one in older if one["run"] == runs[0]["run"]])
    assert "none" == typed("list", "--until", "2001-01-01T00:00Z", *db).stdout.strip()
    assert "more: repeat with --after 3\n" == typed("list", "--limit", "2", *db).stderr
    assert "" == typed("list", "--limit", "4", *db).stderr
    assert "limit cannot be 0" in typed("list", "--limit", "0", *db).stderr
    assert "unknown field 'txet'" in typed("list", "--field", "txet", *db).stderr
    assert "did you mean 'text'?" in typed("list", "--field", "txet", *db).stderr
