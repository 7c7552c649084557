"""Recall on real conversations keeps its promise, where the data are at hand."""

import asyncio
import json
import os
from pathlib import Path

import pytest

import remanence
from benchmarks.locomo import Measured, measure, questions
from remanence.write.transcripts.formats import parse

DATA = os.environ.get("REMANENCE_LOCOMO")
# The floors of the shared study (turn-level recall of evidence among the first ten, one store per conversation).
FLOORS = {"none": 0.80, "auto": 0.83}

pytestmark = pytest.mark.skipif(DATA is None, reason="REMANENCE_LOCOMO does not say where LoCoMo lies")


@pytest.mark.parametrize("embedder", FLOORS)
def test_recall_finds_the_evidence(embedder: str) -> None:
    """Over all 1,536 questions of ten conversations, through the public verbs on reopened files."""
    text = Path(str(DATA)).read_text(encoding="utf-8")
    turns = parse(text, "locomo", "locomo").turns
    asked = list(questions(json.loads(text), {turn.source for turn in turns if turn.source}))
    found = asyncio.run(measure(Measured(json.loads(text), turns, asked, embedder, "own")))[0]
    shares = [
        len(question.evidence & answer.first(10)) / len(question.evidence)
        for question, answer in zip(asked, found, strict=True)
    ]

    assert 1_536 == len(asked)
    assert sum(shares) / len(shares) >= FLOORS[embedder]


async def test_ingest_of_real_conversations_is_idempotent(tmp_path: Path) -> None:
    """The second ingest of the whole file changes nothing."""
    async with remanence.open(tmp_path / "memory.db", embedder="none") as memory:
        first = await memory.ingest(str(DATA))
        runs = len(await memory.history(limit=1_000))
        again = await memory.ingest(str(DATA))
        kept = first.stored + first.confirmed + first.quarantined

        assert (5_882, 0) == (kept, again.stored + again.confirmed + again.quarantined)
        assert runs == len(await memory.history(limit=1_000))
