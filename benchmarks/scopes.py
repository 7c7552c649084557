"""What a question over two scopes costs and loses: `python -m benchmarks.scopes [--n 10000] [--locomo PATH]`.

Cost: the same questions, in turns, to the own scope, to another one and to both; wall seconds, since the scopes are
searched at the same time, and CPU seconds. Loss, on LoCoMo: the evidence that is found of a conversation in one scope,
and of the same split over two by sessions, every other one or one of six, or beside the conversation of others.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import remanence
from benchmarks.corpus import Maker
from benchmarks.locomo import Question, questions
from benchmarks.report import figure, note, settings, spent
from remanence.core.model import Turn
from remanence.write.transcripts.formats import parse

ASKED = 100
SCOPES = {"own": ["own"], "team": ["team"], "both": ["own", "team"]}
PARTS = {"halves": (0, 2), "sixth": (0, 6)}  # sessions that are in a scope of their own: which, of how many


def main() -> None:
    """Measure the cost, and the loss where there is a file of LoCoMo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=10_000, help="memories of the own scope")
    parser.add_argument("--share", type=float, default=1.0, help="of as many, in the other scope")
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--conversations", type=int, default=4)
    given = parser.parse_args()
    settings(n=given.n, share=given.share)
    asyncio.run(measure_cost(given.n, given.share))
    if given.locomo is not None:
        asyncio.run(measure_loss(json.loads(given.locomo.read_text())[: given.conversations]))


async def measure_cost(n: int, share: float) -> None:
    """Ask the same in turns, after a warm round, and print medians."""
    queries = [" ".join(text.split()[3:8]) for text in Maker().texts(ASKED, salt=1)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scopes.db"
        for number, (scope, size) in enumerate({"own": n, "team": round(n * share)}.items()):
            async with remanence.open(path, scope=scope) as memory:
                await memory.learn(Turn(text) for text in Maker().texts(size, salt=number))
            note(f"{scope}: {size:,}")
        async with remanence.open(path, scope="own") as memory:
            wall: dict[str, list[float]] = {name: [] for name in SCOPES}
            cpu: dict[str, list[float]] = {name: [] for name in SCOPES}
            for query in (*queries[:10], *queries):
                for name, scopes in SCOPES.items():
                    with spent() as took:
                        await memory.recall(query, scopes=scopes, count_use=False)
                    wall[name].append(took.wall_s)
                    cpu[name].append(took.cpu_s)
    walls = {name: 1_000 * float(np.median(some[10:])) for name, some in wall.items()}
    for name, median in walls.items():
        figure("scopes.recall.wall_ms", median, "ms", scopes=name)
        figure("scopes.recall.cpu_ms", 1_000 * float(np.median(cpu[name][10:])), "ms", scopes=name)
    figure("scopes.recall.over_slower", walls["both"] / max(walls["own"], walls["team"]), "")


async def measure_loss(samples: Sequence[Mapping[str, object]]) -> None:
    """Print what is found of one scope, and of two, and how often the first answer is the same."""
    turns = parse(json.dumps(samples), "locomo", "locomo").turns
    asked = list(questions(samples, {turn.source for turn in turns if turn.source}))  # type: ignore[arg-type]
    threads = list(dict.fromkeys(turn.thread for turn in turns))
    found: dict[str, list[tuple[Question, list[str]]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, thread in enumerate(threads):
            mine = [turn for turn in turns if turn.thread == thread]
            sessions = list(dict.fromkeys(turn.session for turn in mine))
            parts = {"whole": mine, "others": [t for t in turns if t.thread == threads[number - 1]]}
            for name, (which, of) in PARTS.items():
                own = {one for at, one in enumerate(sessions) if at % of == which}
                parts |= {f"{name} a": [turn for turn in mine if turn.session in own]}
                parts |= {f"{name} b": [turn for turn in mine if turn.session not in own]}
            path = Path(folder) / f"{number}.db"
            for scope, some in parts.items():
                async with remanence.open(path, scope=scope) as memory:
                    await memory.learn(some)
                    await memory.consolidate()
            ways = {"whole": ["whole"], "beside others": ["whole", "others"]}
            ways |= {name: [f"{name} a", f"{name} b"] for name in PARTS}
            async with remanence.open(path, scope="whole") as memory:
                for question in (one for one in asked if one.thread == thread):
                    for name, scopes in ways.items():
                        answer = await memory.recall(question.text, scopes=scopes, count_use=False)
                        sources = [hit.memory.sources[0] for hit in answer]
                        found.setdefault(name, []).append((question, sources))
            note(f"conversation {number + 1} of {len(threads)}")
    for name, answers in found.items():
        firsts = zip(answers, found["whole"], strict=True)
        same = np.mean([one[1][:1] == whole[1][:1] for one, whole in firsts])
        figure("scopes.same_first", 100 * float(same), "%", scopes=name, questions=len(answers))
        for depth in (1, 5, 10):
            shares = [len(q.evidence.intersection(got[:depth])) / len(q.evidence) for q, got in answers]
            figure(f"scopes.recall@{depth}", 100 * float(np.mean(shares)), "%", scopes=name)


if __name__ == "__main__":
    main()
