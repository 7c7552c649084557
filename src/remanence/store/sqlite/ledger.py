"""What was erased, kept in step between the database and the ledgers that it hears: each learns what the other knows.

An original's ledger is heard by every file of its origin in its folder and by copies that know its home, a copy's by
that copy alone, and hearing never destroys. Knows marks, and by which of them a memory is named; must not know what
erasing one takes.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_IMODE

import orjson

from remanence.core.change import Cause
from remanence.core.errors import RemanenceError
from remanence.store import erasure
from remanence.store.audit_parts import content_digest
from remanence.store.base import Check, LedgerFindings
from remanence.store.erasure import MarkKind
from remanence.store.sql import audit, bookkeeping
from remanence.store.sql.decoding import UNREADABLE
from remanence.store.sql.dialect import Statement
from remanence.store.sql.erasing import put_marks
from remanence.store.sql.names import NameCache
from remanence.store.sql.scope import OpenScope, open_scope_to_write
from remanence.store.sqlite import ledger_file
from remanence.store.sqlite.database_file import SCHEMA_VERSION, version_of
from remanence.store.sqlite.driver import IN_MEMORY, FileKey, errors
from remanence.store.sqlite.home import DatabaseLocation, is_copy, peek, place_of
from remanence.store.sqlite.ledger_file import Ledger, LedgerLine, Marks
from remanence.store.sqlite.sqlite_database import SqliteDatabase, connection_of
from remanence.text.forbidden_keys import fold_keys

# The row of `meta` with the fingerprints of the ledgers all of which this database knows.
APPLIED = "erased_ledgers"
# The row of `meta` that is there once its own ledger was missing and was written anew from what it knows.
WRITTEN_ANEW = "erased_anew"
_SELECT = "SELECT value FROM meta WHERE name = ?"
_PUT = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_ANY = "SELECT 1 FROM erased LIMIT 1"
_HELD = "SELECT n.name, e.mark, e.at, e.kind FROM erased e JOIN scope_names n ON n.scope = e.scope"
_OF_SCOPE = "WHERE scope = (SELECT scope FROM scope_names WHERE name = ?1)"
_MEMORIES = (
    f"SELECT seq, id, text FROM memories {_OF_SCOPE} UNION ALL SELECT seq, id, NULL FROM purged {_OF_SCOPE}"
)
_SEQS = Statement("SELECT seq FROM memories WHERE scope = ?1")
_LATEST = "SELECT n.name, s.latest FROM scopes s JOIN scope_names n ON n.scope = s.scope"


@dataclass(frozen=True, slots=True)
class PendingLedger:
    """A ledger that a database hears, and of which it does not know all yet."""

    file: Path
    ledger: Ledger


def peek_findings(path: str, key: FileKey | None = None) -> LedgerFindings:
    """Compare a file that nobody has opened yet with its ledgers, and change no byte of it.

    Nothing is found of what is no database of this version, or damaged: whoever opens it says what is wrong.
    """
    try:
        with peek(path, key) as connection:
            if version_of(connection) != SCHEMA_VERSION:
                return LedgerFindings()
            return compare(connection, path)
    except errors(OSError, RemanenceError, *UNREADABLE):
        return LedgerFindings()


def compare(connection: sqlite3.Connection, path: str) -> LedgerFindings:
    """Return what the ledgers that a database hears name and it holds all the same."""
    if path == IN_MEMORY:
        return LedgerFindings()
    place = place_of(connection, path)
    pending = _find_unknown_ledgers(connection, place)
    if not pending:
        return LedgerFindings(is_due=_lacks_own(connection, place))
    erased_seqs, redacted_seqs = _find_marked_memories(
        connection, place.salt, _find_missing_marks(connection, pending)
    )
    return LedgerFindings(
        is_due=True,
        erased=erased_seqs,
        redacted=redacted_seqs,
        ledgers=tuple(str(one.file) for one in pending),
        damaged=tuple(f"{one.file}: {one.ledger}" for one in pending if one.ledger.damage),
    )


def learn(
    connection: sqlite3.Connection, cache: NameCache, path: str, *, accept_damage: bool = False
) -> bool:
    """Take what the ledgers know into the database; return False, with nothing written, where it holds any of it.

    So it does where one of them is damaged, unless somebody has seen that and accepts it.
    """
    place = place_of(connection, path)
    pending = _find_unknown_ledgers(connection, place)
    missing = _find_missing_marks(connection, pending)
    if any(_find_marked_memories(connection, place.salt, missing)):
        return False
    if not accept_damage and any(one.ledger.damage for one in pending):
        return False
    # A number that was erased is not given to another memory of its scope.
    latest: dict[str, int] = {}
    for one in pending:
        for scope, number in one.ledger.latest.items():
            latest[scope] = max(latest.get(scope, 0), number)
    for scope in sorted({*latest, *(scope for scope, _ in missing)}):
        opened = open_scope_to_write(SqliteDatabase(connection), cache, scope)
        _keep_marks(opened, place.salt, missing)
        opened.row = opened.row._replace(latest=max(opened.row.latest, latest.get(scope, 0)))
        opened.close()
    if place.path == place.home and _read_applied_ledgers(connection) and not os.path.lexists(place.ledger):
        connection.execute(_PUT, (WRITTEN_ANEW, "1"))
    _remember(connection, place, [one.ledger.fingerprint for one in pending])
    return True


def keep_standing(scope: OpenScope, path: str, cause: Cause) -> int:
    """Keep the memories of a scope that ledgers name, and log why; return how many that are."""
    connection, digest = connection_of(scope), content_digest(())
    if audit.find_earlier_commit(scope, (), cause, digest) is not None:
        return 0
    bookkeeping.refuse_lost_lease(scope, cause.fence)
    place = place_of(connection, path)
    missing = _find_missing_marks(connection, _find_unknown_ledgers(connection, place))
    rows = _rows_of(connection, scope.name)
    standing = {
        seq: marks
        for seq, marks in _compute_memory_marks(rows, place.salt)
        if any((scope.name, one) in missing for one in marks)
    }
    kept_marks = {
        (scope.name, one): LedgerLine(missing[scope.name, one].at, MarkKind.KEPT)
        for marks in standing.values()
        for one in marks
        if (scope.name, one) in missing
    }
    _keep_marks(scope, place.salt, kept_marks)
    audit.append(scope, cause, digest)
    return len(standing)


def write(connection: sqlite3.Connection, path: str) -> None:
    """Have the ledger beside the database say all that it knows, on the disk before this returns.

    Within a transaction that writes, so that no other process does the same; raises OSError where it cannot be.
    """
    place = place_of(connection, path)
    file = place.ledger
    own_marks = {
        (scope, mark): LedgerLine(at, MarkKind(kind))
        for scope, mark, at, kind in connection.execute(_HELD).fetchall()
        if kind != MarkKind.KEPT
    }
    there = Ledger()
    if os.path.lexists(file):
        there = ledger_file.read(file, place.salt)
        connection.execute("DELETE FROM meta WHERE name = ?", (WRITTEN_ANEW,))
    if there.damage and ledger_file.read_header(file)[0] not in _read_applied_ledgers(connection):
        ledger_file.set_aside(file)
    marks = {**there.marks, **own_marks}
    latest = dict(there.latest)
    for scope, number in connection.execute(_LATEST).fetchall():
        latest[scope] = max(latest.get(scope, 0), number)
    # Of other scopes no number was erased, and a ledger need not name them.
    with_marks = {scope for scope, _ in marks}
    latest = {scope: number for scope, number in latest.items() if scope in with_marks}
    ledger = Ledger(marks, latest, place.role)
    digest = ledger_file.write(file, place.salt, ledger, S_IMODE(Path(path).stat().st_mode))
    if not _find_missing_marks(connection, [PendingLedger(file, ledger)]):
        _remember(connection, place, [digest])


def check(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield whether the ledgers that a database hears are what was written, and whether it holds what they name."""
    (_, _, path) = connection.execute("PRAGMA database_list").fetchone()
    if not path:
        return
    place = place_of(connection, path)
    comparison = compare(connection, path)
    if not comparison.is_settled:
        yield Check("ledger", ok=False, detail=str(comparison), advice=comparison.ways_out)
        return
    if aside := ledger_file.find_ledgers(place.path, place.salt, aside=True):
        yield Check(
            "ledger",
            ok=True,
            detail=f"what was cut or changed is set aside: {', '.join(map(str, aside))}",
            advice="erase again what was erased since this database was copied, then delete it",
        )
    for file in ledger_file.find_foreign(place.path, place.salt):
        yield Check(
            "ledger",
            ok=True,
            detail=f"{file} is of a database of another origin, and is not heard here",
            advice="move it to the database that it belongs to, or delete it",
        )
    yield from _check_own(connection, place)


