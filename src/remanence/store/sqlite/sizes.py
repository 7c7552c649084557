"""How much scopes hold, counted where it lies. Runs inside one read transaction."""

import sqlite3
from collections.abc import Sequence

from remanence.store.base import ScopeSize
from remanence.store.sqlite.string_ids import SCOPE, StringIds

_SIZE = (
    "SELECT count(*), coalesce(sum(length(CAST(m.text AS BLOB))), 0), coalesce(sum(length(v.vector)), 0)"
    " FROM states s JOIN memories m ON m.seq = s.seq LEFT JOIN vectors v ON v.seq = s.seq WHERE s.scope = ?"
)


def measure_scopes(
    connection: sqlite3.Connection, names: StringIds, scopes: Sequence[str]
) -> dict[str, ScopeSize]:
    """Return how many memories each of these scopes has, and the bytes of their texts and vectors."""
    sizes: dict[str, ScopeSize] = {}
    for scope in scopes:
        no = names.number(connection, SCOPE, scope)
        count, text_bytes, vector_bytes = connection.execute(_SIZE, (no,)).fetchone()
        sizes[scope] = ScopeSize(count, text_bytes + vector_bytes)
    return sizes
