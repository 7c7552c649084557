"""What a text says to the machine: fingerprint, stems, words, and what must survive a merge. Knows no memories.

Every function is deterministic; where its answers are stored, a version constant says when they must be rebuilt.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, groupby
from operator import attrgetter
from typing import NamedTuple

import Stemmer

from remanence import languages
from remanence.core.errors import InvalidInput, format_value
from remanence.core.model import TEXT_CHARS_MAX
from remanence.core.results import JOINERS as JOINERS
from remanence.core.results import visible as visible
from remanence.core.text_caches import text_cache
from remanence.languages import Lexicon, language_of, speaks_foreign
from remanence.text.identifiers import find_identifiers

FINGERPRINT_VERSION = 2
TOKENIZER_VERSION = 2
_PERSON = b"remanence-text%02d" % FINGERPRINT_VERSION
ASKING = "?？؟"
QUESTION_STEMS_MAX = 8  # of a text that only asks: longer ones tell something on the way
QUESTION_CHARS_MAX = 300
_SENTENCES = re.compile(r"[^.!?？؟。！\n]+[.!?？؟。！]*")

# Longer chunks are data (keys, base64), met once: caching them would only push words out.
_CACHED_CHARS_MAX = 40
_CACHE_SIZE = 65_536
# A text on its way in is read by its index, value, vector and statistics: a batch of ordinary ones is kept as read.
_TEXTS_CACHED = 2_048
_CACHED_TEXT_CHARS_MAX = 2_000

_WORD = (
    r"[^\s!-/:-@\[-^`{-~]"  # whatever is neither blank nor ASCII punctuation, after `_plain`; `_` is a letter
)
_CHUNK = re.compile(rf"{_WORD}+(?:[-.,:'’]{_WORD}+)*(?:\+\+(?!{_WORD})|\#(?!{_WORD}))?")
_PART = re.compile(rf"{_WORD}+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_DIGIT = re.compile(r"\d")
# Scripts that are written without blanks, or (Hangul) with endings glued on.
UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    r"\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
_PIECES = re.compile(r"[,:]")
_PARTS = re.compile(r"[-._]")
# A run of marks is looked at from its first one only, and given up whole: from each of its marks it would be quadratic.
_SENTENCE = re.compile(r"(?<![.!?…])[.!?…]++(?=\s|$)|\n")

_CODE = re.compile(
    r"`[^`\n]+`"  # quoted code
    r"|\b[a-z][a-z0-9+.-]{0,15}://\S*[\w/]"  # addresses
    r"|(?<!\S)~?(?:/[\w.-]+){2,}"  # paths
    r"|(?<![^\s\"'(\[<,;=])(?:[A-Za-z]:[\\/]|\\\\|[\w.-]++\\)[\w\\/.$~-]*[\w$~]"  # paths as Windows writes them
    r"|\b\w+@[\w-]+\.[\w.]*\w"  # mail addresses
    r"|\b[A-Za-z][^\W_]*+_\w++"  # snake_case
    r"|\b[a-z]+[A-Z]\w*\b"  # camelCase
    r"|\b\w+\(\)"  # calls
    r"|(?<!\w)--?[a-zA-Z][\w-]+"  # options
    r"|\b[A-Za-z](?:\+\+|\#)"  # C++, C#
    r"|\bv\d+(?:\.\d+)*\b"  # versions
)
# One of these is in whatever `_CODE` finds: looking for these first is ten times as fast.
_CODE_MARK = re.compile(r"[`/\\@_#+]")
_CODE_OPTION = re.compile(r"(?<!\w)--?[a-zA-Z]|\w\(\)")
_CODE_WORD = re.compile(r"[a-z][A-Z]")
_CODE_VERSION = re.compile(r"v\d")
_AMOUNT = re.compile(r"(?<![\w.])-?[$€£¥₹]?-?\d+(?:[.,:/]\d+)*(?:\s?[%‰°$€£¥₹])?")


@dataclass(frozen=True, slots=True)
class Vital:
    """What a merge of texts must not lose; all lower-case except code, which stands as written."""

    numbers: frozenset[str]
    negations: int
    names: frozenset[str]
    dates: frozenset[str]
    code: frozenset[str]


class ChunkReading(NamedTuple):
    """What one chunk between blanks says.

    `content` pairs folded tokens with their stems, English stop words out; `weighed` lists each surface word with its
    folded form and its stem ("" for an English stop word). `foreign` counts function words of other languages.
    """

    surface: tuple[str, ...]
    folded: tuple[str, ...]
    content: tuple[tuple[str, str], ...]
    stems: tuple[str, ...]
    weighed: tuple[tuple[str, str, str], ...]
    foreign: int


def check_text(text: str) -> None:
    """Raise InvalidInput for a text that cannot be a memory: blank, with NUL or lone surrogates, or too long."""
    value: object = text
    if not isinstance(value, str):
        raise InvalidInput(f"a text must be a str, not {format_value(value)}", recovery="pass a str")
    if len(text) > TEXT_CHARS_MAX:
        raise InvalidInput(
            f"the text has {len(text):,} characters, {TEXT_CHARS_MAX:,} are the limit",
            recovery="split it into passages of one subject each and learn those",
        )
    if not text.strip():
        raise InvalidInput("the text is empty", recovery="pass at least one character that is not a blank")
    if "\0" in text:
        raise InvalidInput("the text holds a NUL character", recovery="remove it; binary data is not a text")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"the text holds half a character (a lone surrogate) at position {error.start}",
            recovery="decode the source with the right encoding, or replace it: text.encode('utf-8', 'replace')",
        ) from error


def fingerprint(text: str, speaker: str = "") -> bytes:
    """Return 16 bytes that two texts of one speaker share only where their difference cannot change what is said.

    Folded: compatibility forms, invisible format characters, blanks, typographic quotes and dashes, repeated marks,
    the closing mark of a statement, quotes around the whole, and capitals, but those of code, of identifiers, of
    abbreviations that are another word in small letters and of words that a capital makes a name of.
    """
    return fingerprints(text, [speaker])[0]


def fingerprints(text: str, speakers: Sequence[str]) -> list[bytes]:
    """Return the fingerprint that a text has from each of some speakers."""
    folded_bytes = (folded_text(text) or text).encode("utf-8", "surrogatepass")
    return [_digest_text(folded_bytes, speaker) for speaker in speakers]


def _digest_text(folded: bytes, speaker: str) -> bytes:
    content = (
        _cached_speaker(speaker) if len(speaker) <= _CACHED_CHARS_MAX else _fold_speaker(speaker)
    ) + folded
    return blake2b(content, digest_size=16, person=_PERSON).digest()


def _fold_speaker(speaker: str) -> bytes:
    return " ".join(_normalize_text(speaker).casefold().split()).encode("utf-8", "surrogatepass") + b"\0"


_cached_speaker = text_cache(_TEXTS_CACHED)(_fold_speaker)


def stems(text: str) -> list[str]:
    """Return the content tokens in order: stop words out, English words stemmed, unspaced scripts as bigrams.

    Used alike for index, value and query. Compounds with digits (gpt-4o) and dotted names (node.js) give the whole
    and its parts; c++, c#, 3.14 and v1.2 stay whole; 1,000 is 1000, 8th is 8. Behind these come the numbers and codes
    that are written in groups, each as one word: 0171 23-45 is 01712345, too.
    """
    return list(
        _compute_stems(text) if len(text) <= _CACHED_TEXT_CHARS_MAX else _compute_stems.__wrapped__(text)
    )


def word_stems(word: str) -> Sequence[str]:
    """Return the stems of one word, as of a text of it alone; it takes no text's place among those kept as read."""
    if len(word) <= _CACHED_CHARS_MAX and word.isascii() and word.isalpha():
        return _cached_reading(word).stems
    read = _read_chunks.__wrapped__(word)
    return stems_of(read, lexicon_of(read))


