"""Which memories were written to since a position, as the log of a scope has it.

Knows rows of `runs`, `changes` and `blocks`; reads no memory.
"""

import sqlite3

import numpy as np

from remanence.core.snapshot import SINCE_PARTS_MAX, SINCE_ROWS_MAX, Ints
from remanence.store.audit_parts import OF_LISTED
from remanence.store.erasure import ERASE
from remanence.store.sqlite import audit, block_log
from remanence.store.sqlite.dialect import DECODING, id_list
from remanence.store.undo_data_pruning import EXPIRE

_PARTS = (
    "SELECT position, verb FROM runs INDEXED BY runs_scope WHERE scope = ? AND position > ?"
    " ORDER BY position LIMIT ?"
)
_KINDS = ", ".join(str(audit.CODE[table]) for table in ("memories", "tags", "links"))
_OF_LINKS = audit.CODE["links"]
_CHANGES = (
    'SELECT kind, changes."key", subkey FROM json_each(?) CROSS JOIN changes'
    f" ON {OF_LISTED} WHERE kind IN ({_KINDS}) LIMIT ?"
)


def changed_since(connection: sqlite3.Connection, scope: int, position: int) -> Ints | None:
    """Return, ascending, the memories whose rows, tags, links or uses a scope's log names since; None where unknown.

    An erasure and the end of images take away what the log said.
    """
    begin = audit.line_before(connection, scope, position)
    parts = connection.execute(_PARTS, (scope, begin, SINCE_PARTS_MAX + 1)).fetchall()
    if len(parts) > SINCE_PARTS_MAX or any(verb in {ERASE, EXPIRE} for _, verb in parts):
        return None
    positions = id_list([at for at, _ in parts])
    rows = connection.execute(_CHANGES, (positions, SINCE_ROWS_MAX + 1)).fetchall()
    if len(rows) > SINCE_ROWS_MAX:
        return None
    seqs = {key for _, key, _ in rows}
    with DECODING:
        seqs |= {int(rest.split(":")[0]) for kind, _, rest in rows if kind == _OF_LINKS}
    block_seqs = block_log.find_touched(connection, positions, SINCE_ROWS_MAX)
    if block_seqs is None or len(seqs) + len(block_seqs) > SINCE_ROWS_MAX:
        return None
    return np.union1d(np.fromiter(seqs, np.int64, len(seqs)), block_seqs)
