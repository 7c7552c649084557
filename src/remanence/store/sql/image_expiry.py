"""The images of old parts of the audit taken away, some parts at once, but for those that a memory keeps.

Lines of uses go with their images. Knows rows of `runs`, `changes`, `blocks` and `mentions`; must not know for how long
images are to be kept.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np
import orjson

from remanence.core.change import Cause
from remanence.core.snapshot import Bools, Ints
from remanence.store.audit_parts import USE, content_digest
from remanence.store.base import EndImagesResult
from remanence.store.sql import audit, block_log, bookkeeping, redact_images
from remanence.store.sql.audit import CODE, HEADER, PartContent, Row, header_digest, plain_header
from remanence.store.sql.database import first
from remanence.store.sql.dialect import Statement
from remanence.store.sql.scope import OpenScope
from remanence.store.undo_data_pruning import (
    EXPIRE,
    KEEPS_IMAGES,
    PARTS_MAX,
    THROUGH,
    ImageEndMark,
    PartHead,
    reach,
)

_VERB_AT = HEADER.index("verb")
_DETAIL = Statement("SELECT detail FROM runs WHERE scope = ?1 AND position = ?2")
_AHEAD = Statement(
    "SELECT position, at, changes FROM runs WHERE scope = ?1 AND position > ?2 ORDER BY position LIMIT ?3"
)
_KEEPING = Statement(
    f"SELECT seq FROM states WHERE scope = ?1 AND (hold_until > ?2 OR status = {int(KEEPS_IMAGES)})"
    " UNION SELECT seq FROM purged WHERE scope = ?1 AND at >= ?3"
)
_KEYS = Statement(
    lambda sql: (
        "SELECT position, n, kind, key, subkey FROM changes"
        f" WHERE scope = ?1 AND position {sql.among(2)} ORDER BY position"
    )
)
_STILL = Statement(
    "SELECT position FROM changes WHERE scope = ?1 AND position <= ?2"
    " UNION SELECT position FROM blocks WHERE scope = ?1 AND position <= ?2 ORDER BY position"
)
_EMPTIED = Statement(
    lambda sql: f"SELECT DISTINCT position FROM emptied WHERE scope = ?1 AND position {sql.among(2)}"
)
_MENTIONS_OF_PARTS = Statement(
    lambda sql: f"SELECT scope, seq, position FROM mentions WHERE scope = ?1 AND position {sql.among(2)}"
)
_MENTIONS = Statement(
    lambda sql: f"SELECT scope, seq, position FROM mentions WHERE scope = ?1 AND seq {sql.among(2)}"
)
_DELETE_MENTION = Statement("DELETE FROM mentions WHERE scope = ?1 AND seq = ?2 AND position = ?3")
# Why parts were done, by what is kept of those that an erasure emptied.
_HEADS = Statement(
    f"SELECT {', '.join(HEADER)}, entries, asked,"
    " (SELECT header FROM emptied e WHERE e.scope = r.scope AND e.position = r.position LIMIT 1)"
    " FROM runs r WHERE scope = ?1 AND position BETWEEN ?2 AND ?3 ORDER BY position"
)
_DELETE_LINE = Statement("DELETE FROM runs WHERE scope = ?1 AND position = ?2")
_OWNED = frozenset(CODE[table] for table in ("memories", "tags", "sources"))
_AT_ONCE = 50  # parts that are read whole


def end_images(scope: OpenScope, before: int, cause: Cause) -> EndImagesResult:
    """Take away the images of the oldest parts that are of before a time, and log that."""
    request_digest = content_digest(())
    outcome = audit.find_earlier_commit(scope, (), cause, request_digest)
    if outcome is not None:
        detail = first(scope.db.row(_DETAIL, (scope.no, outcome.position)))
        return read_end_result(outcome.position, orjson.loads(detail))
    bookkeeping.refuse_lost_lease(scope, cause.fence)
    mark = audit.mark(scope)
    ahead = scope.db.rows(_AHEAD, (scope.no, mark.through, PARTS_MAX + 1))
    through, more = reach(ahead, before)
    keeping = {seq for (seq,) in scope.db.rows(_KEEPING, (scope.no, cause.at, before))}
    ending = ImageEnding(scope, keeping)
    ending.end_released_images(mark.through)
    ending.end_whole_parts([position for position, *_ in ahead if position <= through])
    if not through and not ending.parts:
        return EndImagesResult(0, mark.through)
    mark = remove_use_lines(scope, mark.replace_parts(ending.gone, ending.stays), through)
    counts = {"parts": ending.parts, "changes": ending.changes, "kept": len(ending.stays), "more": more}
    cause = replace(cause, verb=EXPIRE, detail={**cause.detail, **mark.values(), **counts})
    position = audit.append(scope, cause, request_digest)
    return read_end_result(position, cause.detail)


def remove_use_lines(scope: OpenScope, mark: ImageEndMark, through: int) -> ImageEndMark:
    """Take the lines of uses before a part away, and return the mark moved on to it; 0 moves nothing."""
    if not through:
        return mark
    rows = scope.db.stream(_HEADS, (scope.no, mark.proven_from, through))
    mark, uses = mark.advance(through, (_read_head(scope, row) for row in rows))
    scope.db.run_many(_DELETE_LINE, [(scope.no, position) for position in uses])
    return mark


def _read_head(scope: OpenScope, row: Sequence[Any]) -> PartHead:
    """Return the head of a part."""
    *kept, entries, asked, emptied = row
    header = plain_header(scope.names, kept)
    why = emptied or header_digest(header, scope.name, asked)
    return PartHead(header[0], why, entries, header[_VERB_AT] == USE and emptied is None)


def find_row_memories(row: Sequence[Any]) -> tuple[int, ...]:
    """Return the memories that a logged row, or the beginning of one, is about."""
    kind, key, subkey = row[2], row[3], row[4]
    if kind in _OWNED:
        return (key,)
    return (key, int(str(subkey).partition(":")[0])) if kind == CODE["links"] else ()


@dataclass(slots=True)
class ImageEnding:
    """The images of one scope, of which some end; memories that are `keeping` keep theirs.

    `gone` and `stays` are the digests of what parts that keep some held before, and of what they hold.
    """

    scope: OpenScope
    keeping: Collection[int]
    parts: int = 0
    changes: int = 0
    gone: list[bytes] = field(default_factory=list)
    stays: list[bytes] = field(default_factory=list)
    ascending: Ints = field(init=False)  # the same memories, for whole blocks

    def __post_init__(self) -> None:
        """Sort them once."""
        self.ascending = np.array(sorted(self.keeping), np.int64)

    def end_released_images(self, through: int) -> None:
        """Let the images end that were kept before and that nothing keeps any more."""
        db, no = self.scope.db, self.scope.no
        still = [position for (position,) in db.rows(_STILL, (no, through))]
        for positions in _cut(still, PARTS_MAX):
            # Row by row, as a thousand parts may hold millions; those of which something goes are read again.
            keys = db.stream(_KEYS, (no, db.make_list(positions)))
            loose = {row[0] for row in keys if not self._stays_kept(row)}
            blocks = block_log.read_listed(self.scope, positions)
            loose |= {block[0] for block in blocks if not self._in_block(block).all()}
            for some in _cut(sorted(loose)[: PARTS_MAX - self.parts], _AT_ONCE):
                self.gone += redact_images.rests(self.scope, some).values()
                self._end(some)
            if self.parts == PARTS_MAX:
                return

    def end_whole_parts(self, positions: list[int]) -> None:
        """Let the images of parts end for the first time."""
        if not positions:
            return
        db, no = self.scope.db, self.scope.no
        emptied = [position for (position,) in db.rows(_EMPTIED, (no, db.make_list(positions)))]
        mentions = db.rows(_MENTIONS_OF_PARTS, (no, db.make_list(emptied))) if emptied else []
        self._end(positions)
        # Of parts that an erasure emptied, those of memories that it left there by number alone.
        self._remove_mentions((seq, at) for _, seq, at in mentions if seq not in self.keeping)

    def _stays_kept(self, row: Sequence[Any]) -> bool:
        return (
            row[3] in self.keeping
            if row[2] in _OWNED
            else any(seq in self.keeping for seq in find_row_memories(row))
        )

    def _in_block(self, block: block_log.Row) -> Bools:
        return block_log.is_about(block, self.ascending)

    def _end(self, positions: list[int]) -> None:
        """Take away what nothing keeps, and say of each part that keeps some what it holds."""
        contents = audit.read_contents(self.scope, positions)
        holding = self._end_rows(contents) | self._end_blocks(contents)
        self.parts += len(positions)
        self.stays += redact_images.rests(self.scope, sorted(holding)).values()

    def _end_rows(self, contents: Mapping[int, PartContent]) -> set[int]:
        """Take away single changes; return the parts that keep some."""
        stay: list[Row] = []
        lost: list[Row] = []
        changed: list[Row] = []
        for content in contents.values():
            kept = [row for row in content.rows if self._stays_kept(row)]
            gone = [row for row in content.rows if not self._stays_kept(row)]
            if kept and gone:
                changed += redact_images.share_again(content.rows, kept)
            stay += kept
            lost += gone
        redact_images.rewrite_changes(self.scope, changed)
        redact_images.delete_changes(self.scope, lost)
        still = {(seq, row[0]) for row in stay for seq in find_row_memories(row)}
        self._remove_mentions({(seq, row[0]) for row in lost for seq in find_row_memories(row)} - still)
        self.changes += len(lost)
        return {row[0] for row in stay}

    def _end_blocks(self, contents: Mapping[int, PartContent]) -> set[int]:
        """Take away rows of blocks; return the parts that keep some."""
        blocks = [block for content in contents.values() for block in content.blocks]
        cuts = [(block, self._in_block(block)) for block in blocks]
        block_log.remove_block_rows(self.scope, [(block, mine) for block, mine in cuts if not mine.all()])
        self.changes += sum(int(np.count_nonzero(~mine)) for _, mine in cuts)
        return {block[0] for block, mine in cuts if mine.any()}

    def _remove_mentions(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Take away that parts changed memories, given with their positions, of which they tell no more."""
        db, no = self.scope.db, self.scope.no
        going = {(no, *pair) for pair in pairs}
        if not going:
            return
        there = db.rows(_MENTIONS, (no, db.make_list(sorted({seq for _, seq, _ in going}))))
        mentions = sorted(going.intersection(there))
        if mentions:
            db.run_many(_DELETE_MENTION, mentions)
            self.scope.sums.remove_rows("mentions", mentions)


def _cut(positions: Iterable[int], most: int) -> Iterable[list[int]]:
    """Yield positions in lists of so many at most."""
    rest = iter(positions)
    while some := [*islice(rest, most)]:
        yield some


def read_end_result(position: int, detail: Mapping[str, Any]) -> EndImagesResult:
    """Return what a part that ended images says of that."""
    return EndImagesResult(
        position, detail[THROUGH], detail["parts"], detail["changes"], detail["kept"], left=detail["more"]
    )
