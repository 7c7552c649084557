"""What every store refuses and counts, at each bound."""

from typing import Any

import pytest

from remanence.core.change import Change, Increment
from remanence.core.clock import DAY, TIME_MAX
from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.model import COLUMN, Reason, Relation, Status, Tier
from remanence.core.snapshot import SnapshotRequest
from remanence.store.constraints import (
    LINK_COLUMN,
    as_far_as,
    count_use,
    encode_values,
    fits,
    memories_of,
    refuse_interval,
    refuse_malformed,
    refuse_state,
    refuse_transition,
    refuse_unfit,
    refuse_wanted,
    resolve,
)

REQUIRED = {
    "id": "a" * 32,
    "text": "a",
    "fingerprint": b"a",
    "said_at": 1,
    "learned_at": 1,
    "status_at": 1,
    "tier_at": 1,
}


@pytest.mark.parametrize(
    ("name", "value", "fit"),
    [
        ("confidence", 0, True),
        ("confidence", 1, True),
        ("confidence", 0.0, True),
        ("confidence", 1.0, True),
        ("confidence", -0.000001, False),
        ("confidence", 1.000001, False),
        ("confidence", None, True),
        ("confidence", "0.5", False),
        ("pinned", 0, True),
        ("pinned", 1, True),
        ("pinned", 2, False),
        ("pinned", -1, False),
        ("pinned", None, False),
        ("tokens", 2**31 - 1, True),
        ("tokens", -(2**31) + 1, True),
        ("tokens", 2**31, False),
        ("tokens", -(2**31), False),
        ("said_at", 2**53 - 1, True),
        ("said_at", -(2**53) + 1, True),
        ("said_at", 2**53, False),
        ("said_at", -(2**53), False),
        ("said_at", None, False),
        ("state_at", None, True),
        ("use_days", 0, True),
        ("use_days", 2**56 - 1, True),
        ("use_days", 2**56, False),
        ("use_days", -1, False),
        ("status", Status.PRUNED, True),
        ("status", 6, False),
        ("status", -1, False),
        ("state", "open", True),
        ("state", 3, False),
    ],
)
def test_a_column_has_room_up_to_its_bounds(name: str, value: Any, fit: bool) -> None:
    """Each bound itself fits, the next value does not; None fits where a row may have none."""
    change = Change("memories", 1, {}, {name: value})

    assert fit is fits(COLUMN[name], value)
    if fit:
        refuse_unfit(name, value)
        refuse_malformed([change])
        return
    with pytest.raises(InvalidInput, match=f"{name} cannot be"):
        refuse_unfit(name, value)
    with pytest.raises(InvalidInput, match=f"{name} cannot be") as refused:
        refuse_malformed([change])
    assert refused.value.recovery


@pytest.mark.parametrize(
    ("name", "value", "fit"),
    [
        ("count", 0, True),
        ("count", 2**24 - 1, True),
        ("count", 2**24, False),
        ("count", -1, False),
        ("count", None, False),
        ("weight", 1, True),
        ("weight", None, False),
        ("confidence", None, True),
        ("created_at", None, False),
        ("last_at", None, False),
        ("resolved_at", None, True),
        ("resolved_at", 2**53, False),
    ],
)
def test_a_link_has_room_up_to_its_bounds(name: str, value: Any, fit: bool) -> None:
    """A packed snapshot has room for so many sights of a link and no more."""
    assert fit is fits(LINK_COLUMN[name], value)


def test_what_fits_one_column_is_looked_at_again_for_another() -> None:
    """One value in many rows is looked at once for each column of each table."""
    good = Change("memories", 1, {}, {"tokens": 2**30})

    refuse_malformed([good, Change("memories", 2, {}, {"tokens": 2**30})])
    with pytest.raises(InvalidInput, match="use_days cannot be"):
        refuse_malformed(
            [Change("memories", 1, {}, {"said_at": -7}), Change("memories", 2, {}, {"use_days": -7})]
        )
    with pytest.raises(InvalidInput, match="tokens cannot be"):
        refuse_malformed([good, Change("memories", 2, {}, {"tokens": -(2**31)})])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Change("memories", 1, None, None), "says nothing"),
        (Change("memories", (1, 2), {}, {"state": "a"}), "has a key of another shape"),  # type: ignore[arg-type]
        (Change("memories", "1", {}, {"state": "a"}), "has a key of another shape"),
        (Change("tags", 1, None, {}), "has a key of another shape"),
        (Change("tags", (1, 2, 3), None, {}), "has a key of another shape"),
        (Change("tags", (1, 2), None, {}), "has a key of another shape"),  # type: ignore[arg-type]
        (Change("links", (1, "a"), None, {}), "has a key of another shape"),
        (Change("sources", (1, 2), None, {}), "has a key of another shape"),  # type: ignore[arg-type]
        (Change("boxes", 1, None, {}), "lacks last_at"),
        (Change("forbidden", 1, None, {}), "has a key of another shape"),
        (Change("memories", -1, None, {k: v for k, v in REQUIRED.items() if k != "text"}), "lacks text"),
        (Change("memories", -1, None, {"uses": Increment(1), **REQUIRED}), "uses is no counter"),
        (Change("memories", 1, {}, {"tokens": Increment(1)}), "tokens is no counter"),
        (Change("links", (1, 2, 1), {}, {"count": Increment(1)}), "count is no counter"),
    ],
)
def test_what_is_wrong_in_itself_is_named(change: Change, words: str) -> None:
    """A shape, a value or a column that is missing: the error names the row and what is wrong."""
    with pytest.raises(InvalidInput, match=f"^{change.table} .*{words}") as refused:
        refuse_malformed([change])

    assert refused.value.recovery


