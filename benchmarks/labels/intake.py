"""The labelled texts that score what is let in: signals, junk, secrets, benign texts and repeats in disguise."""

from dataclasses import dataclass
from typing import Literal

from benchmarks.labels import Part, read


@dataclass(frozen=True, slots=True)
class Signal:
    """What a user said in a turn, and how much it asks to be kept."""

    id: str
    language: str
    text: str
    level: Literal["high", "medium", "low", "none"]
    why: str


@dataclass(frozen=True, slots=True)
class Short:
    """A short line, and whether it is junk or says something."""

    id: str
    language: str
    text: str
    junk: bool


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


@dataclass(frozen=True, slots=True)
class Disguise:
    """One text in another spelling."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Repeated:
    """A text, and the same text in fourteen disguises."""

    id: str
    text: str
    disguises: tuple[Disguise, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """What a user writes down, with what of it is to be given back as it was written."""

    id: str
    language: str
    kind: str
    text: str
    values: tuple[str, ...]


def notes(part: Part) -> list[Note]:
    """Return everyday notes that hold personal data, some of them a PIN, a password or the code of an alarm."""
    return [Note(**{**line, "values": tuple(line["values"])}) for line in read("notes", part)]


def signals(part: Part) -> list[Signal]:
    """Return turns with the level of each."""
    return [Signal(**line) for line in read("signals", part)]


def shorts(part: Part) -> list[Short]:
    """Return short lines, junk and not."""
    return [Short(**line) for line in read("junk", part)]


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


def repeats(part: Part) -> list[Repeated]:
    """Return texts with their disguises."""
    return [
        Repeated(**{**line, "disguises": tuple(Disguise(**disguise) for disguise in line["disguises"])})
        for line in read("repeats", part)
    ]
