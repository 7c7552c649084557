"""Which names a text has, whatever it states: by capitals, by words beside them, and by what explains a name.

Knows word lists; must not know memories. In doubt a word is no name: a false one costs more than one that is missed.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import dropwhile, takewhile

from remanence.languages import LEXICONS
from remanence.languages.families import load_name_words
from remanence.read.cues import WORD, lower_text
from remanence.read.explained_names import find_explained_names
from remanence.read.mentions import COMPANY, TITLES, is_no_name, type_of, word_before
from remanence.read.naming_scripts import chinese, greek, japanese, korean, russian

_NAMES = load_name_words()

_UPPER = r"[A-ZÀ-ÖØ-Þ][\w'’-]+"
_JOINS = r"(?:of the|of|de la|de los|de|del|della|da|do|dos|du|des|di|von der|von|van der|van) "
_RUN = re.compile(rf"(?<![\w'’.@/#-]){_UPPER}(?: (?:{_JOINS})?{_UPPER}){{0,5}}")
_MIDDLE = re.compile(r"[^.!?…\s][\"“„«»”)(]{0,3} [\"“„«(]{0,3}[A-ZÀ-ÖØ-Þ][^\s'’]")
_FIRST = re.compile(r"[^\W\d_]+")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_GREEK = re.compile("[\u0370-\u03ff]")
_HANGUL = re.compile("[\uac00-\ud7af]")
_POSSESSIVE = re.compile(r"['’]s?$|(?<![-–])[-–]+$")
_PART = re.compile(r"[^ ]+")
_IS_ROLE = re.compile(
    r"(?<![^\W\d_])([^\W\d_]+) (?:is|was|heißt|hieß|ist|war|es|se llama|est|s['’]appelle|é|se chama|è) "
    r"(?:Dr\.? |Prof\.? )?$"
)
_THEN_ROLE = re.compile(
    r" (?:is|was|ist|war|es|est|é) (?:my|our|his|her|their|meine?|unsere?|mi|nuestr[oa]|mon|ma|notre|meu|minha) "
    r"(?:\w+ )?([^\W\d_]+)"
)
_OF_A_PERSON = re.compile(
    r"[^.,;]{0,50} (?:her|his|she|he|herself|himself)\b"
    r"|,? (?:who\b|lives\b|likes\b|loves\b|thinks\b|studies\b|teaches\b|sings\b|retire|got married|was born)"
)
_DONE_TO_PERSONS = frozenset("hired met married asked told phoned interviewed thanked invited".split())
_HEADLINE_WORDS = 4
_NEAR = 100  # so many characters before a name are looked at, however long the sentence is
_BEFORE_CAPITALS = frozenset("with on at from for by our using use to via the into".split())
_BEFORE_NOUNS = frozenset("the a an this these those last next every each some any no".split())
_GERMAN_CALLED = frozenset({"heißt", "heisst", "hieß", "namens"})
_BEFORE_GERMAN = frozenset("von mit bei für an und ist war als durch gegen ohne wie auch dass".split())
_PROJECTS = frozenset("project projekt projet proyecto projeto progetto".split())
_VERSION = re.compile(r"(?: v?\d[\d.]*[a-z]?|-\d[\w.]*)(?![\w%€$])")
_COUNTED_BY = frozenset("times people kids percent mal leute euro dollar uhr prozent".split())
_MOVING = frozenset(
    "flew fly flying moved move moving went travelled traveled travel drove trip flight relocated".split()
)
_LED = {"firma": 1, "company": 1, "projekt": 0, "project": 0}  # how much of what leads a name is none of it


def names_in(
    text: str, code: str, spoken: Sequence[str], sentences: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, str]]:
    """Yield (name, sort of thing) of what a text names; what it explains comes first.

    `spoken` are its words in small letters, `sentences` where each of them stands.
    """
    pairs = list(find_explained_names(text, code, spoken))
    yield from pairs
    for name, sort in _read(text, code, sentences):
        # What is explained without it is not longer: "Projekt Neue Liste (NL)".
        if not any(full_name in name and full_name != name for full_name, _ in pairs):
            yield name, sort


def _read(text: str, code: str, sentences: Sequence[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    """Yield the names of a text, sentence by sentence."""
    find = _finder(text, code)
    if find is not None:
        for begin, end in sentences:
            yield from find(text[begin:end])
        return
    german = not LEXICONS[code].names_by_capital
    capitals = _MIDDLE.search(text) is not None
    for begin, end in sentences:
        first = _FIRST.match(text, begin)
        if capitals or (first is not None and first.group().lower() in _NAMES.given):
            yield from (_german if german else _capitals)(text[begin:end], code)


def _finder(text: str, code: str) -> Callable[[str], Iterator[tuple[str, str]]] | None:
    """Return what reads a script of its own, None for Latin letters."""
    if text.isascii():
        return None
    if code not in LEXICONS:
        return chinese if code == "zh" else japanese
    if _CYRILLIC.search(text):
        return russian
    return greek if _GREEK.search(text) else korean if _HANGUL.search(text) else None


def _capitals(sentence: str, code: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a sentence of a language that writes only names with a capital."""
    if _is_headline(sentence, code):
        return
    for match in _RUN.finditer(sentence):
        span = _trim_name_run(sentence, match, code)
        if span is None:
            continue
        begin, end = span
        name = _POSSESSIVE.sub("", sentence[begin:end])
        before = word_before(sentence, begin)
        if _is_one(sentence, (begin, end), name, before, code):
            yield (
                name + _version(sentence, end, name, code),
                _sort(sentence, (begin, end), name, before, code),
            )


