"""What was found in a text, and the text with markers in its place."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

Group = Literal["secret", "personal"]
MARK_DIGITS = 3  # hex: tells 4,096 values apart, too few to find one by trying that is worth it


@dataclass(frozen=True, slots=True, order=True)
class SensitiveSpan:
    """A piece of a text that must not be kept: where it stands, and what it is."""

    start: int
    end: int
    kind: str
    group: Group = "secret"


def merge_overlaps(found: Iterable[SensitiveSpan]) -> Iterator[SensitiveSpan]:
    """Yield what was found in its order; of two that overlap the first keeps its kind and is as long as both."""
    last: SensitiveSpan | None = None
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if last is None:
            last = one
        elif one.start < last.end:
            last = SensitiveSpan(last.start, max(last.end, one.end), last.kind, last.group)
        else:
            yield last
            last = one
    if last is not None:
        yield last


def mask_spans(text: str, found: Iterable[SensitiveSpan], salt: bytes) -> str:
    """Return a text with a marker in place of each piece; the marker's digits tell two values of one kind apart."""
    pieces: list[str] = []
    end = 0
    for one in found:
        value = text[one.start : one.end].encode("utf-8", "surrogatepass")
        mark = blake2b(value, digest_size=8, key=salt).hexdigest()[:MARK_DIGITS]
        pieces += (text[end : one.start], f"[{one.group}: {one.kind} {mark}]")
        end = one.end
    return "".join((*pieces, text[end:]))
