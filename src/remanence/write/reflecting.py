"""Which of many reflections are drawn together into one text: what is worth most, said once. Knows no store."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from remanence.core.model import Memory

CATEGORY, RAW, CONSOLIDATED = "reflection", "raw", "consolidated"
DRAWN_CATEGORY, DRAWN_TAG = "synthesis", "learned-patterns"
BYTES_MAX = 8_192  # of UTF-8: beyond that an agent's reflections are drawn together (engram: 8 KB)
DRAWN_BYTES_MAX = 2_048  # what is left of them; the first line is there whatever it takes


@dataclass(frozen=True, slots=True)
class ReflectionText:
    """What reflections come to: the text, and of which memories it has lines."""

    text: str
    of: tuple[Memory, ...]


def are_many(reflections: Iterable[Memory]) -> bool:
    """Tell whether reflections have grown beyond what is read at once."""
    return sum(len(one.text.encode()) for one in reflections) > BYTES_MAX


def drawn_together(reflections: Sequence[Memory], near: AbstractSet[frozenset[int]]) -> ReflectionText:
    """Choose what is worth most, each line once; `near` are pairs that say much the same.

    What does not fit is skipped, and the next that does is taken.
    """
    memories: list[Memory] = []
    lines: list[str] = []
    fingerprints: set[bytes] = set()
    room = DRAWN_BYTES_MAX
    for one in sorted(reflections, key=lambda one: (-(one.value or 0.0), one.seq)):
        line = f"- {' '.join(one.text.split())}"
        size = len(line.encode()) + 1
        repeats = one.fingerprint in fingerprints or any(
            frozenset((one.seq, old.seq)) in near for old in memories
        )
        if repeats or (size > room and memories):
            continue
        fingerprints.add(one.fingerprint)
        memories.append(one)
        lines.append(line)
        room -= size
    return ReflectionText("\n".join(lines), tuple(memories))
