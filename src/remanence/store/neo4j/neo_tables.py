"""All of a scope between a graph and the tables of SQL, in which it goes from store to store.

Knows nodes, and tables of a scope that is in no file; knows nothing of transfers.
"""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, TypeVar

import orjson

from remanence.core.change import Cause
from remanence.core.effects import CURATE
from remanence.core.model import COLUMNS
from remanence.store.audit_parts import UNCHAINED
from remanence.store.constraints import APART, memories_of
from remanence.store.neo4j.neo_erasing import page_parts
from remanence.store.neo4j.neo_log import put_lines, read_lines, read_shapes
from remanence.store.neo4j.neo_parts import AuditLine, decode_line, decode_part, encode_line
from remanence.store.neo4j.neo_rows import OWN, decode_columns, decode_sources, decode_tags, unpack_link
from remanence.store.neo4j.neo_slices import ScopeSlice, group_rows
from remanence.store.neo4j.neo_transactions import Transaction
from remanence.store.row_rules import Row, Tables, empty
from remanence.store.sql import attached, audit, commits, scope_rows
from remanence.store.sql.audit import HEADER
from remanence.store.sql.dialect import Statement
from remanence.store.sql.erasing import SALTS
from remanence.store.sql.meta import PUT, SALT
from remanence.store.sql.names import MODEL
from remanence.store.sql.rows import plain_values, read_rows
from remanence.store.sql.scope import OpenScope, ScopeRow
from remanence.store.sql.sums import vector_digest
from remanence.store.undo_data_pruning import is_whole

Item = TypeVar("Item")
_COLUMNS = tuple(column.name for column in COLUMNS)
_ROWS_AT_ONCE = 2_000
_PARTS_AT_ONCE = 500
_VECTORS_AT_ONCE = 10_000
_EVERY = 2**31 - 1
_SEQS = Statement("SELECT seq FROM states WHERE scope = ?1 ORDER BY seq")
_EMBEDDINGS = Statement(
    "SELECT n.name, e.seq, e.vector FROM embeddings e JOIN names n ON n.scope = e.scope AND n.no = e.model"
    " WHERE e.scope = ?1 ORDER BY e.model, e.seq"
)
_PURGED = Statement("SELECT seq, id, key, position, at FROM purged WHERE scope = ?1")
_MENTIONS = Statement("SELECT position, seq FROM mentions WHERE scope = ?1 ORDER BY position, seq")
_SETTINGS = Statement("SELECT name, value FROM settings WHERE scope = ?1 AND name <> ?2")
_SALTS = Statement("SELECT value FROM settings WHERE scope = ?1 AND name = ?2")
_BOOKS = {
    table: Statement(f"SELECT {', '.join(scope_rows.TABLES[table][0])} FROM {table} WHERE scope = ?1")
    for table in ("erased", "counters", "leases", "heard", "spans", "fired")
}


def fill_tables(db: Transaction, tables: OpenScope) -> None:
    """Write all that a graph has of a scope into tables, in the place of what is in them."""
    scope_rows.delete_rows(tables)
    tables.names.forget()
    scope = db.read_scope()
    tables.row = ScopeRow(tables.no)
    lines = [decode_line(node) for node in page_parts(db) if node.get("line") is None]
    shapes = dict(zip(scope.get("shape_numbers", ()), scope.get("shapes", ()), strict=True))
    put_lines(tables, [line for line, _ in lines], shapes)
    for some in _page_memories(db):
        commits.insert_tables(tables, some)
    commits.insert_tables(tables, _read_others(db))
    _fill_embeddings(db, tables)
    gone = [(row["seq"], row["id"], row["key"], row["position"], row["at"]) for row in db.rows("list_gone")]
    scope_rows.insert(tables, "purged", gone)
    _fill_books(db, tables, scope)
    tables.row = tables.row._replace(
        position=scope.get("position", 0),
        latest=scope.get("latest_seq", 0),
        newest_at=scope.get("newest_at", 0),
        digest=bytes.fromhex(scope.get("digest", UNCHAINED.hex())),
        before=bytes.fromhex(scope.get("before", UNCHAINED.hex())),
    )


