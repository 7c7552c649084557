"""Which SQLite opens a database: Python's own, or SQLCipher where a key is given; what a key is, and what both raise.

Knows keys, headers of files and connections; knows nothing of what is in a database. A file is opened by one of the two
alone: each has its own list of this process's locks on it, and would end those of the other.
"""

import os
import re
import sqlite3
import sys
from contextlib import closing, suppress
from functools import lru_cache
from hashlib import pbkdf2_hmac
from pathlib import Path
from typing import Any
from unicodedata import normalize

from remanence.core.errors import InvalidInput, NotFound, StoreIncompatible
from remanence.store.sqlite.ledger_file import read_blocks

IN_MEMORY = ":memory:"
_STATEMENTS_CACHED = 256
_CIPHER = "sqlcipher3.dbapi2"
_PLAIN_HEADER = b"SQLite format 3\0"
_SALT_BYTES = len(_PLAIN_HEADER)  # an encrypted file begins with its salt instead
_PAGE_BYTES = 4_096  # of an encrypted file
# How SQLCipher 4 makes a key of a passphrase, so that its own command line opens a file with the same passphrase.
_ROUNDS, _KEY_BYTES = 256_000, 32
_RAW_KEY = re.compile(rb"x'([0-9A-Fa-f]{64})'")
_BYTE_ORDER_MARK = "\ufeff"


class FileKey:
    """What a database is encrypted with: a passphrase, or 32 bytes as SQLCipher writes them, x'64 hexadecimal digits'.

    Text is compared in one normal form, because keyboards and file systems write one letter differently; the line ends
    behind it are no part of it. Nothing prints it: no repr, error or log.
    """

    __slots__ = ("_secret",)

    def __init__(self, given: object) -> None:
        if not isinstance(given, str | bytes):
            raise InvalidInput(
                f"a key is text or bytes, not {type(given).__name__}", recovery="pass it as str or bytes"
            )
        self._secret = _read_secret(given)
        if not self._secret:
            raise InvalidInput(
                "the key is empty", recovery="give the key, or none at all for a file that is not encrypted"
            )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FileKey) and self._secret == other._secret

    def __hash__(self) -> int:
        return hash(self._secret)

    def spell(self, salt: bytes = b"") -> str:
        """Return the key of the file that has this salt as SQLCipher takes it; of a new file without one."""
        salt = salt or os.urandom(_SALT_BYTES)
        raw = _RAW_KEY.fullmatch(self._secret)
        return f"x'{raw[1].decode() if raw else _stretch(self._secret, salt)}{salt.hex()}'"


@lru_cache(maxsize=64)  # it takes a quarter of a second, once for each file
def _stretch(secret: bytes, salt: bytes) -> str:
    return pbkdf2_hmac("sha512", secret, salt, _ROUNDS, _KEY_BYTES).hex()


def _read_secret(given: str | bytes) -> bytes:
    try:
        text = given.decode() if isinstance(given, bytes) else given
    except UnicodeDecodeError:  # bytes that are no text are taken as they are
        assert isinstance(given, bytes)
        return given.rstrip(b"\r\n")
    # Half a character was replaced on the way here: whoever has the whole key could not open the file.
    if "\ufffd" in text or (not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text)):
        raise InvalidInput(
            "the key is no valid text: a part of a character is missing", recovery="pass it as bytes"
        )
    return normalize("NFC", text.removeprefix(_BYTE_ORDER_MARK)).rstrip("\r\n").encode()


class ReadState:
    """What a connection that writes nothing has seen: `seen` is None where it follows changes."""

    path: str
    seen: tuple[int, ...] | None = None


class PlainReadConnection(ReadState, sqlite3.Connection):
    """A connection of Python's own SQLite that writes nothing."""


def key_of(connection: sqlite3.Connection) -> FileKey | None:
    """Return the key that a connection was opened with."""
    key: FileKey | None = getattr(connection, "key", None)
    return key


def errors(*others: type[Exception]) -> tuple[type[Exception], ...]:
    """Return what a connection may raise, for `except`, and others: of SQLCipher only where it is loaded."""
    cipher: Any = sys.modules.get(_CIPHER)
    return (sqlite3.Error, *others) if cipher is None else (sqlite3.Error, cipher.Error, *others)


def error_name(error: BaseException) -> str:
    """Return the name of SQLite's extended code; "" where Python, not SQLite, raised."""
    return getattr(error, "sqlite_errorname", "") or ""


