"""What a forecast says: runs to come, what leaves in each, what stands in the end; as data, as text and as SVG.

Knows counts by day and what runs did; foretells nothing itself. The SVG needs no other file, no script and no library.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from html import escape

from remanence.core.clock import DAY, to_datetime
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

SPANS = (1, 7, 30, 91, 365)  # days of a bar
BARS_MAX = 45
LEAVES = tuple(effect.name for effect in FORETOLD)  # how memories leave, from the gravest
# Each kind has a sign of its own, so that neither colour nor a terminal that knows any is needed.
SIGNS: Mapping[str, str] = {effect.name: effect.sign for effect in FORETOLD}
_WORDS: Mapping[str, str] = {effect.name: effect.past for effect in FORETOLD}
_LABEL = len("2026-01-01 ")
_BAR_MIN = 10
_TEXT_CHARS = 60
_RUNS_TOLD = 12
_LEAVING_TOLD = 10


@dataclass(frozen=True, slots=True)
class Bar:
    """What leaves within a span of days, by kind."""

    label: str
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """How much leaves."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True, repr=False)
class Leaving(Result):
    """One memory that a run to come archives, deletes, merges, replaces or compresses: when, how and by which rule."""

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

    `destroyed` counts changes to which the deletion limit applies, `exempt` changes to which it does not, `deferred`
    changes that wait for another day. `held` says why a plan then waits for a person; changes that destroy nothing are
    made all the same.
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
    """Forecast of what a policy will do until an instant if nothing but time passes.

    `counts`, `by_rule`, `by_class` (of each decay class) and `by_day` (of each 24 hours from now on) count everything.
    `runs` and `leaving` list a limited number from an offset on; `runs_more` and `leaving_more` count the others.
    `stands` counts memories by status at the end, `stood` now. `every` is the number of seconds between two rounds,
    None where a round comes whenever it is due; from `coarse_at` on several rounds were taken as one. `held_at` says
    since when a plan waits for a person. `unknown` says in words what no forecast can know.
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
        """Draw it: a bar for each day, week or month, by how memories leave; a picture that needs nothing else."""
        return _draw_svg(self)

    def chart(self, width: int = 80) -> str:
        """Draw the same in characters, `width` characters wide."""
        span, series = _build_bars(self)
        most = max((bar.total for bar in series), default=0)
        if not most:
            return "nothing leaves"
        figures = max(len(f"{bar.total:,}") for bar in series) + 1
        room = max(_BAR_MIN, width - _LABEL - figures)
        lines = [f"{bar.label} {_render_bar_cells(bar, most, room)} {bar.total:,}".rstrip() for bar in series]
        kinds = [name for name in LEAVES if any(name in bar.counts for bar in series)]
        legend = ", ".join(f"{SIGNS[name]} {_WORDS[name]}" for name in kinds)
        return "\n".join([f"each line {number(span, 'day', 'days')}; {legend}", *lines])

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, width: int = 80) -> Sequence[str]:
        """Return it in lines: memories that leave, the picture, the runs, counts by status, and the unknowns."""
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
                f"from {minute_of(self.coarse_at)} on rounds are taken together, {self.every / 3600:g} hours each:"
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


def _build_bars(forecast: Forecast) -> tuple[int, list[Bar]]:
    """Return how many days a bar stands for, and the bars."""
    days = forecast.by_day
    span = next((span for span in SPANS if len(days) <= span * BARS_MAX), SPANS[-1])
    series = []
    for first in range(0, len(days), span):
        counts: Counter[str] = Counter()
        for day in days[first : first + span]:
            counts.update({name: count for name, count in day.items() if name in LEAVES})
        label = (to_datetime(forecast.at) + timedelta(days=first)).date().isoformat()
        series.append(Bar(label, {name: counts[name] for name in LEAVES if counts[name]}))
    return span, series


def _render_bar_cells(bar: Bar, most: int, room: int) -> str:
    """Share a bar's cells out among its kinds, each of which has one at least where there is room."""
    cells, total, end = "", 0, 0
    for name, count in bar.counts.items():
        total += count
        until = min(room, max(end + 1, round(total * room / most)))
        cells += SIGNS[name] * (until - end)
        end = until
    return cells


WIDTH, HEIGHT = 800, 452
LEFT, RIGHT, TOP, BOTTOM = 84, 16, 140, 64
# Okabe and Ito's colours and a violet, which the colour-blind tell apart, on white and on black.
_COLOURS: Mapping[str, tuple[str, str]] = dict(
    zip(
        LEAVES,
        (
            ("#4a4a4a", "#c8c8c8"),
            ("#d55e00", "#ff8a4c"),
            ("#cc79a7", "#e3a3c6"),
            ("#6a3d9a", "#b79ae0"),
            ("#0072b2", "#56b4e9"),
            ("#009e73", "#4fd1a5"),
            ("#e69f00", "#f0e442"),
        ),
        strict=True,
    )
)
_TICKS = 4
_STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8)  # between two lines, times a power of ten
_LABELS_MAX = 8
_LABEL_LEAST = 78  # between the middles of two dates
_LABEL_WIDE = 110  # of a date where letters are large
_KEYS_ROW, _KEY_WIDE, _KEY_HIGH = 3, 236, 24
_NAME_CHARS = 24
_BAR_MAX = 72


