"""The tables, as SQLAlchemy Core knows them: names, types, checks, keys and indexes, for SQLite and PostgreSQL.

Every key begins with the scope, so that rows of one scope lie together and a cluster can keep them on one node. Every
number is an integer: enums by code, times in microseconds, fractions in millionths. `make pages` writes the SQL from it
that makes a database.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Dialect,
    ForeignKeyConstraint,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable, SchemaItem

from remanence.core.box import BOX_COLUMN, TRACE_COLUMN
from remanence.core.change import MILLION
from remanence.core.clock import MINUTE
from remanence.core.local_time import OFFSET_MAX
from remanence.core.model import COLUMNS, COUNT_MAX, INT_MAX, SYMMETRIC, Relation
from remanence.core.model import Column as Kept
from remanence.store.constraints import TIME_BOUND
from remanence.store.erasure import MarkKind
from remanence.store.sql.checksummed_columns import SUMMED
from remanence.store.sql.meta import ERASED_AT

_POSTGRES: Any = postgresql.dialect
# Where parameters have no names, a percent sign is written twice.
DIALECTS: dict[str, Dialect] = {"sqlite": sqlite.dialect(), "postgres": _POSTGRES(paramstyle="named")}
_INT = BigInteger().with_variant(Integer(), "sqlite")
_TEXT = Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
_TYPES: dict[str, Any] = {"text": _TEXT, "json": _TEXT, "numbers": _TEXT, "blob": LargeBinary()}

metadata = MetaData()
# Those that a database on a server has besides: a file is served by one process, which keeps such things itself.
server_metadata = MetaData()


def list_statements(dialect: Dialect) -> list[str]:
    """Return what creates every table and index of an empty database, in order; on a server each table is closed."""
    is_server = dialect.name == "postgresql"
    every = [*metadata.sorted_tables, *(server_metadata.sorted_tables if is_server else ())]
    tables = [str(CreateTable(table).compile(dialect=dialect)) for table in every]
    indexes = [
        str(CreateIndex(index).compile(dialect=dialect))
        for table in every
        for index in sorted(table.indexes, key=lambda index: str(index.name))
    ]
    return [*tables, *indexes, *(_list_closings(every) if is_server else ())]


# The policy on `meta` of every role; of a role of its own each has the name, and none of a person begins with pg_.
EVERYONE = "pg_everyone"


def _list_closings(tables: Sequence[Table]) -> list[str]:
    """Return what lets no role but the owner see a row of any table, until it is granted some.

    What `meta` says of the whole database all may read, but not which scope erased something and when.
    """
    closed = [f"ALTER TABLE {table.name} ENABLE ROW LEVEL SECURITY" for table in tables]
    return [
        *closed,
        f"CREATE POLICY {EVERYONE} ON meta FOR SELECT USING (NOT starts_with(name, '{ERASED_AT}'))",
    ]


def _build_table(name: str, *parts: SchemaItem, wide: bool = False) -> Table:
    """Return a table whose rows lie in order of its key in a file, apart from those that are wide."""
    dialect: Any = {"sqlite_strict": True, "sqlite_with_rowid": wide}
    return Table(name, metadata, *parts, **dialect)


def _scope() -> Column[object]:
    return Column("scope", _INT, nullable=False)


def _int_column(name: str, *, nullable: bool = False) -> Column[object]:
    return Column(name, _INT, nullable=nullable)


def _text(name: str, *, nullable: bool = False) -> Column[object]:
    return Column(name, _TEXT, nullable=nullable)


def _blob_column(name: str, *, nullable: bool = False) -> Column[object]:
    return Column(name, LargeBinary, nullable=nullable)


def _sql_column(column: Kept) -> Column[object]:
    """Return the SQL column of one column of a memory."""
    return Column(column.name, _TYPES.get(column.kind, _INT), nullable=column.nullable)


def _build_checks(column: Kept) -> list[CheckConstraint]:
    """Return what the values of one column must satisfy; a CHECK passes on NULL."""
    name = column.name
    if column.labels is not None:
        rule = f"{name} BETWEEN 0 AND {len(column.labels) - 1}"
    elif column.kind == "flag":
        rule = f"{name} IN (0, 1)"
    elif column.kind == "fraction":
        rule = f"{name} BETWEEN 0 AND {round(column.limit * MILLION)}"
    elif column.kind == "time":
        return [_check_time(name)]
    elif column.kind == "int" and name != "use_days":
        most = OFFSET_MAX if name == "said_offset" else INT_MAX
        rule = f"{name} BETWEEN {-most} AND {most}"
    else:
        return []
    return [CheckConstraint(rule, name=f"{name}_range")]


def _check_time(name: str) -> CheckConstraint:
    return CheckConstraint(f"{name} BETWEEN {-TIME_BOUND} AND {TIME_BOUND}", name=f"{name}_range")


def _select_columns(home: str) -> list[Kept]:
    return [column for column in COLUMNS if column.home == home]


def _refer(table: str, column: str, to: str, key: str) -> ForeignKeyConstraint:
    """Bind (scope, column) to a row of the same scope."""
    return ForeignKeyConstraint(
        ["scope", column], [f"{to}.scope", f"{to}.{key}"], name=f"{table}_{column}", ondelete="RESTRICT"
    )


def _of_scope(table: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["scope"], ["scope_names.scope"], name=f"{table}_scope", ondelete="RESTRICT")


def _build_index(name: str, *columns: str, unique: bool = False, where: str | None = None) -> Index:
    if where is None:
        return Index(name, *columns, unique=unique)
    return Index(name, *columns, unique=unique, sqlite_where=text(where), postgresql_where=text(where))


# What is said of the whole database.
meta = _build_table("meta", Column("name", _TEXT, primary_key=True), _text("value"))

# The one table of all scopes: the number of each.
scope_names = _build_table(
    "scope_names",
    Column("scope", _INT, Identity(always=False), primary_key=True),
    _text("name"),
    _build_index("scope_names_name", "name", unique=True),
    wide=True,
)

# One row a scope, which every commit locks and writes: where its log stands and with which digest, what that was before
# its last line, the highest number given to a memory, how many memories there are and how many of them hold words, and
# how often names were erased.
scopes = _build_table(
    "scopes",
    _scope(),
    _int_column("position"),
    _int_column("latest"),
    _int_column("held"),
    _int_column("memories"),
    _int_column("newest_at"),
    _int_column("names_gone"),
    _blob_column("digest"),
    _blob_column("before"),
    PrimaryKeyConstraint("scope"),
    _of_scope("scopes"),
)

# Categories, sessions, tags and their like, and the shapes of logged changes: kept once, and meant by number.
names = _build_table(
    "names",
    _scope(),
    _int_column("no"),
    _text("space"),
    _text("name"),
    PrimaryKeyConstraint("scope", "no"),
    _of_scope("names"),
    _build_index("names_name", "scope", "space", "name", unique=True),
)

memories = _build_table(
    "memories",
    _scope(),
    _int_column("seq"),
    *[_sql_column(column) for column in _select_columns("memories")],
    _blob_column("digest"),
    PrimaryKeyConstraint("scope", "seq"),
    _of_scope("memories"),
    _build_index("memories_id", "scope", "id", unique=True),
    _build_index("memories_key", "scope", "key", unique=True, where="key IS NOT NULL"),
    _build_index("memories_fingerprint", "scope", "fingerprint"),
    wide=True,
)

states = _build_table(
    "states",
    _scope(),
    _int_column("seq"),
    *[_sql_column(column) for column in _select_columns("states")],
    *[check for column in _select_columns("states") for check in _build_checks(column)],
    CheckConstraint("(status = 3) = (tier = 3)", name="archived_is_archive"),
    CheckConstraint("status < 2 OR reason IS NOT NULL", name="fallen_has_reason"),
    PrimaryKeyConstraint("scope", "seq"),
    _refer("states", "seq", "memories", "seq"),
    *[
        _refer("states", column.name, "names", "no")
        for column in _select_columns("states")
        if column.kind == "name"
    ],
    _build_index("states_session", "scope", "session", "seq", where="session IS NOT NULL"),
    _build_index("states_inbox", "scope", "seq", where="status = 0"),
)

vectors = _build_table(
    "vectors",
    _scope(),
    _int_column("seq"),
    _blob_column("vector"),
    _int_column("digest"),
    PrimaryKeyConstraint("scope", "seq"),
    _refer("vectors", "seq", "memories", "seq"),
)

# Vectors of models that are waited for, beside the memories' own: as full text they follow from the texts.
embeddings = _build_table(
    "embeddings",
    _scope(),
    _int_column("seq"),
    _int_column("model"),
    _blob_column("vector"),
    _int_column("digest"),
    PrimaryKeyConstraint("scope", "seq", "model"),
    _refer("embeddings", "seq", "memories", "seq"),
    _refer("embeddings", "model", "names", "no"),
)

tags = _build_table(
    "tags",
    _scope(),
    _int_column("seq"),
    _int_column("tag"),
    _int_column("at", nullable=True),
    PrimaryKeyConstraint("scope", "seq", "tag"),
    _check_time("at"),
    _refer("tags", "seq", "states", "seq"),
    _refer("tags", "tag", "names", "no"),
    _build_index("tags_tag", "scope", "tag", "seq"),
)

# Who used a memory, how often and when last.
accessors = _build_table(
    "accessors",
    _scope(),
    _int_column("seq"),
    _int_column("agent"),
    _int_column("uses"),
    _int_column("last_at"),
    PrimaryKeyConstraint("scope", "seq", "agent"),
    _refer("accessors", "seq", "states", "seq"),
    _refer("accessors", "agent", "names", "no"),
    CheckConstraint(f"uses BETWEEN 1 AND {INT_MAX}", name="uses_range"),
    _check_time("last_at"),
)

sources = _build_table(
    "sources",
    _scope(),
    _int_column("seq"),
    _text("source"),
    _text("span", nullable=True),
    PrimaryKeyConstraint("scope", "seq", "source"),
    _refer("sources", "seq", "states", "seq"),
)

_MUTUAL = ", ".join(str(int(relation)) for relation in sorted(SYMMETRIC))

links = _build_table(
    "links",
    _scope(),
    _int_column("source"),
    _int_column("target"),
    _int_column("relation"),
    _int_column("weight"),
    _int_column("confidence", nullable=True),
    _int_column("count"),
    _int_column("created_at"),
    _int_column("last_at"),
    _int_column("resolved_at", nullable=True),
    PrimaryKeyConstraint("scope", "source", "target", "relation"),
    _refer("links", "source", "states", "seq"),
    _refer("links", "target", "states", "seq"),
    CheckConstraint(f"relation BETWEEN 0 AND {len(Relation) - 1}", name="relation_range"),
    CheckConstraint(f"weight BETWEEN 0 AND {MILLION}", name="weight_range"),
    CheckConstraint(f"confidence BETWEEN 0 AND {MILLION}", name="confidence_range"),
    _check_time("last_at"),
    _check_time("resolved_at"),
    CheckConstraint(f"count BETWEEN 0 AND {COUNT_MAX}", name="count_range"),
    CheckConstraint("source <> target", name="no_self_link"),
    CheckConstraint(f"relation NOT IN ({_MUTUAL}) OR source < target", name="mutual_in_order"),
    _build_index("links_target", "scope", "target"),
    _build_index("links_contradicts", "scope", where="relation = 3"),
)

# Texts that may not come in again, by the hash of their folded form; `seq` is the memory that said it.
forbidden = _build_table(
    "forbidden",
    _scope(),
    _text("fold"),
    _int_column("at"),
    _int_column("seq", nullable=True),
    PrimaryKeyConstraint("scope", "fold"),
    _of_scope("forbidden"),
    _check_time("at"),
)

# What was erased, by salted hashes of numbers and folded texts, and by ids: it may not come in again.
erased = _build_table(
    "erased",
    _scope(),
    _text("mark"),
    _int_column("at"),
    _int_column("kind"),
    PrimaryKeyConstraint("scope", "mark"),
    _of_scope("erased"),
    _check_time("at"),
    CheckConstraint(f"kind IN ({', '.join(str(int(kind)) for kind in MarkKind)})", name="kind_range"),
)

# Stretches of sessions about one matter, by the number of their first turn, which may have gone since.
boxes = _build_table(
    "boxes",
    _scope(),
    _int_column("box"),
    *[_sql_column(column) for column in BOX_COLUMN.values()],
    PrimaryKeyConstraint("scope", "box"),
    _of_scope("boxes"),
    *[check for column in BOX_COLUMN.values() if column.kind != "int" for check in _build_checks(column)],
    _build_index("boxes_session", "scope", "session", "box"),
    _build_index("boxes_open", "scope", where="sealed_at IS NULL"),
    _build_index("boxes_trace", "scope", "trace", where="trace IS NOT NULL"),
)

# Boxes about the same, across sessions, by the number of the first of them.
traces = _build_table(
    "traces",
    _scope(),
    _int_column("trace"),
    *[_sql_column(column) for column in TRACE_COLUMN.values()],
    PrimaryKeyConstraint("scope", "trace"),
    _of_scope("traces"),
    *[check for column in TRACE_COLUMN.values() for check in _build_checks(column)],
    _build_index("traces_last", "scope", "last_at"),
)

# Which memories hold a stem. The row whose block is the greatest number grows, counts all memories that hold the stem,
# and `term` is the hash of the stem; what it held before lies in blocks, each by its first number, without a term.
postings = _build_table(
    "postings",
    _scope(),
    _text("stem"),
    _int_column("block"),
    _int_column("term"),
    _int_column("count"),
    _blob_column("seqs"),
    PrimaryKeyConstraint("scope", "stem", "block"),
    _of_scope("postings"),
    _build_index("postings_term", "scope", "term"),
)

# Few texts at a time wait here for `postings`: put in together, they change a tenth of the pages.
waiting = _build_table(
    "waiting",
    _scope(),
    _int_column("seq"),
    _text("stems"),
    _blob_column("terms"),
    PrimaryKeyConstraint("scope", "seq"),
    _refer("waiting", "seq", "memories", "seq"),
)

# `parts` when uses were that one line holds.
runs = _build_table(
    "runs",
    _scope(),
    _int_column("position"),
    _blob_column("run"),
    _int_column("part"),
    _int_column("final"),
    _text("verb"),
    _int_column("at"),
    _text("actor", nullable=True),
    _text("policy", nullable=True),
    _text("detail", nullable=True),
    _text("fired", nullable=True),
    _int_column("destroyed"),
    _int_column("planned"),
    _int_column("changes"),
    _blob_column("digest"),
    _blob_column("entries"),
    _blob_column("asked"),
    _blob_column("parts", nullable=True),
    PrimaryKeyConstraint("scope", "position"),
    _of_scope("runs"),
    _build_index("runs_part", "scope", "run", "part", unique=True),
    _build_index("runs_destroyed", "scope", "at", where="destroyed > 0"),
    _build_index("runs_ending", "scope", "position", where="verb IN ('expire', 'erase')"),
)

changes = _build_table(
    "changes",
    _scope(),
    _int_column("position"),
    _int_column("n"),
    _int_column("kind"),
    _int_column("key"),
    _text("subkey", nullable=True),
    _int_column("shape", nullable=True),
    _text("before", nullable=True),
    _text("after", nullable=True),
    PrimaryKeyConstraint("scope", "position", "n"),
    _refer("changes", "position", "runs", "position"),
)

# Changes of many rows at once: an image of their keys, one of their values, and between which memories they lie.
blocks = _build_table(
    "blocks",
    _scope(),
    _int_column("position"),
    _int_column("n"),
    _int_column("kind"),
    _int_column("shape", nullable=True),
    _int_column("rows"),
    _int_column("least", nullable=True),
    _int_column("greatest", nullable=True),
    _blob_column("keys"),
    _blob_column("image", nullable=True),
    PrimaryKeyConstraint("scope", "position", "n"),
    _refer("blocks", "position", "runs", "position"),
    _build_index("blocks_bounds", "scope", "least", "greatest", where="least IS NOT NULL"),
)

# Parts of which an erasure took changes away: by which part, the digest of why they were done, that of what is left.
emptied = _build_table(
    "emptied",
    _scope(),
    _int_column("position"),
    _int_column("by"),
    _blob_column("header"),
    _blob_column("rest"),
    PrimaryKeyConstraint("scope", "position", "by"),
    _refer("emptied", "position", "runs", "position"),
    _refer("emptied", "by", "runs", "position"),
)

# Memories whose rows have gone, and by which part: there is the image that brings one back, until it ends.
purged = _build_table(
    "purged",
    _scope(),
    _int_column("seq"),
    _text("id"),
    _text("key", nullable=True),
    _int_column("position"),
    _int_column("at"),
    PrimaryKeyConstraint("scope", "seq"),
    _of_scope("purged"),
    _check_time("at"),
    _build_index("purged_id", "scope", "id"),
    _build_index("purged_key", "scope", "key", where="key IS NOT NULL"),
)

# Which parts changed a memory, its tags, sources or links at either end.
mentions = _build_table(
    "mentions",
    _scope(),
    _int_column("seq"),
    _int_column("position"),
    PrimaryKeyConstraint("scope", "seq", "position"),
    _refer("mentions", "position", "runs", "position"),
)

fired = _build_table(
    "fired",
    _scope(),
    _text("rule"),
    _int_column("at"),
    PrimaryKeyConstraint("scope", "rule"),
    _of_scope("fired"),
)

settings = _build_table(
    "settings",
    _scope(),
    _text("name"),
    _text("value"),
    PrimaryKeyConstraint("scope", "name"),
    _of_scope("settings"),
)

# What sessions covered, disjoint: a new interval is joined with those that it meets.
spans = _build_table(
    "spans",
    _scope(),
    _int_column("began_at"),
    _int_column("ended_at"),
    PrimaryKeyConstraint("scope", "began_at"),
    _of_scope("spans"),
    CheckConstraint(f"began_at >= {-TIME_BOUND}", name="began_at_range"),
    CheckConstraint(f"ended_at <= {TIME_BOUND}", name="ended_at_range"),
    CheckConstraint("began_at < ended_at", name="began_before_end"),
)

heard = _build_table(
    "heard",
    _scope(),
    _int_column("minute"),
    _int_column("turns"),
    PrimaryKeyConstraint("scope", "minute"),
    _of_scope("heard"),
    CheckConstraint(f"minute % {MINUTE} = 0", name="minute_whole"),
    CheckConstraint("turns > 0", name="turns_positive"),
)

counters = _build_table(
    "counters",
    _scope(),
    _text("name"),
    _int_column("count"),
    PrimaryKeyConstraint("scope", "name"),
    _of_scope("counters"),
)

# One row for 4,096 memories of a scope in order of arrival: a sum over the rows of each table.
sums = _build_table(
    "sums",
    _scope(),
    _int_column("chunk"),
    *[_int_column(table) for table in SUMMED],
    PrimaryKeyConstraint("scope", "chunk"),
    _of_scope("sums"),
)

leases = _build_table(
    "leases",
    _scope(),
    _text("name"),
    _text("holder"),
    _int_column("until"),
    _int_column("fence"),
    PrimaryKeyConstraint("scope", "name"),
    _of_scope("leases"),
)

# What servers of a database keep between two requests, so that each of them knows it: answers by key, what was shown,
# who is logged in. `name` is a digest, and `value` can be read by whoever knows the name alone.
server_state = Table(
    "server_state",
    server_metadata,
    _scope(),
    _text("kind"),
    _text("name"),
    _text("owner"),
    _blob_column("asked", nullable=True),
    _blob_column("value", nullable=True),
    _int_column("expires_at"),
    PrimaryKeyConstraint("scope", "kind", "name"),
)
