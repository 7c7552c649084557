"""Static word vectors that are part of this package: no download, no network. Knows only texts.

A text's vector is the sum of its pieces' vectors, each weighted by how rare its word is in the scope. Pieces are cut as
BERT cuts a text (WordPiece): the longest one of the vocabulary first, in lower case, accents off; a mark and a Chinese
character stand alone. How the table is made: `tools/word_vectors/README.md`.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain, groupby, pairwise
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt

from remanence import languages
from remanence.llm.base import Ints, SimilarityThresholds, Vectors, WordWeight, WordWeights, unit_rows
from remanence.llm.offline import HashedEmbedder, NoEmbedder, embed_word
from remanence.text.analysis import lexicon_of, readings

TABLE = Path(__file__).with_name("word_vectors")
USUAL_LENGTH = np.float32(12.85)  # of the median piece
# What a word in 37 % of the memories weighs: small beside content words, yet "who are you?" has a vector.
STOP_WEIGHT = 1.0
# What a word weighs where nobody says how rare it is: as in one memory of 150.
WORD_WEIGHT = 5.0
_TOGETHER = 64  # texts whose words are weighed at once
_CACHE_SIZE = 16_384  # words, 1 kB each
_NEW_ROWS = 4_096  # of words that come together when the cache is nearly full; more make it grow
_WORD_CHARS_MAX = 64  # longer ones are data; their first characters say as much
UNKNOWN = 0  # the first of the vocabulary
WORD_CHARS_MAX = 100  # longer ones are unknown
_INSIDE = "##"  # how the vocabulary writes a piece that begins no word
_ALONE, _BLANK, _LETTER = 0, 1, 2
_CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class PieceVocabulary:
    """A vocabulary of pieces, numbered in order; the first is what no piece spells."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(vocabulary)}

    def of(self, text: str) -> list[int]:
        """Return the numbers of the pieces of a text, one `UNKNOWN` for each word that cannot be spelled."""
        return [number for word in _split_words(text) for number in self._cut(word)]

    def _cut(self, word: str) -> list[int]:
        if len(word) > WORD_CHARS_MAX:
            return [UNKNOWN]
        numbers: list[int] = []
        start = 0
        while start < len(word):
            lead = _INSIDE if start else ""
            for end in range(len(word), start, -1):
                number = self._numbers.get(lead + word[start:end])
                if number is not None:
                    break
            else:
                return [UNKNOWN]
            numbers.append(number)
            start = end
        return numbers


