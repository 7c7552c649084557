"""A copy of a database that is whole: made by SQLite while others write, opened and checked before it counts."""

import os
import sqlite3
from pathlib import Path

from remanence.core.errors import InvalidInput, StoreDamaged
from remanence.store.sqlite.dialect import IN_MEMORY, make_private, refuse_path

PARTIAL = ".partial"
_PAGES_A_STEP = 4_096


def copy(source: sqlite3.Connection, path: str, *, references: bool = True) -> int:
    """Write a verified copy to a path where nothing is yet, and return how many memories are in it.

    A copy that fails its check is taken away again. Every page is looked at, and unless the caller does so itself every
    reference between rows.
    """
    if path == IN_MEMORY:
        raise InvalidInput(f"{path} is no file", recovery="name a file that does not exist yet")
    refuse_path(path)
    if Path(path).exists():
        raise InvalidInput(f"{path} is there already", recovery="name a file that does not exist yet")
    # Under a name of its own until it is verified: what a kill leaves is not taken for a copy.
    partial = Path(f"{path}.{os.getpid()}{PARTIAL}")
    make_private(str(partial), fresh=True)
    target = sqlite3.connect(partial, isolation_level=None)
    sound = False
    try:
        source.backup(target, pages=_PAGES_A_STEP)
        target.execute("PRAGMA journal_mode = delete")
        sound = _is_sound(target, references=references)
        (memories,) = target.execute("SELECT count(*) FROM memories").fetchone() if sound else (0,)
    finally:
        target.close()
        if not sound:
            partial.unlink(missing_ok=True)
    if not sound:
        raise StoreDamaged(f"the copy {path} was not whole", recovery="run `doctor` on the original")
    partial.rename(path)
    return int(memories)


def _is_sound(connection: sqlite3.Connection, *, references: bool) -> bool:
    return connection.execute("PRAGMA quick_check").fetchall() == [("ok",)] and not (
        references and connection.execute("PRAGMA foreign_key_check").fetchone()
    )
