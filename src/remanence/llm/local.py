"""Static word vectors that are part of this package: no download, no network. Knows only texts.

A text's vector is the sum of its pieces' vectors, each weighted by how rare its word is in the scope. How the table is
made: `tools/word_vectors/README.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt

from remanence.llm.base import Ints, SimilarityThresholds, Vectors, WordWeight, WordWeights, unit_rows
from remanence.llm.offline import hashed
from remanence.llm.pieces import UNKNOWN, Pieces
from remanence.text import lexicon_of, readings

TABLE = Path(__file__).with_name("word_vectors")
USUAL_LENGTH = np.float32(12.85)  # of the median piece
# What a word in 37 % of the memories weighs: small beside content words, yet "who are you?" has a vector.
STOP_WEIGHT = 1.0
# What a word weighs where nobody says how rare it is: as in one memory of 150.
WORD_WEIGHT = 5.0
_TOGETHER = 64  # texts whose words are weighed at once
_CACHE_SIZE = 16_384  # words, 1 kB each
_WORD_CHARS_MAX = 64  # longer ones are data; their first characters say as much


class StaticEmbedder:
    """256 dimensions from 29,524 pieces: 8 MB, mapped on first use, and twice as much for words met lately."""

    name = "remanence-minilm-pieces-256-v1"
    dimensions = 256
    # Not calibrated: such vectors hardly see word order or negation, so they only link.
    thresholds = SimilarityThresholds(similar=0.6, near=0.9, weak_below=0.32)

    def __init__(self) -> None:
        self._known = _Words(self.dimensions)

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one unit row per text; words weigh what `weight` says of their stem, else alike."""
        return self.embed_together(texts, _alike if weight is None else partial(_each, weight))

    def embed_together(self, texts: Sequence[str], weights: WordWeights) -> Vectors:
        """Return one unit row per text, each as if it were embedded alone."""
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _TOGETHER):
            if len(self._known.places) > _CACHE_SIZE:
                # Others may be reading the old ones, in threads of their own.
                self._known = _Words(self.dimensions)
            said, known = _Said(start), self._known
            for text in texts[start : start + _TOGETHER]:
                self._say(said, known, text)
            places, weighed = np.array(said.places), said.weights(weights)
            for number, (begin, end) in enumerate(pairwise([*said.begins, len(places)]), start):
                # A product of BLAS would wake threads for a long text, whose sum would depend on their number.
                sums = known.sums[places[begin:end]]
                np.einsum("i,ij->j", weighed[begin:end], sums, out=rows[number])
        return unit_rows(rows)

    def _say(self, said: "_Said", words: "_Words", text: str) -> None:
        """Add the words of a text; its marks and emoji where it has none."""
        read = readings(text)
        stop = lexicon_of(read).stop
        known, new = words.places, partial(self._place, words)
        spoken = [word for reading in read for word in reading.weighed]
        marks = [] if spoken else [("".join(text.split())[:_WORD_CHARS_MAX], "", "")]
        said.begins.append(len(said.places))
        said.places += [known[word] if word in known else new(word) for word, _, _ in spoken or marks]
        said.stems += ["" if folded in stop else stem for _, folded, stem in spoken or marks]

    def _place(self, words: "_Words", word: str) -> int:
        """Put the sum of the vectors of a word's pieces where it is found again."""
        return words.put(word, self._sum(word[:_WORD_CHARS_MAX]))

    def _sum(self, word: str) -> Vectors:
        numbers = self._pieces.of(word)
        if not numbers or UNKNOWN in numbers:
            # No two such words have anything in common but their spelling: one vector for all would say they do.
            return hashed(word) * USUAL_LENGTH
        table, scales = self._table
        total: Vectors = np.einsum("i,ij->j", scales[numbers], table[numbers].astype(np.float32))
        return total

    @cached_property
    def _pieces(self) -> Pieces:
        return Pieces((TABLE / "vocabulary.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n"))

    @cached_property
    def _table(self) -> tuple[npt.NDArray[np.int8], Vectors]:
        """Map the table: only the rows of words that are met are read."""
        mapped = np.load(TABLE / "pieces.npy", mmap_mode="r")
        # A plain view, whose rows are read without the bookkeeping of a mapped one.
        return mapped.view(np.ndarray), np.load(TABLE / "scales.npy").astype(np.float32)


# Whose vectors are made anew by whom, where a memory is opened that has them.
REPLACED = {"wordllama-l2-supercat-256": StaticEmbedder.name}


@dataclass(slots=True)
class _Said:
    """The words of some texts one behind the other; `first` is the place of the first text among all.

    `places` are rows of the words' sums, `stems` are empty for stop words, `begins` is where each text begins.
    """

    first: int
    places: list[int] = field(default_factory=list)
    stems: list[str] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)

    def weights(self, weights: WordWeights) -> Vectors:
        """Return what each word weighs."""
        found = np.full(len(self.places), STOP_WEIGHT, np.float32)
        rare = [at for at, stem in enumerate(self.stems) if stem]
        texts = self.first - 1 + np.searchsorted(self.begins, rare, "right")
        found[rare] = weights([self.stems[at] for at in rare], texts)
        return found


def _alike(stems: Sequence[str], texts: Ints) -> Vectors:  # noqa: ARG001
    return np.full(len(stems), WORD_WEIGHT, np.float32)


def _each(weight: WordWeight, stems: Sequence[str], texts: Ints) -> Vectors:  # noqa: ARG001
    return np.array([weight(stem) for stem in stems], np.float32)


class _Words:
    """The sums of the piece vectors of words met lately; rows are only added, so that threads may share them."""

    def __init__(self, dimensions: int) -> None:
        self.places: dict[str, int] = {}  # word → row of `sums`
        self.sums: Vectors = np.zeros((1_024, dimensions), np.float32)
        self._turn = Lock()

    def put(self, word: str, total: Vectors) -> int:
        """Keep the sum of a word; return its row."""
        with self._turn:
            place = len(self.places)
            if word in self.places:
                return self.places[word]
            if place == len(self.sums):
                self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
            self.sums[place] = total
            self.places[word] = place
            return place
