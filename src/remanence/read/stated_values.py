"""Which values a text has: numbers, days, months, colours and sizes; and its names. Knows words, no memories."""

import re
from functools import cache

from remanence.languages import LEXICONS, speaks_english
from remanence.languages.families import TELLING
from remanence.read.cues import lower_text

WORD = re.compile(r"[^\W_](?:[^\s,;!()\[\]{}<>|*]|(?<=\d),(?=\d))*+")
ENDS = " .!:;…。！"
SPOKEN = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_BRACKETED = re.compile(r"\([^()]*+\)")
_NUMBER = re.compile(r"\W?\d{1,4}(?:[.,:]\d{1,3}){0,2}(?:st|nd|rd|th|am|pm|h|kg|km|m|c|%|°c?|€|gb|mb)?")
_UNSPACED_VALUES = {
    "weekday": re.compile(r"[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]"),
    "number": re.compile(
        r"(?<![一二三四五六七八九十百千两半\d])[一二三四五六七八九十百千两半\d]{1,12}(?=[点時时分块元日人号版階楼歳岁杯回つ個])"
    ),
}
_DATES = frozenset({"weekday", "month"})
_ENGLISH = "en"  # also where nothing speaks for another language
_CLOSING = ".'-–:"


def find_values(text: str, code: str) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Return the numbers, days, months, colours and sizes of a text, and its names."""
    by_kind: dict[str, set[str]] = {}
    names: set[str] = set()
    kinds, no_names = _choose_kinds(text, code), list_no_names(code)
    aside = [one.span() for one in _BRACKETED.finditer(text)] if "(" in text else ()
    for word in WORD.finditer(text):
        bare = word.group().rstrip(_CLOSING)
        low = bare.lower()
        kind = "number" if _NUMBER.fullmatch(low) else kinds.get(low, "")
        # A date in brackets tells when something was noted, not what it is about.
        if kind in _DATES and any(begin < word.start() < end for begin, end in aside):
            continue
        if kind and not (kind == "size" and bare.islower()):
            by_kind.setdefault(kind, set()).add(low.rstrip("s") if kind == "weekday" else low)
        elif bare[:1].isupper() and text[: word.start()].strip(" \"'„“«(")[-1:] not in {"", *ENDS}:
            names.add(low)
    if code in {"zh", "ja"}:
        for kind, pattern in _UNSPACED_VALUES.items():
            if matches := pattern.findall(text):
                by_kind.setdefault(kind, set()).update(matches)
    return {kind: frozenset(some) for kind, some in by_kind.items()}, frozenset(names - no_names)


@cache
def list_no_names(code: str) -> frozenset[str]:
    """Return what a capital makes no name of: "I", "I'm"."""
    return LEXICONS[code].first_person | LEXICONS[code].stop if code in LEXICONS else frozenset()


@cache
def _kinds(code: str) -> dict[str, str]:
    """Return of what kind words are in a text of a language, of which function words are no values of another one."""
    kinds, lexicon = list_value_words(tuple(LEXICONS)), LEXICONS.get(code)
    if lexicon is None:
        return kinds
    return {word: kind for word, kind in kinds.items() if word not in lexicon.stop} | list_value_words(
        (code,)
    )


def _choose_kinds(text: str, code: str) -> dict[str, str]:
    """Return of what kind words are in a text; where it is surely English, no word of another language is a value."""
    is_english = code == _ENGLISH and any(map(speaks_english, SPOKEN.findall(lower_text(text))))
    return list_value_words((code,)) if is_english else _kinds(code)


@cache
def list_value_words(codes: tuple[str, ...]) -> dict[str, str]:
    """Return of what kind the words of values are in some languages: a short text does not say which it is in."""
    lexicons, tellings = [LEXICONS[code] for code in codes], [TELLING[code] for code in codes]
    lists = {"colour": "colours", "number": "numbers", "weekday": "weekdays"}
    return {
        **{word: "number" for lexicon in lexicons for word in lexicon.number_words},
        **{
            word: kind
            for telling in tellings
            for kind, name in lists.items()
            for word in getattr(telling, name)
        },
        **{word: "weekday" for telling in tellings for word in telling.every_weekday},
        **{word: "month" for lexicon in lexicons for word in lexicon.months},
        **dict.fromkeys(("xs", "s", "m", "l", "xl", "xxl"), "size"),
    }
