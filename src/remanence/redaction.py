"""Names of somebody in texts: where they stand as whole words, in any case, and texts with a mark in their place.

Knows letters and patterns; must not know whose the names are.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from remanence.patterns import Pattern

MARK = "[erased]"
NAME_CHARS_MIN = 2  # one letter is a word of its own in many languages
# As `entity.folded_name` takes them for one.
_QUOTES = "'\u2018\u2019\u02bc\u02b9\uff07`\u00b4"
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fb\u00b7\u2022\ufe63\uff0d"
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff66-\uff9f]")
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one person, and longer names of `others` that hold one of them and are left as they are."""

    names: tuple[str, ...]
    others: tuple[str, ...] = ()
    _pattern: Pattern = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make what looks for all of them at once, the longest first."""
        kept, named = _any_of(self.others), _any_of(self.names)
        pattern = Pattern(f"(?P<kept>{kept})|(?:{named})" if kept else f"(?:{named})", re.IGNORECASE)
        object.__setattr__(self, "_pattern", pattern)

    def stand_in(self, text: str) -> bool:
        """Tell whether a text says any of the names."""
        return any(self._is_named(found) for found in self._pattern.finditer(text))

    def without(self, text: str) -> str:
        """Return a text with a mark in place of each of the names."""
        return self._pattern.sub(lambda found: MARK if self._is_named(found) else found[0], text)

    def are(self, name: str) -> bool:
        """Tell whether one of the names is all that a text says."""
        found = self._pattern.fullmatch(" ".join(name.split()))
        return found is not None and self._is_named(found)

    def within(self, value: Any) -> bool:
        """Tell whether any string in a value of JSON says one of the names."""
        if isinstance(value, str):
            return self.stand_in(value)
        if isinstance(value, Mapping):
            return any(self.stand_in(name) or self.within(one) for name, one in value.items())
        return isinstance(value, list | tuple) and any(map(self.within, value))

    def taken_out_of(self, value: Any) -> Any:
        """Return a value of JSON without the names, in the names of its fields too."""
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, Mapping):
            return {self.without(name): self.taken_out_of(one) for name, one in value.items()}
        return [self.taken_out_of(one) for one in value] if isinstance(value, list | tuple) else value

    def _is_named(self, found: re.Match[str]) -> bool:
        return not self.others or found["kept"] is None


def _any_of(names: Iterable[str]) -> str:
    forms = {
        form for name in names for kind in ("NFC", "NFD") for form in [unicodedata.normalize(kind, name)]
    }
    return "|".join(_whole(name) for name in sorted(forms, key=lambda one: (-len(one), one)))


def _whole(name: str) -> str:
    """Return the pattern of a name between letters that are not its own; scripts without blanks have no such ends."""
    body = r"\s+".join("".join(map(_sign, word)) for word in name.split())
    before = r"(?<![^\W_])" if _is_spaced(name[0]) else ""
    after = r"(?![^\W_])" if _is_spaced(name[-1]) else ""
    return before + body + after


def _sign(sign: str) -> str:
    if sign in _QUOTES:
        return f"[{_QUOTES}]"
    return f"[{_DASHES}]" if sign in _DASHES else re.escape(sign)


def _is_spaced(sign: str) -> bool:
    return _LETTER.match(sign) is not None and _UNSPACED.match(sign) is None
