"""How often short questions find a fact by other forms of its words: `python -m benchmarks.languages_asked`.

Forty facts a language, asked for with their words in other regular forms (gekocht / kochst), and eight with irregular
ones (sees / saw), which are printed apart. They stand in sessions of twenty turns among 300 others: labelled texts of
that language and, where these do not suffice, English ones. `own` has a store for each language, `shared` one for all.
R@1 is the share of questions whose fact stands first.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

import remanence
from benchmarks.labels import parts, read
from benchmarks.labels.others import SESSION_TURNS, list_others
from benchmarks.locomo import EMBEDDERS
from benchmarks.report import figure, settings
from remanence.core.model import Turn

OTHERS = 300
DEPTH = 10


@dataclass(frozen=True, slots=True)
class AskedFact:
    """A fact, and a question that has its words in other forms, which are `regular` or `irregular`."""

    id: str
    language: str
    kind: str
    text: str
    question: str


def main() -> None:
    """Measure one or more embedders and kinds of store."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", choices=EMBEDDERS, nargs="*", default=["none", "auto"])
    parser.add_argument("--store", choices=("own", "shared"), nargs="*", default=["own"])
    parser.add_argument("--part", choices=parts("forms"), default="first")
    parser.add_argument("--seed", type=int, default=20261127)
    parser.add_argument("--missed", action="store_true", help="print the questions whose fact is not first")
    given = parser.parse_args()
    facts = [AskedFact(**line) for line in read("forms", given.part)]
    settings(part=given.part, facts=len(facts), others=OTHERS, seed=given.seed)
    for embedder, store in product(given.embedder, given.store):
        asyncio.run(measure(facts, embedder, store, given.seed, missed=given.missed))


def mix_turns(facts: Sequence[AskedFact], others: Sequence[str], chance: Random, name: str) -> list[Turn]:
    """Return facts and others in an order drawn by chance, cut into sessions."""
    texts = [*(fact.text for fact in facts), *others]
    chance.shuffle(texts)
    return [Turn(text, session=f"{name}-{at // SESSION_TURNS}") for at, text in enumerate(texts)]


async def measure(facts: Sequence[AskedFact], embedder: str, store: str, seed: int, *, missed: bool) -> None:
    """Tell each language in a store of its own, or all in one, and ask."""
    languages = list(dict.fromkeys(fact.language for fact in facts))
    places: dict[str, int] = {}
    for group in [[one] for one in languages] if store == "own" else [languages]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "memory.db"
            async with remanence.open(path, embedder=embedder) as memory:
                for language in group:
                    own = [fact for fact in facts if fact.language == language]
                    chance = Random(f"{seed} {language}")
                    await memory.learn(mix_turns(own, list_others(language, OTHERS), chance, language))
            async with remanence.open(path, embedder=embedder) as memory:
                for fact in (one for one in facts if one.language in group):
                    answer = await memory.recall(fact.question, limit=DEPTH, count_use=False)
                    found = [hit.memory.text for hit in answer.memories]
                    places[fact.id] = found.index(fact.text) if fact.text in found else DEPTH
                    if missed and places[fact.id]:
                        print(f"{places[fact.id]} {fact.question} | {fact.text} | {found[:1]}")
    for language, kind in product(languages, ("regular", "irregular")):
        own_places = [places[one.id] for one in facts if (one.language, one.kind) == (language, kind)]
        if own_places:
            about = {"language": language, "forms": kind, "embedder": embedder, "store": store}
            for depth in (1, DEPTH):
                share = sum(place < depth for place in own_places) / len(own_places)
                figure(f"languages_asked.r@{depth}", 100 * share, "%", **about, questions=len(own_places))


if __name__ == "__main__":
    main()
