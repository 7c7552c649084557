"""The words by which one language tells that something is otherwise than before, and where they stand in a text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from remanence.core.patterns import Pattern
from remanence.languages.families import Family
from remanence.languages.language_files import Language, build
from remanence.languages.shapes import ChangeLists

# What may say that something is otherwise now; `corrects`, `refutes`, `turns` and `reaches` do so only beside
# another value, or one that a correction says again.
CUES = ("onward", "now", "lately", "shifts", "corrects", "refutes", "reaches", "ends", "anymore", "turns")
_WORD = re.compile(r"(?<![\w'])[\w']+")
_KEY_CHARS = 3  # of a phrase that is how a word begins, to find it quickly


@dataclass(frozen=True, slots=True)
class Sign:
    """A phrase of one list, and where it stands in a text."""

    kind: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Changing:
    """The phrases of one language, by the lists of `ChangeLists`, as they are looked for in small letters."""

    code: str
    patterns: Mapping[str, Pattern]
    spaced: bool = True
    whole: Mapping[str, Sequence[tuple[str, str]]] = field(
        default_factory=dict
    )  # (phrase, list) by first word
    begun: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)  # by how the word begins

    def find_signs(self, low: str) -> list[Sign]:
        """Return the signs of a text in small letters; of one list, those that do not overlap, the longest first."""
        if not self.spaced:
            return [
                Sign(kind, one.start(), one.end())
                for kind, pattern in self.patterns.items()
                for one in pattern.finditer(low)
            ]
        signs: list[Sign] = []
        ends: dict[str, int] = {}
        for word in _WORD.finditer(low):
            begin, text = word.start(), word.group()
            for kind, end in self._find_phrases(low, begin, text):
                if begin >= ends.get(kind, 0):
                    ends[kind] = end
                    signs.append(Sign(kind, begin, end))
        return signs

    def _find_phrases(self, low: str, begin: int, word: str) -> Iterator[tuple[str, int]]:
        """Yield the lists of which a phrase begins at a word, and where it ends, the longest phrases first."""
        for phrase, kind in self.whole.get(word, ()):
            end = begin + len(phrase)
            if low.startswith(phrase, begin) and not _goes_on(low, end):
                yield kind, end
        for phrase, kind in self.begun.get(word[:_KEY_CHARS], ()):
            if word.startswith(phrase):
                yield kind, begin + len(word)


def _goes_on(low: str, end: int) -> bool:
    return end < len(low) and (low[end].isalnum() or low[end] == "_")


def _build_changing(language: Language) -> Changing:
    """Make the lists of a language ready to look with."""
    lists = build(ChangeLists, "changes", language)
    phrases = {name: _longest_first(getattr(lists, name)) for name in lists.notations}
    code, spaced = lists.code, lists.spaced
    if not spaced:
        patterns = {name: Pattern("|".join(map(re.escape, some))) for name, some in phrases.items() if some}
        return Changing(code, patterns, spaced=False)
    whole: dict[str, list[tuple[str, str]]] = {}
    prefixes: dict[str, list[tuple[str, str]]] = {}
    for name, some in phrases.items():
        for phrase in some:
            if phrase.endswith("*"):
                prefixes.setdefault(phrase[:_KEY_CHARS], []).append((phrase[:-1], name))
            else:
                first = _WORD.match(phrase)
                assert first is not None, phrase
                whole.setdefault(first.group(), []).append((phrase, name))
    return Changing(code, {}, whole=whole, begun=prefixes)


def _longest_first(phrases: Sequence[str]) -> list[str]:
    return sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase))


CHANGING: Family[Changing] = Family(_build_changing)
