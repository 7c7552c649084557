"""What each file of a folder answered to a survey, kept beside them: a file that did not change is not opened for it.

Knows when a file was written last; nothing is lost with it.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from remanence.core.clock import SECOND
from remanence.core.errors import RemanenceError
from remanence.store.base import ScopeSurvey
from remanence.store.folder.scope_files import list_files, name_file
from remanence.store.sql import reading
from remanence.store.sqlite.database_file import connect_read_only, make_private, meaning
from remanence.store.sqlite.driver import FileKey, errors
from remanence.store.sqlite.sqlite_database import SqliteDatabase

NAME = ".surveys"
_MAKE = "CREATE TABLE IF NOT EXISTS surveys (file TEXT PRIMARY KEY, found BLOB NOT NULL)"
_PUT = "INSERT INTO surveys VALUES (?, ?) ON CONFLICT (file) DO UPDATE SET found = excluded.found"
_WAIT_S = 10.0
# A file may be written again within what its times can tell apart: until then nothing is kept of it.
_TOLD_APART = 2 * SECOND


class _KeptSurvey(NamedTuple):
    """What one file answered: when it was written, its scopes with their positions, and their values by name.

    A value is None where the scope has none of that name.
    """

    stamp: str
    names: Sequence[str]
    scopes: Mapping[str, tuple[int, Mapping[str, Any]]]


class SurveyCache:
    """Surveys the files of a folder."""

    def __init__(self, folder: Path, key: FileKey | None) -> None:
        self._folder, self._key = folder, key
        self._kept: dict[str, _KeptSurvey] | None = None

    def survey(
        self, names: Sequence[str], now: int, *, keeps: bool
    ) -> tuple[dict[str, ScopeSurvey], list[str]]:
        """Return of every scope how far it has come, with the values of these names, and why files cannot be read.

        `keeps` lets what was read be kept beside the files.
        """
        if self._kept is None:
            self._kept = self._load(keeps=keeps)
        answers: dict[str, _KeptSurvey] = {}
        fresh: dict[str, _KeptSurvey] = {}
        faults: list[str] = []
        for file in list_files(self._folder):
            try:
                answers[file.name], is_new = self._ask(file, names, now)
            except errors(OSError, RemanenceError) as error:
                faults.append(str(meaning(error, str(file))))
                continue
            if is_new:
                fresh[file.name] = answers[file.name]
        if keeps and (fresh or self._kept.keys() - answers.keys()):
            self._save(fresh, self._kept.keys() - answers.keys())
        self._kept = {
            name: one for name, one in answers.items() if name in fresh or self._kept.get(name) is one
        }
        return {
            scope: ScopeSurvey(
                position, {name: values[name] for name in names if values.get(name) is not None}
            )
            for file, kept in answers.items()
            for scope, (position, values) in kept.scopes.items()
            if name_file(scope) == file
        }, faults

    def _ask(self, file: Path, names: Sequence[str], now: int) -> tuple[_KeptSurvey, bool]:
        """Return what a file answers, and whether that is read anew and may be kept."""
        assert self._kept is not None
        stamp, written_at = _stamp(file)
        kept = self._kept.get(file.name)
        if kept is not None and kept.stamp == stamp and set(names) <= set(kept.names):
            return kept, False
        known = sorted({*names, *(kept.names if kept is not None else ())})
        return _KeptSurvey(stamp, known, self._read(file, known)), written_at < now - _TOLD_APART

    def _read(self, file: Path, names: Sequence[str]) -> Mapping[str, tuple[int, Mapping[str, Any]]]:
        if not file.stat().st_size:
            return {}  # it is just being made
        with closing(connect_read_only(str(file), self._key)) as connection:
            found = reading.survey(SqliteDatabase(connection), names)
        return {scope: (one.position, one.values) for scope, one in found.items()}

    def _load(self, *, keeps: bool) -> dict[str, _KeptSurvey]:
        """Return what was kept; what cannot be read is made anew."""
        path = self._folder / NAME
        if not keeps or not path.exists():
            return {}
        try:
            with closing(sqlite3.connect(path, timeout=_WAIT_S)) as connection:
                rows = connection.execute("SELECT file, found FROM surveys").fetchall()
            return {file: _KeptSurvey(*orjson.loads(found)) for file, found in rows}
        except (sqlite3.DatabaseError, ValueError, TypeError):
            path.unlink(missing_ok=True)
            return {}

    def _save(self, fresh: Mapping[str, _KeptSurvey], gone: Iterable[str]) -> None:
        """Keep answers; where they cannot be kept, the files are asked again."""
        path = self._folder / NAME
        make_private(str(path))
        with (
            suppress(sqlite3.Error),
            closing(sqlite3.connect(path, timeout=_WAIT_S)) as connection,
            connection,
        ):
            connection.execute(_MAKE)
            connection.executemany("DELETE FROM surveys WHERE file = ?", [(name,) for name in gone])
            connection.executemany(_PUT, [(name, orjson.dumps([*one])) for name, one in fresh.items()])


def _stamp(file: Path) -> tuple[str, int]:
    """Return what tells a file from itself as it was, with its log, and when it was written last, in microseconds."""
    found = [file.stat()]
    with suppress(FileNotFoundError):
        log = Path(f"{file}-wal").stat()
        found += [log] if log.st_size else []
    parts = [f"{one.st_ino}.{one.st_size}.{one.st_mtime_ns}" for one in found]
    return " ".join(parts), max(one.st_mtime_ns for one in found) // 1_000
