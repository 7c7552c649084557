"""What every store refuses of changes that come as blocks, looked at as arrays; of others `constraints` knows it.

Knows changes and the columns of `model`; knows nothing of how rows are kept.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from remanence.core.change import ABSENT, BLOCK_ROWS_MAX, MILLION, Block, Entry, Ints, number_entries
from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.model import COLUMN, COUNTERS, SYMMETRIC, Column, Relation
from remanence.store.constraints import (
    LINK_COLUMN,
    bounds,
    refuse_class,
    refuse_malformed,
    refuse_state,
    refuse_transition,
)

STATED = ("status", "tier", "reason")
_NUMBERS = frozenset({"int", "time", "fraction", "flag", "enum"})
# Columns of memories that a block can change: narrow numbers, none of which is counted or a guard.
BLOCK_COLUMNS: Mapping[str, Mapping[str, Column]] = {
    "memories": {
        name: column
        for name, column in COLUMN.items()
        if column.home == "states" and column.kind in _NUMBERS and name not in COUNTERS
        if name not in {"revision", "touched"}
    },
    "links": LINK_COLUMN,
}
_RELATIONS = np.array(sorted(map(int, Relation)))
_MUTUAL = np.array(sorted(map(int, SYMMETRIC)))


def refuse_malformed_entries(entries: Sequence[Entry]) -> None:
    """Raise InvalidInput for what is wrong in itself: tables, keys, columns, values, one key twice."""
    numbered_singles, numbered_blocks = number_entries(entries)
    singles, blocks = [one for _, one in numbered_singles], [one for _, one in numbered_blocks]
    refuse_malformed(singles)
    if not blocks:
        return
    for block in blocks:
        _refuse_block(block)
    for table in BLOCK_COLUMNS:
        some = [block for block in blocks if block.table == table]
        keys = [block.keys for block in some]
        single = {change.key for change in singles if change.table == table}
        keys += [np.array([*single], np.int64)] if single else []
        if some and len(keys) > 1 and _repeats(np.concatenate(keys)):
            raise _block_error(some[-1], "names a row twice in one commit", "say each row's change once")


def _repeats(keys: Ints) -> bool:
    """Tell whether a number, or a row of numbers, stands there twice."""
    columns = keys.reshape(len(keys), -1)
    rows = columns[np.lexsort(columns.T)]
    return bool((rows[1:] == rows[:-1]).all(axis=1).any())


def refuse_moves(seqs: Ints, old: Ints, block: Block, verb: str) -> None:
    """Raise InvalidInput where a memory would come to a state it may not be in; each kind of move is judged once.

    `old` has the columns of STATED, ABSENT for None.
    """
    _refuse_classes(seqs, block, verb)
    names = [name for name in STATED if name in block.columns]
    if not names or block.after is None:
        return
    new = old.copy()
    for name in names:
        new[:, STATED.index(name)] = block.after[:, block.columns.index(name)]
    # Equal rows of small numbers get one number.
    rows = np.hstack((old, new))
    code = np.zeros(len(rows), np.int64)
    for column in np.where(rows == ABSENT, -1, rows).T:
        code = code * 256 + column + 1
    _, first = np.unique(code, return_index=True)
    for place in first.tolist():
        was, is_ = (_row(side[place]) for side in (old, new))
        seq = int(seqs[place])
        refuse_transition(seq, was["status"], is_["status"], verb)
        refuse_state(seq, is_)


def _refuse_classes(seqs: Ints, block: Block, verb: str) -> None:
    if "policy_class" not in block.columns or block.before is None or block.after is None:
        return
    at = block.columns.index("policy_class")
    moves = np.column_stack((seqs, block.before[:, at], block.after[:, at]))
    for seq, was, is_ in moves[moves[:, 1] != moves[:, 2]].tolist():
        refuse_class(seq, was, is_, verb)


def _row(values: Ints) -> dict[str, Any]:
    return {
        name: None if value == ABSENT else value for name, value in zip(STATED, values.tolist(), strict=True)
    }


def _refuse_block(block: Block) -> None:
    columns = BLOCK_COLUMNS.get(block.table)
    if columns is None:
        raise NameUnknown("table", block.table, BLOCK_COLUMNS)
    for name in block.columns:
        if name not in columns:
            raise NameUnknown("column", name, columns)
    _refuse_shape(block)
    _refuse_keys(block)
    if block.table == "links":
        _refuse_ends(block)
    for place, name in enumerate(block.columns) if block.after is not None else ():
        _refuse_values(block, columns[name], block.after[:, place])  # type: ignore[index]


def _refuse_shape(block: Block) -> None:
    """Raise unless the arrays fit together, and say what a change of that table says."""
    memories, count = block.table == "memories", len(block)
    if not 0 < count <= BLOCK_ROWS_MAX:
        raise _block_error(block, f"has {count:,} rows", f"give it 1 to {BLOCK_ROWS_MAX:,}")
    sides = [side for side in (block.before, block.after) if side is not None]
    guards = [guard for guard in (block.revision, block.touched) if guard is not None]
    fits = (
        block.keys.shape == ((count,) if memories else (count, 3))
        and all(side.shape == (count, len(block.columns)) for side in sides)
        and all(guard.shape == (count,) for guard in guards)
        and all(array.dtype == np.int64 for array in (block.keys, *sides, *guards))
        and len(set(block.columns)) == len(block.columns)
    )
    if not fits:
        raise _block_error(block, "has arrays that do not fit together", "give each row a key and its values")
    if memories and (len(sides) < 2 or block.revision is None or not block.columns):
        raise _block_error(block, "is no update", "give both sides and the revision of every memory")
    if not memories and (len(sides) != 1 or guards):
        raise _block_error(block, "neither makes nor cuts links", "give `before` or `after`")


def _refuse_keys(block: Block) -> None:
    """Raise unless keys are positive and ascend."""
    keys = block.keys if block.keys.ndim == 2 else block.keys[:, None]
    later = np.zeros(max(0, len(block) - 1), np.bool_)
    for column in keys.T[::-1]:
        later = (column[1:] > column[:-1]) | ((column[1:] == column[:-1]) & later)
    if not later.all() or (len(block) and keys[:, : 2 if block.table == "links" else 1].min() < 1):
        raise _block_error(
            block, "has keys out of order", "name memories by their numbers, in ascending order"
        )


def _refuse_ends(block: Block) -> None:
    source, target, relation = block.keys.T
    wrong = ~np.isin(relation, _RELATIONS) | (source == target)
    wrong |= np.isin(relation, _MUTUAL) & (source > target)
    if wrong.any():
        (key,) = block.where(wrong).row_keys()[:1]
        raise _block_error(
            block,
            f"has a link {key} that cannot be",
            "link two memories by a relation of model.Relation, a symmetric one from the lower number",
        )


def _refuse_values(block: Block, column: Column, values: Ints) -> None:
    least, most = _range(column)
    wrong = (values < least) | (values > most)
    if column.nullable:
        wrong &= values != ABSENT
    if wrong.any():
        raise _block_error(
            block,
            f"{column.name} cannot be {int(values[wrong][0])}",
            f"pass a whole number from {least} to {most}",
        )


def _range(column: Column) -> tuple[int, int]:
    match column.kind:
        case "enum" if column.labels is not None:
            return 0, len(column.labels) - 1
        case "flag":
            return 0, 1
        case "fraction":
            return 0, round(column.limit * MILLION)
        case _:
            return bounds(column)


def _block_error(block: Block, what: str, recovery: str) -> InvalidInput:
    return InvalidInput(f"a block of {block.table}: {what}", recovery=recovery)
