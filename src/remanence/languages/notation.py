"""How the lists of a language file are written: words, phrases with marks, lists by number, tables. Knows no language.

A file holds words and these marks, never regular expressions. What is neither a mark of its list nor a sign of writing
is refused, with file, key and line.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, product
from operator import itemgetter
from typing import Any, ClassVar, NamedTuple

from remanence.core.errors import LanguageError, format_value
from remanence.core.patterns import Pattern

ENTRY_CHARS_MAX = 1_000
CHOICES_MAX = 500  # phrases that one phrase with its choices stands for
GAPS_MAX = 2  # each makes a text take six times as long
_MARKS = "^*~(|)"
_BRACKET = re.compile(r"[()]")
_HEAD = re.compile(r"^[ \t]*[\"']?([\w-]+)[\"']?[ \t]*=", re.MULTILINE)
_KEPT_OUT = Pattern(r"[\\\[\]{}+$<>\"=’\x00-\x08\x0b-\x1f\x7f]")
_CHOICE = Pattern(r"\(([^()]*)\)")
_MISPLACED = Pattern(r"(?<!^)\^|^[*~]|[\^~]$|\*(?![ |)]|$)|(?<![\w')])\*")


class Place(NamedTuple):
    """A list of a language file: the file's name and text, and the key, dotted, under which the list stands."""

    source: str
    text: str
    key: str

    def below(self, name: str) -> "Place":
        """Return the place of an entry of a table."""
        return self._replace(key=f"{self.key}.{name}")

    def refuse(
        self, what: str, entry: str = "", *, recovery: str = "see docs/how-to/extend.md"
    ) -> LanguageError:
        """Return the error about this list, or about one entry of it, with its line."""
        return LanguageError(
            what, recovery=recovery, source=self.source, key=self.key, line=self._find_line(entry)
        )

    def _find_line(self, entry: str) -> int:
        table, _, key = self.key.rpartition(".")
        start = max(0, self.text.find(f"[{table}]") if table else 0)
        heads = (one.start() for one in _HEAD.finditer(self.text, start) if key and one[1] == key)
        begin = next(heads, start)
        return self.text.count("\n", 0, max(begin, self.text.find(entry, begin))) + 1


class Notation(NamedTuple):
    """One way to write a list: what reads it, what joins the lists of several files, and what a list is without any.

    Its entries may have `marks`; `keys` are those that a table has.
    """

    read: Callable[[Any, Place], Any]
    join: Callable[[Sequence[Any]], Any]
    empty: object
    marks: str = ""
    keys: tuple[str, ...] = ()


class Lists:
    """What a section of a language file holds: a list under each name that a subclass gives a notation.

    A list is read when it is first asked for. Not a dataclass: to make one of each section takes 19 ms of every start.
    """

    notations: ClassVar[Mapping[str, Notation]] = {}

    def __init_subclass__(cls) -> None:
        cls.notations = {name: one for name, one in vars(cls).items() if isinstance(one, Notation)}
        for name in cls.notations:
            delattr(cls, name)  # so that who asks for it comes to __getattr__

    def __init__(self, code: str, read: Callable[[str, Notation], Any], *, spaced: bool) -> None:
        self.code, self.spaced, self._read = code, spaced, read

    def __getattr__(self, name: str) -> Any:
        notation = self.notations.get(name)
        if notation is None:
            raise AttributeError(f"{type(self).__name__} has no list {name!r}")
        value = vars(self)[name] = self._read(name, notation)
        return value


def expand_choices(phrase: str) -> Iterator[str]:
    """Yield a phrase with one of each of its choices: `(a|b)` is either, and an empty choice is none."""
    parts = _BRACKET.split(phrase)
    choices = [part.split("|") if place % 2 else (part,) for place, part in enumerate(parts)]
    yield from ("".join(chosen).strip() for chosen in product(*choices))


def _read_words(value: object, place: Place) -> frozenset[str]:
    return frozenset(_check_type(value, place, str, "text").split())


def _read_choices(value: object, place: Place) -> tuple[str, ...]:
    text = _check_type(value, place, str, "text").replace("\n", ",")
    return tuple(filter(None, (" ".join(one.split()) for one in text.split(","))))


def _read_phrases(value: object, place: Place) -> tuple[str, ...]:
    phrases = _read_choices(value, place)
    return tuple(chain.from_iterable(expand_choices(one) if "(" in one else (one,) for one in phrases))


