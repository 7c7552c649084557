"""Memories erased for good, with every copy that the memory keeps of them, as `memory.erase`: shown first, then done.

Decides what goes and what is told of it; must not know how a store takes images away and proves it.
"""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol, overload

from remanence.core.arguments import check_count
from remanence.core.change import Cause
from remanence.core.errors import Conflict, InvalidInput, NotFound, Protected
from remanence.core.keywords import Some
from remanence.core.model import Memories, Memory, Relation, short_id
from remanence.core.receipt import Receipt
from remanence.core.redaction import Names
from remanence.flows.base import copies
from remanence.flows.base.context import RACES_MAX, Core, reach_scope, wait_before_retry
from remanence.flows.base.copies import RegisteredCopy, dismiss, register
from remanence.flows.base.naming import list_memory_names
from remanence.flows.base.paging import iterate_pages
from remanence.flows.base.permission_checks import verb_class
from remanence.flows.base.person_guards import is_held
from remanence.flows.consolidate import consolidation, reflections
from remanence.flows.entities.subject import Subject, subject_of
from remanence.flows.erase import erase_changes
from remanence.flows.erase.erase_changes import (
    PURGED,
    ErasePart,
    changes_of,
    chunks,
    get,
    lineage,
    settings_without,
    still_named,
)
from remanence.flows.erase.erase_results import LISTED, ErasedSinceReport, ErasePreview, Erasure, Revisions
from remanence.flows.mirror import erased_files
from remanence.flows.mirror.mirroring import MIRRORS
from remanence.flows.undo.restoring import image
from remanence.flows.write.proposals import UNDER
from remanence.store.base import Bookkeeping, CleanResult, Find
from remanence.store.capabilities import ERASABLE, require
from remanence.store.erasure import ERASE

SCOPES_MAX = 8  # other scopes that one erasure reaches, each open at the same time


class ErasedSinceSettling(Protocol):
    """What settles a file that holds what was erased since it was copied; the engine hands it in."""

    async def show(self) -> ErasedSinceReport | None:
        """Show it."""
        ...

    async def finish(self, subject: str | Sequence[str] | None) -> Erasure:
        """Erase or redact it."""
        ...

    async def keep(self, because: str) -> Receipt:
        """Keep it."""
        ...


