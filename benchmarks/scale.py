"""What the verbs cost at n memories: `python -m benchmarks.scale --n 100000 [--scopes 100]`.

All figures are taken through the public verbs on a file that was closed and reopened, each heavy one in a process
of its own, so that its peak of memory is its own. CPU seconds count all threads. Of several n it is also told how each
figure grows: the power of n, which is 1 where ten times as many memories cost ten times as much.
"""

import argparse
import asyncio
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import remanence
from benchmarks.corpus import DIMENSIONS, LINKS, POLICY, TEXT_CHARS, VOCABULARY, Maker, exported
from benchmarks.report import figure, note, rss_mb, rss_peak_mb, settings, spent
from remanence.core.clock import ManualClock
from remanence.core.model import Turn

BATCH = 50_000  # memories an import takes at once
LEARNED = 4_000
CALLERS = 64
CONSOLIDATED = 2_000
SETTLED, SETTLE_ROUNDS, ENTITIES = 100, 8, 20
QUERIES = 200
EXACT_QUERIES = 1_000
READERS = 8
WRITES_EVERY_S = 0.01
IDENTITY = 50  # memories that are tagged as identity while frames are measured


def main() -> None:
    """Fill a store and measure each verb in a fresh process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[10_000])
    parser.add_argument("--scopes", type=int, default=1)
    parser.add_argument(
        "--prose", action="store_true", help="fill with texts that get shorter when condensed"
    )
    parser.add_argument(
        "--db", type=Path, help="a filled file to use again, or where to keep it; of several n a folder"
    )
    parser.add_argument("--only", nargs="*", choices=sorted(STEPS), help="these steps only")
    parser.add_argument("--step", choices=[*sorted(STEPS), WRITER, READER], help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step == WRITER:
        asyncio.run(write_on(given.db))
        return
    if given.step == READER:
        asyncio.run(read_on(given.db))
        return
    if given.step:
        asyncio.run(STEPS[given.step](given.db, given.n[0], given.scopes))
        return
    texts = {"text_chars": TEXT_CHARS, "vocabulary": VOCABULARY, "dimensions": DIMENSIONS, "links": LINKS}
    settings(n=given.n, scopes=given.scopes, prose=given.prose, **texts)
    measured: dict[str, dict[int, float]] = defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        for n in given.n:
            path = given.db or Path(folder) / f"{n}.db"
            path = path / f"{n}.db" if given.db and len(given.n) > 1 else path
            if not path.exists():
                asyncio.run(fill(path, n, given.scopes, prose=given.prose))
            for step in given.only or STEPS:
                for name, value in _stepped(step, path, n, given.scopes):
                    measured[name].setdefault(n, value)
    for name, values in measured.items():
        _growth(name, values)


def _stepped(step: str, path: Path, n: int, scopes: int) -> Iterator[tuple[str, float]]:
    """Measure one step in a process of its own; print its figures and yield them."""
    command = [*_self(path, step), "--n", str(n), "--scopes", str(scopes)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        for line in child.stdout:
            print(line, end="", flush=True)
            told = json.loads(line)
            yield told["name"], told["value"]
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)


def _self(path: Path, step: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.scale", "--db", str(path), "--step", step]


def _growth(name: str, values: Mapping[int, float]) -> None:
    """Say to which power of n a figure grows from each n to the next."""
    ordered = sorted(values.items())
    for (few, low), (many, high) in pairwise(ordered):
        if low > 0 and high > 0:
            figure(f"{name}.growth", math.log(high / low) / math.log(many / few), "", n=[few, many])


def scope_names(scopes: int) -> list[str]:
    """Name the scopes."""
    return [f"scope-{k}" for k in range(scopes)]


async def fill(path: Path, n: int, scopes: int, *, prose: bool = False) -> None:
    """Import n memories with their links, in even shares over the scopes; what makes them up is not counted."""
    cpu = wall = 0.0
    for number, scope in enumerate(scope_names(scopes)):
        async with remanence.open(path, scope=scope) as memory:
            name = memory.embedder.name
            for start in range(0, n // scopes, BATCH):
                size = min(BATCH, n // scopes - start)
                lines = [*exported(size, _now(), name, salt=number * 10_000 + start // BATCH, prose=prose)]
                with spent() as took:
                    await memory.import_(lines, name=f"made {start}")
                cpu, wall = cpu + took.cpu_s, wall + took.wall_s
                note(f"filled {scope}: {start + size}")
    figure("scale.import.cpu_s", cpu, "s", n=n, scopes=scopes, wall_s=round(wall, 1))
    figure("scale.import.cpu_ms_per_memory", cpu * 1_000 / n, "ms", n=n, scopes=scopes)


def _now() -> int:
    return time.time_ns() // 1_000


async def measure_size(path: Path, n: int, scopes: int) -> None:
    """How large the file is, after a checkpoint."""
    async with remanence.open(path, scope="scope-0"):
        pass
    figure("scale.db.bytes_per_memory", path.stat().st_size / n, "B", n=n, scopes=scopes)


async def measure_learn(path: Path, n: int, scopes: int) -> None:
    """Learn one text at a time, from one caller and from 64."""
    texts = list(Maker().texts(LEARNED, salt=900_001 + os.getpid()))
    async with remanence.open(path, scope="scope-0") as memory:
        await memory.learn("warm up " + texts[0])
        one = texts[: LEARNED // 10]
        with spent() as took:
            for text in one:
                await memory.learn(text)
        figure("scale.learn.cpu_ms", took.cpu_s * 1_000 / len(one), "ms", n=n, scopes=scopes)
        figure("scale.learn.per_s", len(one) / took.wall_s, "1/s", n=n, scopes=scopes, callers=1)
        many = texts[LEARNED // 10 :]
        with spent() as took:
            await asyncio.gather(*(_caller(memory, many[k::CALLERS]) for k in range(CALLERS)))
        figure("scale.learn.per_s", len(many) / took.wall_s, "1/s", n=n, scopes=scopes, callers=CALLERS)


async def _caller(memory: remanence.Engine, texts: Iterable[str]) -> None:
    for text in texts:
        await memory.learn(text)


async def measure_learn_many(path: Path, n: int, scopes: int) -> None:
    """Learn many texts in one call."""
    turns = [Turn(text) for text in Maker().texts(10_000, salt=800_001 + os.getpid())]
    async with remanence.open(path, scope="scope-0") as memory:
        await memory.learn(turns[:100])
        with spent() as took:
            await memory.learn(turns[100:])
    figure("scale.learn_many.per_s", len(turns[100:]) / took.wall_s, "1/s", n=n, scopes=scopes)


async def measure_consolidate(path: Path, n: int, scopes: int) -> None:
    """Consolidate an inbox into what is active."""
    async with remanence.open(path, scope="scope-0") as memory:
        await memory.consolidate()
        await memory.learn(Turn(text) for text in Maker().texts(CONSOLIDATED, salt=700_001 + os.getpid()))
        with spent() as took:
            done = await memory.consolidate()
    figure(
        "scale.consolidate.per_s", done.activated / took.wall_s, "1/s", n=n, scopes=scopes, links=done.similar
    )


async def measure_settle(path: Path, n: int, scopes: int) -> None:
    """Consolidate a hundred at a time that belong to sessions, mention the same and give reasons: cold, then warm."""
    texts = iter(Maker().texts(SETTLE_ROUNDS * SETTLED, salt=600_001 + os.getpid()))
    async with remanence.open(path, scope="scope-0") as memory:
        known = await memory.learn(
            Turn(f"Entity {k} of {os.getpid()}", category="entity") for k in range(ENTITIES)
        )
        cpu_ms = [
            await _settled(memory, [next(texts) for _ in range(SETTLED)], known) for _ in range(SETTLE_ROUNDS)
        ]
    figure("scale.settle.cold_cpu_ms", cpu_ms[0], "ms", n=n, scopes=scopes, memories=SETTLED)
    figure("scale.settle.cpu_ms", float(np.median(cpu_ms[1:])), "ms", n=n, scopes=scopes, memories=SETTLED)


async def _settled(
    memory: remanence.Engine, texts: Sequence[str], entities: Sequence[remanence.LearnResult]
) -> float:
    """Return the CPU milliseconds of each of some memories that are consolidated."""
    turns = [
        Turn(
            f"Therefore {text}" if not k % 5 else text, kind="semantic", session=f"{texts[0]} {k // 10}"[-50:]
        )
        for k, text in enumerate(texts)
    ]
    for k, one in enumerate(await memory.learn(turns)):
        await memory.link(one, entities[k % len(entities)], "mentions")
    with spent() as took:
        await memory.consolidate()
    return took.cpu_s * 1_000 / len(texts)


async def measure_recall(path: Path, n: int, scopes: int) -> None:
    """Recall by questions of three to eight words, warm."""
    random = np.random.default_rng(3)
    texts = [text.split() for text in Maker().texts(QUERIES, salt=1)]
    queries = [" ".join(random.permutation(words)[: int(random.integers(3, 9))]) for words in texts]
    async with remanence.open(path, scope="scope-0") as memory:
        with spent() as cold:
            await memory.recall(queries[0])
        figure("scale.recall.first_cpu_s", cold.cpu_s, "s", n=n, scopes=scopes)
        for query in queries[:20]:
            await memory.recall(query)
        cpu_ms = [1_000 * took async for took in _recalls(memory, queries)]
    for share, name in ((50, "p50"), (95, "p95")):
        figure(f"scale.recall.{name}_ms", float(np.percentile(cpu_ms, share)), "ms", n=n, scopes=scopes)
    figure("scale.recall.rss_mb", rss_peak_mb(), "MB", n=n, scopes=scopes)


async def measure_cold(path: Path, n: int, scopes: int) -> None:
    """Open a file that a step before this has asked and closed, and ask once; beside it a product of single precision.

    The product says how fast the machine is: all of the vectors with one question.
    """
    with spent() as took:
        async with remanence.open(path, scope="scope-0") as memory:
            await memory.recall("any words of no matter", count_use=False)
            peak = rss_peak_mb()
    beside = sum(one.stat().st_size for one in path.parent.glob(f"{path.name}-index-*"))
    figure("scale.cold.cpu_s", took.cpu_s, "s", n=n, scopes=scopes, index_mb=round(beside / 1e6))
    figure("scale.cold.rss_mb", peak, "MB", n=n, scopes=scopes)
    vectors, question = np.ones((n // scopes, DIMENSIONS), np.float32), np.ones(DIMENSIONS, np.float32)
    cpu_ms = []
    for _ in range(9):
        with spent() as took:
            np.vecdot(vectors, question)
        cpu_ms.append(took.cpu_s * 1_000)
    figure("scale.product.cpu_ms", float(np.median(cpu_ms)), "ms", n=n, scopes=scopes)


async def measure_exact(path: Path, n: int, scopes: int) -> None:
    """Compare what questions are answered before and after an explanation, which has all true vectors read."""
    texts = [text.split() for text in Maker().texts(EXACT_QUERIES, salt=2)]
    queries = [" ".join(words[k % 20 : k % 20 + 3 + k % 6]) for k, words in enumerate(texts)]
    async with remanence.open(path, scope="scope-0") as memory:
        rough = [await _list_scores(memory, query) for query in queries]
        await memory.recall(queries[0], explain=True, count_use=False)
        true = [await _list_scores(memory, query) for query in queries]
    for most in (10, 100):
        other = sum(one[:most] != two[:most] for one, two in zip(rough, true, strict=True))
        figure(f"scale.exact.other_{most}", other, "", n=n, scopes=scopes, queries=len(queries))


async def _list_scores(memory: remanence.Engine, query: str) -> list[tuple[int, float]]:
    return [(hit.seq, hit.score) for hit in await memory.recall(query, limit=100, count_use=False)]


async def measure_explain(path: Path, n: int, scopes: int) -> None:
    """Recall and look through a frame, each question plain, with its reasons and with `why_not`, in turns."""
    queries = [" ".join(text.split()[3:8]) for text in Maker().texts(QUERIES, salt=1)]
    async with remanence.open(path, scope="scope-0") as memory:
        missed = (await memory.list(limit=1))[0].seq
        ways: dict[str, dict[str, Any]] = {
            "plain": {},
            "explain": {"explain": True},
            "why_not": {"why_not": missed},
        }
        for verb in ("recall", "frame"):
            cpu_ms: dict[str, list[float]] = {way: [] for way in ways}
            for k, query in enumerate([*queries[:20], *queries]):
                await _asked(memory, verb, query, {})  # whoever is first must not pay for words that are new
                for way, more in [*ways.items()][:: 1 - 2 * (k % 2)]:
                    with spent() as took:
                        await _asked(memory, verb, query, more)
                    cpu_ms[way] += [1_000 * took.cpu_s] * (k >= 20)
            medians = {way: float(np.median(values)) for way, values in cpu_ms.items()}
            for way, value in medians.items():
                more = {"ratio": round(value / medians["plain"], 3)}
                figure(f"scale.{verb}.{way}.cpu_ms", value, "ms", n=n, scopes=scopes, **more)


async def _asked(memory: remanence.Engine, verb: str, query: str, more: Mapping[str, Any]) -> None:
    if verb == "recall":
        await memory.recall(query, **more)
    else:
        await memory.frame("attention", query, **more)


async def measure_frames(path: Path, n: int, scopes: int) -> None:
    """Look through frames with and without a question, uses counted, and boot."""
    queries = [" ".join(text.split()[3:8]) for text in Maker().texts(QUERIES // 4, salt=1)]
    async with remanence.open(path, scope="scope-0") as memory:
        with spent() as cold:
            await memory.frame("boot")
        figure("scale.boot.cold_cpu_ms", cold.cpu_s * 1_000, "ms", n=n, scopes=scopes)
        named = await memory.list(limit=IDENTITY)
        for one in named:
            await memory.tag(one.id, "self/value")
        for frame, asked in (
            ("attention", queries),
            ("task", queries),
            ("self", [None] * 10),
            ("attention", [None] * 5),
        ):
            await memory.frame(frame, asked[0])
            cpu_ms = [1_000 * took async for took in _looks(memory, frame, asked)]
            kind = "asked" if asked is queries else "whole"
            figure(f"scale.frame.{frame}.{kind}_cpu_ms", float(np.median(cpu_ms)), "ms", n=n, scopes=scopes)
        for one in named:
            await memory.tag(one.id, "self/value", off=True)


async def _looks(memory: remanence.Engine, frame: str, queries: Iterable[str | None]) -> AsyncIterator[float]:
    for query in queries:
        with spent() as took:
            await memory.frame(frame, query)
        yield took.cpu_s


async def _recalls(memory: remanence.Engine, queries: Iterable[str]) -> AsyncIterator[float]:
    for query in queries:
        with spent() as took:
            await memory.recall(query)
        yield took.cpu_s


async def measure_dry(path: Path, n: int, scopes: int) -> None:
    """Plan the curation of all scopes; nothing is written."""
    cpu = 0.0
    for scope in scope_names(scopes):
        async with remanence.open(path, scope=scope) as memory:
            with spent() as took:
                await memory.plan(POLICY)
            cpu += took.cpu_s
    figure("scale.curate.dry_cpu_s", cpu, "s", n=n, scopes=scopes)


async def measure_curate(path: Path, n: int, scopes: int) -> None:
    """Plan and apply: 10 % archived, 10 % moved, 5 % of links cut; then undo it all."""
    cpu = undo = 0.0
    above = 0.0
    counts: dict[str, int] = {}
    for scope in scope_names(scopes):
        async with remanence.open(path, scope=scope) as memory:
            base = rss_mb()
            with spent() as took:
                receipt = await memory.curate(POLICY)
            cpu += took.cpu_s
            above = max(above, rss_peak_mb() - base)
            for name, count in receipt.counts.items():
                counts[name] = counts.get(name, 0) + count
            with spent() as took:
                await memory.undo(receipt)
            undo += took.cpu_s
    figure("scale.curate.cpu_s", cpu, "s", n=n, scopes=scopes, **counts)
    figure("scale.curate.rss_mb", above, "MB", n=n, scopes=scopes)
    figure("scale.undo.cpu_s", undo, "s", n=n, scopes=scopes)


async def measure_default(path: Path, n: int, scopes: int) -> None:
    """Plan and apply `default` as it ships, and with room for half and for three quarters of all words; then undo.

    The clock stands still: of a million memories some come of age in the seconds between a plan and the next.
    """
    clock = ManualClock(_now())
    shares = (None, 0.5, 0.75)
    for share in shares:
        dry, applied = 0.0, 0.0
        counts: dict[str, int] = {}
        above = 0.0
        for scope in scope_names(scopes):
            async with remanence.open(path, scope=scope, clock=clock) as memory:
                overrides = None
                if share is not None:
                    tokens = int(sum((await memory.status()).tokens.values()) * share)
                    overrides = {"store-budget": {"keep": {"tokens": tokens}}}
                base = rss_mb()
                with spent() as took:
                    plan = await memory.plan("default", overrides=overrides)
                dry += took.cpu_s
                with spent() as took:
                    receipt = await memory.curate("default", overrides=overrides)
                applied += took.cpu_s
                above = max(above, rss_peak_mb() - base)
                for name, count in receipt.counts.items():
                    counts[name] = counts.get(name, 0) + count
                assert plan.counts == receipt.counts
                await memory.undo(receipt)
        more = {"keeps": "as it ships" if share is None else f"{share:.0%} of the tokens", **counts}
        figure("scale.default.dry_cpu_s", dry, "s", n=n, scopes=scopes, **more)
        figure("scale.default.cpu_s", applied, "s", n=n, scopes=scopes, **more)
        figure("scale.default.rss_mb", above, "MB", n=n, scopes=scopes, **more)


async def measure_waits(path: Path, n: int, scopes: int) -> None:
    """How long a second process waits that writes one text after another while `default` is applied."""
    async with remanence.open(path, scope="scope-0") as memory:
        writer = await asyncio.create_subprocess_exec(
            *_self(path, WRITER), stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert writer.stdin is not None
        assert writer.stdout is not None
        await writer.stdout.readline()  # it has begun
        with spent() as took:
            receipt = await memory.curate("default")
        writer.stdin.close()
        told = json.loads(await writer.stdout.read())
        await writer.wait()
        await memory.undo(receipt)
    most = told.pop("most")
    figure("scale.default.writer_wait_max_s", most, "s", n=n, scopes=scopes, **told, wall_s=took.wall_s)


async def write_on(path: Path) -> None:
    """Learn one text after another until standard input ends; print how long the longest took."""
    texts = Maker().texts(1_000_000, salt=500_001 + os.getpid())
    waits: list[float] = []
    async with remanence.open(path, scope="scope-0") as memory:
        await memory.learn(next(texts))
        print("begun", flush=True)
        ended = asyncio.create_task(asyncio.to_thread(sys.stdin.read))
        while not ended.done():
            with spent() as took:
                await memory.learn(next(texts))
            waits.append(took.wall_s)
            await asyncio.sleep(WRITES_EVERY_S)
    told = {"most": max(waits), "median": float(np.median(waits)), "writes": len(waits)}
    print(json.dumps(told), flush=True)


async def measure_readers(path: Path, n: int, scopes: int) -> None:
    """What a recall costs one process beside a writer, and each of eight: CPU of its own, catching up included."""
    alone = await _read_beside(path, 1)
    many = await _read_beside(path, READERS)
    for share in ("p50", "p95"):
        one, each = alone[0][share], [told[share] for told in many]
        fields = {"n": n, "scopes": scopes, "queries": QUERIES}
        figure(f"scale.readers.{share}_ms", one, "ms", readers=1, **fields)
        figure(
            f"scale.readers.{share}_ms",
            float(np.median(each)),
            "ms",
            readers=READERS,
            most=max(each),
            **fields,
        )
        figure(f"scale.readers.{share}_ratio", float(np.median(each)) / one, "", **fields)


async def _read_beside(path: Path, readers: int) -> list[dict[str, float]]:
    """Return what so many processes tell that recall at once beside one that writes."""
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    writer = await asyncio.create_subprocess_exec(*_self(path, WRITER), **piped)
    assert writer.stdin is not None
    assert writer.stdout is not None
    await writer.stdout.readline()  # it has begun
    children = [
        await asyncio.create_subprocess_exec(*_self(path, READER), stdout=subprocess.PIPE)
        for _ in range(readers)
    ]
    told = [json.loads((await child.communicate())[0]) for child in children]
    writer.stdin.close()
    await writer.wait()
    return told


async def read_on(path: Path) -> None:
    """Recall, warm, while another process writes; print what one recall takes."""
    queries = [" ".join(text.split()[3:8]) for text in Maker().texts(QUERIES, salt=1)]
    async with remanence.open(path, scope="scope-0") as memory:
        for query in queries[:20]:
            await memory.recall(query, count_use=False)
        cpu_ms = []
        for query in queries:
            with spent() as took:
                await memory.recall(query, count_use=False)
            cpu_ms.append(took.cpu_s * 1_000)
            await asyncio.sleep(WRITES_EVERY_S)
    print(json.dumps({f"p{share}": float(np.percentile(cpu_ms, share)) for share in (50, 95)}), flush=True)


WRITER, READER = "writer", "reader"  # the steps of other processes
STEPS = {
    "readers": measure_readers,
    "default": measure_default,
    "waits": measure_waits,
    "size": measure_size,
    "dry": measure_dry,
    "curate": measure_curate,
    "recall": measure_recall,
    "cold": measure_cold,
    "exact": measure_exact,
    "explain": measure_explain,
    "frames": measure_frames,
    "learn": measure_learn,
    "learn_many": measure_learn_many,
    "consolidate": measure_consolidate,
    "settle": measure_settle,
}

if __name__ == "__main__":
    main()
