"""What all engines are given to keep and asked for: the same texts, questions and vectors."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.corpus import Maker
from benchmarks.locomo import questions
from remanence.core.model import Turn
from remanence.llm.local import StaticEmbedder
from remanence.write.transcripts.formats import parse

SMALL, LARGE = 629, 5_880
ASKED_MADE, ASKED_LARGE = 200, 60


@dataclass(frozen=True)
class Notes:
    """One store's texts by id, the questions asked of it, and the ids that hold the answers to each."""

    items: Sequence[tuple[str, str]]
    questions: Sequence[str]
    evidence: Sequence[frozenset[str]]

    def write_vectors(self, path: Path, more: Sequence[str] = ()) -> None:
        """Write the vectors of texts, questions and more, a JSON line each, as adapters read them."""
        texts = [*(text for _, text in self.items), *self.questions, *more]
        with path.open("w", encoding="utf-8") as file:
            for text, vector in zip(texts, StaticEmbedder().embed(texts).tolist(), strict=True):
                file.write(json.dumps([text, vector]) + "\n")


@dataclass(frozen=True)
class Data:
    """The stores that questions are asked of, which of them is timed, and all of it in one."""

    name: str
    stores: Sequence[Notes]
    small: Notes
    large: Notes


def read(path: Path | None, conversations: int | None = None) -> Data:
    """Return the conversations of LoCoMo, each a store of its own, or made-up texts where there is no file."""
    if path is None:
        small, large = _made(SMALL), _made(LARGE)
        return Data("made up", [small], small, large)
    samples = json.loads(path.read_text(encoding="utf-8"))
    turns = parse(json.dumps(samples), "locomo", path.name).turns
    asked = list(questions(samples, {turn.source for turn in turns if turn.source}))
    stores = []
    for thread in dict.fromkeys(turn.thread for turn in turns):
        own = [question for question in asked if question.thread == thread]
        items = [(turn.source or "", said(turn)) for turn in turns if turn.thread == thread]
        stores.append(Notes(items, [one.text for one in own], [one.evidence for one in own]))
    everything = [item for store in stores for item in store.items]
    few = asked[:: max(1, len(asked) // ASKED_LARGE)]
    large = Notes(everything, [one.text for one in few], [one.evidence for one in few])
    stores.sort(key=lambda store: abs(len(store.items) - SMALL))
    return Data("LoCoMo", stores[:conversations], stores[0], large)


def said(turn: Turn) -> str:
    """Return a turn as one text, since most engines have no fields for who spoke and when."""
    when = f"{turn.said_at:%d %B %Y}" if turn.said_at and not isinstance(turn.said_at, int) else ""
    return f"{turn.speaker} ({when}): {turn.text}"


def _made(n: int) -> Notes:
    """Make texts, and questions of three to eight words of one of them."""
    random = np.random.default_rng(17)
    items = [(f"n{k}", text) for k, text in enumerate(Maker().texts(n, salt=3))]
    sought = random.choice(n, ASKED_MADE)
    asked = [
        " ".join(random.permutation(items[k][1].split())[: random.integers(3, 9)].tolist()) for k in sought
    ]
    return Notes(items, asked, [frozenset({items[k][0]}) for k in sought])
