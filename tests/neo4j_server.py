"""A real Neo4j server for tests, one a process, emptied between tests; `make neo4j-server` fetches it."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree, which
from tempfile import mkdtemp

import neo4j

_FOLDER = Path(__file__).with_name("neo4j")
_CLASSES = _FOLDER / "target" / "classes"
_JARS = _FOLDER / "target" / "lib"
# It starts in half of the time that the default takes, and keeps to two thirds of the memory.
_FLAGS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms128m", "-Xmx768m")
_EMPTIED = "MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS"


def find_missing() -> str:
    """Return why there can be no server, "" where there can be one."""
    if which("java") is None:
        return "no Neo4j: java is not installed"
    return "" if _JARS.is_dir() and _CLASSES.is_dir() else "no Neo4j: run `make neo4j-server` once"


class Neo4jServer:
    """A server that can be killed and started again on the same data; it also ends when this process does."""

    def __init__(self) -> None:
        self._home = Path(mkdtemp(prefix="remanence-neo4j-"))
        self._process = self._start()
        self.address = self._read_address()
        self._driver = neo4j.GraphDatabase.driver(self.address)

    @property
    def process(self) -> int:
        """The number of its process."""
        return self._process.pid

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.address.rpartition(":")[2])

    def run(self, query: str, **values: object) -> list[dict[str, object]]:
        """Run a query by itself and return its rows."""
        with self._driver.session() as session:
            return session.run(query, values).data()

    @contextmanager
    def hold(self, query: str) -> Iterator[None]:
        """Run a query in a transaction that keeps its locks until it is committed at the end."""
        with self._driver.session() as session, session.begin_transaction() as transaction:
            transaction.run(query).consume()
            yield
            transaction.commit()

    def list_blocked(self) -> list[object]:
        """Return the queries that wait for a lock."""
        rows = self.run("SHOW TRANSACTIONS YIELD status, currentQuery")
        return [row["currentQuery"] for row in rows if str(row["status"]).startswith("Blocked")]

    def empty(self) -> None:
        """Take all nodes and relationships away; constraints and indexes stay."""
        self.run(_EMPTIED)

    def kill(self) -> None:
        """Kill the server, as a machine that loses its power."""
        with self._process:  # its ends of the pipes are closed, too
            self._process.kill()

    def start_again(self) -> None:
        """Start a server that was killed, at the same address, and let it recover."""
        self._process = self._start(str(self.port))
        self._read_address()

    def stop(self) -> None:
        """End the server at once: an orderly end takes ten seconds, and nobody needs its data."""
        self._driver.close()
        self.kill()
        rmtree(self._home, ignore_errors=True)

    def _start(self, *words: str) -> subprocess.Popen[str]:
        command = ["java", *_FLAGS, "-cp", f"{_CLASSES}:{_JARS}/*", "Server", str(self._home), *words]
        with (self._home / "server.log").open("a", encoding="utf-8") as log:
            return subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )

    def _read_address(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline().strip()
        if not line:
            raise RuntimeError((self._home / "server.log").read_text(encoding="utf-8")[-2_000:])
        return line
