"""The snapshots that ticks took of a scope last, kept while it is open and brought up to date by what has changed.

Knows requests, positions and how much is kept, and is told how a snapshot is moved on; knows no rule. What another
process writes is in the same log: where that does not tell what has changed, the scope is read anew.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from remanence.core.snapshot import TAG, Among, Snapshot, SnapshotRequest
from remanence.store.base import Store

KEPT_MAX = 4  # requests, as there are cadences
ROWS_MAX = 1 << 16  # some 15 MB each; a larger scope is read anew
LINKS_EACH_MAX = 8  # so many links a memory at most
ASIDE_MIN = 1 << 12  # rows that are put together on another thread

# Makes of a snapshot and what was found changed since the snapshot of now; None where that cannot be told.
Patch: TypeAlias = Callable[[Snapshot, Snapshot, Among | None], Snapshot | None]


@dataclass(eq=False)
class KeptSnapshots:
    """Snapshots of one scope by what was asked for, the latest last."""

    store: Store
    scope: str
    kept: list[tuple[SnapshotRequest, Snapshot]] = field(default_factory=list)

    async def read(self, wanted: SnapshotRequest, now: int, patch: Patch) -> Snapshot:
        """Return what is asked for as it stands now, the same as the store would; `patch` moves a kept one on."""
        if not _is_kept(wanted):
            return await self.store.snapshot(self.scope, wanted, now)
        place = next((at for at, (request, _) in enumerate(self.kept) if request == wanted), None)
        last = None if place is None else self.kept.pop(place)[1]
        since = None if last is None else last.position
        snapshot: Snapshot | None
        snapshot = await self.store.snapshot(self.scope, replace(wanted, since=since), now)
        if last is not None and snapshot.changed is not None:
            if len(last) + len(snapshot) < ASIDE_MIN:
                snapshot = patch(last, snapshot, wanted.among)
            else:
                snapshot = await asyncio.to_thread(patch, last, snapshot, wanted.among)
        if snapshot is None:
            snapshot = await self.store.snapshot(self.scope, wanted, now)
        links = 0 if snapshot.links is None else len(snapshot.links)
        if len(snapshot) <= ROWS_MAX and links <= LINKS_EACH_MAX * ROWS_MAX:
            self.kept = [*self.kept[-(KEPT_MAX - 1) :], (wanted, snapshot)]
        return snapshot


def _is_kept(wanted: SnapshotRequest) -> bool:
    """True if what changes of it can be told, and whom it means by what it asks for."""
    if wanted.only is not None or wanted.attributes or wanted.asks or wanted.link_count:
        return False
    means = frozenset().union(*(wanted.among or ()))
    tags = frozenset().union(*(holds.get(TAG, ()) for holds in wanted.among or ()))
    return means - {TAG} <= wanted.columns and tags <= wanted.tags
