"""Which memories have gone, and by which part: where the image lies that brings one back, until it ends."""

from collections.abc import Collection, Sequence
from typing import Any

from remanence.store.audit_parts import unpack_run_id
from remanence.store.base import PurgedMemory
from remanence.store.sql import audit
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Dialect, Statement, build_insert
from remanence.store.sql.scope import OpenScope
from remanence.store.sql.transaction import CommitContext

_COLUMNS = ("scope", "seq", "id", "key", "position", "at")
_INSERT = Statement(build_insert("purged", _COLUMNS))
_OF = Statement(
    lambda sql: f"SELECT {', '.join(_COLUMNS)} FROM purged WHERE scope = ?1 AND seq {sql.among(2)}"
)
_DROP = Statement(lambda sql: f"DELETE FROM purged WHERE scope = ?1 AND seq {sql.among(2)}")
_NAMED = (
    "SELECT p.seq, p.id, p.key, r.run, p.at, p.position FROM purged p"
    " JOIN runs r ON r.scope = p.scope AND r.position = p.position WHERE p.scope = ?1 AND "
)
_SEQ = "SELECT seq FROM purged WHERE scope = ?1 AND"
_EXACT = Statement(
    lambda sql: (
        f"{_NAMED}p.seq IN ({_SEQ} seq {sql.among(2)} UNION {_SEQ} id {sql.among_texts(3)}"
        f" UNION {_SEQ} key {sql.among_texts(3)})"
    )
)
_ENDING = Statement(lambda sql: _NAMED + _build_ending(sql))
_IMAGES = Statement(
    lambda sql: (
        f"SELECT position, key FROM changes WHERE scope = ?1 AND position {sql.among(2)} AND kind = 0"
        f" AND key {sql.among(3)} AND before IS NOT NULL"
    )
)


def _build_ending(sql: Dialect) -> str:
    """Return the condition that an id ends as one of a list."""
    end = "substr(p.id, length(p.id) - length(given.value) + 1)"
    return f"EXISTS (SELECT 1 FROM {sql.from_texts(2)} WHERE {end} = given.value)"


def put(work: CommitContext, rows: Sequence[tuple[int, str, str | None]]) -> None:
    """Keep by which part memories go, each given by number, id and key."""
    if not rows:
        return
    purged_rows = [(work.no, *row, work.images.position, work.cause.at) for row in rows]
    work.db.run_many(_INSERT, purged_rows)
    work.sums.add_rows("purged", purged_rows)


def drop(work: CommitContext, seqs: Collection[int]) -> None:
    """Forget that memories have gone: they come back, or were erased."""
    if rows := _read(work, seqs):
        work.sums.remove_rows("purged", rows)
        work.db.run(_DROP, (work.no, work.db.make_list(seqs)))


def ids(work: CommitContext, seqs: Collection[int]) -> list[tuple[int, str]]:
    """Return the ids of memories that have gone, with their numbers."""
    return [(row[1], row[2]) for row in _read(work, seqs)]


def _read(work: CommitContext, seqs: Collection[int]) -> list[tuple[Any, ...]]:
    return work.db.rows(_OF, (work.no, work.db.make_list(seqs))) if seqs else []


def find_purged_memories(scope: OpenScope, names: Sequence[int | str]) -> list[PurgedMemory]:
    """Return those that have one of these numbers, ids or keys, or an id that ends so."""
    db = scope.db
    seqs = [name for name in names if isinstance(name, int)]
    texts = {name for name in names if isinstance(name, str) and name}
    rows = db.rows(_EXACT, (scope.no, db.make_list(seqs), db.make_list(sorted(texts))))
    if unknown := texts - {name for row in rows for name in row[1:3]}:
        rows += db.rows(_ENDING, (scope.no, db.make_list(sorted(unknown))))
    if not rows:
        return []
    lists = (db.make_list(sorted({row[5] for row in rows})), db.make_list(sorted({row[0] for row in rows})))
    standing = set(db.rows(_IMAGES, (scope.no, *lists)))
    image_ends = audit.ends(scope)
    with DECODING:
        return [
            PurgedMemory(
                seq,
                id_,
                key,
                unpack_run_id(run),
                at,
                None if (position, seq) in standing else image_ends.find_end_time(position),
            )
            for seq, id_, key, run, at, position in sorted(set(rows))
        ]
