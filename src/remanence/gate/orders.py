"""Tells whether a text gives orders to the machine that reads it: what it says itself counts, what it reports not."""

import base64
import binascii
import codecs
import itertools
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from remanence.core.patterns import Pattern
from remanence.gate.fitted import GateWeights, load_gate_weights
from remanence.gate.instructing import SentenceWeight, find_heaviest_sentence, heaviest_of, weighing_most
from remanence.gate.order_patterns import CAPTION
from remanence.text.confusables import LOOKALIKES

READS = "reads like instructions"
# What a sentence weighs at least, and how much more for each doubling of those it stands among: one in which a
# machine is evidently meant, and any. Chosen on texts by length that were left out of the fit, and on replies.
HELD_MIN, HELD_STEP = 1.0, 0.2
DOUBT_MIN, DOUBT_STEP = -1.2, 0.3
FEW, MANY = 8, 256  # different sentences between which more of them raise what is enough
OF_A_MODEL_MIN = -4.6  # what a model adds to what was said needs less
STATED_MIN = (
    -3.6
)  # where it states something of what was spoken of: of 22 right facts above that -4.6, 13 stay below
DISGUISED_MIN = 0.0
CODED_MIN = -2.0  # what was written so that no person reads it needs less
CODED_CHARS = 24  # of base64 that hold an order
_BATCH_CHARS = 32_768  # of texts that are weighed together
MIXED_MIN = 3  # different words of two alphabets
SPELLED_MIN = 4  # different letters in words that are spelled out

# Tag characters that are no flag's: nobody sees them, so they are there for a machine.
_TAGS = re.compile(r"(?<!\U0001f3f4)[\U000e0020-\U000e007e]{8,}")
_UNSEEN = re.compile(
    r"[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]+"
)
_CAPTION = Pattern(CAPTION)
_CAPTION_SIGNS = ("alt=", "title=", "label=", "![", '")')
_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
_BLANKS = str.maketrans({code: " " for code in range(128) if not chr(code).isalnum()})
_BASE64 = re.compile(r"(?<![\w+/=])[A-Za-z0-9+/]{24,}={0,2}")
# Bytes that cannot stand in or beside base64 → a blank.
_BASE64_CHARS = (
    bytes(code if chr(code).isalnum() or chr(code) in "+/=_" else 32 for code in range(128)) + b" " * 128
)
_HEX = re.compile(r"(?<![\w])(?:[0-9a-f]{2}[ :]?){16,}(?![\w])")
_LEET_WORD = re.compile(
    r"(?<![a-z0-9+/=])(?=[a-z]{0,12}[013457@$])([a-z013457@$]{3,20})(?![a-z0-9+/=]|\.[a-z])"
)
_LEET = str.maketrans("013457@$", "oieastas")
_SPELLED = re.compile(r"(?<![^\W_])(?:[^\W\d_][-. _*+|/]){2,40}[^\W\d_](?![^\W_])")
_OTHER_ALPHABET = re.compile(r"[\u0370-\u052f]")
# A word of Latin letters and of another alphabet's that look like them.
_MIXED_WORD = re.compile(r"(?<!\w)(?=[^\W\d_]{0,20}[a-z])(?=[^\W\d_]{0,20}[\u0370-\u052f])[^\W\d_]{4,}+")
# Characters that nobody sees between two Latin letters, and what is shown from right to left.
_SPLIT_WORD = re.compile(r"[A-Za-z][\u200b-\u200d\u2060\ufeff]+(?=[A-Za-z])")
_TURNED = re.compile(r"\u202e([^\u202c\n]{1,2000}+)")
_MEANT = {ord(char): letter for letter, chars in LOOKALIKES.items() for char in chars}


class _WordsDrawn(dict[str, str]):
    """A word with signs for letters → what it says, each read once."""

    def __missing__(self, word: str) -> str:
        self[word] = word.translate(_LEET)
        return self[word]


@dataclass(frozen=True, slots=True)
class OrderVerdict:
    """Why a text reads like orders to a machine that reads it, "" where it does not.

    `is_evident` where it is evident that a machine is meant, which is why it is held back; else it is doubtful.
    """

    reason: str = ""
    is_evident: bool = False


_NO_ORDER = OrderVerdict()


def judge_order(text: str, weights: GateWeights | None = None) -> OrderVerdict:
    """Tell whether a text reads like orders to a machine that reads it."""
    weights = load_gate_weights() if weights is None else weights
    return _judge_orders([text], weights)[0]


def judge_orders(texts: Iterable[str]) -> list[OrderVerdict]:
    """Tell of each of some texts whether it reads like orders; together, since each alone takes twice as long."""
    weights, verdicts = load_gate_weights(), list[OrderVerdict]()
    for batch in _batches(texts):
        verdicts += _judge_orders(batch, weights)
    return verdicts


def reads_of_a_model(text: str, *, states: bool = False) -> bool:
    """Tell whether what a model adds to what was said reads like orders: in doubt it does, less soon if it `states`."""
    verdict = judge_order(text)
    least = STATED_MIN if states else OF_A_MODEL_MIN
    return verdict.is_evident or find_heaviest_sentence(plain_of(text), load_gate_weights()).weight > least


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    chars = 0
    for text in texts:
        batch.append(text)
        chars += len(text)
        if chars > _BATCH_CHARS:
            yield batch
            batch, chars = [], 0
    if batch:
        yield batch


