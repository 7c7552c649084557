"""What no change of this project can make cheaper, measured alone: `python -m benchmarks.floors`.

The product of a question with every vector, numpy's own import, and what SQLite takes for the rows that one `learn`
writes, by prepared statements of plain `sqlite3` with the same settings, checks and indexes.
"""

import argparse
import asyncio
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import remanence
from benchmarks.corpus import DIMENSIONS, Maker
from benchmarks.report import children_cpu_s, figure, settings, spent
from remanence.store.sqlite.dialect import connect

ROUNDS = 7
TEXTS, WARM = 400, 100
BUSY_MS = 10_000
# The tables that one text adds rows to, each before those that refer to it, by what its rows are of.
BY_MEMORY = ("memories", "states", "vectors", "waiting")
BY_POSITION = ("runs", "changes")


def main() -> None:
    """Measure each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[100_000, 1_000_000])
    given = parser.parse_args()
    settings(dimensions=DIMENSIONS, texts=TEXTS)
    for n in given.n:
        measure_product(n)
    measure_import()
    measure_rows()


def measure_product(n: int) -> None:
    """Multiply n vectors of a question's length with one."""
    random = np.random.default_rng(1)
    vectors = random.standard_normal((n, DIMENSIONS), np.float32)
    took = []
    for _ in range(ROUNDS):
        with spent() as one:
            np.vecdot(vectors, vectors[0])
        took.append(one.cpu_s)
    figure("floors.product.cpu_ms", median(took) * 1_000, "ms", n=n, mb=vectors.nbytes // 1_000_000)


def measure_import() -> None:
    """Start Python with numpy and without."""
    took = {code: [_started(code) for _ in range(ROUNDS)] for code in ("pass", "import numpy")}
    figure("floors.import_numpy.cpu_s", median(took["import numpy"]) - median(took["pass"]), "s")


def _started(code: str) -> float:
    before = children_cpu_s()
    subprocess.run([sys.executable, "-c", code], check=True)
    return children_cpu_s() - before


def measure_rows() -> None:
    """Write the rows of texts that were learned one by one into a file of the same tables, a transaction each."""
    with tempfile.TemporaryDirectory() as folder:
        learned, bare = Path(folder) / "learned.db", Path(folder) / "bare.db"
        asyncio.run(_learn(learned, TEXTS))
        asyncio.run(_learn(bare, 1))
        with closing(connect(str(learned), busy_ms=BUSY_MS)) as source:
            rows = [_rows_of(source, number) for number in range(2, TEXTS + 1)]
        with closing(connect(str(bare), busy_ms=BUSY_MS)) as target:
            target.execute("PRAGMA foreign_keys = OFF")  # names lie in another table
            for some in rows[:WARM]:
                _write(target, some)
            with spent() as took:
                for some in rows[WARM:]:
                    _write(target, some)
    figure("floors.rows_of_a_learn.cpu_ms", took.cpu_s * 1_000 / len(rows[WARM:]), "ms", tables=len(rows[0]))


async def _learn(path: Path, count: int) -> None:
    async with remanence.open(path) as memory:
        for text in list(Maker().texts(TEXTS, salt=1))[:count]:
            await memory.learn(text)


def _rows_of(connection: sqlite3.Connection, number: int) -> dict[str, tuple[str, list[Any]]]:
    """Return the rows of the text of a number, by table, with the statement that writes them."""
    found = {}
    for tables, key in ((BY_MEMORY, "seq"), (BY_POSITION, "position")):
        for table in tables:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            listed = ", ".join(f'"{name}"' for name in columns)
            rows = connection.execute(f"SELECT {listed} FROM {table} WHERE {key} = ?", (number,)).fetchall()
            found[table] = f"INSERT INTO {table} ({listed}) VALUES ({', '.join('?' * len(columns))})", rows
    return found


def _write(connection: sqlite3.Connection, rows: dict[str, tuple[str, list[Any]]]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement, some in rows.values():
        connection.executemany(statement, some)
    connection.execute("COMMIT")


if __name__ == "__main__":
    main()
