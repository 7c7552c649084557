"""The store on a server, hurt: killed, cut off, out of room, shared by a pooler, locked, of another version."""

import asyncio
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

import remanence
from remanence import Engine
from remanence.core.change import Cause, Change
from remanence.core.errors import InvalidInput, RemanenceError, StoreIncompatible, StoreUnavailable
from remanence.store.base import Bookkeeping, Find
from remanence.store.postgres import pg_schema, pg_store
from remanence.store.postgres.pg_store import PgStore
from remanence.store.sql import schema_versions
from remanence.store.sql.schema_versions import MARKS, SCHEMA_VERSION
from remanence_store_kit.builders import create_change, find_damage, make_cause
from tests.flows.server_faults import (
    all_parts,
    cut_commits_off,
    cut_counts_off,
    learning,
    refuse_faults,
    wait_until,
)
from tests.postgres import Server
from tests.relay import Cutter, Pooler
from tests.small_disk import SmallDisk, mount_small_disk

SCOPE = "work"
KILLS, KILLS_DEEP = 10, 200
ACKNOWLEDGED_BETWEEN = 3  # at least, before the server is killed again
HOUR = 3_600_000_000
TEXT = "The piano stands in the orchard of Mara."
ANSWERS_IN_S = 60
# So that a verb has the same messages on a new connection and on an old one.
UNPREPARED = "&prepared_statements=false"


@pytest.mark.parametrize("kills", [KILLS, pytest.param(KILLS_DEEP, marks=pytest.mark.deep)])
def test_a_killed_server_loses_nothing_that_was_acknowledged(
    kills: int, postgres_server: Server, postgres_address: str
) -> None:
    """Over many kills of the server in the midst of commits nothing is lost and nothing written twice."""
    asyncio.run(make_tables(postgres_address))
    chance = random.Random(5)
    with learning(postgres_address, SCOPE, "Mara") as learner:
        for _ in range(kills):
            learner.wait_for(len(learner.acknowledged) + ACKNOWLEDGED_BETWEEN)
            time.sleep(chance.uniform(0, 0.02))
            postgres_server.kill()
            postgres_server.start_again()
        learner.wait_for(len(learner.acknowledged) + 1)

    acknowledged = learner.acknowledged
    texts = asyncio.run(refuse_faults(PgStore(postgres_address), SCOPE, acknowledged))
    # The learner was killed too, perhaps before it could say what it had learned.
    assert len(acknowledged) <= len(texts) <= len(acknowledged) + 1


async def make_tables(address: str) -> None:
    """Open the database once."""
    store = PgStore(address)
    await store.open()
    await store.close()


async def test_two_processes_that_learn_into_one_scope_leave_no_gap(postgres_address: str) -> None:
    """Two processes write at once: every position is there once, the chain of the log is sound."""
    await make_tables(postgres_address)
    with (
        learning(postgres_address, SCOPE, "Mara", "40") as one,
        learning(postgres_address, SCOPE, "Tom", "40") as two,
    ):
        await asyncio.to_thread(one.wait_for, 40)
        await asyncio.to_thread(two.wait_for, 40)

    texts = await refuse_faults(PgStore(postgres_address), SCOPE, [*one.acknowledged, *two.acknowledged])
    assert len(texts) == 80


# --- the connection is cut off at every message ---

Verb = Callable[[Engine], Awaitable[Any]]


@asynccontextmanager
async def opened(address: str, scope: str) -> AsyncIterator[Engine]:
    """Open an engine that knows a text or two."""
    async with remanence.open(address, scope=scope, embedder="hashed") as memory:
        await memory.learn("The ferry leaves at seven.")
        yield memory


async def learn(memory: Engine) -> None:
    """Learn one text."""
    await memory.learn(TEXT)


async def recall(memory: Engine) -> None:
    """Ask, which counts a use."""
    found = await memory.recall("When does the ferry leave?")
    assert "ferry" in found.text


async def undo(memory: Engine) -> None:
    """Take back the run that learned a text, where it was not taken back yet."""
    events = await memory.history()
    if "undo" not in {event.verb for event in events}:
        (learned,) = [one for one in await memory.list() if one.text == TEXT]
        (event,) = await memory.history(learned.seq)
        await memory.undo(event.run)


