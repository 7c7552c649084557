"""The suite speaks to nobody but this machine."""

import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import NetworkIsOff

# TEST-NET-1 and the documentation prefix: reserved, so that nobody is ever there (RFC 5737, RFC 3849).
REMOTE = [(socket.AF_INET, ("192.0.2.1", 80)), (socket.AF_INET6, ("2001:db8::1", 80, 0, 0))]


@pytest.mark.parametrize(("family", "address"), REMOTE)
def test_other_machines_are_refused(family: int, address: tuple[str, int]) -> None:
    """A connection beyond this machine raises before anything is sent."""
    with socket.socket(family) as sock, pytest.raises(NetworkIsOff, match="the network is off"):
        sock.connect(address)


def test_this_machine_is_allowed() -> None:
    """A connection to a server of our own works."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as client:
        client.connect(server.getsockname())

        assert server.getsockname() == client.getpeername()


@given(st.integers(0, 255))
def test_the_guard_holds_for_every_example(last: int) -> None:
    """The guard stays on through all examples of a law."""
    with socket.socket() as sock, pytest.raises(NetworkIsOff):
        sock.connect_ex(("192.0.2." + str(last), 80))
