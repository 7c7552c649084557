"""A path is read as a source: a file, folder, archive or database, of which a copy is opened; nothing is written to it.

Knows files and SQLite; must not know what is in them, nor any format.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from remanence.core.beside import read_named
from remanence.core.errors import IngestError, InvalidInput, NotFound
from remanence.flows.write.archive_reading import is_archive, open_archive
from remanence.flows.write.lazy_mapping import FILE_BYTES_MAX, FILES_MAX, LazyMapping
from remanence.write.transcripts.importer_source import DATABASES, Row, Source, SqliteTable

ROWS_MAX = 2_000_000  # of one table
SQLITE_HEAD = b"SQLite format 3\0"
BESIDE_DATABASES = (
    "-wal",
    "-journal",
)  # what belongs to a database that is in use, or was when its program was killed
COPY_TRIES = 5
_HIDDEN = 6  # where table_xinfo says whether a column is computed


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a path as a source for a block; what is read of it is read within.

    Raises:
        NotFound: nothing is there.
        InvalidInput: it cannot be read, is no file or folder, or is too large.
    """
    if os.path.isdir(path):  # noqa: PTH112 - `Path.is_dir` raises for a name that is too long
        with TemporaryDirectory(prefix="remanence-") as copies:
            yield _open_folder(path, Path(copies))
        return
    if _is_database(path):
        with TemporaryDirectory(prefix="remanence-") as copies:
            yield Source(path.name, databases={path.name: _open_database(path, Path(copies))})
        return
    if is_archive(path):
        with open_archive(path) as source:
            yield source
        return
    data = read_file(path)
    yield Source(path.name, {path.name: data})


def _open_folder(folder: Path, copies: Path) -> Source:
    """Return the files in a folder and below, in the order of their paths; hidden ones and links are left alone."""
    paths = {one.relative_to(folder).as_posix(): one for one in _list_files(folder)}
    databases = tuple(
        name for name in paths if name.lower().endswith(DATABASES) and _is_database(paths[name])
    )
    beside = tuple(
        f"{Path(name).name}{ending}" for name in databases for ending in (*BESIDE_DATABASES, "-shm")
    )
    files = tuple(name for name in paths if name not in databases and not name.endswith(beside))
    sizes: dict[str, int] = {}

    def read(name: str) -> bytes:
        data = read_file(paths[name])
        sizes[name] = len(data)
        if sum(sizes.values()) > FILE_BYTES_MAX:
            raise InvalidInput(
                f"{folder} holds more than {FILE_BYTES_MAX >> 20} MB",
                recovery="ingest its folders one by one",
            )
        return data

    opened = cache(lambda name: _open_database(paths[name], copies))
    return Source(
        folder.name or str(folder),
        LazyMapping(files, read),
        LazyMapping(databases, opened),
        is_folder=True,
        hidden=_list_hidden(folder),
    )


