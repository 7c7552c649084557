"""What a large archive costs: `python -m benchmarks.archive --archived 200000 500000 1000000 [--active 10000]`.

Figures are taken on a file that was closed and opened again, each step in a process of its own: once where full text
finds what is archived, with `--whole` also where the index holds everything. CPU seconds count all threads.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

import remanence
from benchmarks.corpus import Maker, exported
from benchmarks.report import figure, note, rss_mb, rss_peak_mb, settings, spent
from remanence.core.keywords import ArchiveName
from remanence.core.model import Memory, Status
from remanence.flows.indexes import scope_index
from remanence.store.sqlite.sqlite_store import SqliteStore

BATCH = 50_000  # memories an import takes at once
SESSION = 20  # memories of one session
ASKED = 100
WARM = 20
CHANGES = 5
READ_MOST = 20  # archived texts an answer may read: twice what it returns
EVERYTHING, NOTHING = 1_000_000_000, 0  # so many archived memories the index holds
SALT = 31
ARCHIVES: tuple[ArchiveName, ...] = ("closed", "open")


def main() -> None:
    """Fill a file for each size and measure each step in a fresh process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archived", type=int, nargs="+", default=[20_000])
    parser.add_argument("--active", type=int, default=10_000)
    parser.add_argument("--whole", action="store_true", help="measure the index that holds everything, too")
    parser.add_argument("--folder", type=Path, help="where to keep the files, and to find them again")
    parser.add_argument("--only", nargs="*", choices=sorted(STEPS), help="these steps only")
    parser.add_argument("--step", choices=sorted(STEPS), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.step:
        scope_index.INDEXED_MAX = EVERYTHING if given.whole else NOTHING
        asyncio.run(STEPS[given.step](given.folder, given.archived[0], given.whole))
        return
    settings(archived=given.archived, active=given.active, session=SESSION)
    with tempfile.TemporaryDirectory() as made:
        folder = given.folder or Path(made)
        folder.mkdir(exist_ok=True)
        for archived in given.archived:
            path = folder / f"{archived}.db"
            if not path.exists():
                asyncio.run(fill(path, archived, given.active))
            for whole in (False, True)[: 1 + given.whole]:
                for step in given.only or STEPS:
                    _stepped(step, path, archived, whole=whole)


def _stepped(step: str, path: Path, archived: int, *, whole: bool) -> None:
    command = [sys.executable, "-m", "benchmarks.archive", "--folder", str(path), "--step", step]
    subprocess.run([*command, "--archived", str(archived), *["--whole"] * whole], check=True)


async def fill(path: Path, archived: int, active: int) -> None:
    """Import archived memories, then those that stand, in sessions of twenty."""
    now = time.time_ns() // 1_000
    async with remanence.open(path) as memory:
        with spent() as took:
            for start in range(0, archived + active, BATCH):
                count = min(BATCH, archived + active - start)
                made = _lines(exported(count, now, memory.embedder.name, SALT + start), start, archived)
                await memory.import_(made, name=f"made {start}")
                note(f"filled {path.name}: {start + count}")
    figure(
        "archive.fill.cpu_ms_per_memory", took.cpu_s * 1_000 / (archived + active), "ms", archived=archived
    )
    figure("archive.file.mb", path.stat().st_size / 1e6, "MB", archived=archived)


def _lines(exported: Iterator[bytes], start: int, archived: int) -> Iterator[bytes]:
    """Say of the first so many memories that they are archived, of all in which session they are; leave out links."""
    yield next(exported)
    for number, line in enumerate(exported, start):
        row: dict[str, Any] = orjson.loads(line)
        if "text" not in row:
            return
        row |= {"session": f"session {number // SESSION}", "speaker": f"speaker {number % 7}"}
        if number < archived:
            row |= {"status": "archived", "tier": "archive", "reason": "decayed"}
        yield orjson.dumps(row) + b"\n"


def _opened(path: Path) -> remanence.Engine:
    return remanence.open(path)


async def measure_open(path: Path, archived: int, whole: bool) -> None:
    """Open and close; then the first recall, and what it leaves in memory."""
    told = {"archived": archived, "whole": whole}
    memory = _opened(path)
    with spent() as opened:
        await memory.__aenter__()
    base = rss_mb()
    for archive in ARCHIVES:
        with spent() as first:
            await memory.recall(_questions(1)[0], archived=archive, count_use=False)
        figure(
            f"archive.first_recall.{archive}_cpu_s", first.cpu_s, "s", wall_s=round(first.wall_s, 3), **told
        )
        figure(f"archive.rss.{archive}_mb", rss_mb() - base, "MB", peak=rss_peak_mb() - base, **told)
    await memory.__aexit__(None, None, None)
    figure("archive.open.cpu_ms", opened.cpu_s * 1_000, "ms", wall_ms=round(opened.wall_s * 1_000, 1), **told)


async def measure_recall(path: Path, archived: int, whole: bool) -> None:
    """Recall what stands, and what stands with the archive, warm; count the archived texts that are read."""
    told = {"archived": archived, "whole": whole}
    async with _opened(path) as memory:
        for archive in ARCHIVES:
            for question in _questions(WARM):
                await memory.recall(question, archived=archive, count_use=False)
            cpu_ms = [1_000 * took async for took in _recalls(memory, _questions(ASKED), archive)]
            for share in (50, 95):
                value = float(np.percentile(cpu_ms, share))
                figure(f"archive.recall.{archive}.p{share}_cpu_ms", value, "ms", **told)
        read = _Spy()
        most = 0
        for question in _questions(WARM):
            read.seqs.clear()
            await memory.recall(question, archived="open", count_use=False)
            most = max(most, len(read.seqs))
    figure("archive.recall.archived_texts_read_max", most, "", goal=READ_MOST, **told)


async def measure_changes(path: Path, archived: int, whole: bool) -> None:
    """Recall after something was learned, left the archive and went back: what is kept of it is brought up to date."""
    told = {"archived": archived, "whole": whole}
    async with _opened(path) as memory:
        questions = _questions(1 + 3 * CHANGES)
        await memory.recall(questions.pop(), archived="open", count_use=False)
        took: dict[str, list[float]] = {"learn": [], "restore": [], "archive": []}
        for one in await memory.list(status="archived", limit=CHANGES):
            await memory.learn(f"Something else was learned at {time.time_ns()}.")
            took["learn"] += [one async for one in _recalls(memory, [questions.pop()], "open")]
            receipt = await memory.rate(one, "right")
            took["restore"] += [one async for one in _recalls(memory, [questions.pop()], "open")]
            await memory.undo(receipt)
            took["archive"] += [one async for one in _recalls(memory, [questions.pop()], "open")]
        for name, cpu_s in took.items():
            figure(f"archive.recall.after_{name}_cpu_ms", float(np.median(cpu_s)) * 1_000, "ms", **told)


async def measure_verbs(path: Path, archived: int, whole: bool) -> None:
    """What else a person waits for."""
    told = {"archived": archived, "whole": whole}
    for name, verb in VERBS.items():
        async with _opened(path) as memory:
            base = rss_mb()
            with spent() as took:
                await verb(memory)
            more = {"wall_s": round(took.wall_s, 2), "peak_mb": round(rss_peak_mb() - base, 1)}
            figure(f"archive.{name}.cpu_s", took.cpu_s, "s", **more, **told)


def _questions(count: int) -> list[str]:
    """Return questions of three to eight words, each of one text."""
    random = np.random.default_rng(3)
    texts = [text.split() for text in Maker().texts(count, SALT + 1)]
    return [" ".join(random.permutation(words)[: int(random.integers(3, 9))]) for words in texts]


async def _recalls(
    memory: remanence.Engine, questions: Sequence[str], archive: ArchiveName
) -> AsyncIterator[float]:
    for question in questions:
        with spent() as took:
            await memory.recall(question, archived=archive, count_use=False)
        yield took.cpu_s


class _Spy:
    """Counts the archived memories that the store is asked for with their texts."""

    def __init__(self) -> None:
        self.seqs: set[int] = set()
        get, find = SqliteStore.get, SqliteStore.find

        async def spied_get(store: SqliteStore, *asked: Any) -> list[Memory | None]:
            return self._saw(await get(store, *asked))

        async def spied_find(store: SqliteStore, *asked: Any) -> list[Memory]:
            return self._saw(await find(store, *asked))

        SqliteStore.get, SqliteStore.find = spied_get, spied_find  # type: ignore[method-assign, assignment]

    def _saw(self, memories: list[Any]) -> list[Any]:
        self.seqs.update(one.seq for one in memories if one is not None and one.status is Status.ARCHIVED)
        return memories


VERBS: Mapping[str, Callable[[remanence.Engine], Awaitable[object]]] = {
    "status": lambda memory: memory.status(),
    "plan": lambda memory: memory.plan("default"),
    "forecast": lambda memory: memory.forecast(30, policy="default"),
    "doctor": lambda memory: memory.doctor(),
}
STEPS = {
    "open": measure_open,
    "recall": measure_recall,
    "changes": measure_changes,
    "verbs": measure_verbs,
}

if __name__ == "__main__":
    main()
