"""What undoing a run makes of boxes and traces, whatever came to these since: its turns are taken out of them.

Knows boxes as rows and changes; must not know where a conversation is cut.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from remanence.core.box import BOX_COLUMNS, BoxRow, FindBoxes, FindTraces, TraceRow
from remanence.core.change import Change, Entry
from remanence.flows.base.context import Core

BOXED = "boxes"  # in the detail of a run: which turns it put into boxes that it made
BOXES_LOOKED_AT = 100  # the latest of a trace


def make_column_changes(
    table: Any, key: int, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[Change]:
    """Return the change of the columns that differ, none where none does."""
    before = {name: _unpack_tuple(before[name]) for name in after}
    names = [name for name, value in after.items() if before[name] != value]
    if not names:
        return []
    return [Change(table, key, {name: before[name] for name in names}, {name: after[name] for name in names})]


def _unpack_tuple(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


async def undo_box_changes(core: Core, entries: Sequence[Entry], detail: Mapping[str, Any]) -> list[Entry]:
    """Let the undoing of a run take its turns out of boxes as they are by now, whatever came to these since.

    `entries` are the inverted changes of the run, `detail` what it said of itself.
    """
    changes = [one for one in entries if isinstance(one, Change) and one.table in {"boxes", "traces"}]
    if not changes:
        return list(entries)
    numbers = {
        table: tuple(one.key for one in changes if one.table == table) for table in ("boxes", "traces")
    }
    rows = await core.store.boxes(core.scope, FindBoxes(only=numbers["boxes"]))  # type: ignore[arg-type]
    traces = await core.store.traces(core.scope, FindTraces(only=numbers["traces"]))  # type: ignore[arg-type]
    new_members = detail.get(BOXED, {})
    here = {one.box: one for one in rows}
    boxes_back = [
        one
        for change in changes
        if change.table == "boxes"
        for one in _box_back(change, here.get(change.key), new_members)  # type: ignore[arg-type]
    ]
    boxes_back = await _one_open(core, boxes_back, here)
    going = {one.key for one in boxes_back if one.after is None}
    used = {
        trace.trace
        for trace in traces
        for box in await core.store.boxes(core.scope, FindBoxes(trace=trace.trace, limit=BOXES_LOOKED_AT))
        if box.box not in going and not _leaves(box.box, trace.trace, boxes_back)
    }
    by_trace = {one.trace: one for one in traces}
    traces_back = [
        one
        for change in changes
        if change.table == "traces"
        for one in _trace_back(change, by_trace.get(change.key), used)  # type: ignore[arg-type]
    ]
    others = [one for one in entries if not (isinstance(one, Change) and one.table in {"boxes", "traces"})]
    return [*others, *boxes_back, *traces_back]


async def _one_open(core: Core, back: Sequence[Change], here: Mapping[Any, BoxRow]) -> list[Change]:
    """Leave a box sealed that would be opened again beside another open one of its session."""
    going = {one.key for one in back if one.after is None}
    changes: list[Change] = []
    for change in back:
        opens = (
            change.before
            and change.before.get("sealed_at")
            and (change.after or {}).get("sealed_at", 0) is None
        )
        if opens:
            query = FindBoxes(session=here[change.key].session, is_open=True)
            if any(box.box not in going for box in await core.store.boxes(core.scope, query)):
                values = {name: _unpack_tuple(value) for name, value in here[change.key].values.items()}
                after = {name: value for name, value in (change.after or {}).items() if name not in _SEALING}
                changes += make_column_changes("boxes", here[change.key].box, values, after)
                continue
        changes.append(change)
    return changes


_SEALING = frozenset({"sealed_at", "reason", "outcome", "trace"})


def _box_back(change: Change, now: BoxRow | None, made: Mapping[str, Sequence[int]]) -> list[Change]:
    if now is None:  # nothing is left to take back, or all of it comes back
        return [change] if change.before is None else []
    if change.before is None:
        return []
    values = {name: _unpack_tuple(now.values[name]) for name in BOX_COLUMNS}
    if change.after is not None and all(values[name] == value for name, value in change.before.items()):
        return [change]
    members = set(now.members)
    if change.after is None:
        rest = members - set(made.get(str(change.key), now.members))
    else:
        was, became = (set(side.get("members", ())) for side in (change.after, change.before))
        rest = (members - (became - was)) | (was - became)
    if not rest:
        return [Change("boxes", change.key, {"members": values["members"]}, None)]
    goal = now.goal if now.goal in rest else None
    return make_column_changes("boxes", now.box, values, {"members": sorted(rest), "goal": goal})


def _leaves(box: int, trace: int, back: Sequence[Change]) -> bool:
    """Tell whether a box is in a trace no more once some changes are made."""
    return any(one.key == box and (one.after or {}).get("trace", trace) != trace for one in back)


def _trace_back(change: Change, now: TraceRow | None, used: set[int]) -> list[Change]:
    if now is None or change.before is None:
        return [change] if change.before is None and now is None else []
    if change.after is None:
        return [] if now.trace in used else [change]
    same = all(now.values[name] == value for name, value in change.before.items())
    return [change] if same else []