def _list_files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for root, folders, names in os.walk(folder, onerror=_refuse_folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths = (Path(root, name) for name in sorted(names) if not name.startswith("."))
        found += [one for one in paths if one.is_file() and not one.is_symlink()]
        if len(found) > FILES_MAX:
            raise InvalidInput(
                f"{folder} holds more than {FILES_MAX:,} files", recovery="ingest its folders one by one"
            )
    return found


def _list_hidden(folder: Path) -> frozenset[str]:
    """Return the names of what is hidden at the top of a folder."""
    try:
        return frozenset(one.name for one in folder.iterdir() if one.name.startswith("."))
    except OSError as error:
        _refuse_folder(error)


def _refuse_folder(error: OSError) -> NoReturn:
    raise InvalidInput(
        f"cannot read {error.filename}: {error.strerror}", recovery="name a folder that you may read"
    ) from error


def read_file(path: Path) -> bytes:
    """Return what a file holds that is not too large."""
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise InvalidInput(
                f"{path} is larger than {FILE_BYTES_MAX >> 20} MB", recovery="split it into several files"
            )
        return read_named(path, bytes_max=FILE_BYTES_MAX)
    except FileNotFoundError as error:
        raise NotFound(f"no file {path}", recovery="check the path") from error
    except OSError as error:
        raise InvalidInput(
            f"cannot read {path}: {error.strerror}", recovery="name a file that you may read"
        ) from error


def _is_database(path: Path) -> bool:
    """Tell by its first bytes whether a regular file is an SQLite database; what cannot be read is none."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(len(SQLITE_HEAD)) == SQLITE_HEAD
    except OSError:
        return False


def _open_database(path: Path, copies: Path) -> Mapping[str, SqliteTable]:
    """Return the tables of a database, read from a copy: to open the original could write beside it, or wait for it.

    What was committed and is still in its log beside it is read, too.
    """
    copy = Path(copies, f"{len(os.listdir(copies))}.db")  # noqa: PTH208 - only how many there are
    try:
        _copy_database(path, copy)
    except OSError as error:
        raise InvalidInput(
            f"cannot read {path}: {error.strerror}",
            recovery="name a file that you may read, and have room for a copy",
        ) from error
    names = _query_copy(
        path, copy, "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    )
    tables = tuple(name for (name,) in names.rows if isinstance(name, str) and not name.startswith("sqlite_"))
    return LazyMapping(tables, lambda name: _read_table(path, copy, name))


def _copy_database(path: Path, copy: Path) -> None:
    """Copy a database with what lies beside it; again where it was written to meanwhile."""
    for _ in range(COPY_TRIES):
        before = _take_marks(path)
        if sum(size for size, _ in before.values()) > FILE_BYTES_MAX:
            raise InvalidInput(
                f"{path} is larger than {FILE_BYTES_MAX >> 20} MB", recovery="export what you need of it"
            )
        for ending in ("", *BESIDE_DATABASES):
            target = Path(f"{copy}{ending}")
            target.unlink(missing_ok=True)
            if ending in before:
                shutil.copyfile(f"{path}{ending}", target)
        if before == _take_marks(path):
            return
    raise InvalidInput(
        f"{path} is being written to", recovery="close the program that has it open, and try again"
    )


def _take_marks(path: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of a database and of what lies beside it, by the end of its name."""
    marks: dict[str, tuple[int, int]] = {}
    for ending in ("", *BESIDE_DATABASES):
        try:
            told = Path(f"{path}{ending}").stat()
        except FileNotFoundError:
            continue
        marks[ending] = told.st_size, told.st_mtime_ns
    return marks


def _read_table(path: Path, copy: Path, name: str) -> SqliteTable:
    quoted = name.replace('"', '""')
    told = _query_copy(path, copy, f'PRAGMA table_xinfo("{quoted}")')
    # What a database computes is no part of what it holds, and may be made to be of any size.
    held = [str(row[1]).replace('"', '""') for row in told.rows if row[_HIDDEN] == 0]
    columns = ", ".join(f'"{one}"' for one in held) or "NULL"
    return _query_copy(path, copy, f'SELECT {columns} FROM "{quoted}" LIMIT {ROWS_MAX + 1}')


def _read_rows(path: Path, cursor: sqlite3.Cursor) -> Iterator[Row]:
    """Yield rows as long as what they hold is within what is read of one source."""
    held = 0
    for row in cursor:
        held += sum(len(value) for value in row if isinstance(value, str | bytes))
        if held > FILE_BYTES_MAX:
            raise InvalidInput(
                f"{path} holds more than {FILE_BYTES_MAX >> 20} MB in a table",
                recovery="export what you need of it",
            )
        yield row


def _query_copy(path: Path, copy: Path, query: str) -> SqliteTable:
    """Return what a copy answers to a query."""
    try:
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            cursor = connection.execute(query)
            rows = list(_read_rows(path, cursor))
            columns = tuple(str(one[0]) for one in cursor.description)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise IngestError(
            f"the database cannot be read: {error}",
            recovery="it is damaged or cut off: copy it again while no program has it open",
            source=path.name,
            line=1,
        ) from error
    if len(rows) > ROWS_MAX:
        raise InvalidInput(
            f"{path} has more than {ROWS_MAX:,} rows in a table", recovery="export what you need of it"
        )
    return SqliteTable(columns, rows)
