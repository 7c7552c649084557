"""A database file made new, or brought from an older version to this one behind a verified backup.

What is computed from rows is computed anew where other code computed it. Knows the steps in `migrations`.
"""

import logging
import re
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from shutil import disk_usage
from typing import Any

from remanence.core.change import PART_CHANGES_MAX, Cause, Change
from remanence.core.effects import UPGRADE
from remanence.core.errors import StoreDamaged, StoreUnavailable
from remanence.core.model import COLUMN, Relation, link_values
from remanence.core.score import DECAY_VERSION, FADING_TAGS, decay
from remanence.store.sqlite import commits, dialect, fulltext, sums
from remanence.store.sqlite.dialect import APPLICATION_ID, BASELINE_VERSION, connect, version_of
from remanence.store.sqlite.driver import IN_MEMORY, FileKey, errors, is_encrypted, key_of
from remanence.store.sqlite.home import PARTIAL, copy, origin_at, peek, salt_of
from remanence.store.sqlite.ledger_file import read_blocks
from remanence.store.sqlite.rows import MEMORIES, place, row_digest
from remanence.store.sqlite.string_ids import SCOPE, TAG, Fresh, StringIds
from remanence.text.analysis import FINGERPRINT_VERSION, TOKENIZER_VERSION, fingerprint
from remanence.text.condense import CONDENSED_VERSION
from remanence.text.text_columns import lengths_of, summary_shown
from remanence.text.tokens import TOKENS_VERSION, token_counts

RANGE = 8_192  # memories that are read, computed and written at once
ROW_DIGEST_VERSION = 3
_TOKENIZER, _SUMS = "tokenizer", "sums"
_DIGESTED = tuple(column.name for column in MEMORIES)
_FINGERPRINTS = "memories_fingerprint"
_EQUAL = (
    "WITH several AS (SELECT scope, fingerprint FROM memories GROUP BY scope, fingerprint HAVING count(*) > 1)"
    " SELECT m.scope, m.fingerprint, m.seq FROM several CROSS JOIN memories m"
    " ON m.scope = several.scope AND m.fingerprint = several.fingerprint"
    " JOIN states s ON s.seq = m.seq WHERE s.status < 2 ORDER BY m.scope, m.seq"
)
_LINKED = (
    "SELECT 1 FROM links WHERE scope = ? AND source = ? AND target = ?"
    f" AND relation = {int(Relation.NEAR_DUPLICATE)}"
)


@dataclass(slots=True)
class RefreshBatch:
    """The memories of one range: their numbers and the columns read of them, as kept; each step adds its own."""

    connection: sqlite3.Connection
    names: StringIds
    seqs: list[int]
    columns: dict[str, Sequence[Any]]
    lengths: Sequence[Mapping[str, int]] = ()

    def read_names(self, column: str) -> Iterator[str | None]:
        """Return the names behind the numbers of a column."""
        numbers = self.columns[column]
        names = self.names.read_texts(self.connection, set(numbers) - {None})
        return map(names.get, numbers)


@dataclass(frozen=True, slots=True)
class Step:
    """One column that is computed: its mark in `meta`, by which version, and from which columns.

    `follows` are steps before it from whose columns it is computed: where they are out of date, so is it.
    """

    name: str
    version: int
    column: str
    reads: tuple[str, ...]
    compute: Callable[[RefreshBatch], Sequence[Any]]
    follows: frozenset[str] = frozenset()


def _compute_fingerprints(rows: RefreshBatch) -> list[bytes]:
    speakers = rows.read_names("speaker")
    return [fingerprint(text, who or "") for text, who in zip(rows.columns["text"], speakers, strict=True)]


def _count_tokens(rows: RefreshBatch) -> list[int]:
    return token_counts(rows.columns["text"])


def _build_length_step(name: str) -> Callable[[RefreshBatch], list[int]]:
    def compute(rows: RefreshBatch) -> list[int]:
        if not rows.lengths:
            forms = ({"form": form} for form in rows.columns["form"])
            pairs = zip(forms, rows.columns["summary"], strict=True)
            summaries = [summary_shown({**form, "summary": summary}) for form, summary in pairs]
            rows.lengths = lengths_of(rows.columns["text"], summaries)
        return [of_it[name] for of_it in rows.lengths]

    return compute


_SHOWN = ("text", "form", "summary")


