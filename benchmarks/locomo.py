"""How much of the evidence recall finds on LoCoMo: `python -m benchmarks.locomo PATH [--embedder …] [--store …]`.

Turn-level: a question's evidence is a set of turns; a place of an answer stands for the turns that its memory names as
sources, a fact for the turns it was learned from. Paths: `raw` = turns are learned as they are, `extract` = they are
ingested with extraction; a place is wasted that stands for nothing but turns of places above it. Stores: `own` = one
file per conversation, `shared` = all in one scope, filtered by thread, `unfiltered` = the same without the filter.
Fields: what is said of a turn, `session` = all, `thread` = no session, `text` = only text and speaker, in order. Trust:
how far the turns are believed, `user` or `outside`, where the gate holds back and replaces more. With `--ablate` they
are asked again with links as an arm of recall, at a few weights in percent, each beside the figures without.
Means over questions; category `all` is 1 to 4 (5 is adversarial).

With `--db postgresql://…` the memories are on that server, a scope for each file that there were else. With `--beside`
as well nothing is measured: files and server are filled under one clock, every question is asked on both, and one line
says how many answers differ in any id, place, score or word.
"""

import argparse
import asyncio
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import remanence
from benchmarks.report import figure, note, settings
from remanence.core.clock import ManualClock
from remanence.core.keywords import TrustName
from remanence.core.model import Turn
from remanence.llm.local import StaticEmbedder
from remanence.text.tokens import token_counts
from remanence.write.transcripts.formats import parse

DEPTH = 20
EMBEDDERS = ("auto", "hashed", "none")
MODELS = "multilingual, local:FOLDER or openai:MODEL"  # beside the static vectors
FIELDS = ("session", "thread", "text")
PATHS = ("raw", "extract")
TRUSTS: tuple[TrustName, ...] = ("user", "outside")
PLACES = 10
LINKS = (0, 5, 10, 25, 50)  # the setting `recall_links` in an ablation
NOW = datetime(2024, 6, 1, tzinfo=UTC)  # of both in a comparison, after all that was said


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
    parser.add_argument(
        "--embedder", nargs="*", default=["none", "auto"], help=f"{', '.join(EMBEDDERS)}; {MODELS}"
    )
    parser.add_argument("--store", choices=("own", "shared", "unfiltered"), nargs="*", default=["own"])
    parser.add_argument("--fields", choices=FIELDS, default="session")
    parser.add_argument("--path", choices=PATHS, nargs="*", default=["raw"], dest="paths")
    parser.add_argument("--trust", choices=TRUSTS, nargs="*", default=["user"])
    parser.add_argument("--conversations", type=int, default=None, help="only so many of them")
    parser.add_argument("--ablate", action="store_true", help="ask also with links as an arm of recall")
    parser.add_argument("--db", default="", help="the address of a server, in place of files")
    parser.add_argument("--beside", action="store_true", help="compare the answers of files and the server")
    given = parser.parse_args()
    if given.beside and not given.db:
        parser.error("--beside needs the server to compare with: --db")
    if given.fields == "text" and "shared" in given.store:
        parser.error("--store shared filters by thread, which --fields text leaves out")
    if given.fields != "session" and "extract" in given.paths:
        parser.error("--path extract ingests the file, with all its fields")
    data = given.path.read_text(encoding="utf-8")
    samples = json.loads(data)[: given.conversations]
    turns = parse(json.dumps(samples), "locomo", given.path.name).turns
    asked = list(questions(samples, {turn.source for turn in turns if turn.source}))
    settings(questions=len(asked), turns=len(turns), depth=DEPTH, fields=given.fields)
    for embedder, store, way, trust in product(given.embedder, given.store, given.paths, given.trust):
        measured = Measured(samples, turns, asked, embedder, store, way, given.fields, trust, given.db)
        if given.beside:
            report_differing(measured, asyncio.run(compare_places(measured)))
            continue
        answers = asyncio.run(measure(measured, LINKS if given.ablate else LINKS[:1]))
        if given.ablate:
            compare(measured, answers)
        else:
            report(measured, answers[0])


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


