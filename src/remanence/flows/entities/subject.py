"""A person as an erasure means one: by which names, what that person said, and who else names that person.

Reads a scope and its audit whole, since a name may stand anywhere; must not know what becomes of what is found.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from remanence.core.arguments import check_name
from remanence.core.change import Change, Entry, rows_of
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.model import Memory, short_id
from remanence.core.redaction import NAME_CHARS_MIN, NameParts, Names
from remanence.core.snapshot import SnapshotRequest
from remanence.flows.base.audit_log import iterate_audit_log
from remanence.flows.base.context import Core
from remanence.flows.base.naming import parse_short_id
from remanence.flows.base.paging import iterate_pages
from remanence.flows.entities.joining import survivor
from remanence.read.entity import NAMES_MAX, folded_name, name_of, names_of, type_of

CANDIDATES_SHOWN = 5
_SPEAKING = ("speaker", "agent")  # columns that say whose a memory is
_SAID = ("text", "key", "summary", "thread", "session", "agent", "speaker", "attributes", "holds")
_STRINGS = frozenset({*_SAID, "subject", "value", "span", "accessors"})  # of an image


NONE = NameParts({})


@dataclass(slots=True)
class Subject:
    """Who is meant, and where that person is: numbers of memories, each with its revision, 0 for one that was purged.

    `own` is what the person said, and the person as an entity; `mentioned` says the names, or said them once. `maybe`
    says by part of the names which other memories say no more than that.
    """

    names: Names
    entities: frozenset[int]
    own: dict[int, int] = field(default_factory=dict)
    mentioned: dict[int, int] = field(default_factory=dict)
    maybe: dict[str, list[int]] = field(default_factory=dict)
    parts: NameParts = NONE

    def add(self, seq: int, revision: int, *, own: bool) -> None:
        """Note a memory that is the person's, or that names the person."""
        if own:
            self.own[seq] = revision
            self.mentioned.pop(seq, None)
        elif seq not in self.own:
            self.mentioned[seq] = revision


async def subject_of(core: Core, asked: str | Sequence[str]) -> Subject:
    """Find a person by a name, or by several that all mean the same person; who is in doubt is asked for."""
    name_list = list(dict.fromkeys([asked] if isinstance(asked, str) else asked))
    if not 1 <= len(name_list) <= NAMES_MAX:
        raise InvalidInput(f"{len(name_list)} names of a person", recovery=f"pass 1 to {NAMES_MAX} names")
    await core.entities.refresh()
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(frozenset(_SPEAKING)), core.clock.now())
    speaking = tuple(dict.fromkeys(name for column in _SPEAKING for name in snapshot.names[column]))
    groups = [await _resolve_entities(core, one, speaking, name_list) for one in name_list]
    entities = {one.seq: one for some in groups for one in some}
    names = [name for one in entities.values() for name in names_of(one)]
    names += [one for one in name_list if parse_short_id(one) is None]
    name_keys = {folded_name(name) for name in names}
    names += [one for one in speaking if folded_name(one) in name_keys]
    # Longer names of others, such as a namesake's whole name, are left.
    by_key = {folded_name(one): " ".join(one.split()) for one in reversed(names)}
    own = Names(tuple(reversed(by_key.values())))
    other_names = dict.fromkeys([*speaking, *_known_names(core)])
    longer = tuple(one for one in other_names if own.stand_in(one) and not own.are(one))
    subject = Subject(Names(own.names, longer), frozenset(entities))
    # The parts of the person's names, each with whose name it is a part of, too.
    words = {folded_name(word): word for name in subject.names.names for word in name.split()}
    others: dict[str, list[str]] = {word: [] for word in words.values()}
    for name in dict.fromkeys([*speaking, *_known_names(core)]):
        if not subject.names.are(name):
            for part in words.keys() & set(folded_name(name).split(" ")):
                others[words[part]].append(name)
    subject.parts = NameParts(others)
    await read_all(core, subject, name_keys, subject.parts)
    if not subject.own and not subject.mentioned:
        near = get_close_matches(name_list[0], sorted({*speaking, *_known_names(core)}), CANDIDATES_SHOWN)
        hint = f"; near it: {', '.join(near)}" if near else ""
        raise NotFound(
            f"nobody speaks as {name_list[0]!r}, and no memory names it{hint}",
            recovery="list who is known with `entities`",
        )
    return subject


