"""What a plan needs that its snapshot does not hold: texts read again, what was restored lately, tags and sources.

Says which pairs have the same words and what somebody restored within the last day; gives a memory that stays the tags
and sources of the one that it takes in, and takes those of a purged one away. The planner decides.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from remanence.core.change import MILLION, Change
from remanence.core.effects import is_flag
from remanence.core.guards import RESTORED_FOR
from remanence.core.model import Memory, Relation, Status
from remanence.core.score import decay
from remanence.core.snapshot import Snapshot
from remanence.flows.base.audit_log import newest_first
from remanence.flows.base.context import Core, run_off_loop
from remanence.flows.undo.restoring import BROUGHT_BACK
from remanence.text.twins import SURE, same_words

PAIRS_MAX = 2_000  # are looked at for one plan, the surest; the rest wait for a later one, since what is merged leaves
PARTS_MAX = (
    200_000  # parts of a day that are looked through; of a scope in which more was written, the newest
)
Group = Sequence[Change]


async def same_words_of(core: Core, snapshot: Snapshot) -> frozenset[tuple[int, int]]:
    """Return the pairs that stand, linked as sure near duplicates, whose words are the same; the older first."""
    pairs = _list_pairs(snapshot)
    seqs = sorted({seq for pair in pairs for seq in pair})
    found = await core.store.get(core.scope, seqs) if seqs else []
    held = {one.seq: one for one in found if one is not None}
    compared = [(held[one], held[other]) for one, other in pairs if one in held and other in held]
    chars = sum(len(one.text) for one in held.values())
    return await run_off_loop(chars, _same_of, compared, core.embedder.thresholds.calibrated)


def _list_pairs(snapshot: Snapshot) -> list[tuple[int, int]]:
    links, status = snapshot.links, snapshot.columns["status"]
    if links is None or links.confidence is None:
        return []
    standing = (status == Status.INBOX) | (status == Status.ACTIVE)
    chosen = (links.relation == Relation.NEAR_DUPLICATE) & (links.confidence >= round(SURE * MILLION))
    edges = np.flatnonzero(chosen & standing[links.source] & standing[links.target])
    edges = edges[np.argsort(-links.confidence[edges], kind="stable")][:PAIRS_MAX]
    ends = snapshot.seq[np.sort([links.source[edges], links.target[edges]], axis=0)]
    return [(one, other) for one, other in ends.T.tolist()]


def _same_of(pairs: Iterable[tuple[Memory, Memory]], moved: bool) -> frozenset[tuple[int, int]]:
    return frozenset(
        (one.seq, other.seq)
        for one, other in pairs
        if one.speaker == other.speaker and same_words(one.text, other.text, moved=moved)
    )


async def find_recently_restored(core: Core, snapshot: Snapshot, now: int) -> Mapping[int, int]:
    """Return the memories that were restored within the last day, with when; not those of a run that was undone."""
    last = snapshot.fired.get(BROUGHT_BACK)
    if last is None or last <= now - RESTORED_FOR:
        return {}
    found: dict[int, int] = {}
    undone: set[str] = set()
    seen = 0
    async for part in newest_first(core):
        cause, seen = part.cause, seen + 1
        if cause.at <= now - RESTORED_FOR or seen > PARTS_MAX:
            break
        if cause.verb == "undo" and cause.run not in undone:
            undone.add(cause.detail["undoes"])
        if cause.verb != "restore" or cause.run in undone:
            continue
        (whole,) = await core.store.history(core.scope, run=cause.run, after=part.position - 1, limit=1)
        for change in whole.changes:
            if change.table == "memories" and isinstance(change.key, int):
                found.setdefault(change.key, cause.at)
    return found


async def complete_merges(core: Core, merges: Mapping[int, int], groups: Sequence[Group]) -> list[Group]:
    """Add to each merge what its survivor lacks; `merges` maps what is taken in to what takes it in.

    A flag speaks of the text that bears it and stays with that.
    """
    ends = [end for group in groups for pair in _iterate_merges(group, merges) for end in pair]
    if not ends:
        return list(groups)
    memories = {one.seq: one for one in await core.store.get(core.scope, ends) if one is not None}
    for change in chain.from_iterable(groups):  # what is purged in the same part takes nothing in any more
        if change.table == "memories" and change.after is None and isinstance(change.key, int):
            memories.pop(change.key, None)
    return [_complete_group(group, merges, memories) for group in groups]


def _iterate_merges(group: Group, merges: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the merges of a group: what is taken in, and what takes it in."""
    for change in group:
        if change.table == "memories" and isinstance(change.key, int) and change.key in merges:
            yield change.key, merges[change.key]


def _complete_group(group: Group, merges: Mapping[int, int], memories: Mapping[int, Memory]) -> Group:
    for ends in _iterate_merges(group, merges):
        theirs, mine = map(memories.get, ends)
        if theirs is not None and mine is not None:
            tags = [tag for tag in theirs.tags if tag not in mine.tags and not is_flag(tag)]
            sources = [source for source in theirs.sources if source not in mine.sources]
            more = [Change("tags", (mine.seq, tag), None, {}) for tag in tags]
            more += [Change("sources", (mine.seq, source), None, {"span": None}) for source in sources]
            fades = decay({*mine.tags, *tags}, mine.category)
            group = [*group, *more] if fades is mine.decay else [*_set_decay(group, mine, int(fades)), *more]
    return group


def _set_decay(group: Group, memory: Memory, fades: int) -> Iterator[Change]:
    """Let the change of a memory set its decay class too; where it has none yet, this is one."""
    before = {"revision": memory.revision, "decay": int(memory.decay)}
    after = {"revision": memory.revision + 1, "decay": fades}
    has_one = False
    for change in group:
        if (change.table, change.key) == ("memories", memory.seq):
            has_one = True
            yield replace(
                change, before={**before, **(change.before or {})}, after={**after, **(change.after or {})}
            )
        else:
            yield change
    if not has_one:
        yield Change("memories", memory.seq, before, after)


def cut_links(group: Group) -> Iterator[tuple[int, int, int]]:
    """Yield the links that a group cuts."""
    return (change.key for change in group if change.table == "links" and change.after is None)  # type: ignore[misc]


def attached_changes(memory: Memory) -> list[Change]:
    """Return the changes that take the tags and sources of a memory away."""
    tags = [Change("tags", (memory.seq, tag), {}, None) for tag in memory.tags]
    return tags + [Change("sources", (memory.seq, source), {}, None) for source in memory.sources]


def hanging_changes(group: Group, hanging: Mapping[int, list[Change]]) -> list[Change]:
    """Return, of what hangs on memories, the changes that go with those that a group purges."""
    return [
        change
        for owner in group
        if owner.table == "memories" and owner.after is None and isinstance(owner.key, int)
        for change in hanging.get(owner.key, ())
    ]
