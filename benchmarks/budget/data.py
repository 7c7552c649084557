"""Conversations and what was asked of them: LoCoMo's JSON, JSON lines, or made up where there is no file."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.budget.made import made
from benchmarks.locomo import Question, questions
from remanence.core.model import Turn
from remanence.write.transcripts.formats import parse

SAID = ("text", "speaker", "role", "thread", "session")


@dataclass(frozen=True)
class Kept:
    """One conversation in order, its turns named by `source`, and the questions asked of it."""

    name: str
    turns: Sequence[Turn]
    questions: Sequence[Question]


def read(path: Path | None, only: int | None = None) -> list[Kept]:
    """Read the conversations of a file, each by itself; `only` so many of them."""
    if path is None:
        return [_kept(name, rows) for name, rows in made()][:only]
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return list(_threads(map(json.loads, filter(str.strip, text.splitlines()))))[:only]
    samples = json.loads(text)[:only]
    turns = parse(json.dumps(samples), "locomo", path.name).turns
    asked = list(questions(samples, {turn.source for turn in turns if turn.source}))
    threads = dict.fromkeys(turn.thread or "" for turn in turns)
    return [
        Kept(
            name,
            [turn for turn in turns if turn.thread == name],
            [one for one in asked if one.thread == name],
        )
        for name in threads
    ]


def _threads(rows: Iterator[Mapping[str, Any]]) -> Iterator[Kept]:
    """Put lines that name a thread together; what names none is one conversation."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault(row.get("thread") or "", []).append(row)
    for name, own in found.items():
        yield _kept(name, own)


def _kept(name: str, rows: Sequence[Mapping[str, Any]]) -> Kept:
    """Read the turns, and those questions whose evidence is among them."""
    turns = [_turn(row) for row in rows if "text" in row]
    known = {turn.source for turn in turns}
    asked = [
        Question(row["question"], int(row.get("category", 0)), name, frozenset(row["evidence"]) & known)
        for row in rows
        if "question" in row
    ]
    return Kept(name, turns, [one for one in asked if one.evidence])


def _turn(row: Mapping[str, Any]) -> Turn:
    said_at = row.get("said_at")
    at = None if said_at is None else datetime.fromisoformat(said_at)
    given = {name: row[name] for name in SAID if row.get(name) is not None}
    at = at.replace(tzinfo=UTC) if at is not None and at.tzinfo is None else at
    return Turn(**given, kind="episodic", said_at=at, source=str(row["id"]))
