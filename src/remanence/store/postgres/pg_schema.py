"""The tables of a database on a server: made where there are none, and brought from an older version to this one."""

import re
from functools import cache
from importlib.resources import files
from secrets import token_hex
from typing import Any, NamedTuple

from psycopg import Connection, sql

from remanence.core.errors import StoreIncompatible
from remanence.store.postgres.pg_database import PgDatabase
from remanence.store.sql import meta, refresh
from remanence.store.sql.database import first
from remanence.store.sql.dialect import Statement
from remanence.store.sql.schema_versions import BASELINE_VERSION, MARKS, SCHEMA_VERSION, list_steps

VERSION = "schema"  # the row of `meta`
# Taken by whoever makes or changes tables, so that one process does at a time; any number that is ours will do.
_LOCK = 0x52454D41
_HELD = Statement("SELECT pg_advisory_xact_lock(?1)")
_MAY_WRITE = Statement("SELECT has_table_privilege('runs', 'INSERT')")
_TABLE = re.compile(r"^CREATE TABLE (\w+)", re.MULTILINE)
_BODY = re.compile(r"^CREATE TABLE (\w+) \((.*?)^\);", re.MULTILINE | re.DOTALL)
_REFERENCE = re.compile(r"CONSTRAINT (\w+) (FOREIGN KEY.*?),?$", re.MULTILINE)
# Not by `to_regclass`: what it found missing it may not look for again in the same transaction.
_IS_THERE = Statement(
    "SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE c.relname = 'meta' AND n.nspname = ANY (current_schemas(false)))"
)


class ForeignKey(NamedTuple):
    """A foreign key: of which table, its name, and what it says."""

    table: str
    name: str
    text: str


@cache
def read_script() -> str:
    """Return what makes the tables."""
    return files("remanence.store.sql").joinpath("postgres.sql").read_text(encoding="utf-8")


@cache
def list_tables() -> tuple[str, ...]:
    """Return the names of our tables, in the order in which they are made."""
    return tuple(_TABLE.findall(read_script()))


@cache
def list_references() -> tuple[ForeignKey, ...]:
    """Return the foreign keys of our tables."""
    return tuple(
        ForeignKey(table, *found)
        for table, body in _BODY.findall(read_script())
        for found in _REFERENCE.findall(body)
    )


def may_write(db: PgDatabase) -> bool:
    """Tell whether the role of a connection may write memories."""
    return bool(first(db.row(_MAY_WRITE)))


def read_version(db: PgDatabase) -> int | None:
    """Return the version of the tables, None where there are none."""
    found = db.row(_IS_THERE)
    if found is None or not found[0]:
        return None
    row = db.row(meta.READ, (VERSION,))
    if row is None:
        raise StoreIncompatible(
            "a table named meta is there, which belongs to another program",
            recovery="name another database, or another schema (…?options=-csearch_path%3DNAME); nothing was touched",
        )
    return int(row[0])


def prepare(connection: Connection[Any], *, read_only: bool) -> None:
    """Make the tables in an empty database, bring older ones up, and compute anew what an older program computed.

    Raise StoreIncompatible where they are of a newer version, or a newer program filled them.
    """
    with connection.transaction():
        db = PgDatabase(connection)
        version = read_version(db)
        is_older = version is None or BASELINE_VERSION <= version < SCHEMA_VERSION
        if not read_only and (is_older or refresh.find_overdue_marks(db)):
            # Whoever comes second waits here, and then finds it done.
            db.run(_HELD, (_LOCK,))
            version = read_version(db)
            if version is None:
                version = _create(connection, db)
            elif BASELINE_VERSION <= version < SCHEMA_VERSION:
                version = _bring_up(connection, db, version)
        _refuse_other(version)
        overdue = refresh.find_overdue_marks(db)
        if newer := sorted(name for name, made in overdue.items() if _is_newer(name, made)):
            raise StoreIncompatible(
                f"a newer program filled this database ({', '.join(newer)})",
                recovery="use a newer version of Remanence; the database was not touched",
            )
        if overdue and not read_only:
            refresh.refresh(db)


def _is_newer(name: str, made: str | None) -> bool:
    return made is not None and int(made) > int(MARKS[name])


def _refuse_other(version: int | None) -> None:
    if version is None:
        raise StoreIncompatible(
            "there are no tables of Remanence in this database",
            recovery="open it once to write, as a role that may create tables",
        )
    if version > SCHEMA_VERSION:
        raise StoreIncompatible(
            f"the database has version {version}, this program knows versions up to {SCHEMA_VERSION}",
            recovery="use a newer version of Remanence; the database was not touched",
        )
    if BASELINE_VERSION <= version < SCHEMA_VERSION:
        raise StoreIncompatible(
            f"the database has version {version}; it is brought to version {SCHEMA_VERSION} when it is opened to write",
            recovery="open it once to write, as the role that owns the tables",
        )
    if version < SCHEMA_VERSION:
        raise StoreIncompatible(
            f"the database has version {version}, which was never published; this program knows {SCHEMA_VERSION}",
            recovery="export it with the program that made it, and import that into an empty database",
        )


def _create(connection: Connection[Any], db: PgDatabase) -> int:
    connection.execute(sql.SQL(read_script()))
    db.run_many(
        meta.PUT, [(VERSION, str(SCHEMA_VERSION)), (meta.SALT, token_hex(16)), *sorted(MARKS.items())]
    )
    return SCHEMA_VERSION


def _bring_up(connection: Connection[Any], db: PgDatabase, version: int) -> int:
    for statement in list_steps("postgres", version):
        connection.execute(statement.encode())
    db.run_many(meta.PUT, [(VERSION, str(SCHEMA_VERSION))])
    return SCHEMA_VERSION
