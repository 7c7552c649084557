"""Which memories have a file in the mirror, and what stands in it.

Mirrored are facts and what callers learned: no turns as they were said, nothing in quarantine, nothing forgotten. Knows
memories and their links; must not know what is in the folder.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from remanence.core.clock import SECOND, to_datetime
from remanence.core.model import STANDING, Memory, Relation, Role, Status, Trust, Verification
from remanence.core.segment import TURN
from remanence.flows.base.context import Core
from remanence.flows.mirror.file_names import ARTIFACTS, entity_path, link_to, path_of
from remanence.flows.mirror.front_matter import FRONT_BYTES_MAX, line, render_file
from remanence.read.entity import is_entity
from remanence.store.lineage import find_successors

# What is also kept in the user's own words where it is this sure (engram's verbatim artifacts).
VERBATIM = {
    "decision": "decision",
    "correction": "correction",
    "principle": "constraint",
    "commitment": "commitment",
}
VERBATIM_CONFIDENCE = 0.8
SOURCES_SHOWN = 100
LINKS_SHOWN = 50
# Links that somebody drew or a text says; what is merely alike, or came one after the other, is not shown.
LINKED = (
    Relation.MENTIONS,
    Relation.CONTRADICTS,
    Relation.ELABORATES,
    Relation.SUPPORTS,
    Relation.CAUSES,
    Relation.REFERS,
)
Called: TypeAlias = Callable[
    [str, int], str
]  # what the file of a memory is called, by its path and its number
_OUT = frozenset({Status.QUARANTINED, Status.PRUNED})
_SPARE = 1_024  # bytes of the fields that are left for what is always there


@dataclass(frozen=True, slots=True)
class File:
    """A file as it is to stand: its path, and what is in it with its check sum; `id` is its memory's."""

    path: str
    data: bytes
    checksum: str
    id: str = ""


def is_mirrored(memory: Memory) -> bool:
    """Tell whether a memory has a file of its own; an entity has a page."""
    is_raw = TURN in memory.tags and memory.category is None
    return memory.status not in _OUT and not is_raw and not is_entity(memory)


@dataclass(frozen=True, slots=True)
class FileContext:
    """What memories need of others for their files: by number, the id of what took their place, and whose words.

    `links` are those to the files of what they mention and are linked to, as note-taking programs read them.
    """

    successors: Mapping[int, str]
    words: Mapping[int, Memory]
    links: Mapping[int, Sequence[str]]


async def read_file_context(core: Core, memories: Sequence[Memory], called: Called) -> FileContext:
    """Return what some memories need of others."""
    old = [one.seq for one in memories if one.status is Status.SUPERSEDED]
    sure = [one.seq for one in memories if _is_verbatim(one) and TURN not in one.tags]
    links = await core.store.neighbours(core.scope, old) if old else []
    by = {seq: took[-1] for seq in old if (took := find_successors(links, seq))}
    fact_links = await core.store.neighbours(core.scope, sure, Relation.LEARNED_FROM) if sure else []
    of = {link.source: link.target for link in reversed(fact_links)}
    seqs = sorted({*by.values(), *of.values()})
    others = await core.store.get(core.scope, seqs) if seqs else []
    by_seq = {one.seq: one for one in others if one is not None}
    words = {seq: by_seq[turn] for seq, turn in of.items() if turn in by_seq}
    successors = {seq: by_seq[newer].id for seq, newer in by.items() if newer in by_seq}
    return FileContext(successors, words, await _read_links(core, memories, called))


async def _read_links(core: Core, memories: Sequence[Memory], called: Called) -> dict[int, Sequence[str]]:
    """Return links to the files of what memories mention and are linked to, by number, in order of their names."""
    own = {one.seq for one in memories if is_mirrored(one)}
    pairs: set[tuple[int, int]] = set()
    for relation in LINKED if own else ():
        for link in await core.store.neighbours(core.scope, sorted(own), relation):
            pairs |= {pair for pair in (link.key[:2], link.key[1::-1]) if pair[0] in own}
    there = await core.store.get(core.scope, sorted({seq for _, seq in pairs})) if pairs else []
    named = {
        one.seq: _link_to(one, called)
        for one in there
        if one is not None and one.status in STANDING and (is_entity(one) or is_mirrored(one))
    }
    links: dict[int, list[str]] = {}
    for seq, other in pairs:
        if other in named:
            links.setdefault(seq, []).append(named[other])
    return {seq: sorted(some)[:LINKS_SHOWN] for seq, some in links.items()}


