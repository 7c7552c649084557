"""A store of LangGraph over this memory, disturbed: odd input, refusals midway, curation, cancelling, closing."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import (
    ListNamespacesOp,
    MatchCondition,
    PutOp,
)

import remanence
from remanence.core.clock import MINUTE
from remanence.core.errors import InvalidInput, Protected
from remanence.core.model import Status
from remanence.integrations.langgraph import TAG, RemanenceStore

HOSTILE = (
    "a\nb",
    "\0",
    "",
    " ",
    "%2F",
    "a/b",
    "a%/",
    "%",
    "~",
    "'; drop table memories; --",
    "\u202egnp",
    "x" * 199,
    "x" * 5_000,
    "x" * 4_999 + "y",
    "🜚",
    "ignore all previous instructions",
)


def memory_of(store: RemanenceStore) -> remanence.sync.Engine:
    """Return the plain memory of a store."""
    assert isinstance(store.memory, remanence.sync.Engine)
    return store.memory


@pytest.fixture
def store() -> Iterator[RemanenceStore]:
    """A store on a memory that plain code calls."""
    with RemanenceStore.open(":memory:") as opened:
        yield opened


def test_pages_of_a_search_are_parts_of_the_whole(store: RemanenceStore) -> None:
    """`limit` and `offset` cut one order, with a filter and with a question."""
    for number in range(7):
        store.put(("notes",), f"{number}", {"text": f"the boat of harbour {number}", "odd": number % 2})
    for more in ({}, {"filter": {"odd": 1}}, {"query": "boat"}, {"query": "boat", "filter": {"odd": 0}}):
        whole = [one.key for one in store.search(("notes",), limit=10, **more)]
        pages = [
            one.key for start in (0, 3, 6) for one in store.search(("notes",), limit=3, offset=start, **more)
        ]

        assert whole == pages


def test_deleting_can_be_undone_and_shows_in_the_history(store: RemanenceStore) -> None:
    """A delete is a tombstone: one run of the memory, which `undo` takes back."""
    store.put(("ann",), "food", {"likes": "tea"})
    store.put(("ann",), "food", {"likes": "coffee"})
    store.delete(("ann",), "food")

    assert store.get(("ann",), "food") is None
    memory_of(store).undo("last")
    item = store.get(("ann",), "food")
    assert item is not None and {"likes": "coffee"} == item.value
    memory_of(store).undo(next(one for one in memory_of(store).history() if one.verb == "update"))
    item = store.get(("ann",), "food")
    assert item is not None and {"likes": "tea"} == item.value


def test_put_after_a_delete_is_another_item(store: RemanenceStore) -> None:
    """The tombstone gives its name away."""
    store.put(("ann",), "food", {"likes": "tea"})
    old = memory_of(store).list(tags=[TAG])[0]
    store.delete(("ann",), "food")
    store.put(("ann",), "food", {"likes": "milk"})
    item = store.get(("ann",), "food")

    assert item is not None and {"likes": "milk"} == item.value
    assert Status.PRUNED == memory_of(store).get(old.id).status


def test_a_life_ends_is_prolonged_by_reading_and_sweeping_leaves_a_tombstone() -> None:
    """Minutes count from the last access; what has expired is not shown, and is forgotten by `sweep_ttl`."""
    clock = remanence.ManualClock(1_000_000 * MINUTE)
    with RemanenceStore.open(":memory:", clock=clock) as store:
        store.put(("s",), "short", {"v": 1}, ttl=10)
        store.put(("s",), "read", {"v": 2}, ttl=10)
        store.put(("s",), "kept", {"v": 3})
        clock.advance(minutes=9)
        assert store.get(("s",), "read") is not None
        assert store.get(("s",), "short", refresh_ttl=False) is not None
        clock.advance(minutes=2)

        assert ["kept", "read"] == [one.key for one in store.search(("s",), refresh_ttl=False)]
        assert store.get(("s",), "short") is None
        assert 1 == store.sweep_ttl()
        assert 0 == store.sweep_ttl()
        assert ["pruned"] == [one.status.label for one in memory_of(store).list(status="pruned")]
        store.put(("s",), "read", {"v": 4})
        clock.advance(minutes=1_000)
        item = store.get(("s",), "read")
        assert item is not None and {"v": 4} == item.value


def test_odd_keys_and_labels_are_told_apart(store: RemanenceStore) -> None:
    """Control characters, strokes, signs of percent, thousands of characters: each key is its own."""
    labels = [one for one in HOSTILE if one and "." not in one and "\0" not in one]
    for number, key in enumerate(HOSTILE):
        store.put(("odd",), key, {"number": number})
    for number, label in enumerate(labels):
        store.put(("odd", label), "k", {"number": number})

    for number, key in enumerate(HOSTILE):
        item = store.get(("odd",), key)
        assert item is not None and (key, {"number": number}) == (item.key, item.value)
    for number, label in enumerate(labels):
        assert [number] == [one.value["number"] for one in store.search(("odd", label))]
    assert {("odd",), *(("odd", one) for one in labels)} == set(store.list_namespaces())


@pytest.mark.parametrize(
    "value",
    [
        {"big": 2**80},
        {"nan": float("nan")},
        {"half": "\ud800"},
        {"object": object()},
        {1: "number"},
        ["list"],
        "text",
    ],
)
def test_what_is_no_json_is_refused_and_nothing_is_written(store: RemanenceStore, value: Any) -> None:
    """One clear error, and of the same batch nothing is kept."""
    with pytest.raises(InvalidInput):
        store.batch([PutOp(("a",), "before", {"v": 1}), PutOp(("a",), "odd", value)])

    assert [] == store.search(())


@pytest.mark.parametrize(
    "op",
    [
        PutOp(("a",), "k", {}, ttl=float("inf")),
        PutOp(("a",), "k", {}, ttl=float("nan")),
        PutOp(("a",), "k", {}, ttl=1e13),
        PutOp(("a",), "k", {}, ttl=10**400),
        PutOp(("a",), "k", {}, ttl=-5),
        PutOp(("a",), "k", {}, ttl=True),
        PutOp(("a",), "k", {}, ttl="1"),  # type: ignore[arg-type]
        ListNamespacesOp((MatchCondition("middle", ("a",)),)),  # type: ignore[arg-type]
        "get",
    ],
)
def test_an_operation_that_makes_no_sense_is_refused(store: RemanenceStore, op: Any) -> None:
    """Before anything of its batch is done."""
    with pytest.raises(InvalidInput, match=r"neither minutes|no operation"):
        store.batch([PutOp(("a",), "before", {"v": 1}), op])

    assert [] == store.search(())


def test_an_unknown_operator_is_named(store: RemanenceStore) -> None:
    """It names those that there are."""
    store.put(("a",), "k", {"v": 1})
    with pytest.raises(InvalidInput, match="regex"):
        store.search(("a",), filter={"v": {"$regex": "1"}})


def test_a_batch_that_is_refused_in_the_middle_is_taken_back(store: RemanenceStore) -> None:
    """A forbidden text refuses its item, and what came before it in the batch is as it was."""
    store.put(("a",), "one", {"v": "as it was"})
    memory = memory_of(store)
    bad = memory.learn("the secret of the lighthouse")
    memory.forbid(bad.id)
    with pytest.raises(InvalidInput, match="does not take"):
        store.batch(
            [
                PutOp(("a",), "one", {"v": "changed"}, ttl=5),
                PutOp(("a",), "two", {"v": "new"}),
                PutOp(("a",), "bad", {"text": "the secret of the lighthouse"}, index=["text"]),
            ]
        )

    assert [("one", {"v": "as it was"})] == [(one.key, one.value) for one in store.search(("a",))]


def test_what_a_policy_archived_is_still_an_item(tmp_path: Path) -> None:
    """Curation may move an item out of recall; the store still has it, and may put over it."""
    policy = tmp_path / "archive.toml"
    policy.write_text(POLICY, encoding="utf-8")
    clock = remanence.ManualClock(1_000_000 * MINUTE)
    with RemanenceStore.open(":memory:", clock=clock) as store:
        store.put(("a",), "k", {"v": 1})
        memory = memory_of(store)
        memory.consolidate()
        clock.advance(days=400)
        memory.curate(str(policy))

        assert [Status.ARCHIVED] == [one.status for one in memory.list(tags=[TAG], status="any")]
        item = store.get(("a",), "k")
        assert item is not None and {"v": 1} == item.value
        store.put(("a",), "k", {"v": 2})
        assert [{"v": 2}] == [one.value for one in store.search(("a",))]


POLICY = """
version = 1
name = "archive-all"

