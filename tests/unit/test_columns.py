"""What is read as columns is what plain rows say, on both databases."""

import random
import sqlite3
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest

from remanence.core.local_time import OFFSET_MAX
from remanence.core.model import COLUMN, COLUMNS, COUNT_MAX, Relation, Status
from remanence.core.snapshot import LINK_COLUMNS, TAG, Among, Snapshot, SnapshotRequest
from remanence.store.constraints import TIME_BOUND
from remanence.store.postgres import pg_schema
from remanence.store.postgres.pg_database import PgDatabase, configure
from remanence.store.sql import snapshots
from remanence.store.sql.columns import build_query, cut_list, gather
from remanence.store.sql.database import Database
from remanence.store.sql.dialect import Statement, build_insert
from remanence.store.sql.names import NameCache
from remanence.store.sql.rows import MILLION
from remanence.store.sql.scope import open_scope
from remanence.store.sqlite.sqlite_database import SqliteDatabase
from tools.sql_tables import DIALECTS, list_statements

READ = tuple(
    column for column in COLUMNS if column.kind in {"int", "time", "fraction", "flag", "enum", "name"}
)
LINK_NAMES = ("source", "target", "relation", "weight", "confidence", "last_at", "count", "resolved_at")
OURS, OTHER = 1, 2
NAMES = 50


