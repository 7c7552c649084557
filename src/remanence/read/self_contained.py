"""Whether a sentence stands by itself: without what only joins it to others, and naming what it speaks of.

Knows the words of one sentence; must not know memories. In doubt it does not stand: a turn loses nothing by it.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import dropwhile

from remanence.languages import LEXICONS
from remanence.languages.families import (
    ASSERTIONS,
    STATING,
    TELLING,
    THIRD_PERSON,
    UNSPACED_STATING,
)
from remanence.languages.shapes import Stating
from remanence.read.cues import WORD, SentenceReading, lower_text, read_sentence
from remanence.text.analysis import ASKING

PRONOUN, NUMBER, REFERENCE, VERBLESS, PICTURE = (
    "begins with a pronoun", "begins with a number", "speaks of what was said before", "says nothing of anything",
    "speaks of a picture",
)  # fmt: skip
_ENGLISH = THIRD_PERSON["en"]
_PAUSE = re.compile(r"[\s,.:;!…–—-]*")
_LAST_CLAUSE = re.compile(r"[,:–—][^,:–—]*$")
_CALLED_LAST = re.compile(r", [A-ZÀ-ÖØ-Þ]\w+[.!]?$")
_LED_MAX = 5
_EXISTING = frozenset({"hay", "há", "tem"})
_TAG_MAX = 3  # words: "right?", "can you believe?" ask for nothing
_CLAUSE_CONTENT_MIN = 2
_VALUE = re.compile(r"\d|\s[A-ZÀ-ÖØ-Þ]")
_CORRECTED_MAX = 2  # words that say something: "I was wrong, 400" does not say of what
_FRAGMENT_MAX = 2  # words without a verb
_BARE_MAX = 4  # that begin with a preposition: "mit Dana, am Mittwoch"


def trim_statement(text: str, begin: int, end: int, code: str) -> tuple[int, int]:
    """Return where the statement of a sentence stands: without leading talk, and without a request at its end."""
    if code not in STATING:
        return begin, end
    end = _cut_request(text, begin, end, code)
    called = _CALLED_LAST.search(text, begin, end)
    end = called.start() if called and called.start() > begin else end
    low, stating = lower_text(text[begin:end]), STATING[code]
    at = 0
    for _ in range(_LED_MAX):
        lead = _match_lead(text[begin:end], low, at, stating, LEXICONS[code].kin)
        if lead is None:
            break
        at = lead
    return begin + at, end


def _match_lead(sentence: str, low: str, at: int, stating: Stating, kin: AbstractSet[str]) -> int | None:
    """Return where a sentence goes on after a word that only leads to it: "and", "no,", "Hey John,", "mum it was"."""
    word = WORD.match(low, at)
    if word is None:
        return None
    follows = _PAUSE.match(low, word.end()).end()  # type: ignore[union-attr]  # it matches nothing too
    after = WORD.match(low, follows)
    if after is None:
        return None
    is_set_off = bool(low[word.end() : follows].strip())
    is_led = is_set_off or after.group() in stating.leads
    if word.group() in stating.leads or (word.group() in stating.cries and is_led):
        return follows
    called_end = _PAUSE.match(low, after.end()).end()  # type: ignore[union-attr]
    is_called = (
        sentence[follows].isupper() and low[after.end() : called_end].strip() and called_end < len(low)
    )
    if word.group() in stating.cries and is_called and after.group() not in stating.persons:
        return called_end
    is_kin = word.group() in kin and not is_set_off and after.group() in stating.persons
    return follows if is_kin else None


def _cut_request(text: str, begin: int, end: int, code: str) -> int:
    """Return where a sentence ends without a last clause that asks: where it begins if the rest says nothing."""
    clause = _LAST_CLAUSE.search(text, begin, end)
    if clause is None:
        return end
    last = read_sentence(clause.group()[1:], code)
    asks = text[begin:end].endswith(tuple(ASKING))
    words = last.words
    turns = len(words) > 2 and words[0] in STATING[code].inverting and words[1] not in last.content
    if not (last.has("requests") or turns or (asks and len(words) <= _TAG_MAX)):
        return end
    rest = read_sentence(text[begin : clause.start()], code)
    return clause.start() if len(rest.content) >= _CLAUSE_CONTENT_MIN else begin


def supposes_or_quotes(sentence: str, read: SentenceReading) -> bool:
    """True for a saying, and for what would be if something else were."""
    low = lower_text(sentence)
    stating = STATING.get(read.code)
    if stating is None:
        return any(phrase in low for phrase in UNSPACED_STATING[read.code].sayings)
    supposed = not stating.ifs.isdisjoint(read.words) and not stating.unreal.isdisjoint(read.words)
    is_courtesy = bool(read.words) and read.words[0] in stating.courtesies
    return supposed or is_courtesy or any(phrase in low for phrase in stating.sayings)


def says_i(read: SentenceReading, within: int) -> bool:
    """True where one of the first words says "I" or "we", be it the verb alone as in Spanish or in chat."""
    stating = STATING[read.code]
    said = stating.finite | stating.persons
    endings = stating.endings or ("\0",)
    return any(word in said or (len(word) > 3 and word.endswith(endings)) for word in read.words[:within])


def is_verb(word: str, code: str) -> bool:
    """True for a verb that a statement may be made with, as far as the lists know it."""
    telling = TELLING[code]
    verbs = (
        ASSERTIONS[code].copulas, STATING[code].finite, telling.attributes, telling.others, telling.changes,
    )  # fmt: skip
    known = any(word in some for some in verbs)
    return known or (code == "en" and (word in _ENGLISH.verbs or word.removesuffix("s") in _ENGLISH.verbs))


def has_verb(read: SentenceReading) -> bool:
    """True where a sentence has a verb that the lists know."""
    return any(is_verb(word, read.code) for word in read.words)


def is_anothers_wish(read: SentenceReading) -> bool:
    """True where an English sentence has its verb in the third person and "I" or "my" nowhere: "it wants me"."""
    said = STATING["en"].persons | ASSERTIONS["en"].possessives
    if read.code != "en" or not said.isdisjoint(read.words):
        return False
    return any(word.endswith("s") and word[:-1] in _ENGLISH.verbs for word in read.words)


def find_dependence(sentence: str, read: SentenceReading, *, orders: bool = False) -> str:
    """Say why a sentence does not stand by itself, "" where it does; an order needs nobody named."""
    stating = STATING.get(read.code)
    if stating is None:
        return PRONOUN if sentence.startswith(UNSPACED_STATING[read.code].dependents) else ""
    if not read.words:
        return VERBLESS
    if not orders and read.code == "en" and _names_nobody(sentence, read):
        return VERBLESS
    first, second, *_ = *dropwhile(_ENGLISH.adverbs.__contains__, read.words), "", ""
    if read.has("correction") and len(read.content) <= _CORRECTED_MAX:
        return REFERENCE
    if _begins_dependent(first, second, read, stating):
        return PICTURE if second in _SHOWN else PRONOUN
    lexicon = LEXICONS[read.code]
    counted = first[:1].isdigit() or first in lexicon.number_words
    if counted and ":" not in sentence and (not second or second in lexicon.stop or not _tells(read)):
        return NUMBER
    # Only English verbs are known well enough that a longer sentence without one says nothing.
    is_told = _VALUE.search(sentence) and sentence[-1] != "!"
    is_bare = first in TELLING[read.code].prepositions and len(read.words) <= _BARE_MAX
    is_short = is_bare or len(read.words) <= _FRAGMENT_MAX or (read.code == "en" and not is_told)
    if not orders and ":" not in sentence and is_short and not _tells(read):
        return VERBLESS
    return REFERENCE if stating.backward and _refers_back(sentence, read, stating) else ""


def _names_nobody(sentence: str, read: SentenceReading) -> bool:
    """True where an English sentence begins with its verb and tells no value either: "Miss being outdoors"."""
    first, lexicon = read.words[0], LEXICONS[read.code]
    is_past = first in lexicon.past or (
        len(first) > 4 and first.endswith("ed") and sentence[len(first) :][:1] == " "
    )
    if first in _ENGLISH.verbs and not is_past:
        says_more = not STATING[read.code].persons.isdisjoint(read.words[1:])
        return not says_more and not any(map(str.isdigit, sentence))
    told = ASSERTIONS[read.code].copulas | {"me", "us"}  # "Fixing cars calms me"
    is_done = first.endswith("ing") and told.isdisjoint(read.words)
    valued = lexicon.time_words | lexicon.number_words
    return (is_past or is_done) and not _VALUE.search(sentence) and valued.isdisjoint(read.words)


def _begins_dependent(first: str, second: str, read: SentenceReading, stating: Stating) -> bool:
    lexicon, copulas = LEXICONS[read.code], ASSERTIONS[read.code].copulas
    if first in stating.dependents:
        return second not in lexicon.time_words
    # Who "has two" or "likes it" was named before: the verb alone says only that it is somebody else.
    if read.code == "en":
        return first.endswith("s") and (first in copulas or first[:-1] in _ENGLISH.verbs)
    return bool(stating.endings) and first in copulas - _EXISTING and second not in stating.persons


def _tells(read: SentenceReading) -> bool:
    lexicon = LEXICONS[read.code]
    said = lexicon.past | STATING[read.code].persons
    endings = lexicon.past_endings or ("\0",)
    return has_verb(read) or any(
        word in said or (len(word) > 4 and word.endswith(endings)) for word in read.words
    )


def _refers_back(sentence: str, read: SentenceReading, stating: Stating) -> bool:
    """True where "it" or "them" comes before anything that it could stand for, named in a clause before."""
    matches, lexicon = list(WORD.finditer(lower_text(sentence))), LEXICONS[read.code]
    named = opened = False
    things = {(word,) for word in read.content}
    for at, match in enumerate(matches):
        word, pauses = match.group(), _is_set_off(sentence, matches, at)
        if word in stating.backward and not _is_plain(read.words, at, read.code):
            owns = word in _OWNING or (word == "her" and read.words[at + 1 : at + 2] in things)
            is_known = named and (opened or pauses or owns or word in _PERSONS)
            if word in _POINTING or not is_known:
                return True
        opened = opened or pauses or word in stating.opening
        is_noun = word not in lexicon.time_words and not is_verb(word, read.code)
        named = named or (word in read.content and is_noun)
    return False


def _is_plain(words: Sequence[str], at: int, code: str) -> bool:
    """True for "this week", "that" that joins and "there are", which speak of nothing that was said before."""
    word, following = words[at], words[at + 1 : at + 2]
    if word == "that":
        is_joined = at == 0 or words[at - 1] not in _BEFORE_THINGS or _introduces(words, at)
        return is_joined and bool(following) and following[0] not in _SHOWN | _AND
    if word == "one":
        # "The last one" and "one boat" say which; "I played one" does not.
        beside = LEXICONS[code].stop | LEXICONS[code].time_words
        is_led = at == 0 or words[at - 1] in beside
        return is_led or following == ("of",) or bool(following and following[0] not in beside)
    if word in _POINTING and not (at and words[at - 1] == "like"):
        return (
            following == ("to",)
            or bool((LEXICONS[code].time_words - _BESIDE_NOW).intersection(following))
            or _introduces(words, at)
        )
    return word == "there" and bool(ASSERTIONS[code].copulas.intersection(following))


def _introduces(words: Sequence[str], at: int) -> bool:
    """True for "this awesome game" and "that evening course", which say of what they speak."""
    following = words[at + 1 : at + 3]
    return len(following) > 1 and following[0] not in _SHOWN and LEXICONS["en"].stop.isdisjoint(following)


def _is_set_off(sentence: str, matches: Sequence[re.Match[str]], at: int) -> bool:
    return at > 0 and bool(sentence[matches[at - 1].end() : matches[at].start()].strip())


_BEFORE_THINGS = frozenset("like in of at for with on to about from".split())
_OWNING = frozenset({"his", "their"})
_PERSONS = frozenset({"he", "he's", "she", "she's"})
_POINTING = frozenset({"this", "these", "those"})
_AND = frozenset({"and", "but", "or"})
_BESIDE_NOW = frozenset({"last", "next"})
_SHOWN = frozenset("pic pics photo photos picture pictures image".split())
