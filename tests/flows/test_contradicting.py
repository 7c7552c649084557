"""Plain recall orders and marks open contradictions as frames do."""

import asyncio
from pathlib import Path

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import RecallResult
from remanence.faces.mcp.tools import Tools
from tests.command_line import typed
from tests.flows.conftest import Opener

ASKED = "When does the gate of the north pier shut?"
OLD = "The gate of the north pier shuts at six."
NEW = "The gate shuts at eight."


def _shown(answer: RecallResult) -> list[tuple[str, tuple[str, ...]]]:
    return [(hit.memory.id, hit.contradicted_by) for hit in answer.memories]


async def _pair(memory: remanence.Engine) -> tuple[str, str]:
    """Learn two texts that contradict each other; the one that matches better is the less sure."""
    weak = await memory.learn(OLD, confidence=0.3, thread="a")
    strong = await memory.learn(NEW, confidence=0.8, thread="b")
    await memory.link(weak.id, strong.id, "contradicts")
    return weak.id, strong.id


async def test_the_weaker_of_a_contradiction_stands_below_and_says_so(opener: Opener) -> None:
    """The less sure never stands above the surer, though it matches better, until somebody resolved it."""
    async with opener(embedder="none") as memory:
        weak, strong = await _pair(memory)
        answer = await memory.recall(ASKED, count_use=False)
        lines = answer.text.splitlines()
        await memory.review.settle((weak, strong), "both")
        settled = await memory.recall(ASKED, count_use=False)

    assert [(strong, ()), (weak, (strong,))] == _shown(answer)
    assert answer.memories[0].score < answer.memories[1].score
    assert [False, True] == ["; contradicted by #2]" in line for line in lines]
    assert [(weak, ()), (strong, ())] == _shown(settled)
    assert "contradicted" not in settled.text


async def test_what_somebody_disputed_stands_below_what_contradicts_it(opener: Opener) -> None:
    """It says so in its line, and stands below also where it is the surer one; what a user said, above a tool's."""
    async with opener(embedder="none") as memory:
        weak, strong = await _pair(memory)
        await memory.rate(strong, "wrong")
        answer = await memory.recall(ASKED, count_use=False)
        told = await memory.learn("The gate of the north pier shuts at ten.", trust="tool", thread="c")
        await memory.link(strong, told.id, "contradicts")
        all_ = await memory.recall(ASKED, count_use=False)

    assert [(weak, ()), (strong, (weak,))] == _shown(answer)
    assert [False, True] == ["; disputed; contradicted by #1]" in line for line in answer.text.splitlines()]
    assert [weak, strong, told.id] == [hit.memory.id for hit in all_.memories]


async def test_what_was_superseded_stands_below_what_took_its_place(opener: Opener) -> None:
    """Where its status is asked for, it names its successor, which stands above it though it matches less."""
    async with opener(embedder="none") as memory:
        old, new = await memory.learn(OLD, thread="a"), await memory.learn("Shut at eight now.", thread="b")
        await memory.correct(old.id, by=new.id)
        answer = await memory.recall(ASKED, filters={"status": "any"}, count_use=False)
        plain = await memory.recall(ASKED, count_use=False)

    assert [new.id, old.id] == [hit.memory.id for hit in answer.memories]
    assert "; superseded; see #2]" in answer.text.splitlines()[1]
    assert "#1: it holds instead" == answer.memories[0].stands_above
    assert [new.id] == [hit.memory.id for hit in plain.memories]


async def test_recall_and_frames_hold_the_same_for_the_stronger(opener: Opener, clock: ManualClock) -> None:
    """Surer, then less faded, where nobody says that one speaker said both."""
    async with opener(embedder="none") as memory:
        old = await memory.learn(OLD, thread="a")
        clock.advance(hours=1)
        new = await memory.learn(NEW, thread="b")
        await memory.link(old.id, new.id, "contradicts")
        first = await memory.recall(ASKED, count_use=False)
        await memory.rate([old.id], 1.0)
        framed = await memory.frame("attention", ASKED, count_use=False)
        second = await memory.recall(ASKED, count_use=False)

    assert [(new.id, ()), (old.id, (new.id,))] == _shown(first)
    assert [(old.id, ()), (new.id, (old.id,))] == _shown(second)
    assert _shown(framed) == _shown(second)


async def test_what_is_not_returned_contradicts_nobody(opener: Opener) -> None:
    """A limit, a filter and a budget leave the weaker unmarked where the stronger is not beside it."""
    async with opener(embedder="none") as memory:
        weak, _ = await _pair(memory)
        one = await memory.recall(ASKED, limit=1, count_use=False)
        filtered = await memory.recall(ASKED, thread="a", count_use=False)

    assert [(weak, ())] == _shown(one) == _shown(filtered)
    assert "contradicted" not in one.text + filtered.text


async def test_marks_are_within_the_budget(opener: Opener) -> None:
    """The whole text, contradictions said, never costs more than was asked for."""
    async with opener(embedder="none") as memory:
        await _pair(memory)
        for budget in range(20, 90):
            answer = await memory.recall(ASKED, budget=budget, count_use=False)

            assert answer.tokens <= budget


def test_every_face_shows_the_contradiction(tmp_path: Path) -> None:
    """The command line names who contradicts below the hit, MCP in the line."""
    path = tmp_path / "memory.db"

    async def told() -> tuple[str, str]:
        async with remanence.open(path) as memory:
            _, strong = await _pair(memory)
            return strong, await Tools(memory, allow_curation=False).recall(ASKED)

    strong, told_by_mcp = asyncio.run(told())
    shown = typed("recall", ASKED, "--db", str(path)).stdout

    assert "contradicted by #2" in told_by_mcp
    assert "contradicted by #2" in shown and strong not in shown


def test_a_list_of_contradictions_says_how_to_settle_each(tmp_path: Path) -> None:
    """An open one by the command, a resolved one by when; resolved twice is said, and who is neither is no side."""
    db = ("--db", str(tmp_path / "memory.db"))
    for text in ("Ines calls the fair dear.", "Tom thinks it cheap.", "Mia sells maps."):
        typed("learn", text, *db)
    typed("link", "1", "2", "contradicts", *db)
    listed = ("review", "list", "--sort", "contradiction")
    opened, neither = (
        typed(*listed, *db).stdout,
        typed("review", "settle", "contradiction/1/2", "3", *db).stderr,
    )
    typed("review", "settle", "1", "both", *db)
    resolved, again = (
        typed(*listed, "--settled", *db).stdout,
        typed("review", "settle", "contradiction/1/2", "both", *db).stdout,
    )

    assert "both hold: remanence review settle contradiction/1/2 both" in opened
    assert "#3 is not one of the two\n  → choose 1 or 2, both or neither" in neither
    assert "settled 20" in resolved
    assert "review settle" not in resolved
    assert "it was resolved so before" in again
