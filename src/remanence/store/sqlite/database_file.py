"""What is particular to a file of SQLite: how it is opened and proven ours, and what its errors mean.

Knows sqlite3 and the error tree; knows nothing of memories, scopes or changes.
"""

import os
import sqlite3
import sys
from contextlib import suppress
from errno import ENOLCK, ENOSYS, EOPNOTSUPP
from pathlib import Path
from tempfile import TemporaryFile
from time import sleep

from remanence.core.errors import (
    Conflict,
    FileReplaced,
    InvalidInput,
    ReadOnly,
    RemanenceError,
    StoreDamaged,
    StoreError,
    StoreIncompatible,
    StoreUnavailable,
    build_memory_refusal,
)
from remanence.store.sql import schema_versions
from remanence.store.sql.decoding import UNFIT, build_unfit_refusal
from remanence.store.sqlite.driver import (
    IN_MEMORY,
    FileKey,
    error_name,
    errors,
    open_file,
    open_read_only,
)

if sys.platform != "win32":
    import fcntl

APPLICATION_ID = 0x52454D41  # "REMA"
BASELINE_VERSION, SCHEMA_VERSION = schema_versions.BASELINE_VERSION, schema_versions.SCHEMA_VERSION
SQLITE_MIN = (3, 37, 0)  # STRICT tables
BUSY_MS = 10_000
_ASKING_MS = 20  # in which SQLite asks for a lock five times

# No mmap: it is a tenth faster, but its pages count as the memory of the process.
_PAGE_CACHE_KIB = 16 * 1_024
# Of a reader: what it reads again fits, and of a whole scope, which is read once, nothing is kept for long.
_READER_CACHE_KIB = 4 * 1_024
# A WAL that one long reader made grow is cut back to this.
_JOURNAL_BYTES_MAX = 64 * 1_024 * 1_024


