"""The address of a server: what is for libpq, and what is ours.

`prepared_statements=true` or `=false` among the parameters of an address says whether statements are prepared. Without
it they are, unless a pooler stands between: one in transaction mode gives each transaction another connection of the
server, where a name may stand for another statement.
"""

from typing import Any, NamedTuple

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict

from remanence.core.errors import InvalidInput
from remanence.store.sql.database import Database, first
from remanence.store.sql.dialect import Statement

PREPARED = "prepared_statements"
_VALUES = {"true": True, "false": False}
_PROCESS = Statement("SELECT pg_backend_pid()")


class PgAddress(NamedTuple):
    """What libpq connects to, and whether statements are prepared; None where that is to be found out."""

    libpq: str
    prepares: bool | None


def read_address(address: str) -> PgAddress:
    """Take our own parameter out of an address; raise InvalidInput for one that libpq cannot read."""
    place, mark, query = address.partition("?")
    prepares: bool | None = None
    others: list[str] = []
    for parameter in query.split("&") if mark else ():
        name, _, value = parameter.partition("=")
        if name != PREPARED:
            others.append(parameter)
            continue
        prepares = _VALUES.get(value.lower())
        if prepares is None:
            raise InvalidInput(
                f"{PREPARED} is {value!r} in the address", recovery=f"write {PREPARED}=true or =false"
            )
    libpq = f"{place}?{'&'.join(others)}" if others else place
    try:
        conninfo_to_dict(libpq)
    except psycopg.ProgrammingError:
        # What libpq says quotes the address, in which a password may stand.
        raise InvalidInput(
            "the address of the server cannot be read",
            recovery="write postgresql://USER@HOST:PORT/DATABASE, and in it % as %25, @ as %40, / as %2F; a password"
            " can be kept in ~/.pgpass or PGPASSWORD instead",
        ) from None
    return PgAddress(libpq, prepares)


def is_pooled(connection: Connection[Any], db: Database) -> bool:
    """Tell whether a pooler stands between: the process that it names for cancelling is not the one that answers."""
    return connection.info.backend_pid != int(first(db.row(_PROCESS)))
