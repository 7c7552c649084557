"""How much of a source is read at most, and a mapping whose values are read when they are asked for.

Knows no files; must not know where the values come from.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

V = TypeVar("V")

FILES_MAX = 100_000  # of a folder or an archive
FILE_BYTES_MAX = 512 * 1024 * 1024  # parsed whole; takes about six times as much memory


class LazyMapping(Mapping[str, V], Generic[V]):
    """A mapping whose values are read when they are asked for, and not kept."""

    def __init__(self, names: tuple[str, ...], read: Callable[[str], V]) -> None:
        self._names = dict.fromkeys(names)
        self._read = read

    def __getitem__(self, name: str) -> V:
        if name not in self._names:
            raise KeyError(name)
        return self._read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names
