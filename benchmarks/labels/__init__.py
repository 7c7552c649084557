"""Reads the labelled texts that the benchmarks score against; it knows how the files are laid out, no engine.

Each kind has two files that were developed against, most have a third, drawn up apart, and what is let in a fourth.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

Part = Literal["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]

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
class Fact:
    """A statement worth keeping that stands on its own."""

    content: str
    category: str
    subject: str


@dataclass(frozen=True, slots=True)
class Turn:
    """What was said in one turn of a conversation, and the facts in it, often none."""

    id: str
    language: str
    role: str
    speaker: str
    text: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class SessionCuts:
    """Where a reader cut a session of a sample: the numbers of the turns with which another matter begins."""

    sample: str
    session: int
    cuts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rated:
    """A text of a category, and how important it is."""

    id: str
    language: str
    text: str
    category: str
    level: Literal["critical", "high", "normal", "low", "trivial"]


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


def turns(part: Part) -> list[Turn]:
    """Return turns with the facts in each."""
    return [
        Turn(**{**line, "facts": tuple(Fact(**fact) for fact in line["facts"])})
        for line in read("facts", part)
    ]


def rated(part: Part) -> list[Rated]:
    """Return texts with the importance of each."""
    return [Rated(**line) for line in read("importance", part)]


def cuts(part: Part) -> list[SessionCuts]:
    """Return where sessions were cut."""
    return [SessionCuts(line["sample"], line["session"], tuple(line["cuts"])) for line in read("boxes", part)]


@dataclass(frozen=True, slots=True)
class Said:
    """What was said in which session."""

    speaker: str
    session: str
    text: str


@dataclass(frozen=True, slots=True)
class NamePair:
    """Two names, the turns that they stand in, and whether these say that both are one."""

    id: str
    language: str
    why: str
    same: bool
    types: tuple[str, str]
    names: tuple[str, str]
    at: tuple[int, int]
    turns: tuple[Said, ...]


def name_pairs(part: Part) -> list[NamePair]:
    """Return pairs of names with what is said of them."""
    return [
        NamePair(
            **{
                **line,
                **{name: tuple(line[name]) for name in ("types", "names", "at")},
                "turns": tuple(Said(**turn) for turn in line["turns"]),
            }
        )
        for line in read("entities", part)
    ]


@dataclass(frozen=True, slots=True)
class ModelFact:
    """A turn, a fact that a model rightly makes of it, and one that is planted, with what is wrong about that."""

    id: str
    language: str
    speaker: str
    why: Literal["unrelated", "negation", "order", "number", "name"]
    text: str
    right: str
    planted: str


def model_facts(part: Part) -> list[ModelFact]:
    """Return turns with what a model may make of them."""
    return [ModelFact(**line) for line in read("model_facts", part)]
