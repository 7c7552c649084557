"""A disk that is full when a test wants it: a file system of a few megabytes in memory, where one can be mounted."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_BALLAST = "ballast"


@dataclass(frozen=True)
class SmallDisk:
    """Where it is mounted."""

    path: Path

    def fill(self, free: int = 0) -> None:
        """Take up all room but so many bytes."""
        self.make_room()
        self._ballast.write_bytes(bytes(max(0, shutil.disk_usage(self.path).free - free)))

    def make_room(self) -> None:
        """Give the room back."""
        self._ballast.unlink(missing_ok=True)

    @property
    def _ballast(self) -> Path:
        return self.path / _BALLAST


@contextmanager
def mount_small_disk(size: str) -> Iterator[SmallDisk]:
    """Mount one of a size such as "8m" that every user may write to; skip the test where that is refused."""
    path = Path(tempfile.mkdtemp(prefix="remanence-small-disk-"))
    try:
        command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=777", "tmpfs", str(path)]
        mounted = subprocess.run(command, capture_output=True, check=False)
        if mounted.returncode:
            pytest.skip("no small disk can be mounted: " + mounted.stderr.decode().strip())
        try:
            yield SmallDisk(path)
        finally:
            # Also where a test left a file open.
            subprocess.run(["umount", "-l", str(path)], check=True)
    finally:
        path.rmdir()
