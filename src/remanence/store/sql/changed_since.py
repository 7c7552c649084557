"""Which memories were written to since a position, as the log of a scope has it.

Knows rows of `runs`, `changes` and `blocks`; reads no memory.
"""

import numpy as np

from remanence.core.snapshot import SINCE_PARTS_MAX, SINCE_ROWS_MAX, Ints
from remanence.store.erasure import ERASE
from remanence.store.sql import audit, block_log
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Statement
from remanence.store.sql.scope import OpenScope
from remanence.store.undo_data_pruning import EXPIRE

_KINDS = ", ".join(str(audit.CODE[table]) for table in ("memories", "tags", "links"))
_OF_LINKS = audit.CODE["links"]
# Lines with what they changed, one at least for each; the position may lie within a line of several parts.
_CHANGES = Statement(
    "SELECT r.position, r.verb, c.kind, c.key, c.subkey FROM runs r LEFT JOIN changes c"
    f" ON c.scope = r.scope AND c.position = r.position AND c.kind IN ({_KINDS})"
    " WHERE r.scope = ?1 AND r.position >= coalesce((SELECT CASE WHEN l.parts IS NULL THEN NULL ELSE l.position END"
    " FROM runs l WHERE l.scope = ?1 AND l.position <= ?2 ORDER BY l.position DESC LIMIT 1), CAST(?2 AS bigint) + 1)"
    f" ORDER BY r.position LIMIT {SINCE_PARTS_MAX + SINCE_ROWS_MAX + 1}"
)


def changed_since(scope: OpenScope, position: int) -> Ints | None:
    """Return, ascending, the memories whose rows, tags, links or uses a scope's log names since; None where unknown.

    An erasure and the end of images take away what the log said.
    """
    if position == scope.row.position:
        return np.empty(0, np.int64)
    rows = scope.db.rows(_CHANGES, (scope.no, position))
    parts = {at: verb for at, verb, *_ in rows}
    changes = [change for _, _, *change in rows if change[0] is not None]
    if len(parts) > SINCE_PARTS_MAX or len(changes) > SINCE_ROWS_MAX or {ERASE, EXPIRE} & {*parts.values()}:
        return None
    seqs = {key for _, key, _ in changes}
    with DECODING:
        seqs |= {int(rest.split(":")[0]) for kind, _, rest in changes if kind == _OF_LINKS}
    block_seqs = block_log.find_touched(scope, list(parts), SINCE_ROWS_MAX)
    if block_seqs is None or len(seqs) + len(block_seqs) > SINCE_ROWS_MAX:
        return None
    return np.union1d(np.fromiter(seqs, np.int64, len(seqs)), block_seqs)
