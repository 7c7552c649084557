"""A shorter text that may stand for a long one: what it must not lose, and one made of the text's own sentences.

Knows texts and word lists; must not know why a memory is made shorter, nor who wrote the shorter text.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import NamedTuple

from remanence.languages import CASE_BEARING, ENGLISH, LEXICONS, NEGATIVE_PREFIXES, OPPOSITES, Lexicon
from remanence.languages.families import load_name_words
from remanence.text.analysis import stems
from remanence.text.condense import QUOTED, condense_text, prose_language
from remanence.text.tokens import token_counts

SHARE_MAX = 0.6  # of the tokens of its text: at least 40 % shorter
# A text without anything vital could be "summed up" by a word, or by something else entirely. An honest summary has
# more than a tenth of the words of the text, and hardly one that its text has not.
_WORDS_MIN = 0.1
_OWN_WORDS_MAX = 0.3
_ASIDE_WORDS = 6  # of a clause that may be left out with what it denies
_CLAUSE_MAX = 30  # words before and behind a negation among which its clause is looked for
_MARKS_MAX = 2  # chunks without a letter before the first word of a sentence
_PAUSES = ",;:.!?…)"
_FILLED = 0.97  # of the room: sentences that are joined have now and then a token more than each alone
_DENIES_WITHIN = 8  # words after a negation among which it denies one
_NOUN_WITHIN = 3  # words before a noun among which its article stands
_SHOWN_CHARS_MAX = 60

# Where a sentence or a line may end; marks are looked at from the first of a run only.
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+\s++|\n\s*+")
_ABBREVIATED = re.compile(r"(?:\b[^\W\d_]|\b[A-Z][^\W\d_]{1,2}|\b[^\W\d_]\.[^\W\d_])$")
_CHUNK = re.compile(r"[^\s—–…]+")
_OPENING, _CLOSING = "([\"'“‘„«*¡¿", ".,!?:;\"'”’»)]*"
_PLAIN = re.compile(r"[^\W\d_]+(?:['’ʼ-][^\W\d_]+)*+")
_CAPITAL_WITHIN = re.compile(r"\A[^\W\d_][a-zß-öø-ÿ]*+[A-ZÀ-ÖØ-Þ]")
_THOUSANDS = re.compile(r"\D{0,2}\d{1,3}(?:,\d{3})++\D?")
_MARKS = str.maketrans("’‘ʼ“”„«»", '\'\'\'"""""')
_NEGATIONS = frozenset().union(*(lexicon.negations for lexicon in LEXICONS.values()))
_NOUN_LED_BY = re.compile(
    r"d(?:er|ie|as|en|em|es)|(?:k|m|d|s)?ein(?:e[mnrs]?)?|(?:ihr|unser|euer|eur|dies|jed|jen|welch|manch|all|viel)e?[mnrs]?"
    r"|[ai]m|[ai]ns|zu[mr]|vo[mn]|beim"
)


@dataclass(frozen=True, slots=True)
class RequiredItems:
    """What a shorter text must keep of a text, by kind; an amount is a number with the word that it counts."""

    numbers: frozenset[str] = frozenset()
    identifiers: frozenset[str] = frozenset()
    dates: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    quotations: frozenset[str] = frozenset()
    negations: frozenset[str] = frozenset()
    amounts: frozenset[str] = frozenset()
    asides: frozenset[str] = frozenset()  # what is denied in passing: it may be left out, not turned round

    def items(self) -> Iterator[tuple[str, str]]:
        """Yield each thing with its kind."""
        for one in fields(self):
            for value in getattr(self, one.name):
                yield one.name, value


class SummaryAttempt(NamedTuple):
    """A shorter text, or "" and why there is none."""

    text: str
    why: str = ""


