"""What was done and why, in parts chained by digests: how a part is kept and read again.

Knows changes and causes as rows of `runs` and `changes`; writes no memory. A creation is kept by its key, an update
by the columns that changed in the order of its shape, a destruction with the whole row. Where a row's values were
kept earlier in the same part, only the number of that change is. A block is kept as one image.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
import orjson

from remanence.core.change import (
    AuditPart,
    Block,
    Cause,
    Change,
    CommitResult,
    Entry,
    Increment,
    Ints,
    row_count,
)
from remanence.core.errors import StoreDamaged
from remanence.core.model import COLUMN, COUNTERS, LINK_COLUMNS
from remanence.store.audit_parts import (
    USE,
    digest_of,
    pack_run_id,
    part_digest,
    refuse_other,
    unpack_run_id,
)
from remanence.store.constraints import LINK_DEFAULTS
from remanence.store.sql import block_log, details
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Statement, build_insert
from remanence.store.sql.names import SHAPE, ScopeNames
from remanence.store.sql.rows import DEFAULTS
from remanence.store.sql.scope import OpenScope
from remanence.store.sql.use_parts import UsePart, unpack_parts
from remanence.store.undo_data_pruning import THROUGH, ImageEndMark, is_whole

TABLES = ("memories", "tags", "links", "sources", "forbidden", "boxes", "traces")
ERASED = "{}"  # what is kept of a memory that was erased or redacted
CODE = {table: code for code, table in enumerate(TABLES)}
_NUMBERED = frozenset({"boxes", "traces"})  # their keys are numbers, and yet they are about no single memory
# A part's own digest tells which part was changed; that none was, the whole one proves that its scope ends with.
OWN_BYTES = 8
# No second content for a given one, and none by chance, has the same 16 bytes.
ENTRIES_BYTES = 16
# From this many on, links that come one after the other take less room as a block, with its bounds in an index.
_BLOCK_MIN = 8
# Values shorter than this are not worth a reference.
_SHARED_MIN = 8

# position, n, kind, key, subkey, shape, before, after
Row = tuple[int, int, int, int, str | None, int | None, str | None, str | None]
FindImages: TypeAlias = Callable[[int], Sequence[str | None] | None] | None
HEADER = (
    "position", "run", "part", "final", "verb", "at", "actor", "policy", "detail", "fired", "destroyed", "planned",
    "changes", "parts",
)  # fmt: skip
_RUN_AT, _DETAIL_AT = HEADER.index("run"), HEADER.index("detail")
RUN = (*HEADER, "digest", "entries", "asked")
_WRITTEN = Statement("SELECT position, changes, asked FROM runs WHERE scope = ?1 AND run = ?2 AND part = ?3")
_INSERT_RUN = Statement(build_insert("runs", ("scope", *RUN)))
CHANGE = ("position", "n", "kind", "key", "subkey", "shape", "before", "after")
_CHANGE_COLUMNS = ", ".join(CHANGE)
_INSERT_CHANGE = Statement(build_insert("changes", ("scope", *CHANGE)))
_INSERT_MENTION = Statement(build_insert("mentions", ("scope", "seq", "position")))
_LINE_AT = Statement(
    "SELECT position, parts FROM runs WHERE scope = ?1 AND position <= ?2 ORDER BY position DESC LIMIT 1"
)
_SAYS_THROUGH = f"""'"{THROUGH}":'"""
# Of the parts that end images, and of erasures, those that say so; a text that says the same is told apart later.
_ENDS = Statement(
    lambda sql: (
        f"SELECT at, detail FROM runs{sql.by_index('runs_ending')} WHERE scope = ?1"
        f" AND verb IN ('expire', 'erase') AND {sql.holds('detail', _SAYS_THROUGH)}"
        " ORDER BY position DESC"
    )
)
_OF_LISTED = Statement(
    lambda sql: (
        f"SELECT {_CHANGE_COLUMNS} FROM changes WHERE scope = ?1 AND position {sql.among(2)} ORDER BY position, n"
    )
)
_OF_MEMORY = Statement(
    lambda sql: (
        f"SELECT {_CHANGE_COLUMNS} FROM changes WHERE scope = ?1 AND position {sql.among(2)} AND (key = ?3"
        f" OR kind = {CODE['links']} AND substr(subkey, 1, length(CAST(?4 AS text))) = ?4) ORDER BY position, n"
    )
)
_COUNT = Statement(
    lambda sql: (
        "SELECT position, CAST(sum(count) AS bigint) FROM (SELECT position, count(*) AS count FROM changes"
        f" WHERE scope = ?1 AND position {sql.among(2)} GROUP BY position"
        f" UNION ALL SELECT position, rows FROM blocks WHERE scope = ?1 AND position {sql.among(2)}) AS counted"
        " GROUP BY position"
    )
)
_IMAGES = Statement("SELECT before, after FROM changes WHERE scope = ?1 AND position = ?2 AND n = ?3")
_MENTIONS = Statement("SELECT position FROM mentions WHERE scope = ?1 AND seq = ?2 AND position > ?3")
_KEYS = Statement("SELECT n, key FROM changes WHERE scope = ?1 AND position = ?2")


def json_text(value: Any) -> str:
    """Return a value as canonical JSON."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


