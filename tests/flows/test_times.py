"""Memories are narrowed, counted and listed by when they were created and changed."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import ManualClock, to_micros
from remanence.core.errors import InvalidInput, NameUnknown, NotFound
from remanence.core.model import Memory
from remanence.store.base import Store
from tests.command_line import typed

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
async def kept(memory: remanence.Engine, clock: ManualClock) -> remanence.Engine:
    """Six memories, one a day; the first was changed on the fourth day, the third was deleted."""
    clock.set(BEGAN)
    for number in range(6):
        await memory.learn(f"The boat of {number} is green.", key=f"b{number}", attributes={"n": number})
        clock.advance(days=1)
        if number == 3:
            await memory.update("b0", text="The boat of 0 is blue.")
    await memory.consolidate()
    await memory.forget("b2")
    return memory


def day(number: float) -> datetime:
    """Return an instant by days since the first."""
    return BEGAN + timedelta(days=number)


def keys(memories: Any) -> list[str]:
    """Return the keys of memories without their letter."""
    return [str(one.key) for one in memories]


NARROWED: list[tuple[dict[str, Any], list[str]]] = [
    ({"created_at": {"gte": day(3)}}, ["b5", "b4", "b3"]),
    ({"created_at": {"gt": day(3)}}, ["b5", "b4"]),
    ({"created_at": {"gt": day(3).isoformat(), "lte": to_micros(day(4))}}, ["b4"]),
    ({"learned_at": {"lt": day(2)}}, ["b1", "b0"]),
    ({"updated_at": {"gte": day(3)}}, ["b5", "b4", "b3", "b0"]),
    ({"updated_at": {"lt": day(3)}}, ["b1"]),
    ({"text_at": {"gte": day(0)}}, ["b0"]),
    ({"text_at": {"lt": day(900)}, "attributes.n": 0}, ["b0"]),
    ({"created_at": {"gte": day(2)}, "attributes.n": {"lt": 4}}, ["b3"]),
    ({"valid_to": {"gte": day(0)}}, []),
]


@pytest.mark.parametrize("number", range(len(NARROWED)))
async def test_a_list_a_count_and_a_recall_are_narrowed_alike(kept: remanence.Engine, number: int) -> None:
    """By instants, microseconds, or text with a zone."""
    filters, wanted = NARROWED[number]
    found = await kept.recall("which boat is green or blue", filters=filters)

    assert wanted == keys(await kept.list(filters=filters))
    assert sorted(wanted) == sorted(keys(hit.memory for hit in found.memories))
    assert len(wanted) == (await kept.count(filters=filters)).total


ARCHIVE = """
version = 1
[[rule]]
name = "old"
every = "deep"
phase = "value"
do = "archive"
where = "tokens > 0"
"""


@pytest.mark.parametrize("kept_whole", [0, 1_000])
async def test_the_archive_is_narrowed_too(
    kept: remanence.Engine, kept_whole: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether its columns are kept at hand, or only hashes of its words."""
    monkeypatch.setattr("remanence.flows.indexes.scope_index.INDEXED_MAX", kept_whole)
    await kept.apply(await kept.plan(ARCHIVE), policy=ARCHIVE, allow_destroyed=99)
    assert [] == await kept.list()
    asked = {"created_at": {"gte": day(1), "lt": day(4)}}
    found = await kept.recall("which boat is green", filters=asked)

    assert {"b1", "b3"} == {hit.memory.key for hit in found.memories}


async def test_what_is_no_filter_of_times_is_refused(kept: remanence.Engine) -> None:
    """With what to write instead."""
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"created_at": day(1)}, "say between which times|created_at"),
        ({"created_at": {}}, "created_at"),
        ({"created_at": {"gte": "2026-03-01"}}, "zone"),
        ({"created_at": {"gte": "soon"}}, "soon"),
        ({"created_at": {"gte": True}}, "a time cannot be"),
        ({"created_at": {"gt": 1, "gte": 2}}, "both gt and gte"),
        ({"created_at": {"prefix": "2026"}}, "prefix"),
        ({"said_at": {"near": 1}}, "near"),
    ]
    for filters, told in wrong:
        for ask in (kept.list, kept.count, lambda filters: kept.recall("x", filters=filters)):
            with pytest.raises(InvalidInput, match=told) as refused:
                await ask(filters=filters)
            assert refused.value.recovery
    with pytest.raises(NameUnknown, match="newest"):
        await kept.list(order="newest")  # type: ignore[arg-type] # wrong on purpose
    with pytest.raises(InvalidInput, match="other order"):
        await kept.list(order="updated_at", as_of=day(2))
    with pytest.raises(NotFound, match="999"):
        await kept.list(order="updated_at", after=999)


