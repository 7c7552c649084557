"""One table of all engines: what each finds, what learning and recall cost, and what it weighs.

Each step of an engine runs in a process of its own, by that engine's own Python.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.peers.environments import disk_mb, environment, import_s, installed_mb, reason
from benchmarks.peers.notes import Data, Notes, read
from benchmarks.report import figure, note, settings

ROOT = Path(__file__).parents[2]
STORES = Path(__file__).with_name("stores")
Line = Mapping[str, Any]  # that a process printed


@dataclass(frozen=True)
class Engine:
    """What is measured: its name, its file, what pip installs, what is imported, and which of its kinds."""

    name: str
    script: str
    package: str
    statement: str
    kind: tuple[str, ...] = ()
    ours: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)  # of its environment


ENGINES = (
    Engine("FTS5", "fts5_store.py", "", "import sqlite3"),
    Engine(
        "LangGraph",
        "langgraph_store.py",
        "langgraph-checkpoint-sqlite pysqlite3-binary",
        "from langgraph.store.sqlite import SqliteStore",
    ),
    Engine(
        "mem0",
        "mem0_store.py",
        "mem0ai",
        "from mem0 import Memory",
        settings={"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "nobody is asked"},
    ),
    Engine("elfmem", "elfmem_store.py", "elfmem", "from elfmem.api import MemorySystem"),
    *(
        Engine(f"Remanence, {kind}", "remanence_store.py", str(ROOT), "import remanence", (kind,), ours=True)
        for kind in ("words", "given", "own")
    ),
)


@dataclass
class Row:
    """The figures of one engine by column, and what went wrong."""

    figures: dict[str, tuple[float, str]] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)


def measure(path: Path | None, only: Sequence[str] | None, env: Path, limit_s: float) -> None:
    """Measure the engines on a data set, one after the other, and print the figures and the table."""
    data = read(path)
    chosen = [engine for engine in ENGINES if only is None or engine.name in only]
    settings(data=data.name, small=len(data.small.items), large=len(data.large.items), engines=len(chosen))
    bare = environment(env, "")
    rows: dict[str, Row] = {}
    for engine in chosen:
        python = environment(env, engine.package)
        row = rows[engine.name] = Row()
        row.figures["installed"] = installed_mb(python, bare), "MB"
        row.figures["import"] = _import_s(python, engine), "s"
        Bench(engine, Path(sys.executable) if engine.ours else python, data, limit_s, row).run()
        for name, (value, unit) in row.figures.items():
            figure(f"peers.table.{name.replace(' ', '_')}", value, unit, engine=engine.name, **row.stopped)
    print(markdown(rows))


def _import_s(python: Path, engine: Engine) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return import_s(python, engine.statement, engine_environment(engine.settings, Path(folder)))


def engine_environment(more: Mapping[str, str], kept: Path) -> dict[str, str]:
    """Return the variables of an engine's process; mem0 writes its configuration into a folder of its own."""
    return {**os.environ, **more, "MEM0_DIR": str(kept)}


@dataclass
class Bench:
    """One engine on one data set."""

    engine: Engine
    python: Path
    data: Data
    limit_s: float
    row: Row

    def run(self) -> None:
        """Ask every store; time the small and the large one."""
        shares: list[float] = []
        for store in self.data.stores:
            lines = self._filled(store, shown=store is self.data.small)
            found = next((line["found"] for line in lines if "found" in line), ())
            shares += [
                len(evidence & set(hits)) / len(evidence)
                for evidence, hits in zip(store.evidence, found, strict=False)
            ]
        if len(shares) == sum(len(store.questions) for store in self.data.stores):
            self.row.figures["R@10"] = 100 * float(np.mean(shares)), "%"
        self._one(self.data.small)
        lines = self._filled(self.data.large, shown=True)
        for what in ("bulk", "settle"):
            self._add(what, lines, what, "s", 1)

    def _filled(self, store: Notes, *, shown: bool) -> list[Line]:
        """Fill a store and ask it; where it is `shown`, its figures count."""
        size = f"at {len(store.items):,}"
        with tempfile.TemporaryDirectory() as folder:
            material, kept = _given(store, Path(folder))
            lines = self._step("bulk", kept, material)
            if any(line.get("of") == "settle" for line in lines):
                if shown:
                    self.row.figures[f"disk {size}"] = disk_mb(kept), "MB"
                lines += self._step("recall", kept, material)
        if shown:
            self._add(f"recall {size}", lines, "recall", "ms", 1_000)
        return lines

    def _one(self, store: Notes) -> None:
        with tempfile.TemporaryDirectory() as folder:
            material, kept = _given(store, Path(folder))
            lines = self._step("one", kept, material)
        self._add("one by one", lines, "one", "ms", 1_000 / len(store.items))

    def _step(self, step: str, kept: Path, material: Path) -> list[Line]:
        note(f"{self.engine.name}: {step}")
        script = str(STORES / self.engine.script)
        command = [str(self.python), "-s", script, step, str(kept), str(material), *self.engine.kind]
        env = engine_environment(self.engine.settings, kept)
        try:
            done = subprocess.run(command, capture_output=True, timeout=self.limit_s, check=False, env=env)
            output = done.stdout
            if done.returncode:
                self.row.stopped["failed"] = reason(done.stderr.decode(errors="replace"))
        except subprocess.TimeoutExpired as late:
            output = late.stdout or b""
            self.row.stopped["gave_up"] = f"{step} gave up at {self.limit_s:g} s"
        return [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith(b"\n")]

    def _add(self, name: str, lines: Sequence[Line], what: str, unit: str, per_second: float) -> None:
        """Keep the median of what was timed, if anything was."""
        samples = [line["cpu_s"] for line in lines if line.get("of") == what]
        if samples:
            self.row.figures[name] = float(np.median(samples)) * per_second, unit


def _given(store: Notes, folder: Path) -> tuple[Path, Path]:
    """Return the folder with what a process reads, and an empty one for its store."""
    material, kept = folder / "material", folder / "store"
    material.mkdir()
    kept.mkdir()
    store.write(material)
    return material, kept


def markdown(rows: Mapping[str, Row]) -> str:
    """Return the table, a column for each figure that any engine has."""
    columns: dict[str, str] = {}
    for row in rows.values():
        columns |= {name: unit for name, (_, unit) in row.figures.items() if name not in columns}
    heads = [f"{name}, {unit}" for name, unit in columns.items()]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(columns) + 1) + "|"]
    for name, row in rows.items():
        cells = [_cell(row.figures.get(column)) for column in columns]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(found: tuple[float, str] | None) -> str:
    if found is None:
        return "–"
    value, _ = found
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
