"""What nobody means to happen to what is newer: endless corrections, a writer that replaces all, roles exchanged."""

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Relation, Status, Trust
from remanence.llm.base import Judgement
from remanence.types import NoteResult
from tests.flows.test_newest_truth import links
from tests.sentences import Sentences

MANY, MANY_DEEP = 200, 10_000
SHOWN = 1_000
A_DAY = 10  # what a writer may replace, whatever it says
LOG = (
    ("user", "Hi! I live in Ghent and work as a nurse at Brightwater."),
    ("assistant", "I prefer to answer briefly, and I am a language model without a home."),
    ("user", "My sister Vera has a dog named Biscuit. I'm allergic to bee stings."),
    ("assistant", "I'll remember that Vera's dog is Biscuit. I always keep lists."),
    ("user", "We decided to sell the van."),
    ("assistant", "The van is to be sold. My favourite colour is blue."),
)


class ReplacesAll:
    """A writer that takes every text for the news of all that it is shown."""

    name = "replaces all"

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Name all."""
        return Judgement(0.5, replaces=dict.fromkeys(others, 1.0))


@pytest.mark.parametrize("many", [MANY, pytest.param(MANY_DEEP, marks=pytest.mark.deep)])
@pytest.mark.parametrize("verb", ["correct", "learn", "note"])
async def test_a_statement_is_corrected_time_and_again(
    tmp_path: Path, clock: ManualClock, verb: str, many: int
) -> None:
    """One by one, each is newer than the one before or takes its place; every verb still answers, and undo."""
    async with remanence.open(tmp_path / "memory.db", embedder="none", clock=clock) as memory:
        ids, runs = [(await memory.learn("The pump weighs 0 kilos.", speaker="Mara")).id], [""]
        for number in range(1, many):
            clock.advance(minutes=1)
            text = f"The pump weighs {number} kilos now."
            done: remanence.LearnResult | NoteResult
            if verb == "note":
                done = await memory.note(text, speaker="Mara", later=True)
            elif verb == "learn":
                done = await memory.learn(text, speaker="Mara")
            else:
                done = await memory.correct(ids[-1], text)
            runs = [done.run or ""]
            if verb != "correct":
                await memory.link(done.id, ids[-1], "newer")
                runs = [(await memory.history(limit=1))[0].run, *runs]
            ids = [*ids, done.id]
        relation = Relation.SUPERSEDES if verb == "correct" else Relation.NEWER
        chain = await links(memory, relation)
        answer = await memory.recall(f"Does the pump weigh {many - 1} kilos?", limit=SHOWN, count_use=False)
        told = await memory.explain(ids[0])
        profile = await memory.frame("profile")
        for run in runs:
            await memory.undo(run)
        left, last = await links(memory, relation), await memory.get(ids[-2])

    assert [(number + 1, number) for number in range(1, many)] == chain
    assert ids[-1] in {hit.id for hit in answer.memories[:10]}
    assert (1 if verb == "correct" else min(many, SHOWN)) == len(answer.memories)
    assert "#2" in str(told)
    assert len(profile.lines) <= 1
    assert chain[:-1] == left
    assert last.status is not Status.SUPERSEDED


async def test_a_writer_that_replaces_all_is_braked_and_undone(tmp_path: Path, clock: ManualClock) -> None:
    """No day more than its brake; what holds is found, views say what was before, and each day is one undo."""
    async with remanence.open(
        tmp_path / "memory.db", embedder="auto", clock=clock, writer=ReplacesAll()
    ) as memory:
        runs: list[str] = []
        gone = [0]
        for day in range(3):
            for boat in range(20):
                text = f"I prefer berth {boat + day} for boat {boat}{' now' * bool(day)}."
                await memory.learn(text, speaker="Ana", category="preference")
                clock.advance(minutes=1)
            runs.append((await memory.consolidate()).verdicts or "")
            gone.append(len(await memory.list(status="superseded", limit=1_000)))
            clock.advance(days=1)
        answer = await memory.recall("Which berth for boat 17?", limit=60, count_use=False)
        profile = await memory.frame("profile")
        for run in reversed(runs):
            await memory.undo(run)
        back = await memory.list(status="superseded", limit=1_000)
        found = await memory.recall("Which berth for boat 17?", limit=60, count_use=False)

    assert [A_DAY] * 3 == [after - before for before, after in pairwise(gone)]
    assert 60 - 3 * A_DAY == len(answer.memories)
    assert "I prefer berth 19 for boat 17 now." in {hit.memory.text for hit in answer.memories[:10]}
    assert "I prefer berth 19 for boat 17 now." in profile.text
    assert [] == back
    assert 60 == len(found.memories)


async def test_of_a_log_with_roles_exchanged_one_undo_takes_what_is_wrong(tmp_path: Path) -> None:
    """What is said to be an assistant's is believed as one, and one run holds all that was found; turns stay."""
    other = {"user": "assistant", "assistant": "user"}
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(json.dumps({"role": other[role], "text": text}) for role, text in LOG))
    writer = Sentences()
    async with remanence.open(tmp_path / "memory.db", embedder="none", writer=writer) as memory:
        done = await memory.ingest(log, format="jsonl", trust="user", extract=True)
        await memory.consolidate()
        facts = await links(memory, Relation.LEARNED_FROM)
        held = {one.seq: one for one in await memory.list(status="any", limit=100)}
        await memory.undo(done.runs[-1])
        left = await memory.list(status="any", limit=100)
        profile = await memory.frame("profile")

    assert facts
    told = [
        held[fact].trust for fact, _ in facts for one in ("nurse", "sister", "bee") if one in held[fact].text
    ]
    assert {Trust.AGENT} == {*told}
    assert sorted(text for _, text in LOG) == sorted(one.text for one in left)
    assert () == tuple(profile.lines)
