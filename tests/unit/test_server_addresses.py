"""Addresses of servers: what cannot be read is refused, and no password is printed."""

import traceback

import pytest

import remanence
from remanence.core.errors import InvalidInput
from tests.command_line import typed

SECRET = "geheim77"
UNREADABLE = (
    f"postgresql://ann:{SECRET}%im@localhost/notes",
    f"postgresql://ann:{SECRET}@[::1/notes",
    f"postgresql://ann:{SECRET}@localhost/notes?hosst=x",
    f"postgresql://ann:{SECRET}@localhost:port/notes?prepared_statements=perhaps",
    f"neo4j://ann:{SECRET}@[::1/notes",
    f"neo4j://ann:{SECRET}@localhost:port/notes",
    f"bolt+s://ann:{SECRET}@localhost/notes/more",
    f"neo4j://ann:{SECRET}@localhost/notes?policy=europe",
)


@pytest.mark.parametrize("address", UNREADABLE)
def test_an_address_that_cannot_be_read_is_refused_without_its_password(address: str) -> None:
    """Not in the error, its way out or what Python shows of it, nor on the command line."""
    with pytest.raises(InvalidInput) as refused:
        remanence.open(address)
    shown = typed("--db", address, "status")

    assert refused.value.recovery
    assert SECRET not in "".join(traceback.format_exception_only(refused.value))
    assert refused.value.__cause__ is None
    assert 1 == shown.exit_code
    assert SECRET not in shown.output + shown.stderr


def test_the_key_of_a_server_is_not_changed() -> None:
    """Encrypting is for files; the address is not taken for the path of one."""
    shown = typed("--db", f"postgresql://ann:{SECRET}@localhost/notes", "change-key", "--decrypt")

    assert 1 == shown.exit_code
    assert "address of a server" in shown.stderr
    assert SECRET not in shown.output + shown.stderr
