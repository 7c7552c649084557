"""What was erased, kept in step between the database and the ledger beside it: each learns what the other knows.

A database that knows less than its ledger is an older copy. Knows marks, and by which of them a memory is named; must
not know what erasing one takes.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from stat import S_IMODE

import orjson

from remanence.folding import fold_keys
from remanence.store import erasure
from remanence.store.base import BroughtBack, Check
from remanence.store.sqlite import ledger_file
from remanence.store.sqlite.dialect import IN_MEMORY
from remanence.store.sqlite.erasing import salt_of
from remanence.store.sqlite.interned import SCOPE, Fresh
from remanence.store.sqlite.ledger_file import Ledger, Marks
from remanence.store.sqlite.sums import record

APPLIED = (
    "erased_ledgers"  # the row of `meta` with the digests of the ledgers all of which this database knows
)
_SELECT = "SELECT value FROM meta WHERE name = ?"
_PUT = "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
_ANY = "SELECT 1 FROM erased LIMIT 1"
_HELD = "SELECT names.name, mark, at FROM erased JOIN names ON names.no = erased.scope"
_OF_SCOPE = "WHERE scope = (SELECT no FROM names WHERE space = ?1 AND name = ?2)"
_MEMORIES = (
    f"SELECT seq, id, text FROM memories {_OF_SCOPE} UNION ALL SELECT seq, id, NULL FROM purged {_OF_SCOPE}"
)
_KEEP = "INSERT INTO erased (scope, mark, at) VALUES (?, ?, ?)"
_LATEST = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'memories'"
_ERASE_AGAIN = "erase again what was erased since this database was copied"
_GIVE_NO_MORE = (
    "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'memories'",
    (
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'memories', ?1"
        " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'memories')"
    ),
)


def brought_back(connection: sqlite3.Connection, path: str) -> BroughtBack:
    """Return what the ledgers beside a database name and it holds: it is an older copy, or another one of the same."""
    if path == IN_MEMORY:
        return BroughtBack()
    salt = salt_of(connection)
    files = ledger_file.found(path, salt)
    unknown = _unknown(connection, files)
    if not unknown:
        lacks = ledger_file.own(path, salt) not in files and connection.execute(_ANY).fetchone() is not None
        return BroughtBack(is_due=lacks)
    named = _standing(connection, salt, _missing(connection, _said(unknown, salt)))
    return BroughtBack(is_due=True, seqs=named)


def learn(connection: sqlite3.Connection, names: Fresh, path: str) -> bool:
    """Take what the ledgers know into the database; return False, with nothing written, where it holds any of it."""
    salt = salt_of(connection)
    files = ledger_file.found(path, salt)
    said = _said(_unknown(connection, files), salt)
    missing = _missing(connection, said)
    if _standing(connection, salt, missing):
        return False
    _keep(connection, names, missing)
    # A number that was erased is not given to another memory.
    latest = max((one.latest for one in said), default=0)
    for statement in _GIVE_NO_MORE if latest else ():
        connection.execute(statement, (latest,))
    _applied(connection, files, [one.digest for one in said if not one.damage])
    return True


def write(connection: sqlite3.Connection, path: str) -> None:
    """Have the ledger beside the database say all that it knows, on the disk before this returns.

    Within a transaction that writes, so that no other process does the same; raises OSError where it cannot be.
    """
    salt = salt_of(connection)
    file = ledger_file.own(path, salt)
    files = ledger_file.found(path, salt)
    unknown = _unknown(connection, files)
    said = _said(unknown, salt)
    marks = {(scope, mark): at for scope, mark, at in connection.execute(_HELD).fetchall()}
    (latest,) = connection.execute(_LATEST).fetchone()
    for one in said:
        marks, latest = {**one.marks, **marks}, max(latest, one.latest)
    if file in unknown and ledger_file.read(file, salt).damage:
        ledger_file.set_aside(file)
    digest = ledger_file.write(file, salt, marks, latest, S_IMODE(Path(path).stat().st_mode))
    if not _missing(connection, said):
        _applied(connection, files, [digest])


def checked(connection: sqlite3.Connection) -> Iterator[Check]:
    """Yield whether the ledgers beside a database are what was written, where anything was erased."""
    (_, _, path) = connection.execute("PRAGMA database_list").fetchone()
    if not path:
        return
    salt = salt_of(connection)
    files = ledger_file.found(path, salt)
    wrong = [(file, said) for file in files if (said := ledger_file.read(file, salt)).damage]
    aside = ledger_file.found(path, salt, aside=True)
    yield from (_damaged(connection, file, said) for file, said in wrong)
    if aside:
        detail = f"what was cut or changed is set aside: {', '.join(map(str, aside))}"
        yield Check("ledger", ok=True, detail=detail, advice=f"{_ERASE_AGAIN}, then delete it")
    elif not wrong and connection.execute(_ANY).fetchone() is not None:
        yield _kept(ledger_file.own(path, salt), files)


def _damaged(connection: sqlite3.Connection, file: Path, said: Ledger) -> Check:
    advice = (
        f"delete {file}: this database knows all that it said, and writes it anew when it is opened"
        if said.digest in _known(connection)
        else f"{_ERASE_AGAIN}, then delete {file}"
    )
    return Check("ledger", ok=False, detail=f"{file} does not tell all: {said.damage}", advice=advice)


def _kept(file: Path, files: Sequence[Path]) -> Check:
    if file in files:
        return Check("ledger", ok=True, detail=f"{file} tells older copies of the database what was erased")
    return Check(
        "ledger",
        ok=True,
        detail=f"there is no {file}: an older copy of the database in its place would bring back what was erased",
        advice="let the folder be written to, and open the database again",
    )


def _unknown(connection: sqlite3.Connection, files: Iterable[Path]) -> list[Path]:
    """Return the ledgers of which this database does not know by their digests that it knows all that they say."""
    known = _known(connection)
    return [file for file in files if ledger_file.digest_of(file) not in known]


def _known(connection: sqlite3.Connection) -> list[str]:
    row = connection.execute(_SELECT, (APPLIED,)).fetchone()
    return [] if row is None else list(orjson.loads(row[0]))


def _applied(connection: sqlite3.Connection, files: Iterable[Path], digests: Iterable[str]) -> None:
    """Keep by which digests ledgers are known, and no more of those that lie there no longer."""
    lie = {ledger_file.digest_of(file) for file in files}
    known = sorted({*digests, *(one for one in _known(connection) if one in lie)})
    if known != _known(connection):
        connection.execute(_PUT, (APPLIED, orjson.dumps(known).decode()))


def _said(files: Iterable[Path], salt: bytes) -> list[Ledger]:
    return [ledger_file.read(file, salt) for file in files]


def _missing(connection: sqlite3.Connection, said: Iterable[Ledger]) -> Marks:
    """Return the marks that the database lacks."""
    marks = {key: at for one in said for key, at in one.marks.items()}
    if not marks:
        return {}
    held = {(scope, mark) for scope, mark, _ in connection.execute(_HELD)}
    return {key: at for key, at in marks.items() if key not in held}


def _standing(connection: sqlite3.Connection, salt: bytes, marks: Marks) -> dict[str, list[int]]:
    """Return the memories that marks name, by their ids or by what they say; of purged ones images are left."""
    by_scope: dict[str, set[str]] = {}
    for scope, mark in marks:
        by_scope.setdefault(scope, set()).add(mark)
    named: dict[str, list[int]] = {}
    for scope, wanted in by_scope.items():
        rows = connection.execute(_MEMORIES, (SCOPE, scope))
        found = [seq for seq, id_, text in rows if not wanted.isdisjoint(_marks(salt, id_, text))]
        if found:
            named[scope] = found
    return named


def _marks(salt: bytes, id_: str, text: str | None) -> list[str]:
    names = [erasure.of_id(id_), *map(erasure.of_fold, fold_keys(text) if text is not None else ())]
    return [erasure.mark(salt, name) for name in names]


def _keep(connection: sqlite3.Connection, names: Fresh, marks: Marks) -> None:
    """Keep marks, but for those of numbers that another memory has in this copy."""
    if not marks:
        return
    salt = salt_of(connection)
    seqs = connection.execute("SELECT seq FROM memories")
    borne = {erasure.mark(salt, erasure.of_seq(seq)) for (seq,) in seqs}
    numbers = {scope: names.make(connection, SCOPE, scope) for scope in sorted({one for one, _ in marks})}
    rows = [(numbers[scope], mark, at) for (scope, mark), at in sorted(marks.items()) if mark not in borne]
    connection.executemany(_KEEP, rows)
    record(connection, "erased", added=rows)
