"""Memories erased for good, with every copy that the memory keeps of them, as `memory.erase`: shown first, then done.

Decides what goes and what is made anew from the rest; must not know how a store takes images away and proves it.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from remanence.box import BoxRow, FindBoxes, FindTraces
from remanence.change import Cause, Change
from remanence.errors import Conflict, InvalidInput, Protected
from remanence.flows import copies
from remanence.flows.copies import RegisteredCopy
from remanence.flows.core import RACES_MAX, Core, overtaken
from remanence.flows.mirror.mirroring import MIRRORS
from remanence.flows.naming import several
from remanence.flows.write import boxing
from remanence.flows.write.proposals import UNDER
from remanence.folding import fold_keys
from remanence.model import Memories, Memory, Relation, short_id
from remanence.results import Result, Time, number, visible
from remanence.signatures import checked_class
from remanence.store.base import Bookkeeping, Cleaned, Find
from remanence.store.erasure import ERASE
from remanence.write import box_cuts
from remanence.write.reflecting import DRAWN_TAG

PART_MEMORIES = 500  # that one transaction takes away
LISTED = 20  # memories that are listed by their texts; the rest is counted
PAGE = 1_000
CONFLICTS_NAMED = 5

Revisions = Mapping[int, int]


@dataclass(frozen=True, slots=True, repr=False)
class Erasing(Result):
    """What an erasure would take away: give it to `erase.apply`, which refuses it where a memory changed since.

    `memories` and `learned` list the first of what was named, and of what was learned from that alone and goes with it;
    `revisions` has all of both, by number. `others` stay: they were learned from what goes and from something else, or
    somebody gave them a key. `same` say the very same and stay: their text is not refused from then on. `held` are
    under a hold, which refuses the whole. `mirrors` are folders that hold copies, `registered` exports and backups that
    were made before and may hold some of it; of older ones it is only known how many are `unlisted`.
    """

    HIDDEN = frozenset({"revisions"})

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

    time = Time("at")

    def __len__(self) -> int:
        return len(self.revisions)

    def __str__(self) -> str:
        with_them = len(self) - self.named
        what = f"{self.named:,} named, {with_them:,} learned from them alone"
        lines = [
            f"{number(len(self), 'memory', 'memories')} would be erased for good: {what}",
            *_list("named", self.memories, self.named),
            *_list("learned from these alone", self.learned, with_them),
            *_list("stays, though it was learned from one of them too", self.others),
            *_list("stays, and says the same", self.same),
            *_list("HELD, so nothing is erased until it is released", self.held),
            *(f"a mirror holds copies until it is synced again: {folder}" for folder in self.mirrors),
            *_registered(self.registered, self.unlisted),
            "exports, backups and copies of the file that lie elsewhere are not reached",
        ]
        return visible("\n".join(lines))


@dataclass(frozen=True, slots=True, repr=False)
class Erasure(Result):
    """What was erased, and what is proven of it.

    `pending` says that another process still reads the old state of the file, or `why` it is else: the next tick
    rewrites it and looks.
    `looked_for` counts the pieces of what was erased that were looked for in the files of the database, `found` names
    those that hold some, and `copies` files beside the database that do. `registered` are exports and backups that were
    made before and are not rewritten; of older ones it is only known how many are `unlisted`.
    """

    run: str
    at: int
    scope: str
    erased: int
    pending: bool = False
    why: str = ""
    looked_for: int = 0
    found: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()
    mirrors: tuple[str, ...] = ()
    registered: tuple[RegisteredCopy, ...] = ()
    unlisted: int = 0

    time = Time("at")

    @property
    def is_well(self) -> bool:
        """Tell whether nothing was found of what was erased."""
        return not self.found

    def __str__(self) -> str:
        lines = [
            f"erased {number(self.erased, 'memory', 'memories')} for good (run {self.run})",
            _proof(self),
            *(f"this copy of the file holds it still, delete it: {copy}" for copy in self.copies),
            *(
                f"this mirror holds copies until it is synced: remanence mirror sync {one}"
                for one in self.mirrors
            ),
            *_registered(self.registered, self.unlisted),
        ]
        return visible("\n".join(lines))


def _proof(done: Erasure) -> str:
    if done.pending:
        why = done.why or "another process reads the file as it was"
        return f"pending: {why}; the next tick rewrites it and looks"
    if done.found:
        return f"NOT PROVEN: something of it is left in {', '.join(done.found)}; run `doctor`"
    return f"none of {number(done.looked_for, 'piece', 'pieces')} of it is in the files of the database"


def _list(what: str, memories: Sequence[Memory], count: int | None = None) -> list[str]:
    more = (len(memories) if count is None else count) - len(memories[:LISTED])
    return [
        *(f"{what}: {memory}" for memory in memories[:LISTED]),
        *([f"and {more:,} more"] if more > 0 else []),
    ]


def _registered(copies: Sequence[RegisteredCopy], unlisted: int) -> list[str]:
    more = len(copies) - LISTED
    return [
        *(f"not rewritten, delete it: {copy}" for copy in copies[-LISTED:] if not copy.is_gone),
        *(f"made before: {copy}" for copy in copies[-LISTED:] if copy.is_gone),
        *([f"and {more:,} older ones: remanence copies list"] if more > 0 else []),
        *([f"and {unlisted:,} older ones that are listed nowhere any more"] if unlisted else []),
    ]


@checked_class
class Erase:
    """Memories erased for good, shown first and then done: `memory.erase`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def show(self, names: Memories = (), *, scope: bool = False) -> Erasing:
        """Show what erasing memories for good would take away, with every copy; a command does it with `--yes`.

        With `scope` all memories of this scope are meant. What was learned from these alone goes with them.
        """
        if scope == bool(several(names) if names else ()):
            raise InvalidInput(
                "nothing, or both memories and the whole scope, are named",
                recovery="name the memories to erase, or the whole scope",
            )
        core = self._core
        named = (
            await _all_of(core)
            if scope
            else {one.seq: one.revision for one in await core.all_of(several(names))}
        )
        return await _shown(core, named)

    async def apply(self, shown: Erasing) -> Erasure:
        """Erase what was shown: rows, words, vectors and images in the audit, and prove it gone.

        It is not undone, and no door lets a text of it in again. Nothing is erased where a memory changed since.
        """
        return await _applied(self._core, shown)

    async def copies(self) -> list[RegisteredCopy]:
        """List exports of this scope and backups that were made here, oldest first, and whether they are gone."""
        return list((await copies.register(self._core)).listed)

    async def dismiss(self, path: str | Path) -> list[RegisteredCopy]:
        """Take an export or a backup out of the list, by where it was put; the file itself is left alone."""
        return await copies.dismiss(self._core, path)

    async def finish(self) -> Erasure | None:
        """Write the file anew and look through it, where that is pending since an erasure.

        None where nothing is.
        """
        cleaned = await self._core.store.clean()
        return _told(self._core.cause(ERASE), self._core.scope, 0, cleaned) if _did(cleaned) else None


