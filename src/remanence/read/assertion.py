"""How sure it is that a sentence states something worth keeping, and of which category that is. Knows no memories."""

import re
from dataclasses import dataclass
from functools import lru_cache

from remanence.languages import LEXICONS
from remanence.languages.families import ASSERTIONS
from remanence.read.cues import SentenceReading
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
# Where the verb alone says "I".
_DROPS_PRONOUNS = frozenset({"es", "pt"})
_NUMBER = re.compile(r"\d")
_CAPITAL = re.compile(r"(?<=[\w,;:)] )[A-ZÀ-ÖØ-Þ][\w'’-]+")
_QUOTED = re.compile(r"^[\"“„«「][^\"”»」]*[\"”»」]?$")

# What each sign of a statement adds, tuned on `benchmarks.extract` and the first set of labels together.
WEIGHTS = {
    "cue": 0.12, "outright": 0.17, "state": 0.14, "held": 0.14, "name": 0.06, "number": 0.24, "kin": 0.16, "past": 0.06,
    "first": 0.17, "first again": 0.12, "own": 0.05, "episode": 0.12, "second": -0.15, "opinions": -0.20,
    "exclaims": -0.12, "answers": 0.33, "passing": -0.08, "asks": -0.20,
}  # fmt: skip
WORD = 0.045  # each word that says something, up to
WORDS_COUNTED = 16
STATED_MIN = 0.40
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
    if not read.content or _states_nothing(sentence, read):
        return NOTHING
    if role != "user":
        return _of_program(sentence, read, role)
    cues = _cues(sentence, read)
    category = next((name for name in ORDER if name in cues), "fact")
    counts = _counts(sentence, read)
    points = _points(read, counts, cued=bool(cues), answers=answers)
    return SentenceJudgement(category, _confidence(points, read, counts, cued=bool(cues)))


def _states_nothing(sentence: str, read: SentenceReading) -> bool:
    if sentence.rstrip("\"'”’»)] 」』").endswith(tuple(ASKING)) or _QUOTED.match(sentence):
        return True
    corrects = read.has("correction") and not read.has("requests", "supposes", "errors", "asks")
    return not corrects and bool(read.has(*_VETOES))


def _of_program(sentence: str, read: SentenceReading, role: str) -> SentenceJudgement:
    """What an assistant or tool says counts where it commits itself or confirms that something is arranged."""
    if role == "assistant" and read.has("pledges"):
        return SentenceJudgement("commitment", EXPLICIT)
    if read.has("confirms") and _NUMBER.search(sentence):
        return SentenceJudgement("fact", EXPLICIT)
    return NOTHING


def _cues(sentence: str, read: SentenceReading) -> set[str]:
    is_substantial = len(read.content) >= 2 or _NUMBER.search(sentence) is not None
    return {name for name in ORDER if read.has(name) and (is_substantial or name not in _ABOUT)}


def _points(read: SentenceReading, counts: dict[str, int], *, cued: bool, answers: bool) -> float:
    """Add up what speaks for a statement worth keeping."""
    first = counts.get("first", 0)
    signs = {
        **counts,
        "first again": first > 1,
        "own": first and read.has("preference", "skill"),
        "cue": cued,
        "outright": read.has(*_OUTRIGHT),
        "answers": answers,
    }
    words = len(read.content) if read.code in LEXICONS else len(read.content) // 2
    return WORD * min(words, WORDS_COUNTED) + sum(
        weight for name, weight in WEIGHTS.items() if signs.get(name)
    )


def _confidence(points: float, read: SentenceReading, counts: dict[str, int], *, cued: bool) -> float:
    """Return how sure a statement is: said outright, following from what was said, likely, or hedged."""
    if read.has("hedges"):
        return SPECULATIVE if points >= HEDGED_MIN else 0.0
    if points < STATED_MIN:
        return 0.0
    beyond = SURE_SHARE * (points - STATED_MIN)
    if cued and not counts.get("opinions"):
        return EXPLICIT
    least, most = (IMPLIED, EXPLICIT) if counts.get("state") or counts.get("held") else (INFERRED, IMPLIED)
    return round(min(most - 0.01, least + beyond), 2)


def _counts(sentence: str, read: SentenceReading) -> dict[str, int]:
    counts = {name: read.has(name) for name in ("state", "held", "opinions", "passing", "asks", "episode")}
    if read.has("correction"):
        counts["passing"] = counts["opinions"] = 0
    counts["exclaims"] = sentence.endswith(("!", "！"))
    counts["number"] = _NUMBER.search(sentence) is not None
    if read.code not in LEXICONS:
        counts["first"] = any(word in sentence for word in ASSERTIONS[read.code].possessives)
        return counts
    lists = _lists(read.code)
    counts["held"] = counts["held"] or _tells_of(read, numbered=bool(counts["number"]))
    for word in read.words:
        for name in lists.get(word, ()):
            counts[name] = counts.get(name, 0) + 1
    if LEXICONS[read.code].names_by_capital:
        counts["name"] = _CAPITAL.search(sentence) is not None or _is_named(read)
    if read.code in _DROPS_PRONOUNS and read.has("preference", "skill", "state", "commitment"):
        counts["first"] = counts.get("first", 0) + 1
    if not counts.get("past"):
        endings = LEXICONS[read.code].past_endings
        counts["past"] = bool(endings) and any(
            len(word) > 4 and word.endswith(endings) for word in read.words
        )
    return counts


def _tells_of(read: SentenceReading, *, numbered: bool) -> bool:
    """Tell whether something is said of a thing or person that is named or gets a number."""
    copulas = ASSERTIONS[read.code].copulas
    return (numbered or _is_named(read)) and any(word in copulas for word in read.words)


def _is_named(read: SentenceReading) -> bool:
    """Tell whether a sentence begins with what it is about: "Sami is"."""
    return (
        len(read.words) > 1
        and read.words[0] in read.content
        and read.words[1] in ASSERTIONS[read.code].copulas
    )


@lru_cache(maxsize=len(LEXICONS))
def _lists(code: str) -> dict[str, tuple[str, ...]]:
    lexicon = LEXICONS[code]
    by_name = {
        "time": lexicon.time_words, "kin": lexicon.kin, "past": lexicon.past, "first": lexicon.first_person,
        "second": lexicon.second_person, "number": lexicon.number_words,
    }  # fmt: skip
    return {
        word: tuple(name for name, words in by_name.items() if word in words)
        for word in frozenset().union(*by_name.values())
    }
