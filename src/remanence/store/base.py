"""The narrow protocol between the engine and what keeps memories. Knows nothing of rules, ranks or faces.

Every method works in exactly one scope, and a scope is the unit of order: sequence numbers and positions are positive,
ascend within their scope in order of arrival for ever, are given once there, and say nothing about another scope, where
the same ones may stand for something else. Whoever sees a number has seen, or can see by now, all below it: commits of
one scope become visible in their order. What one method answers is of one moment. A store is async at the method, not
at the statement: one hop per gather or commit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from remanence.core.box import BoxRow, FindBoxes, FindTraces, TraceRow
from remanence.core.change import AuditPart, Cause, CommitResult, Entry, Fence
from remanence.core.claim import Claim, Forbidden
from remanence.core.errors import ErasedSince
from remanence.core.model import KnownMemory as KnownMemory
from remanence.core.model import Link, Memory, Relation, Segment, Status
from remanence.core.model import WriteContext as WriteContext
from remanence.core.results import Result, visible
from remanence.core.signatures import checked_class
from remanence.core.snapshot import Snapshot, SnapshotRequest
from remanence.text.word_hashes import WordHashPart

Ints = npt.NDArray[np.int64]
SETTING_PREFIX = "setting/"  # what the bookkeeping's names of settings begin with


@dataclass(frozen=True, slots=True)
class Arriving:
    """What a write needs to know before it decides, asked for a whole batch at once."""

    fingerprints: Sequence[bytes] = ()
    keys: Sequence[str] = ()
    segments: Sequence[Segment] = ()
    terms: Sequence[int] = ()  # hashes of stems


@checked_class
@dataclass(frozen=True, slots=True)
class Find:
    """Which memories to list, newest first unless `oldest_first`; None means any.

    With `among` only the last so many arrivals of the scope are looked at, with `only` these sequence numbers; `ending`
    is what an id ends in.
    """

    statuses: tuple[Status, ...] | None = None
    tags: tuple[str, ...] = ()
    equal: Mapping[str, Any] = field(default_factory=dict)  # column → value, or a tuple of which any will do
    after: int = 0  # sequence numbers above this one only
    limit: int = 1_000
    oldest_first: bool = False
    among: int | None = None
    ending: str = ""
    only: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class Postings:
    """Rows that hold each stem, and what the ranking needs to know of the scope.

    `rows` maps a stem to ascending sequence numbers. Rows of every status are in it.
    """

    rows: Mapping[str, Ints]
    position: int


@dataclass(frozen=True, slots=True)
class ArchiveWords:
    """What stands for archived memories, as `word_hashes` has it: parts by number, the names behind its numbers.

    `held` is of how many memories the words are indexed, `waiting` of how many they are not yet as the archive has them
    now; parts hold these, too. `position` is where the scope stood, `changed` where it stood when any of this was last
    written: it is the same at every position from there on.
    """

    position: int
    changed: int
    held: int
    waiting: int = 0
    parts: Mapping[int, WordHashPart] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)


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


@dataclass(frozen=True, slots=True, repr=False)
class Check(Result):
    """One thing that `check` looked at: what, whether it is sound, and what it saw.

    What is sound and yet wants attention has `advice`: what to do about it.
    """

    name: str
    ok: bool
    detail: str
    advice: str = ""

    def __str__(self) -> str:
        sound = ("warning" if self.advice else "sound") if self.ok else "DAMAGED"
        return visible(f"{sound} {self.name}: {self.detail}{f'; {self.advice}' * bool(self.advice)}")


@dataclass(frozen=True, slots=True)
class ScopeSurvey:
    """How far a scope has come: the position of its last commit, 0 where there is none, and values that are kept."""

    position: int
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CleanResult:
    """What came of rewriting a file without what was erased.

    `is_pending` where another process still reads the old state. `looked_for` is how many pieces of what was erased
    were looked for, `found` in which files of the store some are left, `copies` which files beside it hold some. `why`
    it is pending where that is something else: the disk is full, or the ledger could not be written. `original` is the
    file of which this one is a copy: that one and its other copies were not looked through.
    """

    is_done: bool = False
    is_pending: bool = False
    why: str = ""
    looked_for: int = 0
    found: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    original: str = ""


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
        "see it and erase it: remanence erase finish; or keep it: remanence erase keep --because WHY"
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
            recovery=f"{self.ways_out}; in Python open(…, erased_since='look'), then memory.erase.finish() or keep()",
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


Capability = Literal["durable", "backup"]


class Store(Protocol):
    """What keeps memories; `memory.MemoryStore` is the reference, `sql.SqlStore` the one on SQLite."""

    capabilities: frozenset[Capability]

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

    async def archive_words(self, scope: str, after: int | None) -> ArchiveWords:
        """Return the word hashes of archived memories that changed above a position; None for no more than how many.

        They follow from the memories as they are now: no audit holds them. Texts whose words are not indexed are read.
        """
        ...

    async def index_archive(self, scope: str) -> int:
        """Index the words of some archived memories of which a commit noted that they wait; return how many still do.

        At most a part of them is read and written at once, and no answer of `archive_words` changes by it. What a
        commit changes meanwhile waits on.
        """
        ...

    async def vectors(
        self, scope: str, after: int = 0, only: Sequence[int] | None = None, model: str | None = None
    ) -> tuple[Ints, npt.NDArray[np.float16]]:
        """Return (seq, vectors as float16 rows) of memories above `after`, or of `only` those, in order of arrival.

        Asked again above the last it got, a caller misses none. With `model` they are those that `embed` keeps of it.
        """
        ...

    async def embed(
        self,
        scope: str,
        model: str,
        rows: Sequence[EmbeddingRow] | None,
        *,
        fence: Fence | None = None,
        count: Mapping[str, int] | None = None,
    ) -> int:
        """Keep vectors of a model beside the memories' own, and return how many; None takes those of the model away.

        They follow from texts: no audit holds them, and those of a memory go when its text changes or its row goes. A
        vector that was made for another text, or for a memory that has gone, is not kept. At most EMBEDDED_MAX are
        taken away at once: whoever wants all gone asks until it is 0. `count` is added to counters in the same
        transaction, as `bookkeep` adds it. Under `fence` it is LeaseLost where the lease was
        given to another holder since.
        """
        ...

    async def neighbours(self, scope: str, seqs: Sequence[int] | None, *relations: Relation) -> list[Link]:
        """Return every link, or those of some relations, that have one of these memories at an end; None for any."""
        ...

    async def claims(self, scope: str, seqs: Sequence[int]) -> list[Claim]:
        """Return the claims of memories, in order of their keys."""
        ...

    async def find_latest_claims(
        self, scope: str, about: Sequence[tuple[str, str]], most: int
    ) -> list[Claim]:
        """Return the latest claims of each of these pairs of subject and attribute, in order of their keys."""
        ...

    async def forbidden(self, scope: str, folds: Sequence[str] | None = None) -> list[Forbidden]:
        """Return which of these folds are forbidden or of what was erased, or all that are forbidden, in order."""
        ...

    async def find_erased_names(self, scope: str, names: Sequence[str]) -> Mapping[str, int]:
        """Return which of these names were erased and when; `erasure` says what memories and texts are asked for by."""
        ...

    async def clean(self) -> CleanResult:
        """Rewrite what is stored without what was erased, and look through it; nothing where nothing is due."""
        ...

    async def erased_ids(self, scope: str) -> list[str]:
        """Return the ids of the memories of a scope that were erased, the earliest first."""
        ...

    async def compare_ledgers(self) -> LedgerFindings:
        """Return what the ledgers that a store hears name and it holds, also of one that is not open yet.

        Nothing is written; nothing is found where no ledger is kept.
        """
        ...

    async def take_ledgers(self, *, accept_damage: bool = False) -> bool:
        """Learn what the ledgers know, and write its own; False, with nothing learned, where it holds any of it.

        So it is where a ledger is damaged, unless `accept_damage` says that somebody has seen it.
        """
        ...

    async def keep_standing(self, scope: str, cause: Cause) -> int:
        """Keep the memories of a scope that ledgers name, log why, and return how many that are."""
        ...

    async def end_images(self, scope: str, before: int, cause: Cause) -> EndImagesResult:
        """Take away the images of the oldest parts, as long as each is of before a time, and log that as a part.

        The causes of these parts stay, with the digests that chain them. Images of memories that keep them stay:
        of those that are held at `cause.at`, those that are pruned, and those that were purged at `before` or later.
        Those that were kept before and are so no more go, too. It is at most `ending.PARTS_MAX` parts at once, and
        no further part once `ending.CHANGES_MAX` changes went: whoever wants more asks again while more are `left`.
        Nothing is logged where nothing is due. By (run, part) and under a fence it is as a commit.
        """
        ...

    async def find_purged_memories(self, scope: str, names: Sequence[int | str]) -> list[PurgedMemory]:
        """Return the purged memories that have one of these numbers, ids or keys, or an id that ends so, in order."""
        ...

    async def boxes(self, scope: str, find: FindBoxes) -> list[BoxRow]:
        """List boxes, those of the latest turns first."""
        ...

    async def traces(self, scope: str, find: FindTraces) -> list[TraceRow]:
        """List traces, those of the latest turns first."""
        ...

    async def snapshot(self, scope: str, wanted: SnapshotRequest, now: int) -> Snapshot:
        """Freeze the scope as columns."""
        ...

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Write all changes with their audit in one transaction, or raise Conflict and write nothing.

        A block is the same as the changes of its rows, one by one; a Conflict names all rows that are otherwise.
        Updates raise `revision` by one. Counters raise `touched` of their memory; unless `cause.planned`, link writes
        do so of both ends and state changes of all linked memories. A new memory whose fingerprint an inbox or active
        memory of the scope already has, unless an undo or a restoration brings it back or it has a key and comes by a
        verb of `KEYING`, or whose key is taken, is a Conflict; so is a text that its memory did not
        have before and that is forbidden in the scope under one of its keys (`folding.fold_keys`), unless it comes back
        so. A positive increment of `uses` also sets `used_at` to
        `cause.at` and counts in the seven day buckets; commits of the verb "use" are logged by the memories alone that
        were used, since uses are never undone, and count for `cause.actor` among the accessors; so are those of the
        verb "embed", which replaces vectors only and raises no revision. `cause.turns` is added to the minute of
        `cause.at`, `cause.counts` to counters, and `cause.values` are put as `bookkeep` does; they are not in the log,
        and no undo takes them back. Without changes nothing is logged, but for the last part of several: it says that
        the run came to its end.

        A commit of the verb "erase" takes memories away with all that hangs on them, and their images out of every
        part before it; it logs their numbers alone. What is known by `erasure` of them and of their texts is refused
        from then on, an undo and a restoration too.

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

    async def scopes(self) -> list[str]:
        """List the scopes that hold anything."""
        ...

    async def survey(self, names: Sequence[str]) -> Mapping[str, ScopeSurvey]:
        """Return of every scope that was written to how far it has come, and the values kept by these names."""
        ...

    async def check(self) -> list[Check]:
        """Look whether what is stored is sound: structure, references, row hashes, audit chain, full text.

        A superseded memory whose successors, and theirs, are all pruned or gone is sound; there is advice about it.
        """
        ...

    async def backup(self, path: str) -> int:
        """Write a verified copy to `path` and return how many memories are in it; refuses to overwrite."""
        ...


def setting_row(name: str) -> str:
    """Return the name under which a setting is kept."""
    return f"{SETTING_PREFIX}{name}"
