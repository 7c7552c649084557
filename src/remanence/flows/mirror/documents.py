"""Files that are worked out of many memories: profile, topics, what the engine did by itself, what that teaches.

Knows what is drawn up and how it is written; must not know what is in the folder. Of the profile each line names its
memory, and above it stands as which revision, so that an edited line comes back as a correction of that one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby

import orjson

from remanence.core.errors import InvalidInput
from remanence.core.model import STANDING, Memory, short_id
from remanence.flows.base.context import Core
from remanence.flows.consolidate import guidelines
from remanence.flows.mirror.front_matter import Page, line, render_file
from remanence.flows.recall import profiling
from remanence.flows.undo import decision_log

PROFILE, TOPICS, ACTIONS = "profile.md", "topics.md", "memory-actions.jsonl"
GUIDELINES = "compression-guidelines.md"
DOCUMENTS = (PROFILE, TOPICS, ACTIONS, GUIDELINES)
ACTIONS_LISTED = 1_000  # the newest
TIMELINE = "Timeline"  # the heading below which each line begins with its day
_ITEM = re.compile(r"- (?:\[#([0-9]{1,18})\] )?(.*)")
_DATED = re.compile(r"- (?:([0-9]{4}-[0-9]{2}-[0-9]{2}) )?(.*)")
CUT = " …"


@dataclass(frozen=True, slots=True)
class MirrorDocument:
    """A file that is worked out: its path, what is in it, and the check sum of that."""

    path: str
    data: bytes
    checksum: str


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """One line of a document: what it says of which memory as of which revision, None for both where it is new.

    `category` is what the heading above it stands for, `said` the day that stands before it; `is_cut` says that the
    memory says more.
    """

    number: int
    text: str
    seq: int | None = None
    revision: int | None = None
    category: str | None = None
    is_cut: bool = False
    said: str | None = None


async def documents(core: Core, *, topics: bool) -> list[MirrorDocument]:
    """Work all of them out, as of now; the topics where they are wanted."""
    done = await decision_log.actions(core, ACTIONS_LISTED)
    rows = b"".join(orjson.dumps(one.to_dict(), option=orjson.OPT_APPEND_NEWLINE) for one in reversed(done))
    return [
        await _profile(core),
        MirrorDocument(ACTIONS, rows, blake2b(rows, digest_size=8).hexdigest()),
        await _guidelines(core),
        *([await _topics(core)] if topics else []),
    ]


async def _topics(core: Core) -> MirrorDocument:
    told = "".join(
        f"- {one.word} ({one.score:.2f}, {one.memories:,})\n" for one in await profiling.spoken_of(core, 50)
    )
    return MirrorDocument(TOPICS, *render_file([line("document", "topics")], told.removesuffix("\n")))


async def _guidelines(core: Core) -> MirrorDocument:
    active, draft = await guidelines.lines(core), await guidelines.read_guideline_draft(core)
    told = [
        "## Active",
        *(f"- {one}" for one in active),
        "## Draft",
        *(f"- {one}" for one in (draft.guidelines if draft is not None else ())),
    ]
    return MirrorDocument(GUIDELINES, *render_file([line("document", "guidelines")], "\n".join(told)))


async def _profile(core: Core) -> MirrorDocument:
    profile = await profiling.profile(core)
    memories = await core.store.get(core.scope, [one.seq for one in profile.lines])
    known = {one.seq: one for one in memories if one is not None and one.status in STANDING}
    told = [
        row
        for heading, own in groupby(profile.lines, key=lambda one: one.section)
        for row in (f"## {heading}", "", *(item(known[one.seq]) for one in own if one.seq in known), "")
    ]
    fields = [
        line("document", "profile"),
        line("left_out", profile.left_out),
        line("revisions", revisions_of(known.values())),
    ]
    return MirrorDocument(PROFILE, *render_file(fields, "\n".join(told).removesuffix("\n")))


def item(memory: Memory, day: str = "") -> str:
    """Write what a memory says as a line that names it."""
    return f"- {f'{day} ' * bool(day)}[{short_id(memory.seq)}] {in_words(memory)}"


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


def lines_of(page: Page, categories: Mapping[str, str]) -> list[DocumentLine]:
    """Read the lines of an edited document; `categories` says which heading stands for which category."""
    revisions = page.fields.get("revisions", {})
    if not isinstance(revisions, dict) or not all(isinstance(one, int) for one in revisions.values()):
        raise InvalidInput(
            "`revisions` is no mapping of numbers", recovery="discard the edit, and make it once more"
        )
    return list(_lines(page.text.splitlines(), revisions, categories))


def _lines(
    rows: Sequence[str], revisions: Mapping[str, int], categories: Mapping[str, str]
) -> Iterator[DocumentLine]:
    heading = ""
    for number, row in enumerate(rows, start=1):
        if row.startswith("#"):
            heading = row.lstrip("#").strip()
            continue
        day, line_ = _day_of(row.rstrip(), heading)
        found = _ITEM.fullmatch(line_)
        if found is None and row.strip():
            raise InvalidInput(
                f"line {number} of the text is no item", recovery="begin it with `- `, a line for each fact"
            )
        if found is not None and found[1] is not None and found[1] not in revisions:
            raise InvalidInput(
                f"line {number} names #{found[1]}, which did not stand there",
                recovery="take the name away to make it a new memory, or edit the file of the fact",
            )
        if found is not None and found[2].strip():
            text = found[2].strip()
            seq = None if found[1] is None else int(found[1])
            known = None if found[1] is None else revisions[found[1]]
            category, is_cut = categories.get(heading), text.endswith(CUT)
            yield DocumentLine(number, text.removesuffix(CUT), seq, known, category, is_cut, day)


def _day_of(row: str, heading: str) -> tuple[str | None, str]:
    """Part a line from the day that it begins with."""
    dated = _DATED.fullmatch(row) if heading == TIMELINE else None
    return (None, row) if dated is None else (dated[1], f"- {dated[2]}")
