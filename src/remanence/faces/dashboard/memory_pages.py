"""What the pages about memories show: the overview, lists, one memory, answers, entities, conversations, the graph.

Knows which verbs to ask; must not know how what they answer is rendered.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from remanence.core.errors import InvalidInput, NotFound
from remanence.core.model import Decay, Kind, Link, Memory, Relation, Status
from remanence.core.recall_explanation import Hop
from remanence.core.results import one_line
from remanence.engine import Engine
from remanence.faces.dashboard.form_fields import read_name
from remanence.faces.dashboard.visits import Visit
from remanence.faces.style import interval, moment
from remanence.flows.base.settings import read_local_now
from remanence.flows.consolidate.boxes import ConversationSegment
from remanence.flows.inspect.related import RelatedResult
from remanence.read.entity import is_entity, name_of
from remanence.recall.activation import HOPS_MAX

NODES_MAX = 200


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A memory in its column and row; `parent` is the place of the one that a link of a relation leads from to it."""

    seq: int
    column: int
    row: int
    parent: int | None = None
    relation: str = ""


def lay_out(related: RelatedResult) -> tuple[GraphNode, ...]:
    """Return a node for each memory that links lead to and for those on the way, at most `NODES_MAX`, top down."""
    steps: dict[int, tuple[int, str]] = {}  # from which memory a link leads to one, and its relation
    reached = dict.fromkeys(related.seeds)
    for one in related.memories:
        way = _follow_path(one.path, related.seeds)
        new = [seq for seq, *_ in way if seq not in reached]
        if len(reached) + len(new) > NODES_MAX:
            continue
        for seq, before, relation in way:
            steps.setdefault(seq, (before, relation))
            reached.setdefault(seq)
    children: dict[int, list[int]] = {seq: [] for seq in reached}
    for seq, (before, _) in steps.items():
        children[before].append(seq)
    return _place_nodes(related.seeds, steps, children)


def _follow_path(path: Sequence[Hop], seeds: Collection[int]) -> list[tuple[int, int, str]]:
    """Return each memory on a way from a seed with the one before it; a link may be stored either way round."""
    first = path[0]
    at = first.source if first.source in seeds else first.target
    way = []
    for hop in path:
        before, at = at, hop.target if hop.source == at else hop.source
        way.append((at, before, hop.relation))
    return way


def _place_nodes(
    seeds: Sequence[int], steps: Mapping[int, tuple[int, str]], children: Mapping[int, Sequence[int]]
) -> tuple[GraphNode, ...]:
    """Give each a row of its own, but for the first child of one, which stands beside it."""
    nodes: list[GraphNode] = []
    waiting: list[tuple[int, int | None]] = [(seq, None) for seq in reversed(seeds)]
    row = -1
    while waiting:
        seq, parent = waiting.pop()
        before = None if parent is None else nodes[parent]
        column = 0 if before is None else before.column + 1
        is_beside = before is not None and children[before.seq][0] == seq
        row += not is_beside
        nodes.append(GraphNode(seq, column, row, parent, steps[seq][1] if before is not None else ""))
        waiting += [(child, len(nodes) - 1) for child in reversed(children[seq])]
    return tuple(nodes)


LISTED = 50  # memories on one page
STATUSES = ("standing", *(one.name.lower() for one in Status), "any")
KINDS = tuple(one.name.lower() for one in Kind)
RELATIONS = tuple(one.label for one in Relation)
EVENTS = 30
RUNS = 6  # the newest, on the overview
SEGMENTS = 20
TOPICS = 30
DEPTH = 2  # links that the graph follows
BEGINNINGS = 6
LABEL_CHARS = 34  # of a memory in the graph
_FILTERS = ("category", "tag", "speaker", "session", "thread", "agent", "key")


async def show_overview(visit: Visit) -> dict[str, Any]:
    """Show the memory in numbers, what happened last, what waits and what comes next."""
    state = await visit.compute("status", Engine.status)
    newest = await visit.memory.list(limit=5)
    runs = (await visit.memory.history(limit=RUNS))[::-1]
    return {
        "state": state.value,
        "computed": state,
        "newest": newest,
        "runs": runs,
        "categories": sorted(visit.memory.policy.current.categories),
    }


