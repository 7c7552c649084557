"""A look at whether the knowledge of a scope is about to drown in episodes: the check `memory-integrity` (forge-loop).

Reads counts and mends nothing.
"""

import numpy as np

from remanence.errors import StoreError
from remanence.flows import settings
from remanence.flows.core import Core
from remanence.model import REJECTED_PATH, STANDING, Kind
from remanence.snapshot import Snapshot, Wanted, load_bearing
from remanence.store.base import Check

NAME = "memory-integrity"


async def memory_integrity(core: Core) -> Check:
    """Count what stands; advise to compact where more episodes than the setting says could go."""
    wanted = Wanted(frozenset({"status", "kind"}), frozenset({REJECTED_PATH}))
    try:
        snapshot = await core.store.snapshot(core.scope, wanted, core.clock.now())
        bound = await settings.number(core, "episodes_prunable")
    except StoreError as error:
        return broken(error)
    counts = _counts(snapshot)
    detail = ", ".join(f"{name}={count}" for name, count in counts.items())
    prunable = counts["prunable"]
    advice = (
        f"{prunable} episodes could go, more than {bound}: remanence compact --keep {bound}"
        if prunable > bound
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
        "prunable": int(np.count_nonzero(stands & ~load_bearing(kinds, rejected))),
    }