@dataclass(slots=True)
class PartImages:
    """The images of one part at its position, in the order of its changes, with each repeated image kept once."""

    position: int
    count: int
    asked: bytes  # the digest of what was asked for
    rows: list[Row] = field(default_factory=list)
    blocks: list[block_log.Row] = field(default_factory=list)
    shapes: dict[int, str] = field(default_factory=dict)
    mentioned: set[int] = field(default_factory=set)
    _before: dict[str, int] = field(default_factory=dict)
    _after: dict[str, int] = field(default_factory=dict)

    def add_creation(self, n: int, change: Change, revision: int = 1) -> None:
        """Keep a creation by its key, and its revision where it is not the first."""
        after = None if revision == 1 else json_text({"revision": revision})
        self.rows.append((self.position, n, *self._encode_key(change), None, None, after))

    def add_destruction(self, n: int, change: Change, row: Mapping[str, Any]) -> None:
        """Keep a destruction with the whole row: a link's values in order, else whatever differs from the defaults."""
        image = json_text([row[name] for name in LINK_COLUMNS] if change.table == "links" else row)
        before = _share_text(self._before, n, image)
        self.rows.append((self.position, n, *self._encode_key(change), None, before, None))

    def add_update(self, n: int, change: Change, shape: int, before: Sequence[Any], after: str) -> None:
        """Keep an update by its values in the order of the shape, `before` with the revision at its end."""
        old, new = _share_text(self._before, n, json_text(before)), _share_text(self._after, n, after)
        self.rows.append((self.position, n, *self._encode_key(change), shape, old, new))

    def block(self, n: int, block: Block, whole: Ints | None, shape: Callable[[Iterable[str]], int]) -> None:
        """Keep a block whose first row has a number; `whole` are the columns of links that are cut."""
        self.blocks.append(block_log.row_of(self.position, n, block, whole, shape))

    def add_links(self, made: Sequence[tuple[int, Change]]) -> None:
        """Keep links that come, given in order of their numbers: many in a row as one block."""
        rows: dict[int, list[Change]] = {}  # by the number of the first, those that follow it without a gap
        first = last = -2
        for n, change in made:
            first, last = (first if n == last + 1 else n), n
            rows.setdefault(first, []).append(change)
        for first, changes in rows.items():
            if len(changes) < _BLOCK_MIN:
                for n, change in enumerate(changes, first):
                    self.add_creation(n, change)
            else:
                keys = np.array([change.key for change in changes], np.int64)
                self.blocks.append(block_log.build_links_row(self.position, first, keys))

    def sort(self) -> None:
        """Put rows and blocks in order of their numbers, when all are there."""
        self.rows.sort(key=itemgetter(1))
        self.blocks.sort(key=itemgetter(1))

    def add_used(self, seqs: Iterable[int]) -> None:
        """Keep which memories were used."""
        self.blocks.append(block_log.build_used_row(self.position, np.array(sorted(seqs), np.int64)))

    def _encode_key(self, change: Change) -> tuple[int, int, str | None]:
        """Return a change's table code, first memory, and the rest of its key as text; note whom it is about."""
        key = change.key
        if change.table in _NUMBERED:
            return CODE[change.table], 0, str(key)
        if isinstance(key, int):
            self.mentioned.add(key)
            return 0, key, None
        if isinstance(key, str):
            return CODE[change.table], 0, key
        self.mentioned.add(key[0])
        if len(key) == 2:
            return CODE[change.table], key[0], str(key[1])
        self.mentioned.add(key[1])
        return CODE["links"], key[0], f"{key[1]}:{key[2]}"


