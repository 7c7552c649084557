"""The five-part score and what it is made of: fading, confidence, centrality, reinforcement (elfmem).

Pure functions over arrays, shared by curation and recall and frozen by golden vectors. All parts are between 0 and
1; times go in as hours on whatever clock the caller reads.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from remanence.core.errors import InvalidInput
from remanence.core.model import Decay
from remanence.core.snapshot import Floats

Array = npt.ArrayLike

# Per hour, by decay class: half-lives of 69,315, 693, 69 and 14 hours (elfmem's decay tiers).
LAMBDAS: Mapping[Decay, float] = {
    Decay.PERMANENT: 0.00001,
    Decay.DURABLE: 0.001,
    Decay.STANDARD: 0.010,
    Decay.EPHEMERAL: 0.050,
}
RATES = np.array([LAMBDAS[decay] for decay in Decay])
# What a use and a confirmation add to what a memory is worth, each further one less.
_USED, _CONFIRMED = 0.3, 3.0
RATING = 1_000  # ratings are counted in thousandths
CONFIDENCE = 0.5  # what nobody has said anything about (elfmem)
_PRIOR = 2.0  # how many ratings the first confidence weighs (elfmem)
_SUM_TOLERANCE = 1e-4


@dataclass(frozen=True, slots=True)
class ScoreWeights:
    """How much each part counts; none is negative and together they are 1, to a ten-thousandth."""

    similarity: float
    confidence: float
    recency: float
    centrality: float
    reinforcement: float

    def __post_init__(self) -> None:
        """Refuse weights that are no weights."""
        parts = tuple(getattr(self, part) for part in PARTS)
        if not all(part >= 0 for part in parts) or not abs(sum(parts) - 1) <= _SUM_TOLERANCE:
            raise InvalidInput(
                f"weights {parts} are negative or do not add up to 1",
                recovery=f"give {', '.join(PARTS)} from 0 up, 1 in all",
            )

    def without_similarity(self) -> "ScoreWeights":
        """Return the weights for no question: the other four, divided by their sum."""
        rest = 1.0 - self.similarity
        if rest <= 0:
            raise InvalidInput(
                "weights of similarity alone rank nothing without a question", recovery="ask with a query"
            )
        four = (self.confidence, self.recency, self.centrality, self.reinforcement)
        return ScoreWeights(0.0, *(part / rest for part in four))


PARTS = tuple(part.name for part in fields(ScoreWeights))
PRESETS: Mapping[str, ScoreWeights] = {
    "self": ScoreWeights(0.10, 0.30, 0.05, 0.25, 0.30),
    "attention": ScoreWeights(0.35, 0.15, 0.25, 0.15, 0.10),
    "task": ScoreWeights(0.20, 0.20, 0.20, 0.20, 0.20),
    "simulate": ScoreWeights(0.25, 0.25, 0.15, 0.20, 0.15),
}


def rates(decay: npt.NDArray[np.integer], helped: Array, failed: Array) -> Floats:
    """Return λ per hour of each memory: that of its class, doubled for each rating it failed beyond those it helped.

    Permanent and durable memories are not hastened by ratings, and nothing fades faster than the ephemeral.
    """
    base = RATES[decay]
    doublings = np.maximum(np.subtract(failed, helped, dtype=np.float64), 0.0) / RATING
    faster = np.minimum(base * np.exp2(np.minimum(doublings, 60.0)), RATES[Decay.EPHEMERAL])
    return np.asarray(np.where(decay <= Decay.DURABLE, base, faster), np.float64)


def recency(rate: Array, hours: Array) -> Floats:
    """Fade from 1 by exp(−λ·hours); time that has not passed yet fades nothing."""
    return np.asarray(np.exp(-np.asarray(rate) * np.maximum(hours, 0.0)), np.float64)


def confidence(said: Array, helped: Array, failed: Array) -> Floats:
    """Return how sure one may be: what was said weighs two ratings, each rating one (a Beta posterior's mean)."""
    said = np.asarray(said, np.float64)
    prior = np.where(np.isnan(said), CONFIDENCE, said)
    good, bad = np.asarray(helped) / RATING, np.asarray(failed) / RATING
    return np.asarray((prior * _PRIOR + good) / (_PRIOR + good + bad), np.float64)


def reinforcement(counts: Array, most: float) -> Floats:
    """Return ln(1 + count) / ln(1 + most): each further use counts less; 0 where nothing was ever used."""
    if most <= 0:
        return np.zeros(np.shape(counts))
    return np.asarray(np.log1p(np.asarray(counts, np.float64)) / np.log1p(most), np.float64)


def centrality(degrees: Array, most: float) -> Floats:
    """Return the weighted degree as a share of the greatest; 0 where nothing is linked."""
    if most <= 0:
        return np.zeros(np.shape(degrees))
    return np.asarray(np.asarray(degrees, np.float64) / most, np.float64)


def used_value(value: Array, uses: Array, confirmations: Array) -> Floats:
    """Return a keep-value times use: to be confirmed tells ten times as much as to be found once more."""
    used = _USED * np.log1p(np.maximum(uses, 0)) + _CONFIRMED * np.log1p(np.maximum(confirmations, 0))
    return np.asarray(np.asarray(value, np.float64) * (1 + used), np.float64)


def composite(weights: ScoreWeights, parts: Mapping[str, Array]) -> Floats:
    """Weigh the parts and add them up; a part that is not given is 0."""
    terms = [np.asarray(part, np.float64) * getattr(weights, name) for name, part in parts.items()]
    return np.asarray(sum(terms), np.float64)
