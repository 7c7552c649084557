"""The folder of a mirror: files are read and written in it, and nothing outside of it is ever touched.

Every path is walked from the folder's own handle, and no link is followed on the way; a file is written beside its
place and then put there, so that a reader sees it whole. Knows files; must not know what is in one.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeAlias

from remanence.core.errors import InvalidInput, StoreUnavailable

if sys.platform != "win32":
    import fcntl

OWN = ".remanence"  # the folder in it that holds how far the mirror has come
LOCK = "lock"
FILE_BYTES_MAX = 1_000_000  # of a file that is read; ten times the longest text
TEMPORARY = ".remanence-tmp-"
_FILE_MODE, _FOLDER_MODE = 0o600, 0o700
_READ = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
)
_WRITE = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)  # a pipe in the place of the lock makes nobody wait
)
_ENTER = _READ | getattr(os, "O_DIRECTORY", 0)
_LINKS = frozenset({errno.ELOOP, errno.EMLINK, errno.ENOTDIR, errno.EISDIR, errno.ENXIO, errno.EINVAL})
FOLDERS_KEPT = 64  # handles that are open at once


class Stamp(NamedTuple):
    """What tells whether a file was changed: its size, and when it was last written, in nanoseconds."""

    size: int
    at: int


Listed: TypeAlias = tuple[str, int, int]  # a file's name, its size, and when it was last written


class Folder:
    """An open folder: use it as a context manager, and let it go soon, since what is in it may be moved away."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._handle = -1
        self._folders: dict[str, int] = {}
        self._written = 0

    def __enter__(self) -> Self:
        if os.open not in os.supports_dir_fd or os.rename not in os.supports_dir_fd:
            raise InvalidInput(
                "this system opens no file relative to a folder", recovery="mirror on Linux or macOS"
            )
        with self._translate_errors("."):
            with suppress(FileExistsError):  # what is no folder is told below
                self.root.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)
            self._handle = os.open(self.root, _ENTER & ~getattr(os, "O_NOFOLLOW", 0))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in (*self._folders.values(), self._handle):
            os.close(handle)
        self._folders, self._handle = {}, -1

    def write(self, path: str, data: bytes, mode: int | None = None) -> Stamp:
        """Put a file in its place, whole; with the permissions of `mode`, else for its owner alone."""
        try:
            return self._put(path, data, mode)
        except FileNotFoundError:  # its folder was taken away since it was opened
            self._close_all_but("")
        except OSError as error:
            raise self._make_error(path, error) from None
        with self._translate_errors(path):
            return self._put(path, data, mode)

    def _put(self, path: str, data: bytes, mode: int | None) -> Stamp:
        folder, name = self._open_parent(path, make=True)
        self._written += 1
        beside = f"{TEMPORARY}{os.getpid()}-{self._written}"
        put = False
        try:
            stamp = _write_new_file(beside, data, folder, mode)
            os.rename(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
            put = True
            return stamp
        finally:
            if not put:
                with suppress(OSError):
                    os.unlink(beside, dir_fd=folder)

    def stamp(self, path: str) -> Stamp | None:
        """Return what tells whether a file was changed; None where there is none."""
        with self._translate_errors(path):
            try:
                folder, name = self._open_parent(path)
                return _make_stamp(os.stat(name, dir_fd=folder, follow_symlinks=False))
            except FileNotFoundError:
                return None

    def read(self, path: str, most: int = FILE_BYTES_MAX) -> tuple[bytes, Stamp]:
        """Return what a file holds; raise InvalidInput for what is no plain file, or too large."""
        with self._translate_errors(path, may_lack=True):
            folder, name = self._open_parent(path)
            handle = os.open(name, _READ, dir_fd=folder)
            try:
                status = os.fstat(handle)
                if not stat.S_ISREG(status.st_mode) or status.st_size > most:
                    raise InvalidInput(
                        f"{path} is no file of at most {most:,} bytes", recovery="take it away"
                    )
                with os.fdopen(os.dup(handle), "rb") as stream:
                    return stream.read(most), _make_stamp(status)
            finally:
                os.close(handle)

    def remove(self, path: str) -> None:
        """Take a file away, and the folder of its month where it was the last one there."""
        with self._translate_errors(path):
            try:
                folder, name = self._open_parent(path)
                os.unlink(name, dir_fd=folder)
            except FileNotFoundError:
                return
            above, _, month = path.rpartition("/")[0].rpartition("/")
            if above:
                with suppress(OSError):
                    os.rmdir(month, dir_fd=self._folder(above, make=False))
                    os.close(self._folders.pop(f"{above}/{month}"))

    def iterate_files(self, *folders: str) -> Iterator[tuple[str, list[Listed]]]:
        """Yield what paths in some folders, and in the folders in these, begin with, and the files there.

        What a killed process left half is removed.
        """
        for folder in folders:
            yield from self._iterate_folder(folder, deeper=True)

    def list_existing(self, names: Iterable[str]) -> list[Listed]:
        """Return those of some files in the folder itself that are there."""
        return [(name, *stamp) for name in names if (stamp := self.stamp(name)) is not None]

    def clear(self) -> None:
        """Remove what a killed process left half in the folder itself and beside what is known of it."""
        for path in ("", OWN):
            with (
                self._translate_errors(path or "."),
                suppress(FileNotFoundError),
                os.scandir(self._folder(path, make=False)) as entries,
            ):
                for name in [entry.name for entry in entries if entry.name.startswith(TEMPORARY)]:
                    self.remove(f"{path}/{name}".removeprefix("/"))

    def _iterate_folder(self, path: str, *, deeper: bool) -> Iterator[tuple[str, list[Listed]]]:
        with self._translate_errors(path):
            try:
                handle = self._folder(path, make=False)
            except FileNotFoundError:
                return
            with os.scandir(handle) as entries:
                children = list(entries)
        files: list[Listed] = []
        inner = []
        for entry in children:
            name = entry.name
            if name.startswith("."):
                if name.startswith(TEMPORARY):
                    self.remove(f"{path}/{name}")
            elif entry.is_dir(follow_symlinks=False):
                inner.append(f"{path}/{name}")
            else:
                try:
                    at = entry.stat(follow_symlinks=False)
                except FileNotFoundError:  # since it was listed
                    continue
                files.append((name, at.st_size, at.st_mtime_ns))
        yield f"{path}/", files
        for within in inner if deeper else ():
            yield from self._iterate_folder(within, deeper=False)

    def append(self, path: str, data: bytes, at: int) -> None:
        """Write at a place of a file of our own, and cut off what stood there and after it."""
        with self._translate_errors(path):
            folder, name = self._open_parent(path, make=True)
            handle = _open_own(name, folder)
            try:
                os.ftruncate(handle, at)
                os.lseek(handle, at, os.SEEK_SET)
                _all_written(handle, data)
            finally:
                os.close(handle)

    @contextmanager
    def hold_lock(self) -> Iterator[bool]:
        """Keep other processes out of the folder for a block, or say that one is in there; the dead keep nobody out."""
        with self._translate_errors(f"{OWN}/{LOCK}"):
            folder, name = self._open_parent(f"{OWN}/{LOCK}", make=True)
            handle = _open_own(name, folder)
        try:
            yield _try_lock(handle)
        finally:
            os.close(handle)

    def _open_parent(self, path: str, *, make: bool = False) -> tuple[int, str]:
        """Return the handle of a path's folder, and its name there."""
        above, _, name = path.rpartition("/")
        _refuse_out(path, name)
        return self._folder(above, make=make), name

    def _folder(self, path: str, *, make: bool) -> int:
        """Return the handle of a folder, walked to from the root without following links."""
        if not path:
            return self._handle
        open_handle = self._folders.get(path)
        if open_handle is not None:
            return open_handle
        above, _, name = path.rpartition("/")
        _refuse_out(path, name)
        beneath = self._folder(above, make=make)
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, _FOLDER_MODE, dir_fd=beneath)
        if len(self._folders) >= FOLDERS_KEPT:
            self._close_all_but(above)
        handle = self._folders[path] = os.open(name, _ENTER, dir_fd=beneath)
        return handle

    def _close_all_but(self, kept: str) -> None:
        for path in [path for path in self._folders if not f"{kept}/".startswith(f"{path}/")]:
            os.close(self._folders.pop(path))

    @contextmanager
    def _translate_errors(self, path: str, *, may_lack: bool = False) -> Iterator[None]:
        """Say in the words of this package what the system refused; what `may_lack` is for the caller."""
        try:
            yield
        except OSError as error:
            if may_lack and isinstance(error, FileNotFoundError):
                raise
            raise self._make_error(path, error) from None

    def _make_error(self, path: str, error: OSError) -> InvalidInput | StoreUnavailable:
        # The folder of a file, not its name, which says how its text began: what a tick reports is kept.
        where = self.root / (path.rpartition("/")[0] or path)
        if error.errno in _LINKS:
            return InvalidInput(
                f"{where}, or something in it, is a link, or not what the mirror made there",
                recovery="take it away: the mirror follows no link and writes only inside its folder",
            )
        return StoreUnavailable(
            f"the mirror cannot use {where}: {error.strerror}",
            recovery="make room or let it write there; the memory is whole, and the next sync catches up",
        )


def _refuse_out(path: str, name: str) -> None:
    if name in ("", ".", "..") or "\0" in name:
        raise InvalidInput(f"{path!r} leads out of the mirror", recovery="name a file in the mirror")


def _open_own(name: str, folder: int) -> int:
    """Open a file of our own to write, or make it; raise OSError for what is no regular file."""
    handle = os.open(name, (_WRITE & ~os.O_EXCL), _FILE_MODE, dir_fd=folder)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, "it is no regular file")


def _write_new_file(name: str, data: bytes, folder: int, mode: int | None) -> Stamp:
    handle = os.open(name, _WRITE, _FILE_MODE, dir_fd=folder)
    try:
        if mode is not None:
            os.fchmod(handle, mode)
        _all_written(handle, data)
        return _make_stamp(os.fstat(handle))
    finally:
        os.close(handle)


def _all_written(handle: int, data: bytes) -> None:
    offset = os.write(handle, data)
    while offset < len(data):
        offset += os.write(handle, data[offset:])


def _make_stamp(found: os.stat_result) -> Stamp:
    return Stamp(found.st_size, found.st_mtime_ns)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
