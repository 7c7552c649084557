"""How important a fact is, and of which kind: engram's heuristics, with levels that all can be reached. Knows no store.

Source: engram A3 and A5. The steps differ so that what may do harm is critical and what was decided is high, in every
language that has lists; a short text is trivial only where it says nothing.
"""

import re

from remanence.core.model import Kind
from remanence.languages import LEXICONS
from remanence.read.cues import SentenceReading, language_code, read_sentence

LEVELS = (("critical", 0.9), ("high", 0.7), ("normal", 0.4), ("low", 0.2), ("trivial", 0.0))
BASE, TRIVIAL = 0.5, 0.1
OF_CATEGORY = {
    "correction": 0.20, "principle": 0.20, "rule": 0.20, "decision": 0.20, "commitment": 0.20, "procedure": 0.15,
    "preference": 0.15, "reasoning_trace": 0.09, "relationship": 0.05, "skill": 0.05, "moment": 0.03, "entity": 0.02,
}  # fmt: skip
CRITICAL, HIGH, HEDGED, NUMBER, FIRST = 0.40, 0.15, -0.25, 0.03, 0.03
LONG_CHARS, LONG_MAX = 200, 0.1
_NUMBER = re.compile(r"\d{2}|v\d")

_NOTES = frozenset(
    {"preference", "constraint", "goal", "habit", "policy", "standard", "belief", "decision", "principle"}
    | {"commitment", "relationship", "skill", "correction", "entity", "rule"}
)
_EPISODES = frozenset({"event", "action", "observation", "issue", "bug", "incident", "moment"})
_PROCEDURES = frozenset({"procedure"})


def importance(text: str, category: str = "fact") -> float:
    """Return from 0 to 1 how much would be lost with a text of a category."""
    read = read_sentence(text, language_code(text))
    if not read.content:
        return TRIVIAL
    points = BASE + OF_CATEGORY.get(category, 0.0)
    points += CRITICAL * bool(read.has("critical importance")) + HIGH * bool(read.has("high importance"))
    points += (
        HEDGED * bool(read.has("hedges")) + NUMBER * bool(_NUMBER.search(text)) + FIRST * _is_first(read)
    )
    points += min(max(0, len(text) - LONG_CHARS) / 1_000, LONG_MAX)
    return round(min(1.0, max(TRIVIAL, points)), 2)


def level(value: float) -> str:
    """Return engram's name for an importance."""
    return next(name for name, least in LEVELS if value >= least)


def kind_of(text: str, category: str) -> Kind:
    """Tell a note from an episode: by category, else an episode is what happened, and no rule is one.

    A time alone makes no episode: "On Monday standup is at 9" says what holds.
    """
    if category in _PROCEDURES:
        return Kind.PROCEDURAL
    if category in _NOTES:
        return Kind.SEMANTIC
    if category in _EPISODES:
        return Kind.EPISODIC
    read = read_sentence(text, language_code(text))
    is_event = read.has("moment") or (read.has("episode") and _is_past(read))
    return Kind.EPISODIC if is_event and not read.has("principle", "preference") else Kind.SEMANTIC


def _is_first(read: SentenceReading) -> bool:
    lexicon = LEXICONS.get(read.code)
    return lexicon is not None and any(word in lexicon.first_person for word in read.words)


def _is_past(read: SentenceReading) -> bool:
    lexicon = LEXICONS.get(read.code)
    if lexicon is None:
        return True
    return any(
        word in lexicon.past
        or (bool(lexicon.past_endings) and len(word) > 4 and word.endswith(lexicon.past_endings))
        for word in read.words
    )