@verb_class("erase")
class Erase:
    """Memories erased for good, shown first and then done: `memory.erase`."""

    def __init__(self, core: Core, since: ErasedSinceSettling) -> None:
        self._core = core
        self._since = since

    @overload
    async def show(
        self,
        names: Memories = (),
        *,
        scope: bool = False,
        subject: str | Sequence[str] | None = None,
        mentions: bool = False,
        scopes: Sequence[str] = (),
    ) -> ErasePreview: ...

    @overload
    async def show(self, *, since: Literal[True]) -> ErasedSinceReport | None: ...

    @overload
    async def show(self, *, copies: Literal[True]) -> list[RegisteredCopy]: ...

    async def show(
        self,
        names: Memories = (),
        *,
        scope: bool = False,
        subject: str | Sequence[str] | None = None,
        mentions: bool = False,
        scopes: Sequence[str] = (),
        since: bool = False,
        copies: bool = False,
    ) -> ErasePreview | ErasedSinceReport | list[RegisteredCopy] | None:
        """Show what a permanent erasure would remove, with all copies; the command erases with `--yes`.

        With `scope` it shows all memories of this scope. With `subject` it shows what a person said, by one name or
        several names of the same person, and the person as an entity. With `mentions` the names are also taken out of
        what others said. Memories that were learned from the erased ones alone are erased with them. In other `scopes`
        it shows what goes, too: memories with the same text and speaker, or the same person by these names.

        With `since` it shows which data in this file were erased since it was copied, None where it holds none. Such a
        file is opened with `erased_since="look"`, and only this, `apply()`, `settle(keep=…)`, `status` and `doctor`
        work. With `copies` it lists exports of this scope and backups that were made here, oldest first, and whether
        they are gone.
        """
        if since or copies:
            if names or scope or mentions or scopes or subject is not None or (since and copies):
                raise InvalidInput(
                    "it asks for several things at once",
                    recovery="name what to erase, or pass `since`, or `copies`, alone",
                )
            if since:
                return await self._since.show()
            return list((await register(self._core.usable_core)).listed)
        require(self._core.store, ERASABLE, "erase.show")
        name_list = list_memory_names(names) if names else []
        if (bool(name_list), scope, subject is not None).count(True) != 1:
            raise InvalidInput(
                "nothing, or more than one of memories, a person and the whole scope, is named",
                recovery="name the memories to erase, or the person, or the whole scope",
            )
        if mentions and subject is None:
            raise InvalidInput("nobody is named whose mentions are meant", recovery="name the person as well")
        core = self._core.usable_core
        if subject is not None:
            preview = await _shown_of(core, await subject_of(core, subject), mentions=mentions)
        elif scope:
            all_memories = {
                memory.seq: memory.revision async for page in iterate_pages(core) for memory in page
            }
            preview = await show_erasure(core, all_memories)
        else:
            preview = await show_erasure(core, await _find_revisions(core, name_list))
        check_count("the number of scopes", len(set(scopes)), 0, SCOPES_MAX)
        others = [one for one in dict.fromkeys(scopes) if one != core.scope]
        elsewhere = [await _show_elsewhere(core, preview, other, mentions=mentions) for other in others]
        return replace(preview, elsewhere=tuple(one for one in elsewhere if one is not None))

    @overload
    async def apply(self, shown: ErasePreview) -> Erasure: ...

    @overload
    async def apply(self, *, subject: str | Sequence[str] | None = None) -> Erasure | None: ...

    async def apply(
        self, shown: ErasePreview | None = None, *, subject: str | Sequence[str] | None = None
    ) -> Erasure | None:
        """Erase what was shown or pending permanently: rows, words, vectors, undo data; then verify it.

        An erasure cannot be undone, and no door lets an erased text in again. Nothing is erased if a memory changed
        since, in any scope. Scopes are erased one after another, this one last: if that is interrupted, show it again.

        Without `shown` it finishes pending erasures: data that were erased since this file was copied are erased here,
        too, and the file is rewritten and checked if an erasure left that pending. From memories that were only
        redacted since, the names of `subject` are taken out; without names these memories are erased. It returns None
        if nothing is pending.
        """
        require(self._core.store, ERASABLE, "erase.apply")
        if shown is None:
            if self._core.unsettled is not None:
                return await self._since.finish(subject)
            cleanup = await self._core.store.clean(self._core.scope)
            if cleanup.is_done or cleanup.is_pending:
                return describe(self._core.cause(ERASE), self._core.scope, 0, cleanup)
            return None
        if subject is not None:
            raise InvalidInput(
                "a person is named beside what was shown",
                recovery="show what that person said, and apply that",
            )
        core = self._core.usable_core
        if shown.scope != core.scope:
            raise InvalidInput(
                f"this was shown of scope {shown.scope!r}", recovery="show it anew, and apply that"
            )
        previews = [one for one in (*shown.elsewhere, shown) if one.revisions or one.redacts]
        if not previews:
            raise InvalidInput("there is nothing to erase", recovery="show what there is")
        async with AsyncExitStack() as stack:
            cores = [await stack.enter_async_context(reach_scope(core, one.scope)) for one in previews]
            done = await _erase_in_scopes(list(zip(cores, previews, strict=True)))
        own = done.pop() if previews[-1] is shown else Erasure("", core.clock.now(), core.scope, 0)
        return replace(own, elsewhere=tuple(done))

    @overload
    async def settle(self, *, keep: str) -> Receipt: ...

    @overload
    async def settle(self, *, copies: Some[str | Path]) -> list[RegisteredCopy]: ...

    async def settle(
        self, *, keep: str | None = None, copies: Some[str | Path] | None = None
    ) -> Receipt | list[RegisteredCopy]:
        """Keep what was erased since this file was copied, or take copies out of the list; no file is touched.

        `keep` is the reason, for the history; `show(since=True)` shows what is kept. `copies` are exports or backups,
        by the paths that `show(copies=True)` lists; the entries that were taken out of the list are returned.
        """
        if keep is not None and copies is None:
            return await self._since.keep(keep)
        if copies is None or keep is not None:
            raise InvalidInput(
                "nothing is to be settled, or two things at once", recovery="pass `keep`, or `copies`"
            )
        paths = [copies] if isinstance(copies, str | Path) else copies
        return await dismiss(self._core.usable_core, paths)


