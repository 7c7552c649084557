"""Recall on real conversations keeps its promise, where the data are at hand."""

import asyncio
import json
import os
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import remanence
from benchmarks.locomo import Measured, compare_places, measure, questions
from remanence.write.transcripts.formats import parse
from tests.neo4j_server import Neo4jServer

DATA = os.environ.get("REMANENCE_LOCOMO")
pytestmark = pytest.mark.skipif(DATA is None, reason="REMANENCE_LOCOMO does not say where LoCoMo lies")
# So many conversations of ten. What a search by words alone finds in all of them is looked at by `make deep`.
FEW = 4


def read_conversations(count: int) -> list[Any]:
    """Return the first conversations of the file."""
    conversations: list[Any] = json.loads(Path(str(DATA)).read_text(encoding="utf-8"))
    return conversations[:count]


@pytest.mark.parametrize(
    ("embedder", "conversations", "questions_asked", "floor"),
    [
        # Of all, the floors of the shared study (turn-level recall of evidence among the first ten).
        ("auto", 10, 1_536, 0.83),
        ("none", FEW, 582, 0.798),
        pytest.param("none", 10, 1_536, 0.80, marks=pytest.mark.deep),
    ],
)
def test_recall_finds_the_evidence(
    embedder: str, conversations: int, questions_asked: int, floor: float
) -> None:
    """Over all their questions, through the public verbs on reopened files, one for each conversation."""
    data = read_conversations(conversations)
    turns = parse(json.dumps(data), "locomo", "locomo").turns
    asked = list(questions(data, {turn.source for turn in turns if turn.source}))
    found = asyncio.run(measure(Measured(data, turns, asked, embedder, "own")))[0]
    shares = [
        len(question.evidence & answer.first(10)) / len(question.evidence)
        for question, answer in zip(asked, found, strict=True)
    ]

    assert questions_asked == len(asked)
    assert sum(shares) / len(shares) >= floor


@pytest.mark.parametrize(
    ("conversations", "turns"), [(FEW, 2_080), pytest.param(10, 5_882, marks=pytest.mark.deep)]
)
async def test_ingest_of_real_conversations_is_idempotent(
    conversations: int, turns: int, tmp_path: Path
) -> None:
    """The second ingest of a whole file changes nothing."""
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(read_conversations(conversations)), encoding="utf-8")
    async with remanence.open(tmp_path / "memory.db", embedder="none") as memory:
        first = await memory.ingest(path)
        runs = len(await memory.history(limit=1_000))
        again = await memory.ingest(path)
        kept = first.stored + first.confirmed + first.quarantined

        assert (turns, 0) == (kept, again.stored + again.confirmed + again.quarantined)
        assert runs == len(await memory.history(limit=1_000))


@pytest.mark.parametrize(
    ("conversations", "questions_asked"), [(1, 199), pytest.param(10, 1_986, marks=pytest.mark.deep)]
)
async def test_a_server_answers_as_a_file(
    conversations: int, questions_asked: int, postgres_address: str
) -> None:
    """Every question has the same memories in the same order, with the same score to its last digit."""
    data = read_conversations(conversations)
    turns = parse(json.dumps(data), "locomo", "locomo").turns
    asked = list(questions(data, {turn.source for turn in turns if turn.source}))
    equal = await compare_places(Measured(data, turns, asked, "auto", "own", db=postgres_address))

    assert [True] * questions_asked == equal


@pytest.mark.parametrize("conversations", [1, pytest.param(10, marks=pytest.mark.deep)])
async def test_real_conversations_go_through_every_store(
    conversations: int, tmp_path: Path, postgres_address: str, neo4j_server: Neo4jServer, neo4j_address: str
) -> None:
    """An export, the history and the hash are the same in each, a run is undone there, and a person is nowhere."""
    talk = tmp_path / "talk.json"
    talk.write_text(json.dumps(read_conversations(conversations)), encoding="utf-8")
    places = [
        str(tmp_path / "a.db"), postgres_address, neo4j_address, f"{tmp_path / 'all'}{os.sep}", str(tmp_path / "b.db"),
    ]  # fmt: skip
    async with remanence.open(places[0], embedder="hashed") as memory:
        await memory.ingest(talk)
        await memory.erase.apply(await memory.erase.show(subject="Melanie", mentions=True))
        run = (await memory.pin((await memory.list(limit=1))[0])).run
    digests = set()
    for source, target in pairwise(places):
        (copied,) = await remanence.copy_scopes(source, target)
        digests.add(copied.digest)
    in_graph = str(neo4j_server.run("MATCH (n) RETURN properties(n) AS p"))
    exports, logs, undone = [], [], []
    for place in places:
        async with remanence.open(place, embedder="hashed") as memory:
            exports.append([line async for line in memory.export()][1:])
            logs.append(await memory._core.store.history("default", limit=1_000_000))
            undone.append((await memory.undo(run)).changes)
            assert [] == [check for check in await memory.doctor() if not check.ok]

    assert 1 == len(digests)
    assert all(one == exports[0] for one in exports)
    assert all(one == logs[0] for one in logs)
    assert all(undone)
    assert not re.search(r"\bMelanie\b", f"{in_graph} {exports} {logs}")
