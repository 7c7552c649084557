"""Guidelines are learned from recorded actions by engram's formula, to three decimals (A11)."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from remanence.core.keywords import ActionName
from remanence.core.model import Kind, Memory, Reason, Status, Tier
from remanence.write.guideline_learning import (
    EVENTS_MAX,
    ActionEvent,
    Guideline,
    Quality,
    guidelines,
    judge_made,
    latest,
    made_by,
)

MEMORY = Memory(1, "a" * 32, "default", "Boat 1 is blue.", Status.ACTIVE, Tier.HOT, 0, 0, 0, 0, b"")


def _events(applied: int, failed: int, skipped: int = 0) -> list[ActionEvent]:
    return [
        ActionEvent("store_note", "applied", applied),
        ActionEvent("store_note", "failed", failed),
        ActionEvent("store_note", "deferred", skipped),
    ]


def _learned(applied: int, failed: int, skipped: int = 0, good: int = 0, poor: int = 0) -> Guideline:
    (found,) = guidelines(
        _events(applied, failed, skipped), {"store_note": Counter[Quality]({"good": good, "poor": poor})}
    )
    return found


@pytest.mark.parametrize(
    ("counts", "delta", "direction", "sure"),
    [
        ((10, 0), 0.12, "increase", "high"),
        ((0, 10), -0.12, "decrease", "high"),
        ((10, 0, 0, 5, 0), 0.15, "increase", "high"),
        ((10, 0, 0, 0, 5), 0.06, "increase", "medium"),
        ((6, 4), 0.024, "increase", "low"),
        ((7, 3), 0.048, "increase", "medium"),
        ((5, 5), 0.0, "hold", "low"),
        ((3, 0, 0), 0.0, "hold", "low"),
        ((4, 0, 0), 0.0, "hold", "low"),
        ((5, 0, 0), 0.12, "increase", "high"),
        ((1, 0, 9), 0.012, "increase", "low"),
        ((10, 3, 0, 2, 1), 0.085, "increase", "medium"),
        ((3, 10, 0, 1, 2), -0.085, "decrease", "medium"),
    ],
)
def test_outcomes_and_their_quality_make_a_difference_within_bounds(
    counts: tuple[int, ...], delta: float, direction: str, sure: str
) -> None:
    """0.12 for what was carried out or failed, 0.06 for how good it was, at most 0.15 in all; from five on."""
    found = _learned(*counts)

    assert (delta, direction, sure) == (found.delta, found.direction, found.sure)


def test_each_action_has_a_guideline_of_its_own() -> None:
    """In the order of the seven; what was denied or deferred is skipped."""
    found = guidelines(
        [
            ActionEvent("link_graph", "denied", 2),
            ActionEvent("store_note", "applied", 9),
        ]
    )

    assert [("store_note", 9, 9, 0), ("link_graph", 2, 0, 2)] == [
        (one.action, one.total, one.applied, one.skipped) for one in found
    ]
    assert "store_note: a little more readily (+0.120, high); 9 of 9 carried out, 0 failed" == str(found[0])


def test_the_newest_five_hundred_count() -> None:
    """Older ones fall out, and alike neighbours become one."""
    old = ActionEvent("store_note", "failed", EVENTS_MAX)
    new = ActionEvent("store_note", "applied", 200)
    found = latest([old, new, new])

    assert [old._replace(times=100), new._replace(times=400)] == found
    assert [] == latest([])


@pytest.mark.parametrize(
    ("good", "poor", "quality"),
    [(0, 0, 0.0), (1, 0, 0.167), (20, 0, 0.8), (20, 5, 0.5), (5, 5, 0.0), (0, 5, -0.5)],
)
def test_quality_moves_with_what_is_known_of_the_results(good: int, poor: int, quality: float) -> None:
    """From -1 to 1, and the closer to 0 the less is known."""
    assert quality == _learned(20, 0, 0, good, poor).quality


def test_the_guideline_whose_results_did_best_stands_first() -> None:
    """Where nothing is known of any, in the order of the seven."""
    events = [
        ActionEvent("store_episode", "applied", 9),
        ActionEvent("store_note", "applied", 9),
        ActionEvent("link_graph", "applied", 9),
    ]
    known: dict[str, Counter[Quality]] = {
        "store_episode": Counter[Quality]({"good": 1, "poor": 6, "unknown": 2}),
        "store_note": Counter[Quality]({"good": 6, "poor": 1, "unknown": 2}),
    }
    first, second, third = guidelines(events, known)

    assert ("store_note", "link_graph", "store_episode") == (first.action, second.action, third.action)
    assert (0.15, 0.12, 0.077) == (first.delta, second.delta, third.delta)
    assert str(first).endswith("0 failed; of what it made 6 did well, 1 badly (quality +0.42)")
    assert str(second).endswith("9 of 9 carried out, 0 failed")
    assert ["store_episode", "store_note", "link_graph"] == [one.action for one in guidelines(events)]


@pytest.mark.parametrize(
    ("columns", "quality"),
    [
        ({}, "unknown"),
        ({"uses": 1}, "good"),
        ({"confirmations": 1}, "good"),
        ({"helped": 500}, "good"),
        ({"uses": 9, "disputes": 1}, "poor"),
        ({"disputes": 1, "confirmations": 1}, "good"),
        ({"uses": 9, "failed": 500}, "poor"),
        ({"failed": 500, "helped": 500}, "good"),
        ({"status": Status.ARCHIVED, "reason": Reason.DECAYED}, "unknown"),
        ({"status": Status.PRUNED, "reason": Reason.EXPIRED}, "poor"),
        ({"status": Status.PRUNED, "reason": Reason.EXPIRED, "uses": 2}, "good"),
        ({"status": Status.PRUNED, "reason": Reason.FORGOTTEN, "uses": 2}, "poor"),
        ({"status": Status.SUPERSEDED, "reason": Reason.SUPERSEDED}, "unknown"),
    ],
)
def test_what_an_action_made_is_judged_by_what_became_of_it(columns: dict[str, Any], quality: str) -> None:
    """Denied outweighs used, a person's word is the last one, and what nobody used says nothing until it goes."""
    assert quality == judge_made(replace(MEMORY, **columns))


def test_what_was_taken_back_did_badly() -> None:
    """It is not there any more."""
    assert "poor" == judge_made(None)


@pytest.mark.parametrize(
    ("kind", "taken", "action"),
    [
        (Kind.EPISODIC, {"store_note", "store_episode"}, "store_episode"),
        (Kind.SEMANTIC, {"store_note", "store_episode"}, "store_note"),
        (None, {"store_note"}, "store_note"),
        (None, {"store_episode"}, "store_episode"),
        (Kind.SEMANTIC, {"summarize_node"}, "summarize_node"),
    ],
)
def test_a_memory_is_laid_to_the_action_that_made_it(
    kind: Kind | None, taken: set[ActionName], action: str
) -> None:
    """By its kind where a run took both; of one that is gone, to what the run took."""
    assert action == made_by(None if kind is None else replace(MEMORY, kind=kind), taken)
