"""Scopes to and from other stores: read and written through the tables in which they go, proved by the same hash.

Knows the order of steps in a transaction; what nodes and tables are `neo_tables` knows.
"""

from remanence.core.errors import Conflict, format_value
from remanence.store.neo4j.neo_tables import fill_tables, write_nodes
from remanence.store.neo4j.neo_transactions import Neo4jTransactions, Transaction, WriteOutcome
from remanence.store.scope_transfer import MOVED, RowPipe, ScopeContent, is_arriving, mark_arriving
from remanence.store.sql import scope_rows
from remanence.store.sql.scope import OpenScope
from remanence.store.sqlite.scratch import open_scratch

_NOTHING = {"position": 0, "latest_seq": 0, "worded": 0, "memories": 0, "links": 0, "forbidden": 0}
_KEPT = ("name", "lock")  # properties of the node of a scope that stay


def send(database: Neo4jTransactions, scope: str, pipe: RowPipe) -> ScopeContent:
    """Send all rows of a scope, and return what they are."""
    with open_scratch(scope, b"") as tables:
        database.read(scope, lambda db: fill_tables(db, tables))
        return scope_rows.send(tables, pipe)


def read_content(database: Neo4jTransactions, scope: str) -> ScopeContent:
    """Return what a scope holds."""
    return database.read(scope, _read_content)


def _read_content(db: Transaction) -> ScopeContent:
    with open_scratch(db.scope, b"") as tables:
        fill_tables(db, tables)
        return scope_rows.read_content(tables)


def receive(database: Neo4jTransactions, scope: str, pipe: RowPipe, *, moves: bool) -> ScopeContent:
    """Write the rows that come; a scope that holds the same already is left as it is."""
    with open_scratch(scope, b"") as tables:
        content = scope_rows.receive(tables, pipe, moves=False)
        return database.write(scope, lambda db: _write(db, tables, content, moves=moves), repeats=False)


def _write(
    db: Transaction, tables: OpenScope, content: ScopeContent, *, moves: bool
) -> WriteOutcome[ScopeContent]:
    scope = db.lock_scope(comes_back=True)
    position = scope.values["position"]
    if position > 0 or (scope.values["memories"] > 0 and not is_arriving(position)):
        if _read_content(db) != content:
            raise Conflict(
                (),
                f"scope {format_value(db.scope)} holds something else there",
                "copy to a store that has no scope of this name",
            )
        return WriteOutcome(content, scope.is_new)
    db.run("remove_nodes")  # what an opening keeps of a scope that nobody wrote to, or an earlier try
    values = write_nodes(db, tables)
    values["position"] = mark_arriving(content.position) if moves else content.position
    return WriteOutcome(content, scope.is_new, values)


def settle(db: Transaction) -> WriteOutcome[None]:
    """Let a scope that was moved here be written to."""
    scope = db.lock_scope(comes_back=True)
    position = scope.values["position"]
    values = {"position": mark_arriving(position)} if is_arriving(position) else {}
    return WriteOutcome(None, scope.is_new, values)


def remove(db: Transaction, was: ScopeContent, moved_to: str) -> WriteOutcome[None]:
    """Take all nodes of a scope away where it still holds what it was, and say where it moved to."""
    scope = db.lock_scope()
    if _read_content(db) != was:
        raise Conflict(
            (),
            f"scope {format_value(db.scope)} was written to meanwhile",
            "begin again: nothing was removed",
        )
    db.run("remove_nodes")
    db.run("mark_uncleaned")
    gone = dict.fromkeys(scope.values.keys() - {*_KEPT})
    return WriteOutcome(None, scope.is_new, {**gone, **_NOTHING, "position": MOVED, "moved_to": moved_to})
