"""Marks in a text the words in quotation marks: those that it says somebody says, and others. Knows no orders."""

import re

from remanence.gate.wording import QUOTED
from remanence.languages.ordering import SPACED, UNSPACED
from remanence.languages.ordering.kinds_of_evidence import expand_phrases

REPORTED = "\x03"  # stands before each word that the text says somebody says
BEFORE = 60  # characters before a quotation that may say whose it is
AFTER = 40

# Each stops at the next opening mark, so that a text of opening marks alone costs what its length says.
_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}+\"|“[^“”\n]{1,300}+[”“]|„[^„“”\n]{1,300}+[“”]|«[^«»\n]{1,300}+»"
    r"|「[^「」\n]{1,300}+」|『[^『』\n]{1,300}+』"
)
_MARKS = ('"', "“", "„", "«", "「", "『")
_WORD = re.compile(r"[^\W_]+")
_REPORTED_WORD = re.compile("\x03[^\\W_]+")
_SAID = frozenset(word for language in SPACED for word in expand_phrases(language.speech))
_SAID_UNSPACED = tuple(word for language in UNSPACED for word in expand_phrases(language.speech))


def quotations_marked(plain: str) -> str:
    """Return a text with a mark before each quoted word; values of data and of attributes are not quoted."""
    if not any(mark in plain for mark in _MARKS):
        return plain
    return _QUOTED.sub(lambda found: _mark_quotation(plain, found), plain)


def evident(sentence: str) -> str:
    """Return a sentence with marked words as evidence is read from it: what somebody says is left out."""
    if REPORTED in sentence:
        sentence = _REPORTED_WORD.sub("…", sentence)
    return sentence.replace(QUOTED, "")


def _mark_quotation(plain: str, found: re.Match[str]) -> str:
    before = plain[max(0, found.start() - BEFORE) : found.start()]
    after = plain[found.end() : found.end() + AFTER]
    if before.rstrip().endswith(("=", "{", "[", '":', '",')) or after.lstrip().startswith(":"):
        return found.group()
    around = f"{before} {after}"
    reported = not _SAID.isdisjoint(_WORD.findall(around)) or any(word in around for word in _SAID_UNSPACED)
    return _WORD.sub(rf"{REPORTED if reported else QUOTED}\g<0>", found.group())
