"""How well facts are found without a model: `python -m benchmarks.extract [LOCOMO] [--part …] [--batch …]`.

On labelled turns: an extracted fact is right where it says what a labelled fact of its turn says, a labelled one is
found where an extracted one says it; one says the other where half of its content words are there. With LoCoMo's file:
which turns bear facts, against the turns that its observations name; all turns, and the better half by keep-value,
beside it. Importance: the share of labelled texts that get their level.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import labels
from benchmarks.locomo import repaired
from benchmarks.report import figure, settings, spent
from remanence.core.model import Turn
from remanence.core.segment import FIRST_IN_SEGMENT
from remanence.flows.write.extracting import as_heard
from remanence.read.extract import extract_facts
from remanence.read.extraction import CATEGORIES, ExtractTurn
from remanence.read.importance import importance, level
from remanence.text.analysis import asks, stems, terms_of
from remanence.write.transcripts.formats import parse
from remanence.write.value import keep_value

SAID_SHARE = 0.5
BATCHES = (5, 20, 100)


def main() -> None:
    """Score one set of labels and, where its file is given, LoCoMo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--part", choices=labels.parts("facts"), default="first")
    parser.add_argument("--batch", type=int, nargs="*", default=BATCHES, help="turns of a session at a time")
    given = parser.parse_args()
    settings(part=given.part)
    score_labels(labels.turns(given.part), given.part)
    if given.part in labels.parts("importance"):
        score_importance(labels.rated(given.part), given.part)
    if given.path is not None:
        data = given.path.read_text(encoding="utf-8")
        turns = parse(data, "locomo", given.path.name).turns
        score_turns(turns, evidence(json.loads(data)), given.batch)


def score_labels(turns: Sequence[labels.Turn], part: str) -> None:
    """Print how much of what is found is right, and how much of what is there is found."""
    right = right_category = found = met = there = 0
    for turn in turns:
        facts = extract_facts([ExtractTurn(turn.id, turn.text, turn.speaker, turn.role)], CATEGORIES).facts
        sentences = [turn.text[slice(*fact.span)] for fact in facts]
        said = [[says(sentence, one, turn.speaker) for one in turn.facts] for sentence in sentences]
        found, there = found + len(facts), there + len(turn.facts)
        right += sum(map(any, said))
        right_category += sum(
            any(hit and one.category == fact.category for hit, one in zip(row, turn.facts, strict=True))
            for row, fact in zip(said, facts, strict=True)
        )
        met += sum(any(row[at] for row in said) for at in range(len(turn.facts)))
    figure("extract.precision", right / found, "", part=part, facts=found)
    figure("extract.recall", met / there, "", part=part, facts=there)
    figure("extract.category", right_category / right, "", part=part, facts=right)


def says(sentence: str, fact: labels.Fact, speaker: str) -> bool:
    """Tell whether half of a fact's content words, its speaker's name apart, are in a sentence."""
    wanted = set(stems(fact.content)) - set(stems(speaker))
    return len(wanted & set(stems(sentence))) >= SAID_SHARE * len(wanted)


def score_importance(rated: Sequence[labels.Rated], part: str) -> None:
    """Print how many texts get the level of their label."""
    hits = [level(importance(one.text, one.category)) == one.level for one in rated]
    figure("extract.importance", sum(hits) / len(hits), "", part=part, texts=len(hits))


def evidence(samples: Sequence[dict[str, Any]]) -> set[str]:
    """Return the turns that an observation names."""
    return {
        f"{sample['sample_id']}:{label}"
        for sample in samples
        for session in sample["observation"].values()
        for told in session.values()
        for observation in told
        for text in _texts(observation[1:])
        for label in repaired(text)
    }


def _texts(given: Any) -> Iterator[str]:
    """Yield the labels of an observation, one or a list of them."""
    if isinstance(given, str):
        yield given
    else:
        for one in given:
            yield from _texts(one)


def score_turns(turns: Sequence[Turn], named: set[str], sizes: Sequence[int]) -> None:
    """Print F1 of the turns that bear facts, and how fast they are found."""
    named &= {str(turn.source) for turn in turns}
    _f1("all turns", {str(turn.source) for turn in turns}, named)
    _f1("better half by keep-value", better_half(turns), named)
    for size in sizes:
        with spent() as work:
            found = [extract_facts(batch, CATEGORIES) for batch in batches(turns, size)]
        bearing = {fact.turn for one in found for fact in one.facts}
        cut = sum((Counter(one.cut) for one in found), Counter())
        _f1(
            "extracted", bearing, named, batch=size, facts=sum(len(one.facts) for one in found), cut=dict(cut)
        )
        figure("extract.speed", len(turns) / work.cpu_s, "turns/CPU s", batch=size, turns=len(turns))


def batches(turns: Sequence[Turn], size: int) -> Iterator[list[ExtractTurn]]:
    """Yield the turns of each session, so many at a time."""
    sessions: dict[str | None, list[ExtractTurn]] = {}
    for place, turn in enumerate(turns):
        sessions.setdefault(turn.session, []).append(as_heard(turn, place))
    for told in sessions.values():
        yield from (told[begin : begin + size] for begin in range(0, len(told), size))


def better_half(turns: Sequence[Turn]) -> set[str]:
    """Return the turns whose keep-value on arrival, in their conversation, is not below the median of all."""
    seen: dict[str | None, Counter[int]] = {}
    before: dict[str | None, list[str]] = {}
    memories: Counter[str | None] = Counter()
    values = []
    for turn in turns:
        counts, told = seen.setdefault(turn.thread, Counter()), before.setdefault(turn.session, [])
        terms = terms_of(turn.text)
        value = keep_value(
            turn.text, terms=terms, memories=memories[turn.thread], df=counts,
            place=min(len(told), FIRST_IN_SEGMENT), after_question=bool(told) and asks(told[-1]), assistant=False,
        )  # fmt: skip
        values.append(value.total)
        counts.update(terms)
        told.append(turn.text)
        memories[turn.thread] += 1
    least = float(np.median(values))
    return {str(turn.source) for turn, value in zip(turns, values, strict=True) if value >= least}


def _f1(what: str, picked: set[str], named: set[str], **fields: Any) -> None:
    hits = len(picked & named)
    figures = {"precision": round(hits / len(picked), 4), "recall": round(hits / len(named), 4)}
    figure("extract.f1", 2 * hits / (len(picked) + len(named)), "", turns=what, **figures, **fields)


if __name__ == "__main__":
    main()