def _is_headline(sentence: str, code: str) -> bool:
    """Tell whether most words of a line have capitals, and no verb is small: there a capital says nothing."""
    parts = sentence.split()
    if len(parts) < _HEADLINE_WORDS or 2 * sum(part[0].isupper() for part in parts) <= len(parts) + 1:
        return False
    stop = LEXICONS[code].stop
    return all(lower_text(part).strip(",.:;") in stop for part in parts if part[0].islower())


def _trim_name_run(sentence: str, found: re.Match[str], code: str) -> tuple[int, int] | None:
    """Return from where to where a name stands in a run of capitals, without ordinary words, None for a heading."""
    parts = list(_PART.finditer(found.group()))
    if (
        sum(
            lower_text(part.group()) in LEXICONS[code].stop for part in parts[1:] if part.group()[0].isupper()
        )
        > 1
    ):
        return None
    lead = 0
    opens = found.start() < _NEAR and not sentence[: found.start()].strip('"“„«(*- ')
    while lead < len(parts) and _is_led(parts, lead, code, opens=opens and lead == 0):
        lead += 1
    name_parts = list(
        takewhile(
            lambda part: part.group()[0].islower() or not _is_ordinary(part.group(), code), parts[lead:]
        )
    )
    name_parts = name_parts[
        : next(
            (at for at, part in enumerate(name_parts, 1) if _POSSESSIVE.search(part.group())), len(name_parts)
        )
    ]
    while name_parts and name_parts[-1].group()[0].islower():
        name_parts.pop()
    if not name_parts or (
        len(parts) > len(name_parts) == 1 and _is_left_over(parts, name_parts[0], code, opens=opens)
    ):
        return None
    if lower_text(name_parts[0].group()) in _LED and len(name_parts) > 1:
        name_parts = name_parts[_LED[lower_text(name_parts[0].group())] :]
    return found.start() + name_parts[0].start(), found.start() + name_parts[-1].end()


def _is_left_over(parts: Sequence[re.Match[str]], one: re.Match[str], code: str, *, opens: bool) -> bool:
    """Tell whether one word is what is left of a greeting or a feast: "Happy New Year"."""
    low, first = _POSSESSIVE.sub("", lower_text(one.group())), lower_text(parts[0].group())
    if low in _NAMES.given or (one is parts[0] and _POSSESSIVE.search(one.group())):
        return False
    return not (opens and one is parts[-1] and first in LEXICONS[code].stop) and first not in TITLES


def _is_led(parts: Sequence[re.Match[str]], at: int, code: str, *, opens: bool) -> bool:
    """Tell whether a word before a name is no part of it."""
    word = parts[at].group()
    if word[0].islower() or _is_ordinary(word, code):
        return True
    follows = lower_text(parts[at + 1].group()) if at + 1 < len(parts) else ""
    low = lower_text(word)
    return opens and (
        low in _NAMES.opening or low.endswith("ing") or (follows in _NAMES.given and low not in _NAMES.given)
    )


def _is_ordinary(word: str, code: str) -> bool:
    low = _POSSESSIVE.sub("", lower_text(word))
    return low in _NAMES.no_names or is_no_name(low, code)


def _is_one(sentence: str, where: tuple[int, int], name: str, before: str, code: str) -> bool:
    """Tell whether a run of words with capitals names something."""
    several, first = " " in name, lower_text(name.split(" ", 1)[0])
    if before in LEXICONS[code].kin or before in TITLES or before in _NAMES.roles or before in _NAMES.called:
        return True
    if first in _NAMES.given:
        return True
    if not several and (
        first in _NAMES.peoples or first in LEXICONS[code].kin or (code == "en" and before in _BEFORE_NOUNS)
    ):
        return False
    if name.isupper() and not several:
        return len(name) > 2 and before in _BEFORE_CAPITALS
    if not before:
        return several and _goes_on(sentence, where[1])
    if before == ",":
        return (several and _goes_on(sentence, where[1])) or _read_text_before(sentence, where[0]).rstrip(
            ' ,"“('
        ).rsplit(" ", 1)[-1][:1].isupper()
    return several or first not in _NAMES.counted


