"""Labelled texts of one language that stand beside what a benchmark asks for, in sessions of twenty turns."""

from collections.abc import Iterator
from typing import Protocol

from benchmarks.labels import DEVELOPED, pairs, scenes
from benchmarks.labels.intake import benign, shorts, signals

ENGLISH = "en"
SESSION_TURNS = 20


class Labelled(Protocol):
    """A labelled text."""

    @property
    def text(self) -> str:
        """What it says."""
        ...

    @property
    def language(self) -> str:
        """The code of the language that it is in."""
        ...


def list_others(language: str, count: int) -> list[str]:
    """Return so many texts that no fact is about, those of a language first, then English ones."""
    texts = [*_labelled(language), *_labelled(ENGLISH)]
    return list(dict.fromkeys(texts))[:count]


def _labelled(language: str) -> Iterator[str]:
    """Yield the texts of a language that rules were developed against."""
    for part in DEVELOPED:
        labelled: list[Labelled] = [
            *signals(part),
            *benign(part),
        ]
        labelled += [one for one in shorts(part) if not one.junk]
        yield from (one.text for one in labelled if one.language == language)
        for scene in scenes(part):
            if scene.language == language:
                yield from (scene.old.text, scene.new.text)
        yield from (pair.one for pair in pairs(part) if pair.language == language)
