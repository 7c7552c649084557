"""The reference store: one plain dict per table, which states the semantics that every store must have.

Knows changes and columns; knows nothing of SQL, files or speed. Full text and term statistics are counted from
the texts on each read, so they cannot be wrong; a commit works on copies, so it cannot be half done.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import cast

import numpy as np
import numpy.typing as npt

from remanence.core.arrival import Segment, Tail
from remanence.core.box import BoxRow, FindBoxes, FindTraces, TraceRow, box_of, trace_of
from remanence.core.change import GUARDS, AuditPart, Cause, Change, CommitResult, Entry, Fence, rows_of
from remanence.core.clock import DAY, MINUTE
from remanence.core.errors import Conflict, StoreUnavailable
from remanence.core.forbidden import Forbidden
from remanence.core.model import COLUMN, COLUMNS, STANDING, Link, Memory, Relation, Status
from remanence.core.segment import FIRST_IN_SEGMENT, LOOK_BACK, count_last_segment, segment_of
from remanence.core.snapshot import Snapshot, SnapshotRequest
from remanence.store import erasure
from remanence.store import row_rules as books
from remanence.store.audit_parts import (
    content_digest,
    extend_run,
    filter_part,
    refuse_lost,
    refuse_other,
    with_end,
)
from remanence.store.base import (
    EMBEDDED_MAX,
    AnswerRequest,
    AnswerRows,
    Arriving,
    Bookkeeping,
    BookkeepResult,
    Check,
    CleanResult,
    EmbeddingRow,
    EndImagesResult,
    Find,
    Ints,
    KnownMemory,
    LedgerFindings,
    Postings,
    PurgedMemory,
    ScopeSize,
    ScopeSurvey,
    WriteContext,
)
from remanence.store.block_rules import refuse_malformed_entries
from remanence.store.constraints import (
    memories_of,
    refuse_interval,
    refuse_unknown_clocks,
    refuse_unknown_columns,
    refuse_wanted,
    resolve,
)
from remanence.store.erasure import ERASE
from remanence.store.lineage import SUCCEEDING, find_without_successor, lineage
from remanence.store.row_rules import (
    Row,
    Tables,
    apply_changes,
    refuse_conflicts,
    unused_by,
)
from remanence.store.sql.image_expiry import read_end_result
from remanence.store.undo_data_pruning import PROVEN, from_where, reach
from remanence.text.analysis import asks, stems, term_hash
from remanence_store_kit.memory.finding import compile_find
from remanence_store_kit.memory.log_rules import (
    chain_holds,
    end_log_images,
    end_mark_detail,
    keeping,
    kept_digests,
    mark_of,
    part_of,
    redact_log,
    update_purged,
)
from remanence_store_kit.memory.scope_state import ScopeState
from remanence_store_kit.memory.snapshot_columns import (
    agents_of,
    array,
    attribute,
    link_columns,
    pick_rows,
    tag_mask,
    tagged_at,
)


class MemoryStore:
    """Memories in the process, gone with it; closing keeps them, so that a test can reopen."""

    def __init__(self) -> None:
        self._scopes: dict[str, ScopeState] = {}
        self._opened = False

    async def open(self, *, read_only: bool = False) -> None:  # noqa: ARG002 - nothing lies anywhere
        """Make the store ready."""
        self._opened = True

    async def close(self) -> None:
        """Refuse further work until opened again."""
        self._opened = False

    async def get(self, scope: str, names: Sequence[int | str]) -> list[Memory | None]:
        """Return whole memories by sequence number, id or key, in the order asked; None where there is none."""
        tables = self._read(scope).tables
        by_key = {row["key"]: seq for seq, row in tables["memories"].items() if row["key"] is not None}
        by_id = {row["id"]: seq for seq, row in tables["memories"].items()}
        seqs = [name if isinstance(name, int) else by_id.get(name, by_key.get(name, 0)) for name in names]
        return [_memory(scope, tables, seq) if seq in tables["memories"] else None for seq in seqs]

    async def find(self, scope: str, find: Find) -> list[Memory]:
        """List memories by status, tags and columns."""
        refuse_unknown_columns(find.equal)
        tables = self._read(scope).tables
        fits = compile_find(find)
        arrivals = sorted(tables["memories"].items(), reverse=True)[: find.among]
        seqs = [
            seq
            for seq, row in (reversed(arrivals) if find.oldest_first else arrivals)
            if fits(seq, row) and all((seq, tag) in tables["tags"] for tag in find.tags)
        ]
        return [_memory(scope, tables, seq) for seq in seqs[: find.limit]]

    async def arriving(self, scope: str, asked: Arriving) -> WriteContext:
        """Tell a write or a question what it must know: twins, keys, tails of segments, statistics, settings."""
        state = self._read(scope)
        rows = state.tables["memories"]
        prints, keys = set(asked.fingerprints), set(asked.keys)
        twins: dict[bytes, KnownMemory] = {}
        # Later ones overwrite, so the best comes last.
        for seq, row in sorted(rows.items(), key=_as_twins):
            if row["fingerprint"] in prints:
                twins[row["fingerprint"]] = _twin(seq, row)
        df = Counter(term_hash(stem) for row in rows.values() for stem in _words(row["text"]))
        return WriteContext(
            twins=twins,
            keys={row["key"]: _twin(seq, row) for seq, row in rows.items() if row["key"] in keys},
            tails={
                segment: tail
                for segment in asked.segments
                if (tail := _tail([row for _, row in sorted(rows.items())], segment)) is not None
            },
            memories=sum(1 for row in rows.values() if _words(row["text"])),
            df={term: df[term] for term in asked.terms if term in df},
            forbids=bool(state.tables["forbidden"] or state.erased),
            position=state.position,
            values=state.pick_values(asked.get),
            counters=state.pick_counters(asked.counters),
        )

    async def search(self, scope: str, stems: Sequence[str]) -> Postings:
        """Return the postings of stems; unknown stems have empty ones."""
        state = self._read(scope)
        rows = sorted(state.tables["memories"].items())
        return Postings(
            rows={
                stem: np.array([seq for seq, row in rows if stem in _words(row["text"])], np.int64)
                for stem in stems
            },
            position=state.position,
        )

    async def vocabulary(self, scope: str, beginnings: Sequence[str]) -> list[str]:
        """Return the stems that any text of a scope holds and that begin with one of these, in order, each once."""
        words = {one for row in self._read(scope).tables["memories"].values() for one in _words(row["text"])}
        return sorted(one for one in words if one.startswith(tuple(beginnings)))

    async def vectors(
        self, scope: str, after: int = 0, only: Sequence[int] | None = None, model: str | None = None
    ) -> tuple[Ints, npt.NDArray[np.float16]]:
        """Return (seq, vectors as float16 rows) of memories above `after`, or of `only` those, in order of arrival."""
        wanted_seqs, state = None if only is None else set(only), self._read(scope)
        of = {
            seq: row["vector"] if model is None else state.embeddings.get((seq, model))
            for seq, row in sorted(state.tables["memories"].items())
        }
        pairs = [
            (seq, np.frombuffer(vector, "<f2"))
            for seq, vector in of.items()
            if vector is not None and seq > after and (wanted_seqs is None or seq in wanted_seqs)
        ]
        seqs = np.array([seq for seq, _ in pairs], np.int64)
        return seqs, np.stack([vector for _, vector in pairs]) if pairs else np.empty((0, 0), np.float16)

    async def embed(
        self,
        scope: str,
        model: str,
        rows: Sequence[EmbeddingRow] | None,
        *,
        fence: Fence | None = None,
        count: Mapping[str, int] | None = None,
    ) -> int:
        """Keep vectors of a model beside the memories' own, and return how many; None takes those of it away."""
        state = self._read(scope)
        if fence is not None:
            refuse_lost(fence, state.fence_of(fence[0]))
        embeddings = dict(state.embeddings)
        if rows is None:
            keys = [key for key in sorted(embeddings) if key[1] == model][:EMBEDDED_MAX]
            embeddings = {key: vector for key, vector in embeddings.items() if key not in keys}
        else:
            memories = state.tables["memories"]
            keys = [
                (one.seq, model)
                for one in rows
                if one.seq in memories and memories[one.seq]["fingerprint"] == one.fingerprint
            ]
            embeddings |= {(one.seq, model): one.vector for one in rows if (one.seq, model) in keys}
        counters = books.add_counts(state.counters, count or {})
        self._scopes[scope] = replace(state, embeddings=embeddings, counters=counters)
        return len(keys)

    async def neighbours(self, scope: str, seqs: Sequence[int] | None, *relations: Relation) -> list[Link]:
        """Return every link, or those of some relations, that have one of these memories at an end; None for any."""
        ends = set(seqs or ())
        links = sorted(self._read(scope).tables["links"].items())
        return [
            Link(key[0], key[1], Relation(key[2]), **row)
            for key, row in links
            if (seqs is None or key[0] in ends or key[1] in ends) and (not relations or key[2] in relations)
        ]

    async def read_answer(self, scope: str, asked: AnswerRequest) -> AnswerRows:
        """Return memories and links, all of one moment."""
        links = await self.neighbours(scope, [*asked.seqs, *asked.rest], *asked.relations)
        found = await self.get(scope, asked.list_memories(links))
        return AnswerRows({one.seq: one for one in found if one is not None}, links)

    async def forbidden(self, scope: str, folds: Sequence[str] | None = None) -> list[Forbidden]:
        """Return which of these folds are forbidden or of what was erased, or all that are forbidden, in order."""
        rows = sorted(self._read(scope).tables["forbidden"].items())
        erased_names = await self.find_erased_names(scope, [erasure.of_fold(fold) for fold in folds or ()])
        entries = [Forbidden(fold, **row) for fold, row in rows if folds is None or fold in folds]
        entries += [
            Forbidden(name.removeprefix(erasure.FOLD), at, is_erased=True)
            for name, at in erased_names.items()
        ]
        return sorted(entries, key=lambda one: one.fold)

    async def find_erased_names(self, scope: str, names: Sequence[str]) -> dict[str, int]:
        """Return which of these names were erased, and when."""
        return {name: at for name, at in self._read(scope).erased.items() if name in set(names)}

    async def clean(self, scope: str) -> CleanResult:  # noqa: ARG002 - nothing is left
        """Do nothing: what is gone lies nowhere."""
        self._read("")
        return CleanResult()

    async def erased_ids(self, scope: str) -> list[str]:
        """Return the ids of the memories that were erased, the earliest first."""
        return erasure.ids_among(self._read(scope).erased)

    async def compare_ledgers(self) -> LedgerFindings:
        """Return nothing: no older copy of it can take its place."""
        return LedgerFindings()

    async def take_ledgers(self, scope: str, *, accept_damage: bool = False) -> bool:  # noqa: ARG002 - there is none
        """Do nothing: there is no ledger."""
        return True

    async def keep_standing(self, scope: str, cause: Cause) -> int:  # noqa: ARG002 - nothing is to be logged
        """Keep nothing: there is no ledger."""
        return 0

    async def end_images(self, scope: str, before: int, cause: Cause) -> EndImagesResult:
        """Take away the images of the oldest parts, as long as each is of before a time, and log that as a part."""
        state, part, request_digest = self._read(scope), (cause.run, cause.part), content_digest(())
        if part in state.done:
            previous, outcome = state.done[part]
            refuse_other(cause, previous, request_digest)
            (written,) = [one for one in state.log if one.position == outcome.position]
            return read_end_result(written.position, written.cause.detail)
        if cause.fence is not None:
            refuse_lost(cause.fence, state.fence_of(cause.fence[0]))
        mark = mark_of(state.log)
        ahead = [(one.position, one.cause.at, one.count) for one in state.log if one.position > mark.through]
        keepers = keeping(state.tables, state.purged, before, cause.at)
        ending = end_log_images(state.log, state.emptied, reach(ahead, before), keepers, cause)
        if ending is None:
            return EndImagesResult(0, mark.through)
        log = [*ending.log, part_of(ending.log, ending.cause, ())]
        outcome = CommitResult(cause.run, cause.part, log[-1].position, (), 0)
        self._scopes[scope] = replace(
            state,
            log=log,
            emptied=kept_digests(state.emptied, ending.digests),
            done=state.done | {part: (request_digest, outcome)},
        )
        return read_end_result(log[-1].position, log[-1].cause.detail)

    async def find_purged_memories(self, scope: str, names: Sequence[int | str]) -> list[PurgedMemory]:
        """Return the purged memories that have one of these numbers, ids or keys, or an id that ends so, in order."""
        state = self._read(scope)
        rows = [one for _, one in sorted(state.purged.items())]
        exact = [one for one in rows if {one.seq, one.id, one.key} & set(names)]
        exact_names = {name for one in exact for name in (one.id, one.key)}
        others = tuple(name for name in names if isinstance(name, str) and name and name not in exact_names)
        matches = (
            exact + [one for one in rows if one not in exact and one.id.endswith(others)] if others else exact
        )
        return [with_end(state.log, one) for one in sorted(matches, key=lambda one: one.seq)]

    async def boxes(self, scope: str, find: FindBoxes) -> list[BoxRow]:
        """List boxes, those of the latest turns first."""
        rows = sorted(self._read(scope).tables["boxes"].items(), reverse=True)
        box_rows = [
            box_of(box, row)
            for box, row in rows
            if (find.only is None or box in find.only)
            and find.session in (None, row["session"])
            and find.trace in (None, row["trace"])
            and find.is_open in (None, row["sealed_at"] is None)
            and (find.before is None or box < find.before)
            and (find.holding is None or not {*find.holding}.isdisjoint(row["members"]))
        ]
        return box_rows[: find.limit]

    async def traces(self, scope: str, find: FindTraces) -> list[TraceRow]:
        """List traces, those of the latest turns first."""
        rows = self._read(scope).tables["traces"].items()
        trace_rows = [
            trace_of(trace, row)
            for trace, row in rows
            if (find.only is None or trace in find.only)
            and (find.since is None or row["last_at"] >= find.since)
        ]
        return sorted(trace_rows, key=lambda one: (one.last_at, one.trace), reverse=True)[: find.limit]

    async def snapshot(self, scope: str, wanted: SnapshotRequest, now: int) -> Snapshot:
        """Freeze the scope as columns."""
        state = self._read(scope)
        refuse_wanted(wanted)
        spans, turn_counts = state.clocks(wanted.clocks)
        rows, links, changed_seqs = pick_rows(state.tables, wanted, state.log)
        seq = np.array([seq for seq, _ in rows], np.int64)
        columns = {name: [row[name] for _, row in rows] for name in wanted.columns | GUARDS}
        names = {
            name: tuple(sorted({value for value in values if value is not None}))
            for name, values in columns.items()
            if COLUMN[name].kind == "name"
        }
        return Snapshot(
            scope=scope,
            position=state.position,
            seq=seq,
            whole=len(state.tables["memories"]),
            columns={
                name: array(COLUMN[name], values, names.get(name, ())) for name, values in columns.items()
            },
            names=names,
            tags={pattern: tag_mask(seq, pattern, state.tables["tags"]) for pattern in wanted.tags},
            tagged_at={tag: tagged_at(seq, tag, state.tables["tags"]) for tag in wanted.tagged_at},
            **agents_of(rows, state.tables) if wanted.agents else {},
            links=None if wanted.links is None else link_columns(seq, links, wanted.links),
            fired=dict(state.fired),
            newest_at=max((part.cause.at for part in state.log), default=0),
            destroyed_today=sum(
                part.cause.destroyed for part in state.log if now - DAY < part.cause.at <= now
            ),
            spans=spans,
            heard=turn_counts,
            asks=np.array([asks(row["text"]) for _, row in rows], np.bool_) if wanted.asks else None,
            attributes={name: attribute([row for _, row in rows], name) for name in wanted.attributes},
            link_count=len(state.tables["links"]) if wanted.link_count else None,
            changed=changed_seqs,
        )

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Write all changes with their audit in one transaction, or raise Conflict and write nothing."""
        refuse_malformed_entries(changes)
        state, part, request_digest = self._read(scope), (cause.run, cause.part), content_digest(changes)
        if part in state.done:
            previous, outcome = state.done[part]
            refuse_other(cause, previous, request_digest)
            return replace(outcome, follows=-1, is_repeated=True)
        if cause.extends in state.done and state.done[cause.extends][0] == request_digest:
            return state.done[cause.extends][1]
        if cause.fence is not None:
            refuse_lost(cause.fence, state.fence_of(cause.fence[0]))
        rows = list(rows_of(changes))
        refuse_conflicts(state.tables, rows, cause.verb)
        coming = erasure.names_coming_in(rows)
        if back := sorted(coming[name] for name in coming.keys() & state.erased.keys()):
            raise Conflict(back)
        final_changes, new_seqs = resolve(rows, state.latest_seq)
        tables, entries = apply_changes(state.tables, final_changes, cause)
        cause = extend_run(state.log, cause, entries)
        if cause.verb == ERASE:
            state, entries, cause = _erase_from_log(state, tables, entries, cause)
            tables = tables if cause.unnamed is None else unused_by(tables, cause.unnamed)
        logs = bool(rows) or cause.closes
        log = [*state.log, part_of(state.log, cause, entries)] if logs else state.log
        position = log[-1].position if log else 0
        outcome = CommitResult(cause.run, cause.part, position, new_seqs, len(entries), state.position)
        self._scopes[scope] = replace(
            state,
            tables=tables,
            latest_seq=max([state.latest_seq, *tables["memories"]]),
            log=log,
            done=state.done | {(cause.run, cause.part): (request_digest, outcome)} if logs else state.done,
            fired=state.fired | dict.fromkeys(cause.fired, cause.at),
            heard=state.heard + Counter({cause.at // MINUTE * MINUTE: cause.turns}),
            counters=books.add_counts(state.counters, cause.counts),
            values=books.put(state.values, cause.values),
            purged=update_purged(state.purged, entries, cause),
            embeddings=_select_valid_vectors(state, tables),
        )
        return outcome

    async def history(
        self,
        scope: str,
        *,
        run: str | None = None,
        memory: int | None = None,
        after: int = 0,
        limit: int = 1_000,
        rows: bool = True,
    ) -> list[AuditPart]:
        """Return logged parts, oldest first: of one run, of one memory (its changes only), or above a position."""
        parts = [
            part for part in self._read(scope).log if part.position > after and run in {None, part.cause.run}
        ]
        if memory is not None:
            parts = [filter_part(part, memory) for part in parts]
            parts = [part for part in parts if part.entries]
        return [part if rows else replace(part, entries=(), used=()) for part in parts[:limit]]

    async def bookkeep(self, scope: str, asked: Bookkeeping) -> BookkeepResult:
        """Read and write what is not memory: schedule, settings, leases, what sessions covered."""
        if asked.cover is not None:
            refuse_interval(*asked.cover)
        refuse_unknown_clocks(asked.clocks)
        state = self._read(scope)
        if asked.fence is not None:
            refuse_lost(asked.fence, state.fence_of(asked.fence[0]))
        self._scopes[scope] = state
        fence = None if asked.lease is None else books.lease(state.leases, *asked.lease, now=asked.now)
        if asked.lease is None or fence is not None:
            state.bookkeep(asked)
        values, counters = state.pick_values(asked.get, asked.under), state.pick_counters(asked.counters)
        return BookkeepResult(values, fence, *state.clocks(asked.clocks), counters, state.position)

    async def survey(self, names: Sequence[str]) -> dict[str, ScopeSurvey]:
        """Return of every scope that was written to how far it has come, and the values kept by these names."""
        self._read("")
        states = {name: state for name, state in sorted(self._scopes.items()) if state.log}
        return {
            scope: ScopeSurvey(
                state.position, {name: state.values[name] for name in names if name in state.values}
            )
            for scope, state in states.items()
        }

    async def measure_scopes(self, scopes: Sequence[str]) -> dict[str, ScopeSize]:
        """Return how much each of these scopes holds."""
        rows = {scope: self._read(scope).tables["memories"].values() for scope in scopes}
        return {
            scope: ScopeSize(
                len(some), sum(len(row["text"].encode()) + len(row["vector"] or b"") for row in some)
            )
            for scope, some in rows.items()
        }

    async def check(self) -> list[Check]:
        """Look whether what is stored is sound: references and the audit chain."""
        self._read("")
        dangling = [
            f"{scope}: {table} {key}"
            for scope, state in self._scopes.items()
            for table, rows in state.tables.items()
            for key in rows
            if not set(memories_of(table, key)) <= set(state.tables["memories"])
        ]
        broken_scopes = [
            scope for scope, state in self._scopes.items() if not chain_holds(state.log, state.emptied)
        ]
        return [
            Check(
                "references",
                not dangling,
                "; ".join(dangling) or "every tag, link and source has its memories",
            ),
            Check(
                "audit",
                not broken_scopes,
                "; ".join(broken_scopes) or PROVEN + from_where(self._find_end_marks()),
            ),
            self._lineage(),
        ]

    async def backup(self, path: str) -> int:
        """Refuse: there is no file to copy."""
        raise StoreUnavailable(
            f"a store in memory cannot be copied to {path}",
            recovery="export its memories, or open a file instead",
        )

    def _find_end_marks(self) -> list[tuple[str, int, int]]:
        """Return of each scope the last part whose images have ended, and when that was."""
        return [
            (scope, part.position, part.cause.at)
            for scope, state in sorted(self._scopes.items())
            for part in state.log
            if part.position == mark_of(state.log).through
        ]

    def _lineage(self) -> Check:
        return lineage(
            [seq for state in self._scopes.values() for seq in _find_without_successor(state.tables)]
        )

    def _read(self, scope: str) -> ScopeState:
        if not self._opened:
            raise StoreUnavailable("the store is closed", recovery="open it first")
        return self._scopes.get(scope) or ScopeState()


def _select_valid_vectors(state: ScopeState, tables: Tables) -> dict[tuple[int, str], bytes]:
    """Return the vectors of models whose memories are there and say what they said."""
    before, after = state.tables["memories"], tables["memories"]
    return {
        key: vector
        for key, vector in state.embeddings.items()
        if key[0] in after and after[key[0]]["text"] == before[key[0]]["text"]
    }


@lru_cache(maxsize=100_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(stems(text))


def _tail(rows: Sequence[Row], segment: Segment) -> Tail | None:
    """Return the end of a segment; threads and runs are looked for among the last arrivals."""
    reach = rows if segment.kind == "session" else rows[-LOOK_BACK:]
    segment_rows = [
        row for row in reach if segment_of(row["session"], row["thread"], row["agent"]) == segment
    ]
    latest = segment_rows[: -FIRST_IN_SEGMENT - 1 : -1]
    said_at = [row["said_at"] for row in latest]
    return Tail(count_last_segment(segment.kind, said_at), said_at[0], latest[0]["text"]) if latest else None


def _as_twins(item: tuple[int, Row]) -> tuple[bool, bool, int]:
    """Order rows as twins, the best last: those that stand, then those in quarantine; of each the oldest."""
    seq, row = item
    return row["status"] in STANDING, row["status"] == Status.QUARANTINED, -seq


def _twin(seq: int, row: Row) -> KnownMemory:
    return KnownMemory(seq, row["id"], Status(row["status"]), row["revision"], row["fingerprint"])


def _memory(scope: str, tables: Tables, seq: int) -> Memory:
    row = {name: value for name, value in tables["memories"][seq].items() if name != "vector"}
    for column in COLUMNS:
        if column.labels is not None and row[column.name] is not None:
            row[column.name] = column.labels(row[column.name])
    tags = {tag: row["at"] for (owner, tag), row in sorted(tables["tags"].items()) if owner == seq}
    sources = tuple(sorted(source for owner, source in tables["sources"] if owner == seq))
    tagged_at = {tag: at for tag, at in tags.items() if at is not None}
    return Memory(seq=seq, scope=scope, tags=tuple(tags), sources=sources, tagged_at=tagged_at, **row)


def _find_without_successor(tables: Tables) -> list[int]:
    """Return a scope's superseded memories of which no successor is left."""
    rows = tables["memories"]
    ends = [key for key in tables["links"] if key[2] in SUCCEEDING and key[0] in rows]
    successions = [(successor, old, rows[successor]["status"]) for successor, old, _ in ends]
    fallen = {seq: row["reason"] for seq, row in rows.items() if row["status"] == Status.SUPERSEDED}
    return find_without_successor(successions, fallen)


