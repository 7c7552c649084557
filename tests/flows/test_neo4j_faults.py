"""The store in a graph, hurt: killed, cut off at any message, edited by hand, of another version, read meanwhile."""

import asyncio
import random
import time
from pathlib import Path

import numpy as np
import pytest

import remanence
from remanence.core.change import Change
from remanence.core.errors import InvalidInput, ReadOnly, StoreDamaged, StoreIncompatible, StoreUnavailable
from remanence.core.snapshot import SnapshotRequest
from remanence.store.base import Bookkeeping, Find
from remanence.store.neo4j.neo_queries import QUERIES
from remanence.store.neo4j.neo_schema import INDEXES, UNIQUE
from remanence.store.neo4j.neo_store import Neo4jStore
from remanence_store_kit.builders import (
    NOW,
    create_change,
    expect_error,
    keep,
    one,
    update_change,
)
from tests.flows.server_faults import (
    all_parts,
    cut_commits_off,
    cut_counts_off,
    learning,
    refuse_faults,
    wait_until,
    wide_commit,
)
from tests.neo4j_server import Neo4jServer
from tests.relay import Cutter

SCOPE = "work"
KILLS, KILLS_DEEP = 2, 50
ACKNOWLEDGED_BETWEEN = 3  # at least, before the server is killed again
HOUR = 3_600_000_000


async def make_schema(address: str) -> None:
    """Open the database once."""
    store = Neo4jStore(address)
    await store.open()
    await store.close()


async def list_damage(store: Neo4jStore) -> dict[str, str]:
    """Return what a store finds damaged, by check."""
    return {check.name: check.detail for check in await store.check() if not check.ok}


@pytest.mark.parametrize("kills", [KILLS, pytest.param(KILLS_DEEP, marks=pytest.mark.deep)])
def test_a_killed_server_loses_nothing_that_was_acknowledged(
    kills: int, neo4j_server: Neo4jServer, neo4j_address: str
) -> None:
    """Over many kills of the server in the midst of commits nothing is lost and nothing written twice."""
    asyncio.run(make_schema(neo4j_address))
    chance = random.Random(5)
    with learning(neo4j_address, SCOPE, "Mara") as learner:
        for _ in range(kills):
            learner.wait_for(len(learner.acknowledged) + ACKNOWLEDGED_BETWEEN)
            time.sleep(chance.uniform(0, 0.05))  # at whatever step of a commit
            neo4j_server.kill()
            neo4j_server.start_again()
        learner.wait_for(len(learner.acknowledged) + 1)

    acknowledged = learner.acknowledged
    texts = asyncio.run(refuse_faults(Neo4jStore(neo4j_address), SCOPE, acknowledged))
    # The learner was killed too, perhaps before it could say what it had learned.
    assert len(acknowledged) <= len(texts) <= len(acknowledged) + 1


async def test_two_processes_that_learn_into_one_scope_leave_no_gap(neo4j_address: str) -> None:
    """Two processes write at once: every position is there once, the chain of the log is sound."""
    await make_schema(neo4j_address)
    with (
        learning(neo4j_address, SCOPE, "Mara", "40") as first,
        learning(neo4j_address, SCOPE, "Tom", "40") as second,
    ):
        await asyncio.to_thread(first.wait_for, 40)
        await asyncio.to_thread(second.wait_for, 40)

    texts = await refuse_faults(Neo4jStore(neo4j_address), SCOPE, [*first.acknowledged, *second.acknowledged])
    assert len(texts) == 80


async def test_a_commit_cut_off_at_any_message_is_written_once(neo4j_address: str) -> None:
    """A commit of several tables is written once, and its caller told so, wherever the connection was cut off."""
    await make_schema(neo4j_address)
    with Cutter(neo4j_address) as cutter:
        store = Neo4jStore(cutter.address)
        await store.open()
        results, again = await cut_commits_off(store, cutter)
        assert not any(result.is_repeated for result in results)
        # Cut off behind the COMMIT it was written, which the second attempt finds out with few messages.
        assert max(again) > again[-2] > 0
        assert {} == await list_damage(store)
        await store.close()


