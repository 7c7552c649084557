"""The package starts light: what is heavy is imported when it is first asked for, and nothing is missing."""

import subprocess
import sys

import pytest

import remanence

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


def test_every_public_name_is_there() -> None:
    """Each name of `__all__` can be asked for and is listed; any other is an AttributeError, as in every module."""
    values = [getattr(remanence, name) for name in remanence.__all__]

    assert None not in values
    assert set(remanence.__all__) == set(dir(remanence))
    with pytest.raises(AttributeError, match="has no attribute 'opne'"):
        _ = remanence.opne  # type: ignore[attr-defined]
