"""How far links lead: the golden graph of engram's study, without its echoes and its drift, and what fades."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanence.core.clock import DAY
from remanence.recall.activation import (
    Edges,
    build_edges,
    fade_confidence,
    spread_activation,
    trace_path,
    walk_from_seeds,
)

A, B, C, D, E, F, G = range(7)
# From, to, confidence, whether one way: A17 of the study, all of weight 1.
GOLDEN = ((A, B, 1, 0), (B, C, 0.5, 0), (A, D, 0.19, 0), (C, F, 0.2, 0), (E, A, 1, 1), (A, G, 0.8, 1))


def edges(links: object, weight: float = 1.0) -> Edges:
    """Make edges of (from, to, confidence, one way)."""
    source, target, confidence, one_way = np.array(links, np.float64).reshape(-1, 4).T
    return build_edges(
        source.astype(np.int64),
        target.astype(np.int64),
        np.full(len(source), weight),
        confidence,
        one_way.astype(np.bool_),
    )


def test_the_golden_graph_without_echo() -> None:
    """B is .7, not .8715: C lends nothing back. F, at exactly the floor, is reached; D, below it, and E are not."""
    found = spread_activation(edges(GOLDEN), np.array([A]), 7)

    assert [0, 0.7, 0.245, 0, 0, 0.0686, 0.56] == pytest.approx(found.scores.tolist())
    assert [0, 1, 2, -1, -1, 3, 1] == found.hops.tolist()


def test_the_walk_restarts_at_the_seed() -> None:
    """The direct, fully trusted neighbour B stands first; theirs put the two-hop, half-trusted C in front."""
    shares = walk_from_seeds(edges(GOLDEN), np.eye(7)[A])

    assert [0.53574, 0.193081, 0.129999, 0, 0, 0.013285, 0.127894] == pytest.approx(shares.tolist(), abs=1e-6)
    assert B == int(np.argsort(-shares)[1])


def test_the_way_to_a_place_is_the_shortest_by_its_strongest_ends() -> None:
    """Two ways of two hops lead to D: the surer last hop is told; a longer way is not."""
    made = edges([(A, B, 1, 0), (A, C, 0.9, 0), (B, D, 0.4, 0), (C, D, 0.8, 0), (D, E, 1, 1), (A, E, 0.3, 0)])
    found = spread_activation(made, np.array([A]), 5)
    ways = {place: [made.link[edge] for edge in trace_path(made, found, place)] for place in range(5)}

    assert {A: [], B: [0], C: [1], D: [1, 3], E: [5]} == ways
    assert (0.4 + 0.8) * 0.49 == pytest.approx(found.scores[D])


@pytest.mark.parametrize("hops", [1, 2, 3])
def test_no_further_than_asked(hops: int) -> None:
    """A chain is followed as many hops as are asked for."""
    chain = edges([(at, at + 1, 1, 0) for at in range(6)])

    assert hops == int((spread_activation(chain, np.array([0]), 7, hops).hops > 0).sum())


def test_a_pair_that_is_linked_often_is_not_nearer() -> None:
    """Three lines between A and B made 2.1 in engram; the strongest counts, whichever way it was drawn."""
    made = edges([(A, B, 0.5, 0), (B, A, 0.9, 0), (A, B, 0.9, 1)])
    found = spread_activation(made, np.array([A]), 2)

    assert 0.63 == pytest.approx(found.scores[B])
    assert [1] == [made.link[edge] for edge in trace_path(made, found, B)]


@pytest.mark.parametrize(
    ("said", "days", "faded"),
    [
        (np.nan, 90, 1.0),
        (np.nan, 91, 0.9),
        (1.0, 180, 0.9),
        (1.0, 181, 0.8),
        (1.0, 271, 0.7),
        (1.0, 810, 0.2),
        (1.0, 811, 0.1),
        (1.0, 5_000, 0.1),
        (0.7, 91, 0.6),
        (0.05, 5_000, 0.05),
        (0.6, -3, 0.6),
    ],
)
def test_confidence_fades_with_the_last_event(said: float, days: int, faded: float) -> None:
    """A17's measured days; what is below a tenth stays as it is, and a clock that went back fades nothing."""
    assert [faded] == fade_confidence(np.array([said]), np.array([days * DAY])).tolist()


def test_nothing_is_linked() -> None:
    """Seeds alone: nothing is reached and the walk stays."""
    none = edges([])

    assert [0, 0] == spread_activation(none, np.array([0]), 2).scores.tolist()
    assert [0.25, 0.75] == walk_from_seeds(none, np.array([0.25, 0.75])).tolist()


_LINK = st.tuples(st.integers(0, 9), st.integers(0, 9), st.floats(0, 1), st.integers(0, 1)).filter(
    lambda link: link[0] != link[1]
)


@given(st.lists(_LINK, max_size=30), st.sets(st.integers(0, 9), min_size=1, max_size=3))
def test_laws_of_both(links: list[tuple[int, int, float, int]], seeds: set[int]) -> None:
    """Seeds score nothing, only what is reached scores, the walk loses nothing, and it is where edges lead."""
    made, start = edges(links), np.array(sorted(seeds))
    found = spread_activation(made, start, 10)
    restart = np.zeros(10)
    restart[start] = 1 / len(start)
    shares = walk_from_seeds(made, restart)

    assert not found.scores[start].any()
    assert ((found.hops > 0) == (found.scores > 0)).all()
    assert 1 == pytest.approx(shares.sum())
    assert (shares[spread_activation(made, start, 10, 10).hops < 0] == 0).all()
    for place in np.flatnonzero(found.hops > 0).tolist():
        way = trace_path(made, found, place)

        assert int(found.hops[place]) == len(way)
        assert int(made.source[way[0]]) in seeds
        assert place == int(made.target[way[-1]])
