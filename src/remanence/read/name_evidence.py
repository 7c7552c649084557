"""What sentences say of names: where they stand, that two are one or two, and by which address one is reached.

Knows texts and names; must not know what entities there are. Likeness of letters is evidence of nothing.
"""

import re
from collections.abc import Container, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from remanence.core.patterns import Pattern
from remanence.languages import LEXICONS
from remanence.languages.families import load_name_words, load_same_names
from remanence.read.cues import WORD, language_code, lower_text
from remanence.read.entity import folded_name
from remanence.read.mentions import kin_of
from remanence.read.statements import spans

_NAMES, _SAME = load_name_words(), load_same_names()

Strength = Literal["stated", "implied"]
NAME_WORDS_MAX = 6
GAP_CHARS_MAX = 60  # between two names of which a sentence says that they are one
UNSPACED_CHARS = range(12, 1, -1)
CACHED_CHARS_MAX, CACHED_MAX = 40, 16_384  # longer stretches without a blank are data, met once
_CHUNK = re.compile(r"\S+")
_OUTER = " \t.,;:!?…。、，；：！？\"'“”„«»「」『』()（）[]{}<>*_~‘’"
_UNSPACED = Pattern("[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]")
_HAN = Pattern("[\u3400-\u9fff]")
_KATAKANA = Pattern("[\u30a0-\u30ff\uff66-\uff9f]")
_HANGUL = Pattern("[\uac00-\ud7af]")
_ARABIC = Pattern("[\u0600-\u06ff]")
_HEBREW = Pattern("[\u0590-\u05ff]")
_CAPITAL = Pattern(r" (?:[A-ZÀ-ÖØ-Þ][a-zà-ÿ]+|[А-ЯЁ][а-яё]+|[Α-ΩΆ-Ώ][α-ωά-ώ]+)")
_CYRILLIC = Pattern("[\u0400-\u04ff]")
_JOINED_S = re.compile(r"['’]s?")
_BETWEEN = re.compile(r"[\s'’-]+")
_OWNER = re.compile(r"['’](?:s|S)?$")
_GAP_EDGES = ' \t,;:()（），、；："“”„«»「」『』‘’–—-'
_OPENED = re.compile(r"[,(（，、–—]")
# A mail address may have given way to a marker, the same for the same address.
_MARKER = r"\[personal: mail address [0-9a-f]{2,16}\]"
_ADDRESSED = (
    rf"(?:{_MARKER}|@[\w.]{{2,40}}|(?<![\w.+-])[\w.+-]{{1,64}}@[\w-]{{1,60}}(?:\.[\w-]{{1,20}}){{1,3}})"
)
_ADDRESS = Pattern(_ADDRESSED)
_HANDLE = Pattern(rf"[ ,(<（]{{1,3}}({_ADDRESSED})")
# Addresses that many answer.
_SHARED = frozenset(
    "info office sales support contact team hello admin help mail post hr accounts kontakt hallo".split()
)
_CASES = tuple(
    (case, *change.split(":")) for case, changes in _NAMES.russian_cases.items() for change in changes.split()
)
_INITIALS_MAX = 8
_SMALL = 3  # shorter words in small letters give no initial: of, and, de


def _compile_whole_pattern(patterns: Sequence[str]) -> Pattern:
    """Return a pattern that a text is as a whole where it is any of some."""
    return Pattern("(?:" + "|".join(f"(?:{pattern})" for pattern in patterns) + r")\Z")


