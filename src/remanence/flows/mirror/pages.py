"""Pages of entities and of boxes: each is worked out of one of them and of the facts about it.

Knows what stands on a page; must not know what is in the folder. Each line names its fact, and above them stands as of
which revision, so that an edited line comes back as a correction of that one. No turn stands there whole, and nothing
of what is in quarantine or forgotten.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from remanence.core.box import SHOWN, BoxRow, FindBoxes
from remanence.core.clock import to_datetime
from remanence.core.model import STANDING, Memory, Relation, short_id
from remanence.core.results import date_of, one_line, visible
from remanence.flows.base.context import Core
from remanence.flows.consolidate import boxes
from remanence.flows.consolidate.boxes import Box
from remanence.flows.entities import entities
from remanence.flows.entities.entities import EntityProfile
from remanence.flows.mirror.documents import TIMELINE, item, revisions_of
from remanence.flows.mirror.file_names import box_path, entity_path
from remanence.flows.mirror.front_matter import FIELDS_CHECKSUM, fields_checksum, line, render_file
from remanence.flows.mirror.mirrored import File, field_lines, is_mirrored
from remanence.flows.recall.current_only import with_ended
from remanence.read.entity import name_of, read_entity_list, type_of

RELATED_MAX, RELATED_CHARS = 20, 300
TOGETHER = 20  # pages that are worked out at once: an entity has at most 500 mentions
BOXES_READ = 1_000

Held: TypeAlias = Callable[[Sequence[int]], Awaitable[Mapping[int, Memory | None]]]


async def entity_pages(core: Core, memories: Sequence[Memory], held: Held) -> dict[int, File]:
    """Work out the pages of entities that stand, by their numbers."""
    found: dict[int, File] = {}
    for begin in range(0, len(memories), TOGETHER):
        some = [one for one in memories[begin : begin + TOGETHER] if one.status in STANDING]
        asked = [one.seq for one in some]
        links = await core.store.neighbours(core.scope, asked, Relation.MENTIONS) if asked else []
        sources: dict[int, list[int]] = defaultdict(list)
        for link in links:
            sources[link.target].append(link.source)
        facts = await _facts(core, {seq for one in asked for seq in sources[one]}, held)
        for one in some:
            told = [facts[seq] for seq in sources[one.seq] if seq in facts]
            found[one.seq] = _entity_page(one, entities.build_profile(one, told, 0))
    return found


async def _facts(core: Core, seqs: set[int], held: Held) -> dict[int, Memory]:
    """Return what is mirrored of some memories and holds by now."""
    known = await held(sorted(seqs))
    told = [one for one in known.values() if one is not None and is_mirrored(one) and one.status in STANDING]
    return {one.seq: one for one in await with_ended(core, told) if one is not None and not one.ended}


def _entity_page(memory: Memory, profile: EntityProfile) -> File:
    related = [f"{one.source}: {one.relation} of {one.target}" for one in profile.relationships]
    fields = {
        "id": memory.id,
        "revision": memory.revision,
        "name": name_of(memory),
        "type": type_of(memory),
        "aliases": list(read_entity_list(memory, "aliases")),
        "related": [one_line(one, RELATED_CHARS) for one in related[:RELATED_MAX]],
        "more": profile.more,
        "revisions": revisions_of(profile.timeline),
    }
    lines = [line(name, value) for name, value in fields.items()]
    lines.append(line(FIELDS_CHECKSUM, fields_checksum(fields)))
    dated = [item(one, date_of(one.said_at)) for one in profile.timeline]
    rows = ["## Profile", *map(item, profile.lines), f"## {TIMELINE}", *dated]
    return File(entity_path(memory), *render_file(lines, "\n".join(rows)), memory.id)


async def box_pages(core: Core, numbers: Sequence[int], held: Held) -> dict[int, File]:
    """Work out the pages of boxes, by their numbers; one whose turns are all forgotten has none."""
    found: dict[int, File] = {}
    for begin in range(0, len(numbers), TOGETHER):
        asked = FindBoxes(only=tuple(numbers[begin : begin + TOGETHER]))
        rows = await core.store.boxes(core.scope, asked)
        known = await held(sorted({seq for row in rows for seq in row.members}))
        turns = {seq: one for seq, one in known.items() if one is not None and one.status in SHOWN}
        links = await core.store.neighbours(core.scope, sorted(turns), Relation.LEARNED_FROM) if turns else []
        learned: dict[int, list[int]] = defaultdict(list)
        for link in links:
            learned[link.target].append(link.source)
        facts = await _facts(core, {*turns} | {link.source for link in links}, held)
        for row in rows:
            box = boxes.build_box(row, [turns[seq] for seq in row.members if seq in turns])
            own = {seq for turn in box.turns for seq in (turn.seq, *learned[turn.seq])}
            if box.turns:
                found[row.box] = _box_page(box, [facts[seq] for seq in sorted(own & facts.keys())])
    return found


def _box_page(box: Box, facts: Sequence[Memory]) -> File:
    fields = {
        "box": box.number,
        "session": box.session,
        "topics": list(box.topics),
        "outcome": box.outcome,
        "reason": box.reason,
        "opened": to_datetime(box.opened_at).isoformat(),
        "last": to_datetime(box.last_at).isoformat(),
        "sealed": None if box.sealed_at is None else to_datetime(box.sealed_at).isoformat(),
        "trace": box.trace,
        "first_turn": box.turns[0].seq,
        "last_turn": box.turns[-1].seq,
        "turns": [short_id(one.seq) for one in box.turns],
    }
    goal = [visible(box.goal), ""] if box.goal else []
    rows = [*goal, "## Learned", *map(item, facts)]
    stated = {name: value for name, value in fields.items() if value not in (None, "")}
    return File(box_path(box), *render_file(field_lines(stated), "\n".join(rows)))


@dataclass
class TurnBoxes:
    """Which turns are in which boxes: read once, when somebody asks, and followed from there on."""

    _of: dict[int, int] = field(default_factory=dict)
    _members: dict[int, tuple[int, ...]] = field(default_factory=dict)
    _is_read: bool = False

    async def numbers(self, core: Core) -> list[int]:
        """Return the numbers of all boxes."""
        await self._read(core)
        return sorted(self._members)

    async def of(self, core: Core, turns: Sequence[int]) -> set[int]:
        """Return the boxes that some turns are in."""
        await self._read(core)
        return {self._of[seq] for seq in turns if seq in self._of}

    async def update_boxes(self, core: Core, numbers: Sequence[int]) -> None:
        """Take over what became of some boxes."""
        if not self._is_read or not numbers:
            return
        for number in numbers:
            for seq in self._members.pop(number, ()):
                if self._of.get(seq) == number:
                    del self._of[seq]
        self._take(await core.store.boxes(core.scope, FindBoxes(only=tuple(numbers), limit=len(numbers))))

    async def _read(self, core: Core) -> None:
        before: int | None = None
        while not self._is_read:
            page = await core.store.boxes(core.scope, FindBoxes(before=before, limit=BOXES_READ))
            self._take(page)
            self._is_read = len(page) < BOXES_READ
            before = page[-1].box if page else None

    def _take(self, rows: Sequence[BoxRow]) -> None:
        for row in rows:
            self._members[row.box] = row.members
            self._of.update(dict.fromkeys(row.members, row.box))
