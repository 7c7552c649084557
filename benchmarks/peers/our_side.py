"""Our side, in a process of its own: `python -m benchmarks.peers.our_side STEP STORE MATERIAL`."""

import asyncio
import base64
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

import remanence
from benchmarks.corpus import DIMENSIONS
from benchmarks.report import rss_peak_mb, spent
from remanence.core.clock import HOUR, ManualClock
from remanence.llm.base import SimilarityThresholds, Vectors, WordWeight

# As on the other side: every third memory is past its recency, and all links were active ten hours ago.
OLD_HOURS, LINK_HOURS = 400, 10
LIMIT = 10
# The preset that does as the peer does, and its rule that the peer no longer has.
POLICY, ARCHIVES = "elfmem", "archive-faded"


class Prepared:
    """Vectors made beforehand; it only looks them up, as the embedder of the other side does."""

    name = "prepared"
    dimensions = DIMENSIONS
    thresholds = SimilarityThresholds(similar=0.5, near=0.85)

    def __init__(self, texts: Sequence[str], vectors: Vectors) -> None:
        self._row = {text: row for row, text in enumerate(texts)}
        self._vectors = vectors

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:  # noqa: ARG002
        """Return the rows of the texts."""
        return self._vectors[[self._row[text] for text in texts]]


def main() -> None:
    """Do one step and print what it took."""
    step, store, material = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    given = {} if step.startswith("curate") else json.loads((material / f"{step}.json").read_text())
    vectors = np.load(material / f"{step}.npy") if given else np.zeros((0, DIMENSIONS), np.float32)
    asyncio.run(run(step, store / "remanence.db", Prepared(given.get("texts", ()), vectors), given))
    tell(rss_mb=rss_peak_mb())


def tell(**fields: Any) -> None:
    """Print one line."""
    print(json.dumps(fields), flush=True)


async def run(step: str, path: Path, vectors: Prepared, given: dict[str, Any]) -> None:
    """Open the store and take the step, after the hours in which the old third fades."""
    clock = ManualClock()
    async with remanence.open(path, clock=clock, embedder=vectors) as memory:
        if step == "fill":
            # The preset fades by hours of work, as the peer does: one session covers them.
            session = await memory.begin_session(heartbeats=False)
            clock.advance(hours=OLD_HOURS)
            await memory.end_session(session)
            await memory.import_(exported(given, vectors, clock.now()))
        else:
            clock.advance(hours=OLD_HOURS)
            await STEPS[step](memory, given)


async def learn(memory: remanence.Engine, given: dict[str, Any]) -> None:
    """Learn the texts one by one."""
    for number, text in enumerate(given["texts"]):
        with spent() as took:
            await memory.learn(text)
        if number >= given["warm"]:
            tell(cpu_s=took.cpu_s, wall_s=took.wall_s)


async def recall(memory: remanence.Engine, given: dict[str, Any]) -> None:
    """Recall without counting uses, as the peer's recall does; tell how often the text sought was among the found."""
    found = 0
    for number, (query, sought) in enumerate(zip(given["texts"], given["sought"], strict=True)):
        with spent() as took:
            answer = await memory.recall(query, limit=LIMIT, count_use=False)
        if number >= given["warm"]:
            tell(cpu_s=took.cpu_s, wall_s=took.wall_s)
        found += any(hit.memory.text == sought for hit in answer.memories)
    tell(found=f"{found} of {len(given['texts'])}")


async def curate(memory: remanence.Engine, _: dict[str, Any]) -> None:
    """Plan and apply."""
    await _curate(memory, {})


async def curate_alike(memory: remanence.Engine, _: dict[str, Any]) -> None:
    """Plan and apply what a peer does that archives nothing."""
    await _curate(memory, {ARCHIVES: {"off": True}})


async def _curate(memory: remanence.Engine, overrides: dict[str, dict[str, Any]]) -> None:
    with spent() as took:
        done = await memory.curate(POLICY, overrides=overrides)
    tell(cpu_s=took.cpu_s, wall_s=took.wall_s)
    tell(counts=dict(done.counts))


def exported(given: dict[str, Any], vectors: Prepared, now: int) -> Iterator[bytes]:
    """Yield the texts and links in the format of `export`, every third text old."""
    header = {"format": "remanence-export", "version": 1, "scope": "made", "embedder": vectors.name}
    yield orjson.dumps(header) + b"\n"
    for number, text in enumerate(given["texts"]):
        at = now - (OLD_HOURS if number % 3 == 0 else 0) * HOUR
        yield orjson.dumps(_memory(f"{number:032x}", text, at, vectors)) + b"\n"
    for source, target, weight in given["links"]:
        ends = {"source": f"{source:032x}", "target": f"{target:032x}", "relation": "similar"}
        seen = now - LINK_HOURS * HOUR
        values = {"weight": weight, "confidence": 1.0, "count": 1, "created_at": seen, "last_at": seen}
        yield orjson.dumps({**ends, **values}) + b"\n"


def _memory(name: str, text: str, at: int, vectors: Prepared) -> dict[str, Any]:
    return {
        "id": name,
        "text": text,
        "vector": base64.b64encode(vectors.embed([text]).astype("<f2").tobytes()).decode(),
        "status": "active",
        "category": "knowledge",
        **dict.fromkeys(("said_at", "learned_at", "status_at", "tier_at"), at),
    }


STEPS = {"learn": learn, "recall": recall, "curate": curate, "curate_alike": curate_alike}

if __name__ == "__main__":
    main()
