"""What the tests of forge-loop's memory share: items as its runner puts them, and processes on one file."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import remanence
from remanence.core.model import REJECTED_PATH

EVERY = 1_000_000
ROOT = Path(__file__).parents[2]


async def item(memory: remanence.Engine, key: str, kind: str = "episodic") -> str:
    """Put one item as forge-loop's runner does."""
    tags = (REJECTED_PATH,) if kind == "rejected" else ()
    given: Any = {"rejected": "episodic", "unclassified": None}.get(kind, kind)
    done = await memory.learn(
        f"what became of {key}", key=key, kind=given, tags=tags, agent="maestro", source="log"
    )
    return done.id


async def keys(memory: remanence.Engine) -> list[str | None]:
    """Return the keys of what is in sight, in order of arrival."""
    found = await memory.list(limit=100_000, oldest_first=True)
    return [item.key for item in found]


async def compact(memory: remanence.Engine, keep: int) -> int:
    """Delete all episodes but so many, the newest, however large a share that is; return how many went."""
    overrides = {"newest-episodes": {"keep": {"rows": keep}}}
    done = await memory.curate("episodic-cap", overrides=overrides, allow_destroyed=EVERY)
    return done.pruned


def on_file(tmp_path: Path, **more: Any) -> remanence.Engine:
    """Open the one file of a test; words are enough for it."""
    return remanence.open(tmp_path / "memory.db", embedder="none", **more)


def started(script: str, *words: str) -> subprocess.Popen[str]:
    """Start a process that runs a script."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *words],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def said_by(process: subprocess.Popen[str], text: str = "") -> list[str]:
    """Give a process a text, wait for its end, which must be a good one, and return the words it printed."""
    said = process.communicate(text, timeout=300)[0]

    assert 0 == process.returncode, said
    return said.split()
