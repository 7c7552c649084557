"""Which windows hold the words that were asked for lately: common words come again, and cost most to look up.

Knows stems and arrays; must be forgotten whenever what is stored changes.
"""

from collections.abc import Iterable

from remanence.recall.lexical import Term

NUMBERS_MAX = 1 << 21  # windows of all kept stems together, 12 bytes each
SHARE_MAX = 4  # a stem of more than this part of them would push out too many others


class KeptTerms:
    """Terms by stem; those asked for longest ago make room for others."""

    def __init__(self) -> None:
        self._terms: dict[str, Term] = {}
        self._numbers = 0

    def __getitem__(self, stem: str) -> Term | None:
        term = self._terms.pop(stem, None)
        if term is not None:
            self._terms[stem] = term  # behind all others: asked for last
        return term

    def missing(self, stems: Iterable[str]) -> list[str]:
        """Return the stems that have to be looked up."""
        return [stem for stem in stems if stem not in self._terms]

    def keep(self, stem: str, term: Term) -> None:
        """Keep what a stem was found to be."""
        if len(term.slots) > NUMBERS_MAX // SHARE_MAX:
            return
        self._terms[stem] = term
        self._numbers += len(term.slots)
        while self._numbers > NUMBERS_MAX:
            oldest = next(iter(self._terms))
            self._numbers -= len(self._terms.pop(oldest).slots)

    def clear(self) -> None:
        """Forget all."""
        self._terms.clear()
        self._numbers = 0