async def refuse_wrong_state(store: PgStore, scope: str, verb: str) -> None:
    """Look whether a verb was done once."""
    texts = [memory.text for memory in await store.find(scope, Find())]
    verbs = [part.cause.verb for part in await all_parts(store, scope)]
    assert texts.count(TEXT) == (1 if verb == "learn" else 0)
    assert verbs.count("learn") == (1 if verb == "recall" else 2)
    assert verbs.count("undo") == (1 if verb == "undo" else 0)


VERBS: dict[str, Verb] = {"learn": learn, "recall": recall, "undo": undo}
# Every message, or one of so many; of a few, each time another one may be the first.
STEPS = pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.deep)])


@STEPS
@pytest.mark.parametrize("verb", VERBS)
async def test_a_connection_cut_off_at_any_message_does_a_verb_once(
    verb: str, step: int, postgres_address: str
) -> None:
    """The verb ends well by itself, or says StoreUnavailable and does when it is asked for again; never twice."""
    outcomes, was_cut = {"done": 0, "asked again": 0}, True
    store = PgStore(postgres_address)
    await store.open()
    with Cutter(postgres_address) as cutter:
        for messages in range(random.randint(1, step), 1_000, step):
            scope = f"{verb} {messages}"
            async with opened(cutter.address + UNPREPARED, scope) as memory:
                if verb == "undo":
                    await memory.learn(TEXT)
                cutter.cut_after(messages)
                outcome = "done"
                try:
                    await VERBS[verb](memory)
                except StoreUnavailable:
                    outcome = "asked again"
                    await VERBS[verb](memory)
                was_cut = cutter.was_cut
                cutter.cut_after(None)
            await refuse_wrong_state(store, scope, verb)
            if not was_cut:
                break
            outcomes[outcome] += 1
    await store.close()
    assert not was_cut, "the verb never came to its end"
    assert outcomes["done"] > outcomes["asked again"]


async def test_a_commit_cut_off_at_any_message_is_written_once(postgres_address: str) -> None:
    """A commit of several tables is written once, and its caller told so, wherever the connection was cut off."""
    with Cutter(postgres_address) as cutter:
        store = PgStore(cutter.address + UNPREPARED)
        await store.open()
        _, again = await cut_commits_off(store, cutter)
        # Cut off behind the COMMIT it was written, which the second attempt finds out with few messages.
        assert max(again) > 2 * again[-2] > 0
        assert [] == await find_damage(store)
        await store.close()


async def test_what_may_not_be_done_twice_says_that_nobody_knows(postgres_address: str) -> None:
    """A counter is counted up once or not at all; where that is not known, it is said."""
    with Cutter(postgres_address) as cutter:
        store = PgStore(cutter.address + UNPREPARED)
        await store.open()
        assert await cut_counts_off(store, cutter) > 0
        await store.close()


# --- a pooler that gives each transaction another connection ---


async def use_much(address: str, scope: str) -> None:
    """Learn, ask, list and look into the log, each so often that statements would be prepared."""
    async with remanence.open(address, scope=scope, embedder="hashed") as memory:
        for number in range(6):
            learned = await memory.learn(f"Boat {number} lies in harbour {number}.")
            assert (await memory.get(learned.seq)).text == f"Boat {number} lies in harbour {number}."
            assert "harbour" in (await memory.recall(f"Where does boat {number} lie?")).text
        assert len(await memory.list()) == 6


async def use_together(address: str) -> None:
    """Have three clients use it at the same time."""
    await make_tables(address)
    await asyncio.gather(*(use_much(address, f"client {number}") for number in range(3)))


async def test_behind_a_pooler_nothing_is_prepared(postgres_address: str) -> None:
    """A pooler that hands each transaction to another connection is noticed: statements are not prepared."""
    with Pooler(postgres_address) as pooler:
        await use_together(pooler.address)
        assert pooler.transactions > 100


