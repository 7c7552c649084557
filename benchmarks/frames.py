"""What a frame that is asked carries beside recall in the same tokens: `python -m benchmarks.frames PATH [--frame …]`.

The LoCoMo conversations are learned as turns, a file each. A question is asked of `recall` and of each frame with one
budget, that of the whole text, and a limit that never binds. `--change` gives a field of the frames another value,
such as `terms=["cold_start"]` or `diversity=0.3`. `frames.found` is the share of the evidence turns that
the answer holds, `frames.behind` how many points that is below recall, `frames.cpu_ms` what an answer takes, and
`frames.ratio` how many times what a recall of ten takes, asked in turn with it.
"""

import argparse
import asyncio
import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import remanence
from benchmarks.locomo import Measured, Question, filled, questions
from benchmarks.report import figure, note, settings, spent
from remanence.core.model import RecallResult
from remanence.write.transcripts.formats import parse

FRAMES = ("attention", "task", "simulate")
BUDGETS = (400, 800, 2_000)
LIMIT = 200  # more lines than the largest budget holds

Found = dict[tuple[str, int], list[float]]


def main() -> None:
    """Ask one embedder's stores by recall and by some frames."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--embedder", default="auto")
    parser.add_argument("--frame", nargs="*", default=list(FRAMES))
    parser.add_argument("--budget", nargs="*", type=int, default=list(BUDGETS))
    parser.add_argument("--conversations", type=int, default=None, help="only so many of them")
    parser.add_argument("--every", type=int, default=1, help="ask only each so-manieth question")
    parser.add_argument("--change", nargs="*", default=[], metavar="FIELD=JSON")
    given = parser.parse_args()
    changes = {name: json.loads(value) for name, value in (one.split("=", 1) for one in given.change)}
    samples = json.loads(given.path.read_text(encoding="utf-8"))[: given.conversations]
    turns = parse(json.dumps(samples), "locomo", given.path.name).turns
    asked = list(questions(samples, {turn.source for turn in turns if turn.source}))[:: given.every]
    settings(
        questions=len(asked), turns=len(turns), embedder=given.embedder, limit=LIMIT, changes=given.change
    )
    measured = Measured(samples, turns, asked, given.embedder, "own")
    found, took = asyncio.run(measure(measured, given.frame, given.budget, changes))
    for (name, budget), shares in found.items():
        here = {"frame": name, "budget": budget, "embedder": given.embedder}
        figure("frames.found", 100 * float(np.mean(shares)), "%", **here)
        behind = 100 * (np.mean(found["recall", budget]) - np.mean(shares))
        figure("frames.behind", float(behind), "points", **here)
        cpu_ms = np.array(took[name, budget])
        figure("frames.cpu_ms", float(np.median(cpu_ms)), "ms", **here)
        figure("frames.ratio", float(np.median(cpu_ms / took["ten", budget])), "", **here)


async def measure(
    of: Measured, frames: Sequence[str], budgets: Sequence[int], changes: Mapping[str, Any]
) -> tuple[Found, Found]:
    """Return, by what was asked and its budget, the share of the evidence found and the CPU ms of each question."""
    found: Found = defaultdict(list)
    took: Found = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for thread in sorted({question.thread for question in of.asked}):
            async with remanence.open(Path(folder) / f"{thread}.db", embedder=of.embedder) as memory:
                await filled(memory, of, [thread], Path(folder))
                await memory.consolidate()
                for name in frames if changes else ():
                    await memory.frames.set(name, **changes)
                for question in (one for one in of.asked if one.thread == thread):
                    for budget in budgets:
                        await ask(memory, question, (frames, budget), found, took)
            note(f"{of.embedder} {thread}")
    return found, took


async def ask(
    memory: remanence.Engine, question: Question, of: tuple[Sequence[str], int], found: Found, took: Found
) -> None:
    """Ask one question in every way, one after another."""
    frames, budget = of
    with spent() as ten:
        await memory.recall(question.text, limit=10, count_use=False)
    took["ten", budget].append(1_000 * ten.cpu_s)
    for name in ("recall", *frames):
        with spent() as one:
            if name == "recall":
                answer = await memory.recall(question.text, limit=LIMIT, budget=budget, count_use=False)
            else:
                answer = await memory.frame(name, question.text, limit=LIMIT, budget=budget, count_use=False)
        found[name, budget].append(share_of(question.evidence, answer))
        took[name, budget].append(1_000 * one.cpu_s)


def share_of(evidence: frozenset[str], answer: RecallResult) -> float:
    """Return the share of the evidence turns that an answer holds."""
    held = {source for hit in answer.memories for source in hit.memory.sources}
    return len(evidence & held) / len(evidence)


if __name__ == "__main__":
    main()
