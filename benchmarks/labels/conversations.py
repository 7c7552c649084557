"""Conversations over three sessions, with what is to be kept of each and what holds at the end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from benchmarks.labels import Part, read

NAME_WORDS = 3


@dataclass(frozen=True, slots=True)
class Spoken:
    """One turn: its number in the conversation, who said it, and when its session began."""

    n: int
    speaker: str
    role: str
    text: str
    session: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Keep:
    """What a person would want kept of a turn, of whom it is, and the words that decide it."""

    n: int
    of: str
    fact: str
    values: tuple[str, ...]
    category: str


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, the turns that answer it rightly, and those that give an answer that holds no longer."""

    q: str
    right: tuple[int, ...]
    stale: tuple[int, ...]
    answer: str
    other_words: bool


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation and its labels; `updates` map (old, new) to how, `together` are pairs that both hold.

    `people` are the names of those who are spoken of and do not speak, with their titles, and the turns that name them.
    """

    id: str
    language: str
    kind: str
    user: str
    turns: tuple[Spoken, ...]
    keep: tuple[Keep, ...]
    not_facts: Mapping[int, str]
    updates: Mapping[tuple[int, int], str]
    together: frozenset[frozenset[int]]
    contradictions: frozenset[frozenset[int]]
    questions: tuple[LabelledQuestion, ...]
    people: frozenset[tuple[int, str]]

    @property
    def newer(self) -> frozenset[tuple[int, int]]:
        """All pairs (older, newer) that the updates make, chains followed."""
        pairs = set(self.updates)
        while more := {(a, d) for a, b in pairs for c, d in self.updates if b == c} - pairs:
            pairs |= more
        return frozenset(pairs)


def conversations(part: Part, labels: str = "conversations") -> list[Conversation]:
    """Return the conversations of one half, with their labels or those of a second reader."""
    lines = read("conversations", part)
    return [_conversation(line | other) for line, other in zip(lines, read(labels, part), strict=True)]


def _conversation(line: Mapping[str, Any]) -> Conversation:
    turns = [
        Spoken(
            turn["n"], turn["speaker"], turn["role"], turn["text"], number, datetime.fromisoformat(one["at"])
        )
        for number, one in enumerate(line["sessions"])
        for turn in one["turns"]
    ]
    return Conversation(
        line["id"],
        line["language"],
        line["kind"],
        line["user"],
        tuple(turns),
        tuple(
            Keep(one["n"], one["of"], one["fact"], tuple(one["values"]), one["category"])
            for one in line["keep"]
        ),
        {one["n"]: one["why"] for one in line["not_facts"]},
        {(one["old"], one["new"]): one["how"] for one in line["updates"]},
        _pairs(line["together"]),
        _pairs(line["contradictions"]),
        tuple(
            LabelledQuestion(
                one["q"],
                tuple(one["right"]),
                tuple(one.get("stale", ())),
                one.get("answer", ""),
                one.get("other_words", False),
            )
            for one in line["questions"]
        ),
        frozenset((one["n"], one["about"]) for one in line["third_persons"] if _is_name(one["about"])),
    )


def _is_name(words: str) -> bool:
    """Tell whether words name somebody: each has a capital, and there are at most three with a title."""
    parts = words.split()
    return len(parts) <= NAME_WORDS and all(part[0].isupper() for part in parts)


def _pairs(lines: Sequence[Mapping[str, Any]]) -> frozenset[frozenset[int]]:
    return frozenset(frozenset((one["one"], one["other"])) for one in lines)
