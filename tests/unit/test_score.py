"""The five-part score against the golden numbers of its source (elfmem.md A.2, A.6, A.11)."""

from math import exp, log

import numpy as np
import pytest

from remanence.core.errors import InvalidInput
from remanence.core.model import Decay
from remanence.core.score import (
    LAMBDAS,
    PARTS,
    PRESETS,
    RATING,
    ScoreWeights,
    centrality,
    composite,
    confidence,
    rates,
    recency,
    reinforcement,
)


def _score(preset: str, *parts: float) -> float:
    return float(composite(PRESETS[preset], dict(zip(PARTS, parts, strict=True))))


SAME = (0.85, 0.35, 0.70, 0.30, 0.40)


@pytest.mark.parametrize(
    ("preset", "parts", "expected"),
    [
        pytest.param("attention", (0.8, 0.7, 0.6, 0.4, 0.3), 0.625, id="TC-S-001"),
        pytest.param("self", (0.2, 0.9, 0.95, 0.7, 0.85), 0.768, id="TC-S-002"),
        pytest.param("attention", (0.10, 0.95, 0.90, 0.80, 0.75), 0.598, id="TC-S-008, sure"),
        pytest.param("attention", (0.85, 0.65, 0.60, 0.30, 0.20), 0.611, id="TC-S-008, alike"),
        pytest.param("task", (0.6, 0.6, 0.6, 0.6, 0.6), 0.6, id="TC-S-009"),
        # Its .611 adds terms that were rounded before.
        pytest.param("attention", SAME, 0.610, id="TC-S-012, attention"),
        pytest.param("task", SAME, 0.520, id="TC-S-012, task"),
        pytest.param("self", SAME, 0.420, id="TC-S-012, self"),
    ],
)
def test_composite_is_the_weighted_sum(preset: str, parts: tuple[float, ...], expected: float) -> None:
    """The five parts weigh what the preset says, so that likeness wins in attention and sureness in self."""
    assert expected == pytest.approx(_score(preset, *parts), abs=1e-3)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_score_lies_between_0_and_1(preset: str) -> None:
    """TC-S-006, TC-S-007: all parts 0 are 0, all parts 1 are 1, under any weights."""
    assert (0.0, 1.0) == pytest.approx((_score(preset, *[0.0] * 5), _score(preset, *[1.0] * 5)))


def test_without_a_question_what_is_better_in_all_stands_above() -> None:
    """TC-S-005: of two that differ in all four parts alike, the better keeps its place, .831 to .522."""
    parts = [
        dict(zip(PARTS[1:], four, strict=True))
        for four in ((0.90, 0.95, 0.70, 0.85), (0.60, 0.80, 0.40, 0.50))
    ]
    found = [float(composite(PRESETS["self"].without_similarity(), four)) for four in parts]

    assert [0.831, 0.522] == pytest.approx(found, abs=1e-3)


def test_without_a_question_the_other_four_share_the_weight() -> None:
    """TC-S-004: similarity drops out and the rest is divided by its sum."""
    without = PRESETS["self"].without_similarity()

    assert [0, 0.3333, 0.0556, 0.2778, 0.3333] == pytest.approx(
        [getattr(without, part) for part in PARTS], abs=1e-4
    )


def test_reinforcement_is_logarithmic() -> None:
    """TC-S-010: counts of 0, 1, 5, 10, 50 and 100 where the most is 100; nothing used at all is 0."""
    counts = np.array([0, 1, 5, 10, 50, 100])

    assert [0, 0.150, 0.388, 0.520, 0.852, 1] == pytest.approx(reinforcement(counts, 100).tolist(), abs=1e-3)
    assert [0, 0] == reinforcement([0, 0], 0).tolist()


def test_centrality_is_the_share_of_the_greatest_degree() -> None:
    """TC-G-007: degrees of 3.25, 1.15 and 0.62; without links all are 0."""
    assert [1, 0.354, 0.191] == pytest.approx(centrality([3.25, 1.15, 0.62], 3.25).tolist(), abs=1e-3)
    assert [0] == centrality([0.0], 0.0).tolist()


def test_recency_fades_by_class() -> None:
    """TC-D-001, 002, 003, 007: the curves of the decay classes."""
    hours = np.array([0, 10, 25, 50, 69, 100, 138, 200, 300])

    assert [1, 0.905, 0.779, 0.607, 0.501, 0.368, 0.252, 0.135, 0.050] == pytest.approx(
        recency(LAMBDAS[Decay.STANDARD], hours).tolist(), abs=1e-3
    )
    assert 59.9 == pytest.approx(-log(0.05) / LAMBDAS[Decay.EPHEMERAL], abs=1)
    assert 299_573 == pytest.approx(-log(0.05) / LAMBDAS[Decay.PERMANENT], abs=1)
    assert 0.741 == pytest.approx(float(recency(LAMBDAS[Decay.DURABLE], 300)), abs=1e-3)
    assert 1.0 == float(recency(LAMBDAS[Decay.STANDARD], -5))


def test_ratings_move_confidence_as_a_beta_posterior() -> None:
    """What was said weighs two ratings; nobody having said anything counts as a half."""
    assert 0.5 == float(confidence(np.nan, 0, 0))
    assert (0.9 * 2 + 1) / 3 == pytest.approx(float(confidence(0.9, RATING, 0)))
    assert (0.5 * 2) / 7 == pytest.approx(float(confidence(np.nan, 0, 5 * RATING)))


def test_what_failed_fades_faster_but_never_what_is_durable() -> None:
    """Probe 6: five ratings of 0 make a standard memory fade like an ephemeral one, at once and by its own rate."""
    decay = np.array([Decay.PERMANENT, Decay.DURABLE, Decay.STANDARD, Decay.STANDARD, Decay.EPHEMERAL])
    found = rates(decay, [0, 0, 0, 5_000, 0], [5_000, 5_000, 5_000, 5_000, 5_000])

    assert [0.00001, 0.001, 0.05, 0.01, 0.05] == pytest.approx(found.tolist())
    assert exp(-5) == pytest.approx(float(recency(found[2], 100)))


@pytest.mark.parametrize(
    "weights",
    [(0.35, 0.15, 0.25, 0.15, 0.05), (0.5, 0.5, 0.5, 0, 0), (1.2, -0.2, 0, 0, 0), (float("nan"), 1, 0, 0, 0)],
)
def test_weights_must_be_weights(weights: tuple[float, ...]) -> None:
    """TC-S-003: weights that are negative, unknown or do not add up to 1 are refused."""
    with pytest.raises(InvalidInput):
        ScoreWeights(*weights)
