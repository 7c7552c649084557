"""A step to a version after this one, made in a test: with it what opens a file brings it there.

The machinery that brings files up is tried with it as long as no real step is written.
"""

import asyncio
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from subprocess import PIPE
from typing import Any

import remanence
from remanence.core.clock import ManualClock
from remanence.store.sql import schema_versions
from remanence.store.sqlite import database_file

LATER = 1_790_000_000_000_000
ROOT = Path(__file__).parents[2]
NEXT = database_file.SCHEMA_VERSION + 1
# One table gets a column, one is added, and every memory is written.
STEP = (
    "ALTER TABLE sources ADD COLUMN note TEXT",
    "CREATE TABLE places (no INTEGER PRIMARY KEY, name TEXT) STRICT",
    "UPDATE memories SET summary = text WHERE seq % 2 = 0",
    "UPDATE memories SET summary = NULL WHERE seq % 2 = 0",
)
NEW = {"places"}
TEXTS = ("The harbour opens at six.", "The ferry leaves at noon.", "Ann keeps the keys of the boat shed.")
# Starts a process that knows the step, says so, and waits for a line.
START = """
import asyncio, os, sys
from tests.flows import upgrades

upgrades.know_next(setattr)
print(flush=True)
sys.stdin.readline()
"""
OPEN = "asyncio.run(upgrades.visit(sys.argv[1]))\n"


def know_next(change: Callable[[Any, str, Any], None], step: Sequence[str] = STEP) -> None:
    """Have this process know one version more."""
    change(database_file, "SCHEMA_VERSION", NEXT)
    change(schema_versions, "STEPS", {NEXT: {"sqlite": step}})


def opened(path: Path | str, scope: str = "work") -> remanence.Engine:
    """Open a file as its makers did."""
    return remanence.open(path, scope=scope, clock=ManualClock(LATER), embedder="hashed")


async def live(path: Path) -> None:
    """Make a file of this version, and live with it in two scopes: learn, link, edit, curate, forget, undo."""
    for scope in ("work", "home"):
        async with opened(path, scope) as memory:
            learned = [await memory.learn(text, tags=["boat"], source=f"log:{scope}") for text in TEXTS]
            await memory.learn([f"Boat {number} lies at pier {number % 7}." for number in range(200)])
            await memory.consolidate()
            await memory.link(learned[0].id, learned[1].id, "supports")
            await memory.update(learned[1].id, text="The ferry leaves at one.")
            await memory.forget(learned[2].id)
            await memory.undo((await memory.history(limit=1))[0].run)


async def visit(path: Path | str, text: str = "") -> None:
    """Open a file, which brings it up, and learn a text where one is given."""
    async with opened(path) as memory:
        if text:
            await memory.learn(text)


async def started_with(program: str, *arguments: str) -> asyncio.subprocess.Process:
    """Start a program that prints a line once it is loaded, and waits for one before it goes on."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, *arguments, cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    assert process.stdout is not None
    await process.stdout.readline()
    return process


def rows(path: Path | str, columns: dict[str, list[str]]) -> dict[str, list[Any]]:
    """Return the rows of tables, of each these columns."""
    with closing(sqlite3.connect(path)) as connection:
        return {
            table: sorted(connection.execute(f"SELECT {', '.join(names)} FROM {table}").fetchall(), key=repr)
            for table, names in columns.items()
        }


def columns_of(path: Path | str) -> dict[str, list[str]]:
    """Return the columns of every table that an upgrade may not change the content of."""
    with closing(sqlite3.connect(path)) as connection:
        held = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {
            table: [f'"{name}"' for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
            for (table,) in held
            if table != "words"
        }


def version_of(path: Path | str) -> int:
    """Return the version of the tables in a file."""
    with closing(sqlite3.connect(path)) as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
