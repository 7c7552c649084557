"""`explain` says why a memory is worth what it is, and what took it out of sight and brings it back."""

import asyncio
from collections.abc import AsyncIterator
from math import prod
from pathlib import Path

import pytest

import remanence
from remanence.core.errors import InvalidInput
from remanence.core.model import Status, Turn
from remanence.core.score import Fall, Worth
from remanence.faces.mcp.tools import Tools
from tests.command_line import typed

QUESTION = "Where did you go on Tuesday, Ada?"
ANSWER = "I went rowing with my sister Ines on Tuesday, and it cost 12 euros."
REPLY = "Here are some boats that you could try on the river."
TALK = (
    Turn(QUESTION, speaker="Olav", session="one"),
    Turn(ANSWER, speaker="Ada", session="one"),
    Turn(REPLY, role="assistant", session="one"),
    Turn("We will paint the boathouse in Lagos.", category="fact", session="two"),
)
RULES = """version = 1
name = "two-rules"
[[rule]]
name = "few"
every = "deep"
phase = "budgets"
where = "missing(category)"
order = "value desc"
keep = { rows = 1 }
do = "archive"
because = "one is enough"
[[rule]]
name = "facts"
every = "deep"
phase = "expire"
where = "category == 'fact'"
do = "archive"
because = "facts are over"
"""
CLEAR = """version = 1
name = "clear"
[[rule]]
name = "facts"
every = "deep"
phase = "expire"
where = "category == 'fact'"
do = "prune"
"""


@pytest.fixture
async def memory(tmp_path: Path) -> AsyncIterator[remanence.Engine]:
    """A talk in a file."""
    async with remanence.open(tmp_path / "memory.db", embedder="none") as memory:
        await memory.learn(TALK)
        await memory.consolidate()
        yield memory


async def worth(memory: remanence.Engine, name: str | int) -> Worth:
    """Return why one is worth what it is."""
    found = (await memory.explain(name)).worth
    assert found is not None
    return found


async def fall(memory: remanence.Engine, seq: int, policy: str | None = None) -> Fall:
    """Return what took one away."""
    found = (await memory.explain(seq, policy)).fall
    assert found is not None
    return found


def multiplied(found: Worth) -> float:
    """Return the product of the factors."""
    return prod(one.factor for one in found.reasons)


async def test_the_reasons_of_a_value_multiply_to_it(memory: remanence.Engine) -> None:
    """To six digits, for what people and assistants say, long after it came."""
    await memory.learn(Turn(f"Note {number} of Tuesday: {ANSWER}") for number in range(20))
    for one in await memory.list():
        found = await worth(memory, one.seq)

        assert one.value == found.value
        assert round(found.value, 6) == round(multiplied(found), 6)
        assert ["information", "points", "speaker"] == [reason.name for reason in found.reasons]
        assert (0.3 if one.role.label == "assistant" else 1.0) == found.reasons[2].factor


async def test_the_reasons_are_the_signs_and_words_of_the_text(memory: remanence.Engine) -> None:
    """What was seen in it, what came before it, and how rare its words were when it came."""
    information, points, _ = (await worth(memory, 2)).reasons
    weights = [float(word.rsplit(" ", 1)[1]) for word in information.because.split(", ")]

    assert "sister 6.22" in information.because
    assert "Tuesday 5.52" in information.because
    assert sum(weights) == pytest.approx(information.factor, abs=0.05)
    assert "first person: i, my" in points.because
    assert "answers a question" in points.because


async def test_an_edited_text_keeps_the_reasons_of_the_first(memory: remanence.Engine) -> None:
    """The value is of the text that came, and so are its reasons."""
    before = await worth(memory, 2)
    await memory.update(2, text="We stayed at home.")
    await memory.update(2, text="We stayed at home all day.")

    assert before == await worth(memory, 2)


async def test_a_value_that_came_from_elsewhere_is_not_invented(memory: remanence.Engine) -> None:
    """Where the scope does not show how rare its words were, the words are not named; the product holds."""
    exported = [line async for line in memory.export()]
    async with remanence.open(embedder="none") as other:
        await other.learn(Turn(f"{ANSWER} {number}") for number in range(5))
        await other.import_(exported)
        (one,) = await other.list(filters={"text": ANSWER})
        found = await worth(other, one.seq)

    assert round(found.value, 6) == round(multiplied(found), 6)
    assert "rarest of its words" in found.reasons[0].because


