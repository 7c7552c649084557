"""The shape of one language's lists of what a sentence does: asks, asks for, supposes, states. Knows no language."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Assertions:
    """Phrases of one language by what they do in a sentence, all lower-case, apostrophes straight.

    A phrase that begins with `^` counts only where a sentence begins with it, one that ends in `*` as the
    beginning of a word. `mute` are words that say nothing lasting: a sentence of them alone is talk. `possessives` are
    "my", `copulas` are what stands between a subject and what is said of it. Languages that are not `spaced` are
    searched by character.
    """

    code: str
    vetoes: Mapping[str, tuple[str, ...]]
    categories: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, tuple[str, ...]]
    importance: Mapping[str, tuple[str, ...]]
    kinds: Mapping[str, tuple[str, ...]]
    mute: frozenset[str]
    possessives: frozenset[str] = field(default_factory=frozenset)
    copulas: frozenset[str] = field(default_factory=frozenset)
    spaced: bool = True


def phrases(**listed: str) -> dict[str, tuple[str, ...]]:
    """Return name → phrases, from lists with commas or line breaks between them."""
    return {
        name: tuple(phrase for part in text.replace("\n", ",").split(",") if (phrase := part.strip()))
        for name, text in listed.items()
    }
