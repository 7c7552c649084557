"""Whether two texts are one memory: exact, near or distinct, with reasons. Knows texts only, no store and no model."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from remanence.text import Vital, fingerprint, readings, stems, vital_tokens

# Share of content words two texts must have in common to be near where there is no vector to ask.
WORDS_SHARED_MIN = 0.6
_SHOWN_MAX = 3


@dataclass(frozen=True, slots=True)
class Bands:
    """Cosines of bare vectors from which two texts are similar, and from which they may be near duplicates.

    `calibrated` says that the false-merge rate of `near` was measured; without it, near duplicates are only linked.
    """

    similar: float
    near: float
    calibrated: bool = False


@dataclass(frozen=True, slots=True)
class Twin:
    """A verdict on two texts and what spoke for it, readable."""

    kind: Literal["exact", "near", "distinct"]
    reasons: tuple[str, ...]


def verdict(old: str, new: str, similarity: float | None, bands: Bands) -> Twin:
    """Compare two texts of one speaker; `similarity` is the cosine of their bare vectors, None where there is none.

    However alike they look, a number, negation, name, date, piece of code or question mark that only one of them has
    makes them distinct: a merge would lose it.
    """
    if fingerprint(old) == fingerprint(new):
        return Twin("exact", ("the same words",))
    alike, reason = _alike(old, new, similarity, bands)
    if not alike:
        return Twin("distinct", (reason,))
    vetoes = tuple(_vetoes(old, new))
    return Twin("distinct", vetoes) if vetoes else Twin("near", (reason,))


def _alike(old: str, new: str, similarity: float | None, bands: Bands) -> tuple[bool, str]:
    if similarity is not None:
        sign = "≥" if similarity >= bands.near else "<"
        return similarity >= bands.near, f"similarity {similarity:.2f} {sign} {bands.near:.2f}"
    first, second = set(stems(old)), set(stems(new))
    shared = len(first & second) / max(1, len(first | second))
    sign = "≥" if shared >= WORDS_SHARED_MIN else "<"
    return shared >= WORDS_SHARED_MIN, f"words in common {shared:.2f} {sign} {WORDS_SHARED_MIN:.2f}"


def _vetoes(old: str, new: str) -> Iterable[str]:
    """Yield what a merge would lose, one line for each kind."""
    first, second = vital_tokens(old), vital_tokens(new)
    for what in ("numbers", "dates", "code"):
        before, after = getattr(first, what), getattr(second, what)
        if before != after:
            yield f"{what} differ: {_shown(before - after)} / {_shown(after - before)}"
    if first.negations != second.negations:
        yield f"negations differ: {first.negations} / {second.negations}"
    lost, gained = _names_apart(first, old, second, new)
    if lost or gained:
        yield f"names differ: {_shown(lost)} / {_shown(gained)}"
    if ("?" in old) != ("?" in new):
        yield "one asks, the other states"


def _names_apart(first: Vital, old: str, second: Vital, new: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that the other text does not hold in any spelling of case."""
    return first.names - _folded(new), second.names - _folded(old)


def _folded(text: str) -> frozenset[str]:
    return frozenset(word for reading in readings(text) for word in reading.folded)


def _shown(tokens: Iterable[str]) -> str:
    listed = sorted(tokens)
    return ", ".join(listed[:_SHOWN_MAX]) + (" …" if len(listed) > _SHOWN_MAX else "") if listed else "–"