def _read_short_forms(value: object, place: Place) -> dict[str, str]:
    return {short: text for short, _, text in (one.partition(" ") for one in _read_choices(value, place))}


def _read_table(value: object, place: Place) -> dict[str, tuple[str, ...]]:
    rows = _check_type(value, place, dict, "table").items()
    return {name.replace("_", " "): _read_choices(one, place.below(name)) for name, one in rows}


def _check_type(value: object, place: Place, kind: type, named: str) -> Any:
    if not isinstance(value, kind):
        raise place.refuse(f"{format_value(value)} is no {named}")
    return value


def _union(values: Sequence[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*values)


def _concatenate(values: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(values))


def _join_tables(values: Sequence[Mapping[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    names = dict.fromkeys(chain.from_iterable(values))
    return {name: _concatenate([one.get(name, ()) for one in values]) for name in names}


def _update(values: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: one for value in values for name, one in value.items()}


# A class of lists has these as its fields, whose types are those of what is read.
WORDS: Any = Notation(_read_words, _union, frozenset())  # with blanks between them
# With commas or line ends between them, each with one of its choices.
PHRASES: Any = Notation(_read_phrases, _concatenate, (), marks="(|)")
SHORT_FORMS: Any = Notation(
    _read_short_forms, _update, {}
)  # phrases of which the first word is short for the others
YES_NO: Any = Notation(partial(_check_type, kind=bool, named="true or false"), itemgetter(-1), empty=True)


def choices(marks: str) -> Any:
    """Return the field of a list of phrases whose choices are read where they are used: these make many phrases."""
    return Notation(_read_choices, _concatenate, (), marks)


def table(marks: str, *keys: str) -> Any:
    """Return the field of a table of such phrases; every one of the keys is there, be it empty."""
    return Notation(_read_table, _join_tables, dict.fromkeys(keys, ()), marks, keys)


def number_list(first: int = 1) -> Any:
    """Return the field of a list whose texts are phrases for a number each, from `first` on: phrase → number."""

    def read(value: object, place: Place) -> dict[str, int]:
        texts = enumerate(_check_type(value, place, list, "list"), first)
        return {phrase: number for number, text in texts for phrase in _read_phrases(text, place)}

    return Notation(read, _update, {}, marks="(|)")


def check_list(value: object, notation: Notation, place: Place) -> None:
    """Raise LanguageError for the first entry of a list that its notation does not allow."""
    for name, part in value.items() if isinstance(value, dict) else [("", value)]:
        text = (
            ",".join(map(str, part))
            if isinstance(part, list)
            else str(part)
            if notation is not YES_NO
            else ""
        )
        for entry in (
            text.split() if notation is WORDS else map(str.strip, text.replace("\n", ",").split(","))
        ):
            if complaint := next(_complain(entry, notation.marks), ""):
                where = place.below(name) if name else place
                raise where.refuse(f"{format_value(entry)} {complaint}", entry)
    notation.read(value, place)  # last: an entry may stand for more phrases than fit into memory


def _complain(entry: str, marks: str) -> Iterator[str]:
    """Say what is wrong with an entry."""
    if strange := [sign for sign in entry if (sign in _MARKS and sign not in marks) or _KEPT_OUT.match(sign)]:
        yield f"has {format_value(strange[0])}, which no entry of this list has"
    if "," in entry:
        yield "has a comma: this list is of single words, with blanks between them"
    if entry != entry.lower():
        yield "has capitals: all words are written in small letters"
    if len(entry) > ENTRY_CHARS_MAX:
        yield f"is longer than {ENTRY_CHARS_MAX} characters"
    outside, inside = (_CHOICE.split(entry)[at::2] for at in (0, 1))
    if not {*"(|)"}.isdisjoint("".join(outside)):
        yield "has a bracket without its other, one in another, or `|` outside of brackets"
    if math.prod(one.count("|") + 1 for one in inside) > CHOICES_MAX:
        yield f"stands for more than {CHOICES_MAX} phrases"
    if entry.count("~") > GAPS_MAX:
        yield f"has more than {GAPS_MAX} gaps"
    if _MISPLACED.search(entry):
        yield "has a mark in the wrong place: `^` begins a phrase, `*` ends a word, `~` stands between words"
