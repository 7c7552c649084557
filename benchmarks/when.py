"""Whether a question that names a time finds what was said then: `python -m benchmarks.when [--part …] [--embedder …]`.

Each language has a store of its own: memories alike but for their day, others about the same words, and everyday facts
beside them (`languages.jsonl`). It is asked on Monday, 15 June 2026. `when.rank` and `when.recall@1` are of the right
memory; `when.read` is the share of questions of which exactly the labelled days are read, `when.read.none` that of
those without a time of which none is. `--without` reads no time, as it was before.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from statistics import mean

import remanence
from benchmarks import labels
from benchmarks.locomo import EMBEDDERS
from benchmarks.report import figure, settings
from remanence.core.clock import ManualClock, to_datetime
from remanence.core.model import Turn
from remanence.flows.recall import recalling
from remanence.read.when import find_time_spans

NOW = datetime(2026, 6, 15, 15, tzinfo=UTC)
DEPTH = 20
BESIDE = Path(__file__).parent / "languages.jsonl"


@dataclass(frozen=True)
class Asked:
    """A question, the key of the memory that answers it, and the days that it names."""

    language: str
    kind: str
    question: str
    answer: str
    days: tuple[date, date] | None


async def _read_no_times(_now: int, question: str, *_: object) -> tuple[tuple[()], str]:
    return (), question


def main() -> None:
    """Measure one part of the labels with one or more embedders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("first", "second"), default="first")
    parser.add_argument("--embedder", nargs="*", choices=EMBEDDERS, default=["none", "auto"])
    parser.add_argument("--without", action="store_true", help="time counts nothing")
    parser.add_argument("--kinds", action="store_true", help="also by kind of question")
    given = parser.parse_args()
    if given.without:
        recalling.read_times = _read_no_times  # type: ignore[attr-defined,assignment]
    told = [line for line in labels.read("when", "first") if "text" in line]
    asked = [
        Asked(line["language"], line["kind"], line["question"], line["answer"], _days(line["span"]))
        for line in labels.read("when", given.part)
        if "question" in line
    ]
    settings(part=given.part, questions=len(asked), without=given.without)
    report_reading(asked)
    for embedder in given.embedder:
        ranks = asyncio.run(measure(told, asked, embedder))
        groups = {"all": asked} | {
            code: [one for one in asked if one.language == code] for code in _codes(asked)
        }
        if given.kinds:
            groups |= {
                kind: [one for one in asked if one.kind == kind]
                for kind in dict.fromkeys(one.kind for one in asked)
            }
        for name, group in groups.items():
            some = [ranks[one] for one in group]
            fields = {"embedder": embedder, "group": name, "questions": len(some)}
            figure("when.recall@1", 100 * mean(rank == 1 for rank in some), "%", **fields)
            figure("when.rank", mean(some), "", **fields)


def _days(span: Sequence[str] | None) -> tuple[date, date] | None:
    return None if span is None else (date.fromisoformat(span[0]), date.fromisoformat(span[1]))


def _codes(asked: Sequence[Asked]) -> list[str]:
    return list(dict.fromkeys(one.language for one in asked))


def report_reading(asked: Sequence[Asked]) -> None:
    """Print of how many questions the days are read as they are labelled."""
    now = int(NOW.timestamp()) * 1_000_000
    for name, group in (
        ("when.read", [one for one in asked if one.days]),
        ("when.read.none", [one for one in asked if not one.days]),
    ):
        if group:
            right = [_read(one.question, now) == ([one.days] if one.days else []) for one in group]
            figure(name, 100 * mean(right), "%", questions=len(group))


def _read(question: str, now: int) -> list[tuple[date, date]]:
    return [
        (to_datetime(span.begins).date(), to_datetime(span.ends).date())
        for span in find_time_spans(question, now)
    ]


async def measure(told: Sequence[dict[str, str]], asked: Sequence[Asked], embedder: str) -> dict[Asked, int]:
    """Return the place of the right memory for each question, one behind the last where it is not found."""
    facts = [json.loads(line) for line in BESIDE.read_text(encoding="utf-8").splitlines()]
    ranks: dict[Asked, int] = {}
    for code in _codes(asked):
        async with remanence.open(embedder=embedder, clock=ManualClock(NOW)) as memory:
            beside = [
                Turn(
                    one["text"], said_at=NOW - timedelta(5 * one["fact"] + 1), session=f"beside {one['fact']}"
                )
                for one in facts
                if one["language"] == code
            ]
            await memory.learn(beside)
            for line in (one for one in told if one["language"] == code):
                said_at = datetime.combine(date.fromisoformat(line["said"]), time(12), UTC)
                await memory.learn(line["text"], key=line["key"], said_at=said_at, session=line["key"])
            await memory.consolidate()
            for one in (one for one in asked if one.language == code):
                answer = await memory.recall(one.question, limit=DEPTH, count_use=False)
                keys = [hit.memory.key for hit in answer.memories]
                ranks[one] = keys.index(one.answer) + 1 if one.answer in keys else DEPTH + 1
    return ranks


if __name__ == "__main__":
    main()
