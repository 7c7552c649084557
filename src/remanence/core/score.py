"""The formulas of worth: the five-part score (elfmem) with engram's terms, how fast texts fade, and what worth says.

Pure functions over arrays, shared by curation and recall and frozen by golden vectors. All parts are between 0 and
1; times go in as hours on whatever clock the caller reads.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from remanence.core.errors import InvalidInput
from remanence.core.model import CONSTITUTIONAL, Decay, Lifecycle
from remanence.core.results import Result, Time, minute_of
from remanence.core.snapshot import Floats

# Raised where a rule changes: stored classes are then chosen anew.
DECAY_VERSION = 1
DURABLE_TAGS = frozenset({"self/value", "self/constraint", "self/goal"})
# Tags that say how fast a memory fades; all others leave its decay class as it is.
FADING_TAGS = DURABLE_TAGS | {CONSTITUTIONAL}


def decay(tags: Collection[str], category: str | None) -> Decay:
    """Choose the decay class; the first rule that matches wins (elfmem's priority list)."""
    if CONSTITUTIONAL in tags:
        return Decay.PERMANENT
    if DURABLE_TAGS.intersection(tags):
        return Decay.DURABLE
    if category == "observation":
        return Decay.EPHEMERAL
    return Decay.STANDARD


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
# What a question answers decides; how sure, fresh, linked and used a memory is orders what answers it alike.
ASKED_SHARE = 0.9


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

    def with_question(self) -> "ScoreWeights":
        """Return the weights that order what a question finds: at least ASKED_SHARE for similarity.

        The other four share the rest, in their proportions.
        """
        share = self.share_beside_question
        if share == 1:
            return self
        four = (self.confidence, self.recency, self.centrality, self.reinforcement)
        return ScoreWeights(ASKED_SHARE, *(part * share for part in four))

    @property
    def share_beside_question(self) -> float:
        """How much what is not similarity counts beside a question, of what it counts in the score."""
        return 1.0 if self.similarity >= ASKED_SHARE else (1 - ASKED_SHARE) / (1 - self.similarity)


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


# What a frame may add to the five parts (engram's recall score): each is 0 for a memory of which nothing such is known,
# and the factor 1. `cold_start` raises centrality instead.
COLD_START, FACTOR = "cold_start", "helpful"
TERMS = ("used", "important", "lifecycle", "confirmed", "rated", FACTOR, COLD_START)
DISPUTED = 0.12  # what somebody disputed has less, asked for or not
LIFECYCLE_TERMS: Mapping[Lifecycle, float] = {
    Lifecycle.CANDIDATE: 0.0,  # nobody has tried it: engram takes .01 from it, and nothing where it knows no state
    Lifecycle.VALIDATED: 0.03,
    Lifecycle.ACTIVE: 0.05,
    Lifecycle.STALE: -0.06,
    Lifecycle.ARCHIVED: -0.08,
}
_BY_LIFECYCLE = np.array([LIFECYCLE_TERMS[one] for one in Lifecycle])
_COLD_CENTRALITY, _COLD_RECENCY, _COLD_SHARE = 0.10, 0.70, 0.5


@dataclass(frozen=True, eq=False, slots=True)
class Metadata:
    """What is known of memories beside their texts, as aligned arrays; importance is NaN where nobody said."""

    uses: Floats
    confirmations: Floats
    helped: Floats
    failed: Floats
    importance: Floats
    lifecycle: npt.NDArray[np.int8]
    disputed: npt.NDArray[np.bool_]


def metadata_terms(known: Metadata, names: Collection[str]) -> dict[str, Floats]:
    """Return engram's terms that are asked for, and what is taken from those that somebody disputed."""
    up, down = known.helped / RATING, known.failed / RATING
    every = {
        "used": np.minimum(np.log10(known.uses + 1) / 3, 0.1),
        "important": np.nan_to_num((known.importance - 0.4) * 0.25),
        "lifecycle": _BY_LIFECYCLE[known.lifecycle],
        "confirmed": np.minimum(0.05 * known.confirmations, 0.3),
        "rated": 0.05 * np.minimum(up, 3) - 0.10 * np.minimum(down, 3),
        FACTOR: (up + 1) / (up + down + 2) / 0.5,
    }
    return {name: values for name, values in every.items() if name in names} | {
        "disputed": np.where(known.disputed, -DISPUTED, 0.0)
    }


def raise_cold(central: Floats, recent: Floats) -> Floats:
    """Return centralities with elfmem's floor for what is fresh and hardly linked yet."""
    is_cold = (central < _COLD_CENTRALITY) & (recent > _COLD_RECENCY)
    return np.where(is_cold, np.maximum(central, _COLD_SHARE * recent), central)


def composite(
    weights: ScoreWeights,
    parts: Mapping[str, Array],
    terms: Mapping[str, Array] | None = None,
    share: float = 1,
) -> Floats:
    """Weigh the parts, add the terms up with them and multiply by the factor; what is not given is 0, the factor 1.

    With a `share` below 1 terms and factor count that much of what they do, but for what was disputed. Nothing scores
    below 0.
    """
    added = [np.asarray(part, np.float64) * getattr(weights, name) for name, part in parts.items()]
    factor = np.ones(())
    for name, term in (terms or {}).items():
        if name == FACTOR:
            factor = np.asarray(term, np.float64) ** share
        else:
            added.append(np.asarray(term, np.float64) * (1 if name == "disputed" else share))
    return np.maximum(np.asarray(sum(added), np.float64) * factor, 0.0)


FACTOR_DIGITS = 4


@dataclass(frozen=True, slots=True)
class WorthReason:
    """One factor of a keep-value, and what it comes from."""

    name: str
    factor: float
    because: str


@dataclass(frozen=True, slots=True, repr=False)
class Worth(Result):
    """A keep-value and the factors that make it, which multiply to it."""

    value: float
    reasons: tuple[WorthReason, ...]

    def __str__(self) -> str:
        product = " × ".join(f"{one.name} {_figure(one.factor)}" for one in self.reasons)
        return f"worth {_figure(self.value)} = {product}"

    def lines(self) -> Iterator[str]:
        """Yield it as lines: the product, then what each factor comes from."""
        yield str(self)
        for one in self.reasons:
            yield f"    {one.name}: {one.because}"


@dataclass(frozen=True, slots=True, repr=False)
class Fall(Result):
    """What took a memory out of sight: which run, when, by which rules of which policy, and the ways back.

    `rules` are those of the run that do so and may have chosen it: one where one alone does. `into` are the memories
    that took its place or took it in.
    """

    status: str
    at: int
    verb: str
    run: str
    reason: str | None
    actor: str | None
    policy: str | None
    rules: tuple[str, ...]
    because: str
    into: tuple[int, ...]
    back: tuple[str, ...]

    time = Time("at")

    def __str__(self) -> str:
        rules = " or ".join(map(repr, self.rules))
        by = (
            f" by the rule {rules} of {self.policy!r}" if rules else f" by {self.actor}" if self.actor else ""
        )
        why = f", because {self.because}" if self.because else ""
        instead = f", in favour of {', '.join(f'#{seq}' for seq in self.into)}" if self.into else ""
        reason = f" ({self.reason})" if self.reason else ""
        return (
            f"{self.status}{reason} {minute_of(self.at)} in `{self.verb}`{by}{why}{instead} (run {self.run})"
        )

    def lines(self) -> Iterator[str]:
        """Yield it as lines: what happened, then each way back."""
        yield str(self)
        for way in self.back:
            yield f"    back: {way}"


def _figure(value: float) -> str:
    return f"{value:.{FACTOR_DIGITS}f}".rstrip("0").rstrip(".")