@dataclass(frozen=True)
class Measured:
    """What is asked of which memory, and how that is filled."""

    samples: Sequence[dict[str, Any]]
    turns: Sequence[Turn]
    asked: Sequence[Question]
    embedder: str
    store: str
    path: str = "raw"
    fields: str = "session"
    trust: TrustName = "user"
    db: str = ""

    def groups(self) -> list[list[str]]:
        """Return the conversations of each memory."""
        threads = sorted({question.thread for question in self.asked})
        return [[thread] for thread in threads] if self.store == "own" else [threads]

    def place(self, folder: str, number: int) -> tuple[str, str]:
        """Return where a memory is: the address, and the name of its scope."""
        return self.db or str(Path(folder) / f"{number}.db"), f"locomo {Path(folder).name} {number}"


@dataclass(frozen=True)
class Answer:
    """The turns that each place of an answer stands for, best first, and the tokens of the first ten places."""

    places: Sequence[frozenset[str]]
    tokens: int

    def first(self, depth: int) -> frozenset[str]:
        """Return the turns of the first places."""
        return frozenset().union(*self.places[:depth])

    @property
    def wasted(self) -> float:
        """The share of the first ten places that stand for nothing that is not above them."""
        shown = self.places[:PLACES]
        return sum(place <= self.first(at) for at, place in enumerate(shown)) / max(1, len(shown))


async def measure(of: Measured, shares: Sequence[int] = (0,)) -> dict[int, list[Answer]]:
    """Fill the store or stores, reopen them, and return the answer to each question, by the share of links."""
    found = {share: [Answer((), 0)] * len(of.asked) for share in shares}
    groups = of.groups()
    with tempfile.TemporaryDirectory() as folder:
        for number, group in enumerate(groups):
            address, scope = of.place(folder, number)
            async with remanence.open(address, scope=scope, embedder=of.embedder) as memory:
                await filled(memory, of, group, Path(folder))
                await memory.consolidate()
            async with remanence.open(address, scope=scope, embedder=of.embedder) as memory:
                known: dict[str, frozenset[str]] = {}
                for share in shares:
                    await memory.settings.set("recall_links", share)
                    for at, question in enumerate(of.asked):
                        if question.thread in group:
                            answer = await recalled(memory, question, known, filtered=of.store == "shared")
                            found[share][at] = answer
            note(f"{of.embedder} {of.store} {of.path} {of.trust}: {number + 1} of {len(groups)}")
    return found


async def compare_places(of: Measured) -> list[bool]:
    """Fill files and the server alike, ask both, and return for each question whether the answers are equal."""
    equal: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, group in enumerate(of.groups()):
            _, scope = of.place(folder, number)
            file, server = [
                await all_answers(of, address, scope, group, Path(folder))
                for address in (replace(of, db="").place(folder, number)[0], of.db)
            ]
            equal += [one == other for one, other in zip(file, server, strict=True)]
            note(f"{number + 1} of {len(of.groups())}: {equal.count(False)} of {len(equal)} differ")
    return equal


def report_differing(of: Measured, equal: Sequence[bool]) -> None:
    """Print how many answers of the server are not those of files."""
    fields = {"embedder": _shown(of.embedder), "store": of.store, "path": of.path, "trust": of.trust}
    counts = {"conversations": sum(map(len, of.groups())), "questions": len(equal)}
    figure("locomo.differ", equal.count(False), "answers", goal=0, **counts, **fields)


async def all_answers(
    of: Measured, address: str, scope: str, group: Sequence[str], folder: Path
) -> list[tuple[Any, ...]]:
    """Fill one memory, with ids that do not depend on chance, and return its answers to all questions."""
    chance, clock = Random(scope), ManualClock(NOW)
    async with remanence.open(address, scope=scope, clock=clock, embedder=of.embedder) as memory:
        memory._core.random = chance.randbytes  # noqa: SLF001
        await filled(memory, of, group, folder)
        await memory.consolidate()
    texts = [item["question"] for one in of.samples if one["sample_id"] in group for item in one["qa"]]
    async with remanence.open(address, scope=scope, clock=clock, embedder=of.embedder) as memory:
        memory._core.random = chance.randbytes  # noqa: SLF001
        answers = [await memory.recall(text, limit=DEPTH) for text in texts]
    return [
        (answer.text, *((hit.id, hit.score, hit.parts, hit.also) for hit in answer.memories))
        for answer in answers
    ]


async def filled(memory: remanence.Engine, of: Measured, group: Sequence[str], folder: Path) -> None:
    """Take some conversations in."""
    if of.path == "raw":
        chosen = (turn for turn in of.turns if turn.thread in group)
        await memory.learn(replace(told(turn, of.fields), trust=of.trust) for turn in chosen)
        return
    file = folder / "some.json"
    file.write_text(json.dumps([one for one in of.samples if one["sample_id"] in group]), encoding="utf-8")
    await memory.ingest(file, format="locomo", trust=of.trust, extract=True)