def shape_of(images: PartImages, names: ScopeNames, columns: Iterable[str]) -> int:
    """Return the number of an update's shape, the names of its columns in order."""
    text = ",".join(columns)
    number = names.make(SHAPE, text)
    images.shapes[number] = text
    return number


def find_earlier_commit(
    scope: OpenScope, changes: Iterable[tuple[int, Change]], cause: Cause, asked: bytes
) -> CommitResult | None:
    """Return what was done where this part of this run was written already, None where it was not.

    `changes` are its single changes with their numbers.
    """
    row = scope.db.row(_WRITTEN, (scope.no, pack_run_id(cause.run), cause.part))
    if row is None:
        return None
    position, count, earlier_digest = row
    refuse_other(cause, earlier_digest, asked)
    placeholders = {-change.key: n for n, change in changes if isinstance(change.key, int) and change.key < 0}
    keys: dict[int, int] = dict(scope.db.rows(_KEYS, (scope.no, position))) if placeholders else {}
    new_seqs = tuple(keys[placeholders[k]] for k in sorted(placeholders))
    return CommitResult(cause.run, cause.part, position, new_seqs, count, is_repeated=True)


def write(scope: OpenScope, cause: Cause, images: PartImages, *, packs_detail: bool = True) -> None:
    """Write one part, and which memories it mentions, at the end of the chain of its scope."""
    db, previous = scope.db, scope.row.digest
    images.sort()
    header = build_header(images.position, cause, images.count)
    entries = entries_digest(images.shapes, images.rows, images.blocks)
    why = header_digest(header, scope.name, images.asked)
    values = [*header]
    values[_RUN_AT] = pack_run_id(cause.run)
    if packs_detail:
        values[_DETAIL_AT] = details.pack(scope.names, header[_DETAIL_AT])
    db.run(_INSERT_RUN, (scope.no, *values, own_digest(why, entries), entries, images.asked))
    if images.rows:
        db.run_many(_INSERT_CHANGE, [(scope.no, *row) for row in images.rows])
    block_log.write(scope, images.blocks)
    mentions = [(scope.no, seq, images.position) for seq in sorted(images.mentioned)]
    if mentions:
        db.run_many(_INSERT_MENTION, mentions)
        scope.sums.add_rows("mentions", mentions)
    scope.row = scope.row._replace(
        position=images.position,
        newest_at=max(scope.row.newest_at, cause.at),
        digest=part_digest(previous, why, entries),
        before=previous,
    )


def append(scope: OpenScope, cause: Cause, asked: bytes) -> int:
    """Write a part that changes nothing and only says something, and return its position."""
    images = PartImages(scope.row.position + 1, 0, asked)
    write(scope, cause, images, packs_detail=False)
    return images.position


def plain_header(names: ScopeNames, kept: Sequence[Any]) -> tuple[Any, ...]:
    """Return the header of a part as it was said, from what is kept of it."""
    header = [*kept]
    with DECODING:
        header[_RUN_AT] = unpack_run_id(kept[_RUN_AT])
        header[_DETAIL_AT] = details.unpack(names, kept[_DETAIL_AT])
    return tuple(header)


