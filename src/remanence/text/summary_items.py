"""What holds a value in a text, sentence by sentence: numbers, dates, names, quotations, and what is denied.

Knows texts and word lists; must not know what is done with it.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from remanence.languages import CASE_BEARING, ENGLISH, LEXICONS, Lexicon
from remanence.languages.families import ASSERTIONS, load_name_words, load_statement_words
from remanence.text.analysis import word_stems
from remanence.text.condense import QUOTED

_COUNTED_MAX = 3  # words that a number may count: "two old grey boats"
_SMALL_BETWEEN_MAX = 2  # small words between a number and what it counts: "three of us"
_BINDING_WORDS_MIN = 2  # of what says enough to bind anybody: "which never happens" does not
_ADJECTIVES_MAX = 2  # words between a noun and its article
# Endings of plurals, of doings and of what is thought: no person has them who was not found otherwise.
_NO_PERSON = tuple("s ing ung heit keit tion".split())
_PAUSES = ",;:.!?…)"

# Where a sentence or a line may end; marks are looked at from the first of a run only.
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+\s++|\n\s*+")
_ABBREVIATED = re.compile(r"(?:\b[^\W\d_]|\b[A-Z][^\W\d_]{1,2}|\b[^\W\d_]\.[^\W\d_])$")
# Where nouns have a capital, one of three letters ends many a sentence ("Tag."), and a day of a month does not.
_ABBREVIATED_AMONG_NOUNS = re.compile(
    r"(?:\b[^\W\d_]|\b[A-Z][b-df-hj-np-tv-xz]{1,2}|\b[^\W\d_]\.[^\W\d_]|\b\d{1,2})$"
)
CHUNK = re.compile(r"[^\s—–…]+")
_OPENING, _CLOSING = "([\"'“‘„«*¡¿", ".,!?:;\"'”’»)]*-"
_PLAIN = re.compile(r"[^\W\d_]+(?:['’ʼ-][^\W\d_]+)*+")
_CAPITAL_WITHIN = re.compile(r"\A[^\W\d_][a-zß-öø-ÿ]*+[A-ZÀ-ÖØ-Þ]")
_ELIDED = re.compile(r"\A[^\W\d_]{1,2}['’](?=[A-ZÀ-ÖØ-Þ])")  # before a name: "d'Apolline"
_CLOCK = re.compile(r"\d{1,2}(?:[:h]\d{0,2}|\.\d\dh)")
_ORDINAL = re.compile(r"\d++\.")
_THOUSANDS = re.compile(r"\D{0,2}\d{1,3}(?:,\d{3})++\D?")
MARKS = str.maketrans("’‘ʼ“”„«»", '\'\'\'"""""')
_NOUN_LED_BY = re.compile(
    r"d(?:er|ie|as|en|em|es)|(?:k|m|d|s)?ein(?:e[mnrs]?)?|(?:ihr|unser|euer|eur|dies|jed|jen|welch|manch|all|viel)e?[mnrs]?"
    r"|[ai]m|[ai]ns|zu[mr]|vom|beim"
)


@dataclass(frozen=True, slots=True)
class RequiredItems:
    """What holds a value in a text, by kind. A shorter one keeps it, but what goes with all it is said of.

    `amounts` are figures with the word that they count, `numbers` figures and the number words that count nothing.
    `counted` are number words with what they count: "nine planks" may go, not become "planks". `negations` are what is
    denied where it forbids or has a value, `asides` what is denied in passing: it may go, not be affirmed.
    """

    numbers: frozenset[str] = frozenset()
    identifiers: frozenset[str] = frozenset()
    dates: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    quotations: frozenset[str] = frozenset()
    amounts: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()
    asides: frozenset[str] = frozenset()

    def items(self) -> Iterator[tuple[str, str]]:
        """Yield each thing with its kind."""
        for one in fields(self):
            for value in getattr(self, one.name):
                yield one.name, value


class Clause(NamedTuple):
    """A statement: its words of content, which of them have a value, what is denied, and if that forbids or has one."""

    said: tuple[str, ...]
    values: frozenset[str]
    denied: frozenset[str]
    is_binding: bool


class ItemReading(NamedTuple):
    """What holds a value in a text, its statements, and which names follow one another in a sentence."""

    items: RequiredItems
    clauses: tuple[Clause, ...]
    name_pairs: frozenset[tuple[str, str]]


class _ReadWord(NamedTuple):
    """A word as it stands and in small letters, the kind of value that it has, and whether a mark stands behind it."""

    text: str
    low: str
    kind: str | None
    is_marked: bool
    pauses: bool


