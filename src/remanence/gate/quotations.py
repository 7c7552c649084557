"""Takes out of a text the words in quotation marks that it says somebody says. Knows no orders."""

import re

from remanence.languages.ordering import SPACED, UNSPACED
from remanence.languages.ordering.kinds_of_evidence import spelled

BEFORE = 60  # characters before a quotation that may say whose it is
AFTER = 40

# Each stops at the next opening mark, so that a text of opening marks alone costs what its length says.
_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}+\"|“[^“”\n]{1,300}+[”“]|„[^„“”\n]{1,300}+[“”]|«[^«»\n]{1,300}+»"
    r"|「[^「」\n]{1,300}+」|『[^『』\n]{1,300}+』"
)
_MARKS = ('"', "“", "„", "«", "「", "『")
_WORD = re.compile(r"[^\W_]+")
_SAID = frozenset(word for language in SPACED for word in spelled(language.speech))
_SAID_UNSPACED = tuple(word for language in UNSPACED for word in spelled(language.speech))


def quotations_out(plain: str) -> str:
    """Return a text without the words in quotation marks that it says somebody says."""
    if not any(mark in plain for mark in _MARKS):
        return plain
    return _QUOTED.sub(lambda found: " … " if _reported(plain, found) else found.group(), plain)


def _reported(plain: str, found: re.Match[str]) -> bool:
    before = plain[max(0, found.start() - BEFORE) : found.start()]
    after = plain[found.end() : found.end() + AFTER]
    if before.rstrip().endswith(("=", "{", "[", '":')) or after.lstrip().startswith(":"):
        return False
    around = f"{before} {after}"
    return not _SAID.isdisjoint(_WORD.findall(around)) or any(word in around for word in _SAID_UNSPACED)
