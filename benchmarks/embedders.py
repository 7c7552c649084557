"""What a model finds in six languages, and what changing it costs: `python -m benchmarks.embedders [--embedder …]`.

Sixteen facts, each said and asked for in English, German, Spanish, French, Chinese and Japanese, in other words. `own`
asks in the language of the memories, `across` in English what is said in another one, and the other way round; a hit is
the right fact in the first place. `--rows` embeds so many memories anew by the last embedder, and the same texts by the
model alone, in the same batches: what is more is what `reembed` takes itself.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

import remanence
from benchmarks.corpus import Maker, exported
from benchmarks.report import figure, note, settings, spent
from remanence.core.clock import SystemClock
from remanence.core.model import Turn
from remanence.flows.base.async_embedder import Model, parts

FILE = Path(__file__).with_name("languages.jsonl")
ENGLISH = "en"
CHUNK = 256
BATCH = 10_000

Facts = Mapping[str, Sequence[tuple[str, str]]]  # language → (what is said, what is asked)


def main() -> None:
    """Measure one or more embedders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", nargs="*", default=["auto", "multilingual"])
    parser.add_argument(
        "--rows", type=int, default=0, help="embed so many memories anew, by the last embedder"
    )
    given = parser.parse_args()
    facts = languages()
    settings(languages=[*facts], facts=len(facts[ENGLISH]), rows=given.rows)
    for embedder in given.embedder:
        asyncio.run(found(facts, embedder))
    if given.rows:
        asyncio.run(changed(given.embedder[-1], given.rows))


def languages() -> Facts:
    """Read the facts."""
    read: dict[str, list[tuple[str, str]]] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        read.setdefault(row["language"], []).append((row["text"], row["question"]))
    return read


async def found(facts: Facts, embedder: str) -> None:
    """Ask each language's memories in their own language, in English, and English ones in every language."""
    hits: dict[tuple[str, str], list[bool]] = {}
    for said in facts:
        with tempfile.TemporaryDirectory() as folder:
            async with remanence.open(Path(folder) / "memory.db", embedder=embedder) as memory:
                texts = [text for text, _ in facts[said]]
                await memory.learn(Turn(text, session=str(at)) for at, text in enumerate(texts))
                await memory.consolidate()
                for asked in facts if said == ENGLISH else {said, ENGLISH}:
                    for at, (_, question) in enumerate(facts[asked]):
                        answer = await memory.recall(question, limit=1, count_use=False)
                        right = [hit.memory.text for hit in answer] == [texts[at]]
                        hits.setdefault((said, asked), []).append(right)
    own = [hit for (said, asked), some in hits.items() if said == asked for hit in some]
    out = [hit for (said, asked), some in hits.items() if asked == ENGLISH != said for hit in some]
    back = [hit for (said, asked), some in hits.items() if said == ENGLISH != asked for hit in some]
    for kind, some in (("own", own), ("across", out + back), ("from_english", out), ("to_english", back)):
        figure(
            f"embedders.r@1.{kind}", 100 * float(np.mean(some)), "%", embedder=embedder, questions=len(some)
        )


async def changed(embedder: str, rows: int) -> None:
    """Embed memories anew, and the same texts by the model alone."""
    texts = [
        text
        for number, start in enumerate(range(0, rows, BATCH))
        for text in Maker().texts(min(BATCH, rows - start), number + 1)
    ]
    model = parts(embedder)[1]
    assert model is not None
    await model.embed(["warm"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        async with remanence.open(path) as memory:
            now, name = SystemClock().now(), memory.embedder.name
            for number, start in enumerate(range(0, rows, BATCH)):
                await memory.import_(exported(min(BATCH, rows - start), now, name, salt=number))
            note("filled")
        with spent() as alone:
            await _alone(model, texts)
        note("alone")
        async with remanence.open(path) as memory:
            with spent() as whole:
                done = await memory.reembed(embedder)
        size = path.stat().st_size / 1e6
    fields = {"embedder": embedder, "rows": done.memories}
    for name, one, other in (("cpu", whole.cpu_s, alone.cpu_s), ("wall", whole.wall_s, alone.wall_s)):
        figure(f"embedders.reembed_{name}_s", one, "s", **fields)
        figure(f"embedders.model_{name}_s", other, "s", **fields)
        figure(f"embedders.reembed_over_model_{name}", 100 * (one / other - 1), "%", **fields)
    figure("embedders.reembed_own_cpu_us", 1e6 * (whole.cpu_s - alone.cpu_s) / rows, "µs/row", **fields)
    figure("embedders.file_mb", size, "MB", **fields)


async def _alone(model: Model, texts: Sequence[str]) -> None:
    for start in range(0, len(texts), CHUNK):
        for batch in range(start, min(start + CHUNK, len(texts)), model.batch_max):
            await model.embed(texts[batch : min(batch + model.batch_max, start + CHUNK)])


if __name__ == "__main__":
    main()
