"""The entities that a batch of turns speaks of become memories, in the commit of its facts; evidence then joins them.

Knows what an entity is kept as; what makes two names one is decided by `write.resolve_names`.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
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
from remanence.flows.write import gating
from remanence.flows.write.facts import FactChanges
from remanence.languages import LEXICONS
from remanence.read.cues import language_code
from remanence.read.entity import (
    CATEGORY,
    HOLD,
    NAME_CHARS_MAX,
    SCOPE_MAX,
    THREAD,
    folded_name,
    is_entity,
    key_of,
    name_of,
    names_of,
    read_entity_list,
    text_of,
    type_of,
)
from remanence.read.extraction import Entity, ExtractResult, Relationship
from remanence.read.mentions import word_before
from remanence.read.name_evidence import find_names, handles_in, read
from remanence.read.resolve_names import NamedEntity, NameSource, Spoke, is_name, spoken_of
from remanence.store.base import Arriving, Find
from remanence.text.analysis import stems
from remanence.text.folding import fold_keys
from remanence.text.text_columns import text_columns

BATCH_MAX = 10  # entities that a batch adds
LINKS_MAX = 500  # mentions of one entity: beyond, the oldest give way to new ones
SESSION_TURNS = 100  # so many turns back a full name counts as introduced
NUMBERS_MAX = 1_000  # namesakes
RELATION = "relation"  # the attribute of a fact that says how one entity stands to another
EARLIER_MAX = 20  # memories that one name is looked for in, the newest


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

    @property
    def texts(self) -> list[str]:
        """All texts of the batch."""
        return [turn.text for turn in self.turns] + [text for own in self.facts.values() for _, text in own]


async def with_entities(
    core: Core, turns: Sequence[Memory], found: ExtractResult, telling: FactChanges
) -> FactChanges:
    """Add to what the facts of a batch change the entities that it speaks of, and who mentions whom."""
    batch = _EntityBatch(turns, [*telling.changes])
    index = core.entities
    await index.refresh()
    listed_ = await _select_entities(core, batch, found.entities)
    candidates = _find_known_entities(core, batch, listed_)
    if not listed_ and not candidates:
        return telling
    by_speaker = await _find_introduced_entities(core, turns)
    candidates |= {seq: to_known_entity(index.memories[seq]) for some in by_speaker.values() for seq in some}
    utterances = [
        (
            NameSource(turn.seq, turn.text, turn.speaker or "", turn.session or ""),
            [NameSource(key, text) for key, text in batch.facts.get(turn.id, ())],
        )
        for turn in turns
    ]
    spoke = spoken_of(utterances, listed_, sorted(candidates.values(), key=lambda one: one.seq), by_speaker)
    await with_earlier(core, turns, spoke)
    entity_changes = await _Writing(core, batch, spoke).make_changes()
    changes = [*_add_relationships(core, batch, found.relationships), *entity_changes]
    left_out = Counter(telling.left_out)
    if spoke.in_doubt:
        left_out["names in doubt"] += spoke.in_doubt
    return replace(telling, changes=changes, left_out=left_out)


async def _select_entities(core: Core, batch: _EntityBatch, entities: Sequence[Entity]) -> list[Entity]:
    """Return the names that a batch may add: such as stand in it, can be kept and nobody has forgotten."""
    texts = batch.texts
    candidates = []
    for one in entities[:BATCH_MAX]:
        name_key = folded_name(one.name)
        is_new = is_name(one.name) and len(one.name) <= NAME_CHARS_MAX and one.name.isprintable()
        if not is_new or gating.screened_tags(core, [one.name])[1]:
            continue
        if gating.has_instructions(one.name, min(turn.trust for turn in batch.turns)):
            continue
        if any(next(find_names(text, {name_key}), None) is not None for text in texts):
            candidates.append(one)
    folds = {fold for one in candidates for fold in _folds(one)}
    forbidden = (
        {one.fold for one in await core.store.forbidden(core.scope, sorted(folds))} if folds else set()
    )
    return [one for one in candidates if forbidden.isdisjoint(_folds(one)) and not _is_forgotten(core, one)]


def _folds(one: Entity) -> tuple[str, ...]:
    return fold_keys(text_of(one.name, one.type, 1))


def _is_forgotten(core: Core, one: Entity) -> bool:
    """Tell whether somebody has deleted the only entity of a name; it is not made anew."""
    first = core.entities.find_by_key(key_of(one.name, 1))
    return (
        first is not None
        and first.status in (Status.PRUNED, Status.ARCHIVED)
        and not core.entities.find_by_name(folded_name(one.name))
    )


def _find_known_entities(
    core: Core, batch: _EntityBatch, listed_: Sequence[Entity]
) -> dict[int, NamedEntity]:
    """Return the entities that stand and whose names or addresses are in a batch."""
    index = core.entities
    names = {folded_name(one.name) for one in listed_}
    for text in batch.texts:
        names |= {one.name for one in find_names(text, index, index.first_words)}
    memories = [memory for name in names for memory in index.find_by_name(name)]
    handles = {handle for text in batch.texts for handle in handles_in(text)}
    memories += [memory for handle in handles for memory in index.find_by_handle(handle)]
    return {memory.seq: to_known_entity(memory) for memory in memories}


def to_known_entity(memory: Memory) -> NamedEntity:
    """Return an entity as far as names decide."""
    kin = (memory.attributes or {}).get("kin", {})
    return NamedEntity(
        memory.seq,
        memory.key or "",
        name_of(memory),
        frozenset(map(folded_name, names_of(memory))),
        type_of(memory),
        kin if isinstance(kin, Mapping) else {},
        frozenset(read_entity_list(memory, "apart")),
        frozenset(read_entity_list(memory, "handles")),
    )


async def _find_introduced_entities(
    core: Core, turns: Sequence[Memory]
) -> dict[tuple[str, str], frozenset[int]]:
    """Return which entities each speaker has named in the session so far."""
    session = next((turn.session for turn in turns if turn.session is not None), None)
    if session is None:
        return {}
    before = await core.store.find(
        core.scope, Find(tuple(STANDING), equal={"session": session}, limit=SESSION_TURNS)
    )
    speakers = {one.seq: one.speaker or "" for one in before}
    links = await core.store.neighbours(core.scope, sorted(speakers), Relation.MENTIONS) if speakers else []
    by_speaker: dict[tuple[str, str], set[int]] = defaultdict(set)
    for link in links:
        entity = core.entities.memories.get(link.target)
        if link.source in speakers and entity is not None and entity.status in STANDING:
            by_speaker[session, speakers[link.source]].add(link.target)
    return {place: frozenset(seqs) for place, seqs in by_speaker.items()}


class _Writing:
    """Turns what a batch speaks of into changes."""

    def __init__(self, core: Core, batch: _EntityBatch, spoke: Spoke) -> None:
        self._core, self._batch, self._spoke = core, batch, spoke
        self._now = core.clock.now()
        self._keys: dict[int, int] = {}  # of the new ones, as the commit names them
        self._stable: dict[int, str] = {}
        self._rows: dict[int, dict[str, Any]] = {}

    async def make_changes(self) -> list[Change]:
        """Return the rows, what known ones learn, and the links."""
        await self._create()
        updates = self._make_pair_changes()
        links = await self._links()
        inserts = [Change("memories", self._keys[seq], None, row) for seq, row in self._rows.items()]
        return [*inserts, *updates, *links]

    async def _create(self) -> None:
        index, used_keys = self._core.entities, set[str]()
        spoken_by = {entity: memory for memory, entity in reversed(self._spoke.mentions)}
        room = max(0, SCOPE_MAX - len(index.memories))
        for seq, one in list(self._spoke.new.items())[: min(room, BATCH_MAX)]:
            turn = self._turn(spoken_by.get(seq))
            for number in range(1, NUMBERS_MAX):
                key, text = key_of(one.name, number), text_of(one.name, one.type, number)
                if key not in used_keys and index.find_by_key(key) is None and await self._is_free(text):
                    used_keys.add(key)
                    self._keys[seq] = -(len(self._batch.rows) + len(self._rows) + 1)
                    self._stable[seq] = key
                    self._rows[seq] = _row(self._core, one, (key, text), turn, self._now)
                    break
        self._say_apart()

    def _say_apart(self) -> None:
        """Let new ones remember from whom they stay apart, and with whom they are to be joined."""
        for seq, other in self._spoke.apart:
            if seq in self._rows and (key := self._key(other)):
                _add_attribute(self._rows[seq], "apart", key)
            elif other in self._rows and (key := self._key(seq)):
                _add_attribute(self._rows[other], "apart", key)
        for join in self._spoke.same:
            seq, other = (join.one, join.other) if join.one in self._rows else (join.other, join.one)
            if seq in self._rows and (key := self._key(other)):
                _add_attribute(self._rows[seq], "same", [key, self._memory(join.memory), join.evidence])

    def _make_pair_changes(self) -> list[Change]:
        """Return what known entities learn of pairs of them that are one, or that are two."""
        by_entity: dict[int, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
        for join in self._spoke.same:
            if join.one > 0 and join.other > 0 and (key := self._key(join.other)):
                by_entity[join.one]["same"].append([key, self._memory(join.memory), join.evidence])
        for one, other in self._spoke.apart:
            if one > 0 and other > 0 and (key := self._key(other)):
                by_entity[one]["apart"].append(key)
        return [change for seq, more in by_entity.items() for change in self._update_entity(seq, more)]

    def _update_entity(self, seq: int, more: Mapping[str, Sequence[Any]]) -> list[Change]:
        memory = self._core.entities.memories[seq]
        attributes = dict(memory.attributes or {})
        for name, values in more.items():
            have = list(attributes.get(name, ()))
            attributes[name] = have + [one for one in values if one not in have]
        if attributes == memory.attributes:
            return []
        before = {"attributes": memory.attributes, "revision": memory.revision}
        return [Change("memories", seq, before, {"attributes": attributes, "revision": memory.revision + 1})]

    def _key(self, seq: int) -> str:
        if seq < 0:
            return self._stable.get(seq, "")
        return self._core.entities.memories[seq].key or ""

    def _memory(self, seq: int) -> str:
        return next((turn.id for turn in self._batch.turns if turn.seq == seq), "")

    def _turn(self, memory: int | None) -> Memory:
        """Return the turn that speaks of an entity first."""
        return next((turn for turn in self._batch.turns if turn.seq == memory), self._batch.turns[0])

    async def _is_free(self, text: str) -> bool:
        mark = text_columns(text, None)["fingerprint"]
        context = await self._core.store.arriving(self._core.scope, Arriving(fingerprints=[mark]))
        twin = context.twins.get(mark)
        return twin is None or twin.status not in STANDING

    async def _links(self) -> list[Change]:
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


def _add_attribute(row: dict[str, Any], name: str, value: Any) -> None:
    have = row["attributes"].setdefault(name, [])
    if value not in have:
        have.append(value)


def _row(core: Core, one: NamedEntity, named_: tuple[str, str], turn: Memory, now: int) -> dict[str, Any]:
    """Return a new entity as a memory; it is believed as far as the turn that speaks of it."""
    key, text = named_
    return entity_row(
        core,
        {"key": key, "text": text, "trust": turn.trust, "said_at": turn.said_at},
        {
            "name": one.name,
            "type": one.type,
            "aliases": [],
            **({"kin": dict(one.kin)} if one.kin else {}),
            **({"handles": sorted(one.handles)} if one.handles else {}),
        },
        now,
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


async def with_earlier(core: Core, turns: Sequence[Memory], spoke: Spoke) -> None:
    """Add who mentioned an explained name before it was explained: it was no name then."""
    said_by = {turn.seq: turn.speaker or "" for turn in turns}
    speaker_of = {entity: said_by.get(memory, "") for memory, entity in reversed(spoke.mentions)}
    explained = {seq for join in spoke.same for seq in (join.one, join.other) if seq in spoke.new}
    for seq in sorted(explained, reverse=True):
        one, speaker = spoke.new[seq], speaker_of.get(seq, "")
        if core.entities.find_by_name(folded_name(one.name)):
            continue  # it is a namesake's as well
        for memory in await _naming(core, one):
            if (memory.speaker or "") == speaker and memory.seq not in said_by and _names(memory.text, one):
                spoke.mentions.setdefault((memory.seq, seq))


async def _naming(core: Core, one: NamedEntity) -> list[Memory]:
    """Return the newest memories that have the words of a name."""
    wanted = sorted(set(stems(one.name)))
    if not wanted:
        return []
    rows = (await core.store.search(core.scope, wanted)).rows
    both = reduce(set[int].intersection, [{*map(int, rows.get(stem, ()))} for stem in wanted])
    found = await core.store.get(core.scope, sorted(both)[-EARLIER_MAX:]) if both else []
    return [
        memory
        for memory in found
        if memory is not None and memory.status in STANDING and not is_entity(memory)
    ]


def _names(text: str, one: NamedEntity) -> bool:
    """Tell whether a text has a name, in its case, and not as a noun after an article or as part of a longer name."""
    code = language_code(text)
    nouns = code in LEXICONS and not LEXICONS[code].names_by_capital
    for met in read(text, one.names).names:
        alike = text[met.begin].isupper() == one.name[:1].isupper()
        if alike and not (nouns and word_before(text, met.begin) in LEXICONS[code].stop):
            return True
    return False
