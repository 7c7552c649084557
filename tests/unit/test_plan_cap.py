"""forge-loop's cap on episodes through its preset and the planner: the seed's numbers, and chains of successors."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.model import REJECTED_PATH, Kind, Reason, Relation, Status, is_load_bearing
from remanence.curate.language.expression import PolicyNames, SourcePosition, condition
from remanence.curate.language.view import View
from remanence.curate.language.vocabulary import vocabulary
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import DAY, NOW, Row, World, linked, row

CAP = "newest-episodes"
CHAIN = 40  # longer than a cycle has rounds


def capped(world: World, keep: int = 50, **more: Any) -> Plan:
    """Keep the newest episodes of a world."""
    compiled = load("episodic-cap", {CAP: {"keep": {"rows": keep}}})
    made = plan(world.snapshot(build_snapshot_request(compiled).tags, **more), compiled, NOW)
    world.apply(made)
    return made


def left(world: World) -> list[int]:
    """Return what is no tombstone."""
    return [seq for seq, one in world.rows.items() if one["status"] != Status.PRUNED]


def knowledge(count: int) -> list[Row]:
    """Make memories on which later work rests."""
    kinds = ("semantic", "procedural", None)
    return [row(kind=kinds[index % 3]) for index in range(count)]


def test_the_newest_episodes_and_all_knowledge_stay() -> None:
    """The seed's example: of 3 decisions, 5 skills and 592 episodes 58 are left, and 542 are compacted."""
    world = World([row() for _ in range(592)] + [row(kind="semantic")] * 3 + [row(kind="procedural")] * 5)

    made = capped(world)

    assert {"prune": 542} == made.counts
    assert list(range(543, 601)) == left(world)
    assert {Reason.COMPACTED} == {one["reason"] for one in world.rows.values() if one["reason"] is not None}


@pytest.mark.parametrize(
    ("some", "keep", "pruned"),
    [
        ([row(kind="semantic"), row(kind="procedural"), *[row() for _ in range(5)]], 2, [3, 4, 5]),
        ([row(tags=(REJECTED_PATH,)), *[row() for _ in range(3)]], 0, [2, 3, 4]),
        ([row() for _ in range(3)], 10, []),
        (knowledge(4), 0, []),
        ([row(kind=None)], 0, []),
        ([row(pinned=1), row(), row(hold_until=NOW + 1)], 0, [2]),
        ([row(status="archived", reason="decayed"), row(), row(status="inbox")], 1, [2]),
    ],
    ids=(
        "primary",
        "rejected path",
        "under the cap",
        "knowledge only",
        "unknown kind",
        "protected",
        "in sight",
    ),
)
def test_the_seeds_cases(some: list[Row], keep: int, pruned: list[int]) -> None:
    """What goes in each case of the seed's matrix; a second run takes nothing more."""
    world = World(some)

    capped(world, keep)

    assert pruned == [seq for seq in world.rows if seq not in left(world)]
    assert capped(world, keep).empty


@given(st.integers(0, 12), st.integers(0, 30), st.integers(0, 32), st.integers(0, 2**32))
def test_of_m_episodes_the_newest_k_are_left(knowing: int, episodes: int, keep: int, seed: int) -> None:
    """All D load-bearing memories survive, and exactly min(M, k) episodes, the newest."""
    some = [*knowledge(knowing), *[row() for _ in range(episodes)]]
    Random(seed).shuffle(some)
    world = World(some)
    newest = [seq for seq, one in world.rows.items() if one["kind"] == Kind.EPISODIC][
        max(0, episodes - keep) :
    ]

    capped(world, keep)

    assert sorted(
        [*newest, *(seq for seq, one in world.rows.items() if one["kind"] != Kind.EPISODIC)]
    ) == left(world)


def test_the_newest_may_be_those_with_the_newest_evidence() -> None:
    """Ordered by what was said, an old row with new evidence is kept before a new row with old evidence."""
    world = World([row(said_at=NOW), row(said_at=NOW - 9 * DAY), row(said_at=NOW - DAY)])
    compiled = load("episodic-cap", {CAP: {"keep": {"rows": 2}, "order": "said_at desc, seq desc"}})

    world.apply(plan(world.snapshot(build_snapshot_request(compiled).tags), compiled, NOW))

    assert [1, 3] == left(world)


