"""What a store may do beside its core: one protocol for each capability, and what goes on without it.

The one place where the engine asks what a store can do. `complete` is called once, as a memory is opened: what a store
lacks is then answered as by one that holds none of it, which is the truth, because what would write it is refused.
A verb that is about a capability calls `require` before it does anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from remanence.core.box import BoxRow, FindBoxes, FindTraces, TraceRow
from remanence.core.change import Cause, CommitResult, Entry, Fence, number_entries
from remanence.core.errors import CapabilityMissing, InvalidInput
from remanence.core.forbidden import Forbidden
from remanence.store.base import (
    AnswerRequest,
    AnswerRows,
    Check,
    CleanResult,
    EmbeddingRow,
    EndImagesResult,
    Ints,
    LedgerFindings,
    PurgedMemory,
    ScopeSize,
    Store,
)
from remanence.store.erasure import ERASE
from remanence.store.scope_transfer import RowPipe, ScopeContent


class VectorStore(Store, Protocol):
    """A store that keeps vectors: the memories' own, in their column `vector`, and those of models beside them."""

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


class VocabularyStore(Store, Protocol):
    """A store that tells which words its texts hold, so that a question finds them in other forms."""

    async def vocabulary(self, scope: str, beginnings: Sequence[str]) -> list[str]:
        """Return the stems that any text of a scope holds and that begin with one of these, in order, each once."""
        ...


class AnswerStore(Store, Protocol):
    """A store that reads all that an answer is made of at once."""

    async def read_answer(self, scope: str, asked: AnswerRequest) -> AnswerRows:
        """Return memories and links as `get` and `neighbours` do, all of one moment.

        A memory that is not there is left out.
        """
        ...


class BoxStore(Store, Protocol):
    """A store that keeps boxes and traces, in the tables of these names."""

    async def boxes(self, scope: str, find: FindBoxes) -> list[BoxRow]:
        """List boxes, those of the latest turns first."""
        ...

    async def traces(self, scope: str, find: FindTraces) -> list[TraceRow]:
        """List traces, those of the latest turns first."""
        ...


class ErasableStore(Store, Protocol):
    """A store that erases for good, and refuses what was erased or forbidden from then on.

    Forbidden texts are in the table `forbidden`; an erasure is a commit of the verb "erase".
    """

    async def forbidden(self, scope: str, folds: Sequence[str] | None = None) -> list[Forbidden]:
        """Return which of these folds are forbidden or of what was erased, or all that are forbidden, in order."""
        ...

    async def find_erased_names(self, scope: str, names: Sequence[str]) -> Mapping[str, int]:
        """Return which of these names were erased and when; `erasure` says what memories and texts are asked for by."""
        ...

    async def erased_ids(self, scope: str) -> list[str]:
        """Return the ids of the memories of a scope that were erased, the earliest first."""
        ...

    async def clean(self, scope: str) -> CleanResult:
        """Rewrite what is stored without what was erased, and look through it; nothing where nothing is due.

        It may be of the scope alone, where a store keeps each by itself.
        """
        ...


class ImageExpiryStore(Store, Protocol):
    """A store that ends old images of its audit, and finds what was purged by name."""

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


class CheckedStore(Store, Protocol):
    """A store that looks through what it holds."""

    async def check(self) -> list[Check]:
        """Look whether what is stored is sound: structure, references, row hashes, audit chain, full text.

        A superseded memory whose successors, and theirs, are all pruned or gone is sound; there is advice about it.
        """
        ...


class MeasuredStore(Store, Protocol):
    """A store that knows how much it holds."""

    async def measure_scopes(self, scopes: Sequence[str]) -> Mapping[str, ScopeSize]:
        """Return how much each of these scopes holds; its audit is not counted."""
        ...


class TransferStore(Store, Protocol):
    """A store whose scopes can be copied to another one as they are, and be taken away once they are there."""

    async def send_scope(self, scope: str, pipe: RowPipe) -> ScopeContent:
        """Send all rows of a scope, as they are at one moment, and return what they are."""
        ...

    async def receive_scope(self, scope: str, pipe: RowPipe, *, moves: bool) -> ScopeContent:
        """Write the rows that come, all or none, and return what they are.

        Raises Conflict where the scope holds anything else; one that holds the same already is left as it is. One that
        `moves` is read alone until it is settled, and written over where it is sent again.
        """
        ...

    async def settle_scope(self, scope: str) -> None:
        """Let a scope that was moved here be written to; another is left as it is."""
        ...

    async def read_content(self, scope: str) -> ScopeContent:
        """Return what a scope holds, read anew."""
        ...

    async def remove_scope(self, scope: str, was: ScopeContent, moved_to: str) -> None:
        """Take all rows of a scope away; from then on it is refused with the place that it moved to.

        Raises Conflict, with nothing done, where the scope does not hold what it `was`.
        """
        ...


