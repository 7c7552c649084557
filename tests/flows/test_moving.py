"""Scopes go from store to store as they are, and are in one of them at every moment."""

import asyncio
import os
import random
import re
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import remanence
from remanence import Engine
from remanence.core.change import AuditPart
from remanence.core.clock import DAY, ManualClock
from remanence.core.errors import Conflict, InvalidInput, NotFound, RemanenceError, StoreUnavailable
from remanence.flows.base.undo_data_expiry import expire
from remanence.flows.scopes import moving
from remanence.opening import build_store
from remanence.store.base import Find
from remanence.store.sql import scope_rows
from tests.command_line import typed
from tests.neo4j_server import Neo4jServer
from tools.sql_tables import metadata

START = 1_767_225_600_000_000
LEFT_BEHIND = {
    "scope_names",
    "scopes",
    "sums",
}  # the number of a scope, its row, and the sums that are made anew
SECRET, PERSON = "Mara lives in Oslo.", "Wilhelmina Brück"
KILLS = 12


def opened(place: Path | str, scope: str = "ada", **more: object) -> Engine:
    """Open a scope."""
    clock = ManualClock(START + 200 * DAY)
    return remanence.open(place, scope=scope, clock=clock, embedder="hashed", **more)  # type: ignore[arg-type]


async def live(place: Path | str) -> str:
    """Let a scope have a past, in which something was erased, forbidden, purged and ended; return a run to undo."""
    clock = ManualClock(START)
    async with remanence.open(place, scope="ada", clock=clock, embedder="hashed", agent="desk") as memory:
        learned = await memory.learn(
            [{"text": f"House {n} of the harbour has {n + 4} windows."} for n in range(150)]
        )
        await memory.link(learned[0], learned[1], "supports")
        await memory.tag(learned[2], "self/goal")
        secret = await memory.learn(SECRET)
        await memory.erase.apply(await memory.erase.show(secret))
        await memory.forbid(await memory.learn("The mill stands still."))
        await memory.settings.set("personal", "keep")
        async with memory.session():
            await memory.note("The bridge is open today.")
        await memory.recall("How many windows has house 7?")
        clock.advance(days=40)
        await memory.consolidate()
        await memory.policy.use("default")
        await memory.curate()
        await memory.learn("I sail on Sundays.", speaker=PERSON)
        about = await memory.learn(f"{PERSON} mends the nets.", speaker="Tom", session="boats")
        await memory.tag(about, "person/mara-lund")
        await memory.erase.apply(await memory.erase.show(subject=PERSON, mentions=True))
        await memory.forget(learned[9])
        clock.advance(days=100)
        await memory.review.settle("clock", "accept")
        await memory.curate()
        assert (await expire(memory._core)).changes
        pinned = await memory.pin(learned[5])
        return pinned.run


async def export(place: Path | str) -> list[bytes]:
    """Return the lines of an export, but its head, which says when it was made."""
    async with opened(place) as memory:
        return [line async for line in memory.export()][1:]


async def read_log(memory: Engine) -> tuple[list[AuditPart], list[str]]:
    """Return the whole log of a scope, and what was purged or is in its statistics."""
    store = memory._core.store
    purged = await store.find_purged_memories("ada", [*range(1, 200)])
    return await store.history("ada", limit=1_000_000), [str(one) for one in purged]


async def test_a_scope_is_the_same_in_every_store(
    tmp_path: Path, postgres_address: str, neo4j_server: Neo4jServer, neo4j_address: str
) -> None:
    """One hash, one export, one history, sound; a run is undone in each, and what was erased stays away."""
    places: list[Path | str] = [
        tmp_path / "a.db",
        postgres_address,
        neo4j_address,
        f"{tmp_path / 'folder'}{os.sep}",
        tmp_path / "b.db",
    ]
    run = await live(places[0])
    before, digests, logs = await export(places[0]), set[str](), []
    for source, target in pairwise(places):
        (copied,) = await remanence.copy_scopes(source, target, scopes=["ada"])
        digests.add(copied.digest)
    in_graph = str(neo4j_server.run("MATCH (n) RETURN properties(n) AS p"))
    for place in places:
        assert before == await export(place)
        async with opened(place) as memory:
            logs.append(await read_log(memory))
            assert [] == [check for check in await memory.doctor() if not check.ok]
            refused = [(await memory.learn(text)).status for text in (SECRET, "The mill stands still.")]
            assert ["gated", "gated"] == refused
            undone = await memory.undo(run)
            assert undone.changes
            assert [] == [check for check in await memory.doctor() if not check.ok]

    assert 1 == len(digests)
    assert all(log == logs[0] for log in logs)
    assert logs[0][1]
    assert PERSON not in in_graph + str(logs)


