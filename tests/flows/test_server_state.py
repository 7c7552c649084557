"""What servers keep between requests, in the memory of a process and in the database that several serve."""

import asyncio
import random
import zlib
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest

import remanence
import remanence.sync
from remanence.core.clock import SECOND
from remanence.faces.server_state import ProcessState, ServerState, StatePlace, find_place
from remanence.store.postgres import pg_server_state
from remanence.store.postgres.pg_server_state import PgServerState
from tests import postgres
from tests.relay import Pooler

PLACE = StatePlace("home", "answer", "one")
TEXT = b"The boathouse key hangs by the stove."


class MovedClock:
    """A time that a test moves."""

    def __init__(self) -> None:
        self.at = 0

    def now(self) -> int:
        """Return it."""
        return self.at


@pytest.fixture(params=["process", "postgres"])
async def kept(request: pytest.FixtureRequest) -> AsyncIterator[tuple[ServerState, Any]]:
    """A state, and what lets an hour pass for it."""
    clock = MovedClock()
    if request.param == "process":

        def pass_hour() -> None:
            clock.at += 3_600 * SECOND

        yield ProcessState(clock.now), pass_hour
        return
    address = request.getfixturevalue("postgres_address")

    def move_back() -> None:
        with psycopg.connect(address) as connection:
            connection.execute("UPDATE server_state SET expires_at = expires_at - 3600000000")

    async with PgServerState(address) as state:
        yield state, move_back


async def test_what_is_kept_is_found_and_taken_once(kept: tuple[ServerState, Any]) -> None:
    """By its scope, kind and name; in the place of what was there before."""
    state, _ = kept
    await state.put(PLACE, b"first", seconds=60)
    await state.put(PLACE, TEXT * 1_000, seconds=60)
    others = [
        StatePlace("work", "answer", "one"),
        find_place("answer", "one"),
        StatePlace("home", "note", "one"),
    ]

    assert TEXT * 1_000 == await state.find(PLACE)
    assert [None] * 3 == [await state.find(other) for other in others]
    assert [TEXT * 1_000, None] == sorted(
        await asyncio.gather(*(state.take(PLACE) for _ in range(2))), key=lambda one: one is None
    )


async def test_what_has_expired_is_gone(kept: tuple[ServerState, Any]) -> None:
    """Also for who takes it; what was put for longer stays."""
    state, pass_hour = kept
    other = find_place("answer", "two")
    await state.put(PLACE, TEXT, seconds=3_000)
    await state.put(other, TEXT, seconds=7_000)
    pass_hour()

    assert (None, None, TEXT) == (await state.find(PLACE), await state.take(PLACE), await state.find(other))
    await state.sweep()
    assert TEXT == await state.find(other)


