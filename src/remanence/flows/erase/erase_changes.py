"""What one part of an erasure changes: memories that go, what was learned from them, names taken out of the rest.

Follows links, those of purged memories in their images, and decides on what is stored beside memories too: sessions
that have no turn any more end, other words are named. Must not know what was shown to whom.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from remanence.core.box import BoxRow, FindBoxes, FindTraces
from remanence.core.change import Change
from remanence.core.model import Form, Memory, Relation, short_id
from remanence.core.redaction import Names
from remanence.core.stamps import add_stamps
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.base.paging import iterate_boxes
from remanence.flows.base.session_heartbeat import OPEN, heartbeat_key, session_key
from remanence.flows.consolidate import boxes
from remanence.flows.entities.subject import Subject, read_all, said_of
from remanence.flows.mirror.erased_files import Sought, spare_what_stays
from remanence.flows.recall.kept_frames import UNDER as FRAMES
from remanence.flows.write.learning import vector_of
from remanence.flows.write.pending_turns import buffers, cursor_key
from remanence.read.entity import is_entity
from remanence.store.base import SETTING_PREFIX as SETTINGS
from remanence.store.base import Bookkeeping, Find
from remanence.text.analysis import stems
from remanence.text.forbidden_keys import ban_keys
from remanence.text.text_columns import text_columns
from remanence.write import box_cuts
from remanence.write.reflecting import CATEGORY, CONSOLIDATED, DRAWN_TAG
from remanence.write.turns import HIGH, RELEASED, TURNS

_PARTS = 1_000  # of the audit that are read at once

Ends = tuple[int, int, int]


@dataclass(slots=True)
class Lineage:
    """What was learned from what goes: `alone` goes with it, `others` stay.

    `anew` has by the number of each text that was drawn together the reflections that are left of it.
    """

    alone: list[Memory] = field(default_factory=list)
    others: list[Memory] = field(default_factory=list)
    anew: dict[int, list[int]] = field(default_factory=dict)


_FOLLOWED = Relation.LEARNED_FROM, Relation.REFERS, Relation.MENTIONS


class _Links:
    """The links of memories that say where something was learned, with those that went when one was purged."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._gone: dict[Relation, set[Ends]] = {one: set() for one in _FOLLOWED}

    async def remember(self, purged: Sequence[int]) -> None:
        """Find in its images which links went with a purged memory."""
        for seq in purged:
            for relation, keys in self._gone.items():
                keys.update(key for key in await self._last_links(seq) if key[2] == relation)

    async def find_links(self, seqs: Sequence[int], relation: Relation) -> set[Ends]:
        """Return the ends of all links of these memories."""
        links = await self._core.store.neighbours(self._core.scope, seqs, relation) if seqs else []
        wanted_seqs = set(seqs)
        then = {key for key in self._gone.get(relation, ()) if not wanted_seqs.isdisjoint(key[:2])}
        return {link.key for link in links} | then

    async def _last_links(self, seq: int) -> set[Ends]:
        """Return the links that went together with a memory's row."""
        keys: set[Ends] = set()
        after = 0
        while parts := await self._core.store.history(
            self._core.scope, memory=seq, after=after, limit=_PARTS
        ):
            after = parts[-1].position
            for part in parts:
                went = [change for change in part.changes if change.after is None]
                if any((change.table, change.key) == ("memories", seq) for change in went):
                    keys = {change.key for change in went if change.table == "links"}  # type: ignore[misc]
        return keys


async def lineage(core: Core, named: Mapping[int, int]) -> Lineage:
    """Return what was learned from what goes alone, what from something else also, and what is to be drawn anew."""
    links = _Links(core)
    await links.remember([seq for seq, revision in named.items() if revision == PURGED])
    going, ahead = set(named), sorted(named)
    descendants: dict[int, Memory] = {}
    others: dict[int, Memory] = {}
    while ahead:
        pairs = await _learned_from(core, links, ahead, going)
        ahead = []
        for memory, alone in pairs:
            if alone:
                descendants[memory.seq] = memory
                others.pop(memory.seq, None)
                going.add(memory.seq)
                ahead.append(memory.seq)
            else:
                others[memory.seq] = memory
    return Lineage(
        [descendants[seq] for seq in sorted(descendants)],
        [others[seq] for seq in sorted(others)],
        await _drawn_anew(core, links, going),
    )


