"""elfmem's maintenance through its preset and the planner: its own numbers, and what its users met."""

from typing import Any

import numpy as np
import pytest

from remanence.core.clock import DAY, HOUR
from remanence.core.model import Decay, Reason, Relation, Status
from remanence.core.score import decay as decay_of
from remanence.curate.language.expression import PolicyNames, SourcePosition, condition, ordering
from remanence.curate.language.view import LinkView, View
from remanence.curate.language.vocabulary import vocabulary
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, Row, World, linked, row, worked

ALWAYS = worked((400_000, 0))  # one long session: active hours are hours


def hours_ago(hours: float) -> int:
    """Return an instant of the past."""
    return NOW - round(hours * HOUR)


def faded(hours: float, **values: Any) -> Row:
    """Make a memory last used so many active hours ago."""
    return row(learned_at=hours_ago(hours), **values)


def curated(world: World, now: int = NOW, overrides: dict[str, Any] | None = None, **more: Any) -> Plan:
    """Maintain a world as elfmem does."""
    world.spans = ALWAYS if world.spans is None else world.spans
    compiled = load("elfmem", overrides)
    made = plan(world.snapshot(build_snapshot_request(compiled).tags, **more), compiled, now)
    world.apply(made)
    return made


def value(text: str, *some: Row, links: Any = None, spans: Any = ALWAYS) -> list[float]:
    """Evaluate a number of the vocabulary on the active clock."""
    ((node, _),) = ordering(text, vocabulary("memories"), PolicyNames(), SourcePosition())
    view = View(World(list(some), links, spans).snapshot(), NOW).on("active")
    return node.run(view).tolist()  # type: ignore[no-any-return]


def counts(made: Plan) -> tuple[int, int, int]:
    """Return what elfmem counts: archived, edges pruned, reinforced."""
    return tuple(made.counts.get(name, 0) for name in ("archive", "unlink", "reinforce"))  # type: ignore[return-value]


def test_a_standard_memory_fades_as_said() -> None:
    """TC-D-001: recency after 0 to 300 active hours."""
    hours = (0, 10, 25, 50, 69, 100, 138, 200, 300)
    expected = (1.000, 0.905, 0.779, 0.607, 0.501, 0.368, 0.252, 0.135, 0.050)

    assert pytest.approx(expected, abs=1e-3) == value("recency()", *(faded(past) for past in hours))


@pytest.mark.parametrize(
    ("decay", "crossing"),
    [("ephemeral", 59.9), ("standard", 299.6), ("durable", 2_995.7), ("permanent", 299_573)],
)
def test_each_class_is_archived_at_its_hour(decay: str, crossing: float) -> None:
    """TC-D-002, TC-D-003: recency falls below 0.05 at the class's hour, and not a thousandth before."""
    world = World([faded(crossing * 0.999, decay=decay), faded(crossing * 1.001, decay=decay)])

    assert 1 == counts(curated(world))[0]
    assert [Status.ACTIVE, Status.ARCHIVED] == [one["status"] for one in world.rows.values()]


def test_a_permanent_memory_outlives_ten_thousand_hours() -> None:
    """TC-D-003: after 10,000 hours of work it is still above 0.90, and stays."""
    one = faded(10_000, decay="permanent")

    assert value("recency()", one)[0] > 0.90
    assert 0 == counts(curated(World([one])))[0]


def test_idle_days_fade_nothing() -> None:
    """TC-D-004: 240 idle hours between active hour 5 and 15 leave .905, not .082."""
    spans = worked((255, 250), (10, 0))
    one = faded(250)

    assert [pytest.approx(0.905, abs=1e-3)] == value("recency()", one, spans=spans)
    assert [0.0] == value("one(recency() < 0.5)", one, spans=spans)


def test_reinforcement_resets_fading() -> None:
    """TC-D-005, TC-L-009: used 30 hours ago .741, and 1 as soon as it is reinforced; the count rises by one."""
    world = World([faded(30)])
    assert [pytest.approx(0.741, abs=1e-3)] == value("recency()", world.rows[1])

    curated(world)

    assert (NOW, 1) == (world.rows[1]["reinforced_at"], world.rows[1]["reinforced"])
    assert [1.0] == value("recency()", world.rows[1])