class OpenFiles:
    """The database of a store and what SQLite keeps beside it, each by device and inode as it was opened.

    SQLite goes on writing into a file that was removed or replaced, and reports success. `given` is the path that the
    caller named, `path` where the file lies; a copy with `cp` over the file keeps its inode, and is not noticed.
    """

    def __init__(self, given: str) -> None:
        self.given = given
        self.path = given if given == IN_MEMORY else os.path.realpath(given)
        self._named = os.path.abspath(given)  # noqa: PTH100 - a link may be pointed elsewhere
        self._side_files = f"{self.path}-wal", f"{self.path}-shm"
        self._identities: dict[str, tuple[int, int]] = {}

    def note(self) -> None:
        """Remember what lies there, once a connection holds it."""
        if self.given != IN_MEMORY:
            files = self._named, self.path, *self._side_files
            self._identities = {file: one for file in files if (one := _identify(file)) is not None}

    def check(self, connection: sqlite3.Connection | None = None, *, log: bool = False) -> None:
        """Raise FileReplaced where the database lies there no longer, or another in its place.

        With `log` what SQLite keeps beside it too: without that this process reads all, and others would miss what it
        writes.
        """
        for file, identity in self._identities.items():
            if (log or file not in self._side_files) and _identify(file) != identity:
                if connection is not None:
                    self._clear_log(connection)
                keep = "put the file back, or restore a backup in its place"
                if file != self._named:
                    keep = (
                        "what was answered before is written into the database as the last of them closes it"
                    )
                raise FileReplaced(
                    f"{file} was removed, moved or replaced while it was open",
                    recovery=f"stop every process that uses {self._named}: {keep}; then start again."
                    " Nothing was stored since",
                )

    def _clear_log(self, connection: sqlite3.Connection) -> None:
        """Write the log into the database where that lies elsewhere now, and remove the log.

        SQLite would leave it, and whatever is put in the place of the database would be read together with it.
        """
        if _identify(self.path) == self._identities[self.path]:
            return
        with suppress(*errors()):  # the disk is gone, or full
            (is_busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            for file in () if is_busy else self._side_files:
                if _identify(file) == self._identities.get(file):
                    Path(file).unlink(missing_ok=True)


def _identify(file: str) -> tuple[int, int] | None:
    """Return the device and inode of a file; None where nothing lies there, or the system numbers no files."""
    try:
        found = os.stat(file)  # noqa: PTH116 - at every commit
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found.st_ino else None


def connect(
    path: str, key: FileKey | None = None, *, busy_ms: int = BUSY_MS, query_only: bool = False
) -> sqlite3.Connection:
    """Open a connection to a file that is there, with every pragma set; errors are still SQLite's own."""
    try:
        return _connect_once(path, key, busy_ms=busy_ms, query_only=query_only)
    except errors() as error:
        if key is None or error_name(error) != "SQLITE_NOTADB":
            raise
        # Another process has just made the file, and encrypted it with a salt of its own.
        return _connect_once(path, key, busy_ms=busy_ms, query_only=query_only)


def _connect_once(path: str, key: FileKey | None, *, busy_ms: int, query_only: bool) -> sqlite3.Connection:
    real = path if path == IN_MEMORY else os.path.realpath(path)
    connection = open_file(real, "mode=rw", key, timeout=busy_ms / 1_000)  # makes no file
    try:
        version_of(connection)  # before any pragma could change a file that is not ours
        if path != IN_MEMORY:
            _log_ahead(connection, busy_ms)
        _configure(connection, path, query_only=query_only)
    except errors(RemanenceError):
        connection.close()
        raise
    return connection


_UNOPENED = ("SQLITE_CANTOPEN", "SQLITE_READONLY")  # of a log that SQLite can read only where it can write


def connect_read_only(path: str, key: FileKey | None = None) -> sqlite3.Connection:
    """Open a connection to a database of this version that changes no byte of it.

    Raises:
        StoreUnavailable: the file has a log that cannot be read where it lies.
        ReadOnly: the file is of an older version.
    """
    try:
        connection = open_read_only(path, key)
    except errors() as error:
        if not Path(f"{path}-wal").exists() or not error_name(error).startswith(_UNOPENED):
            raise
        raise StoreUnavailable(
            f"{path} has a log ({path}-wal) that cannot be read in this folder",
            recovery="copy both files to a folder that can be written, and open the copy there",
        ) from error
    try:
        version = version_of(connection)
        if version != SCHEMA_VERSION:
            raise ReadOnly(
                f"{path} has version {version}, and only a writable file is upgraded to version {SCHEMA_VERSION}",
                recovery="copy it to a folder that can be written, and open the copy",
            )
        connection.execute("PRAGMA temp_store = 2")
    except errors(RemanenceError):
        connection.close()
        raise
    return connection


def begin_writing(connection: sqlite3.Connection, busy_ms: int) -> None:
    """Take the write lock, or raise what SQLite raises where another process keeps it for all the time allowed.

    SQLite itself soon asks only ten times a second, and so misses the moments between the parts of a long run.
    Whatever else the connection waits for it waits for as long as before.
    """
    connection.execute(f"PRAGMA busy_timeout = {min(busy_ms, _ASKING_MS)}")
    try:
        if not any(_try_write_lock(connection) for _ in range(busy_ms // _ASKING_MS)):
            connection.execute("BEGIN IMMEDIATE")
    finally:
        connection.execute(f"PRAGMA busy_timeout = {busy_ms}")


def _try_write_lock(connection: sqlite3.Connection) -> bool:
    """Take the write lock; return False where another process has it."""
    try:
        connection.execute("BEGIN IMMEDIATE")
    except errors() as error:
        if error_name(error) != "SQLITE_BUSY":
            raise
        return False
    return True


def _log_ahead(connection: sqlite3.Connection, busy_ms: int) -> None:
    """Have the file keep a write-ahead log, which it then does for good.

    Where several connections ask for it at once in a new file, SQLite waits for none but refuses: each could wait for
    the other for ever.
    """
    for _ in range(busy_ms // _ASKING_MS):
        try:
            connection.execute("PRAGMA journal_mode = wal")
        except errors() as error:
            if error_name(error) != "SQLITE_BUSY":
                raise
            sleep(_ASKING_MS / 1_000)
        else:
            return


def _configure(connection: sqlite3.Connection, path: str, *, query_only: bool) -> None:
    pragmas: dict[str, int | str] = {
        "journal_mode": "memory" if path == IN_MEMORY else "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
        "cache_size": -(_READER_CACHE_KIB if query_only else _PAGE_CACHE_KIB),
        "temp_store": 2,
        "recursive_triggers": 0,
    }
    connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_BYTES_MAX}")
    for name, value in pragmas.items():
        _set_pragma(connection, name, value)
    _set_pragma(connection, "query_only", int(query_only))


def _set_pragma(connection: sqlite3.Connection, name: str, value: int | str) -> None:
    connection.execute(f"PRAGMA {name} = {value}")
    (current,) = connection.execute(f"PRAGMA {name}").fetchone()
    if current != value:
        raise StoreUnavailable(
            f"SQLite keeps {name} at {current} instead of {value}",
            recovery="keep the file on a local disk, where write-ahead logging works",
        )


def version_of(connection: sqlite3.Connection) -> int:
    """Return the schema version of a database that is ours and can be brought to this one; 0 for an empty one."""
    application, version, tables = _read_header(connection)
    if application != APPLICATION_ID and not connection.in_transaction:
        # Another process may just have been making it: looked at again, all of one moment.
        connection.execute("BEGIN")
        application, version, tables = _read_header(connection)
        connection.execute("ROLLBACK")
    if application == 0 and version == 0 and tables == 0:
        return 0
    if application != APPLICATION_ID or version < 1:
        raise StoreIncompatible(
            "this SQLite database belongs to another program",
            recovery="name another file; this one was not touched",
        )
    if version < BASELINE_VERSION:
        raise StoreIncompatible(
            f"the database has version {version}, this program opens versions from {BASELINE_VERSION} on",
            recovery="export each scope with the program that wrote it (`remanence export`) and import that into a new"
            " file (`remanence import --trust user`): all memories and links come over; runs and their undo, settings,"
            " and the marks of what was erased do not. The file was not touched",
        )
    if version > SCHEMA_VERSION:
        raise StoreIncompatible(
            f"the database has version {version}, this program knows versions up to {SCHEMA_VERSION}",
            recovery="use a newer version of Remanence; the file was not touched",
        )
    return int(version)


def _read_header(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Return whose file it is, of which version, and how much is in it."""
    asks = "PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_schema"
    application, version, tables = (int(connection.execute(ask).fetchone()[0]) for ask in asks)
    return application, version, tables


def can_write(path: str) -> bool:
    """True if a database may be written, or made; SQLite writes beside it, too."""
    file = Path(os.path.realpath(path))
    if path == IN_MEMORY or not file.exists():
        return True
    # The mode counts, not the right: an administrator may write to a file that was meant to be read only.
    is_meant_to = bool(file.stat().st_mode & 0o222)
    return is_meant_to and os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)


def refuse_path(path: str, *, makes: bool = True) -> None:
    """Raise for a file that cannot be opened, or be made, before SQLite makes something beside it."""
    if sqlite3.sqlite_version_info < SQLITE_MIN:
        least_version = ".".join(map(str, SQLITE_MIN))
        raise StoreIncompatible(
            f"SQLite {sqlite3.sqlite_version} is too old",
            recovery=f"use a Python with SQLite {least_version} or newer",
        )
    if path == IN_MEMORY and makes:
        return
    try:
        _refuse_file(Path(path), makes=makes)
    except OSError as error:
        raise StoreUnavailable(
            f"{path} cannot be opened: {error.strerror}", recovery="check the path, or name another file"
        ) from error


def _refuse_file(file: Path, *, makes: bool) -> None:
    if not file.parent.is_dir():
        raise StoreUnavailable(
            f"there is no directory {file.parent}", recovery="create it, or name another file"
        )
    if file.is_dir():
        raise StoreUnavailable(
            f"{file} is a directory", recovery=f"name a file in it; for a file for each scope write {file}/"
        )
    if file.exists() and not file.is_file():
        raise StoreUnavailable(
            f"{file} is not a regular file", recovery="name a file, or one that is not there yet"
        )
    if not makes and not file.exists():
        raise StoreUnavailable(
            f"there is no {file}", recovery="name a file that is there, or open it to write"
        )


def make_private(path: str, *, fresh: bool = False) -> None:
    """Make a file that only its owner may read, where there is none; SQLite gives what lies beside it the same mode.

    One that is `fresh` takes the place of what lies there, be it a link. Another that is there is not even opened: to
    close it would end the locks that this process has on it by another connection.
    """
    try:
        if fresh:
            Path(path).unlink(missing_ok=True)
        real = path if fresh else os.path.realpath(path)
        if fresh or not Path(real).exists():
            os.close(os.open(real, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:  # another process has just made it
        pass
    except OSError as error:
        raise StoreUnavailable(
            f"{path} cannot be made: {error.strerror}",
            recovery="check the path and the rights on its directory",
        ) from error


def restrict_mode(path: str) -> int | None:
    """Take a database, and what lies beside it, away from all but its owner; return the mode it had if that changed.

    A group that may write was let in by somebody on purpose, since a umask seldom does that: it stays. Nothing is
    opened, which would end the locks that this process has.
    """
    if os.name == "nt" or path == IN_MEMORY:
        return None
    real = Path(path).resolve()
    before = _restrict_file_mode(real)
    for suffix in ("-wal", "-shm"):
        _restrict_file_mode(real.with_name(real.name + suffix))
    return before


def _restrict_file_mode(file: Path) -> int | None:
    try:
        before = file.stat().st_mode & 0o777
        file.chmod(before & (0o660 if before & 0o020 else 0o600))
        return before if file.stat().st_mode & 0o777 != before else None
    except OSError:  # it is not there, is another user's, or on a disk that knows no modes
        return None


def meaning(error: BaseException, path: str = "the database") -> BaseException:
    """Return what an error means to the caller: those of sqlite3 never get out, others stay what they are."""
    if isinstance(error, UNFIT):
        return build_unfit_refusal(error)
    if not isinstance(error, errors(UnicodeDecodeError)):
        return build_memory_refusal(error) or error
    name = error_name(error)
    if isinstance(error, UnicodeDecodeError):  # SQLite quotes bytes of the file that are no text
        name = "SQLITE_CORRUPT"
    if name == "SQLITE_BUSY" and not _can_lock(Path(path).absolute().parent):
        name = "SQLITE_IOERR_LOCK"
    if name.startswith("SQLITE_CONSTRAINT"):
        return _build_constraint_error(name, str(error))
    for prefix, (kind, message, recovery) in _MEANINGS.items():
        if name.startswith(prefix):
            return kind(message.format(path=path, error=error), recovery=recovery)
    return StoreError(f"{path}: {error}", recovery="run `doctor`; if it finds nothing, report this as a bug")


def _build_constraint_error(name: str, message: str) -> RemanenceError:
    if name in {"SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_ROWID"}:
        return Conflict([], f"an id, key or row is taken already ({message}); nothing was written")
    if name == "SQLITE_CONSTRAINT_FOREIGNKEY":
        return InvalidInput(
            "a tag, link or source would name a memory that does not exist",
            recovery="destroy a memory together with its tags, links and sources",
        )
    return InvalidInput(
        f"a value is out of range: {message}", recovery="see the columns of a memory for its range"
    )


def _can_lock(folder: Path) -> bool:
    """True if files of a folder can be locked; SQLite calls a database busy, too, where its disk has no locks."""
    if sys.platform == "win32":
        return True
    with suppress(OSError), TemporaryFile(dir=folder) as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno not in {ENOLCK, EOPNOTSUPP, ENOSYS}
    return True


_DAMAGE = StoreDamaged, "{path} is damaged: {error}", "run `doctor`, then go back to the latest backup"
_NO_RIGHTS = StoreUnavailable, "{path} may not be opened", "check the rights on the file"
# By how the name of SQLite's extended code begins; the first that fits.
_MEANINGS: dict[str, tuple[type[StoreError], str, str]] = {
    "SQLITE_BUSY": (
        StoreUnavailable,
        "{path} is locked by another process",
        "wait until it has finished, or stop it; nothing was written",
    ),
    "SQLITE_LOCKED": (StoreUnavailable, "{path} is locked", "try again; nothing was written"),
    "SQLITE_READONLY": (ReadOnly, "{path} is read-only", "make the file and its directory writable"),
    "SQLITE_FULL": (
        StoreUnavailable,
        "the disk is full: {path} could not grow",
        "make room and try again; nothing was written",
    ),
    **dict.fromkeys(
        ("SQLITE_IOERR_LOCK", "SQLITE_IOERR_RDLOCK", "SQLITE_IOERR_SHMLOCK", "SQLITE_PROTOCOL"),
        (
            StoreUnavailable,
            "{path} cannot be locked: its disk has no file locks",
            "keep the file on a local disk; nothing was written",
        ),
    ),
    "SQLITE_IOERR_CORRUPTFS": _DAMAGE,
    "SQLITE_IOERR_ACCESS": _NO_RIGHTS,
    "SQLITE_IOERR": (
        StoreUnavailable,
        "{path}: the disk refused ({error})",
        "check disk and free space, then try again; nothing was written",
    ),
    "SQLITE_CANTOPEN": (
        StoreUnavailable,
        "{path} cannot be opened",
        "check the path and the rights on its directory",
    ),
    "SQLITE_PERM": _NO_RIGHTS,
    "SQLITE_AUTH": _NO_RIGHTS,
    "SQLITE_NOMEM": (StoreUnavailable, "memory ran out", "free memory and try again; nothing was written"),
    "SQLITE_NOTADB": (
        StoreIncompatible,
        "{path} is not a database",
        "name another file; this one was not touched",
    ),
    "SQLITE_CORRUPT": _DAMAGE,
}
