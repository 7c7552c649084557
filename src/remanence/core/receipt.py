"""What a verb answers that changed memories. Apart from changes, so that the package is imported without numpy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from remanence.core.model import DroppedMemory
from remanence.core.results import Result, Time, format_counts, minute_of, number, visible

CYCLE = "cycle"  # in the detail of the first part of a run
LEFT_OUT = "left_out"  # in that of each part: changes that were left out until then, since others had changed the rows


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(Result):
    """Receipt of a run; give it, or its `run`, to `undo`.

    `counts` maps an action ("archive", "unlink", …) to how many rows it changed. `skipped` lists planned changes that
    were not made, with the reason; `notes` has further remarks. `undoes` is the run that was undone, if there was one.
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
        """Number of memories that were archived."""
        return self.counts.get("archive", 0)

    @property
    def pruned(self) -> int:
        """Number of memories that were deleted."""
        return self.counts.get("prune", 0)

    @property
    def condensed(self) -> int:
        """Number of memories that were compressed: the shown text, not the stored one."""
        return self.counts.get("shrink", 0)

    @property
    def summarised(self) -> int:
        """Number of memories that now have a summary, which is shown in place of their text."""
        return self.counts.get("summarise", 0)

    @property
    def edges_pruned(self) -> int:
        """Number of links that were removed."""
        return self.counts.get("unlink", 0)

    @property
    def reinforced(self) -> int:
        """Number of memories that were reinforced."""
        return self.counts.get("reinforce", 0)

    @property
    def improved(self) -> int:
        """Number of memories that were given a confidence and had none before."""
        return self.counts.get("improve", 0)

    time = Time("at")

    def __str__(self) -> str:
        what = format_counts(self.counts) if self.undoes is None else f"took back {self.undoes}"
        omissions = f", {len(self.skipped):,} left out" if self.skipped else ""
        run = f" ({number(self.changes, 'change', 'changes')}, run {self.run})" if self.changes else ""
        return f"{self.verb}: {what}{omissions}{run}"


@dataclass(frozen=True, slots=True, repr=False)
class ExtractPendingResult(Result):
    """Result of extracting from waiting turns: facts stored and confirmed, facts left out by reason, and the runs.

    `cut` counts facts that were beyond the limits of a request or made no sense. `failed` says why turns still wait.
    """

    turns: int = 0
    stored: int = 0
    confirmed: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    cut: Mapping[str, int] = field(default_factory=dict)
    runs: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    def __str__(self) -> str:
        counts = {"facts stored": self.stored, "confirmed": self.confirmed, **self.left_out}
        cut = f"; cut: {format_counts(self.cut)}" if self.cut else ""
        failures = f"; {'; '.join(self.failed)}" if self.failed else ""
        return visible(f"{number(self.turns, 'turn', 'turns')} heard: {format_counts(counts)}{cut}{failures}")

    def __add__(self, other: "ExtractPendingResult") -> "ExtractPendingResult":
        """Return both together."""
        return ExtractPendingResult(
            self.turns + other.turns,
            self.stored + other.stored,
            self.confirmed + other.confirmed,
            _add_counts(self.left_out, other.left_out),
            _add_counts(self.cut, other.cut),
            self.runs + other.runs,
            self.failed + other.failed,
        )


def _add_counts(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}


@dataclass(frozen=True, slots=True, repr=False)
class LinkedDuplicates(Result):
    """Result of a search for near duplicates by words in a scope.

    `compared` memories have `candidates` pairs that seem to share most words. `linked` counts the pairs that were
    linked, `surer` the pairs that were linked before and whose link is more certain now. The texts of `left` pairs were
    not read, since others seem more alike. `run` is the id to give to `undo`, None where nothing was written. `waits`
    says why nothing was compared.
    """

    compared: int = 0
    candidates: int = 0
    linked: int = 0
    surer: int = 0
    left: int = 0
    run: str | None = None
    waits: str = ""

    def __str__(self) -> str:
        if self.waits:
            return f"nothing was compared: {self.waits}"
        rest = f"; {self.left:,} less alike were left" if self.left else ""
        surer = f", {self.surer:,} links surer" if self.surer else ""
        return (
            f"{self.compared:,} memories compared, {self.linked:,} near-duplicate pairs linked{surer}{rest}"
        )