async def test_what_may_not_be_done_twice_says_that_nobody_knows(neo4j_address: str) -> None:
    """A counter is counted up once or not at all; where that is not known, it is said."""
    await make_schema(neo4j_address)
    with Cutter(neo4j_address) as cutter:
        store = Neo4jStore(cutter.address)
        await store.open()
        assert await cut_counts_off(store, cutter) > 0
        await store.close()


async def test_a_large_commit_is_seen_whole_or_not_at_all(neo4j_address: str) -> None:
    """A server applies a commit row by row; no snapshot, listing or answer holds a half of one."""
    writer, reader = Neo4jStore(neo4j_address), Neo4jStore(neo4j_address)
    await writer.open()
    await reader.open()
    count, rounds = 300, 40
    await keep(writer, *(create_change(k, f"boat {k}") for k in range(1, count + 1)), scope=SCOPE)
    done = asyncio.Event()
    looks = 0

    async def write() -> None:
        for k in range(rounds):
            memories = await writer.find(SCOPE, Find(limit=count))
            changes = [update_change(memory, importance=(k + 1) / 100) for memory in memories]
            await keep(writer, *changes, scope=SCOPE, verb="update", planned=True)
        done.set()

    async def look() -> None:
        nonlocal looks
        while not done.is_set():
            snapshot = await reader.snapshot(SCOPE, SnapshotRequest(frozenset({"importance"})), NOW)
            seen = {snapshot.position - 1} if snapshot.position > 1 else {float("nan")}
            values = np.unique(np.round(snapshot.columns["importance"].astype(float) * 100)).tolist()
            assert len(values) == 1, f"a half of {values}"
            assert snapshot.position == 1 or set(values) == seen
            looks += 1

    async with asyncio.TaskGroup() as group:
        for work in (write(), look(), look(), look()):
            group.create_task(work)
    await writer.close()
    await reader.close()

    assert looks > rounds


async def test_a_reader_is_answered_though_writers_never_rest(neo4j_address: str) -> None:
    """Whoever is overtaken again and again holds the writers up for a moment."""
    writer, reader = Neo4jStore(neo4j_address), Neo4jStore(neo4j_address)
    await writer.open()
    await reader.open()
    done = asyncio.Event()

    async def write(name: str) -> None:
        while not done.is_set():
            await writer.bookkeep(SCOPE, Bookkeeping(NOW, put={name: 1}))

    async def look() -> None:
        for _ in range(20):
            await reader.arriving(SCOPE, remanence.store.base.Arriving(get=("a", "b")))
        done.set()

    await keep(writer, create_change(1, "boat"), scope=SCOPE)
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        for work in (write("a"), write("b"), look()):
            group.create_task(work)
    await writer.close()
    await reader.close()


TAMPERED = {
    "rows": "MATCH (m:Memory {seq: 1}) SET m.status = 'archived'",
    "counts": "MATCH (m:Memory {seq: 3}) DETACH DELETE m",
    "references": "MATCH (a:Memory {seq: 1})-[r:REFERS]->(b) CREATE (a)-[s:REFERS]->(b) SET s = properties(r)",
    "full text": "MATCH (s:Stem {key: 'mill'}) DELETE s",
    "audit": "MATCH (p:Part {position: 1}) SET p.actor = 'nobody'",
}


@pytest.mark.parametrize("check", TAMPERED)
async def test_what_was_edited_by_hand_is_found(
    check: str, neo4j_server: Neo4jServer, neo4j_address: str
) -> None:
    """Each check is sound until somebody writes into the graph, and names what is wrong from then on."""
    store = Neo4jStore(neo4j_address)
    await store.open()
    changes, cause = wide_commit()
    await store.commit(SCOPE, [*changes, create_change(3, "A third one.")], cause)
    before = await list_damage(store)
    neo4j_server.run(TAMPERED[check])
    after = await list_damage(store)
    await store.close()

    assert {} == before
    assert check in after
    assert SCOPE in after[check]


