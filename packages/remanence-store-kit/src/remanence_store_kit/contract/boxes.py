"""Boxes of turns and traces of boxes: how commits write them and how they are read."""

import pytest

from remanence.core.box import BoxOutcome, BoxRow, FindBoxes, FindTraces, SealReason, TraceRow
from remanence.core.change import MILLION, Change, inverses
from remanence.core.clock import DAY
from remanence.core.errors import Conflict, InvalidInput
from remanence.store.capabilities import BOXES, BoxStore
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    box_change,
    create_change,
    destroy_changes,
    expect_error,
    find_damage,
    keep,
    one,
    trace_change,
)
from remanence_store_kit.contract.needs import needs
from remanence_store_kit.dump import dump

TOPICS = {"a1": MILLION}


def row(box: int, *members: int, session: str = "s1", trace: int | None = None) -> BoxRow:
    """Return an open box as it is read."""
    return BoxRow(box, session, TOPICS, members, None, None, NOW, NOW, trace=trace)


SEALED = {"sealed_at": NOW + 5, "reason": SealReason.FULL, "outcome": BoxOutcome.SUCCESS, "goal": 7}
OPEN = dict.fromkeys(("sealed_at", "reason", "outcome", "goal"))


@needs(BOXES)
class BoxContract:
    """Boxes and traces belong to the scope; they name turns, and stay when these go."""

    async def test_boxes_are_listed_those_of_the_latest_turns_first(self, store: BoxStore) -> None:
        """By number, session, trace, turn, or whether they are sealed; of another scope none."""
        seal = Change("boxes", 3, OPEN, SEALED)
        await keep(
            store,
            box_change(3, [3, 4]),
            box_change(5, [5], "s2", trace=5),
            box_change(9, [9, 12]),
            box_change(11, [11], ""),
        )
        await keep(store, seal)
        await keep(store, box_change(4, [4]), scope="other")
        sealed_box = BoxRow(
            3, "s1", TOPICS, (3, 4), 7, BoxOutcome.SUCCESS, NOW, NOW, NOW + 5, SealReason.FULL
        )
        two, three, none = row(5, 5, session="s2", trace=5), row(9, 9, 12), row(11, 11, session="")

        assert [none, three, two, sealed_box] == await store.boxes(SCOPE, FindBoxes())
        assert [none, three] == await store.boxes(SCOPE, FindBoxes(limit=2))
        assert [two, sealed_box] == await store.boxes(SCOPE, FindBoxes(before=9))
        assert [three, sealed_box] == await store.boxes(SCOPE, FindBoxes(session="s1"))
        assert [three] == await store.boxes(SCOPE, FindBoxes(session="s1", is_open=True))
        assert [sealed_box] == await store.boxes(SCOPE, FindBoxes(is_open=False))
        assert [none] == await store.boxes(SCOPE, FindBoxes(session=""))
        assert [two] == await store.boxes(SCOPE, FindBoxes(trace=5))
        assert [two, sealed_box] == await store.boxes(SCOPE, FindBoxes(only=(3, 5, 4, 3)))
        assert [] == await store.boxes(SCOPE, FindBoxes(only=()))
        assert [three, two] == await store.boxes(SCOPE, FindBoxes(holding=(5, 12, 7)))
        assert [sealed_box] == await store.boxes(SCOPE, FindBoxes(holding=(4, 5), session="s1"))
        assert [] == await store.boxes(SCOPE, FindBoxes(holding=()))
        assert [] == await store.boxes("nowhere", FindBoxes())

    async def test_traces_are_listed_those_of_the_latest_turns_first(self, store: BoxStore) -> None:
        """By number, or from a time on, that time too."""
        await keep(store, trace_change(3, NOW + DAY), trace_change(5), trace_change(9, NOW + DAY))
        await keep(store, trace_change(3), scope="other")
        three, five, nine = (
            TraceRow(key, TOPICS, NOW, at) for key, at in ((3, NOW + DAY), (5, NOW), (9, NOW + DAY))
        )

        assert [nine, three, five] == await store.traces(SCOPE, FindTraces())
        assert [nine] == await store.traces(SCOPE, FindTraces(limit=1))
        assert [nine, three, five] == await store.traces(SCOPE, FindTraces(since=NOW))
        assert [nine, three] == await store.traces(SCOPE, FindTraces(since=NOW + 1))
        assert [five] == await store.traces(SCOPE, FindTraces(only=(5, 7)))

    async def test_a_box_that_is_no_longer_so_is_a_conflict(self, store: BoxStore) -> None:
        """Nothing is written where a box or a trace is otherwise, gone, or there already."""
        await keep(store, box_change(3, [3]), trace_change(3))
        before = await dump(store, SCOPE)
        growth = Change("boxes", 3, {"members": [3, 4]}, {"members": [3, 4, 5]})
        removal = Change("boxes", 8, {}, None)
        later = Change("traces", 3, {"last_at": 1}, {"last_at": 2})
        conflicts = [
            await expect_error(Conflict, keep(store, change))
            for change in (growth, removal, later, box_change(3, [3]), trace_change(3))
        ]

        assert [("boxes", 3), ("boxes", 8), ("traces", 3), ("boxes", 3), ("traces", 3)] == [
            one.keys[0] for one in conflicts
        ]
        assert before == await dump(store, SCOPE)

    async def test_boxes_stay_when_their_turns_go(self, store: BoxStore) -> None:
        """A box hangs on no memory: it raises no revision, stands in no history of one, and outlives it."""
        (a,) = (await keep(store, create_change(1, "the first turn"))).assigned
        await keep(store, box_change(a, [a]), trace_change(a))
        memory, parts = await one(store, a), await store.history(SCOPE, memory=a)
        await keep(store, *destroy_changes(memory))

        assert (1, 1) == (memory.revision, len(parts))
        assert [row(a, a)] == await store.boxes(SCOPE, FindBoxes())
        assert [TraceRow(a, TOPICS, NOW, NOW)] == await store.traces(SCOPE, FindTraces())
        assert [] == await find_damage(store)

    async def test_boxes_are_in_the_audit(self, store: BoxStore) -> None:
        """A creation by its key, an update by what changed, a destruction whole; turned round, all is as before."""
        await keep(store, box_change(3, [3]), trace_change(3))
        before = await dump(store, SCOPE)
        growth = Change("boxes", 3, {"members": [3], **OPEN}, {"members": [3, 4], **SEALED})
        await keep(store, growth, Change("traces", 3, {}, None))
        parts = await store.history(SCOPE)
        await keep(store, *inverses(parts[-1].changes), verb="undo")
        after = await dump(store, SCOPE)
        await keep(store, Change("boxes", 3, {}, None))

        assert [Change("boxes", 3, None, {}), Change("traces", 3, None, {})] == list(parts[0].changes)
        assert [
            growth,
            Change("traces", 3, {"topics": TOPICS, "began_at": NOW, "last_at": NOW}, None),
        ] == list(parts[-1].changes)
        assert before == after
        assert [] == await store.boxes(SCOPE, FindBoxes())
        assert [] == await find_damage(store)

    @pytest.mark.parametrize(
        "change",
        [
            box_change(0, [1]),
            box_change(-1, [1]),
            trace_change(0),
            box_change(1, ["a"]),  # type: ignore[list-item]
            box_change(1, [1], topics=["a1"]),
            box_change(1, [1], reason=4),
            box_change(1, [1], outcome=-1),
            box_change(1, [1], opened_at=2**53),
            box_change(1, [1], session=None),  # type: ignore[arg-type]
            Change("boxes", 1, None, {"session": "s1"}),
            Change("boxes", 1, {}, {"named": "s1"}),
            Change("traces", (1, 2, 3), {}, {"last_at": 1}),
        ],
    )
    async def test_a_box_that_no_store_keeps_is_refused(self, store: BoxStore, change: Change) -> None:
        """Its number is that of a memory, and each column has its kind and its bounds."""
        await expect_error(InvalidInput, keep(store, change))

        assert [] == await store.boxes(SCOPE, FindBoxes())
