"""What is read packed is what plain rows say."""

import random
import sqlite3
from collections.abc import Iterator

import numpy as np
import pytest

from remanence.core.local_time import OFFSET_MAX
from remanence.core.model import COLUMN, COLUMNS, COUNT_MAX
from remanence.core.snapshot import LINK_COLUMNS, SnapshotRequest
from remanence.store.constraints import TIME_BOUND
from remanence.store.schema import statements
from remanence.store.sqlite.packed import PackedField, Packing
from remanence.store.sqlite.packed import gather as ranges
from remanence.store.sqlite.rows import MILLION
from remanence.store.sqlite.snapshots import snapshot
from remanence.store.sqlite.string_ids import StringIds

PACKED = tuple(
    column for column in COLUMNS if column.kind in {"int", "time", "fraction", "flag", "enum", "name"}
)


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """A database with tables and no constraints in the way."""
    connection = sqlite3.connect(":memory:")
    for statement in statements():
        connection.execute(statement)
    connection.executemany(
        "INSERT INTO names (no, space, name) VALUES (?, 'any', ?)",
        [(no, f"name {no * 7 % 50}") for no in range(1, 51)],
    )
    connection.execute(
        "INSERT INTO names (no, space, name) VALUES (51, 'scope', 'work'), (52, 'scope', 'other')"
    )
    connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('memories', ?)", (2**40,))
    yield connection
    connection.close()


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
        "name": (1, 50),
        "time": (-TIME_BOUND, TIME_BOUND),
        "int": (0, 2**56 - 1) if name == "use_days" else (-(2**31) + 1, 2**31 - 1),
    }[column.kind]
    return chance.choice([low, high, chance.randint(low, high)])


def fill(connection: sqlite3.Connection, seqs: list[int], chance: random.Random, scope: int = 51) -> None:
    """Write states with random values, and links between them."""
    names = [column.name for column in PACKED]
    rows = []
    for seq in seqs:
        row = {name: value_of(name, chance) for name in names}
        row["tier"] = 3 if row["status"] == 3 else chance.randrange(3)
        row["reason"] = 0 if row["reason"] is None else row["reason"]
        rows.append((seq, scope, *row.values()))
    marks = ", ".join("?" * (len(names) + 2))
    connection.executemany(f"INSERT INTO states (seq, scope, {', '.join(names)}) VALUES ({marks})", rows)
    links = {tuple(sorted(chance.sample(seqs, 2))) for _ in range(2 * len(seqs))}
    connection.executemany(
        "INSERT INTO links (scope, source, target, relation, weight, confidence, count, created_at, last_at,"
        " resolved_at) VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, ?)",
        [
            (
                scope,
                *ends,
                chance.randrange(11),
                chance.randint(0, MILLION),
                chance.choice([None, 0, chance.randint(1, MILLION)]),
                chance.randint(0, COUNT_MAX),
                chance.choice([-TIME_BOUND, 0, TIME_BOUND]),
                chance.choice([None, -TIME_BOUND, 0, TIME_BOUND]),
            )
            for ends in links
        ],
    )
    connection.execute(
        "INSERT INTO scopes (scope, position, held, memories, newest_at, digest, before)"
        " VALUES (?1, 0, ?2, ?2, 0, x'', x'')",
        (scope, len(seqs)),
    )