async def list_memories(visit: Visit) -> dict[str, Any]:
    """List memories, newest first, by what was asked for."""
    query = visit.query
    status = query.get("status", "standing")
    if status not in STATUSES:
        raise InvalidInput(f"no status {status[:40]!r}", recovery=f"choose one of {', '.join(STATUSES)}")
    wish: dict[str, Any] = {name: query[name] for name in _FILTERS if name in query and name != "tag"}
    if "tag" in query:
        wish["tags"] = [query["tag"]]
    if "kind" in query:
        wish["kind"] = query["kind"]
    if "day" in query:
        wish["between"] = interval(query["day"], await read_local_now(visit.memory._core))  # noqa: SLF001 # as the tools
    if "after" in query:
        wish["after"] = visit.read_number("after", 0, most=(1 << 62))
    limit = visit.read_number("limit", LISTED, most=1_000)
    listed = await visit.memory.list(
        status=None if status == "standing" else cast("Any", status),
        limit=limit + 1,
        oldest_first=query.get("order") == "oldest",
        **wish,
    )
    return {
        "memories": listed[:limit],
        "more": listed[limit - 1].seq if len(listed) > limit else None,
        "statuses": STATUSES,
        "kinds": KINDS,
        "categories": sorted(visit.memory.policy.current.categories),
    }


async def show_memory(visit: Visit) -> dict[str, Any]:
    """Show one memory whole: its history, why it is kept, where it came from and what was made of it."""
    name = visit.names["name"]
    memory = await visit.memory.get(read_name(name))
    links = sorted(await visit.memory.links(memory.seq), key=lambda link: -link.weight)
    others = await _read_others(visit.memory, memory, links[:EVENTS])
    seq = memory.seq
    explained = await visit.compute("explain", lambda one: one.explain(seq), seq)
    then = None
    if "as_of" in visit.query:
        then = await visit.memory.get(memory.seq, as_of=moment(visit.query["as_of"]))
    return {
        "memory": memory,
        "explanation": explained.value,
        "explained": explained,
        "events": (await visit.memory.history(memory.seq, limit=200))[-EVENTS:],
        "links": [link for link in links if link.source + link.target - memory.seq in others],
        "others": others,
        "link_count": len(links),
        "then": then,
        "kinds": KINDS,
        "relations": RELATIONS,
        "categories": sorted(visit.memory.policy.current.categories),
        "decay": Decay(memory.decay).label,
    }


async def _read_others(memory: Engine, one: Memory, links: list[Link]) -> Mapping[int, Memory]:
    """Read the memories at the other ends of links; what was purged is left out."""
    others = {}
    for seq in sorted({link.source + link.target - one.seq for link in links}):
        try:
            others[seq] = await memory.get(seq)
        except NotFound:
            continue
    return others


async def answer_question(visit: Visit) -> dict[str, Any]:
    """Answer a question, and say why this and why not that; a look from here counts no use."""
    query = visit.query
    shown: dict[str, Any] = {
        "answer": None,
        "limit": 10,
        "budget": 0,
        "frames": await visit.memory.frames.get(),
    }
    question = query.get("q")
    if question is None:
        return shown
    limit = visit.read_number("limit", 10, most=1_000)
    budget = visit.read_number("budget", 0, least=0, most=1_000_000)
    more: dict[str, Any] = {"explain": True, "count_use": False}
    if "why_not" in query:
        more["why_not"] = query["why_not"]
    if query.get("archived") in {"open", "closed"}:
        more["archived"] = query["archived"]
    if "as_of" in query:
        more = {"as_of": moment(query["as_of"])}
    if "frame" in query:
        more.pop("archived", None)
        answer = await visit.memory.frame(
            query["frame"], question, budget=budget or None, limit=limit, **more
        )
    else:
        answer = await visit.memory.recall(question, limit=limit, budget=budget or None, **more)
    return {**shown, "answer": answer, "limit": limit, "budget": budget}


async def list_entities(visit: Visit) -> dict[str, Any]:
    """List who and what is spoken of."""
    limit = visit.read_number("limit", 100, most=1_000)
    after = visit.read_number("after", 0, least=0, most=(1 << 62)) or None
    listed = await visit.memory.entities.list(type=visit.query.get("type"), limit=limit + 1, after=after)
    return {
        "entities": listed[:limit],
        "more": listed[limit - 1].seq if len(listed) > limit else None,
        "topics": (await visit.compute("topics", lambda memory: memory.count("topic", limit=TOPICS))).value,
    }


