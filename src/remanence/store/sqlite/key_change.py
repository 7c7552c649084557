"""A database encrypted, given another key, or decrypted: written anew beside itself, compared, and put in its place.

Knows tables and rows; must not know what is in them.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import zip_longest
from pathlib import Path

from remanence.core.beside import put_in_place
from remanence.core.errors import InvalidInput, StoreDamaged, StoreIncompatible, StoreUnavailable
from remanence.store.sqlite import ledger_file
from remanence.store.sqlite.database_file import (
    SCHEMA_VERSION,
    make_private,
    meaning,
    refuse_path,
    version_of,
)
from remanence.store.sqlite.driver import FileKey, error_name, errors, open_file, refuse_wrong_key
from remanence.store.sqlite.home import LAID_BESIDE, PARTIAL
from remanence.store.sqlite.index_files import remove_all

_TABLES = (
    "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')"
    " AND name <> 'sqlite_schema' ORDER BY name"
)
_HEADER = ("application_id", "user_version")


def change_key(path: str, key: FileKey | None, new_key: FileKey | None) -> int:
    """Encrypt a database with another key, or with none; return how many memories are in it.

    The file is written anew under another name and compared row by row, then takes the place of the old one in one
    step: what is killed before leaves the old file as it was.

    Raises:
        StoreUnavailable: another process, or this one, has it open, or the disk is full.
        StoreIncompatible: the key does not open it, or an older program wrote it.
        StoreDamaged: what was written is not what was read.
    """
    refuse_path(path, makes=False)
    real = os.path.realpath(path)
    if key == new_key:
        raise InvalidInput(
            "the new key is the one that the file has", recovery="give another key; the file was not touched"
        )
    if ledger_file.is_open(real):
        raise StoreUnavailable(f"{path} is open in this process", recovery="close it first")
    refuse_wrong_key(real, key)
    partial = Path(f"{real}.{os.getpid()}{PARTIAL}")
    try:
        with _open_alone(real, key) as source:
            _remove_leftovers(Path(real))
            make_private(str(partial), fresh=True)
            partial.chmod(Path(real).stat().st_mode & 0o777)
            memories = _write_anew(source, partial, new_key)
            remove_all(real)  # which say in plain what is encrypted now
            put_in_place(partial, Path(real))
    except errors() as error:
        raise meaning(error, path) from error
    except OSError as error:
        raise StoreUnavailable(
            f"{path} cannot be written anew: {error.strerror}",
            recovery="check the disk; the file was not changed",
        ) from error
    finally:
        for suffix in LAID_BESIDE:
            with suppress(OSError):
                Path(f"{partial}{suffix}").unlink(missing_ok=True)
    return memories


@contextmanager
def _open_alone(real: str, key: FileKey | None) -> Iterator[sqlite3.Connection]:
    """Open a database with its log written into it, and keep every other process out until it is closed."""
    with closing(open_file(real, "mode=rw", key, cipher=True)) as connection:
        version = version_of(connection)
        if version != SCHEMA_VERSION:
            raise StoreIncompatible(
                f"{real} has version {version}, this program writes version {SCHEMA_VERSION}",
                recovery="open it once with this program, which brings it up; then change the key",
            )
        connection.execute("PRAGMA temp_store = 2")
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try:
            connection.execute("PRAGMA journal_mode = delete")  # refused while another connection is open
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
        except errors() as error:
            if error_name(error) != "SQLITE_BUSY":
                raise
            raise StoreUnavailable(
                f"{real} is open in another process",
                recovery="stop every process that uses it, then try again; the file was not changed",
            ) from error
        yield connection


def _remove_leftovers(file: Path) -> None:
    """Remove what a kill left: nobody else writes the file anew while this has it alone."""
    for entry in file.parent.iterdir():
        if entry.name.startswith(f"{file.name}.") and PARTIAL in entry.name:
            entry.unlink(missing_ok=True)


def _write_anew(source: sqlite3.Connection, partial: Path, new_key: FileKey | None) -> int:
    """Write every table into a file under the new key, and hold each row against the old one."""
    spelled = "" if new_key is None else new_key.spell()
    source.execute("ATTACH DATABASE ? AS anew KEY ?", (str(partial), spelled))
    source.execute("SELECT sqlcipher_export('anew')").fetchall()
    for name in _HEADER:
        (value,) = source.execute(f"PRAGMA main.{name}").fetchone()
        source.execute(f"PRAGMA anew.{name} = {value}")
    source.execute("DETACH DATABASE anew")
    refuse_wrong_key(str(partial), new_key)
    with closing(open_file(str(partial), "mode=ro", new_key, cipher=True)) as anew:
        if _is_whole(anew) and _is_same(source, anew):
            return int(anew.execute("SELECT count(*) FROM memories").fetchone()[0])
    raise StoreDamaged(
        f"{partial} is not what was read", recovery="run `doctor` on the file, which was not changed"
    )


def _is_whole(connection: sqlite3.Connection) -> bool:
    is_sound = connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return is_sound and connection.execute("PRAGMA foreign_key_check").fetchone() is None


def _is_same(old: sqlite3.Connection, new: sqlite3.Connection) -> bool:
    """True if two databases have the same version, definitions and rows."""
    schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    names = [name.replace('"', '""') for (name,) in old.execute(_TABLES)]
    asks = [schema, *(f"PRAGMA {one}" for one in _HEADER), *(f'SELECT * FROM "{name}"' for name in names)]
    return all(one == other for ask in asks for one, other in zip_longest(old.execute(ask), new.execute(ask)))
