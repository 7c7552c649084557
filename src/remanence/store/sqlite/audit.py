"""What was done and why, in parts chained by digests: how a part is kept and read again.

Knows changes and causes as rows of `runs` and `changes`; writes no memory. A creation is kept by its key, an update
by the columns that changed in the order of its shape, a destruction with the whole row. Where a row's values were
kept earlier in the same part, only the number of that change is. A block is kept as one image.
"""

import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

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
    OF_PART,
    PLACE,
    UNCHAINED,
    USE,
    digest_of,
    pack_run_id,
    part_digest,
    refuse_other,
)
from remanence.store.constraints import LINK_DEFAULTS
from remanence.store.sqlite import block_log, details
from remanence.store.sqlite.dialect import DECODING, id_list
from remanence.store.sqlite.rows import DEFAULTS
from remanence.store.sqlite.string_ids import SCOPE, SHAPE, Fresh, StringIds
from remanence.store.sqlite.use_parts import UsePart, unpack_parts
from remanence.store.undo_data_pruning import ImageEndMark, is_whole

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
HEADER = (
    "position", "scope", "run", "part", "final", "verb", "at", "actor", "policy", "detail", "fired", "destroyed",
    "planned", "changes", "parts",
)  # fmt: skip
_RUN_AT, _DETAIL_AT = HEADER.index("run"), HEADER.index("detail")
_RUN = (*HEADER, "digest", "entries", "asked")
_WRITTEN = "SELECT position, changes, asked FROM runs WHERE scope = ? AND id = ? AND part = ?"
_OF_RUN = "runs INDEXED BY runs_part"
CLOSE = (
    "INSERT INTO scopes (scope, position, held, memories, newest_at, digest, before) VALUES (?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (scope) DO UPDATE SET position = excluded.position, held = held + excluded.held,"
    " memories = memories + excluded.memories,"
    " newest_at = max(newest_at, excluded.newest_at), digest = excluded.digest, before = excluded.before"
)
_INSERTED = ", ".join("id" if name == "run" else name for name in _RUN)
_INSERT_RUN = f"INSERT INTO runs ({_INSERTED}) VALUES ({', '.join('?' * len(_RUN))})"
_KEPT = 'kind, "key", subkey, shape, "before", "after"'
CHANGE_COLUMNS = f"position, n, {_KEPT}"
_INSERT_CHANGE = f"INSERT INTO changes (place, {_KEPT}) VALUES ({PLACE}, ?3, ?4, ?5, ?6, ?7, ?8)"
_LINE_AT = (
    "SELECT position, parts FROM runs INDEXED BY runs_scope WHERE scope = ? AND position <= ?"
    " ORDER BY position DESC LIMIT 1"
)
_ENDS = (
    "SELECT at, detail FROM runs INDEXED BY runs_ending WHERE scope = ? AND verb IN ('expire', 'erase')"
    " AND json_extract(detail, '$.through') IS NOT NULL ORDER BY position"
)
_COUNT = (
    f"SELECT (SELECT count(*) FROM changes WHERE {OF_PART})"
    f" + (SELECT coalesce(sum(rows), 0) FROM blocks WHERE {OF_PART})"
)
SELECT_CHANGES = f"SELECT {CHANGE_COLUMNS} FROM changes WHERE {OF_PART}"
_KEYS = f'SELECT n, "key" FROM changes WHERE {OF_PART}'


def json_text(value: Any) -> str:
    """Return a value as canonical JSON."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


class ChainLink(NamedTuple):
    """The digest of a scope's last part, and that of the one before it."""

    digest: bytes
    before: bytes


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


def shape_of(images: PartImages, names: Fresh, connection: sqlite3.Connection, columns: Iterable[str]) -> int:
    """Return the number of an update's shape, the names of its columns in order."""
    text = ",".join(columns)
    number = names.make(connection, SHAPE, text)
    images.shapes[number] = text
    return number


