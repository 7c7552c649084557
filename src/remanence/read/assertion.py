"""How sure it is that a sentence states something worth keeping, and of which category that is. Knows no memories."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from remanence.languages import LEXICONS
from remanence.languages.families import ASSERTIONS, load_name_words
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
_VETOES = ("requests", "supposes", "wishes", "plays", "errors")
_OUTRIGHT = ("correction", "decision", "commitment", "rules")
_BACKING = ("number", "time", "name", "named", "signal", "answers")
_OURS = frozenset("we our wir bei unser unsere nous on notre chez nosotros nuestra en nós nossa na a".split())
_TO_ME = re.compile(r"\b(?:me|mir|mich)\b|-moi\b|\w{3}[aeá]me\b", re.IGNORECASE)
_HABITS = frozenset("always never immer nie niemals toujours jamais siempre nunca jamás sempre".split())
_EVERYBODY = frozenset("us our ours ourselves".split())
STANDING_ORDER = "high: standing order"
_NUMBER = re.compile(r"\d|[二三四五六七八九十百千万]")
_CAPITAL = re.compile(r"(?<=[\w,;:)] )[A-ZÀ-ÖØ-Þ][\w'’-]+")
_NAMES = re.compile(r"[^:]{3,60}: ?[^:]*[\d\w]")  # "presupuesto: 600 euros"

# What each sign of a statement adds, tuned on `benchmarks.extract` and the first half of `benchmarks.conversation`.
WEIGHTS = {
    "cue": 0.12, "outright": 0.17, "state": 0.14, "valued": 0.08, "name": 0.12, "number": 0.24, "kin": 0.16,
    "past": 0.06, "time": 0.14, "first": 0.17, "first again": 0.12, "signal": 0.25, "high": 0.25, "second": -0.20,
    "opinions": -0.20, "exclaims": -0.12, "answers": 0.33, "passing": -0.08,
}  # fmt: skip
WORD = 0.06  # each word that says something, up to
WORDS_COUNTED = 16
STATED_MIN = 0.45
UNBACKED = 0.06
HEDGED_MIN = 0.75  # "I think", "maybe": kept only where all else speaks for it, and then as speculation
SURE_SHARE = 0.5  # how much of what is beyond the least is confidence


@dataclass(frozen=True, slots=True)
class StatementEstimate:
    """What a sentence is: its category, how sure that is, 0 where it states nothing, and whether it is an order."""

    category: str
    confidence: float
    orders: bool = False


NOTHING = StatementEstimate("fact", 0.0)


def tier(confidence: float) -> str:
    """Return engram's name for how sure a fact is."""
    if confidence >= EXPLICIT:
        return "explicit"
    return "implied" if confidence >= IMPLIED else "inferred" if confidence >= INFERRED else "speculative"


def judge_sentence(
    sentence: str, read: SentenceReading, *, role: str = "user", answers: bool = False
) -> StatementEstimate:
    """Say what a sentence of a turn states; `answers` where the turn before asked something."""
    if not read.content:
        return NOTHING
    if role != "user":
        is_arranged = read.has("confirms") and _NUMBER.search(sentence) and not states_nothing(sentence, read)
        return StatementEstimate("fact", EXPLICIT) if is_arranged else NOTHING
    heard = signal(sentence)
    orders = STANDING_ORDER in heard.found
    if states_nothing(sentence, read) and not (orders and not read.has("supposes", "errors")):
        return NOTHING
    is_signal = heard.level in ("high", "medium")
    counts = _counts(sentence, read) | {
        "answers": answers,
        "signal": is_signal,
        "high": heard.level == "high",
        "orders": orders,
    }
    cues = {name for name in ORDER if read.has(name) and _is_sure(name, read, counts)}
    category = next((name for name in ORDER if name in cues), "preference" if orders else "fact")
    # "From now on write to me as Kit" says how to serve somebody, "from now on we ship on Mondays" what was decided.
    if orders and category == "decision" and _TO_ME.search(sentence):
        category = "preference"
    cued = bool(cues) or orders
    sure = _confidence(_points(read, counts, cued=cued), read, counts, cued=cued)
    return StatementEstimate(category, sure, orders)


