"""How images of the audit end: by which part, how far, and by what that part vouches for what stays.

The same in every store. Knows digests; knows nothing of how rows are kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any, NamedTuple

from remanence.core.change import ROWLESS, Cause
from remanence.core.model import Status
from remanence.core.results import minute_of
from remanence.store.audit_parts import UNCHAINED, part_digest

EXPIRE = "expire"  # the verb of a part that ends the images of those before it
# In its detail: up to which position, the sum of what stays, the chain's digest there, the sum of the heads up to it.
THROUGH, LEFT, CHAIN, HEADS = "through", "left", "chain", "heads"
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
    """Up to which position the images of a scope have ended, and the sum over the parts that still hold some.

    Heads of uses before that position are gone: the chain is proven from `chain`, its digest there, and the heads that
    stay by `heads`, the sum over them. A mark without a `chain` was written when all heads stayed.
    """

    through: int = 0
    left: str = ""
    chain: str = ""
    heads: str = ""

    @classmethod
    def read(cls, detail: Mapping[str, Any]) -> "ImageEndMark":
        """Read it from the detail of the run that says so."""
        sums = (str(detail.get(name, "")) for name in (CHAIN, HEADS))
        return cls(int(detail[THROUGH]), str(detail[LEFT]), *sums)

    def replace_parts(self, gone: Iterable[bytes], stays: Iterable[bytes]) -> "ImageEndMark":
        """Return it with some parts as they are for what they were, each by the digest of what it holds."""
        return replace(self, left=update_sum(self.left, gone, stays))

    def advance(self, through: int, heads: Iterable["PartHead"]) -> tuple["ImageEndMark", list[int]]:
        """Return it moved on to a part, and the positions of the uses before that part, whose heads go.

        `heads` are those from `proven_from` up to that part, ascending. The part itself stays: it says when it was.
        """
        chain = bytes.fromhex(self.chain) or UNCHAINED
        gone, stays, uses = list[bytes](), list[bytes](), list[int]()
        for head in heads:
            if head.position <= self.proven_from:
                gone.append(head.digest)
            else:
                chain = part_digest(chain, head.why, head.entries)
            if head.goes and head.position < through:
                uses.append(head.position)
            else:
                stays.append(head.digest)
        sums = chain.hex(), update_sum(self.heads, gone, stays)
        return ImageEndMark(through, self.left, *sums), uses

    @property
    def proven_from(self) -> int:
        """The last part that the chain need not be proven from, 0 where it is proven from its first."""
        return self.through if self.chain else 0

    def values(self) -> dict[str, Any]:
        """Return it as the detail of a run."""
        return {THROUGH: self.through, LEFT: self.left, CHAIN: self.chain, HEADS: self.heads}


class PartHead(NamedTuple):
    """What stays of a part whose images have ended: the digests of why it was done and of what it changed.

    It `goes` with them where it only counted uses and no erasure vouches for it.
    """

    position: int
    why: bytes
    entries: bytes
    goes: bool

    @property
    def digest(self) -> bytes:
        """What it adds to the sum over the heads."""
        return part_digest(self.position.to_bytes(8), self.why, self.entries)


def update_sum(total: str, gone: Iterable[bytes], stays: Iterable[bytes]) -> str:
    """Return a sum over digests, in which their order is of no account, without some of them and with others."""
    number = (int(total or "0", 16) + sum(map(_number, stays)) - sum(map(_number, gone))) % _MODULUS
    return format(number, "x") if number else ""


def _number(digest: bytes) -> int:
    """Return what a digest adds to a sum."""
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
