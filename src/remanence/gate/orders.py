"""Tells whether a text gives orders to the machine that reads it: what it says itself counts, what it reports not."""

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Iterator

from remanence.confusables import LOOKALIKES
from remanence.gate.evidence import found_in, weighed
from remanence.gate.quotations import quotations_out
from remanence.gate.weights import CONTEXT, ORDERS_MIN

CODED_MIN = 2.5  # what was written so that no person reads it needs less
PIECE_CHARS = 300
PIECE_STEP = 220  # so that what stands together is together in one piece
CODED_CHARS = 24  # of base64 that hold an order
SPELLED_MIN = 4  # different letters in words that are spelled out
LINES_HELD = 2  # sentences before one that still say whom it speaks to

# Tag characters that are no flag's: nobody sees them, so they are there for a machine.
_TAGS = re.compile(r"(?<!\U0001f3f4)[\U000e0020-\U000e007e]{8,}")
_UNSEEN = re.compile(
    r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_ENDS = (". ", "! ", "? ", "; ", "。", "！", "？", "；")
_WORD = re.compile(r"[^\W_]+")
_BLANKS = str.maketrans({code: " " for code in range(128) if not chr(code).isalnum()})
_BASE64 = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{24,}={0,2}")
_HEX = re.compile(r"(?<![\w])(?:[0-9a-f]{2}[ :]?){16,}(?![\w])")
_LEET_WORD = re.compile(r"(?<![a-z0-9])(?=[a-z]{0,12}[013457@$])[a-z013457@$]{4,20}(?![a-z0-9])")
_LEET = str.maketrans("013457@$", "oieastas")
_SPELLED = re.compile(r"(?<![^\W_])(?:[^\W\d_][-. _*+|/]){2,40}[^\W\d_](?![^\W_])")
_OTHER_ALPHABET = re.compile(r"[\u0370-\u052f]")
_MEANT = {ord(char): letter for letter, chars in LOOKALIKES.items() for char in chars}


def instructs(text: str) -> str:
    """Return the evidence that a text gives orders to a machine that reads it, "" where there is too little."""
    if text.isascii():
        plain = text.lower()
        words = set(plain.translate(_BLANKS).split())
    else:
        if _TAGS.search(text):
            return "unseen characters"
        plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", text)).lower()
        words = set(_WORD.findall(plain))
    return _ordering(plain) or _disguised(plain, text, words)


def _ordering(plain: str, least: float = ORDERS_MIN) -> str:
    return next((name for bits, _ in parts(plain) for total, name in [weighed(bits)] if total >= least), "")


def parts(plain: str) -> Iterator[tuple[int, str]]:
    """Yield each sentence with its evidence and what those beside it say of who is spoken to."""
    said = quotations_out(plain)
    for end in _ENDS:
        said = said.replace(end, "\n")
    sentences = [piece for one in said.split("\n") if one and not one.isspace() for piece in _pieces(one)]
    known: dict[str, int] = {}
    every = [0] * len(sentences)
    for at, one in enumerate(sentences):
        bits = known.get(one)
        if bits is None:
            bits = known[one] = found_in(one)
        every[at] = bits
    held = [bits & CONTEXT for bits in every]
    for at, bits in enumerate(every):
        if bits:
            beside = held[at - 1] | held[at - 2] if at > 1 else held[0]
            yield bits | beside | held[min(at + 1, len(held) - 1)], sentences[at]


def _pieces(sentence: str) -> Iterator[str]:
    """Yield a sentence, a long one in pieces that overlap, so that not everything in it counts as said together."""
    yield sentence[:PIECE_CHARS]
    for start in range(PIECE_STEP, len(sentence) - PIECE_CHARS + PIECE_STEP, PIECE_STEP):
        yield sentence[start : start + PIECE_CHARS]


def _disguised(plain: str, text: str, words: set[str]) -> str:
    """Read what is written in other alphabets, digits for letters, letters set apart, base64, hex or ROT13."""
    disguised = any(_ordering(read) for read in _drawn_otherwise(plain, words))
    return "encoded" if disguised or any(_ordering(read, CODED_MIN) for read in _coded(plain, text)) else ""


def _drawn_otherwise(plain: str, words: set[str]) -> Iterator[str]:
    if not plain.isascii() and _OTHER_ALPHABET.search(plain):
        yield plain.translate(_MEANT)
    if any(not word.isalpha() and not word.isdecimal() for word in words) or "@" in plain or "$" in plain:
        read = _LEET_WORD.sub(lambda word: word.group().translate(_LEET), plain)
        if read != plain:
            yield read
    if sum(len(word) == 1 for word in words) >= SPELLED_MIN and _SPELLED.search(plain):
        yield _SPELLED.sub(lambda run: run.group().replace(run.group()[1], ""), plain)


def _coded(plain: str, text: str) -> Iterator[str]:
    if "rot13" in plain or "rot-13" in plain or "rot 13" in plain or "caesar" in plain:
        yield codecs.decode(plain, "rot13")
    if max(map(len, text.split()), default=0) >= CODED_CHARS:
        for found in _BASE64.finditer(text):
            yield from _decoded(found.group())
    for found in _HEX.finditer(plain) if "hex" in plain else ():
        yield from _printable(bytes.fromhex(found.group().replace(":", " ")))


def _decoded(written: str) -> Iterator[str]:
    """Yield the text that base64 holds."""
    try:
        yield from _printable(base64.b64decode(written[: len(written) // 4 * 4], validate=True))
    except binascii.Error:
        return


def _printable(data: bytes) -> Iterator[str]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if text.replace("\n", " ").isprintable():
        yield text.lower()
