"""How images of the audit end: by which part, how far, and by what that part vouches for the images that stay.

The same in every store. Knows digests; knows nothing of how rows are kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from remanence.core.change import ROWLESS, Cause
from remanence.core.model import Status
from remanence.core.results import minute_of

EXPIRE = "expire"  # the verb of a part that ends the images of those before it
THROUGH, LEFT = "through", "left"  # in its detail: up to which position, and the sum of what stays
PARTS_MAX = (
    1_000  # whose images one part ends: at this size it holds the write lock for about a tenth of a second
)
CHANGES_MAX = 20_000
KEEPS_IMAGES = Status.PRUNED  # a tombstone's images stay as long as it does
PROVEN = "every part follows from the one before"
_SUM_BYTES = 32
_MODULUS = 1 << 8 * _SUM_BYTES


@dataclass(frozen=True, slots=True)
class ImageEndMark:
    """Up to which position the images of a scope have ended, and the sum over the parts that still hold some."""

    through: int = 0
    left: str = ""

    @classmethod
    def read(cls, detail: Mapping[str, Any]) -> "ImageEndMark":
        """Read it from the detail of the run that says so."""
        return cls(int(detail[THROUGH]), str(detail[LEFT]))

    def replace_parts(self, gone: Iterable[bytes], stays: Iterable[bytes]) -> "ImageEndMark":
        """Return it with some parts as they are for what they were, each by the digest of what it holds."""
        total = (int(self.left or "0", 16) + sum(map(_number, stays)) - sum(map(_number, gone))) % _MODULUS
        return ImageEndMark(self.through, format(total, "x") if total else "")

    def values(self) -> dict[str, Any]:
        """Return it as the detail of a run."""
        return {THROUGH: self.through, LEFT: self.left}


def _number(digest: bytes) -> int:
    """Return what a part that still holds images adds to the sum, in which their order is of no account."""
    return int.from_bytes(blake2b(digest, digest_size=_SUM_BYTES).digest())


def reach(parts: Iterable[tuple[int, int, int]], before: int) -> tuple[int, bool]:
    """Return how far images end, 0 for no further than they have, and whether more are due.

    `parts` are positions with times and counts of changes, ascending. It ends at the first part that is not older: a
    clock that was wrong once must end nothing too early.
    """
    through = changes = 0
    for number, (position, at, count) in enumerate(parts):
        if at >= before:
            return through, False
        if number == PARTS_MAX or (through and changes + count > CHANGES_MAX):
            return through, True
        through, changes = position, changes + count
    return through, False


def is_whole(cause: Cause, held: int, count: int) -> bool:
    """Tell whether a part whose images have ended holds all that it ever held."""
    return cause.verb not in ROWLESS and held == count


def from_where(scopes: Iterable[tuple[str, int, int]]) -> str:
    """Say of each scope, given with the last part whose images have ended and when that was, what is proven of it."""
    return "".join(
        f"; of scope {scope!r} images are proven from after part {through} ({minute_of(at)}), and up to that part"
        " when and why, and what was kept"
        for scope, through, at in scopes
    )
