"""From pieces as the encoder sees them alone to pieces whose sums come near what it makes of whole texts."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from remanence.llm.local import STOP_WEIGHT, UNKNOWN, PieceVocabulary
from remanence.text.analysis import lexicon_of, readings

STORE = 1_000  # memories of the store whose words weigh as here
DRAWN = 0.086  # how strongly a piece is drawn towards what it is alone
STEPS = 15
DIMENSIONS = 256
POWER = -1 / 8  # of a component's variance, by which it is scaled

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Weighed:
    """The words of texts as the engine weighs them: text by piece."""

    matrix: sparse.csr_matrix


def weighed(texts: Sequence[str], vocabulary: Sequence[str]) -> Weighed:
    """Weigh each piece of each text by how rare its word is; words that no pieces spell are left out."""
    pieces = PieceVocabulary(vocabulary)
    read = [_words(text) for text in texts]
    held = Counter(stem for words in read for stem in {stem for _, stem in words if stem})
    weights = {stem: _weight(STORE * count / len(texts)) for stem, count in held.items()}
    cut: dict[str, list[int]] = {}
    numbers, values, ends = [], [], [0]
    for words in read:
        for surface, stem in words:
            found = cut.setdefault(surface, []) or cut[surface]
            if not found:
                found += pieces.of(surface)
            if UNKNOWN not in found:
                numbers += found
                values += [weights[stem] if stem else STOP_WEIGHT] * len(found)
        ends.append(len(numbers))
    shape = (len(texts), len(vocabulary))
    matrix = sparse.csr_matrix((np.array(values, np.float32), np.array(numbers), np.array(ends)), shape=shape)
    matrix.sum_duplicates()
    return Weighed(matrix)


def _words(text: str) -> list[tuple[str, str]]:
    """Return (word, stem) of a text as the engine reads it; a stop word has no stem."""
    read = readings(text)
    stop = lexicon_of(read).stop
    return [
        (surface, "" if folded in stop else stem)
        for reading in read
        for surface, folded, stem in reading.weighed
    ]


def _weight(held: float) -> float:
    return math.log1p((STORE - held + 0.5) / (held + 0.5))


def fitted(words: Weighed, taught: Floats, alone: Floats) -> Floats:
    """Return the pieces whose weighed sums come near the taught vectors, by ridge regression from `alone`.

    Each text counts at the length its sum has with `alone`; solved by conjugate gradients, each piece scaled by what it
    weighs in all.
    """
    lengths = np.linalg.norm(words.matrix @ alone, axis=1)
    share = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    rows = (sparse.diags(share.astype(np.float32)) @ words.matrix).tocsr()
    columns = rows.T.tocsr()
    scale = np.asarray(rows.power(2).sum(0)).ravel()[:, None] + np.float32(DRAWN)
    moved = np.zeros_like(alone)
    left = columns @ (taught * (share > 0)[:, None] - rows @ alone)
    step = left / scale
    towards, size = step.copy(), (left * step).sum(0)
    for _ in range(STEPS):
        seen = columns @ (rows @ towards) + np.float32(DRAWN) * towards
        by = size / np.maximum((towards * seen).sum(0), np.finfo(np.float32).tiny)
        moved += by * towards
        left -= by * seen
        step = left / scale
        before, size = size, (left * step).sum(0)
        towards = step + (size / np.maximum(before, np.finfo(np.float32).tiny)) * towards
    return alone + moved


def cut(words: Weighed, pieces: Floats) -> Floats:
    """Keep the directions in which the texts differ most, the strongest of them a little weaker."""
    sums = words.matrix @ pieces
    sums /= np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.finfo(np.float32).tiny)
    sums -= sums.mean(0)
    variance, directions = np.linalg.eigh(sums.T.astype(np.float64) @ sums / len(sums))
    chosen = np.argsort(variance)[::-1][:DIMENSIONS]
    directions = directions[:, chosen]
    # An axis may point either way: the largest part of each is made positive.
    largest = np.abs(directions).argmax(0)
    directions = directions * np.sign(directions[largest, np.arange(len(chosen))])
    return (pieces @ (directions * variance[chosen] ** POWER)).astype(np.float32)


def packed(pieces: Floats) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    """Write each piece as 8-bit numbers and what they are to be multiplied by."""
    scales = (np.abs(pieces).max(1) / 127).astype(np.float16)
    rows = np.rint(pieces / np.maximum(scales.astype(np.float32), 1e-6)[:, None])
    return np.clip(rows, -127, 127).astype(np.int8), scales


def likeness(words: Weighed, pieces: Floats, taught: Floats) -> float:
    """Return the mean cosine of the sums with the taught vectors."""
    sums = words.matrix @ pieces
    lengths = np.linalg.norm(sums, axis=1) * np.linalg.norm(taught, axis=1)
    return float(np.mean((sums * taught).sum(1)[lengths > 0] / lengths[lengths > 0]))


def kept(vocabulary: Sequence[str]) -> list[str]:
    """Return the pieces that a text can have, the unknown one first."""
    marks: Mapping[str, None] = dict.fromkeys(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"))
    texts = [piece for piece in vocabulary if piece not in marks and not piece.startswith("[unused")]
    return ["[UNK]", *texts]
