"""What is computed from rows, computed anew where another version of the code did; marks in the database say which.

Knows which columns follow from which; knows nothing of files and servers.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Any

from remanence.core.change import PART_CHANGES_MAX, Cause, Change
from remanence.core.effects import UPGRADE
from remanence.core.model import COLUMN, Relation, link_values
from remanence.core.score import FADING_TAGS, decay
from remanence.store.sql import commits, fulltext, meta, sums
from remanence.store.sql.database import Database
from remanence.store.sql.dialect import SQLITE, Dialect, Statement
from remanence.store.sql.names import TAG, NameCache
from remanence.store.sql.rows import MEMORIES, place, row_digest
from remanence.store.sql.schema_versions import MARKS, SUMS, TOKENIZER
from remanence.store.sql.scope import OpenScope, open_scope_to_write
from remanence.text.analysis import FINGERPRINT_VERSION, fingerprint
from remanence.text.text_columns import lengths_of, summary_shown
from remanence.text.tokens import token_counts

RANGE = 8_192  # memories that are read, computed and written at once
_DIGESTED = tuple(column.name for column in MEMORIES)
_READ_MARKS = Statement("SELECT name, value FROM meta")
_SCOPES = Statement("SELECT name FROM scope_names ORDER BY scope")
_DROP_INDEX = Statement("DROP INDEX memories_fingerprint")
_MAKE_INDEX = Statement("CREATE INDEX memories_fingerprint ON memories (scope, fingerprint)")
_BOUNDS = Statement("SELECT min(seq), max(seq) FROM memories WHERE scope = ?1")
_TAGGED = Statement(
    lambda sql: f"SELECT seq, tag FROM tags WHERE scope = ?1 AND seq BETWEEN ?2 AND ?3 AND tag {sql.among(4)}"
)
# SQLite takes the tables of a CROSS JOIN in the order in which they stand.
_EQUAL = Statement(
    lambda sql: (
        "WITH several AS"
        " (SELECT fingerprint FROM memories WHERE scope = ?1 GROUP BY fingerprint HAVING count(*) > 1)"
        f" SELECT m.fingerprint, m.seq FROM several {'CROSS ' if sql is SQLITE else ''}JOIN memories m"
        " ON m.scope = ?1 AND m.fingerprint = several.fingerprint"
        " JOIN states s ON s.scope = m.scope AND s.seq = m.seq WHERE s.status < 2 ORDER BY m.seq"
    )
)
_LINKED = Statement(
    "SELECT 1 FROM links WHERE scope = ?1 AND source = ?2 AND target = ?3"
    f" AND relation = {int(Relation.NEAR_DUPLICATE)}"
)


@dataclass(slots=True)
class RefreshBatch:
    """The memories of one range of a scope: their numbers and the columns read, as kept; each step adds its own."""

    scope: OpenScope
    seqs: list[int]
    columns: dict[str, Sequence[Any]]
    lengths: Sequence[Mapping[str, int]] = ()

    def read_names(self, column: str) -> Iterator[str | None]:
        """Return the names behind the numbers of a column."""
        numbers = self.columns[column]
        names = self.scope.names.read_texts(set(numbers) - {None})
        return map(names.get, numbers)


@dataclass(frozen=True, slots=True)
class Step:
    """One column that is computed: its mark in `meta`, and from which columns.

    `follows` are steps before it from whose columns it is computed: where they are out of date, so is it.
    """

    name: str
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
    fading = (rows.scope.names.number(TAG, tag) for tag in sorted(FADING_TAGS))
    numbers = [number for number in fading if number is not None]
    db = rows.scope.db
    values = (rows.scope.no, rows.seqs[0], rows.seqs[-1], db.make_list(numbers))
    tags: dict[int, set[str]] = defaultdict(set)
    for seq, tag in db.rows(_TAGGED, values) if numbers else ():
        tags[seq].add(rows.scope.names.text(tag))
    return [
        int(decay(tags.get(seq, ()), category))
        for seq, category in zip(rows.seqs, rows.read_names("category"), strict=True)
    ]


def _compute_digests(rows: RefreshBatch) -> list[bytes]:
    columns = [rows.columns[name] for name in _DIGESTED]
    return [row_digest(seq, values) for seq, *values in zip(rows.seqs, *columns, strict=True)]


STEPS: tuple[Step, ...] = (
    Step("fingerprint", "fingerprint", ("text", "speaker"), _compute_fingerprints),
    Step("tokens", "tokens", ("text",), _count_tokens),
    Step("short tokens", "short_tokens", _SHOWN, _build_length_step("short_tokens"), frozenset({"tokens"})),
    Step("short words", "short_words", _SHOWN, _build_length_step("short_words")),
    Step("decay", "decay", ("category",), _compute_decay),
    Step("row digest", "digest", _DIGESTED, _compute_digests, frozenset({"fingerprint"})),
)


def find_overdue_marks(db: Database) -> dict[str, str | None]:
    """Return what was computed by another version, by its mark: the version that computed it, None where none did."""
    marks: dict[str, str] = dict(db.rows(_READ_MARKS))
    return {name: marks.get(name) for name, version in MARKS.items() if marks.get(name) != version}


def refresh(db: Database) -> None:
    """Compute anew what is out of date, and mark it; the transaction is the caller's."""
    overdue = find_overdue_marks(db)
    if not overdue:
        return
    due = [step for step in STEPS if step.name in overdue or not step.follows.isdisjoint(overdue)]
    is_other_print = any(step.column == "fingerprint" for step in due)
    cache = NameCache()
    names = [name for (name,) in db.rows(_SCOPES)]
    if is_other_print:
        # Nearly every memory gets another fingerprint, and the index of these is made once afterwards.
        db.run(_DROP_INDEX)
    for name in names if due else ():
        _refresh_rows(open_scope_to_write(db, cache, name), due)
    if is_other_print:
        db.run(_MAKE_INDEX)
    for name in names:
        scope = open_scope_to_write(db, cache, name)
        if TOKENIZER in overdue:
            fulltext.rebuild(scope)
        if is_other_print:
            link_equals(scope)
        scope.close()
        if due or SUMS in overdue:
            sums.compute(db, scope.no)
    db.run_many(meta.PUT, sorted(MARKS.items()))