def test_no_window_hides_an_old_memory() -> None:
    """TC-D-006, turned round: at hour 300 what was used at hour 80, 100, 101 and 150 is judged by recency alone."""
    world = World([faded(300 - last) for last in (150, 80, 100, 101)])

    assert (0, 0, 4) == counts(curated(world))


def test_a_durable_memory_survives_three_hundred_hours() -> None:
    """TC-D-007: .741 after 300 hours."""
    one = faded(300, decay="durable")

    assert [pytest.approx(0.741, abs=1e-3)] == value("recency()", one)
    assert 0 == counts(curated(World([one])))[0]


@pytest.mark.parametrize(
    ("tags", "decay"),
    [(("self/value", "self/constitutional"), Decay.PERMANENT), ((), Decay.STANDARD)],
)
def test_tags_decide_how_fast_a_memory_fades(tags: tuple[str, ...], decay: Decay) -> None:
    """TC-D-008, TC-D-009: constitutional wins over a value; without a tag of the self it is standard."""
    assert decay is decay_of(tags, None)
    lived = {Decay.PERMANENT: Status.ACTIVE, Decay.STANDARD: Status.ARCHIVED}
    world = World([faded(301, decay=int(decay), tags=tags)])

    curated(world)

    assert lived[decay] == world.rows[1]["status"]


def test_what_faded_says_decayed_and_what_was_replaced_stays_replaced() -> None:
    """TC-D-010: at recency .03 the reason is decayed; a superseded memory keeps its own."""
    world = World([faded(350), faded(350, status="superseded", reason="superseded")])

    curated(world)

    assert [
        (Status.ARCHIVED, Reason.DECAYED),
        (Status.SUPERSEDED, Reason.SUPERSEDED),
    ] == [(one["status"], one["reason"]) for one in world.rows.values()]


def test_of_two_the_faded_one_is_archived() -> None:
    """TC-L-007: at hour 400 one of hour 0 (.018) goes, one of hour 380 (.819) stays."""
    world = World([faded(400), faded(20)])

    assert (1, 0, 1) == counts(curated(world))
    assert [Status.ARCHIVED, Status.ACTIVE] == [one["status"] for one in world.rows.values()]
    assert pytest.approx([0.018, 0.819], abs=1e-3) == value("recency()", faded(400), faded(20))


@pytest.mark.parametrize(("count", "top", "done"), [(10, 3, 3), (20, 5, 5), (4, 5, 4), (0, 5, 0)])
def test_exactly_the_best_are_reinforced(count: int, top: int, done: int) -> None:
    """TC-L-008, TC-L-010: exactly the first by score, all where there are fewer; the others are as they were."""
    world = World([faded(10, confidence=index / 20) for index in range(count)])

    made = curated(world, overrides={"reinforce-best": {"top": top}})

    assert (0, 0, done) == counts(made)
    assert [None] * (count - done) + [NOW] * done == [one["reinforced_at"] for one in world.rows.values()]
    assert [0] * (count - done) + [1] * done == [one["reinforced"] for one in world.rows.values()]


def test_only_active_memories_are_maintained() -> None:
    """What waits in the inbox is neither archived nor reinforced."""
    world = World([faded(900, status="inbox"), faded(1, status="inbox")])

    assert (0, 0, 0) == counts(curated(world))


def test_nothing_is_done_to_nothing() -> None:
    """On an empty corpus the counts are (0, 0, 0), no change is made and no rule has fired."""
    made = curated(World([]))

    assert ((0, 0, 0), True, ()) == (counts(made), made.empty, made.fired)


def test_where_all_have_faded_none_is_reinforced() -> None:
    """All below the threshold are archived, and the best five of none are reinforced."""
    made = curated(World([faded(301 + index) for index in range(7)]))

    assert (7, 0, 0) == counts(made)


def test_weak_links_are_cut_strictly_below_a_tenth() -> None:
    """TC-G-006: .08 is cut; exactly .10, .25 and what is not yet weak stay; a link fades by both its ends."""
    links = {
        **linked((1, 2), weight=0.08, last_at=NOW),
        **linked((1, 3), weight=0.10, last_at=NOW),
        **linked((2, 3), weight=0.25, last_at=NOW),
        **linked((2, 4), weight=0.25, last_at=hours_ago(182)),
        **linked((3, 4), weight=0.25, last_at=hours_ago(184)),
    }
    world = World([faded(1) for _ in range(4)], links)

    assert 2 == counts(curated(world))[1]
    assert {(1, 3), (2, 3), (2, 4)} == {key[:2] for key in world.links}


