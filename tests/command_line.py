"""Types a command line inside this process, which is ten times faster than a process of its own."""

import io
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

import pytest

from remanence.faces import cli


@dataclass(frozen=True)
class Typed:
    """What a command line printed, and the exit code that it left with."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """All that was printed."""
        return self.stdout + self.stderr


def typed(*words: str, columns: int = 200) -> Typed:
    """Run a command line; the environment names no database, and the zone is UTC."""
    said, told = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(said), redirect_stderr(told):
        patched.setenv("REMANENCE_DB", "")
        patched.setenv("COLUMNS", str(columns))
        patched.setenv("TZ", "UTC")
        time.tzset()
        code = cli.run(words)
    time.tzset()
    return Typed(code, said.getvalue(), told.getvalue())
