"""Makes texts, vectors' words and links by a seed: 240-character texts from a Zipf vocabulary, 3 links each."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson

from remanence.core.clock import DAY, HOUR

VOCABULARY = 50_000
ZIPF_EXPONENT = 1.1
TEXT_CHARS = 240
LINKS = 3
DIMENSIONS = 256
# Shares of what the curation of the benchmark finds to do.
OLD_SHARE, IDLE_SHARE, WEAK_SHARE = 0.10, 0.10, 0.05

POLICY = """
version = 1
name = "benchmark"

[[guard]]
name = "grace"
where = "now() - learned_at < days(1)"
because = "what was learned today stays"

[[rule]]
name = "archive-idle"
every = "deep"
phase = "value"
where = "status == 'active' and idle > days(90)"
do = "archive"
because = "nobody used it for 90 days"

[[rule]]
name = "cool-down"
every = "standard"
phase = "tiers"
where = "status == 'active' and tier == 'hot' and idle > days(30)"
do = "move"
to = "warm"
because = "nobody used it for 30 days"

[[rule]]
name = "weak-links"
every = "deep"
phase = "links"
over = "links"
where = "weight < 0.10"
do = "unlink"
because = "a link this weak says nothing"
"""


SMALL = ("the", "of", "and", "in", "was")


@dataclass(frozen=True)
class Maker:
    """A seeded source of texts; in `prose` every second word is a small one, which a condensed text leaves out."""

    seed: int = 7
    prose: bool = False

    def vocabulary(self) -> list[str]:
        """Return made-up words of two to five syllables."""
        random = np.random.default_rng(self.seed)
        syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
        lengths = random.integers(2, 5, VOCABULARY)
        picks = random.integers(0, len(syllables), (VOCABULARY, 5))
        return ["".join(syllables[k] for k in row[:n]) for row, n in zip(picks, lengths, strict=True)]

    def texts(self, n: int, salt: int = 0) -> Iterator[str]:
        """Yield n texts of about 240 characters, words drawn by Zipf's law."""
        names = self.vocabulary()
        random = np.random.default_rng([self.seed, salt])
        share = np.cumsum(1 / np.arange(1, VOCABULARY + 1) ** ZIPF_EXPONENT)
        for start in range(0, n, 1_000):
            ranks = np.searchsorted(share, random.random((1_000, 60)) * share[-1])
            for row in ranks[: n - start]:
                said = [names[k] for k in row]
                if self.prose:
                    said = [
                        word
                        for k, name in zip(row.tolist(), said, strict=True)
                        for word in (SMALL[k % 5], name)
                    ]
                yield " ".join(said)[:TEXT_CHARS].rsplit(" ", 1)[0]


def exported(n: int, now: int, embedder: str, salt: int, *, prose: bool = False) -> Iterator[bytes]:
    """Yield n memories with their links in the format of `export`, so that `import_` can fill a store."""
    random = np.random.default_rng([11, salt])
    yield (
        orjson.dumps({"format": "remanence-export", "version": 1, "scope": "made", "embedder": embedder})
        + b"\n"
    )
    ids = [f"{salt:08x}{k:024x}" for k in range(n)]
    fate = random.random(n)
    for k, text in enumerate(Maker(prose=prose).texts(n, salt + 1)):
        row = _row(ids[k], text, _age(float(fate[k])), now, random)
        if prose:  # worth something of its own, as texts are
            row["value"] = round(3.0 + 150.0 * float(fate[k]), 2)
        yield orjson.dumps(row) + b"\n"
    weights = random.uniform(0.1, 1.0, (n, LINKS)) * np.where(
        random.random((n, LINKS)) < WEAK_SHARE, 0.09, 1.0
    )
    for k in range(n):
        for step in range(LINKS):
            other = (k + 1 + step * 37) % n
            low, high = min(k, other), max(k, other)
            if low != high:
                weight = round(max(float(weights[k, step]), 0.001), 6)
                yield orjson.dumps(_link(ids[low], ids[high], weight, now)) + b"\n"


def _age(fate: float) -> int:
    if fate < OLD_SHARE:
        return 120 * DAY
    return 45 * DAY if fate < OLD_SHARE + IDLE_SHARE else 2 * DAY


def _row(name: str, text: str, age: int, now: int, random: np.random.Generator) -> dict[str, Any]:
    vector = random.standard_normal(DIMENSIONS).astype(np.float32)
    vector /= np.linalg.norm(vector)
    at = now - age - int(random.integers(0, HOUR))
    return {
        "id": name,
        "text": text,
        "said_at": at,
        "learned_at": at,
        "status_at": at,
        "tier_at": at,
        "status": "active",
        "category": "knowledge",
        "kind": "semantic",
        "value": 40.0,
        "vector": base64.b64encode(vector.astype("<f2").tobytes()).decode(),
        "tags": [],
        "sources": [],
    }


def _link(source: str, target: str, weight: float, now: int) -> dict[str, Any]:
    times = {"created_at": now - 2 * DAY, "last_at": now - HOUR}
    return {
        "source": source,
        "target": target,
        "relation": "similar",
        "weight": weight,
        "confidence": weight,
        "count": 1,
        **times,
    }