@pytest.mark.parametrize("way", ["there", "back"])
async def test_a_scope_lives_on_where_it_was_copied_to(way: str, tmp_path: Path, neo4j_address: str) -> None:
    """It is curated, erased from and ended in a graph as in a file, and proven where it is copied next."""
    first, second = (
        (tmp_path / "a.db", neo4j_address) if way == "there" else (neo4j_address, tmp_path / "a.db")
    )
    await live(first)
    await remanence.copy_scopes(first, second)
    clock = ManualClock(START + 200 * DAY)
    async with remanence.open(second, scope="ada", clock=clock, embedder="hashed", agent="desk") as memory:
        await memory.recall("How many windows has house 12?")
        await memory.forget((await memory.list(limit=1))[0])
        (person,) = [one for one in await memory.list(limit=200) if "House 70 " in one.text]
        await memory.erase.apply(await memory.erase.show(person))
        clock.advance(days=200)
        await memory.review.settle("clock", "accept")
        await memory.curate()
        assert (await expire(memory._core)).changes
        log = await read_log(memory)
        wrong = [check for check in await memory.doctor() if not check.ok]
    (copied,) = await remanence.copy_scopes(second, tmp_path / "c.db")
    (again,) = await remanence.copy_scopes(tmp_path / "c.db", f"{tmp_path / 'folder'}{os.sep}")
    async with opened(tmp_path / "c.db") as memory:
        wrong += [check for check in await memory.doctor() if not check.ok]
        assert log == await read_log(memory)

    assert [] == wrong
    assert copied.digest == again.digest


def test_every_table_of_a_scope_goes_along() -> None:
    """A table or a column that is new is copied too, behind those that its rows name."""
    ordered = [table for table in metadata.sorted_tables if "scope" in table.columns]
    columns = {table.name: [one.name for one in table.columns if one.name != "scope"] for table in ordered}
    named = {table.name: {key.column.table.name for key in table.foreign_keys} for table in ordered}
    order = [*scope_rows.TABLES]

    assert {name: {*one} for name, (one, _) in scope_rows.TABLES.items()} == {
        name: {*one} for name, one in columns.items() if name not in LEFT_BEHIND
    }
    for place, name in enumerate(order):
        assert named[name] - LEFT_BEHIND <= {*order[:place]}
    for table in ordered:
        if table.name in scope_rows.TABLES:
            columns_of_key = [one.name for one in table.primary_key.columns][1:]
            own, key = scope_rows.TABLES[table.name]
            assert columns_of_key == [*own[:key]]


async def test_what_is_there_is_not_written_over(tmp_path: Path) -> None:
    """The same content is left as it is, another is a conflict, and neither side changes."""
    source, target = tmp_path / "a.db", tmp_path / "b.db"
    await live(source)
    first = await remanence.copy_scopes(source, target)
    again = await remanence.copy_scopes(source, target)
    async with opened(target) as memory:
        await memory.learn("Said there alone.")
    there = await export(target)
    with pytest.raises(Conflict, match="holds something else"):
        await remanence.copy_scopes(source, target)
    with pytest.raises(Conflict, match="holds something else"):
        await remanence.move_scope("ada", source, target)

    assert first == again
    assert there == await export(target)
    assert await export(source)


async def test_wrong_places_are_refused(tmp_path: Path) -> None:
    """A missing source, an unknown scope, one store twice, a name that is none."""
    source, target = tmp_path / "a.db", tmp_path / "b.db"
    async with opened(source) as memory:
        await memory.learn("The ferry leaves at nine.")
    with pytest.raises(NotFound, match="there is no"):
        await remanence.copy_scopes(tmp_path / "none.db", target)
    with pytest.raises(NotFound, match="no scope 'bob'"):
        await remanence.copy_scopes(source, target, scopes=["bob"])
    with pytest.raises(NotFound, match="no scope 'bob'"):
        await remanence.move_scope("bob", source, target)
    with pytest.raises(InvalidInput, match="one store"):
        await remanence.move_scope("ada", source, tmp_path / "x" / ".." / "a.db")
    with pytest.raises(InvalidInput, match="a scope must be"):
        await remanence.move_scope("", source, target)