async def test_a_row_that_cannot_be_read_is_damage(neo4j_server: Neo4jServer, neo4j_address: str) -> None:
    """It is said with what to do, and not as an error of Python."""
    store = Neo4jStore(neo4j_address)
    await store.open()
    await keep(store, create_change(1, "boat"), scope=SCOPE)
    neo4j_server.run("MATCH (m:Memory) SET m.row = m.text")
    error = await expect_error(StoreDamaged, store.get(SCOPE, [1]))
    await store.close()

    assert error.recovery


async def test_a_database_of_another_version_is_refused_and_left_alone(
    neo4j_server: Neo4jServer, neo4j_address: str
) -> None:
    """What a newer program made is not opened; an empty one is not opened read-only."""
    with pytest.raises(StoreIncompatible, match="no memory"):
        await Neo4jStore(neo4j_address).open(read_only=True)
    await make_schema(neo4j_address)
    neo4j_server.run("MATCH (r:Remanence) SET r.version = 99")
    with pytest.raises(StoreIncompatible, match="version 99"):
        await make_schema(neo4j_address)


async def test_a_schema_is_made_once_by_many_that_begin_together(
    neo4j_server: Neo4jServer, neo4j_address: str
) -> None:
    """Whoever comes second finds constraints and indexes, and does not fail over making them."""
    for row in neo4j_server.run("SHOW CONSTRAINTS YIELD name"):
        neo4j_server.run(f"DROP CONSTRAINT {row['name']} IF EXISTS")
    for row in neo4j_server.run("SHOW INDEXES YIELD name, type WHERE type = 'RANGE'"):
        neo4j_server.run(f"DROP INDEX {row['name']} IF EXISTS")
    await asyncio.gather(*(make_schema(neo4j_address) for _ in range(4)))
    made = {row["name"] for row in neo4j_server.run("SHOW INDEXES YIELD name, type WHERE type = 'RANGE'")}

    assert {*UNIQUE, *INDEXES} == made
    assert [{"n": 1}] == neo4j_server.run("MATCH (r:Remanence) RETURN count(r) AS n")


async def test_a_store_that_is_read_only_writes_nothing(
    neo4j_server: Neo4jServer, neo4j_address: str
) -> None:
    """Every write is refused, and reading leaves every node as it was."""
    async with remanence.open(neo4j_address, scope=SCOPE, embedder="hashed") as memory:
        await memory.learn("The ferry leaves at seven.")
    nodes = "MATCH (n) RETURN labels(n) AS labels, properties(n) AS properties ORDER BY elementId(n)"
    before = neo4j_server.run(nodes)
    async with remanence.open(neo4j_address, scope=SCOPE, embedder="hashed", read_only=True) as memory:
        found = await memory.recall("When does the ferry leave?")
        with pytest.raises(ReadOnly):
            await memory.learn("Another.")

    assert "seven" in found.text
    assert before == neo4j_server.run(nodes)


async def test_a_host_whose_clock_is_an_hour_ahead_takes_no_lease_early(neo4j_address: str) -> None:
    """Leases go by the clock of the server: whoever believes that an hour has passed does not get one."""
    store = Neo4jStore(neo4j_address)
    await store.open()
    now = time.time_ns() // 1_000
    half = HOUR // 2
    assert (await store.bookkeep(SCOPE, Bookkeeping(now, lease=("curate", "ann", now + half)))).fence
    ahead = now + HOUR
    asked = Bookkeeping(ahead, lease=("curate", "bob", ahead + half))
    assert (await store.bookkeep(SCOPE, asked)).fence is None
    await store.close()