async def _resolve_entities(
    core: Core, name: str, speaking: Sequence[str], given: Sequence[str]
) -> list[Memory]:
    """Return the entities that a name means; none where only speakers bear it, and several that became one."""
    check_name("a name", name)
    number = parse_short_id(name)
    if number is not None:
        entity = core.entities.memories.get(number)
        if entity is None:
            raise NotFound(f"no entity {name} in scope {core.scope!r}", recovery="list them with `entities`")
        return await _with_parts(core, entity)
    name_key = folded_name(name)
    if len(name_key) < NAME_CHARS_MIN:
        raise InvalidInput(f"{name!r} is too short for a name", recovery="pass the whole name")
    bearing = core.entities.find_by_name(name_key)
    if len(bearing) > 1:
        numbers = ", ".join(f"{short_id(one.seq)} {name_of(one)} ({type_of(one)})" for one in bearing)
        raise InvalidInput(
            f"{len(bearing)} entities bear the name {name!r}: {numbers}", recovery="name one by its number"
        )
    if bearing:
        return await _with_parts(core, bearing[0])
    fallen = [one for one in core.entities.memories.values() if name_key in map(folded_name, names_of(one))]
    is_part = any(name_key in folded_name(one).split(" ") for one in given if one != name)
    if not fallen and not is_part and name_key not in map(folded_name, speaking):
        # Where a name is only a part of the names of some, it is not guessed who is meant.
        known = [*speaking, *_known_names(core)]
        whole = sorted({one for one in known if name_key in folded_name(one).split(" ")})
        if whole:
            raise InvalidInput(
                f"{name!r} is only a part of a name: {', '.join(whole[:CANDIDATES_SHOWN])}",
                recovery=f"pass the whole name, and {name!r} beside it where it means the same person",
            )
    return fallen


async def _with_parts(core: Core, entity: Memory) -> list[Memory]:
    """Return an entity with those that became one with it."""
    whole = await survivor(core, entity.seq) or entity
    parts = [one for one in core.entities.memories.values() if one.seq != whole.seq]
    return [whole, *[one for one in parts if await survivor(core, one.seq) == whole]]


def _known_names(core: Core) -> list[str]:
    return [name for one in core.entities.list_standing() for name in names_of(one)]


async def read_all(core: Core, subject: Subject, folded: set[str], parts: NameParts = NONE) -> None:
    """Find in memories and in the audit what a person said, by any of some folded names, and what says the names.

    Of memories that say neither, it is noted which parts of the names they say.
    """
    await _read_memories(core, subject, folded, parts)
    await _read_audit(core, subject, folded)


async def _read_memories(core: Core, subject: Subject, folded: set[str], parts: NameParts) -> None:
    """Find what the person said, and what names the person, among all memories."""
    async for page in iterate_pages(core):
        for one in page:
            own = one.seq in subject.entities or _is_of(said_of(one), one.sources, folded)
            says = subject.names.stand_in_json([*said_of(one).values(), *one.tags, *one.sources])
            if own or says:
                subject.add(one.seq, one.revision, own=own)
                continue
            for part in parts.find_parts(one.text):
                subject.maybe.setdefault(part, []).append(one.seq)


def said_of(memory: Memory) -> dict[str, Any]:
    """Return the columns of a memory in which a name may stand."""
    return {name: getattr(memory, name) for name in _SAID}


def _is_of(row: Mapping[str, Any], sources: Iterable[str], folded: set[str]) -> bool:
    """Tell whether a memory is the person's: said by that person, or from that person."""
    whose = [*(row.get(name) for name in _SPEAKING), *sources]
    return any(folded_name(one) in folded for one in whose if one)


async def _read_audit(core: Core, subject: Subject, folded: set[str]) -> None:
    """Find memories that were purged, and memories that said the names once, in their images."""
    by_seq: dict[int, bool] = {}  # by number, and whether it is the person's own
    async for part in iterate_audit_log(core, None, None):
        for change in rows_of(filter(_may_name, part.entries)):
            if (match := _match_image(change, subject, folded)) is not None:
                seq, own = match
                by_seq[seq] = by_seq.get(seq, False) or own
    seqs = sorted(by_seq.keys() - subject.own.keys() - subject.mentioned.keys())
    stand = await core.store.get(core.scope, seqs) if seqs else []
    for seq, one in zip(seqs, stand, strict=True):
        # Who it was said by never changes: of a memory that stands that was looked at already.
        subject.add(seq, 0 if one is None else one.revision, own=one is None and by_seq[seq])


def _may_name(entry: Entry) -> bool:
    """True if a person's name may stand in the images of an entry."""
    if entry.table == "memories":
        return not _STRINGS.isdisjoint(entry.columns)
    return entry.table in {"tags", "sources"}


def _match_image(change: Change, subject: Subject, folded: set[str]) -> tuple[int, bool] | None:
    """Return the memory that an image is of, and whether it is the person's; None where it does not name the person."""
    seq = change.key if isinstance(change.key, int) else int(change.key[0])
    strings = list(_iterate_strings(change))
    row = change.before or {}
    if change.table == "memories" and change.after is None and _is_of(row, (), folded):
        return seq, True
    return (seq, False) if subject.names.stand_in_json(strings) else None


def _iterate_strings(change: Change) -> Iterator[Any]:
    """Yield what an image says."""
    if not isinstance(change.key, int):
        yield from (one for one in change.key if isinstance(one, str))
    for side in (change.before, change.after):
        yield from ((side or {}).get(name) for name in _STRINGS)
