"""How much of a file the audit takes after a year of ticks: `python -m benchmarks.audit [--days N] [--runs N]`.

A memory lives: each day it learns entries and notices one by one, is asked, rated and edited, and is ticked when it
says so, under `default`. `audit.share` is what the tables of the audit and their indexes take of all pages in use:
while images never end, once those older than 60 days have ended, and a month of ticks later, when freed pages are in
use again. `audit.share_of_ticks` is by how much less a copy takes without the runs that ticks wrote. Then `restore`
brings back a purged memory of a file in which many runs were logged since.
"""

import argparse
import asyncio
import random
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import remanence
from benchmarks.report import figure, note, settings, spent
from remanence.core.clock import DAY, HOUR, ManualClock, to_datetime
from remanence.flows.base.undo_data_expiry import expire

SEED = 13
AUDIT = ("runs", "changes", "blocks", "mentions", "emptied", "purged")
SESSIONS, TEXTS, RECALLS = 2, 4, 3  # a day, and in each
CATEGORIES = ("fact", "decision", "preference", "task", "observation")
OF_TICKS = ("curate", "expire")  # everything else is asked for here
NEVER, WINDOW = 36_500, 60
MONTH, TABLES = 30, 14
TICKS_APART = 2 * HOUR
FORGET_DAYS = 31


def main() -> None:
    """Let the year pass, then restore."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument(
        "--runs", type=int, default=10_000, help="runs in the file of which one is restored from"
    )
    given = parser.parse_args()
    settings(days=given.days, runs=given.runs)
    with TemporaryDirectory() as folder:
        with spent() as took:
            asyncio.run(_year(Path(folder) / "year.db", given.days))
        figure("audit.year_cpu_s", took.cpu_s, "s", goal=180)
        asyncio.run(_restored(Path(folder) / "restore.db", given.runs))


async def _year(path: Path, days: int) -> None:
    clock, chance = ManualClock(), random.Random(SEED)
    words = [_word(chance) for _ in range(4_000)]
    async with remanence.open(path, clock=clock, policy="default", agent="ana") as memory:
        await memory.policy.use("default")
        await memory.settings.set("audit_days", NEVER)
        for day in range(days):
            await _day(memory, clock, chance, words)
            if day % MONTH == 0:
                note(f"{day} days")
        _shares(path, "images never end")
        await memory.settings.set("audit_days", WINDOW)
        with spent() as took:
            ended = await expire(memory._core)  # noqa: SLF001 - what a tick does with `expire`, alone
        figure("audit.expire_cpu_s", took.cpu_s, "s", parts=ended.parts, images=ended.changes)
        _shares(path, "images of 60 days")
        for _ in range(MONTH):
            await _day(memory, clock, chance, words)
        _shares(path, "a month later")


async def _day(memory: remanence.Engine, clock: ManualClock, chance: random.Random, words: list[str]) -> None:
    morning = clock.now()
    for session in range(SESSIONS):
        await _session(memory, clock, chance, words)
        await _until(memory, clock, morning + (session + 1) * DAY // SESSIONS)


async def _session(
    memory: remanence.Engine, clock: ManualClock, chance: random.Random, words: list[str]
) -> None:
    """Learn texts, ask questions, rate and edit what was found."""
    for number in range(TEXTS):
        clock.advance(minutes=2)
        notice = number == 0
        await memory.learn(
            _sentence(chance, words, 8 if notice else 25),
            category="notification" if notice else chance.choice(CATEGORIES),
            state="read" if notice else None,
        )
    clock.advance(minutes=10)
    asked = [await memory.recall(" ".join(chance.choices(words, k=3)), limit=5) for _ in range(RECALLS)]
    for hit in asked[-1].memories[:1]:
        await memory.rate(hit.memory.id, 1.0)
    if chance.random() < 0.25:
        await memory.update((await memory.list(limit=1))[0].id, text=_sentence(chance, words, 25))
    await memory.consolidate()


async def _until(memory: remanence.Engine, clock: ManualClock, until: int) -> None:
    """Tick whenever a tick says that the next one is due, every two hours at most: what is due is done then."""
    while clock.now() < until:
        next_at = (await memory.run_jobs()).next_at or until
        clock.set(to_datetime(max(min(next_at, until), clock.now() + TICKS_APART)))


def _pages(path: Path) -> tuple[dict[str, int], int, int]:
    """Return the bytes of each table with its indexes, of all pages, and of those that are free."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        rows = connection.execute(
            "SELECT s.tbl_name, sum(d.pgsize) FROM dbstat d JOIN sqlite_schema s ON s.name = d.name GROUP BY 1"
        ).fetchall()
        ((size,),) = connection.execute("PRAGMA page_size").fetchall()
        ((pages,),) = connection.execute("PRAGMA page_count").fetchall()
        ((free,),) = connection.execute("PRAGMA freelist_count").fetchall()
    return dict(rows), pages * size, free * size


