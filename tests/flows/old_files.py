"""Files that older versions made and lived with, `data/version-N.db.gz`, and what the tests read of them."""

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import remanence
from remanence.clock import ManualClock
from remanence.flows.write.claiming import UNREAD

LATER = 1_790_000_000_000_000  # after the last of the runs in them
DIGEST = "digest"  # computed from the rest, by each version in its way


def old_file(version: int) -> bytes:
    """Return the file of a version."""
    return gzip.decompress((Path(__file__).parent / "data" / f"version-{version}.db.gz").read_bytes())


def opened(path: Path, scope: str = "work") -> remanence.Engine:
    """Open a file as its makers did."""
    return remanence.open(path, scope=scope, clock=ManualClock(LATER), embedder="hashed")


def rows(path: Path, columns: dict[str, list[str]]) -> dict[str, list[Any]]:
    """Return the rows of tables, of each these columns."""
    with closing(sqlite3.connect(path)) as connection:
        return {
            table: sorted(connection.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall(), key=repr)
            for table, names in columns.items()
        }


def without_unread(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Leave out what an upgrade adds: for each scope, which memories were not read for claims."""
    return {**found, "settings": [row for row in found["settings"] if row[1] != UNREAD]}


def columns_of(path: Path) -> dict[str, list[str]]:
    """Return the columns of every table that a version may not change the content of."""
    with closing(sqlite3.connect(path)) as connection:
        held = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {
            table: [
                f'"{name}"'
                for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")
                if name != DIGEST
            ]
            for (table,) in held
            if table not in {"words", "alembic_version", "meta"}
        }


def version_of(path: Path) -> int:
    """Return the version of the tables in a file."""
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
