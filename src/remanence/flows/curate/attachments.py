"""Tags and sources of memories that a plan merges or purges: what stays gains them, what goes loses them.

Knows groups of changes and the memories that they name; knows nothing of policies. A snapshot holds neither tags nor
sources whole, so that a plan cannot list them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from remanence.core.change import Change
from remanence.core.decay_class import decay
from remanence.core.effects import is_flag
from remanence.core.model import Memory
from remanence.flows.base.context import Core

Group = Sequence[Change]


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
    return [_whole(group, merges, memories) for group in groups]


def _iterate_merges(group: Group, merges: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the merges of a group: what is taken in, and what takes it in."""
    for change in group:
        if change.table == "memories" and isinstance(change.key, int) and change.key in merges:
            yield change.key, merges[change.key]


def _whole(group: Group, merges: Mapping[int, int], memories: Mapping[int, Memory]) -> Group:
    for ends in _iterate_merges(group, merges):
        theirs, mine = map(memories.get, ends)
        if theirs is not None and mine is not None:
            group = _taken_in(group, theirs, mine)
    return group


def _taken_in(group: Group, theirs: Memory, mine: Memory) -> Group:
    """Add one memory's tags and sources to another's, and what its decay class becomes by them."""
    tags = [tag for tag in theirs.tags if tag not in mine.tags and not is_flag(tag)]
    sources = [source for source in theirs.sources if source not in mine.sources]
    more = [Change("tags", (mine.seq, tag), None, {}) for tag in tags]
    more += [Change("sources", (mine.seq, source), None, {"span": None}) for source in sources]
    fades = decay({*mine.tags, *tags}, mine.category)
    return [*group, *more] if fades is mine.decay else [*_fading(group, mine, int(fades)), *more]


def _fading(group: Group, memory: Memory, fades: int) -> Iterator[Change]:
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
