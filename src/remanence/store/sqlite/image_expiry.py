"""The images of old parts of the audit taken away, some parts at once, but for those that a memory keeps.

Knows rows of `runs`, `changes`, `blocks` and `mentions`; must not know for how long images are to be kept.
"""

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import orjson

from remanence.core.change import Cause
from remanence.core.snapshot import Bools, Ints
from remanence.store.audit_parts import OF_LISTED, PLACE_BITS, content_digest
from remanence.store.base import EndImagesResult
from remanence.store.sqlite import audit, block_log, bookkeeping, redact_images
from remanence.store.sqlite.audit import CHANGE_COLUMNS, CODE, Row
from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.string_ids import SCOPE, Fresh
from remanence.store.sqlite.sums import Sums
from remanence.store.undo_data_pruning import EXPIRE, KEEPS_IMAGES, PARTS_MAX, THROUGH, reach

_DETAIL = "SELECT position, detail FROM runs WHERE position = ?"
_AHEAD = (
    "SELECT position, at, changes FROM runs INDEXED BY runs_scope WHERE scope = ? AND position > ?"
    " ORDER BY position LIMIT ?"
)
_KEEPING = (
    f"SELECT seq FROM states WHERE scope = ?1 AND (hold_until > ?2 OR status = {int(KEEPS_IMAGES)})"
    " UNION SELECT seq FROM purged WHERE scope = ?1 AND at >= ?3"
)
_IN = "IN (SELECT value FROM json_each(?))"
_CHANGE = CHANGE_COLUMNS.replace('"key"', 'changes."key"')  # `json_each` has one, too
_LISTED = f"FROM json_each(?) CROSS JOIN {{}} ON {OF_LISTED} ORDER BY place"
_ROWS = f"SELECT {_CHANGE} {_LISTED.format('changes')}"
_BLOCKS = f"SELECT {block_log.COLUMNS} {_LISTED.format('blocks')}"
_UP_TO = f"place < (?2 + 1) << {PLACE_BITS}"
_STILL = (
    f"SELECT position FROM (SELECT DISTINCT position FROM changes WHERE {_UP_TO}"
    f" UNION SELECT position FROM blocks WHERE {_UP_TO}) CROSS JOIN runs USING (position) WHERE scope = ?1"
    " ORDER BY position"
)
_EMPTIED = f"SELECT seq, position FROM mentions WHERE position IN (SELECT position FROM emptied WHERE position {_IN})"
_MENTIONED = "SELECT 1 FROM mentions WHERE seq = ? AND position = ?"
_OWNED = frozenset(CODE[table] for table in ("memories", "tags", "sources"))


def end_images(
    connection: sqlite3.Connection, names: Fresh, scope: str, before: int, cause: Cause
) -> EndImagesResult:
    """Take away the images of the oldest parts that are of before a time, and log that."""
    names.follow(connection)
    no = names.make(connection, SCOPE, scope)
    request_digest = content_digest(())
    outcome = audit.find_earlier_commit(connection, no, (), cause, request_digest)
    if outcome is not None:
        _, detail = connection.execute(_DETAIL, (outcome.position,)).fetchone()
        return _read_end_result(outcome.position, orjson.loads(detail))
    bookkeeping.refuse_lost_lease(connection, no, cause.fence)
    mark = audit.mark(connection, no)
    ahead = connection.execute(_AHEAD, (no, mark.through, PARTS_MAX + 1)).fetchall()
    through, more = reach(ahead, before)
    keeping = {seq for (seq,) in connection.execute(_KEEPING, (no, cause.at, before)).fetchall()}
    ending = _ImageEnding(connection, names, (no, scope), keeping)
    ending.end_released_images(mark.through)
    ending.end_whole_parts([position for position, *_ in ahead if position <= through])
    if not through and not ending.parts:
        return EndImagesResult(0, mark.through)
    mark = replace(mark.replace_parts(ending.gone, ending.stays), through=max(mark.through, through))
    counts = {"parts": ending.parts, "changes": ending.changes, "kept": len(ending.stays), "more": more}
    cause = replace(cause, verb=EXPIRE, detail={**cause.detail, **mark.values(), **counts})
    position = audit.append(connection, (no, scope), cause, request_digest)
    ending.sums.write(connection)
    return _read_end_result(position, cause.detail)


def find_row_memories(row: Row) -> tuple[int, ...]:
    """Return the memories that a logged row is about."""
    kind, key, subkey = row[2], row[3], row[4]
    if kind in _OWNED:
        return (key,)
    return (key, int(str(subkey).partition(":")[0])) if kind == CODE["links"] else ()


