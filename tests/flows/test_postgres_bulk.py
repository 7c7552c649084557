"""Many rows in one statement do what the same statement does with each of them, on a real server."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

import psycopg
import pytest
from psycopg import Connection

from remanence.store.postgres import pg_bulk, pg_database
from remanence.store.postgres.pg_database import PgDatabase, configure
from remanence.store.sql.dialect import Statement, build_insert

COLUMNS = ("scope", "seq", "number", "word", "blob")
INSERT = Statement(build_insert("pieces", COLUMNS))
PUT = Statement(build_insert("pieces", COLUMNS, ("scope", "seq")))
SKIP = Statement(f"{build_insert('pieces', COLUMNS)} ON CONFLICT (scope, seq) DO NOTHING")
ADD = Statement(
    "UPDATE pieces SET number = number + ?3, word = ?4, blob = coalesce(?5, blob) WHERE scope = ?1 AND seq = ?2"
)
DELETE = Statement("DELETE FROM pieces WHERE scope = ?1 AND seq = ?2 AND word = ?3")
ALL = Statement("SELECT * FROM pieces ORDER BY scope, seq")
ROWS = 200
READ_ONE = Statement("SELECT seq FROM pieces WHERE scope = ?1 AND number IS NOT DISTINCT FROM ?2")


@pytest.fixture
def connection(postgres_address: str) -> Iterator[Connection[Any]]:
    """Yield a connection with a table of its own."""
    with psycopg.connect(postgres_address) as connection:
        configure(connection)
        connection.execute(
            "CREATE TEMP TABLE pieces (scope bigint, seq bigint, number bigint, word text, blob bytea,"
            " PRIMARY KEY (scope, seq))"
        )
        yield connection


def draw_rows(chance: random.Random, *, repeats: bool = False) -> list[Sequence[Any]]:
    """Return rows with all that a column may hold: shared, missing, extreme and strange values."""
    numbers = [0, -1, 2**63 - 1, -(2**63), None]
    words = ["", "a,b", '"{}\\', "NULL", "日本", None]
    seqs = [chance.randrange(20) if repeats else seq for seq in range(ROWS)]
    shared = chance.choice([None, 7])
    return [
        (
            1,
            seq,
            shared if chance.random() < 0.5 and not repeats else chance.choice(numbers[:2]),
            chance.choice(words),
            chance.choice([None, b"", b"\x00\xff" * 9]),
        )
        for seq in seqs
    ]


def run_both(connection: Connection[Any], statement: Statement, rows: list[Sequence[Any]]) -> list[Any]:
    """Return what is there after each way, from the same beginning."""
    db, found = PgDatabase(connection), []
    for at_once in (True, False):
        db.run(Statement("DELETE FROM pieces"))
        db.run_many(INSERT, [(1, seq, seq, "NULL", b"x") for seq in range(0, ROWS, 3)])
        for some in [rows] if at_once else [[row] for row in rows]:
            db.run_many(statement, some)
        found.append(db.rows(ALL))
    return found


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("statement", [PUT, SKIP, ADD, DELETE], ids=["put", "skip", "add", "delete"])
def test_many_rows_at_once_do_what_they_do_one_by_one(
    statement: Statement, repeats: bool, connection: Connection[Any]
) -> None:
    """Also where several rows mean the same row of the table: then they follow each other."""
    chance = random.Random(3)
    for _ in range(5):
        rows = draw_rows(chance, repeats=repeats)
        if statement is DELETE:
            rows = [(*row[:2], row[3]) for row in rows]
        at_once, one_by_one = run_both(connection, statement, rows)
        assert at_once == one_by_one


def test_statements_of_the_known_forms_are_made_one() -> None:
    """The form is known, a value that all rows share goes once, and rows of one key are left alone."""
    rows = [(1, seq, None, f"w{seq}") for seq in range(3)]
    many = pg_bulk.build_many("UPDATE a SET b = $3, c = $4 WHERE scope = $1 AND seq = $2", rows)
    assert many is not None
    assert many.text == (
        "UPDATE a SET b = NULL, c = given.c4 FROM unnest($2, $3) AS given(c2, c4)"
        " WHERE scope = $1 AND seq = given.c2"
    )
    assert many.values[0] == 1
    update = "UPDATE a SET b = $3, c = $4 WHERE scope = $1 AND seq = $2"
    assert pg_bulk.build_many(update, [*rows, rows[0]]) is None
    assert pg_bulk.build_many("UPDATE a SET b = $3 WHERE scope = $1 AND seq = ANY($2)", rows) is None
    assert pg_bulk.build_many("INSERT INTO a (b) SELECT $1", [(1,), (2,)]) is None


def test_extreme_numbers_come_back(connection: Connection[Any]) -> None:
    """Whole numbers go up to their bounds, and not beyond."""
    db = PgDatabase(connection)
    numbers = [2**63 - 1, -(2**63), None, *range(60)]
    db.run_many(INSERT, [(1, seq, number, None, None) for seq, number in enumerate(numbers)])
    assert [row[2] for row in db.rows(ALL)] == numbers
    with pytest.raises(OverflowError):
        db.run_many(INSERT, [(2, seq, 2**63, None, None) for seq in range(1_000)] + [(2, 1_001, 0, "", b"")])


def test_a_prepared_statement_takes_what_was_missing_when_it_was_prepared(postgres_address: str) -> None:
    """NULL, a number and NULL again for the same parameter, and after a failure that forgets all names."""
    with psycopg.connect(
        postgres_address, autocommit=True, prepare_threshold=pg_database.PREPARED_AFTER
    ) as connection:
        configure(connection)
        connection.execute(
            "CREATE TEMP TABLE pieces (scope bigint, seq bigint, number bigint, word text, blob bytea)"
        )

        def ask(db: PgDatabase) -> list[Any]:
            db.run(INSERT, (1, 1, None, None, None))
            db.run(INSERT, (1, 2, 5, "five", b"5"))
            return [db.rows(READ_ONE, (1, number)) for number in (None, 5, None, 5)]

        expected = [[(1,)], [(2,)], [(1,)], [(2,)]]
        for _ in range(pg_database.PREPARED_AFTER + 3):
            connection.execute("DELETE FROM pieces")
            assert pg_database.write(connection, ask) == expected
        names = connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
        assert names is not None
        assert names[0] > 0
        with pytest.raises(psycopg.errors.UndefinedTable):
            pg_database.read(connection, lambda db: db.rows(Statement("SELECT * FROM none")))
        connection.rollback()
        connection.execute("DELETE FROM pieces")
        assert pg_database.write(connection, ask) == expected
