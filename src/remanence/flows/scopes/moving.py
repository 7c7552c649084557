"""A scope in another store: copied as it is, proved by a hash of all its rows, and taken away where it came from.

Knows the order of steps, each of which may be the last that a process lives to see; must not know what a row says.
"""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import cast

from remanence.core.errors import Conflict, InvalidInput, NotFound, StoreDamaged, format_value
from remanence.core.results import Result, number
from remanence.store.base import Store
from remanence.store.capabilities import (
    ERASABLE,
    FILE,
    TRANSFER,
    ErasableStore,
    FileStore,
    TransferStore,
    can,
)
from remanence.store.scope_transfer import (
    PipeBroken,
    RowPipe,
    ScopeContent,
    describe_way,
)

ATTEMPTS = 5  # to move a scope that others write to


@dataclass(frozen=True, slots=True, repr=False)
class ScopeCopy(Result):
    """A scope that is in another store now: how many rows, at which position, and the hash that both sides have.

    `moved` tells whether it was taken away where it came from.
    """

    scope: str
    rows: int
    position: int
    digest: str
    moved: bool = False

    def __str__(self) -> str:
        verb = "moved" if self.moved else "copied"
        return f"{verb} scope {self.scope}: {number(self.rows, 'row', 'rows')}, digest {self.digest}"


async def copy_scope(source: TransferStore, target: TransferStore, scope: str) -> ScopeCopy:
    """Copy a scope with its history, undo data, settings and what was erased; one that is there already stays.

    Raises:
        NotFound: nobody ever wrote to the scope.
        Conflict: the target has a scope of this name that holds something else.
        StoreDamaged: what was written is not what was read.
    """
    if scope not in await source.survey(()):
        raise NotFound(f"no scope {format_value(scope)} there", recovery="see: remanence scopes list")
    return _describe_copy(scope, await copy_rows(source, target, scope, moves=False))


async def move_scope(source: TransferStore, target: TransferStore, scope: str, place: str) -> ScopeCopy:
    """Copy a scope, take it away where it came from, and leave word there of the `place` that it moved to.

    It is read in both stores until it is taken away, and written to where it comes from alone. What is written
    meanwhile is copied too: a scope is only taken away while it is what was copied. After a kill the same call goes on.
    """
    for attempt in range(ATTEMPTS):
        if scope not in await source.survey(()):
            return _describe_copy(scope, await _settle_moved(source, target, scope, place), moved=True)
        content = await copy_rows(source, target, scope, moves=True)
        try:
            await source.remove_scope(scope, content, place)
        except Conflict:
            if attempt + 1 == ATTEMPTS:
                raise
            continue
        await target.settle_scope(scope)
        if can(source, ERASABLE):
            await cast("ErasableStore", source).clean(scope)
        return _describe_copy(scope, content, moved=True)
    raise AssertionError


def _describe_copy(scope: str, content: ScopeContent, *, moved: bool = False) -> ScopeCopy:
    return ScopeCopy(scope, content.rows, content.position, content.digest, moved)


async def copy_rows(source: TransferStore, target: TransferStore, scope: str, *, moves: bool) -> ScopeContent:
    """Copy all rows of a scope, and prove that they are there."""
    pipe = RowPipe()
    sending = asyncio.create_task(_end_both(source.send_scope(scope, pipe), pipe))
    try:
        received = await _end_both(target.receive_scope(scope, pipe, moves=moves), pipe)
    except PipeBroken:
        await sending  # it says why
        raise
    finally:
        await asyncio.wait({sending})
        sending.exception()  # of two the other one is told
    sent = sending.result()
    found = await target.read_content(scope)
    if not sent == received == found:
        raise StoreDamaged(
            f"scope {format_value(scope)} is not what was sent: nothing was removed where it came from",
            recovery="see what is wrong there: doctor; then drop it there and begin again",
        )
    if can(target, FILE):
        await cast("FileStore", target).take_ledgers(scope)
    return found


async def _end_both(work: Awaitable[ScopeContent], pipe: RowPipe) -> ScopeContent:
    """Do one side; where it fails the other waits no more."""
    is_done = False
    try:
        content = await work
        is_done = True
    finally:
        if not is_done:
            pipe.end()
    return content


async def _settle_moved(source: TransferStore, target: TransferStore, scope: str, place: str) -> ScopeContent:
    """End a move that took the scope away already; NotFound where it was moved elsewhere, or never was."""
    try:
        await source.read_content(scope)
    except NotFound as moved:
        if moved.recovery != describe_way(place):
            raise
        content = await target.read_content(scope)
        await target.settle_scope(scope)
        return content
    raise NotFound(f"no scope {format_value(scope)} there", recovery="see: remanence scopes list")


def require_transfer(store: Store, place: str) -> TransferStore:
    """Return a store whose scopes can be copied and moved; InvalidInput for another."""
    if not can(store, TRANSFER):
        raise InvalidInput(
            f"the scopes of {place} cannot be copied as they are",
            recovery="export and import them: remanence export, remanence import",
        )
    return cast("TransferStore", store)
