"""Roles of a database on a server: who may write or read, and who in one scope alone.

Every table has row-level security from the start: a role sees no row until it is granted some, the owner sees all. A
role of one scope is held to it by a policy on each table, one comparison with the number of its scope. The number is a
constant in the policy, not the answer of a function: the planner folds it with the number that a statement names, and
Citus lets no policy ask another table.

Of `meta` every role may read the version and the salt of the hashes: it needs the salt to find what was erased in its
own scope. The hashes of other scopes, which the salt would help to guess, it cannot see, nor when another scope erased
something: that note has the number of its scope in its name.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import Connection, sql

from remanence.core.arguments import check_name
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.results import Result
from remanence.store.postgres import pg_connection, pg_errors, pg_schema
from remanence.store.postgres.pg_address import read_address
from remanence.store.postgres.pg_database import PgDatabase
from remanence.store.sql import meta
from remanence.store.sql.dialect import Statement
from remanence.store.sql.names import NameCache
from remanence.store.sql.scope import open_scope_to_write

META, SCOPE_NAMES = "meta", "scope_names"  # which have no rows of a scope, or only the one of its name
_LOCK_SECONDS = 10  # a policy waits so long for those who use its table, and they wait behind it
_READS, _WRITES = sql.SQL("SELECT"), sql.SQL("SELECT, INSERT, UPDATE, DELETE")
_SCHEMA = Statement("SELECT relnamespace::regnamespace::text FROM pg_class WHERE oid = 'scopes'::regclass")
_IS_ABOVE = Statement(
    "SELECT r.rolsuper OR r.rolbypassrls OR pg_has_role(r.oid, c.relowner, 'USAGE') FROM pg_roles r, pg_class c"
    " WHERE r.rolname = ?1 AND c.oid = 'scopes'::regclass"
)
_INHERITED = Statement(
    "SELECT g.rolname FROM pg_policy p JOIN pg_roles g ON g.oid = ANY (p.polroles)"
    " WHERE p.polrelid = 'scopes'::regclass AND g.rolname <> ?1 AND pg_has_role(?1, g.oid, 'USAGE') ORDER BY 1"
)
_HELD = Statement(
    "SELECT c.relname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid"
    " JOIN pg_roles r ON r.oid = ANY (p.polroles) WHERE p.polname = ?1 AND r.rolname = ?1"
    " AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'scopes'::regclass)"
)
_GRANTS = Statement(
    "SELECT r.rolname, has_table_privilege(r.oid, 'scopes', 'UPDATE'), p.number, n.name"
    " FROM (SELECT polname, polroles,"
    "  substring(pg_get_expr(polqual, polrelid) FROM 'scope = ''?([0-9]+)')::bigint AS number"
    "  FROM pg_policy WHERE polrelid = 'scopes'::regclass) AS p"
    " JOIN pg_roles r ON r.oid = ANY (p.polroles) AND r.rolname = p.polname"
    " LEFT JOIN scope_names n ON n.scope = p.number ORDER BY r.rolname"
)


@dataclass(frozen=True, slots=True, repr=False)
class RoleGrant(Result):
    """What a role may do: read or also write, in one scope or in all.

    `number` is that of the scope; its name is None as well for who may not see it.
    """

    role: str
    writes: bool
    scope: str | None = None
    number: int | None = None

    def __str__(self) -> str:
        named = f"the scope {self.scope}" if self.scope is not None else "another scope"
        where = "all scopes" if self.number is None else named
        return f"{self.role} may {'read and write' if self.writes else 'read'} {where}"


@contextmanager
def connect(address: str, *, makes: bool = False) -> Iterator[Connection[Any]]:
    """Yield a connection that commits each statement, to a database that has our tables, or gets them where it `makes`.

    What psycopg raises inside is raised as an error of ours.
    """
    try:
        with pg_connection.connect(read_address(address).libpq) as connection:
            pg_schema.prepare(connection, read_only=not makes)
            yield connection
    except (psycopg.Error, *pg_errors.UNFIT) as error:
        raise pg_errors.meaning(error) from error


def grant(
    connection: Connection[Any], role: str, *, writes: bool = True, scope: str | None = None
) -> RoleGrant:
    """Let a role that exists read or write all scopes, or one, which is made where there is none; nothing else.

    What it was granted before by this ends. Only the owner of the tables may do that. Where it ends half-way the role
    may do nothing until it is done again.
    """
    if scope is not None:
        check_name("a scope", scope)
    db = PgDatabase(connection)
    _refuse_role(db, role, scope)
    number = None if scope is None else _make_scope(connection, scope)
    wanted = RoleGrant(role, writes, scope, number)
    if wanted not in read_grants(connection):
        _take_all(connection, role)
    held = {name for (name,) in db.rows(_HELD, (role,))}
    for table in pg_schema.list_tables():
        if table not in held:
            _run(connection, _build_policy(table, wanted))
    _run(connection, *_build_rights(db, wanted))
    return wanted


def read_grants(connection: Connection[Any]) -> list[RoleGrant]:
    """Return what roles were granted, in order of their names."""
    return [
        RoleGrant(role, writes, scope, number)
        for role, writes, number, scope in PgDatabase(connection).rows(_GRANTS)
    ]


def _refuse_role(db: PgDatabase, role: str, scope: str | None) -> None:
    """Refuse a role that is not there, and one that no policy would hold."""
    found = db.row(_IS_ABOVE, (role,))
    if found is None:
        raise NotFound(
            f"no role {role!r} on the server",
            recovery="make it first: CREATE ROLE name LOGIN PASSWORD '…'",
        )
    if found[0]:
        raise InvalidInput(
            f"the role {role!r} owns the tables or is above row-level security: it may do everything already",
            recovery="name a role that is no superuser, has no BYPASSRLS and is no member of the owner",
        )
    inherited = [name for (name,) in db.rows(_INHERITED, (role,))]
    if scope is not None and inherited:
        raise InvalidInput(
            f"the role {role!r} is a member of {', '.join(inherited)}, whose rights it has as well",
            recovery=f"REVOKE {inherited[0]} FROM {role}, or name another role",
        )


def _make_scope(connection: Connection[Any], scope: str) -> int:
    """Return the number of a scope, which is made where there is none: a role of one scope cannot make its own."""
    with connection.transaction():
        opened = open_scope_to_write(PgDatabase(connection), NameCache(), scope)
        opened.close()
    return opened.no


def _take_all(connection: Connection[Any], role: str) -> None:
    """Take from a role what it may do on our tables, and the policies that hold for it."""
    name = sql.Identifier(role)
    tables = pg_schema.list_tables()
    _run(
        connection,
        sql.SQL("REVOKE ALL ON {} FROM {}").format(sql.SQL(", ").join(map(sql.Identifier, tables)), name),
    )
    for table in tables:
        _run(connection, sql.SQL("DROP POLICY IF EXISTS {} ON {}").format(name, sql.Identifier(table)))


def _build_policy(table: str, wanted: RoleGrant) -> sql.Composed:
    """Return what lets a role see rows of a table, and write them as far as it has the right to write."""
    command = sql.SQL("ALL")
    rule: sql.Composable = sql.SQL("true")
    if wanted.number is not None and table == META:
        rule = sql.SQL("name = {}").format(sql.Literal(meta.name_erasure(wanted.number)))
    elif wanted.number is not None:
        rule = sql.SQL("scope = {}").format(sql.SQL(str(wanted.number)))
        if table == SCOPE_NAMES:
            command = sql.SQL("SELECT")
    name = sql.Identifier(wanted.role)
    return sql.SQL("CREATE POLICY {} ON {} FOR {} TO {} USING ({})").format(
        name, sql.Identifier(table), command, name, rule
    )


def _build_rights(db: PgDatabase, wanted: RoleGrant) -> list[sql.Composed]:
    """Return what gives a role its rights; one of a scope may only read the names of scopes, and sees its own."""
    name = sql.Identifier(wanted.role)
    schema = db.rows(_SCHEMA)[0][0]
    statements = [sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(sql.SQL(schema), name)]
    for table in pg_schema.list_tables():
        writes = wanted.writes and not (table == SCOPE_NAMES and wanted.scope is not None)
        rights = _WRITES if writes else _READS
        statements.append(sql.SQL("GRANT {} ON {} TO {}").format(rights, sql.Identifier(table), name))
    return statements


def _run(connection: Connection[Any], *statements: sql.Composed) -> None:
    """Run statements in one transaction; a policy in one of its own, so that only one table is locked at a time."""
    with connection.transaction():
        connection.execute(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'")
        for statement in statements:
            connection.execute(statement)
