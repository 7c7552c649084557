"""A copy of a database that is whole: made by SQLite while others write, opened and checked before it counts."""

import sqlite3
from pathlib import Path

from remanence.errors import InvalidInput, StoreDamaged
from remanence.store.sqlite.dialect import IN_MEMORY, make_private, refuse_path

_PAGES_A_STEP = 4_096


def copy(source: sqlite3.Connection, path: str) -> None:
    """Write a verified copy to a path where nothing is yet; a copy that fails its check is taken away again."""
    if path == IN_MEMORY:
        raise InvalidInput(f"{path} is no file", recovery="name a file that does not exist yet")
    refuse_path(path)
    if Path(path).exists():
        raise InvalidInput(f"{path} is there already", recovery="name a file that does not exist yet")
    make_private(path)
    target = sqlite3.connect(path, isolation_level=None)
    sound = False
    try:
        source.backup(target, pages=_PAGES_A_STEP)
        target.execute("PRAGMA journal_mode = delete")
        sound = _is_sound(target)
    finally:
        target.close()
        if not sound:
            Path(path).unlink(missing_ok=True)
    if not sound:
        raise StoreDamaged(f"the copy {path} was not whole", recovery="run `doctor` on the original")


def _is_sound(connection: sqlite3.Connection) -> bool:
    return (
        connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        and connection.execute("PRAGMA foreign_key_check").fetchone() is None
    )