def _did(cleaned: Cleaned) -> bool:
    return cleaned.is_done or cleaned.is_pending


async def _all_of(core: Core) -> dict[int, int]:
    found: dict[int, int] = {}
    after = 0
    while page := await core.store.find(core.scope, Find(after=after, limit=PAGE, oldest_first=True)):
        found |= {memory.seq: memory.revision for memory in page}
        after = page[-1].seq
    return found


async def _shown(core: Core, named: Revisions) -> Erasing:
    learned, others = await _learned(core, named)
    going = {**named, **{one.seq: one.revision for one in learned}}
    first = await _get(core, sorted(named)[:LISTED])
    kept = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), under=(MIRRORS,)))
    register = await copies.register(core)
    same: dict[int, Memory] = {}
    held: list[Memory] = []
    for some in _chunks(sorted(going)):
        memories = await _get(core, some)
        held += [one for one in memories if one.hold_until is not None and one.hold_until > core.clock.now()]
        same |= await _saying_same(core, memories, going)
    return Erasing(
        core.scope,
        core.clock.now(),
        len(named),
        tuple(first),
        learned=tuple(learned[:LISTED]),
        others=tuple(others),
        same=tuple(same[seq] for seq in sorted(same)),
        held=tuple(held),
        mirrors=tuple(sorted(str(row["path"]) for row in kept.values.values())),
        registered=register.listed,
        unlisted=register.unlisted,
        revisions=going,
    )


async def _learned(core: Core, named: Revisions) -> tuple[list[Memory], list[Memory]]:
    """Return what was learned from what goes alone, and so goes too, and what was learned from something else also."""
    going, ahead = set(named), sorted(named)
    learned: dict[int, Memory] = {}
    others: dict[int, Memory] = {}
    while ahead:
        found = await _learned_from(core, ahead, going)
        ahead = []
        for memory, alone in found:
            if alone:
                learned[memory.seq] = memory
                others.pop(memory.seq, None)
                going.add(memory.seq)
                ahead.append(memory.seq)
            else:
                others[memory.seq] = memory
    return [learned[seq] for seq in sorted(learned)], [others[seq] for seq in sorted(others)]


