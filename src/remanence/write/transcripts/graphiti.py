"""A graph of Graphiti (Zep) as JSON: its facts with both their times, and the episodes that they were learned from.

Knows that format; must not know other formats.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, Literal

from remanence.core.keywords import RelationName
from remanence.core.model import Kind, Turn
from remanence.write.imported import ImportedTurn
from remanence.write.transcripts import base, item_fields
from remanence.write.transcripts.importer_source import SkipCounts, Source
from remanence.write.transcripts.turn_fields import FlawError, Path

_EDGE_TIMES = ("created_at", "valid_at", "invalid_at", "expired_at")
_EDGE_PLACED = frozenset(
    {
        "uuid",
        "fact",
        "episodes",
        "fact_embedding",
        "group_id",
        "created_at",
        "source_node_uuid",
        "target_node_uuid",
    }
)
PARTS = ("edges", "episodes", "nodes")
_FROM: RelationName = "learned_from"


@dataclass
class _GraphParts:
    """What the files of a source hold together."""

    edges: list[tuple[Mapping[str, Any], dict[str, datetime | None]]] = field(default_factory=list)
    episodes: list[tuple[Mapping[str, Any], datetime | None]] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)  # of nodes


class Graphiti:
    """Facts, when they hold and when they were known; and episodes."""

    reads_sources: Literal[True] = True
    summary = "edges, episodes and nodes of a Graphiti (Zep) graph as JSON, in one file or a folder"

    def recognises(self, source: Source) -> bool:
        """Tell whether the first object is a fact or an episode, or holds lists of such."""
        return bool(item_fields.find_files(source, _is_graph))

    def turns(self, source: Source, skipped: SkipCounts) -> Iterator[Turn]:
        """Yield episodes, then facts."""
        graph = _GraphParts()
        for name in item_fields.require_files(source, _is_graph, "graph of Graphiti"):
            base.read(source.text(name), name, partial(_read_graph, graph), skipped)
        for episode, at in graph.episodes:
            yield from _make_episode(episode, at, skipped)
        successors = _find_successors(graph)
        for edge, times in graph.edges:
            yield from _make_fact(graph, edge, times, successors, skipped)


def _is_graph(head: Mapping[str, Any]) -> bool:
    """Tell whether an object is a part of a graph, or has lists of such parts."""
    lists = [head[name] for name in PARTS if isinstance(head.get(name), list)]
    firsts: list[Mapping[str, Any]] = [one[0] for one in lists if one and isinstance(one[0], dict)]
    return any(_is_edge(one) or _is_episode(one) or _is_node(one) for one in firsts or [head])


def _is_edge(one: Mapping[str, Any]) -> bool:
    return "fact" in one and "uuid" in one


def _is_episode(one: Mapping[str, Any]) -> bool:
    return "content" in one and "uuid" in one and "valid_at" in one


def _is_node(one: Mapping[str, Any]) -> bool:
    return "summary" in one and "uuid" in one and "name" in one and "group_id" in one


def _read_graph(graph: _GraphParts, whole: Any, skipped: Any) -> tuple[()]:
    """Take in what one file holds."""
    parts: list[tuple[Path, Any]] = [((), whole)]
    if isinstance(whole, dict) and not (_is_edge(whole) or _is_episode(whole) or _is_node(whole)):
        parts = [((name,), base.child(whole, name, list, ())) for name in whole if name in PARTS]
        for name in whole:
            if name not in PARTS:
                skipped.note("part that is neither edges, episodes nor nodes", name)
    for begin, part in parts:
        for place, one in base.objects(part, "a list of edges, episodes or nodes"):
            _read_part(graph, one, (*begin, *place), skipped)
    return ()


def _read_part(graph: _GraphParts, one: Mapping[str, Any], path: Path, skipped: SkipCounts) -> None:
    id_ = item_fields.require_id(one, "uuid", path)
    if "fact" in one:
        graph.edges.append(
            (one, {name: item_fields.read_moment(name, one.get(name), path) for name in _EDGE_TIMES})
        )
    elif "content" in one:
        at, created = (
            item_fields.read_moment(name, one.get(name), path) for name in ("valid_at", "created_at")
        )
        graph.episodes.append((one, created if at is None else at))
    elif "name" in one:
        graph.names[id_] = str(one["name"])
        if one.get("summary"):
            skipped.note("summary of an entity", one["name"])
    else:
        raise FlawError("neither a fact, an episode nor a node", "give what Graphiti exports", path)


def _make_episode(episode: Mapping[str, Any], at: datetime | None, skipped: SkipCounts) -> Iterator[Turn]:
    key = item_fields.make_key(episode["uuid"])
    if item_fields.can_keep_text(episode["content"], key, skipped):
        thread = item_fields.keep_name("group_id", episode.get("group_id"), skipped)
        yield ImportedTurn(
            text=episode["content"],
            kind=Kind.EPISODIC.label,
            thread=thread,
            session=thread,
            said_at=at,
            source="graphiti",
            key=key,
            attributes=item_fields.keep_attributes(
                {name: episode.get(name) for name in ("name", "source", "source_description")}
            ),
        )


def _find_successors(graph: _GraphParts) -> dict[str, str]:
    """Return which fact took the place of which expired one: where the data leave no doubt, and nowhere else.

    It is of the same entity and relation, and holds from the very moment at which the other ceased to; there is one.
    """
    begins: dict[tuple[str, str, datetime], list[str]] = defaultdict(list)
    for edge, times in graph.edges:
        if times["valid_at"] is not None and edge.get("source_node_uuid") and edge.get("name"):
            begins[str(edge["source_node_uuid"]), str(edge["name"]), times["valid_at"]].append(
                str(edge["uuid"])
            )
    found: dict[str, str] = {}
    for edge, times in graph.edges:
        ends, began = times["invalid_at"], times["valid_at"]
        if ends is None or times["expired_at"] is None or (began is not None and began >= ends):
            continue
        later = begins.get((str(edge.get("source_node_uuid")), str(edge.get("name")), ends), [])
        if len(later) == 1:
            found[str(edge["uuid"])] = later[0]
    return found


def _make_fact(
    graph: _GraphParts,
    edge: Mapping[str, Any],
    times: Mapping[str, datetime | None],
    successors: Mapping[str, str],
    skipped: SkipCounts,
) -> Iterator[Turn]:
    key = item_fields.make_key(edge["uuid"])
    if not item_fields.can_keep_text(edge["fact"], key, skipped):
        return
    begins, ends = times["valid_at"], times["invalid_at"]
    ends = times["expired_at"] if ends is None else ends
    if begins is not None and ends is not None and begins > ends:
        skipped.note("validity that ends before it begins", key)
        begins = ends = None
    successor = successors.get(str(edge["uuid"]))
    episodes = edge.get("episodes")
    rest = {name: value for name, value in edge.items() if name not in _EDGE_PLACED}
    ends_named = {
        what: graph.names.get(str(edge.get(f"{what}_node_uuid")), edge.get(f"{what}_node_uuid"))
        for what in ("source", "target")
    }
    yield ImportedTurn(
        text=edge["fact"],
        kind=Kind.SEMANTIC.label,
        thread=item_fields.keep_name("group_id", edge.get("group_id"), skipped),
        said_at=times["created_at"] if times["created_at"] is not None else begins,
        source="graphiti",
        key=key,
        attributes=item_fields.keep_attributes({**rest, **ends_named}),
        valid_from=begins,
        valid_until=ends,
        replaced_by=None if successor is None else item_fields.make_key(successor),
        links=tuple(
            (item_fields.make_key(one), _FROM) for one in (episodes if isinstance(episodes, list) else ())
        ),
    )
