"""What an agent should know before anything is said: what later work rests on, then what happened last."""

import numpy as np

from remanence.arguments import check_count
from remanence.flows import settings
from remanence.flows.core import Core
from remanence.flows.filling import Queue, fill
from remanence.flows.recalling import render
from remanence.model import REJECTED_PATH, STANDING, Hit, Recalled
from remanence.recall.frames import BUDGET_MAX, MEMORIES, Filling, laid_out, room_chars
from remanence.snapshot import Ints, Snapshot, Wanted, load_bearing
from remanence.text import token_estimate

IDENTITY = "self/*"
_COLUMNS = frozenset({"status", "kind", "pinned", "value", "tokens", "said_at"})


async def boot(core: Core, budget: int | None) -> Recalled:
    """Return as much as fits of what is load-bearing, and of the newest episodes in the room that is left."""
    budget = await settings.number(core, "boot_tokens") if budget is None else budget
    check_count("budget", budget, 1, BUDGET_MAX)
    wanted = Wanted(_COLUMNS, tags=frozenset({IDENTITY, REJECTED_PATH}))
    snapshot = await core.store.snapshot(core.scope, wanted, core.clock.now())
    rows = _order(snapshot)
    tokens = np.asarray(snapshot.columns["tokens"])[rows].astype(np.int64)
    room = Filling(room_chars(MEMORIES, budget), max(len(rows), 1))
    filled = await fill(core, Queue(snapshot.seq[rows], tokens), room)
    kept = list(filled.kept.values())
    text = laid_out(MEMORIES, [render(memory) for memory in kept])
    return Recalled(
        query="",
        memories=tuple(Hit(memory, memory.value or 0.0) for memory in kept),
        strength=0.0,
        tokens=token_estimate(text),
        dropped=tuple(filled.dropped),
        text=text,
        left_out={reason: count for reason, count in room.counts.items() if count},
    )


def _order(snapshot: Snapshot) -> Ints:
    """Order what stands: load-bearing by rank, worth and date, then episodes by date, the newest first.

    Of what is load-bearing the pinned come before identity before rejected paths before all else.
    """
    columns, tags = snapshot.columns, snapshot.tags
    rejected = tags[REJECTED_PATH]
    bearing = load_bearing(columns["kind"], rejected)
    rank = np.select(
        [~bearing, np.asarray(columns["pinned"]) > 0, tags[IDENTITY], rejected], [4, 0, 1, 2], default=3
    )
    worth = np.where(bearing, np.nan_to_num(np.asarray(columns["value"], np.float64)), 0.0)
    said_at = np.asarray(columns["said_at"], np.float64)
    order = np.lexsort((-snapshot.seq, -said_at, -worth, rank))
    standing: Ints = order[np.isin(columns["status"], list(STANDING))[order]]
    return standing
