"""The entities that a batch of turns speaks of become memories, in the commit of its facts.

A name is new where a writer lists it and nobody bears an equal one. Joins nothing: that is for who knows both.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from remanence.core.change import Change
from remanence.core.model import (
    STANDING,
    Kind,
    Memory,
    PolicyClass,
    Relation,
    Role,
    Status,
    Tier,
    Trust,
    link_values,
)
from remanence.edit.one_memory import hold_columns
from remanence.flows.base.context import Core
from remanence.flows.indexes.entity_index import EntityIndex
from remanence.flows.write import gating
from remanence.flows.write.facts import FactChanges
from remanence.read.entity import (
    CATEGORY,
    HOLD,
    NAME_CHARS_MAX,
    OTHER,
    SCOPE_MAX,
    THREAD,
    folded_name,
    key_of,
    text_of,
    type_of,
    types_fit,
)
from remanence.read.extraction import Entity, ExtractResult, Relationship
from remanence.read.name_places import can_be_name, find_names, has_name
from remanence.store.base import Arriving
from remanence.text.forbidden_keys import fold_keys
from remanence.text.text_columns import text_columns

BATCH_MAX = 10  # entities that a batch adds
LINKS_MAX = 500  # mentions of one entity: beyond, the oldest give way to new ones
NUMBERS_MAX = 1_000  # namesakes
RELATION = "relation"  # the attribute of a fact that says how one entity stands to another


@dataclass
class _EntityBatch:
    """A batch as entities are looked for in it: its turns, and the new facts of each."""

    turns: Sequence[Memory]
    changes: list[Change]
    facts: dict[str, list[tuple[int, str]]] = field(default_factory=dict)  # by the id of their turn
    rows: dict[int, Mapping[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find the new facts."""
        for change in self.changes:
            if change.table == "memories" and change.before is None and isinstance(change.key, int):
                self.rows[change.key] = change.after or {}
        whose = {
            change.key[0]: str(change.key[1])
            for change in self.changes
            if change.table == "sources" and isinstance(change.key, tuple)
        }
        for key, row in self.rows.items():
            if row.get("status") != Status.QUARANTINED and key in whose:
                self.facts.setdefault(whose[key], []).append((key, row["text"]))


async def with_entities(
    core: Core, turns: Sequence[Memory], found: ExtractResult, telling: FactChanges
) -> FactChanges:
    """Add to what the facts of a batch change the entities that it speaks of, and who mentions whom."""
    batch = _EntityBatch(turns, [*telling.changes])
    await core.entities.refresh()
    spoke = _find_mentions(core, batch, await _select_entities(core, batch, found.entities))
    if not spoke.mentions and not spoke.in_doubt:
        return telling
    entity_changes = await _Writing(core, batch, spoke).make_changes()
    changes = [*_add_relationships(core, batch, found.relationships), *entity_changes]
    left_out = Counter(telling.left_out)
    if spoke.in_doubt:
        left_out["names in doubt"] += spoke.in_doubt
    return replace(telling, changes=changes, left_out=left_out)


async def _select_entities(core: Core, batch: _EntityBatch, entities: Sequence[Entity]) -> list[Entity]:
    """Return the names that a batch may add: such as a turn says, can be kept and nobody has forgotten."""
    candidates = []
    for one in entities[:BATCH_MAX]:
        name_key = folded_name(one.name)
        is_new = can_be_name(one.name) and len(one.name) <= NAME_CHARS_MAX and one.name.isprintable()
        if not is_new or gating.screened_tags(core, [one.name])[1]:
            continue
        if gating.is_held_back(one.name, min(turn.trust for turn in batch.turns)):
            continue
        if any(has_name(turn.text, {name_key}) for turn in batch.turns):
            candidates.append(one)
    folds = {fold for one in candidates for fold in _fold_names(one)}
    forbidden = (
        {one.fold for one in await core.store.forbidden(core.scope, sorted(folds))} if folds else set()
    )
    return [
        one for one in candidates if forbidden.isdisjoint(_fold_names(one)) and not _is_forgotten(core, one)
    ]


def _fold_names(one: Entity) -> tuple[str, ...]:
    return fold_keys(text_of(one.name, one.type, 1))


