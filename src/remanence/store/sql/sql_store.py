"""The verbs of a store on a database that speaks SQL: each reads or writes one scope in one transaction.

Knows which function does what; where a transaction runs, and on which thread, is the database's own.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from remanence.core.box import BoxRow, FindBoxes, FindTraces, TraceRow
from remanence.core.change import AuditPart, Cause, CommitResult, Entry, Fence, row_count
from remanence.core.forbidden import Forbidden
from remanence.core.model import Link, Memory, Relation
from remanence.core.snapshot import Snapshot, SnapshotRequest
from remanence.store.base import (
    AnswerRequest,
    AnswerRows,
    Arriving,
    Bookkeeping,
    BookkeepResult,
    EmbeddingRow,
    EndImagesResult,
    Find,
    Ints,
    Postings,
    PurgedMemory,
    ScopeSize,
    ScopeSurvey,
    WriteContext,
    writes,
)
from remanence.store.block_rules import refuse_malformed_entries
from remanence.store.constraints import refuse_interval, refuse_unknown_clocks
from remanence.store.scope_transfer import RowPipe, ScopeContent
from remanence.store.sql import (
    audit,
    bookkeeping,
    box_reading,
    commits,
    embeddings,
    erasing,
    image_expiry,
    purged,
    reading,
    scope_rows,
    snapshots,
)
from remanence.store.sql.database import Database
from remanence.store.sql.scope import OpenScope

Answer = TypeVar("Answer")
ScopeWork = Callable[[OpenScope], Answer]
FEW = 64  # changes that are looked at on the event loop


class SqlStore(ABC):
    """The verbs that are the same in every database."""

    @abstractmethod
    async def read_scope(self, scope: str, work: ScopeWork[Answer]) -> Answer:
        """Let a scope be read, as it is at one moment."""

    @abstractmethod
    async def write_scope(
        self, scope: str, work: ScopeWork[Answer], *, repeats: bool = True, comes_back: bool = False
    ) -> Answer:
        """Let a scope be written in one transaction: all of it is written, or nothing.

        A scope that moved elsewhere is refused, unless it `comes_back` now. It `repeats` where the work may be done
        again after an outcome that was lost on the way: it then finds what it wrote.
        """

    async def get(self, scope: str, names: Sequence[int | str]) -> list[Memory | None]:
        """Return whole memories by sequence number, id or key, in the order asked; None where there is none."""
        return await self.read_scope(scope, lambda opened: reading.get(opened, names))

    async def find(self, scope: str, find: Find) -> list[Memory]:
        """List memories by status, tags and columns."""
        return await self.read_scope(scope, lambda opened: reading.find(opened, find))

    async def arriving(self, scope: str, asked: Arriving) -> WriteContext:
        """Tell a write what it must know: twins, keys, the tails of segments and term statistics."""
        return await self.read_scope(scope, lambda opened: reading.arriving(opened, asked))

    async def search(self, scope: str, stems: Sequence[str]) -> Postings:
        """Return the postings of stems; unknown stems have empty ones."""
        return await self.read_scope(scope, lambda opened: reading.search(opened, stems))

    async def vocabulary(self, scope: str, beginnings: Sequence[str]) -> list[str]:
        """Return the stems that any text of a scope holds and that begin with one of these, in order, each once."""
        return await self.read_scope(scope, lambda opened: reading.vocabulary(opened, beginnings))

    async def vectors(
        self, scope: str, after: int = 0, only: Sequence[int] | None = None, model: str | None = None
    ) -> tuple[Ints, npt.NDArray[np.float16]]:
        """Return (seq, vectors as float16 rows) of memories above `after`, or of `only` those, in order of arrival."""
        return await self.read_scope(scope, lambda opened: reading.vectors(opened, after, only, model))

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
        return await self.write_scope(
            scope, lambda opened: embeddings.embed(opened, model, rows, count or {}, fence), repeats=not count
        )

    async def neighbours(self, scope: str, seqs: Sequence[int] | None, *relations: Relation) -> list[Link]:
        """Return every link, or those of some relations, that have one of these memories at an end; None for any."""
        return await self.read_scope(scope, lambda opened: reading.neighbours(opened, seqs, relations))

    async def read_answer(self, scope: str, asked: AnswerRequest) -> AnswerRows:
        """Return memories and links, all of one moment."""
        return await self.read_scope(scope, lambda opened: reading.read_answer(opened, asked))

    async def forbidden(self, scope: str, folds: Sequence[str] | None = None) -> list[Forbidden]:
        """Return which of these folds are forbidden, or all that are, in order."""
        return await self.read_scope(scope, lambda opened: reading.forbidden(opened, folds))

    async def find_erased_names(self, scope: str, names: Sequence[str]) -> dict[str, int]:
        """Return which of these names were erased, and when."""
        return await self.read_scope(scope, lambda opened: reading.find_erased_names(opened, names))

    async def erased_ids(self, scope: str) -> list[str]:
        """Return the ids of the memories that were erased, the earliest first."""
        return await self.read_scope(scope, erasing.erased_ids)

    async def end_images(self, scope: str, before: int, cause: Cause) -> EndImagesResult:
        """Take away the images of the oldest parts, as long as each is of before a time, and log that as a part."""
        return await self.write_scope(scope, lambda opened: image_expiry.end_images(opened, before, cause))

    async def find_purged_memories(self, scope: str, names: Sequence[int | str]) -> list[PurgedMemory]:
        """Return the purged memories that have one of these numbers, ids or keys, or an id that ends so, in order."""
        return await self.read_scope(scope, lambda opened: purged.find_purged_memories(opened, names))

    async def boxes(self, scope: str, find: FindBoxes) -> list[BoxRow]:
        """List boxes, those of the latest turns first."""
        return await self.read_scope(scope, lambda opened: box_reading.boxes(opened, find))

    async def traces(self, scope: str, find: FindTraces) -> list[TraceRow]:
        """List traces, those of the latest turns first."""
        return await self.read_scope(scope, lambda opened: box_reading.traces(opened, find))

    async def snapshot(self, scope: str, wanted: SnapshotRequest, now: int) -> Snapshot:
        """Freeze the scope as columns."""
        return await self.read_scope(scope, lambda opened: snapshots.snapshot(opened, wanted, now))

    async def commit(self, scope: str, changes: Sequence[Entry], cause: Cause) -> CommitResult:
        """Write all changes with their audit in one transaction, or raise Conflict and write nothing."""
        if row_count(changes) > FEW:
            await asyncio.to_thread(refuse_malformed_entries, changes)
        else:
            refuse_malformed_entries(changes)
        return await self.write_scope(scope, lambda opened: commits.commit(opened, changes, cause))

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
        query = audit.AuditQuery(run, memory, after, limit, rows)
        return await self.read_scope(scope, lambda opened: audit.read(opened, query))

    async def bookkeep(self, scope: str, asked: Bookkeeping) -> BookkeepResult:
        """Read and write what is not memory: schedule, settings, leases, what sessions covered."""
        if asked.cover is not None:
            refuse_interval(*asked.cover)
        refuse_unknown_clocks(asked.clocks)
        if writes(asked):
            return await self.write_scope(
                scope, lambda opened: bookkeeping.bookkeep(opened, asked), repeats=not asked.count
            )
        return await self.read_scope(scope, lambda opened: bookkeeping.read_bookkeeping(opened, asked))

    async def send_scope(self, scope: str, pipe: RowPipe) -> ScopeContent:
        """Send all rows of a scope, as they are at one moment, and return what they are."""
        return await self.read_scope(scope, lambda opened: scope_rows.send(opened, pipe))

    async def receive_scope(self, scope: str, pipe: RowPipe, *, moves: bool) -> ScopeContent:
        """Write the rows that come, all or none, and return what they are; the same rows once more change nothing."""
        return await self.write_scope(
            scope,
            lambda opened: scope_rows.receive(opened, pipe, moves=moves),
            repeats=False,
            comes_back=True,
        )

    async def settle_scope(self, scope: str) -> None:
        """Let a scope that was moved here be written to."""
        await self.write_scope(scope, scope_rows.settle, comes_back=True)

    async def read_content(self, scope: str) -> ScopeContent:
        """Return what a scope holds, read anew."""
        return await self.read_scope(scope, scope_rows.read_content)

    async def remove_scope(self, scope: str, was: ScopeContent, moved_to: str) -> None:
        """Take all rows of a scope away where it still holds what it `was`; it is refused from then on."""
        await self.write_scope(scope, lambda opened: scope_rows.remove(opened, was, moved_to), repeats=False)


class DatabaseStore(SqlStore):
    """A store that keeps every scope in one database."""

    @abstractmethod
    async def read_every_scope(self, work: Callable[[Database], Answer]) -> Answer:
        """Let all scopes be read, as they are at one moment."""

    async def survey(self, names: Sequence[str]) -> dict[str, ScopeSurvey]:
        """Return of every scope that was written to how far it has come, and the values kept by these names."""
        return await self.read_every_scope(lambda db: reading.survey(db, names))

    async def measure_scopes(self, scopes: Sequence[str]) -> dict[str, ScopeSize]:
        """Return how much each of these scopes holds."""
        return await self.read_every_scope(lambda db: reading.measure_scopes(db, scopes))
