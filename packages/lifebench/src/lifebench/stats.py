"""Shares with intervals over worlds."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

Z = 1.96  # 95 %
DRAWS = 2000


@dataclass(frozen=True)
class Share:
    """A share of checks that passed, with an interval of 95 %."""

    passed: int
    checks: int
    low: float
    high: float

    def __str__(self) -> str:
        share = 100 * self.passed / self.checks
        return f"{share:.1f} % [{100 * self.low:.1f}–{100 * self.high:.1f}] ({self.passed}/{self.checks})"


def estimate_share(worlds: Sequence[tuple[int, int]]) -> Share:
    """Return the share over worlds, each given as passed and checks.

    The interval is the wider of two on each side: Wilson's over checks, which holds where no check failed, and one by
    drawing worlds again, which holds where checks of one world resemble each other.
    """
    passed, checks = sum(one for one, _ in worlds), sum(number for _, number in worlds)
    low, high = wilson(passed, checks)
    draw = random.Random(0)
    shares = []
    for _ in range(DRAWS if len(worlds) > 1 else 0):
        drawn = draw.choices(worlds, k=len(worlds))
        shares.append(sum(one for one, _ in drawn) / sum(number for _, number in drawn))
    if shares:
        shares.sort()
        low = min(low, shares[int(0.025 * len(shares))])
        high = max(high, shares[int(0.975 * len(shares)) - 1])
    return Share(passed, checks, low, high)


def wilson(passed: int, checks: int) -> tuple[float, float]:
    """Return Wilson's interval of a share."""
    share, square = passed / checks, Z * Z / checks
    middle = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * ((share * (1 - share) + square / 4) / checks) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)