def find_earlier_commit(
    connection: sqlite3.Connection,
    scope: int,
    changes: Iterable[tuple[int, Change]],
    cause: Cause,
    asked: bytes,
) -> CommitResult | None:
    """Return what was done where this part of this run was written already, None where it was not.

    `changes` are its single changes with their numbers.
    """
    row = connection.execute(_WRITTEN, (scope, pack_run_id(cause.run), cause.part)).fetchone()
    if row is None:
        return None
    position, count, earlier_digest = row
    refuse_other(cause, earlier_digest, asked)
    placeholders = {-change.key: n for n, change in changes if isinstance(change.key, int) and change.key < 0}
    keys = dict(connection.execute(_KEYS, (position,)).fetchall())
    new_seqs = tuple(keys[placeholders[k]] for k in sorted(placeholders))
    return CommitResult(cause.run, cause.part, position, new_seqs, count, is_repeated=True)


def write(
    connection: sqlite3.Connection,
    scope: tuple[int, str],
    cause: Cause,
    images: PartImages,
    names: Fresh | None = None,
) -> tuple[ChainLink, list[tuple[int, int]]]:
    """Write one part at the end of the chain of its scope, given by number and name; with `names` its detail is packed.

    Return its link of the chain, and which memories it mentions at its position.
    """
    no, name = scope
    last = connection.execute("SELECT digest FROM scopes WHERE scope = ?", (no,)).fetchone()
    previous = last[0] if last else UNCHAINED
    images.rows.sort(key=_number)
    images.blocks.sort(key=itemgetter(1))
    header = _build_header_row(images.position, no, cause, images.count)
    entries = entries_digest(images.shapes, images.rows, images.blocks)
    why = header_digest(header, name, images.asked)
    digest = part_digest(previous, why, entries)
    values = [*header]
    values[_RUN_AT] = pack_run_id(cause.run)
    if names is not None:
        values[_DETAIL_AT] = details.pack(connection, names, no, header[_DETAIL_AT])
    connection.execute(_INSERT_RUN, (*values, own_digest(why, entries), entries, images.asked))
    connection.executemany(_INSERT_CHANGE, images.rows)
    block_log.write(connection, images.blocks)
    mentions = [(seq, images.position) for seq in sorted(images.mentioned)]
    connection.executemany("INSERT INTO mentions (seq, position) VALUES (?, ?)", mentions)
    return ChainLink(digest, previous), mentions


def append(connection: sqlite3.Connection, scope: tuple[int, str], cause: Cause, asked: bytes) -> int:
    """Write a part that changes nothing and only says something, and return its position."""
    (last,) = connection.execute(
        "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'runs'"
    ).fetchone()
    images = PartImages(int(last) + 1, 0, asked)
    link, _ = write(connection, scope, cause, images)
    connection.execute(CLOSE, (scope[0], images.position, 0, 0, cause.at, *link))
    return images.position


def plain_header(
    connection: sqlite3.Connection, names: Fresh | StringIds, kept: Sequence[Any]
) -> tuple[Any, ...]:
    """Return the header of a part as it was said, from what is kept of it."""
    return (
        *kept[:_DETAIL_AT],
        details.unpack(connection, names, kept[_DETAIL_AT]),
        *kept[_DETAIL_AT + 1 :],
    )


def header_digest(header: Sequence[Any], scope: str, asked: bytes) -> bytes:
    """Return the digest of why a part was done: its plain header, with the name of the scope for its number."""
    position, _, *cause = header
    return digest_of([position, scope, *cause, asked])


def own_digest(why: bytes, entries: bytes) -> bytes:
    """Return what is kept of a part to know it by: of why it was done and of what it changed."""
    return blake2b(why + entries, digest_size=OWN_BYTES).digest()


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


