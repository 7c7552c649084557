"""A store in front of another: it reads what is stored and keeps what is written to itself, so that a verb is tried.

Knows as much of a store as texts that come in ask for; must not know any verb.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from remanence.core.arrival import KnownMemory, WriteContext
from remanence.core.box import BoxRow, FindBoxes
from remanence.core.change import AuditPart, Cause, Change, CommitResult, Entry, Increment, rows_of
from remanence.core.forbidden import Forbidden
from remanence.core.model import COLUMNS, STANDING, Link, Memory, Relation, Status
from remanence.core.snapshot import Snapshot, SnapshotRequest
from remanence.flows.base.context import Core
from remanence.llm.offline import NoEmbedder
from remanence.store.base import Arriving, Bookkeeping, BookkeepResult, Find, Postings, PurgedMemory
from remanence.store.capabilities import FullStore
from remanence.store.constraints import resolve
from remanence.text.analysis import term_hash, terms_of

_LABELLED = tuple(column for column in COLUMNS if column.labels is not None)
_DEFAULTS = {column.name: column.default for column in COLUMNS if column.name != "vector"}


async def foresee(core: Core) -> Core:
    """Return an open memory that stands as this one does and writes nowhere: what is done to it is forgotten with it.

    Uses that wait are written first, as whoever reads uses does. It embeds nothing: what becomes of a text that comes
    in does not hang on its vector.
    """
    await core.uses.settle_to_read()
    return replace(core, store=cast("FullStore", ForeseenStore(core.store)), embedder=NoEmbedder())


class ForeseenStore:
    """What a store would hold if what was committed here had been committed there.

    Columns, tags, sources and links are kept, and of texts their words; no counters and no audit. What a
    conflict would be is not asked: whoever tries something alone meets none.
    """

    def __init__(self, store: FullStore) -> None:
        self._store = store
        self._memories: dict[int, Memory] = {}  # that are new here, or were changed
        self._names: dict[
            str, int
        ] = {}  # ids and keys of new ones, and keys that moved; 0 where one was given up
        self._twins: dict[bytes, set[int]] = defaultdict(set)  # of those: fingerprint → who has it
        self._rows: dict[int, list[int]] = defaultdict(list)  # the hash of a stem → new memories that hold it
        self._links: dict[tuple[int, int, int], Link | None] = {}  # None where one was taken away
        self._latest: int | None = None
        self._worded = 0  # how many of the new ones hold words

    async def get(self, scope: str, names: Sequence[int | str]) -> list[Memory | None]:
        """Return whole memories by sequence number, id or key, in the order asked; None where there is none."""
        stored = await self._store.get(scope, names)
        found: list[Memory | None] = []
        for name, memory in zip(names, stored, strict=True):
            if isinstance(name, str) and name in self._names:
                found.append(self._memories.get(self._names[name]))
            else:
                seq = name if isinstance(name, int) else 0 if memory is None else memory.seq
                found.append(self._memories.get(seq, memory))
        return found

    async def find(self, scope: str, find: Find) -> list[Memory]:
        """List memories that are stored, by status, tags and columns, as they are stored."""
        return await self._store.find(scope, find)

    async def arriving(self, scope: str, asked: Arriving) -> WriteContext:
        """Tell a write what it must know: twins, keys, the tails of segments as they are stored, term statistics."""
        known = await self._store.arriving(scope, asked)
        keys = {key: twin for key, twin in known.keys.items() if key not in self._names}
        keys |= {
            key: self._as_known(self._memories[seq]) for key in asked.keys if (seq := self._names.get(key, 0))
        }
        twins = {
            mark: twin for mark in asked.fingerprints if (twin := self._find_twin(mark, known)) is not None
        }
        df = {
            term: count
            for term in asked.terms
            if (count := known.df.get(term, 0) + len(self._rows.get(term, ())))
        }
        memories = known.memories + self._worded
        return replace(known, twins=twins, keys=keys, df=df, memories=memories)

    async def search(self, scope: str, stems: Sequence[str]) -> Postings:
        """Return the postings of stems; unknown stems have empty ones."""
        stored = await self._store.search(scope, stems)
        new = {stem: np.array(self._rows.get(term_hash(stem), ()), np.int64) for stem in stems}
        return replace(stored, rows={stem: np.concatenate([stored.rows[stem], new[stem]]) for stem in stems})

    async def neighbours(self, scope: str, seqs: Sequence[int] | None, *relations: Relation) -> list[Link]:
        """Return every link, or those of some relations, that have one of these memories at an end; None for any."""
        stored = {link.key: link for link in await self._store.neighbours(scope, seqs, *relations)}
        ends = set(seqs or ())
        for key, link in self._links.items():
            is_asked = (seqs is None or not ends.isdisjoint(key[:2])) and (
                not relations or key[2] in relations
            )
            stored.pop(key, None)
            if link is not None and is_asked:
                stored[key] = link
        return [link for _, link in sorted(stored.items())]

    async def forbidden(self, scope: str, folds: Sequence[str] | None = None) -> list[Forbidden]:
        """Return which of these folds are forbidden or of what was erased, or all that are forbidden, in order."""
        return await self._store.forbidden(scope, folds)

    async def find_erased_names(self, scope: str, names: Sequence[str]) -> Mapping[str, int]:
        """Return which of these names were erased, and when."""
        return await self._store.find_erased_names(scope, names)

    async def find_purged_memories(self, scope: str, names: Sequence[int | str]) -> list[PurgedMemory]:
        """Return memories whose rows have gone, as they are stored."""
        return list(await self._store.find_purged_memories(scope, names))

    async def boxes(self, scope: str, asked: FindBoxes) -> list[BoxRow]:
        """Return boxes, as they are stored."""
        return list(await self._store.boxes(scope, asked))

    async def snapshot(self, scope: str, wanted: SnapshotRequest, now: int) -> Snapshot:
        """Freeze the scope as columns, as it is stored."""
        return await self._store.snapshot(scope, wanted, now)

    async def history(self, scope: str, **asked: Any) -> Sequence[AuditPart]:
        """Return logged parts, oldest first, as they are stored."""
        return await self._store.history(scope, **asked)

    async def bookkeep(self, scope: str, asked: Bookkeeping) -> BookkeepResult:
        """Read what is not memory; nothing of it is written."""
        reading = Bookkeeping(
            asked.now, get=asked.get, under=asked.under, clocks=asked.clocks, counters=asked.counters
        )
        return await self._store.bookkeep(scope, reading)

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Keep changes here."""
        if self._latest is None:
            newest = await self._store.find(scope, Find(limit=1))
            self._latest = newest[0].seq if newest else 0
        rows, new_seqs = resolve(list(rows_of(changes)), self._latest)
        self._latest += len(new_seqs)
        await self._bring_here(scope, rows)
        for change in rows:
            if change.table == "memories":
                self._write_memory(scope, change)
            elif change.table in {"tags", "sources"}:
                seq, name = cast("tuple[int, str]", change.key)
                memory = self._memories[seq]
                names = {*(memory.tags if change.table == "tags" else memory.sources), name}
                kept = tuple(sorted(names - {name} if change.after is None else names))
                is_tag = change.table == "tags"
                self._memories[seq] = replace(memory, tags=kept) if is_tag else replace(memory, sources=kept)
            elif change.table == "links":
                key = source, target, relation = cast("tuple[int, int, int]", change.key)
                old = self._links.get(key)
                values = {**({} if old is None else old.values), **(change.after or {})}
                self._links[key] = (
                    None if change.after is None else Link(source, target, Relation(relation), **values)
                )
        return CommitResult(cause.run, cause.part, 0, new_seqs, len(rows))

    async def _bring_here(self, scope: str, rows: Sequence[Change]) -> None:
        """Read what changes are about, as it is stored."""
        seqs = {_memory_of(change) for change in rows if change.table in {"memories", "tags", "sources"}}
        missing = sorted(seqs - self._memories.keys())
        stored = await self._store.get(scope, missing) if missing else []
        self._memories |= {one.seq: one for one in stored if one is not None}
        for change in rows:
            if change.table == "links" and change.before is not None and change.key not in self._links:
                between = await self._store.neighbours(scope, [_memory_of(change)])
                self._links = {**{link.key: link for link in between}, **self._links}

    def _write_memory(self, scope: str, change: Change) -> None:
        seq = _memory_of(change)
        values = {
            name: value
            for name, value in (change.after or {}).items()
            if name in _DEFAULTS and not isinstance(value, Increment)
        }
        if change.before is not None:
            was = self._memories[seq]
            self._memories[seq] = replace(was, **_with_labels(values))
            if "fingerprint" in values:
                self._twins[values["fingerprint"]].add(seq)
            if "key" in values:
                # A memory gives up a key, unless another one has it by now, and takes one.
                new = values["key"]
                if was.key is not None and self._names.get(was.key, seq) == seq:
                    self._names[was.key] = 0
                if new is not None:
                    self._names[new] = seq
            return
        memory = Memory(seq=seq, scope=scope, **_with_labels({**_DEFAULTS, **values}))
        self._memories[seq] = memory
        self._names |= {name: seq for name in (memory.id, memory.key) if name is not None}
        self._twins[memory.fingerprint].add(seq)
        terms = terms_of(memory.text)
        self._worded += bool(terms)
        for term in terms:
            self._rows[term].append(seq)

    def _find_twin(self, mark: bytes, known: WriteContext) -> KnownMemory | None:
        """Return the best memory of a fingerprint: one that stands before one in quarantine, then the oldest."""
        stored = known.twins.get(mark)
        twins = [self._memories[seq] for seq in self._twins.get(mark, ())]
        candidates = [self._as_known(one) for one in twins if one.fingerprint == mark]
        if stored is not None:
            changed = self._memories.get(stored.seq)
            if changed is None or changed.fingerprint == mark:
                candidates.append(stored if changed is None else self._as_known(changed))
        return max(candidates, key=_rank_twin, default=None)

    def _as_known(self, memory: Memory) -> KnownMemory:
        return KnownMemory(memory.seq, memory.id, memory.status, memory.revision, memory.fingerprint)


def _rank_twin(twin: KnownMemory) -> tuple[bool, bool, int]:
    return twin.status in STANDING, twin.status is Status.QUARANTINED, -twin.seq


def _memory_of(change: Change) -> int:
    """Return the memory that a change is about, of a link its source."""
    return cast("int", change.key[0] if isinstance(change.key, tuple) else change.key)


def _with_labels(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of columns with the names of codes."""
    codes = {column.name: column.labels for column in _LABELLED}
    return {
        name: value if value is None or (labels := codes.get(name)) is None else labels(value)
        for name, value in values.items()
    }