class FileStore(Store, Protocol):
    """A store of which a copy can be made and put back: it keeps ledgers of what was erased since."""

    async def backup(self, path: str) -> int:
        """Write a verified copy to `path` and return how many memories are in it; refuses to overwrite."""
        ...

    async def compare_ledgers(self) -> LedgerFindings:
        """Return what the ledgers that a store hears name and it holds, also of one that is not open yet.

        Nothing is written; nothing is found where no ledger is kept.
        """
        ...

    async def take_ledgers(self, scope: str, *, accept_damage: bool = False) -> bool:
        """Learn what the ledgers know, and write its own; False, with nothing learned, where it holds any of it.

        So it is where a ledger is damaged, unless `accept_damage` says that somebody has seen it. It may be of the
        scope alone, as with `clean`.
        """
        ...

    async def keep_standing(self, scope: str, cause: Cause) -> int:
        """Keep the memories of a scope that ledgers name, log why, and return how many that are."""
        ...


@runtime_checkable
class IndexFiles(Protocol):
    """A store beside which an index of a scope may lie as a file; no capability, since without it all is only slower.

    What lies there is taken away with whatever is erased, and when the file is encrypted or the scope leaves it.
    """

    async def find_index_file(self, scope: str, *, writes: bool = False) -> Path | None:
        """Return where the file of a scope lies, or would; None where none is kept, or `writes` and none may be."""
        ...

    async def put_index_file(self, scope: str, file: Path, position: int) -> bool:
        """Put a file in its place if the scope still stands at a position; tell whether it was put there."""
        ...


def find_index_files(store: Store) -> IndexFiles | None:
    """Return a store as one that has files of indexes, None where it has none."""
    whole = store.whole if isinstance(store, PartialStore) else store
    return whole if isinstance(whole, IndexFiles) else None


class FullStore(
    VectorStore,
    VocabularyStore,
    AnswerStore,
    BoxStore,
    ErasableStore,
    ImageExpiryStore,
    CheckedStore,
    MeasuredStore,
    FileStore,
    Protocol,
):
    """A store as the engine uses it: every capability is there, or answered by `PartialStore`."""


@dataclass(frozen=True, slots=True)
class Capability:
    """What a store may be able to do: it is, where it has all of these verbs.

    `tables` are those whose rows it is given then alone. `without` says what a memory on a store that lacks it does
    otherwise, as `doctor` shows it.
    """

    name: str
    verbs: tuple[str, ...]
    without: str
    tables: tuple[str, ...] = ()


VECTORS: Final = Capability(
    "vectors", ("vectors", "embed"), "recall goes by words alone, and no near duplicates are found"
)
VOCABULARY: Final = Capability(
    "vocabulary", ("vocabulary",), "a question finds no other forms of its words, but English ones"
)
ANSWERS: Final = Capability(
    "answers", ("read_answer",), "a recall asks three times for what it returns, where once would do"
)
BOXES: Final = Capability(
    "boxes", ("boxes", "traces"), "turns are not grouped into boxes and traces", ("boxes", "traces")
)
ERASABLE: Final = Capability(
    "erasing",
    ("forbidden", "find_erased_names", "erased_ids", "clean"),
    "nothing can be erased for good, and no text be forbidden",
    ("forbidden",),
)
IMAGE_EXPIRY: Final = Capability(
    "image expiry",
    ("end_images", "find_purged_memories"),
    "the audit keeps every image for ever, and what was purged comes back by undo alone",
)
CHECKED: Final = Capability("checks", ("check",), "what is stored is not looked through")
SIZES: Final = Capability("sizes", ("measure_scopes",), "how many bytes a scope holds is not known")
TRANSFER: Final = Capability(
    "transfer",
    ("send_scope", "receive_scope", "settle_scope", "read_content", "remove_scope"),
    "a scope is not copied or moved to another store with its history, only exported",
)
FILE: Final = Capability(
    "file",
    ("backup", "compare_ledgers", "take_ledgers", "keep_standing"),
    "no backup can be made, and an older copy that is put back is not noticed",
)
CAPABILITIES: Final = (
    VECTORS,
    VOCABULARY,
    ANSWERS,
    BOXES,
    ERASABLE,
    IMAGE_EXPIRY,
    CHECKED,
    SIZES,
    TRANSFER,
    FILE,
)
CORE: Final = (
    *("open", "close", "get", "find", "arriving", "search", "neighbours"),
    *("snapshot", "commit", "history", "bookkeep", "survey"),
)


def find_missing_verbs(store: Store, capability: Capability) -> list[str]:
    """Return the verbs of a capability that a store does not have."""
    return [verb for verb in capability.verbs if not callable(getattr(store, verb, None))]


def find_lacks(store: Store) -> tuple[Capability, ...]:
    """Return the capabilities that a store lacks; one of which it has some verbs only is lacking."""
    if isinstance(store, PartialStore):
        return store.lacks
    return tuple(one for one in CAPABILITIES if find_missing_verbs(store, one))