def read(connection: sqlite3.Connection, names: StringIds, scope: str, asked: AuditQuery) -> list[AuditPart]:
    """Return logged parts, oldest first."""
    no = names.number(connection, SCOPE, scope)
    condition, source = "scope = ?1 AND position > ?2", "runs INDEXED BY runs_scope"
    parameters: list[Any] = [no, line_before(connection, no, asked.after)]
    if asked.run is not None:
        condition, source = f"{condition} AND id = ?3", _OF_RUN
        parameters.append(pack_run_id(asked.run))
    if asked.memory is not None:
        condition += f" AND position IN (SELECT value FROM json_each(?{len(parameters) + 1}))"
        # The parts that changed the memory, its tags, sources or links at either end.
        single = connection.execute(
            "SELECT position FROM mentions WHERE seq = ? AND position > ?", (asked.memory, asked.after)
        )
        positions = {position for (position,) in single.fetchall()}
        positions |= block_log.positions_about(connection, asked.memory, asked.after)
        parameters.append(id_list(positions))
        source = source.removesuffix(" INDEXED BY runs_scope")
    cursor = connection.execute(
        f"SELECT {', '.join(_RUN)} FROM {source} WHERE {condition} ORDER BY position LIMIT ?{len(parameters) + 1}",
        (*parameters, asked.limit),
    )
    rows = cursor.fetchall()
    image_ends = ends(connection, no) if rows else Ends()
    parts = (
        part
        for row in rows
        for part in _read_line_parts(connection, names, row, asked, image_ends.find_end_time(row[0]))
    )
    return list(islice((part for part in parts if part.position > asked.after), asked.limit))


def line_before(connection: sqlite3.Connection, scope: int | None, after: int) -> int:
    """Return after which line the parts after a position begin: that may lie within a line of several."""
    row = connection.execute(_LINE_AT, (scope, after)).fetchone() if after > 0 else None
    return after if row is None or row[1] is None else int(row[0]) - 1


def mark(connection: sqlite3.Connection, scope: int) -> ImageEndMark:
    """Return how far the images of a scope have ended and what stands of them, as the last part that took some says."""
    row = connection.execute(f"{_ENDS} DESC LIMIT 1", (scope,)).fetchone()
    with DECODING:
        return ImageEndMark() if row is None else ImageEndMark.read(orjson.loads(row[1]))


@dataclass(frozen=True, slots=True)
class Ends:
    """Up to which positions images ended, and when, ascending."""

    through: Sequence[int] = ()
    times: Sequence[int] = ()

    def find_end_time(self, position: int) -> int | None:
        """Return when the images of a part ended, None where they have not."""
        place = bisect_left(self.through, position)
        return self.times[place] if place < len(self.through) else None


def ends(connection: sqlite3.Connection, scope: int | None) -> Ends:
    """Return when the images of a scope ended."""
    rows = connection.execute(_ENDS, (scope,)).fetchall()
    with DECODING:
        return Ends(
            [ImageEndMark.read(orjson.loads(detail)).through for _, detail in rows], [at for at, _ in rows]
        )


def _share_text(seen: dict[str, int], n: int, text: str) -> str:
    """Return a text, or the number of the change that has it already."""
    if len(text) < _SHARED_MIN:
        return text
    first = seen.setdefault(text, n)
    return text if first == n else str(first)


def _number(entry: Row) -> int:
    return entry[1]


