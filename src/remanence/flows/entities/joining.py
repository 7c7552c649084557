"""Two entities become one, and one becomes two again, because somebody says so: a run each, which `undo` takes back."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from remanence.core.change import Cause, Change
from remanence.core.effects import VERBS
from remanence.core.errors import Conflict
from remanence.core.model import STANDING, Link, Memory, Reason, Relation, Status, link_values
from remanence.edit.one_memory import act, merge_changes, update
from remanence.flows.base.context import RACES_MAX, Core, wait_before_retry
from remanence.flows.entities.entity_storing import LINKS_MAX, NUMBERS_MAX, entity_row
from remanence.read.entity import (
    NAMES_MAX,
    OTHER,
    aliases_of,
    folded_name,
    key_of,
    name_of,
    names_of,
    text_of,
    type_of,
)
from remanence.read.name_places import has_name
from remanence.store.base import Arriving
from remanence.text.text_columns import text_columns

MERGE, SPLIT = "merge", "entities.split"
CHAIN_MAX = 100


async def survivor(core: Core, seq: int) -> Memory | None:
    """Return an entity, or the one that it has become a part of; None where none stands."""
    for _ in range(CHAIN_MAX):
        memory = core.entities.memories.get(seq)
        if memory is None or memory.status in STANDING:
            return memory
        links = await core.store.neighbours(core.scope, [seq], Relation.MERGED_FROM)
        into = [link.source for link in links if link.target == seq]
        if not into or memory.status is not Status.SUPERSEDED:
            return None
        seq = into[-1]
    return None


@dataclass(frozen=True, slots=True)
class JoinResult:
    """What it took to make one of two entities: the run, how many changes, which memories mention the other."""

    cause: Cause
    changes: int
    mentioning: tuple[int, ...]
    aliases: int  # names that the one that stays did not have


async def join(core: Core, one: Memory, other: Memory) -> JoinResult:
    """Let the entity with the fuller name take in the other, with its names and mentions; return what was written."""
    winner, loser = sorted((one, other), key=_measure_fullness)[::-1]
    for attempt in range(RACES_MAX):
        cause = core.cause(MERGE, detail={"ids": [winner.id, loser.id]})
        links = await core.store.neighbours(core.scope, [winner.seq, loser.seq])
        changes = joined_changes(winner, loser, links, core.clock.now())
        try:
            await core.commit(changes, cause)
        except Conflict as conflict:
            await wait_before_retry(attempt, conflict)
            memories = await core.store.get(core.scope, [winner.seq, loser.seq])
            again = [memory for memory in memories if memory is not None and memory.status in STANDING]
            if len(again) < len(memories):
                raise
            winner, loser = again
            continue
        mention_seqs = (
            link.source for link in links if link.relation is Relation.MENTIONS and link.target == loser.seq
        )
        have = {folded_name(name) for name in names_of(winner)}
        aliases = {folded_name(name) for name in names_of(loser)} - have
        return JoinResult(cause, len(changes), tuple(mention_seqs), len(aliases))
    raise AssertionError("unreachable")


def _measure_fullness(memory: Memory) -> tuple[int, int, int]:
    name = name_of(memory)
    return (len(name.split()), len(name), -memory.seq)


def joined_changes(kept: Memory, gone: Memory, links: Sequence[Link], now: int) -> list[Change]:
    """Decide how one entity takes in another."""
    have = {folded_name(name_of(kept))}
    aliases = [
        name
        for name in (*aliases_of(kept), *names_of(gone))
        if folded_name(name) not in have and not have.add(folded_name(name))  # type: ignore[func-returns-value]
    ]
    type_ = type_of(gone) if type_of(kept) == OTHER else type_of(kept)
    attributes = {**(kept.attributes or {}), "aliases": aliases[:NAMES_MAX], "type": type_}
    changes = update(kept, {"attributes": attributes, "trust": min(kept.trust, gone.trust)})
    changes += act(gone, VERBS["join"], now, reason=Reason.MERGED)
    key = (kept.seq, gone.seq, int(Relation.MERGED_FROM))
    keys = {link.key for link in links}
    if key not in keys:
        changes.append(Change("links", key, None, link_values(now)))
    return merge_changes([*changes, *_move_mentions(links, gone.seq, kept.seq, now)])


def _move_mentions(links: Sequence[Link], gone: int, kept: int, now: int) -> Iterator[Change]:
    """Yield how mentions of one become those of another, the newest as far as there is room."""
    mine = {link.source for link in links if link.relation is Relation.MENTIONS and link.target == kept}
    theirs = [link for link in links if link.relation is Relation.MENTIONS and link.target == gone]
    new = sorted((link.source for link in theirs if link.source not in mine), reverse=True)
    yield from (Change("links", link.key, link.values, None) for link in theirs)
    for source in new[: max(0, LINKS_MAX - len(mine))]:
        yield Change("links", (source, kept, int(Relation.MENTIONS)), None, link_values(now))


async def find_free_key(core: Core, name: str, type_: str) -> tuple[str, str]:
    """Return a key and a text that no entity and no memory has."""
    for number in range(1, NUMBERS_MAX):
        key, text = key_of(name, number), text_of(name, type_, number)
        mark = text_columns(text, None)["fingerprint"]
        twin = (await core.store.arriving(core.scope, Arriving(fingerprints=[mark]))).twins.get(mark)
        if core.entities.find_by_key(key) is None and (twin is None or twin.status not in STANDING):
            return key, text
    raise AssertionError("this many namesakes are refused on arrival")


async def split(
    core: Core, whole: Memory, names: Sequence[str], mentioning: Collection[int]
) -> tuple[Cause, int]:
    """Make an entity of its own of some names of one, or of what some memories mention; return run and changes.

    With names, a memory mentions the new one where it has one of these names, and the old one where it has another.
    """
    now = core.clock.now()
    off = [folded_name(name) for name in names]
    name = next((one for one in names_of(whole) if folded_name(one) in off), name_of(whole))
    key, text = await find_free_key(core, name, type_of(whole))
    aliases = [one for one in names_of(whole) if folded_name(one) in off and one != name]
    own_aliases = [one for one in aliases_of(whole) if folded_name(one) not in off]
    theirs = {"name": name, "type": type_of(whole), "aliases": aliases}
    said = {name: getattr(whole, name) for name in ("trust", "said_at", "said_offset")}
    row = entity_row(core, {"key": key, "text": text, **said}, theirs, now)
    attributes = {**(whole.attributes or {}), "aliases": own_aliases}
    changes = [Change("memories", -1, None, row), *update(whole, {"attributes": attributes})]
    links = await core.store.neighbours(core.scope, [whole.seq], Relation.MENTIONS)
    here = [link for link in links if link.target == whole.seq]
    texts = await core.store.get(core.scope, [link.source for link in here]) if here else []
    rest = frozenset(folded_name(one) for one in names_of(whole)) - set(off)
    for link, memory in zip(here, texts, strict=True):
        goes, stays = _decide_mention(link, memory, frozenset(off), rest, mentioning)
        if goes:
            changes.append(Change("links", (link.source, -1, int(Relation.MENTIONS)), None, link_values(now)))
        if not stays:
            changes.append(Change("links", link.key, link.values, None))
    cause = core.cause(SPLIT, detail={"id": whole.id, "into": row["id"], "names": list(names)})
    await core.commit(merge_changes(changes), cause)
    return cause, len(changes)


def _decide_mention(
    link: Link,
    memory: Memory | None,
    off: frozenset[str],
    rest: frozenset[str],
    mentioning: Collection[int],
) -> tuple[bool, bool]:
    """Tell whether a memory mentions what is split off, and whether it mentions what stays."""
    if link.source in mentioning:
        return True, False
    if not off or memory is None:
        return False, True
    goes = has_name(memory.text, off)
    return goes, not goes or has_name(memory.text, rest)
