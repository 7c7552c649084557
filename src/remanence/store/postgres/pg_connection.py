"""Connects to a server, and says what is wrong where that fails.

libpq tells no SQLSTATE of a connection that failed, only words in the language of the server. So the cause is asked
for: whether the server answers, whether a password was wanted or used, and whether another database lets the user in.
"""

from contextlib import suppress
from typing import Any

import psycopg
from psycopg import Connection, errors, pq

from remanence.core.errors import StoreUnavailable
from remanence.store.postgres import pg_errors
from remanence.store.postgres.pg_database import configure

CONNECT_SECONDS = 10
# One of them is on every server that nobody took it from.
_USUAL_DATABASES = ("postgres", "template1")
_DATABASES = "SELECT datname, datallowconn AND has_database_privilege(oid, 'CONNECT') FROM pg_database"


def connect(libpq: str) -> Connection[Any]:
    """Return a connection that commits each statement and takes our types; StoreUnavailable says why there is none."""
    try:
        connection = _connect(libpq)
    except psycopg.OperationalError as error:
        raise _find_reason(libpq, error) or pg_errors.meaning(error) from error
    configure(connection)
    return connection


def _connect(libpq: str, **other: Any) -> Connection[Any]:
    # Nothing is prepared: what this asks is asked once, and a pooler may stand between.
    return psycopg.connect(
        libpq, autocommit=True, connect_timeout=CONNECT_SECONDS, prepare_threshold=None, **other
    )


def _find_reason(libpq: str, error: psycopg.OperationalError) -> StoreUnavailable | None:
    """Return why a server that answers refuses a connection; None where it does not answer."""
    tried = error.pgconn
    if tried is None or isinstance(error, errors.ConnectionTimeout):
        return None
    if pq.PGconn.ping(libpq.encode()) != pq.Ping.OK:
        return None
    user, database = tried.user.decode(), tried.db.decode()
    if tried.needs_password:
        return StoreUnavailable(
            f"the server asks for the password of {user!r}, and none is given",
            recovery="put it into ~/.pgpass or PGPASSWORD, or into the address",
        )
    databases = _ask_elsewhere(libpq, database)
    if databases is None:
        return StoreUnavailable(
            f"the server does not let the user {user!r} in: {pg_errors.first_line(error)}",
            recovery="check the user and the password in the address, or in ~/.pgpass or PGPASSWORD",
        )
    if database not in databases:
        return StoreUnavailable(
            f"there is no database {database!r} on the server",
            recovery="create it (createdb NAME), or name another one in the address",
        )
    if not databases[database]:
        return StoreUnavailable(
            f"the user {user!r} may not connect to the database {database!r}",
            recovery="have its owner GRANT CONNECT ON DATABASE, or name another one in the address",
        )
    return None


def _ask_elsewhere(libpq: str, database: str) -> dict[str, bool] | None:
    """Return which databases there are, and whether the user may connect; None where no other one lets it in."""
    for name in _USUAL_DATABASES:
        if name != database:
            with suppress(psycopg.OperationalError), _connect(libpq, dbname=name) as connection:
                return dict(connection.execute(_DATABASES).fetchall())
    return None
