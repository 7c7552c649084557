"""A writer judges what consolidation takes up: kept where it makes sense, reported where not, never in the way."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.errors import WriterError
from remanence.flows.consolidate import activate, judging
from remanence.llm.base import Judgement
from remanence.store.base import Bookkeeping

NOON = "The supply boat comes at noon on Fridays."
DUSK = "The supply boat comes at dusk on Fridays."


class Scripted:
    """A writer that answers from a table and remembers what it was shown; an exception in the table is raised."""

    name = "scripted"

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str, Mapping[str, str]]] = []

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Answer for one text; a function in the table is given the ids by text."""
        self.asked.append((text, identity, others))
        await asyncio.sleep(0)
        answer = self.answers.get(text, Judgement(0.5))
        if isinstance(answer, BaseException):
            raise answer
        judged: Judgement = (
            answer({text: name for name, text in others.items()}) if callable(answer) else answer
        )
        return judged


async def test_an_alignment_becomes_the_confidence_unless_somebody_said_better(tmp_path: Path) -> None:
    """What a writer judged is kept with its name, and stands in for a confidence that nobody gave (elfmem)."""
    writer = Scripted({NOON: Judgement(0.85), DUSK: Judgement(0.2)})
    async with remanence.open(tmp_path / "m.db", writer=writer) as memory:
        first, second = await memory.learn(NOON), await memory.learn(DUSK, confidence=0.9)
        done = await memory.consolidate()
        kept = [await memory.get(learned.id) for learned in (first, second)]

        assert (2, 2, ()) == (done.activated, done.judged, done.unjudged)
        assert [(0.85, 0.85), (0.2, 0.9)] == [(one.alignment, one.confidence) for one in kept]
        assert "scripted" == (await memory.history(first.id))[-1].detail["writer"]
        receipt = await memory.undo(str(done.run))
        undone = await memory.get(first.id)

        assert (True, None, None) == (receipt.changes > 0, undone.alignment, undone.confidence)


async def test_the_writer_is_told_who_the_agent_is(tmp_path: Path) -> None:
    """Probe 9: the identity that a text is judged by is never empty where there is one."""
    writer = Scripted({})
    async with remanence.open(tmp_path / "m.db", writer=writer) as memory:
        await memory.learn("I keep the light, and I do not guess.", tags=["self/constitutional"])
        await memory.consolidate()
        await memory.learn(NOON)
        await memory.consolidate()

        assert "I do not guess" in writer.asked[-1][1]


@pytest.mark.parametrize(("sure", "expected"), [(0.92, [0.92]), (0.80, [0.80]), (0.79, [])])
async def test_a_contradiction_is_recorded_from_four_fifths_on(
    tmp_path: Path, sure: float, expected: list[float]
) -> None:
    """TC-G-008: a contradiction of 0.92 is recorded as one, and so is one of 0.80; one of 0.79 is none."""
    writer = Scripted({DUSK: lambda ids: Judgement(0.5, {ids[NOON]: sure})})
    async with remanence.open(tmp_path / "m.db", writer=writer) as memory:
        first = await memory.learn(NOON)
        await memory.consolidate()
        await memory.learn(DUSK)
        done = await memory.consolidate()
        links = await memory.links(first.id)

        assert len(expected) == done.contradictions
        assert expected == [link.weight for link in links if link.relation.label == "contradicts"]


@pytest.mark.parametrize(
    "answer",
    [
        WriterError("over capacity", recovery="wait"),
        Judgement(1.2),
        Judgement(float("nan")),
        Judgement(True),
        Judgement(0.5, {"nobody": 0.9}),
        lambda ids: Judgement(0.5, {ids[NOON]: 7.0}),
    ],
    ids=["fails", "too-much", "nan", "truth", "unknown-id", "wrong-score"],
)
async def test_what_makes_no_sense_is_left_out_with_its_reason(tmp_path: Path, answer: Any) -> None:
    """A writer that fails or answers nonsense keeps nothing in the inbox and changes nothing but its own absence."""
    async with remanence.open(tmp_path / "m.db", writer=Scripted({DUSK: answer})) as memory:
        await memory.learn(NOON)
        await memory.consolidate()
        learned = await memory.learn(DUSK)
        done = await memory.consolidate()
        kept = await memory.get(learned.id)

        assert (1, 0, 1) == (done.activated, done.judged, len(done.unjudged))
        assert ("active", None, None) == (kept.status.label, kept.alignment, kept.confidence)
        assert done.unjudged[0].startswith(f"#{learned.seq}: ")


