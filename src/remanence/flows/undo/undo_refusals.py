"""Why a run is not taken back, told before anything is written: another's, ended, erased or forbidden since, protected.

A person may take back all, an agent its own runs where they touched nothing that protects. Knows owners, guards and the
parts of a run; what stands in the way row by row is told elsewhere.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any, cast

from remanence.core.change import AuditPart, Block, Cause, Change, Entry, inverses, row_count, rows_of
from remanence.core.errors import Erased, ImagesEnded, InvalidInput, Protected
from remanence.core.guards import find_protecting_guards
from remanence.core.model import STANDING, Memory, Status, short_id
from remanence.core.owner import PERSON, owner_of
from remanence.core.results import date_of
from remanence.flows.base.context import Core
from remanence.store.base import Arriving
from remanence.store.constraints import memories_of
from remanence.store.erasure import of_seq
from remanence.text.folding import fold_keys

GUARD = "owner"
ASK = "ask the user: a person can take back what an agent cannot, on the command line or in Python"
TEXT = "text"  # what an undoing does that rewrites
_PAGE = 1_000
# What protects a memory, or says how far it is believed and how careful rules are with it.
_PROTECTING = frozenset({"pinned", "holds", "hold_until", "trust", "policy_class"})
# What an undoing that leads to a status does as an edit of its own.
_FALLS = {Status.PRUNED: "prune", Status.SUPERSEDED: "merge", Status.ARCHIVED: "archive"}


def refuse_ended(run: str, left: Sequence[AuditPart]) -> None:
    """Refuse to take back a run of which images have ended."""
    for part in left:
        if part.ended_at is not None:
            raise ImagesEnded(
                f"run {run} is of {date_of(part.cause.at)} and cannot be undone: its images ended on"
                f" {date_of(part.ended_at)}",
                recovery="change its memories by hand; images are kept for as long as the setting `audit_days` says",
            )


async def refuse_erased_memories(core: Core, run: str, left: Sequence[AuditPart]) -> None:
    """Refuse to take back a run of which an erasure took something away."""
    if not (await core.store.arriving(core.scope, Arriving())).forbids:
        return
    for part in left:
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        seqs = {seq for change in rows_of(whole.entries) for seq in memories_of(change.table, change.key)}
        names = sorted(await core.store.find_erased_names(core.scope, sorted(map(of_seq, seqs))))
        if names or row_count(whole.entries) < whole.count:
            what = f"memory {names[0].partition(':')[2]}" if names else "a memory of it"
            raise Erased(
                f"the run cannot be undone: {what} was erased since",
                recovery="change the other memories of the run one by one",
            )


async def refuse_protected(core: Core, run: str, left: Sequence[AuditPart]) -> None:
    """Refuse an agent to take back what protects, or is protected; of a run of many parts all or nothing."""
    for part in () if takes_all_back(core) else left:
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        await refuse_guarded(core, whole.entries)


async def refuse_forbidden_texts(core: Core, run: str, left: Sequence[AuditPart]) -> None:
    """Refuse to give memories a text that was forbidden since, unless the run forbade it itself."""
    if not await core.store.forbidden(core.scope):
        return
    texts: set[str] = set()
    lifts: set[object] = set()
    for part in left:
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        for change in inverses([one for one in whole.entries if isinstance(one, Change)]):
            after = change.after or {}
            if change.table == "forbidden" and change.after is None:
                lifts.add(change.key)
            elif change.table == "memories" and after.get("status", Status.INBOX) in STANDING:
                texts |= {after["text"]} if "text" in after else set()
    keys = await asyncio.to_thread(lambda: sorted({key for text in texts for key in fold_keys(text)}))
    bans = (
        [one for one in await core.store.forbidden(core.scope, keys) if one.fold not in lifts] if keys else []
    )
    if bans:
        raise InvalidInput(
            f"undone, the run would bring back a text that is forbidden since: {bans[0]}",
            recovery=f"lift it first: remanence forbidden lift {bans[0].fold}; or leave the run as it is",
        )


def takes_all_back(core: Core) -> bool:
    """Tell whether a person opened the memory."""
    return core.owner == PERSON


def is_own(core: Core, cause: Cause) -> bool:
    """Tell whether a run was made by who opened the memory."""
    return owner_of(cause) in core.owners


def may_be_named(core: Core, cause: Cause) -> bool:
    """Tell whether a run may be named to who opened the memory: an agent is told of its own alone."""
    return takes_all_back(core) or is_own(core, cause)


def refuse_another(core: Core, first: Cause) -> None:
    """Refuse to take a run back that is not an agent's own; nothing is said of whose it is."""
    if not may_be_named(core, first):
        raise Protected(
            "that run is not taken back here: an agent takes back its own runs alone",
            recovery=ASK,
            guards=(GUARD,),
        )


