"""The labelled texts that score what is let in: secrets, harmless lines and benign texts."""

from dataclasses import dataclass
from typing import Literal

from benchmarks.labels import Part, read


@dataclass(frozen=True, slots=True)
class Secret:
    """A text and the part of it that must not be kept."""

    id: str
    kind: str
    group: Literal["credential", "personal"]
    language: str
    text: str
    secret: str


@dataclass(frozen=True, slots=True)
class Harmless:
    """A text with no secret in it."""

    id: str
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Benign:
    """A text that speaks of instructions and gives a reading agent none, and a question that asks for it."""

    id: str
    language: str
    kind: str
    question: str
    text: str


def secrets(part: Part) -> list[Secret]:
    """Return texts with a secret, both joined from the pieces they are stored in."""
    return [
        Secret(**{**line, "text": "".join(line["text"]), "secret": "".join(line["secret"])})
        for line in read("secrets", part)
    ]


def harmless(part: Part) -> list[Harmless]:
    """Return texts without a secret."""
    return [Harmless(**line) for line in read("harmless", part)]


def benign(part: Part) -> list[Benign]:
    """Return texts that speak of instructions."""
    return [Benign(**line) for line in read("benign", part)]
