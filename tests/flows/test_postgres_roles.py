"""Roles of a PostgreSQL server: what each may do, what it is refused, and what the commands say of it."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

import remanence
from remanence.core.errors import ReadOnly
from remanence.store.postgres import pg_cluster, pg_errors, pg_roles, pg_schema
from remanence.store.postgres.pg_roles import RoleGrant, connect, read_grants
from remanence.store.sql.schema_versions import SCHEMA_VERSION
from tests.command_line import typed
from tests.postgres import Server
from tests.postgres_roles import OWNER, address_of, let, roles

CITUS = os.environ.get("REMANENCE_CITUS_URL", "")
ALL = {"SELECT", "INSERT", "UPDATE", "DELETE"}
HOSTILE = ('a "quoted" one', "o'; DROP TABLE memories; --", "../up", "Über–", "everyone")


@pytest.fixture
def server(postgres_server: Server, postgres_address: str) -> Iterator[Server]:
    """A server with our tables, of which all are empty, and a role `ada`."""
    with connect(postgres_address, makes=True), roles(postgres_server, "ada"):
        yield postgres_server


def rights(server: Server, role: str) -> dict[str, set[str]]:
    """Return what a role may do with each table."""
    with psycopg.connect(server.address) as connection:
        rows = connection.execute(
            "SELECT table_name, privilege_type FROM information_schema.role_table_grants WHERE grantee = %s",
            (role,),
        ).fetchall()
    found: dict[str, set[str]] = {}
    for table, right in rows:
        found.setdefault(table, set()).add(right)
    return found


def list_open_tables(server: Server, role: str) -> list[str]:
    """Return the tables that are not closed, and those on which a role has no policy of its own."""
    with psycopg.connect(server.address) as connection:
        rows = connection.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p')"
            " AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'scopes'::regclass)"
            " AND c.relname !~ '^(procrastinate|alembic)' AND NOT (c.relrowsecurity AND EXISTS"
            " (SELECT 1 FROM pg_policy p JOIN pg_roles r ON r.oid = ANY (p.polroles)"
            "  WHERE p.polrelid = c.oid AND r.rolname = %s)) ORDER BY 1",
            (role,),
        ).fetchall()
    return [name for (name,) in rows]


@pytest.mark.parametrize("scope", [None, "ada"])
@pytest.mark.parametrize("writes", [True, False])
def test_a_role_may_do_that_and_nothing_else(server: Server, scope: str | None, *, writes: bool) -> None:
    """Rows of our tables are read, or written as well; a role of one scope writes no names of scopes."""
    let(server, "ada", writes=writes, scope=scope)
    found = rights(server, "ada")

    assert set(pg_schema.list_tables()) == found.keys()
    expected = dict.fromkeys(found, ALL if writes else {"SELECT"})
    if scope is not None:
        expected["scope_names"] = {"SELECT"}
    assert expected == found
    assert [] == list_open_tables(server, "ada")


def test_a_table_without_a_policy_is_seen(server: Server) -> None:
    """So a new table that is not closed fails the test above."""
    let(server, "ada", scope="ada")
    server.run("CREATE TABLE forgotten (scope bigint)")
    try:
        assert ["forgotten"] == list_open_tables(server, "ada")
    finally:
        server.run("DROP TABLE forgotten")


async def test_a_writer_writes_every_scope_and_owns_nothing(server: Server) -> None:
    """It makes scopes, erases, and can neither empty nor drop a table nor make one."""
    let(server, "ada")
    for scope in ("harbour", "tower"):
        async with remanence.open(address_of(server, "ada"), scope=scope, embedder="none") as memory:
            learned = await memory.learn("The ferry leaves at nine.")
            await memory.erase.apply(await memory.erase.show(learned))
            await memory.learn("The ferry leaves at ten.")
    async with remanence.open(address_of(server, "ada"), scope="tower", embedder="none") as memory:
        assert ["harbour", "tower"] == [one.scope for one in await memory.scopes.list()]
    with psycopg.connect(address_of(server, "ada"), autocommit=True) as connection:
        for statement in (
            "TRUNCATE links",
            "DROP TABLE links",
            "CREATE TABLE mine (n int)",
            "VACUUM FULL meta",
        ):
            if statement.startswith("VACUUM"):
                continue
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement)


async def test_a_reader_is_opened_to_read_alone(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody says so: the server does; what would write is refused with a way out, and by hand as well."""
    async with remanence.open(server.address, embedder="none") as memory:
        await memory.learn("The ferry leaves at nine.")
    let(server, "ada", writes=False)
    async with remanence.open(address_of(server, "ada"), embedder="none") as memory:
        (hit,) = (await memory.recall("ferry")).memories
        with pytest.raises(ReadOnly) as refused:
            await memory.learn("The ferry leaves at ten.")

    assert "The ferry leaves at nine." == hit.memory.text
    assert refused.value.recovery
    assert "ada may not write" in caplog.text
    with (
        psycopg.connect(address_of(server, "ada")) as connection,
        pytest.raises(errors.InsufficientPrivilege),
    ):
        connection.execute("UPDATE settings SET value = value")


