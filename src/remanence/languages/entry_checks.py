"""Checks the entries of a language file that is not of this package: words and marks alone. Knows no language."""

import math
from collections.abc import Iterable, Iterator

from remanence.core.errors import format_value
from remanence.core.patterns import Pattern
from remanence.languages.notation import (
    CHARACTERS,
    GROUPS,
    NUMBERED,
    PAIRS,
    TEXTS,
    WORDS,
    YES_NO,
    Notation,
    Place,
)

ENTRY_CHARS_MAX = 1_000
CHOICES_MAX = 500  # phrases that one phrase with its choices stands for
GAPS_MAX = 2  # each makes a text take six times as long
MARKS = "^*~(|)"
_OF_WORDS = (WORDS, PAIRS, GROUPS, NUMBERED)
_KEPT_OUT = Pattern(r"[\\\[\]{}+$<>\"=’\x00-\x08\x0b-\x1f\x7f]")
_CHOICE = Pattern(r"\(([^()]*)\)")
_MISPLACED = Pattern(r"(?<!^)\^|^[*~]|[\^~]$|\*(?![ |)]|$)|(?<![\w')])\*")
_PLACED = "`^` begins a phrase, `*` ends a word, `~` stands between words"


def check_entries(value: object, notation: Notation, place: Place) -> None:
    """Raise LanguageError for the first entry of a list that its notation does not allow."""
    if notation is YES_NO:
        return
    for key, entry in _iterate_entries(value, notation, place.key):
        complaint = _complain(entry, notation)
        if complaint:
            where = Place(place.source, place.text, key)
            raise where.refuse(f"{format_value(entry)} {complaint}", entry)


def _iterate_entries(value: object, notation: Notation, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, one in value.items():
            if notation is TEXTS:
                yield f"{key}.{name}", name
            yield from _iterate_entries(one, notation, f"{key}.{name}")
    elif isinstance(value, list):
        yield from ((key, str(one)) for one in value)
    else:
        yield from ((key, one.strip()) for one in _split(str(value), notation) if one.strip())


def _split(text: str, notation: Notation) -> Iterable[str]:
    if "phrases" in notation.name:
        return text.replace("\n", ",").split(",")
    return text.replace("|", " ").split() if notation is PAIRS else text.split()


def _complain(entry: str, notation: Notation) -> str:
    """Say what is wrong with an entry, "" where nothing is."""
    marks = "" if notation is PAIRS else notation.marks
    strange = next((sign for sign in entry if sign in MARKS and sign not in marks), None)
    if strange is None and (match := _KEPT_OUT.search(entry)):
        strange = match.group()
    if strange is None and notation is CHARACTERS and "-" in entry:
        strange = "-"
    if strange is not None:
        return f"has {format_value(strange)}, which no entry of this list has"
    if notation in _OF_WORDS and "," in entry:
        return "has a comma: this list is of single words, with blanks between them"
    if entry != entry.lower():
        return "has capitals: all words are written in small letters"
    if len(entry) > ENTRY_CHARS_MAX:
        return f"is longer than {ENTRY_CHARS_MAX} characters"
    return _complain_of_marks(entry)


def _complain_of_marks(entry: str) -> str:
    if not _has_brackets_in_pairs(entry):
        return "has a bracket without its other, one in another, or `|` outside of brackets"
    if math.prod(one.count("|") + 1 for one in _CHOICE.findall(entry)) > CHOICES_MAX:
        return f"stands for more than {CHOICES_MAX} phrases"
    if entry.count("~") > GAPS_MAX:
        return f"has more than {GAPS_MAX} gaps"
    return f"has a mark in the wrong place: {_PLACED}" if _MISPLACED.search(entry) else ""


def _has_brackets_in_pairs(entry: str) -> bool:
    depth = 0
    for sign in entry:
        depth += (sign == "(") - (sign == ")")
        if depth not in (0, 1) or (sign == "|" and not depth):
            return False
    return depth == 0