def _compute_decay(rows: RefreshBatch) -> list[int]:
    fading = (rows.names.number(rows.connection, TAG, tag) for tag in sorted(FADING_TAGS))
    numbers = [number for number in fading if number is not None]
    tag_rows = rows.connection.execute(
        f"SELECT seq, tag FROM tags WHERE seq BETWEEN ? AND ? AND tag IN ({', '.join('?' * len(numbers))})",
        (rows.seqs[0], rows.seqs[-1], *numbers),
    )
    tags: dict[int, set[str]] = defaultdict(set)
    for seq, tag in tag_rows.fetchall() if numbers else ():
        tags[seq].add(rows.names.text(rows.connection, tag))
    return [
        int(decay(tags.get(seq, ()), category))
        for seq, category in zip(rows.seqs, rows.read_names("category"), strict=True)
    ]


def _compute_digests(rows: RefreshBatch) -> list[bytes]:
    columns = [rows.columns[name] for name in _DIGESTED]
    return [
        row_digest(seq, scope, values)
        for seq, scope, *values in zip(rows.seqs, rows.columns[SCOPE], *columns, strict=True)
    ]


STEPS: tuple[Step, ...] = (
    Step("fingerprint", FINGERPRINT_VERSION, "fingerprint", ("text", "speaker"), _compute_fingerprints),
    Step("tokens", TOKENS_VERSION, "tokens", ("text",), _count_tokens),
    Step(
        "short tokens",
        CONDENSED_VERSION,
        "short_tokens",
        _SHOWN,
        _build_length_step("short_tokens"),
        frozenset({"tokens"}),
    ),
    Step("short words", CONDENSED_VERSION, "short_words", _SHOWN, _build_length_step("short_words")),
    Step("decay", DECAY_VERSION, "decay", ("category",), _compute_decay),
    Step(
        "row digest",
        ROW_DIGEST_VERSION,
        "digest",
        (SCOPE, *_DIGESTED),
        _compute_digests,
        frozenset({"fingerprint"}),
    ),
)
# What a file made today says in `meta`.
MARKS: Mapping[str, str] = {
    _TOKENIZER: str(TOKENIZER_VERSION),
    **{step.name: str(step.version) for step in STEPS},
    _SUMS: str(sums.SUMS_VERSION),
}


def is_due(connection: sqlite3.Connection) -> bool:
    """Tell whether anything in the file was computed by another version."""
    return bool(_find_overdue_marks(connection))


def refresh(connection: sqlite3.Connection) -> None:
    """Compute anew what is out of date, and mark it; the transaction is the caller's."""
    overdue = _find_overdue_marks(connection)
    if _TOKENIZER in overdue:
        fulltext.rebuild(connection)
    due = [step for step in STEPS if step.name in overdue or not step.follows.isdisjoint(overdue)]
    columns = {step.column for step in due}
    if "fingerprint" in columns:
        # Nearly every memory gets another fingerprint, and the index of these is made once afterwards.
        statement = "SELECT sql FROM sqlite_schema WHERE name = ?"
        (definition,) = connection.execute(statement, (_FINGERPRINTS,)).fetchone()
        connection.execute(f"DROP INDEX {_FINGERPRINTS}")
        _refresh_rows(connection, due)
        connection.execute(definition)
        link_equals(connection)
    elif due:
        _refresh_rows(connection, due)
    if due or _SUMS in overdue:
        sums.compute(connection)
    connection.executemany(
        "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        MARKS.items(),
    )


def _find_overdue_marks(connection: sqlite3.Connection) -> set[str]:
    marks = dict(connection.execute("SELECT name, value FROM meta").fetchall())
    return {name for name, version in MARKS.items() if marks.get(name) != version}


def _refresh_rows(connection: sqlite3.Connection, due: Sequence[Step]) -> None:
    """Read all memories once, range by range, and write what differs."""
    first, last = connection.execute("SELECT min(seq), max(seq) FROM memories").fetchone()
    if first is None:
        return
    read = tuple(dict.fromkeys(name for step in due for name in (step.column, *step.reads)))
    fields = ", ".join(map(_place_column, read))
    names = StringIds()
    for start in range(first - first % RANGE, last + 1, RANGE):
        batch = connection.execute(
            f"SELECT m.seq, {fields} FROM memories m JOIN states s ON s.seq = m.seq"
            " WHERE m.seq BETWEEN ? AND ? ORDER BY m.seq",
            (start, start + RANGE - 1),
        ).fetchall()
        if batch:
            seqs, *columns = map(list, zip(*batch, strict=True))
            rows = RefreshBatch(connection, names, seqs, dict(zip(read, columns, strict=True)))
            before: dict[str, Sequence[Any]] = {}
            for step in due:
                before[step.column] = rows.columns[step.column]
                rows.columns[step.column] = step.compute(rows)
            _write(rows, before, due)


def _place_column(name: str) -> str:
    return place(COLUMN[name]) if name in COLUMN else f"m.{name}"


