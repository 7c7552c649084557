"""Blocks as the audit keeps them: an image of the keys, one of the values, and between which memories they lie.

Knows rows of `blocks` and how arrays become few bytes: the differences between neighbours, as narrow as they fit, then
compressed. Knows nothing of chains and parts.
"""

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from struct import Struct
from typing import Literal, cast

import numpy as np

from remanence.core.change import BLOCK_ROWS_MAX, Block, Change, Entry, Ints
from remanence.core.model import LINK_COLUMNS
from remanence.core.snapshot import Bools, is_among
from remanence.store.audit_parts import USED_MAX
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Statement, build_insert
from remanence.store.sql.scope import OpenScope
from remanence.store.sql.use_parts import pack_used, unpack_used

# position, n, kind, shape, rows, least, greatest, keys, image. Of links that are made there are no values, of memories
# that were used neither these nor bounds: nobody looks for uses by memory.
Row = tuple[int, int, int, int | None, int, int | None, int | None, bytes, bytes | None]
KINDS: Sequence[Literal["memories", "links"]] = ("memories", "links")
ONE_BY_ONE = 2  # links that came as single changes, which they are again when they are read
USED = 3  # memories that were used, part by part
_COLUMNS = ("position", "n", "kind", "shape", "rows", "least", "greatest", "keys", "image")
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM blocks"
_INSERT = Statement(build_insert("blocks", ("scope", *_COLUMNS)))
_OF_PART = Statement(f"{_SELECT} WHERE scope = ?1 AND position = ?2 ORDER BY n")
_OF_LISTED = Statement(
    lambda sql: f"{_SELECT} WHERE scope = ?1 AND position {sql.among(2)} ORDER BY position, n"
)
_REWRITE = Statement("UPDATE blocks SET rows = ?4, keys = ?5 WHERE scope = ?1 AND position = ?2 AND n = ?3")
_DELETE = Statement("DELETE FROM blocks WHERE scope = ?1 AND position = ?2 AND n = ?3")
_KEYS_OF_LISTED = Statement(
    lambda sql: (
        "SELECT position, n, kind, shape, rows, least, greatest, keys, NULL FROM blocks"
        f" WHERE scope = ?1 AND position {sql.among(2)}"
    )
)
_ABOUT = Statement(
    lambda sql: (
        f"{_SELECT}{sql.by_index('blocks_bounds')}"
        " WHERE scope = ?1 AND least IS NOT NULL AND least <= ?2 AND greatest >= ?2 AND position > ?3"
    )
)
_WIDTHS = (1, 2, 4, 8)
_HEAD = Struct("<bqq")  # bytes a difference, 0 where all are the same; the first number; that difference
# The fastest level: what is left to gain is a tenth, and costs three times as much.
_LEVEL = 1


def row_of(
    position: int, n: int, block: Block, whole: Ints | None, shape: Callable[[Iterable[str]], int]
) -> Row:
    """Return what is kept of a block whose first row has a number; `whole` are the columns of links that are cut."""
    kind = KINDS.index(block.table)
    ends = block.keys if block.table == "memories" else block.keys[:, :2]
    bounds = (int(ends.min()), int(ends.max())) if len(block) else (0, 0)
    keys = pack_arrays(np.atleast_2d(block.keys.T))
    columns: tuple[str, ...]
    if block.table == "links":
        columns, arrays = LINK_COLUMNS, [] if whole is None else [*whole.T]
    else:
        assert block.revision is not None and block.before is not None and block.after is not None
        columns, arrays = block.columns, [block.revision, *block.before.T, *block.after.T]
    image = pack_arrays(arrays) if arrays else None
    return (position, n, kind, shape(columns) if arrays else None, len(block), *bounds, keys, image)


def build_links_row(position: int, n: int, keys: Ints) -> Row:
    """Return what is kept of links that came one after the other, as single changes."""
    bounds = int(keys[:, :2].min()), int(keys[:, :2].max())
    return (position, n, ONE_BY_ONE, None, len(keys), *bounds, pack_arrays(keys.T), None)


def build_used_row(position: int, seqs: Ints) -> Row:
    """Return what is kept of memories that were used, or embedded again."""
    if len(seqs) <= USED_MAX:
        return (position, 0, USED, None, len(seqs), None, None, pack_used(seqs.tolist()), None)
    return (position, 0, 0, None, len(seqs), None, None, pack_arrays([seqs]), None)


