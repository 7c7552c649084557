"""Another engine, in processes of its own Python: what `benchmarks.peers` fills and asks is cut in between."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.budget.engines import Left
from benchmarks.budget.policies import Budget
from benchmarks.peers.environments import environment
from benchmarks.peers.notes import Notes, said
from remanence.core.model import Turn

STORES = Path(__file__).parents[1] / "peers" / "stores"
SCRIPTS = {"elfmem": "elfmem_store.py"}
LIMIT_S = 900


class Peer:
    """An engine that forgets in its own way; what it has archived it does not find."""

    archives: tuple[str, ...] = ("closed",)
    policies: tuple[str, ...] = ("own",)

    def __init__(self, package: str, env: Path) -> None:
        self.name = package
        script = SCRIPTS.get(package.partition("=")[0])
        if script is None:
            raise SystemExit(f"no engine {package!r}: remanence, {', '.join(SCRIPTS)}")
        self._script = STORES / script
        self._python = environment(env, package)

    def counts(self, per: str) -> bool:
        """Count memories alone."""
        return per == "memories"

    def fill(self, folder: Path, turns: Sequence[Turn]) -> None:
        """Learn all turns, with who said them and when in the text, then do what it wants done."""
        items = [(turn.source or "", said(turn)) for turn in turns]
        (folder / "items.json").write_text(json.dumps(items), encoding="utf-8")
        self._step("bulk", folder, ())

    def cut(self, folder: Path, policy: str, budget: Budget) -> Left:  # noqa: ARG002
        """Let it forget until a share stands, or as near to that as it goes."""
        (line,) = (line for line in self._step("keep", folder, (), str(budget.share)) if "kept" in line)
        items = json.loads((folder / "items.json").read_text(encoding="utf-8"))
        turns = frozenset(line["kept"]) & {name for name, _ in items}
        return Left(turns, len(turns) / max(1, len(items)))

    def ask(self, folder: Path, questions: Sequence[str], archive: str) -> list[list[str]]:  # noqa: ARG002
        """Recall."""
        lines = self._step("recall", folder, questions)
        (found,) = (line["found"] for line in lines if "found" in line)
        return list(found)

    def _step(self, step: str, folder: Path, questions: Sequence[str], *more: str) -> list[Mapping[str, Any]]:
        items = [
            (name, text) for name, text in json.loads((folder / "items.json").read_text(encoding="utf-8"))
        ]
        Notes(items, questions, ()).write(folder)
        command = [str(self._python), "-s", str(self._script), step, str(folder), str(folder), *more]
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=LIMIT_S, check=False)
        if done.returncode:
            sys.exit(f"{self.name} failed at {step}")
        return [json.loads(line) for line in done.stdout.splitlines()]