async def _learned_from(core: Core, seqs: Sequence[int], going: set[int]) -> list[tuple[Memory, bool]]:
    """Return what was learned from some memories, and whether from nothing that stays."""
    found: list[tuple[Memory, bool]] = []
    for some in _chunks(seqs):
        links = await core.store.neighbours(core.scope, some, Relation.LEARNED_FROM)
        known = sorted({link.source for link in links if link.target in going} - going)
        if not known:
            continue
        from_: dict[int, set[int]] = {}
        for link in await core.store.neighbours(core.scope, known, Relation.LEARNED_FROM):
            from_.setdefault(link.source, set()).add(link.target)
        for memory in await _get(core, known):
            drawn = DRAWN_TAG in memory.tags  # its words are those of all that it was drawn from
            found.append((memory, memory.key is None and (drawn or from_[memory.seq] <= going)))
    return found


async def _saying_same(core: Core, memories: Sequence[Memory], going: Revisions) -> dict[int, Memory]:
    """Return memories that stay and say what some that go say, as far as they lie beside them."""
    links = await core.store.neighbours(core.scope, [one.seq for one in memories], Relation.NEAR_DUPLICATE)
    ends = {seq for link in links for seq in (link.source, link.target)} - going.keys()
    texts = {one.text for one in memories}
    return {one.seq: one for one in await _get(core, sorted(ends)) if one.text in texts}


async def _applied(core: Core, shown: Erasing) -> Erasure:
    if shown.scope != core.scope:
        raise InvalidInput(
            f"this was shown of scope {shown.scope!r}", recovery="show it anew, and apply that"
        )
    await _refuse_changed(core, shown)
    cause = core.cause(ERASE)
    register = await copies.register(core)
    await _taken(core, shown.revisions, cause)
    done = _told(cause, core.scope, len(shown), await core.store.clean(), shown.mirrors)
    return replace(done, registered=register.listed, unlisted=register.unlisted)


async def again(core: Core, seqs: Sequence[int]) -> int:
    """Erase what was erased before and is there again, held or not, and what was learned from it alone; count it.

    The file is not written anew by this.
    """
    named = {one.seq: one.revision for some in _chunks(seqs) for one in await _get(core, some)}
    if not named:
        return 0
    shown = await _shown(core, named)
    await _taken(core, shown.revisions, core.cause(ERASE, detail={"again": len(shown)}))
    return len(shown)


async def _taken(core: Core, revisions: Revisions, cause: Cause) -> None:
    chunks = _chunks(sorted(revisions))
    for part, seqs in enumerate(chunks):
        named = replace(cause, at=core.clock.now(), part=part, final=part + 1 == len(chunks))
        await _erase(core, {seq: revisions[seq] for seq in seqs}, named)


def _told(cause: Cause, scope: str, erased: int, cleaned: Cleaned, mirrors: tuple[str, ...] = ()) -> Erasure:
    return Erasure(
        cause.run,
        cause.at,
        scope,
        erased,
        pending=cleaned.is_pending,
        why=cleaned.why,
        looked_for=cleaned.looked_for,
        found=cleaned.found,
        copies=cleaned.copies,
        mirrors=mirrors,
    )


async def _refuse_changed(core: Core, shown: Erasing) -> None:
    """Raise where something is held, or is not what was shown; nothing is written then."""
    if not shown.revisions:
        raise InvalidInput("there is nothing to erase", recovery="show what there is")
    now = core.clock.now()
    changed: list[tuple[str, int]] = []
    for seqs in _chunks(sorted(shown.revisions)):
        memories = {one.seq: one for one in await _get(core, seqs)}
        changed += [
            ("memories", seq)
            for seq in seqs
            if seq not in memories or memories[seq].revision != shown.revisions[seq]
        ]
        for one in memories.values():
            if one.hold_until is not None and one.hold_until > now:
                raise Protected(
                    f"memory {short_id(one.seq)} is held: {', '.join(one.holds or ())}",
                    recovery="release its holds first; nothing was erased",
                    guards=("held",),
                )
    if changed:
        raise Conflict(changed, recovery="show the erasure anew; nothing was erased")