def header_digest(header: Sequence[Any], scope: str, asked: bytes) -> bytes:
    """Return the digest of why a part was done: its plain header, with the name of the scope."""
    position, *cause = header
    return digest_of([position, scope, *cause, asked])


def own_digest(why: bytes, entries: bytes) -> bytes:
    """Return what is kept of a part to know it by: of why it was done and of what it changed."""
    return blake2b(why + entries, digest_size=OWN_BYTES).digest()


def use_digest(cause: Cause, part: UsePart) -> bytes:
    """Return what a part of uses is known by, which may be one of several in a line."""
    return digest_of([cause.run, cause.part, cause.at, *part], OWN_BYTES)


def entries_digest(shapes: Mapping[int, str], rows: Sequence[Row], blocks: Sequence[block_log.Row]) -> bytes:
    """Return the digest of what a part changed, of its rows and blocks as they are kept."""
    digest = blake2b(orjson.dumps([sorted(shapes.items()), rows]), digest_size=ENTRIES_BYTES)
    for *bounds, keys, image in blocks:
        digest.update(orjson.dumps([*bounds, len(keys)]) + keys + (image or b""))
    return digest.digest()


def shapes_of(rows: Iterable[Row], blocks: Iterable[block_log.Row]) -> set[int]:
    """Return the numbers of all shapes that rows and blocks name."""
    return {row[5] for row in rows if row[5] is not None} | {row[3] for row in blocks if row[3] is not None}


@dataclass(frozen=True, slots=True)
class AuditQuery:
    """Which parts to read."""

    run: str | None = None
    memory: int | None = None
    after: int = 0
    limit: int = 1_000
    rows: bool = True


