"""LangGraph's store over this memory: what their own tests, which `make test-frameworks` runs, do not ask of it."""

import asyncio
import importlib
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypedDict

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import ExtensionError, InvalidInput, NotFound, StoreUnavailable
from remanence.integrations import framework_versions, store_items
from remanence.integrations import langgraph as adapter
from remanence.integrations.langgraph import RemanenceStore

OPERATIONS = 500
USER = ("users", "mara")
LABELS = ("users", "mara", "jon", "a%b", "*x", "a/b", " ", "é", "e\u0301", "users\n", "日本")
KEYS = (
    "",
    " ",
    "a/b",
    "a%2Fb",
    "..",
    "a.b",
    "\0",
    "\n",
    "é",
    "e\u0301",
    "K",
    "k",
    "1",
    "%%",
    "\ud800",
    "'; --",
    "x" * 500,
)
WORDS = ("kettle", "red", "leaks", "Lisbon", "window seat", "")


@pytest.fixture(params=["file", pytest.param("memory", marks=pytest.mark.deep)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RemanenceStore]:
    """A store that plain code calls, in a file; deep also in memory."""
    with RemanenceStore.open(":memory:" if request.param == "memory" else tmp_path / "agent.db") as opened:
        yield opened


def memory_of(store: RemanenceStore) -> remanence.sync.Engine:
    """Return the memory under a store that plain code calls."""
    assert isinstance(store.memory, remanence.sync.Engine)
    return store.memory


def letters(texts: Sequence[str]) -> list[list[float]]:
    """Embed by letters, one more than none, so that no vector is of zeros."""
    return [[1.0 + text.count(letter) for letter in "abcdeilnorst"] for text in texts]


def draw(rng: random.Random) -> PutOp | SearchOp | ListNamespacesOp | GetOp:
    """Draw an operation, most on few items, so that many hit something."""
    namespace = tuple(rng.choices(LABELS, k=rng.choice((1, 1, 2, 3))))
    key = rng.choice(KEYS[:-3])
    kind = rng.choice(("put", "put", "put", "delete", "get", "get", "search", "search", "list"))
    if kind == "put":
        value = {
            "n": rng.choice((-3, -2, -1, 0, 1, 2, 3, 0.5, True)),
            "text": rng.choice(WORDS),
            "deep": {"tags": rng.choices("ab", k=2)},
        }
        return PutOp(namespace, key, {**value, "maybe": rng.choice((None, True, 1.5, [], {}))})
    if kind == "delete":
        return PutOp(namespace, key, None)
    if kind == "get":
        return GetOp(namespace, key)
    if kind == "list":
        labels = tuple(rng.choice((*LABELS, "*")) for _ in range(rng.choice((1, 2))))
        conditions = (MatchCondition(rng.choice(("prefix", "suffix")), labels),)
        return ListNamespacesOp(
            rng.choice(((), conditions)), rng.choice((None, 1, 2)), 100, rng.choice((0, 1))
        )
    operator = rng.choice(("$eq", "$ne", "$gt", "$gte", "$lt", "$lte"))
    wanted: dict[str, Any] = {
        "n": rng.choice(({operator: rng.randint(-2, 2)}, {"$gt": -2, "$lte": 1.5}, rng.randint(-1, 1), True)),
        "text": rng.choice(WORDS),
        "deep": {"tags": ["a", "b"]},
        "maybe": rng.choice((None, True, 1.5, [])),
    }
    chosen = {name: wanted[name] for name in rng.sample(sorted(wanted), rng.choice((0, 1, 1, 2)))}
    return SearchOp(namespace[: rng.choice((0, 1, 2))], chosen or None, 1_000)


def plain(answer: Any) -> Any:
    """Return what an answer says, in an order of its own: items without times, theirs come by when they were put."""
    if isinstance(answer, list):
        return sorted(map(plain, answer), key=repr)
    return (
        answer
        if answer is None or isinstance(answer, tuple)
        else (answer.namespace, answer.key, answer.value)
    )


@pytest.mark.parametrize("seed", range(2))
def test_random_operations_are_answered_as_by_their_store_in_memory(store: RemanenceStore, seed: int) -> None:
    """Gets, filters and namespaces, hostile labels and keys among them."""
    rng, theirs = random.Random(seed), InMemoryStore()
    for _ in range(OPERATIONS // 2):
        op = draw(rng)
        answer = theirs.batch([op])[0]
        if isinstance(op, ListNamespacesOp):  # theirs lists what was only asked for, and what is empty by now
            filled = InMemoryStore()
            for item in theirs.search((), limit=10_000):
                filled.put(item.namespace, item.key, item.value)
            answer = filled.batch([op])[0]
        assert plain(answer) == plain(store.batch([op])[0]), op


def test_scores_are_the_cosines_that_their_store_says() -> None:
    """By the caller's own embedding function, asked once a text."""
    index: Any = {"embed": letters, "dims": 12, "fields": ["text", "more[*]"]}
    theirs = InMemoryStore(index=index)
    with RemanenceStore.open(":memory:", index=index) as ours:
        for number, text in enumerate(("a kettle", "red letters", "Lisbon", "so it is")):
            for one in (theirs, ours):
                one.put(
                    USER, str(number), {"text": text, "more": [f"{text} again", "more"] if number % 2 else []}
                )
        for query in ("red", "a kettle", "zzz"):
            wanted = {one.key: pytest.approx(one.score, abs=1e-6) for one in theirs.search(USER, query=query)}
            found = ours.search(USER, query=query)
            assert wanted == {one.key: one.score for one in found}
            assert found == sorted(found, key=lambda one: -(one.score or 0))


def test_a_vector_of_another_length_is_refused() -> None:
    """Before anything is stored."""
    with RemanenceStore.open(":memory:", index={"embed": letters, "dims": 3}) as store:
        with pytest.raises(InvalidInput, match="12 numbers"):
            store.put(USER, "k", {"text": "a"})
        assert store.get(USER, "k") is None


def test_without_an_embedding_function_recall_ranks(store: RemanenceStore) -> None:
    """The order is recall's, and no score is shown, since its scores are no cosines; the rest comes behind."""
    for key, text in {
        "a": "The kettle leaks.",
        "b": "Mara lives in Lisbon.",
        "c": "Jon plays chess.",
    }.items():
        store.put(USER, key, {"text": text})
    found = store.search(USER, query="Where does Mara live?")
    assert [("b", None), 3] == [(found[0].key, found[0].score), len(found)]


def test_a_search_uses_what_it_returns(store: RemanenceStore) -> None:
    """Of 30 items that answer a question the three that are returned count as used."""
    store.batch([PutOp(USER, str(number), {"text": f"The boat {number} is red."}) for number in range(30)])
    store.search(USER, query="Which boat is red?", limit=3)
    memory_of(store).consolidate()
    assert 3 == sum(one.uses for one in memory_of(store).list())


def test_what_is_not_indexed_is_not_said(store: RemanenceStore) -> None:
    """`index` says which fields become the text of the memory; without it all that is in the value."""
    value = {"text": "The kettle leaks.", "secret": {"shelf": 7}}
    indexes: dict[str, Any] = {"all": None, "one": ["text"], "none": False}
    for key, index in indexes.items():
        store.put(USER, key, value, index=index)
    texts = [memory_of(store).get(store.name_of(USER, key)).text for key in ("all", "one", "none")]
    assert ["text: The kettle leaks.\nsecret.shelf: 7", "The kettle leaks.", "users.mara/none"] == texts
    assert [value] * 3 == [item.value for item in store.search(USER)]


@pytest.mark.parametrize("namespace", [("a", "b"), ("a" * 300,), ("日本", "\ud800"), ("%", "*")])
def test_odd_keys_and_values_come_back_as_they_are(store: RemanenceStore, namespace: tuple[str, ...]) -> None:
    """Each key is an item of its own, in whatever letters."""
    keys = (*KEYS, "x" * 499 + "y")
    for number, key in enumerate(keys):
        store.put(
            namespace, key, {"n": number, "long": "é\0\n" * 50_000 if not number else [{}, None, {"": 0}]}
        )
    assert list(range(len(keys))) == [item.value["n"] for key in keys if (item := store.get(namespace, key))]
    found = store.search(namespace, limit=100)
    assert {(namespace, key) for key in keys} == {(item.namespace, item.key) for item in found}
    assert "é\0\n" * 50_000 == store.search(namespace, filter={"n": 0})[0].value["long"]
    assert [namespace] == store.list_namespaces()


@pytest.mark.parametrize(
    "op",
    [
        PutOp(USER, "k", {"x": float("nan")}),
        PutOp(USER, "k", {"x": {1: 2}}),
        PutOp(USER, "k", {"x": object()}),
        PutOp(USER, "k", [1]),  # type: ignore[arg-type] # what a caller may get wrong
        SearchOp(USER, {"n": {"$near": 1}}),
        SearchOp(USER, limit=-1),
        "get",
    ],
)
def test_what_json_cannot_hold_is_refused_and_nothing_of_its_batch_is_stored(
    store: RemanenceStore, op: Any
) -> None:
    """With an error that says what to do."""
    store.put(USER, "there", {"n": 1})
    with pytest.raises(InvalidInput) as raised:
        store.batch([PutOp(USER, "other", {"n": 1}), op])
    assert raised.value.recovery
    assert store.get(USER, "other") is None
    with pytest.raises(InvalidNamespaceError):
        store.put(("a.b",), "k", {})


def test_what_was_deleted_is_undone_restored_and_erased(store: RemanenceStore) -> None:
    """Deleting leaves a tombstone; only the engine's erase erases."""
    memory, name = memory_of(store), store.name_of(USER, "city")
    store.put(USER, "city", {"text": "Mara lives in Lisbon."})
    store.put(USER, "city", {"text": "Mara lives in Porto."})
    store.delete(USER, "city")
    assert store.get(USER, "city") is None
    memory.undo("last")
    assert {"text": "Mara lives in Porto."} == store.search(USER)[0].value
    store.delete(USER, "city")
    memory.restore(name)
    assert {"text": "Mara lives in Porto."} == store.search(USER)[0].value
    memory.erase.apply(memory.erase.show(name))
    assert store.get(USER, "city") is None
    with pytest.raises(NotFound):
        memory.get(name)


def test_what_was_deleted_is_put_anew(store: RemanenceStore) -> None:
    """As another memory, with times of its own; the old one stays a tombstone."""
    store.put(USER, "k", {"n": 1})
    store.delete(USER, "k")
    store.put(USER, "k", {"n": 1})
    assert ["inbox", "pruned"] == sorted(one.status.label for one in memory_of(store).list(status="any"))


def test_a_correction_from_outside_is_an_item_until_it_is_put_again(store: RemanenceStore) -> None:
    """What stands is what the store says; a superseded item that is put again holds again."""
    store.put(USER, "city", {"text": "Mara lives in Lisbon."})
    memory_of(store).correct(store.name_of(USER, "city"), "Mara lives in Porto.")
    for item in (store.get(USER, "city"), *store.search(("users",)), *store.search(())):
        assert item is not None and (USER, "city", {"text": "Mara lives in Porto."}) == plain(item)
    store.put(USER, "city", {"text": "Mara lives in Rome.", "n": 1})
    assert [{"text": "Mara lives in Rome.", "n": 1}] == [item.value for item in store.search(USER)]

    store.put(USER, "seat", {"text": "Mara likes the aisle."})
    memory_of(store).correct(store.name_of(USER, "city"), by=store.name_of(USER, "seat"))
    assert store.get(USER, "city") is None
    store.put(USER, "city", {"text": "Mara lives in Faro."})
    assert {"text": "Mara lives in Faro."} == store.search(USER, filter={"text": {"$gte": "Mara lives"}})[
        0
    ].value


def status_of(store: RemanenceStore, key: str) -> str:
    """Return what became of the memory of an item."""
    (memory,) = memory_of(store).list(key=store.name_of(USER, key), status="any")
    return str(memory.status.label)


def test_an_item_really_expires() -> None:
    """Read or searched it lives as long again; over, nothing returns it, and a sweep lets it go, undoably."""
    clock = ManualClock()
    with remanence.sync.open(":memory:", clock=clock) as memory:
        store = RemanenceStore(memory, ttl={"default_ttl": 10})
        store.put(USER, "default", {"n": 1})
        store.put(USER, "short", {"n": 2}, ttl=1)
        store.put(USER, "ever", {"n": 3}, ttl=None)
        clock.advance(seconds=50)
        assert store.get(USER, "short") is not None
        clock.advance(seconds=50)
        assert store.get(USER, "short", refresh_ttl=False) is not None
        clock.advance(seconds=10)
        assert ["default", "ever"] == sorted(one.key for one in store.search(USER, refresh_ttl=False))
        assert (1, 0) == (store.sweep_ttl(), store.sweep_ttl())
        assert "pruned" == status_of(store, "short")
        clock.advance(minutes=9)
        assert [USER] == store.list_namespaces()
        assert ["ever"] == [one.key for one in store.search(USER)]
        store.put(USER, "default", {"n": 1}, ttl=None)
        clock.advance(days=300)
        assert ["default", "ever"] == sorted(one.key for one in store.search(USER))


def test_a_store_sweeps_as_it_is_used() -> None:
    """When its interval is over; without one only when it is asked."""
    clock = ManualClock()
    with remanence.sync.open(":memory:", clock=clock) as memory:
        store = RemanenceStore(memory, ttl={"default_ttl": 1, "sweep_interval_minutes": 5})
        store.put(USER, "k", {"n": 1})
        statuses = []
        for minutes in (2, 4):
            clock.advance(minutes=minutes)
            assert store.get(USER, "k") is None
            statuses.append(status_of(store, "k"))
    assert ["inbox", "pruned"] == statuses


WRITER = """
import sys
from remanence.integrations.langgraph import RemanenceStore
with RemanenceStore.open(sys.argv[1]) as store:
    for number in range(20):
        store.put(("users", "mara"), f"there {number}", {"n": number})
        store.put(("users", "mara"), "both", {"n": number})
"""


def test_two_processes_share_a_file(tmp_path: Path) -> None:
    """Each sees what the other put, and nothing is lost where both write."""
    path = tmp_path / "agent.db"
    with RemanenceStore.open(path) as store:
        other = subprocess.Popen([sys.executable, "-c", WRITER, str(path)])
        for number in range(20):
            store.put(USER, f"here {number}", {"n": number})
            store.put(USER, "both", {"n": number})
        assert 0 == other.wait(60)
        assert 41 == len(store.search(USER, limit=100))
        assert [] == [check for check in memory_of(store).doctor() if not check.ok]


async def test_cancelled_a_batch_is_put_or_absent(tmp_path: Path) -> None:
    """And the store goes on."""
    with RemanenceStore.open(tmp_path / "agent.db") as store:
        ops = [PutOp(USER, str(number), {"n": number, "ttl": True}, ttl=5) for number in range(200)]
        task = asyncio.create_task(store.abatch(ops))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert len(await store.asearch(USER, limit=1_000)) in (0, 200)
        await store.abatch(ops)
        assert 200 == len(await store.asearch(USER, limit=1_000))


def test_a_plain_memory_is_used_from_many_loops_and_an_async_one_from_its_own(store: RemanenceStore) -> None:
    """Elsewhere the error says what to open instead."""
    for number in range(2):
        asyncio.run(store.aput(USER, str(number), {"n": number}))
    assert 2 == len(store.search(USER))

    async def use() -> RemanenceStore:
        memory = await remanence.open(":memory:")
        own = RemanenceStore(memory)
        async with own:
            await own.aput(USER, "k", {"n": 1})
        assert await own.aget(USER, "k") is not None  # what was passed in is left open
        with pytest.raises(InvalidInput, match="plain code"):
            own.get(USER, "k")
        await memory.close()
        return own

    with pytest.raises(InvalidInput, match="another event loop"):
        asyncio.run(asyncio.run(use()).aget(USER, "k"))


def test_a_closed_store_says_so() -> None:
    """Plain and async, and closing twice is allowed."""
    store = RemanenceStore.open(":memory:")
    store.close()
    store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        store.get(USER, "k")
    with pytest.raises(StoreUnavailable, match="closed"):
        asyncio.run(store.aget(USER, "k"))


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is used, with the versions that were read."""
    monkeypatch.setattr(framework_versions, "version", lambda _: "5.0.1")
    with pytest.raises(ExtensionError, match=r"5\.0\.1; this adapter was written for 4\.3"):
        importlib.reload(adapter)


def test_a_graph_keeps_corrects_forgets_and_has_it_undone(store: RemanenceStore) -> None:
    """A node of a graph finds the store where LangGraph puts it."""

    class State(TypedDict):
        city: str | None

    def keep(state: State, runtime: Runtime[None]) -> State:
        assert runtime.store is not None
        if state["city"] is None:
            runtime.store.delete(USER, "city")
        else:
            runtime.store.put(USER, "city", {"text": f"Mara lives in {state['city']}."})
        return state

    graph = StateGraph(State).add_node("keep", keep).add_edge(START, "keep").add_edge("keep", END)
    agent = graph.compile(store=store)
    for city in ("Lisbon", "Porto", None):
        agent.invoke({"city": city})
    assert [] == store.search(USER)
    memory_of(store).undo("last")
    assert ["Mara lives in Porto."] == [
        one.text for one in memory_of(store).recall("Where does Mara live?", budget=100)
    ]


def test_a_name_is_of_one_item() -> None:
    """Written and read again, and cut ones apart."""
    names = {store_items.name_item((one, other), key) for one in LABELS for other in LABELS for key in KEYS}
    assert len(LABELS) ** 2 * len(KEYS) == len(names)
    assert ((" ", "é"), "a/b") == store_items.read_name(store_items.name_item((" ", "é"), "a/b"))
