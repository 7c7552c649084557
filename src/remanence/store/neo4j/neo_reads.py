"""What is read of a scope beside snapshots: memories, listings, what a write must know, words, links, vectors, history.

Knows requests and nodes; knows nothing of how one moment is read.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import orjson

from remanence.core.arrival import KnownMemory, Segment, Tail, WriteContext
from remanence.core.box import BoxRow, FindBoxes, FindTraces, TraceRow, box_of, trace_of
from remanence.core.change import AuditPart
from remanence.core.model import STANDING, Link, Memory, Relation, Status
from remanence.core.segment import FIRST_IN_SEGMENT, LOOK_BACK, count_last_segment
from remanence.store.audit_parts import filter_part
from remanence.store.base import AnswerRequest, AnswerRows, Arriving, Find, Ints, Postings, ScopeSize
from remanence.store.neo4j.neo_parts import decode_part
from remanence.store.neo4j.neo_queries import TYPES
from remanence.store.neo4j.neo_rows import OWN, decode_known, decode_memory, encode_find, list_links, stem_key
from remanence.store.neo4j.neo_settings import read_counters, read_settings
from remanence.store.neo4j.neo_transactions import Transaction

_VECTORS_AT_ONCE = 10_000
_PARTS_AT_ONCE = 500


def get_memories(db: Transaction, names: Sequence[int | str]) -> list[Memory | None]:
    """Return memories by number, id or key, in the order asked; None where there is none."""
    seqs = list({name for name in names if isinstance(name, int)})
    texts = list({name for name in names if isinstance(name, str)})
    nodes = db.collect("read_named", seqs=seqs, names=texts) if names else []
    memories = [decode_memory(node) for node in nodes]
    by_name: dict[int | str, Memory] = {one.key: one for one in memories if one.key is not None}
    by_name |= {one.id: one for one in memories}
    by_name |= {one.seq: one for one in memories}
    return [by_name.get(name) for name in names]


def find_memories(db: Transaction, find: Find) -> list[Memory]:
    """List memories."""
    name = "find_oldest_memories" if find.oldest_first else "find_memories"
    return [decode_memory(row["memory"]) for row in db.rows(name, **encode_find(find))]


def read_context(db: Transaction, asked: Arriving) -> WriteContext:
    """Return what a write or a question must know."""
    scope = db.read_scope()
    prints = [one.hex() for one in dict.fromkeys(asked.fingerprints)]
    keys = list(dict.fromkeys(asked.keys))
    found = db.rows("read_claims", ids=[], keys=keys, fingerprints=prints) if prints or keys else []
    known = [decode_known(row) for row in found]
    by_key = {row["key"]: one for row, one in zip(found, known, strict=True) if row["key"] in set(keys)}
    wanted = set(asked.fingerprints)
    twins = {one.fingerprint: one for one in sorted(known, key=_order_twins) if one.fingerprint in wanted}
    terms = db.rows("count_terms", terms=list(dict.fromkeys(asked.terms))) if asked.terms else []
    tails = {segment: _read_tail(db, segment) for segment in asked.segments}
    return WriteContext(
        twins=twins,
        keys=by_key,
        tails={segment: tail for segment, tail in tails.items() if tail is not None},
        memories=scope.get("worded", 0),
        df={row["term"]: row["count"] for row in terms},
        forbids=scope.get("forbidden", 0) > 0 or "salts" in scope,  # which an erasure makes
        position=scope.get("position", 0),
        values=read_settings(db, asked.get),
        counters=read_counters(db, asked.counters),
    )


def _order_twins(one: KnownMemory) -> tuple[bool, bool, int]:
    """Order memories as twins, the best last: those that stand, then those in quarantine; of each the oldest."""
    return one.status in STANDING, one.status == Status.QUARANTINED, -one.seq


def _read_tail(db: Transaction, segment: Segment) -> Tail | None:
    """Return the end of a segment; threads and runs are looked for among the last arrivals."""
    if segment.kind == "session":
        rows = db.rows("read_session_tail", session=segment.name, limit=FIRST_IN_SEGMENT)
    else:
        names = {
            "thread": None,
            "agent": None,
            ("thread" if segment.kind == "thread" else "agent"): segment.name,
        }
        rows = db.rows("read_recent_tail", **names, reach=LOOK_BACK, limit=FIRST_IN_SEGMENT)
    if not rows:
        return None
    said_at = [row["said_at"] for row in rows]
    return Tail(count_last_segment(segment.kind, said_at), said_at[0], rows[0]["text"])


def search_words(db: Transaction, words: Sequence[str]) -> Postings:
    """Return the memories that hold each stem."""
    position = db.read_scope().get("position", 0)
    blocks: dict[str, list[int]] = {word: [] for word in words}
    for row in db.rows("search_words", keys=list(map(stem_key, blocks))) if blocks else ():
        blocks[row["stem"]] += row["seqs"]
    return Postings({word: np.sort(np.array(seqs, np.int64)) for word, seqs in blocks.items()}, position)


def list_words(db: Transaction, beginnings: Sequence[str]) -> list[str]:
    """Return the stems that begin with one of some beginnings, in order."""
    rows = db.rows("list_words", beginnings=list(beginnings)) if beginnings else []
    return sorted({row["stem"] for row in rows})


def list_neighbours(db: Transaction, seqs: Iterable[int] | None, relations: Sequence[Relation]) -> list[Link]:
    """Return the links that have one of some memories at an end, or all links."""
    types = [TYPES[one] for one in relations] or None
    if seqs is None:
        return list_links(db.collect("read_scope_links", types=types))
    some = list(dict.fromkeys(seqs))
    return list_links(db.collect("read_neighbours", seqs=some, types=types) if some else [])


def read_answer(db: Transaction, asked: AnswerRequest) -> AnswerRows:
    """Return memories and links of an answer."""
    links = list_neighbours(db, [*asked.seqs, *asked.rest], asked.relations)
    found = get_memories(db, asked.list_memories(links))
    return AnswerRows({one.seq: one for one in found if one is not None}, links)


def read_vectors(
    db: Transaction, after: int, only: Sequence[int] | None, model: str
) -> tuple[Ints, npt.NDArray[np.float16]]:
    """Return vectors of a model in order of arrival, all of them in ranges of numbers."""
    seqs: list[int] = []
    vectors: list[bytes] = []
    if only is not None:
        some = sorted({seq for seq in only if seq > after})
        row = db.row("read_some_vectors", model=model, seqs=some)
        seqs, vectors = ([], []) if row is None else (row["seqs"], row["vectors"])
    else:
        while row := db.row("read_vectors", model=model, after=after, limit=_VECTORS_AT_ONCE):
            seqs += row["seqs"]
            vectors += row["vectors"]
            if len(row["seqs"]) < _VECTORS_AT_ONCE:
                break
            after = seqs[-1]
    rows = [np.frombuffer(vector, "<f2") for vector in vectors]
    return np.array(seqs, np.int64), np.stack(rows) if rows else np.empty((0, 0), np.float16)


def find_boxes(db: Transaction, find: FindBoxes) -> list[BoxRow]:
    """List boxes, those of the latest turns first."""
    values = {name: getattr(find, name) for name in ("session", "trace", "is_open", "before", "limit")}
    rows = db.rows("find_boxes", only=_list(find.only), holding=_list(find.holding), **values)
    return [box_of(row["box"], orjson.loads(row["row"])) for row in rows]


def find_traces(db: Transaction, find: FindTraces) -> list[TraceRow]:
    """List traces, those of the latest turns first."""
    rows = db.rows("find_traces", only=_list(find.only), since=find.since, limit=find.limit)
    return [trace_of(row["trace"], orjson.loads(row["row"])) for row in rows]


def _list(some: Sequence[int] | None) -> list[int] | None:
    return None if some is None else list(some)


def read_history(
    db: Transaction, *, run: str | None, memory: int | None, after: int, limit: int, rows: bool
) -> list[AuditPart]:
    """Return parts, oldest first: of one run, of one memory, or above a position."""
    if memory is not None:
        return _read_history_of_memory(db, run, memory, after, limit, rows=rows)
    name, more = ("read_parts", {}) if run is None else ("read_run", {"run": run})
    parts: list[AuditPart] = []
    while len(parts) < limit:
        count = min(limit - len(parts), _PARTS_AT_ONCE)
        found = db.rows(name, after=after, limit=count, rows=rows, **more)
        parts += [_decode_part(row["part"], rows=rows) for row in found]
        if len(found) < count:
            break
        after = parts[-1].position
    return parts


def _read_history_of_memory(
    db: Transaction, run: str | None, memory: int, after: int, limit: int, *, rows: bool
) -> list[AuditPart]:
    found = db.rows("read_parts_of_memory", seq=memory, after=after, limit=limit, run=run)
    parts = [filter_part(decode_part(row["part"]), memory) for row in found]
    return [part if rows else _without_rows(part) for part in parts if part.entries]


def _decode_part(node: Mapping[str, Any], *, rows: bool) -> AuditPart:
    part = decode_part(node)
    return part if rows else _without_rows(part)


def _without_rows(part: AuditPart) -> AuditPart:
    return (
        part
        if not part.entries and not part.used
        else AuditPart(part.position, part.cause, (), part.digest, part.count, (), part.ended_at)
    )


def measure_scopes(db: Transaction, scopes: Sequence[str]) -> dict[str, ScopeSize]:
    """Return how much each of some scopes holds."""
    rows = db.rows("measure_scopes", scopes=list(scopes), own=OWN) if scopes else []
    return {row["name"]: ScopeSize(row["memories"], row["bytes"] + row["vectors"]) for row in rows}