async def _erase(core: Core, revisions: Revisions, cause: Cause) -> None:
    """Take some memories away, with all that hangs on them, in one commit."""
    for attempt in range(RACES_MAX):
        memories = await _get(core, sorted(revisions))
        changes = await _changes(core, memories, revisions)
        values = {f"{UNDER}{seq}": None for seq in revisions}
        try:
            await core.commit(changes, replace(cause, values=values))
        except Conflict as conflict:
            if any(table == "memories" for table, _ in conflict.keys):
                raise
            await overtaken(attempt, conflict)
            continue
        return


async def _changes(core: Core, memories: Sequence[Memory], revisions: Revisions) -> list[Change]:
    """Decide what goes with memories: what hangs on them, what forbids their texts, and their part of boxes."""
    seqs, gone = sorted(revisions), set(revisions)
    links = {link.key for link in await core.store.neighbours(core.scope, seqs)}
    claims = [claim.key for claim in await core.store.claims(core.scope, seqs)]
    folds = await asyncio.to_thread(lambda: {key for one in memories for key in fold_keys(one.text)})
    barred = [one for one in await core.store.forbidden(core.scope) if one.fold in folds or one.seq in gone]
    return [
        *(
            Change("memories", seq, {"revision": revision}, None)
            for seq, revision in sorted(revisions.items())
        ),
        *(Change("tags", (one.seq, tag), {}, None) for one in memories for tag in one.tags),
        *(Change("sources", (one.seq, source), {}, None) for one in memories for source in one.sources),
        *(Change("links", key, {}, None) for key in sorted(links)),
        *(Change("claims", key, {}, None) for key in claims),
        *(Change("forbidden", one.fold, {"at": one.at, "seq": one.seq}, None) for one in barred),
        *await _boxes_anew(core, gone),
    ]


async def _boxes_anew(core: Core, gone: set[int]) -> list[Change]:
    """Decide what becomes of boxes that hold turns which go, and of their traces: they are made anew from the rest."""
    changes: list[Change] = []
    anew: dict[int, Mapping[str, int] | None] = {}
    traces: set[int] = set()
    for box in await _all_boxes(core):
        if gone.isdisjoint(box.members):
            continue
        traces |= {box.trace} - {None}  # type: ignore[arg-type]
        values = await _box_left(core, box, gone)
        anew[box.box] = None if values is None else values["topics"]
        before = {name: _plain(box.values[name]) for name in values or {}}
        changes.append(Change("boxes", box.box, before, values))
    return changes + [await _trace_anew(core, trace, anew) for trace in sorted(traces)]


async def _all_boxes(core: Core) -> list[BoxRow]:
    found: list[BoxRow] = []
    before = None
    while page := await core.store.boxes(core.scope, FindBoxes(before=before, limit=PAGE)):
        found += page
        before = min(box.box for box in page)
    return found


async def _box_left(core: Core, box: BoxRow, gone: set[int]) -> dict[str, Any] | None:
    """Return what is left of a box; None where nothing is."""
    left = [seq for seq in box.members if seq not in gone]
    turns = await _get(core, left)
    if not turns:
        return None
    seen = await boxing.box_turns(core, turns)
    goal = None if box.goal in gone else box.goal
    return {"members": left, "goal": goal, "topics": box_cuts.kept_topics(seen)}


async def _trace_anew(core: Core, trace: int, anew: Mapping[int, Mapping[str, int] | None]) -> Change:
    """Decide what becomes of a trace: its topics are those of its boxes as they are by then, in their order."""
    boxes = await core.store.boxes(core.scope, FindBoxes(trace=trace, limit=PAGE))
    topics: dict[str, int] = {}
    left = 0
    for box in sorted(boxes, key=lambda one: one.box):
        of_box = anew.get(box.box, box.topics)
        if of_box is not None:
            topics, left = box_cuts.joined(topics, of_box), left + 1
    (row,) = await core.store.traces(core.scope, FindTraces(only=(trace,)))
    if not left:
        return Change("traces", trace, {}, None)
    return Change("traces", trace, {"topics": dict(row.topics)}, {"topics": topics})


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


async def _get(core: Core, seqs: Sequence[int]) -> list[Memory]:
    return [one for one in await core.store.get(core.scope, seqs) if one is not None] if seqs else []


def _chunks(seqs: Iterable[int]) -> list[list[int]]:
    every = list(seqs)
    return [every[at : at + PART_MEMORIES] for at in range(0, len(every), PART_MEMORIES)]
