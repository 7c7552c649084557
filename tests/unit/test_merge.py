"""What a merge carries over, at each edge."""

from typing import Any

import pytest

from remanence.core.clock import DAY, HOUR
from remanence.core.errors import PolicyError
from remanence.core.model import Relation, Status
from remanence.curate.explain import explain
from remanence.curate.planner.plan import Plan, plan
from remanence.curate.policy.compiled import build_snapshot_request, load
from tests.unit.scopes import NOW, LinkKey, Row, World, link, linked, row

TODAY = NOW // DAY
RULE = 'phase = "deduplicate"\nover = "pairs"\nwhere = "True"\nmin = 0.95\ndo = "merge"'
POLICY = load(f'version = 1\n[[rule]]\nname = "twins"\nevery = "deep"\n{RULE}')
NEAR = linked((1, 2), relation=Relation.NEAR_DUPLICATE, confidence=0.97)


def _merged(*rows: dict[str, Any], links: dict[LinkKey, Any] | None = None) -> tuple[World, Plan]:
    """Merge in a scope that is large enough for its brake."""
    world = World([*rows, *[row() for _ in range(10)]], NEAR | (links or {}))
    made = plan(world.snapshot(), POLICY, NOW)
    world.apply(made)
    return world, made


@pytest.mark.parametrize(
    ("kept", "gone", "packed", "day"),
    [
        ((1, 0), (2, 0), 3, 0),
        ((0x0101, 0), (0x0203, 0), 0x0304, 0),
        ((1, 0), (2, 1), 0x0201, 0),
        ((1, 1), (2, 0), 0x0102, 0),
        ((1, 0), (2, 6), 0x02000000000001, 0),
        ((1, 0), (2, 7), 1, 0),
        ((1, 0), (2, 30), 1, 0),
        ((1, 30), (2, 0), 2, 0),
        ((200, 0), (55, 0), 255, 0),
        ((200, 0), (56, 0), 255, 0),
        ((0x05 << 48, 0), (0x06 << 48, 1), 0x05 << 48, 0),
        ((0xFF << 48, 0), (0xFF << 48, 0), 0xFF << 48, 0),
        ((3, 2), (4, 3), 0x0403, 2),
    ],
)
def test_uses_of_a_day_are_added_to_their_day(
    kept: tuple[int, int], gone: tuple[int, int], packed: int, day: int
) -> None:
    """Seven days, the newest lowest, up to 255 each; what is older than a week of the later one falls out."""
    world, _ = _merged(*(row(use_days=packs, use_day=TODAY - ago) for packs, ago in (kept, gone)))

    assert (packed, TODAY - day) == (world.rows[1]["use_days"], world.rows[1]["use_day"])


@pytest.mark.parametrize(
    ("mine", "theirs", "after"),
    [(None, None, None), (NOW - 2, None, NOW - 2), (None, NOW - 1, NOW - 1), (NOW - 2, NOW - 1, NOW - 1)],
)
def test_the_last_use_is_the_later(mine: int | None, theirs: int | None, after: int | None) -> None:
    """One that was never used takes nothing from the other."""
    world, _ = _merged(row(used_at=mine), row(used_at=theirs))

    assert after == world.rows[1]["used_at"]


@pytest.mark.parametrize(
    ("mine", "theirs", "again", "after"),
    [(10, 20, None, 20), (20, 10, None, None), (20, 10, 30, 30), (10, 20, 15, 20)],
)
def test_the_survivor_was_said_last_when_the_later_was(
    mine: int, theirs: int, again: int | None, after: int | None
) -> None:
    """Its own first day stays; `again` is when the survivor was said again before the merge."""
    world, _ = _merged(
        row(said_at=NOW - DAY + mine, said_again_at=again and NOW - DAY + again),
        row(said_at=NOW - DAY + theirs),
    )

    assert NOW - DAY + mine == world.rows[1]["said_at"]
    assert (after and NOW - DAY + after) == world.rows[1]["said_again_at"]


def test_all_counts_are_added_and_nothing_else() -> None:
    """Uses, confirmations and ratings; what was denied or reinforced is each one's own."""
    counts = {"uses": 1, "confirmations": 2, "helped": 3, "failed": 4, "disputes": 5, "reinforced": 6}
    world, _ = _merged(row(**counts), row(**{name: 10 * count for name, count in counts.items()}))

    assert {"uses": 11, "confirmations": 22, "helped": 33, "failed": 44, "disputes": 5, "reinforced": 6} == {
        name: world.rows[1][name] for name in counts
    }


@pytest.mark.parametrize(
    ("first", "second", "away"), [(0.5, 0.5, 2), (0.5, 0.6, 1), (0.6, 0.5, 2), (None, 0.1, 1)]
)
def test_the_more_valuable_survives_and_of_equals_the_older(
    first: float | None, second: float | None, away: int
) -> None:
    """What nobody valued is worth nothing."""
    _, made = _merged(row(value=first), row(value=second))

    assert [away] == made.merges.discard.tolist()


