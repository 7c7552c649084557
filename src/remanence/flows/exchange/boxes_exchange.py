"""Boxes and traces leave with an export and come back: by the ids of their turns, since numbers are a store's own.

A box of which any turn is in a box here already is left out: what is here is never written over.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from remanence.core.box import BoxRow, FindBoxes, FindTraces, SealReason
from remanence.core.change import Change
from remanence.flows.base.context import Core
from remanence.flows.exchange.exported import BoxLine, TraceLine

PAGE = 1_000


class BoxMember(Protocol):
    """A turn of a box: a memory that is here, or one that is about to be."""

    @property
    def seq(self) -> int:
        """Its sequence number."""
        ...


@dataclass(frozen=True, slots=True)
class ImportedBox:
    """A box that comes in; its turns may not be written yet."""

    values: Mapping[str, Any]
    members: Sequence[BoxMember]
    goal: BoxMember | None
    trace: "ImportedTrace | None"
    size: int = 1

    @property
    def key(self) -> int:
        """Its number here, once its turns are written."""
        return min(turn.seq for turn in self.members)

    def changes(self) -> list[Change]:
        """Make it; its turns are written by now."""
        values = {
            **self.values,
            "members": sorted(turn.seq for turn in self.members),
            "goal": None if self.goal is None else self.goal.seq,
            "trace": None if self.trace is None else self.trace.key,
        }
        return [Change("boxes", self.key, None, values)]


@dataclass(frozen=True, slots=True)
class ImportedTrace:
    """A trace that comes in, and its boxes that do."""

    values: Mapping[str, Any]
    boxes: list[ImportedBox] = field(default_factory=list)
    size: int = 1

    @property
    def key(self) -> int:
        """Its number here, once the turns of its boxes are written."""
        return min(box.key for box in self.boxes)

    def changes(self) -> list[Change]:
        """Make it."""
        return [Change("traces", self.key, None, self.values)]


async def select_boxes(
    core: Core, boxes: Sequence[BoxLine], traces: Sequence[TraceLine], where: Mapping[str, BoxMember]
) -> list[ImportedBox | ImportedTrace]:
    """Decide which boxes of an export come in, and the traces of those; `where` is what became of its memories."""
    candidates = [one for one in boxes if any(id_ in where for id_ in one.members)]
    boxed_seqs, open_in = await _find_boxed_turns(core, {one.values["session"] for one in candidates})
    tracing = {one.number: ImportedTrace(one.values) for one in traces}
    chosen_boxes: list[ImportedBox] = []
    for one in candidates:
        members = list({_key(turn): turn for id_ in one.members if (turn := where.get(id_))}.values())
        keys = {_key(turn) for turn in members}
        if not boxed_seqs.isdisjoint(keys):
            continue
        boxed_seqs |= keys
        values, session = dict(one.values), one.values["session"]
        if values.get("sealed_at") is None and session in open_in:
            values |= {"sealed_at": values["last_at"], "reason": SealReason.FORCED}
        elif values.get("sealed_at") is None:
            open_in.add(session)
        trace = None if one.trace is None else tracing.get(one.trace)
        goal = None if one.goal is None else where.get(one.goal)
        box = ImportedBox(values, members, goal, trace)
        chosen_boxes.append(box)
        if trace is not None:
            trace.boxes.append(box)
    return [*chosen_boxes, *(trace for trace in tracing.values() if trace.boxes)]


async def _find_boxed_turns(core: Core, sessions: set[str]) -> tuple[set[int], set[str]]:
    """Return which turns of some sessions are in a box here, and which sessions have one that is open."""
    boxed_seqs: set[int] = set()
    open_in: set[str] = set()
    for session in sorted(sessions):
        async for box in pages(core, session):
            boxed_seqs.update(box.members)
            if box.sealed_at is None:
                open_in.add(session)
    return boxed_seqs, open_in


async def pages(core: Core, session: str | None = None) -> AsyncIterator[BoxRow]:
    """Yield all boxes, of one session if asked, those of the latest turns first."""
    before = None
    while page := await core.store.boxes(core.scope, FindBoxes(session=session, before=before, limit=PAGE)):
        for box in page:
            yield box
        before = page[-1].box


def _key(turn: BoxMember) -> int:
    """Return what tells two turns apart before they have numbers."""
    return turn.seq or -id(turn)


async def lines(core: Core, ids: Mapping[int, str]) -> AsyncIterator[dict[str, Any]]:
    """Yield boxes and traces as an export has them, without turns that have gone and boxes that have none left."""
    traces: set[int] = set()
    async for box in pages(core):
        if out := _box_out(box, ids):
            yield out
            traces |= {box.trace} - {None}  # type: ignore[arg-type]
    numbers = sorted(traces)
    for start in range(0, len(numbers), PAGE):
        for trace in await core.store.traces(
            core.scope, FindTraces(only=tuple(numbers[start : start + PAGE]), limit=PAGE)
        ):
            yield {"trace": trace.trace, **trace.values}


def _box_out(box: BoxRow, ids: Mapping[int, str]) -> dict[str, Any] | None:
    members = [ids[seq] for seq in box.members if seq in ids]
    if not members:
        return None
    out = {
        **box.values,
        "box": box.box,
        "members": members,
        "goal": ids.get(box.goal or 0),
        "outcome": None if box.outcome is None else box.outcome.label,
        "reason": None if box.reason is None else box.reason.label,
    }
    return {name: value for name, value in out.items() if value is not None}