async def _find_revisions(core: Core, names: Sequence[int | str]) -> dict[int, int]:
    """Return memories by what they are named, with their revisions: 0 for one that was purged and has images alone."""
    memories = dict(zip(names, await core.find_memories(names), strict=True))
    revisions: dict[int, int] = {}
    missing: list[int | str] = []
    for name, memory in memories.items():
        if memory is not None:
            revisions[memory.seq] = memory.revision
        elif (last_image := await image(core, name)) is not None:
            revisions[last_image.seq] = PURGED
        else:
            missing.append(name)
    if missing:
        await core.all_of(missing)
    return revisions


async def _shown_of(core: Core, subject: Subject, *, mentions: bool) -> ErasePreview:
    """Show what goes of a person, and what others said that names that person."""
    purges = {seq: PURGED for seq, revision in subject.mentioned.items() if mentions and revision == PURGED}
    preview = await show_erasure(core, {**subject.own, **purges})
    mentioning = {
        seq: revision for seq, revision in subject.mentioned.items() if seq not in preview.revisions
    }
    first: list[Memory] = []
    on_hold = list(preview.held)
    for some in chunks(sorted(mentioning)):
        memories = await get(core, some)
        first += memories[: LISTED - len(first)]
        on_hold += [one for one in memories if mentions and is_held(one, core.clock.now())]
    maybe = {part: (len(seqs), tuple(subject.parts.others[part])) for part, seqs in subject.maybe.items()}
    perhaps = dict.fromkeys(seq for seqs in subject.maybe.values() for seq in seqs[:LISTED])
    return replace(
        preview,
        maybe=maybe,
        perhaps=tuple(await get(core, list(perhaps)[:LISTED])),
        subject=subject.names.names,
        mentioned=tuple(first),
        mentions=len(mentioning),
        namesakes=subject.names.others,
        redacts=mentioning if mentions else {},
        held=tuple(on_hold),
    )


async def _show_elsewhere(
    core: Core, preview: ErasePreview, scope: str, *, mentions: bool
) -> ErasePreview | None:
    """Show what goes in another scope beside what goes in this one; None where nothing there is the same."""
    async with reach_scope(core, scope) as other:
        if preview.subject:
            try:
                subject = await subject_of(other, preview.subject)
            except NotFound:
                return None
            except InvalidInput as error:
                raise InvalidInput(f"in scope {scope!r}: {error}", recovery=error.recovery) from error
            return await _shown_of(other, subject, mentions=mentions)
        revisions: dict[int, int] = {}
        for some in chunks(sorted(preview.revisions)):
            worded = await _find_worded(other, await get(core, some))
            revisions |= {one.seq: one.revision for one in worded}
        return await show_erasure(other, revisions) if revisions else None


async def show_erasure(core: Core, named: Revisions) -> ErasePreview:
    """Show what goes with some memories."""
    from_them = await lineage(core, named)
    descendants = from_them.alone
    going = {**named, **{one.seq: one.revision for one in descendants}}
    first = await get(core, sorted(named)[:LISTED])
    books = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), under=(MIRRORS,)))
    register = await copies.register(core)
    same: dict[int, Memory] = {}
    on_hold: list[Memory] = []
    for some in chunks(sorted(going)):
        memories = await get(core, some)
        on_hold += [one for one in memories if is_held(one, core.clock.now())]
        same |= await _saying_same(core, memories, going)
    return ErasePreview(
        core.scope,
        core.clock.now(),
        len(named),
        tuple(first),
        learned=tuple(descendants[:LISTED]),
        others=tuple(from_them.others),
        same=tuple(same[seq] for seq in sorted(same)),
        held=tuple(on_hold),
        mirrors=tuple(sorted(str(row["path"]) for row in books.values.values())),
        registered=register.listed,
        unlisted=register.unlisted,
        revisions=going,
        purged=sum(revision == PURGED for revision in going.values()),
        anew=from_them.anew,
    )


