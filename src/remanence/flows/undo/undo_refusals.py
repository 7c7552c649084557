"""Why a run is not taken back, told before anything is written: what ended, was erased or forbidden since, or protects.

Knows the parts of a run; what stands in the way row by row is told elsewhere.
"""

import asyncio
from collections.abc import Sequence

from remanence.core.change import AuditPart, Change, inverses, row_count, rows_of
from remanence.core.errors import Erased, ImagesEnded, InvalidInput
from remanence.core.model import STANDING, Status
from remanence.core.results import date_of
from remanence.flows.base.context import Core
from remanence.flows.undo.owning import refuse_guarded, takes_all_back
from remanence.store.base import Arriving
from remanence.store.constraints import memories_of
from remanence.store.erasure import of_seq
from remanence.text.folding import fold_keys


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
        gone = sorted(await core.store.find_erased_names(core.scope, sorted(map(of_seq, seqs))))
        if gone or row_count(whole.entries) < whole.count:
            what = f"memory {gone[0].partition(':')[2]}" if gone else "a memory of it"
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
    lifted: set[object] = set()
    for part in left:
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        for change in inverses([one for one in whole.entries if isinstance(one, Change)]):
            after = change.after or {}
            if change.table == "forbidden" and change.after is None:
                lifted.add(change.key)
            elif change.table == "memories" and after.get("status", Status.INBOX) in STANDING:
                texts |= {after["text"]} if "text" in after else set()
    keys = await asyncio.to_thread(lambda: sorted({key for text in texts for key in fold_keys(text)}))
    known = (
        [one for one in await core.store.forbidden(core.scope, keys) if one.fold not in lifted]
        if keys
        else []
    )
    if known:
        raise InvalidInput(
            f"undone, the run would bring back a text that is forbidden since: {known[0]}",
            recovery=f"lift it first: remanence forbidden lift {known[0].fold}; or leave the run as it is",
        )