def can_grow(row: Row) -> bool:
    """Tell whether a row holds uses part by part."""
    return row[2] == USED


def add_used(row: Row, kept: bytes, count: int) -> Row:
    """Return a row of uses with those of one more part."""
    return (*row[:4], row[4] + count, None, None, row[7] + kept, None)


def rewrite(scope: OpenScope, row: Row) -> None:
    """Write a row of uses that has grown."""
    scope.db.run(_REWRITE, (scope.no, *row[:2], row[4], row[7]))


def write(scope: OpenScope, rows: Sequence[Row]) -> None:
    """Write the blocks of a part."""
    if rows:
        scope.db.run_many(_INSERT, [(scope.no, *row) for row in rows])


def read(scope: OpenScope, position: int) -> list[Row]:
    """Return the blocks of a part, in order."""
    return scope.db.rows(_OF_PART, (scope.no, position))


def read_listed(scope: OpenScope, positions: Iterable[int]) -> list[Row]:
    """Return the blocks of some parts, in order."""
    return scope.db.rows(_OF_LISTED, (scope.no, scope.db.make_list(positions)))


def is_about(row: Row, memories: Ints) -> Bools:
    """Tell which rows of a block are about any of these ascending memories; what was only used is kept for nobody."""
    if row[5] is None:
        return np.zeros(row[4], np.bool_)
    with DECODING:
        keys = _unpack_keys(row)
    ends = keys[:, np.newaxis] if keys.ndim == 1 else keys[:, :2]
    return cast("Bools", is_among(ends.ravel(), memories).reshape(ends.shape).any(axis=1))


def remove_block_rows(scope: OpenScope, cuts: Sequence[tuple[Row, Bools]]) -> None:
    """Leave some rows of blocks alone, each given with which stay; a block of which none stay goes."""
    if not cuts:
        return
    shapes = scope.names.read_texts(row[3] for row, stays in cuts if row[3] is not None and stays.any())
    with DECODING:
        left = [_keep_rows(row, stays, shapes) for row, stays in cuts if stays.any()]
    scope.db.run_many(_DELETE, [(scope.no, *row[:2]) for row, _ in cuts])
    write(scope, left)


def _keep_rows(row: Row, stays: Bools, shapes: Mapping[int, str]) -> Row:
    """Return what is kept of a block without the other rows."""
    if row[2] == ONE_BY_ONE:
        return build_links_row(row[0], row[1], _unpack_keys(row)[stays])
    block, number = _decode_block(row, shapes).where(stays), row[3]
    whole = block.before if block.table == "links" else None
    return row_of(row[0], row[1], block, whole, lambda _: cast("int", number))


def positions_about(scope: OpenScope, memory: int, after: int) -> set[int]:
    """Return the parts after a position that have a block with a row about a memory."""
    rows = scope.db.rows(_ABOUT, (scope.no, memory, after))
    return {row[0] for row in rows if _match_memory(row, memory).any()}


def blocks(rows: Iterable[Row], shapes: Mapping[int, str], memory: int | None) -> Iterator[tuple[int, Entry]]:
    """Yield (number of its first row, block) as logged, of one memory only its rows."""
    for row in rows:
        if row[2] == ONE_BY_ONE:
            yield from _iterate_single_links(row, memory)
            continue
        with DECODING:
            if row[5] is None:
                continue
            block = _decode_block(row, shapes)
        if memory is None:
            yield row[1], block
            continue
        mine = np.flatnonzero(_match_memory(row, memory))
        if len(mine):
            yield row[1] + int(mine[0]), block.where(mine)


def _iterate_single_links(row: Row, memory: int | None) -> Iterator[tuple[int, Change]]:
    """Yield links that came as single changes, each with its number."""
    with DECODING:
        keys = _unpack_keys(row).tolist()
    for n, (source, target, relation) in enumerate(keys, row[1]):
        if memory is None or memory in {source, target}:
            yield n, Change("links", (source, target, relation), None, {})


def used_in(rows: Iterable[Row]) -> list[tuple[int, ...]]:
    """Return the memories that were used, by each part of a line."""
    groups: list[tuple[int, ...]] = []
    for row in rows:
        with DECODING:
            if row[2] == USED:
                groups += unpack_used(row[7], row[4])
            elif row[5] is None:
                groups.append(tuple(_unpack_keys(row).tolist()))
    return groups


