"""Vectors of models that are waited for, beside the memories' own: put in, and taken away with the texts they are of.

Neither audited nor undone: they follow from the texts. Each function runs inside one transaction of a writer.
"""

from collections.abc import Mapping, Sequence

from remanence.core.change import Fence
from remanence.store.base import EMBEDDED_MAX, EmbeddingRow
from remanence.store.sql import bookkeeping
from remanence.store.sql.dialect import Statement, build_insert
from remanence.store.sql.names import MODEL
from remanence.store.sql.scope import OpenScope
from remanence.store.sql.sums import vector_digest
from remanence.store.sql.transaction import CommitContext

# What memories say, and the digests of the vectors that a model made of them.
_SAYING = Statement(
    lambda sql: (
        "SELECT m.seq, m.fingerprint, e.digest FROM memories m LEFT JOIN embeddings e"
        " ON e.scope = m.scope AND e.seq = m.seq AND e.model = ?3"
        f" WHERE m.scope = ?1 AND m.seq {sql.among(2)}"
    )
)
_PUT = Statement(
    build_insert("embeddings", ("scope", "seq", "model", "vector", "digest"), ("scope", "seq", "model"))
)
_TAKE_OF_MODEL = Statement(
    "DELETE FROM embeddings WHERE scope = ?1 AND model = ?2 AND seq IN (SELECT seq FROM embeddings"
    f" WHERE scope = ?1 AND model = ?2 ORDER BY seq LIMIT {EMBEDDED_MAX}) RETURNING scope, seq, model, digest"
)
_TAKE = Statement(
    lambda sql: (
        f"DELETE FROM embeddings WHERE scope = ?1 AND seq {sql.among(2)} RETURNING scope, seq, model, digest"
    )
)


def embed(
    scope: OpenScope,
    model: str,
    rows: Sequence[EmbeddingRow] | None,
    count: Mapping[str, int],
    fence: Fence | None,
) -> int:
    """Keep vectors of a model whose memories still say what they were made for, or take some of the model away.

    Without `rows` they are taken away. `count` is added to counters.
    """
    bookkeeping.refuse_lost_lease(scope, fence)
    bookkeeping.add_counts(scope, count)
    number = scope.names.make(MODEL, model)
    scope.write_names()
    if rows is None:
        taken = scope.db.rows(_TAKE_OF_MODEL, (scope.no, number))
        scope.sums.remove_rows("embeddings", taken)
        return len(taken)
    if not rows:
        return 0
    wanted = {one.seq: one for one in rows}
    found = scope.db.rows(_SAYING, (scope.no, scope.db.make_list(wanted), number))
    saying = {seq: digest for seq, mark, digest in found if mark == wanted[seq].fingerprint}
    put = [(scope.no, seq, number, wanted[seq].vector, vector_digest(wanted[seq].vector)) for seq in saying]
    if put:
        scope.db.run_many(_PUT, put)
    old = [(scope.no, seq, number, digest) for seq, digest in saying.items() if digest is not None]
    scope.sums.remove_rows("embeddings", old)
    scope.sums.add_rows("embeddings", [(no, seq, of, digest) for no, seq, of, _, digest in put])
    return len(put)


def drop(work: CommitContext, seqs: Sequence[int]) -> None:
    """Take away what models made of texts that go."""
    if seqs:
        taken = work.db.rows(_TAKE, (work.no, work.db.make_list(seqs)))
        work.sums.remove_rows("embeddings", taken)