def _build_header_row(position: int, scope: int, cause: Cause, count: int) -> tuple[Any, ...]:
    """Return a part's row in `runs`, its digests apart."""
    return (
        position,
        scope,
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


def _read_line_parts(
    connection: sqlite3.Connection,
    names: StringIds,
    row: Sequence[Any],
    asked: AuditQuery,
    ended_at: int | None,
) -> Iterator[AuditPart]:
    """Yield the parts of a line."""
    header = plain_header(connection, names, row[: len(HEADER)])
    digest, _, content = row[len(HEADER) :]
    cause = cause_of(header)
    if cause.verb != USE:
        yield _read_logged_part(connection, names, header, cause, digest, asked, ended_at)
        return
    used = block_log.used_in(block_log.read(connection, header[0])) if asked.rows else []
    parts = parts_of(header, content)
    if len(used) != len(parts):
        used = [()] * len(parts)
    for number, (part, seqs) in enumerate(zip(parts, used, strict=True)):
        why = replace(cause, at=part.at, part=cause.part + number)
        known_by = digest_of([why.run, why.part, why.at, *part], OWN_BYTES).hex()
        yield AuditPart(part.position, why, (), known_by, part.changes, seqs, ended_at)


def _read_logged_part(
    connection: sqlite3.Connection,
    names: StringIds,
    header: Sequence[Any],
    cause: Cause,
    digest: bytes,
    asked: AuditQuery,
    ended_at: int | None,
) -> AuditPart:
    position, count = header[0], header[HEADER.index("changes")]
    if ended_at is not None and is_whole(cause, _count_changes(connection, position), count):
        ended_at = None
    if not asked.rows and asked.memory is None:
        return AuditPart(position, cause, (), digest.hex(), count, ended_at=ended_at)
    blocks = block_log.read(connection, position)
    entries = tuple(_read_entries(connection, names, position, blocks, asked.memory))
    if asked.memory is not None:
        count = row_count(entries)
    if not asked.rows:
        return AuditPart(position, cause, (), digest.hex(), count, ended_at=ended_at)
    used = tuple(seq for seqs in block_log.used_in(blocks) for seq in seqs)
    return AuditPart(position, cause, entries, digest.hex(), count, used, ended_at)


def _count_changes(connection: sqlite3.Connection, position: int) -> int:
    """Count the changes of a part that are there."""
    (count,) = connection.execute(_COUNT, (position,)).fetchone()
    return int(count)


def _read_entries(
    connection: sqlite3.Connection,
    names: StringIds,
    position: int,
    blocks: Sequence[block_log.Row],
    memory: int | None,
) -> Iterator[Entry]:
    """Return a part's changes and blocks in order, all of them or those of one memory."""
    condition, about = "", (position,)
    if memory is not None:
        condition = f""" AND ("key" = ?2 OR kind = {CODE["links"]} AND subkey GLOB ?2 || ':*')"""
        about = (position, memory)  # type: ignore[assignment]
    rows = connection.execute(f"{SELECT_CHANGES}{condition} ORDER BY place", about).fetchall()
    shapes = names.read_texts(connection, shapes_of(rows, blocks))
    singles = zip((row[1] for row in rows), _read_changes(connection, position, rows, shapes), strict=True)
    pairs: Iterable[tuple[int, Entry]] = merge(
        singles, block_log.blocks(blocks, shapes, memory), key=itemgetter(0)
    )
    return (entry for _, entry in pairs)


def _read_changes(
    connection: sqlite3.Connection, position: int, rows: Sequence[Row], texts: Mapping[int, str]
) -> Iterator[Change]:
    """Yield the changes that rows keep."""
    shapes: dict[int | None, _Shape] = {number: _Shape(text) for number, text in texts.items()}
    images = _ImageResolver(connection, position)
    for _, _, kind, key, subkey, shape, before, after in rows:
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
    """Images by text, with references to earlier changes of the part followed."""

    def __init__(self, connection: sqlite3.Connection, position: int) -> None:
        self._connection = connection
        self._position = position
        self._held: dict[tuple[str, str], Any] = {}

    def image(self, side: str, text: str) -> Any:
        """Return the values that a text holds or refers to."""
        if text[0] in "[{":
            return orjson.loads(text)
        values = self._held.get((side, text))
        if values is None:
            row = self._connection.execute(
                f'SELECT "{side}" FROM changes WHERE place = {PLACE}', (self._position, int(text))
            ).fetchone()
            if row is None or row[0] is None:
                raise StoreDamaged(
                    f"part {self._position} refers to change {text}, which is not there",
                    recovery="run `doctor`, then go back to the latest backup",
                )
            values = self._held[side, text] = orjson.loads(row[0])
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
