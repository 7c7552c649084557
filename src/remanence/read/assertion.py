"""How sure it is that a sentence states something worth keeping, and of which category that is. Knows no memories."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from remanence.languages import LEXICONS
from remanence.languages.families import ASSERTIONS
from remanence.read.cues import SentenceReading
from remanence.read.self_contained import has_verb, is_verb, says_i, supposes_or_quotes
from remanence.read.signals import signal
from remanence.text.analysis import ASKING

EXPLICIT, IMPLIED, INFERRED = 0.95, 0.70, 0.40  # engram A3, lower bounds
SPECULATIVE = 0.39
# Engram A3's categories; where several fit, the first of this order that the labels use.
ORDER = (
    "correction", "decision", "commitment", "principle", "preference",
    "moment", "relationship", "skill", "entity", "fact",
)  # fmt: skip
_VETOES = ("requests", "supposes", "wishes", "plays", "errors", "inverts")
# These need something that they are about: "Final answer." says nothing alone.
_ABOUT = frozenset({"correction", "decision", "moment"})
_OUTRIGHT = ("correction", "decision", "commitment", "rules")
_OURS = frozenset("we our wir bei unser unsere nous on notre chez nosotros nuestra en nós nossa na a".split())
STANDING_ORDER = "high: standing order"
_NUMBER = re.compile(r"\d|[二三四五六七八九十百千万]")
_CAPITAL = re.compile(r"(?<=[\w,;:)] )[A-ZÀ-ÖØ-Þ][\w'’-]+")
_NAMES = re.compile(r"[^:]{3,60}: ?[^:]*[\d\w]")  # "presupuesto: 600 euros"
_QUOTED = re.compile(r"^[\"“„«「][^\"”»」]*[\"”»」]?$")

# What each sign of a statement adds, tuned on `benchmarks.extract` and the first half of `benchmarks.conversation`.
WEIGHTS = {
    "cue": 0.12, "outright": 0.17, "state": 0.14, "name": 0.06, "number": 0.24, "kin": 0.16, "past": 0.06, "time": 0.14,
    "first": 0.17, "first again": 0.12, "signal": 0.25, "second": -0.20, "opinions": -0.20, "exclaims": -0.12,
    "answers": 0.33, "passing": -0.08, "asks": -0.20,
}  # fmt: skip
WORD = 0.045  # each word that says something, up to
WORDS_COUNTED = 16
STATED_MIN = 0.40
UNBACKED = 0.12  # so much more where no value, cue, question or signal of a turn backs it
HEDGED_MIN = 0.60  # "I think", "maybe": kept only where all else speaks for it, and then as speculation
SURE_SHARE = 0.5  # how much of what is beyond the least is confidence


@dataclass(frozen=True, slots=True)
class SentenceJudgement:
    """What a sentence is: its category and how sure that is, 0 where it states nothing."""

    category: str
    confidence: float


NOTHING = SentenceJudgement("fact", 0.0)


def tier(confidence: float) -> str:
    """Return engram's name for how sure a fact is."""
    if confidence >= EXPLICIT:
        return "explicit"
    return "implied" if confidence >= IMPLIED else "inferred" if confidence >= INFERRED else "speculative"


def judge_sentence(
    sentence: str, read: SentenceReading, *, role: str = "user", answers: bool = False
) -> SentenceJudgement:
    """Say what a sentence of a turn states; `answers` where the turn before asked something."""
    if not read.content:
        return NOTHING
    if role != "user":
        is_arranged = read.has("confirms") and _NUMBER.search(sentence) and not states_nothing(sentence, read)
        return SentenceJudgement("fact", EXPLICIT) if is_arranged else NOTHING
    heard = signal(sentence)
    orders = STANDING_ORDER in heard.found
    if states_nothing(sentence, read) and not (orders and not read.has("supposes", "errors")):
        return NOTHING
    counts = _counts(sentence, read)
    counts |= {"answers": answers, "signal": heard.level in ("high", "medium")}
    cues = {name for name in _cues(sentence, read) if _is_sure(name, read, counts, orders=orders)}
    category = next((name for name in ORDER if name in cues), "preference" if orders else "fact")
    points = _points(read, counts, cued=bool(cues) or orders)
    return SentenceJudgement(category, _confidence(points, read, counts, cued=bool(cues) or orders))


def _is_sure(name: str, read: SentenceReading, counts: Mapping[str, int], *, orders: bool) -> bool:
    """True where a sentence has the form of a category: "never" alone makes no principle, "can" no skill."""
    if name == "principle":
        is_general = not any(map(counts.get, ("kin", "time", "past")))
        is_ours = not counts["first"] or read.words[0] in _OURS
        return bool(read.has("rules")) or orders or (is_general and is_ours)
    return name != "skill" or read.code not in LEXICONS or not read.words or says_i(read, 1)


