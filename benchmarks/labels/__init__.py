"""Reads the labelled texts that the benchmarks score against; it knows how the files are laid out, no engine.

Each kind has two files that were developed against, most have a third, drawn up apart, and what is let in a fourth.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

Part = Literal["first", "second", "third", "fourth", "fifth", "eighth"]

DEVELOPED: tuple[Part, ...] = ("first", "second")  # what was looked at while rules were written

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Statement:
    """What someone said, and in which role: user, assistant, tool, or outside for a text from elsewhere."""

    speaker: str
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Scene:
    """An older and a newer statement, and what the newer one is to the older one."""

    id: str
    language: str
    kind: Literal["update", "none", "contradiction"]
    why: str
    subject: str
    old: Statement
    new: Statement
    question: str
    few_shared: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts, and whether they say the same; hard where little tells two different ones apart."""

    id: str
    language: str
    same: bool
    hard: bool
    why: str
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class SessionCuts:
    """Where a reader cut a session of a sample: the numbers of the turns with which another matter begins."""

    sample: str
    session: int
    cuts: tuple[int, ...]


def names() -> list[str]:
    """Return the kinds of labels there are."""
    return sorted({path.name.split(".")[0] for path in FOLDER.glob("*.jsonl")})


def parts(name: str) -> list[Part]:
    """Return the sets that a kind of labels has."""
    return [part for part in get_args(Part) if (FOLDER / f"{name}.{part}.jsonl").exists()]


def read(name: str, part: Part) -> list[dict[str, Any]]:
    """Return the lines of one set of a kind of labels."""
    lines = (FOLDER / f"{name}.{part}.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def scenes(part: Part) -> list[Scene]:
    """Return scenes of an older and a newer statement."""
    return [
        Scene(
            **{
                **line,
                "old": Statement(**line["old"]),
                "new": Statement(**line["new"]),
                "few_shared": line.get("few_shared", False),
            }
        )
        for line in read("updates", part)
    ]


def pairs(part: Part) -> list[Pair]:
    """Return pairs of texts that say the same, or do not."""
    return [Pair(**line) for line in read("dedup_pairs", part)]


def cuts(part: Part) -> list[SessionCuts]:
    """Return where sessions were cut."""
    return [SessionCuts(line["sample"], line["session"], tuple(line["cuts"])) for line in read("boxes", part)]
