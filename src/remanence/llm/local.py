"""Static word vectors that come inside an installed package: no download, no network. Knows only texts.

A text's vector is the sum of its tokens' vectors, each weighted by how rare its word is in the scope.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
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
_CACHE_SIZE = 32_768
_WORD_CHARS_MAX = 64  # longer ones are data; their first characters say as much


class StaticEmbedder:
    """256 dimensions from 32,000 token vectors; loaded on first use, about 33 MB."""

    name = "wordllama-l2-supercat-256"
    dimensions = 256
    # Not calibrated: such vectors hardly see word order or negation, so they only link.
    bands = Bands(similar=0.6, near=0.9)

    @staticmethod
    def available() -> bool:
        """Whether the weights are installed."""
        return _directory() is not None

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one unit row per text; words weigh what `weight` says of their stem, else alike."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for place, text in enumerate(texts):
            ids, weights = self._tokens(text, weight)
            if ids:
                rows[place] = np.array(weights, np.float32) @ self._table[ids]
        return unit_rows(rows)

    def _tokens(self, text: str, weight: WordWeight | None) -> tuple[list[int], list[float]]:
        """Return (token ids, what each weighs) of a text."""
        read = readings(text)
        stop = lexicon_of(read).stop
        ids: list[int] = []
        weights: list[float] = []
        ids_of = self._ids
        for reading in read:
            for surface, folded, stem in reading.weighed:
                tokens = ids_of(surface)
                ids += tokens
                rare = WORD_WEIGHT if weight is None or not stem else weight(stem)
                weights += [STOP_WEIGHT if not stem or folded in stop else rare] * len(tokens)
        return (ids, weights) if ids else self._marks(text)

    def _marks(self, text: str) -> tuple[list[int], list[float]]:
        """Return the tokens of a text that has no words: its marks and emoji are all there is."""
        ids = self._encode("".join(text.split()))
        return ids, [1.0] * len(ids)

    @cached_property
    def _ids(self) -> Callable[[str], list[int]]:
        return lru_cache(maxsize=_CACHE_SIZE)(self._encode)

    def _encode(self, word: str) -> list[int]:
        found: list[int] = self._tokenizer.encode(word[:_WORD_CHARS_MAX], add_special_tokens=False).ids
        return found

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return Tokenizer.from_file(str(_installed() / _TOKENIZER))

    @cached_property
    def _table(self) -> Vectors:
        # 33 MB instead of 16: widening the rows at every text would cost a quarter of its time.
        table: npt.NDArray[np.float16] = load_file(_installed() / _WEIGHTS)["embedding.weight"]
        return table.astype(np.float32)


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
