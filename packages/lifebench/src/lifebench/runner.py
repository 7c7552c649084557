"""Runs one adapter in a process and a folder of its own, with a time limit a call.

It knows how a system is started, asked and ended, and where it wrote; it must not know what is asked.
"""

import errno
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import lifebench
from lifebench.adapter import Unsupported

OWN = Path(lifebench.__file__).parent
MARK = "LIFEBENCH_PROCESS"
REPLY_BYTES_MAX = 64_000_000
CLOSING_S = 10.0
CHUNK = 1 << 20


class AdapterFault(Exception):
    """A call that raised, hung, ended its process or answered nonsense; its first word says which."""


class MachineFault(Exception):
    """The machine cannot go on, for example a full disk: nothing is said about the system."""


class Sandbox:
    """An adapter's process and folder; a context manager that ends the process and removes the folder."""

    def __init__(self, file: Path, variant: str, python: str, limit_s: float) -> None:
        self._file, self._variant, self._python, self._limit_s = file, variant, python, limit_s
        self.root = Path(tempfile.mkdtemp(prefix="lifebench-"))
        for name in ("memory", "home", "cwd", "tmp", "lib"):
            (self.root / name).mkdir()
        (self.root / "lib" / "lifebench").symlink_to(OWN)
        self._mark = uuid.uuid4().hex
        self._process: subprocess.Popen[bytes] | None = None
        self._calls = self._replies = -1
        self._rest, self._number = b"", 0
        self.left_processes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        shutil.rmtree(self.root, ignore_errors=True)

    def call(self, name: str, **given: Any) -> Any:
        """Return what the adapter answers; raise `Unsupported`, `AdapterFault` or `MachineFault`."""
        if self._process is None:
            self._start()
        self._number += 1
        asked = json.dumps({"number": self._number, "call": name, "given": given})
        try:
            self._send(asked)
        except BrokenPipeError:
            self.stop()
            raise AdapterFault(f"died before `{name}`") from None
        reply = self._read(name)
        if reply["is"] == "unsupported":
            raise Unsupported(reply["why"])
        if reply["is"] == "error":
            if reply["errno"] in {errno.ENOSPC, errno.EDQUOT}:
                raise MachineFault(f"no space is left on the disk: {reply['why']}")
            raise AdapterFault(f"raised in `{name}`: {reply['why']}")
        return reply["result"]

    def stop(self) -> None:
        """Close the memory if it still answers, and end its process with all that it started."""
        process = self._process
        if process is None:
            return
        self._process = None
        try:
            os.write(self._calls, b'{"number": 0, "call": "close", "given": {}}\n')
            select.select([self._replies], [], [], CLOSING_S)
        except BrokenPipeError:
            pass
        os.close(self._calls)
        try:
            process.wait(2.0)
        except subprocess.TimeoutExpired:
            pass
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.left_processes += self._end_marked_processes()
        os.close(self._replies)
        self._rest = b""

    def cpu_s(self) -> float:
        """Return the CPU seconds of this memory's processes and of those that they waited for, in steps of 0.01 s."""
        ticks = 0
        for pid in self._find_marked():
            try:
                _, _, fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
            except OSError:  # it has ended since
                continue
            ticks += sum(map(int, fields.split()[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def stray_files(self) -> list[str]:
        """Return the files that lie beside the memory's folder: in the home, working or temporary folder."""
        places = [self.root / name for name in ("home", "cwd", "tmp")]
        return sorted(
            str(path.relative_to(self.root))
            for place in places
            for path in place.rglob("*")
            if path.is_file()
        )

    def find_bytes(self, values: Iterable[str], more: Sequence[str] = ()) -> set[str]:
        """Return the values that lie in files of this memory, in any case, as UTF-8 or UTF-16."""
        wanted = {value: (value.lower().encode(), value.lower().encode("utf-16-le")) for value in values}
        found: set[str] = set()
        for path in self._files(more):
            data = path.read_bytes().lower()
            found |= {value for value, forms in wanted.items() if any(form in data for form in forms)}
        return found

    def _files(self, more: Sequence[str]) -> Iterable[Path]:
        places = [self.root / name for name in ("memory", "home", "cwd", "tmp")] + [Path(one) for one in more]
        for place in places:
            for path in [place] if place.is_file() else sorted(place.rglob("*")):
                if path.is_file() and not path.is_symlink():
                    yield path

    def _start(self) -> None:
        calls_read, self._calls = os.pipe()
        self._replies, replies_write = os.pipe()
        paths = [str(self.root / "lib")]
        if self._python == sys.executable and os.environ.get("PYTHONPATH"):
            paths.append(os.environ["PYTHONPATH"])
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        own = {"HOME": "home", "TMPDIR": "tmp", "XDG_CONFIG_HOME": "home", "XDG_CACHE_HOME": "home"}
        self._process = subprocess.Popen(
            [
                self._python,
                "-m",
                "lifebench.worker",
                str(calls_read),
                str(replies_write),
                self._file,
                self._variant,
            ],
            pass_fds=(calls_read, replies_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=None if os.environ.get("LIFEBENCH_STDERR") else subprocess.DEVNULL,
            cwd=self.root / "cwd",
            env={
                **kept,
                **{name: str(self.root / folder) for name, folder in own.items()},
                "PYTHONPATH": os.pathsep.join(paths),
                "PYTHONDONTWRITEBYTECODE": "1",
                MARK: self._mark,
            },
            start_new_session=True,
        )
        os.close(calls_read)
        os.close(replies_write)

    def _send(self, asked: str) -> None:
        data = asked.encode() + b"\n"
        while data:
            data = data[os.write(self._calls, data) :]

    def _read(self, name: str) -> dict[str, Any]:
        """Read the reply to the last call."""
        ends = time.monotonic() + self._limit_s
        while b"\n" not in self._rest:
            wait_s = ends - time.monotonic()
            ready = wait_s > 0 and select.select([self._replies], [], [], wait_s)[0]
            if not ready:
                self._kill()
                raise AdapterFault(f"hung in `{name}` for {self._limit_s:g} s")
            part = os.read(self._replies, CHUNK)
            if not part:
                self._kill()
                raise AdapterFault(f"died in `{name}`")
            self._rest += part
            if len(self._rest) > REPLY_BYTES_MAX:
                self._kill()
                raise AdapterFault(f"answered `{name}` with more than {REPLY_BYTES_MAX} bytes")
        line, _, self._rest = self._rest.partition(b"\n")
        reply: dict[str, Any] = json.loads(line)
        if reply["number"] != self._number:
            self._kill()
            raise AdapterFault(f"answered another call than `{name}`")
        return reply

    def _kill(self) -> None:
        """End the process without asking it to close."""
        process = self._process
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            self.stop()

    def _end_marked_processes(self) -> int:
        """End whatever outlived the process that started it; return how many there were."""
        left: set[int] = set()
        while found := self._find_marked():
            left.update(found)
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.02)
        return len(left)

    def _find_marked(self) -> list[int]:
        """Return the processes whose environment has the mark; without /proc none is found."""
        wanted, found = f"{MARK}={self._mark}".encode(), []
        for path in Path("/proc").glob("[0-9]*/environ"):
            try:
                if wanted in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return found
