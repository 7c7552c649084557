"""A database whose rows lie on several servers, with the extension Citus: how it becomes one, and what there is.

Every table with a column `scope` is divided by it, all in the same way, so that the rows of a scope lie on one node and
its transactions end there. The others, `meta` and `scope_names`, are reference tables: each node has all their rows.
Moving a scope, a node or a shard is Citus' own.
"""

from dataclasses import dataclass
from typing import Any

from psycopg import Connection, sql

from remanence.core.errors import NotFound
from remanence.core.results import Result
from remanence.store.postgres import pg_schema
from remanence.store.postgres.pg_database import PgDatabase
from remanence.store.postgres.pg_roles import RoleGrant, read_grants
from remanence.store.sql.database import first
from remanence.store.sql.dialect import Statement

REFERENCE_TABLES = ("meta", "scope_names")
# The first that is divided; the others follow it.
LEADING = "scopes"
_EXTENSION = Statement("SELECT extversion FROM pg_extension WHERE extname = 'citus'")
_VERSION = Statement("SELECT current_setting('server_version')")
_SIZE = Statement("SELECT pg_database_size(current_database())")
_DIVIDED = Statement(
    "SELECT c.relname FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid"
    " WHERE c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'scopes'::regclass)"
)
_REFERENCES = Statement(
    "SELECT r.relname, c.conname FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid WHERE c.contype = 'f'"
    " AND r.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'scopes'::regclass)"
)
_NODES = Statement(
    "SELECT n.nodename, n.nodeport, n.isactive, n.shouldhaveshards,"
    " (SELECT count(*) FROM pg_dist_placement p JOIN pg_dist_shard s ON s.shardid = p.shardid"
    "  WHERE p.groupid = n.groupid AND s.logicalrelid = 'scopes'::regclass)"
    " FROM pg_dist_node n WHERE n.noderole = 'primary' ORDER BY n.nodename, n.nodeport"
)


@dataclass(frozen=True, slots=True, repr=False)
class ClusterNode(Result):
    """A server of a cluster; `shards` counts the parts of each table that lie on it."""

    address: str
    is_active: bool
    has_shards: bool
    shards: int

    def __str__(self) -> str:
        parts = f"{self.shards:,} shards of each table" if self.has_shards or self.shards else "no shards"
        return f"{self.address}: {parts}{'' if self.is_active else ', not active'}"


@dataclass(frozen=True, slots=True, repr=False)
class ServerStatus(Result):
    """What a server is: its version, bytes and roles; with Citus which tables are divided, and the nodes."""

    postgres: str
    size: int
    roles: tuple[RoleGrant, ...]
    citus: str | None = None
    divided: tuple[str, ...] = ()
    undivided: tuple[str, ...] = ()
    nodes: tuple[ClusterNode, ...] = ()

    def __str__(self) -> str:
        lines = [f"PostgreSQL {self.postgres}, {self.size / 2**20:,.1f} MB"]
        if self.citus is None:
            lines.append("one server: the extension citus is not there")
        else:
            lines.append(f"Citus {self.citus}: {len(self.divided)} tables divided, {len(self.undivided)} not")
        return "\n".join([*lines, *(f"  {node}" for node in self.nodes), *map(str, self.roles)])


def distribute(connection: Connection[Any]) -> ServerStatus:
    """Divide the tables among the nodes by scope, and return what there is then; tables that are divided stay so.

    Nobody may write meanwhile. Each step is a transaction of its own, as Citus wants it: references between tables end,
    each table is divided, and the references are made again. Where it ends half-way, do it again: it does the rest.
    """
    db = PgDatabase(connection)
    if db.row(_EXTENSION) is None:
        raise NotFound(
            "the extension citus is not in this database",
            recovery="install Citus on every node and CREATE EXTENSION citus, then citus_add_node for each worker:"
            " see docs/how-to/grow.md",
        )
    tables = pg_schema.list_tables()
    missing = set(tables) - _read_divided(db)
    if missing:
        present = {(table, name) for table, name in db.rows(_REFERENCES)}
        for one in pg_schema.list_references():
            if (one.table, one.name) in present:
                drop = sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}")
                connection.execute(drop.format(sql.Identifier(one.table), sql.Identifier(one.name)))
        for table in sorted(missing, key=lambda name: (name not in REFERENCE_TABLES, name != LEADING)):
            connection.execute(_build_division(table))
    make_references(connection)
    return read_status(connection)


def read_status(connection: Connection[Any]) -> ServerStatus:
    """Return what a server is and, with Citus, where the tables lie."""
    db = PgDatabase(connection)
    postgres, size = first(db.row(_VERSION)), int(first(db.row(_SIZE)))
    roles = tuple(read_grants(connection))
    extension = db.row(_EXTENSION)
    tables = pg_schema.list_tables()
    if extension is None:
        return ServerStatus(postgres, size, roles, undivided=tables)
    divided = _read_divided(db)
    nodes = tuple(
        ClusterNode(f"{name}:{port}", active, takes_shards, shards)
        for name, port, active, takes_shards, shards in db.rows(_NODES)
    )
    return ServerStatus(
        postgres,
        size,
        roles,
        extension[0],
        tuple(table for table in tables if table in divided),
        tuple(table for table in tables if table not in divided),
        nodes,
    )


def _read_divided(db: PgDatabase) -> set[str]:
    return {name for (name,) in db.rows(_DIVIDED)}


def _build_division(table: str) -> sql.Composed:
    """Return what divides a table by scope, or gives each node all of it."""
    name = sql.Literal(table)
    if table in REFERENCE_TABLES:
        return sql.SQL("SELECT create_reference_table({})").format(name)
    beside = (
        sql.SQL("") if table == LEADING else sql.SQL(", colocate_with => {}").format(sql.Literal(LEADING))
    )
    return sql.SQL("SELECT create_distributed_table({}, 'scope'{})").format(name, beside)


def make_references(connection: Connection[Any]) -> None:
    """Make the references between tables that are not there."""
    db = PgDatabase(connection)
    present = {(table, name) for table, name in db.rows(_REFERENCES)}
    for one in pg_schema.list_references():
        if (one.table, one.name) not in present:
            add = sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} {}")
            connection.execute(
                add.format(sql.Identifier(one.table), sql.Identifier(one.name), sql.SQL(one.text))
            )
