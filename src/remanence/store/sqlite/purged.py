"""Which memories have gone, and by which part: where the image lies that brings one back, until it ends."""

import sqlite3
from collections.abc import Collection, Sequence

import orjson

from remanence.store.audit_parts import OF_PART
from remanence.store.base import PurgedMemory
from remanence.store.sqlite import audit
from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.string_ids import SCOPE, StringIds
from remanence.store.sqlite.transaction import CommitContext

_INSERT = 'INSERT INTO purged (scope, seq, id, "key", position, at) VALUES (?, ?, ?, ?, ?, ?)'
_THESE = "FROM purged WHERE scope = ? AND seq IN (SELECT value FROM json_each(?))"
_OF = f'SELECT scope, seq, id, "key", position, at {_THESE}'
_DROP = f"DELETE {_THESE}"
_ANY = "SELECT 1 FROM purged WHERE scope = ? LIMIT 1"
_NAMED = (
    "SELECT p.seq, p.id, p.key, r.run, p.at, p.position FROM purged AS p JOIN runs AS r USING (position)"
    " WHERE p.scope = ?1 AND ({condition})"
)
_EXACT = _NAMED.format(
    condition="p.seq IN (SELECT value FROM json_each(?2)) OR p.id IN (SELECT value FROM json_each(?3))"
    " OR p.key IN (SELECT value FROM json_each(?3))"
)
_ENDING = _NAMED.format(
    condition="EXISTS (SELECT 1 FROM json_each(?2) WHERE substr(p.id, -length(value)) = value)"
)
_IMAGE = f'SELECT 1 FROM changes WHERE {OF_PART} AND kind = 0 AND "key" = ?2 AND "before" IS NOT NULL LIMIT 1'


def put(work: CommitContext, rows: Sequence[tuple[int, str, str | None]]) -> None:
    """Keep by which part memories go, each given by number, id and key."""
    purged_rows = [(work.no, *row, work.images.position, work.cause.at) for row in rows]
    work.connection.executemany(_INSERT, purged_rows)
    work.sums.add_rows("purged", purged_rows)


def drop(work: CommitContext, seqs: Collection[int]) -> None:
    """Forget that memories have gone: they come back, or were erased."""
    if not seqs or work.connection.execute(_ANY, (work.no,)).fetchone() is None:
        return
    values = (work.no, id_list(seqs))
    work.sums.remove_rows("purged", work.connection.execute(_OF, values).fetchall())
    work.connection.execute(_DROP, values)


def ids(work: CommitContext, seqs: Collection[int]) -> list[tuple[int, str]]:
    """Return the ids of memories that have gone, with their numbers."""
    if not seqs:
        return []
    rows = work.connection.execute(_OF, (work.no, id_list(seqs))).fetchall()
    return [(row[1], row[2]) for row in rows]


def find_purged_memories(
    connection: sqlite3.Connection, names: StringIds, scope: str, asked: Sequence[int | str]
) -> list[PurgedMemory]:
    """Return those that have one of these numbers, ids or keys, or an id that ends so."""
    no = names.number(connection, SCOPE, scope)
    seqs = [name for name in asked if isinstance(name, int)]
    texts = {name for name in asked if isinstance(name, str) and name}
    rows = connection.execute(_EXACT, (no, id_list(seqs), _json_list(texts))).fetchall()
    unknown = texts - {name for row in rows for name in row[1:3]}
    if unknown:
        rows += connection.execute(_ENDING, (no, _json_list(unknown))).fetchall()
    marks = audit.ends(connection, no)
    return [
        PurgedMemory(
            seq,
            id_,
            key,
            run,
            at,
            None
            if connection.execute(_IMAGE, (position, seq)).fetchone() is not None
            else marks.find_end_time(position),
        )
        for seq, id_, key, run, at, position in sorted(set(rows))
    ]


def _json_list(texts: Collection[str]) -> str:
    return orjson.dumps(sorted(texts)).decode()
