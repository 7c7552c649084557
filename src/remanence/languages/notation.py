"""How the lists of a language file are written: words, phrases with marks, pairs, tables. Knows no language.

A file holds words and these marks, never regular expressions. What is neither a mark of its list nor a sign of writing
is refused, with file, key and line.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import Any, ClassVar, NamedTuple

from remanence.core.errors import LanguageError, format_value
from remanence.core.patterns import Pattern

_BRACKET = re.compile(r"[()]")
_NUMBER = Pattern(r"-?\d{1,4}")


class Place(NamedTuple):
    """A list of a language file: the file's name and text, and the key, dotted, under which the list stands."""

    source: str
    text: str
    key: str

    def refuse(
        self, what: str, entry: str = "", *, recovery: str = "see docs/how-to/add-a-language.md"
    ) -> LanguageError:
        """Return the error about this list, or about one entry of it, with its line."""
        return LanguageError(
            what, recovery=recovery, source=self.source, key=self.key, line=self._find_line(entry)
        )

    def _find_line(self, entry: str) -> int:
        table, _, key = self.key.rpartition(".")
        begin = start = max(0, self.text.find(f"[{table}]") if table else 0)
        for line in self.text[start:].splitlines(keepends=True):
            name, equals, _ = line.partition("=")
            if equals and name.strip().strip("\"'") == key:
                break
            begin += len(line)
        else:
            begin = start
        return self.text.count("\n", 0, max(begin, self.text.find(entry, begin))) + 1


class Notation(NamedTuple):
    """One way to write a list: what reads it, what joins the lists of several files, and what a list is without any.

    Its entries may have `marks`; `keys` are those that a table has.
    """

    name: str
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
        self.code, self.spaced = code, spaced
        self._read = read

    def __getattr__(self, name: str) -> Any:
        notation = self.notations.get(name)
        if notation is None:
            raise AttributeError(f"{type(self).__name__} has no list {name!r}")
        value = vars(self)[name] = self._read(name, notation)
        return value


def read_words(value: object, place: Place) -> frozenset[str]:
    """Return the words of a text, which stand with blanks between them."""
    return frozenset(_text(value, place).split())


def read_phrases(value: object, place: Place) -> tuple[str, ...]:
    """Return the phrases of a list, each with one of each of its choices."""
    phrases = read_choices(value, place)
    if not any("(" in one for one in phrases):
        return phrases
    return tuple(chain.from_iterable(expand_choices(one) if "(" in one else (one,) for one in phrases))


def read_choices(value: object, place: Place) -> tuple[str, ...]:
    """Return the phrases of a text, with commas or line ends between them, their choices as they are written.

    A list of texts holds one phrase each: so a phrase may have a comma in it.
    """
    if isinstance(value, list):
        texts = [" ".join(_text(one, place).split()) for one in value]
    else:
        text = _text(value, place)
        plain = (
            " ".join(text.replace("\n", ",").split())
            if "  " in text or "\t" in text
            else text.replace("\n", ",")
        )
        texts = [one.strip() for one in plain.split(",")]
    return tuple(filter(None, texts))


def expand_choices(phrase: str) -> Iterator[str]:
    """Yield a phrase with one of each of its choices: `(a|b)` is either, and an empty choice is none."""
    parts = _BRACKET.split(phrase)
    choices = [part.split("|") if place % 2 else (part,) for place, part in enumerate(parts)]
    yield from ("".join(chosen).strip() for chosen in product(*choices))


def read_pairs(value: object, place: Place) -> dict[str, frozenset[str]]:
    """Return word → its opposites, from lines with the words of one side, `|`, and those of the other."""
    by_word: dict[str, frozenset[str]] = {}
    for line in filter(None, map(str.strip, _text(value, place).splitlines())):
        sides = [frozenset(side.split()) for side in line.split("|")]
        if len(sides) != 2 or not all(sides):
            raise place.refuse(f"{format_value(line)} has not two sides with one `|` between them", line)
        for side, against in (sides, sides[::-1]):
            by_word |= {word: by_word.get(word, frozenset()) | against for word in side}
    return by_word


def read_phrase_table(value: object, place: Place) -> dict[str, tuple[str, ...]]:
    """Return name → phrases; underscores of a name are blanks."""
    return {name.replace("_", " "): read_phrases(one, part) for name, one, part in _rows(value, place)}