def _write(rows: RefreshBatch, before: Mapping[str, Sequence[Any]], due: Sequence[Step]) -> None:
    """Write the rows of which a column is another than it was."""
    for table in ("memories", "states"):
        homes = {
            step.column: COLUMN[step.column].home if step.column in COLUMN else "memories" for step in due
        }
        names = [name for name, home in homes.items() if home == table]
        if not names:
            continue
        old = zip(*(before[name] for name in names), strict=True)
        new = zip(*(rows.columns[name] for name in names), strict=True)
        updates = [(*now, seq) for seq, was, now in zip(rows.seqs, old, new, strict=True) if was != now]
        sets = ", ".join(f"{name} = ?" for name in names)
        rows.connection.executemany(f"UPDATE {table} SET {sets} WHERE seq = ?", updates)


def link_equals(connection: sqlite3.Connection) -> None:
    """Link all inbox and active memories of one fingerprint to the oldest of them, in an audited run of each scope."""
    pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    oldest: dict[tuple[int, bytes], int] = {}
    for scope, mark, seq in connection.execute(_EQUAL).fetchall():
        first = oldest.setdefault((scope, mark), seq)
        if first != seq and connection.execute(_LINKED, (scope, first, seq)).fetchone() is None:
            pairs[scope].append((first, seq))
    for scope, found in pairs.items():
        _link(connection, scope, found)


def _link(connection: sqlite3.Connection, scope: int, pairs: list[tuple[int, int]]) -> None:
    (name,) = connection.execute("SELECT name FROM names WHERE no = ?", (scope,)).fetchone()
    (at,) = connection.execute("SELECT newest_at FROM scopes WHERE scope = ?", (scope,)).fetchone()
    links = [
        Change("links", (*pair, int(Relation.NEAR_DUPLICATE)), None, link_values(at, 1.0, 1.0))
        for pair in pairs
    ]
    (database,) = connection.execute("SELECT value FROM meta WHERE name = 'database'").fetchone()
    said = f"{database} {FINGERPRINT_VERSION} {name}".encode()
    names, run = Fresh(StringIds()), blake2b(said, digest_size=16, person=b"upgrade").hexdigest()
    for part, start in enumerate(range(0, len(links), PART_CHANGES_MAX)):
        some = links[start : start + PART_CHANGES_MAX]
        cause = Cause(UPGRADE, at, run, part=part, final=start + PART_CHANGES_MAX >= len(links))
        commits.commit(connection, names, name, some, cause)


_ALEMBIC = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL,"
    " CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)
# Where SQLite keeps the two in the first page of a file.
_VERSION_AT, _APPLICATION_AT, _HEADER_BYTES = 60, 68, 100
# Of the file's size: the copy, a log of nearly every page, and what is left.
_ROOM = 2.5
# A page that finds no room in the cache is written to the log, and again when it changes again.
_PAGE_CACHE_KIB = 128 * 1_024
_COPY_ENDING = re.compile(r"\.before-v\d+(\.\d+)?")  # of the name of a copy, behind that of the database
COPIES_KEPT = 2  # of upgrades: of the last one and of the one before, should a fault show late
LOG = logging.getLogger("remanence")
MB_A_SECOND = 25  # that an upgrade does on a slow machine, where nothing else runs
SCRIPTS = Path(__file__).parents[1] / "migrations"
END = ";\n"  # of each statement in the file
_TABLES = Path(__file__).with_name("tables.sql")


def prepare(connection: sqlite3.Connection, path: str, salt: bytes) -> None:
    """Bring the database to this version: create its tables, migrate it, or leave it as it is."""
    version = version_of(connection)
    if version == 0:
        _create_schema(connection, salt)
    elif version < dialect.SCHEMA_VERSION:
        _migrate_file(connection, path)
    elif is_due(connection):
        with _transaction(connection):
            refresh(connection)


def tables() -> list[str]:
    """Return what creates every table, index and the full text of an empty database, in order."""
    return _TABLES.read_text(encoding="utf-8").removesuffix(END).split(END)


def backup_path(path: str, version: int) -> str:
    """Return where the copy goes that is made before a migration; the first free name."""
    number = 0
    while (backup := Path(f"{path}.before-v{version + 1}{f'.{number}' if number else ''}")).exists():
        number += 1
    return str(backup)


