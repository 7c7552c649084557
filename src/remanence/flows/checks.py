"""A look at whether the knowledge of a scope is about to drown in episodes: the check `memory-integrity` (forge-loop).

Reads counts and mends nothing.
"""

import numpy as np
import numpy.typing as npt

from remanence.clock import DAY
from remanence.errors import StoreError
from remanence.flows import settings
from remanence.flows.core import Core
from remanence.model import REJECTED_PATH, STANDING, Kind
from remanence.snapshot import Snapshot, SnapshotRequest, load_bearing
from remanence.store.base import Check

NAME = "memory-integrity"
FRESH = 7 * DAY  # what was taken in since was hardly taken in to be thrown away


async def memory_integrity(core: Core) -> Check:
    """Count what stands; advise to compact where more episodes than the setting says could go."""
    wanted = SnapshotRequest(frozenset({"status", "kind", "learned_at"}), frozenset({REJECTED_PATH}))
    now = core.clock.now()
    try:
        snapshot = await core.store.snapshot(core.scope, wanted, now)
        bound = await settings.number(core, "episodes_prunable")
    except StoreError as error:
        return broken(error)
    detail = ", ".join(f"{name}={count}" for name, count in _counts(snapshot).items())
    old = np.less(snapshot.columns["learned_at"], now - FRESH)
    settled = int(np.count_nonzero(_prunable(snapshot) & old))
    advice = (
        f"{settled} episodes that have been here for a week could go, more than {bound}; see which, nothing is"
        f" changed: remanence compact --keep {bound} --dry-run"
        if settled > bound
        else ""
    )
    return Check(NAME, True, detail, advice)


def absent(path: str) -> Check:
    """Say that there is nothing to look at, which is no damage."""
    return Check(
        NAME, True, f"there is no {path}", advice="nothing was made; begin one with `ingest` or `learn`"
    )


def broken(error: StoreError) -> Check:
    """Say that what is there cannot be read."""
    return Check(NAME, False, str(error), advice=error.recovery)


def _counts(snapshot: Snapshot) -> dict[str, int]:
    stands = np.isin(snapshot.columns["status"], list(STANDING))
    kinds, rejected = snapshot.columns["kind"], snapshot.tags[REJECTED_PATH]
    return {
        "decisions/active": int(np.count_nonzero(stands)),
        "rejected_paths": int(np.count_nonzero(stands & rejected)),
        "episodes": int(np.count_nonzero(stands & (kinds == Kind.EPISODIC))),
        "skills/procedural": int(np.count_nonzero(stands & (kinds == Kind.PROCEDURAL))),
        "prunable": int(np.count_nonzero(_prunable(snapshot))),
    }


def _prunable(snapshot: Snapshot) -> npt.NDArray[np.bool_]:
    """Tell which memories compaction could take: those that stand and that nothing rests on."""
    stands = np.isin(snapshot.columns["status"], list(STANDING))
    found: npt.NDArray[np.bool_] = stands & ~load_bearing(
        snapshot.columns["kind"], snapshot.tags[REJECTED_PATH]
    )
    return found
