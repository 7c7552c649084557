"""What of a memory holds no longer: facts of a turn that fell, what has expired, and what something newer stands for.

Follows links; must not know what the views are that show it.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from remanence.core.model import STANDING, Link, Memory, Reason, Relation, Status, short_id
from remanence.core.results import date_of
from remanence.core.segment import TURN
from remanence.core.snapshot import SnapshotRequest
from remanence.flows.base.context import Core
from remanence.read.extraction import EXTRACTED_BY
from remanence.store.base import AnswerRequest, AnswerRows
from remanence.store.lineage import find_successors

# Of what is archived all holds that held before: it had no room, or its time was over.
_HOLDING = STANDING | {Status.ARCHIVED}
FOLLOWED_MAX = 10  # links of a chain; what is further on stands by itself
CHAIN_MAX = 10  # how often what took a place is followed to what took that one's


@dataclass(slots=True)
class MarkedMemories:
    """Some memories, each saying what of it holds no longer; `below` maps one that holds no more to what does instead.

    What replaced it counts with its turn or its facts.
    """

    memories: list[Memory | None]
    below: dict[int, set[int]] = field(default_factory=dict)

    @property
    def edited_seqs(self) -> set[int]:
        """Those whose text is not as it came: a fact may say no longer what its turn says."""
        return {one.seq for one in self.memories if one is not None and one.text_at is not None}


async def mark_outdated(
    core: Core, memories: Sequence[Memory | None], known: AnswerRows | None = None
) -> MarkedMemories:
    """Look what of some memories holds no longer, and what stands above those of which nothing does.

    `known` has all their links, where these were read already, and perhaps memories that are linked.
    """
    now = core.clock.now()
    marks: dict[int, list[str]] = defaultdict(list)
    standing = [one for one in memories if one is not None and one.status in _HOLDING]
    below: dict[int, set[int]] = {}
    turns = [one.seq for one in standing if TURN in one.tags]
    if turns:
        await _by_facts(core, turns, marks, below, known)
    fell = {one.seq for one in memories if one is not None and one.status is Status.SUPERSEDED}
    for seq, successors in (await _read_successors(core, fell) if fell else {}).items():
        if successors:
            below[seq] = successors
            marks[seq].append(f"see {', '.join(map(short_id, sorted(successors)))}")
    for one in standing:
        if one.valid_to is not None and one.valid_to <= now:
            marks[one.seq].append(f"expired {date_of(one.valid_to)}")
    within = core.policy.recall.confirm_within or {}
    for one in standing if within else ():
        last = max(one.last_said_at, one.text_at or one.last_said_at)
        limit = within.get(one.trust.label)
        if limit is not None and now - last > limit:
            marks[one.seq].append(f"not confirmed since {date_of(last)}")
    return MarkedMemories(
        [
            one if one is None or one.seq not in marks else replace(one, ended=tuple(marks[one.seq]))
            for one in memories
        ],
        await _with_turns(core, below),
    )


async def with_ended(core: Core, memories: Sequence[Memory | None]) -> list[Memory | None]:
    """Return memories that say of themselves what of them holds no longer."""
    return (await mark_outdated(core, memories)).memories


def merge_stronger(above: Mapping[int, set[int]], below: Mapping[int, set[int]]) -> dict[int, set[int]]:
    """Return what stands above what: what is stronger of a contradiction, and what holds instead of what does no more.

    What holds no more is stronger than nothing that holds instead.
    """
    stronger = {seq: {one for one in some if seq not in below.get(one, ())} for seq, some in above.items()}
    return {seq: stronger.get(seq, set()) | below.get(seq, set()) for seq in {**above, **below}}


async def _by_facts(
    core: Core,
    turns: Sequence[int],
    marks: dict[int, list[str]],
    below: dict[int, set[int]],
    known: AnswerRows | None,
) -> None:
    """Mark turns of which a fact was corrected, superseded or edited; one that has no other fact holds no more."""
    facts: dict[int, list[int]] = defaultdict(list)
    links = known.links if known is not None else None
    if links is None:
        links = await core.store.neighbours(core.scope, turns, Relation.LEARNED_FROM)
    for link in links:
        if link.relation is Relation.LEARNED_FROM:
            facts[link.target].append(link.source)
    seqs = sorted({seq for turn in turns for seq in facts[turn]})
    validities = await _read_facts(core, seqs, {} if known is None else known.memories)
    fell = {seq for seq, one in validities.items() if one.is_superseded}
    by = await _read_successors(core, fell) if fell else {}
    for turn in turns:
        own = [validities[seq] for seq in facts[turn] if seq in validities]
        past_facts = [one for one in own if by.get(one.seq)]
        for one in past_facts:
            by_whom = ", ".join(map(short_id, sorted(by[one.seq])))
            marks[turn].append(f"out of date: {one.text} (see {by_whom})")
        edited_facts = [one for one in own if one.holds and one.is_edited]
        marks[turn] += [f"out of date: edited since (see {short_id(one.seq)})" for one in edited_facts]
        as_said = [one for one in own if one.holds and not one.is_edited]
        if (past_facts or edited_facts) and not as_said:
            below.setdefault(turn, set()).update(
                {one.seq for one in edited_facts}, *(by[one.seq] for one in past_facts)
            )


class _FactValidity(NamedTuple):
    """What tells whether a fact holds as its turn said it; of what is archived, and holds, no text is read."""

    seq: int
    holds: bool
    is_superseded: bool
    is_edited: bool
    text: str = ""


async def _read_facts(
    core: Core, seqs: Sequence[int], known: Mapping[int, Memory] = MappingProxyType({})
) -> dict[int, _FactValidity]:
    """Look at some memories; where texts of the archive are to be left alone, at columns of these.

    Those that are `known` are not read again.
    """
    validities: dict[int, _FactValidity] = {}
    if seqs and core.index.leaves_archive:
        request = SnapshotRequest(frozenset({"status", "text_at"}), only=tuple(seqs))
        snapshot = await core.store.snapshot(core.scope, request, core.clock.now())
        rows = np.flatnonzero(snapshot.columns["status"] == int(Status.ARCHIVED))
        edit_flags = ~np.isnan(snapshot.columns["text_at"])
        for seq, is_edited in zip(snapshot.seq[rows].tolist(), edit_flags[rows].tolist(), strict=True):
            validities[seq] = _FactValidity(seq, holds=True, is_superseded=False, is_edited=is_edited)
    rest = [seq for seq in seqs if seq not in validities and seq not in known]
    read = await core.store.get(core.scope, rest) if rest else []
    for one in [*(known[seq] for seq in seqs if seq in known and seq not in validities), *read]:
        if one is not None:
            is_superseded = one.reason is Reason.SUPERSEDED
            validities[one.seq] = _FactValidity(
                one.seq, one.status in _HOLDING, is_superseded, one.text_at is not None, one.text
            )
    return validities


async def _read_successors(core: Core, fell: set[int]) -> dict[int, set[int]]:
    """Return what took the places of some memories, and stands."""
    next_: dict[int, set[int]] = defaultdict(set)
    waits = {*fell}
    for _ in range(CHAIN_MAX):
        links = await core.store.neighbours(core.scope, sorted(waits), Relation.SUPERSEDES, Relation.NEWER)
        found = {seq: find_successors(links, seq) for seq in waits}
        for seq, sources in found.items():
            next_[seq].update(sources)
        facts = await _read_facts(core, sorted({one for sources in found.values() for one in sources}))
        waits = {seq for seq, one in facts.items() if one.is_superseded} - waits
        if not waits:
            break
    return {seq: _find_ends(seq, next_) for seq in fell}


def _find_ends(seq: int, next_: Mapping[int, set[int]]) -> set[int]:
    """Return the ends of the ways that lead on from a memory."""
    ends: set[int] = set()
    open_, seen = [seq], {seq}
    while open_:
        after = next_.get(open_.pop(), set())
        ends |= {one for one in after if not next_.get(one)}
        open_ += after - seen
        seen |= after
    return ends


async def _with_turns(core: Core, below: Mapping[int, set[int]]) -> dict[int, set[int]]:
    """Let the turns and the facts of what replaced a memory stand above it, too: one of them alone is shown."""
    seqs = sorted({seq for above in below.values() for seq in above})
    links = await core.store.neighbours(core.scope, seqs, Relation.LEARNED_FROM) if seqs else []
    beside: dict[int, set[int]] = defaultdict(set)
    for link in links:
        beside[link.source].add(link.target)
        beside[link.target].add(link.source)
    return {
        seq: above.union(*(beside.get(one, set()) for one in above)) - {seq} for seq, above in below.items()
    }


async def follow_newer(
    core: Core, memories: Sequence[Memory], links: Sequence[Link] | None = None, *, hides: bool = False
) -> dict[int, Memory | None]:
    """Map those of some memories that are surely outdated to the newest of their chain, None where that is far.

    What outdates a memory stands, is believed no less, and was said no sooner than the memory was said again. `links`
    are those of the memories, where they were read. For a view that `hides` what is outdated, a model's verdict counts
    of what a model extracted alone: a person's own words stay in sight until a person settles the proposal.
    """
    known = {one.seq: one for one in memories}
    above: dict[int, int] = {}
    open_ = list(known)
    if links is None:
        links = await core.store.neighbours(core.scope, sorted(open_), Relation.NEWER) if open_ else []
    for _ in range(FOLLOWED_MAX):
        pairs = [
            (link.source, link.target)
            for link in links
            if link.relation is Relation.NEWER and link.is_certain and link.target in open_
        ]
        by_hand = {(link.source, link.target) for link in links if link.confidence is None}
        missing = sorted({newer for newer, _ in pairs} - known.keys())
        read = AnswerRows({}, [])
        if missing:
            read = await core.store.read_answer(core.scope, AnswerRequest(missing, (), (Relation.NEWER,)))
        known |= read.memories
        for newer, older in pairs:
            if (
                newer in known
                and known[newer].status in STANDING
                and known[newer].trust >= known[older].trust
                and known[newer].last_said_at >= (known[older].said_again_at or 0)
                and (not hides or (newer, older) in by_hand or _is_extracted(known[older]))
            ):
                above[older] = max(newer, above.get(older, newer))
        open_, links = [newer for newer in missing if newer in known], read.links
        if not open_:
            break
    ends = known.keys() - above.keys() - set(open_)  # nobody looked what is newer than these
    return {one.seq: _follow_chain(one.seq, above, ends, known) for one in memories if one.seq in above}


def _is_extracted(memory: Memory) -> bool:
    """True if a memory is as a model extracted it, or a turn."""
    return memory.text_at is None and (TURN in memory.tags or EXTRACTED_BY in (memory.attributes or {}))


async def mark_newer(
    core: Core, marks: MarkedMemories, links: Sequence[Link], *, raises: bool
) -> MarkedMemories:
    """Mark what something surely newer stands for; where it `raises`, let that stand above it and above its turn.

    So do the turns and the facts of what is newer: one of them alone is shown.
    """
    if not any(link.relation is Relation.NEWER for link in links):
        return marks
    standing = [one for one in marks.memories if one is not None and one.status in STANDING]
    newest = await follow_newer(core, standing, links)
    turns: dict[int, set[int]] = defaultdict(set)
    facts: dict[int, set[int]] = defaultdict(set)
    for link in links:
        if link.relation is Relation.LEARNED_FROM:
            turns[link.source].add(link.target)
            facts[link.target].add(link.source)
    below = dict(marks.below)
    for older, newer in newest.items() if raises else ():
        above = set() if newer is None else {newer.seq, *turns[newer.seq], *facts[newer.seq]} - {older}
        for seq in {older, *turns[older]} - above:
            below[seq] = below.get(seq, set()) | above
    memories = [
        replace(one, ended=(*one.ended, f"newer: {short_id(newer.seq)}"))
        if one is not None and (newer := newest.get(one.seq)) is not None
        else one
        for one in marks.memories
    ]
    return MarkedMemories(memories, below)


def _follow_chain(
    seq: int, above: Mapping[int, int], ends: Collection[int], known: Mapping[int, Memory]
) -> Memory | None:
    """Return the end of a chain; None where it goes round in a circle or on beyond what was looked at."""
    seen = {seq}
    while seq in above and above[seq] not in seen:
        seq = above[seq]
        seen.add(seq)
    return known[seq] if seq in ends else None