def remove_older_copies(path: str, salt: bytes, key: FileKey | None = None) -> list[Path]:
    """Remove the copies of earlier upgrades of a database beside it but for the newest, and return which.

    A copy goes only under the very name that an upgrade gave it, while it is a copy of the database with this salt
    and still of an older version: one that somebody renamed, moved, linked or opened anew is theirs.
    """
    file = Path(path)
    copies = [
        entry
        for entry in file.absolute().parent.iterdir()
        if entry.name.startswith(file.name)
        and _COPY_ENDING.fullmatch(entry.name, len(file.name))
        and not entry.is_symlink()
        and read_older_version(str(entry), key) is not None
        and origin_at(entry, key) == salt
    ]
    copies.sort(key=lambda copy: (copy.stat().st_mtime_ns, copy.name), reverse=True)
    for old in copies[COPIES_KEPT:]:
        old.unlink(missing_ok=True)
    return copies[COPIES_KEPT:]


def read_older_version(path: str, key: FileKey | None = None) -> int | None:
    """Return the version of a file that opening it will bring up, read from its header; None for any other.

    The header of an encrypted one is read through SQLCipher.
    """
    try:
        if key is not None and is_encrypted(path):
            with peek(path, key) as connection:
                asks = "PRAGMA user_version", "PRAGMA application_id"
                version, application = (int(connection.execute(ask).fetchone()[0]) for ask in asks)
        else:
            with closing(read_blocks(path, _HEADER_BYTES)) as blocks:
                header = next(blocks, b"")
            version, application = (
                int.from_bytes(header[at : at + 4]) for at in (_VERSION_AT, _APPLICATION_AT)
            )
    except errors(OSError):
        return None
    is_older = application == APPLICATION_ID and BASELINE_VERSION <= version < dialect.SCHEMA_VERSION
    return version if is_older else None


def _refuse_full(path: str) -> None:
    """Raise where there is no room for the copy, for what is written in one transaction, and for the file to grow."""
    bytes_needed = round(Path(path).stat().st_size * _ROOM)
    free = disk_usage(Path(path).absolute().parent).free
    if free < bytes_needed:
        raise StoreUnavailable(
            f"{path} is to be brought to version {dialect.SCHEMA_VERSION}, which takes"
            f" {bytes_needed >> 20:,} MB of room beside it; {free >> 20:,} MB are free",
            recovery="make room, or move the file to where there is; it was not changed",
        )


def _create_schema(connection: sqlite3.Connection, salt: bytes) -> None:
    with _transaction(connection):
        # Another process may have been faster.
        if version_of(connection) == 0:
            # The marks say whose file this is, of which version, to SQLite and to alembic.
            marks = (
                f"PRAGMA application_id = {APPLICATION_ID}",
                f"PRAGMA user_version = {dialect.SCHEMA_VERSION}",
                _ALEMBIC,
                f"INSERT INTO alembic_version (version_num) VALUES ('{dialect.SCHEMA_VERSION:04}')",
            )
            for statement in (*tables(), *marks):
                connection.execute(statement)
            meta = {"database": salt.hex(), **MARKS}
            connection.executemany("INSERT INTO meta (name, value) VALUES (?, ?)", meta.items())


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _migrate_file(connection: sqlite3.Connection, path: str) -> None:
    from remanence.store.migrations.run import migrate

    to = dialect.SCHEMA_VERSION
    copies: list[str] = []

    def start() -> None:
        version = version_of(connection)
        # Another process may have been faster. SQLite copies nothing through a connection that is about to write.
        if version < to and path != IN_MEMORY:
            _refuse_full(path)
            # A kill left unfinished copies; nobody else makes one while this transaction is open.
            file = Path(path)
            for entry in file.parent.iterdir():
                if entry.name.startswith(f"{file.name}.before-") and PARTIAL in entry.name:
                    entry.unlink(missing_ok=True)
            # The references of what is copied are looked at once all is done.
            with closing(connect(path, key_of(connection), query_only=True)) as reader:
                copies.append(backup_path(path, version))
                copy(reader, copies[0], references=False)

    def finish() -> None:
        connection.execute(f"PRAGMA user_version = {to}")
        refresh(connection)
        dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
        if dangling:
            raise StoreDamaged(
                f"the migration to version {to} left {len(dangling)} dangling rows and was taken back",
                recovery="report this with the backup that lies beside the file",
            )

    (cache,) = connection.execute("PRAGMA cache_size").fetchone()
    connection.execute(f"PRAGMA cache_size = -{_PAGE_CACHE_KIB}")
    connection.execute("PRAGMA foreign_keys = OFF")  # a table that is built anew is dropped once
    try:
        migrate(connection, SCRIPTS, f"{to:04}", start, finish)
    finally:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(f"PRAGMA cache_size = {cache}")
    for old in remove_older_copies(path, salt_of(connection), key_of(connection)) if copies else ():
        LOG.warning("removed %s, the copy of an earlier upgrade; the %d newest stay", old, COPIES_KEPT)