async def refuse_guarded(core: Core, entries: Sequence[Entry]) -> None:
    """Refuse an agent to take back what touched a protection, or what the guards in force keep from such an edit.

    `entries` are the changes of its run.
    """
    if any(_protects(entry) for entry in entries):
        raise _make_refusal()
    acts = dict(_acts(inverses(entries)))
    seqs = sorted(acts)
    for first in range(0, len(seqs), _PAGE):
        for memory in await core.store.get(core.scope, seqs[first : first + _PAGE]):
            if memory is not None:
                _refuse(core, memory, acts[memory.seq])


def _protects(entry: Entry) -> bool:
    """Tell whether an entry changed what protects a memory, forbade or allowed a text, or came to the quarantine."""
    if entry.table == "forbidden":
        return True
    if entry.table != "memories":
        return False
    if isinstance(entry, Block):
        return not _PROTECTING.isdisjoint(entry.columns) or _in_quarantine(entry)
    before, after = entry.before or {}, entry.after or {}
    if Status.QUARANTINED in (before.get("status"), after.get("status")):
        return True
    if entry.before is not None and entry.after is None:  # destroyed, the whole row is there
        return bool(before.get("pinned") or before.get("holds"))
    return any(before.get(name) != after.get(name) for name in _PROTECTING & {*before, *after})


def _in_quarantine(block: Block) -> bool:
    if "status" not in block.columns:
        return False
    place = block.columns.index("status")
    sides = (side for side in (block.before, block.after) if side is not None)
    return any((side[:, place] == Status.QUARANTINED).any() for side in sides)


def _acts(back: Sequence[Entry]) -> Iterator[tuple[int, str]]:
    """Yield what an undoing does to each memory, as the action that a guard may block, and TEXT for a rewriting."""
    for entry in back:
        if entry.table != "memories":
            continue
        for change in entry.changes() if isinstance(entry, Block) else (entry,):
            seq, after = cast("int", change.key), change.after
            if after is None:
                yield seq, "purge"
            elif change.before is not None:
                yield seq, _act(change.before, after)


def _act(before: Any, after: Any) -> str:
    if after.get("status") in _FALLS:
        return _FALLS[Status(after["status"])]
    if "text" in after:
        return TEXT
    if "form" in after and after["form"] > before.get("form", 0):
        return "shrink"
    return "move" if "tier" in after and "status" not in after else ""


def _refuse(core: Core, memory: Memory, act: str) -> None:
    """Refuse what the guards that protect a memory now would refuse as an edit."""
    if memory.status is Status.QUARANTINED:
        raise _make_refusal()
    system, now = core.policy.is_system(memory.category), core.clock.now()
    if act == TEXT:  # as `update`: a hold alone forbids it
        guards = tuple({"held"} & {*find_protecting_guards(memory, system=system, now=now)})
    else:
        guards = find_protecting_guards(memory, system=system, now=now, action=act)
    if guards:
        raise Protected(
            f"memory {short_id(memory.seq)} is protected: {', '.join(guards)}",
            recovery="nothing was undone; ask the user, who can take it back",
            guards=guards,
        )


def _make_refusal() -> Protected:
    return Protected(
        "that run is not taken back here: it touched a hold, a pin, the quarantine, a forbidden text, trust or policy",
        recovery=ASK,
        guards=(GUARD,),
    )