def stems_once(text: str) -> list[str]:
    """Return what `stems` returns, of a text that is looked at once: nothing is put out of the cache for it."""
    read = _read_chunks.__wrapped__(text)
    return [*stems_of(read, lexicon_of(read)), *_find_identifiers(text)]


def readings(text: str) -> Sequence[ChunkReading]:
    """Return what each chunk between blanks says; the one pass that stems, words and values share."""
    return _read_chunks(text) if len(text) <= _CACHED_TEXT_CHARS_MAX else _long_readings(text)


@text_cache(_TEXTS_CACHED)
def _compute_stems(text: str) -> tuple[str, ...]:
    read = readings(text)
    return (*stems_of(read, lexicon_of(read)), *_find_identifiers(text))


def _find_identifiers(text: str) -> list[str]:
    return find_identifiers(_normalize_for_chunks(text)) if _DIGIT.search(text) else []


@text_cache(_TEXTS_CACHED)
def _read_chunks(text: str) -> tuple[ChunkReading, ...]:
    chunks = _CHUNK.findall(_normalize_for_chunks(text))
    if max(map(len, chunks), default=0) <= _CACHED_CHARS_MAX:
        return tuple(map(_cached_reading, chunks))
    return tuple(
        _cached_reading(chunk) if len(chunk) <= _CACHED_CHARS_MAX else _read_chunk(chunk) for chunk in chunks
    )


