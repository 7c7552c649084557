"""Types a command line inside this process, which costs a hundredth of a process of its own.

What a command leaves behind in its process is put back: the environment, the folder, the words, the streams, the zone,
what handles signals, errors and log lines, and the garbage collector. Whatever needs a process (a signal, a pipe that
breaks, a terminal, a kill, a server, two commands at once) starts one.
"""

import asyncio
import gc
import io
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from remanence.faces import cli

SIGNALS = (signal.SIGINT, signal.SIGTERM)


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


def typed(
    *words: str,
    text: str | bytes = "",
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    columns: int = 200,
) -> Typed:
    """Run a command line that reads `text`; unless `env` has them, no database is named and the zone is UTC.

    In a test that is a coroutine it runs in a thread, as it brings an event loop of its own; the test waits for it.
    """
    data = text.encode() if isinstance(text, str) else text
    given = {"REMANENCE_DB": "", "COLUMNS": str(columns), "TZ": "UTC", **(env or {})}
    if not _has_loop():
        return _run(words, data, cwd, given)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_run, words, data, cwd, given).result()


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _run(words: Sequence[str], data: bytes, cwd: Path | None, environment: Mapping[str, str]) -> Typed:
    # Files, since a command may ask for the number of its output.
    with (
        TemporaryFile("w+", encoding="utf-8", newline="") as out,
        TemporaryFile("w+", encoding="utf-8", newline="") as err,
    ):
        with _apart(cwd, environment) as patched:
            patched.setattr(sys, "argv", ["remanence", *words])
            patched.setattr(sys, "stdin", _open_input(data))
            patched.setattr(sys, "stdout", out)
            patched.setattr(sys, "stderr", err)
            with pytest.raises(SystemExit) as ended:
                cli.main()
        code = ended.value.code
        assert isinstance(code, int), "a command ends with a number"
        for stream in (out, err):
            stream.seek(0)
        return Typed(code, out.read(), err.read())


def _open_input(data: bytes) -> io.TextIOWrapper:
    # As Python reads a pipe where no locale is set: bytes that are no text reach the command.
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="surrogateescape")


@contextmanager
def _apart(cwd: Path | None, environment: Mapping[str, str]) -> Iterator[pytest.MonkeyPatch]:
    """Keep what a command changes in its process, and put it back."""
    was, collects = dict(os.environ), gc.isenabled()
    log, is_main = logging.getLogger(), threading.current_thread() is threading.main_thread()
    handlers, level = [*log.handlers], log.level
    log.handlers.clear()  # those of the tests: a process has none, and prints warnings
    signals = {number: signal.getsignal(number) for number in SIGNALS}
    with pytest.MonkeyPatch.context() as patched:
        if cwd is not None:
            patched.chdir(cwd)
        patched.setattr(sys, "excepthook", sys.excepthook)
        os.environ.update(environment)
        time.tzset()
        try:
            yield patched
        finally:
            os.environ.clear()
            os.environ.update(was)
            time.tzset()
            log.handlers[:] = handlers
            log.setLevel(level)
            if is_main:
                for number, handler in signals.items():
                    signal.signal(number, handler)
            gc.unfreeze()
            (gc.enable if collects else gc.disable)()