async def test_a_list_comes_in_the_order_of_its_times(kept: remanence.Engine) -> None:
    """The newest first or last, and goes on behind a memory wherever that stands."""
    changed = ["b5", "b4", "b0", "b3", "b1"]

    assert changed == keys(await kept.list(order="updated_at"))
    assert changed[::-1] == keys(await kept.list(order="updated_at", oldest_first=True))
    assert ["b5", "b4", "b3", "b1", "b0"] == keys(await kept.list(order="created_at"))
    paged: list[Memory] = []
    while page := await kept.list(order="updated_at", limit=2, after=paged[-1] if paged else None):
        paged += page
    assert changed == keys(paged)
    assert ["b4", "b0"] == keys(
        await kept.list(order="updated_at", filters={"updated_at": {"lt": day(5)}}, limit=2)
    )


async def test_days_are_counted_the_latest_first(kept: remanence.Engine) -> None:
    """In UTC; what has no such time is counted last."""
    created = await kept.count("created_at", filters={"status": "any"}, limit=5)
    changed = await kept.count("text_at")

    assert [(f"2026-03-0{number}", 1) for number in (6, 5, 4, 3, 2)] == [
        (one.value, one.memories) for one in created.values
    ]
    assert (6, 1) == (created.total, created.left_out)
    assert [("2026-03-05", 1), (None, 4)] == [(one.value, one.memories) for one in changed.values]
    assert [1, 2, 1, 1] == [one.memories for one in (await kept.count("updated_at")).values]
    pruned = {"status": "pruned", "created_at": {"gte": day(2), "lt": day(3)}}
    assert (["b2"], 1) == (keys(await kept.list(filters=pruned)), (await kept.count(filters=pruned)).total)


async def test_no_text_is_read(kept: remanence.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """To count, or to find which may be listed: only what is shown is read whole."""
    store: Store = kept._core.store
    read: list[int] = []
    find, get = store.find, store.get

    async def finding(scope: str, asked: Any) -> Any:
        rows = await find(scope, asked)
        read.extend(row.seq for row in rows)
        return rows

    async def getting(scope: str, seqs: Any) -> Any:
        read.extend(seqs)
        return await get(scope, seqs)

    monkeypatch.setattr(store, "find", finding)
    monkeypatch.setattr(store, "get", getting)
    await kept.count("created_at", filters={"updated_at": {"gte": day(3)}})
    assert [] == read
    await kept.list(filters={"created_at": {"gte": day(4)}})
    assert {5, 6} == set(read)


OPERATORS = st.dictionaries(
    st.sampled_from(["gt", "lt", "gte", "lte"]), st.integers(-1, 7), min_size=1, max_size=2
)


@given(
    wanted=st.dictionaries(st.sampled_from(["created_at", "updated_at", "text_at"]), OPERATORS, max_size=2),
    order=st.sampled_from([None, "created_at", "updated_at"]),
    oldest=st.booleans(),
)
@settings(suppress_health_check=[*HealthCheck])
async def test_it_is_what_looking_at_each_would_find(
    kept: remanence.Engine, wanted: dict[str, dict[str, int]], order: Any, oldest: bool
) -> None:
    """Whatever is asked, in whichever order."""
    for one in wanted.values():
        if {"gt", "gte"} <= one.keys() or {"lt", "lte"} <= one.keys():
            return
    signs = {"gt": int.__gt__, "gte": int.__ge__, "lt": int.__lt__, "lte": int.__le__}

    def find_time(memory: Memory, name: str) -> int | None:
        created, changed = memory.learned_at, memory.text_at
        return {"created_at": created, "updated_at": changed or created, "text_at": changed}[name]

    def passes(memory: Memory) -> bool:
        times = [(find_time(memory, name), asked) for name, asked in wanted.items()]
        return all(
            at is not None and all(signs[sign](at, to_micros(day(bound))) for sign, bound in asked.items())
            for at, asked in times
        )

    every = await kept.list(status="any", oldest_first=True)
    expected = sorted(
        filter(passes, every),
        key=lambda one: (find_time(one, order) if order else 0, one.seq),
        reverse=not oldest,
    )
    filters = {name: {sign: day(bound) for sign, bound in asked.items()} for name, asked in wanted.items()}
    found = await kept.list(status="any", filters=filters, order=order, oldest_first=oldest)

    assert keys(expected) == keys(found)


def test_the_command_line_takes_times(tmp_path: Path) -> None:
    """As it takes them elsewhere: without a zone they are local."""
    file = str(tmp_path / "agent.db")
    typed("learn", "The mast is red.", "--db", file)
    found = typed(
        "list", "--db", file, "--where", "created_at>=2020-01-01", "--order", "updated_at", "--json"
    )
    none = typed("list", "--db", file, "--where", "updated_at<2020-01-01T00:00Z", "--json")
    days = json.loads(typed("count", "created_at", "--db", file, "--json").stdout)

    assert "The mast is red." in found.stdout
    assert "The mast" not in none.stdout
    assert 1 == days["values"][0]["memories"]
