"""Weighs the sentences of a text: what words and evidence in them say for orders to a machine. Knows no disguises.

Words in quotation marks are marked first: those that the text says somebody says, and others.
"""

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from remanence.gate.evidence import found_in
from remanence.gate.fitted import GateWeights
from remanence.gate.order_evidence import OrderEvidence
from remanence.gate.order_patterns import (
    ASKS,
    CONTEXT,
    EVIDENT,
    EVIDENT_BESIDE,
    FOR_WHOM,
    HIDDEN,
    HIDDEN_ADDS,
    HIDDEN_BESIDE,
)
from remanence.gate.wording import BEFORE, QUOTED, matches, places, words_in
from remanence.languages.families import ORDERS, UNSPACED_ORDERS

PIECE_CHARS = 300
PIECE_STEP = 220  # so that what stands together is together in one piece
PHRASE_CHARS_MAX = 80
_LEFT_OVER = " \"'.,:;!?。，：；、！？)]}|-–—*>"  # marks with which no phrase that is shown begins
_ENDS = ("\\n", ". ", "! ", "? ", "; ", "。", "！", "？", "；")
REPORTED = "\x03"  # stands before each word that the text says somebody says
_COMMENT = OrderEvidence.COMMENT.value
COMMENT_SENTENCES_MAX = 30
CHARS_BEFORE = 60  # characters before a quotation that may say whose it is
CHARS_AFTER = 40
# Each stops at the next opening mark, so that a text of opening marks alone costs what its length says.
_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}+\"|“[^“”\n]{1,300}+[”“]|„[^„“”\"\n]{1,300}+[“”\"]|«[^«»\n]{1,300}+»"
    r"|「[^「」\n]{1,300}+」|『[^『』\n]{1,300}+』"
)
# A block of code; one with the name of a role for a language is none.
_FENCED = re.compile(
    r"(```(?!(?:system|developer|assistant|instructions?|prompt|user)\b)[a-z+#-]{0,20}[ \t]*\n)"
    r"((?:[^`]|`(?!``)){1,8000}+)```"
)
_MARKS = ('"', "“", "„", "«", "「", "『")
_WORD = re.compile(r"[^\W_]+")
_REPORTED_WORD = re.compile("\x03[^\\W_]+")
_MARKED_WORD = re.compile("[\x02\x03][^\\W_]+")
_SAID = frozenset(word for language in ORDERS.values() for word in language.speech)
_SAID_UNSPACED = tuple(word for language in UNSPACED_ORDERS.values() for word in language.speech)


