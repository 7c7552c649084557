"""Memories erased for good, with every copy that the memory keeps of them, as `memory.erase`: shown first, then done.

Decides what goes and what is told of it; must not know how a store takes images away and proves it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol, overload

from remanence.core.change import Cause
from remanence.core.errors import Conflict, InvalidInput, Protected
from remanence.core.keywords import Some
from remanence.core.model import Memories, Memory, Relation, short_id
from remanence.core.receipt import Receipt
from remanence.core.redaction import MARK, Names
from remanence.core.results import Result, Time, number, visible
from remanence.flows.base import copies
from remanence.flows.base.context import RACES_MAX, Core, wait_before_retry
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
from remanence.flows.mirror import erased_files
from remanence.flows.mirror.agent_files import format_sync_command
from remanence.flows.mirror.mirroring import MIRRORS
from remanence.flows.undo.restoring import image
from remanence.flows.write.proposals import UNDER
from remanence.store.base import Bookkeeping, CleanResult, Find
from remanence.store.capabilities import ERASABLE, require
from remanence.store.erasure import ERASE

LISTED = 20  # memories that are listed by their texts; the rest is counted
OTHERS_NAMED = 5

Revisions = Mapping[int, int]


@dataclass(frozen=True, slots=True, repr=False)
class ErasePreview(Result):
    """Preview of an erasure: give it to `erase.apply`, which refuses it if a memory changed since.

    `memories` lists the first named memories, and `learned` the first memories that were learned from these alone and
    are erased with them; `revisions` has all of both, by number. `others` stay: they were learned from erased memories
    and from something else, or somebody gave them a key. `same` say the very same, or were merged with an erased
    memory, and stay: a text that they say is not refused from then on. `held` are under a hold, which blocks the whole
    erasure. `mirrors` are folders that hold copies. `registered` are exports and backups that were made before and may
    hold some of it; of older ones only the number, `unlisted`, is known. `purged` counts memories that had no row any
    more: their undo data are erased. `anew` has for each text that was merged from several, by its number, which of
    these are left: the text is erased, and merged again from them.

    For a person `subject` has the names, `mentioned` the first memories of others that name the person, `mentions` the
    number of these memories, and `redacts` all of them where the names are to be taken out. `namesakes` are longer
    names of others that hold one of these names: they are left. `maybe` has by part of a name, such as Lopes, how many
    further memories say that part alone, and who else has it in a name; `perhaps` lists the first of these memories,
    and all of them are left.
    """

    HIDDEN = frozenset({"revisions", "redacts", "anew"})

    scope: str
    at: int
    named: int
    memories: tuple[Memory, ...]
    learned: tuple[Memory, ...] = ()
    others: tuple[Memory, ...] = ()
    same: tuple[Memory, ...] = ()
    held: tuple[Memory, ...] = ()
    mirrors: tuple[str, ...] = ()
    registered: tuple[RegisteredCopy, ...] = ()
    unlisted: int = 0
    revisions: Revisions = field(default_factory=dict)
    purged: int = 0
    subject: tuple[str, ...] = ()
    mentioned: tuple[Memory, ...] = ()
    mentions: int = 0
    namesakes: tuple[str, ...] = ()
    maybe: Mapping[str, tuple[int, tuple[str, ...]]] = field(default_factory=dict)
    perhaps: tuple[Memory, ...] = ()
    redacts: Revisions = field(default_factory=dict)
    anew: Mapping[int, Sequence[int]] = field(default_factory=dict)

    time = Time("at")

    def __len__(self) -> int:
        return len(self.revisions)

    def __str__(self) -> str:
        with_them = len(self) - self.named
        how = f"of {self.subject[0]}" if self.subject else "named"
        what = f"{self.named:,} {how}, {with_them:,} learned from them alone"
        lines = [
            f"{number(len(self), 'memory', 'memories')} would be permanently erased: {what}",
            *([f"of these {self.purged:,} were purged already: their images go"] if self.purged else []),
            *_list_memories(how, self.memories, max(self.named - self.purged, len(self.memories))),
            *_list_memories("learned from these alone", self.learned, with_them),
            *(
                [f"of these {len(self.anew):,} would be drawn together anew from what stays"]
                if self.anew
                else []
            ),
            *_list_memories("stays, though it was learned from one of them too", self.others),
            *_list_memories("stays, and says the same or much the same", self.same),
            *_list_memories("HELD, so nothing is erased until it is released", self.held),
            *self._describe_mentions(),
            *(f"files of a mirror go, too, if it can be reached: {folder}" for folder in self.mirrors),
            *_render_copies(self.registered, self.unlisted),
            "exports, backups and other copies of the file are not changed",
        ]
        return visible("\n".join(lines))

    def _describe_mentions(self) -> list[str]:
        """Say what becomes of what others said of a person."""
        if not self.subject:
            return []
        names = ", ".join(self.subject)
        lines = [f"names that are meant: {names}"]
        if self.mentions:
            many = number(self.mentions, "memory", "memories")
            lines.append(
                f"{many} of others would say {MARK} in place of the names"
                if self.redacts
                else f"{many} of others name the person and stay as they are, unless you ask for `mentions`"
            )
        lines += _list_memories("names the person", self.mentioned, self.mentions)
        lines += [_describe_part(part, *counts) for part, counts in self.maybe.items()]
        lines += _list_memories(
            "says a part of the name", self.perhaps, sum(many for many, _ in self.maybe.values())
        )
        if self.namesakes:
            lines.append(f"names of others that hold one of these, and are left: {', '.join(self.namesakes)}")
        return lines


@dataclass(frozen=True, slots=True, repr=False)
class Erasure(Result):
    """Result of an erasure, and the proof of it.

    `pending` is True if the file could not be rewritten yet: another process still reads its old state, or `why` has
    another reason. The next round rewrites the file and checks it. `looked_for` counts the pieces of erased text that
    were searched for in the files of the database, `shared` those that were not, since what stays says them too.
    `found` names those files that hold some, and `copies` files beside the database that do. `registered` are exports
    and backups that were made before and are not rewritten; of older ones only the number, `unlisted`, is known.
    `original` is the file that this one is a copy of: that file, its other copies and its mirrors are left as they
    are. `mirrors` are folders that could not be synced, or in which edits by hand are left, and `in_mirrors` files in
    such folders that still say some of it, in their names or contents. `redrawn` counts texts that were merged again
    from the memories that stay, `owed` texts that the next consolidation merges. `redacted` counts memories of others
    in which a mark replaces a person's names. `named_in` tells where a name is left nevertheless, and `words_left`
    which sorts of rows besides the memories say some of it, and what changes each. `beyond` says what a server keeps
    that nobody here can look through.
    """

    run: str
    at: int
    scope: str
    erased: int
    pending: bool = False
    why: str = ""
    looked_for: int = 0
    shared: int = 0
    found: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    mirrors: tuple[str, ...] = ()
    registered: tuple[RegisteredCopy, ...] = ()
    unlisted: int = 0
    redrawn: int = 0
    owed: int = 0
    redacted: int = 0
    named_in: tuple[str, ...] = ()
    original: str = ""
    in_mirrors: tuple[str, ...] = ()
    words_left: tuple[str, ...] = ()
    beyond: str = ""

    time = Time("at")

    @property
    def is_well(self) -> bool:
        """Return True if nothing of the erased data was found."""
        return not self.found and not self.named_in and not self.in_mirrors and not self.words_left

    def __str__(self) -> str:
        lines = [
            f"erased {number(self.erased, 'memory', 'memories')} for good (run {self.run})",
            *(
                [f"took the names out of {number(self.redacted, 'memory', 'memories')} of others"]
                if self.redacted
                else []
            ),
            *(
                [f"drew {number(self.redrawn, 'text', 'texts')} together anew from what stays"]
                if self.redrawn
                else []
            ),
            *(
                [f"{number(self.owed, 'text waits', 'texts wait')} to be drawn together anew: consolidate"]
                if self.owed
                else []
            ),
            _describe_proof(self),
            *(f"a name stands there all the same: {where}" for where in self.named_in),
            *(
                f"another file of this origin holds it still, delete it if it is a copy: {one}"
                for one in self.copies
            ),
            *([f"this file is a copy: {self.original} is left as it is"] if self.original else []),
            *(
                f"this mirror was not reached, or has edits by hand: {format_sync_command(one)}"
                for one in self.mirrors
            ),
            *_list_files(self.in_mirrors),
            *(f"words of it stand in {one}" for one in self.words_left),
            *_render_copies(self.registered, self.unlisted),
        ]
        return visible("\n".join(lines))


def _describe_part(part: str, many: int, others: Sequence[str]) -> str:
    whose = f", and is in names of others: {', '.join(others[:OTHERS_NAMED])}" if others else ""
    says = f"{part!r} alone, or in another form, is in {number(many, 'further memory', 'further memories')}{whose}"
    return f"{says}; they stay as they are, unless you pass that name as well"


def _describe_proof(done: Erasure) -> str:
    if done.pending:
        why = done.why or "another process reads the file as it was"
        return f"pending: {why}; the next round of due jobs rewrites it and looks"
    if done.beyond:
        return f"gone from the tables and indexes of the server; not proven beyond them: {done.beyond}"
    if done.found:
        return f"NOT PROVEN: something of it is left in {', '.join(done.found)}; run `doctor`"
    proof = f"none of {number(done.looked_for, 'piece', 'pieces')} of it is in the files of the database"
    return f"{proof}; {done.shared:,} more are, since what stays says them too" if done.shared else proof


def _list_memories(what: str, memories: Sequence[Memory], count: int | None = None) -> list[str]:
    more = (len(memories) if count is None else count) - len(memories[:LISTED])
    return [
        *(f"{what}: {memory}" for memory in memories[:LISTED]),
        *([f"and {more:,} more"] if more > 0 else []),
    ]


def _list_files(files: Sequence[str]) -> list[str]:
    more = len(files) - LISTED
    return [
        *(
            f"this file of a mirror says some of it, or cannot be read: look into it and delete it: {one}"
            for one in files[:LISTED]
        ),
        *([f"and {more:,} more"] if more > 0 else []),
    ]


def _render_copies(copies: Sequence[RegisteredCopy], unlisted: int) -> list[str]:
    more = len(copies) - LISTED
    return [
        *(f"not rewritten, delete it: {copy}" for copy in copies[-LISTED:] if not copy.is_gone),
        *(f"made before: {copy}" for copy in copies[-LISTED:] if copy.is_gone),
        *([f"and {more:,} older ones: remanence erase --copies"] if more > 0 else []),
        *([f"and {unlisted:,} older ones that are listed nowhere any more"] if unlisted else []),
    ]


@dataclass(frozen=True, slots=True, repr=False)
class ErasedSinceReport(Result):
    """Report of data in a file that were erased since it was copied, scope by scope; nothing in it is changed.

    `erasures` are the erasures that `apply` would make, with all memories that were learned from those alone.
    `redacted` lists the first memories that lost a person's names since: they are erased, too, or redacted where the
    names are given. `redactions` counts them. `damaged` are ledgers of which not all can be read.
    """

    ledgers: tuple[str, ...]
    damaged: tuple[str, ...] = ()
    erasures: Mapping[str, ErasePreview] = field(default_factory=dict)
    redacted: Mapping[str, tuple[Memory, ...]] = field(default_factory=dict)
    redactions: int = 0

    def __str__(self) -> str:
        lines = [f"heard: {one}" for one in self.ledgers]
        lines += [f"NOT WHOLE, so it may name more: {one}" for one in self.damaged]
        for scope, preview in self.erasures.items():
            lines += [f"in scope {scope!r}:", str(preview)]
        for scope, memories in self.redacted.items():
            lines += [
                f"in scope {scope!r}, a person's names were taken out of it since: {one}" for one in memories
            ]
        if self.redactions:
            many = number(self.redactions, "memory", "memories")
            lines.append(f"{many} would be redacted with --subject NAME, and erased without")
        return visible("\n".join(lines))


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
        since: bool = False,
        copies: bool = False,
    ) -> ErasePreview | ErasedSinceReport | list[RegisteredCopy] | None:
        """Show what a permanent erasure would remove, with all copies; the command erases with `--yes`.

        With `scope` it shows all memories of this scope. With `subject` it shows what a person said, by one name or
        several names of the same person, and the person as an entity. With `mentions` the names are also taken out of
        what others said. Memories that were learned from the erased ones alone are erased with them.

        With `since` it shows which data in this file were erased since it was copied, None where it holds none. Such a
        file is opened with `erased_since="look"`, and only this, `apply()`, `settle(keep=…)`, `status` and `doctor`
        work. With `copies` it lists exports of this scope and backups that were made here, oldest first, and whether
        they are gone.
        """
        if since or copies:
            if names or scope or mentions or subject is not None or (since and copies):
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
            return await _shown_of(core, await subject_of(core, subject), mentions=mentions)
        if scope:
            all_memories = {
                memory.seq: memory.revision async for page in iterate_pages(core) for memory in page
            }
            return await show_erasure(core, all_memories)
        return await show_erasure(core, await _find_revisions(core, name_list))

    @overload
    async def apply(self, shown: ErasePreview) -> Erasure: ...

    @overload
    async def apply(self, *, subject: str | Sequence[str] | None = None) -> Erasure | None: ...

    async def apply(
        self, shown: ErasePreview | None = None, *, subject: str | Sequence[str] | None = None
    ) -> Erasure | None:
        """Erase what was shown or pending permanently: rows, words, vectors, undo data; then verify it.

        An erasure cannot be undone, and no door lets an erased text in again. Nothing is erased if a memory changed
        since.

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
        return await _apply_erase(self._core.usable_core, shown)

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
    # By their words: one that was replaced or archived is no neighbour of what is learned after it.
    worded = Find(equal={"fingerprint": tuple({one.fingerprint for one in memories})})
    alike = {one.seq async for page in iterate_pages(core, worded) for one in page} - going.keys()
    candidates = await get(core, sorted(as_one | ends | alike))
    return {one.seq: one for one in candidates if one.seq in as_one or one.text in texts}