@dataclass(frozen=True, slots=True, repr=False)
class ConsolidateResult(Result):
    """Result of a consolidation: memories activated, pairs linked, newer statements, contradictions and replacements.

    `judged` counts memories that a model judged, `unjudged` has the reason for each text that got no judgement, and
    `tokens_used` is the cost of all answers. If a limit was reached, `waits` says which: the rest of the inbox is
    unchanged. `proposed` lists changes that only a person may make, each after the id of its memory. `replaced` counts
    memories that were replaced because of a model's verdict, `verdicts` is the run of these replacements, which `undo`
    undoes, and `refused` says which memories stay active despite a verdict, and why. `steps` counts the other changes,
    and `failed` says what could not be done, and why. `runs` are all other runs, the oldest first: `run`, then one of
    each step that wrote anything. `heard` is the result of extracting from waiting turns, `duplicates` the result of
    the search for near duplicates, if that was asked.
    """

    activated: int = 0
    embedded: int = 0
    near_duplicates: int = 0
    similar: int = 0
    run: str | None = None
    judged: int = 0
    contradictions: int = 0
    newer: int = 0
    unjudged: tuple[str, ...] = ()
    tokens_used: int = 0
    waits: str = ""
    proposed: tuple[str, ...] = ()
    replaced: int = 0
    verdicts: str | None = None
    refused: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    steps: Mapping[str, int] = field(default_factory=dict)
    failed: tuple[str, ...] = ()
    heard: ExtractPendingResult = field(default_factory=ExtractPendingResult)
    duplicates: LinkedDuplicates | None = None

    def __str__(self) -> str:
        hearing = f"{self.heard}\n" if self.heard.turns or self.heard.failed else ""
        pairs = f"{self.near_duplicates:,} near-duplicate and {self.similar:,} similar pairs linked"
        waits = f"; the rest waits: {self.waits}" if self.waits else ""
        tags = f"; tags proposed, to be set by you: {', '.join(self.proposed)}" if self.proposed else ""
        findings = {
            "newer than an older one": self.newer,
            "at odds": self.contradictions,
            "replaced by verdict": self.replaced,
        }
        truth = "".join(f", {count:,} {what}" for what, count in {**findings, **self.steps}.items() if count)
        failures = "".join(f"; not done: {why}" for why in self.failed)
        active = number(self.activated, "memory", "memories")
        looked = "" if self.duplicates is None else f"\n{self.duplicates}"
        return f"{hearing}{active} active, {pairs}{truth}{tags}{waits}{failures}{looked}"


@dataclass(frozen=True, slots=True, repr=False)
class AutomaticRun(Result):
    """Result of an automatic run; `run` is the id to give to `undo`, None where nothing was changed.

    `held` says why its plan waits for a person, its `share` of the scope or the `clock`, and `destroyed` how many
    memories it would destroy; if it is the share, changes that destroy nothing are made all the same. `exempt` counts
    changes to which the deletion limit does not apply.
    """

    at: int
    outcome: Literal["done", "skipped", "failed"]
    run: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    held: Literal["", "share", "clock"] = ""
    destroyed: int = 0
    exempt: int = 0

    time = Time("at")

    def __str__(self) -> str:
        did = "; ".join(
            [*([format_counts(self.counts)] if self.counts else []), *filter(None, [self.reason])]
        )
        return visible(f"{minute_of(self.at)} {self.outcome}: {did or format_counts(self.counts)}")


@dataclass(frozen=True, slots=True, repr=False)
class RateResult(Result):
    """Result of a rating: ids of the rated memories, and the skipped ones with the reason."""

    rated: tuple[str, ...]
    skipped: tuple[DroppedMemory, ...] = ()
    run: str | None = None

    def __str__(self) -> str:
        skips = "".join(f"; not {one}" for one in self.skipped)
        return f"{number(len(self.rated), 'memory', 'memories')} rated{skips}"


def describe_cycle(cycle: Mapping[str, Any], left_out: int) -> str:
    """Say a summary in a line."""
    parts = [f"looked at {number(cycle['scanned'], 'memory', 'memories')}, kept {cycle['kept']:,}"]
    if cycle["refused"]:
        parts.append(f"guards refused {format_counts(cycle['refused'])}")
    if cycle["deferred"]:
        parts.append(f"{cycle['deferred']:,} wait for another day")
    if "tokens" in cycle:
        before, after = cycle["tokens"]
        parts.append(f"active tokens {before:,} before, {after:,} after")
    if cycle.get("freed"):
        parts.append(
            f"{number(abs(cycle['freed']), 'active token', 'active tokens')} {_pick_comparative(cycle['freed'])}"
        )
    if left_out:
        parts.append(f"{number(left_out, 'change', 'changes')} left out, since others had changed the rows")
    return "; ".join(parts)


def _pick_comparative(freed: int) -> str:
    return "fewer" if freed > 0 else "more"