@dataclass(slots=True)
class PartContent:
    """What a part changed, as it is kept."""

    rows: list[Row] = field(default_factory=list)
    blocks: list[block_log.Row] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Tell whether any image is there."""
        return bool(self.rows or self.blocks)

    @property
    def shapes(self) -> set[int]:
        """The numbers of all shapes that it names."""
        return shapes_of(self.rows, self.blocks)

    def digest(self, names: ScopeNames) -> bytes:
        """Return its digest."""
        return entries_digest(names.read_texts(self.shapes), self.rows, self.blocks)


def read_contents(
    scope: OpenScope, positions: Sequence[int], memory: int | None = None
) -> dict[int, PartContent]:
    """Return what each of some parts changed, of one memory only its changes, and all blocks."""
    contents = {position: PartContent() for position in positions}
    if not contents:
        return contents
    values = (scope.no, scope.db.make_list(positions))
    rows = (
        scope.db.rows(_OF_LISTED, values)
        if memory is None
        else scope.db.rows(_OF_MEMORY, (*values, memory, f"{memory}:"))
    )
    for row in rows:
        contents[row[0]].rows.append(row)
    for block in block_log.read_listed(scope, positions):
        contents[block[0]].blocks.append(block)
    return contents


@lru_cache(maxsize=4)
def _select_runs(*, of_run: bool, of_memory: bool) -> Statement:
    """Return the statement that reads at most so many lines (2), after a position or at some (3), also of a run (4)."""
    return Statement(
        lambda sql: (
            f"SELECT {', '.join(RUN)} FROM runs{sql.by_index('runs_part') if of_run else ''} WHERE scope = ?1"
            f" AND position {sql.among(3) if of_memory else '> ?3'}{' AND run = ?4' if of_run else ''}"
            " ORDER BY position LIMIT ?2"
        )
    )


def read(scope: OpenScope, query: AuditQuery) -> list[AuditPart]:
    """Return logged parts, oldest first."""
    values: list[Any] = [scope.no, query.limit]
    if query.memory is None:
        values.append(line_before(scope, query.after))
    else:
        # The parts that changed the memory, its tags, sources or links at either end.
        positions = block_log.positions_about(scope, query.memory, query.after)
        single = scope.db.rows(_MENTIONS, (scope.no, query.memory, query.after))
        values.append(scope.db.make_list(sorted(positions.union(position for (position,) in single))))
    if query.run is not None:
        values.append(pack_run_id(query.run))
    statement = _select_runs(of_run=query.run is not None, of_memory=query.memory is not None)
    rows = scope.db.rows(statement, values)
    parts = _PartReader(scope, query, rows).read_parts() if rows else iter(())
    return list(islice((part for part in parts if part.position > query.after), query.limit))


def line_before(scope: OpenScope, after: int) -> int:
    """Return after which line the parts after a position begin: that may lie within a line of several."""
    row = scope.db.row(_LINE_AT, (scope.no, after)) if after > 0 else None
    return after if row is None or row[1] is None else int(row[0]) - 1


def mark(scope: OpenScope) -> ImageEndMark:
    """Return how far the images of a scope have ended and what stands of them, as the last part that took some says."""
    return next((mark for _, mark in _read_marks(scope)), ImageEndMark())


def _read_marks(scope: OpenScope) -> Iterator[tuple[int, ImageEndMark]]:
    """Yield when images ended and how far they had then, the latest first."""
    for at, kept in scope.db.stream(_ENDS, (scope.no,)):
        with DECODING:
            detail = orjson.loads(kept)
            found = ImageEndMark.read(detail) if THROUGH in detail else None
        if found is not None:
            yield at, found


@dataclass(frozen=True, slots=True)
class Ends:
    """Up to which positions images ended, and when, ascending."""

    through: Sequence[int] = ()
    times: Sequence[int] = ()

    def find_end_time(self, position: int) -> int | None:
        """Return when the images of a part ended, None where they have not."""
        place = bisect_left(self.through, position)
        return self.times[place] if place < len(self.through) else None


def ends(scope: OpenScope) -> Ends:
    """Return when the images of a scope ended."""
    marks = [*_read_marks(scope)][::-1]
    return Ends([one.through for _, one in marks], [at for at, _ in marks])


def _share_text(seen: dict[str, int], n: int, text: str) -> str:
    """Return a text, or the number of the change that has it already."""
    if len(text) < _SHARED_MIN:
        return text
    first = seen.setdefault(text, n)
    return text if first == n else str(first)


def build_header(position: int, cause: Cause, count: int) -> tuple[Any, ...]:
    """Return a part's plain header."""
    return (
        position,
        cause.run,
        cause.part,
        int(cause.final),
        cause.verb,
        cause.at,
        cause.actor,
        cause.policy,
        json_text(dict(cause.detail)) if cause.detail else None,
        json_text(list(cause.fired)) if cause.fired else None,
        cause.destroyed,
        int(cause.planned),
        count,
        None,
    )


def cause_of(header: Sequence[Any]) -> Cause:
    """Return why a part was done, as its plain header says it."""
    fields = dict(zip(HEADER, header, strict=True))
    return Cause(
        verb=fields["verb"],
        at=fields["at"],
        run=fields["run"],
        part=fields["part"],
        final=bool(fields["final"]),
        actor=fields["actor"],
        policy=fields["policy"],
        detail={} if fields["detail"] is None else dict(orjson.loads(fields["detail"])),
        destroyed=fields["destroyed"],
        fired=() if fields["fired"] is None else tuple(orjson.loads(fields["fired"])),
        planned=bool(fields["planned"]),
    )


def parts_of(header: Sequence[Any], asked: bytes) -> list[UsePart]:
    """Return the parts that a line holds, which is one but where uses went on."""
    position, at, count, parts = (
        header[HEADER.index(name)] for name in ("position", "at", "changes", "parts")
    )
    if parts is None:
        return [UsePart(position, at, count, asked)]
    with DECODING:
        return unpack_parts(parts, position)


