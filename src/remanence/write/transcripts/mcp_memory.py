"""The file of the MCP reference server for memory, and of others like it: entities with observations, and relations.

Knows that format; must not know other formats.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from remanence.core.errors import IngestError
from remanence.core.keywords import Moment, RelationName
from remanence.core.model import Kind, Turn
from remanence.write.imported import ImportedTurn
from remanence.write.transcripts import base, item_fields, turn_fields
from remanence.write.transcripts.base import LineValue
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.turn_fields import FlawError, Path

_OF: RelationName = "refers"
SEPARATOR = "\0"
_KINDS = ("entity", "relation")
_GRAPH = ("entities", "relations")
# As the servers that grew out of the reference server call them: the first that is there counts.
_ENDS = {
    "from": ("from", "from_entity", "fromEntity", "source"),
    "to": ("to", "to_entity", "toEntity", "target"),
}
_RELATION = ("relationType", "relation_type", "relation")
_TEXTS = ("content", "text", "observation", "value")
_TIMES = ("timestamp", "ts", "time", "created_at", "createdAt", "date")
_MILLISECONDS_MIN = 10**11  # as seconds it is the year 5138


class McpMemory:
    """What was observed of each entity, and how they are related."""

    reads_sources: Literal[True] = True
    summary = "memory.jsonl of the MCP memory server: entities and relations"

    def recognises(self, source: Source) -> bool:
        """Tell whether one of the first lines is an entity or a relation, or the first object a whole graph."""
        text = source.only_text()
        return text is not None and any(_is_graph(one) or _read_kind(one) for one in base.heads(text))

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield an observation a turn, then a relation a turn."""
        text = source.only_text()
        if text is None:
            item_fields.refuse_without(source, "entities and relations")
        (name,) = source.files
        if base.holds_lines(text) and not _is_graph(base.head(text) or {}):
            parts = base.read_lines(text, name, "entity or relation", _read_line, skipped)
        else:
            parts = _read_graph(base.parse_json(text, name), text, name, skipped)
        yield from _make_turns(parts, skipped)


class _GraphObservation(NamedTuple):
    text: Any
    said_at: Moment | None
    more: Mapping[str, Any]


class _GraphEntity(NamedTuple):
    name: str
    type: Any
    observations: Sequence[Any]
    said_at: Any


class _GraphRelation(NamedTuple):
    ends: Mapping[str, str]
    name: str
    said_at: Any


_Part: TypeAlias = _GraphEntity | _GraphRelation


def _is_graph(one: Mapping[str, Any]) -> bool:
    """Tell whether an object is a graph as the server returns it whole."""
    parts = [one.get(name) for name in _GRAPH if isinstance(one.get(name), list)]
    firsts = [part[0] for part in parts if part]
    return bool(parts) and all(isinstance(first, dict) and _read_kind(first) for first in firsts)


def _read_kind(one: Mapping[str, Any]) -> str | None:
    """Return whether an object is an entity or a relation, None for neither."""
    if one.get("type") in _KINDS and isinstance(one.get("data"), dict):
        return str(one["type"])
    if ("observations" in one and "name" in one) or one.get("type") == "entity":
        return "entity"
    is_relation = one.get("type") == "relation" or all(_find(one, names) for names in _ENDS.values())
    return "relation" if is_relation and _find(one, _RELATION) is not None else None