async def _saying_same(core: Core, memories: Sequence[Memory], going: Revisions) -> dict[int, Memory]:
    """Return memories that stay and say what some that go say: the same words beside them, or merged with them."""
    seqs = [one.seq for one in memories]
    links = await core.store.neighbours(core.scope, seqs, Relation.NEAR_DUPLICATE)
    merges = await core.store.neighbours(core.scope, seqs, Relation.MERGED_FROM)
    as_one = {seq for link in merges for seq in (link.source, link.target)} - going.keys()
    ends = {seq for link in links for seq in (link.source, link.target)} - going.keys()
    texts = {one.text for one in memories}
    candidates = await get(core, sorted(as_one | ends))
    # By their words: one that was replaced or archived is no neighbour of what is learned after it.
    alike = {one.seq: one for one in await _find_worded(core, memories) if one.seq not in going}
    return alike | {one.seq: one for one in candidates if one.seq in as_one or one.text in texts}


async def _find_worded(core: Core, memories: Sequence[Memory]) -> list[Memory]:
    """Return what a scope has with the text and the speaker of some memories, of this or another scope."""
    texts = {one.text for one in memories}
    worded = Find(equal={"fingerprint": tuple({one.fingerprint for one in memories})})
    return [one async for page in iterate_pages(core, worded) for one in page if one.text in texts]


async def _erase_in_scopes(previews: Sequence[tuple[Core, ErasePreview]]) -> list[Erasure]:
    """Erase what was shown in each scope, the last of them last, and prove it.

    Nothing is erased if something changed before. What changes from then on ends it: the scopes before are erased.
    """
    for core, preview in previews:
        await _refuse_changed(core, preview)
    # All are gone before the first proof: else it would call shared what the next scope still says.
    runs: list[_ErasureRun] = []
    try:
        for core, preview in previews:
            runs.append(await _take_away(core, preview))
    except Conflict as conflict:
        if not runs:
            raise
        erased = ", ".join([(await _prove(run)).scope for run in runs])
        raise Conflict(
            conflict.keys,
            recovery=f"show the erasure anew: it was done in scope {erased}, and not in those after it",
        ) from conflict
    # The last first: what scopes of one file leave is looked for once, and the proof is for who asked.
    return [await _prove(run) for run in reversed(runs)][::-1]


@dataclass(frozen=True, slots=True)
class _ErasureRun:
    """An erasure of one scope that is committed and not proved yet; `sought` is what its proof looks for."""

    core: Core
    shown: ErasePreview
    cause: Cause
    register: copies.Register
    sought: erased_files.Sought
    named_in: tuple[str, ...]
    redrawn: int


async def _take_away(core: Core, shown: ErasePreview) -> _ErasureRun:
    """Erase in one scope what was shown of it."""
    cause = core.cause(ERASE)
    register = await copies.register(core)
    names = Names(shown.subject, shown.namesakes) if shown.subject else None
    sought = await erased_files.sought_of(core, shown.revisions, names if shown.redacts else None)
    await _erase_in_parts(core, shown, names, cause)
    await erase_changes.end_sessions(core, sought.sessions, shown.revisions.keys())
    leftovers = () if names is None or not shown.redacts else await still_named(core, names)
    redrawn = await consolidation.draw_owed(core) if shown.anew else 0
    return _ErasureRun(core, shown, cause, register, sought, leftovers, redrawn)


async def _prove(run: _ErasureRun) -> Erasure:
    """Rewrite the files of a scope without what was erased, look for it, and say what came of it."""
    core, shown = run.core, run.shown
    cleanup = await core.store.clean(core.scope)  # first: whoever keeps a mirror may keep one waiting
    # A mirror is of the original; one of its copies does not write to it.
    mirrors = () if cleanup.original else shown.mirrors
    mirror_counts = await erased_files.clear(core, mirrors, shown.revisions.keys(), run.sought)
    return replace(
        describe(run.cause, core.scope, len(shown), cleanup),
        mirrors=mirror_counts.folders,
        in_mirrors=mirror_counts.files,
        words_left=await erase_changes.words_left(core, run.sought),
        registered=run.register.listed,
        unlisted=run.register.unlisted,
        redrawn=run.redrawn,
        owed=len(await reflections.read_owed_groups(core)),
        redacted=len(shown.redacts),
        named_in=run.named_in,
    )


