"""What was drawn together from several memories is drawn anew from the rest, when one of these is erased."""

from pathlib import Path

import pytest

from remanence import Engine
from remanence.core.clock import ManualClock
from remanence.core.model import Memory, Turn
from remanence.llm import asking as asking_module
from tests.flows.conftest import Opener, decisions_of, hear
from tests.flows.test_erasing import left_in, opened, unsound
from tests.flows.test_erasing_subject import TOMBS
from tests.models import ANY_MODEL, asking, model_server

WORDS = (
    "harbour",
    "weather",
    "engine",
    "ledger",
    "garden",
    "orchestra",
    "vaccine",
    "glacier",
    "loom",
    "violin",
)


async def _reflected(memory: Engine, odd: str = "") -> Memory:
    """Let an agent reflect until its reflections are drawn together; return what they come to."""
    said = [f"In week {n} the {WORDS[n % 10]} taught me patience {n}. ".ljust(330, "n") for n in range(26)]
    said[1] = f"In week 1 {odd} taught me patience." if odd else said[1]
    turns = [Turn(text, category="reflection", agent="keeper", tags=("self/value",)) for text in said]
    await memory.learn(turns)
    assert {"reflections": 26} == (await memory.consolidate()).steps
    (drawn,) = await memory.list(category="synthesis")
    return drawn


async def _named_in(memory: Engine, drawn: Memory) -> list[Memory]:
    """Return the reflections of which a text has lines."""
    return [await memory.get(link.target) for link in await memory.links(drawn)]


async def test_what_was_drawn_together_is_drawn_anew_from_the_rest(opener: Opener) -> None:
    """Every other line stays; the one that says the same as what goes takes its place; the old text is refused."""
    async with opener() as memory:
        drawn = await _reflected(memory, odd="the Quirkleton ferry")
        gone, *rest = await _named_in(memory, drawn)
        gone = next(one for one in (gone, *rest) if "Quirkleton" in one.text)
        shown = await memory.erase.show(gone.id)
        done = await memory.erase.apply(shown)
        (anew,) = await memory.list(category="synthesis")
        lines, before = set(anew.text.splitlines()), set(drawn.text.splitlines())
        again = await memory.learn(drawn.text)
        settled = await memory.consolidate()
        wrong = await unsound(memory)

    assert "1 would be drawn together anew from what stays" in str(shown)
    assert "drew 1 text together anew from what stays" in str(done)
    assert (1, 0, 2) == (done.redrawn, done.owed, done.erased)
    assert before - {f"- {gone.text}"} <= lines
    assert "Quirkleton" not in anew.text
    assert (drawn.agent, drawn.tags, drawn.category) == (anew.agent, anew.tags, anew.category)
    assert ("gated", {}) == (again.status, settled.steps)
    assert [] == wrong


async def test_it_is_owed_until_the_engine_may_write(opener: Opener, clock: ManualClock) -> None:
    """Where the engine may not write by itself the rest waits, and the next tick draws it by itself."""
    async with opener(policy="default") as memory:
        drawn = await _reflected(memory)
        gone, *rest = await _named_in(memory, drawn)
        await memory.settings.set("engine_actions", 0)
        done = await memory.erase.apply(await memory.erase.show(gone.id))
        none = await memory.list(category="synthesis")
        await memory.settings.set("engine_actions", 1)
        clock.advance(hours=1)
        ticked = await memory.run_jobs()
        (anew,) = await memory.list(category="synthesis")

    assert ([], 0, 1) == (none, done.redrawn, done.owed)
    assert "1 text waits to be drawn together anew: consolidate" in str(done)
    assert 1 == ticked.ran["consolidate"].counts["drawn anew"]
    assert {f"- {one.text}" for one in rest} <= set(anew.text.splitlines())


async def test_a_writer_says_the_rest_in_fewer_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model over HTTP; once its server is gone, the best by rules is said, and nothing of what went."""
    monkeypatch.setattr(asking_module, "PAUSE_S", 0.01)
    path = tmp_path / "memory.db"
    with model_server() as address:
        async with asking("openai", ANY_MODEL, address) as writer, opened(path, writer=writer) as memory:
            drawn = await _reflected(memory)
            gone, other, *rest = await _named_in(memory, drawn)
            await memory.erase.apply(await memory.erase.show(gone.id))
            (shorter,) = await memory.list(category="synthesis")
            by = [one.reason for one in await decisions_of(memory, decision="summarize_node")]
    async with asking("openai", ANY_MODEL, address, 2.0) as writer, opened(path, writer=writer) as memory:
        await memory.erase.apply(await memory.erase.show(other.id))
        (anew,) = await memory.list(category="synthesis")
        by += [one.reason for one in await decisions_of(memory, decision="summarize_node")][:1]
        wrong = await unsound(memory)

    assert ["in a writer's words"] * 2 + ["the best by rules: the writer failed"] == by
    assert gone.text[2:] not in shorter.text
    assert {f"- {one.text}" for one in rest} == set(anew.text.splitlines())
    assert ([], []) == (wrong, left_in(path, gone.text, other.text, drawn.text, shorter.text))


async def test_what_was_learned_from_a_purged_memory_goes_with_it(opener: Opener, clock: ManualClock) -> None:
    """Its links went with its row, and are found in its images."""
    async with opener() as memory:
        drawn = await _reflected(memory)
        gone, *rest = await _named_in(memory, drawn)
        await memory.note("My sister Ruth lives in Bergen.", speaker="Ines", session="a")
        await hear(memory)
        turn = next(one for one in await memory.list() if one.text.startswith("My sister"))
        for one in (gone, turn):
            await memory.forget(one.id)
        clock.advance(days=40)
        await memory.apply(await memory.plan(TOMBS), allow_destroyed=3)
        shown = await memory.erase.show([gone.id, turn.id])
        await memory.erase.apply(shown)
        texts = [one.text for one in await memory.list(status="any")]
        wrong = await unsound(memory)

    assert 2 == shown.purged
    assert drawn.seq in shown.revisions
    assert [] == [text for text in texts if "Bergen" in text or gone.text in text]
    assert [text for text in texts if rest[0].text in text and text.startswith("- ")]
    assert [] == wrong


async def test_what_was_merged_with_it_is_listed(opener: Opener) -> None:
    """It stays, and says much the same: whoever erases is told."""
    async with opener() as memory:
        one, other = await memory.learn(
            ["Ines moors at the north pier.", "Ines moors her boat at the north pier."]
        )
        await memory.merge(one.id, other.id)
        shown = await memory.erase.show(one.id)

    assert [other.id] == [same.id for same in shown.same]
