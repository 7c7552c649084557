"""Which names a sentence in Cyrillic, Greek, Chinese, Japanese or Korean has: by evidence beside or within them.

Where a script has no capitals, a family name alone is none: a title, a word that names follow, or a verb must be there.
"""

import re
from collections.abc import Iterable, Iterator

from remanence.core.patterns import Pattern, any_of
from remanence.languages.families import UNSPACED_NAMES, load_name_words
from remanence.read.mentions import word_before

_NAMES = load_name_words()
_ZH, _JA = UNSPACED_NAMES["zh"], UNSPACED_NAMES["ja"]


def _either(phrases: Iterable[str]) -> str:
    return "|".join(map(re.escape, phrases))


_RUSSIAN = Pattern("(?<![\\w-])[А-ЯЁІЇЄҐ][а-яёіїєґ'’-]+(?: [А-ЯЁІЇЄҐ][а-яёіїєґ'’-]+){0,2}")
_GREEK = Pattern("(?<![\\w-])[Α-ΩΆΈΉΊΌΎΏ][α-ωά-ώϊϋΐΰ]+(?: [Α-ΩΆΈΉΊΌΎΏ][α-ωά-ώϊϋΐΰ]+){0,2}")
_ORGANISED = Pattern('(?<![^\\W\\d_])([^\\W\\d_]+) [«„“"]([\\w -]{2,40})[»“”"]')
# Russian endings of other cases than the nominative, and those of a woman's family name in it.
_OBLIQUE = Pattern("(?:[уюыи]|о[йюм]|е[йм]|ым|ими|ыми|ого|ому|ых|ах|ях)$")
_FEMININE = Pattern("(?:ова|ева|ёва|ина|ына|ая|а|я)$")


