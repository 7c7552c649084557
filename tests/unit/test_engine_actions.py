"""Each write that the engine makes by itself is one of seven actions, decided by what it is judged by (engram A12)."""

from typing import Any

import pytest

from remanence.core.model import Lifecycle
from remanence.write.engine_actions import (
    ACTIONS,
    RECORDED_MAX,
    Actions,
    Eligibility,
    decide,
    eligibility_of,
)

SURE = {"confidence": 0.9, "lifecycle": "candidate", "importance": 0.5, "source": "extraction"}


def _given(**other: Any) -> dict[str, Any]:
    return {**SURE, **other}


def test_there_are_seven_actions() -> None:
    """By the names that engram gives them."""
    assert {
        "store_episode", "store_note", "update_note", "create_artifact", "summarize_node", "discard", "link_graph",
    } == set(ACTIONS)  # fmt: skip


@pytest.mark.parametrize("action", ACTIONS)
def test_what_is_sure_and_standing_is_allowed(action: str) -> None:
    """Every action, at the least confidence that is sure enough."""
    assert "allow" == decide(action, _given(confidence=0.35)).verdict


@pytest.mark.parametrize(
    ("action", "given", "more", "verdict"),
    [
        # Switched off: everything.
        ("store_note", SURE, {"enabled": False}, "deny"),
        ("discard", SURE, {"enabled": False}, "deny"),
        # No tokens: summaries alone, before all that is said of them.
        ("summarize_node", _given(confidence=0.1), {"summary_tokens": 0}, "defer"),
        ("store_note", SURE, {"summary_tokens": 0}, "allow"),
        # Discarding, from an importance of 0.8 on.
        ("discard", _given(importance=0.8), {}, "deny"),
        ("discard", _given(importance=0.79), {}, "allow"),
        ("discard", _given(confidence=0.0), {}, "allow"),
        # What is archived or stale is written on by nobody.
        ("update_note", _given(lifecycle="archived"), {}, "deny"),
        ("create_artifact", _given(lifecycle="stale"), {}, "deny"),
        ("link_graph", _given(lifecycle="stale", confidence=0.1), {}, "deny"),
        ("store_note", _given(lifecycle="stale"), {}, "allow"),
        ("summarize_node", _given(lifecycle="archived"), {}, "allow"),
        # What is less sure waits, unless nobody knows whose wish it is.
        ("store_note", _given(confidence=0.349), {}, "defer"),
        ("link_graph", _given(confidence=0.2, source="manual"), {}, "defer"),
        ("store_note", _given(confidence=0.2, source="unknown"), {}, "allow"),
    ],
)
def test_the_first_rule_that_fits_decides(
    action: str, given: dict[str, Any], more: dict[str, Any], verdict: str
) -> None:
    """In engram's order."""
    assert verdict == decide(action, given, **more).verdict


@pytest.mark.parametrize("name", ["", "forget", "DISCARD", None, 3, ["discard"], {"action": "discard"}])
def test_a_malformed_action_does_nothing(name: Any) -> None:
    """It does not become the one that destroys, as in engram, whatever it is judged by."""
    decision = decide(name, SURE)

    assert (None, "nothing") == (decision.action, decision.verdict)


@pytest.mark.parametrize(
    "given",
    [
        None,
        "sure",
        {},
        {**SURE, "more": 1},
        {name: value for name, value in SURE.items() if name != "source"},
        _given(confidence=1.1),
        _given(confidence=-0.1),
        _given(confidence=float("nan")),
        _given(confidence=True),
        _given(confidence="0.9"),
        _given(importance=None),
        _given(lifecycle="new"),
        _given(lifecycle=2),
        _given(source="somebody"),
        _given(source=["extraction"]),
    ],
)
def test_a_bad_eligibility_is_the_least_one(given: Any) -> None:
    """Nothing sure, nothing important, a candidate, of nobody's wish."""
    assert Eligibility(0.0, Lifecycle.CANDIDATE, 0.0, "unknown") == eligibility_of(given)


def test_an_eligibility_is_read_back_as_it_was_written() -> None:
    """As data of the audit."""
    given = Eligibility(0.4, Lifecycle.STALE, 1.0, "replay")

    assert given == eligibility_of(given.to_dict())


def test_what_is_alike_is_counted_and_the_rest_by_outcome() -> None:
    """However many decisions a part takes, so many kinds of them are written out."""
    actions = Actions()
    for number in range(RECORDED_MAX + 5):
        actions.record("store_note", Eligibility(number / 100), times=2)
    actions.record("store_note", Eligibility(0.001))
    found = actions.detail()["actions"]

    assert RECORDED_MAX + 1 == len(found)
    assert {"action": "store_note", "outcome": "applied", "reason": "and others", "count": 10} == found[-1]
    assert 2 * (RECORDED_MAX + 5) + 1 == sum(one["count"] for one in found)
    assert 3 == found[0]["count"]


def test_what_is_not_allowed_is_recorded() -> None:
    """With the reason, and nothing is where nothing was decided."""
    actions = Actions()

    assert {} == actions.detail()
    assert not actions.allows("link_graph", Eligibility(0.1, source="consolidation"))
    assert [("link_graph", "deferred", "less sure than 0.35")] == [
        (one["action"], one["outcome"], one["reason"]) for one in actions.detail()["actions"]
    ]
