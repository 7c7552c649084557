"""Which runs are not taken back, whatever their rows are now, and by whom: refused before anything is written.

A person may take back all, an agent its own runs where they touched nothing that protects.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence

from remanence.core.change import PROMOTE, ROWLESS, AuditPart, Cause, inverses, row_count, rows_of
from remanence.core.errors import Erased, ImagesEnded, InvalidInput, Protected, format_value
from remanence.core.model import STANDING, Status
from remanence.core.owner import PERSON, owner_of
from remanence.core.results import date_of
from remanence.flows.base.context import Core
from remanence.store.base import Arriving
from remanence.store.constraints import memories_of
from remanence.store.erasure import ERASE, KEEP, of_seq
from remanence.store.undo_data_pruning import EXPIRE
from remanence.text.forbidden_keys import fold_keys

GUARD = "owner"
ASK = "ask the user: a person can take back what an agent cannot, on the command line or in Python"


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


def refuse_verb(cause: Cause) -> None:
    """Refuse to take back a run of a verb that no undo takes back, or one of another scope that is noted here."""
    verb = cause.verb
    if verb == PROMOTE and "to" in cause.detail:
        scope = format_value(cause.detail["to"])
        raise InvalidInput(
            f"the copies of that run are in scope {scope}", recovery=f"undo it in scope {scope}"
        )
    if verb in ROWLESS:
        raise InvalidInput(
            "a run that only counted uses, or embedded memories again, is not undone",
            recovery="undo the run that changed the memory instead",
        )
    if verb == ERASE:
        raise Erased("an erasure is not undone: what it took is kept nowhere")
    if verb == KEEP:
        raise InvalidInput("what was kept is not undone", recovery="erase it, if it is to go after all")
    if verb == EXPIRE:
        raise ImagesEnded("an end of images is not undone", recovery="nothing: what ended is kept nowhere")


async def read_part(core: Core, part: AuditPart) -> AuditPart:
    """Return a part of a run with its changes."""
    (whole,) = await core.store.history(core.scope, run=part.cause.run, after=part.position - 1, limit=1)
    return whole


async def iterate_parts(core: Core, parts: Sequence[AuditPart]) -> AsyncIterator[AuditPart]:
    """Yield parts of a run with their changes, one at a time."""
    for part in parts:
        yield await read_part(core, part)


def refuse_ended(run: str, parts: Sequence[AuditPart]) -> None:
    """Refuse to take back a run of which images have ended."""
    for part in parts:
        if part.ended_at is not None:
            raise ImagesEnded(
                f"run {run} is of {date_of(part.cause.at)} and cannot be undone: its images ended on"
                f" {date_of(part.ended_at)}",
                recovery="change its memories by hand; images are kept for as long as the setting `audit_days` says",
            )


async def refuse_forbidden_texts(core: Core, parts: Sequence[AuditPart]) -> None:
    """Refuse to give memories a text that was forbidden since, unless the run forbade it itself."""
    if not await core.store.forbidden(core.scope):
        return
    texts: set[str] = set()
    lifts: set[object] = set()
    async for part in iterate_parts(core, parts):
        entries = [one for one in part.entries if one.table == "forbidden" or "text" in one.columns]
        for change in rows_of(inverses(entries)):
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
            recovery=f"lift it first: remanence forbid {bans[0].fold} --off; or leave the run as it is",
        )


async def refuse_erased_memories(core: Core, parts: Sequence[AuditPart]) -> None:
    """Refuse to take back a run of which an erasure took something away."""
    if not (await core.store.arriving(core.scope, Arriving())).forbids:
        return
    async for part in iterate_parts(core, parts):
        seqs = {seq for change in rows_of(part.entries) for seq in memories_of(change.table, change.key)}
        names = sorted(await core.store.find_erased_names(core.scope, sorted(map(of_seq, seqs))))
        if names or row_count(part.entries) < part.count:
            what = f"memory {names[0].partition(':')[2]}" if names else "a memory of it"
            raise Erased(
                f"the run cannot be undone: {what} was erased since",
                recovery="change the other memories of the run one by one",
            )


async def refuse_protected(core: Core, parts: Sequence[AuditPart]) -> None:
    """Refuse an opening to take back what only a person takes off; of a run of many parts all or nothing."""
    if "release" in core.denials:
        async for part in iterate_parts(core, parts):
            await core.refuse_protected(inverses(part.entries))