def test_centrality_is_the_share_of_the_greatest_degree() -> None:
    """TC-G-007: degrees 3.25, 1.15 and .62 are 1, .354 and .191 of the score's part."""
    links = {
        **linked((1, 4), (1, 5), (1, 6), weight=0.9),
        **linked((1, 7), weight=0.55),
        **linked((2, 7), weight=0.6),
        **linked((2, 8), weight=0.55),
        **linked((3, 8), weight=0.62),
    }
    some = [faded(0) for _ in range(8)]
    degrees = value("weighted_degree", *some, links=links)
    # All other parts are the same for all, so that what is left of the score is centrality, a 0.25 / 0.9 of it.
    linkless = value("score('self')", *some)
    share = [
        (a - b) / (0.25 / 0.9)
        for a, b in zip(value("score('self')", *some, links=links), linkless, strict=True)
    ]

    assert pytest.approx([3.25, 1.15, 0.62]) == degrees[:3]
    assert pytest.approx([1.000, 0.354, 0.191], abs=1e-3) == share[:3]


def test_links_of_an_archived_memory_count_no_more() -> None:
    """TC-G-009: none of its three links counts any more, for its neighbours neither; and none is destroyed."""
    links = linked((1, 2), (1, 3), (1, 4), (2, 3), weight=0.6, last_at=NOW)
    world = World([faded(400), *(faded(1) for _ in range(3))], links)
    assert [3, 2, 2, 1] == value("degree", *world.rows.values(), links=links)

    curated(world)

    assert [0, 1, 1, 0] == value("degree", *world.rows.values(), links=world.links)
    assert links.keys() == world.links.keys()


def test_a_link_between_durable_and_standard_has_a_half_life_of_1386_hours() -> None:
    """TC-G-010: λ is half of the slower end's, .0005."""
    world = World(
        [row(decay="durable"), row(decay="standard")],
        linked((1, 2), weight=0.8, last_at=hours_ago(1_386.29)),
        ALWAYS,
    )
    node = condition(
        "decayed_weight < 1", vocabulary("links"), PolicyNames(), SourcePosition(), "links"
    ).parts[0]
    view = View(world.snapshot(), NOW).on("active")

    assert [pytest.approx(0.4, abs=1e-6)] == node.run(LinkView(view, np.array([0]))).tolist()


def test_five_runs_in_a_row_reinforce_once() -> None:
    """Probe 5: the best are reinforced once in 40 active hours, however often maintenance runs."""
    world = World([faded(5) for _ in range(12)])
    fired: dict[str, int] = {}
    reinforced = []
    for hours in (0, 0, 1, 20, 39.9, 40):
        now = NOW + round(hours * HOUR)
        world.spans = worked((400_000, -hours))
        made = curated(world, now, fired=fired)
        fired |= dict.fromkeys(made.fired, now)
        reinforced.append(counts(made)[2])

    assert [5, 0, 0, 0, 0, 5] == reinforced


def test_who_was_reinforced_wins_nothing_by_it() -> None:
    """Probe 5: of equals the next five have their turn, and a memory that was used overtakes those that were not."""
    world = World([faded(5) for _ in range(15)])
    winners = []
    for turn in range(3):
        now = NOW + 40 * turn * HOUR
        world.spans = worked((400_000, -40 * turn))
        curated(world, now, fired={"reinforce-best": now - 40 * HOUR})
        winners.append({seq for seq, one in world.rows.items() if one["reinforced_at"] == now})
    world.rows[3] |= {"uses": 1, "used_at": NOW + 80 * HOUR}
    world.spans = worked((400_000, -120))
    curated(world, NOW + 120 * HOUR, fired={"reinforce-best": NOW + 80 * HOUR})

    assert set(world.rows) == set.union(*winners)
    assert 3 == len(winners) == len(set(map(frozenset, winners)))
    assert NOW + 120 * HOUR == world.rows[3]["reinforced_at"]


def test_what_kept_failing_goes_sooner() -> None:
    """Probe 6: after five ratings of 0 a memory fades like an ephemeral one, and is archived 100 hours later."""
    failed = faded(100, failed=5_000)

    assert pytest.approx([0.0067, 0.368], abs=1e-3) == value("recency()", failed, faded(100))
    assert (1, 0, 1) == counts(curated(World([failed, faded(100)])))


