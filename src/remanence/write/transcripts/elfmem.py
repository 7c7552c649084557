"""The database of elfmem: blocks with their tags, the edges between them, and contradictions.

Knows that format; must not know other formats.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal, get_args

from remanence.core.keywords import RelationName
from remanence.core.model import Turn
from remanence.write.imported import ImportedTurn
from remanence.write.transcripts import item_fields
from remanence.write.transcripts.importer_source import SkipCounts, Source

_COLUMNS = ("id", "content", "category", "status", "created_at")
_RELATIONS = frozenset({"similar", "co_occurs", "elaborates", "supports", "contradicts"}) & {
    *get_args(RelationName)
}
_OTHER: RelationName = "refers"
_CONTRADICTS: RelationName = "contradicts"
_KEPT = ("category", "source", "archive_reason", "summary", "cue", "self_alignment", "reinforcement_count")
Links = dict[str, list[tuple[str, RelationName]]]


class Elfmem:
    """Blocks of every status."""

    reads_sources: Literal[True] = True
    summary = "the SQLite database of elfmem"

    def recognises(self, source: Source) -> bool:
        """Tell whether there is a table of blocks of that shape."""
        return bool(source.list_tables("blocks", *_COLUMNS))

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield a block a turn."""
        for path, table in item_fields.require_tables(source, "blocks of elfmem", "blocks", *_COLUMNS):
            tables = source.databases[path]
            tags: dict[str, list[str]] = defaultdict(list)
            for row in tables["block_tags"].records() if "block_tags" in tables else ():
                tags[str(row.get("block_id"))].append(str(row.get("tag")))
            links = _read_links(tables, skipped)
            yield from item_fields.read_rows(path, table, partial(_read_block, tags, links, skipped))


def _read_links(tables: Mapping[str, Any], skipped: SkipCounts) -> Links:
    """Return what each block is linked to, by the id of the first."""
    links: Links = defaultdict(list)
    for row in tables["edges"].records() if "edges" in tables else ():
        relation = str(row.get("relation_type") or "similar")
        known = relation in _RELATIONS
        if not known:
            skipped.note(f"name of a relation that comes in as {_OTHER}", relation)
        name: RelationName = relation if known else _OTHER  # type: ignore[assignment]
        links[str(row.get("from_id"))].append((item_fields.make_key(row.get("to_id")), name))
    for row in tables["contradictions"].records() if "contradictions" in tables else ():
        if row.get("resolved"):
            skipped.note("contradiction that is resolved", row.get("block_a_id"))
        else:
            links[str(row.get("block_a_id"))].append(
                (item_fields.make_key(row.get("block_b_id")), _CONTRADICTS)
            )
    return links


def _read_block(
    tags: Mapping[str, list[str]], links: Links, skipped: SkipCounts, row: Mapping[str, Any]
) -> Iterator[Turn]:
    id_ = item_fields.require_id(row, "id", ())
    key = item_fields.make_key(id_)
    if not item_fields.can_keep_text(row["content"], key, skipped):
        return
    successor, is_archived = row.get("superseded_by"), row["status"] == "archived"
    confidence = row.get("confidence")
    if row.get("pinned"):
        skipped.note("pin", key)
    yield ImportedTurn(
        text=row["content"],
        tags=item_fields.keep_tags(tags.get(id_, ()), skipped),
        said_at=item_fields.read_moment("created_at", row["created_at"], is_utc=True),
        source="elfmem",
        key=key,
        confidence=confidence if isinstance(confidence, float) and 0 <= confidence <= 1 else None,
        attributes=item_fields.keep_attributes({name: row.get(name) for name in _KEPT}),
        replaced_by=item_fields.make_key(successor) if is_archived and successor else None,
        is_deleted=is_archived and not successor,
        links=tuple(links.get(id_, ())),
    )
