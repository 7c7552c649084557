"""The five-part score against the golden numbers of its source (elfmem.md A.2, A.6, A.11)."""

from math import exp, log

import numpy as np
import pytest

from remanence.core.errors import InvalidInput
from remanence.core.model import Decay, Lifecycle
from remanence.core.score import (
    LAMBDAS,
    PARTS,
    PRESETS,
    RATING,
    TERMS,
    Metadata,
    ScoreWeights,
    centrality,
    composite,
    confidence,
    metadata_terms,
    raise_cold,
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


def _known(**columns: float) -> Metadata:
    """Return what is known of one memory; what is not given, nobody said."""
    usual = dict.fromkeys(("uses", "confirmations", "helped", "failed"), 0.0) | {"importance": np.nan}
    return Metadata(
        **{name: np.array([columns.get(name, value)]) for name, value in usual.items()},
        lifecycle=np.array([columns.get("lifecycle", 0)], np.int8),
        disputed=np.array([columns.get("disputed", 0)], np.bool_),
    )


def test_the_terms_of_what_nobody_knows_anything_about_are_exactly_nothing() -> None:
    """Without metadata each term is 0 and the factor 1, so that the score is elfmem's to the last bit."""
    terms = metadata_terms(_known(), TERMS)
    parts = dict(zip(PARTS, SAME, strict=True))

    assert {"used", "important", "lifecycle", "confirmed", "rated", "helpful", "disputed"} == terms.keys()
    assert {0.0} == {float(values[0]) for name, values in terms.items() if name != "helpful"}
    assert 1.0 == terms["helpful"][0]
    assert composite(PRESETS["task"], parts) == composite(PRESETS["task"], parts, terms)


@pytest.mark.parametrize(
    ("term", "columns", "expected"),
    [
        ("used", {"uses": 1}, 0.100),  # log10(2) / 3 = .1003, capped
        ("used", {"uses": 0.5}, 0.0587),
        ("important", {"importance": 1.0}, 0.15),
        ("important", {"importance": 0.0}, -0.10),
        ("important", {"importance": 0.4}, 0.0),
        ("lifecycle", {"lifecycle": Lifecycle.ACTIVE}, 0.05),
        ("lifecycle", {"lifecycle": Lifecycle.VALIDATED}, 0.03),
        ("lifecycle", {"lifecycle": Lifecycle.STALE}, -0.06),
        ("lifecycle", {"lifecycle": Lifecycle.ARCHIVED}, -0.08),
        ("disputed", {"disputed": 1}, -0.12),
        ("confirmed", {"confirmations": 2}, 0.10),
        ("confirmed", {"confirmations": 40}, 0.30),
        ("rated", {"helped": 9 * RATING}, 0.15),
        ("rated", {"failed": 2 * RATING}, -0.20),
        ("helpful", {"helped": 3 * RATING, "failed": RATING}, 4 / 6 / 0.5),
        ("helpful", {"failed": 3 * RATING}, 1 / 5 / 0.5),
    ],
)
def test_the_terms_are_engrams(term: str, columns: dict[str, float], expected: float) -> None:
    """A15: each by its own column."""
    assert expected == pytest.approx(float(metadata_terms(_known(**columns), TERMS)[term][0]), abs=1e-4)


def test_terms_are_added_to_the_parts_and_the_factor_multiplies() -> None:
    """A share below 1 is what they count beside a question; a dispute counts in full, and nothing is below 0."""
    parts = dict.fromkeys(PARTS, 0.5)
    terms = metadata_terms(_known(importance=1.0, disputed=1, helped=2 * RATING), TERMS)
    rated = 0.10

    assert (0.5 + 0.15 + rated - 0.12) * 1.5 == pytest.approx(
        float(composite(PRESETS["task"], parts, terms)[0])
    )
    assert (0.5 + 0.2 * (0.15 + rated) - 0.12) * 1.5**0.2 == pytest.approx(
        float(composite(PRESETS["task"], parts, terms, 0.2)[0])
    )
    assert (
        0.0
        == composite(PRESETS["task"], dict.fromkeys(PARTS, 0.1), metadata_terms(_known(disputed=1), ()))[0]
    )


def test_what_is_fresh_and_hardly_linked_has_a_floor() -> None:
    """A.6: below .10 of centrality and above .70 of recency, half of the recency; both bounds are strict."""
    central, recent = np.array([0.0, 0.09, 0.10, 0.0, 0.0]), np.array([1.0, 0.8, 1.0, 0.70, 0.71])

    assert [0.5, 0.4, 0.10, 0.0, 0.355] == pytest.approx(raise_cold(central, recent).tolist())