async def _learned_from(
    core: Core, links: _Links, seqs: Sequence[int], going: set[int]
) -> list[tuple[Memory, bool]]:
    """Return what was learned from some memories, and whether from nothing that stays."""
    pairs: list[tuple[Memory, bool]] = []
    for some in chunks(seqs):
        ends = await links.find_links(some, Relation.LEARNED_FROM)
        learner_seqs = sorted({source for source, target, _ in ends if target in going} - going)
        from_: dict[int, set[int]] = {}
        for source, target, _ in await links.find_links(learner_seqs, Relation.LEARNED_FROM):
            from_.setdefault(source, set()).add(target)
        for memory in await get(core, learner_seqs):
            is_drawn = DRAWN_TAG in memory.tags  # its words are those of all that it was drawn from
            pairs.append((memory, memory.key is None and (is_drawn or from_[memory.seq] <= going)))
        pairs += [(one, True) for one in await _worded_by_these(core, links, some, going)]
        pairs += [(one, True) for one in await _named_by_these(core, links, some, going)]
    return pairs


async def _worded_by_these(core: Core, links: _Links, seqs: Sequence[int], going: set[int]) -> list[Memory]:
    """Return the facts that took words from some memories, as far as what stays of their turns lacks these."""
    ends = [end for end in await links.find_links(seqs, Relation.REFERS) if end[1] in going]
    worded = sorted({source for source, _, _ in ends} - going)
    turns_of = await _targets_of(links, worded, Relation.LEARNED_FROM, going)
    before_of = await _targets_of(links, worded, Relation.REFERS, going)
    stay_of = {seq: turns_of.get(seq, set()) | before_of.get(seq, set()) for seq in worded}
    named = {target for _, target, _ in ends}.union(*stay_of.values())
    said = {one.seq: frozenset(stems(one.text)) for one in await get(core, sorted(named))}
    nothing = frozenset[str]()
    doomed = []
    for fact in await get(core, worded):
        lenders = [target for source, target, _ in ends if source == fact.seq]
        stay = nothing.union(*(said.get(seq, nothing) for seq in stay_of[fact.seq]))
        lent = nothing.union(*(said.get(seq, nothing) for seq in lenders)) & {*stems(fact.text)}
        is_unread = not said.keys() >= {*lenders}  # purged: nobody knows any more which words it lent
        if fact.key is None and (is_unread or lent - stay):
            doomed.append(fact)
    return doomed


async def _targets_of(
    links: _Links, sources: Sequence[int], relation: Relation, going: set[int]
) -> dict[int, set[int]]:
    """Return to what links of a relation lead from each of some memories, and stays."""
    targets: dict[int, set[int]] = {}
    for source, target, _ in await links.find_links(sources, relation):
        if source in sources:
            targets.setdefault(source, set()).update({target} - going)
    return targets


async def _named_by_these(core: Core, links: _Links, seqs: Sequence[int], going: set[int]) -> list[Memory]:
    """Return the entities that some memories mention and nothing that stays does."""
    ends = await links.find_links(seqs, Relation.MENTIONS)
    entity_seqs = sorted({target for source, target, _ in ends if source in going} - going)
    by: dict[int, set[int]] = {}
    for source, target, _ in await links.find_links(entity_seqs, Relation.MENTIONS):
        by.setdefault(target, set()).add(source)
    return [one for one in await get(core, entity_seqs) if is_entity(one) and by[one.seq] <= going]


async def _drawn_anew(core: Core, links: _Links, going: set[int]) -> dict[int, list[int]]:
    """Return of each text that was drawn together from something that goes the reflections that are left of it.

    What says much the same as one that goes stands in for it: it had no line of its own then.
    """
    groups: dict[int, list[int]] = {}
    for some in chunks(sorted(going)):
        of: dict[int, set[int]] = {one.seq: set() for one in await get(core, some) if DRAWN_TAG in one.tags}
        for source, target, _ in await links.find_links(sorted(of), Relation.LEARNED_FROM):
            if source in of:
                of[source].add(target)
        for text_seq, targets in of.items():
            if targets.isdisjoint(going):
                continue
            near = await links.find_links(sorted(targets & going), Relation.NEAR_DUPLICATE)
            ends = targets.union(*(key[:2] for key in near)) - going
            if group := [one.seq for one in await get(core, sorted(ends)) if is_put_aside(one)]:
                groups[text_seq] = group
    return groups


