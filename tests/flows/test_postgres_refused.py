"""A server that lets nobody in: it is said what is wrong with the address, and never with a password in it."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

import remanence
from remanence.core.errors import StoreUnavailable
from remanence.store.postgres.pg_store import PgStore
from tests.command_line import typed
from tests.postgres import Server
from tests.postgres_roles import address_of, roles

SECRET, WRONG = "s3cret-of-ann", "n0t-the-secret"


async def refuse(address: str) -> StoreUnavailable:
    """Return what is said as an address is opened."""
    with pytest.raises(StoreUnavailable) as raised:
        await remanence.open(address, embedder="none")
    error = raised.value
    said = [str(error), error.recovery, *traceback.format_exception(error)]
    assert not any(secret in one for one in said for secret in (SECRET, WRONG))
    return error


@contextmanager
def asking_for_passwords(server: Server, role: str) -> Iterator[None]:
    """Have the server ask a role for its password."""
    with psycopg.connect(server.address) as connection:
        row = connection.execute("SHOW hba_file").fetchone()
    assert row is not None
    file = Path(row[0])
    before = file.read_text(encoding="utf-8")
    file.write_text(f"local all {role} scram-sha-256\n{before}", encoding="utf-8")
    server.run("SELECT pg_reload_conf()")
    try:
        yield
    finally:
        file.write_text(before, encoding="utf-8")
        server.run("SELECT pg_reload_conf()")


async def test_a_database_that_is_not_there_is_named(postgres_address: str) -> None:
    """The user is let into another database, where the server lists those that it has."""
    error = await refuse(postgres_address.replace("/postgres?", "/nowhere?"))

    assert "there is no database 'nowhere' on the server" == str(error)
    assert "createdb" in error.recovery


async def test_a_user_that_is_not_there_is_named(postgres_server: Server, postgres_address: str) -> None:
    """No other database lets it in either."""
    error = await refuse(address_of(postgres_server, "nobody"))

    assert "the server does not let the user 'nobody' in: " in str(error)
    assert "check the user" in error.recovery


async def test_a_database_that_a_user_may_not_use_is_named(postgres_server: Server) -> None:
    """It is there, and the user is let in elsewhere."""
    with roles(postgres_server, "ann"):
        postgres_server.run("CREATE DATABASE closed")
        try:
            postgres_server.run("REVOKE CONNECT ON DATABASE closed FROM PUBLIC")
            error = await refuse(address_of(postgres_server, "ann").replace("/postgres?", "/closed?"))
        finally:
            postgres_server.run("DROP DATABASE closed")

    assert "the user 'ann' may not connect to the database 'closed'" == str(error)


async def test_a_password_that_is_missing_or_wrong_is_said(
    postgres_server: Server, postgres_address: str
) -> None:
    """The right one opens; where the database is missing too, that is what is said of it."""
    options = f"LOGIN PASSWORD '{SECRET}'"
    with roles(postgres_server, "ann", options=options), asking_for_passwords(postgres_server, "ann"):
        bare = address_of(postgres_server, "ann")
        right, wrong = (bare.replace("ann:@", f"ann:{word}@") for word in (SECRET, WRONG))
        missing_said, wrong_said = await refuse(bare), await refuse(wrong)
        nowhere_said = await refuse(right.replace("/postgres?", "/nowhere?"))
        with psycopg.connect(right) as connection:
            connection.execute("SELECT 1")
        typed_said = typed("--db", wrong, "status")

    assert "the server asks for the password of 'ann', and none is given" == str(missing_said)
    assert "PGPASSWORD" in missing_said.recovery
    assert "the server does not let the user 'ann' in: " in str(wrong_said)
    assert "the password in the address" in wrong_said.recovery
    assert "there is no database 'nowhere' on the server" == str(nowhere_said)
    assert 1 == typed_said.exit_code
    assert WRONG not in typed_said.stdout + typed_said.stderr


async def test_a_server_that_does_not_answer_is_told_from_one_that_refuses(tmp_path: Path) -> None:
    """Nobody listens there."""
    error = await refuse(f"postgresql://ann:{WRONG}@/postgres?host={tmp_path}")

    assert "the server does not answer: " in str(error)


async def test_a_store_that_was_refused_opens_once_the_database_is_there(
    postgres_server: Server, postgres_address: str
) -> None:
    """What was said to be missing is made."""
    store = PgStore(postgres_address.replace("/postgres?", "/later?"))
    with pytest.raises(StoreUnavailable, match="no database 'later'"):
        await store.open()
    postgres_server.run("CREATE DATABASE later")
    try:
        await store.open()
        await store.close()
    finally:
        postgres_server.run("DROP DATABASE later WITH (FORCE)")
