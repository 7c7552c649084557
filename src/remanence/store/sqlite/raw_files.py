"""Bytes of database files, read beside SQLite without ending its locks.

POSIX ends every lock that a process holds on a file as soon as that process closes any handle of it. SQLite would then
not see that the file is in use: another process that closes it would take the log away from under this one. So of a
database that a store of this process has open no file is closed here before the last such store closes it.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from remanence.core.beside import open_regular

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


def read_blocks(path: str) -> Iterator[bytes]:
    """Yield what a file holds, 8 MB at a time; nothing where there is none."""
    real = os.path.realpath(path)
    if not Path(real).exists():
        return
    with _lock:
        handle, is_kept = _handle_of(real)
    try:
        at = 0
        while block := os.pread(handle.fileno(), _BLOCK_BYTES, at):
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