async def show_entity(visit: Visit) -> dict[str, Any]:
    """Show one person, place or thing: what is known, when it was said, whom it goes with."""
    name = visit.names["name"]
    profile = await visit.memory.entities.get(read_name(name))
    return {"profile": profile}


async def show_conversations(visit: Visit) -> dict[str, Any]:
    """Show the conversations as segments of turns about one matter, and the threads that lead through several."""
    after = visit.read_number("after", 0, least=0, most=(1 << 62)) or None
    segments = await visit.memory.conversations.list(
        limit=SEGMENTS + 1, after=after, session=visit.query.get("session")
    )
    threads = await visit.memory.conversations.list(threads=True, segments_min=2, limit=SEGMENTS)
    segment = None
    if "segment" in visit.query:
        segment = await visit.memory.conversations.get(visit.read_number("segment", 0, most=(1 << 62)))
    return {
        "segments": segments[:SEGMENTS],
        "more": segments[SEGMENTS - 1].number if len(segments) > SEGMENTS else None,
        "threads": threads,
        "segment": segment,
        "lanes": _draw_lanes(segments[:SEGMENTS]),
    }


def _draw_lanes(segments: list[ConversationSegment]) -> dict[str, Any]:
    """Lay segments out in time: a lane a session, each from its first turn to its last, in percent of the width."""
    if not segments:
        return {"lanes": [], "first": None, "last": None}
    first, last = min(segment.opened_at for segment in segments), max(segment.last_at for segment in segments)
    wide = max(1, last - first)
    sessions = Counter(segment.session for segment in segments)
    lanes = [
        {
            "session": session,
            "segments": [
                {
                    "number": segment.number,
                    "x": round(96 * (segment.opened_at - first) / wide, 2),
                    "width": max(1.2, round(96 * (segment.last_at - segment.opened_at) / wide, 2)),
                    "thread": segment.thread,
                    "opened_at": segment.opened_at,
                    "last_at": segment.last_at,
                    "turns": len(segment.turns),
                }
                for segment in segments
                if segment.session == session
            ],
        }
        for session in sessions
    ]
    return {"lanes": lanes, "first": first, "last": last}


async def show_graph(visit: Visit) -> dict[str, Any]:
    """Show what links lead to from one memory, one entity, or the best answers to words."""
    depth = visit.read_number("depth", DEPTH, most=HOPS_MAX)
    shown: dict[str, Any] = {"depth": depth, "depths": range(1, HOPS_MAX + 1), "graph": None, "begins": []}
    given = visit.query.get("from")
    if given is None:
        entities = await visit.memory.entities.list(limit=BEGINNINGS)
        newest = await visit.memory.list(limit=BEGINNINGS)
        begins = [{"seq": one.seq, "text": one.name} for one in entities]
        begins += [{"seq": one.seq, "text": one.text} for one in newest]
        return {**shown, "begins": begins}
    related = await _find_neighbourhood(visit.memory, given, depth)
    nodes = lay_out(related)
    by_seq = {one.memory.seq: one.memory for one in related.memories}
    for node in nodes:
        if node.seq not in by_seq:  # where it begins, and entities on the way
            by_seq[node.seq] = await visit.memory.get(node.seq)
    labels = {seq: name_of(one) if is_entity(one) else one.text for seq, one in by_seq.items()}
    drawn = {node.seq for node in nodes}
    left_out = sum(one.memory.seq not in drawn for one in related.memories) + sum(related.left_out.values())
    return {
        **shown,
        "graph": {
            "nodes": nodes,
            "labels": {node.seq: one_line(labels[node.seq], LABEL_CHARS) for node in nodes},
            "entities": [node.seq for node in nodes if is_entity(by_seq[node.seq])],
            "columns": 1 + max((node.column for node in nodes), default=0),
            "rows": 1 + max((node.row for node in nodes), default=0),
            "left_out": left_out,
        },
    }


async def _find_neighbourhood(memory: Engine, given: str, depth: int) -> RelatedResult:
    """Follow links from the memory of a name or number, the entity of a name, or what answers words."""
    name = read_name(given.strip().removeprefix("#"))
    limit = NODES_MAX - 1
    try:
        return await memory.links(name, depth=depth, limit=limit)
    except NotFound:
        if isinstance(name, int):
            raise
    try:
        entity = (await memory.entities.get(name)).entity
    except NotFound:
        return await memory.links(query=given, depth=depth, limit=limit)
    return await memory.links(entity.seq, depth=depth, limit=limit)
