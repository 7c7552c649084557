"""Boxes and traces leave with an export and come back to the same turns."""

from pathlib import Path
from typing import Any

import remanence
from remanence.core.box import BoxRow, FindBoxes, FindTraces, SealReason, TraceRow
from remanence.core.change import MILLION, Change
from remanence.core.clock import ManualClock
from remanence_store_kit.builders import NOW, box_change, trace_change

TOPICS = {"a1": MILLION}


def opened(path: Path) -> remanence.Engine:
    """Open a file."""
    return remanence.open(path, scope="home", clock=ManualClock(NOW), embedder="none")


async def test_boxes_leave_and_come_back(tmp_path: Path) -> None:
    """By their turns, under the numbers that these have there; a second import changes nothing, undo takes it back."""
    async with opened(tmp_path / "one.db") as memory:
        a, b, c, d = [(await memory.learn(f"turn {name}")).seq for name in ("one", "two", "three", "four")]
        sealed: dict[str, Any] = {"sealed_at": NOW, "reason": SealReason.FULL, "trace": a}
        await memory._core.commit(
            [
                box_change(a, [a, b, 99], goal=b, **sealed),
                box_change(c, [c], trace=a),
                box_change(d, [99], "s2"),
                trace_change(a),
            ],
            memory._core.cause("extract"),
        )
        lines = [line async for line in memory.export()]
    async with opened(tmp_path / "other.db") as other:
        own = (await other.learn("something else first")).seq
        await other._core.commit([box_change(own, [own])], other._core.cause("extract"))
        done = await other.import_(lines, trust="user")
        again = await other.import_(lines, trust="user")
        store = other._core.store
        found = await store.boxes("home", FindBoxes())
        traces = await store.traces("home", FindTraces())
        checks = await other.doctor()
        await other.undo(done)
        left = await store.boxes("home", FindBoxes()), await store.traces("home", FindTraces())

    forced: dict[str, Any] = {"sealed_at": NOW, "reason": SealReason.FORCED, "trace": own + 1}
    assert [
        BoxRow(own + 3, "s1", TOPICS, (own + 3,), None, None, NOW, NOW, **forced),
        BoxRow(
            own + 1, "s1", TOPICS, (own + 1, own + 2), own + 2, None, NOW, NOW, NOW, SealReason.FULL, own + 1
        ),
        BoxRow(own, "s1", TOPICS, (own,), None, None, NOW, NOW),
    ] == found
    assert [TraceRow(own + 1, TOPICS, NOW, NOW)] == traces
    assert 0 == again.changes
    assert [] == [check for check in checks if not check.ok]
    assert ([found[2]], []) == left


async def test_a_box_whose_turn_is_in_a_box_here_is_left_out(tmp_path: Path) -> None:
    """What is here stays as it is, and its turns are in one box."""
    async with opened(tmp_path / "one.db") as memory:
        a, b = [(await memory.learn(f"turn {name}")).seq for name in ("one", "two")]
        core = memory._core
        await core.commit([box_change(b, [b])], core.cause("extract"))
        lines = [line async for line in memory.export()]
        await core.commit([Change("boxes", b, {}, None), box_change(a, [a, b])], core.cause("extract"))
        done = await memory.import_(lines)
        found = await core.store.boxes("home", FindBoxes())

    assert 0 == done.changes
    assert [(a, (a, b))] == [(box.box, box.members) for box in found]