def _check_own(connection: sqlite3.Connection, place: DatabaseLocation) -> Iterator[Check]:
    file = place.ledger
    if os.path.lexists(file) and (damage := ledger_file.read(file, place.salt).damage):
        detail = f"{file} does not tell all: {damage}"
        yield Check(
            "ledger",
            ok=False,
            detail=detail,
            advice=f"delete {file}: this database knows all that it said, and writes it anew when it is opened",
        )
    elif not place.is_original:
        yield Check("ledger", ok=True, detail=f"this file is a copy of {place.home}, and hears its ledger")
    elif connection.execute(_ANY).fetchone() is None:
        return
    elif not file.exists():
        detail = (
            f"there is no {file}: an older copy of the database in its place would bring back what was erased"
        )
        yield Check(
            "ledger",
            ok=True,
            detail=detail,
            advice="let the folder be written to, and open the database again",
        )
    elif connection.execute(_SELECT, (WRITTEN_ANEW,)).fetchone() is not None:
        yield Check(
            "ledger",
            ok=True,
            detail=f"{file} was missing, and was written anew from what this database knows",
            advice="if it went with a newer copy of this database, put it back and open the database again",
        )
    else:
        yield Check("ledger", ok=True, detail=f"{file} tells older copies of the database what was erased")


def _find_unknown_ledgers(connection: sqlite3.Connection, place: DatabaseLocation) -> list[PendingLedger]:
    """Return the ledgers that a database hears and of which it does not know that it knows all that they say."""
    applied_ledgers = set(_read_applied_ledgers(connection))
    pending = []
    for file in _heard_files(place):
        if ledger_file.read_header(file)[0] in applied_ledgers:
            continue
        ledger = ledger_file.read(file, place.salt)
        if ledger.fingerprint not in applied_ledgers:
            pending.append(PendingLedger(file, ledger))
    return pending


