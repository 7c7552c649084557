"""What is shown of a memory in place of its text once a policy has made it shorter: the text without its small words.

Knows texts and word lists; must not know why a memory is made shorter. The text itself stays as it is, for whoever
searches.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from remanence.core.model import Form, Memory
from remanence.core.text_caches import text_cache
from remanence.languages import CASE_BEARING, LEXICONS, UNLISTED, Lexicon
from remanence.text.analysis import lexicon_of, readings

CONDENSED_VERSION = 1  # raised where other words are left out: the lengths that are stored are then made anew

# A language shows by its small words: in prose every second or third word is one. Where hardly any is, the text is a
# list, a table or in a language without word lists, and nothing may be left out.
_SMALL_MIN = 2
_SMALL_SHARE_MIN = 0.2
# A text with so many frequent words of an unlisted language, compared with the small words found, is in that one.
_UNLISTED_SHARE = 0.25
# Of the characters. In prose one in a hundred is such a sign, in source code and data one in ten.
_SIGNS_SHARE_MAX = 0.05
_WITHOUT_SIGNS = {ord(sign): None for sign in "[]{}()<>=;|&$#*\\/+^~@_"}
_STATEMENT = re.compile(
    r"^[ \t]*(?:select\b.+\bfrom|insert\s+into|update\b.+\bset|delete\s+from|create\s+table|alter\s+table"
    r"|import\s+[\w.]+$|from\s+[\w.]+\s+import|def\s+\w+\(|class\s+\w+[(:]|function\s+\w*\(|#include\b"
    r"|(?:const|let|var)\s+\w+\s*=)",
    re.IGNORECASE | re.MULTILINE,
)
# What stands as it was said. Each stops at the next opening mark, so that a text of marks costs what its length says.
_MARK = re.compile(r"[\"“„«`]|(?<!\w)['‘]")
QUOTED = re.compile(
    r"```[^`]*+(?:```|\Z)|`[^`\n]+`|\"[^\"\n]{1,300}+\"|“[^“”\n]{1,300}+[”“]|„[^„“”\n]{1,300}+[“”]|«[^«»\n]{1,300}+»"
    r"|(?<!\w)['‘][^'‘’\n]{1,300}+['’](?!\w)"
)
_BLANKS = re.compile(r"(\s+)")
# A word with nothing around it but marks of prose: `it()` and `--all` are none.
_WORD = re.compile(r"([(\[\"'“‘„«]*)([^\W_](?:.*[^\W_])?)([.,!?…:;\"'”’»)\]]*)", re.DOTALL)
_CLOSES = re.compile(r"[.!?…][\"'”’»)\]]*$")
_STRAIGHT = str.maketrans("’‘", "''")
_CACHED_CHARS_MAX = 40
_CACHE_SIZE = 65_536


class _Token(NamedTuple):
    """What stands between two blanks: whether it may go, everywhere or only as the first of its sentence.

    `opening` and `closing` are the marks around its word, which outlive it; `closes` tells whether a sentence ends.
    """

    is_word: bool
    goes: bool
    goes_first: bool
    opening: str
    closing: str
    closes: bool


def condense_text(text: str) -> str:
    """Return a text without its small words, or whole where its language is not known or nothing would be gained.

    The rest keeps its order, lines and marks. Negations, numbers, names, words by which a sentence would say something
    else, quotations and code stay, and so does a sentence of small words alone.
    """
    lexicon = prose_language(text)
    if lexicon is None:
        return text
    parts = _BLANKS.split(text.strip())
    words, blanks = parts[0::2], ["", *parts[1::2]]
    read = _cached_token if max(map(len, words)) <= _CACHED_CHARS_MAX else _read_token
    tokens = [read(one, lexicon.code) for one in words]
    stays = _mark_kept_tokens(tokens, blanks, _find_quoted_tokens(parts))
    short = "".join(_join_kept_tokens(words, blanks, tokens, stays))
    return short if len(short) < len(text) else text


def shown_text(memory: Memory) -> str:
    """Return what is shown of a memory where room is scarce: its text, or the form that a policy gave it."""
    if memory.form is Form.FULL:
        return memory.text
    return memory.summary if memory.form is Form.SUMMARY and memory.summary else condense_text(memory.text)


def prose_language(text: str) -> Lexicon | None:
    """Return the word lists of the language of a text, None where it shows none or is code."""
    read = readings(text)
    words = [word for reading in read for word in reading.folded]
    lexicon = lexicon_of(read)
    stop = lexicon.stop
    small = len([word for word in words if word in stop])
    if small < max(_SMALL_MIN, len(words) * _SMALL_SHARE_MIN):
        return None
    if not UNLISTED.isdisjoint(words) and sum(map(UNLISTED.__contains__, words)) > small * _UNLISTED_SHARE:
        return None
    prose = QUOTED.sub("", text) if _MARK.search(text) else text
    signs = len(prose) - len(prose.translate(_WITHOUT_SIGNS))
    return None if signs > len(prose) * _SIGNS_SHARE_MAX or _STATEMENT.search(prose) else lexicon


@cache
def _select_droppable_words(code: str) -> frozenset[str]:
    """Return the small words of a language that may go; what negates, counts or dates in any language may not."""
    lexicon = LEXICONS[code]
    vital = (
        lexicon.number_words | lexicon.time_words | lexicon.months.keys() | one.negations
        for one in LEXICONS.values()
    )
    return lexicon.stop.difference(lexicon.weighty, *vital)


def _read_token(said: str, code: str) -> _Token:
    """Look at one token; a capital makes a name of a small word, unless it begins a sentence."""
    match = _WORD.fullmatch(said)
    closes = _CLOSES.search(said) is not None
    if match is None:
        return _Token(
            any(map(str.isalnum, said)), goes=False, goes_first=False, opening="", closing="", closes=closes
        )
    opening, word, closing = match.groups()
    low, droppable = word.casefold().translate(_STRAIGHT), _select_droppable_words(code)
    small = low in droppable or low.removesuffix("'s") in droppable
    # A bracket or a quotation around one word keeps it.
    small = small and not (opening and closing.strip(".!?…,:;"))
    is_name = word[0].isupper() and low.partition("'")[0] != "i"
    initial = small and low not in CASE_BEARING and not (word.isupper() and len(word) > 1)
    marks = closing.replace(",", "")
    return _Token(True, small and not is_name, initial if is_name else small, opening, marks, closes)


_cached_token = text_cache(_CACHE_SIZE)(_read_token)


def _find_quoted_tokens(parts: Sequence[str]) -> frozenset[int]:
    """Return the places of the tokens that stand in a quotation."""
    text = "".join(parts)
    if not _MARK.search(text):
        return frozenset()
    ends = list(accumulate(map(len, parts)))
    places: set[int] = set()
    place = 0
    for quotation in QUOTED.finditer(text):
        begins, stops = quotation.span()
        while place < len(ends) and ends[place] <= begins:
            place += 2
        while place < len(ends) and ends[place] - len(parts[place]) < stops:
            places.add(place // 2)
            place += 2
        place = max(0, place - 2)  # the last one may reach into the next quotation
    return frozenset(places)


def _mark_kept_tokens(tokens: Sequence[_Token], blanks: Sequence[str], quoted: frozenset[int]) -> list[bool]:
    """Tell which tokens stay, sentence by sentence; of a sentence without any other word all do."""
    stays: list[bool] = []
    begins = 0
    for place, token in enumerate(tokens):
        last = place + 1 == len(tokens) or token.closes or "\n" in blanks[place + 1]
        goes = token.goes_first if place == begins else token.goes
        stays.append(not goes or place in quoted)
        if last:
            if not any(stays[at] and tokens[at].is_word for at in range(begins, place + 1)):
                stays[begins:] = [True] * (place + 1 - begins)
            begins = place + 1
    return stays


def _join_kept_tokens(
    said: Sequence[str], blanks: Sequence[str], tokens: Sequence[_Token], stays: Sequence[bool]
) -> Iterator[str]:
    """Yield what stays, with the blanks before it; marks around what goes are put to what stays."""
    gap, opening, last = "", "", ""
    for one, before, token, stay in zip(said, blanks, tokens, stays, strict=True):
        gap = before if "\n" in before or "\n" not in gap else gap
        if stay:
            yield f"{gap}{opening}{one}" if last else opening + one
            gap, opening, last = "", "", one
            continue
        opening += token.opening
        if last and token.closing and "\n" not in gap and not last.endswith(token.closing):
            yield token.closing
            last += token.closing