def _link_to(memory: Memory, called: Called) -> str:
    path = entity_path(memory) if is_entity(memory) else path_of(memory)
    return link_to(called(path, memory.seq))


def files_of(memory: Memory, others: FileContext) -> Iterator[File]:
    """Yield the files of a memory."""
    if not is_mirrored(memory):
        return
    fields = fields_of(memory, others.successors.get(memory.seq), others.links.get(memory.seq))
    lines = field_lines(fields)
    data, checksum = render_file(lines, memory.text)
    yield File(path_of(memory), data, checksum, memory.id)
    # The turn in which the user said it, or the memory itself, where it is in the user's own words.
    words = others.words.get(memory.seq, memory)
    if _is_verbatim(memory) and words.role is Role.USER and words.status not in _OUT:
        yield _make_artifact(memory, words)


def fields_of(
    memory: Memory, successor: str | None = None, links: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return what stands above the text, by name, in its order; what is not said is left out."""
    fields = {
        "id": memory.id,
        "revision": memory.revision,
        "status": memory.status.label,
        "category": memory.category,
        "kind": memory.kind.label if memory.kind is not None else None,
        "state": memory.state,
        "severity": memory.severity.label if memory.severity is not None else None,
        "speaker": memory.speaker,
        "agent": memory.agent,
        "role": memory.role.label if memory.role is not Role.USER else None,
        "trust": memory.trust.label if memory.trust is not Trust.USER else None,
        "said": _write_said(memory),
        "learned": _write_time(memory.learned_at),
        "updated": _write_time(memory.text_at),
        "valid_from": _write_time(memory.valid_from),
        "valid_to": _write_time(memory.valid_to),
        "confidence": memory.confidence,
        "importance": memory.importance,
        "verification": (
            None if memory.verification is Verification.UNVERIFIED else memory.verification.label
        ),
        "pinned": True if memory.pinned else None,
        "tags": list(memory.tags),
        "sources": list(memory.sources[:SOURCES_SHOWN]) or None,
        "links": list(links) if links else None,
        "attributes": dict(memory.attributes) if memory.attributes else None,
        "reason": memory.reason.label if memory.reason is not None else None,
        "superseded_by": successor,
        "since": _write_time(memory.status_at) if memory.status not in STANDING else None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _write_said(memory: Memory) -> str | None:
    return _write_time(memory.said_at) if not memory.said_offset else memory.said_time.isoformat()


def _write_time(micros: int | None) -> str | None:
    if micros is None:
        return None
    second, fraction = divmod(micros, SECOND)
    return f"{_second(second)}{f'.{fraction:06}' if fraction else ''}+00:00"


@lru_cache(maxsize=4_096)  # what is read together came at about the same time
def _second(second: int) -> str:
    return to_datetime(second * SECOND).isoformat().removesuffix("+00:00")


def field_lines(fields: Mapping[str, Any]) -> list[bytes]:
    """Write fields; one that would be too long for all to be read is named in place of itself."""
    lines = [line(name, value) for name, value in fields.items()]
    if sum(map(len, lines)) <= FRONT_BYTES_MAX - _SPARE:
        return lines
    room, fitting, out = FRONT_BYTES_MAX - _SPARE, [], []
    for name, one in zip(fields, lines, strict=True):
        if len(one) > room:
            out.append(name)
            continue
        room -= len(one)
        fitting.append(one)
    return [*fitting, line("left_out", out)]


def _is_verbatim(memory: Memory) -> bool:
    sure = memory.confidence is not None and memory.confidence >= VERBATIM_CONFIDENCE
    return memory.category in VERBATIM and sure and memory.status in {*STANDING, Status.SUPERSEDED}


def _make_artifact(memory: Memory, said: Memory) -> File:
    category = memory.category or ""
    fields: dict[str, Any] = {
        "artifact": VERBATIM[category],
        "of": memory.id,
        "said_in": said.id,
        "speaker": said.speaker,
        "said": _write_said(said),
        "status": memory.status.label,
    }
    lines = [line(name, value) for name, value in fields.items() if value is not None]
    data, checksum = render_file(lines, said.text)
    return File(path_of(memory, ARTIFACTS), data, checksum, memory.id)