_long_readings = text_cache(1)(_read_chunks.__wrapped__)  # a long question is read by each part of its recall


def stems_of(read: Sequence[ChunkReading], lexicon: Lexicon) -> list[str]:
    """Return the stems of a text that was read, in the order of the text."""
    if lexicon is languages.ENGLISH:
        return list(chain.from_iterable(map(_STEMS, read)))
    return [stem for reading in read for word, stem in reading.content if word not in lexicon.stop]


def lexicon_of(read: Sequence[ChunkReading]) -> Lexicon:
    """Return the word lists of the language a text is in; English where nothing speaks for another."""
    if sum(map(_FOREIGN, read)) < 2:
        return languages.ENGLISH
    return language_of([word for reading in read for word in reading.folded])


def words(text: str) -> list[str]:
    """Return the words as written, marks off; hyphenated words are split, unspaced scripts give characters."""
    return [word for reading in readings(text) for word in reading.surface]


def count_words(text: str) -> int:
    """Return how many words `words` gives of a text."""
    return sum([len(reading.surface) for reading in readings(text)])


def asks(text: str) -> bool:
    """Whether a text holds a question mark, so that what follows it is an answer."""
    return any(mark in text for mark in ASKING)


def only_asks(text: str) -> bool:
    """Whether every sentence of a short text asks; a question mark alone is no sign, as requests state things too."""
    if not asks(text) or len(text) > QUESTION_CHARS_MAX:
        return False
    sentences = [part for part in _SENTENCES.findall(text) if any(map(str.isalnum, part))]
    return all(asks(part) for part in sentences) and len(set(stems(text))) <= QUESTION_STEMS_MAX