@pytest.fixture(params=["files", "graph"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path | str]:
    """Return a file, and another one or the address of a graph."""
    return tmp_path / "a.db", (
        tmp_path / "b.db" if request.param == "files" else request.getfixturevalue("neo4j_address")
    )


async def test_a_moved_scope_names_its_place_and_comes_back(
    pair: tuple[Path, Path | str], tmp_path: Path
) -> None:
    """Who has it open or opens it is told where it is; nothing of it is left in the file it came from."""
    source, target = pair
    await live(source)
    before = await export(source)
    async with opened(source) as beside:
        await beside.recall("harbour", count_use=False)
        moved = await remanence.move_scope("ada", source, target)
        for verb in (beside.recall("harbour"), beside.learn("Said late."), beside.status()):
            with pytest.raises(NotFound, match="was moved to"):
                await verb
    with pytest.raises(NotFound, match=re.escape(str(target))):
        await export(source)
    again = await remanence.move_scope("ada", source, target)
    async with opened(tmp_path / "c.db") as memory:
        await memory.learn("Another scope of that name.")
    with pytest.raises(NotFound, match=re.escape(str(target))):
        await remanence.move_scope("ada", source, tmp_path / "c.db")
    left = b"harbour" in source.read_bytes()
    async with opened(source, "other") as memory:
        checks = await memory.doctor()
        await memory.learn("Another scope stays.")
    there = await export(target)
    back = await remanence.move_scope("ada", target, source)

    assert (moved, False) == (again, left)
    assert [] == [check for check in checks if not check.ok]
    assert before == there == await export(source)
    assert moved.rows <= back.rows
    with pytest.raises(NotFound, match=str(source)):
        await export(target)


WRITER = """
import asyncio, sys, remanence
async def main():
    place, number = sys.argv[1], 0
    while number < 400:
        try:
            async with remanence.open(place, scope="ada", embedder="hashed") as memory:
                while number < 400:
                    await memory.learn(f"Line {number} of the log of the harbour.")
                    print(number, flush=True)
                    number += 1
        except remanence.NotFound as error:
            place = str(error).rpartition(" moved to ")[2].splitlines()[0]
asyncio.run(main())
"""


async def test_what_is_written_meanwhile_comes_along(pair: tuple[Path, Path | str]) -> None:
    """A program that writes all the time, and follows the scope, loses no text that was answered."""
    source, target = pair
    async with opened(source) as memory:
        await memory.learn([{"text": f"House {n} of the harbour."} for n in range(100)])
    writer = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, str(source), stdout=asyncio.subprocess.PIPE
    )
    assert writer.stdout is not None
    for _ in range(20):
        await writer.stdout.readline()
    places: list[Path | str] = [source, target]
    for _ in range(4):
        try:
            await remanence.move_scope("ada", places[0], places[1])
        except Conflict:  # it writes without a pause
            continue
        places.reverse()
    answered = 20 + len((await writer.stdout.read()).splitlines())
    await writer.wait()
    async with opened(places[0]) as memory:
        kept = {one.text for one in await memory.list(limit=1_000)}

    assert (0, 400) == (writer.returncode, answered)
    assert {f"Line {n} of the log of the harbour." for n in range(400)} <= kept
    assert 500 == len(kept)


MOVE = "import asyncio, sys, remanence; asyncio.run(remanence.move_scope('ada', sys.argv[1], sys.argv[2]))"


async def test_a_move_that_is_killed_goes_on(pair: tuple[Path, Path | str]) -> None:
    """Wherever it was killed, the scope is whole in one of the stores, and the same call ends the move."""
    places: list[Path | str] = [*pair]
    await live(places[0])
    before, drawn = await export(places[0]), random.Random(7)
    for _ in range(KILLS):
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", MOVE, *map(str, places))
        await asyncio.sleep(drawn.uniform(0.3, 1.6 if isinstance(pair[1], Path) else 4))
        if process.returncode is None:
            process.send_signal(signal.SIGKILL)
        await process.wait()
        found = []
        for place in places:
            try:
                found.append(await export(place))
            except (RemanenceError, IndexError):
                continue
        assert any(len(one) > 1 for one in found)
        assert all(one == before for one in found if len(one) > 1)
        await remanence.move_scope("ada", *places)
        assert before == await export(places[1])
        places.reverse()