def _find(one: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the first of some fields that is there."""
    return next((one[name] for name in names if one.get(name) is not None), None)


def _read_line(line: LineValue) -> _Part:
    return _read_part(line.value, ())


def _read_graph(whole: Any, text: str, source: str, skipped: SkipCounts) -> list[_Part]:
    """Return the parts of a graph that is one document, or a list; one that is neither is counted with its line."""
    found: list[_Part] = []
    first: IngestError | None = None
    several: list[tuple[Path, Any]] = [((), whole)]
    if isinstance(whole, list):
        several = [((number,), one) for number, one in enumerate(whole)]
    elif isinstance(whole, dict) and _is_graph(whole):
        lists = [(name, whole[name]) for name in _GRAPH if isinstance(whole.get(name), list)]
        several = [((name, number), one) for name, held in lists for number, one in enumerate(held)]
    for path, one in several:
        try:
            found.append(_read_part(one, path))
        except FlawError as flaw:
            line = base.line_of(text, path)
            skipped.note_line("part that is no entity or relation", line, str(flaw), flaw.recovery)
            first = first or IngestError(str(flaw), recovery=flaw.recovery, source=source, line=line)
    if first is not None and not found:
        raise first
    return found


def _read_part(one: Any, path: Path) -> _Part:
    kind = _read_kind(one) if isinstance(one, dict) else None
    if kind is None:
        says = f"type {one.get('type')!r}" if isinstance(one, dict) else "no object"
        raise FlawError(f"neither an entity nor a relation: {says}", "name the format that it has", path)
    one = one["data"] if isinstance(one.get("data"), dict) else one
    if kind == "entity":
        return _read_entity(one, path)
    ends = {name: _find(one, names) for name, names in _ENDS.items()}
    relation = _find(one, _RELATION)
    for name, value in (*ends.items(), ("relationType", relation)):
        if not isinstance(value, str) or not value.strip():
            raise FlawError(f"a relation without {name!r}", "export it again; the file is damaged", path)
    return _GraphRelation(ends, relation, _find(one, _TIMES))


def _read_entity(one: Mapping[str, Any], path: Path) -> _GraphEntity:
    name, observations = one.get("name"), one.get("observations")
    observations = [observations] if isinstance(observations, str) else observations
    if not isinstance(name, str) or not isinstance(observations, list):
        raise FlawError("an entity without a name or a list of observations", "export it again", path)
    return _GraphEntity(name, _find(one, ("entityType", "entity_type")), observations, _find(one, _TIMES))


def _make_turns(parts: Sequence[_Part], skipped: SkipCounts) -> Iterator[Turn]:
    first_of: dict[str, str] = {}
    for part in parts:
        if isinstance(part, _GraphEntity):
            yield from _make_observations(part, first_of, skipped)
    seen: set[str] = set()
    for part in parts:
        if isinstance(part, _GraphEntity):
            continue
        begin, end = part.ends.values()
        says = f"{begin} {part.name.replace('_', ' ')} {end}"
        key = f"relation:{item_fields.digest(says)}"
        if key not in seen and item_fields.can_keep_text(says, key, skipped):
            seen.add(key)
            ends = dict.fromkeys(first_of[name] for name in (begin, end) if name in first_of)
            yield ImportedTurn(
                text=says,
                kind=Kind.SEMANTIC.label,
                said_at=_read_time(part.said_at, skipped),
                source="mcp-memory",
                key=key,
                attributes={"from": begin, "relation": part.name, "to": end},
                links=tuple((end, _OF) for end in ends),
            )


def _make_observations(entity: _GraphEntity, first_of: dict[str, str], skipped: SkipCounts) -> Iterator[Turn]:
    if not entity.observations:
        skipped.note("entity without observations", entity.name)
    for given in entity.observations:
        said, at, more = _read_observation(given, entity, skipped)
        if not item_fields.can_keep_text(said, entity.name, skipped):
            continue
        key = f"observation:{item_fields.digest(entity.name + SEPARATOR + said)}"
        first_of.setdefault(entity.name, key)
        text = f"{entity.name}: {said}"
        if item_fields.can_keep_text(text, entity.name, skipped):
            yield ImportedTurn(
                text=text,
                kind=Kind.SEMANTIC.label,
                said_at=at,
                source="mcp-memory",
                key=key,
                attributes=item_fields.keep_attributes({**more, "entity": entity.name, "type": entity.type}),
            )


def _read_observation(given: Any, entity: _GraphEntity, skipped: SkipCounts) -> _GraphObservation:
    """Return what was observed, when, and what else an object says of it; without a time, the entity's."""
    if not isinstance(given, dict):
        return _GraphObservation(given, _read_time(entity.said_at, skipped), {})
    name = next((one for one in _TEXTS if isinstance(given.get(one), str)), "")
    at = _read_time(_find(given, _TIMES), skipped)
    more = {one: value for one, value in given.items() if one != name and one not in _TIMES}
    at = _read_time(entity.said_at, skipped) if at is None else at
    return _GraphObservation(given.get(name, given), at, more)


def _read_time(given: Any, skipped: SkipCounts) -> Moment | None:
    """Return a time in ISO 8601, or in seconds or milliseconds since 1970; one that is none is counted."""
    if isinstance(given, int | float):
        return turn_fields.read_seconds(given / 1000 if abs(given) >= _MILLISECONDS_MIN else given)
    try:
        return item_fields.read_moment("time", given, is_utc=True)
    except FlawError:
        skipped.note("time that is not one", given)
        return None