def test_a_rating_does_not_hasten_what_is_durable() -> None:
    """Identity is not judged by how a task went: permanent and durable fade at their own pace."""
    some = [faded(100, decay=decay, failed=5_000) for decay in ("permanent", "durable")]

    assert pytest.approx([0.999, 0.905], abs=1e-3) == value("recency()", *some)


def test_a_rating_moves_confidence_as_evidence() -> None:
    """The posterior is (2c + helped) / (2 + helped + failed), from 0.5 where nobody said; words count whole ratings."""
    some = [
        faded(0),
        faded(0, confidence=0.9),
        faded(0, confidence=0.9, failed=1_000),
        faded(0, helped=2_500),
    ]

    assert pytest.approx([0.5, 0.9, 0.6, 3.5 / 4.5]) == value("posterior", *some)
    assert [0, 0, 0, 2.5] == value("helped", *some)
    assert [0, 0, 1, 0] == value("failed", *some)


def test_the_score_weighs_its_four_parts() -> None:
    """Without a question similarity is dropped and the rest divided by its sum: .333, .056, .278, .333 for self."""
    some = [
        faded(50, confidence=0.9, uses=3, confirmations=2),
        faded(0, confidence=0.2, uses=100),
        faded(0, uses=10_000, status="archived", reason="decayed"),
    ]
    links = linked((1, 2), weight=0.5)
    reinforced = 0.38820  # ln 6 / ln 101; what is out of sight sets no standard
    expected = 0.3 * 0.9 + 0.05 * 0.60653 + 0.25 * 1 + 0.3 * reinforced

    assert pytest.approx(expected / 0.9, abs=1e-4) == value("score('self')", *some, links=links)[0]
    expected = 0.2 * 0.9 + 0.2 * 0.60653 + 0.2 * 1 + 0.2 * reinforced
    assert pytest.approx(expected / 0.8, abs=1e-4) == value("score('task')", *some, links=links)[0]


def test_a_score_knows_nothing_of_reinforcement() -> None:
    """What rules did is no part of the score; what others did is."""
    plain, done = faded(40), faded(40, reinforced=9, reinforced_at=NOW)
    used = faded(40, used_at=NOW)

    scores = value("score('self')", plain, done, used)

    assert scores[0] == scores[1]
    assert scores[2] > scores[0]


def test_maintenance_deletes_nothing() -> None:
    """The preset archives, cuts, reinforces, and supersedes what its speaker says is otherwise now (TC-L-005)."""
    rules = load("elfmem").rules

    assert ["outdated"] == [rule.name for rule in rules if rule.destroys]
    assert not [rule.name for rule in rules if rule.do in {"prune", "purge", "merge"}]


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("archive-faded", {"where": "status == 'active' and recency() < 0.02"}, (0, 1, 2)),
        ("weak-links", {"where": "decayed_weight < 0.05"}, (1, 0, 1)),
        ("reinforce-best", {"off": True}, (1, 1, 0)),
    ],
)
def test_the_numbers_are_overridden_by_rule_name(
    name: str, values: dict[str, Any], expected: tuple[int, int, int]
) -> None:
    """The thresholds are the preset's, and others are given by the names of its rules."""
    links = linked((2, 3), weight=0.08, last_at=NOW)
    world = World([faded(350), faded(1, status="inbox"), faded(1)], links)

    assert expected == counts(curated(world, overrides={name: values}))


def test_relations_of_lineage_are_not_maintained() -> None:
    """A weak link that records history, or a contradiction, is never cut."""
    links = {
        **linked((1, 2), relation=Relation.SUPERSEDES, weight=0.01),
        **linked((1, 2), relation=Relation.CONTRADICTS, weight=0.01),
    }

    assert 0 == counts(curated(World([faded(1), faded(1)], links)))[1]


def test_maintenance_twice_does_nothing_more() -> None:
    """A second run at the same instant finds nothing to do."""
    links = linked(*((index, index + 1) for index in range(1, 20)), weight=0.2, last_at=NOW - 9 * DAY)
    world = World([faded(30 * index) for index in range(20)], links)
    first = curated(world)

    assert curated(world, fired=dict.fromkeys(first.fired, NOW)).empty
    assert min(counts(first)) > 0