async def test_statements_that_are_prepared_all_the_same_are_not_found_behind_a_pooler(
    postgres_address: str,
) -> None:
    """The address can say that they are prepared; a pooler that does not know them then fails: the test sees it."""
    with Pooler(postgres_address) as pooler, pytest.raises(remanence.RemanenceError):
        await use_together(f"{pooler.address}&prepared_statements=true")


async def test_the_address_says_whether_statements_are_prepared(postgres_address: str) -> None:
    """`prepared_statements=false` is ours and nothing that the server hears of; another value is refused."""
    await use_much(f"{postgres_address}&prepared_statements=false", SCOPE)
    with pytest.raises(InvalidInput, match="prepared_statements"):
        PgStore(f"{postgres_address}&prepared_statements=perhaps")


async def test_pgbouncer_in_transaction_mode(postgres_server: Server, postgres_address: str) -> None:
    """The pooler that most use gives each transaction another connection, and all goes well."""
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("pgbouncer is not installed")
    with pgbouncer(program, postgres_server) as address:
        await use_together(address)


@contextmanager
def pgbouncer(program: str, server: Server) -> Iterator[str]:
    """Run pgbouncer, and yield its address."""
    folder = Path(tempfile.mkdtemp(prefix="remanence-pgbouncer-"))
    host = server.address.partition("host=")[2]
    config, users = folder / "pgbouncer.ini", folder / "users.txt"
    users.write_text('"postgres" ""\n')
    config.write_text(
        f"[databases]\npostgres = host={host} dbname=postgres user=postgres\n[pgbouncer]\n"
        f"pool_mode = transaction\nunix_socket_dir = {folder}\nlisten_port = 5432\nlisten_addr =\n"
        f"auth_type = any\nauth_file = {users}\ndefault_pool_size = 3\nlogfile = {folder}/log\n"
    )
    as_whom: dict[str, Any] = {}
    if os.getuid() == 0:  # it refuses to run as root
        user, group = owner_of(server)
        as_whom = {"user": user, "group": group}
        for one in (folder, *folder.iterdir()):
            shutil.chown(one, user, group)
    with subprocess.Popen([program, str(config)], stderr=subprocess.DEVNULL, **as_whom) as child:
        try:
            wait_until((folder / ".s.PGSQL.5432").exists)
            yield f"postgresql://postgres@/postgres?host={folder}"
        finally:
            child.terminate()
            child.wait(ANSWERS_IN_S)
            shutil.rmtree(folder)


# --- locks, room, versions, clocks ---


async def test_a_commit_that_the_server_gives_up_in_a_deadlock_is_done_again(postgres_address: str) -> None:
    """Another transaction holds a row and wants the scope's: ours is given up, and written once that has ended."""
    store = PgStore(postgres_address)
    await store.open()
    await store.commit(SCOPE, [create_change(1, "The mill stands by the river.")], make_cause())
    with psycopg.connect(postgres_address) as other:
        other.execute("SET deadlock_timeout = '1min'")  # so that it is ours which notices
        other.execute("SELECT * FROM sums FOR UPDATE")
        writing = asyncio.create_task(
            store.commit(SCOPE, [create_change(1, "The miller is called Tom.")], make_cause())
        )
        await asyncio.to_thread(wait_until, lambda: is_waiting(postgres_address))
        # The other waits for the scope's row, which ours holds: one must give way.
        await asyncio.to_thread(other.execute, "SELECT * FROM scopes FOR UPDATE")
        other.rollback()
        result = await writing
    assert result.position == 2
    assert len(await store.find(SCOPE, Find())) == 2
    await store.close()


def is_waiting(address: str) -> bool:
    """Tell whether any transaction waits for a lock."""
    with psycopg.connect(address, autocommit=True) as connection:
        row = connection.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
    return row is not None and row[0] > 0