def test_what_is_right_in_itself_passes() -> None:
    """Each table, created, changed and destroyed; an enum of Python's own is a number."""
    refuse_malformed(
        [
            Change("memories", -1, None, REQUIRED),
            Change("memories", 1, {"uses": Increment(-1)}, {"uses": Increment(1), "status": Status.ACTIVE}),
            Change("memories", 2, {"revision": 1}, None),
            Change("tags", (1, "x"), None, {}),
            Change("sources", (1, "x"), None, {"span": None}),
            Change("links", (1, 2, Relation.REFERS), None, {"weight": 0.5}),
        ]
    )


@pytest.mark.parametrize("side", ["before", "after"])
def test_an_unknown_column_is_named_on_either_side(side: str) -> None:
    """Also where the other side has none."""
    sides: dict[str, Any] = {"before": {}, "after": {}, side: {"stat": 1}}
    with pytest.raises(NameUnknown, match="stat"):
        refuse_malformed([Change("memories", 1, **sides)])


def test_a_snapshot_knows_its_columns_and_clocks() -> None:
    """The wall's clock is none that a store keeps."""
    refuse_wanted(SnapshotRequest(frozenset({"text", "uses"}), clocks=frozenset({"active", "turns"})))
    with pytest.raises(NameUnknown, match="usess"):
        refuse_wanted(SnapshotRequest(frozenset({"usess"})))
    with pytest.raises(NameUnknown, match="wall"):
        refuse_wanted(SnapshotRequest(frozenset(), clocks=frozenset({"wall"})))


@pytest.mark.parametrize(
    ("began", "ended", "right"),
    [
        (5, 5, True),
        (5, 6, True),
        (6, 5, False),
        (-TIME_MAX + 1, 0, True),
        (-TIME_MAX, 0, False),
        (0, TIME_MAX - 1, True),
        (0, TIME_MAX, False),
    ],
)
def test_an_interval_may_be_a_moment(began: int, ended: int, right: bool) -> None:
    """It ends when it began or later, within the times that can be kept."""
    if right:
        refuse_interval(began, ended)
        return
    with pytest.raises(InvalidInput, match="no interval"):
        refuse_interval(began, ended)


def test_placeholders_become_the_next_numbers() -> None:
    """Wherever they are named; a link's relation and a tag stay as they are."""
    changes = [
        Change("memories", -2, None, REQUIRED),
        Change("memories", -1, None, REQUIRED),
        Change("memories", 3, {}, {"state": "a"}),
        Change("tags", (-2, "x"), None, {}),
        Change("links", (-1, -2, Relation.REFERS), None, {}),
        Change("links", (3, -1, Relation.REFERS), None, {}),
    ]
    resolved, assigned = resolve(changes, 7)

    assert (8, 9) == assigned
    assert [9, 8, 3, (9, "x"), (8, 9, int(Relation.REFERS)), (3, 8, int(Relation.REFERS))] == [
        change.key for change in resolved
    ]
    assert ([], ()) == resolve([], 7)


@pytest.mark.parametrize(
    "changes",
    [
        [Change("memories", -2, None, REQUIRED)],
        [Change("memories", -1, None, REQUIRED), Change("memories", -3, None, REQUIRED)],
        [Change("tags", (-1, "x"), None, {})],
        [Change("tags", (0, "x"), None, {})],
        [Change("memories", 0, {}, {"state": "a"})],
        [Change("links", (2, 2, int(Relation.REFERS)), None, {})],
        [Change("links", (2, 3, 99), None, {})],
        [Change("links", (3, 2, int(Relation.SIMILAR)), None, {})],
    ],
)
def test_a_key_that_names_nothing_is_refused(changes: list[Change]) -> None:
    """A gap, a placeholder that is not created, no number at all, or a link that cannot be."""
    with pytest.raises(InvalidInput) as refused:
        resolve(changes, 7)

    assert refused.value.recovery