@dataclass(frozen=True, slots=True)
class SentenceWeight:
    """A sentence of a text, how much it weighs with what is beside it, and among how many different ones it stands.

    `evident` and `evident_sentence` are of the heaviest in or beside which a machine is evidently meant, the more where
    it is hidden or in a forged role.
    """

    weight: float
    sentence: str
    evident: float = -math.inf
    evident_sentence: str = ""
    among: int = 1


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of a text: which are the same, and evidence.

    `bits` is the evidence in and beside each, `own` that in it, and `meant` in and beside it, without what is quoted.
    """

    different: Sequence[str]
    which: Sequence[int]
    own: Sequence[int]
    bits: Sequence[int]
    meant: Sequence[int]


def sentences_of(plain: str) -> Sentences:
    """Return the sentences of a text of small letters, long ones in pieces, with the evidence in each."""
    text = quotations_marked(plain)
    for end in _ENDS:
        text = text.replace(end, "\n")
    numbers: dict[str, int] = {}
    which = [
        numbers.setdefault(piece, len(numbers))
        for one in text.split("\n")
        if one and not one.isspace()
        for piece in _pieces(one)
    ]
    different = list(numbers)
    found = [found_in(leave_out_reported(one)) for one in different]
    own = read_bits = [found[one] for one in which]
    if QUOTED in text:
        said = [
            found_in(_MARKED_WORD.sub("…", one)) if QUOTED in one else bits
            for one, bits in zip(different, found, strict=True)
        ]
        own = [said[one] for one in which]
    if "<!--" in plain:
        hidden = _hidden_bits(different, which)
        read_bits = [one | more for one, more in zip(read_bits, hidden, strict=True)]
        own = [one | more for one, more in zip(own, hidden, strict=True)]
    bits = _with_beside(read_bits)
    meant = bits if own == read_bits else _with_beside(own)
    return Sentences([one.replace(REPORTED, QUOTED) for one in different], which, own, bits, meant)


def _pieces(sentence: str) -> Iterator[str]:
    """Yield a sentence, a long one in pieces that overlap, so that not everything in it counts as said together."""
    yield sentence[:PIECE_CHARS]
    for start in range(PIECE_STEP, len(sentence) - PIECE_CHARS + PIECE_STEP, PIECE_STEP):
        yield sentence[start : start + PIECE_CHARS]


def _hidden_bits(different: Sequence[str], which: Sequence[int]) -> list[int]:
    """Return for each sentence that it stands in a comment which one before it opens and one of the next closes."""
    bits = [0] * len(which)
    for opened in [at for at, one in enumerate(which) if _opens_comment(different[one])]:
        behind = which[opened + 1 : opened + 1 + COMMENT_SENTENCES_MAX]
        closed = next((at for at, one in enumerate(behind, opened + 1) if "-->" in different[one]), opened)
        bits[opened : closed + 1] = [_COMMENT] * (closed + 1 - opened)
    return bits


def _opens_comment(sentence: str) -> bool:
    return "<!--" in sentence and sentence.rfind("<!--") > sentence.rfind("-->")


def _with_beside(own: Sequence[int]) -> list[int]:
    """Return the evidence in each sentence, with what those beside it say of who is spoken to."""
    contexts = [0, 0, *(bits & CONTEXT for bits in own), 0]
    return [bits and bits | contexts[at] | contexts[at + 1] | contexts[at + 3] for at, bits in enumerate(own)]


def find_heaviest_sentence(plain: str, weights: GateWeights) -> SentenceWeight:
    """Return the sentence of a text that weighs most: its words, those before it where they say more, and evidence.

    weight = added + words + max(0, words of the sentence before) + evidence
    """
    return heaviest_of([plain], weights)[0]


def heaviest_of(plains: Sequence[str], weights: GateWeights) -> list[SentenceWeight]:
    """Return of each of some texts the sentence that weighs most, with arrays for all of them."""
    read = [sentences_of(plain) for plain in plains]
    words = _words_of(read, weights)
    return [_pick_heaviest(one, mine, weights) for one, mine in zip(read, words, strict=True)]


def _words_of(read: Sequence[Sentences], weights: GateWeights) -> list[list[float]]:
    """Return what the words of each sentence weigh, text by text."""
    tokens = [words_in(piece) for one in read for piece in one.different]
    if not tokens:
        return [[] for _ in read]
    starts = np.array([0, *itertools.accumulate([len(one) + BEFORE for one in tokens])])
    firsts = [0, *itertools.accumulate([len(one.different) for one in read])]
    word_places = places(tokens)
    if len(read) > 1:
        # Before the first sentence of a text stands nothing, not the end of another text.
        begins = starts[firsts[:-1]][np.diff(firsts) > 0]
        word_places[1:, begins] = word_places[1:, begins + 1] = 0
    sums = np.add.reduceat(weights.orders.take(word_places).sum(axis=0, dtype=np.int32), starts[:-1]).tolist()
    unit = float(weights.units[0])
    return [[weight * unit for weight in sums[at:end]] for at, end in itertools.pairwise(firsts)]


def _pick_heaviest(read: Sentences, words: Sequence[float], weights: GateWeights) -> SentenceWeight:
    if not read.which:
        return SentenceWeight(float(weights.added[0]), "")
    most = evident = -math.inf
    where = evident_at = 0
    before = 0.0
    for one, own, bits, meant in zip(read.which, read.own, read.bits, read.meant, strict=True):
        together = words[one] + max(before, 0.0) + (weight_of(bits, weights) if bits else 0.0)
        before = words[one]
        if together > most:
            most, where = together, one
        if meant and together + evidence_adds(own, meant) > evident:
            evident, evident_at = together + evidence_adds(own, meant), one
    added, different = float(weights.added[0]), read.different
    return SentenceWeight(
        most + added, different[where], evident + added, different[evident_at], len(different)
    )


@lru_cache(maxsize=4_096)
def weight_of(bits: int, weights: GateWeights) -> float:
    """Return what the evidence in a sentence weighs: each kind of it alone, and with each other."""
    at = kinds_in(bits)
    return float(weights.evidence[np.ix_(at, at)].sum(dtype=np.int64) * weights.units[1])


@lru_cache(maxsize=4_096)
def evidence_adds(own: int, bits: int) -> float:
    """Return what it adds to a weight that a machine is evidently meant, -∞ where it is not.

    Most kinds of evidence that say so together stand in the sentence itself; of some pairs one may stand beside it.
    """
    adds = [more for all_of, more in EVIDENT if all(own & one for one in all_of)]
    if bits & HIDDEN and own & HIDDEN_BESIDE:
        adds.append(HIDDEN_ADDS)
    if own & ASKS and own & FOR_WHOM:
        adds += (
            more
            for one, other, more in EVIDENT_BESIDE
            if (own & one and bits & other) or (own & other and bits & one)
        )
    return max(adds, default=-math.inf)


def kinds_in(bits: int) -> list[int]:
    """Return the numbers of the kinds of evidence in some bits."""
    return [at for at in range(bits.bit_length()) if bits >> at & 1]


def weighing_most(sentence: str, weights: GateWeights) -> str:
    """Return the words of a sentence, one after another, that weigh most together, at most so many characters."""
    words = list(matches(sentence))
    if not words:
        return ""
    sums = weights.orders[places([[one.group() for one in words]])].sum(axis=0, dtype=np.int64)[BEFORE:]
    best, span, total, start = -math.inf, words[0].span(), 0, words[0].start()
    for one, weight in zip(words, sums.tolist(), strict=True):
        if total <= 0:
            total, start = 0, one.start()
        total += weight
        if total > best:
            best, span = total, (start, one.end())
    phrase = sentence[slice(*span)].replace(QUOTED, "").strip().lstrip(_LEFT_OVER)
    return phrase if len(phrase) <= PHRASE_CHARS_MAX else f"{phrase[: PHRASE_CHARS_MAX - 1]}…"


def quotations_marked(plain: str) -> str:
    """Return a text with a mark before each quoted word; values of data and of attributes are not quoted."""
    if "```" in plain and _WORD.search(_FENCED.sub("", plain)):
        plain = _FENCED.sub(_mark_code, plain)
    if not any(mark in plain for mark in _MARKS):
        return plain
    return _QUOTED.sub(lambda found: _mark_quotation(plain, found), plain)


def _mark_code(found: re.Match[str]) -> str:
    """Return a block of code with its words marked as quoted."""
    return found.group(1) + _WORD.sub(rf"{QUOTED}\g<0>", found.group(2)) + "```"


def leave_out_reported(sentence: str) -> str:
    """Return a sentence with marked words as evidence is read from it: what somebody says is left out."""
    if REPORTED in sentence:
        sentence = _REPORTED_WORD.sub("…", sentence)
    return sentence.replace(QUOTED, "")


def _stands_alone(plain: str, found: re.Match[str]) -> bool:
    """Tell whether a text has no word but those in quotation marks: nobody is quoted then."""
    is_all = found.start() <= CHARS_BEFORE and found.end() >= len(plain) - CHARS_AFTER
    return is_all and not _WORD.search(plain, 0, found.start()) and not _WORD.search(plain, found.end())


def _mark_quotation(plain: str, found: re.Match[str]) -> str:
    if QUOTED in found.group():
        return found.group()
    if _stands_alone(plain, found):
        return f" {found.group()[1:-1]} "
    before = plain[max(0, found.start() - CHARS_BEFORE) : found.start()]
    after = plain[found.end() : found.end() + CHARS_AFTER]
    if before.rstrip().endswith(("=", "{", "[", '":', '",')) or after.lstrip().startswith(":"):
        return found.group()
    around = f"{before} {after}"
    reported = not _SAID.isdisjoint(_WORD.findall(around)) or any(word in around for word in _SAID_UNSPACED)
    return _WORD.sub(rf"{REPORTED if reported else QUOTED}\g<0>", found.group())
