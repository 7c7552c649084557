"""Files that are worked out anew: profile, topics, what the engine did, and a page for each entity and box.

Knows what stands on them; must not know what is in the folder. Each line of a profile or page names its memory, and
above it stands as which revision, so that an edited line comes back as a correction of that one. No turn stands on a
page whole, and nothing of what is in quarantine or forgotten.
"""

import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from typing import TypeAlias

import orjson

from remanence.core.box import SHOWN, FindBoxes
from remanence.core.clock import to_datetime
from remanence.core.errors import InvalidInput
from remanence.core.model import STANDING, Memory, Relation, short_id
from remanence.core.results import one_line, visible
from remanence.flows.base import decision_log
from remanence.flows.base.context import Core
from remanence.flows.consolidate import boxes, guidelines
from remanence.flows.consolidate.boxes import ConversationSegment
from remanence.flows.entities import entities
from remanence.flows.entities.entities import EntityProfile
from remanence.flows.mirror.file_names import BOXES, box_path, entity_path, link_to, path_of
from remanence.flows.mirror.front_matter import FIELDS_CHECKSUM, Page, fields_checksum, line, render_file
from remanence.flows.mirror.mirrored import Called, File, field_lines, is_mirrored
from remanence.flows.recall import counting, profiling
from remanence.flows.recall.current_only import follow_newer, with_ended
from remanence.read.entity import aliases_of, name_of, type_of

PROFILE, TOPICS, ACTIONS = "profile.md", "topics.md", "memory-actions.jsonl"
GUIDELINES = "compression-guidelines.md"
DOCUMENTS = (PROFILE, TOPICS, ACTIONS, GUIDELINES)
ACTIONS_LISTED = 1_000  # the newest
TOPICS_LISTED = 50
TIMELINE = "Timeline"  # the heading below which each line begins with its day
_ITEM = re.compile(r"- (?:(?:\[\[[^\[\]|]*\|#([0-9]{1,18})\]\]|\[#([0-9]{1,18})\]) )?(.*)")
_DATED = re.compile(r"- (?:([0-9]{4}-[0-9]{2}-[0-9]{2}) )?(.*)")
CUT = " …"
RELATED_MAX, RELATED_CHARS = 20, 300
TOGETHER = 20  # pages that are worked out at once: an entity has at most 500 mentions
Held: TypeAlias = Callable[[Sequence[int]], Awaitable[Mapping[int, Memory | None]]]


@dataclass(frozen=True, slots=True)
class MirrorDocument:
    """A file that is worked out: its path, what is in it, and the check sum of that."""

    path: str
    data: bytes
    checksum: str


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """One line of a document: what it says of which memory as of which revision, None for both where it is new.

    `area` is what the heading above it stands for, `said` the day that stands before it; `is_cut` says that the
    memory says more.
    """

    number: int
    text: str
    seq: int | None = None
    revision: int | None = None
    area: str | None = None
    is_cut: bool = False
    said: str | None = None


async def documents(core: Core, called: Called, *, topics: bool) -> list[MirrorDocument]:
    """Work all of them out, as of now; the topics where they are wanted."""
    actions = await decision_log.list_newest(core, ACTIONS_LISTED)
    rows = b"".join(
        orjson.dumps(one.to_dict(), option=orjson.OPT_APPEND_NEWLINE) for one in reversed(actions)
    )
    return [
        await _draw_profile(core, called),
        MirrorDocument(ACTIONS, rows, blake2b(rows, digest_size=8).hexdigest()),
        await _draw_guidelines(core),
        *([await _draw_topics(core)] if topics else []),
    ]


async def _draw_topics(core: Core) -> MirrorDocument:
    found = await counting.count_topics(core, TOPICS_LISTED)
    lines = "".join(f"- {one.value} ({one.memories:,})\n" for one in found.values)
    return MirrorDocument(TOPICS, *render_file([line("document", "topics")], lines.removesuffix("\n")))