class _PartReader:
    """The parts that lines hold, with what they changed where that is asked for: all of it is read at once."""

    def __init__(self, scope: OpenScope, query: AuditQuery, rows: Sequence[Sequence[Any]]) -> None:
        self._scope, self._query = scope, query
        self._lines = [(plain_header(scope.names, row[: len(HEADER)]), *row[len(HEADER) :]) for row in rows]
        self._ends = ends(scope)
        positions = [header[0] for header, *_ in self._lines]
        self._contents = read_contents(scope, positions, query.memory) if self._reads_contents else {}
        shapes = {number for content in self._contents.values() for number in content.shapes}
        self._shapes = scope.names.read_texts(shapes)
        ended = [position for position in positions if self._ends.find_end_time(position) is not None]
        # How many changes are left of the parts that have ended.
        self._left: dict[int, int] = (
            dict(scope.db.rows(_COUNT, (scope.no, scope.db.make_list(ended)))) if ended else {}
        )

    @property
    def _reads_contents(self) -> bool:
        return self._query.rows or self._query.memory is not None

    def read_parts(self) -> Iterator[AuditPart]:
        """Yield the parts in order."""
        for header, digest, _, asked in self._lines:
            cause = cause_of(header)
            if cause.verb == USE:
                yield from self._read_uses(header, cause, asked)
            else:
                yield self._read_part(header, cause, digest)

    def _read_uses(self, header: Sequence[Any], cause: Cause, asked: bytes) -> Iterator[AuditPart]:
        """Yield the parts of a line of uses."""
        position = header[0]
        used = block_log.used_in(self._contents[position].blocks) if self._query.rows else []
        parts = parts_of(header, asked)
        if len(used) != len(parts):
            used = [()] * len(parts)
        ended_at = self._ends.find_end_time(position)
        for number, (part, seqs) in enumerate(zip(parts, used, strict=True)):
            why = replace(cause, at=part.at, part=cause.part + number)
            yield AuditPart(part.position, why, (), use_digest(why, part).hex(), part.changes, seqs, ended_at)

    def _read_part(self, header: Sequence[Any], cause: Cause, digest: bytes) -> AuditPart:
        position, count = header[0], header[HEADER.index("changes")]
        ended_at = self._ends.find_end_time(position)
        if ended_at is not None and is_whole(cause, self._left.get(position, 0), count):
            ended_at = None
        if not self._reads_contents:
            return AuditPart(position, cause, (), digest.hex(), count, ended_at=ended_at)
        entries = tuple(self._read_entries(position))
        if self._query.memory is not None:
            count = row_count(entries)
        if not self._query.rows:
            return AuditPart(position, cause, (), digest.hex(), count, ended_at=ended_at)
        blocks = self._contents[position].blocks
        used = tuple(seq for seqs in block_log.used_in(blocks) for seq in seqs)
        return AuditPart(position, cause, entries, digest.hex(), count, used, ended_at)

    def _read_entries(self, position: int) -> Iterator[Entry]:
        """Yield a part's changes and blocks in order, all of them or those of one memory."""
        scope = self._scope

        def find_images(n: int) -> Sequence[str | None] | None:
            return scope.db.row(_IMAGES, (scope.no, position, n))

        return decode_entries(self._contents[position], self._shapes, self._query.memory, find_images)


def decode_entries(
    content: PartContent, texts: Mapping[int, str], memory: int | None = None, find_images: FindImages = None
) -> Iterator[Entry]:
    """Yield a part's changes and blocks in order, of blocks all rows or those of one memory.

    `find_images` finds the images of a change that is not in the content.
    """
    changes = _decode_changes(content.rows, texts, find_images)
    singles = zip((row[1] for row in content.rows), changes, strict=True)
    blocks = block_log.blocks(content.blocks, texts, memory)
    pairs: Iterable[tuple[int, Entry]] = merge(singles, blocks, key=itemgetter(0))
    return (entry for _, entry in pairs)


def _decode_changes(
    rows: Sequence[Row], texts: Mapping[int, str], find_images: FindImages
) -> Iterator[Change]:
    """Yield the changes that rows keep."""
    shapes: dict[int | None, _Shape] = {number: _Shape(text) for number, text in texts.items()}
    images = _ImageResolver(rows, find_images)
    for position, _, kind, key, subkey, shape, before, after in rows:
        if kind not in range(len(TABLES)):
            raise StoreDamaged(
                f"part {position} changes a table {kind}, which there is not",
                recovery="run `doctor`, then go back to the latest backup",
            )
        yield _decode_change(
            TABLES[kind], _decode_key(kind, key, subkey), before, after, shapes.get(shape), images
        )