def _page_memories(db: Transaction) -> Iterator[Tables]:
    """Yield memories with their vectors, tags and sources."""
    after = 0
    while nodes := db.collect("page_memories", after=after, limit=_ROWS_AT_ONCE):
        some = empty()
        for node in nodes:
            seq, row = decode_columns(node)
            some["memories"][seq] = row | {"vector": None}
            some["tags"] |= {(seq, tag): one for tag, one in decode_tags(node).items()}
            some["sources"] |= {(seq, source): one for source, one in decode_sources(node).items()}
        found = db.row("read_some_vectors", model=OWN, seqs=[*some["memories"]])
        for seq, vector in zip(found["seqs"], found["vectors"], strict=True) if found else ():
            some["memories"][seq] = {**some["memories"][seq], "vector": vector}
        yield some
        after = nodes[-1]["seq"]


def _read_others(db: Transaction) -> Tables:
    """Return links, bans, boxes and traces."""
    tables = empty()
    tables["links"] = dict(unpack_link(row) for row in db.collect("read_scope_links", types=None))
    names = dict.fromkeys(("only", "holding", "session", "trace", "is_open", "before", "since"))
    for table, key, statement in (
        ("boxes", "box", "find_boxes"),
        ("traces", "trace", "find_traces"),
        ("forbidden", "fold", "list_forbidden"),
    ):
        rows = db.rows(statement, **names, folds=None, limit=_EVERY)
        tables[table] = {row[key]: orjson.loads(row["row"]) for row in rows}
    return tables


def _fill_embeddings(db: Transaction, tables: OpenScope) -> None:
    for model in sorted({*db.collect("list_models")} - {OWN}):
        number, after = tables.names.make(MODEL, model), 0
        tables.write_names()
        while (row := db.row("read_vectors", model=model, after=after, limit=_VECTORS_AT_ONCE)) and row[
            "seqs"
        ]:
            pairs = zip(row["seqs"], row["vectors"], strict=True)
            rows = [(seq, number, vector, vector_digest(vector)) for seq, vector in pairs]
            scope_rows.insert(tables, "embeddings", rows)
            after = row["seqs"][-1]


def _fill_books(db: Transaction, tables: OpenScope, scope: Mapping[str, Any]) -> None:
    salts = scope.get("salts") or [""]
    tables.db.run(PUT, (SALT, salts[0]))
    settings = [(row["name"], row["value"]) for row in db.rows("read_settings", names=[], under=[""])]
    scope_rows.insert(tables, "settings", [*settings, (SALTS, orjson.dumps(salts[1:]).decode())])
    fired = orjson.loads(scope.get("fired", "{}"))
    scope_rows.insert(tables, "fired", fired.items())
    for table, statement, values in (
        ("erased", "list_erased", {}),
        ("counters", "read_counters", {"under": [""]}),
        ("leases", "list_leases", {}),
        ("heard", "read_heard", {}),
        ("spans", "read_spans", {}),
    ):
        scope_rows.insert(tables, table, [row.values() for row in db.rows(statement, **values)])


def write_nodes(db: Transaction, tables: OpenScope) -> dict[str, Any]:
    """Write all that tables have of a scope as nodes; return what the node of the scope says of it."""
    some, others = ScopeSlice(db, Cause("", 0, ""), 0, forbids=False), attached.read_tables(tables)
    counts = some.write({**empty(), **{table: others[table] for table in APART}})
    seqs = [seq for (seq,) in tables.db.rows(_SEQS, (tables.no,))]
    hanging = {table: group_rows(others[table]) for table in ("tags", "sources")}
    for page in _cut(seqs, _ROWS_AT_ONCE):
        counts += some.write(_read_memories(tables, hanging, page))
    for links in _cut([*others["links"].items()], _ROWS_AT_ONCE):
        counts += some.write({**empty(), "links": dict(links)})
    vectors: dict[str, list[dict[str, Any]]] = {}
    for model, seq, vector in tables.db.rows(_EMBEDDINGS, (tables.no,)):
        vectors.setdefault(model, []).append({"seq": seq, "vector": vector, "bytes": len(vector)})
    for model, rows in vectors.items():
        db.run("put_vectors", model=model, rows=rows)
    return {
        **{name: counts[name] for name in ("memories", "links", "forbidden", "worded")},
        "position": tables.row.position,
        "latest_seq": tables.row.latest,
        "newest_at": tables.row.newest_at,
        "digest": tables.row.digest.hex(),
        "before": tables.row.before.hex(),
        **_write_log(db, tables, {*seqs}),
        **_write_books(db, tables),
    }


def _cut(some: Sequence[Item], most: int) -> Iterator[Sequence[Item]]:
    """Yield lists of so many at most."""
    for begin in range(0, len(some), most):
        yield some[begin : begin + most]


