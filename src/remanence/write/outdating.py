"""Whether a newer text says that something of an older one is otherwise now, by words of change and by what they share.

For texts that claim nothing by one verb: "The rent is 740.", "They wrote to us, rent goes to 815." In doubt it says no.
Knows two texts and how many memories hold a stem, no store.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache

from remanence.languages import LEXICONS
from remanence.languages.changing import CHANGING
from remanence.languages.telling import TELLING
from remanence.model import Role, Trust
from remanence.text import stems
from remanence.write.cues import language_code, plain, reading
from remanence.write.statements import blanked

CHARS_MAX = 400  # what is longer is no remark that something changed
OLD_STEMS_MAX = 12  # what tells one thing
NEW_STEMS_MAX = 20
RARE_SHARE = 0.02  # a stem that more of the memories hold does not tell what a text is about
RARE_LEAST = 3  # so many may hold it in a small scope
ABOUT_MIN = 0.2  # of the old text's stems are in the new one
NEAR_MIN = 0.2
OTHERS_NEAR_MIN = 0.4
OTHERS_ABOUT_MIN = 0.8  # of both texts together, where another speaks and no word says that it changed
OTHERS_NAMED_MIN = 1.0
PERSONS_ABOUT_MIN = (
    0.5  # of each text, where two persons talk: what they share is often a word of everybody's
)
VALUES_MAX = 2  # of one kind in a text; which of more became which cannot be told
# How sure a contradiction is: of one speaker, and of two.
CHANGED, AT_ODDS = 0.7, 0.6

_CUES = ("now", "shifts", "ends", "turns", "news")
_NO_STATEMENT = ("requests", "inverts", "supposes", "wishes", "plays", "errors", "passing")
_ALONE = frozenset({"now", "shifts", "ends"})  # the others only count beside another value
_WORD = re.compile(r"[^\W_][^\s,;!()\[\]{}<>|*]*+")
_NUMBER = re.compile(r"\W?\d{1,4}(?:[.,:]\d{1,3}){0,2}(?:st|nd|rd|th|am|pm|h|kg|km|m|c|%|°c?|€|gb|mb)?")
_CODE = re.compile(r"\d{5,}|[^\W\d_]\d[^\W_]*[^\W\d_]\d")
_UNSPACED_VALUES = {
    "weekday": re.compile(r"[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]"),
    "number": re.compile(
        r"(?<![一二三四五六七八九十百千两半\d])[一二三四五六七八九十百千两半\d]{1,12}(?=[点時时分块元日人号版階楼歳岁杯回つ個])"
    ),
}
_ASKS = re.compile(r"[?？]")
_ENDS = " .!:;…。！"


@dataclass(frozen=True, slots=True)
class Said:
    """A text, who said it, and how far that is believed."""

    text: str
    speaker: str | None
    role: Role
    trust: Trust


@dataclass(frozen=True, slots=True)
class Outdated:
    """How sure it is that a newer text is at odds with an older one; by `near` the likeliest of several is told."""

    sure: float
    near: float = 0.0


NO = Outdated(0.0)


@dataclass(frozen=True, slots=True)
class _Read:
    """What a text says: what it is about, its values by kind, its names, and the signs of change and doubt in it."""

    about: frozenset[str]
    values: Mapping[str, frozenset[str]]
    names: frozenset[str]
    cues: frozenset[str]
    asks: bool
    doubts: bool
    denies: bool
    mine: bool
    past: bool
    code: bool


def may_outdate(said: Said) -> bool:
    """Tell at little cost whether a text may say that something is otherwise: for most, nothing has to be looked up."""
    if len(said.text) > CHARS_MAX or _ASKS.search(said.text):
        return False
    low = plain(said.text)
    begins, within = _openings()
    words = _WORD.findall(low)
    if not any(
        word in begins or word[:4] in begins or word[:3] in begins or word[0].isdigit() for word in words
    ) and (low.isascii() or not any(sign in low for sign in within)):
        return False
    if len(stems(said.text)) > NEW_STEMS_MAX:
        return False
    # Not `_read`: most of these texts are never compared, and it takes three times as long.
    text = blanked(said.text)
    if _CODE.search(text):
        return False
    low, code = plain(text), language_code(said.text)
    signs = CHANGING[code]
    if signs.denies.search(low) or _values(text, code)[0]:
        return True
    return any(getattr(signs, name).search(low) for name in _CUES) and not signs.doubts.search(low)


def outdated(old: Said, new: Said, near: float | None, held: Mapping[str, int], of: int) -> Outdated:
    """Say how sure it is that a newer text is at odds with an older one; `near` is their cosine, None where unknown.

    `held` says how many of the memories, `of` in all, hold a stem of the newer text.
    """
    rare = max(RARE_LEAST, RARE_SHARE * of)
    # What costs little says no to most: a text is about no other stems than it has.
    were, are = stems(blanked(old.text)), stems(blanked(new.text))
    if len(were) > OLD_STEMS_MAX or len(are) > NEW_STEMS_MAX:
        return NO
    if not any(held.get(stem, 0) <= rare for stem in frozenset(were).intersection(are)):
        return NO
    code = language_code(f"{old.text} {new.text}")
    now = _read(new.text, code)
    is_own = new.trust > old.trust or (new.trust == old.trust and new.speaker == old.speaker)
    if now.asks or now.code or (is_own and (now.doubts or not now.cues)):
        return NO
    was = _read(old.text, code)
    shared = was.about & now.about
    if was.asks or was.code or not any(held.get(stem, 0) <= rare for stem in shared):
        return NO
    parts = len(shared) / len(was.about), len(shared) / len(now.about)
    persons = old.role is new.role is Role.USER and new.trust == old.trust
    found = _changed(was, now, parts, near) if is_own else _at_odds(was, now, parts, near, persons=persons)
    if found is NO or _talks(old.text, code) or ((is_own or persons) and _talks(new.text, code)):
        return NO
    return found


def _changed(was: _Read, now: _Read, parts: tuple[float, float], near: float | None) -> Outdated:
    """Judge what one speaker said before and says now, with a word of change that nothing puts in doubt."""
    if was.past or parts[0] < ABOUT_MIN or (near is not None and near < NEAR_MIN):
        return NO
    if not (_other_values(was, now) or (now.cues & _ALONE and now.about - was.about)):
        return NO
    return Outdated(CHANGED, parts[0] + (near or 0.0))


def _at_odds(
    was: _Read, now: _Read, parts: tuple[float, float], near: float | None, *, persons: bool
) -> Outdated:
    """Judge what somebody else says: it has to be about the same, and have another value of a kind, or deny it."""
    if persons and ((was.mine and now.mine) or min(parts) < PERSONS_ABOUT_MIN):
        return NO
    about = sum(parts)
    if near is not None and near < OTHERS_NEAR_MIN:
        return NO
    valued = _other_values(was, now) and about >= OTHERS_ABOUT_MIN
    named = bool(was.names - now.names and now.names - was.names) and about >= OTHERS_NAMED_MIN
    denied = now.denies != was.denies and about >= OTHERS_NAMED_MIN and not was.doubts
    return Outdated(AT_ODDS, about + (near or 0.0)) if valued or named or denied else NO


def _other_values(was: _Read, now: _Read) -> bool:
    """Tell whether both have values of a kind, and neither has all of the other's."""
    return any(
        max(len(was.values[kind]), len(now.values[kind])) <= VALUES_MAX
        and not (was.values[kind] <= now.values[kind] or now.values[kind] <= was.values[kind])
        for kind in was.values.keys() & now.values.keys()
    )