def insert(db: Database, table: str, names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """Write rows as they are."""
    db.run_many(Statement(build_insert(table, names)), rows)


@pytest.fixture(params=["sqlite", "postgres"])
def db(request: pytest.FixtureRequest) -> Iterator[Database]:
    """A database with tables, two scopes and names, and no references in the way."""
    if request.param == "sqlite":
        connection: Any = sqlite3.connect(":memory:")
        for statement in list_statements(DIALECTS["sqlite"]):
            connection.execute(statement)
        database: Database = SqliteDatabase(connection)
    else:
        connection = psycopg.connect(request.getfixturevalue("postgres_address"))
        configure(connection)
        pg_schema.prepare(connection, read_only=False)
        connection.execute("SET session_replication_role = replica")
        database = PgDatabase(connection)
    for scope, name in ((OURS, "work"), (OTHER, "other")):
        insert(database, "scope_names", ("scope", "name"), [(scope, name)])
        names = [(scope, no, "any", f"{name} {no * 7 % NAMES}") for no in range(1, NAMES + 1)]
        insert(database, "names", ("scope", "no", "space", "name"), names)
    yield database
    connection.rollback()
    connection.close()


def take(db: Database, columns: frozenset[str] = frozenset(), **wanted: Any) -> Snapshot:
    """Freeze the scope."""
    return snapshots.snapshot(open_scope(db, NameCache(), "work"), SnapshotRequest(columns, **wanted), 0)


def value_of(name: str, chance: random.Random) -> int | None:
    """Draw a kept value of a column, its extremes and its absence among them."""
    column = COLUMN[name]
    if column.nullable and chance.random() < 0.3:
        return None
    if name == "said_offset":
        return chance.choice([-OFFSET_MAX, 0, OFFSET_MAX])
    low, high = {
        "enum": (0, len(column.labels or ()) - 1),
        "flag": (0, 1),
        "fraction": (0, round(column.limit * MILLION)),
        "name": (1, NAMES),
        "time": (-TIME_BOUND, TIME_BOUND),
        "int": (0, 2**56 - 1) if name == "use_days" else (-(2**31) + 1, 2**31 - 1),
    }[column.kind]
    return chance.choice([low, high, chance.randint(low, high)])


def fill(db: Database, seqs: list[int], chance: random.Random, scope: int = OURS) -> None:
    """Write states with random values, and links between them."""
    names = tuple(column.name for column in READ)
    rows = []
    for seq in seqs:
        row = {name: value_of(name, chance) for name in names}
        row["tier"] = 3 if row["status"] == Status.ARCHIVED else chance.randrange(3)
        row["reason"] = 0 if row["reason"] is None else row["reason"]
        rows.append((scope, seq, *row.values()))
    insert(db, "states", ("scope", "seq", *names), rows)
    ends = {tuple(sorted(chance.sample(seqs, 2))) for _ in range(2 * len(seqs))}
    links = [
        (
            scope,
            *pair,
            chance.randrange(len(Relation)),
            chance.randint(0, MILLION),
            chance.choice([None, 0, chance.randint(1, MILLION)]),
            chance.choice([-TIME_BOUND, 0, TIME_BOUND]),
            chance.randint(0, COUNT_MAX),
            chance.choice([None, -TIME_BOUND, 0, TIME_BOUND]),
            0,
        )
        for pair in ends
    ]
    insert(db, "links", ("scope", *LINK_NAMES, "created_at"), links)
    make_scope(db, scope, max(seqs), len(seqs))


def make_scope(db: Database, scope: int, latest: int, held: int) -> None:
    """Write the row of a scope."""
    names = ("scope", "position", "latest", "held", "memories", "newest_at", "names_gone", "digest", "before")
    insert(db, "scopes", names, [(scope, 0, latest, held, held, 0, 0, b"", b"")])


def fill_plain(db: Database, texts: list[str], attributes: list[str | None] | None = None) -> None:
    """Write memories with texts, of which nothing else matters."""
    kept = attributes or [None] * len(texts)
    memories = [(OURS, at + 1, f"{at}", text, b"", kept[at], b"") for at, text in enumerate(texts)]
    insert(db, "memories", ("scope", "seq", "id", "text", "fingerprint", "attributes", "digest"), memories)
    names = tuple(column.name for column in COLUMNS if column.home == "states" and not column.nullable)
    defaults = {name: int(COLUMN[name].default or 0) for name in names}
    states = [(OURS, at + 1, *defaults.values()) for at in range(len(texts))]
    insert(db, "states", ("scope", "seq", *names), states)
    make_scope(db, OURS, len(texts), len(texts))


def list_links(frozen: Snapshot) -> list[tuple[int | None, ...]]:
    """Return the links of a snapshot as they are kept, in the order of LINK_NAMES."""
    links = frozen.links
    assert links is not None
    every = np.arange(len(links))
    confidence, resolved_at = (
        links.read_column(name, every).tolist() for name in ("confidence", "resolved_at")
    )
    return list(
        zip(
            frozen.seq[links.source].tolist(),
            frozen.seq[links.target].tolist(),
            links.relation.tolist(),
            links.weight.tolist(),
            [None if np.isnan(value) else round(value * MILLION) for value in confidence],
            links.read_column("last_at", every).astype(int).tolist(),
            links.read_column("count", every).tolist(),
            [None if np.isnan(value) else int(value) for value in resolved_at],
            strict=True,
        )
    )


@pytest.mark.parametrize("spread", [1, 50, 5_000])
def test_a_snapshot_is_what_plain_rows_say(
    db: Database, spread: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every column of every row comes out as it went in, over several parts and gaps."""
    monkeypatch.setattr(snapshots, "ROWS_STEP", 50)
    chance = random.Random(spread)
    seqs = sorted(chance.sample(range(1, 300 * spread), 250))
    fill(db, seqs, chance)
    fill(db, seqs[:10], chance, scope=OTHER)
    frozen = take(db, frozenset(column.name for column in READ))
    texts: dict[int, str] = dict(db.rows(Statement("SELECT no, name FROM names WHERE scope = ?1"), (OURS,)))

    assert seqs == frozen.seq.tolist()
    for column in READ:
        query = Statement(f"SELECT {column.name} FROM states WHERE scope = ?1 ORDER BY seq")
        plain = [kept for (kept,) in db.rows(query, (OURS,))]
        found = frozen.columns[column.name]
        if column.kind == "name":
            named = [None if code < 0 else frozen.names[column.name][code] for code in found.tolist()]
            assert [texts.get(number) for number in plain] == named
            assert list(frozen.names[column.name]) == sorted(set(named) - {None})
        elif column.kind in {"time", "fraction"}:
            scale = MILLION if column.kind == "fraction" else 1
            expected = np.array([np.nan if kept is None else kept / scale for kept in plain])
            assert np.array_equal(expected, found, equal_nan=True), column.name
        else:
            assert [-1 if kept is None else kept for kept in plain] == found.tolist(), column.name


@pytest.mark.parametrize("spread", [1, 300, 400_000])
def test_links_are_what_plain_rows_say(db: Database, spread: int) -> None:
    """Every link comes out with its ends as row numbers, of all memories and of some."""
    chance = random.Random(spread)
    seqs = sorted(chance.sample(range(1, 300 * spread), 250))
    fill(db, seqs, chance)
    some = {*chance.sample(seqs, 20)}
    statement = (
        f"SELECT {', '.join(LINK_NAMES)} FROM links WHERE scope = ?1 ORDER BY source, target, relation"
    )
    rows = db.rows(Statement(statement), (OURS,))

    assert rows == list_links(take(db, links=LINK_COLUMNS))
    assert [row for row in rows if some & {*row[:2]}] == list_links(
        take(db, links=LINK_COLUMNS, only=(*some,))
    )


def test_numbers_come_out_whole_and_in_order(db: Database) -> None:
    """Whatever a column can hold, in the order of the rows and not in that of writing; none where there is no row."""
    values = [0, -1, None, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 7]
    db.run(Statement("CREATE TEMPORARY TABLE odd (at bigint, value bigint)"))
    insert(db, "odd", ("at", "value"), [*reversed(list(enumerate(values)))])
    query = build_query(
        ["at", "coalesce(value, -5)"], lambda _: "FROM odd WHERE at BETWEEN ?1 AND ?2 ORDER BY at"
    )
    at, found = gather(db, query, (0, 100))

    assert [*range(len(values))] == at.tolist()
    assert [-5 if value is None else value for value in values] == found.tolist()
    assert [[], []] == [column.tolist() for column in gather(db, query, (50, 60))]
    assert [np.int64, np.int64] == [column.dtype for column in gather(db, query, (50, 60))]
    with pytest.raises(ValueError, match="different lengths"):
        gather(db, build_query(["at", "value"], lambda _: "FROM odd"), ())


def test_lists_are_cut_whole() -> None:
    """Nothing is left out or comes twice."""
    assert [[1, 2], [3]] == [*cut_list([1, 2, 3], 2)]
    assert [[1, 2], [3, 4]] == [part.tolist() for part in cut_list(np.arange(1, 5), 2)]
    assert [] == [*cut_list([], 2)]


def test_a_text_that_asks_is_found_by_any_sign(db: Database) -> None:
    """In texts with and without other letters; of some memories as of all."""
    texts = ["plain", "why?", "为什么？", "é", "لماذا؟", "it's 100% _sure_", "?"]
    fill_plain(db, texts)
    expected = [False, True, True, False, True, False, True]

    assert expected == take(db, asks=True).asks.tolist()  # type: ignore[union-attr]
    assert expected[2:5] == take(db, asks=True, only=(3, 4, 5)).asks.tolist()  # type: ignore[union-attr]


def test_a_pattern_means_a_tag_or_all_that_begin_alike(db: Database) -> None:
    """Letters count as they are written, signs mean nothing but the star at the end."""
    tags = [
        "self/a",
        "self/b",
        "Self/a",
        "self",
        "self0",
        "a_b",
        "axb",
        "100%",
        "self/\U0001f600",
        "[s]elf/a",
    ]
    fill_plain(db, [f"text {at}" for at in range(len(tags) + 1)])
    names = [(OURS, 100 + at, "tag", tag) for at, tag in enumerate(tags)]
    insert(db, "names", ("scope", "no", "space", "name"), names)
    insert(db, "names", ("scope", "no", "space", "name"), [(OTHER, 100, "tag", "self/a")])
    rows = [(OURS, at + 1, 100 + at, None if at % 2 else at * 10) for at in range(len(tags))]
    insert(db, "tags", ("scope", "seq", "tag", "at"), [*rows, (OTHER, 11, 100, 5)])
    patterns = frozenset({"self/*", "self", "a_b*", "*", "100%", "nobody/*", "nobody", "[s]*"})
    expected = {
        "self/*": [1, 2, 9],
        "self": [4],
        "a_b*": [6],
        "*": [*range(1, 11)],
        "100%": [8],
        "nobody/*": [],
        "nobody": [],
        "[s]*": [10],
    }
    whole, part = take(db, tags=patterns), take(db, tags=patterns, only=(2, 4, 10, 11))

    assert expected == {pattern: whole.seq[mask].tolist() for pattern, mask in whole.tags.items()}
    assert {pattern: sorted({*seqs} & {2, 4, 10, 11}) for pattern, seqs in expected.items()} == {
        pattern: part.seq[mask].tolist() for pattern, mask in part.tags.items()
    }
    times = take(db, tagged_at=frozenset({"self/a", "self/b", "nobody", "*"})).tagged_at
    assert {"self/a": [1], "self/b": [], "nobody": [], "*": []} == {
        tag: (np.flatnonzero(~np.isnan(at)) + 1).tolist() for tag, at in times.items()
    }
    assert times["self/a"][0] == 0


def test_attributes_are_found_by_name(db: Database) -> None:
    """Those of all memories, a name that JSON may write in another way among them; the rows of others are not read."""
    kept = [None, '{"topic": "tea"}', '{"other": 1}', '{"topic": 2}', '{"\\u00e9": true}']
    fill_plain(db, [f"text {at}" for at in range(len(kept))], kept)
    found = take(db, attributes=frozenset({"topic"})).attributes
    for names in (frozenset({"topic"}), frozenset({"topic", "é"})):
        found = take(db, attributes=names).attributes
        column, codes = found["topic"]

        assert names == found.keys()
        assert codes[[1, 3]].tolist() == [column.code("tea"), column.code(2)]
        assert {*codes[[0, 2, 4]].tolist()} <= {-1, column.code(None)}
    column, codes = found["é"]
    assert codes[4] == column.code(True)


@pytest.mark.parametrize(
    "among",
    [
        ({"status": frozenset({0, 1})},),
        ({"status": frozenset({0}), "category": frozenset({"work 7", "work 14", "nobody"})},),
        ({TAG: frozenset({"x", "nobody"})}, {"kind": frozenset({2})}),
        ({"session": frozenset[int | str]()},),
        (),
        ({},),
    ],
)
def test_a_condition_means_what_it_says(db: Database, among: Among) -> None:
    """Of all memories and of a list those that meet it are read, and no others."""
    chance = random.Random(5)
    fill(db, [*range(1, 251)], chance)
    insert(db, "names", ("scope", "no", "space", "name"), [(OURS, 99, "tag", "x")])
    insert(db, "tags", ("scope", "seq", "tag", "at"), [(OURS, seq, 99, None) for seq in range(1, 251, 9)])
    db.run(Statement("UPDATE names SET space = 'category' WHERE scope = ?1 AND space = 'any'"), (OURS,))
    whole = take(db, frozenset({"status", "category", "kind"}), tags=frozenset({"x"}))

    def is_meant(row: int) -> bool:
        code = int(whole.columns["category"][row])
        values = {
            "status": int(whole.columns["status"][row]),
            "kind": int(whole.columns["kind"][row]),
            "category": None if code < 0 else whole.names["category"][code],
            TAG: "x" if whole.tags["x"][row] else None,
            "session": None,
        }
        return any(all(values[name] in holds[name] for name in holds) for holds in among)

    meant = [seq for row, seq in enumerate(whole.seq.tolist()) if is_meant(row)]

    assert meant == take(db, among=among).seq.tolist()
    assert [seq for seq in meant if seq <= 50] == take(db, among=among, only=(*range(1, 51),)).seq.tolist()


def test_agents_are_counted_by_memory(db: Database) -> None:
    """How many used each, how many of them are others, and how many others share it by what rests on it."""
    fill_plain(db, [f"text {at}" for at in range(4)])
    db.run(Statement("UPDATE states SET agent = CASE WHEN seq = 1 THEN 1 ELSE 2 END WHERE seq < 4"))
    uses = [(OURS, 1, 1, 1, 0), (OURS, 1, 2, 1, 0), (OURS, 1, 3, 1, 0), (OURS, 4, 1, 2, 0)]
    insert(db, "accessors", ("scope", "seq", "agent", "uses", "last_at"), [*uses, (OTHER, 2, 5, 1, 0)])
    names = ("scope", "source", "target", "relation", "weight", "count", "created_at", "last_at")
    links = [
        (OURS, 3, 1, int(Relation.REFERS), 1, 1, 0, 0),
        (OURS, 1, 2, int(Relation.LEARNED_FROM), 1, 1, 0, 0),
    ]
    insert(db, "links", names, links)
    for only, here in ((None, slice(None)), ((1, 2, 4), [0, 1, 3])):
        frozen = take(db, agents=True, only=only)
        found = [frozen.agents, frozen.other_agents, frozen.sharing_agents]

        expected = np.array([[3, 0, 0, 1], [2, 0, 0, 1], [2, 1, 0, 1]])[:, here]
        assert expected.tolist() == [one.tolist() for one in found if one is not None]


def test_more_memories_than_a_scope_says_it_holds_are_damage(db: Database) -> None:
    """Or else arrays would be made for as many as anybody wrote there."""
    fill(db, [1, 3, 7], random.Random(1))
    for latest, held in ((7, 2), (2, 2**60)):
        db.run(Statement("UPDATE scopes SET latest = ?2, held = ?3 WHERE scope = ?1"), (OURS, latest, held))
        with pytest.raises(ValueError, match="more memories"):
            take(db)
