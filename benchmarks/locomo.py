"""How much of the evidence recall finds on LoCoMo: `python -m benchmarks.locomo PATH [--embedder …] [--store …]`.

Turn-level: a question's evidence is a set of turns; a memory stands for the turns it names as sources, and the first
k distinct turns count. Stores: `own` = one file per conversation, `shared` = all in one scope, filtered by thread,
`unfiltered` = the same without the filter. Fields: what is said of a turn, `session` = all, `thread` = no session,
`text` = only text and speaker, in order. Means over questions; category `all` is 1 to 4 (5 is adversarial).
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import remanence
from benchmarks.report import figure, note, settings
from remanence.llm.local import StaticEmbedder
from remanence.model import Turn
from remanence.write.transcripts import parse

DEPTH = 20
EMBEDDERS = ("auto", "hashed", "none")
FIELDS = ("session", "thread", "text")


@dataclass(frozen=True)
class Question:
    """A question with the turns that hold its answer."""

    text: str
    category: int
    thread: str
    evidence: frozenset[str]


def main() -> None:
    """Measure one embedder and one or more kinds of store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--embedder", choices=EMBEDDERS, nargs="*", default=["none", "auto"])
    parser.add_argument("--store", choices=("own", "shared", "unfiltered"), nargs="*", default=["own"])
    parser.add_argument("--fields", choices=FIELDS, default="session")
    parser.add_argument("--conversations", type=int, default=None, help="only so many of them")
    given = parser.parse_args()
    if given.fields == "text" and "shared" in given.store:
        parser.error("--store shared filters by thread, which --fields text leaves out")
    data = given.path.read_text(encoding="utf-8")
    samples = json.loads(data)[: given.conversations]
    turns = parse(json.dumps(samples), "locomo", given.path.name).turns
    asked = list(questions(samples, {turn.source for turn in turns if turn.source}))
    settings(questions=len(asked), turns=len(turns), depth=DEPTH, fields=given.fields)
    for embedder in given.embedder:
        for store in given.store:
            found = asyncio.run(measure(turns, asked, embedder, store, given.fields))
            report(asked, found, embedder, store)


def questions(samples: Sequence[dict[str, Any]], turns: set[str]) -> Iterator[Question]:
    """Yield the questions whose evidence can be resolved; misspelt labels are split and repaired."""
    for sample in samples:
        thread = sample["sample_id"]
        for item in sample["qa"]:
            labels = [label for text in item.get("evidence", ()) for label in repaired(text)]
            sources = frozenset(f"{thread}:{label}" for label in labels) & turns
            if item["category"] <= 4 and sources:
                yield Question(item["question"], item["category"], thread, sources)


def repaired(text: str) -> list[str]:
    """Split and mend labels such as "D8:6; D9:17" and "D:11:26"."""
    return [f"D{session}:{turn}" for session, turn in re.findall(r"D:?(\d+):0*(\d+)", text)]


async def measure(
    turns: Sequence[Turn], asked: Sequence[Question], embedder: str, store: str, fields: str = "session"
) -> list[list[str]]:
    """Fill the store or stores, close and reopen them, and return the turns found for each question, best first."""
    found: list[list[str]] = [[] for _ in asked]
    threads = sorted({question.thread for question in asked})
    groups = [[thread] for thread in threads] if store == "own" else [threads]
    with tempfile.TemporaryDirectory() as folder:
        for number, group in enumerate(groups):
            path = Path(folder) / f"{number}.db"
            async with remanence.open(path, embedder=embedder) as memory:
                await memory.learn_many(told(turn, fields) for turn in turns if turn.thread in group)
                await memory.consolidate()
            async with remanence.open(path, embedder=embedder) as memory:
                for at, question in enumerate(asked):
                    if question.thread in group:
                        found[at] = await recalled(memory, question, filtered=store == "shared")
            note(f"{embedder} {store}: {number + 1} of {len(groups)}")
    return found


def told(turn: Turn, fields: str) -> Turn:
    """Leave of a turn what is said of it."""
    if fields == "text":
        return Turn(turn.text, speaker=turn.speaker, source=turn.source)
    return turn if fields == "session" else replace(turn, session=None)


async def recalled(memory: remanence.Engine, question: Question, *, filtered: bool) -> list[str]:
    """Return the first distinct turns that a recall names."""
    thread = question.thread if filtered else None
    answer = await memory.recall(question.text, limit=DEPTH, thread=thread, count_use=False)
    return list(dict.fromkeys(source for hit in answer.memories for source in hit.memory.sources))[:DEPTH]


def report(asked: Sequence[Question], found: Sequence[Sequence[str]], embedder: str, store: str) -> None:
    """Print the figures per category and over all."""
    for category in ("all", 1, 2, 3, 4):
        chosen = [k for k, question in enumerate(asked) if category in ("all", question.category)]
        fields = {
            "category": category,
            "embedder": _shown(embedder),
            "store": store,
            "questions": len(chosen),
        }
        rows = [(asked[k].evidence, found[k]) for k in chosen]
        for depth in (5, 10, 20):
            figure(
                f"locomo.recall@{depth}", 100 * _mean(_recall(e, f, depth) for e, f in rows), "%", **fields
            )
        figure("locomo.hit@10", 100 * _mean(bool(e & set(f[:10])) for e, f in rows), "%", **fields)
        figure("locomo.mrr", 100 * _mean(_reciprocal(e, f) for e, f in rows), "%", **fields)
        figure("locomo.ndcg@10", 100 * _mean(_ndcg(e, f) for e, f in rows), "%", **fields)


def _shown(embedder: str) -> str:
    return StaticEmbedder().name if embedder == "auto" else embedder


def _mean(values: Iterator[float]) -> float:
    return float(np.mean(list(values)))


def _recall(evidence: frozenset[str], found: Sequence[str], depth: int) -> float:
    return len(evidence & set(found[:depth])) / len(evidence)


def _reciprocal(evidence: frozenset[str], found: Sequence[str]) -> float:
    return next((1 / rank for rank, turn in enumerate(found, 1) if turn in evidence), 0.0)


def _ndcg(evidence: frozenset[str], found: Sequence[str]) -> float:
    gain = sum(1 / np.log2(rank + 1) for rank, turn in enumerate(found[:10], 1) if turn in evidence)
    return float(gain / sum(1 / np.log2(rank + 1) for rank in range(1, min(len(evidence), 10) + 1)))


if __name__ == "__main__":
    main()
