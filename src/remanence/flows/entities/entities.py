"""The people, projects, tools, companies and places that memories name: listed, shown, merged and split.

What is told of one is derived from what stands each time it is asked for, and stored nowhere.
"""

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from remanence.core.arguments import check_count, check_name
from remanence.core.change import Change
from remanence.core.clock import MINUTE
from remanence.core.errors import InvalidInput, NameUnknown, NotFound
from remanence.core.model import STANDING, Memory, OneMemory, Relation, short_id
from remanence.core.receipt import Receipt
from remanence.core.results import Result, Time, number, visible
from remanence.core.segment import TURN
from remanence.core.signatures import checked_class
from remanence.edit.one_memory import update
from remanence.flows.base.context import LISTED_MAX, Core, receipt
from remanence.flows.base.naming import plain_name
from remanence.flows.entities.entity_storing import RELATION
from remanence.flows.entities.joining import join, split, survivor
from remanence.flows.recall.current_only import follow_newer, with_ended
from remanence.flows.recall.profiling import has_passed
from remanence.flows.write import gating
from remanence.read.entity import (
    NAME_CHARS_MAX,
    NAMES_MAX,
    TYPES,
    aliases_of,
    folded_name,
    is_entity,
    name_of,
    names_of,
    type_of,
)
from remanence.read.extraction import Relationship

LINES_MAX = 20  # of a profile; the rest is counted
TIMELINE_MAX = 100
NEW_DAY_EVERY = 15 * MINUTE  # no sooner does another day begin somewhere
KEPT_MAX = 256  # profiles that are kept until something is written
ALIAS = "entities.alias"


@dataclass(frozen=True, slots=True, repr=False)
class KnownEntity(Result):
    """Somebody or something that memories name: its names, what sort of thing it is, and how many mention it."""

    id: str
    seq: int
    key: str
    name: str
    type: str
    aliases: tuple[str, ...]
    mentions: int
    learned_at: int

    learned_time = Time("learned_at")

    def __str__(self) -> str:
        also = f", also {', '.join(self.aliases)}" if self.aliases else ""
        mention_count = number(self.mentions, "mention", "mentions")
        return visible(f"{short_id(self.seq)} {self.name} ({self.type}{also}; {mention_count})")


@dataclass(frozen=True, slots=True, repr=False)
class EntityProfile(Result):
    """Active facts of an entity, at a position of the change sequence: its newest statements first.

    `timeline` has the facts in the order in which they were said. `more` counts statements beyond the lines. Neither
    has statements that are surely out of date, or events of a day that is over.
    """

    entity: KnownEntity
    lines: tuple[Memory, ...]
    timeline: tuple[Memory, ...]
    relationships: tuple[Relationship, ...]
    more: int
    position: int

    def __str__(self) -> str:
        fact_lines = [
            f"  {short_id(one.seq)} {one.said_day} {' '.join(one.text.split())}" for one in self.lines
        ]
        kin = [f"  {one.source}: {one.relation} of {one.target}" for one in self.relationships]
        more = [f"  and {self.more:,} more"] if self.more else []
        return visible(
            "\n".join([str(self.entity), *kin, *(fact_lines or ["  nothing is told of it"]), *more])
        )