@dataclass(frozen=True, slots=True)
class ItemReader:
    """Reads what holds a value; of `nouns` a capital makes no names, `inner` have one inside of a sentence.

    The capital of a sentence's first word says nothing: it is a name where it has one inside of a sentence, too, where
    another capital follows, where people are given it, and where it is what the sentence is about.
    """

    lexicon: Lexicon
    nouns: AbstractSet[str]
    inner: AbstractSet[str]

    @classmethod
    def build(cls, text: str, lexicon: Lexicon) -> "ItemReader":
        """Return the reader of a text in a language."""
        nouns = frozenset() if lexicon.names_by_capital else frozenset(_nouns(text, lexicon))
        return cls(lexicon, nouns, frozenset(_inner_capitals(text, lexicon)))

    def read(self, text: str) -> ItemReading:
        """Return what holds a value in a text; a negation denies something in its own clause."""
        parts = [self.read_sentence(unit.text) for unit in split_units(text, self.lexicon)]
        kinds = (one.name for one in fields(RequiredItems))
        items = (frozenset().union(*(getattr(part.items, kind) for part in parts)) for kind in kinds)
        return ItemReading(
            RequiredItems(*items),
            tuple(clause for part in parts for clause in part.clauses),
            frozenset().union(*(part.name_pairs for part in parts)),
        )

    def read_sentence(self, text: str) -> ItemReading:
        """Return what holds a value in a sentence."""
        words = self._read_words(text)
        clauses = tuple(self._part_clauses(words))
        items: dict[str, set[str]] = {one.name: set() for one in fields(RequiredItems)}
        items["quotations"] = {
            inside
            for span in QUOTED.findall(text)
            if (inside := normalize_blanks(span).strip("`\"' ")) and inside not in self.lexicon.in_passing
        }
        for at, word in enumerate(words):
            if word.kind == "numbers":
                self._take_number(items, words, at)
            elif word.kind is not None:
                items[word.kind].add(word.text if word.kind == "identifiers" else word.low.removesuffix("'s"))
        for clause in clauses:
            items["negations" if clause.is_binding else "asides"] |= clause.denied
        capitals = (
            word for word in words if word.kind == "names" or (word is words[0] and word.text[:1].isupper())
        )
        names = [word.low.removesuffix("'s") for word in capitals if word.low not in self.lexicon.stop]
        return ItemReading(
            RequiredItems(**{kind: frozenset(values) for kind, values in items.items()}),
            clauses,
            frozenset((one, other) for one, other in pairwise(names) if one != other),
        )

    def _read_words(self, sentence: str) -> list[_ReadWord]:
        """Return the words of a sentence; what only looks like a value has no kind: its first word, "two or three"."""
        words: list[_ReadWord] = []
        for chunk in CHUNK.findall(sentence):
            text = _ELIDED.sub("", strip_marks(chunk))
            low = text.casefold().translate(MARKS)
            pauses = chunk[-1] in _PAUSES and not _ORDINAL.fullmatch(chunk)
            if words or any(map(str.isalnum, text)):
                words.append(_ReadWord(text, low, self._kind(text, low), not chunk.endswith(text), pauses))
        if words and words[0].kind == "names" and self._only_opens(words):
            words[0] = words[0]._replace(kind=None)
        for at, word in enumerate(words):
            if word.kind == "names" and word.low.removesuffix("'s") in _no_names():
                words[at] = word._replace(kind=None)
            elif word.kind == "numbers" and not any(map(str.isdigit, word.low)):
                beside = {one.low for one in (*words[max(0, at - 1) : at], *words[at + 1 : at + 2])}
                if not self.lexicon.alternatives.isdisjoint(beside):
                    words[at] = word._replace(kind=None)
        return words

    def _take_number(self, items: dict[str, set[str]], words: Sequence[_ReadWord], at: int) -> None:
        """Take up a number with what it counts; a number word that counts nothing stays whatever goes."""
        low = words[at].low
        counted = self._find_counted(words, at)
        following = words[at + 1] if at + 1 < len(words) and not words[at].is_marked else None
        if any(map(str.isdigit, low)):
            number = low.replace(",", "") if _THOUSANDS.fullmatch(low) else low
            items["numbers"].add(number)
            if counted and following and following.low not in self.lexicon.stop and not _CLOCK.fullmatch(low):
                items["amounts"].add(f"{number} {counted[0]}")
        elif counted:
            # A pair of things, such as "two bags", is said in passing.
            if low not in self.lexicon.pairs or (following and following.low in self.lexicon.time_words):
                items["counted"].update(f"{low} {one}" for one in counted)
        elif low not in self.lexicon.pairs or (
            following is None and at > 0 and words[at - 1].low not in self.lexicon.stop  # "block two"
        ):
            items["numbers"].add(low)

    def _find_counted(self, words: Sequence[_ReadWord], at: int) -> list[str]:
        """Return the stems of the words that a number counts, none where it counts nothing: "nine o'clock"."""
        counted: list[str] = []
        lexicon, small = self.lexicon, 0
        for before, word in pairwise(words[at : at + _COUNTED_MAX + _SMALL_BETWEEN_MAX + 1]):
            is_own = word.low in lexicon.first_person
            if before.is_marked or not _PLAIN.fullmatch(word.text) or len(counted) == _COUNTED_MAX:
                break
            if word.low in lexicon.stop and not is_own:
                small += 1
                if counted or small > _SMALL_BETWEEN_MAX:
                    break
            elif (
                word.low in lexicon.number_words
                or word.low in lexicon.clock
                or (small and word.low in lexicon.time_words)
            ):
                break
            else:
                counted.append(word.low if is_own else _stem(word.low))
        return counted

    def _part_clauses(self, words: Sequence[_ReadWord]) -> Iterator[Clause]:
        """Part a sentence at its marks, and where it turns away from what was denied."""
        turns_away = load_statement_words().turns_away
        begin = 0
        for at, word in enumerate(words, 1):
            if word.pauses or at == len(words) or words[at].low in turns_away:
                yield from self._read_clause(words[begin:at])
                begin = at

    def _read_clause(self, words: Sequence[_ReadWord]) -> Iterator[Clause]:
        """Yield what a clause joins; what is denied before "and" may be denied behind it."""
        lexicon, joins = self.lexicon, load_statement_words().joins
        negations = find_negations(lexicon.code)
        parts: list[tuple[list[str], list[int]]] = [([], [])]  # words of content, and before which it denies
        values: set[str] = set()
        for word in words:
            said, denies = parts[-1]
            if word.low in joins:
                parts.append(([], []))
            elif word.low in negations or word.low.endswith("n't"):
                denies.append(len(said))
            elif word.kind is not None:
                said.append(word.low)
                values.add(word.low)
            elif word.low and word.low not in lexicon.stop and word.low not in lexicon.binding:
                said.append(_stem(word.low))
        is_said = sum(len(said) for said, _ in parts) >= _BINDING_WORDS_MIN
        binding = (lexicon.binding if is_said else lexicon.binding - lexicon.negations) | lexicon.forbidding
        is_binding = bool(values) or not binding.isdisjoint(word.low for word in words)
        denied: frozenset[str] = frozenset()
        for said, denies in parts:
            if said:
                denied = frozenset(said[min(at, len(said) - 1)] for at in denies) or denied
                yield Clause(tuple(said), frozenset(values.intersection(said)), denied, is_binding)

    def _kind(self, word: str, low: str) -> str | None:
        """Say what a word is that must not be lost, None for any other."""
        if not any(map(str.isalnum, word)):
            return None
        if not _PLAIN.fullmatch(word):
            return "numbers" if word[0].isdigit() or word[-1].isdigit() else "identifiers"
        bare = low.removesuffix("'s")
        if bare in self.lexicon.in_passing or bare.partition("-")[0] in self.lexicon.in_passing:
            return None
        if bare.partition("-")[0] in self.lexicon.number_words:
            return "numbers"
        if bare in self.lexicon.time_words or bare in self.lexicon.months:
            return "dates"
        if _CAPITAL_WITHIN.match(word):
            return "identifiers"
        return "names" if self._is_name(word, bare) else None

    def _is_name(self, word: str, bare: str) -> bool:
        """Tell whether a word may be a name; where a script has no capitals, any word may."""
        if word.upper() == word.lower():
            return True
        if not word[0].isupper():
            return False
        if bare in CASE_BEARING or (word.isupper() and len(word) > 1):
            return True
        small = bare in self.lexicon.stop or bare in ENGLISH.stop or bare.partition("'")[0] == "i"
        return not small and bare not in self.nouns

    def _only_opens(self, words: Sequence[_ReadWord]) -> bool:
        """Tell whether a capital is that of a sentence's first word alone."""
        lexicon, first = self.lexicon, words[0]
        bare = first.low.removesuffix("'s")
        if bare in load_name_words().opening:
            return True
        if bare in self.inner or bare in load_name_words().given or bare != first.low:
            return False
        negations, copulas = find_negations(lexicon.code), ASSERTIONS[lexicon.code].copulas
        ordinary = lexicon.stop, lexicon.past, lexicon.quantities, lexicon.kin, negations, self.nouns
        if first.pauses or len(words) == 1 or any(bare in some for some in ordinary):
            return True
        text, low, kind, _, _ = words[1]
        if text[:1].islower():
            verb = any(low in some for some in (copulas, negations, lexicon.past)) or (
                low.endswith("t") and not lexicon.names_by_capital
            )
            return not verb or bare.endswith(_NO_PERSON)
        return kind != "names" or low in lexicon.stop or low in _no_names() or low in self.nouns