@pytest.mark.parametrize("spread", [1, 50, 5_000])
def test_a_snapshot_is_what_plain_rows_say(connection: sqlite3.Connection, spread: int) -> None:
    """Every column of every row comes out of the packed words as it went in, over several ranges and gaps."""
    chance = random.Random(spread)
    seqs = sorted(chance.sample(range(1, 300 * spread), 250))
    fill(connection, seqs, chance)
    fill(connection, [max(seqs) + 1, max(seqs) + 2], chance, scope=52)
    frozen = snapshot(
        connection, StringIds(), "work", SnapshotRequest(frozenset(column.name for column in PACKED)), 0
    )

    assert seqs == frozen.seq.tolist()
    for column in PACKED:
        plain = [
            kept
            for (kept,) in connection.execute(
                f"SELECT {column.name} FROM states WHERE scope = 51 ORDER BY seq"
            ).fetchall()
        ]
        found = frozen.columns[column.name]
        if column.kind == "name":
            texts = dict(connection.execute("SELECT no, name FROM names").fetchall())
            named = [None if code < 0 else frozen.names[column.name][code] for code in found.tolist()]
            assert [texts.get(number) for number in plain] == named
            assert list(frozen.names[column.name]) == sorted(set(named) - {None})  # type: ignore[type-var]
        elif column.kind in {"time", "fraction"}:
            scale = MILLION if column.kind == "fraction" else 1
            expected = np.array([np.nan if kept is None else kept / scale for kept in plain])
            assert np.array_equal(expected, found, equal_nan=True), column.name
        else:
            assert [-1 if kept is None else kept for kept in plain] == found.tolist(), column.name


@pytest.mark.parametrize("spread", [1, 300, 400_000])
def test_links_are_what_plain_rows_say(connection: sqlite3.Connection, spread: int) -> None:
    """Every link comes out of the packed words with its ends as row numbers."""
    chance = random.Random(spread)
    seqs = sorted(chance.sample(range(1, 300 * spread), 250))
    fill(connection, seqs, chance)
    frozen = snapshot(connection, StringIds(), "work", SnapshotRequest(frozenset(), links=LINK_COLUMNS), 0)
    links = frozen.links
    rows = connection.execute(
        "SELECT source, target, relation, weight, confidence, last_at, count, resolved_at FROM links"
        " ORDER BY source, target, relation"
    ).fetchall()

    assert links is not None
    every = np.arange(len(links))
    found = zip(
        frozen.seq[links.source].tolist(),
        frozen.seq[links.target].tolist(),
        links.relation.tolist(),
        links.weight.tolist(),
        [
            None if np.isnan(value) else round(value * MILLION)
            for value in links.read_column("confidence", every).tolist()
        ],
        links.read_column("last_at", every).astype(int).tolist(),
        links.read_column("count", every).tolist(),
        [
            None if np.isnan(value) else int(value)
            for value in links.read_column("resolved_at", every).tolist()
        ],
        strict=True,
    )
    assert rows == list(found)


def test_fields_share_words_without_touching(connection: sqlite3.Connection) -> None:
    """Fields of odd widths that share words come out as they went in, all bits set or none."""
    widths = [1, 4, 20, 32, 54, 64, 17, 13, 1, 40]
    fields = [PackedField(f"f{at}", f"c{at}", bits) for at, bits in enumerate(widths)]
    connection.execute(
        f"CREATE TABLE odd (seq INTEGER, {', '.join(f'{field.expression} INTEGER' for field in fields)})"
    )
    chance = random.Random(3)
    rows = [
        [
            chance.choice([0, (1 << bits) - 1, chance.getrandbits(bits)]) if bits < 64 else -1
            for bits in widths
        ]
        for _ in range(200)
    ]
    connection.executemany(
        f"INSERT INTO odd VALUES ({', '.join('?' * (len(widths) + 1))})",
        [(seq, *row) for seq, row in enumerate(rows)],
    )
    source = "FROM odd WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq"
    found = [part for _, part in ranges(connection, Packing(fields), source, (0, 199), 64)]

    assert [64, 64, 64, 8] == [len(part) for part in found]
    for at, bits in enumerate(widths):
        read = np.concatenate(
            [part.read_signed(f"f{at}") if bits == 64 else part.read_unsigned(f"f{at}") for part in found]
        )
        assert [row[at] for row in rows] == read.tolist()


def test_a_plain_precedence_would_be_seen(connection: sqlite3.Connection) -> None:
    """SQLite reads shifts from left to right: without brackets the words are other ones."""
    (bare, bracketed) = connection.execute("SELECT 1 << 4 | 1 << 8, (1 << 4) | (1 << 8)").fetchone()

    assert bare != bracketed