def _parallel(one: dict[str, Any], other: dict[str, Any]) -> Any:
    """Return what becomes of two links to the same third memory, each from one of two that are merged."""
    key = (1, 3, int(Relation.SUPPORTS))
    links = {key: link(**one), (2, *key[1:]): link(**other)}
    return _merged(row(), row(), links=links)[0].links[key]


def test_parallel_links_become_one() -> None:
    """The greater weight and confidence, the later time, the sum of sights, as far as a store has room."""
    one = {"weight": 0.2, "confidence": None, "last_at": NOW - 5, "count": 2}
    other = {"weight": 0.1, "confidence": 0.3, "last_at": NOW - 4, "count": 3}
    both = _parallel(one, other)
    full = _parallel({"count": 2**24 - 1}, {"count": 1})

    assert (0.2, 0.3, NOW - 4, 5) == tuple(
        both[name] for name in ("weight", "confidence", "last_at", "count")
    )
    assert 2**24 - 1 == full["count"]


@pytest.mark.parametrize(
    ("one", "other", "after"),
    [(None, None, None), (NOW - 2, None, None), (None, NOW - 2, None), (NOW - 2, NOW - 1, NOW - 1)],
)
def test_what_is_open_on_one_side_is_open(one: int | None, other: int | None, after: int | None) -> None:
    """A contradiction is settled where both were, and then since the later."""
    assert after == _parallel({"resolved_at": one}, {"resolved_at": other})["resolved_at"]


def test_links_move_with_their_direction_and_without_loops() -> None:
    """A symmetric one is turned so that the older comes first; one between the two is gone, and so is its reverse."""
    supports, similar = int(Relation.SUPPORTS), int(Relation.SIMILAR)
    moving = {
        (5, 2, supports): link(),
        (2, 4, supports): link(),
        (2, 3, similar): link(),
        (1, 2, supports): link(),
    }
    world, made = _merged(row(), row(), row(), row(), row(), links=moving | {(2, 1, supports): link()})
    lineage = (1, 2, int(Relation.MERGED_FROM))

    assert {
        (1, 2, int(Relation.NEAR_DUPLICATE)),
        lineage,
        (5, 1, supports),
        (1, 4, supports),
        (1, 3, similar),
    } == set(world.links)
    assert (1.0, 0.97, NOW, 1) == tuple(
        world.links[lineage][name] for name in ("weight", "confidence", "last_at", "count")
    )
    assert {-1} == set(made.links.why.tolist())


def test_what_a_later_memory_is_like_moves_to_the_survivor() -> None:
    """A symmetric link of the second to one between them names the survivor first."""
    similar = int(Relation.SIMILAR)
    links = linked((1, 3), relation=Relation.NEAR_DUPLICATE, confidence=0.97) | {(2, 3, similar): link()}
    world = World([row() for _ in range(12)], links)
    world.apply(plan(world.snapshot(), POLICY, NOW))

    assert (1, 2, similar) in world.links
    assert (2, 3, similar) not in world.links


@pytest.mark.parametrize(("ago", "merges"), [(HOUR - 1, False), (HOUR, True)])
def test_what_took_another_in_rests_for_an_hour(ago: int, merges: bool) -> None:
    """From either end of the pair."""
    for taker in (1, 2):
        lineage = {(taker, 3, int(Relation.MERGED_FROM)): link(last_at=NOW - ago)}
        world, made = _merged(row(), row(), row(status="superseded", reason="merged"), links=lineage)

        assert merges is bool(len(made.merges.discard))
        assert merges is (world.rows[2]["status"] == Status.SUPERSEDED)


@pytest.mark.parametrize(
    ("confidence", "merges"), [(0.95, True), (0.949999, False), (1.0, True), (None, False)]
)
def test_a_pair_is_as_sure_as_its_rule_asks(confidence: float | None, merges: bool) -> None:
    """The bound itself is sure enough."""
    near = linked((1, 2), relation=Relation.NEAR_DUPLICATE, confidence=confidence)
    made = plan(World([row() for _ in range(10)], near).snapshot(), POLICY, NOW)

    assert merges is bool(len(made.merges.discard))


def test_the_surest_pair_goes_first() -> None:
    """Of two that share a memory; of equals the one of the older survivor."""
    for sure, away in (({(1, 2): 0.96, (2, 3): 0.97}, [3]), ({(1, 2): 0.97, (2, 3): 0.97}, [2])):
        near = {(*pair, int(Relation.NEAR_DUPLICATE)): link(confidence=much) for pair, much in sure.items()}
        made = plan(World([row() for _ in range(10)], near).snapshot(), POLICY, NOW)

        assert away == made.merges.discard.tolist()