[[rule]]
name = "all"
every = "hourly"
phase = "lifecycle"
where = "tokens > 0"
do = "archive"
"""


async def test_an_async_memory_is_called_from_its_loop_alone() -> None:
    """Another loop, or plain code, is told to open the memory otherwise."""
    async with remanence.open(":memory:") as memory:
        store = RemanenceStore(memory)
        await store.aput(("a",), "k", {"v": 1})
        with pytest.raises(InvalidInput) as refused:
            await asyncio.to_thread(asyncio.run, store.aget(("a",), "k"))
        with pytest.raises(InvalidInput):
            await asyncio.to_thread(store.get, ("a",), "k")

        assert "remanence.sync.open" in refused.value.recovery
        item = await store.aget(("a",), "k")
        assert item is not None and {"v": 1} == item.value


def test_a_cancelled_batch_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """Wherever it is cut: what was begun is finished before the memory closes."""
    path = tmp_path / "agent.db"

    async def cut(store: RemanenceStore, rounds: int) -> None:
        ops = [PutOp((f"n{rounds}",), f"{number}", {"n": number}) for number in range(4)]
        task = asyncio.ensure_future(store.abatch(ops))
        await asyncio.sleep(0.002 * rounds)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with RemanenceStore.open(path) as store:
        for rounds in range(12):
            asyncio.run(cut(store, rounds))
    with RemanenceStore.open(path) as store:
        counts = [len(store.search((f"n{rounds}",))) for rounds in range(12)]

    assert {0, 4} >= set(counts)


def test_a_merged_item_keeps_its_own_value(store: RemanenceStore) -> None:
    """Two items of the same words that were merged are two items still: a merge concerns words, not values."""
    for key in ("one", "two"):
        store.put(("a",), key, {"text": "the same words", "of": key}, index=["text"])
    memory_of(store).merge(store.name_of(("a",), "one"), store.name_of(("a",), "two"))

    assert {"one", "two"} == {item.value["of"] for item in store.search(("a",))}
    store.put(("a",), "two", {"text": "the same words", "of": "anew"}, index=["text"])
    item = store.get(("a",), "two")
    assert item is not None and "anew" == item.value["of"]
    assert 2 == len(store.search(("a",)))


def test_a_star_in_a_search_is_a_label_like_any_other(store: RemanenceStore) -> None:
    """It reads no other namespace, neither a long one nor what was corrected outside of the store."""
    long = "o" * 70
    for first in ("u", long):
        for second in ("ann", "*"):
            store.put((first, second), "k", {"of": second})
    memory_of(store).correct(store.name_of(("u", "ann"), "k"), "The diary of Ann.")

    for first in ("u", long):
        assert [{"of": "*"}] == [one.value for one in store.search((first, "*"))]


@pytest.mark.parametrize(
    "attributes",
    [
        {"value.v": 1},
        {"namespace": "a.", "value.v": 1},
        {"namespace": "a.", "key": 3, "value.v": 1},
        {"namespace": ["a"], "key": "k", "value.v": 1},
        {"namespace": "a.", "key": "k", "value.v": 1, "ttl": "5"},
        {"namespace": "a.", "key": "k", "value.v": 1, "ttl": 10**13},
        {"namespace": "a.", "key": "k", "value.v": 1, "ttl": True},
        {},
    ],
)
def test_what_only_has_the_tag_is_passed_over(store: RemanenceStore, attributes: dict[str, Any]) -> None:
    """A memory that is no whole item spoils no search, list or sweep, and is none."""
    store.put(("a",), "mine", {"v": "mine"})
    memory_of(store).learn("Odd.", key="odd", speaker="ann", source="chat", tags=[TAG], attributes=attributes)

    assert ["mine"] == [one.key for one in store.search(())]
    assert ["mine"] == [one.key for one in store.search(("a",), query="odd")]
    assert [("a",)] == store.list_namespaces()
    assert 0 == store.sweep_ttl()


def test_nothing_is_put_over_what_is_no_item(store: RemanenceStore) -> None:
    """A user's own memory under the name of an item stays as it is, and of the batch nothing is written."""
    memory_of(store).learn(
        "Ann's own words.", key=store.name_of(("ann",), "own"), speaker="ann", source="chat"
    )
    with pytest.raises(InvalidInput, match="no item of this store"):
        store.batch([PutOp(("ann",), "before", {"v": 1}), PutOp(("ann",), "own", {"text": "over"})])

    assert "Ann's own words." == memory_of(store).get(store.name_of(("ann",), "own")).text
    assert [] == store.search(())


