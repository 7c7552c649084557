"""The file of the MCP reference server for memory: entities with observations, and relations, one JSON object a line.

Knows that format; must not know other formats.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Literal

from remanence.core.keywords import RelationName
from remanence.core.model import Kind, Turn
from remanence.write.imported import ImportedTurn
from remanence.write.transcripts import base, item_fields
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.turn_fields import FlawError, Path

_OF: RelationName = "refers"
SEPARATOR = "\0"


class McpMemory:
    """What was observed of each entity, and how they are related."""

    reads_sources: Literal[True] = True
    summary = "memory.jsonl of the MCP memory server: entities and relations"

    def recognises(self, source: Source) -> bool:
        """Tell whether the first object is an entity or a relation."""
        return not source.is_folder and bool(item_fields.find_files(source, _is_line))

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield an observation a turn, then a relation a turn."""
        for name in item_fields.require_files(source, _is_line, "entities and relations"):
            yield from base.read_lines(source.text(name), name, partial(_read_lines), skipped)


def _is_line(one: Mapping[str, Any]) -> bool:
    return _is_entity(one) or _is_relation(one)


def _is_entity(one: Mapping[str, Any]) -> bool:
    return one.get("type") == "entity" and "observations" in one


def _is_relation(one: Mapping[str, Any]) -> bool:
    return one.get("type") == "relation" and "relationType" in one


def _read_lines(whole: Any, skipped: Any) -> Iterator[Turn]:
    relations: list[Mapping[str, Any]] = []
    first_of: dict[str, str] = {}
    for path, one in base.objects(whole, "lines of entities and relations"):
        if _is_entity(one):
            yield from _read_entity(one, path, first_of, skipped)
        elif _is_relation(one):
            relations.append(_check_relation(one, path))
        else:
            skipped.note("line that is neither an entity nor a relation", one.get("type"))
    seen: set[str] = set()
    for one in relations:
        says = f"{one['from']} {str(one['relationType']).replace('_', ' ')} {one['to']}"
        key = f"relation:{item_fields.digest(says)}"
        if key not in seen and item_fields.can_keep_text(says, key, skipped):
            seen.add(key)
            ends = dict.fromkeys(first_of[name] for name in (one["from"], one["to"]) if name in first_of)
            yield ImportedTurn(
                text=says,
                kind=Kind.SEMANTIC.label,
                source="mcp-memory",
                key=key,
                attributes={"from": one["from"], "relation": one["relationType"], "to": one["to"]},
                links=tuple((end, _OF) for end in ends),
            )


def _check_relation(one: Mapping[str, Any], path: Path) -> Mapping[str, Any]:
    for name in ("from", "to", "relationType"):
        if not isinstance(one.get(name), str):
            raise FlawError(f"a relation without {name!r}", "export it again; the file is damaged", path)
    return one


def _read_entity(
    one: Mapping[str, Any], path: Path, first_of: dict[str, str], skipped: SkipCounts
) -> Iterator[Turn]:
    name, observations = one.get("name"), one["observations"]
    if not isinstance(name, str) or not isinstance(observations, list):
        raise FlawError("an entity without a name or a list of observations", "export it again", path)
    if not observations:
        skipped.note("entity without observations", name)
    for said in observations:
        if not item_fields.can_keep_text(said, name, skipped):
            continue
        key = f"observation:{item_fields.digest(name + SEPARATOR + said)}"
        first_of.setdefault(name, key)
        text = f"{name}: {said}"
        if item_fields.can_keep_text(text, name, skipped):
            yield ImportedTurn(
                text=text,
                kind=Kind.SEMANTIC.label,
                source="mcp-memory",
                key=key,
                attributes=item_fields.keep_attributes({"entity": name, "type": one.get("entityType")}),
            )
