"""Vectors of models that are waited for, beside the memories' own: put in, and taken away with the texts they are of.

Neither audited nor undone: they follow from the texts. Each function runs inside one transaction of the writer.
"""

import sqlite3
from collections.abc import Mapping, Sequence

from remanence.core.change import Fence
from remanence.store.base import EMBEDDED_MAX, EmbeddingRow
from remanence.store.sqlite import bookkeeping
from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.string_ids import MODEL, SCOPE, Fresh
from remanence.store.sqlite.sums import record, vector_digest
from remanence.store.sqlite.transaction import CommitContext

_SAYS = "SELECT 1 FROM memories WHERE seq = ? AND scope = ? AND fingerprint = ?"
_HELD = "SELECT seq, model, digest FROM embeddings WHERE seq = ? AND model = ?"
_PUT = (
    "INSERT INTO embeddings (seq, model, vector, digest) VALUES (?, ?, ?, ?) ON CONFLICT (seq, model) DO UPDATE"
    " SET vector = excluded.vector, digest = excluded.digest"
)
_OF_MODEL = (
    "SELECT e.seq, e.model, e.digest FROM states s CROSS JOIN embeddings e ON e.seq = s.seq AND e.model = ?"
    " WHERE s.scope = ? ORDER BY s.seq LIMIT ?"
)
_OF_MEMORIES = (
    "SELECT e.seq, e.model, e.digest FROM json_each(?) AS given"
    " CROSS JOIN embeddings e ON e.seq = given.value"
)
_DELETE = "DELETE FROM embeddings WHERE seq = ? AND model = ?"

Rows = list[tuple[int, int, int]]


def embed(
    connection: sqlite3.Connection,
    names: Fresh,
    scope: str,
    what: tuple[str, Sequence[EmbeddingRow] | None, Mapping[str, int]],
    fence: Fence | None,
) -> int:
    """Keep vectors of a model whose memories still say what they were made for, or take some of the model away.

    `what` are the model, the vectors, None for those to take away, and what is counted with it.
    """
    no, (name, rows, count) = names.make(connection, SCOPE, scope), what
    bookkeeping.refuse_lost_lease(connection, no, fence)
    record(connection, "counters", *bookkeeping.add_counts(connection, no, count))
    model = names.make(connection, MODEL, name)
    if rows is None:
        model_rows = connection.execute(_OF_MODEL, (model, no, EMBEDDED_MAX)).fetchall()
        connection.executemany(_DELETE, [row[:2] for row in model_rows])
        record(connection, "embeddings", model_rows)
        return len(model_rows)
    vectors = {
        one.seq: one.vector
        for one in rows
        if connection.execute(_SAYS, (one.seq, no, one.fingerprint)).fetchone() is not None
    }
    old_rows = [row for seq in vectors for row in connection.execute(_HELD, (seq, model))]
    put = [(seq, model, vector, vector_digest(vector)) for seq, vector in vectors.items()]
    connection.executemany(_PUT, put)
    record(connection, "embeddings", old_rows, [(seq, of, digest) for seq, of, _, digest in put])
    return len(put)


def drop(work: CommitContext, seqs: Sequence[int]) -> None:
    """Take away what models made of texts that go."""
    rows: Rows = work.connection.execute(_OF_MEMORIES, (id_list(seqs),)).fetchall()
    work.connection.executemany(_DELETE, [row[:2] for row in rows])
    work.sums.remove_rows("embeddings", rows)