async def _draw_guidelines(core: Core) -> MirrorDocument:
    active, draft = await guidelines.lines(core), await guidelines.read_guideline_draft(core)
    lines = [
        "## Active",
        *(f"- {one}" for one in active),
        "## Draft",
        *(f"- {one}" for one in (draft.guidelines if draft is not None else ())),
    ]
    return MirrorDocument(GUIDELINES, *render_file([line("document", "guidelines")], "\n".join(lines)))


async def _draw_profile(core: Core, called: Called) -> MirrorDocument:
    profile = await profiling.profile(core)
    memories = await core.store.get(core.scope, [one.seq for one in profile.lines])
    by_seq = {one.seq: one for one in memories if one is not None and one.status in STANDING}
    lines = [
        row
        for heading, own in groupby(profile.lines, key=lambda one: one.section)
        for row in (
            f"## {heading}",
            "",
            *(item(by_seq[one.seq], called) for one in own if one.seq in by_seq),
            "",
        )
    ]
    fields = [
        line("document", "profile"),
        line("left_out", profile.left_out),
        line("revisions", revisions_of(by_seq.values())),
    ]
    return MirrorDocument(PROFILE, *render_file(fields, "\n".join(lines).removesuffix("\n")))


def item(memory: Memory, called: Called, day: str = "") -> str:
    """Write what a memory says as a line that names it, with a link to its file where it has one."""
    number = short_id(memory.seq)
    name = link_to(called(path_of(memory), memory.seq), number) if is_mirrored(memory) else f"[{number}]"
    return f"- {f'{day} ' if day else ''}{name} {in_words(memory)}"


def in_words(memory: Memory) -> str:
    """Write what a memory says on one line, with who said it, and whether it says more."""
    text, cut = profiling.in_a_line(memory)
    return f"{render_speaker(memory.speaker)}{text}{CUT * cut}"


def revisions_of(memories: Iterable[Memory]) -> dict[str, int]:
    """Return as of which revision memories stand in a document."""
    return {str(one.seq): one.revision for one in memories}


def render_speaker(speaker: str | None) -> str:
    """Write who said what stands behind it."""
    return f"{speaker}: " if speaker else ""


def lines_of(page: Page, areas: Mapping[str, str]) -> list[DocumentLine]:
    """Read the lines of an edited document; `areas` says which heading stands for which area of the profile."""
    revisions = page.fields.get("revisions", {})
    if not isinstance(revisions, dict) or not all(isinstance(one, int) for one in revisions.values()):
        raise InvalidInput(
            "`revisions` is no mapping of numbers", recovery="discard the edit, and make it once more"
        )
    return list(_list_lines(page.text.splitlines(), revisions, areas))


def _list_lines(
    rows: Sequence[str], revisions: Mapping[str, int], areas: Mapping[str, str]
) -> Iterator[DocumentLine]:
    heading = ""
    for number, row in enumerate(rows, start=1):
        if row.startswith("#"):
            heading = row.lstrip("#").strip()
            continue
        day, line_ = _day_of(row.rstrip(), heading)
        match = _ITEM.fullmatch(line_)
        if match is None and row.strip():
            raise InvalidInput(
                f"line {number} of the text is no item", recovery="begin it with `- `, a line for each fact"
            )
        named = None if match is None else match[1] or match[2]
        if named is not None and named not in revisions:
            raise InvalidInput(
                f"line {number} names #{named}, which was not there",
                recovery="take the name away to make it a new memory, or edit the file of the fact",
            )
        if match is not None and match[3].strip():
            text = match[3].strip()
            seq = None if named is None else int(named)
            revision = None if named is None else revisions[named]
            area, is_cut = areas.get(heading), text.endswith(CUT)
            yield DocumentLine(number, text.removesuffix(CUT), seq, revision, area, is_cut, day)


def _day_of(row: str, heading: str) -> tuple[str | None, str]:
    """Part a line from the day that it begins with."""
    match = _DATED.fullmatch(row) if heading == TIMELINE else None
    return (None, row) if match is None else (match[1], f"- {match[2]}")