def is_put_aside(memory: Memory) -> bool:
    """Tell whether a memory is a reflection that was drawn together with others."""
    return memory.category == CATEGORY and memory.state == CONSOLIDATED


PART_MEMORIES = 500  # that one transaction takes away
PAGE = 1_000
PURGED = 0  # the revision of a memory that has images alone
Revisions = Mapping[int, int]
# By how a row's name begins: what it is, and what changes it. Where none of these, it is named by its own name.
_KINDS = {
    "policy": ("the adopted policy", "adopt one without them: remanence policy use"),
    "cursor/": ("the name of a session with other turns", "erase those, too: remanence erase"),
    "session/": ("an open session", "end it: remanence session --off"),
    OPEN: ("an open session", "end it: remanence session --off"),
    FRAMES: ("a frame", "change it: remanence frames set"),
    SETTINGS: ("a setting", "set it anew: remanence settings"),
    "guidelines/": ("the guidelines", "set others: remanence guidelines LINES"),
    "copy/": ("the path of a copy", "take it out of the list: remanence erase settle --copies"),
}


@dataclass(frozen=True, slots=True)
class ErasePart:
    """What one transaction takes away and redacts, each with its revision, and whose names it takes out."""

    gone: Revisions
    redacts: Revisions
    names: Names | None


async def changes_of(core: Core, part: ErasePart) -> list[Change]:
    """Decide what goes with memories, what forbids their texts, their part of boxes, and what others say then."""
    memories = await get(core, sorted(part.gone))
    rewritten = await _decide_redactions(core, part)
    texts = {
        change.key: change.after["text"]
        for change in rewritten
        if change.table == "memories" and change.after and "text" in change.after
    }
    changes = [
        *await _decide_deletions(core, memories, part.gone),
        *rewritten,
        *await _without_spans(core, part, texts),  # type: ignore[arg-type]
        *await _boxes_anew(core, part, texts),  # type: ignore[arg-type]
    ]
    # Two that said the same were forbidden by one row.
    return list({(change.table, change.key): change for change in changes}.values())


async def _decide_deletions(core: Core, memories: Sequence[Memory], revisions: Revisions) -> list[Change]:
    """Decide what goes with memories: what hangs on them, and what forbids their texts."""
    seqs, going = sorted(revisions), set(revisions)
    touches = {one.seq: one.touched for one in memories}
    links = {link.key for link in await core.store.neighbours(core.scope, seqs)} if seqs else set()
    folds = await asyncio.to_thread(lambda: {key for one in memories for key in ban_keys(one.text)})
    bans = [one for one in await core.store.forbidden(core.scope) if one.fold in folds or one.seq in going]
    return [
        *(
            # Whoever links it meanwhile touches it, and the link would be left.
            Change(
                "memories",
                seq,
                {} if revision == PURGED else {"revision": revision, "touched": touches.get(seq, 0)},
                None,
            )
            for seq, revision in sorted(revisions.items())
        ),
        *(Change("tags", (one.seq, tag), {}, None) for one in memories for tag in one.tags),
        *(Change("sources", (one.seq, source), {}, None) for one in memories for source in one.sources),
        *(Change("links", key, {}, None) for key in sorted(links)),
        *(Change("forbidden", one.fold, {"at": one.at, "seq": one.seq}, None) for one in bans),
    ]


