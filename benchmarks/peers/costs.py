"""What learn, recall and curate cost beside elfmem, step by step.

Both sides get the same texts, vectors, links and questions (see `material`), are asked through their public
classes, and take each step in a fresh process on a fresh copy of their filled store. A ratio is theirs / ours.
"""

import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpus import DIMENSIONS, TEXT_CHARS, VOCABULARY
from benchmarks.peers.environments import environment
from benchmarks.peers.material import CURATED, CURATED_LARGE, LARGE, make
from benchmarks.peers.ratios import Taken, joined, lines, read
from benchmarks.report import children_cpu_s, figure, note, settings

PEERS = ("elfmem",)
MEMORIES_MIN = 5
# Where SQLite is built with its authors' limit of bound variables, this many blocks may be too many for the peer.
DEFAULT_LIMIT_BLOCKS = 16_384
_ERROR = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Limit|Killed)\b.*$", re.MULTILINE)


def measure(n: int, peer: str, env: Path, limit_s: float) -> None:
    """Make the peer's environment and measure both sides with n memories."""
    name = next((name for name in PEERS if re.match(rf"{name}\b", peer)), None)
    if name is None:
        raise SystemExit(f"no side is written for {peer!r}; there is one for: {', '.join(PEERS)}")
    if n < MEMORIES_MIN:
        raise SystemExit(
            f"each memory is linked to the two after it, in a ring: take at least {MEMORIES_MIN}"
        )
    script = Path(__file__).with_name(f"{name}_side.py")
    sides = {
        "ours": [sys.executable, "-m", "benchmarks.peers.our_side"],
        "theirs": [str(environment(env, peer)), "-I", str(script)],
    }
    with tempfile.TemporaryDirectory() as folder:
        compare(name, n, *(Side(side, command, Path(folder), limit_s) for side, command in sides.items()))


@dataclass(frozen=True)
class Side:
    """One engine: how it is called and where its stores lie."""

    name: str
    command: Sequence[str]
    folder: Path
    limit_s: float

    @property
    def store(self) -> Path:
        """The folder of the filled store."""
        return self.folder / self.name

    def fill(self, n: int) -> Mapping[str, Any]:
        """Fill the store, and return what the side tells of it; a store that cannot be filled ends it all."""
        self.store.mkdir()
        filled = self.run("fill", self.store, self.limit_s)
        if filled.stopped:
            raise SystemExit(f"{self.name} could not be filled with {n}: {filled.stopped}")
        return filled.more

    def take(self, step: str, times: int = 1) -> Taken:
        """Take a step so many times, each on a copy of the filled store; the time limit is for all together."""
        runs: list[Taken] = []
        until = time.monotonic() + self.limit_s
        while len(runs) < times and not (runs and runs[-1].stopped):
            with tempfile.TemporaryDirectory(dir=self.folder) as copy:
                shutil.copytree(self.store, copy, dirs_exist_ok=True)
                runs.append(self.run(step, Path(copy), until - time.monotonic()))
        return joined(runs)

    def run(self, step: str, store: Path, within_s: float) -> Taken:
        """Take a step in a process of its own."""
        note(f"{self.name}: {step}")
        before, stopped = children_cpu_s(), {}
        command = [*self.command, step, str(store), str(self.folder)]
        try:
            done = subprocess.run(command, capture_output=True, timeout=within_s, check=False)
            output = done.stdout
            if done.returncode:
                stopped = {"failed": reason(done.stderr.decode(errors="replace"))}
        except subprocess.TimeoutExpired as late:
            output, stopped = late.stdout or b"", {"gave_up": f"gave up at {self.limit_s:g} s"}
        return read(output.decode(), children_cpu_s() - before, stopped)


def reason(errors: str) -> str:
    """Return the line that names the error, which need not be the last."""
    named = _ERROR.findall(errors)
    return str(named[-1] if named else (errors.strip() or "no word").splitlines()[-1])[:200]


def compare(peer: str, n: int, ours: Side, theirs: Side) -> None:
    """Fill both sides with n memories, take every step on both and print the figures."""
    make(ours.folder, n)
    ours.fill(n)
    told = theirs.fill(n)
    limit = sqlite3.connect(":memory:").getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER)
    texts = {"text_chars": TEXT_CHARS, "vocabulary": VOCABULARY, "dimensions": DIMENSIONS}
    settings(n=n, peer=f"{peer} {told['version']}", sqlite_variables=limit, **texts)

    def show(step: str, ours: Taken, theirs: Taken) -> None:
        for line in lines(peer, step, ours, theirs, n=n, filled=told["filled"]):
            figure(**line)

    for step in ("learn", "recall"):
        show(step, ours.take(step), theirs.take(step))
    times = CURATED_LARGE if n > LARGE else CURATED
    curated = theirs.take("curate", times)
    show("curate", ours.take("curate", times), curated)
    if "archived" not in curated.more.get("counts", {}):
        # This version only cuts links and reinforces: what we take to do that and no more.
        show("curate_alike", ours.take("curate_alike", times), curated)
    if n >= DEFAULT_LIMIT_BLOCKS:
        show("curate_at_default_limit", Taken(), theirs.take("curate_at_default_limit"))
