"""The environment of each engine, made by pip and kept: what it weighs, and what its import takes."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.report import children_cpu_s, note

IMPORTS = 5  # the least of so many counts
_MB = 1_000_000
_ERROR = re.compile(r"^[A-Za-z_][\w.]*(?:Error|Exception|Limit|Killed)\b.*$", re.MULTILINE)


def environment(folder: Path, peer: str) -> Path:
    """Return the Python of a peer's own environment, made where it is missing; nothing is put into ours.

    `peer` is what pip is to install; "" makes an environment with nothing in it.
    """
    home = folder.absolute() / (re.sub(r"[^\w.]+", "-", peer).strip("-") or "nothing")
    python, complete = home / "bin" / "python", home / ".complete"
    if not complete.exists():
        note(f"making {home}")
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.split()]
        if peer and subprocess.run(pip, check=False).returncode:
            raise SystemExit(
                f"{peer} cannot be had: pip could not install it into {home}; nothing was measured"
            )
        complete.touch()
    return python


def installed_mb(python: Path, bare: Path) -> float:
    """Return what an environment holds beyond a bare one, compiled modules included."""
    return (_bytes(python.parents[1] / "lib") - _bytes(bare.parents[1] / "lib")) / _MB


def import_s(python: Path, statement: str, env: Mapping[str, str]) -> float:
    """Return the CPU seconds that an import takes beyond the start of Python."""
    return _least(python, statement, env) - _least(python, "pass", env)


def disk_mb(folder: Path) -> float:
    """Return what a store takes on disk."""
    return _bytes(folder) / _MB


def reason(errors: str) -> str:
    """Return the line that names the error, which need not be the last."""
    named = _ERROR.findall(errors)
    return str(named[-1] if named else (errors.strip() or "no word").splitlines()[-1])[:200]


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _least(python: Path, statement: str, env: Mapping[str, str]) -> float:
    taken = []
    for _ in range(IMPORTS):
        before = children_cpu_s()
        subprocess.run([str(python), "-I", "-c", statement], check=True, env=env)
        taken.append(children_cpu_s() - before)
    return min(taken)
