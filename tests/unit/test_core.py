"""How a verb's wishes become changes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from remanence.core.change import Change, Increment
from remanence.core.effects import VERBS
from remanence.core.errors import Conflict, InvalidInput, NameUnknown
from remanence.core.model import (
    CONSTITUTIONAL,
    REVISION_MAX,
    Decay,
    Kind,
    Memory,
    Reason,
    Status,
    Tier,
    Verification,
)
from remanence.edit.one_memory import act, build_unchanged_check, merge_changes, on_revision, update
from remanence.flows.base.context import REMARKS_SHOWN, first_remarks, label, refuse_moved

NOW = 1_790_000_000_000_000
MEMORY = Memory(
    7, "a" * 32, "s", "text", Status.ACTIVE, Tier.HOT, 1, 1, 1, 1, b"", revision=3, touched=5, tags=("a",)
)


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> Change:
    return Change("memories", 7, dict(before), dict(after))


def test_only_what_differs_is_changed() -> None:
    """What stays is left out; the revision guards the rest and rises by one."""
    assert [] == update(MEMORY, {"status": Status.ACTIVE, "state": None})
    assert [_changed({"state": None, "revision": 3}, {"state": "open", "revision": 4})] == update(
        MEMORY, {"state": "open", "tier": Tier.HOT}
    )


def test_what_must_not_be_used_meanwhile_is_guarded_twice() -> None:
    """By its revision and by its uses."""
    (change,) = update(MEMORY, {"pinned": 1}, guarded=True)

    assert {"pinned": 0, "revision": 3, "touched": 5} == change.before
    assert {"pinned": 1, "revision": 4} == change.after


def test_tags_come_and_go_one_by_one() -> None:
    """In order; the memory's own change is first, and there only where its class is another."""
    come, go = Change("tags", (7, "b"), None, {}), Change("tags", (7, "a"), {}, None)

    assert [go, come] == update(MEMORY, {}, tags=["b"])
    assert [] == update(MEMORY, {}, tags=["a", "a"])
    assert [
        _changed({"decay": Decay.STANDARD, "revision": 3}, {"decay": Decay.PERMANENT, "revision": 4}),
        Change("tags", (7, CONSTITUTIONAL), None, {}),
    ] == update(MEMORY, {}, tags=["a", CONSTITUTIONAL])


def test_a_class_that_hangs_on_tags_hangs_on_those_that_were_read() -> None:
    """Where another fading tag changes nothing of it, the memory must still be as it was read."""
    memory = replace(MEMORY, tags=("self/value",), decay=Decay.DURABLE)

    assert [build_unchanged_check(memory), Change("tags", (7, "self/goal"), None, {})] == update(
        memory, {}, tags=["self/value", "self/goal"]
    )
    assert {"confirmations": Increment(0), "revision": 3} == build_unchanged_check(memory).before
    assert {"confirmations": Increment(0), "revision": 3, "touched": 5} == build_unchanged_check(
        memory, guarded=True
    ).before
    assert {"confirmations": Increment(0)} == build_unchanged_check(memory, guarded=True).after


def test_the_class_follows_a_category() -> None:
    """Also from the tags that stay; where neither is given it is let alone."""
    (change,) = update(MEMORY, {"category": "observation"})
    wrong = replace(MEMORY, decay=Decay.EPHEMERAL)

    assert Decay.EPHEMERAL == (change.after or {})["decay"]
    assert [] == update(wrong, {"state": None})
    assert Decay.STANDARD == (update(wrong, {}, tags=["a"])[0].after or {})["decay"]


