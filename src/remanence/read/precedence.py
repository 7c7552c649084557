"""Which of the best answers to a question stands above the first: it says later what that says, and otherwise.

An order for one answer: nothing is hidden, and nothing written. Knows texts, who said them when, and the question; no
store and no ranking.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from remanence.core.model import Role, Trust
from remanence.languages.change_words import CHANGING
from remanence.languages.families import QUESTIONS
from remanence.languages.shapes import QuestionWords
from remanence.read.cues import language_code, lower_text
from remanence.read.outdating import ChangeReading, find_other_value, read_change
from remanence.text.analysis import stems

AMONG = 10  # the best answers, of which one may stand above the first
QUESTION_CHARS_MAX = 300
SHORT_STEMS_MAX = 12  # what tells one thing; 8 and 20 were measured to be worse
LONG_SHARE_MIN = 0.5  # of the question's weight in the older text; .6 and more leave more stale answers above
LONG_SCORE_MIN = 0.7  # of the older one's score
READ_CHARS_MAX = 6_000  # of a long text

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")
_CLAUSES = re.compile(r"(?<=[.!?;。！？；])\s*|\n")
_MONEY = re.compile(
    r"[€$£¥₹]\s?\d[\d.,]*+|(?<![\d.,])\d[\d.,]*+\s?(?:[€$£¥₹]|euros?\b|eur\b|dollars?\b|usd\b|pounds?\b|元|块|円)"
)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_STRONG = frozenset({"onward", "now", "shifts", "ends", "anymore"})
_TIMES = ("weekday", "month", "number")


@dataclass(frozen=True, slots=True)
class RankedText:
    """One of the best answers: its number, what it says, who said it when, and its score."""

    seq: int
    text: str
    speaker: str | None
    role: Role
    trust: Trust
    said_at: int
    score: float

    def is_newer(self, old: "RankedText") -> bool:
        """Tell whether it is the later word of the same speaker, believed no less."""
        same = self.speaker == old.speaker and self.role is old.role and self.role is Role.USER
        return same and self.trust >= old.trust and (self.said_at, self.seq) > (old.said_at, old.seq)


@dataclass(frozen=True, slots=True)
class Precedence:
    """That the answer at a place stands above the first, and why."""

    place: int
    why: str


def asks_now(question: str) -> bool:
    """Tell whether a question asks what holds now of one thing: not what was, not for a list or an order."""
    if len(question) > QUESTION_CHARS_MAX or _YEAR.search(question):
        return False
    low = lower_text(question)
    code = language_code(question)
    asking = QUESTIONS.get(code)
    if asking is None or not asking.elsewhen or any(phrase in low for phrase in asking.past):
        return False
    if not CHANGING[code].spaced:
        return not any(word in low for word in asking.elsewhen)
    return asking.elsewhen.isdisjoint(_WORD.findall(low))


def find_precedence(
    question: str,
    weights: Mapping[str, float],
    ranked: Sequence[RankedText],
    newer: Collection[tuple[int, int]] = (),
) -> Precedence | None:
    """Return which of the best answers stands above the first; None where the order stays.

    `weights` say how rare the stems of the question are, `newer` which memories are linked as newer than which.
    """
    if len(ranked) < 2:
        return None
    first, holds_now = ranked[0], asks_now(question)
    later = [place for place, one in enumerate(ranked[:AMONG]) if place and one.is_newer(first)]
    linked = [place for place in later if (ranked[place].seq, first.seq) in newer]
    # What was told wrongly was never so: a correction also answers what was.
    linked = [place for place in linked if holds_now or _corrects(ranked[place].text)]
    if linked:
        return Precedence(linked[0], "said later, and linked as newer")
    if not holds_now:
        return None
    asked = _QuestionReading(question, weights)
    held = asked.weigh_stems(first.text)
    if not held:
        return None
    for place in later:
        if why := _differ(asked, held, first, ranked[place]):
            return Precedence(place, f"said later, {why}")
    return None


def _corrects(text: str) -> bool:
    code = language_code(text)
    return any(
        sign.kind == "corrects" for sign in CHANGING[code].find_signs(lower_text(text[:READ_CHARS_MAX]))
    )


class _QuestionReading:
    """A question as it is compared with: its language, its weighted stems, and what kind of value it asks for."""

    def __init__(self, question: str, weights: Mapping[str, float]) -> None:
        self.code = language_code(question)
        self.weights = weights
        low = lower_text(question)
        asking = QUESTIONS[self.code]
        self.kind = _find_kind(low, asking)
        self.counted = _read_counted(low, asking) if self.kind == "count" else frozenset()

    def weigh_stems(self, text: str) -> dict[str, float]:
        """Return the stems of the question that a text holds, with their weights."""
        own = frozenset(stems(text[:READ_CHARS_MAX]))
        return {stem: weight for stem, weight in self.weights.items() if stem in own}

    def find_values(self, text: str) -> frozenset[str]:
        """Return the values in a text of the kind that is asked for."""
        low = lower_text(text[:READ_CHARS_MAX])
        if self.kind == "sum":
            return frozenset(_NUMBER.findall(" ".join(_MONEY.findall(low))))
        if self.kind == "count":
            return frozenset(
                number.group()
                for number in _NUMBER.finditer(low)
                if not self.counted.isdisjoint(stems(low[number.end() : number.end() + 40])[:2])
            )
        return frozenset()


def _find_kind(low: str, asking: QuestionWords) -> str:
    if any(phrase in low for phrase in asking.sums):
        return "sum"
    if any(phrase in low for phrase in asking.times):
        return "time"
    return "count" if any(phrase in low for phrase in asking.counts) else ""


def _read_counted(low: str, asking: QuestionWords) -> frozenset[str]:
    """Return the stem of what is counted: the first after "how many"."""
    _, _, after = min((low.partition(phrase) for phrase in asking.counts), key=lambda parts: len(parts[0]))
    return frozenset(stems(after)[:1])


def _differ(asked: _QuestionReading, held: Mapping[str, float], old: RankedText, new: RankedText) -> str:
    """Say what a later answer says otherwise of the same matter; "" where nothing tells that it does."""
    also = asked.weigh_stems(new.text)
    short = max(len(stems(one.text[:READ_CHARS_MAX])) for one in (old, new)) <= SHORT_STEMS_MAX
    if short:
        return _compare_short(old.text, new.text) if held.keys() <= also.keys() else ""
    share = sum(also[stem] for stem in held if stem in also) / sum(held.values())
    if share < LONG_SHARE_MIN or new.score < LONG_SCORE_MIN * old.score:
        return ""
    return _compare_long(asked, old.text, new.text)


def _compare_short(old: str, new: str) -> str:
    """Compare two statements: another value of one kind, or a word of change, and no doubt."""
    code = language_code(f"{old} {new}")
    was, now = read_change(old, code), read_change(new, code)
    if was.asks or now.asks or now.doubts:
        return ""
    if values := find_other_value(was, now):
        return f"{values[1]} for {values[0]}"
    return "with a word of change" if now.signs and not was.past else ""


def _compare_long(asked: _QuestionReading, old: str, new: str) -> str:
    """Compare two texts of which one is long: another value of the kind asked for, or a strong word beside it."""
    was, now = (_find_best_clause(asked, text) for text in (old, new))
    if not was or not now:
        return ""
    before, after = (_read_clause(asked, text, clause) for text, clause in ((old, was), (new, now)))
    if before and after and not (before <= after or after <= before):
        return f"{', '.join(sorted(after - before))} for {', '.join(sorted(before - after))}"
    signs = CHANGING[asked.code].find_signs(lower_text(now))
    kinds = {sign.kind for sign in signs}
    return "with a word of change" if kinds & _STRONG and "doubts" not in kinds else ""


def _read_clause(asked: _QuestionReading, text: str, clause: str) -> frozenset[str]:
    if asked.kind != "time":
        return asked.find_values(text)
    values: ChangeReading = read_change(clause, asked.code)
    return frozenset(value for kind in _TIMES for value in values.values.get(kind, ()))


def _find_best_clause(asked: _QuestionReading, text: str) -> str:
    """Return the sentence of a text that holds most of the question's weight."""
    clauses = [part for part in _CLAUSES.split(text[:READ_CHARS_MAX]) if part.strip()]
    return max(clauses, key=lambda part: sum(asked.weigh_stems(part).values()), default="")