def test_an_automatic_run_is_braked_as_ever() -> None:
    """By itself the cap takes no more a day than any policy may."""
    world = World([row() for _ in range(60)])
    compiled = load("episodic-cap")

    made = plan(world.snapshot(build_snapshot_request(compiled).tags), compiled, NOW, automatic=True)

    assert (10, None) == (made.destroyed, made.held)


def superseded(**values: Any) -> Row:
    """Make an episode that another took the place of."""
    return row(status="superseded", reason="superseded", **values)


def chain(*ends: Row) -> World:
    """Let each memory of a row supersede the one before."""
    pairs = [(newer, newer - 1) for newer in range(2, len(ends) + 1)]
    return World(list(ends), linked(*pairs, relation=Relation.SUPERSEDES))


def test_a_superseded_episode_goes_with_its_successor() -> None:
    """When the episode that took its place is compacted, the superseded one goes in the same run."""
    world = chain(superseded(), row())
    world.rows[3] = row()

    assert {"prune": 2} == capped(world, keep=1).counts
    assert [3] == left(world)


def test_a_chain_goes_whole_however_long() -> None:
    """A chain of forty that ends in a tombstone is gone after one run, and no rules are said to disagree."""
    world = chain(*[superseded() for _ in range(CHAIN)], row())

    made = capped(world, keep=0)

    assert ({"prune": CHAIN + 1}, ()) == (made.counts, made.notes)


@pytest.mark.parametrize(
    "end",
    [row(), row(kind="semantic"), row(status="archived", reason="decayed"), row(tags=(REJECTED_PATH,))],
    ids=("kept episode", "knowledge", "archived", "rejected path"),
)
def test_the_lineage_of_what_is_left_stays(end: Row) -> None:
    """Superseded episodes whose chain ends in something that is left are untouched, over a tombstone too."""
    world = chain(superseded(), superseded(), row(status="pruned", reason="compacted"), superseded(), end)

    assert capped(world, keep=1).empty


def test_what_is_load_bearing_is_kept_though_its_successor_goes() -> None:
    """A superseded decision stays when the episode after it goes; the episode before it goes too."""
    world = chain(superseded(), superseded(kind="semantic"), row())

    capped(world, keep=0)

    assert [2] == left(world)


def test_a_superseded_episode_without_a_known_successor_stays() -> None:
    """Where nothing says what took its place, its place may well be taken: unknown protects."""
    world = World([superseded(), superseded()], linked((1, 2), relation=Relation.SIMILAR))

    assert capped(world, keep=0).empty


def test_of_two_successors_one_is_enough() -> None:
    """What was superseded twice stays while one of the two is left; a merge is a succession too."""
    links = {
        **linked((2, 1), relation=Relation.SUPERSEDES),
        **linked((3, 1), relation=Relation.MERGED_FROM),
    }
    gone = row(status="pruned", reason="compacted")

    assert capped(World([superseded(), gone, row(kind="semantic")], links), keep=0).empty
    assert {"prune": 1} == capped(World([superseded(), gone, gone], links), keep=0).counts


def test_a_circle_of_successors_ends() -> None:
    """Two that supersede each other lead nowhere; looking for their end stops."""
    world = World([superseded(), superseded()], linked((1, 2), (2, 1), relation=Relation.SUPERSEDES))

    assert {"prune": 2} == capped(world, keep=0).counts


def test_the_word_says_what_the_classifier_says() -> None:
    """`load_bearing` and `is_load_bearing` agree on every kind, the unknown one and one yet to come, and every tag."""
    node = condition("load_bearing", vocabulary("memories"), PolicyNames(), SourcePosition())
    some = [
        row(kind=kind, tags=tags) for kind in (*Kind, None) for tags in ((), (REJECTED_PATH,), ("self/goal",))
    ]
    snapshot = World(some).snapshot([REJECTED_PATH])

    answers = node.run(View(snapshot, NOW)).tolist()

    assert [is_load_bearing(one["kind"], one["tags"]) for one in some] == answers
    snapshot.columns["kind"][:] = len(Kind) + 3
    assert all(node.run(View(snapshot, NOW)))
