"""A file that holds what a ledger names as erased is not opened until somebody settles that: `memory.erase`.

Called at each opening, and by the verbs that settle it. Knows what a ledger names; must not know how one is kept.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from remanence.core.errors import Conflict, InvalidInput
from remanence.core.model import Memory
from remanence.core.receipt import Receipt
from remanence.core.redaction import Names
from remanence.core.results import number
from remanence.flows.base.context import RACES_MAX, Core, receipt, wait_before_retry
from remanence.flows.entities.subject import subject_of
from remanence.flows.erase import erase
from remanence.flows.erase.erase_changes import PURGED, chunks, get
from remanence.flows.erase.erase_results import LISTED, ErasedSinceReport, ErasePreview, Erasure
from remanence.gate.screening import refuse_secret
from remanence.store.erasure import ERASE, KEEP
from remanence.text.analysis import check_text


class ErasedSinceVerbs:
    """What a person does about a file that holds what was erased since: `resume` then goes on with the opening."""

    def __init__(self, core: Core, resume: Callable[[Core], Awaitable[None]]) -> None:
        self._core = core
        self._resume = resume

    async def show(self) -> ErasedSinceReport | None:
        """Show what a ledger names and the file holds; None where it holds nothing of it."""
        difference = self._core.unsettled
        if difference is None:
            return None
        erasures: dict[str, ErasePreview] = {}
        by_scope: dict[str, tuple[Memory, ...]] = {}
        for scope, seqs in sorted(difference.erased.items()):
            core = replace(self._core, scope=scope)
            erasures[scope] = await erase.show_erasure(core, await _find_revisions(core, seqs))
        for scope, seqs in sorted(difference.redacted.items()):
            by_scope[scope] = tuple(await get(replace(self._core, scope=scope), seqs[:LISTED]))
        redactions = sum(map(len, difference.redacted.values()))
        return ErasedSinceReport(difference.ledgers, difference.damaged, erasures, by_scope, redactions)

    async def finish(self, subject: str | Sequence[str] | None) -> Erasure:
        """Erase what a ledger names, or take a person's names out where these are given, and go on with the opening."""
        core = self._core
        await _open_to_write(core)
        erasure = await erase_again(core, subject)
        await self._resume(core)
        return erasure

    async def keep(self, because: str) -> Receipt:
        """Keep what a ledger names, say why in the history, and go on with the opening."""
        check_text(because)
        refuse_secret(self._core.salt, "reason", because)
        core, difference = self._core, self._core.unsettled
        if difference is None:
            raise InvalidInput(
                "this file holds nothing that was erased since", recovery="nothing is to be kept; go on"
            )
        await _open_to_write(core)
        cause, count = core.cause(KEEP, detail={"because": because}), 0
        for scope in sorted({*difference.erased, *difference.redacted} or {core.scope}):
            count += await core.store.keep_standing(
                scope, cause if scope == core.scope else replace(cause, run=core.new_id())
            )
        if not await core.store.take_ledgers(core.scope, accept_damage=True):
            raise Conflict(
                [], "more was erased meanwhile", "open the file again, and look; nothing else was kept"
            )
        core.unsettled = None
        await self._resume(core)
        return receipt(core.scope, cause, 0, {KEEP: count})


async def _open_to_write(core: Core) -> None:
    await core.store.close()
    await core.store.open(read_only=core.reads_only)


async def erase_again(core: Core, subject: str | Sequence[str] | None) -> Erasure:
    """Take away in every scope what ledgers name, take their marks in, and prove it gone."""
    cause = core.cause(ERASE)
    erased = redacted = 0
    for attempt in range(RACES_MAX):
        found = await core.store.compare_ledgers()
        try:
            for scope in sorted({*found.erased, *found.redacted}):
                within = replace(core, scope=scope)
                named = await _find_revisions(within, found.erased.get(scope, ()))
                names, redacts = await _find_redactions(within, found.redacted.get(scope, ()), subject)
                gone = await erase.erase_again(
                    within, named | ({} if names else redacts), redacts if names else {}, names
                )
                erased, redacted = erased + gone, redacted + (len(redacts) if names else 0)
        except Conflict as conflict:  # another process opened it, too
            await wait_before_retry(attempt, conflict)
            continue
        if await core.store.take_ledgers(core.scope, accept_damage=True):
            break
    core.unsettled = None
    cleaned = await core.store.clean(core.scope)
    return replace(erase.describe(cause, core.scope, erased, cleaned), redacted=redacted)


async def _find_revisions(core: Core, seqs: Sequence[int]) -> dict[int, int]:
    """Return memories with their revisions: 0 for one that was purged and has images alone."""
    revisions: dict[int, int] = {}
    for some in chunks(seqs):
        revisions |= {one.seq: PURGED for one in await core.store.find_purged_memories(core.scope, some)}
        revisions |= {one.seq: one.revision for one in await get(core, some)}
    return revisions


async def _find_redactions(
    core: Core, seqs: Sequence[int], subject: str | Sequence[str] | None
) -> tuple[Names | None, dict[int, int]]:
    """Return a person's names and the memories that say them; no names where none were given."""
    redacts: dict[int, int] = {}
    names = None if subject is None or not seqs else (await subject_of(core, subject)).names
    mismatches: list[int] = []
    for some in chunks(seqs):
        memories = await get(core, some)
        redacts |= {one.seq: one.revision for one in memories}
        mismatches += [one.seq for one in memories if names is not None and not names.stand_in(one.text)]
    if mismatches:
        numbers = ", ".join(f"#{seq}" for seq in mismatches[:LISTED])
        raise InvalidInput(
            f"{number(len(mismatches), 'memory does', 'memories do')} not say that name: {numbers}",
            recovery="pass every name that was taken out, or none: then they are erased; nothing was changed",
        )
    return names, redacts
