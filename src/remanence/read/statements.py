"""Where the sentences of a text stand, without quoted code. Knows marks, and of words only the months."""

import re
from collections.abc import Iterator

from remanence.languages import MONTHS

# A mark ends a sentence before a blank or the end, but not after an abbreviation; ideographic marks always do.
_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s|$)|[。！？]++[」』”]?|\n++|;(?=\s)|；")
_SHORTENED = re.compile(
    r"(?:^|[\s(\"'])(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nr|vs|etc|e\.g|i\.e|z\.B|bzw|ca|Sra?|Dra?|Dña?|M|Mme|Mlle|[A-Z])\.$"
)
_COUNTED = re.compile(r"(?<!\d)\d{1,2}\.$")
_NEXT = re.compile(r" ([^\W\d_]{1,12})")
_INDENTED = re.compile(r"^(?: {4}|\t)[^\n]*+$", re.MULTILINE)
_FENCE = "```"
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_ASIDE = re.compile(r"\[[^\[\]\n]*+\]")
_MARKER = re.compile(
    r"\[(?=(?:secret|personal): [^\[\]\n]*+\])"
)  # of what gave way: the sentence goes on with it
_BULLET = re.compile(r"\A\s*+(?:[-•*>]|\d{1,3}[.)])\s++")
_LOOKED_BACK = 12
SENTENCE_CHARS_MAX = 1_000


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield from where to where each sentence stands, blanks off, without code, asides in brackets and endless ones."""
    text = mask_code_and_asides(_MARKER.sub(" ", text))
    begin = 0
    for match in _END.finditer(text):
        if not (match.group() == "." and _goes_on(text, begin, match.end())):
            yield from _trim_sentence(text, begin, match.end())
            begin = match.end()
    yield from _trim_sentence(text, begin, len(text))


def _goes_on(text: str, begin: int, end: int) -> bool:
    """Tell whether a full stop only closes an abbreviation, or a number that counts a day: "on the 12. Juli"."""
    before = text[max(begin, end - _LOOKED_BACK) : end]
    if _SHORTENED.search(before):
        return True
    after = _NEXT.match(text, end)
    return (
        _COUNTED.search(before) is not None
        and after is not None
        and (after[1][0].islower() or after[1].lower() in MONTHS)
    )


def mask_code_and_asides(text: str) -> str:
    """Return a text with blanks where code and asides in brackets stood."""
    if _FENCE in text:
        pieces = text.split(_FENCE)
        text = _FENCE.join(" " * len(piece) if at % 2 else piece for at, piece in enumerate(pieces)).replace(
            _FENCE, "   "
        )
    text = _INDENTED.sub(_blanks, text)
    return _ASIDE.sub(_blanks, text)


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _trim_sentence(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[begin:end]
    bullet = _BULLET.match(piece)
    sentence = piece[bullet.end() if bullet else 0 :].strip(" \t\r\n;；")
    if sentence and len(sentence) <= SENTENCE_CHARS_MAX and not _UNSTORABLE.search(sentence):
        stop = begin + len(piece.rstrip(" \t\r\n;；"))
        yield stop - len(sentence), stop
