"""The package starts light: what is heavy is imported when it is first asked for, and nothing is missing."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import remanence
from remanence.core.verbs import TABLE

HEAVY = ("numpy", "sqlalchemy", "mcp", "rich")
LOADED = f"; import sys; print([name for name in {HEAVY} if name in sys.modules])"


@pytest.mark.parametrize(
    "start", ["import remanence", "import remanence.faces.cli", "import remanence.core.guide"]
)
def test_nothing_heavy_is_loaded_before_it_is_needed(start: str) -> None:
    """The package, the command line and the guide are imported without numpy, SQL or a protocol."""
    command = [sys.executable, "-c", start + LOADED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)

    assert "[]\n" == done.stdout


def test_every_command_starts_in_a_process_of_its_own() -> None:
    """Whichever module is imported first, nothing that it needs is missing; of a group its first command is asked."""
    names = [row.command for row in reversed(TABLE) if row.command]
    first = {name.split()[0]: name for name in names}

    def start(name: str) -> tuple[int, str, bool]:
        words = [
            sys.executable,
            "-c",
            "from remanence.faces.cli import main; main()",
            *name.split(),
            "--help",
        ]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stderr, f"remanence {name}" in done.stdout

    with ThreadPoolExecutor(2) as pool:
        told = dict(zip(first, pool.map(start, first.values()), strict=True))

    assert dict.fromkeys(first, (0, "", True)) == told


def test_every_public_name_is_there() -> None:
    """Each name of `__all__` can be asked for and is listed; any other is an AttributeError, as in every module."""
    values = [getattr(remanence, name) for name in remanence.__all__]

    assert None not in values
    assert set(remanence.__all__) == set(dir(remanence))
    with pytest.raises(AttributeError, match="has no attribute 'opne'"):
        _ = remanence.opne  # type: ignore[attr-defined]