def complete(store: Store) -> FullStore:
    """Return a store as the engine uses it: itself where it lacks nothing; InvalidInput where it lacks of the core."""
    if missing := [verb for verb in CORE if not callable(getattr(store, verb, None))]:
        raise InvalidInput(
            f"this is no store: it has no {', '.join(missing)}",
            recovery="pass a store that has every verb of remanence.store.base.Store",
        )
    lacks = find_lacks(store)
    return cast("FullStore", PartialStore(store, lacks) if lacks else store)


def can(store: Store, capability: Capability) -> bool:
    """Tell whether a store has a capability, so that a flow leaves out what would need it."""
    if isinstance(store, PartialStore):
        return capability not in store.lacks
    return not find_missing_verbs(store, capability)


def require(store: Store, capability: Capability, what: str) -> None:
    """Raise CapabilityMissing where a store lacks what something needs, which `what` names."""
    if not can(store, capability):
        raise _build_refusal(capability, what)


def _build_refusal(capability: Capability, what: str) -> CapabilityMissing:
    return CapabilityMissing(
        f"{what} needs a store with the capability {capability.name!r}, which this one lacks",
        recovery=f"go on without it ({capability.without}), or open a store that has it, such as a file;"
        " nothing was written",
        capability=capability.name,
    )


class PartialStore:
    """A store that lacks capabilities, as the engine uses it. The verbs that it has are its own.

    What it lacks it holds nothing of, and so it answers; what would need it, `commit` refuses before it is written.
    """

    def __init__(self, store: Store, lacks: Sequence[Capability]) -> None:
        self.lacks = tuple(lacks)
        self._store = store
        self._lack_by_table = {table: one for one in lacks for table in one.tables}
        present = [verb for one in CAPABILITIES if one not in lacks for verb in one.verbs]
        for verb in (*CORE, *present):
            if verb != "commit":
                setattr(self, verb, getattr(store, verb))

    @property
    def whole(self) -> Store:
        """The store itself."""
        return self._store

    @property
    def reads_only(self) -> bool:
        """Whether nothing can be written, as the store itself found when it was opened."""
        return bool(getattr(self._store, "reads_only", False))

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Write all changes with their audit, or raise CapabilityMissing and write nothing."""
        what = f"a commit of the verb {cause.verb!r}"
        if cause.verb == ERASE and ERASABLE in self.lacks:
            raise _build_refusal(ERASABLE, what)
        for entry in changes:
            if entry.table in self._lack_by_table:
                raise _build_refusal(self._lack_by_table[entry.table], what)
        if VECTORS in self.lacks:
            singles, _ = number_entries(changes)  # the store refuses a block that names texts or vectors
            if any((change.after or {}).get("vector") for _, change in singles):
                raise _build_refusal(VECTORS, what)
        return await self._store.commit(scope, changes, cause)

    async def vectors(self, *_: object, **__: object) -> tuple[Ints, npt.NDArray[np.float16]]:
        """Return none."""
        return np.empty(0, np.int64), np.empty((0, 0), np.float16)

    async def embed(self, *_: object, **__: object) -> int:
        """Refuse."""
        raise _build_refusal(VECTORS, "keeping the vectors of a model")

    async def vocabulary(self, *_: object) -> list[str]:
        """Return none."""
        return []

    async def read_answer(self, scope: str, asked: AnswerRequest) -> AnswerRows:
        """Ask for each part by itself."""
        links = await self._store.neighbours(scope, [*asked.seqs, *asked.rest], *asked.relations)
        found = await self._store.get(scope, asked.list_memories(links))
        memories = [one for one in found if one is not None]
        return AnswerRows({one.seq: one for one in memories}, links)

    async def boxes(self, *_: object) -> list[BoxRow]:
        """Return none."""
        return []

    async def traces(self, *_: object) -> list[TraceRow]:
        """Return none."""
        return []

    async def forbidden(self, *_: object) -> list[Forbidden]:
        """Return none."""
        return []

    async def find_erased_names(self, *_: object) -> Mapping[str, int]:
        """Return none."""
        return {}

    async def erased_ids(self, *_: object) -> list[str]:
        """Return none."""
        return []

    async def clean(self, *_: object) -> CleanResult:
        """Do nothing: nothing was erased."""
        return CleanResult()

    async def end_images(self, *_: object) -> EndImagesResult:
        """End nothing."""
        return EndImagesResult(0, 0)

    async def find_purged_memories(self, *_: object) -> list[PurgedMemory]:
        """Return none: what was purged is known by the run that did it alone."""
        return []

    async def check(self) -> list[Check]:
        """Look at nothing."""
        return []

    async def measure_scopes(self, *_: object) -> Mapping[str, ScopeSize]:
        """Return none."""
        return {}

    async def backup(self, path: str) -> int:
        """Refuse."""
        raise _build_refusal(FILE, f"a backup to {path}")

    async def compare_ledgers(self) -> LedgerFindings:
        """Return that no ledger is kept."""
        return LedgerFindings()

    async def take_ledgers(self, *_: object, **__: object) -> bool:
        """Do nothing: there is no ledger."""
        return True

    async def keep_standing(self, *_: object) -> int:
        """Keep nothing: there is no ledger."""
        return 0
