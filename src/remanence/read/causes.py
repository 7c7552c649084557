"""What a text says of why: its cause and its effect, either of which may be what was said before it.

Knows words alone; must not know which memories there are.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from remanence.core.patterns import Pattern
from remanence.languages.families import CAUSAL
from remanence.languages.shapes import Causal
from remanence.read.cues import WORD, language_code, lower_text
from remanence.text.analysis import asks, stems

PART_CHARS_MIN, UNSPACED_CHARS_MIN = 4, 2  # of a clause; what is shorter says nothing
SHARED_MIN = 0.5  # how much of the shorter side two texts share where one is what the other speaks of
SHARED_STEMS_MIN = 2
_MARKS = " 　,，、;；:：-–—.!。！…\"'«»“”"
# In these the cause stands before the word and its effect after it: 雨が降ったため、中止した.
_CAUSE_FIRST = frozenset({"ja"})
Sign = Literal["explains", "hence", "because", "leads"]
_SIGNS: tuple[Sign, ...] = ("explains", "hence", "because", "leads")


def _pattern(phrases: Iterable[str], *, spaced: bool) -> Pattern:
    longest = sorted(map(re.escape, phrases), key=len, reverse=True)
    either = "|".join(longest)
    return Pattern(rf"(?<!\w)(?:{either})(?!\w)" if spaced else f"(?:{either})")


# A list without phrases finds nothing.
_PATTERNS = {
    code: tuple(_pattern(getattr(one, sign) or ("\0",), spaced=one.spaced) for sign in _SIGNS)
    for code, one in CAUSAL.items()
}


@dataclass(frozen=True, slots=True)
class CausePair:
    """A cause and its effect, as clauses of one text; None is what was said before it."""

    cause: str | None
    effect: str | None


def why_of(text: str) -> CausePair | None:
    """Read why something is so, as far as a text says it; a question says nothing."""
    low = lower_text(text)
    if not _may(low) or asks(text):
        return None
    text_code = language_code(text)
    # A short text may not tell its language; the phrases of another one do.
    cue = next((one for code in (text_code, *CAUSAL) for one in _find_signs(low, code)), None)
    if cue is None:
        return None
    code, sign, begin, end = cue
    before, after = text[:begin].strip(_MARKS), text[end:].strip(_MARKS)
    if _is_negated(before, code):
        return None
    return _build_cause_pair(sign, code, before, after)


def shared_words(one: str, other: str) -> float:
    """Return how much of the shorter of two texts stands in the other, by stems that say something."""
    first, second = set(stems(one)), set(stems(other))
    both = len(first & second)
    least = min(len(first), len(second))
    return both / least if least and both >= min(SHARED_STEMS_MIN, least) else 0.0


def _build_cause_pair(sign: Sign, code: str, before: str, after: str) -> CausePair | None:
    least = PART_CHARS_MIN if CAUSAL[code].spaced else UNSPACED_CHARS_MIN
    if len(after) < least:
        return None
    opens = len(before) < least
    match sign:
        case "explains":
            return CausePair(after, None) if opens else CausePair(after, before)
        case "hence":
            return CausePair(None, after) if opens else CausePair(before, after)
        case "leads":
            return None if opens else CausePair(before, after)
        case "because":
            if code in _CAUSE_FIRST:
                return None if opens else CausePair(before, after)
            if not opens:
                return CausePair(after, before)
            # "Because it rained, we stayed."
            cause, comma, effect = _split_at_comma(after)
            return CausePair(cause, effect) if comma and len(effect) >= least else None


def _split_at_comma(clause: str) -> tuple[str, str, str]:
    places = [place for mark in ",，、" if (place := clause.find(mark)) > 0]
    if not places:
        return clause, "", ""
    at = min(places)
    return clause[:at].strip(_MARKS), clause[at], clause[at + 1 :].strip(_MARKS)


def _is_negated(before: str, code: str) -> bool:
    """Tell whether what stands before the word denies it: not because."""
    last = lower_text(before).split()[-1:] if CAUSAL[code].spaced else [before[-1:]]
    return last in (["not"], ["nicht"], ["no"], ["pas"], ["não"], ["不"], ["并"])


def _find_signs(low: str, code: str) -> Iterator[tuple[str, Sign, int, int]]:
    """Yield the first sign of each list, those that say most first."""
    for sign, pattern in zip(_SIGNS, _PATTERNS[code], strict=True):
        if match := pattern.search(low):
            yield code, sign, match.start(), match.end()


def _may(low: str) -> bool:
    """Tell whether a text has a word with which a phrase begins; most have none, and patterns take longer."""
    words, parts = _beginnings()
    return not words.isdisjoint(WORD.findall(low)) or any(part in low for part in parts)


@lru_cache(maxsize=1)
def _beginnings() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the first words of the phrases, and whole phrases where words are written without blanks."""
    phrases = [phrase for one in CAUSAL.values() if one.spaced for phrase in _list_sign_phrases(one)]
    words = frozenset(WORD.findall(phrase)[0] for phrase in phrases)
    return words, tuple(
        phrase for one in CAUSAL.values() if not one.spaced for phrase in _list_sign_phrases(one)
    )


def _list_sign_phrases(one: Causal) -> Sequence[str]:
    return [phrase for sign in _SIGNS for phrase in getattr(one, sign)]
