"""Names of somebody in texts: where they stand as whole words, in any case, and texts with a mark in their place.

A name of several words is found with its last word first, too, and with the -s of a genitive. Knows letters and
patterns; must not know whose the names are.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from remanence.core.patterns import Pattern

MARK = "[erased]"
NAME_CHARS_MIN = 2  # one letter is a word of its own in many languages
PART_CHARS_MIN = 3  # of a part of a name that is looked for: what is shorter is an initial, or "de"
_SIBILANTS = "sxz\u00df"  # a genitive of these has no -s
# As `entity.folded_name` takes them for one.
_QUOTES = "'\u2018\u2019\u02bc\u02b9\uff07`\u00b4"
_DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fb\u00b7\u2022\ufe63\uff0d"
_UNSPACED = Pattern("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff66-\uff9f]")
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one person, and longer names of `others` that hold one of them and are left as they are."""

    names: tuple[str, ...]
    others: tuple[str, ...] = ()
    _pattern: Pattern = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make what looks for all of them at once, the longest first."""
        keep, drop = _any_of(self.others), _any_of(self.names)
        pattern = Pattern(f"(?P<kept>{keep})|(?:{drop})" if keep else f"(?:{drop})", re.IGNORECASE)
        object.__setattr__(self, "_pattern", pattern)

    def stand_in(self, text: str) -> bool:
        """Tell whether a text says any of the names."""
        return any(self._is_named(match) for match in self._pattern.finditer(text))

    def without(self, text: str) -> str:
        """Return a text with a mark in place of each of the names."""
        return self._pattern.sub(lambda found: MARK if self._is_named(found) else found[0], text)

    def are(self, name: str) -> bool:
        """Tell whether one of the names is all that a text says."""
        match = self._pattern.fullmatch(" ".join(name.split()))
        return match is not None and self._is_named(match)

    def stand_in_json(self, value: Any) -> bool:
        """Tell whether any string in a value of JSON says one of the names."""
        if isinstance(value, str):
            return self.stand_in(value)
        if isinstance(value, Mapping):
            return any(self.stand_in(name) or self.stand_in_json(one) for name, one in value.items())
        return isinstance(value, list | tuple) and any(map(self.stand_in_json, value))

    def taken_out_of(self, value: Any) -> Any:
        """Return a value of JSON without the names, in the names of its fields too."""
        if isinstance(value, str):
            return self.without(value)
        if isinstance(value, Mapping):
            return {self.without(name): self.taken_out_of(one) for name, one in value.items()}
        return [self.taken_out_of(one) for one in value] if isinstance(value, list | tuple) else value

    def _is_named(self, found: re.Match[str]) -> bool:
        return not self.others or found["kept"] is None


@dataclass(frozen=True, slots=True)
class NameParts:
    """Words of somebody's names that say less than a whole name: each alone, without its accents or with an -s.

    `others` has each with the names of others that it is a part of; where one of these is said whole, it is not meant.
    """

    others: Mapping[str, Sequence[str]]
    _patterns: Mapping[str, Pattern] = field(init=False, repr=False, compare=False)
    _theirs: Names | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make what looks for each part that is long enough to mean somebody."""
        bare = {part: _strip_accents(part) for part in self.others if _is_spaced(part[-1])}
        patterns = {
            part: Pattern(_add_boundaries(f"{''.join(map(_sign, one))}s?", one), re.IGNORECASE)
            for part, one in bare.items()
            if len(one) >= PART_CHARS_MIN
        }
        whole = dict.fromkeys(name for some in self.others.values() for name in some if len(name.split()) > 1)
        object.__setattr__(self, "_patterns", patterns)
        object.__setattr__(self, "_theirs", Names(tuple(whole)) if whole else None)

    def find_parts(self, text: str) -> list[str]:
        """Return the parts that a text says, in whichever form."""
        if not self._patterns:
            return []
        bare = _strip_accents(text if self._theirs is None else self._theirs.without(text))
        return [part for part, pattern in self._patterns.items() if pattern.search(bare)]


def _any_of(names: Iterable[str]) -> str:
    forms = {
        form
        for name in names
        for order in _orders(name)
        for kind in ("NFC", "NFD")
        for form in [unicodedata.normalize(kind, order)]
    }
    return "|".join(_name_pattern(name) for name in sorted(forms, key=lambda one: (-len(one), one)))


def _orders(name: str) -> list[str]:
    """Return a name as it is said and as lists have it, such as Lopes, Ana."""
    *first, last = name.split()
    return [name, *(f"{last}{mark} {' '.join(first)}" for mark in (",", "") if first)]


def _name_pattern(name: str) -> str:
    """Return the pattern of a name between letters that are not its own; scripts without blanks have no such ends."""
    body = r"\s+".join("".join(map(_sign, word)) for word in name.split())
    takes_s = len(name.split()) > 1 and name[-1].casefold() not in _SIBILANTS
    return _add_boundaries(body + ("s?" if takes_s and _is_spaced(name[-1]) else ""), name)


def _add_boundaries(body: str, name: str) -> str:
    before = r"(?<![^\W_])" if _is_spaced(name[0]) else ""
    after = r"(?![^\W_])" if _is_spaced(name[-1]) else ""
    return before + body + after


def _strip_accents(text: str) -> str:
    """Return a text without the accents of its letters."""
    signs = unicodedata.normalize("NFD", text)
    return "".join(sign for sign in signs if not unicodedata.combining(sign)) if not text.isascii() else text


def _sign(sign: str) -> str:
    if sign in _QUOTES:
        return f"[{_QUOTES}]"
    return f"[{_DASHES}]" if sign in _DASHES else re.escape(sign)


def _is_spaced(sign: str) -> bool:
    return _LETTER.match(sign) is not None and _UNSPACED.match(sign) is None