async def _decide_redactions(core: Core, part: ErasePart) -> list[Change]:
    """Decide what others' memories say without the names; one that said them once alone is written as it is."""
    if part.names is None or not part.redacts:
        return []
    memories = await get(core, sorted(part.redacts))
    forbidden = await core.store.forbidden(core.scope)
    changes: list[Change] = []
    for one in memories:
        changes += await _redact_memory(core, one, part.redacts[one.seq], part.names)
        text = part.names.without(one.text)
        folds = set(await asyncio.to_thread(ban_keys, one.text)) if text != one.text else set()
        bans = [ban for ban in forbidden if ban.fold in folds]
        changes += [Change("forbidden", ban.fold, {"at": ban.at, "seq": ban.seq}, None) for ban in bans]
    return changes


async def _redact_memory(core: Core, memory: Memory, revision: int, names: Names) -> list[Change]:
    """Decide a memory's row, tags and sources without the names."""
    columns = names.taken_out_of(said_of(memory))
    if memory.key is not None and columns["key"] != memory.key:
        columns["key"] = f"{columns['key']}~{memory.seq}"
    after = {**columns, "form": Form.FULL, "summary": None}
    after["agent"], after["speaker"] = memory.agent, memory.speaker  # whose it is: that is another one's name
    if columns["text"] == memory.text:
        del after["text"]  # it may be forbidden, and stays so
    else:  # newer than what another device has
        after["edits"] = add_stamps(memory, {"text": columns["text"]}, core.clock.now())["edits"]
    after |= text_columns(columns["text"], memory.speaker)
    if "text" in after and core.embedder.dimensions:
        after["vector"] = await run_off_loop(len(columns["text"]), vector_of, core, columns["text"])
    changes = [Change("memories", memory.seq, {"revision": revision}, after)]
    held: dict[Any, Sequence[str]] = {"tags": memory.tags, "sources": memory.sources}
    for table, values in held.items():
        # One that says nothing but a name is taken off.
        old = [one for one in values if names.stand_in(one)]
        new = dict.fromkeys(names.without(one) for one in old if not names.are(one))
        changes += [
            *(Change(table, (memory.seq, one), {}, None) for one in old),
            *(Change(table, (memory.seq, one), None, {}) for one in new if one not in values),
        ]
    return changes


async def _without_spans(core: Core, part: ErasePart, texts: Mapping[int, str]) -> list[Change]:
    """Decide what facts say of turns that say something else now: no longer from which characters they were read."""
    turns = {one.seq: one.id for one in await get(core, sorted(texts))}
    links = await core.store.neighbours(core.scope, sorted(turns), Relation.LEARNED_FROM) if turns else []
    read = {(link.source, turns[link.target]) for link in links if link.target in turns}
    facts = {one.seq: one for one in await get(core, sorted({seq for seq, _ in read} - part.gone.keys()))}
    return [
        Change("sources", (seq, turn), {}, {"span": None})
        for seq, turn in sorted(read)
        if seq in facts and turn in facts[seq].sources
    ]


async def settings_without(core: Core, names: Names | None) -> dict[str, Any]:
    """Return what is kept beside the memories that says a name, as it is kept without it."""
    if names is None:
        return {}
    books = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), under=("",)))
    values: dict[str, Any] = {}
    for name, value in books.values.items():
        if names.stand_in(name):
            values[name] = None
        if names.stand_in(name) or names.stand_in_json(value):
            values[names.without(name)] = names.taken_out_of(value)
    return values


async def still_named(core: Core, names: Names) -> tuple[str, ...]:
    """Return the memories that say a name, or have said it, such as one that came in meanwhile."""
    subject = Subject(names, frozenset())
    await read_all(core, subject, set())
    return tuple(short_id(seq) for seq in sorted({*subject.own, *subject.mentioned}))


async def _boxes_anew(core: Core, part: ErasePart, texts: Mapping[int, str]) -> list[Change]:
    """Decide what becomes of boxes that hold turns which go, and of their traces: they are made anew from the rest."""
    changes: list[Change] = []
    anew: dict[int, Mapping[str, int] | None] = {}
    traces: set[int] = set()
    async for box in iterate_boxes(core):
        is_named = part.names is not None and bool(part.redacts) and part.names.stand_in(box.session)
        if not is_named and {*part.gone, *texts}.isdisjoint(box.members):
            continue
        traces |= {box.trace} - {None}  # type: ignore[arg-type]
        values = await _box_left(core, box, part, texts)
        anew[box.box] = None if values is None else values["topics"]
        before = {name: box.values[name] for name in values or {}}
        before |= {name: list(value) for name, value in before.items() if isinstance(value, tuple)}
        changes.append(Change("boxes", box.box, before, values))
    return changes + [await _trace_anew(core, trace, anew) for trace in sorted(traces)]


