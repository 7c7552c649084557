"""What an undo commits: changes that start from the present, and the rows that later runs keep from going back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from remanence.core.box import BoxRow, TraceRow
from remanence.core.change import AuditPart, Block, Change, Entry
from remanence.core.model import Link, Memory, Relation, Status, Tier
from remanence.core.owner import OWNER
from remanence.edit.box_changes import start_boxes_from_present
from remanence.edit.dependents import Dependents
from remanence.edit.fall_history import FallHistory
from remanence.edit.later_runs import LaterRuns
from remanence.edit.reversal import start_from_present
from remanence_store_kit.builders import make_cause

MEMORY = Memory(
    1, "a" * 32, "default", "Boat 1 is red.", Status.ACTIVE, Tier.HOT, 0, 0, 0, 0, b"", revision=5
)
LINK = Link(1, 2, Relation.SUPPORTS, weight=0.6, count=3, last_at=9)
BACK = Change(
    "memories", 1, {"text": "Boat 1 is red.", "revision": 2}, {"text": "Boat 1 is blue.", "revision": 3}
)
BOX = BoxRow(1, "s", {}, (1, 2, 3), 1, None, 0, 9, sealed_at=None)


def later_runs(*parts: tuple[str, Sequence[Entry], Mapping[str, Any]]) -> LaterRuns:
    """Take in parts of later runs, each a verb, its changes and its detail; each is a run of the verb's name."""
    later = LaterRuns(10, {"own"})
    for position, (verb, entries, detail) in enumerate(parts, 11):
        cause = make_cause(verb, run=verb, detail=detail)
        later.take_in(AuditPart(position, cause, tuple(entries), "", len(entries)))
    return later


def revise(seq: int = 1, **columns: Any) -> Change:
    """Change columns of a memory, from anything."""
    return Change("memories", seq, {**dict.fromkeys(columns), "revision": 3}, {**columns, "revision": 4})


@pytest.mark.parametrize(
    ("verb", "columns", "is_conflict"),
    [
        ("update", {"text": "x"}, True),
        ("update", {"importance": 0.5}, False),
        ("curate", {"summary": "x"}, True),  # of the group of the text
        ("pin", {"pinned": 1}, True),
        ("consolidate", {"text": "x"}, False),  # by the engine
    ],
)
def test_a_later_run_stands_in_the_way_by_columns(
    verb: str, columns: dict[str, Any], is_conflict: bool
) -> None:
    """Of the same columns, of their group, or of what protects; not of others, and not the engine's own work."""
    later = later_runs((verb, [revise(**columns)], {}))
    row = ("memories", 1)
    started, conflicts = start_from_present([BACK], {row}, {row: MEMORY}, later)

    assert conflicts == [row] * is_conflict
    assert [one.after["revision"] for one in started if one.after is not None] == [6] * (not is_conflict)  # type: ignore[call-overload]
    assert [one.run for one in later.runs({row}, {"text"})] == [verb] * is_conflict


def test_what_was_undone_is_no_later_run() -> None:
    """Neither is the undone run itself, nor a run that only counted uses."""
    undoing = ("undo", [revise(text="y")], {"undoes": "update"})
    later = later_runs(("update", [revise(text="x")], {}), undoing, ("use", [revise(text="x")], {}))

    assert {} == later.columns([1])


def test_a_row_leaves_its_block_to_start_from_the_present() -> None:
    """The other rows stay in it."""
    block = Block(
        "memories",
        ("status",),
        np.array([1, 2]),
        np.array([[1], [1]]),
        np.array([[3], [3]]),
        np.array([2, 2]),
    )
    row = ("memories", 1)
    started, conflicts = start_from_present([block], {row}, {row: MEMORY}, later_runs())

    assert [] == conflicts
    assert [[1], [2]] == [one.row_keys() for one in started]


def test_what_the_engine_replaced_in_a_block_is_known() -> None:
    """As if each memory had a change of its own; blocks that replace nothing stay as they are."""
    keys, status = np.array([1, 2]), [[Status.ACTIVE]] * 2
    fell, cooled = (
        Block("memories", (name,), keys, np.array(was), np.array(now), np.array([2, 2]))
        for name, was, now in (
            ("status", status, [[Status.SUPERSEDED]] * 2),
            ("tier", [[Tier.HOT]] * 2, [[Tier.WARM]] * 2),
        )
    )

    assert [list(fell.changes())] == later_runs(("consolidate", [fell, cooled], {})).engine_changes()


