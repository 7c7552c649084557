"""Guidelines are learned from recorded actions by engram's formula, to three decimals (A11)."""

import pytest

from remanence.write.guideline_learning import (
    EVENTS_MAX,
    ActionEvent,
    guidelines,
    latest,
    quality_of,
)


def _events(applied: int, failed: int, skipped: int = 0, good: int = 0, poor: int = 0) -> list[ActionEvent]:
    unknown = applied - good - poor
    return [
        ActionEvent("store_note", "applied", "good", good),
        ActionEvent("store_note", "applied", "poor", poor),
        ActionEvent("store_note", "applied", "unknown", unknown),
        ActionEvent("store_note", "failed", "unknown", failed),
        ActionEvent("store_note", "deferred", "unknown", skipped),
    ]


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
    (found,) = guidelines(_events(*counts))

    assert (delta, direction, sure) == (found.delta, found.direction, found.sure)


def test_each_action_has_a_guideline_of_its_own() -> None:
    """In the order of the seven; what was denied or deferred is skipped."""
    found = guidelines(
        [
            ActionEvent("link_graph", "denied", "unknown", 2),
            ActionEvent("store_note", "applied", "unknown", 9),
        ]
    )

    assert [("store_note", 9, 9, 0), ("link_graph", 2, 0, 2)] == [
        (one.action, one.total, one.applied, one.skipped) for one in found
    ]
    assert "store_note: a little more readily (+0.120, high); 9 of 9 carried out, 0 failed" == str(found[0])


def test_the_newest_five_hundred_count() -> None:
    """Older ones fall out, and alike neighbours become one."""
    old = ActionEvent("store_note", "failed", "unknown", EVENTS_MAX)
    new = ActionEvent("store_note", "applied", "unknown", 200)
    found = latest([old, new, new])

    assert [old._replace(times=100), new._replace(times=400)] == found
    assert [] == latest([])


@pytest.mark.parametrize(
    ("reason", "quality"),
    [
        ("recall good", "good"),
        ("Quality High: it was improved", "good"),
        ("quality low", "poor"),
        ("resolved, but irrelevant", "poor"),
        ("eligible", "unknown"),
        ("dismissed", "unknown"),
    ],
)
def test_quality_is_read_from_the_reason(reason: str, quality: str) -> None:
    """By whole words."""
    assert quality == quality_of(reason)
