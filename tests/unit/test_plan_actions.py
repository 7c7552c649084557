"""The actions of a plan are its counts with the memories named."""

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from remanence.curate.planner.plan import plan
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.random_policies import document
from tests.unit.random_policies import policy as some_policy
from tests.unit.random_policies import world as some_world
from tests.unit.scopes import NOW

FLAGGING = ("flag", "unflag")


@given(st.integers(0, 2**48))
def test_what_is_counted_is_named(seed: int) -> None:
    """Of any plan each action of each rule names as many memories or links as are counted, none of them twice.

    Flags of several rules are told together, since a plan does not say which rule set which.
    """
    random = Random(seed)
    compiled = load(document(some_policy(random)))
    made = plan(some_world(random).snapshot(build_snapshot_request(compiled).tags), compiled, NOW)
    named: Counter[tuple[str, str]] = Counter()
    counted: Counter[tuple[str, str]] = Counter()
    for action in made.actions():
        named[action.name, "" if action.name in FLAGGING else action.rule] += action.count
    for name, rule, count in made.by_rule:
        counted[name, "" if name in FLAGGING else rule] += count

    assert counted == named
    assert all(len(set(action.seqs)) == len(action.seqs) for action in made.actions())
