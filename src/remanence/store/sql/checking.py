"""Whether what is stored is sound, scope by scope: what no database checks of itself.

The audit is proved by digests: every part under its own, each after the one before it in its scope. Reads everything
and mends nothing; each check says what it saw, also where the database breaks under it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from remanence.core.errors import StoreDamaged
from remanence.core.model import Status
from remanence.store.audit_parts import UNCHAINED, part_digest
from remanence.store.base import DOUBT_UNDO, GO_BACK, MAKE_ANEW, Check
from remanence.store.data_inventory import VECTORS
from remanence.store.erasure import EMPTIED, ERASE
from remanence.store.lineage import SUCCEEDING, find_without_successor, lineage
from remanence.store.scope_transfer import MOVED
from remanence.store.sql import fulltext, redact_images, sums
from remanence.store.sql.audit import (
    HEADER,
    PartContent,
    header_digest,
    mark,
    own_digest,
    parts_of,
    plain_header,
    read_contents,
)
from remanence.store.sql.database import Database
from remanence.store.sql.decoding import UNREADABLE
from remanence.store.sql.dialect import Statement
from remanence.store.sql.names import NameCache, ScopeNames
from remanence.store.sql.rows import MEMORIES, row_digest
from remanence.store.sql.scope import OpenScope, ScopeRow
from remanence.store.undo_data_pruning import PROVEN, ImageEndMark, PartHead, from_where, update_sum

Faults = Iterator[str]
Errors = tuple[type[Exception], ...]

SHOWN_MAX = 5
# What is made of the texts costs none of them.
_WAYS_OUT = {"full text": MAKE_ANEW, "audit": DOUBT_UNDO}
# What parts changed is read of some at once, until these have so many changes.
_CHANGES_AT_ONCE = 5_000
_PARTS_AT_ONCE = 500

_SCOPES = Statement(
    f"SELECT n.scope, n.name, {', '.join(f's.{name}' for name in ScopeRow._fields[1:])}"
    f" FROM scope_names n LEFT JOIN scopes s ON s.scope = n.scope WHERE s.position IS NULL OR s.position > {MOVED}"
    " ORDER BY n.name"
)
_HALVES = Statement(
    "SELECT m.seq FROM memories m LEFT JOIN states s ON s.scope = m.scope AND s.seq = m.seq"
    " WHERE m.scope = ?1 AND s.seq IS NULL ORDER BY m.seq"
)
_TEXTS = Statement(
    f"SELECT seq, digest, {', '.join(column.name for column in MEMORIES)} FROM memories WHERE scope = ?1"
    " ORDER BY seq"
)
_VECTORS = {
    table: Statement(f"SELECT seq, vector, digest FROM {table} WHERE scope = ?1") for table in VECTORS
}
_RUNS = Statement(
    f"SELECT {', '.join(HEADER)}, digest, entries, asked FROM runs WHERE scope = ?1 ORDER BY position"
)
_EMPTIED = Statement("SELECT by, position, header, rest FROM emptied WHERE scope = ?1 ORDER BY position, by")
_ERASURES = Statement("SELECT position, detail FROM runs WHERE scope = ?1 AND verb = ?2 ORDER BY position")
_COUNTED = Statement(
    "SELECT (SELECT max(at) FROM runs WHERE scope = ?1), (SELECT count(*) FROM states WHERE scope = ?1)"
)
_AT = Statement("SELECT at FROM runs WHERE scope = ?1 AND position = ?2")
_REPLACING = Statement(
    "SELECT l.source, l.target, s.status FROM links l JOIN states s ON s.scope = l.scope AND s.seq = l.source"
    f" WHERE l.scope = ?1 AND l.relation IN ({', '.join(str(int(one)) for one in sorted(SUCCEEDING))})"
)
_FALLEN = Statement("SELECT seq, reason FROM states WHERE scope = ?1 AND status = ?2")


def _is_unavailable(_: BaseException) -> bool:
    return False


def check_all(
    db: Database,
    cache: NameCache,
    errors: Errors = (),
    is_unavailable: Callable[[BaseException], bool] = _is_unavailable,
    references: Callable[[], Iterable[str]] = tuple,
) -> list[Check]:
    """Look at all scopes; the list has one entry a check, sound or not.

    `errors` are those of the driver: one that `is_unavailable` says nothing of what is stored, and is raised.
    `references` are faults that the database finds itself.
    """
    return _Checking(db, cache, (*errors, *UNREADABLE, OverflowError, StoreDamaged), is_unavailable).check(
        references
    )


@dataclass(slots=True)
class _Checking:
    """A look at all scopes of a database."""

    db: Database
    cache: NameCache
    errors: Errors
    is_unavailable: Callable[[BaseException], bool]
    _scopes: list[OpenScope] | None = None

    def check(self, references: Callable[[], Iterable[str]]) -> list[Check]:
        """Return all checks, in order."""

        def find_reference_faults() -> Faults:
            yield from references()
            yield from self._walk(_find_halves)

        return [
            self._run("references", "every row names rows that are there", find_reference_faults),
            self._run(
                "rows", "every text and vector is what was written", lambda: self._walk(_find_row_faults)
            ),
            self._run(
                "sums",
                "every state, tag, source and link is what was written",
                lambda: (
                    fault for one in self._open() for fault in sums.find_sum_faults(self.db, one.no, one.name)
                ),
            ),
            self._run("audit", self._describe_proof(), lambda: self._walk(_check_audit)),
            self._run(
                "full text",
                "every word is found where it stands, and counted",
                lambda: self._walk(fulltext.find_word_faults),
            ),
            self._check_lineage(),
        ]

    def _open(self) -> list[OpenScope]:
        """Return all scopes, in order of their names."""
        if self._scopes is None:
            self._scopes = [
                _build_scope(
                    self.db, self.cache, name, ScopeRow(no) if row[0] is None else ScopeRow(no, *row)
                )
                for no, name, *row in self.db.rows(_SCOPES)
            ]
        return self._scopes

    def _walk(self, look: Callable[[OpenScope], Iterable[str]]) -> Faults:
        """Yield the faults of all scopes, each with its scope where there are several."""
        scopes = self._open()
        for scope in scopes:
            for fault in look(scope):
                yield fault if len(scopes) == 1 else f"in scope {scope.name!r}, {fault}"

    def _run(self, name: str, sound: str, look: Callable[[], Iterable[str]]) -> Check:
        faults: list[str] = []
        try:
            faults.extend(look())
        except self.errors as error:
            self._raise_unavailable(error)
            faults.append(f"cannot be read: {_find_reason(error)}")
        more = f" and {len(faults) - SHOWN_MAX} more" if len(faults) > SHOWN_MAX else ""
        if not faults:
            return Check(name, ok=True, detail=sound)
        return Check(name, False, "; ".join(faults[:SHOWN_MAX]) + more, _WAYS_OUT.get(name, GO_BACK))

    def _raise_unavailable(self, error: Exception) -> None:
        if self.is_unavailable(error):  # it says nothing of what is stored
            raise error

    def _describe_proof(self) -> str:
        """Say what a sound audit proves: from where on the images, too."""
        try:
            ended = [(one.name, *end) for one in self._open() if (end := find_images_end(one)) is not None]
        except self.errors as error:
            self._raise_unavailable(error)
            ended = []
        return PROVEN + from_where(ended)

    def _check_lineage(self) -> Check:
        try:
            lost = {one.name: _find_without_successor(one) for one in self._open()}
        except self.errors as error:
            self._raise_unavailable(error)
            return Check("lineage", ok=False, detail=f"cannot be read: {_find_reason(error)}")
        checks = {name: lineage(seqs) for name, seqs in lost.items() if seqs}
        if len(lost) <= 1 or not checks:
            return next(iter(checks.values()), lineage(()))
        details = [f"in scope {name!r}, {one.detail}" for name, one in checks.items()]
        return replace(next(iter(checks.values())), detail="; ".join(details))


def _find_reason(error: Exception) -> BaseException:
    """Return what made reading fail where an error only says that something did."""
    return error.__cause__ or error if isinstance(error, StoreDamaged) else error


def _build_scope(db: Database, cache: NameCache, name: str, row: ScopeRow) -> OpenScope:
    return OpenScope(db, name, row, row, ScopeNames(db, row.no, row.names_gone, cache))


def _find_halves(scope: OpenScope) -> Faults:
    for (seq,) in scope.db.rows(_HALVES, (scope.no,)):
        yield f"memory {seq} has no state in its scope"


def _find_row_faults(scope: OpenScope) -> Faults:
    for seq, digest, *values in scope.db.stream(_TEXTS, (scope.no,)):
        if row_digest(seq, values) != digest:
            yield f"memory {seq} is not what was written"
    for table, statement in _VECTORS.items():
        for seq, vector, digest in scope.db.stream(statement, (scope.no,)):
            if sums.vector_digest(vector) != digest:
                yield f"the vector of memory {seq} in {table} is not what was written"


def find_images_end(scope: OpenScope) -> tuple[int, int] | None:
    """Return up to which part images have ended, and of when that is."""
    through = mark(scope).through
    row = scope.db.row(_AT, (scope.no, through)) if through else None
    return None if row is None else (through, row[0])


def _find_without_successor(scope: OpenScope) -> list[int]:
    links = scope.db.rows(_REPLACING, (scope.no,))
    fallen = scope.db.rows(_FALLEN, (scope.no, int(Status.SUPERSEDED)))
    return find_without_successor(links, dict(fallen))


def _check_audit(scope: OpenScope) -> Faults:
    yield from find_audit_faults(scope)
    row = scope.db.row(_COUNTED, (scope.no,))
    assert row is not None
    newest_at, held = row
    if newest_at is not None and newest_at != scope.row.newest_at:
        yield f"scope {scope.no} was last written to at another time than its newest run"
    if held != scope.row.held:
        yield f"scope {scope.no} counts other memories than it has"


def find_audit_faults(scope: OpenScope) -> Faults:
    """Yield what is wrong: a part that was changed, that does not follow from the one before, or that is missing."""
    emptied = scope.db.rows(_EMPTIED, (scope.no,))
    yield from _find_erasure_faults(scope, emptied)
    # Of each part that was emptied the digest of why it was done, and that of what was left last.
    remainders = {position: (header, rest) for _, position, header, rest in emptied}
    chain = _Chain(scope, remainders, mark(scope))
    for lines in _cut_lines(scope.db.stream(_RUNS, (scope.no,))):
        contents = read_contents(scope, [line[0] for line in lines])
        scope.names.read_texts({number for content in contents.values() for number in content.shapes})
        for line in lines:
            yield from chain.follow(line, contents[line[0]])
    yield from chain.find_faults_at_end()


def _cut_lines(lines: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    """Yield lines of the audit in lists that can be held at once."""
    some: list[Sequence[Any]] = []
    changes = 0
    for line in lines:
        some.append(line)
        changes += line[HEADER.index("changes")]
        if changes >= _CHANGES_AT_ONCE or len(some) == _PARTS_AT_ONCE:
            yield some
            some, changes = [], 0
    if some:
        yield some


@dataclass(slots=True)
class _Chain:
    """The parts of a scope, as they follow each other.

    `remainders` are the digests of parts that were emptied: of why each was done, and of what was left last.
    """

    scope: OpenScope
    remainders: Mapping[int, tuple[bytes, bytes]]
    end_mark: ImageEndMark
    position: int = 0  # of the last part
    digest: bytes = UNCHAINED
    before: bytes = UNCHAINED
    is_sound: bool = True  # all parts up to here are what was written
    _held: list[bytes] = field(default_factory=list)  # what parts hold whose images have ended
    _heads: list[bytes] = field(default_factory=list)  # of parts between which those of uses are gone

    def follow(self, line: Sequence[Any], content: PartContent) -> Faults:
        """Go on with a line, and yield what is wrong with it."""
        *kept, digest, entries, asked = line
        position = kept[0]
        proven_from = self.end_mark.proven_from
        if position > proven_from and self.position + 1 != position:
            yield f"part {position} does not follow part {self.position}"
        header = plain_header(self.scope.names, kept)
        why = header_digest(header, self.scope.name, asked)
        is_sound, said = self._compare(position, why, content, entries)
        if not is_sound or digest != own_digest(said, entries):
            yield (
                f"part {position} is not what"
                f" {'an erasure left of it' if position in self.remainders else 'was written'}"
            )
            self.is_sound = False
        if position <= proven_from:
            self._heads.append(PartHead(position, said, entries, goes=False).digest)
        self.digest, self.before = part_digest(self.digest, said, entries), self.digest
        if position == proven_from:
            self.digest = bytes.fromhex(self.end_mark.chain)
        self.position = parts_of(header, asked)[-1].position

    def _compare(self, position: int, why: bytes, content: PartContent, entries: bytes) -> tuple[bool, bytes]:
        """Tell whether a part holds what it should, and return the digest of why it was done when it was written."""
        said, rest = self.remainders.get(position, (why, None))
        if position > self.end_mark.through and rest is None:
            return entries == content.digest(self.scope.names), said
        if position <= self.end_mark.through and not content:
            return True, said
        found = redact_images.rest_digest(why, content.digest(self.scope.names))
        if position <= self.end_mark.through:
            self._held.append(found)
            return True, said
        return found == rest, said

    def find_faults_at_end(self) -> Faults:
        """Yield what is missing, and what else the last part and the scope say."""
        end_mark, row = self.end_mark, self.scope.row
        kept = {"hold other images": (self._held, end_mark.left), "are others": (self._heads, end_mark.heads)}
        for fault, (digests, total) in kept.items():
            if update_sum("", (), digests) != total:
                yield f"of scope {self.scope.name!r}, parts up to {end_mark.through} {fault} than were kept"
        if row.position > self.position:
            yield f"parts {self.position + 1} to {row.position} are missing"
        ends = (row.position, row.digest, row.before)
        if ends[0] != self.position or (self.is_sound and ends != (self.position, self.digest, self.before)):
            yield f"the parts of scope {self.scope.no} do not end with the one that it names"


def _find_erasure_faults(scope: OpenScope, emptied: Iterable[Sequence[Any]]) -> Faults:
    """Yield each erasure that left of the parts before it something else than it said."""
    by: dict[int, list[tuple[int, bytes, bytes]]] = {}
    for part, position, header, rest in emptied:
        by.setdefault(part, []).append((position, header, rest))
    for position, detail in scope.db.rows(_ERASURES, (scope.no, ERASE)):
        expected = redact_images.emptied_digest(by.pop(position, []))
        if detail is None or orjson.loads(detail).get(EMPTIED) != expected:
            yield f"part {position} left something else of the parts before it"
    for position in sorted(by):
        yield f"part {position} emptied others, and is no erasure"