async def _apply_erase(core: Core, shown: ErasePreview) -> Erasure:
    if shown.scope != core.scope:
        raise InvalidInput(
            f"this was shown of scope {shown.scope!r}", recovery="show it anew, and apply that"
        )
    await _refuse_changed(core, shown)
    cause = core.cause(ERASE)
    register = await copies.register(core)
    names = Names(shown.subject, shown.namesakes) if shown.subject else None
    sought = await erased_files.sought_of(core, shown.revisions, names if shown.redacts else None)
    await _erase_in_parts(core, shown, names, cause)
    await erase_changes.end_sessions(core, sought.sessions, shown.revisions.keys())
    leftovers = () if names is None or not shown.redacts else await still_named(core, names)
    redrawn = await consolidation.draw_owed(core) if shown.anew else 0
    cleanup = await core.store.clean(core.scope)  # first: whoever keeps a mirror may keep one waiting
    # A mirror is of the original; one of its copies does not write to it.
    mirrors = () if cleanup.original else shown.mirrors
    mirror_counts = await erased_files.clear(core, mirrors, shown.revisions.keys(), sought)
    return replace(
        describe(cause, core.scope, len(shown), cleanup),
        mirrors=mirror_counts.folders,
        in_mirrors=mirror_counts.files,
        words_left=await erase_changes.words_left(core, sought),
        registered=register.listed,
        unlisted=register.unlisted,
        redrawn=redrawn,
        owed=len(await reflections.read_owed_groups(core)),
        redacted=len(shown.redacts),
        named_in=leftovers,
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
    if not shown.revisions and not shown.redacts:
        raise InvalidInput("there is nothing to erase", recovery="show what there is")
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
