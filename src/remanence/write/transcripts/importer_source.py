"""What an importer reads: the files and databases of one source, whatever it was read from.

Knows names, bytes and rows; must not know where they lie, nor any format.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from remanence.core.errors import NotFound
from remanence.core.model import Turn
from remanence.write.imported import SkipCounts as SkipCounts
from remanence.write.transcripts.base import Importer, decode_utf8, unwrap_json

if TYPE_CHECKING:
    from typing_extensions import TypeIs

NOTES = (".md", ".markdown")  # how the names of notes end
NO_NOTE = "file that is no note"
LINES = (".jsonl",)  # of files with an object a line
DATABASES = (".db", ".sqlite", ".sqlite3", ".db3", ".vscdb")  # and of databases
Row: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SqliteTable:
    """A table of an SQLite database: the names of its columns, and its rows in the order in which they were written."""

    columns: tuple[str, ...]
    rows: Sequence[Row]

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each row by the names of its columns."""
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)


@dataclass(frozen=True, slots=True)
class Source:
    """Source of an import: its files by their path in it, and the tables of its databases, both read when asked for.

    A source that is one file has it under its `name`. A folder (or an archive that holds one) `is_folder`; its hidden
    files and links are left out; `hidden` has the names of those at its top, as `.obsidian`. Both mappings raise
    InvalidInput for files that cannot be read or are too large. `with_actions` asks of a session of a coding host for
    its edits and commands, too.
    """

    name: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    databases: Mapping[str, Mapping[str, SqliteTable]] = field(default_factory=dict)
    is_folder: bool = False
    hidden: frozenset[str] = frozenset()
    with_actions: bool = False
    _last_text: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def text(self, name: str) -> str:
        """Return the text of a file, without its byte order mark; raise IngestError where it is not UTF-8.

        A file that is JSON encoded as a string of JSON gives the inner text.
        """
        if name not in self._last_text:  # each importer that is asked for its format looks at the same text
            text = unwrap_json(decode_utf8(self.files[name], name), name)
            self._last_text.clear()
            self._last_text[name] = text
        return self._last_text[name]

    def only_text(self) -> str | None:
        """Return the text of a source that is one file; None for a folder and a database."""
        return None if self.is_folder or len(self.files) != 1 else self.text(*self.files)

    def list_files(self, *endings: str) -> list[str]:
        """Return the paths of files by the ends of their names, in any case, in order."""
        return [name for name in self.files if name.lower().endswith(endings)]

    def list_tables(self, name: str, *columns: str) -> list[tuple[str, SqliteTable]]:
        """Return the tables of a name that have these columns, each with the path of its database.

        Databases in folders below are left alone: what a program keeps there is of its own, and may be large.
        """
        tops = [path for path in self.databases if "/" not in path]
        found = [(path, self.databases[path][name]) for path in tops if name in self.databases[path]]
        return [(path, table) for path, table in found if set(columns) <= set(table.columns)]


class SourceImporter(Protocol):
    """Reads one format of source, which may have many files or a database."""

    @property
    def reads_sources(self) -> Literal[True]:
        """Mark of an importer that reads whole sources, not one text."""
        ...

    @property
    def summary(self) -> str:
        """Which files it reads, in a few words for a list."""
        ...

    def recognises(self, source: Source) -> bool:
        """Return True if a source has this format; used where nobody names one."""
        ...

    def turns(self, source: Source, skipped: SkipCounts) -> Iterable[Turn]:
        """Return what the source holds, in order; what has no place is counted in `skipped`, with an example.

        Give each turn a key that stays the same when the source grows. What a turn says of others it says as an
        `ImportedTurn`. Raise `IngestError` for what is malformed.
        """
        ...


AnyImporter: TypeAlias = Importer | SourceImporter


class TextSourceImporter:
    """An importer of one text, as one of sources: it reads a file, or the notes of a folder one by one."""

    reads_sources: Literal[True] = True

    def __init__(self, importer: Importer) -> None:
        self._importer = importer

    @property
    def summary(self) -> str:
        """What it says it reads."""
        return self._importer.summary

    def recognises(self, source: Source) -> bool:
        """Ask it about the one text; it recognises no folder."""
        text = source.only_text()
        return text is not None and self._importer.recognises(text) is True

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield the turns of the text, or of each note of a folder that is not empty."""
        names = find_notes(source)
        for name in names:
            yield from self._importer.turns(source.text(name), name, skipped)
        for name in source.files:
            if source.is_folder and not name.lower().endswith(NOTES):
                skipped.note(NO_NOTE, name)


def find_notes(source: Source) -> list[str]:
    """Return the names of the notes that are not empty, or of the one file; raise NotFound where there are none."""
    names = source.list_files(*NOTES) if source.is_folder else source.files
    found = [name for name in names if source.files[name].strip()]
    if not found:
        raise NotFound(
            f"no notes in {source.name}",
            recovery=f"name a folder with files that end in {' or '.join(NOTES)}",
        )
    return found


def is_source_importer(importer: AnyImporter) -> "TypeIs[SourceImporter]":
    """Tell whether an importer says that it reads sources."""
    return getattr(importer, "reads_sources", False) is True


def as_source_importer(importer: AnyImporter) -> SourceImporter:
    """Return an importer as one of sources."""
    return importer if is_source_importer(importer) else TextSourceImporter(importer)
