"""The laws of curation hold in every world and under every policy that hypothesis can think of."""

from tempfile import TemporaryDirectory

import pytest

from remanence.flows.scopes.moving import copy_rows
from remanence.store.capabilities import complete
from remanence.store.neo4j.neo_store import Neo4jStore
from remanence.store.postgres.pg_store import PgStore
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import find_damage
from remanence_store_kit.dump import dump
from remanence_store_kit.policies import PolicyTables
from remanence_store_kit.worlds import World
from tests.laws.digests import file_and_server_agree
from tests.laws.lab import ANY_NUMBER, SCOPE, Law, lab, search
from tests.laws.ladders import a_ladder_does_the_milder_thing_first
from tests.laws.laws import LAWS, agree_with_reference, both_stores_agree
from tests.neo4j_server import Neo4jServer
from tests.postgres import Server

ALL = (*LAWS, a_ladder_does_the_milder_thing_first)


@pytest.mark.parametrize("law", ALL, ids=lambda law: law.__name__)
def test_law(law: Law) -> None:
    """Each law of `laws.py`, in 60 worlds; that it can be seen broken at all, the planted bugs show."""
    search(law, max_examples=60)


def test_both_stores_agree() -> None:
    """What holds in memory holds on SQLite, in 25 worlds: a file is made for each."""
    search(both_stores_agree, max_examples=25)


@pytest.mark.deep
def test_both_stores_agree_in_1_000_worlds() -> None:
    """The same deep."""
    search(both_stores_agree, max_examples=1_000)


def agree_on(server: Server) -> Law:
    """Return the law that a server and the reference agree; the database is emptied for each world."""

    async def a_server_agrees(world: World, rules: PolicyTables, pick: int) -> None:
        server.empty()
        await agree_with_reference(world, rules, complete(PgStore(server.address)))

    return a_server_agrees


def test_a_server_agrees(postgres_server: Server) -> None:
    """What holds in memory holds on PostgreSQL, in 15 worlds."""
    search(agree_on(postgres_server), max_examples=15)


@pytest.mark.deep
def test_a_server_agrees_in_500_worlds(postgres_server: Server) -> None:
    """The same deep."""
    search(agree_on(postgres_server), max_examples=500)


def compare_to_file(server: Server) -> Law:
    """Return the law that a server and a file agree to the digest; both are empty for each world."""

    async def a_server_agrees_with_a_file(world: World, rules: PolicyTables, pick: int) -> None:
        server.empty()
        with TemporaryDirectory() as folder:
            file = complete(SqliteStore(f"{folder}/memory.db"))
            await file_and_server_agree(world, rules, file, complete(PgStore(server.address)))

    return a_server_agrees_with_a_file


@pytest.mark.parametrize("worlds", [15, pytest.param(500, marks=pytest.mark.deep)])
def test_a_server_agrees_with_a_file(worlds: int, postgres_server: Server) -> None:
    """Plans, rows and the digests of all parts are equal on both."""
    search(compare_to_file(postgres_server), max_examples=worlds)


def agree_on_graph(server: Neo4jServer) -> Law:
    """Return the law that a graph and the reference agree; the database is emptied for each world."""

    async def a_graph_agrees(world: World, rules: PolicyTables, pick: int) -> None:
        server.empty()
        await agree_with_reference(world, rules, complete(Neo4jStore(server.address)))

    return a_graph_agrees


def test_a_graph_agrees(neo4j_server: Neo4jServer) -> None:
    """What holds in memory holds on Neo4j, in 8 worlds."""
    search(agree_on_graph(neo4j_server), max_examples=8)


@pytest.mark.deep
def test_a_graph_agrees_in_200_worlds(neo4j_server: Neo4jServer) -> None:
    """The same deep."""
    search(agree_on_graph(neo4j_server), max_examples=200)


def go_through_graph(server: Neo4jServer) -> Law:
    """Return the law that a scope is the same in a graph, and in a file where it goes from there."""

    async def a_scope_goes_through_a_graph(world: World, rules: PolicyTables, pick: int) -> None:
        server.empty()
        file, graph, other = SqliteStore(":memory:"), Neo4jStore(server.address), SqliteStore(":memory:")
        stores = complete(file), complete(graph), complete(other)
        async with lab(world, stores[0]) as it:
            receipt = await it.apply(await it.plan(rules))
            if receipt.changes and pick % 2:
                await it.engine.undo(receipt)
            for store in stores[1:]:
                await store.open()
            await copy_rows(file, graph, SCOPE, moves=False)
            await copy_rows(graph, other, SCOPE, moves=False)
            dumps = [await dump(store, SCOPE) for store in stores]
            logs = [await store.history(SCOPE, limit=ANY_NUMBER) for store in stores]
            damage = [await find_damage(store) for store in stores]
        for store in stores[1:]:
            await store.close()

        assert all(one == dumps[0] for one in dumps)
        assert all(one == logs[0] for one in logs)
        assert [[], [], []] == damage

    return a_scope_goes_through_a_graph


@pytest.mark.parametrize("worlds", [8, pytest.param(200, marks=pytest.mark.deep)])
def test_a_scope_goes_through_a_graph(worlds: int, neo4j_server: Neo4jServer) -> None:
    """Rows, history and digests are the same in all three, and each is sound."""
    search(go_through_graph(neo4j_server), max_examples=worlds)


@pytest.mark.deep
@pytest.mark.parametrize("law", ALL, ids=lambda law: law.__name__)
def test_law_in_3_000_worlds(law: Law) -> None:
    """The same deep: a planner's flaw was once found only beyond 400 worlds."""
    search(law, max_examples=3_000)
