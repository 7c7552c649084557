"""What every test gets: no network, Ctrl-C as at a terminal, and the hypothesis profile named by HYPOTHESIS_PROFILE."""

import gc
import os
import signal
import socket
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests import postgres
from tests.neo4j_server import Neo4jServer, find_missing

# Two busy cores make single examples slow, which says nothing about the law under test.
QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large)
settings.register_profile(
    "ci", max_examples=50, deadline=None, derandomize=True, print_blob=True, suppress_health_check=QUIET
)
settings.register_profile(
    "deep", max_examples=1_000, deadline=None, print_blob=True, suppress_health_check=QUIET
)
# Collected as often as by default, garbage takes a twelfth of the time of the suite, which keeps much and makes little.
gc.set_threshold(100_000, 20, 100)
# A shell starts what it puts in the background with Ctrl-C ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


class NetworkIsOff(RuntimeError):
    """A test tried to reach another machine."""


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection beyond this machine."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def guarded(self: socket.socket, address: object) -> None:
        refuse_remote(self, address)
        connect(self, address)  # type: ignore[arg-type]

    def guarded_ex(self: socket.socket, address: object) -> int:
        refuse_remote(self, address)
        return connect_ex(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_ex)


def refuse_remote(sock: socket.socket, address: object) -> None:
    """Raise unless the address is on this machine."""
    if sock.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    host = str(address[0]) if isinstance(address, tuple) else ""
    if host not in {"localhost", "::1"} and not host.startswith("127."):
        raise NetworkIsOff(f"a test tried to reach {host}: the network is off")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """Yield a PostgreSQL server of this process."""
    if postgres.MISSING:
        pytest.skip(postgres.MISSING)
    server = postgres.Server()
    yield server
    server.stop()


@pytest.fixture
def postgres_address(postgres_server: postgres.Server) -> str:
    """Return the address of an empty database on a server."""
    postgres_server.empty()
    return postgres_server.address


@pytest.fixture(scope="session")
def neo4j_server() -> Iterator[Neo4jServer]:
    """Yield a Neo4j server of this process."""
    if missing := find_missing():
        pytest.skip(missing)
    server = Neo4jServer()
    yield server
    server.stop()


@pytest.fixture
def neo4j_address(neo4j_server: Neo4jServer) -> str:
    """Return the address of an empty database on a server."""
    neo4j_server.empty()
    return neo4j_server.address