async def test_of_one_owner_so_many_are_kept(
    kept: tuple[ServerState, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest go, and so they do where they are too large together; nobody else's."""
    monkeypatch.setattr("remanence.faces.server_state.BYTES_MAX", 1_000)
    monkeypatch.setattr(pg_server_state, "BYTES_MAX", 1_000)
    state, _ = kept

    async def keep(owner: str, name: str, size: int = 1) -> None:
        value = random.Random(size).randbytes(size)  # packed it gets no smaller
        await state.put(find_place("note", f"{owner}{name}"), value, seconds=60, owner=owner, most=3)

    async def find(owner: str) -> list[str]:
        return [
            name for name in "abcdef" if await state.find(find_place("note", f"{owner}{name}")) is not None
        ]

    for name in "abcde":
        await keep("ada", name)
        await keep("ben", name) if name < "c" else None
    assert (["c", "d", "e"], ["a", "b"]) == (await find("ada"), await find("ben"))
    await keep("ada", "f", 2_000)
    assert (["f"], ["a", "b"]) == (await find("ada"), await find("ben"))


async def test_a_place_is_claimed_by_one(kept: tuple[ServerState, Any]) -> None:
    """Until what came of it is kept, or its lease has run out; who lost it drops nothing."""
    state, pass_hour = kept
    claims = await asyncio.gather(*(state.claim(PLACE, b"asked", f"holder {n}", 60) for n in range(4)))
    assert [None, (b"asked", None), (b"asked", None), (b"asked", None)] == sorted(
        claims, key=lambda one: one is not None
    )
    holder = f"holder {claims.index(None)}"
    await state.prolong(PLACE, holder, 7_000)
    await state.prolong(PLACE, "somebody", 1)
    pass_hour()
    assert (b"asked", None) == await state.claim(PLACE, b"other", "late", 60)
    pass_hour()
    assert await state.claim(PLACE, b"other", "late", 60) is None
    await state.drop(PLACE, holder)
    assert (b"other", None) == await state.claim(PLACE, b"asked", holder, 60)
    assert await state.find(PLACE) is None
    await state.put(PLACE, TEXT, seconds=60, owner="late")
    assert (b"other", TEXT) == await state.claim(PLACE, b"asked", holder, 60)
    await state.drop(PLACE, "late")
    assert await state.claim(PLACE, b"asked", holder, 60) is None


async def test_the_database_alone_reads_nothing(postgres_address: str) -> None:
    """Nor does who knows another name, or wrote a row of their own."""
    async with PgServerState(postgres_address) as state:
        await state.put(PLACE, TEXT, seconds=60)
        await state.put(StatePlace("home", "answer", "two"), b"two", seconds=60)
        with psycopg.connect(postgres_address) as connection:
            rows = connection.execute("SELECT name, value FROM server_state WHERE kind = 'answer'").fetchall()
            connection.execute("UPDATE server_state SET value = %s", (rows[0][1],))
            connection.commit()

        for name, value in rows:
            assert name not in {"one", "two"}
            for start in range(len(value)):
                with pytest.raises(zlib.error):
                    zlib.decompress(value[start:])
        found = [await state.find(StatePlace("home", "answer", name)) for name in ("one", "two")]
        assert [None] == [one for one in found if one not in {TEXT, b"two"}]


async def test_what_was_read_before_an_erasure_is_kept_nowhere(
    postgres_address: str, postgres_server: postgres.Server
) -> None:
    """Also where the erasure is under way: it is waited for."""
    async with (
        PgServerState(postgres_address) as state,
        remanence.open(postgres_address, scope="home", embedder="none") as memory,
    ):
        name = (await memory.learn(TEXT.decode())).id
        position = (await memory.history())[-1].position
        preview = await memory.erase.show(name)
        await state.put(PLACE, TEXT, seconds=60, since=position)
        two = StatePlace("home", "answer", "two")
        with psycopg.connect(postgres_address) as holder:
            # The erasure is logged, and waits to empty this.
            holder.execute("SELECT 1 FROM server_state WHERE kind = 'answer' FOR UPDATE")
            erasing = asyncio.create_task(memory.erase.apply(preview))
            with psycopg.connect(postgres_address, autocommit=True) as looking:
                while not looking.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchall():
                    await asyncio.sleep(0.01)
                putting = asyncio.create_task(state.put(two, TEXT, seconds=60, since=position))
                while len(looking.execute("SELECT pid FROM pg_locks WHERE NOT granted").fetchall()) < 2:
                    assert not putting.done()
                    await asyncio.sleep(0.01)
        await erasing
        await putting
        after = (await memory.history(verb="erase"))[-1].position
        three = StatePlace("home", "answer", "three")
        await state.put(three, TEXT, seconds=60, since=after)

        assert [b"", b"", TEXT] == [await state.find(one) for one in (PLACE, two, three)]


async def test_behind_a_pooler_servers_look_for_what_they_are_not_told(postgres_address: str) -> None:
    """One that gives each transaction another connection carries no notification."""
    async with PgServerState(postgres_address) as told:
        with Pooler(postgres_address) as pooler:
            async with PgServerState(pooler.address) as state:
                await state.listen("home")
                stamp = state.find_stamp("home")
                await told.post(StatePlace("home", "progress", "one"), b"half", seconds=60)
                await asyncio.wait_for(state.wait("home", stamp, 3_600.0, 0.01), 60)

                assert ["one"] == [*await state.read_posts("home", "progress")]
                assert stamp == state.find_stamp("home")


async def test_a_writer_tells_who_listens(postgres_address: str) -> None:
    """Without looking; no longer than it was said."""
    async with (
        PgServerState(postgres_address) as state,
        remanence.open(postgres_address, scope="home", embedder="none") as memory,
    ):
        await memory.learn("The sail is old.")
        await state.listen("home")
        while state._listening is None or not state._listening.is_heard:
            await asyncio.sleep(0.01)
        stamp = state.find_stamp("home")
        await memory.learn("The oar is broken.")
        await asyncio.wait_for(state.wait("home", stamp, 3_600.0, 3_600.0), 60)

        assert stamp < state.find_stamp("home")
