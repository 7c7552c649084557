"""The ledger of what was erased as a file beside the database; bytes of files read without ending SQLite's locks.

POSIX ends every lock that a process holds on a file as soon as that process closes any handle of it. SQLite would then
not see that the file is in use: another process that closes it would take the log away from under this one. So of a
database that a store of this process has open no file is closed here before the last such store closes it.

Its name ends in that of the database's own salt, so that it is found beside a file of any name that has the same
origin, and by no other. Knows lines and digests; knows nothing of tables.
"""

import os
import sys
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, Literal, NamedTuple

import orjson

from remanence.core.beside import open_regular, read_regular, write_whole
from remanence.store.erasure import MarkKind

SIDE_FILES = ("-wal", "-shm", "-journal")  # what SQLite keeps beside a database, by how the names go on
_BLOCK_BYTES = 8 * 1_024 * 1_024
_lock = Lock()
_stores: Counter[str] = Counter()  # by real path: how many stores of this process have the database open
_handles: dict[str, dict[str, BinaryIO]] = {}  # of the files of such databases, by path


def note_open(path: str) -> None:
    """Note that a store of this process opens a database."""
    with _lock:
        _stores[os.path.realpath(path)] += 1


def note_closed(path: str) -> None:
    """Note that a store of this process has closed a database; with the last one the handles of its files go."""
    real = os.path.realpath(path)
    with _lock:
        _stores[real] -= 1
        if _stores[real] > 0:
            return
        del _stores[real]
        for handle in _handles.pop(real, {}).values():
            handle.close()


def is_open(path: str) -> bool:
    """True if a store of this process has a database open."""
    with _lock:
        return os.path.realpath(path) in _stores


def read_blocks(path: str, size: int = _BLOCK_BYTES) -> Generator[bytes, None, None]:
    """Yield what a file holds, `size` bytes at a time; nothing where there is none."""
    real = os.path.realpath(path)
    if not Path(real).exists():
        return
    with _lock:
        handle, is_kept = _handle_of(real)
    try:
        at = 0
        while block := os.pread(handle.fileno(), size, at):
            yield block
            at += len(block)
    finally:
        if not is_kept:
            handle.close()


def _handle_of(real: str) -> tuple[BinaryIO, bool]:
    """Return a handle of a file, and whether it is kept: one that was kept before, unless another file lies there."""
    database = next((real.removesuffix(one) for one in SIDE_FILES if real.endswith(one)), real)
    if database not in _stores:
        return open_regular(real, bytes_max=sys.maxsize), False
    handles = _handles.setdefault(database, {})
    before = handles.get(real)
    if before is None or not os.path.samestat(os.fstat(before.fileno()), Path(real).stat()):
        handles[real] = open_regular(real, bytes_max=sys.maxsize)
        if before is not None:
            before.close()
    return handles[real], True


SUFFIX = ".erased"
DAMAGED = ".damaged"
LEDGER_BYTES_MAX = 1 << 30  # of ten million marks; more is refused, since it is read whole
_FORMAT, _VERSION = "remanence erased", 3
_HEADER_BYTES = 1_024
_DIGITS = 8  # of the salt's digest, in the name of the file
_UNREADABLE = (ValueError, KeyError, TypeError)

Role = Literal["original", "copy"]
Marks = Mapping[tuple[str, str], "LedgerLine"]  # by scope and mark


class LedgerLine(NamedTuple):
    """What a ledger says of one mark: when it was erased, and whether it or only its former text was."""

    at: int
    kind: MarkKind


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a ledger says, and what is wrong with it.

    `latest` is by scope the highest number that a memory was ever given, `role` whether an original or a copy wrote it,
    `lines` how many marks it had when it was written: None where nobody can tell. By `fingerprint` it is known again as
    it is now.
    """

    marks: Marks = field(default_factory=dict)
    latest: Mapping[str, int] = field(default_factory=dict)
    role: Role | None = None
    lines: int | None = None
    fingerprint: str = ""
    damage: str = ""

    def __str__(self) -> str:
        of = "" if self.lines is None else f" of {self.lines:,}"
        return f"{self.damage}; {len(self.marks):,}{of} lines of it can be read"


def own_words() -> bytes:
    """Return the words that stand in the first line of every ledger, and the names of its kinds."""
    return _encode_header("original", 0, "") + b" copy " + b" ".join(kind.label.encode() for kind in MarkKind)


def build_ledger_path(path: str, salt: bytes) -> Path:
    """Return where the ledger of a database lies, given its real path."""
    return Path(f"{path}.{_hash_origin(salt)}{SUFFIX}")


def database_of(ledger: Path) -> Path:
    """Return beside which database a ledger lies, by its name."""
    return Path(str(ledger)[: -len(SUFFIX) - _DIGITS - 1])


def find_ledgers(path: str, salt: bytes, *, aside: bool = False) -> list[Path]:
    """Return every ledger in the folder of a database that has the same origin, also one of a file of another name.

    With `aside` those that were set aside.
    """
    mine, ending = f".{_hash_origin(salt)}{SUFFIX}", DAMAGED if aside else SUFFIX
    with os.scandir(Path(path).parent) as entries:
        candidates = [one for one in entries if mine in one.name and one.name.endswith(ending)]
    return sorted(Path(one.path) for one in candidates if aside or one.name.endswith(mine))


def find_foreign(path: str, salt: bytes) -> list[Path]:
    """Return the ledgers that have this database's name and another origin."""
    name, mine = Path(path).name, build_ledger_path(path, salt)
    digits = "[0-9a-f]" * _DIGITS
    return sorted(
        one
        for one in mine.parent.glob(f"*.{digits}{SUFFIX}")
        if database_of(one).name == name and one != mine
    )