def open_file(
    path: str,
    mode: str,
    key: FileKey | None = None,
    *,
    timeout: float = 5.0,
    reads: bool = False,
    cipher: bool = False,
) -> sqlite3.Connection:
    """Open a connection to a database, or in memory: `reads` makes one with a ReadState.

    With `cipher` SQLCipher opens a file that is not encrypted, too. Nothing says yet whether the key is right.
    """
    settings: dict[str, Any] = {
        "uri": True,
        "timeout": timeout,
        "isolation_level": None,
        "check_same_thread": False,
        "cached_statements": _STATEMENTS_CACHED,
    }
    uri = path if path == IN_MEMORY else f"{Path(path).absolute().as_uri()}?{mode}"
    if key is None and not cipher:
        return sqlite3.connect(uri, **settings, factory=PlainReadConnection if reads else sqlite3.Connection)
    connection: Any = load_cipher().connect(uri, **settings, factory=_connection_classes()[reads])
    connection.key = key
    connection.execute("PRAGMA cipher_log_level = NONE")  # it would write to stderr
    if key is not None:
        connection.execute(f'PRAGMA key = "{key.spell(_read_start(path))}"')
        connection.execute("PRAGMA cipher_compatibility = 4")
    opened: sqlite3.Connection = connection
    return opened


def open_read_only(path: str, key: FileKey | None = None) -> sqlite3.Connection:
    """Open a database of any version to read it, and make nothing beside it where it can be helped.

    Where no log lies beside it nobody has it open to write: SQLite is told that it does not change.
    """
    real = os.path.realpath(path)
    state = _describe_state(real)
    log_bytes = state[-1] if state else None
    try:
        return _open_seen(real, state if log_bytes == -1 else None, key)
    except errors():
        if log_bytes != 0:
            raise
        return _open_seen(real, state, key)  # an empty log, in a folder where SQLite can make nothing


def _open_seen(real: str, seen: tuple[int, ...] | None, key: FileKey | None) -> sqlite3.Connection:
    mode = f"mode=ro{'' if seen is None else '&immutable=1'}"
    connection = open_file(real, mode, key, reads=True)
    assert isinstance(connection, ReadState)
    connection.path, connection.seen = real, seen
    try:
        connection.execute("PRAGMA schema_version")  # only now the file and its log are opened
    except errors():
        connection.close()
        raise
    return connection


def is_outdated(connection: sqlite3.Connection) -> bool:
    """True if another process has begun to write since a connection was opened that sees no changes."""
    if not isinstance(connection, ReadState) or connection.seen is None:
        return False
    return connection.seen != _describe_state(connection.path)


def _describe_state(path: str) -> tuple[int, ...]:
    """Return what changes of a database and its log as another process writes; nothing where there is no database."""
    with suppress(OSError):
        found, log = Path(path).stat(), Path(f"{path}-wal")
        return found.st_mtime_ns, found.st_size, found.st_ino, log.stat().st_size if log.exists() else -1
    return ()


def load_cipher() -> Any:
    """Return SQLCipher; raise NotFound where the extra is not installed."""
    try:
        import sqlcipher3.dbapi2
    except ImportError:
        raise NotFound(
            "the extra `encrypted` is not installed", recovery="pip install 'remanence[encrypted]'"
        ) from None
    return sqlcipher3.dbapi2


def _connection_classes() -> tuple[Any, Any]:
    """Return the connections of SQLCipher that write and that only read."""
    base = load_cipher().Connection
    if not _classes:
        _classes.append(
            (type("CipherConnection", (base,), {}), type("CipherReadConnection", (ReadState, base), {}))
        )
    return _classes[0]


_classes: list[tuple[Any, Any]] = []


def _read_start(path: str) -> bytes:
    """Return how a file begins, without ending the locks of this process on it; nothing of one that is empty."""
    try:
        with closing(read_blocks(path, _SALT_BYTES)) as blocks:
            return next(blocks, b"")
    except OSError:  # whoever opens it says what is wrong
        return b""


def is_encrypted(path: str) -> bool:
    """True if a file cannot be told from an encrypted database: whole pages of what is no plain one."""
    start = _read_start(path)
    return bool(start) and start != _PLAIN_HEADER and Path(path).stat().st_size % _PAGE_BYTES == 0


def refuse_wrong_key(path: str, key: FileKey | None) -> None:
    """Raise where a key, or that there is none, does not fit a file; not a byte of the file or its log is changed.

    SQLite would write the log into the file as it closes it, whatever the key.
    """
    start = b"" if path == IN_MEMORY else _read_start(path)
    if not start:
        return
    if key is None:
        if is_encrypted(path):
            raise StoreIncompatible(
                f"{path} is encrypted, or is no SQLite database",
                recovery="give its key (--key-file, --key-command or REMANENCE_KEY; key=… in Python), or name another"
                " file; this one was not touched",
            )
        return
    if start == _PLAIN_HEADER:
        raise StoreIncompatible(
            f"{path} is not encrypted, and a key was given",
            recovery="open it without a key, or encrypt it with it: `remanence change-key`; the file was not touched",
        )
    try:
        open_read_only(path, key).close()
    except errors() as error:
        if error_name(error) == "SQLITE_NOTADB":
            raise StoreIncompatible(
                f"the key does not open {path}",
                recovery="check the key, and that the file is an encrypted database; without its key nobody can read"
                " it. The file was not touched",
            ) from None