def complaint(text: str, shorter: str) -> str:
    """Say why a shorter text may not stand for a text; "" where it may.

    It is at least 40 % shorter and keeps every number, identifier, date, name, quotation, piece of code and negation
    with what that denies; it adds none of these, and says little in words that its text has not.
    """
    lexicon = prose_language(text)
    if lexicon is None:
        return "its language is not known, or it is a list, a table or code"
    whole, short = token_counts([text, shorter])
    if short > whole * SHARE_MAX:
        return f"{short:,} of {whole:,} tokens are left, and at most {SHARE_MAX:.0%} may be"
    reader = _ItemReader.build(text, lexicon)
    there, short_items = reader.read(text), reader.read(shorter)
    return (
        _find_lost_item(there, short_items, shorter)
        or _find_added_item(there, short_items, text)
        or _find_swapped_names(reader, text, shorter)
        or _find_changed_meaning(text, shorter, lexicon)
    )


def extract(text: str) -> SummaryAttempt:
    """Return the sentences of a text that hold all that is vital, with as many of the others as there is room for.

    Where these are too many, their small words are left out too; where that is not enough, there is none.
    """
    lexicon = prose_language(text)
    if lexicon is None:
        return SummaryAttempt("", "its language is not known, or it is a list, a table or code")
    reader = _ItemReader.build(text, lexicon)
    units = _units(text)
    vital_places = _vital_units(reader, units)
    counts = token_counts([unit.text for unit in units])
    room = int(sum(counts) * SHARE_MAX * _FILLED) - sum(counts[at] for at in vital_places)
    places = _add_sentences(units, counts, vital_places, max(0, room))
    shorter = (
        _join_sentences(units, places) if room >= 0 else condense_text(_join_sentences(units, vital_places))
    )
    why = complaint(text, shorter)
    return SummaryAttempt("", f"no extract: {why}") if why else SummaryAttempt(shorter)


def _find_lost_item(there: RequiredItems, left: RequiredItems, shorter: str) -> str:
    plain, short_stems = _normalize_blanks(shorter), frozenset(stems(shorter))
    for kind, value in there.items():
        if kind == "asides":
            if value in short_stems and value not in left.asides | left.negations:
                return f"it lost {_describe_item('negations', value)}"
            continue
        alive = value in plain if kind == "quotations" else value in getattr(left, kind)
        if not alive:
            return f"it lost {_describe_item(kind, value)}"
    return ""


def _find_added_item(there: RequiredItems, left: RequiredItems, text: str) -> str:
    words = {_strip_marks(chunk).casefold() for chunk in _CHUNK.findall(text)}
    plain = _normalize_blanks(text)
    for kind, value in left.items():
        is_known = value in getattr(there, kind) or kind == "amounts"
        is_known = is_known or (kind in {"asides", "negations"} and value in there.asides | there.negations)
        is_known = is_known or (kind == "quotations" and value in plain)
        is_known = is_known or (kind in {"names", "dates"} and value in words)
        if not is_known:
            return f"it added {_describe_item(kind, value)}"
    return ""


def _find_swapped_names(reader: "_ItemReader", text: str, shorter: str) -> str:
    """Say whether two names have changed places: who lends whom."""
    there, short_pairs = set(reader.pairs(text)), set(reader.pairs(shorter))
    for one, other in sorted(short_pairs - there):
        if (other, one) in there:
            return f"it has {one!r} before {other!r}"
    return ""


def _describe_item(kind: str, value: str) -> str:
    one = f"the {kind.removesuffix('s')}"
    excerpt = value if len(value) <= _SHOWN_CHARS_MAX else f"{value[:_SHOWN_CHARS_MAX]}…"
    return f"a negation (of {excerpt!r})" if kind in {"negations", "asides"} else f"{one} {excerpt!r}"


def _find_changed_meaning(text: str, shorter: str, lexicon: Lexicon) -> str:
    """Say whether words of a text are turned into their contrary, too few, or mostly others."""
    own, theirs = set(_content(text, lexicon)), _content(shorter, lexicon)
    new = [word for word in theirs if word not in own]
    if opposite := contrary(new, own):
        return f"it says the contrary by {opposite!r}"
    if len(own.intersection(theirs)) <= len(own) * _WORDS_MIN:
        return "it says next to nothing of it"
    own_stems = frozenset(stems(text))
    strange = [word for word in new if own_stems.isdisjoint(stems(word))]
    if len(strange) > len(theirs) * _OWN_WORDS_MAX:
        return "it says something else"
    return ""