def _stem(word: str) -> str:
    return "".join(word_stems(word)) or word


@cache
def find_negations(code: str) -> frozenset[str]:
    """Return what denies in a language, and in any other where it is no small word of this one."""
    lexicon = LEXICONS[code]
    others = frozenset().union(*(one.negations for one in LEXICONS.values())) - lexicon.stop
    return (lexicon.negations | lexicon.forbidding | others) - load_statement_words().denies_nothing


def _no_names() -> AbstractSet[str]:
    return load_name_words().no_names


def strip_marks(chunk: str) -> str:
    """Take the marks of prose off a chunk."""
    return chunk.lstrip(_OPENING).rstrip(_CLOSING)


def normalize_blanks(text: str) -> str:
    """Return a text with one mark for each quotation and one blank between words."""
    return " ".join(text.translate(MARKS).split())


def _nouns(text: str, lexicon: Lexicon) -> Iterator[str]:
    """Yield the words with a capital that an article or a quantity leads, alone or before adjectives: no names are."""
    adjectives = _ADJECTIVES_MAX + 1  # since what may lead a noun
    for chunk in CHUNK.findall(text):
        word = strip_marks(chunk)
        low = word.casefold()
        if adjectives <= _ADJECTIVES_MAX and word[:1].isupper():
            yield low
        leads = _NOUN_LED_BY.fullmatch(low) or low in lexicon.number_words or low in lexicon.quantities
        if leads or word.isdecimal():
            adjectives = 0
        elif word[:1].islower() and low not in lexicon.stop:
            adjectives += 1
        else:
            adjectives = _ADJECTIVES_MAX + 1
        if not chunk.endswith(word):
            adjectives = _ADJECTIVES_MAX + 1


