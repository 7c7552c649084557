"""The page about Neo4j: each query runs as it stands there, and answers what the plan of the policy shows."""

import re
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import DAY
from remanence.engine import Engine
from remanence.store.neo4j.neo_store import Neo4jStore
from remanence_store_kit.builders import NOW
from tests.docs.examples import blocks
from tests.neo4j_server import Neo4jServer

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "neo4j.md"
SCOPE = "default"
_FOUND = [block.text for block in blocks(PAGE.read_text(encoding="utf-8")) if block.language == "cypher"]
QUERIES = {text.partition("\n")[0].removeprefix("// "): text.partition("\n")[2] for text in _FOUND}
RULES = {name.removeprefix("rule: "): text for name, text in QUERIES.items() if name.startswith("rule: ")}
LATER = 130  # days
JANITOR = files("remanence.curate.presets").joinpath("janitor.toml").read_text(encoding="utf-8")


def policy_of(rule: str) -> str:
    """Return a policy of one rule of the preset alone, with the words that it is made of, and no guard."""
    head, *sections = re.split(r"^(?=\[\[)", JANITOR, flags=re.MULTILINE)
    (section,) = [one for one in sections if f'name = "{rule}"' in one and one.startswith("[[rule]]")]
    return head + section


@pytest.fixture
async def memory(neo4j_address: str) -> AsyncIterator[Engine]:
    """Yield a memory in which each rule of the page selects some, and leaves others alone."""
    clock = remanence.ManualClock(NOW)
    async with remanence.open(neo4j_address, clock=clock, policy="janitor", embedder="hashed") as memory:
        for state in ("read", "unread"):
            await memory.learn(f"The notice {state} came.", category="notification", state=state)
        done = [
            await memory.learn(f"Task {k} about harbour {k}.", category="task", state="pending")
            for k in range(3)
        ]
        for one in done[:2]:
            await memory.update(one.id, state="completed")
        lesson = await memory.learn("Tie the boats before a storm.", category="fact")
        await memory.link(lesson.id, done[0].id, "learned_from")
        await memory.learn("All boats lie in harbours.", category="synthesis")
        gone = [await memory.learn(f"A parrot sits on mast {k}.", category="fact") for k in range(2)]
        await memory.forget(gone[0].id)
        await memory.learn("The Adriatic is warm.", category="fact")
        await memory.consolidate()
        clock.advance(days=LATER)
        await memory.forget(gone[1].id)
        for k in range(30):
            await memory.learn(f"Crate {k} " + f"holds rope and tar number {k} " * 12, category="fact")
        await memory.consolidate()
        clock.advance(days=2)
        yield memory


@pytest.mark.parametrize("rule", RULES)
async def test_a_query_answers_what_the_plan_shows(
    rule: str, memory: Engine, neo4j_server: Neo4jServer
) -> None:
    """Each query of the page selects the memories that the rule of its name selects."""
    now = NOW + (LATER + 2) * DAY
    found = {row["seq"] for row in neo4j_server.run(RULES[rule], scope=SCOPE, now=now, day=DAY)}
    plan = await memory.plan(policy_of(rule))
    planned = {seq for action in plan.actions() for seq in action.seqs}

    assert found
    assert planned == found


async def test_the_other_queries_run(memory: Engine, neo4j_server: Neo4jServer) -> None:
    """What they answer is there, and the vector index finds what is alike."""
    one, two = await memory.get("#1"), await memory.get("#2")
    await memory.link(one.id, two.id, "contradicts", confidence=0.9)
    now = NOW + (LATER + 2) * DAY
    (open_one,) = neo4j_server.run(QUERIES["open contradictions"], scope=SCOPE)
    history = neo4j_server.run(QUERIES["what was done to a memory"], scope=SCOPE, seq=1)
    await memory.curate("janitor")
    name = "what was curated last, by the index memory_curation"
    curated = neo4j_server.run(QUERIES[name], scope=SCOPE, now=now, day=DAY)

    assert {one.text, two.text} == {open_one["one"], open_one["other"]}
    assert "learn" == history[0]["verb"]
    assert curated


async def test_uses_of_seven_days_are_counted(neo4j_server: Neo4jServer, neo4j_address: str) -> None:
    """As a rule of a policy counts them: those of an earlier day are left out."""
    clock = remanence.ManualClock(NOW)
    async with remanence.open(neo4j_address, clock=clock, embedder="hashed") as memory:
        for place in ("harbour", "orchard"):
            await memory.learn(f"The piano stands in the {place}.")
        for days, times in ((0, 3), (5, 2), (2, 1), (0, 1)):
            clock.advance(days=days)
            for _ in range(times):
                await memory.recall("Where does the piano stand?")
        plan = await memory.plan(
            'version = 1\nname = "x"\n[[rule]]\nname = "used"\nevery = "deep"\nphase = "value"\n'
            'where = "uses(7) == 4"\ndo = "flag"\nto = "used"\nbecause = "it was"\n'
        )
    found = neo4j_server.run(
        QUERIES["used in seven days: use_days holds a byte for each day, the lowest for use_day"],
        scope=SCOPE, now=clock.now(), day=DAY,
    )  # fmt: skip

    assert {(1, 4), (2, 4)} == {(row["seq"], row["uses"]) for row in found}
    assert {1, 2} == {seq for action in plan.actions() for seq in action.seqs}


async def test_a_vector_index_finds_what_is_alike(memory: Engine, neo4j_server: Neo4jServer) -> None:
    """The vectors of the store are the index's, and the nearest of a scope are those of the store's own matrix."""
    store = Neo4jStore(neo4j_server.address)
    await store.open()
    seqs, vectors = await store.vectors(SCOPE)
    await store.close()
    neo4j_server.run(QUERIES["vector index"].replace("256", str(vectors.shape[1])))
    try:
        rows = [
            [seq, vector] for seq, vector in zip(seqs.tolist(), vectors.astype(float).tolist(), strict=True)
        ]
        neo4j_server.run(
            "UNWIND $rows AS row MATCH (m:Memory {scope: $scope, seq: row[0]}) SET m.embedding = row[1]",
            rows=rows,
            scope=SCOPE,
        )
        neo4j_server.run("CALL db.awaitIndexes(60)")
        seq = int(seqs[-1])
        found = {row["seq"] for row in neo4j_server.run(QUERIES["near another memory"], scope=SCOPE, seq=seq)}
    finally:
        neo4j_server.run("DROP INDEX memory_embedding IF EXISTS")
    likeness = vectors.astype(float) @ vectors[-1].astype(float)
    nearest = {int(seqs[k]) for k in likeness.argsort()[::-1][1:6]}

    assert len(found & nearest) >= 4  # it is approximate