def _decode_key(kind: int, key: int, subkey: str | None) -> Any:
    if subkey is None:
        return key
    if kind == CODE["forbidden"]:
        return subkey
    if TABLES[kind] in _NUMBERED:
        return int(subkey)
    if kind != CODE["links"]:
        return key, subkey
    target, _, relation = subkey.partition(":")
    return key, int(target), int(relation)


class _ImageResolver:
    """Images by text, with references to earlier changes of the part followed: to those of other memories as well."""

    def __init__(self, rows: Sequence[Row], find_images: FindImages) -> None:
        self._find_images = find_images
        self._position = rows[0][0] if rows else 0
        self._texts = {row[1]: row[6:] for row in rows}
        self._held: dict[tuple[str, str], Any] = {}

    def image(self, side: str, text: str) -> Any:
        """Return the values that a text holds or refers to."""
        if text[0] in "[{":
            return orjson.loads(text)
        values = self._held.get((side, text))
        if values is None:
            n = int(text)
            texts: Sequence[str | None] | None = self._texts.get(n)
            if texts is None and self._find_images is not None:
                texts = self._find_images(n)
            image = None if texts is None else texts[side == "after"]
            if image is None:
                raise StoreDamaged(
                    f"part {self._position} refers to change {text}, which is not there",
                    recovery="run `doctor`, then go back to the latest backup",
                )
            values = self._held[side, text] = orjson.loads(image)
        return values


class _Shape:
    """The columns of an update, and which of them are blobs."""

    def __init__(self, text: str) -> None:
        self.columns = tuple(text.split(",")) if text else ()
        self.counters = [(at, name) for at, name in enumerate(self.columns) if name in COUNTERS]
        self._blobs = [name for name in self.columns if name in COLUMN and COLUMN[name].kind == "blob"]

    def values(self, kept: Sequence[Any]) -> dict[str, Any]:
        """Return values by column, the revision apart."""
        by_column = dict(zip(self.columns, kept, strict=False))
        for name in self._blobs:
            by_column[name] = None if by_column[name] is None else bytes.fromhex(by_column[name])
        return by_column


def _decode_change(
    table: Any, key: Any, before: str | None, after: str | None, shape: _Shape | None, images: _ImageResolver
) -> Change:
    if before is None:
        revision = {"revision": 1 if after is None else orjson.loads(after)["revision"]}
        return Change(table, key, None, revision if table == "memories" else {})
    if shape is None:
        if before == ERASED:
            return Change(table, key, {}, None)
        return Change(table, key, _restore_image_row(table, images.image("before", before)), None)
    old, new = images.image("before", before), images.image("after", after or "[]")
    was, now = shape.values(old), shape.values(new)
    for at, name in shape.counters:
        if isinstance(new[at], dict):
            was[name], now[name] = Increment(-new[at]["by"]), Increment(new[at]["by"])
    if len(old) > len(shape.columns):
        was["revision"], now["revision"] = old[-1], old[-1] + 1
    return Change(table, key, was, now)


def _restore_image_row(table: str, image: Any) -> dict[str, Any]:
    """Return the row that a destruction took away, all its columns."""
    if table == "links":
        # The first version kept no `resolved_at`, the last of them.
        return {**LINK_DEFAULTS, **dict(zip(LINK_COLUMNS, image, strict=False))}
    if table == "tags":
        return {"at": None, **image}  # before tags had a time, an image of one held nothing
    if table != "memories":
        return dict(image)
    return {
        name: bytes.fromhex(image[name])
        if column.kind == "blob" and name in image
        else image.get(name, DEFAULTS[name])
        for name, column in COLUMN.items()
    }