def test_a_verb_does_what_its_row_says() -> None:
    """Counting alone names no revision; what falls is guarded by its uses; nothing is done twice."""
    disputed = replace(MEMORY, verification=Verification.DISPUTED)
    (counted,) = act(disputed, VERBS["dispute"], NOW)
    (fallen,) = act(MEMORY, VERBS["forget"], NOW)
    (pinned,) = act(MEMORY, VERBS["pin"], NOW)
    (both,) = act(replace(MEMORY, status=Status.ARCHIVED), VERBS["confirm archived"], NOW)

    assert _changed({"disputes": Increment(-1)}, {"disputes": Increment(1)}) == counted
    assert 5 == (fallen.before or {})["touched"]
    assert (Status.PRUNED, Reason.FORGOTTEN, NOW) == tuple(
        (fallen.after or {})[name] for name in ("status", "reason", "status_at")
    )
    assert {"pinned": 0, "revision": 3} == pinned.before
    assert [] == act(replace(MEMORY, pinned=1), VERBS["pin"], NOW)
    assert (Increment(1), Status.ACTIVE, 4) == tuple(
        (both.after or {})[name] for name in ("confirmations", "status", "revision")
    )
    assert (Increment(-1), 3) == tuple((both.before or {})[name] for name in ("confirmations", "revision"))


def test_changes_of_one_row_are_one() -> None:
    """Counters add up; of other values the later stands; rows stay in the order in which they came."""
    one = _changed({"uses": Increment(-1), "state": None}, {"uses": Increment(1), "state": "a"})
    two = _changed({"uses": Increment(-2), "pinned": 0}, {"uses": Increment(2), "state": "b", "pinned": 1})
    tag = Change("tags", (7, "x"), None, {})

    assert [
        _changed(
            {"uses": Increment(-3), "state": None, "pinned": 0},
            {"uses": Increment(3), "state": "b", "pinned": 1},
        ),
        tag,
    ] == merge_changes([one, tag, two])
    assert [one] == merge_changes([one])
    assert [one] == merge_changes([one, _changed({}, {})])


def test_a_named_revision_guards_whatever_is_changed() -> None:
    """The memory's own change, or one that changes nothing beside its tags; no change needs none."""
    tag, other = Change("tags", (7, "x"), None, {}), Change("memories", 8, {}, {"state": "a"})
    own = _changed({"disputes": Increment(-1)}, {"disputes": Increment(1)})

    assert [] == on_revision(MEMORY, [])
    assert [tag, other, build_unchanged_check(MEMORY)] == on_revision(MEMORY, [tag, other])
    assert [
        other,
        _changed({"disputes": Increment(-1), "revision": 3}, {"disputes": Increment(1)}),
    ] == on_revision(MEMORY, [other, own])


def test_a_revision_that_is_another_is_a_conflict() -> None:
    """With both numbers and the row; nobody who names none is asked."""
    refuse_moved("it", 3, None)
    refuse_moved("it", 3, 3)
    refuse_moved("it", 0, 0)
    refuse_moved("it", REVISION_MAX, REVISION_MAX)
    with pytest.raises(Conflict, match="it has revision 3, not 2") as met:
        refuse_moved("it", 3, 2, ("memories", 7))

    assert (2, 3, (("memories", 7),)) == (met.value.expected, met.value.current, tuple(met.value.keys))
    for wrong in (-1, REVISION_MAX + 1):
        with pytest.raises(InvalidInput, match="if_revision"):
            refuse_moved("it", 3, wrong)


def test_the_first_remarks_are_shown_and_the_rest_is_counted() -> None:
    """Those that were never worded too."""
    remarks = [str(number) for number in range(REMARKS_SHOWN + 2)]

    assert ("0",) == first_remarks(remarks[:1])
    assert tuple(remarks[:REMARKS_SHOWN]) == first_remarks(remarks[:REMARKS_SHOWN])
    assert (*remarks[:REMARKS_SHOWN], "and 2 more") == first_remarks(remarks)
    assert (*remarks[:REMARKS_SHOWN], "and 1,002 more") == first_remarks(remarks, 1_000)
    assert ("0", "and 3 more") == first_remarks(["0"], 3)


def test_a_label_is_named_in_small_letters() -> None:
    """In capitals it works as well; another name is refused with the nearest."""
    assert Kind.SEMANTIC is label(Kind, "semantic", "kind")
    for wrong in ("semntic", 1, None):
        with pytest.raises(NameUnknown):
            label(Kind, wrong, "kind")
