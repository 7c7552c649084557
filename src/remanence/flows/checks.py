"""Looks that warn: episodes that outnumber knowledge (`memory-integrity`, forge-loop), and a role told wrongly.

Read counts and texts; mend nothing.
"""

import asyncio
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from remanence.clock import DAY
from remanence.errors import StoreError
from remanence.flows import settings
from remanence.flows.core import Core
from remanence.flows.write.learning import latest_texts
from remanence.model import REJECTED_PATH, STANDING, Kind, Role
from remanence.snapshot import Snapshot, SnapshotRequest, load_bearing
from remanence.store.base import Check
from remanence.write.roles import speaks_as_assistant

NAME = "memory-integrity"
SPEAKERS = "speakers"
WORDS_MIN = 2_000  # below, one long text may be most of what is there
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


async def speakers(core: Core) -> Check:
    """Look whether most words come from one speaker who reads as an assistant and is kept as a user."""
    try:
        snapshot = await core.store.snapshot(
            core.scope, SnapshotRequest(frozenset({"role", "speaker", "words"})), core.clock.now()
        )
        loudest, share = _loudest(snapshot)
        said = [] if loudest is None else await latest_texts(core, loudest)
    except StoreError as error:
        return replace(broken(error), name=SPEAKERS)
    if loudest is None:
        return Check(SPEAKERS, True, "no user says most of the words")
    detail = f"{share:.0%} of the words are the user {loudest}'s"
    if not await asyncio.to_thread(speaks_as_assistant, said):
        return Check(SPEAKERS, True, detail)
    advice = (
        f"{loudest} offers and lists like an assistant, and is kept as a user, which harms recall and keep-values:"
        " learn its texts with role assistant"
    )
    return Check(SPEAKERS, True, detail, advice)


def _loudest(snapshot: Snapshot) -> tuple[str | None, float]:
    """Return the one speaker who says more than half of all words in the role of a user, and that share."""
    words = snapshot.columns["words"].astype(np.int64)
    speaker = snapshot.columns["speaker"].astype(np.int64)
    users = (snapshot.columns["role"] == Role.USER) & (speaker >= 0)
    said = np.bincount(speaker[users], words[users])
    if not len(said) or words.sum() < WORDS_MIN or 2 * said.max() <= words.sum():
        return None, 0.0
    return snapshot.names["speaker"][int(said.argmax())], float(said.max() / words.sum())
