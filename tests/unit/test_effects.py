"""The table of effects against itself: what a row does its way back takes back, and every stamp follows its column."""

import ast
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import remanence
from remanence.core.acts import action_of
from remanence.core.change import Change, Increment
from remanence.core.effects import ACTIONS, CHANGEABLE, VERBS, Effect, ways_back
from remanence.core.model import COLUMN, STANDING, TRANSITIONS, Lifecycle, Memory, Reason, Status, Tier
from remanence.core.stamps import STAMPS
from remanence.curate.policy.rules import ACTIONS as PLACES
from remanence.edit.one_memory import act
from tests.laws.sources import list_nodes

THEN, NOW = 1_000, 2_000
SOURCE = Path(remanence.__file__).parent
BORN = Memory(
    seq=1,
    id="1" * 32,
    scope="s",
    text="text",
    status=Status.ACTIVE,
    tier=Tier.HOT,
    said_at=0,
    learned_at=0,
    status_at=THEN,
    tier_at=THEN,
    fingerprint=b"f",
)
GIVEN = {
    "reason": Reason.DECAYED,
    "tier": Tier.WARM,
    "state": "completed",
    "lifecycle": Lifecycle.STALE,
    "holds": {"legal": None},
    "hold_until": 9_000,
    "key": "k",
    "text": "another",
}
ROWS = [*ACTIONS, *VERBS.values()]
# Consolidation looks at the inbox alone.
FALLS_OR_RETURNS = [row for row in ROWS if "status" in row.sets and row.name not in {"consolidate", "accept"}]
memories = st.builds(
    lambda lifecycle, tier, pinned, state: replace(
        BORN, lifecycle=lifecycle, tier=tier, pinned=pinned, state=state, state_at=THEN
    ),
    st.sampled_from([item for item in Lifecycle if item is not Lifecycle.ARCHIVED]),
    st.sampled_from([Tier.HOT, Tier.WARM, Tier.COLD]),
    st.integers(0, 1),
    st.sampled_from([None, "pending"]),
)


def _done(memory: Memory, effect: Effect, **given: object) -> Memory:
    """Return the memory after an effect, its counters counted."""
    named = {name: value for name, value in given.items() if name in effect.sets}
    for change in act(memory, effect, NOW, **named):
        assert change.after is not None
        values = {
            name: getattr(memory, name) + value.by if isinstance(value, Increment) else value
            for name, value in change.after.items()
        }
        memory = replace(memory, **values)
    return memory


def _but_stamps(memory: Memory, *more: str) -> dict[str, object]:
    left_out = {*STAMPS.values(), "revision", *more}
    return {item.name: getattr(memory, item.name) for item in fields(memory) if item.name not in left_out}


@given(memory=memories, effect=st.sampled_from([row for row in ROWS if row.sets]))
def test_each_way_back_leads_back(memory: Memory, effect: Effect) -> None:
    """A row and its way back leave every column as it was, stamps, edits and what a confirmation says of it apart.

    What comes back stands hot.
    """
    done = _done(memory, effect, **{name: GIVEN[name] for name in effect.sets if name in GIVEN})
    for name in effect.back if done != memory else ():
        way = VERBS["confirm archived"] if name == "confirm" else VERBS[name]
        before = {column: getattr(memory, column) for column in way.sets if hasattr(memory, column)}
        back = _done(done, way, **before)
        if name in {"restore", "confirm"}:
            memory = replace(memory, tier=Tier.HOT)
        said = ("confirmations", "verification", "edits")

        assert _but_stamps(memory, *said) == _but_stamps(back, *said)


@given(memory=memories, effect=st.sampled_from([row for row in ROWS if row.sets]))
def test_undo_leads_back_from_every_row(memory: Memory, effect: Effect) -> None:
    """The inverse of what a row does names every column that it changed, stamps and all."""
    for change in act(memory, effect, NOW, **{name: GIVEN[name] for name in effect.sets if name in GIVEN}):
        turned = change.inverse()
        assert change.after is not None and change.before is not None and turned.after is not None

        assert change.after.keys() - {"revision"} == turned.after.keys() - {"revision"}
        assert all(
            getattr(memory, name) == value
            for name, value in turned.after.items()
            if name != "revision" and not isinstance(value, Increment)
        )


@given(memory=memories, effect=st.sampled_from([row for row in ROWS if row.sets]))
def test_a_stamp_follows_its_column(memory: Memory, effect: Effect) -> None:
    """A column's stamp is set if and only if the column changes, and a row changes only what it owns."""
    done = _done(memory, effect, **{name: GIVEN[name] for name in effect.sets if name in GIVEN})

    changed = {
        item.name for item in fields(memory) if getattr(memory, item.name) != getattr(done, item.name)
    } - {"revision"}
    assert changed <= effect.columns
    assert {stamp for name, stamp in STAMPS.items() if name in changed} == changed & set(STAMPS.values())


