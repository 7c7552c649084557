"""Prints figures as JSON lines and measures the process: CPU seconds of all its threads, and resident memory."""

import json
import platform
import resource
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


def figure(name: str, value: float, unit: str, **fields: Any) -> None:
    """Print one figure."""
    print(json.dumps({"name": name, "value": round(value, 4), "unit": unit, **fields}), flush=True)


def settings(**fields: Any) -> None:
    """Print what the figures were measured with."""
    figure("settings", 0, "", python=platform.python_version(), sqlite=sqlite3.sqlite_version, **fields)


def note(text: str) -> None:
    """Tell a person how far it is, on stderr."""
    print(text, file=sys.stderr, flush=True)


@dataclass
class Spent:
    """What a piece of work took: CPU seconds of the process, wall seconds."""

    cpu_s: float = 0.0
    wall_s: float = 0.0


@contextmanager
def spent() -> Iterator[Spent]:
    """Measure a piece of work."""
    result = Spent()
    wall, cpu = time.perf_counter(), time.process_time()
    yield result
    result.cpu_s, result.wall_s = time.process_time() - cpu, time.perf_counter() - wall


def children_cpu_s() -> float:
    """Return the CPU seconds of the processes that this one started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rss_mb() -> float:
    """Return the resident memory now, in MB."""
    return _status("VmRSS")


def rss_peak_mb() -> float:
    """Return the largest resident memory of this process so far, in MB."""
    return _status("VmHWM")


def _status(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0