def _erase_from_log(
    state: ScopeState, tables: Tables, logged: Sequence[Change], cause: Cause
) -> tuple[ScopeState, tuple[Change, ...], Cause]:
    """Take what goes out of every part before, and return of it what the log keeps: which memories are meant.

    `tables` are as the commit leaves them.
    """
    seqs = [cast("int", change.key) for change in logged if change.table == "memories"]
    redaction = redact_log(state.log, seqs, cause.unnamed)
    cause = replace(
        cause, detail={**cause.detail, **end_mark_detail(mark_of(state.log), state.log, redaction.log)}
    )
    former = {seq: state.tables["memories"][seq] for seq in seqs if seq in state.tables["memories"]}
    texts = redaction.texts | {row["text"] for row in former.values()}
    ids = redaction.ids | {seq: row["id"] for seq, row in former.items()}
    pairs = [(seq, ids[seq]) for seq in seqs if seq in ids and seq not in tables["memories"]]
    names = erasure.names_of(pairs, texts - {row["text"] for row in tables["memories"].values()})
    state = replace(
        state,
        log=redaction.log,
        emptied=kept_digests(state.emptied, redaction.digests),
        erased=dict.fromkeys(names, cause.at) | state.erased,
    )
    return state, tuple(Change("memories", seq, {}, None) for seq in seqs), cause