@dataclass(slots=True)
class _ImageEnding:
    """The images of one scope, given by number and name, of which some end; memories that are `keeping` keep theirs.

    `gone` and `stays` are the digests of what parts that keep some held before, and of what they hold.
    """

    connection: sqlite3.Connection
    names: Fresh
    scope: tuple[int, str]
    keeping: Collection[int]
    parts: int = 0
    changes: int = 0
    gone: list[bytes] = field(default_factory=list)
    stays: list[bytes] = field(default_factory=list)
    sums: Sums = field(default_factory=Sums)
    ascending: Ints = field(init=False)  # the same memories, for whole blocks

    def __post_init__(self) -> None:
        """Sort them once."""
        self.ascending = np.array(sorted(self.keeping), np.int64)

    def end_released_images(self, through: int) -> None:
        """Let the images end that were kept before and that nothing keeps any more."""
        still = [place for (place,) in self.connection.execute(_STILL, (self.scope[0], through)).fetchall()]
        for begin in range(0, len(still), PARTS_MAX):
            listed = (id_list(still[begin : begin + PARTS_MAX]),)
            # Row by row, as a thousand parts may hold millions; those of which something goes are read again.
            loose = {row[0] for row in self.connection.execute(_ROWS, listed) if not self._stays_kept(row)}
            blocks = self.connection.execute(_BLOCKS, listed)
            loose |= {block[0] for block in blocks if not self._in_block(block).all()}
            for position in sorted(loose):
                if self.parts == PARTS_MAX:
                    return
                self.gone.append(self._digest_rest(position))
                self._end([position], *self._read([position]))

    def end_whole_parts(self, positions: list[int]) -> None:
        """Let the images of parts end for the first time."""
        if not positions:
            return
        leftover = self.connection.execute(_EMPTIED, (id_list(positions),)).fetchall()
        self._end(positions, *self._read(positions))
        self._remove_mentions({pair for pair in leftover if pair[0] not in self.keeping})

    def _read(self, positions: list[int]) -> tuple[list[Row], list[block_log.Row]]:
        position_list = id_list(positions)
        rows = self.connection.execute(_ROWS, (position_list,)).fetchall()
        return rows, self.connection.execute(_BLOCKS, (position_list,)).fetchall()

    def _stays_kept(self, row: Row) -> bool:
        return (
            row[3] in self.keeping
            if row[2] in _OWNED
            else any(seq in self.keeping for seq in find_row_memories(row))
        )

    def _in_block(self, block: block_log.Row) -> Bools:
        return block_log.is_about(block, self.ascending)

    def _end(self, positions: list[int], rows: list[Row], blocks: list[block_log.Row]) -> None:
        """Take away what nothing keeps, and say of each part that keeps some what it holds."""
        stay = [row for row in rows if self._stays_kept(row)]
        lost_rows = [row for row in rows if not self._stays_kept(row)]
        holding = {row[0] for row in stay}
        for position in sorted(holding & {row[0] for row in lost_rows}):
            redact_images.share_again(self.connection, [row for row in rows if row[0] == position], stay)
        self.connection.executemany(redact_images.DELETE_CHANGE, [row[:2] for row in lost_rows])
        still = {(seq, row[0]) for row in stay for seq in find_row_memories(row)}
        self._remove_mentions({(seq, row[0]) for row in lost_rows for seq in find_row_memories(row)} - still)
        self.changes += len(lost_rows)
        for block in blocks:
            mine = self._in_block(block)
            holding |= {block[0]} if mine.any() else set()
            self.changes += int(np.count_nonzero(~mine))
            if not mine.all():
                block_log.remove_block_rows(self.connection, self.names, block, mine)
        self.parts += len(positions)
        self.stays += [self._digest_rest(position) for position in sorted(holding)]

    def _digest_rest(self, position: int) -> bytes:
        return redact_images.rest(self.connection, self.names, self.scope[1], position)

    def _remove_mentions(self, pairs: set[tuple[int, int]]) -> None:
        """Take away that parts changed memories of which they tell no more."""
        mentions = [
            pair for pair in sorted(pairs) if self.connection.execute(_MENTIONED, pair).fetchone() is not None
        ]
        self.connection.executemany("DELETE FROM mentions WHERE seq = ? AND position = ?", mentions)
        self.sums.remove_rows("mentions", mentions)


def _read_end_result(position: int, detail: Mapping[str, Any]) -> EndImagesResult:
    return EndImagesResult(
        position, detail[THROUGH], detail["parts"], detail["changes"], detail["kept"], left=detail["more"]
    )
