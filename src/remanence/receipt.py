"""What a verb answers that changed memories. Apart from changes, so that the package is imported without numpy."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from remanence.results import Result, Time, counted, number


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(Result):
    """What was done; give it, or its `run`, to `undo`.

    `counts` maps an action ("archive", "unlink", …) to how many rows it changed; `skipped` lists what was
    planned and not done, with the reason, `notes` what there is to say besides. `undoes` is the run that was taken
    back, where one was.
    """

    run: str
    verb: str
    at: int
    scope: str
    changes: int
    counts: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    parts: int = 1
    notes: tuple[str, ...] = ()
    undoes: str | None = None

    @property
    def archived(self) -> int:
        """How many memories were archived."""
        return self.counts.get("archive", 0)

    @property
    def pruned(self) -> int:
        """How many memories were made tombstones."""
        return self.counts.get("prune", 0)

    @property
    def edges_pruned(self) -> int:
        """How many links were cut."""
        return self.counts.get("unlink", 0)

    @property
    def reinforced(self) -> int:
        """How many memories were reinforced."""
        return self.counts.get("reinforce", 0)

    time = Time("at")

    def __str__(self) -> str:
        what = counted(self.counts) if self.undoes is None else f"took back {self.undoes}"
        left = f", {len(self.skipped):,} left out" if self.skipped else ""
        run = f" ({number(self.changes, 'change', 'changes')}, run {self.run})" if self.changes else ""
        return f"{self.verb}: {what}{left}{run}"
