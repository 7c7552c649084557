"""What stood at an instant, from what stands today and what the audit says of every change since.

A store is refused, not guessed at: where images have ended since, and for an instant that is still to come. What was
erased since is nowhere, and so is no part of what was. What stands is known by the order in which it was written.
"""

from collections.abc import Iterable, Mapping, Sequence
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

    `memories` are those of them that were there, as they were.
    `since` is the position of the last part before: all instants that have it are one. What came since has no row here.
    `log` is what was read of the audit, oldest first, each change with the position of its part: all after `begins`.
    """

    since: int
    position: int
    changes: Mapping[int, ChangesSince]
    today: Mapping[int, Memory | None]
    memories: Mapping[int, Memory]
    log: Sequence[tuple[int, Change]]
    begins: int


async def read_changes_since(core: Core, at: int, seq: int | None = None) -> dict[int, ChangesSince]:
    """Return by memory what the audit says of the changes since an instant, or of the one that is `seq`."""
    since = await find_position(core, at)
    # An instant is gone where the audit has no more what a part since then changed.
    after = since
    while page := await core.store.history(core.scope, after=after, limit=PAGE, rows=False):
        for part in page:
            _refuse_without_images(part, at)
        after = page[-1].position
    changes: dict[int, ChangesSince] = {}
    await take_in_changes(core, changes, since, seq)
    return changes


async def take_in_changes(
    core: Core, changes: dict[int, ChangesSince], after: int, seq: int | None = None
) -> None:
    """Take in what was logged after a position, of all memories or of one."""
    while page := await core.store.history(core.scope, memory=seq, after=after, limit=PAGE):
        for part in page:
            _take_in(changes, rows_of(part.entries), seq)
        after = page[-1].position


async def read_rewound(core: Core, at: int, since: int, known: Rewound | None = None) -> Rewound:
    """Return what changed since an instant and those memories as they were; nothing that is written meanwhile counts.

    Rows are read first and what was logged meanwhile after them: the first change since has what was before it. `since`
    is what `find_position` tells of the instant. What is `known` of another one, after which nothing was written, is
    not read again. ImagesEnded where the audit has no more what a part changed.
    """
    if known is None:
        log, position = await _read_log(core, at, since)
        known = Rewound(position, position, {}, {}, {}, (), since)
    else:
        older, position = (await _read_log(core, at, since, known.begins))[0], known.position
        log = [*older, *known.log]
    between = sorted((since, known.since))
    moved = {_find_changed_memory(change) for place, change in log if between[0] < place <= between[1]}
    today = {**known.today}
    changes = {seq: one for seq, one in known.changes.items() if seq not in moved}
    _take_in(
        changes, (change for place, change in log if place > since and _find_changed_memory(change) in moved)
    )
    while missing := sorted(
        seq for seq, one in changes.items() if one.was_there is not False and seq not in today
    ):
        for start in range(0, len(missing), PAGE):
            some = missing[start : start + PAGE]
            today |= zip(some, await core.store.get(core.scope, some), strict=True)
        late, position = await _read_log(core, at, position)
        _take_in(changes, (change for _, change in late))
        moved |= {_find_changed_memory(change) for _, change in late}
        log += late
    memories = {
        seq: known.memories.get(seq) if seq not in moved else one.rewind(core.scope, seq, today.get(seq))
        for seq, one in changes.items()
        if one.was_there is not False
    }
    were_there = {seq: one for seq, one in memories.items() if one is not None}
    return Rewound(since, position, changes, today, were_there, log, min(since, known.begins))


async def _read_log(
    core: Core, at: int, after: int, until: int | None = None
) -> tuple[list[tuple[int, Change]], int]:
    """Return what was logged after a position, up to another, and the position that was reached."""
    log: list[tuple[int, Change]] = []
    while until is None or after < until:
        page = await core.store.history(core.scope, after=after, limit=PAGE)
        if not page:
            break
        for part in page:
            if until is not None and part.position > until:
                return log, until
            _refuse_without_images(part, at)
            log += [(part.position, row) for row in rows_of(part.entries) if row.table in REWOUND]
        after = page[-1].position
    return log, after


def read_instant(core: Core, as_of: Moment) -> int:
    """Return an instant in microseconds; InvalidInput for one that is still to come."""
    at, now = to_micros(as_of), core.clock.now()
    if at > now:
        raise InvalidInput(
            f"{minute_of(at)} is still to come, and it is {minute_of(now)}",
            recovery="pass as_of=TIME of the past, or leave it out for the present",
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


def _take_in(changes: dict[int, ChangesSince], rows: Iterable[Change], seq: int | None = None) -> None:
    for change in rows:
        if change.table in REWOUND:
            owner = _find_changed_memory(change)
            if seq in (None, owner):
                changes.setdefault(owner, ChangesSince()).take_in(change)


def _find_changed_memory(change: Change) -> int:
    """Return whose row, tag or source a change is of."""
    return cast("int", change.key[0] if isinstance(change.key, tuple) else change.key)


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


def _refuse_without_images(part: AuditPart, at: int) -> None:
    if part.ended_at is not None:
        raise ImagesEnded(
            f"what stood on {minute_of(at)} is not known: the images of {minute_of(part.cause.at)} ended on"
            f" {minute_of(part.ended_at)}",
            recovery="ask for a later time; images are kept for as long as the setting `audit_days` says",
        )