def _heard_files(place: DatabaseLocation) -> list[Path]:
    """Return the ledgers that a database hears: its own, those of originals beside it, and as a copy that at home."""
    beside = ledger_file.find_ledgers(place.path, place.salt)
    files = [file for file in beside if file == place.ledger or _is_of_original(file, place.key)]
    at_home = ledger_file.build_ledger_path(place.home, place.salt)
    if not place.is_original and at_home not in files and os.path.lexists(at_home):
        files.append(at_home)
    return files


def _is_of_original(file: Path, key: FileKey | None) -> bool:
    """True if an original wrote a ledger; where it does not say so itself, the database that it lies beside tells."""
    _, role = ledger_file.read_header(file)
    return role == "original" if role is not None else not is_copy(ledger_file.database_of(file), key)


def _lacks_own(connection: sqlite3.Connection, place: DatabaseLocation) -> bool:
    """True if an original that knows of something erased has no ledger, one that it wrote as a copy, or a cut one."""
    if not place.is_original or connection.execute(_ANY).fetchone() is None:
        return False
    return ledger_file.read_header(place.ledger)[1] != "original"


def _read_applied_ledgers(connection: sqlite3.Connection) -> list[str]:
    row = connection.execute(_SELECT, (APPLIED,)).fetchone()
    return [] if row is None else list(orjson.loads(row[0]))


