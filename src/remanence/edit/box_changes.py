"""What becomes of boxes of turns and of their traces: columns set, turns taken out, and what an undo leaves of them.

Knows boxes and traces as they were read, and changes; knows no store. Turns of a box are a set: who takes some out
leaves the others, whoever put them in since.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Literal, cast

from remanence.core.box import BoxRow, TraceRow
from remanence.core.change import Change

BOXED = "boxes"  # in the detail of a run: which turns it put into boxes that it made
_SEALING = frozenset({"sealed_at", "reason", "outcome", "trace"})


def make_column_changes(
    table: Literal["boxes", "traces"], key: int, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[Change]:
    """Return the change of the columns that differ, none where none does."""
    before = {name: _unpack_tuple(before[name]) for name in after}
    names = [name for name, value in after.items() if before[name] != value]
    if not names:
        return []
    return [Change(table, key, {name: before[name] for name in names}, {name: after[name] for name in names})]


def _unpack_tuple(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def leave_turns(box: BoxRow, rest: AbstractSet[int]) -> list[Change]:
    """Leave some turns in a box, of which none may be left: then the box goes."""
    if not rest:
        return [Change("boxes", box.box, {"members": list(box.members)}, None)]
    goal = box.goal if box.goal in rest else None
    return make_column_changes("boxes", box.box, box.values, {"members": sorted(rest), "goal": goal})


def start_boxes_from_present(
    changes: Sequence[Change],
    boxes: Mapping[int, BoxRow],
    traces: Mapping[int, TraceRow],
    made: Mapping[str, Sequence[int]],
) -> list[Change]:
    """Let the inverse changes of boxes and traces start from these as they are now, whatever came to them since.

    `boxes` has also the others of the traces, and the open ones of each session; `made` are the turns that the run put
    into boxes that it made.
    """
    started = [
        one for change in changes if change.table == "boxes" for one in _start_box(change, boxes, made)
    ]
    going = {one.key for one in started if one.after is None}
    started = [one for change in started for one in _keep_sealed(change, boxes, going)]
    joins = {one.key: one.after["trace"] for one in started if one.after and "trace" in one.after}
    used = {joins.get(number, box.trace) for number, box in boxes.items() if number not in going}
    return started + [one for one in changes if one.table == "traces" and _is_trace_open(one, traces, used)]


def _start_box(
    change: Change, boxes: Mapping[int, BoxRow], made: Mapping[str, Sequence[int]]
) -> list[Change]:
    box = boxes.get(cast("int", change.key))
    if box is None or change.before is None:  # nothing is left to take back, or all of it comes back
        return [change] if box is None and change.before is None else []
    if change.after is None:
        return leave_turns(box, set(box.members) - set(made.get(str(change.key), box.members)))
    if all(_unpack_tuple(box.values[name]) == value for name, value in change.before.items()):
        return [change]
    had, has = (set(side.get("members", ())) for side in (change.after, change.before))
    return leave_turns(box, (set(box.members) - (has - had)) | (had - has))


def _keep_sealed(change: Change, boxes: Mapping[int, BoxRow], going: AbstractSet[Any]) -> list[Change]:
    """Leave a box sealed that would be opened again beside another open one of its session."""
    before, after = change.before or {}, change.after or {}
    if not before.get("sealed_at") or after.get("sealed_at", 0) is not None:
        return [change]
    box = boxes[cast("int", change.key)]
    others = [one for number, one in boxes.items() if number not in going and one.session == box.session]
    if all(one.sealed_at for one in others):
        return [change]
    kept = {name: value for name, value in after.items() if name not in _SEALING}
    return make_column_changes("boxes", box.box, box.values, kept)


def _is_trace_open(change: Change, traces: Mapping[int, TraceRow], used: AbstractSet[int | None]) -> bool:
    """Tell whether a trace can still be taken back: it is as the run left it, and no box needs it."""
    trace = traces.get(cast("int", change.key))
    if trace is None or change.before is None:
        return trace is None and change.before is None
    if change.after is None:
        return trace.trace not in used
    return all(trace.values[name] == value for name, value in change.before.items())
