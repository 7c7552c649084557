"""What a recall as of an instant takes beside a recall: `python -m benchmarks.as_of [--memories …] [--edits …]`.

Drawn texts are learned into a file and made active, and then some are edited or tagged, one a run. Both ways are asked
the same questions in turn: `as_of.ratio` is the median over pairs of CPU time. `as_of.first` is a recall as of an
instant that nobody asked about since something was written, `as_of.stretch` one as of an instant between two other
edits; `as_of.unread` is the first of all, for which the audit is read. The others ask about the same instant again.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np

import remanence
from benchmarks.report import figure, settings
from remanence.core.clock import ManualClock

WORDS = 2_000
ASKED = 3  # words of a question


def main() -> None:
    """Measure one size with one or more embedders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--embedder", nargs="*", default=["none", "auto"])
    given = parser.parse_args()
    settings(memories=given.memories, edits=given.edits, questions=given.questions)
    for embedder in given.embedder:
        asyncio.run(measure(given.memories, given.edits, given.questions, embedder))


def _text(random: Random, words: int) -> str:
    return " ".join(f"word{int(WORDS * random.random() ** 2)}" for _ in range(words))


async def measure(memories: int, edits: int, questions: int, embedder: str) -> None:
    """Print what recalls of today, and as of before the edits, take in turn."""
    random, clock = Random(14), ManualClock()
    with tempfile.TemporaryDirectory() as folder:
        async with remanence.open(Path(folder) / "memory.db", embedder=embedder, clock=clock) as memory:
            await memory.learn([_text(random, 15) for _ in range(memories)])
            await memory.consolidate()
            clock.advance(hours=1)
            stood = clock.now()
            clock.advance(days=1)
            between = []
            for number in range(edits):
                clock.advance(minutes=1)
                between.append(clock.now())
                seq = random.randint(1, memories)
                if number % 4:
                    await memory.update(seq, text=_text(random, 15))
                else:
                    await memory.tag(seq, f"edited{number}")
            asked = [_text(random, ASKED) for _ in range(questions)]
            await memory.recall(asked[0], count_use=False)
            unread = await _spent(memory, asked[0], as_of=stood)
            pairs = []
            for question in asked:
                first = await _spent(memory, question)
                pairs.append((first, await _spent(memory, question, as_of=stood)))
            firsts = [await _spent(memory, asked[0], as_of=stood - number) for number in range(1, 11)]
            stretches = [
                await _spent(memory, asked[0], as_of=at) for at in random.sample(between, min(20, edits))
            ]
    now, then = np.array(pairs).T * 1_000
    figure("as_of.now", float(np.median(now)), "ms", embedder=embedder)
    figure("as_of.again", float(np.median(then)), "ms", embedder=embedder)
    figure("as_of.ratio", float(np.median(then / now)), "", embedder=embedder)
    figure("as_of.unread", unread * 1_000, "ms", embedder=embedder)
    figure("as_of.stretch", float(np.median(stretches)) * 1_000, "ms", embedder=embedder)
    figure("as_of.first", float(np.median(firsts)) * 1_000, "ms", embedder=embedder)


async def _spent(memory: remanence.Engine, question: str, **asking: int) -> float:
    """Return the CPU seconds of one recall."""
    begun = time.process_time()
    await memory.recall(question, count_use=False, **asking)  # type: ignore[arg-type] # an instant alone
    return time.process_time() - begun


if __name__ == "__main__":
    main()
