"""Roles of a real PostgreSQL server for tests: made, connected as, and taken away again."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from remanence.store.postgres.pg_roles import RoleGrant, connect, grant
from tests.postgres import Server

OWNER = "postgres"


def address_of(server: Server, role: str) -> str:
    """Return the address by which a role comes in."""
    return server.address.replace(f"//{OWNER}", f"//{role}", 1)


@contextmanager
def roles(server: Server, *names: str, options: str = "LOGIN") -> Iterator[None]:
    """Have roles on a server, and none of them and of what they were granted afterwards."""
    with psycopg.connect(server.address, autocommit=True) as connection:
        try:
            for name in names:
                connection.execute(
                    sql.SQL("CREATE ROLE {} {}").format(sql.Identifier(name), sql.SQL(options))
                )
            yield
        finally:
            for name in names:
                connection.execute(sql.SQL("DROP OWNED BY {}").format(sql.Identifier(name)))
                connection.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


def let(server: Server, role: str, *, writes: bool = True, scope: str | None = None) -> RoleGrant:
    """Grant a role something, as the owner."""
    with connect(server.address, makes=True) as connection:
        return grant(connection, role, writes=writes, scope=scope)