def _goes_on(sentence: str, at: int) -> bool:
    """Tell whether more than a mark follows, so that what a sentence begins with is no cry."""
    return sentence[at : at + 1] in (" ", ",", "'", "’") and len(sentence) > at + 2


def _sort(sentence: str, where: tuple[int, int], name: str, before: str, code: str) -> str:
    """Tell what sort of thing a name is of; who owns something is in no place."""
    if lower_text(name.split(" ", 1)[0]) in _PROJECTS:
        return "project"
    kind = (
        "place"
        if before == "to" and _MOVING & set(WORD.findall(lower_text(_read_text_before(sentence, where[0]))))
        else type_of(name, before, code)
    )
    owns = _POSSESSIVE.search(sentence, where[0], where[1]) is not None
    if kind not in ("other", "place") or (kind == "place" and not owns):
        return kind
    return "person" if before in _NAMES.roles or _is_person(sentence, where, name, code) else "other"


def _read_text_before(sentence: str, at: int) -> str:
    return sentence[max(0, at - _NEAR) : at]


def _is_person(sentence: str, where: tuple[int, int], name: str, code: str) -> bool:
    if lower_text(name.split(" ", 1)[0]) in _NAMES.given:
        return True
    beside = (_IS_ROLE.search(_read_text_before(sentence, where[0])), _THEN_ROLE.match(sentence, where[1]))
    kin = LEXICONS[code].kin
    if any(
        match and (lower_text(match[1]) in _NAMES.roles or lower_text(match[1]) in kin) for match in beside
    ):
        return True
    if word_before(sentence, where[0]) in _DONE_TO_PERSONS:
        return True
    return " " in name and _OF_A_PERSON.match(sentence, where[1]) is not None


def _version(sentence: str, at: int, name: str, code: str) -> str:
    """Return the version right after a name: no number of things, years or rooms."""
    match = _VERSION.match(sentence, at)
    if (
        match is None
        or lower_text(name.rsplit(" ", 1)[-1]) in _NAMES.counted
        or lower_text(name.split(" ", 1)[0]) in _NAMES.given
    ):
        return ""
    follows = _FIRST.match(sentence, match.end() + 1)
    counts = follows is not None and lower_text(follows.group()) in LEXICONS[code].time_words | _COUNTED_BY
    return "" if counts else match.group().rstrip(".")


def _german(sentence: str, code: str) -> Iterator[tuple[str, str]]:
    """Yield the names of a German sentence, where a capital says nothing: by what stands before, and given names."""
    for match in _RUN.finditer(sentence):
        parts = list(dropwhile(lambda part: _is_function(part.group(), code), _PART.finditer(match.group())))
        if not parts:
            continue
        low = [lower_text(part.group()) for part in parts]
        before = word_before(sentence, match.start() + parts[0].start())
        lead, sort = _german_lead(low, before, code)
        has_title = before in TITLES or (lead > 0 and low[lead - 1] in TITLES)
        name_parts = parts[lead : lead + 1] if has_title else []
        name_parts += takewhile(
            lambda part: not _is_ordinary(part.group(), code), parts[lead + len(name_parts) :]
        )
        if lead < 0 or not name_parts:
            continue
        begin, end = match.start() + name_parts[0].start(), match.start() + name_parts[-1].end()
        # Before what is handed over: "hat Peter Kuchen gebracht".
        safe = (
            lead
            or not before
            or before in _BEFORE_GERMAN
            or before in _NAMES.called
            or before in TITLES
            or before == ","
        )
        if sort == "person" and len(name_parts) > 1 and not safe:
            end = match.start() + name_parts[0].end()
        name = _POSSESSIVE.sub("", sentence[begin:end])
        version = _version(sentence, end, name, code)
        if sort or (version and before not in ("", ",")):
            yield name + version, sort or "other"


def _is_function(word: str, code: str) -> bool:
    return lower_text(word) in LEXICONS[code].stop


def _german_lead(low: Sequence[str], before: str, code: str) -> tuple[int, str]:
    """Return how many words of a run stand before a name, and what sort of thing it is of; "" where none says so."""
    if low[-1] in COMPANY and len(low) > 1:
        return (1 if low[0] == "firma" else 0), "company"
    if low[0] in ("firma", "projekt") and len(low) > 1:
        return _LED[low[0]], "company" if low[0] == "firma" else "project"
    kin = LEXICONS[code].kin
    title_places = [
        at for at, word in enumerate(low) if word in kin or word in _NAMES.roles or word in TITLES
    ]
    if title_places:
        return (title_places[-1] + 1, "person") if title_places[-1] + 1 < len(low) else (-1, "")
    if (
        before in TITLES
        or before in kin
        or before in _NAMES.roles
        or before in ("heißt", "heisst", "hieß", "namens")
    ):
        return 0, "person"
    given_place = next((at for at, word in enumerate(low) if word in _NAMES.given), None)
    return (0, "") if given_place is None else (given_place, "person")