def read_header(file: Path) -> tuple[str, Role | None]:
    """Return the digest and the role that the first line of a ledger says; nothing where it cannot be read."""
    try:
        with open_regular(file, bytes_max=LEDGER_BYTES_MAX) as stream:
            header = _read_header_line(stream.readline(_HEADER_BYTES))
    except (OSError, *_UNREADABLE):
        return "", None
    return str(header["digest"]), header["role"]


def read(file: Path, salt: bytes) -> Ledger:
    """Return what a ledger says; of one that was cut or changed what can be read of it, and what is wrong."""
    try:
        data = read_regular(file, bytes_max=LEDGER_BYTES_MAX)
    except OSError as error:
        why = f"it cannot be read: {error.strerror}"
        return Ledger(fingerprint=_fingerprint_damaged(f"{file} {why}".encode(), salt), damage=why)
    first, _, rest = data.partition(b"\n")
    marks, latest = _read_lines(rest)
    fingerprint = _fingerprint_damaged(data, salt)
    try:
        header = _read_header_line(first)
    except _UNREADABLE:
        return Ledger(marks, fingerprint=fingerprint, damage="its first line is not what was written")
    role, lines = header["role"], header["marks"]
    if header["digest"] != _digest(role, rest, salt):
        return Ledger(marks, {}, role, lines, fingerprint, "it was cut or changed")
    return Ledger(marks, latest, role, lines, header["digest"])


def write(file: Path, salt: bytes, said: Ledger, mode: int) -> str:
    """Put a ledger in its place, whole and on the disk before this returns; return its digest."""
    assert said.role is not None
    lines = [
        *([scope, mark, at, kind.label] for (scope, mark), (at, kind) in sorted(said.marks.items())),
        *([scope, number] for scope, number in sorted(said.latest.items())),
    ]
    body = b"".join(orjson.dumps(line) + b"\n" for line in lines)
    digest = _digest(said.role, body, salt)
    if read_header(file)[0] != digest or read(file, salt).damage:
        write_whole(file, _encode_header(said.role, len(said.marks), digest) + b"\n" + body, mode)
    return digest


def set_aside(file: Path) -> None:
    """Move a ledger that was cut or changed, or what lies in its place, out of the way of the next one."""
    number = 0
    while os.path.lexists(aside := f"{file}{f'.{number}' if number else ''}{DAMAGED}"):
        number += 1
    file.rename(aside)


def _hash_origin(salt: bytes) -> str:
    return blake2b(b"origin", digest_size=_DIGITS // 2, key=salt, person=b"remanence-erased").hexdigest()


def _encode_header(role: Role, marks: int, digest: str) -> bytes:
    fields = {"format": _FORMAT, "version": _VERSION, "role": role, "marks": marks}
    return orjson.dumps({**fields, "digest": digest})


def _read_header_line(line: bytes) -> dict[str, Any]:
    header = orjson.loads(line)
    if (header["format"], header["version"]) != (_FORMAT, _VERSION):
        raise ValueError("another format")
    if header["role"] not in {"original", "copy"}:
        raise ValueError("another role")
    return {
        "role": header["role"],
        "marks": int(header["marks"]),
        "digest": str(header["digest"]),
    }


def _read_lines(body: bytes) -> tuple[dict[tuple[str, str], LedgerLine], dict[str, int]]:
    """Return the marks, and by scope the highest number; the digest tells that a line is not what was written."""
    marks: dict[tuple[str, str], LedgerLine] = {}
    latest: dict[str, int] = {}
    for line in body.splitlines():
        with suppress(*_UNREADABLE):
            scope, *said = orjson.loads(line)
            if len(said) == 1:
                latest[str(scope)] = int(said[0])
            else:
                mark, at, kind = said
                marks[str(scope), str(mark)] = LedgerLine(int(at), MarkKind[str(kind).upper()])
    return marks, latest


def _digest(role: Role, body: bytes, salt: bytes) -> str:
    return _keyed_hash(b"%s\n" % role.encode() + body, salt)


def _fingerprint_damaged(data: bytes, salt: bytes) -> str:
    return f"damaged:{_keyed_hash(data, salt)}"


def _keyed_hash(data: bytes, salt: bytes) -> str:
    return blake2b(data, digest_size=16, key=salt, person=b"remanence-erased").hexdigest()