async def test_a_writer_that_never_answers_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the time limit the text is taken up without a judgement."""

    class Silent:
        name = "silent"

        async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
            await asyncio.sleep(3_600)
            raise AssertionError(text, identity, others)

    monkeypatch.setattr(judging, "TIMEOUT_S", 0.05)
    async with remanence.open(tmp_path / "m.db", writer=Silent()) as memory:
        await memory.learn(NOON)
        done = await memory.consolidate()

        assert (1, 0) == (done.activated, done.judged)
        assert "no judgement within" in done.unjudged[0]


async def test_a_consolidation_cut_off_keeps_what_was_judged(tmp_path: Path) -> None:
    """Probe 8: cancelled at the fifth judgement, the four before it are kept, and are not asked for again."""
    started = asyncio.Event()
    texts = [f"Lamp {number} was trimmed today." for number in range(5)]

    class Stopping(Scripted):
        async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
            if text == texts[4]:
                started.set()
                await asyncio.sleep(3_600)
            return await super().judge(text, identity, others)

    writer = Stopping({})
    async with remanence.open(tmp_path / "m.db", writer=writer) as memory:
        for text in texts:
            await memory.learn(text)
        running = asyncio.create_task(memory.consolidate())
        await started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        active = await memory.list(status="active")

        assert texts[:4] == sorted(one.text for one in active)
        assert 4 == len(writer.asked)


class Slow(Scripted):
    """A writer that says when it was asked first, and answers when it is let go."""

    def __init__(self) -> None:
        super().__init__({})
        self.started, self.let_go = asyncio.Event(), asyncio.Event()

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Wait, then answer."""
        self.started.set()
        await self.let_go.wait()
        return await super().judge(text, identity, others)


async def test_a_slow_writer_keeps_nobody_from_learning(tmp_path: Path) -> None:
    """While one connection waits for its writer, another learns twenty texts; none is lost (elfmem, C6)."""
    writer = Slow()
    async with (
        remanence.open(tmp_path / "m.db", writer=writer) as one,
        remanence.open(tmp_path / "m.db") as other,
    ):
        await one.learn(NOON)
        running = asyncio.create_task(one.consolidate())
        await writer.started.wait()
        learned = [await other.learn(f"Lamp {number} was trimmed today.") for number in range(20)]
        waits = (await other.status()).statuses
        writer.let_go.set()
        done = await running

        assert (["stored"] * 20, {"inbox": 21}) == ([one.status for one in learned], waits)
        assert (21, {"active": 21}) == (done.activated, (await other.status()).statuses)


async def test_engines_that_consolidate_at_once_ask_about_each_text_once(tmp_path: Path) -> None:
    """Two with a writer each, on one file: no text is judged, made active or counted twice (elfmem, C6)."""
    writers = Slow(), Slow()
    texts = [f"Lamp {number} was trimmed today." for number in range(13)]
    async with (
        remanence.open(tmp_path / "m.db", writer=writers[0]) as one,
        remanence.open(tmp_path / "m.db", writer=writers[1]) as other,
    ):
        await one.learn(texts)
        first = asyncio.create_task(one.consolidate())
        await writers[0].started.wait()
        second = asyncio.create_task(other.consolidate())
        await asyncio.sleep(0.1)  # time enough to ask, if it may
        for writer in writers:
            writer.let_go.set()
        done = [await first, await second]

        assert sorted(texts) == sorted(text for writer in writers for text, _, _ in writer.asked)
        assert (13, 13) == (sum(part.activated for part in done), sum(part.judged for part in done))
        assert [part.activated > 0 for part in done] == [part.run is not None for part in done]