def _remember(connection: sqlite3.Connection, place: DatabaseLocation, fingerprints: Iterable[str]) -> None:
    """Keep by what the ledgers are known that lie there now, and no more of those that lie there no longer."""
    lie: set[str] = set()
    for file in _heard_files(place):
        digest, _ = ledger_file.read_header(file)
        lie.add(digest or ledger_file.read(file, place.salt).fingerprint)
    before = _read_applied_ledgers(connection)
    applied_ledgers = sorted({*fingerprints, *(one for one in before if one in lie)})
    if applied_ledgers != before:
        connection.execute(_PUT, (APPLIED, orjson.dumps(applied_ledgers).decode()))


def _find_missing_marks(connection: sqlite3.Connection, heard: Iterable[PendingLedger]) -> Marks:
    """Return the marks that the database lacks."""
    marks = {key: line for one in heard for key, line in one.ledger.marks.items()}
    if not marks:
        return {}
    own_lines = {(scope, mark): (at, kind) for scope, mark, at, kind in connection.execute(_HELD)}
    return {key: line for key, line in marks.items() if not _knows_line(own_lines.get(key), line)}


def _knows_line(held: tuple[int, int] | None, line: LedgerLine) -> bool:
    """True if a database knows a line of a ledger; what it keeps is known as of the line that it was kept against."""
    return held is not None and (held[1] != MarkKind.KEPT or line.at <= held[0])


def _find_marked_memories(
    connection: sqlite3.Connection, salt: bytes, marks: Marks
) -> tuple[Mapping[str, list[int]], Mapping[str, list[int]]]:
    """Return by scope the memories that marks name, by their ids or by what they say; of purged ones images are left.

    First those that were erased, then those that were only redacted.
    """
    erased_seqs: dict[str, list[int]] = {}
    redacted_seqs: dict[str, list[int]] = {}
    for scope in sorted({scope for scope, _ in marks}):
        for seq, own in _compute_memory_marks(_rows_of(connection, scope), salt):
            kinds = {line.kind for one in own if (line := marks.get((scope, one))) is not None}
            if kinds == {MarkKind.REDACTED}:
                redacted_seqs.setdefault(scope, []).append(seq)
            elif kinds:
                erased_seqs.setdefault(scope, []).append(seq)
    return erased_seqs, redacted_seqs


def _rows_of(connection: sqlite3.Connection, scope: str) -> Iterable[tuple[int, str, str | None]]:
    return connection.execute(_MEMORIES, (scope,))


def _compute_memory_marks(
    rows: Iterable[tuple[int, str, str | None]], salt: bytes
) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield each memory with the marks that would name it."""
    for seq, id_, text in rows:
        names = [erasure.of_id(id_), *map(erasure.of_fold, fold_keys(text) if text is not None else ())]
        yield seq, [erasure.mark(salt, name) for name in names]


def _keep_marks(scope: OpenScope, salt: bytes, marks: Marks) -> None:
    """Keep the marks of a scope, but for those of numbers that another memory has in this copy."""
    own_lines = sorted((mark, line) for (name, mark), line in marks.items() if name == scope.name)
    if not own_lines:
        return
    seqs = scope.db.rows(_SEQS, (scope.no,))
    borne = {erasure.mark(salt, erasure.of_seq(seq)) for (seq,) in seqs}
    put_marks(scope, [(mark, line.at, int(line.kind)) for mark, line in own_lines if mark not in borne])