def russian(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a sentence in Cyrillic that stand in the nominative."""
    yield from _find_companies(sentence)
    for match in _RUSSIAN.finditer(sentence):
        parts = match.group().split(" ")
        before = word_before(sentence, match.start())
        # Longer than this no row of quotation marks is.
        begins = not before and match.start() < 100 and not sentence[: match.start()].strip('"«(- ')
        if begins and (parts[0].lower() in _NAMES.russian_leads or parts[0].lower() in _NAMES.roles):
            before, parts, begins = parts[0].lower(), parts[1:], False
        if not parts or before in _NAMES.russian_oblique:
            continue
        first, last = parts[0].lower(), parts[-1].lower()
        is_given = first in _NAMES.given
        if len(parts) > 1 and not _OBLIQUE.search(last) and (is_given or _agree(first, last)):
            yield " ".join(parts), "person"
        elif len(parts) == 1 and ((is_given and first not in _NAMES.russian_both) or before in _NAMES.roles):
            yield parts[0], "person"


def _agree(first: str, last: str) -> bool:
    """Tell whether two words with capitals can be a name in the nominative, of a man as its ending says."""
    return not _OBLIQUE.search(first) and not _FEMININE.search(first) and not _FEMININE.search(last)


def greek(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a Greek sentence that are its subject, or of several words."""
    yield from _find_companies(sentence)
    for match in _GREEK.finditer(sentence):
        before = word_before(sentence, match.start())
        name = match.group()
        if before in _NAMES.greek_oblique or (not before and " " not in name):
            continue
        person = name.split(" ")[0].lower() in _NAMES.given
        if before in _NAMES.greek_articles or person:
            yield name, "person" if person or " " in name else "other"


def _find_companies(sentence: str) -> Iterator[tuple[str, str]]:
    for match in _ORGANISED.finditer(sentence):
        if match[1].lower() in _NAMES.organised:
            yield match[2], "company"


_HAN = "[\u3400-\u9fff]"
_IS_HAN = Pattern(_HAN)
# Patterns look from family name to family name: its first sign is read before what else must hold there.
_FIRST = f"[{_ZH.family_signs}{''.join(double[0] for double in _ZH.double_families)}]"
_DOUBLE = "|".join(f"(?<={double[0]}){double[1]}" for double in _ZH.double_families)
_NO_WORD = f"(?<!(?={any_of(_ZH.ordinary)}){_HAN})"
_REST = f"{_NO_WORD}(?:{_DOUBLE}|(?<=[{_ZH.family_signs}]))"
_FAMILY = _FIRST + _REST
_TITLE = any_of(_ZH.titles)
_AFTER = any_of(_ZH.after)
_EDGE = f"(?=$|[^\u3400-\u9fff]|{_AFTER})"
_CHINESE_TITLED = Pattern(f"({_FAMILY}{_HAN}{{0,2}}?)({_TITLE})")
_CHINESE_NAMED = Pattern(f"(?:{any_of(_ZH.before)})({_FAMILY}{_HAN}{{1,2}}?){_EDGE}")
_CHINESE_OPENS = Pattern(f"({_FIRST}(?<![^，。！？；、\\s]{_HAN}){_REST}{_HAN}{{1,2}}?)(?=，|{_AFTER})")
_CHINESE_WITH = Pattern(f"(?:{_either(_ZH.beside)})({_FAMILY}{_HAN}{{1,2}}?)(?=[，。]|$|{_AFTER})")
_CHINESE_COMPANY = Pattern(
    f"(?:^|[，。、\\s在是给到和跟从去向叫])((?:(?![在是的了我你他她们有]){_HAN}){{2,10}}?(?:{_either(_ZH.companies)}))"
)


def chinese(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a Chinese sentence."""
    for match in _CHINESE_COMPANY.finditer(sentence):
        if match[1] not in _ZH.companies and not match[1].startswith(_ZH.not_led):
            yield match[1], "company"
    for match in _CHINESE_TITLED.finditer(sentence):
        name = match[1] if len(match[1]) > 1 else match[1] + match[2]
        if _is_chinese(sentence, match.start()):
            yield name, "person"
    opening = _CHINESE_OPENS.finditer(sentence)
    for match in (*_CHINESE_NAMED.finditer(sentence), *opening, *_CHINESE_WITH.finditer(sentence)):
        if not match[1].endswith(_ZH.no_end):
            yield match[1], "person"


def _is_chinese(sentence: str, at: int) -> bool:
    """Tell whether no other word runs into a family name."""
    return at == 0 or not _IS_HAN.match(sentence, at - 1) or sentence[at - 1] in _ZH.lets


_KANJI_RUN = Pattern("[\u3400-\u9fff々ヶ]+")
_KATAKANA_RUN = Pattern("[\u30a1-\u30faー・]+")
_HONORED = Pattern(f"([\u3400-\u9fff々]{{1,5}}?|[\u30a1-\u30faー・]{{2,20}})({_either(_JA.honorifics)})")
_JAPANESE_COMPANY = Pattern(
    "株式会社([\u3400-\u9fff\u30a1-\u30faーA-Za-z]{2,20})|([\u3400-\u9fff\u30a1-\u30faーA-Za-z]{2,20})株式会社"
)
_PARTICLES = "はがをにとものへで、。！？「」（） "


def japanese(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a Japanese sentence."""
    for match in _JAPANESE_COMPANY.finditer(sentence):
        yield match.group(), "company"
    for match in _HONORED.finditer(sentence):
        if name := _parse_honored_name(sentence, match):
            yield name, "person"
    for match in _KANJI_RUN.finditer(sentence):
        name, after = match.group(), sentence[match.end() : match.end() + 1]
        if _is_full(name) and (not after or after in _PARTICLES):
            yield name, "person"


def _is_full(name: str) -> bool:
    """Tell whether a run of kanji is a family name with a given one."""
    family = next((name[:size] for size in (3, 2) if name[:size] in _JA.family_names), "")
    given_name = name[len(family) :]
    return bool(family) and 1 <= len(given_name) <= 3 and given_name[-1] not in _JA.places


def _parse_honored_name(sentence: str, found: re.Match[str]) -> str:
    """Return the name before an honorific: a full one alone, another with it; "" for whoever is nobody by name."""
    name, honorific = found[1], found[2]
    before = sentence[found.start() - 1 : found.start()]
    runs_on = (_KANJI_RUN.match(before) and _KANJI_RUN.match(name)) or (
        _KATAKANA_RUN.match(before) and _KATAKANA_RUN.match(name)
    )
    if runs_on or before in ("お", "ご", "御") or name in _JA.nobody or name.endswith(("屋", "者", "員")):
        return ""
    if honorific in ("様", "氏", "君", "先生", "部長", "課長", "社長", "先輩", "教授"):
        is_name = name in _JA.family_names or _is_full(name) or _KATAKANA_RUN.fullmatch(name)
        if not is_name:
            return ""
    if _is_full(name):
        return name
    return name + honorific if len(name) > 1 or honorific == "さん" else ""


_KOREAN = Pattern(
    f"(?<![가-힣])([{_NAMES.korean_families}][가-힣]{{2}}) ?(?:{_either(_NAMES.korean_honored)})(?![가-힣]{{3}})"
)
_KOREAN_FULL = Pattern("(?<![가-힣])([김박최][가-힣]{2})(?:은|는|이|가|을|를|의|와|과|에게|도)(?![가-힣])")


def korean(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a Korean sentence: before a title, and full ones of the commonest families."""
    for match in (*_KOREAN.finditer(sentence), *_KOREAN_FULL.finditer(sentence)):
        if not match[1].startswith(_NAMES.korean_words):
            yield match[1], "person"