async def test_a_role_that_was_granted_nothing_is_told_what_to_ask_for(server: Server) -> None:
    """It reads nothing; the error names the command that lets it."""
    with pytest.raises(remanence.StoreError, match="may not") as refused:
        async with remanence.open(address_of(server, "ada"), embedder="none"):
            pass

    assert "remanence store grant" in refused.value.recovery


async def test_a_role_that_was_granted_tables_by_hand_sees_no_row(server: Server) -> None:
    """Rights alone open nothing: row-level security is closed until it is granted by the command."""
    async with remanence.open(server.address, embedder="none") as memory:
        await memory.learn("The ferry leaves at nine.")
    for table in pg_schema.list_tables():
        server.run(f"GRANT ALL ON {table} TO ada")
    with pytest.raises(remanence.NotFound, match="no scope 'default' here") as refused:
        async with remanence.open(address_of(server, "ada"), embedder="none", read_only=True):
            pass

    assert "there is no scope yet" in refused.value.recovery


def test_what_was_granted_before_ends(server: Server) -> None:
    """From all scopes to one, to another, to reading, and back; the same again changes nothing."""
    steps = [
        let(server, "ada"),
        let(server, "ada", scope="a"),
        let(server, "ada", scope="b"),
        let(server, "ada", scope="b", writes=False),
    ]
    with connect(server.address) as connection:
        last = read_grants(connection)
        again = let(server, "ada", scope="b", writes=False), read_grants(connection)

    assert [None, "a", "b", "b"] == [one.scope for one in steps]
    assert [steps[-1]] == last
    assert (steps[-1], last) == again
    assert {"SELECT"} == set().union(*rights(server, "ada").values())
    let(server, "ada")
    with connect(server.address) as connection:
        assert [RoleGrant("ada", writes=True)] == read_grants(connection)
        policies = connection.execute("SELECT count(*) FROM pg_policies WHERE policyname = 'ada'").fetchone()
    assert (len(pg_schema.list_tables()),) == policies


def test_a_role_that_no_policy_would_hold_is_refused(server: Server) -> None:
    """One that is not there, the owner, a superuser, one above row-level security, and a member of one with rights."""
    with roles(server, "bob", options="LOGIN BYPASSRLS"), roles(server, "eve"):
        let(server, "ada")
        server.run("GRANT ada TO eve")
        with pytest.raises(remanence.NotFound, match="no role 'nobody'"):
            let(server, "nobody", scope="a")
        for role in (OWNER, "bob"):
            with pytest.raises(remanence.InvalidInput, match="above row-level security"):
                let(server, role, scope="a")
        with pytest.raises(remanence.InvalidInput, match="a member of ada"):
            let(server, "eve", scope="a")
        with connect(server.address) as connection:
            assert ["ada"] == [one.role for one in read_grants(connection)]


@pytest.mark.parametrize("role", HOSTILE)
async def test_a_role_may_have_any_name(server: Server, role: str) -> None:
    """Quotes and semicolons are part of the name; nothing else is run."""
    with roles(server, role):
        granted = let(server, role, scope=role)
        with connect(server.address) as connection:
            assert [granted] == read_grants(connection)
            connection.execute("SELECT 1 FROM memories")
        assert [] == list_open_tables(server, role)


def test_who_does_not_own_the_tables_grants_nothing(server: Server) -> None:
    """Also not itself another scope."""
    let(server, "ada", scope="a")
    with pytest.raises(ReadOnly), connect(address_of(server, "ada")) as connection:
        pg_roles.grant(connection, "ada", scope="b")

    with connect(server.address) as connection:
        assert ["a"] == [one.scope for one in read_grants(connection)]


def test_a_grant_that_ends_half_way_lets_the_role_do_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody uses a table all the while: the grant gives up after a time, and done again it does the rest."""
    let(server, "ada")
    with psycopg.connect(server.address) as other, monkeypatch.context() as patched:
        patched.setattr(pg_roles, "_LOCK_SECONDS", 1)
        other.execute("SELECT count(*) FROM states")
        with pytest.raises(remanence.StoreUnavailable):
            let(server, "ada", scope="a")
        assert {} == rights(server, "ada")

    let(server, "ada", scope="a")
    with connect(server.address) as connection:
        assert [("ada", "a")] == [(one.role, one.scope) for one in read_grants(connection)]
    assert [] == list_open_tables(server, "ada")


async def test_an_erasure_of_a_scope_is_noted_for_that_scope(server: Server) -> None:
    """A role of another scope does not see that there was one; the owner's clean-up ends all notes."""
    notes = "SELECT name FROM meta WHERE name LIKE 'erased%' ORDER BY 1"
    server.run("DELETE FROM meta WHERE name LIKE 'erased%'")
    with roles(server, "bob"):
        ada, bob = let(server, "ada", scope="a"), let(server, "bob", scope="b")
        async with remanence.open(address_of(server, "ada"), scope="a", embedder="none") as memory:
            learned = await memory.learn("The ferry leaves at nine.")
            erasure = await memory.erase.apply(await memory.erase.show(learned))
            with psycopg.connect(address_of(server, "ada")) as connection:
                seen = connection.execute(notes).fetchall()
            with psycopg.connect(address_of(server, "bob")) as connection:
                hidden = connection.execute(notes).fetchall()
    async with remanence.open(server.address, scope="c", embedder="none") as memory:
        learned = await memory.learn("The bell rings at six.")
        await memory.erase.apply(await memory.erase.show(learned))
    with psycopg.connect(server.address) as connection:
        left = connection.execute(notes).fetchall()

    assert erasure is not None
    assert ada.number != bob.number
    assert [(f"erased_at {ada.number}",)] == seen
    assert [] == hidden
    assert [] == left