@given(memory=memories, effect=st.sampled_from(FALLS_OR_RETURNS))
def test_what_leaves_the_archive_leaves_its_tier(memory: Memory, effect: Effect) -> None:
    """After any row status, tier and lifecycle agree on the archive, and what is out of sight has a reason."""
    archived = replace(
        memory, status=Status.ARCHIVED, tier=Tier.ARCHIVE, lifecycle=Lifecycle.ARCHIVED, reason=Reason.DECAYED
    )
    done = _done(archived, effect, reason=Reason.BUDGET, lifecycle=Lifecycle.VALIDATED)

    assert (done.status is Status.ARCHIVED) == (done.tier is Tier.ARCHIVE)
    assert done.status is not Status.ACTIVE or done.lifecycle is not Lifecycle.ARCHIVED
    assert (done.reason is None) == (done.status in STANDING)


@pytest.mark.parametrize("effect", ROWS, ids=lambda row: f"{row.name} {row.group}".strip())
def test_a_row_names_what_there_is(effect: Effect) -> None:
    """A row names columns of a memory, ways back that are rows, and statuses that a memory may come to.

    By `restore` alone one comes back into quarantine.
    """
    assert effect.columns <= COLUMN.keys()
    assert set(effect.back) <= VERBS.keys()
    status = effect.sets.get("status")
    assert (status is Status.QUARANTINED) == (effect.name == "restore to quarantine")
    assert status in {None, Status.ACTIVE, Status.QUARANTINED} or any(
        status in after for after in TRANSITIONS.values()
    )


def test_a_verb_counts_what_it_owns() -> None:
    """What is counted is named by the verb's row, both ways; nothing else is."""
    counted = VERBS["rate"].build_count_change(1, helped=800, failed=200)

    assert (
        Change(
            "memories",
            1,
            {"helped": Increment(-800), "failed": Increment(-200)},
            {"helped": Increment(800), "failed": Increment(200)},
        )
        == counted
    )
    with pytest.raises(AssertionError):
        VERBS["rate"].build_count_change(1, uses=1)


def test_the_ways_back_of_a_run_are_those_of_what_it_did() -> None:
    """A plan's run is taken back by the commands for its actions, each named once; no verb is its own way back."""
    assert ("restore", "rate right", "tag --off") == ways_back("curate", ["archive", "flag"])
    assert ("pin --off",) == ways_back("pin", ["pin"])
    assert () == ways_back("update", ["update"])
    assert () == ways_back("undo", ["archive"])


def test_every_action_of_a_policy_has_a_row() -> None:
    """What a rule may do is in the table, a summary as `shrink` of its phase; what a survivor takes in is no rule's."""
    assert set(PLACES) | {"take in", "summarise"} == {effect.name for effect in ACTIONS}


def test_every_verb_that_commits_has_a_row() -> None:
    """What the flows commit under a name of their own is in the table, or is made of rows that are."""
    made_of_others = {"undo", "correct", "curate", "policy", "resolve"}

    assert set(_verbs_committed()) - made_of_others <= VERBS.keys()


def test_only_the_table_sets_what_it_owns() -> None:
    """No other module writes a status, a tier, an archive or a stamp; what is created says its own."""
    assert [] == [
        f"{path.name}:{line} {name}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.name not in CREATING and "store" not in path.parts
        for line, name in _written(path.read_text(encoding="utf-8"))
    ]


# What names every column of a row that it creates, the table itself, and what a forecast carries forward of the inbox.
CREATING = {
    "effects.py",
    "admission.py",
    "entity_storing.py",
    "exported.py",
    "overlap.py",
    "snapshot_update.py",
}
_OWNED = {"status", "tier", "reason", "lifecycle", *STAMPS.values()}


def _written(source: str) -> Iterator[tuple[int, str]]:
    """Find dictionaries that give an owned column one of its labels, or a stamp anything."""
    for node in list_nodes(source):
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values, strict=True):
            name = key.value if isinstance(key, ast.Constant) else None
            is_stamp = name in STAMPS.values() and not isinstance(value, ast.Constant)
            if is_stamp or (name in _OWNED and _is_label(value)):
                yield node.lineno, str(name)


def _is_label(value: ast.expr) -> bool:
    return (
        isinstance(value, ast.Attribute)
        and isinstance(value.value, ast.Name)
        and value.value.id in {"Status", "Tier", "Reason", "Lifecycle"}
    )


def _verbs_committed() -> Iterator[str]:
    """Find the names under which the flows commit."""
    for path in sorted((SOURCE / "flows").glob("*.py")):
        for node in list_nodes(path.read_text(encoding="utf-8")):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                place = {"cause": 0, "change_one": 1}.get(node.func.attr)
                verbs = node.args[place : place + 1] if place is not None else []
                yield from (str(verb.value) for verb in verbs if isinstance(verb, ast.Constant))


def test_a_plan_changes_what_its_actions_own() -> None:
    """What a cycle may change is what the rows of the actions name, and no stamp is missing."""
    assert {stamp for name, stamp in STAMPS.items() if name in CHANGEABLE} <= CHANGEABLE


def test_a_change_of_each_row_is_known_again() -> None:
    """From what an action did to a memory one can tell which it was."""
    for effect in ACTIONS:
        given_ = {name: GIVEN[name] for name in effect.sets if name in GIVEN}
        for change in act(BORN, effect, NOW, **given_):
            assert effect is action_of(Change("memories", 1, change.before, change.after))
