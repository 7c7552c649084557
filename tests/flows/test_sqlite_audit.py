"""What SQLite keeps of a run, packed and shared, reads as the reference keeps it in plain objects."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from remanence.core.change import AuditPart, Change, Increment, inverses
from remanence.core.model import Kind, Reason, Relation, Status, Tier
from remanence.store.audit_parts import UNCHAINED, pack_run_id, part_digest, unpack_run_id
from remanence.store.base import Store
from remanence.store.sql import audit
from remanence.store.sql.audit import HEADER, header_digest, own_digest, plain_header
from remanence.store.sql.names import NameCache
from remanence.store.sql.scope import open_scope
from remanence.store.sqlite.sqlite_database import SqliteDatabase
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import NOW, SCOPE, create_change, keep, make_cause
from remanence_store_kit.memory.memory_store import MemoryStore

ROWS = 60
VALUES = {"weight": 0.3, "confidence": 0.75, "count": 2, "created_at": NOW, "last_at": NOW}


async def lived(store: Store) -> list[AuditPart]:
    """Let a store live through creations, equal and unequal updates, cuts, destruction and undo; return its history."""
    columns = {"category": "note", "kind": Kind.SEMANTIC, "vector": bytes(range(64)), "value": 0.123457}
    born = [create_change(k, f"text number {k}", said_at=NOW + k % 3, **columns) for k in range(1, ROWS + 1)]
    tags = [Change("tags", (-k, f"tag {k % 2}"), None, {}) for k in range(1, ROWS + 1)]
    links = [
        Change(
            "links",
            (-k, -k - 1, Relation.SIMILAR),
            None,
            {**VALUES, "resolved_at": NOW if k % 3 == 0 else None},
        )
        for k in range(1, ROWS)
    ]
    source = Change("sources", (-1, "a file"), None, {"span": "1-2"})
    seqs = (await store.commit(SCOPE, [*born, *tags, *links, source], make_cause(run="1"))).assigned
    await store.commit(
        SCOPE, [*map(archived, seqs[: ROWS // 2])], make_cause("curate", run="2", planned=True)
    )
    counted = [
        Change("memories", seq, {"reinforced": Increment(-2)}, {"reinforced": Increment(2)}) for seq in seqs
    ]
    await store.commit(
        SCOPE, [*counted], make_cause("rate", run="3", detail={"why": ["a", {"b": 1}]}, fired=("rule",))
    )
    cut = [Change("links", (seq, seq + 1, int(Relation.SIMILAR)), {"weight": 0.3}, None) for seq in seqs[:-1]]
    moved = [
        Change("memories", seq, {"revision": 1}, {"speaker": f"s{seq % 2}", "revision": 2})
        for seq in seqs[-9:]
    ]
    await store.commit(
        SCOPE, [*cut, *moved], make_cause("curate", run="4", final=False, policy="p", actor="a")
    )
    gone = [
        Change("tags", (seq, f"tag {(number + 1) % 2}"), {}, None)
        for number, seq in enumerate(seqs[-9:], ROWS - 9)
    ]
    gone += [Change("memories", seq, {"revision": 2}, None) for seq in seqs[-9:]]
    await store.commit(SCOPE, gone, make_cause("purge", run="5", destroyed=9))
    for run in ("5", "2"):
        (part,) = await store.history(SCOPE, run=run)
        await store.commit(SCOPE, inverses(part.changes), make_cause("undo", run=f"undo {run}"))
    return await store.history(SCOPE)


def archived(seq: int) -> Change:
    """Archive a memory of `lived`."""
    before = {"status": Status.INBOX, "tier": Tier.HOT, "reason": None, "status_at": NOW, "revision": 1}
    after = {"status": Status.ARCHIVED, "tier": Tier.ARCHIVE, "reason": Reason.DECAYED, "status_at": NOW + 1}
    return Change("memories", seq, before, {**after, "revision": 2})


async def test_history_is_the_references_history(tmp_path: Path) -> None:
    """Every part of every run has the same cause and the same changes, value for value."""
    store, reference = SqliteStore(str(tmp_path / "memory.db")), MemoryStore()
    await store.open()
    await reference.open()
    held, expected = await lived(store), await lived(reference)
    of_one = [await kept.history(SCOPE, memory=ROWS) for kept in (store, reference)]
    found = [check for check in await store.check() if not check.ok]
    await store.close()

    assert [] == found
    assert [part.cause for part in expected] == [part.cause for part in held]
    for part, other in zip(expected, held, strict=True):
        assert by_key(part.changes) == by_key(other.changes), part.cause.run
    assert [by_key(part.changes) for part in of_one[1]] == [by_key(part.changes) for part in of_one[0]]


def by_key(changes: Sequence[Change]) -> list[Change]:
    """Put changes in order of their keys, where a store may choose the order."""
    return sorted(changes, key=lambda change: (change.table, str(change.key)))


async def test_a_delta_costs_few_bytes(tmp_path: Path) -> None:
    """An update is logged in at most 60 bytes, a cut link in 60, a whole row in 600 beside its vector."""
    path = tmp_path / "memory.db"
    store = SqliteStore(str(path))
    await store.open()
    await lived(store)
    await store.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        rows = connection.execute(
            "SELECT run, kind, avg(length(coalesce(before, '') || coalesce(after, '') || coalesce(subkey, '')))"
            " FROM changes JOIN runs USING (scope, position) GROUP BY run, kind"
        ).fetchall()
    connection.close()
    bytes_by = {(unpack_run_id(run), kind): size for run, kind, size in rows}

    assert bytes_by["2", 0] <= 40
    assert bytes_by["4", 2] <= 40
    assert bytes_by["5", 0] <= 600


async def test_links_that_come_in_a_row_cost_few_bytes(tmp_path: Path) -> None:
    """Links that come one after the other take less than eight bytes each, wherever they lead."""
    path = tmp_path / "memory.db"
    store = SqliteStore(str(path))
    await store.open()
    count = 500
    pairs = [(k, k * 7919 % count + 1) for k in range(1, count + 1) if k != k * 7919 % count + 1]
    links = [Change("links", (-a, -b, Relation.CAUSES), None, VALUES) for a, b in pairs]
    await store.commit(
        SCOPE, [*(create_change(k, f"text {k}") for k in range(1, count + 1)), *links], make_cause()
    )
    (part,) = await store.history(SCOPE)
    await store.close()
    with closing(sqlite3.connect(path)) as connection:
        ((size, rows),) = connection.execute("SELECT sum(length(keys)), sum(rows) FROM blocks").fetchall()

    assert len(links) == rows
    assert size < 8 * rows
    assert {(a, b, Relation.CAUSES) for a, b in pairs} == {
        change.key for change in part.changes if change.table == "links"
    }


async def test_a_link_that_was_changed_is_noticed(tmp_path: Path) -> None:
    """Every value of a link is in the sum of its chunk, and when it was resolved is, too."""
    for damage in ("weight = 1", "confidence = NULL", "resolved_at = 5", "resolved_at = NULL", "last_at = 0"):
        path = tmp_path / "memory.db"
        path.unlink(missing_ok=True)
        store = SqliteStore(str(path))
        await store.open()
        links = [
            Change("links", (-k, -k - 1, Relation.CAUSES), None, {**VALUES, "resolved_at": NOW})
            for k in (1, 2)
        ]
        await store.commit(SCOPE, [*(create_change(k, f"text {k}") for k in (1, 2, 3)), *links], make_cause())
        await store.close()
        with closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute(f"UPDATE links SET {damage} WHERE source = 2").rowcount == 1
        await store.open()
        broken = [check for check in await store.check() if not check.ok]
        await store.close()

        assert [("sums", f"links of scope {SCOPE!r} from 0 to 4095 are not what was written")] == [
            (one.name, one.detail) for one in broken
        ]


async def test_a_log_that_was_changed_is_noticed(tmp_path: Path) -> None:
    """A changed value, a changed cause, a part taken out and the last part cut off all break the chain."""
    for damage in (
        """UPDATE changes SET "after" = replace("after", '3', '4') WHERE position = 2 AND n = 0""",
        "UPDATE runs SET actor = 'nobody' WHERE position = 4",
        "UPDATE names SET name = 'tier,status,reason,status_at' WHERE name = 'status,tier,reason,status_at'",
        "UPDATE blocks SET rows = rows - 1 WHERE position = 1",
        "DELETE FROM blocks WHERE position = 1",
        "DELETE FROM runs WHERE position = 3",
        "DELETE FROM runs WHERE position = 7",
    ):
        path = tmp_path / "memory.db"
        path.unlink(missing_ok=True)
        store = SqliteStore(str(path))
        await store.open()
        await lived(store)
        await store.close()
        with closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute(damage).rowcount == 1, damage
        connection.close()
        await store.open()
        broken = [check.name for check in await store.check() if not check.ok]
        await store.close()

        assert "audit" in broken, damage


async def test_each_scope_has_a_chain_of_its_own(tmp_path: Path) -> None:
    """Parts of scopes in turns follow from the one before in theirs, the first of each from nothing."""
    path = tmp_path / "memory.db"
    store = SqliteStore(str(path))
    await store.open()
    for k in range(3):
        for scope in ("work", "home"):
            await keep(store, create_change(1, f"{scope} {k}"), scope=scope)
    sound = [check.ok for check in await store.check()]
    await store.close()

    assert all(sound)
    for scope in ("work", "home"):
        end, parts = chain_of(path, scope)
        digests = [UNCHAINED]
        for header, asked, entries in parts:
            digests.append(part_digest(digests[-1], header_digest(header, scope, asked), entries))
        assert (3, *digests[2:]) == end


def chain_of(
    path: Path, scope: str
) -> tuple[tuple[int, bytes, bytes], Sequence[tuple[Sequence[Any], bytes, bytes]]]:
    """Return where the chain of a scope ends, and of each part why it was done, what was asked and what it changed."""
    with closing(sqlite3.connect(path)) as connection:
        opened = open_scope(SqliteDatabase(connection), NameCache(), scope)
        rows = connection.execute(
            f"SELECT {', '.join(HEADER)}, asked, entries FROM runs WHERE scope = ? ORDER BY position",
            (opened.no,),
        ).fetchall()
        parts = [(plain_header(opened.names, header), asked, entries) for *header, asked, entries in rows]
    return (opened.row.position, opened.row.before, opened.row.digest), parts


async def test_a_scopes_chain_is_not_cut_spliced_or_moved(tmp_path: Path) -> None:
    """Whatever is taken from one scope, given to another or put elsewhere in the order is noticed."""
    work, home = (
        f"scope = (SELECT scope FROM scope_names WHERE name = '{name}')" for name in ("work", "home")
    )
    entries = f"(SELECT entries FROM runs WHERE {work} AND position = 1)"
    for damage in (
        f"DELETE FROM runs WHERE {home} AND position = 3",
        f"DELETE FROM scopes WHERE {work}",
        f"UPDATE scopes SET digest = x'00' WHERE {work}",
        f"UPDATE scopes SET position = 2 WHERE {work}",
        f"UPDATE runs SET entries = {entries} WHERE {work} AND position = 2",
        f"UPDATE runs SET asked = x'00' WHERE {home} AND position = 3",
        f"UPDATE runs SET {home}, position = 4 WHERE {work} AND position = 3",
        f"UPDATE runs SET position = 9 WHERE {home} AND position = 3",
        f"DELETE FROM changes WHERE {home} AND position = 3",
        "UPDATE scope_names SET name = 'house' WHERE name = 'home'",
    ):
        path = tmp_path / "memory.db"
        path.unlink(missing_ok=True)
        store = SqliteStore(str(path))
        await store.open()
        for k in range(3):
            for scope in ("work", "home"):
                await keep(store, create_change(1, f"{scope} {k}"), scope=scope)
        await store.close()
        with closing(sqlite3.connect(path)) as connection, connection:
            assert connection.execute(damage).rowcount >= 1, damage
        connection.close()
        await store.open()
        broken = [check.name for check in await store.check() if not check.ok]
        await store.close()

        assert "audit" in broken, damage


async def test_a_part_is_proven_by_the_digest_of_its_entries(tmp_path: Path) -> None:
    """What a part is known by needs of what it changed no more than the digest that is kept beside the header."""
    path = tmp_path / "memory.db"
    store = SqliteStore(str(path))
    await store.open()
    await lived(store)
    await store.close()
    _, parts = chain_of(path, SCOPE)
    with closing(sqlite3.connect(path)) as connection:
        digests = [digest for (digest,) in connection.execute("SELECT digest FROM runs ORDER BY position")]

    assert digests == [
        own_digest(header_digest(header, SCOPE, asked), entries) for header, asked, entries in parts
    ]


async def test_parts_are_found_without_looking_through_the_scope(tmp_path: Path) -> None:
    """A part by its number, and all parts of a run, are found by index."""
    path = tmp_path / "memory.db"
    store = SqliteStore(str(path))
    await store.open()
    await store.close()
    run = pack_run_id("r")
    asked = (
        (audit._WRITTEN, (1, run, 0)),
        (audit._select_runs(of_run=True, of_memory=False), (1, 0, 10, run)),
    )
    with closing(sqlite3.connect(path)) as connection:
        plans = [
            connection.execute(f"EXPLAIN QUERY PLAN {statement.sqlite}", values).fetchall()
            for statement, values in asked
        ]
    searched = [[line.split(" (")[0] for *_, line in plan if "SEARCH" in line] for plan in plans]

    assert [["SEARCH runs USING INDEX runs_part"]] * 2 == searched
