"""Files that are worked out of many memories: profile, topics, what the engine did by itself, what that teaches.

Knows what is drawn up and how it is written; must not know what is in the folder. Of the profile each line names its
memory, and above it stands as which revision, so that an edited line comes back as a correction of that one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby

import orjson

from remanence.errors import InvalidInput
from remanence.flows import acted, guidelines
from remanence.flows.core import Core
from remanence.flows.mirror.front_matter import Page, line, written
from remanence.flows.recall import profiling
from remanence.model import short_id

PROFILE, TOPICS, ACTIONS = "profile.md", "topics.md", "memory-actions.jsonl"
GUIDELINES = "compression-guidelines.md"
DOCUMENTS = (PROFILE, TOPICS, ACTIONS, GUIDELINES)
ACTIONS_LISTED = 1_000  # the newest
_ITEM = re.compile(r"- (?:\[#([0-9]{1,18})\] )?(.*)")
_CUT = " …"


@dataclass(frozen=True, slots=True)
class Document:
    """A file that is worked out: its path, what is in it, and the check sum of that."""

    path: str
    data: bytes
    checksum: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a document: what it says of which memory as of which revision, None for both where it is new.

    `category` is what the heading above it stands for; `is_cut` says that the memory says more.
    """

    number: int
    text: str
    seq: int | None = None
    revision: int | None = None
    category: str | None = None
    is_cut: bool = False


async def documents(core: Core) -> list[Document]:
    """Work all of them out, as of now."""
    topics = "".join(
        f"- {one.word} ({one.score:.2f}, {one.memories:,})\n" for one in await profiling.spoken_of(core, 50)
    )
    data, checksum = written([line("document", "topics")], topics.removesuffix("\n"))
    done = await acted.actions(core, ACTIONS_LISTED)
    rows = b"".join(orjson.dumps(one.to_dict(), option=orjson.OPT_APPEND_NEWLINE) for one in reversed(done))
    return [
        await _profile(core),
        Document(TOPICS, data, checksum),
        Document(ACTIONS, rows, blake2b(rows, digest_size=8).hexdigest()),
        await _guidelines(core),
    ]


async def _guidelines(core: Core) -> Document:
    active, draft = await guidelines.lines(core), await guidelines.drafted(core)
    told = [
        "## Active",
        *(f"- {one}" for one in active),
        "## Draft",
        *(f"- {one}" for one in (draft.guidelines if draft is not None else ())),
    ]
    return Document(GUIDELINES, *written([line("document", "guidelines")], "\n".join(told)))


async def _profile(core: Core) -> Document:
    profile = await profiling.profile(core)
    memories = await core.store.get(core.scope, [one.seq for one in profile.lines])
    revisions = {str(one.seq): one.revision for one in memories if one is not None}
    told = [
        row
        for heading, own in groupby(profile.lines, key=lambda one: one.section)
        for row in (f"## {heading}", "", *map(shown, own), "")
    ]
    fields = [line("document", "profile"), line("left_out", profile.left_out), line("revisions", revisions)]
    return Document(PROFILE, *written(fields, "\n".join(told).removesuffix("\n")))


def shown(one: profiling.ProfileLine) -> str:
    """Write a line of the profile."""
    return f"- [{short_id(one.seq)}] {said(one.speaker)}{one.text}{_CUT * one.cut}"


def said(speaker: str | None) -> str:
    """Write who said what stands behind it."""
    return f"{speaker}: " if speaker else ""


def lines_of(page: Page, categories: Mapping[str, str]) -> list[Line]:
    """Read the lines of an edited document; `categories` says which heading stands for which category."""
    revisions = page.fields.get("revisions", {})
    if not isinstance(revisions, dict) or not all(isinstance(one, int) for one in revisions.values()):
        raise InvalidInput(
            "`revisions` is no mapping of numbers", recovery="discard the edit, and make it once more"
        )
    return list(_lines(page.text.splitlines(), revisions, categories))


def _lines(
    rows: Sequence[str], revisions: Mapping[str, int], categories: Mapping[str, str]
) -> Iterator[Line]:
    category: str | None = None
    for number, row in enumerate(rows, start=1):
        if row.startswith("#"):
            category = categories.get(row.lstrip("#").strip())
            continue
        item = _ITEM.fullmatch(row.rstrip())
        if item is None and row.strip():
            raise InvalidInput(
                f"line {number} of the text is no item", recovery="begin it with `- `, a line for each fact"
            )
        if item is not None and item[1] is not None and item[1] not in revisions:
            raise InvalidInput(
                f"line {number} names #{item[1]}, which did not stand there",
                recovery="take the name away to make it a new memory, or edit the file of the fact",
            )
        if item is not None and item[2].strip():
            text = item[2].strip()
            seq = None if item[1] is None else int(item[1])
            known = None if item[1] is None else revisions[item[1]]
            yield Line(number, text.removesuffix(_CUT), seq, known, category, text.endswith(_CUT))
