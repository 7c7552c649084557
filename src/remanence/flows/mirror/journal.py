"""How far a mirror has come: which file is whose, as which it was left, and up to where the changes were followed.

Kept in a file of the mirror's own that grows by a line for each file, and is written anew where most of it is old. A
line that was half written is none; whoever lost the file begins anew, and finds what is there by its check sums. Knows
that file; must not know what the mirror writes.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from remanence.core.errors import InvalidInput
from remanence.flows.mirror.file_names import path_key, path_without_id
from remanence.flows.mirror.folder import OWN, Folder, Stamp

PATH = f"{OWN}/state.jsonl"
FORMAT, VERSION = "remanence mirror", 4
BYTES_MAX = 2_000_000_000  # far more than a mirror of ten million files takes
NONE = Stamp(-1, -1)  # of a file that is not there
UNWRITTEN = ""  # the check sum of one that is to be written
SLACK = 1_000  # lines that may be old before the file is written anew


@dataclass(frozen=True, slots=True)
class MirroredFile:
    """One file of the mirror: whose it is, as which it was left, and its check sum.

    An owner is a memory's number, that of a box below zero, or 0 where many memories are behind the file. One that was
    there with its check sum and is not any more somebody deleted; one without a check sum is to be written.
    """

    owner: int
    stamp: Stamp
    checksum: str

    @property
    def is_deleted(self) -> bool:
        """Whether somebody deleted it: it stays away until it would say something else."""
        return self.stamp == NONE and self.checksum != UNWRITTEN


@dataclass
class Journal:
    """What a mirror knows of its folder; `position` is where it is in the change feed, `digest` what stood there.

    `drawn_at` is up to which change what is worked out of many memories stands.
    """

    mirror: str
    scope: str
    position: int = -1
    digest: str = ""
    drawn_at: int = -1
    files: dict[str, MirroredFile] = field(default_factory=dict)
    _of: dict[int, tuple[str, ...]] = field(default_factory=dict)
    _by_key: dict[str, str] = field(default_factory=dict)  # what a file system may take for the same path
    _rivals: dict[str, set[int]] = field(default_factory=dict)  # whose files bear an id, by the name without
    _lines: list[bytes] = field(default_factory=list)
    _count: int = 0
    _end: int = 0
    _stamp: Stamp | None = None

    @classmethod
    def load(cls, folder: Folder) -> "Journal | None":
        """Return what a mirror knows of its folder; None where nothing is known, so that all is looked at anew."""
        try:
            data, stamp = folder.read(PATH, BYTES_MAX)
        except FileNotFoundError:
            return None
        lines = data.split(b"\n")[:-1]
        head = _read_head(lines)
        if head is None:
            return None
        if head["version"] != VERSION:
            raise InvalidInput(
                f"{folder.root / PATH} is of version {head['version']}",
                recovery=f"mirror with the remanence that wrote it; to begin anew, delete {OWN} in it",
            )
        journal = cls(str(head["mirror"]), str(head["scope"]))
        journal._end, journal._count = len(lines[0]) + 1, 1
        journal._read(lines[1:])
        journal._stamp = stamp
        return journal

    def find_paths(self, owner: int) -> set[str]:
        """Return the paths of a memory's files."""
        return {*self._of.get(owner, ())}

    def name_file(self, path: str, owner: int) -> str:
        """Return the path of a memory's file that would have this one if nobody else had it."""
        own = [one for one in self._of.get(owner, ()) if path_without_id(one) == path]
        return own[0] if own else path

    def find_same(self, path: str) -> str | None:
        """Return the path of a known file that a file system may take for the same as this one."""
        return path if path in self.files else self._by_key.get(path_key(path))

    def find_rivals(self, path: str) -> set[int]:
        """Return whose files would have this path if somebody else had not."""
        return {*self._rivals.get(path_key(path), ())}

    def keep(self, path: str, kept: MirroredFile) -> None:
        """Note how a file was left."""
        self._take_file(path, kept)
        self._lines.append(_encode_line((path, kept.owner, *kept.stamp, kept.checksum)))

    def drop(self, path: str) -> None:
        """Note that a file is not the mirror's any more; its name, which says how its text began, is left nowhere."""
        if self._forget_file(path):
            self.begin_anew()

    def set_position(self, position: int, digest: str) -> None:
        """Note up to where the changes were followed."""
        if (position, digest) != (self.position, self.digest):
            self.position, self.digest = position, digest
            self._lines.append(self._place())

    def note_drawn(self) -> None:
        """Note that what is worked out of many memories stands as of now."""
        if self.drawn_at != self.position:
            self.drawn_at = self.position
            self._lines.append(self._place())

    def begin_anew(self) -> None:
        """Let the file be written whole the next time, so that no name stands in it that a file had before."""
        self._end = 0

    def save(self, folder: Folder) -> None:
        """Write what was noted since the last time."""
        if not self._lines and self._end:
            return
        self._count += len(self._lines)
        if not self._end or self._count > 2 * len(self.files) + SLACK:
            lines = list(self._encode_lines())
            self._count, data = len(lines), b"".join(lines)
            self._stamp, self._end = folder.write(PATH, data), len(data)
        else:
            data = b"".join(self._lines)
            folder.append(PATH, data, self._end)
            self._end += len(data)
            self._stamp = folder.stamp(PATH)
        self._lines.clear()

    def is_current(self, folder: Folder) -> bool:
        """Tell whether nobody else has written the file since."""
        return self._stamp is not None and folder.stamp(PATH) == self._stamp

    def _take_file(self, path: str, kept: MirroredFile) -> None:
        self._forget_file(path)
        self.files[path] = kept
        self._of[kept.owner] = (*self._of.get(kept.owner, ()), path)
        self._by_key[path_key(path)] = path
        plain = path_without_id(path)
        if plain is not None:
            self._rivals.setdefault(path_key(plain), set()).add(kept.owner)

    def _forget_file(self, path: str) -> bool:
        before = self.files.pop(path, None)
        if before is None:
            return False
        rest = tuple(one for one in self._of.pop(before.owner) if one != path)
        if rest:
            self._of[before.owner] = rest
        if self._by_key.get(path_key(path)) == path:
            del self._by_key[path_key(path)]
        plain = path_without_id(path)
        if plain is not None:
            key = path_key(plain)
            rivals = self._rivals.get(key, set())
            rivals.discard(before.owner)
            if not rivals:
                self._rivals.pop(key, None)
        return True

    def _encode_lines(self) -> Iterator[bytes]:
        yield _encode_line({"format": FORMAT, "version": VERSION, "mirror": self.mirror, "scope": self.scope})
        for path, file in self.files.items():
            yield _encode_line([path, file.owner, *file.stamp, file.checksum])
        yield self._place()

    def _place(self) -> bytes:
        return _encode_line({"position": self.position, "digest": self.digest, "drawn_at": self.drawn_at})

    def _read(self, lines: Iterable[bytes]) -> None:
        """Take in what stands in the file, up to the first line that is none."""
        for line in lines:
            try:
                self._read_line(orjson.loads(line))
            except (ValueError, TypeError, KeyError):
                break
            self._end += len(line) + 1
            self._count += 1

    def _read_line(self, read: object) -> None:
        match read:
            case [str(path), int(owner), int(size), int(at), str(checksum)]:
                self._take_file(path, MirroredFile(owner, Stamp(size, at), checksum))
            case [str(path)]:
                self._forget_file(path)
            case {"position": int(position), "digest": str(digest), "drawn_at": int(drawn_at)}:
                self.position, self.digest, self.drawn_at = position, digest, drawn_at
            case _:
                raise ValueError


def _read_head(lines: list[bytes]) -> dict[str, Any] | None:
    """Return the first line of a file of ours."""
    try:
        head = orjson.loads(lines[0]) if lines else None
    except ValueError:
        return None
    if not isinstance(head, dict) or not {"format", "version", "mirror", "scope"} <= head.keys():
        return None
    return head if head["format"] == FORMAT and isinstance(head["version"], int) else None


def _encode_line(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