def find_touched(scope: OpenScope, positions: Sequence[int], most: int) -> Ints | None:
    """Return the memories that blocks of parts are about or say were used; None where these have more rows."""
    rows: list[Row] = scope.db.rows(_KEYS_OF_LISTED, (scope.no, scope.db.make_list(positions)))
    if sum(row[4] for row in rows) > most:
        return None
    used = np.array([*chain.from_iterable(used_in(rows))], np.int64)
    with DECODING:
        keys = [_unpack_keys(row) for row in rows if row[2] != USED]
    ends = [each if each.ndim == 1 else each[:, :2].ravel() for each in keys]
    return np.unique(np.concatenate([used, *ends]))


def _unpack_keys(row: Row) -> Ints:
    arrays = unpack_arrays(row[7], row[4], 3 if row[2] == ONE_BY_ONE or KINDS[row[2]] == "links" else 1)
    return arrays[0] if len(arrays) == 1 else np.column_stack(arrays)


def _match_memory(row: Row, memory: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which rows of a block are about a memory."""
    with DECODING:
        keys = _unpack_keys(row)
    return keys == memory if keys.ndim == 1 else (keys[:, :2] == memory).any(axis=1)  # type: ignore[no-any-return]


def _decode_block(row: Row, shapes: Mapping[int, str]) -> Block:
    _, _, kind, shape, count, *_, image = row
    keys, table = _unpack_keys(row), KINDS[kind]
    columns = () if shape is None else tuple(shapes[shape].split(","))
    if table == "links":
        if image is None:
            return Block("links", (), keys, None, np.empty((count, 0), np.int64))
        return Block("links", columns, keys, np.column_stack(unpack_arrays(image, count, len(columns))), None)
    revision, *values = unpack_arrays(cast("bytes", image), count, 1 + 2 * len(columns))
    before, after = values[: len(columns)], values[len(columns) :]
    return Block("memories", columns, keys, np.column_stack(before), np.column_stack(after), revision)


def pack_arrays(arrays: Iterable[Ints]) -> bytes:
    """Return arrays of one length as bytes."""
    return zlib.compress(b"".join(map(_pack_differences, arrays)), _LEVEL)


def unpack_arrays(image: bytes, rows: int, count: int) -> list[Ints]:
    """Return so many arrays of so many numbers; raise ValueError where the bytes are something else."""
    if not 0 <= rows <= BLOCK_ROWS_MAX:
        raise ValueError(f"no image has {rows} rows")
    unpacking = zlib.decompressobj()
    try:
        # A few bytes may pretend to be very many.
        content = unpacking.decompress(image, count * (_HEAD.size + _WIDTHS[-1] * rows) + 1)
    except zlib.error as error:
        raise ValueError(f"an image is damaged: {error}") from error
    if not unpacking.eof:
        raise ValueError("an image does not end")
    found, at = [], 0
    for _ in range(count):
        values, at = _numbers(content, at, rows)
        found.append(values)
    if at != len(content):
        raise ValueError("an image is longer than what it holds")
    return found


def _pack_differences(values: Ints) -> bytes:
    if len(values) < 2:
        return _HEAD.pack(0, int(values[0]) if len(values) else 0, 0)
    steps = values[1:] - values[:-1]  # wraps round where it overflows, and back when it is summed up
    least, most = int(steps.min()), int(steps.max())
    if least == most:
        return _HEAD.pack(0, int(values[0]), least)
    width = next(width for width in _WIDTHS if -(1 << 8 * width - 1) <= least and most < 1 << 8 * width - 1)
    return _HEAD.pack(width, int(values[0]), 0) + steps.astype(f"<i{width}").tobytes()


def _numbers(content: bytes, at: int, rows: int) -> tuple[Ints, int]:
    """Return the numbers whose differences begin at a byte, and where the next ones begin."""
    if len(content) < at + _HEAD.size:
        raise ValueError("an image is cut short")
    width, first, step = _HEAD.unpack_from(content, at)
    at += _HEAD.size
    values = np.full(rows, step, np.int64)
    if width:
        if width not in _WIDTHS or len(content) < at + width * (rows - 1):
            raise ValueError("an image is cut short")
        values[1:] = np.frombuffer(content, f"<i{width}", rows - 1, at)
        at += width * (rows - 1)
    values[:1] = first
    np.cumsum(values, out=values)
    return values, at
