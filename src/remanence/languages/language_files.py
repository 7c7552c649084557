"""Reads the language files of the package and of the user, once, when a list is first asked for.

A file with a code of its own is a language more; with the code of a language that there is it takes its place; one that
says `extends = "de"` adds to German. Knows how a file is written and checked, not what its words mean.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from remanence.core.errors import LanguageError, format_value, suggest
from remanence.core.toml import parse_toml
from remanence.languages.notation import Lists, Notation, Place, check_list
from remanence.languages.shapes import SECTIONS, SECTIONS_UNSPACED

T = TypeVar("T", bound=Lists)

VARIABLE = "REMANENCE_LANGUAGES"
FILE_BYTES_MAX = 1_000_000
FILES_MAX = 100
SPACED = ("en", "de", "es", "fr", "pt")
UNSPACED = ("zh", "ja")
COMMON = "common"  # what is of no language, or of many that have no file
_FOLDER = Path(__file__).parent
_HEADS = frozenset({"code", "extends", "name"})


class LanguageFile(NamedTuple):
    """A file as it was read: the code of the language that it is of, and its tables by section."""

    source: str
    text: str
    code: str
    extends: bool
    tables: Mapping[str, Any]

    def place(self, *keys: str) -> Place:
        """Return where a list stands."""
        return Place(self.source, self.text, ".".join(keys))


class Language(NamedTuple):
    """A language, and the files that have its words, in the order in which they add to one another."""

    code: str
    spaced: bool
    files: tuple[LanguageFile, ...]


def read_packaged(code: str) -> LanguageFile:
    """Return a language file of the package."""
    return read_file((_FOLDER / f"{code}.toml").read_text(encoding="utf-8"), f"{code}.toml")


@cache
def load_languages() -> tuple[Language, ...]:
    """Return all languages, those written with blanks first, last what is of none; LanguageError for a broken file."""
    by_code = {code: [read_packaged(code)] for code in (*SPACED, *UNSPACED, COMMON)}
    for file in _read_further_files():
        by_code[file.code] = [*by_code[file.code], file] if file.extends else [file]
    spaced = [code for code in by_code if code not in UNSPACED and code != COMMON]
    return tuple(
        Language(code, code in spaced, tuple(by_code[code])) for code in (*spaced, *UNSPACED, COMMON)
    )


def build(shape: type[T], section: str, *languages: Language) -> T:
    """Return the lists of a section, of several languages joined."""
    files = [file for language in languages for file in language.files]

    def read(name: str, notation: Notation) -> Any:
        values = [
            notation.read(table[name], file.place(section, name))
            for file in files
            if name in (table := file.tables.get(section, {}))
        ]
        if not values or notation.keys:
            values.insert(0, notation.empty)
        return values[0] if len(values) == 1 else notation.join(values)

    return shape(languages[0].code, read, spaced=languages[0].spaced)


def read_file(text: str, source: str) -> LanguageFile:
    """Parse a file; raise LanguageError where it is no TOML or does not say which language it is of."""
    try:
        tables = parse_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise LanguageError(
            f"it is no TOML: {error}",
            recovery="write lists between ''' and ''', one key for each",
            source=source,
        ) from None
    heads = {key: tables.pop(key) for key in list(tables) if not isinstance(tables[key], dict)}
    place = Place(source, text, next((key for key in heads if key not in _HEADS), "code"))
    if not _HEADS.issuperset(heads) or len({"code", "extends"} & heads.keys()) != 1:
        raise place.refuse(
            "a file says either `code`, the language that it is, or `extends`, the one that it adds to",
            recovery='begin it with `code = "it"` or `extends = "de"`',
        )
    code = heads.get("code", heads.get("extends"))
    if not isinstance(code, str) or not code.isalpha() or not code.islower() or not 2 <= len(code) <= 8:
        raise place.refuse(
            f"{format_value(code)} is no code of a language", recovery="write two or three small letters"
        )
    return LanguageFile(source, text, code, "extends" in heads, tables)


def check_file(file: LanguageFile, known: Sequence[str]) -> None:
    """Raise LanguageError for the first section, key or entry of a file that would not be understood."""
    if file.extends and file.code not in known:
        raise file.place("extends").refuse(
            f"there is no language {format_value(file.code)} to add to", recovery=suggest(file.code, known)
        )
    shapes = SECTIONS_UNSPACED if file.code in UNSPACED else SECTIONS
    for section, table in file.tables.items():
        _check_known("section", section, [*shapes], file.place(section, ""))
        notations = shapes[section].notations
        for key, value in table.items():
            place = file.place(section, key)
            _check_known("list", key, [*notations], place)
            check_list(value, notations[key], place)
            rows = [one.replace(" ", "_") for one in notations[key].keys]
            for row in value if rows else ():
                _check_known("key", row, rows, place.below(row))


def _check_known(what: str, name: str, known: Sequence[str], place: Place) -> None:
    if name not in known:
        raise place.refuse(f"unknown {what} {format_value(name)}", recovery=suggest(name, known))


def _read_further_files() -> Iterator[LanguageFile]:
    """Yield the files that the environment names, checked, in this order."""
    known, brought = [*SPACED, *UNSPACED, COMMON], dict[str, str]()
    paths = [*filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))]
    if len(paths) > FILES_MAX:
        raise LanguageError(
            f"{len(paths)} files", recovery=f"join some: at most {FILES_MAX} are read", source=VARIABLE
        )
    for path in paths:
        file = read_file(_read_limited(path), path)
        check_file(file, known)
        if not file.extends and brought.setdefault(file.code, path) != path:
            raise file.place("code").refuse(
                f"{brought[file.code]} is the language {file.code!r} already",
                recovery="leave one of the two out",
            )
        known.append(file.code)
        yield file


def _read_limited(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise LanguageError(
            f"it cannot be read: {error}", recovery=f"see {VARIABLE}, and whether it is UTF-8", source=path
        ) from error
    if len(data) > FILE_BYTES_MAX:
        raise LanguageError(
            f"it has more than {FILE_BYTES_MAX:,} bytes", recovery="keep to the words that tell", source=path
        )
    return text
