"""The ledger of what was erased as a file beside the database, so that an older copy of the database is told of it.

Its name ends in that of the database's own salt, so that it is found beside a file of any name that has the same
origin, and by no other. Knows lines, digests and how a file is put in its place; knows nothing of tables.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

SUFFIX = ".erased"
DAMAGED = ".damaged"
_FORMAT, _VERSION = "remanence erased", 1
_PARTIAL = ".partial"
_HEADER_BYTES_MAX = 1_024
_UNREADABLE = (ValueError, KeyError, TypeError)

Marks = Mapping[tuple[str, str], int]  # (scope, mark) → when it was erased


@dataclass(frozen=True, slots=True)
class Ledger:
    """What a ledger says: its marks, the highest number that a memory was ever given, and what is wrong with it."""

    marks: Marks = field(default_factory=dict)
    latest: int = 0
    digest: str = ""
    damage: str = ""


def its_own() -> bytes:
    """Return the words that stand in the first line of every ledger."""
    return _headed(0, 0, "")


def own(path: str, salt: bytes) -> Path:
    """Return where the ledger of a database lies."""
    return Path(f"{os.path.realpath(path)}{_ending(salt)}")


def found(path: str, salt: bytes, *, aside: bool = False) -> list[Path]:
    """Return every ledger in the folder of a database that has the same origin, also one of a file of another name.

    With `aside` those that were set aside.
    """
    ending = _ending(salt) + DAMAGED * aside
    with os.scandir(Path(os.path.realpath(path)).parent) as entries:
        return sorted(Path(entry.path) for entry in entries if entry.name.endswith(ending))


def digest_of(file: Path) -> str:
    """Return the digest that a ledger has by its first line; empty where it has none."""
    try:
        with file.open("rb") as opened:
            return str(_header(opened.readline(_HEADER_BYTES_MAX))["digest"])
    except (OSError, *_UNREADABLE):
        return ""


def read(file: Path, salt: bytes) -> Ledger:
    """Return what a ledger says; of one that was cut or changed what can be read of it, and what is wrong."""
    try:
        first, _, rest = file.read_bytes().partition(b"\n")
    except OSError as error:
        return Ledger(damage=f"it cannot be read: {error.strerror}")
    marks = dict(_marks(rest))
    try:
        header = _header(first)
        latest, digest = int(header["latest"]), str(header["digest"])
    except _UNREADABLE:
        return Ledger(marks, damage="its first line is not what was written")
    whole = digest == _digest(latest, rest, salt)
    return Ledger(marks, latest * whole, digest, "" if whole else "it was cut or changed")


def write(file: Path, salt: bytes, marks: Marks, latest: int, mode: int) -> str:
    """Put a ledger in its place, whole and on the disk before this returns; return its digest.

    Only one process does this at a time: what another left half is removed.
    """
    body = b"".join(orjson.dumps([scope, mark, at]) + b"\n" for (scope, mark), at in sorted(marks.items()))
    digest = _digest(latest, body, salt)
    if digest_of(file) == digest and not read(file, salt).damage:
        return digest
    header = _headed(len(marks), latest, digest)
    for left in file.parent.glob(f"*{_PARTIAL}"):
        if left.name.startswith(file.name):
            left.unlink(missing_ok=True)
    _put(file, header + b"\n" + body, mode)
    return digest


def set_aside(file: Path) -> None:
    """Move a ledger that was cut or changed out of the way of the next one."""
    file.rename(f"{file}{DAMAGED}")


def _ending(salt: bytes) -> str:
    origin = blake2b(b"origin", digest_size=4, key=salt, person=b"remanence-erased").hexdigest()
    return f".{origin}{SUFFIX}"


def _headed(marks: int, latest: int, digest: str) -> bytes:
    return orjson.dumps(
        {"format": _FORMAT, "version": _VERSION, "marks": marks, "latest": latest, "digest": digest}
    )


def _header(line: bytes) -> dict[str, Any]:
    header: dict[str, Any] = orjson.loads(line)
    if header["format"] != _FORMAT or header["version"] != _VERSION:
        raise ValueError("another format")
    return header


def _marks(lines: bytes) -> Iterator[tuple[tuple[str, str], int]]:
    for line in lines.splitlines():
        with suppress(*_UNREADABLE):  # the digest tells that a line is not what was written
            scope, mark, at = orjson.loads(line)
            yield (str(scope), str(mark)), int(at)


def _digest(latest: int, body: bytes, salt: bytes) -> str:
    return blake2b(b"%d\n" % latest + body, digest_size=16, key=salt, person=b"remanence-erased").hexdigest()


def _put(file: Path, data: bytes, mode: int) -> None:
    partial = Path(f"{file}.{os.getpid()}{_PARTIAL}")
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        with os.fdopen(handle, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(handle)
        partial.replace(file)
    finally:
        partial.unlink(missing_ok=True)
    _synced(file.parent)


def _synced(folder: Path) -> None:
    """Have the folder on the disk, too, where the system lets a folder be opened."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
