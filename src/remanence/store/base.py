"""The narrow protocol between the engine and what keeps memories: its core. Knows nothing of rules, ranks or faces.

Every method works in exactly one scope, and a scope is the unit of order: sequence numbers and positions are positive,
ascend within their scope in order of arrival for ever, are given once there, and say nothing about another scope, where
the same ones may stand for something else. Whoever sees a number has seen, or can see by now, all below it: commits of
one scope become visible in their order. What one method answers is of one moment. A store is async at the method, not
at the statement: one hop per gather or commit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from remanence.core.arrival import KnownMemory as KnownMemory
from remanence.core.arrival import Segment
from remanence.core.arrival import WriteContext as WriteContext
from remanence.core.change import AuditPart, Cause, CommitResult, Entry, Fence
from remanence.core.errors import ErasedSince
from remanence.core.local_time import SaidSpan
from remanence.core.model import Link, Memory, Relation, Status
from remanence.core.results import Result, visible
from remanence.core.signatures import checked_class
from remanence.core.snapshot import Snapshot, SnapshotRequest

Ints = npt.NDArray[np.int64]
SETTING_PREFIX = "setting/"  # what the bookkeeping's names of settings begin with


@dataclass(frozen=True, slots=True)
class Arriving:
    """What a write or a question needs to know before it decides, asked for a whole batch at once.

    `get` and `counters` are as those of `Bookkeeping`: a question needs a few settings, and asks once for all.
    """

    fingerprints: Sequence[bytes] = ()
    keys: Sequence[str] = ()
    segments: Sequence[Segment] = ()
    terms: Sequence[int] = ()  # hashes of stems
    get: Sequence[str] = ()
    counters: Sequence[str] = ()


@checked_class
@dataclass(frozen=True, slots=True)
class Find:
    """Which memories to list, newest first unless `oldest_first`; None means any.

    With `among` only the last so many arrivals of the scope are looked at, with `only` these sequence numbers;
    `beginning` and `ending` are what an id begins with and ends in.
    """

    statuses: tuple[Status, ...] | None = None
    tags: tuple[str, ...] = ()
    equal: Mapping[str, Any] = field(default_factory=dict)  # column → value, or a tuple of which any will do
    after: int = 0  # sequence numbers above this one only
    before: int | None = None  # below this one only
    limit: int = 1_000
    oldest_first: bool = False
    among: int | None = None
    beginning: str = ""
    ending: str = ""
    said: SaidSpan | None = None
    only: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Postings:
    """Rows that hold each stem, and what the ranking needs to know of the scope.

    `rows` maps a stem to ascending sequence numbers. Rows of every status are in it.
    """

    rows: Mapping[str, Ints]
    position: int


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """What an answer is made of: the memories `seqs`, and links of some relations, or of any, of these and of `rest`.

    Where one of these links is of `joining`, the memories of `rest` are asked for, too, and the sources of all links of
    `joining` that lead to any of them: with facts and their turns others move up, and facts tell what of a turn holds.
    """

    seqs: Sequence[int]
    rest: Sequence[int] = ()
    relations: Sequence[Relation] = ()
    joining: Relation | None = None

    def list_memories(self, links: Iterable[Link]) -> list[int]:
        """Return which memories are asked for, as the links are."""
        joined = [link for link in links if link.relation is self.joining]
        if not joined:
            return [*self.seqs]
        among = {*self.seqs, *self.rest}
        sources = {link.source for link in joined if link.target in among}
        return [*self.seqs, *self.rest, *sorted(sources - among)]


class AnswerRows(NamedTuple):
    """What an answer is made of: memories by number, and links in order of their keys."""

    memories: Mapping[int, Memory]
    links: list[Link]


EMBEDDED_MAX = 10_000


class EmbeddingRow(NamedTuple):
    """A vector, as bytes of float16, of a memory whose text has this fingerprint."""

    seq: int
    fingerprint: bytes
    vector: bytes


LEASES_MOST = 10


@dataclass(frozen=True, slots=True)
class Bookkeeping:
    """What is not memory and is neither audited nor undone: values by name, and leases.

    `count` adds to counters by name, and what comes to 0 is gone; `counters` answers all whose names begin so.
    `put` sets JSON values (None deletes), `swap` maps a name to what must be there and what then is (None for
    nothing) and leaves anything else alone; `get` and, for every name that begins so, `under` answer what then is.
    `cover` = (began, ended) adds an interval to what sessions have covered; overlaps count once, in whatever order
    they come, and an empty interval covers nothing. `clocks` are read as a snapshot reads them, without its
    memories. `lease` = (name, holder, until): taken if free, expired at `now`, held by the same holder, or for more
    than LEASES_MOST times as long as it is asked for, which only a clock that was set back makes of one; the
    answer's `fence` is a number that rises with every new holder, None where it is refused, and nothing is written
    then. `release` = (name, holder) gives a lease back. `now` and `until` are of the caller's clock: a store on a
    server goes by its own and adds to it what lies between the two. No clock is relied on: what is written under a
    lease names its `fence` = (name, number), as `Cause.fence` does, and raises LeaseLost, with nothing written, where
    the lease was given to another
    holder since.
    """

    now: int
    get: Sequence[str] = ()
    under: Sequence[str] = ()
    put: Mapping[str, Any] = field(default_factory=dict)
    swap: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    cover: tuple[int, int] | None = None
    clocks: frozenset[str] = frozenset()
    lease: tuple[str, str, int] | None = None
    release: tuple[str, str] | None = None
    fence: Fence | None = None
    count: Mapping[str, int] = field(default_factory=dict)
    counters: Sequence[str] = ()


def writes(asked: Bookkeeping) -> bool:
    """Tell whether anything is to be written, or a lease looked at where it is."""
    parts = asked.put, asked.count, asked.swap, asked.cover, asked.lease, asked.release, asked.fence
    return any(map(bool, parts))


@dataclass(frozen=True, slots=True)
class BookkeepResult:
    """The answer to `Bookkeeping`: values and counters (absent names are left out), the lease's fence, and clocks.

    `position` is how far the scope has come, by the same look.
    """

    values: Mapping[str, Any]
    fence: int | None = None
    spans: Ints | None = None
    heard: Ints | None = None
    counters: Mapping[str, int] = field(default_factory=dict)
    position: int = 0


_SAVE = (
    "for each scope `remanence export FILE`, then `remanence --db NEW.db import FILE --trust user` takes it into a new"
    " file"
)
GO_BACK = f"keep this file aside and go back to the latest backup; without one save what can be read: {_SAVE}"
MAKE_ANEW = f"what memories say is not touched by it, yet some may not be found; to make it anew: {_SAVE}"
DOUBT_UNDO = (
    "memories are as the other checks say; undo nothing old, and go back to the latest backup, or begin a new audit:"
    f" {_SAVE}"
)


@dataclass(frozen=True, slots=True, repr=False)
class Check(Result):
    """Result of one check: its subject, whether that is sound, and what the check saw.

    A sound subject that needs attention has `advice`: what to do about it. Damage always has advice: where nothing
    better is known, how to go back to a backup, or to save what can be read.
    """

    name: str
    ok: bool
    detail: str
    advice: str = ""

    def __post_init__(self) -> None:
        if not self.ok and not self.advice:
            object.__setattr__(self, "advice", GO_BACK)

    def __str__(self) -> str:
        sound = ("warning" if self.advice else "sound") if self.ok else "DAMAGED"
        return visible(f"{sound} {self.name}: {self.detail}{f'; {self.advice}' if self.advice else ''}")


@dataclass(frozen=True, slots=True)
class ScopeSurvey:
    """How far a scope has come: the position of its last commit, 0 where there is none, and values that are kept."""

    position: int
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ScopeSize:
    """How many memories of any status a scope has, and the bytes of their texts, in UTF-8, and of their vectors."""

    memories: int
    bytes: int


@dataclass(frozen=True, slots=True)
class CleanResult:
    """What came of rewriting a file without what was erased.

    `is_pending` where another process still reads the old state. `looked_for` is how many pieces of what was erased
    were looked for, `shared` how many were not, since what stays says them too, `found` in which files of the store
    some are left, `copies` which files beside it hold some. `why` it is pending where that is something else: the
    disk is full, or the ledger could not be written. `original` is the file of which this one is a copy: that one and
    its other copies were not looked through. `beyond` says what lies beyond the reach of the store and may keep some
    of it.
    """

    is_done: bool = False
    is_pending: bool = False
    why: str = ""
    looked_for: int = 0
    shared: int = 0
    found: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    original: str = ""
    beyond: str = ""


@dataclass(frozen=True, slots=True)
class LedgerFindings:
    """What the ledgers of erasures that a store hears name and it holds all the same, by scope.

    `erased` were erased, `redacted` lost a person's names, since the store was copied. `ledgers` are those that say so,
    `damaged` those of which not all can be read, each with what is wrong. `is_due` where the store has yet to learn
    what a ledger knows, or its own ledger what the store knows.
    """

    is_due: bool = False
    erased: Mapping[str, Sequence[int]] = field(default_factory=dict)
    redacted: Mapping[str, Sequence[int]] = field(default_factory=dict)
    ledgers: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()

    ways_out: ClassVar[str] = (
        "see it and erase it: remanence erase --since; or keep it: remanence erase settle --keep WHY"
    )

    @property
    def is_settled(self) -> bool:
        """True if the store holds nothing that was erased, as far as its ledgers tell, and they tell all."""
        return not (self.erased or self.redacted or self.damaged)

    @property
    def count(self) -> int:
        """How many memories they name that the store holds."""
        return sum(map(len, (*self.erased.values(), *self.redacted.values())))

    def refusal(self) -> ErasedSince:
        """Say that the file is not opened, and the ways out."""
        return ErasedSince(
            f"this file is not opened: {self}",
            recovery=f"{self.ways_out}; in Python open(…, erased_since='look'), then memory.erase.apply() or"
            " settle(keep=…)",
            count=self.count,
            ledgers=self.ledgers,
        )

    def __str__(self) -> str:
        erased_count, redacted_count = (sum(map(len, some.values())) for some in (self.erased, self.redacted))
        sentences = [
            *([f"{erased_count:,} of its memories were erased since it was copied"] if erased_count else []),
            *(
                [f"{redacted_count:,} of its memories lost a person's names since it was copied"]
                if redacted_count
                else []
            ),
            *(f"the ledger of erasures {one}" for one in self.damaged),
        ]
        return "; ".join(sentences)


@dataclass(frozen=True, slots=True)
class EndImagesResult:
    """What came of ending images: of how many parts, how many changes, and up to which position they have ended.

    `kept` is how many parts still hold images of what keeps them, `left` whether more are due. `position` is that of
    the part that says all this, 0 where nothing was due and none was written.
    """

    position: int
    through: int
    parts: int = 0
    changes: int = 0
    kept: int = 0
    left: bool = False


@dataclass(frozen=True, slots=True)
class PurgedMemory:
    """A memory whose row has gone, by which run and when; `ended_at` is when its image ended, None where it has not."""

    seq: int
    id: str
    key: str | None
    run: str
    at: int
    ended_at: int | None = None


class Store(Protocol):
    """Operations of every store; its optional operations are capabilities, listed in `capabilities`.

    `sqlite.SqliteStore` has every capability. The distribution remanence-store-kit has the tests of this interface, and
    a reference store in memory.
    """

    async def open(self, *, read_only: bool = False) -> None:
        """Make the store ready; raise StoreIncompatible or StoreUnavailable where it cannot be.

        With `read_only` nothing that lies anywhere is changed, and every write is refused.
        """
        ...

    async def close(self) -> None:
        """Let everything go; closing twice is allowed."""
        ...

    async def get(self, scope: str, names: Sequence[int | str]) -> list[Memory | None]:
        """Return whole memories by sequence number, id or key, in the order asked; None where there is none."""
        ...

    async def find(self, scope: str, find: Find) -> list[Memory]:
        """List memories by status, tags and columns."""
        ...

    async def arriving(self, scope: str, asked: Arriving) -> WriteContext:
        """Tell a write what it must know: twins, keys, the tails of segments and term statistics."""
        ...

    async def search(self, scope: str, stems: Sequence[str]) -> Postings:
        """Return the postings of stems; unknown stems have empty ones."""
        ...

    async def neighbours(self, scope: str, seqs: Sequence[int] | None, *relations: Relation) -> list[Link]:
        """Return every link, or those of some relations, that have one of these memories at an end; None for any."""
        ...

    async def snapshot(self, scope: str, wanted: SnapshotRequest, now: int) -> Snapshot:
        """Freeze the scope as columns."""
        ...

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Write all changes with their audit in one transaction, or raise Conflict and write nothing.

        A block is the same as the changes of its rows, one by one; a Conflict names all rows that are otherwise.
        Updates raise `revision` by one. Counters raise `touched` of their memory; unless `cause.planned`, link writes
        do so of both ends and state changes of all linked memories. A new memory whose fingerprint an inbox or active
        memory of the scope already has, unless an undo, a restoration or the copy of a scope brings it or it has a key
        and comes by a verb of `KEYING`, or whose key is taken, is a Conflict; so is a text that its memory did not
        have before and that is forbidden in the scope under one of its keys (`folding.fold_keys`), unless it comes back
        so. A positive increment of `uses` also sets `used_at` to
        `cause.at` and counts in the seven day buckets; commits of the verb "use" are logged by the memories alone that
        were used, since uses are never undone, and count for `cause.actor` among the accessors; so are those of the
        verb "embed", which replaces vectors only and raises no revision. `cause.turns` is added to the minute of
        `cause.at`, `cause.counts` to counters, and `cause.values` are put as `bookkeep` does; they are not in the log,
        and no undo takes them back. Without changes nothing is logged, but for the last part of several: it says that
        the run came to its end.

        A store that can erase takes by a commit of the verb "erase" memories away with all that hangs on them, and
        their images out of every part before it; it logs their numbers alone. What is known by `erasure` of them and
        of their texts is refused from then on, an undo and a restoration too.

        What is logged is written once by (run, part): repeated, after an outcome that its caller never learned, it
        writes nothing and answers what was done; with other changes it is InvalidInput. Under `cause.fence` it is
        LeaseLost where the lease was given to another holder since.
        """
        ...

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
        """Return logged parts, oldest first: of one run, of one memory (its changes only), or above a position.

        With `rows=False` the parts come without their changes, whose number `AuditPart.count` still tells. A part whose
        images have ended has those alone that are kept, and says when the others ended.
        """
        ...

    async def bookkeep(self, scope: str, asked: Bookkeeping) -> BookkeepResult:
        """Read and write what is not memory: schedule, settings, leases, what sessions covered.

        Under `asked.fence` it is LeaseLost where the lease was given to another holder since.
        """
        ...

    async def survey(self, names: Sequence[str]) -> Mapping[str, ScopeSurvey]:
        """Return of every scope that was written to how far it has come, and the values kept by these names."""
        ...


def setting_row(name: str) -> str:
    """Return the name under which a setting is kept."""
    return f"{SETTING_PREFIX}{name}"