def _draw_svg(forecast: Forecast) -> str:
    """Draw it as SVG, light and dark as the reader's screen is; where it is narrow letters are larger."""
    span, series = _build_bars(forecast)
    most = _round_axis_top(max(bar.total for bar in series))
    days = number(forecast.days, "day", "days")
    head = f"What leaves in the next {days}"
    policy, scope = (one_line(name, _NAME_CHARS) for name in (forecast.policy, forecast.scope))
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
                ' aria-labelledby="title desc" font-family="system-ui, sans-serif">'
            ),
            f'<title id="title">{head}</title>',
            f'<desc id="desc">{escape(_describe_picture(forecast, span))}</desc>',
            _render_style(),
            f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>',
            f'<text class="ink head" x="{LEFT}" y="24">{head}</text>',
            f'<text class="ink" x="{LEFT}" y="46">policy {escape(policy)}, scope {escape(scope)}</text>',
            *_draw_keys(series),
            *_draw_grid(most),
            *_draw_bars(series, most),
            *_draw_dates(series),
            _render_text(
                LEFT + _inner / 2,
                HEIGHT - 12,
                f"from that day on, UTC; each bar {number(span, 'day', 'days')}",
            ),
            (
                f'<text class="ink second" transform="translate(20 {TOP + _high / 2:.1f}) rotate(-90)"'
                ' text-anchor="middle">memories</text>'
            ),
            "</svg>\n",
        ]
    )


_inner, _high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM


def _render_text(x: float, y: float, text: str, more: str = "", anchor: str = "middle") -> str:
    return f'<text class="ink{more}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _describe_picture(forecast: Forecast, span: int) -> str:
    """Say in words what the picture shows."""
    counts = {name: sum(day.get(name, 0) for day in forecast.by_day) for name in LEAVES}
    what = ", ".join(f"{count:,} {_WORDS[name]}" for name, count in counts.items() if count)
    return (
        f"Under the policy {forecast.policy} in the scope {forecast.scope}, from"
        f" {to_datetime(forecast.at).date()} to {to_datetime(forecast.until).date()}, if nothing but time passes:"
        f" {what or 'nothing leaves'}. Each bar stands for {number(span, 'day', 'days')}."
    )


def _render_style() -> str:
    """Set the colours, light and dark; a picture alone asks the reader's screen."""
    light, dark = (
        " ".join(f".{_css_class(name)}{{fill:{pair[side]}}}" for name, pair in _COLOURS.items())
        for side in (0, 1)
    )
    return (
        "<style>text{font-size:12px} .head{font-size:16px} .ground{fill:#ffffff} .ink{fill:#1f2328}"
        " .line{stroke:#d0d4da} .bar{stroke:#ffffff} "
        f"{light} @media (prefers-color-scheme: dark){{.ground{{fill:#15181c}} .ink{{fill:#e6e8ea}}"
        f" .line{{stroke:#3a4048}} .bar{{stroke:#15181c}} {dark}}}"
        " @media (max-width: 520px){text{font-size:19px} .head{font-size:24px} .second{display:none}}</style>"
    )


def _css_class(kind: str) -> str:
    return f"k-{kind}"


def _draw_keys(drawn: Sequence[Bar]) -> Iterator[str]:
    kinds = [name for name in LEAVES if any(name in bar.counts for bar in drawn)]
    for place, name in enumerate(kinds):
        row, column = divmod(place, _KEYS_ROW)
        x, y = LEFT + column * _KEY_WIDE, 70 + row * _KEY_HIGH
        yield f'<rect class="{_css_class(name)}" x="{x}" y="{y - 11}" width="12" height="12"/>'
        total = sum(bar.counts.get(name, 0) for bar in drawn)
        yield _render_text(x + 18, y, f"{_WORDS[name]} {total:,}", anchor="start")


def _draw_grid(most: int) -> Iterator[str]:
    for step in range(_TICKS + 1):
        value, y = most * step // _TICKS, TOP + _high * (1 - step / _TICKS)
        yield f'<line class="line" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _render_text(LEFT - 8, y + 4, _format_short_number(value), anchor="end")


def _format_short_number(value: int) -> str:
    """Write a round number in few characters."""
    for least, sign in ((1_000_000_000, "G"), (1_000_000, "M"), (10_000, "k")):
        if value >= least:
            return f"{value / (1_000 if sign == 'k' else least):g}{sign}"
    return f"{value:,}"


def _draw_bars(drawn: Sequence[Bar], most: int) -> Iterator[str]:
    """Draw the bars, what is gravest below; a count that is not nothing is seen."""
    if not any(bar.total for bar in drawn):
        yield _render_text(LEFT + _inner / 2, TOP + _high * 3 / 8 + 5, "nothing leaves", " head")
    each = _inner / len(drawn)
    wide = min(each * 0.8, _BAR_MAX)
    for place, bar in enumerate(drawn):
        y = float(TOP + _high)
        for name, count in bar.counts.items():
            high = max(2.0, _high * count / most)
            y -= high
            yield (
                f'<rect class="bar {_css_class(name)}" x="{LEFT + (place + 0.5) * each - wide / 2:.1f}" y="{y:.1f}"'
                f' width="{wide:.1f}" height="{high:.1f}"><title>{bar.label}: {count:,} {_WORDS[name]}'
                "</title></rect>"
            )


def _draw_dates(drawn: Sequence[Bar]) -> Iterator[str]:
    """Name days below; every second of the names steps back where letters are large."""
    each, step = _inner / len(drawn), -(-len(drawn) // _LABELS_MAX)
    last = 0.0
    for place in range(0, len(drawn), step):
        x = min(LEFT + (place + 0.5) * each, WIDTH - _LABEL_WIDE / 2)
        if x - last < _LABEL_LEAST:
            break
        last = x
        second = " second" if place // step % 2 else ""
        yield _render_text(x, TOP + _high + 20, drawn[place].label, second)


def _round_axis_top(most: int) -> int:
    """Return a round number at or above another that four lines divide."""
    scale = 1
    while True:
        for step in _STEPS:
            # Below 10 a line stands for whole memories only.
            top = _TICKS * scale * step
            if top >= most and top % _TICKS == 0:
                return int(top)
        scale *= 10