async def test_what_arrives_is_read_and_not_written(pair: tuple[Path, Path | str]) -> None:
    """Between copying and taking away; a move that begins again then writes over it, also where the scope went on."""
    source, target = pair
    await live(source)
    origin, goal = (moving.require_transfer(build_store(place, None), str(place)) for place in pair)
    await origin.open()
    await goal.open()
    await moving.copy_rows(origin, goal, "ada", moves=True)
    arriving = await goal.find("ada", Find(limit=1_000))
    await goal.close()
    await origin.close()
    async with opened(target) as memory:
        read = [one.text for one in await memory.list(limit=1_000, status="any")]
        with pytest.raises(StoreUnavailable, match="is being moved here"):
            await memory.learn("Said too early.")
    async with opened(source) as memory:
        await memory.learn("Said in between.")
    await remanence.move_scope("ada", source, target)
    async with opened(target) as memory:
        texts = [one.text for one in await memory.list(limit=1_000, status="any")]

    assert len(arriving) == len(read) == len(texts) - 1
    assert "Said in between." in texts


async def test_two_movers_move_once(pair: tuple[Path, Path | str]) -> None:
    """One of them moves it, the other says so or is told to begin again."""
    source, target = pair
    await live(source)
    before = await export(source)
    ends = await asyncio.gather(
        *(remanence.move_scope("ada", source, target) for _ in range(2)), return_exceptions=True
    )

    assert any(isinstance(one, moving.ScopeCopy) for one in ends)
    assert all(isinstance(one, moving.ScopeCopy | RemanenceError) for one in ends)
    assert before == await export(target)


def test_a_full_disk_leaves_all_as_it_was(tmp_path: Path) -> None:
    """What was written half way goes; nothing was removed."""
    source, target = tmp_path / "a.db", tmp_path / "b.db"
    asyncio.run(live(source))
    script = (
        "import asyncio, remanence, resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))\n"
        f"asyncio.run(remanence.move_scope('ada', {str(source)!r}, {str(target)!r}))"
    )
    full = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert (1, True) == (full.returncode, "StoreUnavailable" in full.stderr), full.stderr
    assert asyncio.run(export(source))
    assert asyncio.run(remanence.copy_scopes(source, target))[0].rows > 100


async def test_keys_of_both_sides_are_their_own(tmp_path: Path) -> None:
    """An encrypted file is copied into a plain one, and into one of another key."""
    source, plain, other = (tmp_path / f"{name}.db" for name in "abc")
    async with opened(source, key="one passphrase") as memory:
        await memory.learn("The ferry leaves at nine.")
    await remanence.copy_scopes(source, plain, key="one passphrase")
    await remanence.copy_scopes(plain, other, target_key="another passphrase")
    async with opened(other, key="another passphrase") as memory:
        texts = [one.text for one in await memory.list()]

    assert ["The ferry leaves at nine."] == texts
    assert b"ferry" not in other.read_bytes()


def test_the_command_line_copies_and_moves(tmp_path: Path) -> None:
    """All scopes or one; what is wrong is said."""
    source, folder = str(tmp_path / "a.db"), f"{tmp_path / 'folder'}{os.sep}"
    for scope in ("ada", "bob"):
        assert "stored" in typed("learn", f"Said by {scope}.", "--scope", scope, "--db", source).stdout
    one = typed("copy", source, f"{tmp_path / 'one'}{os.sep}", "--scope", "ada")
    every = typed("copy", source, folder, "--json")
    moved = typed("move", "bob", str(tmp_path / "bob.db"), "--db", source)
    late = typed("learn", "Said late.", "--scope", "bob", "--db", source)
    refused = typed("move", "ada", source, "--db", source)

    assert "copied scope ada" in one.stdout
    assert "bob" not in one.stdout
    assert all(name in every.stdout for name in ("ada", "bob", "digest"))
    assert "moved scope bob" in moved.stdout
    assert f"was moved to {tmp_path / 'bob.db'}" in late.stderr
    assert "one store" in refused.stderr
