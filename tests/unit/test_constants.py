"""Numbers on which answers, files or other programs rest, frozen: whoever changes one does so knowingly."""

import pytest

from remanence.core import change, score, segment, timekeeping
from remanence.core.change import AuditPart, Cause
from remanence.core.model import Decay
from remanence.core.receipt import Receipt
from remanence.recall import fuse, ground
from remanence.text import twins
from remanence.write import value


def test_the_defaults_of_a_cause_say_nothing() -> None:
    """One part, the last; nothing destroyed, planned or heard."""
    cause = Cause("learn", 1, "run")

    assert (0, True, 0, False, 0, ()) == (
        cause.part,
        cause.final,
        cause.destroyed,
        cause.planned,
        cause.turns,
        cause.fired,
    )
    assert (1, 0) == (Receipt("r", "v", 1, "s", 0).parts, AuditPart(1, cause, (), "").count)


def test_fading_is_of_the_published_rates() -> None:
    """Per hour, by class."""
    assert {
        Decay.PERMANENT: 0.00001,
        Decay.DURABLE: 0.001,
        Decay.STANDARD: 0.01,
        Decay.EPHEMERAL: 0.05,
    } == score.LAMBDAS
    assert (1_000, 0.5) == (score.RATING, score.CONFIDENCE)


def test_the_presets_of_weights_are_the_published_ones() -> None:
    """Similarity, confidence, recency, centrality, reinforcement."""
    assert {
        "self": (0.10, 0.30, 0.05, 0.25, 0.30),
        "attention": (0.35, 0.15, 0.25, 0.15, 0.10),
        "task": (0.20, 0.20, 0.20, 0.20, 0.20),
        "simulate": (0.25, 0.25, 0.15, 0.20, 0.15),
    } == {
        name: tuple(getattr(weights, part) for part in score.PARTS) for name, weights in score.PRESETS.items()
    }


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ((1.0, 1.0), (fuse.LEXICAL_WEIGHT, fuse.SEMANTIC_WEIGHT)),
        ((1.5, 0.4, 0.1), (fuse.NAMED_FACTOR, ground.WORTH_SHARE, ground.WORTH_SHARE_ASSISTANTS)),
        ((0.3, 0.2, 95), (fuse.LEAD_SHARE, ground.SESSION_SHARE, ground.WORTH_PERCENTILE)),
        (
            (10, 500, 0.1, 0.3),
            (value.RAREST_MAX, value.MEMORIES_PRIOR, value.POINTS_MIN, value.ASSISTANT_SHARE),
        ),
        ((3, 500), (segment.FIRST_IN_SEGMENT, segment.LOOK_BACK)),
        ((0.6,), (twins.WORDS_SHARED_MIN,)),
        ((20_000,), (change.PART_CHANGES_MAX,)),
        (
            (3_600_000_000, 2_592_000_000_000, 86_400_000_000),
            (timekeeping.JUMP_MAX, timekeeping.REST_MAX, timekeeping.SETTLED),
        ),
    ],
)
def test_what_was_measured_stays(expected: tuple[float, ...], actual: tuple[float, ...]) -> None:
    """These were chosen by measurement; another number needs another one."""
    assert expected == actual