def _is_sure(name: str, read: SentenceReading, counts: Mapping[str, int]) -> bool:
    """True where a sentence has the form of a category: "never" alone makes no principle, "can" no skill."""
    if name == "principle":
        is_general = not any(map(counts.get, ("kin", "time", "past"))) and _HABITS.isdisjoint(read.words)
        is_ours = not counts["first"] or read.words[0] in _OURS
        is_past = len(read.words) > 1 and (counts.get("past") or read.words[1].endswith(("ed", "ing")))
        return bool(counts["orders"] and not is_past) or (is_general and is_ours)
    if name == "preference" and len(read.content) == 1 and read.code in LEXICONS:
        return bool(counts["first"])  # "evening loves" greets
    return name != "skill" or read.code not in LEXICONS or not read.words or says_i(read, 1)


def states_nothing(sentence: str, read: SentenceReading) -> bool:
    """True for what asks, requests, supposes, wishes, jokes or quotes."""
    if sentence.rstrip("\"'”’»)] 」』").endswith(tuple(ASKING)):
        return True
    corrects = read.has("correction") and not read.has("requests", "supposes", "errors")
    return (not corrects and bool(read.has(*_VETOES))) or supposes_or_quotes(sentence, read)


def has_number(sentence: str, read: SentenceReading) -> bool:
    """True where a sentence tells a number, in digits or words."""
    lexicon = LEXICONS.get(read.code)
    words = lexicon.number_words - lexicon.stop if lexicon else frozenset()  # "once more" counts nothing
    return _NUMBER.search(sentence) is not None or not words.isdisjoint(read.words)


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
    is_backed = read.has(*_OUTRIGHT) or any(map(counts.get, _BACKING))
    is_told = is_backed or cued or counts.get("kin") or counts.get("begins")
    is_of_somebody = is_backed or counts.get("own") or counts.get("relative")
    told_to_you = ("number", "named", "orders", *(("name", "time") if read.code != "en" else ()))
    # What is said of everybody, or to the one who listens, is courtesy unless it tells a value.
    is_courtesy = counts.get("second") and not any(map(counts.get, told_to_you))
    if points < STATED_MIN + (0 if is_told else UNBACKED) or not is_of_somebody or is_courtesy:
        return 0.0
    if cued and not counts["opinions"] and not counts["passing"]:
        return EXPLICIT
    least, most = (IMPLIED, EXPLICIT) if counts.get("state") else (INFERRED, IMPLIED)
    return round(min(most - 0.01, least + SURE_SHARE * (points - STATED_MIN)), 2)


def _counts(sentence: str, read: SentenceReading) -> dict[str, int]:
    """Count what a sentence shows: words of each list, marks, a number, a name, a verb that says "I"."""
    counts = {name: read.has(name) for name in ("opinions", "passing")}
    counts["exclaims"] = sentence.endswith(("!", "！"))
    counts["number"] = _NUMBER.search(sentence) is not None
    if read.code not in LEXICONS:
        counts |= {"first": any(word in sentence for word in ASSERTIONS[read.code].possessives)}
        counts |= {
            "time": read.has("episode"),
            "state": read.has("state"),
            "named": True,
            "own": True,
        }
        return counts
    lists, lexicon = _lists(read.code), LEXICONS[read.code]
    for word in read.words:
        for name in lists.get(word, ()):
            counts[name] = counts.get(name, 0) + 1
    is_named = _is_named(read)
    capitals = (lexicon.names_by_capital or sentence[0].islower()) and _CAPITAL.search(sentence) is not None
    # Who writes no full stop writes a capital only where it means something.
    counts["name"] = capitals or (is_named and sentence[0].isupper() and sentence[-1] not in ".!")
    has_value = any(map(counts.get, ("number", "time", "name")))
    counts["named"] = _NAMES.match(sentence) is not None
    says = is_named or counts["named"] or (has_value and has_verb(read))
    counts["state"] = says or read.has("state") > 0
    counts["valued"] = has_value and counts["state"]
    counts["first"] = counts.get("first", 0) or says_i(read, 3)
    counts["begins"] = read.code == "en" and says_i(read, 1) and len(read.content) > 1
    # "Dad takes two", not "time with family is precious".
    counts["relative"] = any(
        word in lexicon.kin or word in load_name_words().given for word in read.words[:3]
    )
    # "We all need our rest": of everybody, and so of nobody.
    counts["own"] = any(
        word not in _EVERYBODY for word in read.words if "first" in lists.get(word, ())
    ) or says_i(read, 3)
    return counts


def _is_named(read: SentenceReading) -> bool:
    """Tell whether a sentence begins with what it is about: "Sami is"."""
    if len(read.words) < 2 or read.words[0] not in read.content:
        return False
    return is_verb(read.words[1], read.code)


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
