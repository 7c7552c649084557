"""Which scopes of a server need a look: asked of all scopes at once, so that the server reads them and few are told."""

from dataclasses import dataclass

import psycopg

from remanence.store.postgres import pg_errors
from remanence.store.postgres.pg_address import read_address
from remanence.store.postgres.pg_connection import connect
from remanence.store.postgres.pg_database import PgDatabase
from remanence.store.sql.dialect import Statement

# A scope that nobody looked at, or that somebody is looking at, has no position in its value. Who was looked at the
# longest ago comes first, so that none waits for ever where there are more than can be told.
_DUE = Statement(
    "SELECT n.name FROM scopes s JOIN scope_names n ON n.scope = s.scope"
    " JOIN settings a ON a.scope = s.scope AND a.name = ?1"
    " LEFT JOIN settings q ON q.scope = s.scope AND q.name = ?2"
    " CROSS JOIN LATERAL (SELECT (q.value::json->>'position')::bigint AS position,"
    " (q.value::json->>'since')::bigint AS since, (q.value::json->>'due_at')::bigint AS due_at) k"
    " WHERE s.position > 0 AND (k.position IS NULL OR k.since > ?3 OR k.due_at <= ?3"
    " OR (k.position <> s.position AND k.since <= ?4)) ORDER BY k.since NULLS FIRST, s.scope LIMIT ?5"
)


@dataclass(frozen=True, slots=True)
class FindDue:
    """Asks for scopes that have a value by the name `adopted` and are due by the one that is kept as `quiet`.

    That one says at which `position` the scope stood, `since` when, and that it is due at `due_at`. A scope that was
    written to meanwhile is due as well, if it was looked at before `written_before`.
    """

    adopted: str
    quiet: str
    now: int
    written_before: int
    limit: int


def find_due_scopes(address: str, asked: FindDue) -> list[str]:
    """Return the names of scopes that are due, those first that were looked at the longest ago."""
    values = (asked.adopted, asked.quiet, asked.now, asked.written_before, asked.limit)
    try:
        with connect(read_address(address).libpq) as connection:
            return [name for (name,) in PgDatabase(connection).rows(_DUE, values)]
    except psycopg.Error as error:
        raise pg_errors.meaning(error) from error
