"""What an adapter writes at once is one run, and what it keeps otherwise than it was passed is said in the log."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import PutOp
from llama_index.core.base.llms.types import ChatMessage

import remanence
from remanence.core.errors import Protected
from remanence.core.model import Status
from remanence.integrations.anthropic_memory import MemoryTool
from remanence.integrations.langgraph import RemanenceStore
from remanence.integrations.llamaindex import RemanenceMemoryBlock
from remanence.integrations.openai_agents import MemorySession
from remanence.integrations.pydantic_ai import make_memory_capability

TOKEN = "ghp_16C7e42F292c6912" + "E7710c838347Ae178B4a"
SECRET = f"The token is {TOKEN}."
USER = ("users", "mara")


@pytest.fixture(params=["file", pytest.param("memory", marks=pytest.mark.deep)])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[remanence.sync.Engine]:
    """A memory that plain code calls, in a file; deep also in memory."""
    with remanence.sync.open(":memory:" if request.param == "memory" else tmp_path / "a.db") as opened:
        yield opened


def runs(memory: remanence.sync.Engine) -> list[str]:
    """Return what the audit calls the runs of a memory, the oldest first."""
    return list({one.run: one.verb for one in memory.history(limit=10_000)}.values())


def test_a_put_with_a_life_is_one_run_and_so_is_a_batch(memory: remanence.sync.Engine) -> None:
    """Stored, brought up to date, put anew under the name of what is gone, and deleted; undone whole."""
    store = RemanenceStore(memory)
    store.put(USER, "a", {"n": 1}, ttl=5)
    store.put(USER, "a", {"n": 2}, ttl=7)
    assert ["put", "update"] == runs(memory)
    store.put(USER, "b", {"n": 1})
    store.put(USER, "c", {"n": 1})
    store.delete(USER, "c")
    before = runs(memory)
    store.batch(
        [
            PutOp(USER, "a", {"n": 3}),
            PutOp(USER, "b", None),
            PutOp(USER, "c", {"n": 3}, ttl=5),
            *[PutOp(USER, f"new {number}", {"n": number}) for number in range(50)],
            PutOp(USER, "same", {"words": "the same"}, index=["words"]),
            PutOp(USER, "again", {"words": "the same"}, index=["words"]),
        ]
    )

    assert [*before, "put"] == runs(memory)
    assert 54 == len(store.search(USER, limit=100, refresh_ttl=False))
    assert [True] * 2 == [memory.get(store.name_of(USER, one)).valid_to is None for one in ("a", "same")]
    assert [] == [check for check in memory.doctor() if not check.ok]
    memory.undo("last")
    assert {"a": {"n": 2}, "b": {"n": 1}} == {one.key: one.value for one in store.search(USER)}
    assert memory.get(store.name_of(USER, "a")).valid_to is not None
    assert [] == [check for check in memory.doctor() if not check.ok]


def test_a_batch_of_which_one_is_protected_changes_nothing(memory: remanence.sync.Engine) -> None:
    """Neither what comes before it nor what comes behind it, and no run is written."""
    store = RemanenceStore(memory)
    store.put(USER, "pinned", {"n": 1})
    memory.pin(store.name_of(USER, "pinned"))
    before = runs(memory)
    for op in (PutOp(USER, "pinned", {"n": 2}), PutOp(USER, "pinned", None)):
        with pytest.raises(Protected):
            store.batch([PutOp(USER, "before", {}), op, PutOp(USER, "behind", {})])

    assert before == runs(memory)


def test_several_files_are_moved_and_a_file_written_in_one_run(memory: remanence.sync.Engine) -> None:
    """A renamed folder comes back by one undo."""
    tool = MemoryTool(memory)
    for name in ("one", "two"):
        tool.call({"command": "create", "path": f"/memories/trip/{name}.txt", "file_text": f"day {name}"})
    before = runs(memory)
    tool.call({"command": "rename", "old_path": "/memories/trip", "new_path": "/memories/tour"})

    assert [*before, "put"] == runs(memory)
    assert "tour/two.txt" in tool.call({"command": "view", "path": "/memories"})
    memory.undo("last")
    assert "day two" in tool.call({"command": "view", "path": "/memories/trip/two.txt"})
    assert "tour/" not in MemoryTool(memory).call({"command": "view", "path": "/memories"})


def test_a_name_that_something_else_has_taken_the_place_of_is_put_anew(memory: remanence.sync.Engine) -> None:
    """What it meant stays as history, without the name."""
    store = RemanenceStore(memory)
    for key in ("city", "seat"):
        store.put(USER, key, {"text": f"Mara likes the {key}."}, index=["text"])
    memory.correct(store.name_of(USER, "city"), by=store.name_of(USER, "seat"))
    before = runs(memory)
    store.put(USER, "city", {"text": "Mara lives in Faro."}, index=["text"])

    assert [*before, "put"] == runs(memory)
    assert {"city", "seat"} == {one.key for one in store.search(USER)}
    assert [Status.SUPERSEDED] == [one.status for one in memory.list(status="superseded")]


def put_in_store(memory: remanence.sync.Engine) -> Awaitable[Any] | None:
    """Keep the secret as a value of LangGraph's store."""
    RemanenceStore(memory).put(USER, "k", {"text": SECRET})
    return None


def put_in_file(memory: remanence.sync.Engine) -> Awaitable[Any] | None:
    """Keep the secret as a file of the memory tool."""
    MemoryTool(memory).call({"command": "create", "path": "/memories/a.txt", "file_text": SECRET})
    return None


def add_to_session(memory: remanence.sync.Engine) -> Awaitable[Any]:
    """Keep the secret as a message."""
    return MemorySession("s", memory).add_items([{"role": "user", "content": SECRET}])


def add_output_to_session(memory: remanence.sync.Engine) -> Awaitable[Any]:
    """Keep the secret as what a tool answered."""
    items: list[Any] = [{"type": "function_call_output", "call_id": "1", "output": SECRET}]
    return MemorySession("s", memory).add_items(items)


def put_in_block(memory: remanence.sync.Engine) -> Awaitable[Any]:
    """Keep the secret as what leaves LlamaIndex's short term."""
    return RemanenceMemoryBlock(memory).aput([ChatMessage(role="user", content=SECRET)])


def remember_by_tool(memory: remanence.sync.Engine) -> Awaitable[Any]:
    """Keep the secret by pydantic-ai's tool."""
    tools: Any = make_memory_capability(memory).tools
    return tools[0](SECRET)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "keep",
    [put_in_store, put_in_file, add_to_session, add_output_to_session, put_in_block, remember_by_tool],
)
async def test_the_log_says_where_a_marker_stands_now(
    keep: Callable[[remanence.sync.Engine], Awaitable[Any] | None], caplog: pytest.LogCaptureFixture
) -> None:
    """One warning of the log `remanence` for what is kept, without the secret."""
    with remanence.sync.open(":memory:") as memory:
        waiting = keep(memory)
        if waiting is not None:
            await waiting

        assert TOKEN not in str(memory.list(status="any"))
    warnings = [one.getMessage() for one in caplog.records if one.name == "remanence"]
    assert 1 == len(warnings), warnings
    assert "is not kept as it was passed" in warnings[0] and TOKEN not in warnings[0]
