"""Processes that start warm: forked from one that has imported the package and done nothing else.

To start Python and to import costs .5 s of CPU for a command and 1.5 s for a server, and the suite starts hundreds. So
`remanence` is forked, and each program of a test whose first line is `# warm`. Each is a process of its own as before:
pipes, signals, kills, exit codes, a folder and an environment. What asks for more than that, such as another path of
modules, starts cold, as does every other program; `make deep` starts all of them cold.
"""

import atexit
import ctypes
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import threading
import time
import types
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from tests import IMPORT_PATH, ROOT

SCRIPT = str(Path(sys.executable).with_name("remanence"))
MAIN = "from remanence.faces.cli import main; main()"
FIRST_LINE = "# warm\n"
MODULES = ("remanence_store_kit.model_server",)
REQUEST_BYTES_MAX = 100_000
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2): orphans below this process become its children
# What is read before the first line of a program is not undone by a fork.
EARLY = ("PYTHON", "LD_", "LC_", "LANG", "COVERAGE_")
PATHS = (os.environ.get("PYTHONPATH"), str(ROOT / "src"), None)
# Not imported: what needs libraries that no command has, and what only old files need.
NOT_IMPORTED = ("remanence.integrations", "remanence.store.migrations")
IS_COLD = sys.platform != "linux" or os.environ.get("HYPOTHESIS_PROFILE") == "deep"


class Popen(subprocess.Popen[Any]):
    """A process, started warm where it may be."""

    def _execute_child(self, args: Any, *more: Any) -> None:
        """Have it forked where that is all it asks for; the names are those of Python 3.11 to 3.13."""
        executable, preexec, close, passed, cwd, env, _, _, shell, *fds = more[:15]
        asked_for = (executable, preexec, passed, shell, not close, *more[16:20], more[21])
        request = None if any(map(_is_special, asked_for)) else _describe(args, cwd, env, session=more[20])
        if request is None:
            super()._execute_child(args, *more)  # type: ignore[misc]
            return
        given = [fds[0], fds[3], fds[5]]
        self.pid = _fork_server().fork(request, [n if fd == -1 else fd for n, fd in enumerate(given)])
        self._child_created = True
        self._close_pipe_fds(*fds)  # type: ignore[attr-defined]


def _is_special(asked: object) -> bool:
    """Tell whether an option of a process is another than its default."""
    return asked not in (None, (), -1) and asked is not False


def _describe(args: Any, cwd: Any, env: Mapping[Any, Any] | None, *, session: bool) -> bytes | None:
    """Return what a fork is to do; None where the process is to start cold."""
    if IS_COLD or isinstance(args, str | bytes | os.PathLike):
        return None
    words = [os.fsdecode(word) for word in args]
    if not _is_warm(*words[:3]):
        return None
    given = {
        os.fsdecode(name): os.fsdecode(value) for name, value in (os.environ if env is None else env).items()
    }
    if given.get("PYTHONPATH") not in PATHS or any(
        os.environ.get(name) != value
        for name, value in given.items()
        if name.startswith(EARLY) and name != "PYTHONPATH"
    ):
        return None
    umask = os.umask(0)
    os.umask(umask)
    folder = Path.cwd() if cwd is None else Path.cwd() / os.fsdecode(cwd)
    work = {"words": words, "env": given, "folder": str(folder), "umask": umask, "session": bool(session)}
    request = json.dumps(work).encode()
    return request if len(request) <= REQUEST_BYTES_MAX and folder.is_dir() else None


def _is_warm(program: str, option: str = "", what: str = "", /) -> bool:
    """Tell whether a command line is one of those that start warm."""
    if program != sys.executable:
        return program == SCRIPT
    if option == "-c":
        return what == MAIN or what.lstrip().startswith(FIRST_LINE)
    return option == "-m" and what in MODULES


class ForkServer:
    """The process that forks, and the way to it; it ends with this one."""

    def __init__(self) -> None:
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = threading.Lock()
        self._prctl = ctypes.CDLL(None, use_errno=True).prctl
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        path = os.pathsep.join(filter(None, (IMPORT_PATH, os.environ.get("PYTHONPATH"))))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.warm", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                cwd=ROOT,
                env={**environment, "PYTHONPATH": path},
            )
        atexit.register(self.close)

    def fork(self, request: bytes, fds: Sequence[int]) -> int:
        """Fork a process that has three descriptors as its standard ones; return its id. It is a child of this one."""
        with self._lock:
            self._prctl(SUBREAPER, 1, 0, 0, 0)
            try:
                socket.send_fds(self._channel, [request], fds)
                answer = self._channel.recv(64)
            finally:
                self._prctl(SUBREAPER, 0, 0, 0, 0)
        assert answer, "the process that forks has ended"
        return int(answer)

    def close(self) -> None:
        """End it."""
        self._channel.close()
        self._process.wait()


@cache
def _fork_server() -> ForkServer:
    return ForkServer()


def import_all() -> None:
    """Import what commands and servers import when they run."""
    source = ROOT / "src"
    for path in sorted((source / "remanence").rglob("*.py")):
        name = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        if not name.startswith(NOT_IMPORTED) and path.stem != "__main__":
            importlib.import_module(name)


def wait_for_work(channel: socket.socket) -> Sequence[str]:
    """Fork for each request, and return in the fork the command line to run; end when nobody can ask any more.

    A fork is made by one that ends at once: an orphan is adopted by who asked for it.
    """
    while True:
        request, fds, _, _ = socket.recv_fds(channel, REQUEST_BYTES_MAX, 3)
        if not request:
            sys.exit()
        reading, writing = os.pipe()
        between = os.fork()
        if not between:
            child = os.fork()
            if child:
                os.write(writing, b"%d" % child)
                os._exit(0)
            for fd in (reading, writing, channel.detach()):
                os.close(fd)
            work = json.loads(request)
            become(work, fds)
            words: list[str] = work["words"]
            return words
        os.waitpid(between, 0)
        channel.send(os.read(reading, 64))
        for fd in (reading, writing, *fds):
            os.close(fd)


def become(request: Mapping[str, Any], fds: Sequence[int]) -> None:
    """Take on what was asked for."""
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
        os.close(fd)
    if request["session"]:
        os.setsid()
    os.chdir(request["folder"])
    os.umask(request["umask"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        was = getattr(sys, name)
        stream = open(  # noqa: SIM115 - it lives as long as the process
            number, mode, 1 if number == 2 else -1, encoding=was.encoding, errors=was.errors, closefd=False
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def run(words: Sequence[str]) -> None:
    """Run a command line in this process."""
    if words[0] == SCRIPT:
        sys.argv = [*words]
        importlib.import_module("remanence.faces.cli").main()
        return
    _, option, program, *rest = words
    sys.argv = [option, *rest]
    sys.path[0] = ""
    if option == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
        return
    sys.modules["__main__"] = main = types.ModuleType("__main__")
    exec(compile(program, "<string>", "exec"), main.__dict__)


def run_to_the_end(words: Sequence[str]) -> None:
    """Run it and end as Python does, but for taking apart what was imported: a fork would copy that first."""
    code = 0
    try:
        run(words)
    except SystemExit as ended:
        if not isinstance(ended.code, int | None):
            raise
        code = ended.code or 0
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)  # and Python says this as it does
    os._exit(code)


if __name__ == "__main__":
    import_all()
    gc.freeze()  # what is looked through for garbage would be copied for it
    run_to_the_end(wait_for_work(socket.socket(fileno=int(sys.argv[1]))))