async def test_engines_that_consolidate_at_once_draw_each_link_once(tmp_path: Path) -> None:
    """Without a writer nobody waits: who loses a race reads again; what both did adds up to what is there."""
    async with remanence.open(tmp_path / "m.db") as one, remanence.open(tmp_path / "m.db") as other:
        await one.learn([f"The lamp at pier {number} was trimmed today." for number in range(30)])
        done = await asyncio.gather(one.consolidate(), other.consolidate())
        links = {link.key for memory in await one.list() for link in await one.links(memory.id)}

        assert (30, {"active": 30}) == (sum(part.activated for part in done), (await one.status()).statuses)
        assert len(links) == sum(part.near_duplicates + part.similar for part in done)


async def test_a_turn_that_was_never_given_back_is_not_waited_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who was killed while it asked keeps the others from the writer for a minute at most."""
    monkeypatch.setattr(activate, "TRIES_MAX", 2)
    async with remanence.open(tmp_path / "m.db", writer=Scripted({})) as memory:
        now = memory._core.clock.now()
        lease = ("consolidate", "who was killed", now + activate.LEASE)
        await memory._core.store.bookkeep(memory.scope, Bookkeeping(now, lease=lease))
        await memory.learn(NOON)

        assert 1 == (await memory.consolidate()).judged


async def test_tags_of_a_writer_join_those_that_a_memory_has(tmp_path: Path) -> None:
    """They are set in the same commit, which undo takes back; the tags that were declared stay."""
    writer = Scripted({NOON: Judgement(0.5, tags=("boats", "fridays"))})
    async with remanence.open(tmp_path / "m.db", writer=writer) as memory:
        learned = await memory.learn(NOON, tags=["supplies", "boats"])
        done = await memory.consolidate()
        joined = (await memory.get(learned.id)).tags
        await memory.undo(str(done.run))
        undone = (await memory.get(learned.id)).tags

    assert ["boats", "fridays", "supplies"] == sorted(joined)
    assert ["boats", "supplies"] == sorted(undone)


async def test_who_the_agent_is_is_only_proposed(tmp_path: Path) -> None:
    """In any spelling, and so is what makes a memory load-bearing; the result and the audit keep the proposal."""
    writer = Scripted({NOON: Judgement(0.5, tags=("self/value", "SELF/goal", "rejected-path", "boats"))})
    async with remanence.open(tmp_path / "m.db", writer=writer) as memory:
        learned = await memory.learn(NOON)
        done = await memory.consolidate()
        kept = await memory.get(learned.id)
        (event,) = [one for one in await memory.history(learned.id) if one.verb == "consolidate"]

    assert (("boats",), remanence.Decay.STANDARD) == (kept.tags, kept.decay)
    assert {learned.id: ["SELF/goal", "rejected-path", "self/value"]} == event.detail["proposed"]
    assert f"{learned.id}: self/value" in done.proposed
    assert "self/value" in str(done)


@pytest.mark.parametrize("tags", ["boats", ("",), (7,), ("a\0b",), tuple(map(str, range(500)))])
async def test_tags_that_make_no_sense_are_no_judgement(tmp_path: Path, tags: Any) -> None:
    """The text becomes active as it is, and why is said."""
    async with remanence.open(
        tmp_path / "m.db", writer=Scripted({NOON: Judgement(0.5, tags=tags)})
    ) as memory:
        learned = await memory.learn(NOON, tags=["supplies"])
        done = await memory.consolidate()
        kept = await memory.get(learned.id)

    assert (1, 0) == (done.activated, done.judged)
    assert "its tags make no sense" in done.unjudged[0]
    assert (("supplies",), None) == (kept.tags, kept.alignment)