@pytest.mark.parametrize("weight", [0.6, 0.55])
def test_a_link_keeps_what_use_gave_it_and_nothing_else(weight: float) -> None:
    """Twice used since: it grows as often from what it was before; set to another weight, it is in conflict."""
    left = {"weight": 0.4, "count": 1, "last_at": 5}
    back = Change("links", LINK.key, left, {"weight": 0.1, "count": 1, "last_at": 2})
    row = ("links", LINK.key)
    started, conflicts = start_from_present([back], {row}, {row: replace(LINK, weight=weight)}, later_runs())
    grown = {"weight": 0.3, "count": 3, "last_at": 9}

    assert (
        ([grown], []) == ([one.after for one in started], conflicts) if weight == 0.6 else [row] == conflicts
    )


def test_a_row_that_is_gone_is_in_conflict() -> None:
    """A memory that was purged, and a link that was cut."""
    rows = {("memories", 1), ("links", LINK.key)}
    cut = Change("links", LINK.key, {}, None)
    _, conflicts = start_from_present([BACK, cut], rows, {}, later_runs())

    assert [("memories", 1), ("links", LINK.key)] == conflicts


def mention(source: int, target: int) -> Change:
    """Let the engine make a mention."""
    return Change("links", (source, target, int(Relation.MENTIONS)), None, {})


def taken(*changes: Change) -> dict[tuple[str, Any], Change]:
    """Return rows that are there, each with what takes it away."""
    return {(one.table, one.key): replace(one, before={}, after=None) for one in changes}


@pytest.mark.parametrize("held", ["nothing", "mention", "pin"])
def test_an_entity_goes_once_nothing_is_left_to_know_it_from(held: str) -> None:
    """It stays where another text mentions it, or a person has touched it."""
    made = [Change("memories", 7, None, {}), mention(1, 7)]
    parts: list[tuple[str, Sequence[Entry], Mapping[str, Any]]] = [("extract", [*made, mention(2, 7)], {})]
    if held == "pin":
        parts.append(("pin", [revise(7, pinned=1)], {}))
    work = Dependents(later_runs(*parts), {("memories", 1)}, set(), is_engine=False)
    candidates = work.take_along({1}, taken(mention(1, 7)))
    attached = taken(mention(1, 7), *([mention(2, 7)] if held == "mention" else []))

    assert {7} == candidates
    assert work.select_unknown({7: replace(MEMORY, seq=7)}, attached) == ({7} if held == "nothing" else set())


def test_what_an_agent_made_does_not_go_along() -> None:
    """A link that the engine did not make is left, so that the undo is refused for it."""
    drawn = mention(1, 7)
    work = Dependents(later_runs(("link", [drawn], {OWNER: "agent codex"})), set(), set(), is_engine=False)

    assert (set(), {}) == (work.take_along({1}, taken(drawn)), work.rows)


def test_turns_of_a_run_leave_their_segment_and_the_others_stay() -> None:
    """The goal goes with its turn; a segment of which none is left goes, and with it a thread that no other needs."""
    made = Change("boxes", 1, {}, None)
    (left,) = start_boxes_from_present([made], {1: BOX}, {}, {"1": [1, 2]})
    thread = Change("traces", 1, {}, None)
    boxes, traces = {1: replace(BOX, trace=1)}, {1: TraceRow(1, {}, 0, 9)}
    gone = start_boxes_from_present([made, thread], boxes, traces, {"1": [1, 2, 3]})
    kept = start_boxes_from_present([made, thread], {**boxes, 5: replace(BOX, box=5, trace=1)}, traces, {})

    assert {"members": [3], "goal": None} == left.after
    assert [("boxes", None), ("traces", None)] == [(one.table, one.after) for one in gone]
    assert ["boxes"] == [one.table for one in kept]


def test_a_segment_is_not_opened_beside_another_one() -> None:
    """Without another open one of its session it is opened again."""
    sealed = replace(BOX, sealed_at=8)
    back = Change("boxes", 1, {"sealed_at": 8}, {"sealed_at": None})

    assert [back] == start_boxes_from_present([back], {1: sealed}, {}, {})
    assert [] == start_boxes_from_present([back], {1: sealed, 5: replace(BOX, box=5)}, {}, {})


def test_what_comes_back_is_what_fell() -> None:
    """With its lifecycle and the end that was said of it, and a tombstone of the quarantine into that."""
    fall = FallHistory(valid_to=50)
    said = Change("memories", 1, {"valid_to": None}, {"valid_to": 90})
    fell = {"status": Status.PRUNED, "lifecycle": 3, "valid_to": 70}
    fall.take_in("update", said)
    fall.take_in("correct", Change("memories", 1, {"valid_to": 90}, {"valid_to": 70}))
    fall.take_in("forget", Change("memories", 1, {"status": Status.QUARANTINED}, {"status": fell["status"]}))

    assert 90 == fall.values(89)["valid_to"]
    assert None is fall.values(90)["valid_to"]
    assert fall.find_effect(Status.PRUNED) != fall.find_effect(Status.SUPERSEDED)
