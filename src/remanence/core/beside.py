"""Files beside a database, opened with care: a regular file of a limited size, and nothing that makes a reader wait.

Everything that reads a ledger, a policy, a plan or an export by its path comes through here. Knows files; must not know
what is in them.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

# A pipe is opened at once, whether or not somebody writes to it; Windows has neither flag, and translates line ends.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a link",
}
PARTIAL = ".partial"
DOCUMENT_BYTES_MAX = (
    64 * 1_024 * 1_024
)  # of a policy, a plan or settings: a plan of a million actions has 30 MB


def open_regular(path: str | Path, *, bytes_max: int, follow: bool = False) -> BinaryIO:
    """Open a regular file for reading; raise OSError with a plain reason for anything else, and never wait.

    `follow` goes through a link: for a path that a person named, not for a file that was found in a folder.

    Raises:
        OSError: it is not there, a link, a pipe, a device, a folder, or larger than `bytes_max`.
    """
    if not follow and stat.S_ISLNK(os.lstat(path).st_mode):
        raise _refusal(path, "it is a link, not a regular file")
    handle = os.open(path, _READ | (0 if follow else _NO_LINK))
    try:
        file_stat = os.fstat(handle)
        if not stat.S_ISREG(file_stat.st_mode):
            kind = _KINDS.get(stat.S_IFMT(file_stat.st_mode), "something else")
            raise _refusal(path, f"it is {kind}, not a regular file")
        if file_stat.st_size > bytes_max:
            raise _refusal(path, f"it has {file_stat.st_size:,} bytes, more than {bytes_max:,}")
        stream = os.fdopen(handle, "rb")
        handle = -1
        return stream
    finally:
        if handle >= 0:
            os.close(handle)


def read_regular(path: str | Path, *, bytes_max: int, follow: bool = False) -> bytes:
    """Return what a regular file holds; raises as `open_regular` does."""
    with open_regular(path, bytes_max=bytes_max, follow=follow) as stream:
        return stream.read(bytes_max)


def read_named(path: str | Path, *, bytes_max: int | None = None) -> bytes:
    """Return what a file holds that a person named, or a pipe says to its end; a device may have none.

    Raises:
        OSError: it is not there, a folder or a device, or longer than `bytes_max`.
    """
    mode = Path(path).stat().st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise _refusal(path, f"it is {_KINDS[stat.S_IFMT(mode)]}, not a file")
    with Path(path).open("rb") as stream:
        data = stream.read() if bytes_max is None else stream.read(bytes_max + 1)
    if bytes_max is not None and len(data) > bytes_max:
        raise _refusal(path, f"it has more than {bytes_max:,} bytes")
    return data


def write_whole(file: Path, data: bytes, mode: int) -> None:
    """Put a file in its place, whole and on the disk before this returns; a link in its place is replaced.

    Only one process does this at a time for one file: what another left half is removed.
    """
    for leftover in file.parent.glob(f"*{PARTIAL}"):
        if leftover.name.startswith(file.name):
            leftover.unlink(missing_ok=True)
    partial = Path(f"{file}.{os.getpid()}{PARTIAL}")
    try:
        handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, mode)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(handle)
        put_in_place(partial, file)
    finally:
        partial.unlink(missing_ok=True)


def put_in_place(partial: Path, file: Path) -> None:
    """Put a file that is written in the place of another in one step, on the disk before this returns."""
    partial.replace(file)
    _sync_folder(file.parent)


def _refusal(path: str | Path, why: str) -> OSError:
    return OSError(errno.EINVAL, why, str(path))


def _sync_folder(folder: Path) -> None:
    """Have the folder on the disk, too, where the system lets a folder be opened."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
