"""What recall keeps of a scope in memory: columns, vectors and windows, in order of arrival.

A cache that can be thrown away: it follows the change sequence, patches the rows that changed, and is read anew
where too many did.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from remanence.model import COLUMN, Memory, Role, Status
from remanence.recall.corpus import Corpus
from remanence.recall.semantic import REACH, window_vectors
from remanence.snapshot import Snapshot, Wanted

if TYPE_CHECKING:
    from remanence.flows.core import Core

Ints = npt.NDArray[np.int64]
# What ranking and filters read of a memory.
COLUMNS = (
    "status", "role", "kind", "category", "state", "agent", "speaker", "thread", "session",
    "said_at", "learned_at", "words", "tokens", "value",
)  # fmt: skip
NAMES = frozenset(name for name in COLUMNS if COLUMN[name].kind == "name")
PAGE = 1_000
PATCH_SHARE = 0.2  # beyond this share of the rows a patch costs more than reading anew
PATCH_MIN = 2_000
RUNS_MAX = 4_000  # so many runs behind, the scope is read anew


class ScopeIndex:
    """The resident columns of one scope; `refresh` before use."""

    def __init__(self) -> None:
        self.position = -1
        self._rows = 0
        self._seq = np.zeros(0, np.int64)
        self._columns: dict[str, npt.NDArray[np.generic]] = {}
        self._codes: dict[str, dict[str, int]] = {}
        self._bare = np.zeros((0, 0), np.float16)
        self._windows = np.zeros((0, 0), np.float32)
        self._held = np.zeros(0, np.bool_)
        self._corpus: Corpus | None = None

    def __len__(self) -> int:
        return self._rows

    @property
    def seq(self) -> Ints:
        """Sequence numbers, ascending."""
        return self._seq[: self._rows]

    @property
    def bare(self) -> npt.NDArray[np.float16]:
        """The vectors as stored, one row per memory; zeros where there is none."""
        return self._bare[: self._rows]

    @property
    def windows(self) -> npt.NDArray[np.float32]:
        """The vectors with those of their neighbours in the session, normalised."""
        return self._windows[: self._rows]

    @property
    def stands(self) -> npt.NDArray[np.bool_]:
        """Which memories recall may return: inbox and active."""
        status = self.column("status")
        return (status == Status.INBOX) | (status == Status.ACTIVE)

    @property
    def corpus(self) -> Corpus:
        """The scope as the ranking sees it."""
        if self._corpus is None:
            self._corpus = Corpus(
                seq=self.seq,
                session=self.column("session").astype(np.int32),
                words=self.column("words").astype(np.int32),
                speaker=self.column("speaker").astype(np.int32),
                said_at=self.column("said_at").astype(np.int64),
                value=np.nan_to_num(self.column("value").astype(np.float32)),
                live=self.stands,
                assistant=self.column("role") == Role.ASSISTANT,
                lends=self.column("status") != Status.PRUNED,
            )
        return self._corpus

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return one column; names are codes, −1 where absent."""
        return self._columns[name][: self._rows]

    def names(self, column: str) -> Sequence[str]:
        """Return the names of a column by code."""
        return tuple(self._codes[column])

    def code(self, column: str, name: str) -> int:
        """Return the code of a name, or −2, which no row has."""
        return self._codes[column].get(name, -2)

    def rows_of(self, seqs: Iterable[int]) -> Ints:
        """Return the rows of sequence numbers that are all here."""
        return np.searchsorted(self.seq, np.fromiter(seqs, np.int64))

    def embedded(self, seq: int) -> bool:
        """Tell whether a memory has a vector."""
        return bool(self._held[int(self.rows_of([seq])[0])])

    async def refresh(self, core: "Core") -> None:
        """Catch up with the change sequence."""
        if self.position < 0:
            return await self._read(core)
        changed: set[int] = set()
        runs = 0
        while page := await core.store.history(core.scope, after=self.position, limit=PAGE):
            runs += len(page)
            for part in page:
                for change in part.changes:
                    if change.table == "memories":
                        if change.after is None:  # rows only ever leave by purge and undo
                            return await self._read(core)
                        changed.add(change.key)  # type: ignore[arg-type]
            self.position = page[-1].position
            if runs > RUNS_MAX or len(changed) > max(PATCH_MIN, PATCH_SHARE * self._rows):
                return await self._read(core)
        if changed:
            await self._patch(core, sorted(changed))
        return None

    async def _read(self, core: "Core") -> None:
        """Read the whole scope."""
        snapshot = await core.store.snapshot(core.scope, Wanted(frozenset(COLUMNS)), core.clock.now())
        seqs, vectors = await core.store.vectors(core.scope)
        self.position = snapshot.position
        self._rows = len(snapshot)
        self._seq = snapshot.seq.copy()
        self._columns = {name: snapshot.columns[name].copy() for name in COLUMNS}
        self._codes = _codes(snapshot)
        self._bare = np.zeros((self._rows, core.embedder.dimensions), np.float16)
        self._held = np.zeros(self._rows, np.bool_)
        self._place(seqs, vectors)
        self._corpus = None
        self._windows = window_vectors(self.corpus, self._bare)

    def _place(self, seqs: Ints, vectors: npt.NDArray[np.float16]) -> None:
        """Put vectors into their rows; rows that arrived since the columns were read are left for the next refresh."""
        if not len(seqs) or not self._rows:
            return
        at = np.searchsorted(self.seq, seqs)
        at[at == self._rows] = 0
        here = self.seq[at] == seqs
        self._bare[at[here]] = vectors[here]
        self._held[at[here]] = True

    async def _patch(self, core: "Core", seqs: Sequence[int]) -> None:
        """Read single memories again, or for the first time, and the windows that they reach."""
        memories: list[Memory] = []
        for start in range(0, len(seqs), PAGE):
            found = await core.store.get(core.scope, seqs[start : start + PAGE])
            memories += [memory for memory in found if memory is not None]
        latest = int(self.seq[-1]) if self._rows else 0
        fresh = [memory for memory in memories if memory.seq > latest]
        if any(memory.seq < latest and memory.seq not in self for memory in memories):
            return await self._read(core)  # a row came back in the middle
        self._grow(len(fresh))
        self._seq[self._rows - len(fresh) : self._rows] = [memory.seq for memory in fresh]
        rows = self.rows_of(memory.seq for memory in memories)
        for name in COLUMNS:
            self._columns[name][rows] = self._coded(name, [getattr(memory, name) for memory in memories])
        self._place(*await core.store.vectors(core.scope, only=[memory.seq for memory in memories]))
        self._corpus = None
        reached = self._reached(rows)
        self._windows[reached] = window_vectors(self.corpus, self.bare, rows=reached)
        return None

    def __contains__(self, seq: object) -> bool:
        at = int(np.searchsorted(self.seq, seq))  # type: ignore[call-overload]
        return at < self._rows and self.seq[at] == seq

    def _coded(self, name: str, values: list[Any]) -> npt.NDArray[np.generic]:
        """Turn values into what a snapshot's column holds."""
        if name in NAMES:
            codes = self._codes[name]
            values = [-1 if value is None else codes.setdefault(value, len(codes)) for value in values]
        kind = self._columns[name].dtype
        absent = np.nan if kind.kind == "f" else -1
        return np.array([absent if value is None else value for value in values], kind)

    def _grow(self, by: int) -> None:
        """Make room for new rows; buffers double, so that learning one by one stays cheap."""
        needed = self._rows + by
        if needed > len(self._seq):
            room = max(needed, 2 * self._rows, 1_024)
            self._seq = _widened(self._seq, room)
            self._columns = {name: _widened(values, room) for name, values in self._columns.items()}
            self._bare, self._windows = _widened(self._bare, room), _widened(self._windows, room)
            self._held = _widened(self._held, room)
        self._held[self._rows : needed] = False
        self._bare[self._rows : needed] = 0
        self._rows = needed

    def _reached(self, rows: Ints) -> Ints:
        """Return the rows whose window these rows are in: those near them in the same session."""
        session = self.column("session")
        reached = set(rows.tolist())
        for code in np.unique(session[rows]):
            if code < 0:
                continue
            members = np.flatnonzero(session == code)
            at = np.searchsorted(members, rows[session[rows] == code])
            for step in range(-REACH, REACH + 1):
                near = at + step
                reached.update(members[near[(near >= 0) & (near < len(members))]].tolist())
        return np.array(sorted(reached), np.int64)


def _codes(snapshot: Snapshot) -> dict[str, dict[str, int]]:
    names: Mapping[str, Sequence[str]] = snapshot.names
    return {column: {name: code for code, name in enumerate(names.get(column, ()))} for column in NAMES}


def _widened(values: npt.NDArray[Any], room: int) -> npt.NDArray[Any]:
    wide = np.zeros((room, *values.shape[1:]), values.dtype)
    wide[: len(values)] = values
    return wide
