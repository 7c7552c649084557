"""Names that a text explains: by another name, by initials in brackets, or by an address right after them.

What may be a name is taken widely here and kept only where `name_evidence` reads a statement of two names in it.
"""

import re
from collections.abc import Collection, Iterator, Sequence

from remanence.core.patterns import Pattern
from remanence.languages import LEXICONS
from remanence.languages.families import load_name_words, load_same_names
from remanence.read.cues import lower_text
from remanence.read.entity import folded_name
from remanence.read.mentions import COMPANY, TITLES, is_no_name
from remanence.read.name_evidence import read

_NAMES, _SAME = load_name_words(), load_same_names()

LEFT_WORDS_MAX = 3  # of a name before a statement in a script without capitals
_UPPER = "[A-ZÀ-ÖØ-ÞА-ЯЁІЇЄҐΑ-ΩΆΈΉΊΌΎΏ][\\w'’&-]*"
_JOINS = "(?:of the|of|de la|de los|de|del|della|da|do|dos|du|des|di|von der|von|van der|van) "
_RUN = Pattern(f"(?<![\\w'’.@/#-]){_UPPER}(?: (?:{_JOINS})?{_UPPER}){{0,5}}")
_PART = Pattern(r"[^ ]+")
_OWNER = Pattern(r"['’]s?$")
_SHORTENED = Pattern(
    r"(?<![\w.@/-])([a-z][\w.+#-]{1,20}) "
    r"(?:is|was|stands) (?:also )?(?:short for|for|an? (?:abbreviation|acronym) (?:for|of))"
)
_BRACKETED = Pattern("[(（] ?[A-ZÀ-ÖØ-ÞА-ЯЁ]")
_INITIALS = Pattern(r" ?[(（] ?([A-ZÀ-ÖØ-ÞА-ЯЁ]{2,8}) ?[)）]")
_CASELESS = Pattern("[\u0590-\u06ff\u0900-\u097f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_STATEMENT = Pattern("|".join(f"(?:{one})" for one in _SAME.stated if _CASELESS.search(one)))
_UNSPACED_LEFT = Pattern(
    r"([\u3400-\u9fff\u30a1-\u30faー々ヶA-Za-z0-9]{2,24})(?:さん|氏)?[，、,（(「 ]{0,2}\Z"
)
_UNSPACED_RIGHT = Pattern(
    r"[「“（(]?((?:[\u30a1-\u30faー]{2,12}|[\u3400-\u9fffA-Za-z0-9々]{2,10}?)(?:ちゃん|さん|くん)?)"
    r"(?=$|[，。、！？）)」”\s]|[是在的住刚也和跟有说来去はがをとにのでもへ])"
)
_UNSPACED_CUT = Pattern("[的在是叫和跟了]")
_UNSPACED_NONE = Pattern("[我你他她它这那们們谁什么哪不]")
_SPACED_LEFT = Pattern(r"((?:[^\s,،.:;!?()]+ ){0,4}[^\s,،.:;!?()]+)[,،( ]{0,3}\Z")
_SPACED_RIGHT = Pattern(r"[ :\"“]{0,2}((?:(?:أبو|ابو|أم|ام|ابن|عبد|אבו|בן) )?[^\s,،.:;!?()\"”]{2,20})")
_UNSPACED = Pattern("[\u3040-\u30ff\u3400-\u9fff]")
_HANGUL = Pattern("[\uac00-\ud7af]")
# What a text must have to explain anything, in small letters: a word of these, and then one of the cues.
_CUE_WORDS = frozenset(
    """
    short stands known called calls call nicknamed nickname dubbed renamed rebranded formerly previously aka k.a alias
    name abbreviated abbreviation goes same that that's mean meant used changed confused isn't not i.e e who
    bekannt genannt gerufen heißt heisst hieß spitznamen spitzname kurz abkürzung kurzform abgekürzt nennen rufen h
    das ehemals vormals verwechseln nicht
    conocido conocida apodado apodada llamado llamada llaman llamamos llama dicen sigla abreviatura apodo denominado
    denominada sea decir nombre abreviado abreviada es
    connu connue surnommé surnommée dénommé dénommée rebaptisé rebaptisée appelé appelée appelle appellent abréviation
    surnom diminutif sigle s'appelle nom s'appelait dit dite anciennement c'est-à-dire abrégé c'est
    conhecido conhecida apelidado apelidada chamado chamada chamam abreviatura apelido vulgo seja nome isto
    noto nota soprannominato soprannominata detto detta chiamato chiamata cioè
    """.split()
)
_CUES = (
    "short for", "stands for", " known", " called", " calls ", " call ", "nicknam", "dubbed", "renam", "rebrand",
    "formerly", "previously", " aka ", "a.k.a", "alias", "full name", "real name", "code name", "abbrev", "goes by",
    "same person", "same thing", ", that is ", "(that is ", ", that's ", "i mean", "for short", "used to be ",
    "changed its", "changed her", "changed his", "not to be conf", " isn't ", " is not ", " i.e.", ", who we ",
    "bekannt", "genannt", "gerufen", "heißt", "heisst", "hieß", "spitznam", ", kurz ", "abkürz", "nennen", "d.h.",
    "das ist", "ehemals", "vormals",
    "conocid", "apodad", "llamad", "llaman", "llaman", "sigla", "abrevia", "denominad", "o sea", "es decir",
    "connu", "surnomm", "appel", "rebaptis", " dit ", " dite ", "anciennement", "c'est-à-dire", "en abrégé",
    "conhecid", "apelidad", "chamad", "chamam", "vulgo", "ou seja", "soprannom", " dett", "chiamat", "noto come",
    "nota come", "isto é", "cioè", " nom ", "nombre", "nome ",
)  # fmt: skip
_CUES_FURTHER = (
    "известн", "прозв", "он же", "она же", "сокращ", "зовут", "то есть", "ранее", "не путать", "γνωστ", "παρατσούκλι",
    "δηλαδή",
)  # fmt: skip


def find_explained_names(text: str, code: str, spoken: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, sort of thing) of the names that a text explains; `spoken` are its words in small letters."""
    if not _may_explain(text, spoken):
        return
    names = {folded_name(name): (name, sort) for name, sort in _candidates(text, code)}
    if not names:
        return
    name_reading = read(text, names.keys() | set())
    stated_names = {one.name for pair in name_reading.evidence for one in (pair.one, pair.other)}
    handled_names = {one.name for one, _ in name_reading.handles}
    for key, (name, sort) in names.items():
        if key in stated_names or key in handled_names:
            yield (
                name,
                "person" if sort == "other" and key in handled_names and key not in stated_names else sort,
            )


def _may_explain(text: str, spoken: Collection[str]) -> bool:
    if (
        "@" in text
        or "[personal: mail" in text
        or (("(" in text or "（" in text) and _BRACKETED.search(text))
    ):
        return True
    low = ""
    if not _CUE_WORDS.isdisjoint(spoken):
        low = lower_text(text)
        if any(cue in low for cue in _CUES):
            return True
    if text.isascii():
        return False
    low = low or lower_text(text)
    return any(cue in low for cue in _CUES_FURTHER) or (
        _CASELESS.search(text) is not None and _STATEMENT.search(text) is not None
    )


def _candidates(text: str, code: str) -> Iterator[tuple[str, str]]:
    for run in _RUN.finditer(text):
        yield from _of_run(text, run, code)
    for short in _SHORTENED.finditer(text):
        if code in LEXICONS and not is_no_name(short[1], code):
            yield short[1], "other"
    if not text.isascii() and _CASELESS.search(text):
        for statement in _STATEMENT.finditer(text):
            yield from _find_names_beside(text, statement)


def _of_run(text: str, run: re.Match[str], code: str) -> Iterator[tuple[str, str]]:
    """Yield what may be named by a run of capitals: without what leads it and is no name."""
    parts = list(_PART.finditer(run.group()))
    person = False
    while parts:
        low = lower_text(parts[0].group())
        leads = low in _NAMES.roles or low in TITLES or (code in LEXICONS and low in LEXICONS[code].kin)
        if not (leads or low[0].isspace() or _is_ordinary(low, code) or parts[0].group()[0].islower()):
            break
        person = leads
        parts = parts[1:]
    while parts and _is_ordinary(lower_text(parts[-1].group()), code) and not parts[-1].group().isupper():
        parts.pop()
    if not parts or _is_noun(text, run.start() + parts[0].start(), parts, code):
        return
    parts = parts[_before_initials(text[run.end() :], parts) :]
    low = lower_text(parts[0].group())
    if low == "firma" and len(parts) > 1:
        parts = parts[1:]
    name = _OWNER.sub("", text[run.start() + parts[0].start() : run.start() + parts[-1].end()])
    person = person or low in _NAMES.given
    yield name, "company" if lower_text(name).split(" ")[-1] in COMPANY else "person" if person else "other"


def _before_initials(after: str, parts: Sequence[re.Match[str]]) -> int:
    """Return how many words of a run the initials in brackets after it leave out: "Project New List (NL)"."""
    match = _INITIALS.match(after)
    if match is None:
        return 0
    return next((at for at, part in enumerate(parts) if part.group()[0] == match[1][0]), 0)


def _is_ordinary(low: str, code: str) -> bool:
    if low in _NAMES.no_names or low in _NAMES.opening or low in _NAMES.russian_leads:
        return True
    return low in _NAMES.greek_articles or (code in LEXICONS and is_no_name(low, code))


def _is_noun(text: str, at: int, parts: list[re.Match[str]], code: str) -> bool:
    """Tell whether a single word follows an article where nouns have capitals."""
    if (
        code not in LEXICONS
        or LEXICONS[code].names_by_capital
        or len(parts) > 1
        or parts[0].group().isupper()
    ):
        return False
    before = lower_text(text[:at]).split()
    return (
        bool(before)
        and before[-1] in LEXICONS[code].stop
        and before[-1] not in ("als", "und", "von", "mit", "ist")
    )


def _find_names_beside(text: str, stated: re.Match[str]) -> Iterator[tuple[str, str]]:
    """Yield what stands before and after a statement in a script without capitals."""
    before, after = text[: stated.start()], text[stated.end() :]
    if _UNSPACED.search(stated.group()):
        left, right = _UNSPACED_LEFT.search(before), _UNSPACED_RIGHT.match(after)
        if left and right:
            ends = (_UNSPACED_CUT.split(left[1])[-1], right[1])
            yield from ((name, "other") for name in ends if len(name) > 1 and not _UNSPACED_NONE.search(name))
        return
    left, right = _SPACED_LEFT.search(before), _SPACED_RIGHT.match(after)
    if not left or not right:
        return
    tokens = left[1].split(" ")
    if _HANGUL.search(stated.group()):
        tokens = tokens[-1:]
    # Of a longer clause the last two words are the name: the others say what is done.
    yield " ".join(tokens if len(tokens) <= LEFT_WORDS_MAX else tokens[-2:]), "other"
    yield right[1], "other"
