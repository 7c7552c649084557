"""Why a memory is worth what it is, and what took it out of sight: as results, to read and as data."""

from collections.abc import Iterator
from dataclasses import dataclass

from remanence.core.results import Result, Time, minute_of

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
        by = f" by the rule {rules} of {self.policy!r}" if rules else f" by {self.actor}" * bool(self.actor)
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