def _refresh_rows(scope: OpenScope, due: Sequence[Step]) -> None:
    """Read all memories of a scope once, range by range, and write what differs."""
    bounds = scope.db.row(_BOUNDS, (scope.no,))
    if bounds is None or bounds[0] is None:
        return
    first, last = bounds
    read = tuple(dict.fromkeys(name for step in due for name in (step.column, *step.reads)))
    for start in range(first - first % RANGE, last + 1, RANGE):
        batch = scope.db.rows(_select_range(read), (scope.no, start, start + RANGE - 1))
        if batch:
            seqs, *columns = map(list, zip(*batch, strict=True))
            rows = RefreshBatch(scope, seqs, dict(zip(read, columns, strict=True)))
            before: dict[str, Sequence[Any]] = {}
            for step in due:
                before[step.column] = rows.columns[step.column]
                rows.columns[step.column] = step.compute(rows)
            _write(rows, before, due)


@cache
def _select_range(read: tuple[str, ...]) -> Statement:
    """Return what reads columns of the memories between two numbers."""

    def render(sql: Dialect) -> str:
        fields = ", ".join(place(sql, COLUMN[name]) if name in COLUMN else f"m.{name}" for name in read)
        return (
            f"SELECT m.seq, {fields} FROM memories m JOIN states s ON s.scope = m.scope AND s.seq = m.seq"
            " WHERE m.scope = ?1 AND m.seq BETWEEN ?2 AND ?3 ORDER BY m.seq"
        )

    return Statement(render)


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
        updates = [
            (rows.scope.no, seq, *now)
            for seq, was, now in zip(rows.seqs, old, new, strict=True)
            if was != now
        ]
        sets = ", ".join(f"{name} = ?{at}" for at, name in enumerate(names, 3))
        rows.scope.db.run_many(Statement(f"UPDATE {table} SET {sets} WHERE scope = ?1 AND seq = ?2"), updates)


def link_equals(scope: OpenScope) -> None:
    """Link all inbox and active memories of one fingerprint to the oldest of them, in an audited run of the scope."""
    pairs: list[tuple[int, int]] = []
    oldest: dict[bytes, int] = {}
    for mark, seq in scope.db.rows(_EQUAL, (scope.no,)):
        first = oldest.setdefault(mark, seq)
        if first != seq and scope.db.row(_LINKED, (scope.no, first, seq)) is None:
            pairs.append((first, seq))
    at = scope.row.newest_at
    links = [
        Change("links", (*pair, int(Relation.NEAR_DUPLICATE)), None, link_values(at, 1.0, 1.0))
        for pair in pairs
    ]
    said = f"{meta.read_salt(scope.db).hex()} {FINGERPRINT_VERSION} {scope.name}".encode()
    run = blake2b(said, digest_size=16, person=b"upgrade").hexdigest()
    for part, start in enumerate(range(0, len(links), PART_CHANGES_MAX)):
        some = links[start : start + PART_CHANGES_MAX]
        cause = Cause(UPGRADE, at, run, part=part, final=start + PART_CHANGES_MAX >= len(links))
        commits.commit(scope, some, cause)