class StaticEmbedder:
    """256 dimensions from 29,524 pieces: 8 MB, mapped on first use, and twice as much for words met lately."""

    name = "remanence-minilm-pieces-256-v1"
    dimensions = 256
    # Not calibrated: such vectors hardly see word order or negation, so they only link.
    thresholds = SimilarityThresholds(similar=0.6, near=0.9, weak_below=0.30)

    def __init__(self) -> None:
        self._known = _WordSums(self.dimensions)

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one unit row per text; words weigh what `weight` says of their stem, else alike."""
        return self.embed_together(
            texts, _weigh_equally if weight is None else partial(_weigh_each_stem, weight)
        )

    def embed_together(self, texts: Sequence[str], weights: WordWeights) -> Vectors:
        """Return one unit row per text, each as if it were embedded alone."""
        rows = np.empty((len(texts), self.dimensions), np.float32)
        for start in range(0, len(texts), _TOGETHER):
            batch = _WordBatch(start)
            for text in texts[start : start + _TOGETHER]:
                batch.add(text)
            word_sums, places = self._place_words(batch.words)
            word_weights = batch.weights(weights)
            for number, (begin, end) in enumerate(pairwise([*batch.begins, len(places)]), start):
                # A product of BLAS would wake threads for a long text, whose sum would depend on their number.
                sums = word_sums.sums[places[begin:end]]
                np.einsum("i,ij->j", word_weights[begin:end], sums, out=rows[number])
        return unit_rows(rows)

    def _place_words(self, words: Sequence[str]) -> tuple["_WordSums", Ints]:
        """Return where the sums of the vectors of the pieces of words stand; of new words they are put there."""
        if len(self._known.places) > _CACHE_SIZE:
            # Others may be reading the old ones, in threads of their own.
            self._known = _WordSums(self.dimensions)
        word_sums = self._known
        new = [word for word in dict.fromkeys(words) if word not in word_sums.places]
        if new:
            word_sums.put(new, self._sums([word[:_WORD_CHARS_MAX] for word in new]))
        return word_sums, np.array([word_sums.places[word] for word in words])

    def _sums(self, words: Sequence[str]) -> Vectors:
        """Return the sum of the vectors of the pieces of each word."""
        table, scales = self._table
        cut = [self._pieces.of(word) for word in words]
        piece_numbers = [numbers if UNKNOWN not in numbers else [] for numbers in cut]
        pieces = list(chain.from_iterable(piece_numbers))
        rows = scales[pieces, None] * table[pieces]
        sums = np.empty((len(words), self.dimensions), np.float32)
        end = 0
        for at, numbers in enumerate(piece_numbers):
            begin, end = end, end + len(numbers)
            if numbers:
                np.add.reduce(rows[begin:end], axis=0, out=sums[at])
            else:
                # No two such words have anything in common but their spelling: one vector for all would say they do.
                sums[at] = embed_word(words[at]) * USUAL_LENGTH
        return sums

    @cached_property
    def _pieces(self) -> PieceVocabulary:
        return PieceVocabulary(
            (TABLE / "vocabulary.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
        )

    @cached_property
    def _table(self) -> tuple[npt.NDArray[np.int8], Vectors]:
        """Map the table: only the rows of words that are met are read."""
        table = np.load(TABLE / "pieces.npy", mmap_mode="r")
        # A plain view, whose rows are read without the bookkeeping of a mapped one.
        return table.view(np.ndarray), np.load(TABLE / "scales.npy").astype(np.float32)


# What is opened by a name, without a package of somebody else.
BUILT_IN: Mapping[str, type[StaticEmbedder] | type[HashedEmbedder] | type[NoEmbedder]] = {
    "auto": StaticEmbedder,
    "hashed": HashedEmbedder,
    "none": NoEmbedder,
}
# Whose vectors are made anew by whom, where a memory is opened that has them.
REPLACED = {"wordllama-l2-supercat-256": StaticEmbedder.name}


@dataclass(slots=True)
class _WordBatch:
    """The words of some texts one behind the other; `first` is the place of the first text among all.

    `stems` are empty for stop words, `texts` says whose each word is, `begins` is where each text begins.
    """

    first: int
    words: list[str] = field(default_factory=list)
    stems: list[str] = field(default_factory=list)
    texts: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)

    def add(self, text: str) -> None:
        """Add the words of a text; its marks and emoji where it has none."""
        read = readings(text)
        lexicon = lexicon_of(read)
        entries = [word for reading in read for word in reading.weighed]
        if not entries:
            entries = [("".join(text.split())[:_WORD_CHARS_MAX], "", "")]
        self.texts += [self.first + len(self.begins)] * len(entries)
        self.begins.append(len(self.words))
        self.words += [word for word, _, _ in entries]
        if lexicon is languages.ENGLISH:  # whose stop words have no stem
            self.stems += [stem for _, _, stem in entries]
        else:
            self.stems += ["" if form in lexicon.stop else stem for _, form, stem in entries]

    def weights(self, weights: WordWeights) -> Vectors:
        """Return what each word weighs."""
        word_weights = np.full(len(self.words), STOP_WEIGHT, np.float32)
        rare = [at for at, stem in enumerate(self.stems) if stem]
        texts = np.array([self.texts[at] for at in rare], np.int64)
        word_weights[rare] = weights([self.stems[at] for at in rare], texts)
        return word_weights


def _weigh_equally(stems: Sequence[str], texts: Ints) -> Vectors:  # noqa: ARG001
    return np.full(len(stems), WORD_WEIGHT, np.float32)


def _weigh_each_stem(weight: WordWeight, stems: Sequence[str], texts: Ints) -> Vectors:  # noqa: ARG001
    weights = {stem: weight(stem) for stem in {*stems}}
    return np.array([weights[stem] for stem in stems], np.float32)


class _WordSums:
    """The sums of the piece vectors of words met lately; rows are only added, so that threads may share them."""

    def __init__(self, dimensions: int) -> None:
        self.places: dict[str, int] = {}  # word → row of `sums`
        # The system gives a page of it when a row there is first written: what grew by copies was written twice.
        self.sums: Vectors = np.empty((_CACHE_SIZE + _NEW_ROWS, dimensions), np.float32)
        self._end = 0
        self._turn = Lock()

    def put(self, words: Sequence[str], sums: Vectors) -> None:
        """Keep the sums of words that are not there yet."""
        with self._turn:
            begin, end = self._end, self._end + len(words)
            if end > len(self.sums):
                more = np.empty((max(len(self.sums), len(words)), self.sums.shape[1]), np.float32)
                self.sums = np.concatenate([self.sums, more])
            self.sums[begin:end] = sums
            self._end = end
            # Another thread may have put one of them meanwhile: it then stands twice, with the same sum.
            self.places.update(zip(words, range(begin, end), strict=True))


def _split_words(text: str) -> Iterator[str]:
    """Yield what stands between blanks, each mark and each Chinese character alone."""
    if text.isascii() and text.isalnum():
        yield text.lower()
        return
    kept = "".join(char for char in text if char in "\t\n\r" or not _is_control(char))
    bare = "".join(char for char in unicodedata.normalize("NFD", kept) if unicodedata.category(char) != "Mn")
    # One by one: the library knows no other small sigma at the end of a word.
    for kind, run in groupby("".join(map(str.lower, bare)), _classify_char):
        if kind == _ALONE:
            yield from run
        elif kind == _LETTER:
            yield "".join(run)


def _is_control(char: str) -> bool:
    return char in "\0\ufffd" or unicodedata.category(char) in {"Cc", "Cf", "Co", "Cs"}


def _classify_char(char: str) -> int:
    if char.isascii():
        return _LETTER if char.isalnum() else _BLANK if char.isspace() else _ALONE
    if char.isspace():
        return _BLANK
    if unicodedata.category(char)[0] == "P" or any(first <= ord(char) <= last for first, last in _CHINESE):
        return _ALONE
    return _LETTER
