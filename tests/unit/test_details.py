"""Why a part was done is read as it was said, however it is kept."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from remanence.store.sql import details
from remanence.store.sql.audit import json_text
from remanence.store.sql.names import NameCache, ScopeNames
from remanence.store.sql.scope import open_scope, open_scope_to_write
from remanence.store.sqlite.sqlite_database import SqliteDatabase
from tools.sql_tables import DIALECTS, list_statements

TEXTS = st.text(max_size=8) | st.sampled_from(["rules", "actions", "cycle", "[", "0"])
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
DETAILS = st.dictionaries(TEXTS, VALUES, max_size=4)
RULES = st.lists(st.lists(TEXTS, min_size=3, max_size=3), max_size=3)


@contextmanager
def _database() -> Iterator[SqliteDatabase]:
    connection = sqlite3.connect(":memory:")
    for statement in list_statements(DIALECTS["sqlite"]):
        connection.execute(statement)
    yield SqliteDatabase(connection)
    connection.close()


def _fresh_names(database: SqliteDatabase) -> ScopeNames:
    return open_scope(database, NameCache(), "scope").names


@given(st.lists(DETAILS | st.builds(lambda one, rules: {**one, "rules": rules}, DETAILS, RULES), max_size=5))
def test_a_detail_is_read_as_it_was_said(said: list[dict[str, Any]]) -> None:
    """Any values under any names, whether they have a form or not, read alone and with all their forms."""
    with _database() as database:
        scope = open_scope_to_write(database, NameCache(), "scope")
        texts = [json_text(one) for one in said]
        kept = [details.pack(scope.names, text) for text in texts]
        scope.write_names()
        names = _fresh_names(database)
        found = [details.unpack(names, one) for one in kept]
        forms = {number for one in kept for number in details.forms_of(names, one or "")}
        made = {number for (number,) in database.connection.execute("SELECT no FROM names")}

    assert texts == found
    assert forms == made


def test_what_runs_of_a_policy_have_in_common_is_kept_once() -> None:
    """A second run under the same rules takes a third of the room; an id never becomes a name."""
    first = {
        "cycle": {"acts": {"prune": 1}, "changed": 1, "kept": 9},
        "plan": "f6ac5c1e412d628e70b5bcaeb5577672",
        "rules": [["prune", "read-notices", "a read notice lives 7 days"]],
    }
    with _database() as database:
        scope = open_scope_to_write(database, NameCache(), "scope")
        kept = [
            details.pack(scope.names, json_text({**first, "plan": plan})) for plan in ("a" * 32, "b" * 32)
        ]
        scope.write_names()
        rows = database.connection.execute("SELECT space, name FROM names").fetchall()

    assert {details.FORM} == {space for space, _ in rows}
    assert "a" * 32 not in " ".join(name for _, name in rows)
    assert len(kept[1] or "") * 3 < len(orjson.dumps(first))
