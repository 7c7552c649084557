"""A zip archive is read as the folder that it holds, file by file in memory; nothing is unpacked to the disk.

Knows zip archives; must not know what is in them, nor any format. Sizes are looked at before anything is unpacked, and
what unpacks to more than its entry says is damaged: so an archive that is a bomb is refused, not tried.
"""

import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from remanence.core.errors import IngestError, InvalidInput
from remanence.flows.write.lazy_mapping import FILE_BYTES_MAX, FILES_MAX, LazyMapping
from remanence.write.transcripts.importer_source import DATABASES, Source, SqliteTable

ARCHIVE_HEADS = (b"PK\x03\x04", b"PK\x05\x06")  # the second is one without entries
RATIO_MAX = 200  # text takes a tenth to a fortieth of its size, a bomb a thousandth
SMALL_BYTES = 1 << 20  # what is no larger does no harm, whatever it was packed to
PARTS_MAX = 64  # of a path
_ENCRYPTED = 1  # the bit of an entry's flags
_LEFT_BY_MACS = "__MACOSX"
_WORKING = (ZIP_STORED, ZIP_DEFLATED)


def is_archive(path: Path) -> bool:
    """Tell by its first bytes whether a regular file is a zip archive; what cannot be read is none."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            return stream.read(4) in ARCHIVE_HEADS
    except OSError:
        return False


@contextmanager
def open_archive(path: Path) -> Iterator[Source]:
    """Open a zip archive as a source for a block.

    The one folder that holds all else of it is left out of the paths, so that they are those of the folder itself.

    Raises:
        InvalidInput: it is encrypted, unpacks to too much, or has names that lead out of it.
        IngestError: it is damaged or cut off.
    """
    try:
        archive = ZipFile(path)
    except (BadZipFile, NotImplementedError, ValueError, EOFError) as error:
        _refuse_damaged(path, error)
    except OSError as error:
        raise InvalidInput(
            f"cannot read {path}: {error.strerror}", recovery="name a file that you may read"
        ) from error
    with archive:
        yield _read_archive(archive, path)


def _read_archive(archive: ZipFile, path: Path) -> Source:
    entries = [one for one in archive.infolist() if not one.is_dir()]
    _check_entries(path, entries)
    folder = _find_folder(entries)
    inside = {one.filename[len(folder) :]: one for one in entries if not _is_left_by_macs(one.filename)}
    # A symbolic link is known by the mode that Unix gave it.
    shown = {
        name: inside[name]
        for name in sorted(inside)
        if not any(part.startswith(".") for part in name.split("/"))
        and not stat.S_ISLNK(inside[name].external_attr >> 16)
    }
    databases = tuple(name for name in shown if name.lower().endswith(DATABASES))
    sizes: dict[str, int] = {}

    def read(name: str) -> bytes:
        sizes[name] = shown[name].file_size
        if sum(sizes.values()) > FILE_BYTES_MAX:
            _refuse_archive(path, f"unpacks to more than {FILE_BYTES_MAX >> 20} MB")
        return _read_entry(archive, shown[name], path)

    def refuse_database(name: str) -> Mapping[str, SqliteTable]:
        raise InvalidInput(
            f"{name} is a database in the archive {path}",
            recovery="unpack the archive, and ingest the folder",
        )

    return Source(
        path.name,
        LazyMapping(tuple(name for name in shown if name not in databases), read),
        LazyMapping(databases, refuse_database),
        is_folder=True,
        hidden=frozenset(name.partition("/")[0] for name in inside if name.startswith(".")),
    )


def _check_entries(path: Path, entries: Sequence[ZipInfo]) -> None:
    """Refuse an archive that should not be unpacked, before anything of it is."""
    if len(entries) > FILES_MAX:
        _refuse_archive(path, f"holds more than {FILES_MAX:,} files")
    names: set[str] = set()
    for one in entries:
        name = one.filename
        parts = name.replace("\\", "/").split("/")
        if not {"", ".", ".."}.isdisjoint(parts) or parts[0].endswith(":"):  # "/etc", "C:/"
            _refuse_archive(path, f"holds a name that leads out of it: {name[:120]!r}")
        if len(parts) > PARTS_MAX:
            _refuse_archive(path, f"holds folders in one another, more than {PARTS_MAX}")
        if name in names:
            _refuse_archive(path, f"holds {name[:120]!r} twice")
        names.add(name)
        if one.flag_bits & _ENCRYPTED:
            _refuse_archive(path, "is encrypted", "unpack it with its password, and ingest the folder")
        if one.file_size > SMALL_BYTES and one.file_size > RATIO_MAX * one.compress_size:
            _refuse_archive(
                path, f"holds {name[:120]!r}, which unpacks to more than {RATIO_MAX} times its size"
            )


def _find_folder(entries: Sequence[ZipInfo]) -> str:
    """Return the folder, with its slash, in which all lies; empty where there is none."""
    tops = {one.filename.partition("/")[:2] for one in entries if not _is_left_by_macs(one.filename)}
    top, slash = tops.pop() if len(tops) == 1 else ("", "")
    return f"{top}/" if slash and not top.startswith(".") else ""


def _is_left_by_macs(name: str) -> bool:
    return name.partition("/")[0] == _LEFT_BY_MACS


def _read_entry(archive: ZipFile, entry: ZipInfo, path: Path) -> bytes:
    if entry.compress_type not in _WORKING:
        _refuse_archive(
            path, f"packs {entry.filename[:120]!r} in a way that is not read", "pack it again, with deflate"
        )
    try:
        with archive.open(entry) as stream:
            data = stream.read(entry.file_size + 1)
    except (
        BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        ValueError,
        OSError,
        RuntimeError,
    ) as error:
        _refuse_damaged(path, error)
    if len(data) != entry.file_size:
        _refuse_damaged(path, f"{entry.filename[:120]!r} has not the size that its entry says")
    return data


def _refuse_archive(
    path: Path, why: str, recovery: str = "unpack what you need of it, and ingest that"
) -> NoReturn:
    raise InvalidInput(f"the archive {path} {why}", recovery=recovery)


def _refuse_damaged(path: Path, why: object) -> NoReturn:
    raise IngestError(
        f"the archive cannot be read: {why}",
        recovery="it is damaged or cut off: download it again",
        source=path.name,
        line=1,
    )
