"""What a caller writes for each step of a memory's life with each engine, what it takes, and what stays in files."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.peers.environments import disk_mb, environment, reason
from benchmarks.peers.table import engine_environment
from benchmarks.report import figure, note, settings

VERBS = Path(__file__).with_name("verbs")
COLUMNS = (
    *("open", "remember", "find", "filter", "correct", "forget", "undo", "plan"),
    *("within a budget", "delete a user", "left in the files"),
)
Line = Mapping[str, Any]  # that a process printed


@dataclass(frozen=True)
class Peer:
    """One engine: its file, and what pip installs, nothing where it is this one."""

    name: str
    script: str
    package: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)  # of its environment


PEERS = (
    Peer("LangGraph `SqliteStore`", "langgraph_verbs.py", "langgraph-checkpoint-sqlite pysqlite3-binary"),
    Peer(
        "mem0",
        "mem0_verbs.py",
        "mem0ai",
        {"MEM0_TELEMETRY": "False", "OPENAI_API_KEY": "nobody is asked"},
    ),
    Peer("elfmem", "elfmem_verbs.py", "elfmem"),
    Peer("OpenAI Agents `SQLiteSession`", "openai_agents_verbs.py", "openai-agents"),
    Peer("Remanence", "remanence_verbs.py"),
)


def measure(env: Path, limit_s: float) -> None:
    """Take each engine through its steps and print the figures and the table."""
    settings(engines=len(PEERS))
    rows: dict[str, list[Line]] = {}
    for peer in PEERS:
        note(f"{peer.name}: its verbs")
        rows[peer.name] = run(peer, env, limit_s)
        for line in rows[peer.name]:
            told = {name: value for name, value in line.items() if name not in {"step", "cpu_ms"}}
            figure(
                f"peers.verbs.{line['step'].replace(' ', '_')}",
                line.get("cpu_ms", 0.0),
                "ms",
                engine=peer.name,
                **told,
            )
    print(markdown(rows))


def run(peer: Peer, env: Path, limit_s: float) -> list[Line]:
    """Take one engine through its steps in a process of its own, and return what it printed."""
    python = environment(env, peer.package) if peer.package else Path(sys.executable)
    with tempfile.TemporaryDirectory() as name:
        kept = Path(name) / "store"
        kept.mkdir()
        done = subprocess.run(
            [str(python), "-s", str(VERBS / peer.script), str(kept)],
            capture_output=True,
            timeout=limit_s,
            check=False,
            env=engine_environment(peer.settings, kept),
        )
        if done.returncode:
            raise SystemExit(f"{peer.name}: {reason(done.stderr.decode(errors='replace'))}")
        disk = {"step": "on disk", "mb": round(disk_mb(kept), 2)}
        return [*(json.loads(line) for line in done.stdout.splitlines() if line.startswith(b"{")), disk]


def markdown(rows: Mapping[str, Sequence[Line]]) -> str:
    """Return the table: lines of code and CPU milliseconds of each step."""
    lines = [f"| | {' | '.join(COLUMNS)} | MB |", "|---" * (len(COLUMNS) + 2) + "|"]
    lines += [f"| {name} {told[0]['version']} | {' | '.join(_cells(told))} |" for name, told in rows.items()]
    return "\n".join(lines)


def _cells(told: Sequence[Line]) -> Iterator[str]:
    by_step = {line["step"]: line for line in told}
    for column in COLUMNS:
        line = by_step.get(column, {})
        if "texts" in line:
            yield f"{line['texts']} of {line['of']}"
        elif line.get("lines") is None:
            yield "no"
        else:
            cpu_ms = f", {line['cpu_ms']:.1f} ms" if line["cpu_ms"] else ""
            yield f"{line['lines']}{cpu_ms}" + ("" if line["is_right"] else " (wrong)")
    yield f"{by_step['on disk']['mb']:.1f}"