def _inner_capitals(text: str, lexicon: Lexicon) -> Iterator[str]:
    """Yield the words with a capital that do not begin a sentence."""
    for unit in split_units(text, lexicon):
        words = [word for word in map(strip_marks, CHUNK.findall(unit.text)) if any(map(str.isalnum, word))]
        yield from (
            word.casefold().translate(MARKS).removesuffix("'s") for word in words[1:] if word[:1].isupper()
        )


class SentenceUnit(NamedTuple):
    """A sentence with what stands before the next one."""

    text: str
    gap: str


def split_units(text: str, lexicon: Lexicon) -> list[SentenceUnit]:
    """Part a text into sentences and lines; what is quoted stays in one, and so does what a colon opens."""
    spans = [match.span() for match in QUOTED.finditer(text)]
    units: list[SentenceUnit] = []
    begin = span = 0
    for match in _END.finditer(text):
        while span < len(spans) and spans[span][1] <= match.start():
            span += 1
        is_quoted = span < len(spans) and spans[span][0] < match.end() and spans[span][1] > match.start() + 1
        if is_quoted or _goes_on(text, begin, match, lexicon):
            continue
        mark = match.group().rstrip()
        units.append(SentenceUnit(text[begin : match.start()] + mark, "\n" if "\n" in match.group() else " "))
        begin = match.end()
    units.append(SentenceUnit(text[begin:], ""))
    return [unit for unit in units if unit.text.strip()]


def _goes_on(text: str, begin: int, found: re.Match[str], lexicon: Lexicon) -> bool:
    """Tell whether a sentence goes on after what looks like its end: an abbreviation, a small letter, a colon."""
    mark = found.group()
    before = text[max(begin, found.start() - 4) : found.start()]
    if mark[0] == "\n":
        return before.rstrip().endswith(":")
    following = text[found.end() : found.end() + 1]
    short = (
        _ABBREVIATED.search(before) if lexicon.names_by_capital else _ABBREVIATED_AMONG_NOUNS.search(before)
    )
    is_short = mark.strip() == "." and short is not None
    return is_short or (following.islower() and "\n" not in mark) or (following.isdigit() and mark[0] == ".")
