"""The tables of the SQL store, as SQLAlchemy Core knows them: names, types, checks, keys and indexes.

Knows how rows lie on disk; knows nothing of what a commit means. Every number is an integer: enums by code, times
in microseconds, fractions in millionths, because SQLite's JSON prints reals with 15 digits only.
"""

from typing import Any

from sqlalchemy import (
    CheckConstraint,
    Column,
    Computed,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable, SchemaItem
from sqlalchemy.types import UserDefinedType

from remanence.core.box import BOX_COLUMN, TRACE_COLUMN
from remanence.core.change import MILLION
from remanence.core.clock import MINUTE
from remanence.core.local_time import OFFSET_MAX
from remanence.core.model import COLUMNS, COUNT_MAX, INT_MAX, SYMMETRIC, Relation
from remanence.core.model import Column as Kept
from remanence.store.audit_parts import PLACE_BITS, PLACE_MAX
from remanence.store.checksummed_columns import SUMMED
from remanence.store.constraints import TIME_BOUND
from remanence.store.erasure import MarkKind


class _Any(UserDefinedType[object]):
    """A column of a strict table that takes values of every type."""

    cache_ok = True

    def get_col_spec(self, **_: object) -> str:
        """Return its name in SQL."""
        return "ANY"


_TYPES = {"text": Text, "json": Text, "numbers": Text, "blob": LargeBinary}

# Any character may stand in a stem except blanks; the tokeniser must split at these alone.
_PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
_TOKENIZE = "ascii tokenchars '" + _PUNCTUATION.replace("'", "''") + "'"
# Our own stems are put in, so the text itself is not kept twice; order and counts of words are not needed either.
WORDS = (
    "CREATE VIRTUAL TABLE words USING fts5(stems, content='', detail='none', columnsize=0,\n    tokenize=\""
    + _TOKENIZE.replace('"', '""')
    + '")'
)

DIALECT = sqlite.dialect()

metadata = MetaData()


def statements() -> list[str]:
    """Return what creates every table, index and the full text of an empty database, in order."""
    tables = [str(CreateTable(table).compile(dialect=DIALECT)) for table in metadata.sorted_tables]
    indexes = [
        str(CreateIndex(index).compile(dialect=DIALECT))
        for table in metadata.sorted_tables
        for index in sorted(table.indexes, key=lambda index: str(index.name))
    ]
    return [*tables, *indexes, WORDS]


def is_schema_table(name: str | None, kind: str, _: object) -> bool:
    """Tell alembic which tables to look at: full text and its shadows are not SQLAlchemy's to know."""
    return kind != "table" or (name or "").partition("_")[0] != "words"


def differs(_: object, __: object, ___: object, ____: object, described: object) -> bool | None:
    """Tell alembic that a column of every type is one: in a file, it takes that for a number; of others it decides."""
    return False if isinstance(described, _Any) else None


def _build_table(name: str, *parts: SchemaItem, **options: bool) -> Table:
    dialect: Any = {"sqlite_strict": True, **options}
    return Table(name, metadata, *parts, **dialect)


def _int_column(name: str, *, nullable: bool = False) -> Column[object]:
    return Column(name, Integer, nullable=nullable)


def _text(name: str, *, nullable: bool = False) -> Column[object]:
    return Column(name, Text, nullable=nullable)


def _blob_column(name: str, *, nullable: bool = False) -> Column[object]:
    return Column(name, LargeBinary, nullable=nullable)


def _name(name: str, *, nullable: bool = False) -> Column[object]:
    return Column(name, Integer, ForeignKey("names.no", ondelete="RESTRICT"), nullable=nullable)


def _sql_column(column: Kept) -> Column[object]:
    """Return the SQL column of one column of a memory."""
    if column.kind == "name":
        return _name(column.name, nullable=column.nullable)
    return Column(column.name, _TYPES.get(column.kind, Integer), nullable=column.nullable)


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
        rule = f"{name} BETWEEN {-TIME_BOUND} AND {TIME_BOUND}"
    elif column.kind == "int" and name != "use_days":
        most = OFFSET_MAX if name == "said_offset" else INT_MAX
        rule = f"{name} BETWEEN {-most} AND {most}"
    else:
        return []
    return [CheckConstraint(rule, name=f"{name}_range")]


def _select_columns(home: str) -> list[Kept]:
    return [column for column in COLUMNS if column.home == home]


def _memory_key(name: str) -> Column[object]:
    return Column(name, Integer, ForeignKey("memories.seq", ondelete="RESTRICT"), primary_key=True)


def _memory_of(table: str, end: str) -> ForeignKeyConstraint:
    """Bind (scope, end) to a memory of the same scope."""
    return ForeignKeyConstraint(
        ["scope", end], ["states.scope", "states.seq"], name=f"{table}_{end}", ondelete="RESTRICT"
    )


meta = _build_table("meta", Column("name", Text, primary_key=True), _text("value"), sqlite_with_rowid=False)

names = _build_table(
    "names",
    Column("no", Integer, primary_key=True),
    _text("space"),
    _text("name"),
    Index("names_name", "space", "name", unique=True),
)

# One row a scope, written by every commit: where its change sequence stands and with which digest, what that was before
# its last line, how many memories there are and how many of them hold words.
scopes = _build_table(
    "scopes",
    Column("scope", Integer, ForeignKey("names.no", ondelete="RESTRICT"), primary_key=True),
    _int_column("position"),
    _int_column("held"),
    _int_column("memories"),
    _int_column("newest_at"),
    _blob_column("digest"),
    _blob_column("before"),
)

memories = _build_table(
    "memories",
    Column("seq", Integer, primary_key=True),
    _name("scope"),
    *[_sql_column(column) for column in _select_columns("memories")],
    _blob_column("digest"),
    Index("memories_id", "scope", "id", unique=True),
    Index("memories_key", "scope", "key", unique=True, sqlite_where=text("key IS NOT NULL")),
    Index("memories_fingerprint", "scope", "fingerprint"),
    sqlite_autoincrement=True,
)

states = _build_table(
    "states",
    _memory_key("seq"),
    _name("scope"),
    *[_sql_column(column) for column in _select_columns("states")],
    *[check for column in _select_columns("states") for check in _build_checks(column)],
    CheckConstraint("(status = 3) = (tier = 3)", name="archived_is_archive"),
    CheckConstraint("status < 2 OR reason IS NOT NULL", name="fallen_has_reason"),
    Index("states_scope", "scope", "seq", unique=True),
    Index("states_session", "scope", "session", sqlite_where=text("session IS NOT NULL")),
    Index("states_inbox", "scope", "seq", sqlite_where=text("status = 0")),
)

vectors = _build_table("vectors", _memory_key("seq"), _blob_column("vector"), _int_column("digest"))

# Vectors of models that are waited for, beside the memories' own: as full text they follow from the texts.
embeddings = _build_table(
    "embeddings",
    Column("seq", Integer, ForeignKey("memories.seq", ondelete="RESTRICT"), nullable=False),
    _name("model"),
    _blob_column("vector"),
    _int_column("digest"),
    PrimaryKeyConstraint("seq", "model"),
)

tags = _build_table(
    "tags",
    _int_column("scope"),
    _int_column("seq"),
    _name("tag"),
    _int_column("at", nullable=True),
    PrimaryKeyConstraint("scope", "seq", "tag"),
    CheckConstraint(f"at BETWEEN {-TIME_BOUND} AND {TIME_BOUND}", name="at_range"),
    _memory_of("tags", "seq"),
    Index("tags_tag", "scope", "tag", "seq"),
    sqlite_with_rowid=False,
)

# Who used a memory, how often and when last.
accessors = _build_table(
    "accessors",
    _int_column("scope"),
    _int_column("seq"),
    _name("agent"),
    _int_column("uses"),
    _int_column("last_at"),
    PrimaryKeyConstraint("scope", "seq", "agent"),
    _memory_of("accessors", "seq"),
    CheckConstraint(f"uses BETWEEN 1 AND {INT_MAX}", name="uses_range"),
    CheckConstraint(f"last_at BETWEEN {-TIME_BOUND} AND {TIME_BOUND}", name="last_at_range"),
    sqlite_with_rowid=False,
)

sources = _build_table(
    "sources",
    _int_column("scope"),
    _int_column("seq"),
    _text("source"),
    _text("span", nullable=True),
    PrimaryKeyConstraint("scope", "seq", "source"),
    _memory_of("sources", "seq"),
    sqlite_with_rowid=False,
)

_MUTUAL = ", ".join(str(int(relation)) for relation in sorted(SYMMETRIC))

links = _build_table(
    "links",
    _int_column("scope"),
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
    _memory_of("links", "source"),
    _memory_of("links", "target"),
    CheckConstraint(f"relation BETWEEN 0 AND {len(Relation) - 1}", name="relation_range"),
    CheckConstraint(f"weight BETWEEN 0 AND {MILLION}", name="weight_range"),
    CheckConstraint(f"confidence BETWEEN 0 AND {MILLION}", name="confidence_range"),
    CheckConstraint(f"last_at BETWEEN {-TIME_BOUND} AND {TIME_BOUND}", name="last_at_range"),
    CheckConstraint(f"resolved_at BETWEEN {-TIME_BOUND} AND {TIME_BOUND}", name="resolved_at_range"),
    CheckConstraint(f"count BETWEEN 0 AND {COUNT_MAX}", name="count_range"),
    CheckConstraint("source <> target", name="no_self_link"),
    CheckConstraint(f"relation NOT IN ({_MUTUAL}) OR source < target", name="mutual_in_order"),
    Index("links_target", "scope", "target"),
    Index("links_resolved", "scope", sqlite_where=text("resolved_at IS NOT NULL")),
    Index("links_contradicts", "scope", sqlite_where=text("relation = 3")),
    sqlite_with_rowid=False,
)

# Texts that may not come in again, by the hash of their folded form; `seq` is the memory that said it.
forbidden = _build_table(
    "forbidden",
    _name("scope"),
    _text("fold"),
    _int_column("at"),
    _int_column("seq", nullable=True),
    PrimaryKeyConstraint("scope", "fold"),
    CheckConstraint(f"at BETWEEN {-TIME_BOUND} AND {TIME_BOUND}", name="at_range"),
    sqlite_with_rowid=False,
)

# What was erased, by salted hashes of numbers and folded texts, and by ids: it may not come in again.
erased = _build_table(
    "erased",
    _name("scope"),
    _text("mark"),
    _int_column("at"),
    _int_column("kind"),
    PrimaryKeyConstraint("scope", "mark"),
    CheckConstraint(f"at BETWEEN {-TIME_BOUND} AND {TIME_BOUND}", name="at_range"),
    CheckConstraint(f"kind IN ({', '.join(str(int(kind)) for kind in MarkKind)})", name="kind_range"),
    sqlite_with_rowid=False,
)

# Stretches of sessions about one matter, by the number of their first turn, which may have gone since.
boxes = _build_table(
    "boxes",
    _name("scope"),
    _int_column("box"),
    *[_sql_column(column) for column in BOX_COLUMN.values()],
    PrimaryKeyConstraint("scope", "box"),
    *[check for column in BOX_COLUMN.values() if column.kind != "int" for check in _build_checks(column)],
    Index("boxes_session", "scope", "session", "box"),
    Index("boxes_open", "scope", sqlite_where=text("sealed_at IS NULL")),
    Index("boxes_trace", "scope", "trace", sqlite_where=text("trace IS NOT NULL")),
    sqlite_with_rowid=False,
)

# Boxes about the same, across sessions, by the number of the first of them.
traces = _build_table(
    "traces",
    _name("scope"),
    _int_column("trace"),
    *[_sql_column(column) for column in TRACE_COLUMN.values()],
    PrimaryKeyConstraint("scope", "trace"),
    *[check for column in TRACE_COLUMN.values() for check in _build_checks(column)],
    Index("traces_last", "scope", "last_at"),
    sqlite_with_rowid=False,
)

# Numbered in order of first sight, so that frequent words share few pages and a write dirties few of them.
terms = _build_table(
    "terms",
    Column("no", Integer, primary_key=True),
    _int_column("scope"),
    _int_column("term"),
    _int_column("df"),
    Index("terms_term", "scope", "term", unique=True),
)

# Few texts at a time wait here for full text and `terms`: indexing them together dirties a tenth of the pages.
waiting = _build_table(
    "waiting", _memory_key("seq"), _int_column("scope"), _text("stems"), _blob_column("terms")
)

# `id` holds ids of runs as 16 bytes, any other text as it is; `parts` when uses were that one line holds.
runs = _build_table(
    "runs",
    Column("position", Integer, primary_key=True),
    _name("scope"),
    Column("id", _Any, nullable=False),
    Column(
        "run", Text, Computed("CASE typeof(id) WHEN 'blob' THEN lower(hex(id)) ELSE id END", persisted=False)
    ),
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
    Index("runs_part", "scope", "id", "part", unique=True),
    Index("runs_scope", "scope"),
    Index("runs_destroyed", "scope", "at", sqlite_where=text("destroyed > 0")),
    Index("runs_ending", "scope", "position", sqlite_where=text("verb IN ('expire', 'erase')")),
    sqlite_autoincrement=True,
)


def _in_order() -> tuple[Column[object], ...]:
    """Return the columns by which rows of parts lie in order: one number of both, and what is in it."""
    return (
        Column("place", Integer, primary_key=True),
        Column(
            "position",
            Integer,
            Computed(f"place >> {PLACE_BITS}", persisted=False),
            ForeignKey("runs.position", ondelete="RESTRICT"),
        ),
        Column("n", Integer, Computed(f"place & {PLACE_MAX}", persisted=False)),
    )


changes = _build_table(
    "changes",
    *_in_order(),
    _int_column("kind"),
    _int_column("key"),
    _text("subkey", nullable=True),
    _int_column("shape", nullable=True),
    _text("before", nullable=True),
    _text("after", nullable=True),
)

# Changes of many rows at once: an image of their keys, one of their values, and between which memories they lie.
blocks = _build_table(
    "blocks",
    *_in_order(),
    _int_column("kind"),
    _int_column("shape", nullable=True),
    _int_column("rows"),
    _int_column("least", nullable=True),
    _int_column("greatest", nullable=True),
    _blob_column("keys"),
    _blob_column("image", nullable=True),
    Index("blocks_bounds", "least", "greatest", sqlite_where=text("least IS NOT NULL")),
)

# Parts of which an erasure took changes away: by which part, the digest of why they were done, that of what is left.
emptied = _build_table(
    "emptied",
    Column("position", Integer, ForeignKey("runs.position", ondelete="RESTRICT"), nullable=False),
    Column("by", Integer, ForeignKey("runs.position", ondelete="RESTRICT"), nullable=False),
    _blob_column("header"),
    _blob_column("rest"),
    PrimaryKeyConstraint("position", "by"),
    sqlite_with_rowid=False,
)

# Memories whose rows have gone, and by which part: there is the image that brings one back, until it ends.
purged = _build_table(
    "purged",
    _name("scope"),
    _int_column("seq"),
    _text("id"),
    _text("key", nullable=True),
    _int_column("position"),
    _int_column("at"),
    PrimaryKeyConstraint("scope", "seq"),
    CheckConstraint(f"at BETWEEN {-TIME_BOUND} AND {TIME_BOUND}", name="at_range"),
    Index("purged_id", "scope", "id"),
    Index("purged_key", "scope", "key", sqlite_where=text("key IS NOT NULL")),
    sqlite_with_rowid=False,
)

# Which parts changed a memory, its tags, sources or links at either end.
mentions = _build_table(
    "mentions",
    _int_column("seq"),
    Column("position", Integer, ForeignKey("runs.position", ondelete="RESTRICT"), nullable=False),
    PrimaryKeyConstraint("seq", "position"),
    sqlite_with_rowid=False,
)

fired = _build_table(
    "fired",
    _name("scope"),
    _text("rule"),
    _int_column("at"),
    PrimaryKeyConstraint("scope", "rule"),
    sqlite_with_rowid=False,
)

settings = _build_table(
    "settings",
    _name("scope"),
    _text("name"),
    _text("value"),
    PrimaryKeyConstraint("scope", "name"),
    sqlite_with_rowid=False,
)

# What sessions covered, disjoint: a new interval is joined with those that it meets.
spans = _build_table(
    "spans",
    _name("scope"),
    _int_column("began_at"),
    _int_column("ended_at"),
    PrimaryKeyConstraint("scope", "began_at"),
    CheckConstraint(f"began_at >= {-TIME_BOUND}", name="began_at_range"),
    CheckConstraint(f"ended_at <= {TIME_BOUND}", name="ended_at_range"),
    CheckConstraint("began_at < ended_at", name="began_before_end"),
    sqlite_with_rowid=False,
)

heard = _build_table(
    "heard",
    _name("scope"),
    _int_column("minute"),
    _int_column("turns"),
    PrimaryKeyConstraint("scope", "minute"),
    CheckConstraint(f"minute % {MINUTE} = 0", name="minute_whole"),
    CheckConstraint("turns > 0", name="turns_positive"),
    sqlite_with_rowid=False,
)

counters = _build_table(
    "counters",
    _name("scope"),
    _text("name"),
    _int_column("count"),
    PrimaryKeyConstraint("scope", "name"),
    sqlite_with_rowid=False,
)

# One row for 4,096 memories in order of arrival, or as many names or scopes: a sum over the rows of each table.
sums = _build_table(
    "sums", Column("chunk", Integer, primary_key=True), *[_int_column(table) for table in SUMMED]
)

leases = _build_table(
    "leases",
    _name("scope"),
    _text("name"),
    _text("holder"),
    _int_column("until"),
    _int_column("fence"),
    PrimaryKeyConstraint("scope", "name"),
    sqlite_with_rowid=False,
)
