"""A scope as a document of Portable AI Memory 1.0 (portable-ai-memory.org), and what of it has no place there.

Knows that format and memories; must not know how they are read. Numbers have at most six digits behind the point and
names are ASCII, so that sorted keys are what RFC 8785 asks for.
"""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from remanence._version import __version__
from remanence.core.clock import to_datetime
from remanence.core.model import Kind, Link, Memory, Relation, Status

VERSION = "1.0"
PLATFORM = "remanence"
# Of the categories these are types of the format; any other is a type of one's own.
TYPES = frozenset(
    "fact preference skill context relationship goal instruction identity environment project".split()
)
_STATUS: Mapping[Status, str] = {
    Status.INBOX: "active",
    Status.ACTIVE: "active",
    Status.SUPERSEDED: "superseded",
    Status.ARCHIVED: "archived",
}
_RELATIONS: Mapping[Relation, str] = {
    Relation.CONTRADICTS: "contradicts",
    Relation.ELABORATES: "extends",
    Relation.SUPPORTS: "supports",
    Relation.SUPERSEDES: "supersedes",
    Relation.LEARNED_FROM: "derived_from",
    Relation.MERGED_FROM: "derived_from",
}
_TAG = re.compile(r"[a-z0-9][a-z0-9_-]*")
_SPACE = re.compile(r"\s+")
_NUMBERS = re.compile(r"\d+")
_EXTRAS = ("key", "speaker", "agent", "state", "category")


@dataclass(frozen=True, slots=True)
class PamDocument:
    """The document as JSON, how many memories and relations it has, and what has no place in it (what → count)."""

    json: bytes
    memories: int
    relations: int
    left_out: Mapping[str, int]


def build_document(scope: str, at: int, memories: Sequence[Memory], links: Iterable[Link]) -> PamDocument:
    """Write a scope as one document; forgotten memories and such as are held back are left out, and counted."""
    left_out: Counter[str] = Counter()
    kept = {one.seq: one for one in memories if one.status in _STATUS}
    left_out["memories that are forgotten or held back"] = len(memories) - len(kept)
    edges = list(links)
    relations = [_write_relation(link, kept) for link in edges if link.source in kept and link.target in kept]
    left_out["links of what is left out"] = len(edges) - len(relations)
    replaced_by = {
        link.target: kept[link.source].id
        for link in edges
        if link.relation is Relation.SUPERSEDES and link.source in kept
    }
    rows = [_write_memory(one, replaced_by.get(one.seq), left_out) for one in kept.values()]
    rows.sort(key=lambda row: str(row["id"]))
    checksum = hashlib.sha256(orjson.dumps(rows, option=orjson.OPT_SORT_KEYS)).hexdigest()
    document = {
        "schema": "portable-ai-memory",
        "schema_version": VERSION,
        "exported_by": f"{PLATFORM}/{'.'.join([*_NUMBERS.findall(__version__), '0', '0', '0'][:3])}",
        "export_date": _write_time(at),
        "owner": {"id": scope},
        "memories": rows,
        "relations": relations,
        "integrity": {
            "canonicalization": "RFC8785",
            "checksum": f"sha256:{checksum}",
            "total_memories": len(rows),
        },
        "export_type": "full",
    }
    said = {what: count for what, count in left_out.items() if count}
    return PamDocument(orjson.dumps(document, option=orjson.OPT_INDENT_2), len(rows), len(relations), said)


def hash_content(text: str) -> str:
    """Return the hash of a text without regard to case and spaces, as section 9.4 of the format defines it."""
    plain = _SPACE.sub(" ", unicodedata.normalize("NFC", text.strip().lower()))
    return f"sha256:{hashlib.sha256(plain.encode()).hexdigest()}"


def _write_memory(memory: Memory, replaced_by: str | None, left_out: Counter[str]) -> dict[str, Any]:
    kind = memory.category or ("context" if memory.kind is Kind.EPISODIC else "fact")
    tags = [tag for tag in memory.tags if _TAG.fullmatch(tag)]
    is_replaced = memory.status is Status.SUPERSEDED and replaced_by is not None
    left_out["tags with other signs than a-z, 0-9, _ and -"] += len(memory.tags) - len(tags)
    left_out["attributes"] += len(memory.attributes or ())
    left_out["sources but the first of a memory"] += max(0, len(memory.sources) - 1)
    left_out["pins and holds"] += bool(memory.pinned) + len(memory.holds or ())
    left_out["counts of uses, confirmations and ratings"] += any(
        (memory.uses, memory.confirmations, memory.helped)
    )
    row = {
        "id": memory.id,
        "type": kind if kind in TYPES else "custom",
        "custom_type": None if kind in TYPES else kind,
        "status": _STATUS[memory.status],
        "content": memory.text,
        "content_hash": hash_content(memory.text),
        "summary": memory.summary,
        "tags": tags,
        "confidence": _write_confidence(memory),
        "temporal": _drop_missing(
            {
                "created_at": _write_time(memory.said_at),
                "updated_at": _write_later(memory.text_at, memory.said_at),
                "valid_from": _write_time(memory.valid_from),
                "valid_until": _write_time(memory.valid_to),
                "superseded_by": replaced_by if is_replaced else None,
            }
        ),
        "provenance": _drop_missing(
            {
                "platform": PLATFORM,
                "conversation_ref": memory.thread or memory.session,
                "message_ref": next(iter(memory.sources), None),
                "extracted_at": _write_time(memory.learned_at),
            }
        ),
        "metadata": _write_metadata(memory),
    }
    return _drop_missing(row)


def _write_confidence(memory: Memory) -> dict[str, Any] | None:
    reinforced = _write_later(memory.reinforced_at, memory.said_at)
    block = {"current": _write_fraction(memory.confidence), "last_reinforced": reinforced}
    return _drop_missing(block) or None


def _write_metadata(memory: Memory) -> dict[str, Any]:
    """Return what the format has no field for and lets stand here."""
    extras = {name: getattr(memory, name) for name in _EXTRAS}
    worth = {"importance": _write_fraction(memory.importance)}
    return _drop_missing({**extras, **worth, "role": memory.role.label, "trust": memory.trust.label})


def _write_relation(link: Link, memories: Mapping[int, Memory]) -> dict[str, Any]:
    source, target = memories[link.source].id, memories[link.target].id
    return _drop_missing(
        {
            "id": f"{source}-{link.relation.label}-{target}",
            "from": source,
            "to": target,
            "type": _RELATIONS.get(link.relation, "related_to"),
            "confidence": _write_fraction(link.confidence),
            "created_at": _write_time(link.created_at),
        }
    )


def _drop_missing(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}


def _write_fraction(value: float | None) -> float | int | None:
    """Return a number as RFC 8785 writes it: whole ones without a point."""
    if value is None:
        return None
    rounded = round(value, 4)
    return int(rounded) if rounded == int(rounded) else rounded


def _write_time(at: int | None) -> str | None:
    return None if at is None else to_datetime(at).isoformat().replace("+00:00", "Z")


def _write_later(at: int | None, since: int) -> str | None:
    """Write a time that may not lie before another; one that does is left out."""
    return None if at is None or at < since else _write_time(at)