def test_tables_of_another_version_are_left_alone(server: Server) -> None:
    """A newer program made them: nothing is granted, nothing shown."""
    server.run("UPDATE meta SET value = '99' WHERE name = 'schema'")
    try:
        for words in (("grant", "ada"), ("status",), ("distribute",)):
            done = typed("store", *words, "--db", server.address)
            assert 1 == done.exit_code
            assert "version 99" in done.stderr
        assert {} == rights(server, "ada")
    finally:
        server.run(f"UPDATE meta SET value = '{SCHEMA_VERSION}' WHERE name = 'schema'")


def test_the_commands_say_who_may_do_what(server: Server) -> None:
    """A line a role; without Citus the server stays one."""
    db = ("--db", server.address)
    granted = typed("store", "grant", "ada", "--scope", "harbour", "--read", *db)
    shown = typed("store", "status", *db)
    divided = typed("store", "distribute", *db)

    assert (0, "ada may read the scope harbour\n") == (granted.exit_code, granted.stdout)
    assert shown.stdout.startswith("PostgreSQL ")
    assert "ada may read the scope harbour" in shown.stdout
    if "one server" in shown.stdout:
        assert 1 == divided.exit_code
        assert "CREATE EXTENSION citus" in divided.stderr
    with roles(server, "bob"):
        let(server, "bob", scope="tower")
        seen = typed("store", "status", "--db", address_of(server, "bob")).stdout
        assert "bob may read and write the scope tower" in seen
        assert "ada may read another scope" in seen
        assert "harbour" not in seen


@pytest.mark.parametrize("words", [("grant", "ada"), ("distribute",), ("status",)])
def test_on_a_file_there_is_one_clear_error(words: tuple[str, ...]) -> None:
    """And no file is made."""
    done = typed("store", *words, "--db", "agent.db")

    assert (1, "") == (done.exit_code, done.stdout)
    assert "agent.db is no PostgreSQL server" in done.stderr
    assert not Path("agent.db").exists()


def test_references_are_made_again_as_they_were(server: Server) -> None:
    """What dividing the tables takes away for a while comes back word for word."""
    read = (
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1, 2"
    )
    with connect(server.address) as connection:
        before = connection.execute(read).fetchall()
        for one in pg_schema.list_references():
            connection.execute(f"ALTER TABLE {one.table} DROP CONSTRAINT {one.name}")
        gone = connection.execute(read).fetchall()
        pg_cluster.make_references(connection)
        after = connection.execute(read).fetchall()

    assert [] == gone
    assert before == after
    assert len(before) == len(pg_schema.list_references()) > 0


@pytest.mark.skipif(not CITUS, reason="no Citus: REMANENCE_CITUS_URL names no server that has it")
async def test_a_cluster_holds_each_scope_on_one_node() -> None:
    """Divided twice as once; verbs do what they do, and a scope is moved by Citus' own call."""
    with connect(CITUS, makes=True) as connection:
        first, again = pg_cluster.distribute(connection), pg_cluster.distribute(connection)
        for scope in ("a", "b"):
            async with remanence.open(CITUS, scope=scope, embedder="none") as memory:
                learned = await memory.learn(f"The ferry of {scope} leaves at nine.")
                await memory.update(learned.id, category="sea")
                assert [f"The ferry of {scope} leaves at nine."] == [one.text for one in await memory.list()]
                await memory.erase.apply(await memory.erase.show(learned))
        isolated = connection.execute(
            "SELECT isolate_tenant_to_new_shard('scopes', (SELECT scope FROM scope_names WHERE name = 'a'), 'CASCADE')"
        ).fetchone()

    assert () == first.undivided
    assert first.divided == again.divided
    assert isolated is not None


def test_an_error_of_rights_says_the_way_out() -> None:
    """Whatever statement it was."""
    error = pg_errors.meaning(errors.InsufficientPrivilege("permission denied for table scope_names"))

    assert isinstance(error, ReadOnly)
    assert "remanence store grant" in error.recovery
