"""Reads the language files of the package, of other packages and of the user, once, when a list is first asked for.

A file with a code of its own is a language more; with the code of a language that there is it takes its place; one that
says `extends = "de"` adds to German. Knows how a file is written and checked, not what its words mean.
"""

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from remanence.core.errors import LanguageError, format_value, suggest
from remanence.core.toml import parse_toml
from remanence.languages.entry_checks import check_entries
from remanence.languages.notation import Lists, Notation, Place
from remanence.languages.shapes import SECTIONS, SECTIONS_UNSPACED

T = TypeVar("T", bound=Lists)

VARIABLE = "REMANENCE_LANGUAGES"
ENTRY_POINTS = "remanence.languages"
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


class Sections(dict[str, Any]):
    """The tables of a file of the package, each parsed when it is first asked for: at a start a fifth of them is.

    Lines that begin with a bracket begin a table: in no list of the package one does.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._parts: dict[str, list[str]] = {}
        for part in text.split("\n[")[1:]:
            name = part[: part.index("]")].partition(".")[0]
            self._parts.setdefault(name, []).append(f"[{part}\n")

    def get(self, section: str, default: Any = None) -> Any:
        """Return a table, as of a dictionary."""
        parts = self._parts.pop(section, None)
        if parts is not None:
            self[section] = tomllib.loads("".join(parts))[section]
        return super().get(section, default)


class Language(NamedTuple):
    """A language, and the files that have its words, in the order in which they add to one another."""

    code: str
    spaced: bool
    files: tuple[LanguageFile, ...]


@cache
def load_languages() -> tuple[Language, ...]:
    """Return all languages, those written with blanks first, last what is of none; LanguageError for a broken file."""
    by_code = {code: [_read_packaged(code)] for code in (*SPACED, *UNSPACED, COMMON)}
    for file in _read_further_files():
        if file.extends:
            by_code[file.code].append(file)
        else:
            by_code[file.code] = [file]
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
            f"it is no TOML: {error}", recovery="lists stand in ''' … ''', a key a list", source=source
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
        if section not in shapes:
            raise file.place(section, "").refuse(
                f"unknown section {format_value(section)}", recovery=suggest(section, [*shapes])
            )
        notations = shapes[section].notations
        for key, value in table.items():
            place = file.place(section, key)
            if key not in notations:
                raise place.refuse(f"unknown list {format_value(key)}", recovery=suggest(key, [*notations]))
            notations[key].read(value, place)
            check_entries(value, notations[key], place)
            if notations[key].keys:
                _check_keys(value, notations[key].keys, place)


def _check_keys(table: Mapping[str, object], known: Sequence[str], place: Place) -> None:
    for key in table:
        if key.replace("_", " ") not in known:
            raise Place(place.source, place.text, f"{place.key}.{key}").refuse(
                f"unknown key {format_value(key)}",
                recovery=suggest(key, [one.replace(" ", "_") for one in known]),
            )


def _read_packaged(code: str) -> LanguageFile:
    source = f"{code}.toml"
    text = (_FOLDER / source).read_text(encoding="utf-8")
    return LanguageFile(source, text, code, extends=False, tables=Sections(text))


def _read_further_files() -> Iterator[LanguageFile]:
    """Yield the files of other packages and those that the environment names, checked, in this order."""
    known, brought = [*SPACED, *UNSPACED, COMMON], dict[str, str]()
    paths = [*_find_package_files(), *filter(None, os.environ.get(VARIABLE, "").split(os.pathsep))]
    if len(paths) > FILES_MAX:
        raise LanguageError(
            f"{len(paths)} files", recovery=f"join some: at most {FILES_MAX} are read", source=VARIABLE
        )
    for path in paths:
        file = read_file(_read_limited(path), path)
        check_file(file, known)
        if not file.extends and file.code in brought:
            raise file.place("code").refuse(
                f"{brought[file.code]} is the language {file.code!r} already",
                recovery="leave one of the two out",
            )
        if not file.extends:
            brought[file.code] = path
        known.append(file.code)
        yield file


def _read_limited(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
        if len(data) > FILE_BYTES_MAX:
            raise LanguageError(
                f"it has more than {FILE_BYTES_MAX:,} bytes",
                recovery="keep to the words that tell",
                source=path,
            )
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise LanguageError(
            f"it cannot be read: {error}", recovery=f"see {VARIABLE}, and whether it is UTF-8", source=path
        ) from error


def _find_package_files() -> Iterator[str]:
    """Yield the files that installed packages register; an entry's name is its file's, its value the package.

    To ask importlib.metadata takes 40 ms, to look for the name of the group in the packages' own files 2 ms.
    """
    if not _is_registered():
        return
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    for entry in sorted(entry_points(group=ENTRY_POINTS), key=lambda entry: entry.name):
        spec = find_spec(entry.value)
        folders = [] if spec is None else list(spec.submodule_search_locations or ())
        if not folders:
            raise LanguageError(
                f"the entry point {entry.name!r} names no package",
                recovery="tell its maintainers",
                source=entry.value,
            )
        yield str(Path(folders[0]) / f"{entry.name}.toml")


def _is_registered() -> bool:
    """Tell whether the group stands in the entry points of some installed package."""
    name = f"[{ENTRY_POINTS}]".encode()
    return any(name in _read(path) for folder in dict.fromkeys(sys.path) for path in _find_lists(folder))


def _read(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, 65_536)
    finally:
        os.close(file)


def _find_lists(folder: str) -> Iterator[str]:
    """Yield where the entry points of the packages in a folder of modules are listed, be there any or not."""
    try:
        names = os.listdir(folder)  # noqa: PTH208  # paths as objects take three times as long
    except OSError:
        return
    yield from (f"{folder}/{name}/entry_points.txt" for name in names if name.endswith("-info"))
