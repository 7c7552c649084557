"""How much a turn asks to be kept: standing orders, corrections, who somebody is, what was decided, habits, hints.

Engram A1, with requests, questions, suppositions and quotations told apart. Knows the text of one turn only.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Literal

from remanence.core.patterns import Pattern
from remanence.languages.families import SIGNALS
from remanence.languages.notation import expand_choices
from remanence.languages.shapes import Signals

Level = Literal["high", "medium", "low", "none"]
# Of a long turn its two ends are looked at: what somebody says of it stands around what they paste.
END_CHARS = 1_000
VIEWS_MIN = 2  # so many views in one turn weigh as much as a habit
_QUOTED = re.compile(
    '“[^“”]{0,300}”|„[^„“”]{0,300}[“”]|«[^«»]{0,300}»|「[^「」]{0,300}」|"[^"]{0,300}"|`[^`]{0,300}`'
)
_SENTENCE = re.compile(r"[^.!?…。！？\n]+[.!?…。！？]*")
# A choice that is no whole word, or of several words.
_PARTLY = Pattern(r"[^ ^]\(|\)[^ ]|\([^()]* ")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|:")
_MARKS = str.maketrans("’‘ʼ：", "''':")
_ASKED = ("?", "？")
JOKE = "joke"  # what is found in a turn that says so of itself
CACHED = 256  # turns: a turn is asked about as it is stored and as the answer is given
_GAP_MAX = {True: 6, False: 12}  # words, or characters where a language is written without blanks


@dataclass(frozen=True, slots=True)
class Signal:
    """How much a turn asks to be kept, and which classes of phrases say so."""

    level: Level
    found: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Met:
    """A phrase that was met in a sentence: what it tells, its class, and where it stands."""

    tells: str
    name: str
    begin: int
    end: int


def signal(text: str) -> Signal:
    """Tell how much a turn asks to be kept."""
    return _read_signal(_normalize_unquoted(text))


@lru_cache(maxsize=CACHED)
def _read_signal(plain: str) -> Signal:
    hits: list[_Met] = []
    for is_spaced in (True,) if plain.isascii() else (True, False):
        part = _read_signals(plain, spaced=is_spaced)
        if part is None:
            return Signal("none", (JOKE,))
        hits += part
    names = tuple(dict.fromkeys(f"{met.tells}: {met.name}" for met in hits))
    return Signal(_find_level(hits), names)


def _find_level(found: Sequence[_Met]) -> Level:
    tells = {met.tells for met in found}
    if "high" in tells:
        return "high"
    if "medium" in tells or sum(met.name in ("view", "shared") for met in found) >= VIEWS_MIN:
        return "medium"
    return "low" if found else "none"


def _normalize_unquoted(text: str) -> str:
    """Return what a person says around what is quoted, in small letters."""
    if len(text) > 2 * END_CHARS:
        text = f"{text[:END_CHARS]}\n{text[-END_CHARS:]}"
    return _QUOTED.sub(" ", text.casefold().translate(_MARKS))


def _read_signals(text: str, *, spaced: bool) -> list[_Met] | None:
    """Return what the sentences of a turn tell in languages that are written alike; None where it is a joke."""
    hits: list[_Met] = []
    for sentence in _SENTENCE.findall(text):
        met = list(
            _find_phrases(_WORD.findall(sentence) if spaced else list(sentence.strip()), spaced=spaced)
        )
        if any(one.tells == "joke" for one in met):
            return None
        hits += _filter_counting_signs(met, asks=sentence.rstrip().endswith(_ASKED))
    return hits


def _filter_counting_signs(met: Sequence[_Met], *, asks: bool) -> Iterator[_Met]:
    """Yield what counts of what a sentence says: less where it asks, supposes or speaks of this moment alone."""
    kinds = {one.tells for one in met}
    nothing = [one for one in met if one.tells == "empty"]
    for one in met:
        if one.tells == "order":
            yield _Met("high", "standing order", one.begin, one.end)
        elif one.tells in _LEVELS and not asks and "veto" not in kinds:
            is_passing = one.name == "standing order" and "passing" in kinds
            if not is_passing and not (
                one.tells != "low"
                and any(one.begin < other.end and other.begin < one.end for other in nothing)
            ):
                yield one


def _find_phrases(words: Sequence[str], *, spaced: bool) -> Iterator[_Met]:
    """Yield the phrases of a sentence, of a class the shortest that begins at a word."""
    phrases = _build_phrase_tree(spaced)
    for begin in range(len(words)):
        met: set[tuple[str, str]] = set()
        for root in (phrases.first, phrases.any)[begin > 0 :]:
            if not root.begins(words[begin]):
                continue
            for node, end in _iterate_phrase_ends(root, words, begin, _GAP_MAX[spaced]):
                yield from (_Met(*one, begin, end) for one in node.ends if one not in met)
                met.update(node.ends)


class _PhraseNode:
    """A place in the phrases: which word may follow, which beginnings of one, whether a gap may, and what ends here."""

    __slots__ = ("beginnings", "ends", "gap", "starts", "words")

    def __init__(self) -> None:
        self.words: dict[str, _PhraseNode] = {}
        self.starts: tuple[str, ...] = ()  # the beginnings, once all are known
        self.beginnings: dict[str, _PhraseNode] = {}
        self.gap: _PhraseNode | None = None
        self.ends: list[tuple[str, str]] = []

    def begins(self, word: str) -> bool:
        """Tell whether a phrase may begin with a word; no phrase begins with a gap."""
        return word in self.words or word.startswith(self.starts)

    def after(self, part: str) -> "_PhraseNode":
        """Return the place after one more part of a phrase."""
        if part == "~":
            self.gap = self.gap or _PhraseNode()
            return self.gap
        if part.endswith("*"):
            return self.beginnings.setdefault(part.removesuffix("*"), _PhraseNode())
        return self.words.setdefault(part, _PhraseNode())


def _iterate_phrase_ends(
    root: _PhraseNode, words: Sequence[str], begin: int, gap_max: int
) -> Iterator[tuple[_PhraseNode, int]]:
    """Yield every place in the phrases that words lead to, from one of them on, and up to where: short gaps first."""
    open_ = [(root, begin)]
    while open_:
        node, place = open_.pop()
        if node.ends:
            yield node, place
        if node.gap is not None:
            open_ += [(node.gap, place + gap) for gap in range(gap_max, -1, -1)]
        if place < len(words):
            word = words[place]
            following = node.words.get(word)
            if following is not None:
                open_.append((following, place + 1))
            if node.beginnings:
                open_ += [
                    (other, place + 1)
                    for beginning, other in node.beginnings.items()
                    if word.startswith(beginning)
                ]


_LEVELS = ("high", "medium", "low")


@dataclass(frozen=True, slots=True)
class _PhraseTree:
    """Where phrases begin: those of the first word of a sentence, and those of any."""

    first: _PhraseNode
    any: _PhraseNode


@lru_cache(maxsize=2)
def _build_phrase_tree(spaced: bool) -> _PhraseTree:
    """Return the phrases of the languages that are written so."""
    tree = _PhraseTree(_PhraseNode(), _PhraseNode())
    languages = [one for one in SIGNALS.values() if one.spaced is spaced]
    for tells, name, phrase in chain.from_iterable(map(_list_phrases, languages)):
        is_whole = "(" not in phrase or (spaced and not _PARTLY.search(phrase))
        for one in (phrase,) if is_whole else expand_choices(phrase):
            _add_phrase(tree, one, (tells, name), spaced=spaced)
    for root in (tree.first, tree.any):
        root.starts = tuple(root.beginnings)
    return tree


def _add_phrase(tree: _PhraseTree, phrase: str, end: tuple[str, str], *, spaced: bool) -> None:
    """Add a phrase, of whose words each may be a choice, and what it tells."""
    nodes = [tree.first if phrase.startswith("^") else tree.any]
    for part in _split_phrase(phrase.removeprefix("^"), spaced=spaced):
        either = part[1:-1].split("|") if part[0] == "(" else (part,)
        nodes = [node.after(word) for node in nodes for word in either]
    for node in nodes:
        if end not in node.ends:
            node.ends.append(end)


def _list_phrases(language: Signals) -> Iterator[tuple[str, str, str]]:
    """Yield the phrases of a language with what they tell and their class."""
    for tells, group in zip(_LEVELS, (language.high, language.medium, language.low), strict=True):
        yield from ((tells, name, phrase) for name, phrases in group.items() for phrase in phrases)
    others = {
        "order": language.orders,
        "veto": language.vetoes,
        "empty": language.empty,
        "joke": language.jokes,
        "passing": language.passing,
    }
    yield from ((tells, tells, phrase) for tells, group in others.items() for phrase in group)


def _split_phrase(phrase: str, *, spaced: bool) -> Sequence[str]:
    """Return what a phrase consists of: words, each with its choices, or characters; and gaps."""
    return phrase.replace(":", " :").split(" ") if spaced else phrase