async def test_a_server_that_is_not_there_is_said_at_once(tmp_path: Path) -> None:
    """Opening does not wait for one."""
    began = time.monotonic()
    with pytest.raises(StoreUnavailable, match="does not answer"):
        await Neo4jStore("bolt://127.0.0.1:1").open()

    assert time.monotonic() - began < 5


async def test_words_of_any_length_are_found(neo4j_address: str) -> None:
    """Also those that no index takes whole, which begin alike."""
    store = Neo4jStore(neo4j_address)
    await store.open()
    words = ["a" * 9_000 + "b", "a" * 9_000 + "c", "boat"]
    changes = [create_change(k, word) for k, word in enumerate(words, start=1)]
    await keep(store, *changes, scope=SCOPE)
    found = await store.search(SCOPE, words)
    damage = await list_damage(store)
    await store.close()

    assert {word: [k] for k, word in enumerate(words, start=1)} == {
        word: seqs.tolist() for word, seqs in found.rows.items()
    }
    assert {} == damage


async def test_what_no_graph_can_keep_is_refused(neo4j_address: str) -> None:
    """Half a character is InvalidInput, and nothing is written."""
    store = Neo4jStore(neo4j_address)
    await store.open()
    change = create_change(1, "boat")
    broken = Change("memories", -1, None, {**(change.after or {}), "category": "\ud800"})
    await expect_error(InvalidInput, keep(store, broken, scope=SCOPE))
    assert [] == await all_parts(store, SCOPE)
    await keep(store, change, scope=SCOPE)
    assert "boat" == (await one(store, 1, SCOPE)).text
    await store.close()


async def test_nothing_of_an_erased_memory_is_left_in_the_graph(
    neo4j_server: Neo4jServer, neo4j_address: str
) -> None:
    """No property of any node or relationship says a word of it, nor does the audit; marks of it are hashes."""
    said = ("zanzibar", "quokka", "mira")
    async with remanence.open(neo4j_address, scope=SCOPE, embedder="hashed") as memory:
        one = await memory.learn(
            "Zanzibar has a quokka.", tags=["quokka"], source="mira", session="mira", key="quokka"
        )
        await memory.update(one.id, text="Zanzibar has two quokkas.")
        await memory.learn("The ferry leaves at seven.")
        held = neo4j_server.run(_EVERYTHING)
        await memory.erase.apply(await memory.erase.show(one.id))
        left = neo4j_server.run(_EVERYTHING)
        parts = await memory._core.store.history(SCOPE, limit=1_000)
        checks = [check for check in await memory.doctor() if not check.ok]

    assert all(word in repr(held).casefold() for word in said)
    assert [] == [word for word in said if word in (repr(left) + repr(parts)).casefold()]
    assert [] == checks


_EVERYTHING = """
MATCH (n) RETURN labels(n) AS kind, properties(n) AS properties
UNION ALL MATCH ()-[r]->() RETURN [type(r)] AS kind, properties(r) AS properties
"""
LOCKS = {
    "a reader waits at the gate": "MATCH (g:Gate {scope: 'work'}) SET g.writes = g.writes + 1",
    "a writer waits for the scope": "MATCH (s:Scope {name: 'work'}) SET s.lock = 1",
}


@pytest.mark.parametrize("what", LOCKS)
async def test_whoever_comes_second_waits(what: str, neo4j_server: Neo4jServer, neo4j_address: str) -> None:
    """A reader until nobody's commit is being applied, a writer before it compares until no other one has the scope."""
    store = Neo4jStore(neo4j_address)
    await store.open()
    await keep(store, create_change(1, "boat"), scope=SCOPE)
    with neo4j_server.hold(LOCKS[what]):
        second = asyncio.create_task(
            store.get(SCOPE, [1]) if "reader" in what else keep(store, create_change(1, "oar"), scope=SCOPE)
        )
        first = QUERIES["pass_gate" if "reader" in what else "lock_scope"]
        await asyncio.to_thread(wait_until, lambda: first in neo4j_server.list_blocked())
        assert not second.done()
    await second
    await store.close()
