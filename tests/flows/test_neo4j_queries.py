"""The statements of the store in a graph: every one is used, and none looks through all nodes of a label."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import neo4j
import pytest

import remanence.store.neo4j
from remanence.store.neo4j.neo_queries import QUERIES
from remanence.store.neo4j.neo_store import Neo4jStore
from remanence_store_kit.builders import create_change, keep, link_change, tag_change
from tests.neo4j_server import Neo4jServer

# What is of all scopes looks at every node of these.
OF_ALL_SCOPES = {"survey_scopes", "list_scopes"}


def list_operators(plan: Mapping[str, Any]) -> Iterator[str]:
    """Yield the operators of a plan."""
    yield plan["operatorType"]
    for child in plan.get("children", ()):
        yield from list_operators(child)


@pytest.fixture
async def filled(neo4j_server: Neo4jServer, neo4j_address: str) -> Neo4jServer:
    """Return a server with memories of two scopes, so that its statistics know what there is."""
    store = Neo4jStore(neo4j_address)
    await store.open()
    for scope in ("one", "two"):
        changes = [create_change(k, f"boat {k} of {scope}", session="s") for k in range(1, 101)]
        links = [link_change(-k, -k - 1) for k in range(1, 100)]
        await keep(store, *changes, *links, tag_change(-1, "x"), scope=scope)
    await store.close()
    return neo4j_server


async def test_no_statement_looks_through_a_whole_database(filled: Neo4jServer) -> None:
    """Each seeks by an index that begins with the scope, whatever other scopes hold."""
    driver = neo4j.GraphDatabase.driver(
        filled.address, notifications_min_severity=neo4j.NotificationMinimumSeverity.OFF
    )
    scanning = {}
    with driver, driver.session() as session:
        for name, query in QUERIES.items():
            plan = session.run(f"EXPLAIN {query}").consume().plan
            assert plan is not None
            operators = {one.partition("@")[0].partition("(")[0] for one in list_operators(plan)}
            if found := sorted(one for one in operators if "Scan" in one):
                scanning[name] = found

    assert OF_ALL_SCOPES == scanning.keys(), scanning


def test_every_statement_is_used() -> None:
    """And each is asked for by its name."""
    folder = Path(remanence.store.neo4j.__file__).parent
    code = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    by_table = {
        f"{verb}_{table}" for verb in ("read", "put", "remove") for table in ("boxes", "traces", "forbidden")
    }

    assert set() == {name for name in QUERIES if f'"{name}"' not in code} - by_table
    assert len(QUERIES) >= 15