def test_a_merge_beside_a_purge_names_no_link_that_goes_with_it() -> None:
    """Links of what is purged go when that is applied, from either end; of the merge all are named."""
    purge = '[[rule]]\nname = "tombs"\nevery = "deep"\nphase = "purge"\nwhere = "status == \'pruned\'"\ndo = "purge"\n'
    policy = load(f"{POLICY.source}\n{purge}")
    supports = int(Relation.SUPPORTS)
    links = {key: link() for key in ((1, 3, supports), (3, 4, supports), (2, 4, supports), (4, 5, supports))}
    world = World(
        [row(), row(), row(status="pruned", reason="decayed"), *[row() for _ in range(12)]], NEAR | links
    )
    made = plan(world.snapshot(), policy, NOW)
    named = set(zip(made.links.source.tolist(), made.links.target.tolist(), strict=True))
    world.apply(made)

    assert ({"merge": 1, "purge": 1}, [3]) == (made.counts, made.seq[made.purged].tolist())
    assert {(2, 4), (1, 4), (1, 2)} == named
    assert {(1, 2), (1, 4), (4, 5)} == {key[:2] for key in world.links}


def _survivors(order: str, *some: Row, clock: str = "wall") -> list[int]:
    """Return who is merged away by an order of survivors."""
    rule = f'{RULE}\nsurvivor = "{order}"\nclock = "{clock}"'
    policy = load(f'version = 1\n[[rule]]\nname = "twins"\nevery = "deep"\n{rule}')
    world = World([*some, *[row() for _ in range(10)]], NEAR)
    made = plan(world.snapshot(build_snapshot_request(policy).tags), policy, NOW)
    return [int(seq) for seq in made.merges.discard]


@pytest.mark.parametrize(
    ("order", "first", "second", "away"),
    [
        ("uses desc", {"uses": 1}, {"uses": 2}, 1),
        ("uses", {"uses": 1}, {"uses": 2}, 2),
        ("uses desc", {"uses": 2}, {"uses": 2}, 2),
        ("uses desc, tokens", {"uses": 2, "tokens": 9}, {"uses": 2, "tokens": 8}, 1),
        ("uses desc, tokens", {"uses": 3, "tokens": 9}, {"uses": 2, "tokens": 8}, 2),
        ("seq desc", {}, {}, 1),
        ("said_at", {"said_at": NOW - 2}, {"said_at": NOW - 3}, 1),
        ("used_at desc", {"used_at": None}, {"used_at": 5}, 1),
        ("used_at", {"used_at": None}, {"used_at": 5}, 1),
        ("severity desc", {"severity": "low"}, {"severity": "high"}, 1),
        ("value desc, said_at, seq", {"value": 1.0}, {"value": 2.0}, 1),
    ],
)
def test_a_rule_may_say_who_survives(order: str, first: Row, second: Row, away: int) -> None:
    """By an order of its own; what cannot be compared comes last, and of equals the older survives."""
    assert [away] == _survivors(order, row(**first), row(**second))


def test_an_order_of_survivors_is_that_of_pairs_alone() -> None:
    """Nothing else has two of which one survives; a wrong one points at where it is."""
    with pytest.raises(PolicyError, match="only a rule over pairs has a survivor"):
        load(
            'version = 1\n[[rule]]\nname = "r"\nevery = "deep"\nphase = "expire"\nwhere = "True"\ndo = "archive"\n'
            'survivor = "value desc"\n'
        )
    with pytest.raises(PolicyError, match="unknown column 'valu'") as refused:
        _survivors("valu desc", row(), row())

    assert "value" in refused.value.recovery


@pytest.mark.parametrize(
    ("one", "other", "merges"), [("fact", "fact", True), ("fact", "belief", False), ("fact", None, False)]
)
def test_only_memories_of_one_category_are_merged(one: str, other: str | None, merges: bool) -> None:
    """However alike they are; what an explanation counts as a pair is the same."""
    world, made = _merged(row(category=one), row(category=other))
    verdict = explain(world.snapshot(), POLICY, NOW, 2).verdicts[-1]

    assert merges is bool(len(made.merges.discard))
    assert {"links": 0, "matching": 0} == verdict.values


@pytest.mark.parametrize(
    ("mine", "theirs", "after"), [(0.5, 0.88, 0.88), (0.9, 0.4, 0.9), (None, 0.3, 0.3), (None, None, None)]
)
def test_the_survivor_is_as_sure_as_the_surer(
    mine: float | None, theirs: float | None, after: float | None
) -> None:
    """And since when that was said; the plan says it to the millionth, also read back from a file."""
    world, made = _merged(
        row(confidence=mine, value=2, confidence_at=NOW - 2),
        row(confidence=theirs, value=1, confidence_at=None, learned_at=NOW - 3),
    )

    said = NOW - 3 if after is not None and after != mine else NOW - 2
    assert (after, said) == (world.rows[1]["confidence"], world.rows[1]["confidence_at"])
    assert list(made.changes()) == list(Plan.from_json(made.to_json()).changes())
    assert ("confidence" in made.columns) is (after != mine)