async def entity_pages(core: Core, memories: Sequence[Memory], held: Held, called: Called) -> dict[int, File]:
    """Work out the pages of entities that stand, by their numbers."""
    found: dict[int, File] = {}
    for begin in range(0, len(memories), TOGETHER):
        some = [one for one in memories[begin : begin + TOGETHER] if one.status in STANDING]
        asked = [one.seq for one in some]
        links = await core.store.neighbours(core.scope, asked, Relation.MENTIONS) if asked else []
        sources: dict[int, list[int]] = defaultdict(list)
        for link in links:
            sources[link.target].append(link.source)
        facts = await _read_facts(core, {seq for one in asked for seq in sources[one]}, held)
        newest = await follow_newer(core, list(facts.values()))
        for one in some:
            told = [facts[seq] for seq in sources[one.seq] if seq in facts]
            profile = entities.build_profile(one, told, newest, 0, core.clock.now())
            found[one.seq] = _entity_page(one, profile, called)
    return found


async def _read_facts(core: Core, seqs: set[int], held: Held) -> dict[int, Memory]:
    """Return what is mirrored of some memories and holds by now."""
    known = await held(sorted(seqs))
    told = [one for one in known.values() if one is not None and is_mirrored(one) and one.status in STANDING]
    return {one.seq: one for one in await with_ended(core, told) if one is not None and not one.ended}


def _entity_page(memory: Memory, profile: EntityProfile, called: Called) -> File:
    related = [f"{one.source}: {one.relation} of {one.target}" for one in profile.relationships]
    fields = {
        "id": memory.id,
        "revision": memory.revision,
        "name": name_of(memory),
        "type": type_of(memory),
        "aliases": list(aliases_of(memory)),
        "related": [one_line(one, RELATED_CHARS) for one in related[:RELATED_MAX]],
        "more": profile.more,
        "revisions": revisions_of(profile.timeline),
    }
    lines = [line(name, value) for name, value in fields.items()]
    lines.append(line(FIELDS_CHECKSUM, fields_checksum(fields)))
    dated = [item(one, called, one.said_day) for one in profile.timeline]
    rows = ["## Profile", *(item(one, called) for one in profile.lines), f"## {TIMELINE}", *dated]
    return File(entity_path(memory), *render_file(lines, "\n".join(rows)), memory.id)


async def box_pages(core: Core, numbers: Sequence[int], held: Held, called: Called) -> dict[int, File]:
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
        facts = await _read_facts(core, {*turns} | {link.source for link in links}, held)
        for row in rows:
            box = boxes.build_segment(row, [turns[seq] for seq in row.members if seq in turns])
            own = {seq for turn in box.turns for seq in (turn.seq, *learned[turn.seq])}
            if box.turns:
                learned_facts = [facts[seq] for seq in sorted(own & facts.keys())]
                found[row.box] = _box_page(box, learned_facts, called)
    return found


def _box_page(box: ConversationSegment, facts: Sequence[Memory], called: Called) -> File:
    fields = {
        "conversation": box.number,
        "session": box.session,
        "outcome": box.outcome,
        "reason": box.reason,
        "opened": to_datetime(box.opened_at, box.said_offset).isoformat(),
        "last": to_datetime(box.last_at, box.said_offset).isoformat(),
        "sealed": None if box.sealed_at is None else to_datetime(box.sealed_at).isoformat(),
        "thread": box.thread,
        "first_turn": box.turns[0].seq,
        "last_turn": box.turns[-1].seq,
        "turns": [short_id(one.seq) for one in box.turns],
    }
    goal = [visible(box.goal), ""] if box.goal else []
    rows = [*goal, "## Learned", *(item(one, called) for one in facts)]
    stated = {name: value for name, value in fields.items() if value not in (None, "")}
    return File(box_path(box), *render_file(field_lines(stated), "\n".join(rows)), f"{BOXES}/{box.number}")