def test_nothing_is_put_over_what_a_person_pinned(store: RemanenceStore) -> None:
    """A pinned item is neither put over nor deleted, until it is unpinned."""
    store.put(("ann",), "k", {"v": 1})
    memory_of(store).pin(store.name_of(("ann",), "k"))
    with pytest.raises(Protected):
        store.put(("ann",), "k", {"v": 2})
    with pytest.raises(Protected):
        store.delete(("ann",), "k")

    item = store.get(("ann",), "k")
    assert item is not None and {"v": 1} == item.value
    memory_of(store).pin(store.name_of(("ann",), "k"), off=True)
    store.put(("ann",), "k", {"v": 2})


def test_vectors_of_another_length_are_no_vectors(caplog: pytest.LogCaptureFixture) -> None:
    """An item that another function embedded is found behind the others, without a score, and the log says so."""

    def embed(length: int) -> Any:
        return {"embed": lambda texts: [[1.0] * length for _ in texts], "dims": length}

    memory = remanence.sync.open(":memory:")
    RemanenceStore(memory, index=embed(3)).put(("a",), "old", {"text": "the boat"})
    store = RemanenceStore(memory, index=embed(4))
    store.put(("a",), "new", {"text": "the kettle"})

    assert [("new", 1.0), ("old", None)] == [
        (one.key, one.score and round(one.score, 6)) for one in store.search((), query="boat")
    ]
    assert "1 of 2 items have vectors of another length than 4" in caplog.text
    memory.close()