def _is_forgotten(core: Core, one: Entity) -> bool:
    """Tell whether somebody has deleted the only entity of a name; it is not made anew."""
    first = core.entities.find_by_key(key_of(one.name, 1))
    return (
        first is not None
        and first.status in (Status.PRUNED, Status.ARCHIVED)
        and not core.entities.find_by_name(folded_name(one.name))
    )


@dataclass(frozen=True, slots=True)
class _NewEntity:
    """An entity that a batch adds, and the turn that speaks of it first."""

    name: str
    type: str
    turn: Memory


@dataclass(slots=True)
class _Spoke:
    """What a batch speaks of: new entities by negative numbers, (memory, entity) of each mention, names in doubt."""

    new: dict[int, _NewEntity] = field(default_factory=dict)
    mentions: dict[tuple[int, int], None] = field(default_factory=dict)
    in_doubt: int = 0


def _find_mentions(core: Core, batch: _EntityBatch, listed: Sequence[Entity]) -> _Spoke:
    """Find whom the turns of a batch name, and their facts of these: who bears a name, nobody where several do."""
    index, spoke, whom = core.entities, _Spoke(), dict[str, int | None]()
    by_name: dict[str, list[Entity]] = defaultdict(list)
    for one in listed:
        by_name[folded_name(one.name)].append(one)
    first_words = index.first_words | {name.split(" ")[0] for name in by_name}
    names = _NameUnion(index, by_name)
    for turn in batch.turns:
        here: dict[str, int] = {}
        for name in {span.name: None for span in find_names(turn.text, names, first_words)}:
            if name not in whom:
                whom[name] = _resolve_name(index, spoke, name, by_name.get(name, ()), turn)
            seq = whom[name]
            if seq is None:
                spoke.in_doubt += 1
            else:
                here[name] = seq
        facts = [
            (key, span.name)
            for key, text in batch.facts.get(turn.id, ())
            for span in find_names(text, here.keys())
        ]
        for key, name in [*((turn.seq, name) for name in here), *facts]:
            spoke.mentions[key, here[name]] = None
    return spoke


@dataclass(frozen=True, slots=True)
class _NameUnion:
    """The names that are known, and those that a batch adds."""

    known: Container[str]
    new: Container[str]

    def __contains__(self, name: object) -> bool:
        return name in self.known or name in self.new


def _resolve_name(
    index: EntityIndex, spoke: _Spoke, name: str, listed: Sequence[Entity], turn: Memory
) -> int | None:
    """Return who bears a name and is of its type; a new one where nobody is, None where several are."""
    types = {one.type for one in listed}
    type_ = types.pop() if len(types) == 1 else OTHER
    bearers = [one.seq for one in index.find_by_name(name) if types_fit(type_of(one), type_)]
    if len(bearers) == 1:
        return bearers[0]
    if bearers or not listed:
        return None
    seq = -1 - len(spoke.new)
    spoke.new[seq] = _NewEntity(listed[0].name, type_, turn)
    return seq


