"""What is computed from rows, computed anew in a file in which other code computed it.

Each step says in `meta` by which version it computed; one pass over the memories, in ranges, serves all that are out
of date. Opens no transaction: that of the caller makes the new values and their marks true at once.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from remanence.core.change import PART_CHANGES_MAX, Cause, Change
from remanence.core.effects import UPGRADE
from remanence.core.model import COLUMN, Relation, link_values
from remanence.core.score import DECAY_VERSION, FADING_TAGS, decay
from remanence.store.sqlite import commits, fulltext, sums
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


def _fingerprints(rows: RefreshBatch) -> list[bytes]:
    speakers = rows.read_names("speaker")
    return [fingerprint(text, who or "") for text, who in zip(rows.columns["text"], speakers, strict=True)]


def _tokens(rows: RefreshBatch) -> list[int]:
    return token_counts(rows.columns["text"])


def _length(name: str) -> Callable[[RefreshBatch], list[int]]:
    def compute(rows: RefreshBatch) -> list[int]:
        if not rows.lengths:
            forms = ({"form": form} for form in rows.columns["form"])
            pairs = zip(forms, rows.columns["summary"], strict=True)
            summaries = [summary_shown({**form, "summary": summary}) for form, summary in pairs]
            rows.lengths = lengths_of(rows.columns["text"], summaries)
        return [of_it[name] for of_it in rows.lengths]

    return compute


_SHOWN = ("text", "form", "summary")


def _decay(rows: RefreshBatch) -> list[int]:
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


def _digests(rows: RefreshBatch) -> list[bytes]:
    columns = [rows.columns[name] for name in _DIGESTED]
    return [
        row_digest(seq, scope, values)
        for seq, scope, *values in zip(rows.seqs, rows.columns[SCOPE], *columns, strict=True)
    ]


STEPS: tuple[Step, ...] = (
    Step("fingerprint", FINGERPRINT_VERSION, "fingerprint", ("text", "speaker"), _fingerprints),
    Step("tokens", TOKENS_VERSION, "tokens", ("text",), _tokens),
    Step(
        "short tokens",
        CONDENSED_VERSION,
        "short_tokens",
        _SHOWN,
        _length("short_tokens"),
        frozenset({"tokens"}),
    ),
    Step("short words", CONDENSED_VERSION, "short_words", _SHOWN, _length("short_words")),
    Step("decay", DECAY_VERSION, "decay", ("category",), _decay),
    Step(
        "row digest", ROW_DIGEST_VERSION, "digest", (SCOPE, *_DIGESTED), _digests, frozenset({"fingerprint"})
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
        _without_index(connection, lambda: _pass(connection, due))
        link_equals(connection)
    elif due:
        _pass(connection, due)
    if due or _SUMS in overdue:
        sums.compute(connection)
    connection.executemany(
        "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        MARKS.items(),
    )


def _find_overdue_marks(connection: sqlite3.Connection) -> set[str]:
    marks = dict(connection.execute("SELECT name, value FROM meta").fetchall())
    return {name for name, version in MARKS.items() if marks.get(name) != version}


def _without_index(connection: sqlite3.Connection, work: Callable[[], None]) -> None:
    """Do what gives nearly every memory another fingerprint, and make the index of these once afterwards."""
    statement = "SELECT sql FROM sqlite_schema WHERE name = ?"
    (definition,) = connection.execute(statement, (_FINGERPRINTS,)).fetchone()
    connection.execute(f"DROP INDEX {_FINGERPRINTS}")
    work()
    connection.execute(definition)


def _pass(connection: sqlite3.Connection, due: Sequence[Step]) -> None:
    """Read all memories once, range by range, and write what differs."""
    first, last = connection.execute("SELECT min(seq), max(seq) FROM memories").fetchone()
    if first is None:
        return
    read = tuple(dict.fromkeys(name for step in due for name in (step.column, *step.reads)))
    fields = ", ".join(map(_place, read))
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
            _write(rows, _compute_columns(rows, due), due)


def _place(name: str) -> str:
    return place(COLUMN[name]) if name in COLUMN else f"m.{name}"


def _compute_columns(rows: RefreshBatch, due: Sequence[Step]) -> dict[str, Sequence[Any]]:
    """Compute the columns of a range, each from those before it; return what they were."""
    before: dict[str, Sequence[Any]] = {}
    for step in due:
        before[step.column] = rows.columns[step.column]
        rows.columns[step.column] = step.compute(rows)
    return before


def _write(rows: RefreshBatch, before: Mapping[str, Sequence[Any]], due: Sequence[Step]) -> None:
    """Write the rows of which a column is another than it was."""
    for table in ("memories", "states"):
        names = [step.column for step in due if _table(step.column) == table]
        if not names:
            continue
        old = zip(*(before[name] for name in names), strict=True)
        new = zip(*(rows.columns[name] for name in names), strict=True)
        updates = [(*now, seq) for seq, was, now in zip(rows.seqs, old, new, strict=True) if was != now]
        sets = ", ".join(f"{name} = ?" for name in names)
        rows.connection.executemany(f"UPDATE {table} SET {sets} WHERE seq = ?", updates)


def _table(name: str) -> str:
    return COLUMN[name].home if name in COLUMN else "memories"


def link_equals(connection: sqlite3.Connection) -> None:
    """Link all inbox and active memories of one fingerprint to the oldest of them, in an audited run of each scope."""
    pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for scope, oldest, later in _find_equal_memories(connection):
        if connection.execute(_LINKED, (scope, oldest, later)).fetchone() is None:
            pairs[scope].append((oldest, later))
    for scope, found in pairs.items():
        _link(connection, scope, found)


def _find_equal_memories(connection: sqlite3.Connection) -> Iterator[tuple[int, int, int]]:
    """Yield (scope, the oldest memory of a fingerprint, a later one)."""
    oldest: dict[tuple[int, bytes], int] = {}
    for scope, mark, seq in connection.execute(_EQUAL).fetchall():
        if oldest.setdefault((scope, mark), seq) != seq:
            yield scope, oldest[scope, mark], seq


def _link(connection: sqlite3.Connection, scope: int, pairs: list[tuple[int, int]]) -> None:
    (name,) = connection.execute("SELECT name FROM names WHERE no = ?", (scope,)).fetchone()
    (at,) = connection.execute("SELECT newest_at FROM scopes WHERE scope = ?", (scope,)).fetchone()
    links = [
        Change("links", (*pair, int(Relation.NEAR_DUPLICATE)), None, link_values(at, 1.0, 1.0))
        for pair in pairs
    ]
    names, run = Fresh(StringIds()), _run(connection, name)
    for part, start in enumerate(range(0, len(links), PART_CHANGES_MAX)):
        some = links[start : start + PART_CHANGES_MAX]
        cause = Cause(UPGRADE, at, run, part=part, final=start + PART_CHANGES_MAX >= len(links))
        commits.commit(connection, names, name, some, cause)


def _run(connection: sqlite3.Connection, scope: str) -> str:
    (database,) = connection.execute("SELECT value FROM meta WHERE name = 'database'").fetchone()
    said = f"{database} {FINGERPRINT_VERSION} {scope}".encode()
    return blake2b(said, digest_size=16, person=b"upgrade").hexdigest()