_STATED, _STATED_APART = _compile_whole_pattern(_SAME.stated), _compile_whole_pattern(_SAME.stated_apart)
_RESTATED, _RENAMED = _compile_whole_pattern(_SAME.restated), _compile_whole_pattern(_SAME.renamed)
_BYNAME, _DIFFERENT = _compile_whole_pattern(_SAME.byname), _compile_whole_pattern(_SAME.different)
_JOINING = Pattern("|".join(one for one in (*_SAME.stated, *_SAME.restated) if _HAN.search(one)))
_FRAMED = tuple(
    (
        Pattern(rf"(?:^|\W){lead}\Z" if lead else ""),
        _compile_whole_pattern([between]),
        Pattern(rf"{close}\b" if close else ""),
    )
    for lead, between, close in _SAME.framed
)


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A name in a text: from where to where, and folded."""

    begin: int
    end: int
    name: str


@dataclass(frozen=True, slots=True)
class NameEvidence:
    """What a sentence says of two names in it: the same or different ones, in so many words or by an address."""

    one: NameSpan
    other: NameSpan
    same: bool
    strength: Strength = "stated"
    places: bool = True  # also of places


@dataclass(frozen=True, slots=True)
class NameReading:
    """A text with its names: what it says of pairs of them, which is another bearer, whose kin, and addresses."""

    names: tuple[NameSpan, ...]
    evidence: tuple[NameEvidence, ...]
    another: frozenset[NameSpan]
    kin: dict[str, str]
    handles: tuple[tuple[NameSpan, str], ...]
    begun: frozenset[str] = frozenset()  # names that a longer one begins with, which is not among them


def read(text: str, names: AbstractSet[str]) -> NameReading:
    """Read a text for some folded names."""
    mentions = tuple(find_names(text, names))
    code = language_code(text) if mentions else ""
    beginnings = {one for one in mentions if _goes_on(text, one, mentions, code)}
    mentions = tuple(one for one in mentions if one not in beginnings)
    evidence: list[NameEvidence] = []
    another: set[NameSpan] = set()
    kin: dict[str, str] = {}
    if mentions:
        for begin, end in spans(text):
            here = [one for one in mentions if begin <= one.begin and one.end <= end]
            if not here:
                continue
            evidence += _evidence(text, (begin, end), here)
            another |= {one for one in here if _is_another(text, begin, one)}
            kin |= {folded_name(name): word for word, name in kin_of(text[begin:end], code)}
    handles = tuple((one, handle) for one in mentions if (handle := _handle(text, one)))
    longer = frozenset(one.name for one in beginnings)
    return NameReading(mentions, tuple(evidence), frozenset(another), kin, handles, longer)


def _goes_on(text: str, one: NameSpan, found: Sequence[NameSpan], code: str) -> bool:
    """Tell whether a word with a capital follows a name at once, where only names have one."""
    if code not in LEXICONS or not LEXICONS[code].names_by_capital or not text[one.begin].isupper():
        return False
    begins_other = any(other.begin == one.end + 1 for other in found)
    return not begins_other and " " not in one.name and _CAPITAL.match(text, one.end) is not None


def find_names(text: str, names: Container[str], firsts: Container[str] = ()) -> Iterator[NameSpan]:
    """Yield where any of some folded names stands in a text, the longest where several begin, and none within another.

    `firsts` are the words that they begin with, where the names are not to be gone through.
    """
    if isinstance(names, AbstractSet):
        firsts = {name.split(" ")[0] for name in names}
    chunks = list(_CHUNK.finditer(text))
    is_unspaced = not text.isascii() and _UNSPACED.search(text) is not None
    at = 0
    while at < len(chunks):
        chunk, span, step = chunks[at].group(), None, 1
        for lead, forms in _begun_by(chunk) if len(chunk) <= CACHED_CHARS_MAX else _beginnings(chunk):
            if span is None and any(map(firsts.__contains__, forms)):
                span, step = _find_spaced_name(text, chunks, at, lead, names)
        if span is not None:
            yield span
        elif is_unspaced and _UNSPACED.search(chunk):
            yield from _find_unspaced_names(text, chunks[at].span(), names)
        at += step


def _find_spaced_name(
    text: str, chunks: Sequence[re.Match[str]], at: int, lead: int, names: Container[str]
) -> tuple[NameSpan | None, int]:
    """Return the longest name that begins in a chunk, and how many chunks it takes; one where there is none."""
    begin = chunks[at].start() + lead
    pieces = (
        (many, chunks[at + many - 1].end(), form, tail)
        for many in range(min(NAME_WORDS_MAX, len(chunks) - at), 0, -1)
        for form, tail in _endings(text[begin : chunks[at + many - 1].end()])
    )
    met = next((piece for piece in pieces if piece[2] in names), None)
    if met is None:
        return None, 1
    many, end, form, tail = met
    return _trim_name(text, begin, end - tail, form), many


@lru_cache(maxsize=CACHED_MAX)
def _begun_by(chunk: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Keep of the words that are met again and again what names may begin with them."""
    return tuple(_beginnings(chunk))


