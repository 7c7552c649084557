"""What a guard blocks: a list of actions, or a word for one and all that is worse; and what it makes of the unknown."""

import pytest

from remanence.core.errors import PolicyError
from remanence.core.model import Relation, Tier
from remanence.curate.explain import explain
from remanence.curate.planner.plan import plan
from remanence.curate.policy.compiled import Policy, build_snapshot_request, load
from tests.unit.scopes import DAY, NOW, Row, World, linked, row

V = "version = 1\n"
RULE = '[[rule]]\nevery = "deep"\nwhere = "True"\n'
ACTS = {
    "move": ("tiers", 'to = "cold"'),
    "archive": ("expire", ""),
    "prune": ("expire", ""),
    "purge": ("purge", ""),
}


def policy(blocks: str, where: str, *acts: str) -> Policy:
    """Make a policy of one guard, and a rule for each action, which acts wherever it can."""
    rules = "".join(
        RULE + f'name = "{do}"\nphase = "{ACTS[do][0]}"\ndo = "{do}"\n{ACTS[do][1]}\n' for do in acts
    )
    return load(V + f'[[guard]]\nname = "g"\nblocks = {blocks}\nwhere = "{where}"\n{rules}')


def done(guarding: Policy, *some: Row, **links: Relation) -> list[str]:
    """Plan for some memories, the first two of them linked; return what is done to the first."""
    world = World(list(some), linked((1, 2), **links) if links else {})
    made = plan(world.snapshot(build_snapshot_request(guarding).tags), guarding, NOW)
    return [action.name for action in made.actions() if 1 in action.seqs]


@pytest.mark.parametrize(
    ("blocks", "blocked"),
    [
        ('"move"', {"move", "archive", "prune", "purge"}),
        ('"archive"', {"archive", "prune", "purge"}),
        ('"prune"', {"prune", "purge"}),
        ('["move"]', {"move"}),
        ('["archive", "move"]', {"move", "archive"}),
        ('["purge"]', {"purge"}),
    ],
)
def test_a_guard_blocks_what_it_names(blocks: str, blocked: set[str]) -> None:
    """A word blocks an action and all that is worse; a list blocks the actions in it and nothing else."""
    for act in ACTS:
        one = row(status="pruned", reason="decayed") if act == "purge" else row()

        assert ([] if act in blocked else [act]) == done(policy(blocks, "True", act), one)


def test_merging_can_be_blocked_alone() -> None:
    """What a guard keeps from being merged away may still be deleted."""
    twins = RULE + 'name = "m"\nphase = "deduplicate"\nover = "pairs"\nmin = 0.9\ndo = "merge"\n'
    near = linked((1, 2), relation=Relation.NEAR_DUPLICATE, confidence=0.97)
    snapshot = World([row(), row(pinned=0)], near).snapshot()
    free, kept = (
        load(V + f'[[guard]]\nname = "g"\nblocks = ["{blocks}"]\nwhere = "True"\n{twins}')
        for blocks in ("prune", "merge")
    )

    assert [2] == plan(snapshot, free, NOW).merges.discard.tolist()
    assert [] == plan(snapshot, kept, NOW).merges.discard.tolist()


def test_a_description_says_what_is_blocked() -> None:
    """A list that a word stands for is said by the word."""
    said = {
        '"archive"': "never archive, merge, delete",
        '["purge", "prune", "merge", "archive"]': "never archive, merge, delete",
        '["purge", "move"]': "never demote, delete",
    }
    for blocks, words in said.items():
        one = policy(blocks, "pinned")

        assert f"guard g: {words} where pinned" in one.describe()
        assert words == explain(World([row()]).snapshot(), one, NOW, 1).verdicts[-1].action


@pytest.mark.parametrize(
    ("blocks", "message", "recovery"),
    [
        ('"delete"', "unknown blocks 'delete'", "prune"),
        ('["mov"]', "a guard cannot block 'mov'", "'move'"),
        ('["flag"]', "a guard cannot block 'flag'", "move"),
        ("[]", "blocks nothing", "leave the guard out"),
        ("[3]", "blocks must be a list of names", "blocks = "),
        ("3", "blocks must be a text", "blocks = "),
    ],
)
def test_what_cannot_be_blocked_is_refused(blocks: str, message: str, recovery: str) -> None:
    """The error names the nearest action."""
    with pytest.raises(PolicyError, match=message) as caught:
        policy(blocks, "True")

    assert recovery in caught.value.recovery


@pytest.mark.parametrize(
    ("other", "protects"),
    [
        ({"category": "session_context", "state": "active"}, True),
        ({"category": "session_context", "state": None}, True),
        ({"category": None, "state": None}, True),
        ({"category": "session_context", "state": "ended"}, False),
        ({"category": "fact", "state": None}, False),
    ],
)
def test_an_end_that_nobody_knows_counts_for_a_guard(other: Row, protects: bool) -> None:
    """A link to what may be a running session protects, whatever is known of the memory itself."""
    busy = policy('["move"]', "linked('*', category='session_context', state='active')", "move")
    for category in ("message", None):
        acts = done(busy, row(category=category), row(**other), relation=Relation.REFERS)

        assert ([] if protects else ["move"]) == acts


def test_a_plan_says_what_a_guard_lets_go_of() -> None:
    """It protects to the end of the cycle what it protected at its beginning, and not in the next one."""
    text = (
        V + "[[guard]]\nname = \"busy\"\nwhere = \"linked('*', category='task')\"\n"
        '[[rule]]\nname = "old"\nevery = "deep"\nphase = "expire"\nwhere = "age() > days(5)"\ndo = "archive"\n'
    )
    world = World([row(), row(category="task")], linked((1, 2)))
    made = plan(world.snapshot(), load(text), NOW)
    world.apply(made)
    again = plan(world.snapshot(), load(text), NOW)

    assert ([2], [1]) == (made.seq.tolist(), again.seq.tolist())
    assert ["busy: 1 of what it protects in this run it will not protect in the next, which may do more"] == [
        *made.notes
    ]
    assert Tier.ARCHIVE == world.rows[2]["tier"]
    assert 5 * DAY < NOW - world.rows[1]["learned_at"]
