"""A writer for tests that finds what stands in a turn: each of its sentences is a fact, with a name for "my"."""

import re
from collections.abc import Mapping, Sequence

from remanence.llm.base import Judgement
from remanence.read.extraction import Entity, ExtractRequest, ExtractResult, ExtractTurn, Fact, Relationship

_MINE = re.compile(r"\b[Mm]y\b")
_KIN = re.compile(r"\b(sister|brother|boss|friend|colleague|son|daughter) ([A-Z]\w+)")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
# By a word of the sentence; the first that fits.
_CATEGORIES = {
    "decided": "decision", "prefer": "preference", "like": "preference", "sister": "relationship",
    "brother": "relationship", "boss": "relationship", "always": "principle", "promise": "commitment",
}  # fmt: skip


class Sentences:
    """Takes each sentence of two words or more that asks nothing for a fact of its speaker, and judges nothing.

    Who is named beside what somebody is to the speaker ("my sister Mia") is an entity, and related to who speaks; so
    are those of the `names` that stand in the turns, each with its type. What was shown is kept in `asked`.
    """

    name = "sentences"

    def __init__(self, **names: str) -> None:
        self.names = names
        self.asked: list[list[ExtractTurn]] = []

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Judge nothing."""
        del text, identity, others
        return Judgement(0.5)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Give the sentences."""
        self.asked.append([*wanted.before, *turns])
        facts = [
            Fact(category, _MINE.sub(f"{turn.speaker or 'user'}'s", text), turn.id, span, 0.9, turn.speaker)
            for turn in turns
            for text, span in _iterate_statements(turn.text)
            if (category := _category_of(text)) in wanted.categories
        ]
        said = " ".join(turn.text for turn in turns)
        ties = [(*match.groups(), turn.speaker) for turn in turns for match in _KIN.finditer(turn.text)]
        entities = [Entity(name, sort) for name, sort in self.names.items() if name in said]
        entities += [Entity(name, "person") for name in dict.fromkeys(name for _, name, _ in ties)]
        related = tuple(Relationship(name, kin, speaker) for kin, name, speaker in ties if speaker)
        return ExtractResult(tuple(facts), tuple(entities), relationships=related)


def _iterate_statements(text: str) -> Sequence[tuple[str, tuple[int, int]]]:
    found = [(match.group().strip(), match.end()) for match in _SENTENCE.finditer(text)]
    return [(one, (end - len(one), end)) for one, end in found if " " in one and not one.endswith("?")]


def _category_of(text: str) -> str:
    words = text.lower().split()
    return next((name for word, name in _CATEGORIES.items() if word in words), "fact")