def _shares(path: Path, when: str) -> None:
    tables, whole, free = _pages(path)
    audit = sum(tables.get(name, 0) for name in AUDIT)
    with closing(sqlite3.connect(path)) as connection:
        ((runs, kept),) = connection.execute(
            "SELECT count(*), coalesce(sum(changes), 0) FROM runs"
        ).fetchall()
        ((memories,),) = connection.execute("SELECT count(*) FROM memories").fetchall()
        verbs = dict(
            connection.execute("SELECT verb, count(*) FROM runs GROUP BY 1 ORDER BY 2 DESC").fetchall()
        )
    figure("audit.share", audit / (whole - free), "", goal=0.2, when=when)
    figure("audit.share_of_ticks", _share_of(path, OF_TICKS), "", goal=0.2, when=when)
    figure("audit.bytes_per_run", audit / runs, "bytes", when=when, runs=runs, changes=kept, verbs=verbs)
    figure("audit.file", whole, "bytes", when=when, free=free, memories=memories)
    largest = dict(sorted(tables.items(), key=lambda one: -one[1])[:TABLES])
    figure("audit.tables", sum(tables.values()), "bytes", when=when, **largest)


def _share_of(path: Path, verbs: tuple[str, ...]) -> float:
    """Return by what share a copy of the file is smaller without the runs of some verbs, both without free pages."""
    copy = path.with_suffix(".copy")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.execute("VACUUM INTO ?", (str(copy.with_suffix(".whole")),))
        source.backup(target)
        chosen = f"position IN (SELECT position FROM runs WHERE verb IN ({', '.join('?' * len(verbs))}))"
        for table in ("changes", "blocks", "mentions", "runs"):
            target.execute(f"DELETE FROM {table} WHERE {chosen}", verbs)
        target.commit()
        target.execute("VACUUM")
    whole, without = copy.with_suffix(".whole"), copy
    share = 1 - without.stat().st_size / whole.stat().st_size
    whole.unlink()
    without.unlink()
    return share


async def _restored(path: Path, runs: int) -> None:
    clock, chance = ManualClock(), random.Random(SEED)
    words = [_word(chance) for _ in range(1_000)]
    async with remanence.open(path, embedder="hashed", clock=clock, policy="default") as memory:
        gone = await memory.learn("The guest network is heron-42.", key="gone", agent="desk", source="manual")
        other = await memory.learn("The slipway is swept on Mondays.")
        await memory.forget(gone.id)
        clock.advance(days=FORGET_DAYS)
        await memory.review.settle("clock", "accept")
        await memory.curate()
        for number in range(runs):
            await (memory.tag if number % 2 == 0 else memory.untag)(other.id, words[number // 2 % len(words)])
        taken = []
        for name in (gone.id, "gone", 1):
            with spent() as took:
                receipt = await memory.restore(name)
            taken.append(took.cpu_s)
            await memory.undo(receipt)
        figure("audit.restore_cpu_ms", sorted(taken)[1] * 1_000, "ms", runs=runs)


def _sentence(chance: random.Random, words: list[str], count: int) -> str:
    return " ".join(chance.choices(words, k=count)) + "."


def _word(chance: random.Random) -> str:
    return "".join(
        chance.choice("bdfgklmnprstvz") + chance.choice("aeiou") for _ in range(chance.randint(2, 4))
    )


if __name__ == "__main__":
    main()