async def _box_left(
    core: Core, box: BoxRow, part: ErasePart, texts: Mapping[int, str]
) -> dict[str, Any] | None:
    """Return what is left of a box; None where nothing is."""
    members = [seq for seq in box.members if seq not in part.gone]
    turns = [replace(one, text=texts.get(one.seq, one.text)) for one in await get(core, members)]
    if not turns:
        return None
    topic_turns = await boxes.box_turns(core, turns)
    goal = None if box.goal in part.gone else box.goal
    session = box.session if part.names is None or not part.redacts else part.names.without(box.session)
    return {"members": members, "goal": goal, "topics": box_cuts.kept_topics(topic_turns), "session": session}


async def _trace_anew(core: Core, trace: int, anew: Mapping[int, Mapping[str, int] | None]) -> Change:
    """Decide what becomes of a trace: its topics are those of its boxes as they are by then, in their order."""
    rows = await core.store.boxes(core.scope, FindBoxes(trace=trace, limit=PAGE))
    topics: dict[str, int] = {}
    count = 0
    for box in sorted(rows, key=lambda one: one.box):
        of_box = anew.get(box.box, box.topics)
        if of_box is not None:
            topics, count = box_cuts.merge_topics(topics, of_box), count + 1
    (row,) = await core.store.traces(core.scope, FindTraces(only=(trace,)))
    if not count:
        return Change("traces", trace, {}, None)
    return Change("traces", trace, {"topics": dict(row.topics)}, {"topics": topics})


async def get(core: Core, seqs: Sequence[int]) -> list[Memory]:
    """Return those memories that have a row."""
    return [one for one in await core.store.get(core.scope, seqs) if one is not None] if seqs else []


def chunks(seqs: Iterable[int]) -> list[list[int]]:
    """Return numbers in parts that one transaction takes."""
    every = list(seqs)
    return [every[at : at + PART_MEMORIES] for at in range(0, len(every), PART_MEMORIES)]


async def end_sessions(core: Core, sessions: Collection[str], gone: Collection[int]) -> None:
    """Take away what is kept of sessions of which no memory is left, and of turns that came out of quarantine."""
    now = core.clock.now()
    released = await core.store.bookkeep(core.scope, Bookkeeping(now, under=(RELEASED,)))
    put: dict[str, Any] = {name: None for name in released.values if int(name.removeprefix(RELEASED)) in gone}
    counts: dict[str, int] = {}
    for session in sorted(sessions):
        if await core.store.find(core.scope, Find(equal={"session": session}, limit=1)):
            continue
        (waits,) = await buffers(core, session)
        counts |= {TURNS + session: -waits.turns, HIGH + session: -waits.high}
        put[cursor_key(session)] = None
        mark = heartbeat_key(session)
        if mark not in (await core.store.bookkeep(core.scope, Bookkeeping(now, get=(mark,)))).values:
            put[session_key(session)] = None
    if put or counts:
        await core.store.bookkeep(core.scope, Bookkeeping(now, put=put, count=counts))


async def words_left(core: Core, sought: Sought) -> tuple[str, ...]:
    """Return the kinds of rows beside the memories that say some of what was erased, each with what changes it."""
    kept = (await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), under=("",)))).values
    rows = {name: f"{name}\n{orjson.dumps(value).decode()}" for name, value in kept.items()}
    saying = [name for name, said in rows.items() if sought.stands_in(said)]
    if saying:
        await spare_what_stays(core, sought)
    return tuple(sorted({_read_kind(name) for name in saying if sought.stands_in(rows[name])}))


def _read_kind(name: str) -> str:
    known = next((told for begin, told in _KINDS.items() if name.startswith(begin)), None)
    what, way = known or (f"the row {name.partition('/')[0]!r}", "run `doctor` and look")
    return f"{what}; {way}"
