"""What recall keeps of a scope in memory: columns, vectors and windows, in order of arrival.

A cache that can be thrown away: each part is read when it is first asked for, then follows the change sequence; rows
that changed are patched, and all is read anew where too many did.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from remanence.core.change import AuditPart, Change, CommitResult, rows_of
from remanence.core.errors import StoreDamaged
from remanence.core.local_time import LOCAL, read_said_local
from remanence.core.model import Memory, Role, Status
from remanence.core.segment import segments
from remanence.core.snapshot import Snapshot, SnapshotRequest, means
from remanence.flows.indexes.arm import Arm, KeptTerms, VectorReader, pad_rows
from remanence.flows.indexes.index_columns import (
    ASKS,
    COLUMNS,
    GROUND,
    NAMES,
    RANKED,
    mark_lending,
    mark_standing,
)
from remanence.flows.indexes.saved_index import IndexFile, SavedIndex, finish_in_thread
from remanence.flows.indexes.scope_words import ScopeWords
from remanence.read.entity import CATEGORY, THREAD
from remanence.recall.corpus import Bools, Corpus, Floats
from remanence.recall.ground import Ground, ground_of
from remanence.recall.lexical import Term, WordForms, name_forms, term_of
from remanence.recall.quantized import Halves, QuantizedVectors, Rows
from remanence.recall.semantic import Cosines, reached_rows, touched_rows
from remanence.store.base import Find
from remanence.store.capabilities import FullStore
from remanence.text.analysis import asks

Ints = npt.NDArray[np.int64]
# What tells who may be returned: entities say nothing themselves and lend no words.
_TOLD_BY = frozenset({"status", "category", "thread"})
# Who is read where the archive is left out.
_KEPT = tuple(status for status in Status if status is not Status.ARCHIVED)
_INDEXED = ({"status": frozenset(map(int, _KEPT))},)
_ARCHIVED = ({"status": frozenset({int(Status.ARCHIVED)})},)
# Archived memories that have rows here: where there are more, full text finds them, see decision 120.
INDEXED_MAX = 200_000
# From so many rows on, recall keeps rough vectors, half as large, and reads the few true ones that it needs.
ROUGH_FROM = 100_000
PAGE = 1_000
PATCH_SHARE = 0.2  # beyond this share of the rows a patch costs more than reading anew
PATCH_MIN = 2_000
SAVED_BEHIND_MAX = 1_000  # changed rows after which what is saved is written anew: reading them takes .1 s
RUNS_MAX = 4_000  # so many runs behind, the scope is read anew
PATTERNS_MAX = 64  # tag patterns whose memories are remembered


class ScopeIndex:
    """The resident columns of one scope; `refresh` before use, and read them `still` where something is awaited."""

    def __init__(self, store: FullStore, scope: str, dimensions: int, *, with_archive: bool = False) -> None:
        self._with_archive = with_archive  # however large it is
        self._store = store
        self._scope = scope
        self._own = Arm(None, dimensions)  # 0 dimensions while the vectors are not all of one embedder
        self._model: Arm | None = None  # of the model whose vectors were last asked for
        self.position = -1
        self._rows = 0
        self._seq = np.zeros(0, np.int64)
        self._columns: dict[str, npt.NDArray[np.generic]] = {}
        self._codes: dict[str, dict[str, int]] = {}
        self._ground: Ground | None = None
        self._terms = KeptTerms()
        self._tagged: dict[str, Ints] = {}
        # What others worked out of columns and tags, by name: forgotten with each change.
        self.derived: dict[str, Any] = {}
        self.words = ScopeWords(store, scope)
        self._vectors = VectorReader(store, scope)
        self._turn = asyncio.Lock()
        self._file = IndexFile(store, scope, lambda: self.dimensions)
        self._is_new = True  # nothing was read yet
        self._saved, self._behind = frozenset[str](), 0  # columns in the file; how many rows changed since
        # Whether archived memories have no rows here, since they are too many.
        self.leaves_archive = False

    def __len__(self) -> int:
        return self._rows

    @property
    def seq(self) -> Ints:
        """Sequence numbers, ascending."""
        return self._seq[: self._rows]

    @property
    def dimensions(self) -> int:
        """The length of the vectors that memories come with; 0 while they are not all of one embedder."""
        return self._own.dimensions

    @dimensions.setter
    def dimensions(self, dimensions: int) -> None:
        self._own.dimensions = dimensions

    @property
    def bare_vectors(self) -> QuantizedVectors:
        """The vectors as stored, one row per memory; zeros where there is none. Only where they were asked for."""
        assert self._own.bare is not None
        return self._own.bare.select(slice(self._rows))

    def compare(self, query: Floats | None, among: Bools | None = None) -> Floats | None:
        """Return by row the cosines of windows with a question; of rows that are not `among` those wanted, anything.

        None where there are no vectors, or nothing in the question. Windows must have been asked for.
        """
        return self._compare_arm(self._own, query, among) if self.dimensions else None

    def compare_roughly(self, query: Floats | None, among: Bools | None = None) -> Cosines | None:
        """Return the same, and how far they are from the truth where only rough vectors are kept."""
        if not self.dimensions or query is None or not query.any():
            return None
        if self._own.bare is not None:
            return Cosines(self._own.compare(self.ground.windows, query, self._rows, among))
        return self._own.compare_roughly(self.ground.windows, query, self._rows)

    async def compare_rows(self, query: Floats, rows: Rows) -> Floats:
        """Return the true cosines of some rows' windows with a question; their vectors are read."""
        windows = self.ground.windows
        chosen = await self._vectors.choose(self._own, touched_rows(windows, rows), self.seq)
        return await asyncio.to_thread(self._own.compare_rows, windows, chosen, query, rows)

    def compare_contextual(
        self, model: str | None, query: Floats | None, among: Bools | None = None
    ) -> tuple[Floats, Bools] | None:
        """Return the same of a model that was asked for, and which rows have a vector of it; None where none has."""
        if not self.has_contextual(model):
            return None
        assert self._model is not None
        cosines = self._compare_arm(self._model, query, among)
        return None if cosines is None else (cosines, self._model.held[: self._rows])

    def has_contextual(self, model: str | None) -> bool:
        """Tell whether any row has a vector of a model that was asked for."""
        return (arm := self._model) is not None and arm.model == model and bool(arm.held[: self._rows].any())

    def _compare_arm(self, arm: Arm, query: Floats | None, among: Bools | None) -> Floats | None:
        if query is None or not query.any():
            return None
        return arm.compare(self.ground.windows, query, self._rows, among)

    def without_model(self, statuses: Iterable[Status]) -> Ints:
        """Return, ascending, the memories of some statuses that have no vector of the model that was asked for."""
        assert self._model is not None
        seqs: Ints = self.seq[self.match_statuses(statuses) & ~self._model.held[: self._rows]]
        return seqs

    def match_statuses(self, statuses: Iterable[Status]) -> Bools:
        """Tell which memories have one of some statuses."""
        status_codes, mask = self.column("status"), np.zeros(len(self), np.bool_)
        for status in statuses:
            mask |= status_codes == int(status)
        return mask

    @property
    def stands(self) -> Bools:
        """Which memories recall may return: inbox and active, and no entities."""
        return mark_standing(self.column("status")) & ~self.entities

    @property
    def lends(self) -> Bools:
        """Which memories lend their words to their neighbours: all but tombstones and entities."""
        return mark_lending(self.column("status")) & ~self.entities

    @property
    def entities(self) -> Bools:
        """Which memories are entities."""
        return self._match_entities(slice(self._rows))

    def _match_entities(self, rows: Any) -> Bools:
        category, thread = self._columns["category"][rows], self._columns["thread"][rows]
        mask: Bools = (category == self.code("category", CATEGORY)) & (thread == self.code("thread", THREAD))
        return mask

    @property
    def ground(self) -> Ground:
        """The scope as the ranking sees it, worked out once after each change."""
        if self._ground is None:
            self._ground = ground_of(self._build_corpus(self.lends), self.names("speaker"))
        return self._ground

    def among_all(self, stems: Iterable[str], postings: Mapping[str, Ints]) -> tuple[Ground, dict[str, Term]]:
        """Return the scope with its entities as the ranking sees it, and the windows that hold each stem."""
        lends = mark_lending(self.column("status"))
        ground = ground_of(self._build_corpus(lends), self.names("speaker"))
        terms: dict[str, Term] = {}
        for stem in stems:
            rows, _ = self.rows_among(postings[stem])
            names = ground.names.get(stem, ())
            terms[stem] = term_of(ground.windows, ground.damping, stem, rows[lends[rows]], names)
        return ground, terms

    def _build_corpus(self, lends: Bools) -> Corpus:
        said_at = self.column("said_at").astype(np.int64)
        return Corpus(
            seq=self.seq,
            segment=segments(said_at, *map(self.column, (ASKS, "session", "thread", "agent", "speaker"))),
            words=np.where(lends, self.column("words"), 0).astype(np.int32),
            speaker=self.column("speaker").astype(np.int32),
            said_at=said_at,
            said_local=self.said_local.astype(np.int64),
            value=np.nan_to_num(self.column("value").astype(np.float32)),
            live=self.stands,
            counts=lends,
            assistant=self.column("role") == Role.ASSISTANT,
            asks=self.column(ASKS),
        )

    @property
    def said_local(self) -> npt.NDArray[Any]:
        """When each row was said, by the clocks there."""
        local: npt.NDArray[Any] = read_said_local({name: self.column(name) for name in LOCAL})
        return local

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return one column that was asked for; names are codes, −1 where absent."""
        return self._columns[name][: self._rows]

    def names(self, column: str) -> Sequence[str]:
        """Return the names of a column by code."""
        return tuple(self._codes[column])

    def code(self, column: str, name: str) -> int:
        """Return the code of a name, or −2, which no row has."""
        return self._codes[column].get(name, -2)

    def rows_of(self, seqs: Iterable[int]) -> Ints:
        """Return the rows of sequence numbers that are all here; where the audit left one out, it cannot be trusted."""
        rows, here = self.rows_among(np.fromiter(seqs, np.int64))
        if not here.all():
            raise StoreDamaged(
                f"the history of scope {self._scope!r} leaves out a memory that is stored",
                recovery="run `doctor`, then go back to the latest backup",
            )
        return rows

    def lending_rows(self, seqs: Ints) -> Ints:
        """Return the rows of ascending sequence numbers, without tombstones and what arrived since the last refresh."""
        if not self._rows:
            return np.zeros(0, np.int64)
        first, last = self.seq[[0, -1]]
        seqs = seqs[: np.searchsorted(seqs, last, "right")]
        # Where no number is missing, none is looked for.
        if self.leaves_archive:  # most of them are not here
            at = np.minimum(np.searchsorted(seqs, self.seq), len(seqs) - 1)
            rows = np.flatnonzero(seqs[at] == self.seq) if len(seqs) else seqs
        else:
            rows = seqs - first if last - first == self._rows - 1 else np.searchsorted(self.seq, seqs)
        lending: Ints = rows[mark_lending(self._columns["status"][rows]) & ~self._match_entities(rows)]
        return lending

    async def read_words(self) -> ScopeWords:
        """Return what is known of the languages of the scope, whose rows stand still."""
        if not self.words.is_read:
            await self.words.read(self.seq[self.lends])
        return self.words

    async def postings(self, forms: WordForms, *, every: bool = False) -> Mapping[str, Ints]:
        """Ask the store which memories hold any form of the stems that `terms` has not kept, or of `every` one."""
        lacking = set(self._terms.missing(map(name_forms, forms.values())))
        missing = {stem: some for stem, some in forms.items() if every or name_forms(some) in lacking}
        if not missing:
            return {}
        words = list(dict.fromkeys(word for some in missing.values() for word in some))
        rows = (await self._store.search(self._scope, words)).rows
        return {
            stem: rows[stem] if len(some) == 1 else np.unique(np.concatenate([rows[word] for word in some]))
            for stem, some in missing.items()
        }

    def terms(self, forms: WordForms, postings: Mapping[str, Ints]) -> dict[str, Term]:
        """Return which windows hold any form of each stem; `postings` are those of the stems that are not kept."""
        ground, names = self.ground, {stem: name_forms(some) for stem, some in forms.items()}
        # Those that are kept first: each new one may take the place of one that was asked for longest ago.
        by_stem = {stem: term for stem, name in names.items() if (term := self._terms[name]) is not None}
        for stem, name in names.items():
            if stem not in by_stem:
                rows = self.lending_rows(postings[stem])
                by_stem[stem] = term_of(
                    ground.windows, ground.damping, stem, rows, ground.names.get(stem, ())
                )
                self._terms.keep(name, by_stem[stem])
        return {stem: by_stem[stem] for stem in forms}

    def filter_embedded(self, seqs: Iterable[int]) -> set[int]:
        """Return those of some memories that have a vector."""
        rows = self.rows_of(seqs)
        return set(self.seq[rows[self._own.held[rows]]].tolist())

    def filter_standing(self, seqs: Iterable[int]) -> set[int]:
        """Return those of some memories that stand."""
        rows, _ = self.rows_among(np.fromiter(seqs, np.int64))
        return set(self.seq[rows[self.stands[rows]]].tolist())

    def filter_followed(self, seqs: Iterable[int]) -> set[int]:
        """Return those of some memories over which links are followed: what stands, and entities that do."""
        rows, _ = self.rows_among(np.fromiter(seqs, np.int64))
        return set(self.seq[rows[mark_standing(self.column("status")[rows])]].tolist())

    async def match_tag(self, pattern: str, now: int) -> Bools:
        """Tell which memories bear a tag that a pattern means; the store is asked again after one was taken off."""
        if pattern not in self._tagged:
            if len(self._tagged) >= PATTERNS_MAX:
                self._tagged.clear()
            snapshot = await self._read_snapshot(frozenset(), frozenset({pattern}), now)
            self._tagged[pattern] = snapshot.seq[snapshot.tags[pattern]]
        mask = np.zeros(len(self), np.bool_)
        mask[self.rows_among(self._tagged[pattern])[0]] = True
        return mask

    def rows_among(self, seqs: Ints) -> tuple[Ints, Bools]:
        """Return the rows of those sequence numbers that are here, and which these are."""
        at = np.searchsorted(self.seq, seqs)
        here = at < len(self)
        here[here] = self.seq[at[here]] == seqs[here]
        return at[here], here

    async def refresh(self, now: int) -> None:
        """Catch up with the change sequence, with all that there is."""
        async with self.hold_rows(now, COLUMNS | RANKED, windows=True):
            pass

    async def read_snapshot(self, wanted: SnapshotRequest, now: int) -> Snapshot:
        """Return some columns and tags of all but entities as a snapshot."""
        async with self.hold_rows(now, wanted.columns, tags=wanted.tags):
            rows = np.flatnonzero(~self.entities)
            columns = {name: self.column(name)[rows] for name in wanted.columns}
            tags = {pattern: (await self.match_tag(pattern, now))[rows] for pattern in wanted.tags}
            return Snapshot(self._scope, self.position, self.seq[rows], columns, tags=tags)

    @asynccontextmanager
    async def hold_rows(
        self,
        now: int,
        columns: frozenset[str] = frozenset(),
        *,
        tags: frozenset[str] = frozenset(),
        vectors: bool = False,
        windows: bool = False,
        model: tuple[str, int] | None = None,
        stands_at: int | None = None,
    ) -> AsyncIterator[None]:
        """Catch up, with what is asked for, and let nobody else do so before the block ends: rows keep their place.

        `model` names one, and how many of its vectors were ever written: where there are more than were read, the
        memories that have none yet are looked at again. `stands_at` is where the scope stands, for who has just read
        that. Without `vectors` the windows of a large scope may be compared roughly alone.
        """
        async with self._turn:
            whole = False
            try:
                await self._catch_up(stands_at, now)
                await self._read_missing_columns(now, columns, tags)
                rounds = not vectors and model is None and self._is_large
                if (vectors or windows) and (self._own.vectors if rounds else self._own.bare) is None:
                    await self._read_arm_vectors(self._own)
                else:
                    rounds = False
                await self._follow_model(model)
                whole = True
            finally:
                if not whole:  # cancelled half-way: what was passed over is read anew
                    self.position = -1
            for arm in self._arms if windows else ():
                await finish_in_thread(self._measure_first, arm)
            if rounds:
                await finish_in_thread(self._own.round_off)
            yield

    @property
    def _is_large(self) -> bool:
        """Whether rough vectors are kept for recall; who ranks the archive beside the rows needs the true ones."""
        return self.dimensions > 0 and self._rows >= ROUGH_FROM and not self.leaves_archive

    def _measure_first(self, arm: Arm) -> None:
        """Measure the windows of an arm where nobody did."""
        if arm.lengths is None and arm.dimensions:
            arm.measure_all(self.ground.windows, self._rows)

    @property
    def _arms(self) -> list[Arm]:
        """The arms that are kept."""
        arms = [self._own] if self._model is None else [self._own, self._model]
        return [arm for arm in arms if arm.vectors is not None]

    async def _read_arm_vectors(self, arm: Arm) -> None:
        """Read all vectors of an arm that have rows here."""
        only = self.seq.tolist() if self.leaves_archive else None
        read = await self._vectors.read(arm, only)
        await finish_in_thread(arm.take, *read, self.seq, len(self._seq))

    async def _follow_model(self, asked: tuple[str, int] | None) -> None:
        """Keep the vectors of one model only; read those that were written since."""
        if asked is None:
            return
        arm, (name, write_mark) = self._model, asked
        if arm is None or arm.model != name:
            arm = self._model = Arm(name, 0)
        if arm.bare is None or (arm.written != write_mark and not arm.dimensions):
            arm.forget()
            await self._read_arm_vectors(arm)
        elif arm.written != write_mark:
            missing = self.seq[self.lends & ~arm.held[: self._rows]].tolist()
            await finish_in_thread(self._place_late, arm, *await self._vectors.read(arm, missing))
        arm.written = write_mark

    def _place_late(self, arm: Arm, seqs: Ints, vectors: Halves) -> None:
        """Put vectors into rows that had none, and measure the windows that they reach."""
        arm.place(seqs, vectors, self.seq)
        if len(seqs) and arm.lengths is not None:
            rows, _ = self.rows_among(seqs)
            arm.measure(self.ground.windows, touched_rows(self.ground.windows, rows), self._rows)

    def pass_over(self, done: CommitResult) -> None:
        """Go on past a commit that changed nothing that is kept here, where it is the next."""
        if self.position == done.follows >= 0:
            self.position = done.position

    async def _catch_up(self, stands_at: int | None, now: int) -> None:
        """Patch what changed, or forget all that is kept."""
        if self._is_new:
            self._is_new = False
            if not self._with_archive and (saved := await self._file.read()) is not None:
                self._take_saved(saved)
        if self.position == stands_at:
            return
        changed_seqs = None if self.position < 0 else await self._read_changed_seqs()
        if changed_seqs is not None and not changed_seqs:
            return
        self.derived.clear()
        is_patched = changed_seqs is not None and await self._patch_rows(changed_seqs)
        leaves = await self._is_archive_large(now, by_rows=changed_seqs is not None)
        if not is_patched or leaves != self.leaves_archive:
            self._forget_rows()
            self.leaves_archive = leaves

    async def _is_archive_large(self, now: int, *, by_rows: bool) -> bool:
        """Tell whether more is archived than is to have rows; where few of the rows have changed, they tell it."""
        if self._with_archive:
            return False
        if by_rows and not self.leaves_archive:
            return int(np.count_nonzero(self.match_statuses([Status.ARCHIVED]))) > INDEXED_MAX
        nothing = SnapshotRequest(frozenset(), only=())
        whole = (await self._store.snapshot(self._scope, nothing, now)).memories
        if by_rows:
            return whole - len(self) > INDEXED_MAX
        if whole <= INDEXED_MAX:
            return False
        archived = SnapshotRequest(frozenset(), among=_ARCHIVED)
        return len(await self._store.snapshot(self._scope, archived, now)) > INDEXED_MAX

    def _take_saved(self, saved: SavedIndex) -> None:
        self.position, self._rows, self._seq = saved.position, saved.rows, saved.seq
        self._columns, self._saved = saved.columns, frozenset(saved.columns)
        self._codes = {name: {text: k for k, text in enumerate(some)} for name, some in saved.names.items()}
        self._own.take_rough(saved.rough, saved.held, saved.lengths)

    async def save(self) -> None:
        """Write what is kept of a large scope beside its database, unless what lies there is nearly as new."""
        async with self._turn:
            is_new = self._behind <= SAVED_BEHIND_MAX and self._columns.keys() <= self._saved
            if is_new or not self._is_large or self._own.lengths is None or self.position <= 0:
                return
            await finish_in_thread(self._own.round_off)
            rough, lengths = self._own.rough, self._own.lengths
            assert rough is not None
            names = {name: [*self._codes[name]] for name in NAMES & self._columns.keys()}
            saved = SavedIndex(
                self.position, self._rows, self._seq, self._columns, names, rough, self._own.held, lengths
            )
            if await self._file.write(saved):
                self._saved, self._behind = frozenset(self._columns), 0

    def _forget_rows(self) -> None:
        self.position, self._saved = -1, frozenset()
        self._columns, self._ground = {}, None
        for arm in self._arms:
            arm.forget()
        self._terms.clear()
        self._tagged.clear()
        self.derived.clear()
        self.words.forget()

    async def _read_changed_seqs(self) -> set[int] | None:
        """Return which memories changed since, or None where a patch does not pay or rows left."""
        changed_seqs: set[int] = set()
        runs = 0
        page: Sequence[AuditPart] = ()
        while not runs or len(page) == PAGE:
            page = await self._store.history(self._scope, after=self.position, limit=PAGE)
            if not page:
                break
            if any(part.ended_at is not None for part in page):
                return None  # what these parts changed is told no more
            entries = [entry for part in page for entry in part.entries]
            memories = [entry for entry in entries if entry.table == "memories"]
            if any(entry.after is None for entry in memories):
                return None
            self._follow_tags(list(rows_of(entry for entry in entries if entry.table == "tags")))
            changed_seqs.update(seq for entry in memories for seq in entry.row_keys())
            runs += len(page)
            if runs > RUNS_MAX or len(changed_seqs) > max(PATCH_MIN, PATCH_SHARE * self._rows):
                return None
            self.position = page[-1].position
        return changed_seqs

    def _follow_tags(self, changes: Sequence[Change]) -> None:
        """Follow tags that were put on; where one was taken off, another that the pattern means may be left."""
        if changes:
            self.derived.clear()
        if len(changes) > PATCH_MIN:
            self._tagged.clear()
        keys = [cast("tuple[int, str]", change.key) for change in changes]
        taken_off = [tag for change, (_, tag) in zip(changes, keys, strict=True) if change.after is None]
        for pattern in list(self._tagged):
            if any(means(pattern, tag) for tag in taken_off):
                del self._tagged[pattern]
            elif put_on := [seq for seq, tag in keys if means(pattern, tag)]:
                self._tagged[pattern] = np.union1d(self._tagged[pattern], put_on)

    async def _read_missing_columns(self, now: int, columns: frozenset[str], tags: frozenset[str]) -> None:
        """Read what is asked for and not here yet."""
        missing = (columns | _TOLD_BY) - self._columns.keys()
        patterns = tags - self._tagged.keys()
        if not missing and not patterns:
            return
        snapshot = await self._read_snapshot(missing, patterns, now)
        if self._columns and snapshot.position != self.position:
            # Somebody wrote in between: what is kept is of another moment.
            missing = missing | self._columns.keys()
            self._forget_rows()
            snapshot = await self._read_snapshot(missing, tags, now)
        await finish_in_thread(self._fill_columns, snapshot, missing)

    async def _read_snapshot(self, columns: frozenset[str], tags: frozenset[str], now: int) -> Snapshot:
        among = _INDEXED if self.leaves_archive else None
        request = SnapshotRequest(columns - {ASKS}, tags=tags, asks=ASKS in columns, among=among)
        return await self._store.snapshot(self._scope, request, now)

    async def take_vectors(self, dimensions: int) -> None:
        """Read the vectors from now on: all of them are of one embedder."""
        async with self._turn:
            self.dimensions, self.position = dimensions, -1

    def _fill_columns(self, snapshot: Snapshot, names: frozenset[str]) -> None:
        """Take some columns in, and whose tags were read."""
        if not self._columns:
            self.position, self._rows, self._seq = snapshot.position, len(snapshot), snapshot.seq.copy()
        for name in names:
            values = snapshot.asks if name == ASKS else snapshot.columns[name]
            assert values is not None
            # There may be room for more rows already.
            self._columns[name] = pad_rows(values, len(self._seq)).copy()
        for name in names & NAMES:
            self._codes[name] = {text: code for code, text in enumerate(snapshot.names.get(name, ()))}
        for pattern, mask in snapshot.tags.items():
            self._tagged[pattern] = snapshot.seq[mask]

    async def _patch_rows(self, changed: Iterable[int]) -> bool:
        """Read single memories again, or for the first time, and the windows that they reach."""
        seqs = sorted(changed)
        memories = [
            one
            for start in range(0, len(seqs), PAGE)
            for one in await self._read_memories(seqs[start : start + PAGE])
        ]
        if self.leaves_archive and (leavers := {*seqs} - {memory.seq for memory in memories}):
            await finish_in_thread(self._leave_rows, self.rows_among(np.array(sorted(leavers), np.int64))[0])
        if not memories:
            return True
        self._behind += len(memories)
        only = [memory.seq for memory in memories]
        arm_vectors = [(arm, *await self._vectors.read(arm, only)) for arm in self._arms]
        if not await finish_in_thread(self._place_again, memories, arm_vectors):
            return False
        for arm in self._arms:
            if len(arm.late):
                chosen = await self._vectors.choose(
                    arm, touched_rows(self.ground.windows, arm.late), self.seq
                )
                await finish_in_thread(arm.measure_late, self.ground.windows, chosen)
        return True

    async def _read_memories(self, seqs: Sequence[int]) -> Sequence[Memory]:
        """Read memories that may have rows here: texts of the archive are not read where it has none."""
        if self.leaves_archive:
            return await self._store.find(
                self._scope, Find(_KEPT, only=seqs, limit=len(seqs), oldest_first=True)
            )
        return [memory for memory in await self._store.get(self._scope, seqs) if memory is not None]

    def _leave_rows(self, rows: Ints) -> None:
        """Take away rows of what went into the archive, and work out again the windows that these were in."""
        if not len(rows):
            return
        stay = np.ones(self._rows, np.bool_)
        stay[rows] = False
        window_rows = reached_rows(self.ground.windows, rows) if self._measures else None
        if window_rows is not None:
            window_rows = (np.cumsum(stay) - 1)[window_rows[stay[window_rows]]]
        self._seq = self.seq[stay]
        self._columns = {name: values[: self._rows][stay] for name, values in self._columns.items()}
        for arm in self._arms:
            arm.leave(stay)
        self._rows, self._ground = len(self._seq), None
        self._terms.clear()
        self.words.forget()
        self._measure_windows(window_rows, rows[:0])

    def _place_again(self, memories: Sequence[Memory], found: Sequence[tuple[Arm, Ints, Halves]]) -> bool:
        """Put memories into their rows, old or new; return False where that takes reading anew."""
        self._terms.clear()
        latest = int(self.seq[-1]) if self._rows else 0
        if any(memory.seq < latest and memory.seq not in self for memory in memories):
            return False  # a row came back in the middle
        old = self.rows_of(memory.seq for memory in memories if memory.seq <= latest)
        # A changed time can cut a run or join two: what stood around a row before must be worked out again, too.
        window_rows = reached_rows(self.ground.windows, old) if self._measures else None
        rested_on = self._ground_of(old)
        fresh = [memory.seq for memory in memories if memory.seq > latest]
        self._grow_rows(len(fresh))
        self._seq[self._rows - len(fresh) : self._rows] = fresh
        rows = self.rows_of(memory.seq for memory in memories)
        for name, values in self._columns.items():
            values[rows] = self.encode_column(name, memories)
        for arm, seqs, vectors in found:
            arm.clear(rows)
            arm.place(seqs, vectors, self.seq)
        self.words.follow(memories, self.lends[rows].tolist())
        is_other = bool(fresh) or not all(map(_is_equal, rested_on, self._ground_of(old)))
        if is_other:
            self._ground = None
        if (
            is_other or self._own.rough is not None
        ):  # which does not tell whether the true vectors are the same
            self._measure_windows(window_rows, rows)
        return True

    def _ground_of(self, rows: Ints) -> list[npt.NDArray[Any]]:
        """Return what ranking takes from some rows, as far as it is here."""
        status = self._columns["status"][rows]
        columns = [self._columns[name][rows] for name in GROUND if name in self._columns]
        vectors = [arm.bare[rows] for arm in self._arms if arm.bare is not None]
        return [*columns, mark_standing(status), mark_lending(status), self._match_entities(rows), *vectors]

    @property
    def _measures(self) -> bool:
        """Whether windows are kept measured."""
        return any(arm.lengths is not None for arm in self._arms)

    def _measure_windows(self, left: Ints | None, rows: Ints) -> None:
        """Measure again the windows that changed rows reach, and those that they reached before."""
        if left is None:
            return
        window_rows = np.union1d(left, reached_rows(self.ground.windows, rows))
        for arm in self._arms:
            arm.measure(self.ground.windows, window_rows, self._rows)

    def __contains__(self, seq: object) -> bool:
        at = int(np.searchsorted(self.seq, seq))  # type: ignore[call-overload]
        return at < self._rows and self.seq[at] == seq

    def encode_column(self, name: str, memories: Sequence[Memory]) -> npt.NDArray[np.generic]:
        """Return what a snapshot's column holds of some memories."""
        if name == ASKS:
            return np.array([asks(memory.text) for memory in memories], np.bool_)
        values = [getattr(memory, name) for memory in memories]
        if name in NAMES:
            codes = self._codes[name]
            values = [-1 if value is None else codes.setdefault(value, len(codes)) for value in values]
        kind = self._columns[name].dtype
        absent = np.nan if kind.kind == "f" else -1
        return np.array([absent if value is None else value for value in values], kind)

    def _grow_rows(self, by: int) -> None:
        """Make room for new rows; buffers double, so that learning one by one stays cheap."""
        row_count = self._rows + by
        if row_count > len(self._seq):
            room = max(row_count, 2 * self._rows, 1_024)
            self._seq = pad_rows(self._seq, room)
            self._columns = {name: pad_rows(values, room) for name, values in self._columns.items()}
        for arm in self._arms:
            arm.grow(self._rows, row_count, len(self._seq))
        self._rows = row_count


def _is_equal(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