async def erase_again(core: Core, named: Revisions, redacts: Revisions, names: Names | None) -> int:
    """Erase what was erased before and is there again, held or not, and what was learned from it alone; count it.

    What was only redacted is redacted again, where the names are given. The file is not written anew by this.
    """
    if not named and not redacts:
        return 0
    preview = replace(await show_erasure(core, named), redacts=redacts)
    await _erase_in_parts(core, preview, names, core.cause(ERASE, detail={"again": len(preview)}))
    return len(preview)


async def _erase_in_parts(core: Core, shown: ErasePreview, names: Names | None, cause: Cause) -> None:
    """Take all of it away, so many memories in a transaction."""
    if names is not None and cause.actor is not None and names.stand_in(cause.actor):
        cause = replace(cause, actor=None)
    parts = chunks(sorted({*shown.revisions, *shown.redacts}))
    owed = {f"{reflections.OWED}{text_seq}": list(group) for text_seq, group in shown.anew.items()}
    for part, seqs in enumerate(parts):
        part_cause = replace(
            cause, at=core.clock.now(), part=part, final=part + 1 == len(parts), unnamed=names
        )
        revisions = {seq: shown.revisions[seq] for seq in seqs if seq in shown.revisions}
        redacts = {seq: shown.redacts[seq] for seq in seqs if seq in shown.redacts}
        await _erase(
            core, ErasePart(revisions, redacts, names), replace(part_cause, values={} if part else owed)
        )


def describe(cause: Cause, scope: str, erased: int, cleaned: CleanResult) -> Erasure:
    """Say what came of an erasure and of its proof."""
    return Erasure(
        cause.run,
        cause.at,
        scope,
        erased,
        pending=cleaned.is_pending,
        why=cleaned.why,
        looked_for=cleaned.looked_for,
        shared=cleaned.shared,
        found=cleaned.found,
        copies=cleaned.copies,
        original=cleaned.original,
        beyond=cleaned.beyond,
    )


async def _refuse_changed(core: Core, shown: ErasePreview) -> None:
    """Raise where something is held, or is not what was shown; nothing is written then."""
    now = core.clock.now()
    conflicts: list[tuple[str, int]] = []
    expected = {**shown.revisions, **shown.redacts}
    for seqs in chunks(sorted(expected)):
        memories = {one.seq: one for one in await get(core, seqs)}
        stand = {seq: memories[seq].revision if seq in memories else PURGED for seq in seqs}
        conflicts += [("memories", seq) for seq in seqs if stand[seq] != expected[seq]]
        for one in memories.values():
            if is_held(one, now):
                raise Protected(
                    f"memory {short_id(one.seq)} is held: {', '.join(one.holds or ())}",
                    recovery="release its holds first; nothing was erased",
                    guards=("held",),
                )
    if conflicts:
        raise Conflict(conflicts, recovery="show the erasure anew; nothing was erased")


async def _erase(core: Core, part: ErasePart, cause: Cause) -> None:
    """Take some memories away, with all that hangs on them, and names out of others, in one commit."""
    for attempt in range(RACES_MAX):
        changes = await changes_of(core, part)
        values = {**cause.values, **{f"{UNDER}{seq}": None for seq in (*part.gone, *part.redacts)}}
        values |= await settings_without(core, part.names)
        try:
            await core.commit(changes, replace(cause, values=values))
        except Conflict as conflict:
            if any(table == "memories" for table, _ in conflict.keys) and await _is_changed(core, part):
                raise
            await wait_before_retry(attempt, conflict)
            continue
        return


async def _is_changed(core: Core, part: ErasePart) -> bool:
    """Tell whether a memory is not what was shown any more; that others used or linked it takes nothing from that."""
    expected = {**part.gone, **part.redacts}
    stand = {one.seq: one.revision for one in await get(core, sorted(expected))}
    return any(stand.get(seq, PURGED) != revision for seq, revision in expected.items())
