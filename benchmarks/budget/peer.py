"""Another engine by its adapter of lifebench, in processes of its own Python: it is cut in its own way."""

import json
import math
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median

from benchmarks.budget.engines import DEPTH, Left
from benchmarks.budget.policies import Budget
from benchmarks.peers.notes import Notes, said
from benchmarks.peers.systems import System
from lifebench.runner import Sandbox
from remanence.core.model import Turn

LIMIT_S = 900
FADED = 0.05  # elfmem archives what has less of its recency left
SCOPE = "notes"


class Peer:
    """elfmem, which forgets in its own way; what it has archived it does not find."""

    archives: tuple[str, ...] = ("closed",)
    policies: tuple[str, ...] = ("own",)

    def __init__(self, package: str, env: Path) -> None:
        if package.partition("=")[0] != "elfmem":
            raise SystemExit(f"no engine {package!r}: remanence, elfmem")
        self.name, self._env = package, env
        self._system = System("elfmem", package)

    def counts(self, per: str) -> bool:
        """Count memories alone."""
        return per == "memories"

    def fill(self, folder: Path, turns: Sequence[Turn]) -> None:
        """Learn all turns, with who said them and when in the text, then do what it wants done."""
        items = [(turn.source or "", said(turn)) for turn in turns]
        (folder / "items.json").write_text(json.dumps(items), encoding="utf-8")
        with self._opened(folder, ()) as memory:
            for name, text in items:
                memory.call("write", text=text, scope=SCOPE, by="user", source=name)
            memory.call("settle")

    def cut(self, folder: Path, policy: str, budget: Budget) -> Left:  # noqa: ARG002
        """Let it curate after so many hours of work, spread evenly over its texts, that a share has not faded yet.

        Its clock runs only while a session is open, so the hours are set in its tables.
        """
        (database,) = (folder / "memory").glob("*.db")
        active = "FROM blocks WHERE status = 'active' ORDER BY rowid"
        with closing(sqlite3.connect(database)) as tables, tables:
            rows = tables.execute(f"SELECT rowid, decay_lambda {active}").fetchall()
            step = (
                math.log(1 / FADED) / median(fades for _, fades in rows) / max(1.0, budget.share * len(rows))
            )
            hours = [(step * (place + 0.5), row) for place, (row, _) in enumerate(rows)]
            tables.executemany("UPDATE blocks SET last_reinforced_at = ? WHERE rowid = ?", hours)
            tables.execute(
                "INSERT INTO system_config (key, value) VALUES ('total_active_hours', ?)"
                " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (str(step * len(rows)),),
            )
        with self._opened(folder, ()) as memory:
            memory.call("rows", question="", limit=1, scope=SCOPE)  # opens its scope
            memory.call("run_jobs")
        items = _read_items(folder)
        with closing(sqlite3.connect(database)) as tables:
            kept = {text for (text,) in tables.execute(f"SELECT content {active}")}
        turns = frozenset(name for name, text in items if text in kept)
        return Left(turns, len(turns) / max(1, len(items)))

    def ask(self, folder: Path, questions: Sequence[str], archive: str) -> list[list[str]]:  # noqa: ARG002
        """Recall."""
        names = {text: name for name, text in _read_items(folder)}
        with self._opened(folder, questions) as memory:
            found = [memory.call("rows", question=one, limit=DEPTH, scope=SCOPE) for one in questions]
        return [[names.get(text, text) for text in texts] for texts in found]

    @contextmanager
    def _opened(self, folder: Path, questions: Sequence[str]) -> Iterator[Sandbox]:
        """Open its memory in a folder, with the vectors of all texts and of these questions."""
        Notes(_read_items(folder), ["", *questions], ()).write_vectors(folder / "vectors.jsonl")
        (folder / "memory").mkdir(exist_ok=True)
        with self._system.start(self._env, LIMIT_S) as memory:
            memory.call("use_vectors", path=str(folder / "vectors.jsonl"))
            memory.call("open", folder=str(folder / "memory"))
            yield memory


def _read_items(folder: Path) -> list[tuple[str, str]]:
    """Return the ids and texts that a memory was filled with."""
    return [(name, text) for name, text in json.loads((folder / "items.json").read_text(encoding="utf-8"))]
