"""The memories of one commit: compared, imaged, then written to their three tables and to the full text.

Knows columns, counters and transitions; knows nothing of tags, links and sources.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

from remanence.core.change import Change
from remanence.core.model import COLUMNS
from remanence.store.constraints import claims_text, find_freed_keys, find_leaving_texts, refuse_state
from remanence.store.erasure import ERASE
from remanence.store.sqlite import embeddings, fulltext, purged, uses_by_agent
from remanence.store.sqlite.dialect import DECODING, id_list
from remanence.store.sqlite.rows import (
    DEFAULTS,
    MEMORIES,
    STATES,
    plain_values,
    read_rows,
    row_digest,
)
from remanence.store.sqlite.sums import vector_digest
from remanence.store.sqlite.transaction import CommitContext, Key
from remanence.store.sqlite.updates import Updates, matches, slots

_ALL = tuple(column.name for column in COLUMNS)

_STATE_NAMES = tuple(column.name for column in STATES)
_STATE_DEFAULTS = tuple((column.name, DEFAULTS[column.name]) for column in STATES)
# Columns of a new state whose plain value is not what is kept.
_CONVERTED = tuple(
    (at, column) for at, column in enumerate(STATES) if column.kind in {"enum", "flag", "fraction", "name"}
)
_TOUCHED_AT = _STATE_NAMES.index("touched")
_state_of = itemgetter(*(_ALL.index(name) for name in _STATE_NAMES))
_VECTOR_AT = _ALL.index("vector")


def _build_insert_statement(table: str, columns: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


_INSERT_MEMORY = _build_insert_statement(
    "memories", ("seq", "scope", *(column.name for column in MEMORIES), "digest")
)
_INSERT_STATE = _build_insert_statement("states", ("seq", "scope", *_STATE_NAMES))
_INSERT_VECTOR = _build_insert_statement("vectors", ("seq", "vector", "digest"))
_TAKEN = (
    "SELECT EXISTS (SELECT 1 FROM memories WHERE scope = ?1 AND id = ?2)"
    " OR EXISTS (SELECT 1 FROM memories WHERE scope = ?1 AND key = ?3)"
    " OR EXISTS (SELECT 1 FROM memories m JOIN states s ON s.seq = m.seq"
    "            WHERE m.scope = ?1 AND m.fingerprint = ?4 AND s.status < 2"
    "            AND m.seq NOT IN (SELECT value FROM json_each(?6)))"
    " OR EXISTS (SELECT 1 FROM memories WHERE seq = ?5)"
)
_UNCLAIMED = frozenset({("key", None), ("fingerprint", None)})


class Memories:
    """What one commit does to memories, step by step."""

    def __init__(self, work: CommitContext) -> None:
        self._work = work
        self._created: list[tuple[int, Change]] = []
        self._updates = Updates(work)
        self._destroyed: list[tuple[int, Change]] = []
        self._gone: dict[int, dict[str, Any]] = {}
        self._kept: dict[int, tuple[Any, ...]] = {}
        self._sound: set[tuple[Any, ...]] = set()

    @property
    def created_seqs(self) -> set[int]:
        """The sequence numbers of new memories."""
        return {change.key for _, change in self._created}  # type: ignore[misc]

    @property
    def destroyed_seqs(self) -> list[int]:
        """The sequence numbers of memories whose rows go."""
        return [change.key for _, change in self._destroyed]  # type: ignore[misc]

    @property
    def changed_seqs(self) -> list[int]:
        """The sequence numbers of memories whose content or state changes."""
        return self._updates.changed_seqs

    @property
    def destroyed_rows(self) -> Mapping[int, Mapping[str, Any]]:
        """The rows that go, by number."""
        return self._gone

    def take(self, n: int, change: Change) -> None:
        """Sort one change in."""
        if change.before is None:
            self._created.append((n, change))
        elif change.after is None:
            self._destroyed.append((n, change))
        else:
            self._updates.take(n, change)

    def conflicts(self) -> Iterator[Key]:
        """Yield every row that is not as its change says it was."""
        yield from self._find_uniqueness_conflicts()
        yield from self._updates.conflicts()
        yield from self._find_missing()

    def images(self) -> None:
        """Give the audit what each change did."""
        work = self._work
        for n, change in self._created:
            work.images.add_creation(n, change, (change.after or {}).get("revision", 1))
        self._updates.images()
        for n, change in self._destroyed:
            row = self._gone[change.key]  # type: ignore[index]
            work.images.add_destruction(
                n,
                change,
                {name: _encode_hex(value) for name, value in row.items() if value != DEFAULTS[name]},
            )

    def record_erasure(self) -> None:
        """Give the audit which memories went or were redacted, and nothing of what they were."""
        for n, change in [*self._destroyed, *self._updates.numbered_changes]:
            self._work.images.add_destruction(n, change, {})

    def read_redacted_rows(self) -> Mapping[int, Mapping[str, Any]]:
        """Return the rows that an erasure redacts, as they stand, by number."""
        work, seqs = self._work, self._updates.changed_seqs
        rows = read_rows(work.connection, work.no, seqs, _ALL) if seqs else {}
        with DECODING:
            return {seq: plain_values(work.connection, work.names, _ALL, row) for seq, row in rows.items()}

    def update(self) -> None:
        """Write all updates; what loses its key loses it first, since an update may give it to another."""
        keyed_seqs = [(seq,) for seq, row in self._gone.items() if row["key"] is not None]
        keyed_seqs += [(seq,) for seq in self._updates.unkeyed_seqs]
        if keyed_seqs:
            self._work.connection.executemany("UPDATE memories SET key = NULL WHERE seq = ?", keyed_seqs)
        self._updates.write()

    def create(self) -> None:
        """Write all new memories, and index their texts."""
        if not self._created:
            return
        work, rows, states, vectors = self._work, [], [], []
        for _, change in self._created:
            after = change.after or {}
            rows.append(self._memory_row(change.key, after))
            states.append(self._state_row(change.key, after))
            if after.get("vector") is not None:
                vectors.append((change.key, after["vector"], vector_digest(after["vector"])))
        purged.drop(work, self.created_seqs)
        work.connection.executemany(_INSERT_MEMORY, rows)
        work.connection.executemany(_INSERT_STATE, states)
        work.connection.executemany(_INSERT_VECTOR, vectors)
        work.sums.add_rows("states", states)
        work.sums.add_rows("vectors", [(seq, digest) for seq, _, digest in vectors])
        used = [(change.key, (change.after or {}).get("accessors")) for _, change in self._created]
        uses_by_agent.put(work, used)  # type: ignore[arg-type]
        texts = [(change.key, (change.after or {})["text"]) for _, change in self._created]
        work.words += fulltext.add(work.connection, work.no, texts)  # type: ignore[arg-type]

    def destroy(self) -> None:
        """Take rows away that no tag, link or source names any more."""
        if not self._destroyed:
            return
        work, seqs = self._work, [(seq,) for seq in self.destroyed_seqs]
        work.words -= fulltext.remove(
            work.connection, work.no, [(seq, row["text"]) for seq, row in self._gone.items()]
        )
        uses_by_agent.drop(work, self.destroyed_seqs)
        embeddings.drop(work, self.destroyed_seqs)
        for table in ("vectors", "states", "memories"):
            work.connection.executemany(f"DELETE FROM {table} WHERE seq = ?", seqs)
        if work.cause.verb != ERASE:
            purged.put(work, [(seq, row["id"], row["key"]) for seq, row in self._gone.items()])
        work.sums.remove_rows("states", [(seq, work.no, *_state_of(row)) for seq, row in self._kept.items()])
        vectors = [(seq, row[_VECTOR_AT]) for seq, row in self._kept.items()]
        work.sums.remove_rows("vectors", [(seq, vector_digest(vector)) for seq, vector in vectors if vector])

    def _find_uniqueness_conflicts(self) -> Iterator[Key]:
        """Yield new memories whose id, key or number is taken, or whose text an inbox or active memory has."""
        batch_claims: set[tuple[str, Any]] = set()
        execute = self._work.connection.execute
        updates = list(self._updates.changes)
        free, leaving = find_freed_keys(updates), id_list(find_leaving_texts(updates))
        for _, change in self._created:
            after = change.after or {}
            claimed_text = claims_text(self._work.cause.verb, after)
            mark = after["fingerprint"] if claimed_text else None
            key = after.get("key")
            claims = {("id", after["id"]), ("key", key), ("fingerprint", mark)} - _UNCLAIMED
            checked_key = None if key in free else key
            (is_taken,) = execute(
                _TAKEN, (self._work.no, after["id"], checked_key, mark, change.key, leaving)
            ).fetchone()
            if is_taken or not claims.isdisjoint(batch_claims):
                yield "memories", change.key
            batch_claims |= claims

    def _find_missing(self) -> Iterator[Key]:
        """Read whole the rows that go; yield those that are gone already or changed."""
        work = self._work
        stored_rows = (
            read_rows(work.connection, work.no, _list_keys(self._destroyed), _ALL) if self._destroyed else {}
        )
        for _, change in self._destroyed:
            row, before = stored_rows.get(change.key), change.before or {}  # type: ignore[arg-type]
            if row is None and self._work.cause.verb == ERASE and not before:
                continue  # it was purged: its images go
            if row is None or not matches(work, slots(tuple(before), _ALL), before, row):
                yield "memories", change.key
            else:
                self._kept[change.key] = row  # type: ignore[index]
                with DECODING:
                    self._gone[change.key] = plain_values(work.connection, work.names, _ALL, row)  # type: ignore[index]

    def _memory_row(self, seq: Any, after: Mapping[str, Any]) -> tuple[Any, ...]:
        work = self._work
        values = [work.encode_value(column, after.get(column.name)) for column in MEMORIES]
        return (seq, work.no, *values, row_digest(seq, work.no, values))

    def _state_row(self, seq: Any, after: Mapping[str, Any]) -> list[Any]:
        values = [after.get(name, default) for name, default in _STATE_DEFAULTS]
        for at, column in _CONVERTED:
            if values[at] is not None:
                values[at] = self._work.encode_value(column, values[at])
        values[_TOUCHED_AT] = 0
        refuse_move = (None, values[0], values[1], values[2] is None)
        if refuse_move not in self._sound:
            refuse_state(seq, dict(zip(_STATE_NAMES, values, strict=True)))
            self._sound.add(refuse_move)
        return [seq, self._work.no, *values]


def _list_keys(taken: Iterable[tuple[int, Change]]) -> Iterator[int]:
    return (change.key for _, change in taken)  # type: ignore[misc]


def _encode_hex(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value
