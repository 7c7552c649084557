"""Which entities a batch of turns speaks of: known ones, new ones, and what speaks for two of them being one.

Names are joined by evidence alone: the same folded name, a statement, an address, or a full name that its speaker has
introduced in the session. Sees what is known of the names in question; must not know a store.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from remanence.languages import LEXICONS
from remanence.languages.families import load_same_names
from remanence.read.entity import folded_name
from remanence.read.extraction import Entity
from remanence.read.name_evidence import NameEvidence, NameReading, NameSpan, read

_SAME = load_same_names()

OTHER = "other"
_PARTS = re.compile(r"[\s\-_/()]")
_SIGNS = re.compile(r"[+#]")
_EXTENSION = re.compile(r"^(.+)\.([a-z][a-z0-9]{0,4})$")
# What a rule takes for a name and is none: it stands for whoever is meant.
GENERIC = frozenset(
    """
    i me my he him she her it we us you they them mom mum mommy mother dad daddy father grandma grandpa boss manager
    team office company project client customer user users admin someone somebody everyone everybody anyone nobody today
    tomorrow yesterday chef büro firma projekt kunde niemand jemand jefe oficina empresa proyecto cliente alguien nadie
    bureau entreprise projet quelqu'un personne chefe escritório projeto alguém ninguém god okay ok pr api url sql
    """.split()
)


@dataclass(frozen=True, slots=True)
class NamedEntity:
    """An entity as far as names decide: its number (negative for a new one), key, folded names, sort and kin.

    `apart` are the keys of those that it is never joined with again by rules.
    """

    seq: int
    key: str
    name: str
    names: frozenset[str]
    type: str = OTHER
    kin: Mapping[str, str] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    handles: frozenset[str] = frozenset()

    def takes(self, type_: str, kin: tuple[str, str] | None) -> bool:
        """Tell whether something of a sort, and whose kin it is said to be, can be this."""
        relative = "" if kin is None else self.kin.get(kin[0], "")
        return fits(self.type, type_) and (kin is None or not relative or relative == kin[1])


@dataclass(frozen=True, slots=True)
class NameSource:
    """A turn or a fact: its number (negative for a new one), its text, who said it in which session."""

    key: int
    text: str
    speaker: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class Joining:
    """Two entities that are one, and the memory that says so; by `evidence`."""

    one: int
    other: int
    memory: int
    evidence: str


@dataclass(slots=True)
class Spoke:
    """What a batch speaks of: new entities, who mentions whom, which are one, which two, and names in doubt."""

    new: dict[int, NamedEntity] = field(default_factory=dict)
    mentions: dict[tuple[int, int], None] = field(default_factory=dict)  # (memory, entity)
    same: list[Joining] = field(default_factory=list)
    apart: list[tuple[int, int]] = field(default_factory=list)
    in_doubt: int = 0


def is_name(name: str) -> bool:
    """Tell whether a name can be one of an entity: a pronoun or a general noun is none, nor is a mere number."""
    key = folded_name(name)
    if not key or key in GENERIC or key in _kin() or not any(map(str.isalpha, key)):
        return False
    has_case = any(sign.lower() != sign.upper() for sign in name)
    return " " not in key or not has_case or any(sign.isupper() or sign.isdigit() for sign in name)


@lru_cache(maxsize=1)
def _kin() -> frozenset[str]:
    return frozenset().union(*(lexicon.kin for lexicon in LEXICONS.values()))


def fits(one: str, other: str) -> bool:
    """Tell whether two sorts can be of one thing; what is not known fits."""
    return OTHER in (one, other) or one == other


def sort_of(one: str, other: str) -> str:
    """Return the better known of two sorts."""
    return other if one == OTHER else one


def at_odds(one: str, other: str) -> str:
    """Say what tells two folded names apart whatever is said of them: versions, signs, generations; else ""."""
    first, second = (
        {part for part in _PARTS.split(name) if any(map(str.isdigit, part))} for name in (one, other)
    )
    if first and second and first != second:
        return "numbers"
    bare = [_SIGNS.sub("", name) for name in (one, other)]
    if bare[0] == bare[1] and one != other:
        return "signs"
    ends = [_EXTENSION.match(name) for name in (one, other)]
    if ends[0] and ends[1] and ends[0][1] == ends[1][1] and ends[0][2] != ends[1][2]:
        return "endings"
    generations = [{part.strip(".") for part in name.split()} & _SAME.generations for name in (one, other)]
    return (
        "generations"
        if generations[0] != generations[1] and all(" " in name for name in (one, other))
        else ""
    )


def surnames_differ(one: str, other: str) -> bool:
    """Tell whether two full names begin alike and end otherwise."""
    first, second = one.split(), other.split()
    return min(len(first), len(second)) > 1 and first[0] == second[0] and first[-1] != second[-1]


def spoken_of(
    turns: Sequence[tuple[NameSource, Sequence[NameSource]]],
    listed: Sequence[Entity],
    known: Sequence[NamedEntity],
    introduced: Mapping[tuple[str, str], frozenset[int]],
) -> Spoke:
    """Decide what a batch speaks of: its turns in order, each with the facts learned from it.

    `listed` are the names that were found in it, `introduced` whom a speaker has named in a session so far.
    """
    hearing = _Hearing(listed, known, introduced)
    for turn, facts in turns:
        hearing.hear(turn, facts)
    return hearing.found


class _Hearing:
    def __init__(
        self,
        listed: Sequence[Entity],
        known: Sequence[NamedEntity],
        introduced: Mapping[tuple[str, str], frozenset[int]],
    ) -> None:
        self.found = Spoke()
        self._known = {one.seq: one for one in known}
        self._introduced = {place: set(seqs) for place, seqs in introduced.items()}
        self._longer: dict[tuple[str, str], set[str]] = {}  # what longer names begin with that nobody listed
        self._listed: dict[str, list[tuple[str, str]]] = {}
        for entity in listed:
            if is_name(entity.name):
                self._listed.setdefault(folded_name(entity.name), []).append((entity.name, entity.type))

    def hear(self, turn: NameSource, facts: Sequence[NameSource]) -> None:
        """Decide one turn with its facts."""
        names = self._names(turn)
        name_reading = read(turn.text, names)
        self._longer.setdefault((turn.session, turn.speaker), set()).update(name_reading.begun)
        whom = self._resolve_names(turn, name_reading)
        for one, seq in whom.items():
            self._mention(turn.key, seq)
            self._known[seq] = self._add_handles(seq, name_reading, one)
        self._apply_evidence(turn, name_reading.evidence, whom)
        by_name = {one.name: seq for one, seq in whom.items()}
        for fact in facts:
            for one in read(fact.text, names).names:
                if one.name in by_name:
                    self._mention(fact.key, by_name[one.name])

    def _names(self, turn: NameSource) -> frozenset[str]:
        """Return the names to look for: those found, those known, and short forms of those introduced here."""
        here = self._introduced.get((turn.session, turn.speaker), set())
        short = {form for seq in here for form in _short_forms(self._known[seq])}
        names = set(self._listed)
        new_short = {form for name in names for form in _forms_of(name)} & names
        return frozenset(names | short | new_short | {n for one in self._known.values() for n in one.names})

    def _resolve_names(self, turn: NameSource, said: NameReading) -> dict[NameSpan, int]:
        """Return which entity each name means; one that may mean several means none."""
        whom: dict[NameSpan, int] = {}
        for one in said.names:
            seq = self._resolve_name(turn, said, one)
            if seq is None:
                self.found.in_doubt += 1
            else:
                whom[one] = seq
                self._introduced.setdefault((turn.session, turn.speaker), set()).add(seq)
        return whom

    def _resolve_name(self, turn: NameSource, said: NameReading, one: NameSpan) -> int | None:
        type_ = self._type(one)
        kin = (turn.speaker, said.kin[one.name]) if one.name in said.kin and turn.speaker else None
        here = self._introduced.get((turn.session, turn.speaker), set())
        bearers = [entity for entity in self._known.values() if one.name in entity.names]
        if one in said.another and bearers:
            return self._add_entity(one, type_, kin, bearers)
        fitting = [entity for entity in bearers if entity.takes(type_, kin)]
        full = [self._known[seq] for seq in sorted(here) if one.name in _short_forms(self._known[seq])]
        if full and one.name in self._longer.get((turn.session, turn.speaker), ()):
            return None
        if full:
            fitting = full + [entity for entity in fitting if entity.seq in here and entity not in full]
        elif len(fitting) > 1:
            fitting = [entity for entity in fitting if entity.seq in here] or fitting
        if len(fitting) == 1:
            return fitting[0].seq
        if fitting or one.name not in self._listed:
            return None
        return self._add_entity(one, type_, kin, bearers)

    def _type(self, one: NameSpan) -> str:
        """Return the sort of a name in this batch; of a name that was found with several sorts, not known."""
        types = {type_ for _, type_ in self._listed.get(one.name, [])}
        return types.pop() if len(types) == 1 else OTHER

    def _add_entity(
        self, one: NameSpan, type_: str, kin: tuple[str, str] | None, bearers: Sequence[NamedEntity]
    ) -> int:
        seq = -1 - len(self.found.new)
        spelling = next((name for name, _ in self._listed.get(one.name, [])), one.name)
        entity = NamedEntity(
            seq, "", spelling, frozenset({one.name}), type_, {} if kin is None else {kin[0]: kin[1]}
        )
        self.found.new[seq] = self._known[seq] = entity
        self.found.apart += [(seq, bearer.seq) for bearer in bearers]
        return seq

    def _mention(self, memory: int, seq: int) -> None:
        self.found.mentions[memory, seq] = None

    def _add_handles(self, seq: int, said: NameReading, one: NameSpan) -> NamedEntity:
        """Let an entity have the address that stands right after its name; who else has it is the same."""
        entity = self._known[seq]
        handles = {handle for span, handle in said.handles if span == one} - entity.handles
        for handle in sorted(handles):
            others = [other for other in self._known.values() if handle in other.handles and other.seq != seq]
            entity = replace(entity, handles=entity.handles | {handle})
            if seq < 0:
                self.found.new[seq] = entity
            for other in others:
                # Markers of addresses are short: by chance two may be alike.
                if "@" in handle or _share_a_word(entity, other):
                    self._join(entity, other, 0, "the same address", implied=True)
        return entity

    def _apply_evidence(
        self, turn: NameSource, evidence: Sequence[NameEvidence], whom: Mapping[NameSpan, int]
    ) -> None:
        """Take up what a turn says of pairs of names."""
        for statement in evidence:
            if statement.one not in whom or statement.other not in whom:
                continue
            one, other = self._known[whom[statement.one]], self._known[whom[statement.other]]
            if one.seq == other.seq:
                continue
            if not statement.same:
                self.found.apart.append((one.seq, other.seq))
            elif statement.places or "place" not in (one.type, other.type):
                self._join(one, other, turn.key, "a statement", implied=statement.strength == "implied")

    def _join(
        self, one: NamedEntity, other: NamedEntity, memory: int, evidence: str, *, implied: bool
    ) -> None:
        if joinable(one, other, implied=implied) and (one.seq, other.seq) not in self.found.apart:
            self.found.same.append(Joining(one.seq, other.seq, memory, evidence))


def _share_a_word(one: NamedEntity, other: NamedEntity) -> bool:
    mine, theirs = ({part for name in entity.names for part in name.split()} for entity in (one, other))
    return bool(mine & theirs)


def joinable(one: NamedEntity, other: NamedEntity, *, implied: bool) -> bool:
    """Tell whether nothing forbids that two entities are one."""
    if other.key in one.apart or one.key in other.apart or not fits(one.type, other.type):
        return False
    pairs = [(mine, theirs) for mine in one.names for theirs in other.names]
    if any(at_odds(*pair) for pair in pairs):
        return False
    return not (implied and any(surnames_differ(*pair) for pair in pairs))


def _short_forms(known: NamedEntity) -> Iterator[str]:
    """Yield by what a person who was introduced by a full name may then be called: by its first word or its last."""
    if known.type == "person":
        yield from _forms_of(folded_name(known.name))


def _forms_of(full: str) -> tuple[str, ...]:
    parts = [part for part in full.split() if part.strip(".") not in _SAME.titles | _SAME.generations]
    return (parts[0], parts[-1]) if len(parts) > 1 else ()
