"""Whether a newer text says that something of an older one is otherwise now, by words of change and by what they share.

For texts that claim nothing by one verb: "The rent is 740.", "They wrote to us, rent goes to 815." In doubt it says no.
Knows two texts, who said them, and how many memories hold a stem, no store.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import pairwise

from remanence.core.model import Role, Trust
from remanence.languages import LEXICONS
from remanence.languages.change_words import CHANGING, CUES, Sign
from remanence.languages.families import ASSERTIONS, TELLING, UNSPACED_TELLING, load_units
from remanence.read.claims import BE, load_value_kinds
from remanence.read.cues import language_code, lower_text, read_sentence
from remanence.read.mentions import is_no_name
from remanence.read.statements import mask_code_and_asides
from remanence.text.analysis import stems
from remanence.text.twins import find_label

CHARS_MAX = 400  # what is longer is no remark that something changed
OLD_STEMS_MAX = 12  # what tells one thing
NEW_STEMS_MAX = 20
RARE_SHARE = 0.02  # a stem that more of the memories hold does not tell what a text is about
RARE_LEAST = 6  # so many may hold it in a small scope, where both turns and the facts of both are four
ABOUT_MIN = 0.2  # of the old text's stems are in the new one
NEAR_MIN = 0.2
OTHERS_NEAR_MIN = 0.4
OTHERS_DENIED_MIN = 1.4  # of both texts together, where another speaks: who denies a statement says it again
OTHERS_LEFT_MAX = (
    1 / 3
)  # of what one of two texts is about the other may leave out, else it is about something else
PERSONS_ABOUT_MIN = 0.5  # of each, where two persons talk: what they share is often a word of everybody's
DENIED_STEMS_MIN = 2  # in one word two texts share less than a statement
VALUES_MAX = 2  # of one kind in a text; which of more became which cannot be told
REACH_WORDS = 3  # so near stands what is moved, sold or over, beside the word that says so
DENIED_WORDS_MAX = 2  # so near before it stands what denies it: "I will never quit"
VERB_WORDS = 2  # within so many behind a name stands what it does: "Ada now lives", not "Rent: 740"
REACH_CHARS = 6  # in a script without blanks
SAME_WORDS_MIN = 3  # in a row, of two statements that differ in their value alone
NAMED_WORDS_MIN = 2  # and where both have another name as well
SAME_SHARE_MIN, NAMED_SHARE_MIN = 0.5, 0.4  # of the older one's words
# How sure it is that a text is newer than what its speaker said before, where it is the same statement and is said to
# have changed, and else; and that it is at odds with what somebody else said.
SURE, UNSURE, AT_ODDS = 0.9, 0.6, 0.6

_NO_STATEMENT = ("requests", "supposes", "wishes", "plays", "errors", "passing")
# Where nothing else tells, these alone say so: where what both texts are about stands in the text, in the clause, or
# next to them; `now` unless a clause begins with it. These and some others also where the rest is the same
# statement; all others only count beside another value.
_OF_TEXT, _OF_CLAUSE, _OF_NEIGHBOURS = "shifts", "onward", frozenset({"ends", "anymore", "now"})
_OF_STATEMENT = frozenset({"now", "lately", "turns"})
_UNDENIED, _OVER = frozenset({"shifts", "ends"}), frozenset({"ends", "anymore"})
_CORRECTING = frozenset({"corrects", "refutes"})
_NAMING = frozenset({"onward", "shifts", "reaches", "ends", "anymore"})
_WORD = re.compile(r"[^\W_](?:[^\s,;!()\[\]{}<>|*]|(?<=\d),(?=\d))*+")
_OPENING_NAME = re.compile(
    r"\W*+(?P<name>[A-ZÀ-ÖØ-Þ][\w-]*+(?: [A-ZÀ-ÖØ-Þ][\w-]*+){0,3}+)(?P<owns>['’]s(?!\w))?"
)
_SPOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_CLAUSE_END = re.compile(r"[.,;:!?](?=\s|$)|[…()\"“”–—。，、；：！？]|\s-+\s")
_NUMBER = re.compile(r"\W?\d{1,4}(?:[.,:]\d{1,3}){0,2}(?:st|nd|rd|th|am|pm|h|kg|km|m|c|%|°c?|€|gb|mb)?")
_CODE = re.compile(r"\d{5,}|[^\W\d_]\d[^\W_]*[^\W\d_]\d")
_UNSPACED_VALUES = {
    "weekday": re.compile(r"[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]"),
    "number": re.compile(
        r"(?<![一二三四五六七八九十百千两半\d])[一二三四五六七八九十百千两半\d]{1,12}(?=[点時时分块元日人号版階楼歳岁杯回つ個])"
    ),
}
_ASKS = re.compile(r"[?？]")
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]++(?:\s++|$)|(?<![。！？])[。！？]++|(?<!\n)\n++")
_ENDS = " .!:;…。！"
_CLOSING = ".'-–:"
_AROUND = " .,:;!?…()¡¿'\"„“”«»-–="


@dataclass(frozen=True, slots=True)
class AttributedText:
    """A text, who said it, and how far that is believed."""

    text: str
    speaker: str | None
    role: Role
    trust: Trust


@dataclass(frozen=True, slots=True)
class OutdatedScore:
    """How sure it is that a newer text outdates an older one, and why; by `near` the likeliest of several is told.

    Where they are `odds`, somebody else says so.
    """

    sure: float
    near: float = 0.0
    why: str = ""
    odds: bool = False


NO = OutdatedScore(0.0)
ENDED, OTHERWISE, CHANGED = "it is said to be over", "it is said to be so from now on", "a word of change"
DIFFERS, DENIED = "somebody else says otherwise", "somebody else denies it"


@dataclass(frozen=True, slots=True)
class ChangeReading:
    """What a text says: what it is about, its values by kind, its names, and the signs of change and doubt in it.

    `low` is the text in small letters; where a sign stands is told of that.
    """

    low: str
    about: frozenset[str]
    values: Mapping[str, frozenset[str]]
    names: frozenset[str]
    signs: tuple[Sign, ...]
    asks: bool
    doubts: bool
    denies: bool
    mine: bool
    past: bool
    code: bool


@dataclass(frozen=True, slots=True)
class _ReadingPair:
    """Two texts as read, the language of both, and what they share without the names of who speaks."""

    was: ChangeReading
    now: ChangeReading
    code: str
    who: frozenset[str]
    shared: frozenset[str]
    near: float | None


def may_outdate(said: AttributedText) -> bool:
    """Tell whether a text may say that something is otherwise: for most, nothing has to be looked up."""
    if len(said.text) > CHARS_MAX or _ASKS.search(said.text) or len(stems(said.text)) > NEW_STEMS_MAX:
        return False
    text = mask_code_and_asides(said.text)
    if _CODE.search(text):
        return False
    # Not `read_change`: most of these texts are never compared, and it takes three times as long.
    code = language_code(said.text)
    kinds = {sign.kind for sign in CHANGING[code].find_signs(lower_text(text))}
    return not kinds.isdisjoint((*CUES, "denies")) or bool(_values(text, code)[0])


def score_outdated(
    old: AttributedText, new: AttributedText, near: float | None, held: Mapping[str, int], of: int
) -> OutdatedScore:
    """Say how sure it is that a newer text outdates an older one; `near` is their cosine, None where unknown.

    `held` says how many of the memories, `of` in all, hold a stem of the newer text.
    """
    if max(len(old.text), len(new.text)) > CHARS_MAX:
        return NO
    rare = max(RARE_LEAST, RARE_SHARE * of)
    # What costs little says no to most: a text is about no other stems than it has.
    were, are = stems(mask_code_and_asides(old.text)), stems(mask_code_and_asides(new.text))
    if len(were) > OLD_STEMS_MAX or len(are) > NEW_STEMS_MAX:
        return NO
    who = _stems_of(old.speaker) | _stems_of(new.speaker)
    if not any(held.get(stem, 0) <= rare for stem in frozenset(were).intersection(are) - who):
        return NO
    code = language_code(f"{old.text} {new.text}")
    # Of another speaker's, also where that one is believed less, nobody knows that it is no longer meant.
    is_own = new.trust >= old.trust and new.speaker == old.speaker
    now = read_change(_select_stated(new.text, code, certain=True) if is_own else new.text, code)
    if is_own and (_talks(old.text, code) or _talks(new.text, code)):
        # Among talk these tell of the moment: "I'm off to spend some time with them now."
        now = replace(now, signs=tuple(sign for sign in now.signs if sign.kind not in _OF_STATEMENT))
    if now.asks or now.code or (is_own and not now.signs):
        return NO
    was = read_change(old.text, code)
    # What is shared has to be stated, but weighs as a part of all that was said.
    shared = (read_change(_select_stated(old.text, code), code) if is_own else was).about & now.about - who
    if is_own:
        shared -= _stems_of_words(_words(code, "time_words")) | _stems_of_signs(now)
        shared |= _find_corrected(was, now)
    if was.asks or was.code or not any(held.get(stem, 0) <= rare for stem in shared - _stems_of_units()):
        return NO
    if _name_other_subjects(old.text, new.text, code, who):
        return NO
    pair = _ReadingPair(was, now, code, who, shared, near)
    persons = old.role is new.role is Role.USER and new.trust == old.trust
    score = _score_change(pair) if is_own else _at_odds(pair, persons=persons)
    if score is NO or (not is_own and (_talks(old.text, code) or (persons and _talks(new.text, code)))):
        return NO
    return score


def _name_other_subjects(old: str, new: str, code: str, who: frozenset[str]) -> bool:
    """Tell whether each text tells of somebody by a name that the other does not mention, whoever said both."""
    was, now = (_find_named_subject(text, code) - who for text in (old, new))
    return not (was <= frozenset(stems(new)) or now <= frozenset(stems(old)))


@lru_cache(maxsize=1024)
def _find_named_subject(text: str, code: str) -> frozenset[str]:
    """Return the stems of the name that a text opens with and tells something of; none where it opens otherwise.

    One word with a capital opens any text: it is a name where a verb follows, or what it owns. Who "is our goalkeeper"
    is what is told of the goalkeeper.
    """
    lexicon, label = LEXICONS.get(code), find_label(text)
    match = _OPENING_NAME.match(text, text.index(":") + 1 if label else 0)
    if lexicon is None or match is None:
        return frozenset()
    telling, words = TELLING[code], match["name"].split()
    after = _SPOKEN.findall(lower_text(text[match.end() :]))[:VERB_WORDS]
    is_office = len(after) > 1 and telling.attributes.get(after[0]) == BE and after[1] in telling.definite
    if is_office or is_no_name(words[0], code):
        return frozenset()
    is_of_many = len(words) > 1 and lexicon.names_by_capital
    is_name = is_of_many or match["owns"] is not None or any(_is_verb(word, code) for word in after)
    return frozenset(stems(match["name"])) if is_name else frozenset()


def _is_verb(word: str, code: str) -> bool:
    telling = TELLING[code]
    verbs = (ASSERTIONS[code].copulas, telling.attributes, telling.others, telling.changes)
    return any(word in some for some in verbs) or _is_past([word], code)


def _score_change(pair: _ReadingPair) -> OutdatedScore:
    """Judge what one speaker said before and says now, with a word of change that nothing puts in doubt."""
    was, now = pair.was, pair.now
    about = [part & was.about - pair.who for part in (*map(_stems_in, _clauses(was.low)), was.about)]
    share = max(len(part & pair.shared) / max(1, len(part)) for part in about)
    corrects = not _CORRECTING.isdisjoint(sign.kind for sign in now.signs)
    is_named = not pair.shared.isdisjoint(stem for name in was.names & now.names for stem in stems(name))
    if pair.near is not None and pair.near < NEAR_MIN:
        return NO
    # A name tells alone what a text is about; and what was said wrongly may be of the past.
    if not corrects and (was.past or (share < ABOUT_MIN and not is_named)):
        return NO
    likely = share + (pair.near or 0.0)
    signs = [sign for sign in now.signs if _tells(pair, sign)]
    ends = pair.shared >= was.about - pair.who and any(sign.kind in _OVER for sign in signs)
    if ends or any(_same_statement(pair, verb=sign.kind == "turns") for sign in signs):
        return OutdatedScore(SURE, likely, ENDED if ends else OTHERWISE)
    if signs or find_other_value(was, now) or _other_names(pair) or _find_corrected(was, now):
        return OutdatedScore(UNSURE, likely, CHANGED)
    return NO


def _find_corrected(was: ChangeReading, now: ChangeReading) -> frozenset[str]:
    """Return the stems of the older values and names that a correction says again: "the 13th, the 6th is the fair"."""
    if all(sign.kind != "corrects" for sign in now.signs):
        return frozenset()
    again = was.names & now.names
    for kind in was.values.keys() & now.values.keys():
        again |= was.values[kind] & now.values[kind]
    return frozenset(stem for word in again for stem in stems(word))


def _tells(pair: _ReadingPair, sign: Sign) -> bool:
    """Tell whether a word of change says of what both texts are about, and of nothing else, that it is otherwise."""
    if sign.kind in _OF_STATEMENT and _same_statement(pair, verb=sign.kind == "turns"):
        return True
    low, clause = pair.now.low, _clause(pair.now.low, sign)
    if sign.kind == _OF_CLAUSE:
        return not pair.shared.isdisjoint(stems(low[clause[0] : clause[1]]))
    before = _SPOKEN.findall(low[clause[0] : sign.begin])
    if sign.kind in _UNDENIED and not _words(pair.code, "negations").isdisjoint(before[-DENIED_WORDS_MAX:]):
        return False
    if sign.kind == _OF_TEXT:
        return True
    beside = _select_nearby_words(low, sign, clause, spaced=CHANGING[pair.code].spaced)
    return sign.kind in _OF_NEIGHBOURS and not pair.shared.isdisjoint(stems(beside))


def _clause(low: str, sign: Sign) -> tuple[int, int]:
    """Return from where to where the clause goes that a sign stands in."""
    begin = max((mark.end() for mark in _CLAUSE_END.finditer(low, 0, sign.begin)), default=0)
    end = _CLAUSE_END.search(low, sign.end)
    return begin, len(low) if end is None else end.start()


def _clauses(low: str) -> list[str]:
    ends = [0, *(mark.end() for mark in _CLAUSE_END.finditer(low)), len(low)]
    return [low[begin:end] for begin, end in pairwise(ends)]


def _stems_in(text: str) -> frozenset[str]:
    return frozenset(stems(text))


def _select_nearby_words(low: str, sign: Sign, clause: tuple[int, int], *, spaced: bool) -> str:
    """Return the few words that stand before and after a sign in its clause."""
    before, after = low[clause[0] : sign.begin], low[sign.end : clause[1]]
    if not spaced:
        return f"{before[-REACH_CHARS:]} {after[:REACH_CHARS]}"
    return " ".join((*_SPOKEN.findall(before)[-REACH_WORDS:], *_SPOKEN.findall(after)[:REACH_WORDS]))


def _same_statement(pair: _ReadingPair, *, verb: bool) -> bool:
    """Tell whether two texts say the same in the same words, in a row, but for one value.

    A word such as "again" or "broken" may say something else of the same subject: there a verb is among the words.
    """
    were, are = (_list_spoken_words(text.low, pair) for text in (pair.was, pair.now))
    row = SequenceMatcher(None, were, are, autojunk=False).find_longest_match()
    is_named = _names_differ(pair)
    least, share = (NAMED_WORDS_MIN, NAMED_SHARE_MIN) if is_named else (SAME_WORDS_MIN, SAME_SHARE_MIN)
    if row.size < max(least, share * len(were)) or not {*were} - {*are} - _words(
        pair.code, "first_person", "stop", "negations"
    ):
        return False
    same = were[row.a : row.a + row.size]
    return not (verb and ASSERTIONS[pair.code].copulas.isdisjoint(same))


def _list_spoken_words(low: str, pair: _ReadingPair) -> list[str]:
    """Return the words of a text without the names of who speaks, of a script without blanks the characters."""
    if not CHANGING[pair.code].spaced:
        return [*low]
    return [word for word in _SPOKEN.findall(low) if pair.who.isdisjoint(stems(word))]


def _other_names(pair: _ReadingPair) -> bool:
    """Tell whether both have names that the other has not, and something is said to have changed."""
    lexicon = LEXICONS.get(pair.code)
    if lexicon is None or not lexicon.names_by_capital:
        return False
    return any(sign.kind in _NAMING for sign in pair.now.signs) and _names_differ(pair)


def _names_differ(pair: _ReadingPair) -> bool:
    was, now = (
        {name for name in text.names if pair.who.isdisjoint(stems(name))} for text in (pair.was, pair.now)
    )
    return bool(was - now and now - was)


def _at_odds(pair: _ReadingPair, *, persons: bool) -> OutdatedScore:
    """Judge what somebody else says: of the same subject, and of the same person's, it has another value, or denies it.

    Verbs, units and words of time are shared by texts about anything, and are no subject.
    """
    was, now, near = pair.was, pair.now, pair.near
    abouts = [text.about - pair.who - _stems_of_verbs(pair.code) for text in (was, now)]
    shared, little = (
        abouts[0] & abouts[1],
        _stems_of_words(_words(pair.code, "time_words")) | _stems_of_units(),
    )
    if shared <= little or (near is not None and near < OTHERS_NEAR_MIN):
        return NO
    parts = [len(shared) / len(about) for about in abouts]
    left = min(len(about - shared - little) / len(about) for about in abouts)
    if left > OTHERS_LEFT_MAX or (persons and min(parts) < PERSONS_ABOUT_MIN):
        return NO
    has_value = find_other_value(was, now, most=1) is not None and not (persons and (was.mine or now.mine))
    is_denied = now.denies != was.denies and sum(parts) >= OTHERS_DENIED_MIN
    is_denied &= len(pair.shared) >= DENIED_STEMS_MIN
    if not is_denied and (not has_value or _differ_in_subject(pair)):
        return NO
    return OutdatedScore(AT_ODDS, sum(parts) + (near or 0.0), DENIED if is_denied else DIFFERS, odds=True)


def _differ_in_subject(pair: _ReadingPair) -> bool:
    """Tell whether two values are of two things: of an oak and a pine desk, mine and Ben's, in euros and in months.

    So are values of two kinds, where a month is a part of a number: what six guests are on Monday are ten on Friday.
    """
    was, now, who = pair.was, pair.now, pair.who
    kinds = was.values.keys() & now.values.keys() - {"month"}
    if sum(was.values[kind].isdisjoint(now.values[kind]) for kind in kinds) > 1:
        return True
    named = [{name for name in text.names if name[1:] and who.isdisjoint(stems(name))} for text in (was, now)]
    if (was.mine and named[1] - named[0]) or (now.mine and named[0] - named[1]):
        return True
    apart = (was.about ^ now.about) - who - _stems_of_units() - _stems_of_verbs(pair.code)
    places, measures = zip(*(_find_places(text, apart, pair.code) for text in (was, now)), strict=True)
    return not places[0].isdisjoint(places[1]) or (all(measures) and measures[0].isdisjoint(measures[1]))


def _find_places(
    read: ChangeReading, apart: frozenset[str], code: str
) -> tuple[frozenset[tuple[str, str]], frozenset[str]]:
    """Return between which words stands what the other text does not hold, and in what the numbers are told."""
    lexicon = LEXICONS.get(code)
    values = frozenset().union(*read.values.values())
    bare = [word.strip(_AROUND) for word in read.low.split()]
    words = ["", *("#" if word in values else word for word in bare if word), ""]
    my = ASSERTIONS[code].possessives
    times = lexicon.time_words if lexicon else frozenset()
    units = load_units().measures | load_units().symbols
    places: set[tuple[str, str]] = set()
    measures: set[str] = set()
    for before, word, after in zip(words, words[1:], words[2:], strict=False):
        if word == "#":
            measures.add("unit" if after in units else "time" if after in times else "")
            measures |= {"unit"} if before in units else set()
        elif word in my or not apart.isdisjoint(stems(word)):
            places |= {(before, "")} if before else set()
            places |= {("", after)} if after else set()
    return frozenset(places), frozenset(measures)


def find_other_value(
    was: ChangeReading, now: ChangeReading, most: int = VALUES_MAX
) -> tuple[str, str] | None:
    """Return what each has of a kind and the other has not, one of both at `most` so many; None where one has none."""
    for kind in sorted(was.values.keys() & now.values.keys()):
        old, new = was.values[kind], now.values[kind]
        differ = min(len(old - new), len(new - old))
        if max(len(old), len(new)) <= VALUES_MAX and 0 < differ <= most:
            return min(old - new), min(new - old)
    return None


@lru_cache(maxsize=1024)
def read_change(text: str, code: str) -> ChangeReading:
    """Read what a text says, what it is about, and whether it is otherwise than before, in a language."""
    text = mask_code_and_asides(text)
    low = lower_text(text)
    values, names = _values(text, code)
    value_stems = {stem for some in values.values() for value in some for stem in stems(value)}
    lexicon = LEXICONS.get(code)
    words = [word.strip(_ENDS) for word in low.split()]
    stop = frozenset() if lexicon is None else lexicon.stop
    signs = CHANGING[code].find_signs(low)
    kinds = {sign.kind for sign in signs}
    return ChangeReading(
        low=low,
        about=frozenset(stems(text)) - value_stems - stop,
        values=values,
        names=names,
        signs=tuple(sign for sign in signs if sign.kind in CUES),
        asks=_ASKS.search(text) is not None,
        doubts="doubts" in kinds,
        denies="denies" in kinds,
        mine=_is_mine(low, words, code),
        past=lexicon is not None and _is_past(words, code),
        code=_CODE.search(text) is not None,
    )


def _is_mine(low: str, words: list[str], code: str) -> bool:
    """Tell whether a text speaks of who says it."""
    if code in UNSPACED_TELLING:
        return any(word in low for word in UNSPACED_TELLING[code].i)
    return not (LEXICONS[code].first_person | TELLING[code].own).isdisjoint(words)


def _stems_of_signs(read: ChangeReading) -> frozenset[str]:
    return frozenset(stem for sign in read.signs for stem in stems(read.low[sign.begin : sign.end]))


@lru_cache(maxsize=1024)
def _stems_of(speaker: str | None) -> frozenset[str]:
    """Return the stems of the name of who speaks: extracted facts have it where turns say "I"."""
    return frozenset() if speaker is None else frozenset(stems(speaker))


@cache
def _stems_of_words(words: frozenset[str]) -> frozenset[str]:
    return frozenset(stem for word in words for stem in stems(word))


def _stems_of_units() -> frozenset[str]:
    return _stems_of_words(load_units().measures)


@cache
def _stems_of_verbs(code: str) -> frozenset[str]:
    """Return the stems of what is said of a subject, and is none: "costs", "runs", "sold"."""
    if code not in LEXICONS:
        return frozenset()
    telling = TELLING[code]
    return _stems_of_words(LEXICONS[code].past.union(telling.attributes, telling.others, telling.changes))


@lru_cache(maxsize=1024)
def _select_stated(text: str, code: str, *, certain: bool = False) -> str:
    """Return the clauses of a text that state something, without the reaction that one opens with.

    Left out are sentences that ask or suppose, where it has to be `certain` those with a word of doubt, and clauses
    that speak to somebody, unless they correct what was told: what stands beside them may say that something changed.
    """
    kept: list[str] = []
    whole, begun = mask_code_and_asides(text), 0
    for stop in (*(mark.end() for mark in _SENTENCE_END.finditer(whole)), len(whole)):
        sentence, begun = whole[begun:stop], stop
        if (
            not sentence.strip()
            or _ASKS.search(sentence)
            or read_sentence(sentence, code).has(*_NO_STATEMENT)
        ):
            continue
        if certain and any(sign.kind == "doubts" for sign in CHANGING[code].find_signs(lower_text(sentence))):
            continue
        begin = 0
        for end in (*(mark.end() for mark in _CLAUSE_END.finditer(sentence)), len(sentence)):
            clause, begin = _strip_reactions(sentence[begin:end], code), end
            low = lower_text(clause)
            speaks_to = not _of_talk(code).isdisjoint(word.strip(_ENDS + ",") for word in low.split())
            if not speaks_to or any(sign.kind == "corrects" for sign in CHANGING[code].find_signs(low)):
                kept.append(clause)
    return "".join(kept).strip()


def _strip_reactions(clause: str, code: str) -> str:
    """Return a clause from the first word on that is no reaction; a denial is not left out."""
    reactions = _words(code, "reactions") - _words(code, "negations")
    for word in _SPOKEN.finditer(lower_text(clause)):
        if word.group() not in reactions:
            return (
                clause if word.start() == 0 or not clause[: word.start()].strip() else clause[word.start() :]
            )
    return "" if _SPOKEN.search(clause) else clause


@lru_cache(maxsize=1024)
def _talks(text: str, code: str) -> bool:
    """Tell whether a text speaks to somebody, or answers, asks or supposes: it states nothing that lasts."""
    text = mask_code_and_asides(text)
    words = [word.strip(_ENDS + ",") for word in lower_text(text).split()]
    if not (_of_talk(code).isdisjoint(words) and _words(code, "reactions").isdisjoint(words[:1])):
        return True
    return bool(read_sentence(text, code).has(*_NO_STATEMENT))


def _is_past(words: list[str], code: str) -> bool:
    """Tell whether a text is of what was, and not of what holds."""
    lexicon = LEXICONS[code]
    if not lexicon.past.isdisjoint(words):
        return True
    if not TELLING[code].attributes.keys().isdisjoint(words):
        return False
    return bool(lexicon.past_endings) and any(
        len(word) > 4 and word.endswith(lexicon.past_endings) and word not in lexicon.not_past
        for word in words
    )


def _values(text: str, code: str) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Return the numbers, days, months, colours and sizes of a text, and its names."""
    by_kind: dict[str, set[str]] = {}
    names: set[str] = set()
    kinds, no_names = _kinds(code), _words(code, "first_person", "stop")
    for word in _WORD.finditer(text):
        bare = word.group().rstrip(_CLOSING)
        low = bare.lower()
        kind = "number" if _NUMBER.fullmatch(low) else kinds.get(low, "")
        if kind.startswith("weekday"):  # "Mondays" are each Monday
            by_kind.setdefault("weekday", set()).add(low.rstrip("s"))
        elif kind and not (kind == "size" and bare.islower()):
            by_kind.setdefault(kind, set()).add(low)
        elif bare[:1].isupper() and text[: word.start()].strip(" \"'„“«(")[-1:] not in {"", *_ENDS}:
            names.add(low)
    if code in {"zh", "ja"}:
        for kind, pattern in _UNSPACED_VALUES.items():
            if matches := pattern.findall(text):
                by_kind.setdefault(kind, set()).update(matches)
    return {kind: frozenset(some) for kind, some in by_kind.items()}, frozenset(names - no_names)


@cache
def _words(code: str, *lists: str) -> frozenset[str]:
    """Return the words of some lists of a language, of a script without blanks none."""
    return frozenset().union(*(getattr(LEXICONS[code], name) for name in lists if code in LEXICONS))


@cache
def _of_talk(code: str) -> frozenset[str]:
    """Return the words of who speaks to somebody, or judges: such a sentence tells nothing that lasts."""
    return _words(code, "second_person", "reactions") - _words(code, "negations")


@cache
def _kinds(code: str) -> Mapping[str, str]:
    """Return of what kind words are in a text of a language, of which function words are no values of another one."""
    kinds, lexicon = load_value_kinds(tuple(LEXICONS)), LEXICONS.get(code)
    if lexicon is None:
        return kinds
    others = {word: kind for word, kind in kinds.items() if word not in lexicon.stop}
    return {**others, **load_value_kinds((code,))}
