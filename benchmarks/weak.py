"""How often recall calls an answer weak on LoCoMo: `python -m benchmarks.weak PATH [--turns …]`.

`own` questions are those of the conversation that is asked; `other` are those of the other nine, and `renamed` the same
with the names of the two people exchanged for those who talk here. Own questions have their evidence in the store, so
few may be weak; the others have none, so most should be. `--turns` cuts each conversation after so many turns, 0 for
none, and asks the own questions whose evidence is before the cut; `--no-sessions` forgets which turn was said in which
session. `unsure` is the share of answers that say so. The floors were chosen on the first five conversations, so
the figures of the `rest` are those to go by. `--curve` shows what other floors would do.
"""

import argparse
import asyncio
import json
import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import remanence
from benchmarks.locomo import EMBEDDERS, Question, questions
from benchmarks.report import figure, note, settings
from remanence.core.model import Turn
from remanence.llm.local import StaticEmbedder
from remanence.llm.offline import HashedEmbedder, NoEmbedder
from remanence.write.transcripts.formats import parse

CHOSEN_ON = 5  # conversations
KINDS = ("own", "other", "renamed")
FLOORS_ROUND = (-0.08, -0.06, -0.04, -0.02, 0.0, 0.02, 0.04, 0.06, 0.08)
_FLOORS = {
    "auto": StaticEmbedder.thresholds.weak_below or 0.0,
    "hashed": HashedEmbedder.thresholds.weak_below or 0.0,
    "none": NoEmbedder.thresholds.weak_below or 0.0,
}


@dataclass(frozen=True)
class Answered:
    """How well a question was answered by a conversation."""

    kind: str
    part: str
    strength: float
    weak: bool
    unsure: bool


def main() -> None:
    """Measure one or more embedders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path)
    parser.add_argument("--embedder", choices=EMBEDDERS, nargs="*", default=list(EMBEDDERS))
    parser.add_argument(
        "--turns", type=int, nargs="*", default=[0], help="cut conversations after so many turns"
    )
    parser.add_argument("--no-sessions", action="store_true", help="learn turns without their sessions")
    parser.add_argument("--curve", action="store_true", help="show other floors too")
    given = parser.parse_args()
    data = given.path.read_text(encoding="utf-8")
    samples = json.loads(data)
    turns = parse(data, "locomo", given.path.name).turns
    asked = list(questions(samples, {turn.source for turn in turns if turn.source}))
    settings(questions=len(asked), turns=len(turns), chosen_on=CHOSEN_ON)
    if given.no_sessions:
        turns = [replace(turn, session=None) for turn in turns]
    for embedder in given.embedder:
        for most in given.turns:
            answers = asyncio.run(measure(samples, turns, asked, embedder, most or None))
            report(answers, embedder, turns=most, sessions=not given.no_sessions, curve=given.curve)


async def measure(
    samples: Sequence[dict[str, Any]],
    turns: Sequence[Turn],
    asked: Sequence[Question],
    embedder: str,
    most: int | None = None,
) -> list[Answered]:
    """Ask each conversation its own questions and as many of the others."""
    names = {sample["sample_id"]: _names(sample) for sample in samples}
    answers: list[Answered] = []
    for number, thread in enumerate(names):
        part = "chosen" if number < CHOSEN_ON else "rest"
        heard = [turn for turn in turns if turn.thread == thread][:most]
        sources = {turn.source for turn in heard}
        fair = [question for question in asked if question.thread != thread or question.evidence <= sources]
        with tempfile.TemporaryDirectory() as folder:
            async with remanence.open(Path(folder) / "memory.db", embedder=embedder) as memory:
                await memory.learn(heard)
                await memory.consolidate()
                for kind, text in _texts(fair, thread, names, random.Random(number)):
                    answer = await memory.recall(text, count_use=False)
                    answers.append(Answered(kind, part, answer.strength, answer.is_weak, answer.is_unsure))
        note(f"{embedder}: {number + 1} of {len(names)}")
    return answers


def _texts(
    asked: Sequence[Question], thread: str, names: Mapping[str, Sequence[str]], chance: random.Random
) -> Iterator[tuple[str, str]]:
    """Yield (kind, question) for one conversation."""
    own = [question for question in asked if question.thread == thread]
    other = chance.sample([question for question in asked if question.thread != thread], len(own))
    yield from (("own", question.text) for question in own)
    yield from (("other", question.text) for question in other)
    yield from (
        ("renamed", _renamed(question.text, names[question.thread], names[thread])) for question in other
    )


def _names(sample: Mapping[str, Any]) -> tuple[str, str]:
    talk = sample["conversation"]
    return talk["speaker_a"], talk["speaker_b"]


def _renamed(text: str, old: Sequence[str], new: Sequence[str]) -> str:
    for one, other in zip(old, new, strict=True):
        text = re.sub(rf"\b{re.escape(one)}\b", other, text)
    return text


def report(answers: Sequence[Answered], embedder: str, *, curve: bool, **more: Any) -> None:
    """Print the shares of weak answers, by kind of question and part of the conversations."""
    floor = _FLOORS[embedder]
    for kind in KINDS:
        for part in ("chosen", "rest"):
            these = [answer for answer in answers if (answer.kind, answer.part) == (kind, part)]
            strengths = np.array([answer.strength for answer in these])
            fields = {"embedder": embedder, "conversations": part, "questions": len(these), **more}
            weak = np.array([answer.weak for answer in these])
            figure(f"recall.weak_{kind}", 100 * float(weak.mean()), "%", floor=floor, **fields)
            unsure = np.array([answer.unsure for answer in these])
            figure(f"recall.unsure_{kind}", 100 * float(unsure.mean()), "%", floor=floor, **fields)
            for step in FLOORS_ROUND if curve else ():
                share = float((strengths < floor + step).mean())
                figure(f"recall.weak_{kind}_at", 100 * share, "%", floor=round(floor + step, 2), **fields)


if __name__ == "__main__":
    main()