def read_choice_table(value: object, place: Place) -> dict[str, tuple[str, ...]]:
    """Return name → phrases, their choices as they are written."""
    return {name.replace("_", " "): read_choices(one, part) for name, one, part in _rows(value, place)}


def read_groups(value: object, place: Place) -> dict[str, str]:
    """Return word → the name under which it stands."""
    return {word: name for name, one, part in _rows(value, place) for word in _text(one, part).split()}


def read_numbered(value: object, place: Place) -> dict[str, int]:
    """Return word → the whole number under which it stands."""
    numbers: dict[str, int] = {}
    for name, one, part in _rows(value, place):
        if not _NUMBER.fullmatch(name):
            raise part.refuse(f"{format_value(name)} is no whole number")
        numbers.update(dict.fromkeys(_text(one, part).split(), int(name)))
    return numbers


def read_texts(value: object, place: Place) -> dict[str, str]:
    """Return word → the text that stands for it."""
    return {name: _text(one, part) for name, one, part in _rows(value, place)}


def read_flag(value: object, place: Place) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise place.refuse(f"{format_value(value)} is neither true nor false")
    return value


def read_characters(value: object, place: Place) -> str:
    """Return the characters of a text without its blanks."""
    return "".join(_text(value, place).split())


def _text(value: object, place: Place) -> str:
    if not isinstance(value, str):
        raise place.refuse(f"{format_value(value)} is no text")
    return value


def _rows(value: object, place: Place) -> Iterator[tuple[str, object, Place]]:
    if not isinstance(value, dict):
        raise place.refuse(
            f"{format_value(value)} is no table", recovery=f"write [{place.key}] and a key a line"
        )
    yield from (
        (name, one, Place(place.source, place.text, f"{place.key}.{name}")) for name, one in value.items()
    )


def _union(values: Sequence[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*values)


def _concatenate(values: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(chain.from_iterable(values))


def _join_pairs(values: Sequence[Mapping[str, frozenset[str]]]) -> dict[str, frozenset[str]]:
    by_word: dict[str, frozenset[str]] = {}
    for one in values:
        by_word |= {word: by_word.get(word, frozenset()) | against for word, against in one.items()}
    return by_word


def _join_tables(values: Sequence[Mapping[str, tuple[str, ...]]]) -> dict[str, tuple[str, ...]]:
    names = dict.fromkeys(chain.from_iterable(values))
    return {name: _concatenate([one.get(name, ()) for one in values]) for name in names}


def _update(values: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: one for value in values for name, one in value.items()}


def _last(values: Sequence[bool]) -> bool:
    return values[-1]


WORDS = Notation("words", read_words, _union, frozenset())
PAIRS = Notation("pairs", read_pairs, _join_pairs, {}, marks="|")
GROUPS = Notation("groups", read_groups, _update, {})
NUMBERED = Notation("numbered words", read_numbered, _update, {})
TEXTS = Notation("texts", read_texts, _update, {})
YES_NO = Notation("true or false", read_flag, _last, empty=True)
CHARACTERS = Notation("characters", read_characters, "".join, "")


def entries(notation: Notation) -> Any:
    """Return a notation as a field; the field's type is that of what is read."""
    return notation


def words() -> Any:
    """Return the field of a list of words."""
    return WORDS


def phrases(marks: str = "") -> Any:
    """Return the field of a list of phrases, with the marks that an entry may have beside choices."""
    return Notation("phrases", read_phrases, _concatenate, (), marks="(|)" + marks)


def phrase_table(marks: str, *keys: str) -> Any:
    """Return the field of a table of phrases; every one of the keys is there, be it empty."""
    empty = dict.fromkeys(keys, ())
    return Notation(
        "table of phrases", read_phrase_table, _join_tables, empty, marks="(|)" + marks, keys=keys
    )


def choices(marks: str) -> Any:
    """Return the field of a list of phrases whose choices are read where they are used: these make many phrases."""
    return phrases(marks)._replace(read=read_choices)


def choice_table(marks: str, *keys: str) -> Any:
    """Return the field of a table of such phrases."""
    return phrase_table(marks, *keys)._replace(read=read_choice_table)