async def test_a_scope_that_is_held_too_long_is_said_to_be(
    postgres_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for a scope gives up after a while, and says so."""
    monkeypatch.setattr(pg_store, "STUCK_SECONDS", 0.05)
    monkeypatch.setattr(pg_store, "LOCK_SECONDS", 0.1)
    store = PgStore(postgres_address)
    await store.open()
    await store.commit(SCOPE, [create_change(1, "The mill stands by the river.")], make_cause())
    with psycopg.connect(postgres_address) as other:
        other.execute("SELECT * FROM scopes FOR UPDATE")
        with pytest.raises(StoreUnavailable, match="holds the scope"):
            await store.commit(SCOPE, [create_change(1, "The miller is called Tom.")], make_cause())
    await store.commit(SCOPE, [create_change(1, "The miller is called Tom.")], make_cause())
    await store.close()


async def test_a_full_disk_of_the_server_is_said_and_nothing_is_written(
    postgres_server: Server, postgres_address: str
) -> None:
    """Where the disk is full the caller is told; with room again the same goes well."""
    with mount_small_disk("8m") as small:
        try:
            shutil.chown(small.path, *owner_of(postgres_server))
            postgres_server.run(f"CREATE TABLESPACE small LOCATION '{small.path}'")
            postgres_server.run("DROP DATABASE IF EXISTS little")
            postgres_server.run("CREATE DATABASE little")
            address = postgres_address.replace("/postgres?", "/little?")
            await make_tables(address)
            with psycopg.connect(address, autocommit=True) as connection:
                for table in ("memories", "vectors", "changes"):
                    connection.execute(f"ALTER TABLE {table} SET TABLESPACE small")
            await fill_up(address, small)
        finally:
            postgres_server.run("DROP DATABASE IF EXISTS little WITH (FORCE)")
            postgres_server.run("DROP TABLESPACE IF EXISTS small")


def owner_of(server: Server) -> tuple[int, int]:
    """Return user and group of the server's files."""
    with psycopg.connect(server.address) as connection:
        row = connection.execute("SHOW data_directory").fetchone()
    assert row is not None
    found = Path(row[0]).stat()
    return found.st_uid, found.st_gid


async def fill_up(address: str, disk: SmallDisk) -> None:
    """Write until the disk is full; make room and write the same."""
    store = PgStore(address)
    await store.open()
    disk.fill(1 << 18)
    written, refused = 0, None
    last: tuple[list[Change], Cause] = [], make_cause()
    while refused is None and written < 100:
        changes = [create_change(k, f"{written} {k} {random.randbytes(4_000).hex()}") for k in range(1, 21)]
        last = changes, make_cause()
        try:
            await store.commit(SCOPE, *last)
            written += 1
        except StoreUnavailable as error:
            refused = error
    assert "full" in str(refused)
    assert len(await all_parts(store, SCOPE)) == written
    disk.make_room()
    assert (await store.commit(SCOPE, *last)).position == written + 1
    assert [check.detail for check in await store.check() if not check.ok] == []
    await store.close()


@pytest.mark.parametrize(("by", "says"), [(1, "newer"), (-1, "never published")])
async def test_tables_of_another_version_are_refused_and_left_alone(
    by: int, says: str, postgres_server: Server, postgres_address: str
) -> None:
    """What another program made is not opened."""
    await make_tables(postgres_address)
    with psycopg.connect(postgres_address) as connection:
        connection.execute("UPDATE meta SET value = (value::int + %s)::text WHERE name = 'schema'", (by,))
    try:
        with pytest.raises(StoreIncompatible, match=says):
            await make_tables(postgres_address)
    finally:
        postgres_server.run(f"UPDATE meta SET value = (value::int - {by})::text WHERE name = 'schema'")


async def test_older_tables_are_brought_up_once(
    postgres_server: Server, postgres_address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By one of those that open them at once, whole or not at all; who only reads says that nobody did."""
    await make_tables(postgres_address)
    later = SCHEMA_VERSION + 1

    def ask(statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(postgres_address) as connection:
            return connection.execute(statement.encode()).fetchall()

    step = "CREATE TABLE places (scope bigint PRIMARY KEY, share text DEFAULT '5 %')"
    monkeypatch.setattr(pg_schema, "SCHEMA_VERSION", later)
    monkeypatch.setattr(schema_versions, "STEPS", {later: {"postgres": (step, "SELECT 1 / 0")}})
    try:
        with pytest.raises(StoreIncompatible, match="opened to write"):
            await PgStore(postgres_address).open(read_only=True)
        with pytest.raises(RemanenceError):
            await make_tables(postgres_address)
        before = ask("SELECT count(*) FROM pg_class WHERE relname = 'places'")
        monkeypatch.setattr(schema_versions, "STEPS", {later: {"postgres": (step,)}})
        await asyncio.gather(*(make_tables(postgres_address) for _ in range(4)))
        after = ask("SELECT value FROM meta WHERE name = 'schema'")
    finally:
        postgres_server.run("DROP TABLE IF EXISTS places")
        postgres_server.run(f"UPDATE meta SET value = '{SCHEMA_VERSION}' WHERE name = 'schema'")

    assert ([(0,)], [(str(later),)]) == (before, after)


@pytest.mark.parametrize("mark", ["fingerprint", "sums"])
async def test_what_an_older_program_computed_is_computed_anew(
    mark: str, postgres_server: Server, postgres_address: str
) -> None:
    """Whoever opens a database that an older program filled computes that anew, once, while others wait."""
    async with remanence.open(postgres_address, scope=SCOPE, embedder="hashed") as memory:
        for number in range(40):
            await memory.learn(f"Boat {number} lies in harbour {number}.")
    postgres_server.run(
        "UPDATE memories SET fingerprint = 'old'::bytea, digest = 'old'::bytea WHERE seq < 30"
    )
    postgres_server.run("UPDATE states SET tokens = 1, decay = 0 WHERE seq < 30")
    postgres_server.run("DELETE FROM waiting")
    postgres_server.run("UPDATE sums SET states = 5")
    # All that is broken here is what an older program might have computed otherwise.
    names = ", ".join(f"'{name}'" for name in MARKS)
    postgres_server.run(f"UPDATE meta SET value = (value::int - 1)::text WHERE name IN ({names})")
    await asyncio.gather(*(make_tables(postgres_address) for _ in range(4)))
    store = PgStore(postgres_address)
    await store.open()
    assert [check.detail for check in await store.check() if not check.ok] == []
    await store.close()
    with psycopg.connect(postgres_address) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_indexes WHERE indexname = 'memories_fingerprint'"
        ).fetchone()
        assert row == (1,)
        connection.execute("UPDATE meta SET value = '999' WHERE name = %s", (mark,))
    try:
        with pytest.raises(StoreIncompatible, match=mark):
            await make_tables(postgres_address)
    finally:
        postgres_server.run(f"UPDATE meta SET value = '{MARKS[mark]}' WHERE name = '{mark}'")


async def test_tables_are_made_once_by_many_that_begin_together(
    postgres_server: Server, postgres_address: str
) -> None:
    """Whoever comes second finds the tables, and does not fail over making them."""
    postgres_server.run("DROP DATABASE IF EXISTS fresh")
    postgres_server.run("CREATE DATABASE fresh")
    try:
        address = postgres_address.replace("/postgres?", "/fresh?")
        await asyncio.gather(*(make_tables(address) for _ in range(6)))
    finally:
        postgres_server.run("DROP DATABASE fresh WITH (FORCE)")


async def test_a_host_whose_clock_is_an_hour_ahead_takes_no_lease_early(postgres_address: str) -> None:
    """Leases go by the clock of the server: whoever believes that an hour has passed does not get one."""
    store = PgStore(postgres_address)
    await store.open()
    now = time.time_ns() // 1_000
    half = HOUR // 2
    assert (await store.bookkeep(SCOPE, Bookkeeping(now, lease=("curate", "ann", now + half)))).fence
    ahead = now + HOUR
    asked = Bookkeeping(ahead, lease=("curate", "bob", ahead + half))
    assert (await store.bookkeep(SCOPE, asked)).fence is None
    # And one that an hour ahead was asked for ends when the server says so.
    short = Bookkeeping(ahead, lease=("tick", "bob", ahead + 50_000))
    assert (await store.bookkeep(SCOPE, short)).fence == 1
    await asyncio.sleep(0.1)
    assert (await store.bookkeep(SCOPE, Bookkeeping(now, lease=("tick", "ann", now + half)))).fence == 2
    await store.close()
