"""What stood at an instant, from what stands today and what the audit says of every change since.

A store is refused, not guessed at: where images have ended since, and for an instant that is still to come. What was
erased since is nowhere, and so is no part of what was. What stands is known by the order in which it was written.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from remanence.core.change import AuditPart, Change, rows_of
from remanence.core.clock import to_micros
from remanence.core.errors import ImagesEnded, InvalidInput
from remanence.core.keywords import Moment
from remanence.core.model import Memory, OneMemory
from remanence.core.results import minute_of
from remanence.edit.rewind import REWOUND, ChangesSince
from remanence.flows.base.audit_log import PAGE
from remanence.flows.base.context import Core

NEAR = 32  # parts of the audit: fewer are looked through at once, and not one after another


@dataclass(frozen=True, slots=True)
class Rewound:
    """What the audit says of each memory that changed since an instant, up to a position, and their rows of today.

    `since` is the position of the last part before: all instants that have it are one. What came since has no row here.
    """

    since: int
    position: int
    changes: Mapping[int, ChangesSince]
    today: Mapping[int, Memory | None]

    def list_memories(self, scope: str) -> dict[int, Memory]:
        """Return by number those that were there, as they were."""
        rewound = {seq: self.changes[seq].rewind(scope, seq, one) for seq, one in self.today.items()}
        return {seq: one for seq, one in rewound.items() if one is not None}


async def read_changes_since(core: Core, at: int, seq: int | None = None) -> dict[int, ChangesSince]:
    """Return by memory what the audit says of the changes since an instant, or of the one that is `seq`."""
    since = await find_position(core, at)
    await _refuse_ended(core, since, at)
    changes: dict[int, ChangesSince] = {}
    await take_in_changes(core, changes, since, seq)
    return changes


async def take_in_changes(
    core: Core, changes: dict[int, ChangesSince], after: int, seq: int | None = None, at: int | None = None
) -> int:
    """Take in what was logged after a position, of all memories or of one; return the position that was reached.

    With `at`, the instant that is asked about, ImagesEnded where the audit has no more what a part changed.
    """
    while page := await core.store.history(core.scope, memory=seq, after=after, limit=PAGE):
        for part in page:
            if at is not None:
                _refuse_without_images(part, at)
            _take_in(changes, rows_of(part.entries), seq)
        after = page[-1].position
    return after


async def read_rewound(core: Core, at: int, since: int | None = None) -> Rewound:
    """Return what changed since an instant and those memories as they were; nothing that is written meanwhile counts.

    Rows are read first and what was logged meanwhile after them: the first change since has what was before it. `since`
    is what `find_position` tells of the instant, for who knows it.
    """
    since = await find_position(core, at) if since is None else since
    changes: dict[int, ChangesSince] = {}
    today: dict[int, Memory | None] = {}
    position = await take_in_changes(core, changes, since, at=at)
    while missing := sorted(
        seq for seq, one in changes.items() if one.was_there is not False and seq not in today
    ):
        for start in range(0, len(missing), PAGE):
            some = missing[start : start + PAGE]
            today |= zip(some, await core.store.get(core.scope, some), strict=True)
        position = await take_in_changes(core, changes, position)
    return Rewound(since, position, changes, today)


def read_instant(core: Core, as_of: Moment) -> int:
    """Return an instant in microseconds; InvalidInput for one that is still to come."""
    at, now = to_micros(as_of), core.clock.now()
    if at > now:
        raise InvalidInput(
            f"{minute_of(at)} is still to come, and it is {minute_of(now)}",
            recovery="pass as_of=TIME of the past, or leave it out for what stands now",
        )
    return at


def check_instant(core: Core, as_of: Moment, why_not: OneMemory | None, *, explain: bool) -> None:
    """Raise InvalidInput for an instant to come, and where somebody asks why an answer is as it is as of one."""
    read_instant(core, as_of)
    if explain or why_not is not None:
        raise InvalidInput(
            "why an answer is as it is can be told for the present alone, not as of an instant",
            recovery="leave out explain and why_not, or as_of; `history` of a memory says when it changed",
        )


def _take_in(changes: dict[int, ChangesSince], rows: Iterable[Change], seq: int | None) -> None:
    for change in rows:
        if change.table in REWOUND:
            owner = cast("int", change.key[0] if isinstance(change.key, tuple) else change.key)
            if seq in (None, owner):
                changes.setdefault(owner, ChangesSince()).take_in(change)


async def find_position(core: Core, at: int) -> int:
    """Return the position of the last part that was written at an instant or before it, 0 where none was."""
    low, high = 0, (await core.store.search(core.scope, ())).position
    while high - low > NEAR:
        middle = (low + high + 1) // 2
        page = await core.store.history(core.scope, after=middle - 1, limit=1, rows=False)
        if page and page[0].cause.at <= at:
            low = page[0].position
        else:
            high = middle - 1
    for part in (
        await core.store.history(core.scope, after=low, limit=high - low, rows=False) if high > low else ()
    ):
        if part.cause.at > at:
            break
        low = part.position
    return low


async def _refuse_ended(core: Core, since: int, at: int) -> None:
    """Raise ImagesEnded where the audit has no more what a part since then changed."""
    after = since
    while page := await core.store.history(core.scope, after=after, limit=PAGE, rows=False):
        for part in page:
            _refuse_without_images(part, at)
        after = page[-1].position


def _refuse_without_images(part: AuditPart, at: int) -> None:
    if part.ended_at is not None:
        raise ImagesEnded(
            f"what stood on {minute_of(at)} is not known: the images of {minute_of(part.cause.at)} ended on"
            f" {minute_of(part.ended_at)}",
            recovery="ask for a later time; images are kept for as long as the setting `audit_days` says",
        )