def test_a_row_names_its_memories() -> None:
    """Two by a link, one by anything else."""
    assert [(5,), (5,), (5,), (5, 6)] == [
        memories_of(table, key)
        for table, key in (("memories", 5), ("tags", (5, "x")), ("sources", (5, "x")), ("links", (5, 6, 1)))
    ]


def test_what_is_kept_is_plain() -> None:
    """Labels as numbers, fractions in millionths, what guards a row left out, increments as they are."""
    values = {
        "status": Status.ACTIVE,
        "confidence": 0.12345678,
        "revision": 3,
        "touched": 1,
        "uses": Increment(2),
    }
    kept = encode_values("memories", values)

    assert {"status": 1, "confidence": 0.123457, "uses": Increment(2)} == kept
    assert int is type(kept["status"])
    assert {"attributes": {"a": 1}, "state": None} == encode_values(
        "memories", {"attributes": {"a": 1}, "state": None}
    )


@pytest.mark.parametrize(
    ("status", "tier", "reason", "right"),
    [
        (Status.INBOX, Tier.HOT, None, True),
        (Status.ACTIVE, Tier.COLD, None, True),
        (Status.ACTIVE, Tier.ARCHIVE, None, False),
        (Status.ARCHIVED, Tier.ARCHIVE, Reason.DECAYED, True),
        (Status.ARCHIVED, Tier.COLD, Reason.DECAYED, False),
        (Status.ARCHIVED, Tier.ARCHIVE, None, False),
        (Status.SUPERSEDED, Tier.HOT, None, False),
        (Status.PRUNED, Tier.HOT, None, False),
        (Status.PRUNED, Tier.HOT, Reason.FORGOTTEN, True),
    ],
)
def test_status_tier_and_reason_agree(status: Status, tier: Tier, reason: Reason | None, right: bool) -> None:
    """The archive is one, and who leaves sight says why."""
    state = {"status": status, "tier": tier, "reason": reason}
    if right:
        refuse_state(1, state)
        return
    with pytest.raises(InvalidInput, match="memory 1"):
        refuse_state(1, state)


def test_a_status_leads_where_it_may() -> None:
    """To itself always, elsewhere by the table, and anywhere by a verb that brings things back."""
    refuse_transition(1, Status.PRUNED, Status.PRUNED, "update")
    refuse_transition(1, Status.INBOX, Status.ACTIVE, "consolidate")
    refuse_transition(1, Status.PRUNED, Status.ACTIVE, "restore")
    for old, new in ((Status.ACTIVE, Status.INBOX), (Status.PRUNED, Status.ACTIVE)):
        with pytest.raises(InvalidInput, match=f"{old.label} cannot become {new.label} by 'update'"):
            refuse_transition(1, old, new, "update")


@pytest.mark.parametrize(
    ("value", "by", "far"),
    [
        (0, 5, 5),
        (5, -7, -7),
        (2**31 - 2, 5, 1),
        (2**31 - 1, 1, 0),
        (-(2**31) + 2, -5, -1),
        (7, 2**70, 2**31 - 8),
    ],
)
def test_a_counter_goes_as_far_as_its_bounds(value: int, by: int, far: int) -> None:
    """What counted goes on; the rest of an increment is lost, and the audit says how much counted."""
    assert far == as_far_as(value, by)


DAY_OF = 20_000


@pytest.mark.parametrize(
    ("days", "by", "packed", "newest"),
    [
        (0, 1, 3 + 1 | 7 << 8, 0),  # the same day
        (1, 1, 1 | 3 << 8 | 7 << 16, 1),
        (6, 2, 2 | 3 << 48, 6),  # of yesterday's seven nothing is left
        (7, 1, 1, 7),
        (700, 1, 1, 700),
        (-1, 2, 3 | 9 << 8, 0),
        (-6, 1, 3 | 7 << 8 | 1 << 48, 0),
        (-7, 1, 3 | 7 << 8, 0),
        (0, 252, 255 | 7 << 8, 0),
        (0, 253, 255 | 7 << 8, 0),
        (-1, 300, 3 | 255 << 8, 0),
    ],
)
def test_a_use_counts_in_the_byte_of_its_day(days: int, by: int, packed: int, newest: int) -> None:
    """Seven days, the newest lowest; a day's count stops at 255, and the day of what is older has gone."""
    row = {"use_days": 3 | 7 << 8, "use_day": DAY_OF, "used_at": DAY_OF * DAY + 9}
    at = (DAY_OF + days) * DAY + 5
    used = count_use(row, at, by)

    assert (packed, DAY_OF + newest) == (used["use_days"], used["use_day"])
    assert max(at, DAY_OF * DAY + 9) == used["used_at"]


def test_a_first_use_is_of_its_day() -> None:
    """Before it there was none."""
    used = count_use({"use_days": 0, "use_day": 0, "used_at": None}, DAY_OF * DAY + DAY - 1, 1)

    assert {"used_at": DAY_OF * DAY + DAY - 1, "use_days": 1, "use_day": DAY_OF} == used
