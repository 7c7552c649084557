"""What both sides are given: the same texts, links and questions with the same vectors, in files.

The vectors are made beforehand and only looked up by the sides, and no language model is asked, so that what is
compared is the engines and not what they embed with. Everything is made here; each step reads only its own file, so
that a side's memory is its own.
"""

import json
from pathlib import Path

import numpy as np

from benchmarks.corpus import LINKS, Maker
from remanence.llm.offline import HashedEmbedder

WARM = 3  # asked first and not counted
LEARNED = 200
# A large store answers slowly: fewer questions there, and one run of curate.
LARGE = 20_000
QUERIES, QUERIES_LARGE = 60, 12
CURATED, CURATED_LARGE = 3, 1
WEAK_SHARE, WEAK = 0.05, 0.09  # links that both sides are to cut: both do so below 0.10


def make(folder: Path, n: int) -> None:
    """Write what is filled in, learned and asked at n memories."""
    random = np.random.default_rng(13)
    texts = list(Maker().texts(n, salt=1))
    asked = random.choice(n, WARM + (QUERIES_LARGE if n > LARGE else QUERIES))
    queries = [" ".join(random.permutation(texts[k].split())[: random.integers(3, 9)]) for k in asked]
    _write(folder / "fill", texts, links=_links(n, random))
    _write(folder / "learn", list(Maker().texts(WARM + LEARNED, salt=900_001)), warm=WARM)
    _write(folder / "recall", queries, warm=WARM, sought=[texts[k] for k in asked])


def _write(path: Path, texts: list[str], **more: object) -> None:
    path.with_suffix(".json").write_text(json.dumps({"texts": texts, **more}))
    np.save(path.with_suffix(".npy"), HashedEmbedder().embed(texts))


def _links(n: int, random: np.random.Generator) -> list[tuple[int, int, float]]:
    """Join each memory to the two after it, in a ring: four links each, within the peer's limit of five."""
    weights = np.where(
        random.random((n, LINKS - 1)) < WEAK_SHARE, WEAK, random.uniform(0.2, 1.0, (n, LINKS - 1))
    )
    return [
        (min(k, other), max(k, other), round(float(weights[k, step]), 6))
        for k in range(n)
        for step in range(LINKS - 1)
        for other in ((k + step + 1) % n,)
    ]