def _read_memories(
    tables: OpenScope, hanging: Mapping[str, Mapping[int, Mapping[str, Row]]], seqs: Sequence[int]
) -> Tables:
    """Return memories with their tags and sources."""
    some = empty()
    for seq, row in read_rows(tables, seqs, _COLUMNS).items():
        some["memories"][seq] = plain_values(tables.names, _COLUMNS, row)
        for table, by_memory in hanging.items():
            some[table] |= {(seq, name): one for name, one in by_memory.get(seq, {}).items()}
    return some


def _write_log(db: Transaction, tables: OpenScope, there: AbstractSet[int]) -> dict[str, Any]:
    """Write all parts, and of which memories they are the history; `there` are those that have a row."""
    lines, shapes = read_lines(tables), read_shapes(tables)
    about: dict[int, set[int]] = {}
    for position, seq in tables.db.rows(_MENTIONS, (tables.no,)):
        about.setdefault(position, set()).add(seq)
    nodes, curated = _list_nodes(tables, lines, shapes)
    for node in nodes:
        found = {seq for one in decode_part(node).changes for seq in memories_of(one.table, one.key)}
        about[node["position"]] = about.get(node["position"], set()) | found
    runs = {line.position: line.header[HEADER.index("run")] for line in lines}
    purged = [
        {"seq": seq, "id": id_, "key": key, "position": position, "run": runs[position], "at": at}
        for seq, id_, key, position, at in tables.db.rows(_PURGED, (tables.no,))
    ]
    erased = set().union(*about.values()) - there - {row["seq"] for row in purged}
    gone = [{"scope": db.scope, **row} for row in (*purged, *({"seq": seq} for seq in sorted(erased)))]
    if gone:
        db.run("create_gone", rows=gone)
    for some in _cut(nodes, _PARTS_AT_ONCE):
        db.run("create_parts", rows=[[node, sorted(about[node["position"]])] for node in some])
    if rows := [{"seq": seq, "last_curated_at": at} for seq, at in curated.items() if seq in there]:
        db.run("update_memories", rows=rows)
    last = {"last_run": nodes[-1]["run"], "last_part": nodes[-1]["part"]} if nodes else {}
    return {**last, "shapes": [*shapes.values()], "shape_numbers": [*shapes]}


def _list_nodes(
    tables: OpenScope, lines: Sequence[AuditLine], shapes: Mapping[int, str]
) -> tuple[list[dict[str, Any]], dict[int, int]]:
    """Return the nodes of all parts, and when each memory was curated last."""
    ends, latest = audit.ends(tables), 0
    nodes: list[dict[str, Any]] = []
    curated: dict[int, int] = {}
    for line in lines:
        cause, content = audit.cause_of(line.header), line.content
        held = len(content.rows) + sum(block[4] for block in content.blocks)
        is_ended = not is_whole(cause, held, line.header[HEADER.index("changes")])
        new = encode_line(tables.name, line, shapes, ends.find_end_time(line.position) if is_ended else None)
        changes = [one for one in decode_part(new[0]).changes if one.table == "memories"]
        seqs = [one.key for one in changes if one.before is None and isinstance(one.key, int)]
        assigned = [seq for seq in seqs if seq > latest]
        latest = max([latest, *seqs])
        new[0] |= {"assigned": min(assigned, default=0), "assigned_count": len(assigned)}
        for node in new[1:]:
            node |= {"assigned": 0, "assigned_count": 0}
        if cause.verb == CURATE:
            curated |= {one.key: cause.at for one in changes if one.before and isinstance(one.key, int)}
        nodes += new
    return nodes, curated


def _write_books(db: Transaction, tables: OpenScope) -> dict[str, Any]:
    """Write what is not memory; return what the node of the scope says of it."""
    books = {table: tables.db.rows(statement, (tables.no,)) for table, statement in _BOOKS.items()}
    settings = tables.db.rows(_SETTINGS, (tables.no, SALTS))
    for statement, rows in (
        ("put_settings", settings),
        ("add_counts", books["counters"]),
        ("put_leases", books["leases"]),
        ("add_turns", books["heard"]),
        ("create_spans", books["spans"]),
    ):
        if rows:
            db.run(statement, rows=[[*row] for row in rows])
    if books["erased"]:
        db.run("put_erased", rows=[[*row] for row in books["erased"]], lasting=[])
    row = tables.db.row(_SALTS, (tables.no, SALTS))
    salts = [] if row is None else orjson.loads(row[0])
    return {
        "fired": orjson.dumps(dict(books["fired"])).decode(),
        "salts": salts if books["erased"] and salts else None,
        "moved_to": None,
    }
