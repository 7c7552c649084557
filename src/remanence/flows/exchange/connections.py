"""Links, forbidden texts, boxes and traces of a scope: they name memories, and come in once these are written.

An export names memories by their ids, a copied scope by its own numbers; `seqs` says which number each has here, and
what is not in it did not come in.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from remanence.core.box import BoxRow, FindTraces, SealReason, TraceRow
from remanence.core.change import Change
from remanence.core.model import SYMMETRIC, Link
from remanence.flows.base.context import Core
from remanence.flows.base.paging import PAGE, iterate_boxes
from remanence.flows.exchange.exported import BoxLine, LinkRow, TraceLine


def make_link_changes(links: Iterable[LinkRow | Link], seqs: Mapping[Any, int]) -> list[Change]:
    """Draw links between memories that came in; a link whose two ends became one is left out."""
    changes = []
    for link in links:
        if link.source in seqs and link.target in seqs:
            ends = seqs[link.source], seqs[link.target]
            if ends[0] == ends[1]:
                continue
            source, target = sorted(ends) if link.relation in SYMMETRIC else ends
            changes.append(Change("links", (source, target, int(link.relation)), None, link.values))
    return changes


def unite_link(here: Link, coming: Change) -> Change | None:
    """Return what a link gains from the same link of another file; None where it has all of that."""
    theirs = {"resolved_at": None, **(coming.after or {})}
    values = {name: max(getattr(here, name), theirs[name]) for name in ("weight", "count", "last_at")} | {
        "created_at": min(here.created_at, theirs["created_at"]),
        "confidence": max(here.confidence, theirs["confidence"], key=_rank_confidence),
        "resolved_at": max(here.resolved_at, theirs["resolved_at"], key=_rank_resolved),
    }
    gains = {name: value for name, value in values.items() if getattr(here, name) != value}
    return Change("links", here.key, {name: getattr(here, name) for name in gains}, gains) if gains else None


def _rank_confidence(confidence: float | None) -> tuple[float, bool]:
    return 1.0 if confidence is None else confidence, confidence is None  # None is certain


def _rank_resolved(resolved_at: int | None) -> tuple[bool, int]:
    return resolved_at is not None, resolved_at or 0


def make_forbidden_change(fold: str, at: int, seq: int | None) -> Change:
    """Return the change that forbids a text; `seq` is the memory that said it, None where that did not come in."""
    return Change("forbidden", fold, None, {"at": at, "seq": seq})


def make_box_changes(
    boxes: Iterable[BoxLine | BoxRow], traces: Iterable[TraceLine | TraceRow], seqs: Mapping[Any, int]
) -> list[Change]:
    """Make boxes of the turns that came in, each numbered by its lowest turn, and the traces of these boxes."""
    made: list[tuple[int, BoxLine | BoxRow]] = []
    numbers: dict[int, int] = {}  # of traces, here
    values_of = {one.trace: one.values for one in traces}
    for box in boxes:
        number = min((seqs[turn] for turn in box.members if turn in seqs), default=None)
        if number is None:
            continue
        made.append((number, box))
        if (trace := box.trace or 0) in values_of:
            numbers[trace] = min(number, numbers.get(trace, number))
    changes = [
        Change(
            "boxes",
            number,
            None,
            {
                **box.values,
                "members": sorted({seqs[turn] for turn in box.members if turn in seqs}),
                "goal": seqs.get(box.goal),
                "trace": numbers.get(box.trace or 0),
            },
        )
        for number, box in made
    ]
    used = [trace for trace in values_of if trace in numbers]
    return [*changes, *(Change("traces", numbers[trace], None, values_of[trace]) for trace in used)]


async def choose_boxes(core: Core, boxes: Sequence[BoxLine], where: Mapping[str, int]) -> list[BoxLine]:
    """Return the boxes of an export that come in: those of turns that do, and that are in no box here.

    What is here is never written over. `where` has a number for each memory that is here, or comes in. A session has
    one open box at most, so a second one comes in sealed.
    """
    candidates = [one for one in boxes if any(id_ in where for id_ in one.members)]
    boxed_turns, open_in = await _find_boxed_turns(core, {one.values["session"] for one in candidates})
    chosen: list[BoxLine] = []
    for one in candidates:
        turns = {where[id_] for id_ in one.members if id_ in where}
        if not boxed_turns.isdisjoint(turns):
            continue
        boxed_turns |= turns
        session, values = one.values["session"], dict(one.values)
        if values.get("sealed_at") is None and session in open_in:
            values |= {"sealed_at": values["last_at"], "reason": SealReason.FORCED}
        elif values.get("sealed_at") is None:
            open_in.add(session)
        chosen.append(replace(one, values=values))
    return chosen


async def _find_boxed_turns(core: Core, sessions: set[str]) -> tuple[set[int], set[str]]:
    """Return which turns of some sessions are in a box here, and which sessions have one that is open."""
    boxed_turns: set[int] = set()
    open_in: set[str] = set()
    for session in sorted(sessions):
        async for box in iterate_boxes(core, session):
            boxed_turns.update(box.members)
            if box.sealed_at is None:
                open_in.add(session)
    return boxed_turns, open_in


async def read_boxes(core: Core, seqs: Mapping[int, Any]) -> tuple[list[BoxRow], list[TraceRow]]:
    """Return the boxes that have any turn left among some memories, and the traces of these boxes."""
    boxes = [one async for one in iterate_boxes(core) if any(turn in seqs for turn in one.members)]
    numbers = sorted({one.trace for one in boxes if one.trace is not None})
    traces: list[TraceRow] = []
    for start in range(0, len(numbers), PAGE):
        some = FindTraces(only=tuple(numbers[start : start + PAGE]), limit=PAGE)
        traces += await core.store.traces(core.scope, some)
    return boxes, traces


async def iterate_box_lines(core: Core, ids: Mapping[int, str]) -> AsyncIterator[dict[str, Any]]:
    """Yield boxes and traces as an export has them, without turns that have gone and boxes that have none left."""
    boxes, traces = await read_boxes(core, ids)
    for box in boxes:
        yield _box_out(box, ids)
    for trace in traces:
        yield {"trace": trace.trace, **trace.values}


def _box_out(box: BoxRow, ids: Mapping[int, str]) -> dict[str, Any]:
    out = {
        **box.values,
        "box": box.box,
        "members": [ids[seq] for seq in box.members if seq in ids],
        "goal": ids.get(box.goal or 0),
        "outcome": None if box.outcome is None else box.outcome.label,
        "reason": None if box.reason is None else box.reason.label,
    }
    return {name: value for name, value in out.items() if value is not None}
