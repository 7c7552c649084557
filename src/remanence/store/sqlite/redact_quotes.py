"""What was erased, taken out of why runs were done: whole texts, words that nothing else says, and longer pieces.

Knows words and bytes; must not know where a run keeps them.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from remanence.languages.patterns import Pattern
from remanence.store.sqlite import fulltext
from remanence.store.sqlite.residue_scan import PIECE_BYTES, SHORTEST, PieceHashes, pieces_of

WITHOUT = "erased"  # stands in the detail of a run for what was said there
WHOLE_MIN = 4  # characters: what is shorter stands in many a sentence without being meant
_WHOLE_MAX = 500  # texts that are looked for whole, the shortest: of the others pieces are found all the same
_WORD = re.compile(r"[^\W_]+")
# What the engine itself says there, in words that it reads again.
_OWN = frozenset(
    {
        "action",
        "outcome",
        "eligibility",
        "step",
        "signal",
        "undoes",
        "plan",
        "policy",
        "emptied",
        "cycle",
        "by",
    }
)
_RULES = "rules"  # each an action, the name of the rule and what that says

Staying = Callable[[Sequence[str]], AbstractSet[str]]


class QuotedStrings:
    """What some texts and other strings said; `staying` tells which of some stems a memory that stays says."""

    def __init__(self, said: Iterable[str], staying: Staying) -> None:
        texts = {one for one in said if len(one) >= WHOLE_MIN}
        self._staying = staying
        self._whole = sorted(map(str.casefold, texts), key=len)[:_WHOLE_MAX][::-1]
        self._seen: dict[str, str] = {}  # many runs have the same reason
        self._stems = {stem for one in texts for stem in fulltext.words_of(one)}
        self._words = {word for one in texts for word in _WORD.findall(one.casefold()) if _is_long(word)}
        self._pieces = PieceHashes()
        self._pieces.add(
            piece
            for one in texts
            for piece in pieces_of(one.encode("utf-8", "surrogatepass"))
            if len(piece) == PIECE_BYTES
        )

    def taken_out_of(self, value: Any) -> Any:
        """Return the detail of a run without what was said; what the engine itself says there stays."""
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, Mapping):
            return {name: one if name in _OWN else self._part(name, one) for name, one in value.items()}
        return [self.taken_out_of(one) for one in value] if isinstance(value, list) else value

    def without(self, text: str) -> str:
        """Return a text with a word in place of what it says of what goes."""
        if text not in self._seen:
            self._seen[text] = self._without(text)
        return self._seen[text]

    def _without(self, text: str) -> str:
        left = text
        for one in self._whole:
            if one in left.casefold():
                left = Pattern(_whole_word_pattern(one), re.IGNORECASE).sub(lambda _: WITHOUT, left)
        left = _WORD.sub(lambda found: WITHOUT if self._is_said(found[0]) else found[0], left)
        return WITHOUT if self._pieces.find_pieces(left.encode("utf-8", "surrogatepass")) else left

    def _part(self, name: str, value: Any) -> Any:
        if name != _RULES or not isinstance(value, list):
            return self.taken_out_of(value)
        return [[act, *map(self.taken_out_of, said)] for act, *said in value]

    def _is_said(self, word: str) -> bool:
        """Tell whether a word is one of those that went, and of no memory that stays."""
        if not _is_long(word):
            return False
        stems = list(fulltext.words_of(word))
        known = word.casefold() in self._words or not self._stems.isdisjoint(stems)
        return known and not (stems and self._staying(stems) >= set(stems))


def _is_long(word: str) -> bool:
    return len(word.encode("utf-8", "surrogatepass")) >= SHORTEST


def _whole_word_pattern(text: str) -> str:
    """Return the pattern of a text that is no part of longer words."""
    before = r"(?<![^\W_])" if _WORD.match(text[0]) else ""
    after = r"(?![^\W_])" if _WORD.match(text[-1]) else ""
    return before + re.escape(text) + after