@checked_class
class Entities:
    """The people, projects, tools, companies and places of this scope, as `memory.entities`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def list(
        self,
        *,
        type: str | None = None,  # noqa: A002 - a word of the field
        limit: int = 100,
        after: OneMemory | KnownEntity | None = None,
    ) -> builtins.list[KnownEntity]:
        """List entities, those with the most mentions first.

        The list continues after the entity `after`, by its number of mentions: an entity of a list before has the
        number that it had there, an entity by name or number the one that it has now.
        """
        check_count("limit", limit, 1, LISTED_MAX)
        if type is not None and type not in TYPES:
            raise NameUnknown("type of entity", type, TYPES)
        await self._core.entities.refresh()
        memories = [
            one for one in self._core.entities.list_standing() if type is None or type_of(one) == type
        ]
        counts = await _count_mentions(self._core, [one.seq for one in memories])
        ranking = sorted((-counts.get(one.seq, 0), one.seq, one) for one in memories)
        if after is not None:
            if isinstance(after, KnownEntity):
                cursor = -after.mentions, after.seq
            else:
                one = await find_entity(self._core, after)
                cursor = -(await _count_mentions(self._core, [one.seq])).get(one.seq, 0), one.seq
            ranking = [entry for entry in ranking if entry[:2] > cursor]
        return [_make_known_entity(one, -mentions) for mentions, _, one in ranking[:limit]]

    async def get(self, name: OneMemory) -> EntityProfile:
        """Show an entity with its active facts and timeline."""
        return await _draw_profile(self._core, await find_entity(self._core, name))

    async def split(self, entity: OneMemory, off: OneMemory | Sequence[OneMemory]) -> Receipt:
        """Split an entity: `off` are names of the other one, or memories that mention it.

        With names, a memory then mentions the entity whose name it says, or both.
        """
        return await _split_entity(self._core, await find_entity(self._core, entity), off)

    async def alias(self, entity: OneMemory, name: str) -> Receipt:
        """Give an entity another name; a name of another entity is refused."""
        return await _add_alias(self._core, await find_entity(self._core, entity), name)


async def merge_entities(core: Core, one: Memory, other: Memory) -> Receipt:
    """Merge two and say what that moved: mentions, how many of them are facts, and names."""
    merger = await join(core, one, other)
    memories = await core.store.get(core.scope, merger.mentioning) if merger.mentioning else []
    facts = sum(
        memory is not None and (TURN not in memory.tags or memory.category is not None) for memory in memories
    )
    counts = {"merged": 1, "mentions": len(merger.mentioning), "facts": facts, "aliases": merger.aliases}
    totals = {name: count for name, count in counts.items() if count}
    return receipt(core.scope, merger.cause, merger.changes, totals)


async def _count_mentions(core: Core, seqs: Sequence[int]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for link in await core.store.neighbours(core.scope, seqs, Relation.MENTIONS) if seqs else ():
        counts[link.target] = counts.get(link.target, 0) + 1
    return counts


def _make_known_entity(memory: Memory, mentions: int) -> KnownEntity:
    return KnownEntity(
        memory.id,
        memory.seq,
        memory.key or "",
        name_of(memory),
        type_of(memory),
        aliases_of(memory),
        mentions,
        memory.learned_at,
    )


async def find_entity(core: Core, name: OneMemory) -> Memory:
    """Return the entity that a name means; several that bear it are named in the error."""
    await core.entities.refresh()
    plain = plain_name(name)
    if isinstance(plain, str) and (bearing := core.entities.find_by_name(folded_name(plain))):
        if len(bearing) > 1:
            numbers = ", ".join(f"{short_id(one.seq)} {name_of(one)} ({type_of(one)})" for one in bearing)
            raise InvalidInput(
                f"{len(bearing)} entities bear this name: {numbers}", recovery="name one by its number"
            )
        return bearing[0]
    match = (await core.find_memories([plain]))[0]
    memory = None if match is None or not is_entity(match) else await survivor(core, match.seq)
    if memory is None or memory.status not in STANDING:
        raise NotFound(f"no entity {plain!r} in scope {core.scope!r}", recovery="list them with `entities`")
    return memory


async def _draw_profile(core: Core, memory: Memory) -> EntityProfile:
    """Draw up what stands of an entity; it is kept until a day may begin anywhere, or anything is written."""
    index, now = core.entities, core.clock.now()
    as_of = index.position, now // NEW_DAY_EVERY
    entry = index.kept.get(memory.seq)
    if entry is not None and entry[0] == as_of:
        previous: EntityProfile = entry[1]
        return previous
    links = await core.store.neighbours(core.scope, [memory.seq], Relation.MENTIONS)
    seqs = sorted(link.source for link in links if link.target == memory.seq)
    mentions = await with_ended(core, await core.store.get(core.scope, seqs)) if seqs else []
    newest = await follow_newer(core, [one for one in mentions if one is not None], hides=True)
    profile = build_profile(memory, mentions, newest, index.position, now)
    if len(index.kept) >= KEPT_MAX:
        index.kept.clear()
    index.kept[memory.seq] = (as_of, profile)
    return profile


def build_profile(
    memory: Memory,
    told: Sequence[Memory | None],
    newest: Mapping[int, Memory | None],
    position: int,
    now: int,
) -> EntityProfile:
    """Draw up what stands of an entity from all that mention it, each saying what of it holds no longer.

    `newest` maps those that are surely outdated to what holds instead.
    """
    standing = [one for one in told if one is not None and one.status in STANDING and not one.ended]
    facts = [one for one in standing if TURN not in one.tags or one.category is not None] or standing
    current = [newest.get(one.seq, one) for one in facts]
    facts = list({one.seq: one for one in current if one is not None and not has_passed(one, now)}.values())
    timeline = tuple(sorted(facts, key=lambda one: (one.said_at, one.seq)))
    return EntityProfile(
        _make_known_entity(memory, len(told)),
        timeline[: -LINES_MAX - 1 : -1],
        timeline[-TIMELINE_MAX:],
        tuple(dict.fromkeys(_make_relationship(one) for one in facts if _is_related(one))),
        max(0, len(timeline) - LINES_MAX),
        position,
    )


def _is_related(memory: Memory) -> bool:
    relation = (memory.attributes or {}).get(RELATION)
    return isinstance(relation, dict) and relation.keys() >= {"source", "relation", "target"}


def _make_relationship(memory: Memory) -> Relationship:
    relation = (memory.attributes or {})[RELATION]
    return Relationship(str(relation["source"]), str(relation["relation"]), str(relation["target"]))


async def _split_entity(core: Core, whole: Memory, off: OneMemory | Sequence[OneMemory]) -> Receipt:
    name_list: Sequence[OneMemory] = off if isinstance(off, Sequence) and not isinstance(off, str) else [off]
    plain = [plain_name(one) for one in name_list]
    own = {folded_name(name) for name in names_of(whole)}
    names = [one for one in plain if isinstance(one, str) and folded_name(one) in own]
    others = [one for one in plain if one not in names]
    if not plain or (names and others):
        raise InvalidInput(
            "nothing to split off, or names and memories together",
            recovery="pass names of it, or memories that mention it",
        )
    if {folded_name(name) for name in names} & {folded_name(name_of(whole))}:
        raise InvalidInput(
            f"{name_of(whole)!r} is the name that it keeps",
            recovery="split off its other names, or the memories that mention the other one",
        )
    mentioning = {one.seq for one in await core.all_of(others)} if others else set()
    links = await core.store.neighbours(core.scope, [whole.seq], Relation.MENTIONS)
    if strange := mentioning - {link.source for link in links if link.target == whole.seq}:
        raise NotFound(
            f"{short_id(min(strange))} does not mention {name_of(whole)}",
            recovery=f"name memories that do: entities {name_of(whole)!r} lists them, or one of its names",
        )
    mentioning |= await _with_turns(core, mentioning, {link.source for link in links})
    cause, changes = await split(core, whole, names, mentioning)
    return receipt(core.scope, cause, changes, {"split": 1})


async def _with_turns(core: Core, facts: set[int], among: set[int]) -> set[int]:
    """Return the turns that some facts were learned from, and no others that mention the same entity."""
    links = await core.store.neighbours(core.scope, sorted(among), Relation.LEARNED_FROM) if facts else []
    by_turn: dict[int, set[int]] = {}
    for link in links:
        if link.source in among:
            by_turn.setdefault(link.target, set()).add(link.source)
    turns = {turn for turn, own in by_turn.items() if turn in among and own <= facts}
    return turns | {fact for turn, own in by_turn.items() if turn in facts for fact in own}


async def _add_alias(core: Core, memory: Memory, name: str) -> Receipt:
    check_name("a name", name)
    name_key = folded_name(name)
    if not name_key or len(name) > NAME_CHARS_MAX or gating.screened_tags(core, [name])[1]:
        raise InvalidInput(
            f"{name!r} cannot be a name", recovery="pass a plain name of at most 120 characters"
        )
    bearing = [one for one in core.entities.find_by_name(name_key) if one.seq != memory.seq]
    if bearing:
        raise InvalidInput(
            f"{short_id(bearing[0].seq)} bears the name {name!r}",
            recovery=f"if both are one, merge them: merge {memory.seq} {bearing[0].seq}",
        )
    have = aliases_of(memory)
    if name_key in {folded_name(one) for one in names_of(memory)}:
        return receipt(core.scope, core.cause(ALIAS), 0, {})
    if len(have) >= NAMES_MAX:
        raise InvalidInput(
            f"it has {NAMES_MAX} other names already", recovery="split off names that are not its own"
        )
    changes: list[Change] = update(
        memory, {"attributes": {**(memory.attributes or {}), "aliases": [*have, name]}}
    )
    cause = core.cause(ALIAS, detail={"id": memory.id})
    await core.commit(changes, cause)
    return receipt(core.scope, cause, len(changes), {"named": 1})