async def test_what_was_archived_says_by_which_rule_and_run(memory: remanence.Engine) -> None:
    """The rule whose reason it bears, of those that archived in the run; without the policy all of them."""
    receipt = await memory.curate(RULES)
    budget, fact = await fall(memory, 1, RULES), await fall(memory, 4, RULES)
    unknown = await fall(memory, 1)

    assert (("few",), "one is enough", "budget") == (budget.rules, budget.because, budget.reason)
    assert (("facts",), "facts are over", "expired") == (fact.rules, fact.because, fact.reason)
    assert {"few", "facts"} == {*unknown.rules}
    assert {(receipt.run, "curate", "two-rules")} == {
        (one.run, one.verb, one.policy) for one in (budget, fact)
    }
    assert (await memory.explain(2, RULES)).fall is None


async def test_what_a_verb_took_away_says_which(memory: remanence.Engine) -> None:
    """Forgotten, replaced, and pruned by a rule; what took the place is named."""
    await memory.correct(1, by=2)
    await memory.forget(3)
    await memory.apply(await memory.plan(CLEAR), policy=CLEAR, allow_destroyed=9)
    replaced, forgotten, pruned = [await fall(memory, seq) for seq in (1, 3, 4)]

    assert ("superseded", "supersede", (2,)) == (replaced.status, replaced.verb, replaced.into)
    assert ("pruned", "forget", ()) == (forgotten.status, forgotten.verb, forgotten.into)
    assert ("pruned", "curate", ("facts",)) == (pruned.status, pruned.verb, pruned.rules)


async def test_the_latest_fall_is_told(memory: remanence.Engine) -> None:
    """Archived, brought back, archived again."""
    await memory.curate(RULES)
    await memory.rate(4, "right")
    stood = await memory.explain(4)
    again = await memory.curate(RULES)

    assert stood.fall is None
    assert again.run == (await fall(memory, 4)).run


async def test_each_command_that_it_names_brings_it_back(tmp_path: Path) -> None:
    """As they are printed, on the command line; the last takes the whole run back."""

    async def archived(path: Path) -> Fall:
        async with remanence.open(path, embedder="none") as memory:
            await memory.learn(TALK)
            await memory.consolidate()
            await memory.curate(RULES)
            return await fall(memory, 4)

    async def status(path: Path) -> Status:
        async with remanence.open(path, embedder="none") as memory:
            return (await memory.get(4)).status

    for place in range(3):
        path = tmp_path / f"{place}.db"
        way = (await archived(path)).back[place].partition(" (")[0].split()[1:]
        done = await asyncio.to_thread(typed, "--db", str(path), "--embedder", "none", *way)

        assert (0, Status.ACTIVE) == (done.exit_code, await status(path)), way


async def test_every_face_tells_the_same(memory: remanence.Engine, tmp_path: Path) -> None:
    """The lines of Python, on the command line, in its JSON, and over MCP, which names no run of another."""
    await memory.curate(RULES)
    explained = await memory.explain(4)
    told = str(explained).splitlines()
    by_tool = await Tools(memory).get("#4")
    await memory.close()
    path = str(tmp_path / "memory.db")
    shown = await asyncio.to_thread(typed, "--db", path, "--embedder", "none", "explain", "4")
    data = await asyncio.to_thread(typed, "--db", path, "--embedder", "none", "--json", "explain", "4")

    assert explained.fall is not None
    assert explained.worth is not None
    assert {*explained.fall.lines(), *explained.worth.lines()} <= {*told}
    fell = str(explained.fall).removesuffix(
        f" (run {explained.fall.run})"
    )  # an agent is told of its own runs alone
    assert all(line in by_tool for line in (fell, str(explained.worth)))
    assert explained.fall.run not in by_tool
    assert "back: remanence rate right #4" in shown.stdout
    assert '"worth"' in data.stdout
    assert '"fall"' in data.stdout


async def test_without_a_policy_there_are_no_rules_to_explain(memory: remanence.Engine) -> None:
    """Worth and fall are told all the same; overrides of no policy are refused as before."""
    explained = await memory.explain(2)

    assert "none" == explained.policy
    assert not [one for one in explained.verdicts if one.what == "rule"]
    with pytest.raises(InvalidInput):
        await memory.explain(2, overrides={"few": {"off": True}})
