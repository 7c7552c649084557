"""What the tools answer: small typed results, each with its wording for a model; stored text only between marks.

Knows the shape of answers; must not know how they come about.
"""

from dataclasses import dataclass, field

from remanence.change import Receipt
from remanence.clock import to_datetime
from remanence.curate.plan import Plan
from remanence.faces.mcp.fence import fenced
from remanence.model import Hit, Rated, Recalled
from remanence.text import visible


@dataclass(frozen=True)
class Found:
    """One memory that an answer holds."""

    id: str
    date: str
    score: float


@dataclass(frozen=True)
class Answer:
    """What was recalled: `text` holds it as marked data; `strength` is 0 to 1, near 0 for a guess."""

    text: str
    memories: list[Found]
    strength: float
    tokens: int
    left_out: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, recalled: Recalled) -> "Answer":
        """Write an answer of the engine out."""
        return cls(
            text=fenced(recalled.text),
            memories=[_found(hit) for hit in recalled.memories],
            strength=round(recalled.strength, 3),
            tokens=recalled.tokens,
            left_out=dict(recalled.left_out),
        )

    def __str__(self) -> str:
        left_out = ", ".join(f"{count} {reason}" for reason, count in self.left_out.items())
        return self.text + (f"\nLeft out: {left_out}" if left_out else "")


@dataclass(frozen=True)
class Stored:
    """What became of a text: stored anew, confirmed as a repeat, or known by its key."""

    id: str
    status: str
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.status} {self.id}" + (f" ({visible(self.reason)})" if self.reason else "")


@dataclass(frozen=True)
class Rating:
    """Which memories a rating counts for, and which it passed over and why."""

    rated: list[str]
    skipped: dict[str, str]

    @classmethod
    def of(cls, done: Rated) -> "Rating":
        """Write a rating of the engine out."""
        return cls(list(done.rated), {visible(one.id): one.reason for one in done.skipped})

    def __str__(self) -> str:
        skipped = "".join(f"\nSkipped: {name} ({reason})" for name, reason in self.skipped.items())
        return f"Rated: {', '.join(self.rated) or 'none'}.{skipped}"


@dataclass(frozen=True)
class Prepared:
    """A plan that waits under its id: nothing has happened yet; `spared` says what would stay and why."""

    plan_id: str
    text: str
    counts: dict[str, int]
    spared: dict[str, str] = field(default_factory=dict)
    held: str = ""

    @classmethod
    def of(cls, plan_id: str, plan: Plan) -> "Prepared":
        """Show a plan of curation."""
        counts = {name: count for name, count in plan.counts.items() if count}
        return cls(plan_id, visible(str(plan)), counts, held=plan.held or "")

    def __str__(self) -> str:
        spared = "".join(f"\nSpared: {name} ({reason})" for name, reason in self.spared.items())
        return f"{self.plan_id}: nothing of this has happened yet.\n{self.text}{spared}"


@dataclass(frozen=True)
class Done:
    """What was done, and the runs that `undo` takes back."""

    runs: list[str]
    changes: int
    counts: dict[str, int] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, *receipts: Receipt, skipped: list[str] | None = None) -> "Done":
        """Add receipts up."""
        counts: dict[str, int] = {}
        for receipt in receipts:
            for name, count in receipt.counts.items():
                counts[name] = counts.get(name, 0) + count
        return cls(
            runs=[receipt.run for receipt in receipts if receipt.changes],
            changes=sum(receipt.changes for receipt in receipts),
            counts={name: count for name, count in counts.items() if count},
            skipped=[
                *(skipped or ()),
                *(visible(reason) for receipt in receipts for reason in receipt.skipped),
            ],
        )

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items()) or "nothing"
        runs = "".join(f"\nTake it back with undo, run {run}" for run in self.runs)
        return f"Done: {counts}." + "".join(f"\nSkipped: {reason}" for reason in self.skipped) + runs


@dataclass(frozen=True)
class Told:
    """An answer in words."""

    text: str

    def __str__(self) -> str:
        return self.text


def _found(hit: Hit) -> Found:
    return Found(hit.memory.id, f"{to_datetime(hit.memory.said_at):%Y-%m-%d}", round(hit.score, 3))
