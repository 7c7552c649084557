"""The memories of one commit: compared, imaged, then written to their three tables and to the full text.

Knows columns, counters and transitions; knows nothing of tags, links and sources.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from operator import itemgetter
from typing import Any

from remanence.core.change import Change
from remanence.core.model import COLUMNS, STANDING
from remanence.store.constraints import claims_text, find_freed_keys, find_leaving_texts, refuse_state
from remanence.store.erasure import ERASE
from remanence.store.sql import embeddings, fulltext, purged, uses_by_agent
from remanence.store.sql.database import Database
from remanence.store.sql.decoding import DECODING
from remanence.store.sql.dialect import Dialect, Statement, build_insert, list_parameters
from remanence.store.sql.rows import (
    DEFAULTS,
    MEMORIES,
    STATES,
    plain_values,
    read_rows,
    row_digest,
)
from remanence.store.sql.sums import vector_digest
from remanence.store.sql.transaction import CommitContext, Key
from remanence.store.sql.updates import Updates, matches, slots

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
_INSERT_MEMORY = Statement(
    build_insert("memories", ("scope", "seq", *(column.name for column in MEMORIES), "digest"))
)
_INSERT_STATE = Statement(build_insert("states", ("scope", "seq", *_STATE_NAMES)))
_INSERT_VECTOR = Statement(build_insert("vectors", ("scope", "seq", "vector", "digest")))
_UNKEY = Statement(lambda sql: f"UPDATE memories SET key = NULL WHERE scope = ?1 AND seq {sql.among(2)}")


def _build_delete(table: str) -> Statement:
    return Statement(lambda sql: f"DELETE FROM {table} WHERE scope = ?1 AND seq {sql.among(2)}")


_DELETES = tuple(map(_build_delete, ("vectors", "states", "memories")))  # in the order in which they may go
_UNCLAIMED = frozenset({("key", None), ("fingerprint", None)})
# Each fingerprint is a parameter of its own, and there are no more than a statement takes.
_ASKED_MAX = 512


def build_claim(sql: Dialect, marks: int, first: int) -> str:
    """Return the query of the memories that have what new ones claim, given by `Claims.list_values`.

    An index answers each part; asked for in one condition, they would have all memories of the scope looked through.
    """
    conditions = [f"seq {sql.among(first)}", f"id {sql.among_texts(first + 1)}"]
    conditions.append(f"key {sql.among_texts(first + 2)}")
    if marks:
        conditions.append(f"fingerprint IN ({list_parameters(marks, first + 3)})")
    return " UNION ALL ".join(
        f"SELECT seq FROM memories WHERE scope = ?1 AND {condition}" for condition in conditions
    )


@lru_cache(maxsize=32)
def _select_taken(marks: int) -> Statement:
    """Return what reads the memories that have what new ones claim."""
    return Statement(
        lambda sql: (
            "SELECT m.seq, m.id, m.key, m.fingerprint, s.status FROM memories m"
            " JOIN states s ON s.scope = m.scope AND s.seq = m.seq"
            f" WHERE m.scope = ?1 AND m.seq IN ({build_claim(sql, marks, 2)})"
        )
    )


class Claims:
    """What new memories claim for themselves alone: their numbers, ids, keys and texts."""

    def __init__(self, verb: str, created: Iterable[Change]) -> None:
        self.by_seq: dict[Any, set[tuple[str, Any]]] = {}
        self.marks: list[
            bytes
        ] = []  # the last repeated until there are a power of two: so statements are few
        for change in created:
            after = change.after or {}
            mark = after["fingerprint"] if claims_text(verb, after) else None
            claims = {("id", after["id"]), ("key", after.get("key")), ("fingerprint", mark)}
            self.by_seq[change.key] = claims - _UNCLAIMED
            self.marks += [] if mark is None else [mark]
        count = len(self.marks)
        self.marks += self.marks[-1:] * ((1 << (count - 1).bit_length()) - count) if count else ()

    def list_values(self, db: Database) -> list[Any]:
        """Return the parameters of `build_claim`."""
        ids, keys = (
            [value for claims in self.by_seq.values() for of, value in claims if of == name]
            for name in ("id", "key")
        )
        return [*map(db.make_list, (self.by_seq, ids, keys)), *self.marks]


class Memories:
    """What one commit does to memories, step by step.

    `may_be_taken` is false where it is known that no memory has what the new ones claim.
    """

    def __init__(self, work: CommitContext, *, may_be_taken: bool = True) -> None:
        self._work = work
        self._may_be_taken = may_be_taken
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
        rows = read_rows(work.scope, seqs, _ALL) if seqs else {}
        with DECODING:
            return {seq: plain_values(work.names, _ALL, row) for seq, row in rows.items()}

    def update(self) -> None:
        """Write all updates; what loses its key loses it first, since an update may give it to another."""
        keyed_seqs = [seq for seq, row in self._gone.items() if row["key"] is not None]
        keyed_seqs += self._updates.unkeyed_seqs
        if keyed_seqs:
            self._work.db.run(_UNKEY, (self._work.no, self._work.db.make_list(keyed_seqs)))
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
                vectors.append((work.no, change.key, after["vector"], vector_digest(after["vector"])))
        work.scope.write_names()
        if back := {seq for seq in self.created_seqs if seq <= work.scope.row.latest}:
            purged.drop(work, back)
        work.db.run_many(_INSERT_MEMORY, rows)
        work.db.run_many(_INSERT_STATE, states)
        if vectors:
            work.db.run_many(_INSERT_VECTOR, vectors)
        work.sums.add_rows("states", states)
        work.sums.add_rows("vectors", [(no, seq, digest) for no, seq, _, digest in vectors])
        used = [(change.key, (change.after or {}).get("accessors")) for _, change in self._created]
        uses_by_agent.put(work, used)  # type: ignore[arg-type]
        texts = [(change.key, (change.after or {})["text"]) for _, change in self._created]
        work.words += fulltext.add(work.scope, texts)  # type: ignore[arg-type]

    def destroy(self) -> None:
        """Take rows away that no tag, link or source names any more."""
        if not self._destroyed:
            return
        work, seqs = self._work, self.destroyed_seqs
        work.words -= fulltext.remove(work.scope, [(seq, row["text"]) for seq, row in self._gone.items()])
        uses_by_agent.drop(work, seqs)
        embeddings.drop(work, seqs)
        for statement in _DELETES:
            work.db.run(statement, (work.no, work.db.make_list(seqs)))
        if work.cause.verb != ERASE:
            purged.put(work, [(seq, row["id"], row["key"]) for seq, row in self._gone.items()])
        work.sums.remove_rows("states", [(work.no, seq, *_state_of(row)) for seq, row in self._kept.items()])
        vectors = [(seq, row[_VECTOR_AT]) for seq, row in self._kept.items()]
        work.sums.remove_rows(
            "vectors", [(work.no, seq, vector_digest(vector)) for seq, vector in vectors if vector]
        )

    def _find_uniqueness_conflicts(self) -> Iterator[Key]:
        """Yield new memories whose id, key or number is taken, or whose text an inbox or active memory has."""
        taken = self._find_taken() if self._may_be_taken else set()
        batch_claims: set[tuple[str, Any]] = set()
        for seq, claims in Claims(self._work.cause.verb, self._new_memories).by_seq.items():
            if ("seq", seq) in taken or not taken.isdisjoint(claims) or not batch_claims.isdisjoint(claims):
                yield "memories", seq
            batch_claims |= claims

    def _find_taken(self) -> set[tuple[str, Any]]:
        """Return what memories have of what new ones claim, but for what they lose in this commit."""
        work, updates = self._work, list(self._updates.changes)
        free, leaving = find_freed_keys(updates), find_leaving_texts(updates)
        taken: set[tuple[str, Any]] = set()
        new = self._new_memories
        while some := [*islice(new, _ASKED_MAX)]:
            claims = Claims(work.cause.verb, some)
            values = claims.list_values(work.db)
            rows = work.db.rows(_select_taken(len(claims.marks)), (work.no, *values))
            for seq, id_, key, mark, status in rows:
                taken |= {("seq", seq), ("id", id_), ("key", None if key in free else key)}
                if status in STANDING and seq not in leaving:
                    taken.add(("fingerprint", mark))
        return taken - _UNCLAIMED

    @property
    def _new_memories(self) -> Iterator[Change]:
        return (change for _, change in self._created)

    def _find_missing(self) -> Iterator[Key]:
        """Read whole the rows that go; yield those that are gone already or changed."""
        work = self._work
        stored_rows = read_rows(work.scope, self.destroyed_seqs, _ALL) if self._destroyed else {}
        for _, change in self._destroyed:
            row, before = stored_rows.get(change.key), change.before or {}  # type: ignore[arg-type]
            if row is None and self._work.cause.verb == ERASE and not before:
                continue  # it was purged: its images go
            if row is None or not matches(work, slots(tuple(before), _ALL), before, row):
                yield "memories", change.key
            else:
                self._kept[change.key] = row  # type: ignore[index]
                with DECODING:
                    self._gone[change.key] = plain_values(work.names, _ALL, row)  # type: ignore[index]

    def _memory_row(self, seq: Any, after: Mapping[str, Any]) -> tuple[Any, ...]:
        work = self._work
        values = [work.encode_value(column, after.get(column.name)) for column in MEMORIES]
        return (work.no, seq, *values, row_digest(seq, values))

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
        return [self._work.no, seq, *values]


def _encode_hex(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value
