"""What a memory system has to answer: the class that an adapter derives, and how tokens are counted.

It needs the standard library alone, because it is imported by the Python of each system.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

_TOKEN = re.compile(r"\w+|[^\w\s]")
_WORD = re.compile(r"\w+")
VECTOR_DIMENSIONS = 256
LOAD = "load"  # a call that loads the adapter and asks it nothing
HITS = 10  # of a query that names several texts, and more


class Unsupported(Exception):
    """Raised by an adapter where its system has no such call; it counts neither as passed nor as failed."""


class Adapter:
    """One memory system in one folder.

    An adapter is a file with a class `Memory` that derives this one. It must have `open`, `write` and `rows`; every
    other method raises `Unsupported` until it is overridden. `scope` is a tenant whose texts no other tenant sees. `by`
    is who says a text: "user", "model" or "outside". A query names what is meant, in the words of the text or in other
    words: the adapter finds it by a search of its system and takes the first hit.
    """

    def __init__(self, variant: str = "") -> None:
        self.variant = variant
        self._vectors: dict[str, list[float]] = {}

    def use_vectors(self, path: str) -> None:
        """Take the vectors of texts from a file of JSON lines, a text and its vector each; called before `open`."""
        with Path(path).open(encoding="utf-8") as lines:
            self._vectors = {_bare(text): vector for text, vector in map(json.loads, lines)}

    def embed(self, texts: Iterable[str]) -> list[list[float]]:
        """Return the vectors that stand for a model of embeddings: those of `use_vectors`, or counted words."""
        return [self._vectors[_bare(text)] for text in texts] if self._vectors else embed_words(texts)

    @property
    def dimensions(self) -> int:
        """The length of the vectors."""
        return len(next(iter(self._vectors.values()))) if self._vectors else VECTOR_DIMENSIONS

    def open(self, folder: str) -> None:
        """Open the memory in a folder, which is empty the first time."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the memory, so that all of it is in the files."""

    def clock(self, now: float) -> None:
        """Set the time, in seconds since 1970, UTC. It may be called before `open`."""
        raise Unsupported("it reads the clock of the machine")

    def write(self, text: str, scope: str, by: str, source: str) -> None:
        """Store a text; `source` names where it comes from."""
        raise NotImplementedError

    def settle(self) -> None:
        """Wait until all that was written can be found."""

    def rows(self, question: str, limit: int, scope: str) -> list[str]:
        """Return the texts that answer a question, the best first, at most `limit`."""
        raise NotImplementedError

    def prompt(self, question: str, tokens: int, scope: str) -> str:
        """Return the text that a model would receive with a question, in at most so many tokens."""
        return fit(self.rows(question, 1 + tokens // 4, scope), tokens)

    def supersede(self, query: str, text: str, scope: str) -> None:
        """Replace what a query names by a text that is true from now on."""
        raise Unsupported("it replaces nothing")

    def forget(self, query: str, scope: str) -> None:
        """Delete what a query names; it may be restorable."""
        raise Unsupported("it deletes nothing")

    def erase(self, query: str, scope: str) -> None:
        """Delete what a query names for good, from its files too."""
        raise Unsupported("it erases nothing")

    def forget_all(self, query: str, scope: str) -> None:
        """Delete every text that a query names; a system whose hits have no scores takes the first."""
        self.forget(query, scope)

    def erase_all(self, query: str, scope: str) -> None:
        """Delete every text that a query names for good; a system whose hits have no scores takes the first."""
        self.erase(query, scope)

    def reject(self, query: str, scope: str) -> None:
        """Delete what a query names and refuse to store it again."""
        raise Unsupported("it refuses nothing")

    def undo(self) -> None:
        """Revert the last `supersede` or `forget`."""
        raise Unsupported("it reverts nothing")

    def run_jobs(self) -> None:
        """Run all background work that is due: consolidation, expiry, compaction."""
        raise Unsupported("it has no background work")

    def reindex(self) -> None:
        """Build anew what is derived from the texts: indexes, vectors, summaries."""
        raise Unsupported("it builds nothing anew")

    def export(self, path: str, scope: str) -> None:
        """Write all of a scope to a file."""
        raise Unsupported("it exports nothing")

    def import_(self, path: str, scope: str) -> None:
        """Read a file that `export` wrote into a scope."""
        raise Unsupported("it imports nothing")

    def audit(self, scope: str) -> list[str]:
        """Return the log of what was done, an entry a string, deletions included."""
        raise Unsupported("it keeps no log")

    def origins(self, question: str, scope: str) -> list[str]:
        """Return where the first row of a question comes from: the `source` of each text it rests on."""
        raise Unsupported("it names no sources")

    def probe_files(self) -> list[str]:
        """Return files and folders outside the given folder that hold data of this memory."""
        return []


def count_named(scores: Sequence[float]) -> int:
    """Return how many hits a query names by their scores, the best first: those before the largest gap."""
    gaps = [before - after for before, after in pairwise(scores)]
    return 1 + gaps.index(max(gaps)) if gaps else len(scores)


def _bare(text: str) -> str:
    """Return a text without spaces around it and in small letters: some systems embed it so."""
    return text.strip().lower()


def count_tokens(text: str) -> int:
    """Count words and signs, which is near what tokenizers of models count in English."""
    return sum(1 for _ in _TOKEN.finditer(text))


def cut(text: str, tokens: int) -> str:
    """Return the beginning of a text that has at most so many tokens."""
    for number, found in enumerate(_TOKEN.finditer(text)):
        if number == tokens:
            return text[: found.start()]
    return text


def fit(rows: Iterable[str], tokens: int) -> str:
    """Join the first rows that have room in a budget."""
    kept: list[str] = []
    for row in rows:
        tokens -= count_tokens(row)
        if tokens < 0:
            break
        kept.append(row)
    return "\n".join(kept)


def embed_words(texts: Iterable[str]) -> list[list[float]]:
    """Return a vector for each text in which each word counts in one of 256 places, for systems that need vectors.

    It stands for the model of embeddings that they would download, so their ranking is by words.
    """
    vectors = []
    for text in texts:
        vector = [0.0] * VECTOR_DIMENSIONS
        for word in _WORD.findall(text.casefold()):
            vector[hashlib.blake2b(word.encode(), digest_size=1).digest()[0]] += 1.0
        length = sum(value * value for value in vector) ** 0.5 or 1.0
        vectors.append([value / length for value in vector])
    return vectors
