"""Why a recall or a frame answered as it did, as one record, and how that reads: as lines, with bars, or as data.

Knows numbers and short names, no texts of memories; must not know how anything is found.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Literal

from remanence.core.results import Result, number, visible

# Of the parts of a score these multiply, and these are measured before they are scaled: the part that each belongs to.
# All others are added.
FACTORS = frozenset(
    {"named", "worth", "archived", "lifecycle", "when", "question", "disputed", "order", "helpful"}
)
MEASURES: Mapping[str, tuple[str, str]] = {
    "held": ("lexical", "held"),
    "cosine": ("semantic", "cosine"),
    "contextual_cosine": ("contextual", "cosine"),
}
WIDTH = 60  # columns of a line with bars
_NAME, _BAR = 13, 10  # columns of a part's name and of the longest bar
_EIGHTHS = " ▏▎▍▌▋▊▉"
_DROPS_SHOWN = 5
# What kept a memory out: what it is, how it was narrowed, how it ranks, and what had room.
Stage = Literal[
    "gate",
    "status",
    "expired",
    "entity",
    "filter",
    "archive",
    "no match",
    "pool",
    "rank",
    "duplicate",
    "budget",
    "moved",
    "nothing",
]


@dataclass(frozen=True, slots=True, repr=False)
class ScorePart(Result):
    """One part of a score, added to the others or, where it `is_factor`, multiplied with their sum.

    `rank` is its place among the candidates by this part alone, None where that tells nothing. `measures` are the
    numbers behind it, before they were scaled or weighed.
    """

    name: str
    value: float
    is_factor: bool = False
    rank: int | None = None
    measures: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_neutral(self) -> bool:
        """Return True if it changes nothing that three digits show."""
        return round(self.value, 3) == self.is_factor

    def __str__(self) -> str:
        return f"{self.name} {'×' if self.is_factor else ''}{self.value:.3f}"


@dataclass(frozen=True, slots=True, repr=False)
class Hop(Result):
    """A step along a link: from which memory to which, by which relation, how strong and how sure it is.

    Where nobody said how sure, `confidence` is None and counts as 1.
    """

    source: int
    target: int
    relation: str
    weight: float
    confidence: float | None = None

    def __str__(self) -> str:
        sure = "n/a" if self.confidence is None else f"{self.confidence:.2f}"
        return f"#{self.source} {self.relation} #{self.target} (weight {self.weight:.2f}, confidence {sure})"


@dataclass(frozen=True, slots=True, repr=False)
class ScoreExplanation(Result):
    """Score of one memory and its parts; 0 where the memory has its place for another reason, which `because` says.

    `parts` add up to the score: (the sum of all terms) × all factors. `rank` is the place by score among the
    candidates, 0 where the memory was none of them. `stands_above` names a memory with a higher rank above which this
    one was put, and says why; its score did not cause that. For a frame `similarity` has the parts of recall's score
    for the question, before it is set in relation to the best, and `path` has links that support the memory. For a
    recall `path` has links to other memories of the answer or, where `linked` is a part, the way by which the memory
    was reached.
    """

    seq: int
    id: str
    score: float
    rank: int
    parts: tuple[ScorePart, ...] = ()
    because: str = ""
    stands_above: str = ""
    similarity: tuple[ScorePart, ...] = ()
    path: tuple[Hop, ...] = ()

    @property
    def total(self) -> float:
        """Score that the parts add up to."""
        return sum_parts(self.parts)

    def __str__(self) -> str:
        score = f"{self.score:.3f} = {format_sum(self.parts)}" if self.parts else "no score"
        because = f"; {self.because}" if self.because else ""
        above = f"; stands above {self.stands_above}" if self.stands_above else ""
        return visible(f"#{self.seq} {score}{because}{above}")


@dataclass(frozen=True, slots=True, repr=False)
class FilterCount(Result):
    """How many memories a filter took of those that the filters before it had left."""

    name: str
    removed: int

    def __str__(self) -> str:
        return f"{self.name} {self.removed:,}"


@dataclass(frozen=True, slots=True, repr=False)
class Absence(Result):
    """The first thing that kept a memory, or a text, out of an answer, and what would have let it in.

    `name` is the name that was asked for; if no stored memory has it, `seq` is 0 and `id` is "". `score` says how the
    memory was scored, if it was. `beaten_by` are the numbers of the memories that have its place. If the memory is in
    the answer after all, the stage is "nothing".
    """

    name: str
    stage: Stage
    what: str
    way_in: str = ""
    seq: int = 0
    id: str = ""
    score: ScoreExplanation | None = None
    beaten_by: tuple[int, ...] = ()

    def __str__(self) -> str:
        why = self.what if self.stage == "nothing" else f"{self.stage}: {self.what}"
        way = f"\n  {self.way_in}" if self.way_in else ""
        return visible(f"why not {self.name}? {why}{way}")


@dataclass(frozen=True, slots=True, repr=False)
class RecallExplanation(Result):
    """Why an answer is as it is: what was left by which filter, how each was scored, what had room, where time went.

    Of `memories` that are kept at hand the `filters` left `candidates`, `archived` of which are none of these but were
    read of a large archive for this question, and the best `pool` were looked at in the end. `frame` names the frame
    that was asked, "" for a recall. `floor` is the strength below which an answer is weak, None where none is known.
    `dropped` maps short ids to why they got no place. `spent_us` are microseconds by what they went into. `absence`
    answers `why_not`.
    """

    memories: int
    filters: tuple[FilterCount, ...]
    candidates: int
    pool: int
    scores: tuple[ScoreExplanation, ...]
    limit: int
    budget: int | None
    tokens: int
    strength: float
    floor: float | None = None
    frame: str = ""
    dropped: Mapping[str, str] = field(default_factory=dict)
    spent_us: Mapping[str, int] = field(default_factory=dict)
    absence: Absence | None = None
    archived: int = 0

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, width: int = WIDTH) -> list[str]:
        """Return it in lines of `width` columns, with a bar for each part of each score; longer lines are wrapped."""
        scores = [line for one in self.scores for line in self.score_lines(one, width)]
        return [*self.head_lines(width), *scores, *self.rest_lines(width)]

    def head_lines(self, width: int = WIDTH) -> list[str]:
        """Write the answer to `why_not`, with what it scored, and how many memories the filters left."""
        drawn = () if self.absence is None or self.absence.score is None else self.absence.score.parts
        rows = [_draw_part(part, self._best_part()) for part in drawn if _tells(part)]
        absence = [] if self.absence is None else [str(self.absence), *rows]
        return _wrap_all([*absence, self._describe_filters()], width)

    def score_lines(self, one: ScoreExplanation, width: int = WIDTH) -> list[str]:
        """Write how one memory came to its score; the longest bar of the answer is full."""
        candidates = self.pool if self.frame else self.candidates
        return _wrap_all(_draw_score(one, candidates, self._best_part()), width)

    def rest_lines(self, width: int = WIDTH) -> list[str]:
        """Write what had room, what got none, how strong the answer is and where the time went."""
        return _wrap_all(self._rest(), width)

    def brief(self) -> list[str]:
        """Write it in as few lines as it needs, one a memory, without bars: for a model that pays by the token."""
        absence = [] if self.absence is None else [str(self.absence), *_write_scores([self.absence.score])]
        rows = [*absence, self._describe_filters(), *_write_scores(self.scores), *self._rest()]
        return [visible(row) for row in rows]

    def _best_part(self) -> float:
        """Return the greatest part that is added to any score: its bar is full."""
        every = [*self.scores, *([] if self.absence is None else filter(None, [self.absence.score]))]
        return max((part.value for one in every for part in one.parts if not part.is_factor), default=0.0)

    def _describe_filters(self) -> str:
        took = ", ".join(str(one) for one in self.filters if one.removed)
        filters = f"; filters took {took}" if took else ""
        read = f"; {self.archived:,} of the archive were read" if self.archived else ""
        left = f"; left {self.candidates:,}" if filters or read else ""
        return f"{number(self.memories, 'memory', 'memories')}{filters}{read}{left}"

    def _rest(self) -> Iterator[str]:
        room = f"{self.tokens:,} tokens" + ("" if self.budget is None else f" of {self.budget:,}")
        yield f"looked at the best {self.pool:,}, {len(self.scores):,} are shown of at most {self.limit:,}; {room}"
        if self.frame and any(one.similarity for one in self.scores):
            yield "the question orders first, the other parts of the score what answers it alike"
        told = [(name, reason) for name, reason in self.dropped.items() if " " in reason]
        yield from (f"left out {name}: {reason}" for name, reason in told[:_DROPS_SHOWN])
        if len(told) > _DROPS_SHOWN:
            yield f"left out {len(told) - _DROPS_SHOWN:,} more"
        if self.strength:
            floor = "" if self.floor is None else f"; weak below {self.floor:.2f}"
            doubt = " (weak)" if self.floor is not None and self.strength < self.floor else ""
            yield f"strength {self.strength:.2f}{doubt}{floor}"
        spent = ", ".join(f"{name} {micros / 1_000:.1f}" for name, micros in self.spent_us.items())
        yield f"took {sum(self.spent_us.values()) / 1_000:.1f} ms: {spent}"


def _write_scores(scores: Iterable[ScoreExplanation | None]) -> Iterator[str]:
    """Yield a line for each score, with the places and measures of its parts."""
    for one in filter(None, scores):
        notes = [f"{part.name} {note}" for part in one.parts if (note := format_notes(part))]
        yield "; ".join([str(one), *notes, *map(str, one.path)])


def _wrap_all(rows: Iterable[str], width: int) -> list[str]:
    return [line for row in rows for line in wrap_line(row, width)]


def sum_parts(parts: Sequence[ScorePart]) -> float:
    """Return the score that some parts make: (the sum of what is added) × all factors."""
    return sum(one.value for one in parts if not one.is_factor) * prod(
        one.value for one in parts if one.is_factor
    )


def format_sum(parts: Sequence[ScorePart]) -> str:
    """Write the sum that a score is; what changes nothing is left out."""
    terms = [str(one) for one in parts if not one.is_factor and not one.is_neutral]
    factors = [str(one) for one in parts if one.is_factor and not one.is_neutral]
    return " ".join([f"({' + '.join(terms)})" if factors and len(terms) > 1 else " + ".join(terms), *factors])


def build_parts(
    values: Mapping[str, float],
    ranks: Mapping[str, int],
    measures: Mapping[str, Mapping[str, float]],
) -> tuple[ScorePart, ...]:
    """Build the parts of a score of recall from the numbers of a hit; `ranks` and `measures` are by part."""
    behind: dict[str, dict[str, float]] = {name: dict(some) for name, some in measures.items()}
    for name, (part, what) in MEASURES.items():
        if name in values:
            behind.setdefault(part, {})[what] = values[name]
    return tuple(
        ScorePart(name, value, name in FACTORS, ranks.get(name), behind.get(name, {}))
        for name, value in values.items()
        if name not in MEASURES
    )


def _draw_score(one: ScoreExplanation, candidates: int, best: float) -> Iterator[str]:
    place = f", {ordinal(one.rank)} of {candidates:,}" if one.rank else ""
    score = f"scores {one.score:.3f}{place}" if one.parts else "has no score"
    because = f"; {one.because}" if one.because else ""
    yield f"#{one.seq} {score}{because}"
    if one.stands_above:
        yield f"  stands above {one.stands_above}"
    yield from (_draw_part(part, best) for part in one.parts if _tells(part))
    if one.similarity:
        yield f"  similarity is {format_sum(one.similarity)}, over the best"
    yield from (f"  link {hop}" for hop in one.path)


def _tells(part: ScorePart) -> bool:
    """Tell whether a part changes the score, or at least tells why it does not."""
    return not part.is_neutral or bool(format_notes(part))


def _draw_part(part: ScorePart, best: float) -> str:
    sign = "×" if part.is_factor else "+"
    bar = "" if part.is_factor or best <= 0 else draw_bar(part.value / best)
    return f"  {part.name:<{_NAME}} {sign}{part.value:.3f} {bar:<{_BAR}} {format_notes(part)}".rstrip()


def format_notes(part: ScorePart) -> str:
    """Write how a part ranks and what is behind it, "" where that is nothing."""
    behind = part.measures
    measures = [f"{name} {value:.2f}" for name, value in behind.items() if round(value, 2)]
    if "weight" in behind:
        measures = [f"{behind['part']:.2f} × {behind['weight']:.2f}"]
    return ", ".join(filter(None, ["" if part.rank is None else ordinal(part.rank), *measures]))


def draw_bar(share: float) -> str:
    """Return a bar for a share of the longest, to an eighth of a column."""
    eighths = round(max(0.0, min(1.0, share)) * _BAR * 8)
    return "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def ordinal(place: int) -> str:
    """Write a place: 1st, 2nd, 3rd, 11th."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place:,}{ending}"


def wrap_line(text: str, width: int) -> Iterator[str]:
    """Break lines at blanks into such of so many characters, as far as words allow it; what goes on is indented."""
    for row in text.split("\n"):
        indent = " " * (len(row) - len(row.lstrip()) + 4)
        first, *words = visible(row).split(" ")
        line = first
        for word in words:
            if line.strip() and len(line) + 1 + len(word) > width:
                yield line.rstrip()
                line = indent + word
            else:
                line = f"{line} {word}"
        yield line.rstrip()