@text_cache(_CACHE_SIZE)
def term_hash(stem: str) -> int:
    """Return the stable positive 63-bit number under which statistics of a stem are kept."""
    digest = blake2b(stem.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    # One bit is given away so that it fits a signed column, and 0 so that it can mean "none".
    return (int.from_bytes(digest) >> 1) or 1


def terms_of(text: str) -> frozenset[int]:
    """Return the hashes of the distinct stems of a text."""
    return frozenset(map(term_hash, stems(text)))


def vital_tokens(text: str) -> Vital:
    """Return numbers, negations, names, dates and code of a text."""
    plain = _normalize_text(text)
    read = readings(plain)
    lexicon = lexicon_of(read)
    folded_words = [word for reading in read for word in reading.folded]
    distinct = set(folded_words)
    amounts = _AMOUNT.finditer(plain) if _DIGIT.search(plain) else ()
    numbers = {"".join(amount.group().split()).replace(",", "") for amount in amounts}
    is_negated = not lexicon.negations.isdisjoint(distinct)
    return Vital(
        numbers=frozenset(numbers | (lexicon.number_words & distinct)),
        negations=sum([word in lexicon.negations for word in folded_words]) if is_negated else 0,
        names=frozenset() if plain.islower() else frozenset(_find_names(read, lexicon)),
        dates=frozenset([word for word in distinct if word in lexicon.time_words or word in lexicon.months]),
        code=frozenset(_find_code(plain)),
    )


def _find_code(plain: str) -> Iterator[str]:
    """Yield the code in a text as it is written."""
    if (
        _CODE_MARK.search(plain)
        or (("-" in plain or "()" in plain) and _CODE_OPTION.search(plain))
        or (not plain.islower() and _CODE_WORD.search(plain))
        or _CODE_VERSION.search(plain)
    ):
        for match in _CODE.finditer(plain):
            yield match.group().strip("`")


def sentences(text: str) -> list[str]:
    """Return the sentences, closing marks off; a mark closes one only before a blank or the end."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def _read_chunk(chunk: str) -> ChunkReading:
    if chunk.isascii() and chunk.isalpha():
        return _read_word(chunk)
    surface, tokens = _split_chunk(chunk)
    # By distinct words: a text without blanks is one chunk of thousands.
    folded = {word: _strip_possessive(word.casefold()) for word in {*surface}}
    folded_words = tuple([folded[word] for word in surface])
    stem = {
        word: "" if word in languages.ENGLISH.stop else _stem_token(word) for word in {*tokens, *folded_words}
    }
    content = tuple([(token, stem[token]) for token in tokens if stem[token]])
    return ChunkReading(
        surface=surface,
        folded=folded_words,
        content=content,
        stems=tuple([stem for _, stem in content]),
        weighed=tuple([(word, low, stem[low]) for word, low in zip(surface, folded_words, strict=True)]),
        foreign=sum(map(speaks_foreign, folded_words)),
    )


def _read_word(word: str) -> ChunkReading:
    """Read what most chunks are: one word of Latin letters."""
    low = word.lower()
    stem = "" if low in languages.ENGLISH.stop else str(_make_stemmer().stemWord(low))
    # Tens of thousands are kept: what is the same is one object.
    surface = (word,)
    folded_words = surface if low == word else (low,)
    stem_words = () if not stem else folded_words if stem == low else (stem,)
    content = ((low, stem),) if stem else ()
    return ChunkReading(
        surface, folded_words, content, stem_words, ((word, low, stem),), int(speaks_foreign(low))
    )


_cached_reading = text_cache(_CACHE_SIZE)(_read_chunk)
_STEMS, _FOREIGN = attrgetter("stems"), attrgetter("foreign")


def _split_chunk(chunk: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (surface words, folded tokens) of a chunk."""
    if chunk.isascii() and chunk.isalnum():
        ordinal = _ORDINAL.fullmatch(chunk.casefold())
        return (chunk,), (ordinal.group(1) if ordinal else chunk.casefold(),)
    if UNSPACED.search(chunk):
        return _split_unspaced(chunk)
    if chunk.endswith(("++", "#")) or _NUMBER.fullmatch(chunk):
        whole = chunk.replace(",", "") if _THOUSANDS.fullmatch(chunk) else chunk
        return (chunk,), (whole.casefold(),)
    return _split_compound(chunk)


def _split_compound(chunk: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    pieces = [piece.strip("'") for piece in _PIECES.split(chunk) if piece.strip("'")]
    surface: list[str] = []
    tokens: list[str] = []
    for piece in pieces:
        parts = [part.strip("'") for part in _PARTS.split(piece) if part.strip("'")]
        whole = len(parts) > 1 and (any(mark in piece for mark in "._") or _DIGIT.search(piece) is not None)
        surface.extend([piece] if whole else parts)
        if whole:
            tokens.append(piece.casefold())
        # The parts of a version or decimal number say nothing by themselves.
        if not (whole and "." in piece and _DIGIT.search(piece)):
            tokens.extend(_strip_possessive(part.casefold()) for part in parts)
    return tuple(surface), tuple(tokens)


def _split_unspaced(chunk: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    surface: list[str] = []
    tokens: list[str] = []
    end = 0
    for match in UNSPACED.finditer(chunk):
        for between in _PART.findall(chunk[end : match.start()]):
            surface.append(between)
            tokens.append(between.casefold())
        run = match.group()
        surface.extend(run)
        tokens.extend([run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)])
        end = match.end()
    for between in _PART.findall(chunk[end:]):
        surface.append(between)
        tokens.append(between.casefold())
    return tuple(surface), tuple(tokens)


def _strip_possessive(word: str) -> str:
    """Take the possessive off a folded word."""
    return word.removesuffix("'s")


@lru_cache(maxsize=1)
def _make_stemmer() -> "Stemmer.Stemmer":
    # Its own cache is a dict that is emptied when full; ours is bounded and shared.
    stemmer = Stemmer.Stemmer("porter")
    stemmer.maxCacheSize = 0
    return stemmer


def _stem_token(token: str) -> str:
    if token.isascii():
        return str(_make_stemmer().stemWord(token)) if token.isalpha() else token
    # Accents are taken off Latin letters; in other scripts marks are letters.
    return _cached_bare(token) if len(token) <= _CACHED_CHARS_MAX else _cached_bare.__wrapped__(token)


@text_cache(_CACHE_SIZE)
def _cached_bare(token: str) -> str:
    chars: list[str] = []
    base_is_latin = False
    for char in unicodedata.normalize("NFD", token):
        if unicodedata.combining(char) and base_is_latin:
            continue
        base_is_latin = char < "\u0250"
        chars.append(char)
    word = unicodedata.normalize("NFC", "".join(chars))
    return str(_make_stemmer().stemWord(word)) if word.isascii() and word.isalpha() else word


class _Classes(dict[int, str]):
    """Character → itself, a blank or nothing, by its Unicode category, worked out on first sight."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kind = unicodedata.category(char)
        if kind == "Cf":
            self[code] = ""
        elif code < 128 or kind[0] in "LMN":
            self[code] = char
        else:
            self[code] = " "
        return self[code]


_CLASSES = _Classes({ord(mark): "'" for mark in "’‘ʼ＇"} | dict.fromkeys(range(0xFE00, 0xFE10), ""))


def _normalize_for_chunks(text: str) -> str:
    """Return the text ready for `_CHUNK`: only letters, marks, numbers, blanks and ASCII marks are left."""
    return text if text.isascii() else normalize_nfkc(text).translate(_CLASSES)


# What may be a mark, in a run so long that putting it in order by the library would take long; voiced sound marks are
# letters by their category.
_MANY_MARKS = re.compile(r"(?:[^\w\s\x00-\x7f]|[\uff9e\uff9f]){32,}+")


def normalize_nfkc(text: str) -> str:
    """Return NFKC in linear time: the library orders marks by swapping neighbours, so many come to it in order."""
    return unicodedata.normalize("NFKC", _MANY_MARKS.sub(_in_order, text))


def _in_order(found: re.Match[str]) -> str:
    apart = [mark for char in found.group() for mark in unicodedata.normalize("NFKD", char)]
    pieces: list[str] = []
    for stays, found_marks in groupby(apart, key=lambda mark: unicodedata.combining(mark) == 0):
        marks = list(found_marks)
        pieces += marks if stays else sorted(marks, key=unicodedata.combining)
    return "".join(pieces)


_SUPERSCRIPT = re.compile(r"(?<=[\w)])([⁰¹²³⁴-⁹]+)")
_VULGAR = re.compile(r"(?<=\d)([¼-¾⅐-⅞])")
_DASHES = str.maketrans("‐‑‒–—―−﹣－“”„‟«»″’‘ʼ", '---------"""""""\'\'\'')
_QUOTES_AROUND = re.compile(r"^([\"'])(?!\s)([^\"']*)\1$")
_REPEATED = re.compile(r"([!?,;:…])\1+|\.{2,}")
_BEFORE_MARK = re.compile(r" (?=[.,;:!?…](?: |$))")
_LETTERS = r"[^\W\d_]"
# Words and numbers joined by hyphens or apostrophes, with the marks of a sentence around them; all else is as code is.
_WORD_ALONE = rf"(?:{_LETTERS}+|\d+(?i:am|pm|st|nd|rd|th)?)"
_WORDS_ALONE = re.compile(rf"[\"'(\[{{*«¿¡„….]*({_WORD_ALONE}(?:['&-]{_WORD_ALONE})*)[\"')\]}}*».,;:!?…]*")
_LETTERS_ALONE = re.compile(rf"{_LETTERS}+")
# PROJ-12, and letters that are no word of any language here: vitamin C, plan B.
_NAMED_BY_CAPITALS = re.compile(r"(?<![A-Z])[A-Z]+-\d[\w-]*|[B-DF-HJ-NP-TV-XZ]")
_QUOTED_CODE = re.compile(r"(`[^`\n]+`)")
_MARKED = re.compile(r"[^\w ]")


def _normalize_text(text: str) -> str:
    """Return NFKC with format characters out, but 10² never 102 and 1½ never 11/2; dashes and quotes are plain."""
    if text.isascii():
        return text
    plain = _SUPERSCRIPT.sub(r"^\1", text)
    plain = _VULGAR.sub(r" \1", plain).translate(_DASHES)
    plain = normalize_nfkc(plain).translate(_DASHES)
    # U+FE00–FE0F choose between drawings of one character.
    return "".join(
        c for c in plain if c.isascii() or (unicodedata.category(c) != "Cf" and not "\ufe00" <= c <= "\ufe0f")
    )


def folded_text(text: str) -> str:
    """Return what exact repeats of a text share, "" where nothing is left."""
    plain = " ".join(_normalize_text(text).split())
    if _MARKED.search(plain):
        plain = _QUOTES_AROUND.sub(r"\2", plain)
        plain = _REPEATED.sub(lambda found: found.group(1) or "…", plain)
        plain = _without_closing(_BEFORE_MARK.sub("", plain))
    if plain.islower():
        return plain
    # Only the case of words in which it says nothing is folded; quoted code stands as written.
    if "`" not in plain:
        return " ".join([_folded_chunk(chunk) for chunk in plain.split(" ")])
    parts = _QUOTED_CODE.split(plain)
    parts[::2] = [" ".join([_folded_chunk(chunk) for chunk in part.split(" ")]) for part in parts[::2]]
    return "".join(parts)


def _folded_chunk(chunk: str) -> str:
    return _cached_chunk(chunk) if len(chunk) <= _CACHED_CHARS_MAX else _fold_chunk(chunk)


def _fold_chunk(chunk: str) -> str:
    """Fold the words between two blanks, or keep all where it holds code or an identifier; in doubt it is kept."""
    if chunk == chunk.lower():
        return chunk
    match = _WORDS_ALONE.fullmatch(chunk)
    if match is None or _NAMED_BY_CAPITALS.fullmatch(match.group(1)):
        return chunk
    return _LETTERS_ALONE.sub(_fold_word, chunk)


def _fold_word(found: re.Match[str]) -> str:
    """Fold a word with a capital or in capitals; one with a capital inside is an identifier."""
    word = found.group()
    low = word.lower()
    if low in languages.CASE_BEARING or (word.isupper() and len(word) > 1 and low in languages.ABBREVIATIONS):
        return word
    return low if word.isupper() or word[1:].islower() else word


_cached_chunk = text_cache(_CACHE_SIZE)(_fold_chunk)


def _without_closing(plain: str) -> str:
    """Take off the mark that closes a statement; 5! is a number, and what asks keeps asking."""
    bare = plain.rstrip(" .!…")
    return bare + "!" if bare[-1:].isdigit() and plain[len(bare) :].startswith("!") else bare


def _find_names(read: Sequence[ChunkReading], lexicon: Lexicon) -> set[str]:
    """Return capitalised words that are no function words; where every noun has a capital, acronyms only."""
    return {
        folded_word
        for reading in read
        for word, folded_word in zip(reading.surface, reading.folded, strict=True)
        if word[:1].isupper()
        and folded_word not in languages.ENGLISH.stop
        and folded_word not in lexicon.stop
        and (lexicon.names_by_capital or not word[1:].islower())
    }
