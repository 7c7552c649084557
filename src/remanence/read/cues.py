"""Which phrases of the word lists a sentence holds, and in which language it is. Knows no memories."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, repeat

from remanence.languages import LEXICONS
from remanence.languages.families import ASSERTIONS
from remanence.languages.shapes import Assertions
from remanence.read.signals import signal

WORD = re.compile(r"[^\W_]++(?:['-][^\W_]++)*+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_MARKS = " 　。，、！？…!?.,~～"
KEPT_CHARS_MAX, KEPT_MAX = 1_000, 2_048  # one text is asked for its language by several readers in turn
# What may stand before the words that a sentence begins with.
LEADING_MAX = 4
# What a signal of a turn says of a sentence: its phrases have no other list.
_TOLD = {
    "high: correction": "correction",
    "high: decision": "decision",
    "high: standing order": "rules",
    "low: hedge": "hedges",
    "low: view": "hedges",
}


@dataclass(frozen=True, slots=True)
class SentenceReading:
    """A sentence as the lists see it: its lower-case words, where its own words begin, and the signs it holds.

    `signs` maps the name of a list to how many of its phrases stand in the sentence; `content` are the words that are
    neither function words nor talk.
    """

    code: str
    words: tuple[str, ...]
    signs: dict[str, int]
    content: tuple[str, ...]

    def has(self, *names: str) -> int:
        """Return how many phrases of some lists are there."""
        return sum(map(self.signs.get, names, repeat(0))) if self.signs else 0


@dataclass(frozen=True, slots=True)
class _Phrase:
    """The words after the first; it may count only where a sentence `opens`, or as what a word `begins` with."""

    sign: str
    rest: tuple[str, ...]
    opens: bool
    begins: bool

    def fits(self, words: Sequence[str], at: int, opening: frozenset[int]) -> bool:
        """Tell whether it stands at a place of a sentence, its first word excepted."""
        if self.opens and at not in opening:
            return False
        if not self.rest:
            return True
        there = tuple(words[at + 1 : at + 1 + len(self.rest)])
        if self.begins:
            return (
                there[:-1] == self.rest[:-1]
                and len(there) == len(self.rest)
                and there[-1].startswith(self.rest[-1])
            )
        return there == self.rest


def language_code(text: str, spoken: Sequence[str] | None = None) -> str:
    """Return the language of a text; English where nothing speaks for another. `spoken` are its words where known."""
    return _detect_language(text) if spoken is None and len(text) <= KEPT_CHARS_MAX else _code(text, spoken)


@lru_cache(maxsize=KEPT_MAX)
def _detect_language(text: str) -> str:
    return _code(text, None)


def _code(text: str, spoken: Sequence[str] | None) -> str:
    if _KANA.search(text):
        return "ja"
    if _HAN.search(text):
        return "zh"
    codes, by_word = _build_language_index()
    votes = [0] * len(codes)
    for word in WORD.findall(lower_text(text)) if spoken is None else spoken:
        for code in by_word.get(word, ()):
            votes[code] += 1
    return codes[votes.index(max(votes))]


def lower_text(text: str) -> str:
    """Return a text in small letters with straight apostrophes, character by character where it was."""
    low = text.lower()
    # Few capitals become two letters; places would no longer be those of the text.
    return (low if len(low) == len(text) else text).replace("’", "'")


def read_sentence(sentence: str, code: str) -> SentenceReading:
    """Return what a sentence of a language holds."""
    low = lower_text(sentence)
    lists = ASSERTIONS[code]
    told = {_TOLD[name]: 1 for name in signal(sentence).found if name in _TOLD}
    if not lists.spaced:
        return _by_characters(low, lists, told)
    words = tuple(WORD.findall(low))
    stop, mute = LEXICONS[code].stop, lists.mute
    content = tuple(word for word in words if word.removesuffix("'s") not in stop and word not in mute)
    signs = _count_signs(_find_signs(words, code, _opening(words, lists))) | told
    if any(one in lists.possessives and other in LEXICONS[code].kin for one, other in pairwise(words)):
        signs["relationship"] = signs.get("relationship", 0) + 1
    if any(sign in low for sign in lists.vetoes["errors"]):
        signs["errors"] = 1
    return SentenceReading(code, words, signs, content)


def _by_characters(low: str, lists: Assertions, told: dict[str, int]) -> SentenceReading:
    bare = low.strip(_MARKS)
    signs = {**told}
    for sign, phrase in _iterate_phrases(lists):
        there = bare.startswith(phrase[1:]) if phrase.startswith("^") else phrase in low
        if there:
            signs[sign] = signs.get(sign, 0) + 1
    content = tuple(sign for sign in bare[_talk(bare, lists) :] if sign.isalnum())
    return SentenceReading(lists.code, tuple(sign for sign in low if sign.isalnum()), signs, content)


def _talk(bare: str, lists: Assertions) -> int:
    """Return how many characters at the beginning are talk; a word counts only where a mark or the end follows it."""
    end = at = 0
    while at < len(bare):
        if bare[at] in _MARKS:
            at += 1
            end = at
            continue
        size = max((len(word) for word in lists.mute if bare.startswith(word, at)), default=0)
        if not size:
            return end
        at += size
    return at


def _iterate_phrases(lists: Assertions) -> Iterator[tuple[str, str]]:
    for group in (lists.vetoes, lists.categories, lists.weights, lists.kinds):
        yield from ((sign, phrase) for sign, phrases in group.items() for phrase in phrases)
    # Of two groups with a list of one name, this one gets a name of its own.
    yield from (
        (f"{sign} importance", phrase) for sign, phrases in lists.importance.items() for phrase in phrases
    )


def _opening(words: Sequence[str], lists: Assertions) -> frozenset[int]:
    """Return where the words of a sentence may be said to begin: the first one, and the first that is no talk."""
    for at, word in enumerate(words[:LEADING_MAX]):
        if word not in lists.mute:
            return frozenset((0, at))
    return frozenset((0,))


def _find_signs(words: Sequence[str], code: str, opening: frozenset[int]) -> Iterator[str]:
    table, beginnings = _table(code)
    last = len(words) - 1
    for at, word in enumerate(words):
        entry = table.get(word)
        if entry is not None:
            phrases = entry.loose
            if entry.followed and at < last:
                phrases = (*phrases, *entry.followed.get(words[at + 1], ()))
            yield from (phrase.sign for phrase in phrases if phrase.fits(words, at, opening))
        if word.startswith(beginnings.any):
            yield from (
                sign
                for start, opens, sign in beginnings.each
                if word.startswith(start) and (not opens or at in opening)
            )


@dataclass(frozen=True, slots=True)
class _WordPrefixes:
    any: tuple[str, ...]
    each: tuple[tuple[str, bool, str], ...]


@dataclass(slots=True)
class _PhraseBucket:
    """The phrases that begin with one word: most by the word that follows it, so that few are compared."""

    loose: tuple[_Phrase, ...] = ()
    followed: dict[str, list[_Phrase]] = field(default_factory=dict)


@lru_cache(maxsize=len(LEXICONS))
def _table(code: str) -> tuple[dict[str, _PhraseBucket], _WordPrefixes]:
    table: dict[str, _PhraseBucket] = {}
    each = []
    for sign, phrase in _iterate_phrases(ASSERTIONS[code]):
        opens, begins = phrase.startswith("^"), phrase.endswith("*")
        words = phrase.strip("^*").split()
        if len(words) == 1 and begins:
            each.append((words[0], opens, sign))
            continue
        one, of = _Phrase(sign, tuple(words[1:]), opens, begins), table.setdefault(words[0], _PhraseBucket())
        if len(words) > 2 or (len(words) == 2 and not begins):
            of.followed.setdefault(words[1], []).append(one)
        else:
            of.loose += (one,)
    return table, _WordPrefixes(tuple(start for start, _, _ in each), tuple(each))


@lru_cache(maxsize=1)
def _build_language_index() -> tuple[tuple[str, ...], dict[str, list[int]]]:
    """Return the languages, and which of them a word speaks for."""
    by_word: dict[str, list[int]] = {}
    for at, (code, lexicon) in enumerate(LEXICONS.items()):
        mute, stating = ASSERTIONS[code].mute, _iterate_stating_words(ASSERTIONS[code])
        for word in lexicon.stop.union(mute, lexicon.kin, lexicon.time_words, stating):
            by_word.setdefault(word, []).append(at)
    return tuple(LEXICONS), by_word


def _iterate_stating_words(lists: Assertions) -> Iterator[str]:
    for phrase in (
        *lists.weights["state"],
        *(one for phrases in lists.categories.values() for one in phrases),
    ):
        yield from phrase.strip("^*").split()


def _count_signs(found: Iterator[str]) -> dict[str, int]:
    signs: dict[str, int] = {}
    for sign in found:
        signs[sign] = signs.get(sign, 0) + 1
    return signs
