"""What a forecast says: the runs to come, what leaves in each, what stands in the end, and what cannot be known.

Knows what runs did; foretells nothing itself.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from remanence.core.clock import DAY
from remanence.core.effects import FORETOLD
from remanence.core.keywords import CadenceName
from remanence.core.model import AffectedMemory, short_id
from remanence.core.results import (
    MaybeTime,
    Result,
    Time,
    format_counts,
    minute_of,
    number,
    one_line,
    visible,
)
from remanence.curate.forecast import forecast_picture

# What a forecast lists memory by memory, from the gravest.
LEAVES = tuple(effect.name for effect in FORETOLD)
_TEXT_CHARS = 60
_RUNS_TOLD = 12
_LEAVING_TOLD = 10


@dataclass(frozen=True, slots=True, repr=False)
class Leaving(Result):
    """One memory that a run to come takes away or makes shorter: when, how and by which rule."""

    at: int
    action: str
    rule: str
    memory: AffectedMemory
    decay: str

    time = Time("at")

    def __str__(self) -> str:
        text = one_line(self.memory.text or "", _TEXT_CHARS)
        return visible(f"{minute_of(self.at)} {self.action} {short_id(self.memory.seq)} [{self.rule}] {text}")


@dataclass(frozen=True, slots=True, repr=False)
class RunToCome(Result):
    """One run to come: which rules are judged, and what they do, as a dry run at that instant would say it.

    `destroyed` counts what limits on deletion count, `exempt` what goes beside them, `deferred` what waits for another
    day. `held` says why a plan waits for a person then; what destroys nothing is done all the same.
    """

    at: int
    cadence: CadenceName
    counts: Mapping[str, int]
    by_rule: tuple[tuple[str, str, int], ...]
    destroyed: int = 0
    exempt: int = 0
    deferred: int = 0
    held: str = ""

    time = Time("at")

    def __str__(self) -> str:
        rules = ", ".join(f"{action} {count:,} [{rule}]" for action, rule, count in self.by_rule)
        waits = f"; {self.deferred:,} on another day" if self.deferred else ""
        hold = f"; {self.held}" if self.held else ""
        return visible(f"{minute_of(self.at)} {self.cadence}: {rules or 'nothing'}{waits}{hold}")


@dataclass(frozen=True, slots=True, repr=False)
class Forecast(Result):
    """What a policy will do until an instant if nothing but time passes.

    `counts`, `by_rule`, `by_class` (of each decay class) and `by_day` (of each 24 hours from now on) count everything;
    `runs` and `leaving` list so many from an offset on, and `runs_more` and `leaving_more` say how many there are
    besides. `stands` counts memories by status in the end, `stood` now. `every` is how many seconds lie between two
    ticks, None where one comes whenever it is due; from `coarse_at` on they were taken together. `held_at` says since
    when a plan waits for a person. `unknown` says in words what no forecast can know.
    """

    scope: str
    policy: str
    at: int
    until: int
    counts: Mapping[str, int]
    by_rule: tuple[tuple[str, str, int], ...]
    by_class: Mapping[str, Mapping[str, int]]
    by_day: tuple[Mapping[str, int], ...]
    runs: tuple[RunToCome, ...]
    leaving: tuple[Leaving, ...]
    stood: Mapping[str, int]
    stands: Mapping[str, int]
    runs_more: int = 0
    leaving_more: int = 0
    deferred: int = 0
    held: str = ""
    held_at: int | None = None
    every: float | None = None
    coarse_at: int | None = None
    unknown: tuple[str, ...] = ()

    time, until_time = Time("at"), Time("until")
    held_time, coarse_time = MaybeTime("held_at"), MaybeTime("coarse_at")

    @property
    def days(self) -> int:
        """How many days it looks ahead."""
        return (self.until - self.at) // DAY

    def svg(self) -> str:
        """Draw it: a bar for each day, week or month, by what leaves how; a picture that needs nothing else."""
        return forecast_picture.svg(self._build_leavings())

    def chart(self, width: int = 80) -> str:
        """Draw the same in characters, so many wide."""
        return forecast_picture.chart(self._build_leavings(), width)

    def _build_leavings(self) -> forecast_picture.Leavings:
        return forecast_picture.Leavings(self.scope, self.policy, self.at, self.until, self.by_day)

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, width: int = 80) -> Sequence[str]:
        """Say it in lines: what leaves, the picture, the runs, what stands, and what cannot be known."""
        rows = [self._line()]
        rows += self.chart(width).splitlines()
        rows += [f"  {action} {count:,} [{rule}]" for action, rule, count in self.by_rule]
        rows += [
            f"  of decay class {name}: {format_counts(counts)}" for name, counts in self.by_class.items()
        ]
        rows += ["runs:"] * bool(self.runs) + [f"  {run}" for run in self.runs[:_RUNS_TOLD]]
        more = self.runs_more + max(0, len(self.runs) - _RUNS_TOLD)
        rows += [f"  and {number(more, 'more run', 'more runs')}"] * bool(more)
        rows += ["first to leave:"] * bool(self.leaving) + [
            f"  {one}" for one in self.leaving[:_LEAVING_TOLD]
        ]
        rows += [f"stands now: {format_counts(self.stood)}; then: {format_counts(self.stands)}"]
        if self.held and self.held_at is not None:
            rows.append(f"held from {minute_of(self.held_at)} on: {self.held}")
        if self.deferred:
            rows.append(
                f"{number(self.deferred, 'memory waits', 'memories wait')} still for another day then"
            )
        if self.coarse_at is not None and self.every is not None:
            rows.append(
                f"from {minute_of(self.coarse_at)} on ticks are taken together, {self.every / 3600:g} hours each:"
                " there are too many runs to plan each"
            )
        rows += ["what it cannot know:", *(f"  {one}" for one in self.unknown)]
        return [visible(line) for line in rows]

    def _line(self) -> str:
        """Say in one line what leaves."""
        runs = number(len(self.runs) + self.runs_more, "run", "runs")
        days = number(self.days, "day", "days")
        what = format_counts(self.counts) if self.counts else "nothing leaves"
        return f"{self.policy!r} in scope {self.scope!r}, the next {days}: {runs}; {what}"


@dataclass(slots=True)
class Tally:
    """What runs to come do, counted whole, of which so many are listed."""

    began: int
    days: int
    by_rule: Counter[tuple[str, str]] = field(default_factory=Counter)
    by_class: dict[str, Counter[str]] = field(default_factory=dict)
    by_day: list[Counter[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.by_day = [Counter() for _ in range(self.days)]

    def add(self, run: RunToCome) -> None:
        """Count a run."""
        day = min((run.at - self.began) // DAY, self.days - 1)
        for action, rule, count in run.by_rule:
            self.by_rule[action, rule] += count
            self.by_day[day][action] += count

    @property
    def counts(self) -> Mapping[str, int]:
        """How many memories or links each action changes."""
        totals: Counter[str] = Counter()
        for (action, _), count in self.by_rule.items():
            totals[action] += count
        return dict(totals)
