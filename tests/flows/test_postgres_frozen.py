"""A process stands still (SIGSTOP) while it holds a scope: the server ends its transaction, and others go on."""

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

import remanence
from remanence.store.postgres.pg_store import PgStore
from tests.flows.server_faults import refuse_faults, wait_until
from tests.flows.test_postgres_faults import make_tables

SCOPE = "work"
GOES_ON_S = 10.0
# Where the process stops: nothing is written yet; all is, but for the end; the server has half of what is written.
PLACES = {
    "begun": ("commits", "commit", "", True),
    "written": ("commits", "commit", "", False),
    "sending": ("psycopg.RawCursor", "execute", "INSERT INTO runs", False),
}
LEARN = """
import asyncio, os, signal, sys, time
import psycopg
import remanence
from remanence.store.sql import commits

whole = OWNER.NAME

def stop():
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(1.0)  # other threads may stop before this one

def work(*given, **named):
    if not str(given[1]).startswith(BEGINNING):
        return whole(*given, **named)
    OWNER.NAME = whole
    if EARLY:
        stop()
    answer = whole(*given, **named)
    if not EARLY:
        stop()
    return answer

async def main():
    async with remanence.open(sys.argv[1], scope="work", embedder="none") as memory:
        OWNER.NAME = work
        print((await memory.learn("Mara moved into the mill.")).id)

asyncio.run(main())
"""


@contextmanager
def stopped(address: str, place: str) -> Iterator["subprocess.Popen[str]"]:
    """Yield a process that stands still in a transaction in which it learns."""
    owner, name, beginning, is_early = PLACES[place]
    program = LEARN.replace("OWNER", owner).replace("NAME", name)
    program = program.replace("BEGINNING", repr(beginning)).replace("EARLY", repr(is_early))
    with subprocess.Popen(
        [sys.executable, "-c", program, address], stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            wait_until(lambda: _read_state(child.pid) == "T" or child.poll() is not None)
            assert child.poll() is None, "the process ended instead"
            yield child
        finally:
            child.kill()


@pytest.mark.parametrize("place", PLACES)
def test_a_process_that_stands_still_keeps_nobody_from_its_scope(place: str, postgres_address: str) -> None:
    """Another one writes before its patience ends; the first does its own once when it goes on, with no error."""
    asyncio.run(make_tables(postgres_address))
    with stopped(postgres_address, place) as child:
        # The server may read what it was sent a little later.
        expected = "active" if place == "sending" else "idle in transaction"
        wait_until(lambda: [(expected,)] == _read_transactions(postgres_address))
        began = time.monotonic()
        learned = asyncio.run(learn(postgres_address, "Tom keeps bees."))
        took = time.monotonic() - began
        child.send_signal(signal.SIGCONT)
        said, _ = child.communicate(timeout=60)
    texts = asyncio.run(refuse_faults(PgStore(postgres_address), SCOPE, [learned, said.strip()]))

    assert took < GOES_ON_S
    assert 0 == child.returncode
    assert ["Mara moved into the mill.", "Tom keeps bees."] == sorted(texts)


async def learn(address: str, text: str) -> str:
    """Learn a text; return its id."""
    async with remanence.open(address, scope=SCOPE, embedder="none") as memory:
        return (await memory.learn(text)).id


def _read_state(process: int) -> str:
    listed = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return listed.stdout.strip()[:1]


def _read_transactions(address: str) -> list[tuple[str]]:
    """Return what the server says of those that hold something."""
    with psycopg.connect(address) as connection:
        return connection.execute(
            "SELECT state FROM pg_stat_activity WHERE backend_xid IS NOT NULL"
        ).fetchall()