@lru_cache(maxsize=1024)
def _read(text: str, code: str) -> _Read:
    text = blanked(text)
    low, signs = plain(text), CHANGING[code]
    values, names = _values(text, code)
    told = {stem for some in values.values() for value in some for stem in stems(value)}
    lexicon = LEXICONS.get(code)
    words = [word.strip(_ENDS) for word in low.split()]
    stop = frozenset() if lexicon is None else lexicon.stop
    return _Read(
        about=frozenset(stems(text)) - told - stop,
        values=values,
        names=names,
        cues=frozenset(name for name in _CUES if getattr(signs, name).search(low)),
        asks=_ASKS.search(text) is not None,
        doubts=signs.doubts.search(low) is not None,
        denies=signs.denies.search(low) is not None,
        mine=signs.mine.search(low) is not None,
        past=lexicon is not None and _past(words, code),
        code=_CODE.search(text) is not None,
    )


@lru_cache(maxsize=1024)
def _talks(text: str, code: str) -> bool:
    """Tell whether a text speaks to somebody, or answers, asks or supposes: it states nothing that lasts."""
    text = blanked(text)
    words = [word.strip(_ENDS) for word in plain(text).split()]
    if code in LEXICONS and not _of_talk(code).isdisjoint(words):
        return True
    return bool(reading(text, code).has(*_NO_STATEMENT))


def _past(words: list[str], code: str) -> bool:
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
    found: dict[str, set[str]] = {}
    names: set[str] = set()
    kinds = _kinds()
    for word in _WORD.finditer(text):
        bare = word.group().rstrip(".'-–:")
        low = bare.lower()
        kind = "number" if _NUMBER.fullmatch(low) else kinds.get(low, "")
        if kind and not (kind == "size" and bare.islower()):
            found.setdefault(kind, set()).add(low.rstrip("s") if kind == "weekday" else low)
        elif bare[:1].isupper() and text[: word.start()].strip(" \"'„“«(")[-1:] not in {"", *_ENDS}:
            names.add(low)
    if code in {"zh", "ja"}:
        for kind, pattern in _UNSPACED_VALUES.items():
            if listed := pattern.findall(text):
                found.setdefault(kind, set()).update(listed)
    return {kind: frozenset(some) for kind, some in found.items()}, frozenset(names)


@cache
def _of_talk(code: str) -> frozenset[str]:
    """Return the words of who speaks to somebody, or answers: such a sentence tells nothing that lasts."""
    return LEXICONS[code].second_person | LEXICONS[code].reactions


@cache
def _kinds() -> dict[str, str]:
    """Return of what kind the words of values are, in all languages."""
    listed = {"colour": "colours", "number": "numbers", "weekday": "weekdays"}
    return {
        **{word: "number" for lexicon in LEXICONS.values() for word in lexicon.number_words},
        **{
            word: kind
            for told in TELLING.values()
            for kind, name in listed.items()
            for word in getattr(told, name)
        },
        **{word: "weekday" for told in TELLING.values() for word in told.every_weekday},
        **{word: "month" for lexicon in LEXICONS.values() for word in lexicon.months},
        **dict.fromkeys(("xs", "s", "m", "l", "xl", "xxl"), "size"),
    }


@cache
def _openings() -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words, or how they begin, that a sign of change or a value opens with; and signs within a text."""
    begins = {word for one in CHANGING.values() if one.spaced for word in one.opening}
    within = {sign for one in CHANGING.values() if not one.spaced for sign in one.opening}
    return frozenset(begins | _kinds().keys()), tuple(sorted(within))