def _beginnings(chunk: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield how many letters may stand before a name that begins in a chunk, with the forms that its word may be of."""
    yield from ((lead, tuple(_forms(chunk[lead:]))) for lead in _leads(chunk))


def _leads(chunk: str) -> Iterator[int]:
    """Yield how many letters may stand joined before a name: prepositions of Hebrew and Arabic."""
    yield 0
    if _HEBREW.match(chunk) and chunk[0] in _SAME.joined_hebrew:
        yield 1
    if _ARABIC.match(chunk):
        yield from (len(prefix) for prefix in _SAME.joined_arabic if chunk.startswith(prefix))


def _forms(chunk: str) -> Iterator[str]:
    yield from (form for form, _ in _endings(chunk))
    if _CYRILLIC.match(chunk):
        yield from (form for _, form in _nominatives(folded_name(chunk)))


def _endings(piece: str) -> Iterator[tuple[str, int]]:
    """Yield a piece of text folded, as it is and without what may be joined to its end, with how much that is."""
    yield folded_name(piece), 0
    bare = piece.rstrip(_OUTER)
    outer = len(piece) - len(bare)
    if owner := _OWNER.search(piece):
        yield folded_name(piece[: owner.start()]), len(owner.group())
    elif (owner := _OWNER.search(bare)) and outer:
        yield folded_name(bare[: owner.start()]), outer + len(owner.group())
    if " " in bare and _CYRILLIC.match(bare):
        yield from ((form, outer) for form in _in_nominative(folded_name(bare)))
    if _HANGUL.search(bare[-1:]):
        for suffix in _SAME.joined_korean:
            if bare.endswith(suffix) and len(bare) > len(suffix) + 1:
                yield folded_name(bare[: -len(suffix)]), outer + len(suffix)


def _in_nominative(name: str) -> Iterator[str]:
    """Yield what a full name in another case may be in the nominative: both words of one gender and case."""
    first, _, last = name.partition(" ")
    if " " in last or first in _NAMES.given:
        return
    ends = dict[str, list[str]]()
    for case, form in _nominatives(last):
        ends.setdefault(case, []).append(form)
    for case, form in _nominatives(first):
        yield from (f"{form} {end}" for end in ends.get(case, ()))


def _nominatives(word: str) -> Iterator[tuple[str, str]]:
    """Yield (gender and case, nominative) that a word may be of."""
    for case, ending, bare in _CASES:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            yield case, word[: len(word) - len(ending)] + bare


def _trim_name(text: str, begin: int, end: int, form: str) -> NameSpan:
    piece = text[begin:end]
    begin += len(piece) - len(piece.lstrip(_OUTER))
    return NameSpan(begin, begin + len(piece.strip(_OUTER)), form)


def _find_unspaced_names(text: str, where: tuple[int, int], names: Container[str]) -> Iterator[NameSpan]:
    """Yield the names within a stretch without blanks; where a name may go on it does not end."""
    at, end = where
    while at < end:
        span = next(
            (
                NameSpan(at, at + size, form)
                for size in UNSPACED_CHARS
                if at + size <= end
                and (form := folded_name(text[at : at + size])) in names
                and len(form) > 1
                and _ends(text, at + size, end)
                and _begins(text, at)
            ),
            None,
        )
        if span is not None:
            yield span
        at = at + 1 if span is None else span.end


def _ends(text: str, at: int, end: int) -> bool:
    if at >= end:
        return True
    before, after = text[at - 1], text[at]
    if _HAN.match(before) and _HAN.match(after):
        return after in _SAME.joined_chinese or (_JOINING.match(text, at) is not None)
    return not (_KATAKANA.match(before) and _KATAKANA.match(after))


def _begins(text: str, at: int) -> bool:
    """Tell whether a name may begin at a place: no name goes on there."""
    if at == 0 or not _KATAKANA.match(text[at]):
        return True
    return not _KATAKANA.match(text[at - 1])


def _handle(text: str, one: NameSpan) -> str:
    """Return the address or handle right after a name, "" for none and for one that many answer."""
    after = text[one.end : one.end + 120]
    match = _HANDLE.match(after[suffix.end() :] if (suffix := _JOINED_S.match(after)) else after)
    if match is None:
        return ""
    return _parse_own_handle(match.group(1))


def handles_in(text: str) -> set[str]:
    """Return the addresses and handles in a text that may be one's own."""
    return {handle for match in _ADDRESS.finditer(text) if (handle := _parse_own_handle(match.group()))}


def _parse_own_handle(address: str) -> str:
    handle = folded_name(address)
    return "" if handle.partition("@")[0] in _SHARED else handle


def _evidence(text: str, where: tuple[int, int], here: Sequence[NameSpan]) -> Iterator[NameEvidence]:
    """Yield what one sentence says of each two names that follow one another in it."""
    sentence = text[where[0] : where[1]]
    is_doubted = _is_doubted(sentence)
    for one, other in pairwise(here):
        gap = text[one.end : other.begin]
        if len(gap) > GAP_CHARS_MAX or one.name == other.name:
            continue
        bare = lower_text(gap).strip(_GAP_EDGES)
        if bare and _DIFFERENT.match(bare):
            yield NameEvidence(one, other, same=False)
        elif not is_doubted and not _is_negated(text[where[0] : one.begin]) and not _owns(text, other):
            yield from _find_sameness(text, where, (one, other), gap)


def _find_sameness(
    text: str, where: tuple[int, int], pair: tuple[NameSpan, NameSpan], gap: str
) -> Iterator[NameEvidence]:
    one, other = pair
    bare = lower_text(gap).strip(_GAP_EDGES)
    has_opening = _OPENED.search(gap) is not None
    before, after = text[where[0] : one.begin], text[other.end : where[1]]
    byname = " " in one.name and " " not in other.name and _BYNAME.match(bare)
    apart = has_opening and _STATED_APART.match(bare)
    if apart or (bare and _STATED.match(bare)) or _is_framed(bare, before, after):
        yield NameEvidence(one, other, same=True)
    elif has_opening and _RESTATED.match(bare):
        yield NameEvidence(one, other, same=True, strength="implied", places=False)
    elif has_opening and (byname or _RENAMED.match(bare)):
        yield NameEvidence(one, other, same=True, places=False)
    elif not bare and "(" in gap.replace("（", "(") and after.lstrip()[:1] in (")", "）"):
        texts = text[one.begin : one.end], text[other.begin : other.end]
        if are_initials(texts[1], texts[0]) or are_initials(*texts):
            yield NameEvidence(one, other, same=True)


def are_initials(short: str, full: str) -> bool:
    """Tell whether a word of capitals takes the first letter of each word of a name, and only its letters, in order."""
    if not short.isupper() or not short.isalpha() or not 1 < len(short) <= _INITIALS_MAX:
        return False
    parts = [part for part in _BETWEEN.split(full) if part[:1].isupper() or len(part) > _SMALL]
    if len(parts) < 2 or not short.startswith(parts[0][:1].upper()):
        return False
    letters = iter("".join(full.split()).upper())
    in_order = all(letter in letters for letter in short)
    firsts = iter(short)
    return in_order and all(part[0].upper() in firsts for part in parts)


def _is_framed(bare: str, before: str, after: str) -> bool:
    ahead, behind = lower_text(before).rstrip(), lower_text(after).lstrip(_GAP_EDGES)
    return any(
        between.match(bare) and lead.search(ahead) and close.match(behind) for lead, between, close in _FRAMED
    )


def _is_doubted(sentence: str) -> bool:
    tokens = set(WORD.findall(lower_text(sentence)))
    is_question = sentence.rstrip("\"'”’»)").endswith(("?", "？", "؟", ";"))
    return is_question or bool(tokens & _SAME.doubt) or any(one in sentence for one in _SAME.doubt_unspaced)


def _is_negated(before: str) -> bool:
    return bool(set(WORD.findall(lower_text(before))) & _negations())


@lru_cache(maxsize=1)
def _negations() -> frozenset[str]:
    return frozenset().union(*(lexicon.negations for lexicon in LEXICONS.values()))


def _owns(text: str, one: NameSpan) -> bool:
    """Tell whether a name stands for what is its own: "that is Robert's brother"."""
    return text[one.end : one.end + 2] in ("'s", "’s")


def _is_another(text: str, begin: int, one: NameSpan) -> bool:
    before = text[begin : one.begin]
    tokens = WORD.findall(lower_text(before))
    if tokens and tokens[-1] in _SAME.another and before.endswith((" ", "\u3000")):
        return True
    return any(before.endswith(word) for word in _SAME.another if _UNSPACED.search(word))
