"""Runs are taken back and fallen memories brought back: the audit read backwards, committed like any other change."""

import hashlib
from typing import Any

import numpy as np

from remanence.change import Change, Logged, Receipt, inverses
from remanence.errors import Conflict, InvalidInput, NotFound
from remanence.flows.core import Core, receipt, update
from remanence.model import Memory, Status, Tier
from remanence.snapshot import Wanted

STANDING = (Status.INBOX, Status.ACTIVE)
PAGE = 1_000


async def undo(core: Core, run: str) -> Receipt:
    """Take a run back: its parts in reverse, each inverted; refuse as a whole if a row changed since.

    The undoing run's id follows from the undone one's, so a second undo is refused and an interrupted one goes on
    where it stopped.
    """
    logged = await _parts(core, run)
    if not logged:
        raise NotFound(f"no run {run!r} in scope {core.scope!r}", recovery="list runs with `history`")
    if logged[0].cause.verb == "use":
        raise InvalidInput("uses are not undone", recovery="undo the run that changed the memory instead")
    undoing = undo_id(run)
    done = {part.cause.part for part in await _parts(core, undoing)}
    left = [part for part in reversed(logged) if part.cause.part not in done]
    if not left:
        raise InvalidInput(
            f"run {run} is undone already", recovery=f"to do it again, undo the undoing: {undoing}"
        )
    if len(left) > 1:
        await _refuse_later_edits(core, run, left)
    changed = 0
    for part in left:
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        final = part is left[-1]
        detail = {"undoes": run}
        cause = core.cause(
            "undo", run=undoing, part=part.cause.part, final=final, planned=True, detail=detail
        )
        try:
            await core.commit(inverses(whole.changes), cause)
        except Conflict as conflict:
            raise _changed_since(run, conflict.keys) from conflict
        changed += len(whole.changes)
    return receipt(core.scope, core.cause("undo", run=undoing), changed, {"undo": changed}, parts=len(left))


def undo_id(run: str) -> str:
    """Return the id of the run that undoes `run`."""
    return hashlib.blake2b(b"undo " + run.encode(), digest_size=16).hexdigest()


async def _parts(core: Core, run: str) -> list[Logged]:
    """Return all parts of a run without their changes."""
    found: list[Logged] = []
    while True:
        after = found[-1].position if found else 0
        page = await core.store.history(core.scope, run=run, after=after, limit=PAGE, rows=False)
        found += page
        if len(page) < PAGE:
            return found


async def _refuse_later_edits(core: Core, run: str, left: list[Logged]) -> None:
    """Look at all parts before the first is undone, so that a run of many parts is undone whole or not at all."""
    snapshot = await core.store.snapshot(core.scope, Wanted(frozenset()), core.clock.now())
    revision = snapshot.columns["revision"]
    stale: list[tuple[str, Any]] = []
    for part in left:
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        expected = {
            change.key: change.before["revision"]
            for change in inverses(whole.changes)
            if change.table == "memories" and change.before is not None and "revision" in change.before
        }
        keys = np.fromiter(expected, np.int64, len(expected))
        at = np.searchsorted(snapshot.seq, keys)
        at[at == len(snapshot)] = 0
        wrong = (snapshot.seq[at] != keys) | (
            revision[at] != np.fromiter(expected.values(), np.int64, len(expected))
        )
        stale += [("memories", int(key)) for key in keys[wrong]]
    if stale:
        raise _changed_since(run, stale)


def _changed_since(run: str, keys: Any) -> Conflict:
    shown = ", ".join(f"{table} {key}" for table, key in keys[:5])
    return Conflict(keys, f"run {run} cannot be undone: {len(keys)} rows changed since, among them {shown}")


async def restore(core: Core, name: int | str) -> Receipt:
    """Bring a memory back: one that fell to active, one that was purged from its image in the audit."""
    (memory,) = await core.store.get(core.scope, [name])
    if memory is None:
        return await _recreate(core, name)
    if memory.status in STANDING:
        raise InvalidInput(
            f"memory {memory.id} stands already: it is {memory.status.label}", recovery="nothing to restore"
        )

    async def decide(memory: Memory) -> list[Change]:
        return update(memory, {**standing(core.clock.now()), "valid_to": None})

    return await core.change_one(memory.seq, "restore", decide)


def standing(now: int) -> dict[str, Any]:
    """Return the columns of a memory that comes back to active."""
    return {"status": Status.ACTIVE, "tier": Tier.HOT, "reason": None, "status_at": now, "tier_at": now}


async def _recreate(core: Core, name: int | str) -> Receipt:
    """Rebuild a purged memory, with the tags, sources and links that went with it, from the run that purged it."""
    found = await _image(core, name)
    if found is None:
        raise NotFound(f"no memory {name!r}, and no image of it in the audit", recovery="look at `history`")
    run, seq = found
    now = core.clock.now()
    created: list[Change] = []
    for part in await core.store.history(core.scope, run=run):
        created += [
            change for change in inverses(part.changes) if change.before is None and _names(change, seq)
        ]
    created = [_stood_up(change, now) if change.table == "memories" else change for change in created]
    ends = {end for change in created if change.table == "links" for end in change.key[:2]} - {seq}  # type: ignore[index]
    here = {memory.seq for memory in await core.store.get(core.scope, sorted(ends)) if memory is not None} | {
        seq
    }
    whole = [change for change in created if change.table != "links" or set(change.key[:2]) <= here]  # type: ignore[index]
    cause = core.cause("restore", detail={"seq": seq})
    await core.commit(whole, cause)
    skipped = [f"link {change.key}: its other end is gone" for change in created if change not in whole]
    return receipt(core.scope, cause, len(whole), {"restore": 1}, skipped=tuple(skipped))


async def _image(core: Core, name: int | str) -> tuple[str, int] | None:
    """Find the run that destroyed a memory's row, newest first of those the audit still holds."""
    after = 0
    found: tuple[str, int] | None = None
    while True:
        page = await core.store.history(
            core.scope, memory=name if isinstance(name, int) else None, after=after, limit=PAGE
        )
        for part in page:
            for change in part.changes:
                if change.table == "memories" and change.after is None and _is(change, name):
                    assert isinstance(change.key, int)
                    found = (part.cause.run, change.key)
        if len(page) < PAGE:
            return found
        after = page[-1].position


def _is(change: Change, name: int | str) -> bool:
    return change.before is not None and name in (
        change.key,
        change.before.get("id"),
        change.before.get("key"),
    )


def _names(change: Change, seq: int) -> bool:
    if isinstance(change.key, int):
        return change.key == seq
    return seq == change.key[0] or (change.table == "links" and seq == change.key[1])


def _stood_up(change: Change, now: int) -> Change:
    assert change.after is not None
    return Change("memories", change.key, None, {**change.after, **standing(now)})