def told(turn: Turn, fields: str) -> Turn:
    """Leave of a turn what is said of it."""
    if fields == "text":
        return Turn(turn.text, speaker=turn.speaker, source=turn.source)
    return turn if fields == "session" else replace(turn, session=None)


async def recalled(
    memory: remanence.Engine, question: Question, known: dict[str, frozenset[str]], *, filtered: bool
) -> Answer:
    """Return what the places of a recall stand for; `known` keeps it of the turns that facts name."""
    thread = question.thread if filtered else None
    answer = await memory.recall(question.text, limit=DEPTH, thread=thread, count_use=False)
    places = []
    for hit in answer.memories:
        sources = hit.memory.sources
        for name in set(filter(_ID.fullmatch, sources)) - known.keys():
            known[name] = frozenset((await memory.get(name)).sources)
        places.append(frozenset().union(*(known.get(source, {source}) for source in sources)))
    return Answer(places, sum(token_counts(answer.text.splitlines()[:PLACES])))


_ID = re.compile("[0-9a-f]{32}")


def compare(of: Measured, answers: Mapping[int, Sequence[Answer]]) -> None:
    """Print what links add as an arm of recall, in points, over all questions and those that need several turns."""
    for (share, found), category in product(answers.items(), ("all", 1)):
        chosen = [k for k, question in enumerate(of.asked) if category in ("all", question.category)]
        rows = [(of.asked[k].evidence, found[k], answers[0][k]) for k in chosen]
        fields = {"category": category, "embedder": _shown(of.embedder), "store": of.store, "path": of.path}
        for name, measured in (("recall@10", _recall_ten), ("mrr", _reciprocal)):
            value = 100 * _mean(measured(e, f) for e, f, _ in rows)
            gain = value - 100 * _mean(measured(e, without) for e, _, without in rows)
            figure(f"locomo.ablate.{name}", value, "%", links=share, gain=round(gain, 2), **fields)


def report(of: Measured, found: Sequence[Answer]) -> None:
    """Print the figures per category and over all."""
    for category in ("all", 1, 2, 3, 4):
        chosen = [k for k, question in enumerate(of.asked) if category in ("all", question.category)]
        fields = {
            "category": category,
            "embedder": _shown(of.embedder),
            "store": of.store,
            "path": of.path,
            "trust": of.trust,
            "questions": len(chosen),
        }
        rows = [(of.asked[k].evidence, found[k]) for k in chosen]
        for depth in (5, 10, 20):
            figure(
                f"locomo.recall@{depth}", 100 * _mean(_recall(e, f, depth) for e, f in rows), "%", **fields
            )
        figure("locomo.hit@10", 100 * _mean(bool(e & f.first(10)) for e, f in rows), "%", **fields)
        figure("locomo.mrr", 100 * _mean(_reciprocal(e, f) for e, f in rows), "%", **fields)
        figure("locomo.ndcg@10", 100 * _mean(_ndcg(e, f) for e, f in rows), "%", **fields)
        figure("locomo.wasted", 100 * _mean(f.wasted for _, f in rows), "%", **fields)
        figure("locomo.tokens", _mean(f.tokens for _, f in rows), "", **fields)


def _shown(embedder: str) -> str:
    return StaticEmbedder().name if embedder == "auto" else embedder


def _mean(values: Iterator[float]) -> float:
    return float(np.mean(list(values)))


def _recall(evidence: frozenset[str], found: Answer, depth: int) -> float:
    return len(evidence & found.first(depth)) / len(evidence)


def _recall_ten(evidence: frozenset[str], found: Answer) -> float:
    return _recall(evidence, found, PLACES)


def _reciprocal(evidence: frozenset[str], found: Answer) -> float:
    return next((1 / rank for rank, place in enumerate(found.places, 1) if place & evidence), 0.0)


def _ndcg(evidence: frozenset[str], found: Answer) -> float:
    new = [place - found.first(at) for at, place in enumerate(found.places[:10])]
    gain = sum(len(place & evidence) / np.log2(rank + 1) for rank, place in enumerate(new, 1))
    return float(gain / sum(1 / np.log2(rank + 1) for rank in range(1, min(len(evidence), 10) + 1)))


if __name__ == "__main__":
    main()