class _Writing:
    """Turns what a batch speaks of into changes."""

    def __init__(self, core: Core, batch: _EntityBatch, spoke: _Spoke) -> None:
        self._core, self._batch, self._spoke = core, batch, spoke
        self._now = core.clock.now()
        self._keys: dict[int, int] = {}  # of the new ones, as the commit names them
        self._rows: dict[int, dict[str, Any]] = {}

    async def make_changes(self) -> list[Change]:
        """Return the rows of new entities, and the links."""
        await self._create_entities()
        links = await self._link_mentions()
        inserts = [Change("memories", self._keys[seq], None, row) for seq, row in self._rows.items()]
        return [*inserts, *links]

    async def _create_entities(self) -> None:
        index, used_keys = self._core.entities, set[str]()
        room = max(0, SCOPE_MAX - len(index.memories))
        for seq, one in list(self._spoke.new.items())[: min(room, BATCH_MAX)]:
            for number in range(1, NUMBERS_MAX):
                key, text = key_of(one.name, number), text_of(one.name, one.type, number)
                if key not in used_keys and index.find_by_key(key) is None and await self._is_free(text):
                    used_keys.add(key)
                    self._keys[seq] = -(len(self._batch.rows) + len(self._rows) + 1)
                    self._rows[seq] = _make_entity_row(self._core, one, (key, text), self._now)
                    break

    async def _is_free(self, text: str) -> bool:
        mark = text_columns(text, None)["fingerprint"]
        context = await self._core.store.arriving(self._core.scope, Arriving(fingerprints=[mark]))
        twin = context.twins.get(mark)
        return twin is None or twin.status not in STANDING

    async def _link_mentions(self) -> list[Change]:
        """Link who mentions whom; beyond the limit of an entity its oldest mentions give way."""
        by_entity: dict[int, list[int]] = defaultdict(list)
        for memory, entity in self._spoke.mentions:
            if entity > 0 or entity in self._keys:
                by_entity[entity].append(memory)
        stored_seqs = sorted(entity for entity in by_entity if entity > 0)
        links = (
            await self._core.store.neighbours(self._core.scope, stored_seqs, Relation.MENTIONS)
            if stored_seqs
            else []
        )
        changes: list[Change] = []
        for entity, memories in by_entity.items():
            key = self._keys.get(entity, entity)
            here = sorted((link for link in links if link.target == entity), key=lambda link: link.source)
            have = {link.source for link in here}
            new = [memory for memory in memories if memory not in have][:LINKS_MAX]
            over = max(0, len(here) + len(new) - LINKS_MAX)
            changes += [Change("links", link.key, link.values, None) for link in here[:over]]
            changes += [
                Change("links", (memory, key, int(Relation.MENTIONS)), None, link_values(self._now))
                for memory in new
            ]
        return changes


def _make_entity_row(core: Core, one: _NewEntity, named_: tuple[str, str], now: int) -> dict[str, Any]:
    """Return a new entity as a memory; it is believed as far as the turn that speaks of it."""
    key, text = named_
    said = {name: getattr(one.turn, name) for name in ("trust", "said_at", "said_offset")}
    return entity_row(
        core, {"key": key, "text": text, **said}, {"name": one.name, "type": one.type, "aliases": []}, now
    )


def entity_row(
    core: Core, said: Mapping[str, Any], attributes: Mapping[str, Any], now: int
) -> dict[str, Any]:
    """Return the row of a new entity: held for good, out of every tier's budget, and without a vector."""
    trust = said["trust"]
    return {
        "id": core.new_id(),
        "key": said["key"],
        "text": said["text"],
        **text_columns(said["text"], None),
        "attributes": dict(attributes),
        **hold_columns({HOLD: None}),
        "status": Status.ACTIVE,
        "tier": Tier.COLD,
        "category": CATEGORY,
        "kind": Kind.SEMANTIC,
        "policy_class": PolicyClass.PROTECTED,
        "role": Role.SYSTEM,
        "thread": THREAD,
        "said_at": said["said_at"],
        "said_offset": said["said_offset"],
        "learned_at": now,
        "status_at": now,
        "tier_at": now,
        "value": 0.0,
        **({} if trust is Trust.USER else {"trust": trust}),
    }


def _add_relationships(
    core: Core, batch: _EntityBatch, relationships: Sequence[Relationship]
) -> list[Change]:
    """Let the new fact that names both ends of a relationship say so; a correction of it corrects that, too."""
    by_key: dict[int, dict[str, str]] = {}
    for one in relationships:
        ends = {folded_name(one.source), folded_name(one.target)}
        names = (one.source, one.relation, one.target)
        if gating.screened_tags(core, names)[1] or len(ends) < len({one.source, one.target}):
            continue
        for key, row in batch.rows.items():
            if key not in by_key and ends <= {match.name for match in find_names(row["text"], ends)}:
                by_key[key] = {"source": one.source, "relation": one.relation, "target": one.target}
                break
    return [
        replace(
            change,
            after={
                **(change.after or {}),
                "attributes": {
                    **((change.after or {}).get("attributes") or {}),
                    RELATION: by_key[change.key],
                },
            },
        )
        if change.table == "memories" and change.before is None and change.key in by_key
        else change
        for change in batch.changes
    ]
