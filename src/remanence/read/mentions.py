"""Whom and what a statement speaks of: its subject, its names, who is what to the speaker. Knows no memories."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from remanence.languages import LEXICONS
from remanence.languages.families import ASSERTIONS
from remanence.read.cues import WORD, SentenceReading, lower_text

_NAME = re.compile(r"(?<![\w'’-])[A-ZÀ-ÖØ-Þ][\w'’-]++(?: [A-ZÀ-ÖØ-Þ][\w'’-]++){0,3}+")
_POSSESSIVE = re.compile(r"['’]s?$")
_PART = re.compile(r"[^ ]++")
_PAUSE = re.compile(r"[,:;]")
_LOOKED_BACK = 40
_PERSONS = frozenset(("我", "我们", "我們", "私", "僕", "俺", "わたし"))
_TICKET = re.compile(r"\d")
COMPANY = ("inc", "gmbh", "ltd", "corp", "ag", "labs", "utilities", "sa", "llc", "bank")
TITLES = frozenset({"mr", "mrs", "ms", "dr", "prof", "herr", "frau", "señor", "señora", "monsieur", "madame"})
_PLACED = frozenset({"in", "near", "en", "em", "nach", "aus"})
SUBJECT_WORDS_MAX = 6
_JAPANESE_SUBJECT = re.compile(r"^(?:私の|僕の|俺の|うちの)?([^はがも、。]{1,12})(?:は|が)")
_CHINESE_SUBJECT = re.compile(r"^(?:我的|我)?([^是在有对對叫会會的，。]{1,10})(?:是|在|有|叫|对|對|会|會)")


def subject_of(sentence: str, read: SentenceReading, speaker: str) -> str:
    """Return whom or what a statement is about: what stands before its verb, the speaker for "I"."""
    if read.code not in LEXICONS:
        match = _JAPANESE_SUBJECT.match(sentence) if read.code == "ja" else _CHINESE_SUBJECT.match(sentence)
        return match.group(1) if match and match.group(1) not in _PERSONS else speaker
    lists, lexicon = ASSERTIONS[read.code], LEXICONS[read.code]
    words = list(WORD.finditer(lower_text(sentence)))
    if kin := _named_kin(sentence, [word.group() for word in words[:3]], words, read.code):
        return kin
    verb = next((at for at, word in enumerate(words) if word.group() in lists.copulas), 0)
    before = [word.group() for word in words[:verb]]
    is_owned = bool(before) and before[0] in lists.possessives
    if not is_owned and any(word in lexicon.first_person for word in before):
        return speaker
    empty = lexicon.stop | lists.mute | lexicon.time_words
    lead = next((at for at, word in enumerate(before) if word not in empty), verb)
    if not 0 < verb - lead <= SUBJECT_WORDS_MAX:
        return speaker
    about = _PAUSE.split(sentence[words[lead].start() : words[verb - 1].end()])[-1].strip()
    names = [name for name, _ in names_of(sentence[: words[verb - 1].end()], read.code)]
    return (names[-1] if names else speaker) if is_owned else about or speaker


def is_own(sentence: str, read: SentenceReading) -> bool:
    """True where a statement says something of its speaker, or of nobody: not what "my sister Vera" or "Bo" prefers."""
    lexicon = LEXICONS.get(read.code)
    if lexicon is None:
        return True
    first = [match.group() for match in WORD.finditer(lower_text(sentence))][:2]
    is_of_kin = len(first) > 1 and first[0] in ASSERTIONS[read.code].possessives and first[1] in lexicon.kin
    return not is_of_kin and any(word in lexicon.first_person for word in read.words)


def _named_kin(sentence: str, first: Sequence[str], words: Sequence[re.Match[str]], code: str) -> str:
    """Return the name that a sentence begins with after "my sister", "" where it does not."""
    mine, kin = ASSERTIONS[code].possessives, LEXICONS[code].kin
    has_name = (
        len(first) == 3 and first[0] in mine and first[1] in kin and sentence[words[2].start()].isupper()
    )
    return _POSSESSIVE.sub("", sentence[words[2].start() : words[2].end()]) if has_name else ""


def names_of(sentence: str, code: str) -> Iterator[tuple[str, str]]:
    """Yield the names in a sentence, each with the word before it in small letters; times and tickets are none."""
    if code not in LEXICONS:
        return
    lexicon = LEXICONS[code]
    for match in _NAME.finditer(sentence):
        parts = list(_PART.finditer(match.group()))
        lead = 0
        while lead < len(parts) and is_no_name(parts[lead].group(), code):
            lead += 1
        name_parts = list(takewhile(lambda part: not is_no_name(part.group(), code), parts[lead:]))
        if not name_parts:
            continue
        begin = match.start() + name_parts[0].start()
        name = _POSSESSIVE.sub("", sentence[begin : match.start() + name_parts[-1].end()])
        before = word_before(sentence, begin)
        is_introduced = before in lexicon.kin or before in TITLES
        # Where nouns have capitals, and where a sentence begins, a capital alone makes no name.
        if not _TICKET.search(name) and (is_introduced or (lexicon.names_by_capital and before)):
            yield name, before


def is_no_name(word: str, code: str) -> bool:
    """Tell whether a word with a capital is an ordinary one of its language, a title or a time."""
    lexicon, low = LEXICONS[code], lower_text(word)
    ordinary = (
        low in lexicon.stop or low in ASSERTIONS[code].mute or low in lexicon.first_person or low in TITLES
    )
    timely = low.removesuffix("s") in lexicon.time_words or low in lexicon.time_words or low in lexicon.months
    return ordinary or timely or (low in lexicon.kin and not lexicon.names_by_capital)


def word_before(sentence: str, at: int) -> str:
    """Return the word that stands right before a place, "" where a sentence begins or a comma stands between."""
    near = lower_text(sentence[max(0, at - _LOOKED_BACK) : at])
    words = list(WORD.finditer(near))
    if not words:
        return "," if sentence[:at].strip() else ""
    return words[-1].group() if not near[words[-1].end() :].strip(" .") else ","


def type_of(name: str, before: str, code: str) -> str:
    """Tell what sort of thing a name is of, from the word before it and its own last one."""
    if (before in LEXICONS[code].kin and not name.isupper()) or before in TITLES:
        return "person"
    if lower_text(name).split()[-1] in COMPANY:
        return "company"
    return "place" if before in _PLACED else "other"


def kin_of(sentence: str, code: str) -> Iterator[tuple[str, str]]:
    """Yield (what somebody is to the speaker, name): "my sister Paula"."""
    if code not in LEXICONS:
        return
    words = list(WORD.finditer(lower_text(sentence)))
    mine, kin = ASSERTIONS[code].possessives, LEXICONS[code].kin
    for at, word in enumerate(words[:-2]):
        name = words[at + 2]
        if word.group() in mine and words[at + 1].group() in kin and sentence[name.start()].isupper():
            yield words[at + 1].group(), _POSSESSIVE.sub("", sentence[name.start() : name.end()])
