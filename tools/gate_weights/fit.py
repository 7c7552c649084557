"""Logistic regression on sparse counts, by full batches, the same to the last bit on one machine. Knows no texts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

STEPS = 120  # of each round
STEP = 0.05
DECAY, DECAY_SQUARES, TINY = 0.9, 0.99, 1e-6  # Adam's


@dataclass(frozen=True)
class Example:
    """What stands in a text, as places that may repeat, whether it is what is looked for, and how much it counts."""

    places: Ints
    wanted: bool
    counts: float


class Fit:
    """Weights that are fitted in rounds, so that examples may be chosen anew by what was fitted so far."""

    def __init__(self, ridge: Floats) -> None:
        """`ridge` says of each place how strongly its weight is held near nothing."""
        self.ridge = ridge
        self.weights = np.zeros(len(ridge) + 1)  # the last is what is added
        self._mean = np.zeros_like(self.weights)
        self._square = np.zeros_like(self.weights)
        self._step = 0

    def round(self, examples: Sequence[Example]) -> None:
        """Take a number of steps; the wanted and the others count the same together."""
        at = np.concatenate([one.places for one in examples])
        row = np.repeat(np.arange(len(examples)), [len(one.places) for one in examples])
        wanted = np.array([one.wanted for one in examples])
        counts = np.array([one.counts for one in examples])
        counts /= np.where(wanted, counts[wanted].sum(), counts[~wanted].sum())
        for _ in range(STEPS):
            score = np.bincount(row, self.weights[at], len(examples)) + self.weights[-1]
            missed = (1 / (1 + np.exp(-score)) - wanted) * counts
            slope = np.bincount(at, missed[row], len(self.weights))
            slope[:-1] += self.ridge * self.weights[:-1]
            slope[-1] = missed.sum()
            self._descend(slope)

    def _descend(self, slope: Floats) -> None:
        self._step += 1
        self._mean = DECAY * self._mean + (1 - DECAY) * slope
        self._square = DECAY_SQUARES * self._square + (1 - DECAY_SQUARES) * slope**2
        mean = self._mean / (1 - DECAY**self._step)
        square = self._square / (1 - DECAY_SQUARES**self._step)
        self.weights -= STEP * mean / (np.sqrt(square) + TINY)