def states_nothing(sentence: str, read: SentenceReading) -> bool:
    """True for what asks, requests, supposes, wishes, jokes or quotes."""
    if sentence.rstrip("\"'”’»)] 」』").endswith(tuple(ASKING)) or _QUOTED.match(sentence):
        return True
    corrects = read.has("correction") and not read.has("requests", "supposes", "errors", "asks")
    return (not corrects and bool(read.has(*_VETOES))) or supposes_or_quotes(sentence, read)


def leads_on(sentence: str, read: SentenceReading) -> bool:
    """True where the next sentence may go on from one that is no fact: "about the installs. no, four of them"."""
    is_cry = sentence.endswith("!") and not has_verb(read)
    return bool(read.content) and len(read.words) > 1 and not is_cry and not states_nothing(sentence, read)


def has_value(sentence: str, read: SentenceReading) -> bool:
    """True where a sentence tells a number, a time, or a name."""
    if read.code not in LEXICONS:
        return _NUMBER.search(sentence) is not None
    counts = _counts(sentence, read)
    return any(map(counts.get, ("number", "time", "name"))) or bool(read.has("decision", "correction"))


def _cues(sentence: str, read: SentenceReading) -> set[str]:
    is_substantial = len(read.content) > 1 or _NUMBER.search(sentence) is not None
    return {name for name in ORDER if read.has(name) and (is_substantial or name not in _ABOUT)}


def _points(read: SentenceReading, counts: Mapping[str, int], *, cued: bool) -> float:
    """Add up what speaks for a statement worth keeping."""
    signs = {
        **counts,
        "first again": counts.get("first", 0) > 1,
        "cue": cued,
        "outright": read.has(*_OUTRIGHT),
    }
    words = len(read.content) if read.code in LEXICONS else len(read.content) // 2
    return WORD * min(words, WORDS_COUNTED) + sum(
        weight for name, weight in WEIGHTS.items() if signs.get(name)
    )


def _confidence(points: float, read: SentenceReading, counts: Mapping[str, int], *, cued: bool) -> float:
    """Return how sure a statement is: said outright, following from what was said, likely, or hedged."""
    if read.has("hedges"):
        return SPECULATIVE if points >= HEDGED_MIN else 0.0
    is_backed = any(map(counts.get, ("number", "time", "name", "named", "signal", "answers")))
    is_told = is_backed or cued or counts.get("kin")
    if points < STATED_MIN + (0 if is_told else UNBACKED) or (counts.get("second") and not is_backed):
        return 0.0
    if cued and not counts.get("opinions"):
        return EXPLICIT
    least, most = (IMPLIED, EXPLICIT) if counts.get("state") else (INFERRED, IMPLIED)
    return round(min(most - 0.01, least + SURE_SHARE * (points - STATED_MIN)), 2)


def _counts(sentence: str, read: SentenceReading) -> dict[str, int]:
    """Count what a sentence shows: words of each list, marks, a number, a name, a verb that says "I"."""
    counts = {name: read.has(name) for name in ("opinions", "passing", "asks")}
    if read.has("correction"):
        counts["passing"] = counts["opinions"] = 0
    counts["exclaims"] = sentence.endswith(("!", "！"))
    counts["number"] = _NUMBER.search(sentence) is not None
    if read.code not in LEXICONS:
        counts |= {"first": any(word in sentence for word in ASSERTIONS[read.code].possessives)}
        counts |= {"time": read.has("episode"), "state": read.has("state", "held"), "named": True}
        return counts
    lists, lexicon = _lists(read.code), LEXICONS[read.code]
    for word in read.words:
        for name in lists.get(word, ()):
            counts[name] = counts.get(name, 0) + 1
    is_named = _is_named(read)
    capitals = (lexicon.names_by_capital or sentence[0].islower()) and _CAPITAL.search(sentence) is not None
    counts["name"] = capitals or (is_named and sentence[0].isupper())
    has_value = any(map(counts.get, ("number", "time", "name")))
    counts["named"] = _NAMES.match(sentence) is not None
    says = is_named or counts["named"] or (has_value and has_verb(read))
    counts["state"] = says or read.has("state", "held") > 0
    counts["first"] = counts.get("first", 0) or says_i(read, 3)
    return counts


def _is_named(read: SentenceReading) -> bool:
    """Tell whether a sentence begins with what it is about: "Sami is"."""
    return len(read.words) > 1 and read.words[0] in read.content and is_verb(read.words[1], read.code)


@lru_cache(maxsize=len(LEXICONS))
def _lists(code: str) -> dict[str, tuple[str, ...]]:
    lexicon = LEXICONS[code]
    by_name = {
        "time": lexicon.time_words | {f"{word}s" for word in lexicon.time_words}, "kin": lexicon.kin,
        "past": lexicon.past, "first": lexicon.first_person, "second": lexicon.second_person,
        "number": lexicon.number_words,
    }  # fmt: skip
    return {
        word: tuple(name for name, words in by_name.items() if word in words)
        for word in frozenset().union(*by_name.values())
    }