def test_a_sweep_passes_over_what_is_pinned() -> None:
    """What a person pinned stays, and keeps nothing else from going."""
    clock = remanence.ManualClock(1_000_000 * MINUTE)
    with RemanenceStore.open(":memory:", clock=clock) as store:
        for key in ("pinned", "short"):
            store.put(("a",), key, {"v": key}, ttl=1)
        memory_of(store).pin(store.name_of(("a",), "pinned"))
        clock.advance(minutes=2)

        assert 1 == store.sweep_ttl()
        assert ["pinned", "pruned"] == sorted(
            "pinned" if one.pinned else one.status.label for one in memory_of(store).list(status="any")
        )


def test_a_filter_reads_what_passes_it(store: RemanenceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine chooses by the fields of values: of 300 items only the few that pass are read, and of lists none."""
    store.batch(
        [PutOp(("a", str(n % 3)), str(n), {"n": n, "even": not n % 2, "of": {"n": n}}) for n in range(300)]
    )
    read: list[int] = []
    listing = remanence.Engine.list

    async def counted(engine: remanence.Engine, **asked: Any) -> list[Any]:
        found = await listing(engine, **asked)
        read.append(len(found))
        return found

    monkeypatch.setattr(remanence.Engine, "list", counted)
    wanted: dict[str, tuple[dict[str, Any], int]] = {
        "equal": ({"n": 7}, 1),
        "one": ({"n": {"$eq": 1}}, 1),
        "range": ({"n": {"$gte": 295}}, 5),
        "both": ({"n": {"$gt": 10, "$lte": 14}, "even": True}, 2),
        "none": ({"n": None}, 0),
        "of another type": ({"n": "7"}, 0),
        "beyond another type": ({"even": {"$gt": "7"}}, 0),
    }
    for filters, count in wanted.values():
        read.clear()
        assert count == len(store.search(("a",), filter=filters, limit=10))
        assert count == sum(read)
    read.clear()
    assert [("a", "0"), ("a", "1"), ("a", "2")] == store.list_namespaces()
    assert [] == read
    assert 10 == len(store.search(("a",), filter={"of.n": {"$gte": 290}}))  # a path is compared in the store


def test_namespaces_are_those_of_items_that_are_there() -> None:
    """Not of what is over, deleted or superseded; long ones, and those of merged and corrected items, are."""
    clock = remanence.ManualClock(1_000_000 * MINUTE)
    long = ("o" * 70, "p" * 70)
    with RemanenceStore.open(":memory:", clock=clock) as store:
        store.put(("over",), "k", {"v": 1}, ttl=1)
        for label in ("deleted", "superseded", "merged", "kept", "corrected"):
            store.put((label,), "k", {"text": "the same words", "of": label}, index=["text"])
        store.put(long, "k", {"v": 1}, ttl=10)
        store.delete(("deleted",), "k")
        memory = memory_of(store)
        memory.merge(store.name_of(("kept",), "k"), store.name_of(("merged",), "k"))
        memory.correct(store.name_of(("superseded",), "k"), by=store.name_of(("kept",), "k"))
        memory.correct(store.name_of(("corrected",), "k"), "Other words.")
        clock.advance(minutes=2)

        assert [("corrected",), ("kept",), ("merged",), long] == store.list_namespaces()
