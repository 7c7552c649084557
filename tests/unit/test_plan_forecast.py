"""What time alone will bring: when each decay class is first archived, and when a policy is due."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import DAY, HOUR, SECOND, TIME_MAX
from remanence.core.errors import InvalidInput
from remanence.core.model import Decay, Status
from remanence.core.snapshot import Snapshot
from remanence.core.timescale import Timescale, build_active_timescale, scales
from remanence.curate.forecast.first_archived import build_forecast_request, first_archives
from remanence.curate.planner.plan import plan
from remanence.curate.policy.compiled import Policy, build_snapshot_request, load
from remanence.curate.schedule import due, due_at
from tests.unit.scopes import NOW, Row, World, linked, row, worked

CLASSES = [decay.label for decay in Decay]
ALWAYS = worked((1_000, 0))
ARCHIVE = '[[rule]]\nname = "r"\nevery = "deep"\nphase = "expire"\ndo = "archive"\n'


def frozen(*some: Row, spans: Any = ALWAYS) -> Snapshot:
    """Freeze memories with sessions."""
    links = linked((1, 2)) if len(some) > 1 else {}
    return World(list(some), links, spans).snapshot(["keep", "rejected-path", "self/*"])


def hours(found: Mapping[Decay, int | None]) -> dict[str, float | None]:
    """Return hours from now by class."""
    return {decay.label: None if at is None else (at - NOW) / HOUR for decay, at in found.items()}


def archives(
    where: str, *some: Row, spans: Any = ALWAYS, more: str = "", guards: str = ""
) -> dict[str, float | None]:
    """Forecast a policy of one rule."""
    text = f'version = 1\n{guards}{ARCHIVE}{more}where = "{where}"\n'
    return hours(first_archives(frozen(*some, spans=spans), load(text), NOW))


def test_fresh_memories_go_at_their_classes_hours() -> None:
    """Working all the time, elfmem archives after 59.9, 299.6, 2,995.7 and 299,573 hours."""
    found = hours(
        first_archives(frozen(*(row(learned_at=NOW, decay=name) for name in CLASSES)), load("elfmem"), NOW)
    )

    assert {"permanent": 299_573.2, "durable": 2_995.7, "standard": 299.6, "ephemeral": 59.9} == {
        name: pytest.approx(at, abs=0.05) for name, at in found.items()
    }


def test_the_inbox_is_foretold_as_what_it_will_be() -> None:
    """What was just learned goes when it would if it were active already: nobody asks only before a consolidation."""
    fresh = frozen(
        row(learned_at=NOW, status="inbox"), row(learned_at=NOW, status="archived", decay="ephemeral")
    )

    assert {"standard": pytest.approx(299.573, abs=1e-3)} == hours(first_archives(fresh, load("elfmem"), NOW))


def test_at_a_slower_pace_they_live_longer() -> None:
    """At an hour a day a standard memory lives 299.6 days; a permanent one longer than anybody looks ahead."""
    spans = worked(*((24 * day + 1, 24 * day) for day in range(59, -1, -1)))
    found = hours(
        first_archives(
            frozen(*(row(learned_at=NOW, decay=name) for name in CLASSES), spans=spans), load("elfmem"), NOW
        )
    )

    assert pytest.approx(299.57 * 24, rel=1e-3) == found["standard"]
    assert found["permanent"] is None


def test_without_sessions_nothing_ever_goes() -> None:
    """On a clock that stands no class has a first archive."""
    found = first_archives(frozen(row(), row(decay="ephemeral"), spans=worked()), load("elfmem"), NOW)

    assert {Decay.STANDARD: None, Decay.EPHEMERAL: None} == found


def test_the_earliest_of_a_class_counts() -> None:
    """Of many memories the one that goes first is found, wherever it stands; what is due goes now."""
    some = [row(learned_at=NOW - (index * 37 % 1_000) * HOUR // 10) for index in range(1_000)]
    young = [row(learned_at=NOW, decay="ephemeral"), row(learned_at=NOW - 60 * HOUR, decay="ephemeral")]

    found = hours(first_archives(frozen(*some, *young), load("elfmem"), NOW))

    assert {"standard": pytest.approx(299.573 - 99.9, abs=1e-3), "ephemeral": 0.0} == found


def test_only_what_stands_is_looked_at() -> None:
    """A class all of whose memories are out of sight is not named; an empty scope has no classes."""
    assert {} == archives("age() > days(20)", row(status="archived", reason="decayed"))
    assert {} == first_archives(World([]).snapshot(), load(f'version = 1\n{ARCHIVE}where = "True"\n'), NOW)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, 240.0),
        ({"pinned": 1}, None),
        ({"category": "identity"}, None),
        ({"hold_until": NOW + 300 * HOUR}, 300.0),
        ({"tags": ("keep",)}, 720.0),
    ],
    ids=("plain", "pinned", "system", "held", "guarded"),
)
def test_what_is_guarded_goes_when_the_guard_lets_go(values: Row, expected: float | None) -> None:
    """A pin keeps for ever, a hold or a guard until its own time."""
    guard = '[[guard]]\nname = "g"\nwhere = "tagged(\'keep\') and age() <= days(40)"\n'

    found = archives("age() > days(20)", row(**values), guards=guard)["standard"]

    assert found == (None if expected is None else pytest.approx(expected, abs=1e-3))


def test_a_guard_against_less_does_not_keep() -> None:
    """A guard that blocks only pruning lets an archive through."""
    guard = '[[guard]]\nname = "g"\nwhere = "True"\nblocks = "prune"\n'

    assert {"standard": 0.0} == archives("age() > days(3)", row(), guards=guard)
    assert {"standard": None} == archives("age() > days(3)", row(), guards=guard.replace("prune", "archive"))


def test_rules_with_a_window_and_other_actions_are_left_out() -> None:
    """What lies beyond a window is no matter of time alone, and a move takes nothing away."""
    assert {"standard": None} == archives("True", row(), more="keep = { rows = 0 }\n")
    assert {Decay.STANDARD: None} == first_archives(frozen(row()), load("default"), NOW)


def test_nothing_is_foretold_beyond_two_hundred_years() -> None:
    """Two hundred years are looked ahead and no more; nor beyond the last time there is."""
    assert {"standard": pytest.approx(190 * 365 * 24.0, abs=1e-3)} == archives(
        f"age() >= days({190 * 365})", row(learned_at=NOW)
    )
    assert {"standard": None} == archives(f"age() >= days({201 * 365})", row(learned_at=NOW))
    late = TIME_MAX - DAY
    text = load(f'version = 1\n{ARCHIVE}where = "age() >= days(2)"\n')
    assert {Decay.STANDARD: None} == first_archives(frozen(row(learned_at=late)), text, late)


@given(
    st.lists(st.tuples(st.integers(0, 3_000), st.integers(0, 3)), min_size=1, max_size=30), st.integers(1, 24)
)
def test_the_plan_agrees_with_the_forecast(some: list[tuple[int, int]], daily: int) -> None:
    """At the instant foretold a plan archives one of the class, and two seconds before it does not."""
    spans = worked(*((24 * day + daily, 24 * day) for day in range(29, -1, -1)))
    snapshot = frozen(*(row(learned_at=NOW - age * HOUR, decay=decay) for age, decay in some), spans=spans)
    policy = load("elfmem")

    for decay, at in first_archives(snapshot, policy, NOW).items():
        for instant, gone in ((at, True), (None if at is None else at - 2 * SECOND, False)):
            if instant is not None and instant > NOW:
                assert gone == (decay in _archived(snapshot, policy, instant))


def _archived(snapshot: Snapshot, policy: Policy, at: int) -> set[Decay]:
    """Return the classes of which a plan would archive something, were work to go on at its pace until then."""
    scale = scales(snapshot, NOW)["active"]
    # The same ages on a clock that never paused.
    ages = np.floor(scale.at(at) - scale.at(snapshot.columns["learned_at"]) + 0.5)
    later = replace(
        snapshot,
        columns={**snapshot.columns, "learned_at": at - ages},
        spans=np.array([[at - int(ages.max()) - HOUR, at]]),
    )
    made = plan(later, policy, at)
    gone = made.seq[made.columns["status"].rows] if "status" in made.columns else made.seq[:0]
    return {Decay(code) for code in snapshot.columns["decay"][np.isin(snapshot.seq, gone)].tolist()}


def test_the_forecast_asks_for_classes() -> None:
    """Beside what the policy reads, the classes themselves."""
    assert "decay" in build_forecast_request(load("default")).columns
    assert (
        build_snapshot_request(load("elfmem")).clocks
        == build_forecast_request(load("elfmem")).clocks
        == {"active"}
    )


def interval(clock: str, text: str) -> Policy:
    """Make a policy that is due now and then."""
    return load(f'version = 1\nclock = "{clock}"\ninterval = "{text}"\n')


EVERY_40 = interval("active", "40 hours")


def active_hours(worked_hours: float, now: int = NOW) -> dict[Any, Timescale]:
    """Read an active clock that has run for so many hours without a pause."""
    return {
        "active": build_active_timescale(np.array([[now - round(worked_hours * HOUR), now]], np.int64), now)
    }


def test_a_policy_that_never_ran_is_due() -> None:
    """The first run is due at once; a policy without an interval never is, and so runs only when asked."""
    assert due(EVERY_40, active_hours(0), None, NOW)
    assert NOW == due_at(EVERY_40, active_hours(0), None, NOW)
    assert not due(load("default"), {}, None, NOW)
    assert due_at(load("default"), {}, NOW - 400 * DAY, NOW) is None


@pytest.mark.parametrize(
    ("since", "expected"), [(45, True), (40, True), (39.999, False), (0, False), (-5, False)]
)
def test_a_policy_is_due_when_its_interval_has_passed(since: float, expected: bool) -> None:
    """TC-L-011: 45 active hours after the last run, but not 39.999; a clock set back is never due."""
    assert expected == due(EVERY_40, active_hours(1_000), NOW - round(since * HOUR), NOW)
    assert expected == due(interval("wall", "40 hours"), {}, NOW - round(since * HOUR), NOW)


def test_idle_hours_make_nothing_due() -> None:
    """After 240 idle hours and one of work, one hour has passed."""
    spans = worked((300, 241), (1, 0))

    assert not due(EVERY_40, {"active": build_active_timescale(spans, NOW)}, NOW - 241 * HOUR, NOW)


@pytest.mark.parametrize("policy", [EVERY_40, interval("wall", "40 hours")], ids=["active", "wall"])
@pytest.mark.parametrize("since", [0, 7, 39.9999])
def test_what_is_due_later_says_when(policy: Policy, since: float) -> None:
    """At that instant it is due, and the microsecond before it is not."""
    clocks, last = active_hours(400), NOW - round(since * HOUR)
    at = due_at(policy, clocks, last, NOW)

    assert at is not None
    assert [False, True] == [due(policy, clocks, last, instant) for instant in (at - 1, at)]


def test_a_clock_that_stands_is_never_due_again() -> None:
    """Without sessions a policy on the active clock has no next run."""
    assert due_at(EVERY_40, {"active": build_active_timescale(worked(), NOW)}, NOW - 900 * DAY, NOW) is None


def test_a_clock_that_was_not_read_is_an_error() -> None:
    """Forgetting to ask for the clock is no reason never to run."""
    with pytest.raises(InvalidInput, match="active clock was not read"):
        due(EVERY_40, {}, NOW, NOW)


def test_what_is_archived_is_what_was_foretold_now() -> None:
    """A class that is foretold for now loses a memory in a plan made now."""
    snapshot = frozen(row(learned_at=NOW - 300 * HOUR))

    assert {Decay.STANDARD: NOW} == first_archives(snapshot, load("elfmem"), NOW)
    assert [int(Status.ARCHIVED)] == plan(snapshot, load("elfmem"), NOW).columns["status"].after.tolist()
