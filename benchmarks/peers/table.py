"""One table of all systems: the evidence that each finds, what its calls cost, and what it weighs.

Each memory lives in a process of its own, asked through its adapter of lifebench. CPU time is that of all processes of
a system, with what its adapter and the pipe to it take.
"""

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median

from benchmarks.peers.notes import Data, Notes
from benchmarks.peers.systems import System, count_mb
from benchmarks.report import figure, note
from lifebench.adapter import Unsupported
from lifebench.runner import AdapterFault, Sandbox

SCOPE = "notes"
DEPTH = 10
CHANGED = 20  # texts that are replaced, forgotten and erased, of each
Given = dict[str, str]  # what a call is made with


class TooSlow(Exception):
    """A store took longer than the limit."""


@dataclass
class Row:
    """The figures of one system by column, a value a run, and why it stopped."""

    figures: dict[tuple[str, str], list[float]] = field(default_factory=dict)  # by name and unit
    stopped: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, value: float, unit: str) -> None:
        """Keep a figure of one run."""
        self.figures.setdefault((name, unit), []).append(value)

    def medians(self) -> dict[tuple[str, str], float]:
        """Return each figure, the median of its runs."""
        return {column: median(values) for column, values in self.figures.items()}

    def report(self, name: str) -> None:
        """Print the figures."""
        for (column, unit), value in self.medians().items():
            runs = [round(one, 4) for one in self.figures[column, unit]]
            label = f"peers.{column.replace(' ', '_').replace(',', '')}"
            figure(label, value, unit, system=name, runs=runs)
        if self.stopped:
            figure("peers.stopped", len(self.stopped), "", system=name, **self.stopped)


@dataclass(frozen=True)
class Bench:
    """One system on one data set."""

    name: str
    system: System
    folder: Path  # of environments
    limit_s: float  # wall seconds that a store may take
    row: Row

    def measure(self, data: Data, *, is_first: bool) -> None:
        """Take the cost in the small and the large store; ask all stores in the first run, since answers stay."""
        shares: list[float] = []
        for store in data.stores if is_first else [data.small]:
            shares += self._live(store, Row() if store is not data.small else self.row, {})
        if len(shares) == sum(len(store.questions) for store in data.stores):
            self.row.add("found in 10", 100 * mean(shares), "%")
        self._live(data.large, self.row, choose_changes(data.large))

    def _live(self, store: Notes, row: Row, changes: Mapping[str, Sequence[Given]]) -> list[float]:
        """Return the share of the evidence that each question finds; what stops the system is kept in its row."""
        note(f"{self.name}: {len(store.items):,} texts")
        ends = time.monotonic() + self.limit_s
        with tempfile.TemporaryDirectory() as folder, self.system.start(self.folder, self.limit_s) as memory:
            vectors = Path(folder) / "vectors.jsonl"
            store.write_vectors(vectors, [one["text"] for one in changes.get("supersede", ())])
            try:
                return Life(memory, store, ends, row).live(str(vectors), changes)
            except (AdapterFault, TooSlow) as fault:
                self.row.stopped[f"{len(store.items):,} texts"] = str(fault)[:200]
                return []


@dataclass(frozen=True)
class Life:
    """One memory from its first text to its last deletion."""

    memory: Sandbox
    store: Notes
    ends: float
    row: Row

    def live(self, vectors: str, changes: Mapping[str, Sequence[Given]]) -> list[float]:
        """Fill the memory, ask it, change it; return the share of the evidence that each question found."""
        home = str(self.memory.root / "memory")
        of = f"of {len(self.store.items):,}"
        self.memory.call("probe_files")  # imports the system
        imported_s = self.memory.cpu_s()
        self.memory.call("use_vectors", path=vectors)
        before_s = self.memory.cpu_s()
        self.memory.call("open", folder=home)
        start_s = imported_s + self.memory.cpu_s() - before_s
        items = [
            {"text": text, "source": name, "scope": SCOPE, "by": "user"} for name, text in self.store.items
        ]
        self._time(f"learn, {of}", "write", items)
        self._time("settle" if changes else "", "settle", [{}])
        asked = [{"question": one, "limit": DEPTH, "scope": SCOPE} for one in self.store.questions]
        found = self._time(f"recall, {of}", "rows", asked)
        if changes:
            self.row.add("start", 1_000 * start_s, "ms")
        for call, given in changes.items():
            self._time(call, call, given)
        self.memory.stop()
        if changes:
            self.row.add("disk", count_mb(Path(home)), "MB")
        return self._count_found(found)

    def _time(self, name: str, call: str, calls: Sequence[Mapping[str, object]]) -> list[list[str]]:
        """Make calls and keep under a name what one of them takes on average, if the system has the call."""
        before_s = self.memory.cpu_s()
        answers = []
        try:
            for given in calls:
                answers.append(self.memory.call(call, **given))
                if time.monotonic() > self.ends:
                    raise TooSlow(f"gave up at {call} {len(answers):,} of {len(calls):,}")
        except Unsupported:
            return []
        if name:
            self.row.add(name, 1_000 * (self.memory.cpu_s() - before_s) / len(calls), "ms")
        return answers

    def _count_found(self, found: Sequence[Sequence[str]]) -> list[float]:
        """Return the share of the evidence among the rows of each question, which are known by their texts."""
        names: dict[str, set[str]] = {}
        for name, text in self.store.items:
            names.setdefault(text.strip(), set()).add(name)
        hits = [{name for row in rows for name in names.get(row.strip(), ())} for rows in found]
        return [len(one & of) / len(of) for one, of in zip(hits, self.store.evidence, strict=True)]


def choose_changes(store: Notes) -> dict[str, list[Given]]:
    """Return texts to replace, forget and erase, each named by its own words."""
    changes: dict[str, list[Given]] = {}
    for place, call in enumerate(("supersede", "forget", "erase")):
        texts = [text for _, text in store.items[place::7][:CHANGED]]
        changes[call] = [{"query": text, "scope": SCOPE} for text in texts]
    for given in changes["supersede"]:
        given["text"] = f"{given['query']} No longer."
    return changes


def markdown(rows: Mapping[str, Row]) -> str:
    """Return the table, a column for each figure that any system has."""
    found = {name: row.medians() for name, row in rows.items()}
    columns = list(dict.fromkeys(column for figures in found.values() for column in figures))
    heads = [f"{name}, {unit}" for name, unit in columns]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(columns) + 1) + "|"]
    lines += [
        f"| {name} | {' | '.join(_cell(figures.get(column)) for column in columns)} |"
        for name, figures in found.items()
    ]
    return "\n".join(lines)


def _cell(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