def _judge_orders(texts: Sequence[str], weights: GateWeights) -> list[OrderVerdict]:
    plains = [plain_of(text) for text in texts]
    most = heaviest_of(plains, weights)
    return [_judge(text, plain, one, weights) for text, plain, one in zip(texts, plains, most, strict=True)]


def _judge(text: str, plain: str, most: SentenceWeight, weights: GateWeights) -> OrderVerdict:
    if not text.isascii():
        if _TAGS.search(text):
            return OrderVerdict("holds text in characters that nobody sees", is_evident=True)
        least = least_of(most.among, CODED_MIN, HELD_STEP)
        if most.weight > least and len(_SPLIT_WORD.findall(text)) >= MIXED_MIN:
            return OrderVerdict(
                f"{_describe_order(most.sentence, weights)} (written in disguise)", is_evident=True
            )
    if most.evident > least_of(most.among, HELD_MIN, HELD_STEP):
        return OrderVerdict(_describe_order(most.evident_sentence, weights), is_evident=True)
    if caption := _find_ordering_caption(plain, weights):
        return OrderVerdict(_describe_order(caption, weights), is_evident=True)
    words = set(plain.translate(_BLANKS).split()) if text.isascii() else set(_WORD.findall(plain))
    if disguised := _find_disguised_order(plain, text, words, weights):
        return OrderVerdict(f"{_describe_order(disguised, weights)} (written in disguise)", is_evident=True)
    if most.weight > least_of(most.among, DOUBT_MIN, DOUBT_STEP):
        return OrderVerdict(_describe_order(most.sentence, weights))
    return _NO_ORDER


def least_of(sentences: int, least: float, step: float) -> float:
    """Return what a sentence must weigh more than among so many: of many that are harmless the heaviest weighs more."""
    return least + step * math.log2(min(max(sentences / FEW, 1.0), MANY / FEW))


def plain_of(text: str) -> str:
    """Return a text in small letters, in compatibility form and without what is not seen."""
    return (text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFKC", text))).lower()


def _describe_order(sentence: str, weights: GateWeights) -> str:
    return f'{READS}: "{weighing_most(sentence, weights)}"'


def _find_ordering_caption(plain: str, weights: GateWeights) -> str:
    """Return the order in the title or the replacement of a picture, "" for none; by itself such a text needs less."""
    if not any(sign in plain for sign in _CAPTION_SIGNS):
        return ""
    captions = ["".join(filter(None, found)) for found in _CAPTION.findall(plain)]
    for most in heaviest_of(captions, weights):
        if most.weight > CODED_MIN:
            return most.sentence
    return ""


def _find_disguised_order(plain: str, text: str, words: set[str], weights: GateWeights) -> str:
    """Return the order in other alphabets, digits for letters, letters set apart, base64, hex or ROT13, "" for none.

    What stands there without a disguise too, hides nothing.
    """
    lookalikes = ((read, _least_drawn(plain)) for read in _drawn_otherwise(plain, words))
    decodings = ((read, CODED_MIN) for read in _iterate_decodings(plain, text))
    for read, least in itertools.chain(lookalikes, decodings):
        most = find_heaviest_sentence(read, weights)
        if most.weight > least_of(most.among, least, HELD_STEP) and most.sentence not in plain:
            return most.sentence
    return ""


def _least_drawn(plain: str) -> float:
    """Return what a text in other alphabets must weigh: less where words mix two, which nobody writes by chance."""
    is_mixed = not plain.isascii() and len(set(_MIXED_WORD.findall(plain))) >= MIXED_MIN
    return CODED_MIN if is_mixed else DISGUISED_MIN


def _drawn_otherwise(plain: str, words: set[str]) -> Iterator[str]:
    if not plain.isascii() and _OTHER_ALPHABET.search(plain):
        yield plain.translate(_MEANT)
    if _has_mixed_word(plain, words) or "@" in plain or "$" in plain:
        pieces = _LEET_WORD.split(plain)  # every second one is a word
        pieces[1::2] = map(_WordsDrawn().__getitem__, pieces[1::2])
        read = "".join(pieces)
        if read != plain:
            yield read
    if len([word for word in words if len(word) == 1]) >= SPELLED_MIN and _SPELLED.search(plain):
        yield _SPELLED.sub(lambda run: run.group().replace(run.group()[1], ""), plain)


def _has_mixed_word(plain: str, words: set[str]) -> bool:
    """Tell whether a word has other characters beside letters; in ASCII that takes a digit."""
    if plain.isascii() and _DIGIT.search(plain) is None:
        return False
    return any(not word.isalpha() and not word.isdecimal() for word in words)


def _iterate_decodings(plain: str, text: str) -> Iterator[str]:
    if "\u202e" in text:
        yield "\n".join(shown[::-1] for shown in _TURNED.findall(text)).lower()
    if "rot13" in plain or "rot-13" in plain or "rot 13" in plain or "caesar" in plain:
        yield codecs.decode(plain, "rot13")
    if max(map(len, text.split()), default=0) >= CODED_CHARS:
        for chunk in text.encode("ascii", "replace").translate(_BASE64_CHARS).split():
            for match in _BASE64.finditer(chunk.decode()) if len(chunk) >= CODED_CHARS else ():
                yield from _decode_base64(match.group())
    for match in _HEX.finditer(plain) if "hex" in plain else ():
        yield from _printable(bytes.fromhex(match.group().replace(":", " ")))


def _decode_base64(written: str) -> Iterator[str]:
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