def contrary(new: Sequence[str], own: AbstractSet[str]) -> str:
    """Return the first of some words that is the contrary of one of a text's own, "" where none is."""
    for word in new:
        against = OPPOSITES.get(word, frozenset()) | {prefix + word for prefix in NEGATIVE_PREFIXES}
        against |= {word.removeprefix(prefix) for prefix in NEGATIVE_PREFIXES if word.startswith(prefix)}
        if not own.isdisjoint(against - {word}):
            return word
    return ""


def _content(text: str, lexicon: Lexicon) -> list[str]:
    return [
        word
        for word in (_strip_marks(chunk).casefold().translate(_MARKS) for chunk in _CHUNK.findall(text))
        if word and word not in lexicon.stop
    ]


def _strip_marks(chunk: str) -> str:
    """Take the marks of prose off a chunk."""
    return chunk.lstrip(_OPENING).rstrip(_CLOSING)


def _normalize_blanks(text: str) -> str:
    return " ".join(text.translate(_MARKS).split())


@dataclass(frozen=True, slots=True)
class _ItemReader:
    """Reads what is vital, in one language; of `nouns` a capital makes no names, `inner` have one inside of a sentence.

    The capital of a sentence's first word says nothing: it is a name where it has one inside of a sentence, too, where
    another capital follows, and where people are given it.
    """

    lexicon: Lexicon
    nouns: AbstractSet[str]
    inner: AbstractSet[str]

    @classmethod
    def build(cls, text: str, lexicon: Lexicon) -> "_ItemReader":
        """Return the reader of a text in a language."""
        nouns = frozenset() if lexicon.names_by_capital else frozenset(_nouns(text))
        return cls(lexicon, nouns, frozenset(_inner_capitals(text)))

    def read(self, text: str) -> RequiredItems:
        """Return what is vital in a text; a negation denies something in its own sentence."""
        parts = [self.sentence(unit.text) for unit in _units(text)]
        return RequiredItems(
            *(
                frozenset().union(*(getattr(part, one.name) for part in parts))
                for one in fields(RequiredItems)
            )
        )

    def sentence(self, text: str) -> RequiredItems:
        """Return what is vital in a sentence."""
        items: dict[str, set[str]] = {one.name: set() for one in fields(RequiredItems)}
        items["quotations"] = {
            inside for span in QUOTED.findall(text) if (inside := _normalize_blanks(span).strip("`\"' "))
        }
        denies: list[int] = []
        words: list[str] = []
        counting = ""
        chunks = _CHUNK.findall(text)
        for at, chunk in enumerate(chunks):
            word = _strip_marks(chunk)
            low = word.casefold().translate(_MARKS)
            words.append(low)
            if counting and self._counts(counting, low) and _PLAIN.fullmatch(word):
                items["amounts"].add(f"{counting} {''.join(stems(word)) or low}")
                items["numbers"].add(counting)
            counting = ""
            if low in _NEGATIONS or low.endswith("n't"):
                denies.append(len(words) - 1)
            elif (kind := self._kind(word, low)) is not None:
                if kind == "names" and self._only_opens(chunks, at, low):
                    continue
                value = low.removesuffix("'s") if kind == "names" else _number(low, kind, word)
                if kind != "numbers" or not self._is_rough(chunks, at, low):
                    items[kind].add(value)
                counting = value if kind == "numbers" and chunk.endswith(word) else ""
        for at in denies:
            kind = "asides" if self._is_aside(chunks, at) else "negations"
            items[kind].add(self._find_denied_stem(words, at))
        return RequiredItems(**{name: frozenset(values) for name, values in items.items()})

    def pairs(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the names that follow one another in a sentence."""
        for unit in _units(text):
            words = map(_strip_marks, _CHUNK.findall(unit.text))
            low = ((word, word.casefold().translate(_MARKS)) for word in words)
            names = [some.removesuffix("'s") for word, some in low if self._kind(word, some) == "names"]
            yield from ((one, other) for one, other in pairwise(names) if one != other)

    def _kind(self, word: str, low: str) -> str | None:
        """Say what a word is that must not be lost, None for any other."""
        if not any(map(str.isalnum, word)):
            return None
        if not _PLAIN.fullmatch(word):
            return "numbers" if word[0].isdigit() or word[-1].isdigit() else "identifiers"
        bare = low.removesuffix("'s")
        if bare in self.lexicon.in_passing:
            return None
        if bare in self.lexicon.number_words:
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

    def _is_rough(self, chunks: Sequence[str], at: int, low: str) -> bool:
        """Tell whether a number says roughly how many: a pair, or one of two between which it leaves the choice."""
        if low in self.lexicon.pairs:
            return True
        beside = [
            _strip_marks(one).casefold() for one in (*chunks[max(0, at - 1) : at], *chunks[at + 1 : at + 2])
        ]
        return not any(map(str.isdigit, low)) and not self.lexicon.alternatives.isdisjoint(beside)

    def _counts(self, number: str, low: str) -> bool:
        """Tell whether a number counts what follows it; a pair of things, such as "two bags", is said in passing."""
        if number in self.lexicon.pairs:
            return low in self.lexicon.time_words
        return low not in self.lexicon.stop

    def _only_opens(self, chunks: Sequence[str], at: int, low: str) -> bool:
        """Tell whether a capital is that of a sentence's first word alone."""
        bare = low.removesuffix("'s")
        opens = at <= _MARKS_MAX and not any(any(map(str.isalnum, one)) for one in chunks[:at])
        names = load_name_words()
        if bare in names.opening or bare in names.no_names:
            return True
        if not opens or bare in self.inner or bare in names.given or bare != low:
            return False
        if chunks[at][-1] in _PAUSES:
            return True
        following = _strip_marks(chunks[at + 1]) if at + 1 < len(chunks) else ""
        return not following[:1].isupper() or following.casefold() in self.lexicon.stop

    def _is_aside(self, chunks: Sequence[str], at: int) -> bool:
        """Tell whether a negation is said in passing: in a clause that is short, or one's own, and has no value."""
        first, last = max(0, at - _CLAUSE_MAX), min(len(chunks), at + _CLAUSE_MAX)
        begin = next((n + 1 for n in range(at - 1, first - 1, -1) if chunks[n][-1] in _PAUSES), first)
        end = next((n + 1 for n in range(at, last) if chunks[n][-1] in _PAUSES), last)
        pairs = [(n, _strip_marks(chunks[n])) for n in range(begin, end)]
        low = [(n, word, word.casefold().translate(_MARKS)) for n, word in pairs]
        is_own = any(one in self.lexicon.first_person for _, _, one in low)
        return (is_own or end - begin <= _ASIDE_WORDS) and not any(
            self._kind(word, one) is not None and not self._only_opens(chunks, n, one) for n, word, one in low
        )

    def _find_denied_stem(self, said: Sequence[str], at: int) -> str:
        """Return the stem that a negation denies: of the next word that says something, or of the last one before."""
        after, before = said[at + 1 : at + 1 + _DENIES_WITHIN], said[max(0, at - _DENIES_WITHIN) : at]
        for word in (*after, *reversed(before)):
            if word and word not in self.lexicon.stop and word not in _NEGATIONS:
                return "".join(stems(word)) or word
        return ""


def _number(low: str, kind: str, word: str) -> str:
    """Return an identifier as it stands, and a number without the commas of its thousands."""
    if kind != "numbers":
        return word if kind == "identifiers" else low
    return low.replace(",", "") if _THOUSANDS.fullmatch(low) else low


def _nouns(text: str) -> Iterator[str]:
    """Yield the words with a capital before which an article stands: so no names are written."""
    last = -_NOUN_WITHIN - 1
    for at, chunk in enumerate(_CHUNK.findall(text)):
        word = _strip_marks(chunk)
        if word[:1].isupper():
            if at - last <= _NOUN_WITHIN:
                yield word.casefold()
            last = -_NOUN_WITHIN - 1
        if _NOUN_LED_BY.fullmatch(word.casefold()):
            last = at


def _inner_capitals(text: str) -> Iterator[str]:
    """Yield the words with a capital that do not begin a sentence."""
    for unit in _units(text):
        words = [word for word in map(_strip_marks, _CHUNK.findall(unit.text)) if any(map(str.isalnum, word))]
        yield from (
            word.casefold().translate(_MARKS).removesuffix("'s") for word in words[1:] if word[:1].isupper()
        )


class _Unit(NamedTuple):
    """A sentence with what stands before the next one."""

    text: str
    gap: str


def _units(text: str) -> list[_Unit]:
    """Part a text into sentences and lines; what is quoted stays in one, and so does what a colon opens."""
    spans = [match.span() for match in QUOTED.finditer(text)]
    units: list[_Unit] = []
    begin = span = 0
    for match in _END.finditer(text):
        while span < len(spans) and spans[span][1] <= match.start():
            span += 1
        is_quoted = span < len(spans) and spans[span][0] < match.end() and spans[span][1] > match.start() + 1
        if is_quoted or _goes_on(text, begin, match):
            continue
        mark = match.group().rstrip()
        units.append(_Unit(text[begin : match.start()] + mark, "\n" if "\n" in match.group() else " "))
        begin = match.end()
    units.append(_Unit(text[begin:], ""))
    return [unit for unit in units if unit.text.strip()]


def _goes_on(text: str, begin: int, found: re.Match[str]) -> bool:
    """Tell whether a sentence goes on after what looks like its end: an abbreviation, a small letter, a colon."""
    mark = found.group()
    before = text[max(begin, found.start() - 4) : found.start()]
    if mark[0] == "\n":
        return before.rstrip().endswith(":")
    following = text[found.end() : found.end() + 1]
    short = mark.strip() == "." and _ABBREVIATED.search(before) is not None
    return short or (following.islower() and "\n" not in mark) or (following.isdigit() and mark[0] == ".")


def _vital_units(reader: _ItemReader, units: Sequence[_Unit]) -> frozenset[int]:
    """Choose the sentences that hold all that is vital: those that alone hold a thing, then the richest of the rest."""
    items_of = [frozenset(reader.sentence(unit.text).items()) for unit in units]
    holders = Counter(item for items in items_of for item in items)
    places = {at for at, items in enumerate(items_of) if any(holders[item] == 1 for item in items)}
    covered_items = {item for at in places for item in items_of[at]}
    rest = [at for at in range(len(units)) if at not in places]
    for at in sorted(rest, key=lambda at: (-len(items_of[at]) / (1 + len(units[at].text)), at)):
        if not items_of[at] <= covered_items:
            places.add(at)
            covered_items |= items_of[at]
    return frozenset(places)


def _add_sentences(
    units: Sequence[_Unit], counts: Sequence[int], chosen: AbstractSet[int], room: int
) -> frozenset[int]:
    """Add sentences as long as there is room: first those whose words are said most often in the whole text."""
    unit_stems = [frozenset(stems(unit.text)) for unit in units]
    often = Counter(stem for some in unit_stems for stem in some)
    worth = [sum(often[stem] for stem in some) / (len(some) + 3) for some in unit_stems]
    places, texts = set(chosen), {units[at].text.casefold() for at in chosen}
    for at in sorted(range(len(units)), key=lambda at: (-worth[at], at)):
        text = units[at].text.casefold()
        if at in places or counts[at] > room or text in texts:
            continue
        places.add(at)
        texts.add(text)
        room -= counts[at]
    return frozenset(places)


def _join_sentences(units: Sequence[_Unit], chosen: AbstractSet[int]) -> str:
    """Join sentences in their order; where a line ended between two, the next begins a line."""
    parts: list[str] = []
    is_line_end = False
    for at, unit in enumerate(units):
        if at in chosen:
            parts.append(("\n" if is_line_end else " ") * bool(parts) + unit.text)
            is_line_end = False
        is_line_end = is_line_end or unit.gap == "\n"
    return "".join(parts)
