"""Scopes of one file: which there are, what each holds, and what becomes of one that nobody wrote to."""

import json
from pathlib import Path

import pytest

import remanence
from remanence.core.clock import HOUR, ManualClock
from remanence_store_kit.limited_store import limit_store
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.command_line import typed
from tests.flows.conftest import Opener


async def test_a_new_scope_is_refused_where_that_is_asked_for(tmp_path: Path) -> None:
    """The error names the nearest scope that is there, and the refused opening leaves nothing behind."""
    path = tmp_path / "m.db"
    async with remanence.open(path, scope="harbour", embedder="none") as memory:
        await memory.learn("The ferry leaves at nine.")
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(remanence.NotFound, match="no scope 'harbor' here") as refused:
            async with remanence.open(path, scope="harbor", embedder="none", new_scope="refuse"):
                pass

        assert "did you mean 'harbour'?" in refused.value.recovery
    assert before == path.read_bytes()


async def test_a_new_scope_is_made_where_nothing_is_asked(tmp_path: Path) -> None:
    """A program that opens a scope for each user asks an empty one first; from then on it is there."""
    path = tmp_path / "m.db"
    async with remanence.open(path, scope="ines", embedder="none") as memory:
        assert [] == list(await memory.recall("the ferry"))
    async with remanence.open(path, scope="ines", embedder="none", new_scope="refuse") as memory:
        assert [] == await memory.list()


async def test_scopes_are_listed_with_what_they_hold(opener: Opener, clock: ManualClock) -> None:
    """Memories of every status, bytes, and the last write, which a use is none of; by name, in parts."""
    for scope, texts in (("b", ["Käse"]), ("a", ["Brot", "Wein"]), ("c", ["Salz"])):
        clock.advance(hours=1)
        async with opener(scope=scope, embedder="none") as memory:
            await memory.learn(texts)
    written = clock.now() - HOUR
    clock.advance(hours=1)
    async with opener(scope="c", embedder="none") as memory:
        await memory.recall("Salz")
        await memory.forget((await memory.list())[0])
        clock.advance(hours=1)
        await memory.restore((await memory.list(status="pruned"))[0])
        restored = clock.now()
        clock.advance(hours=1)
        await memory.recall("Salz")
        listed = await memory.scopes.list()
        parts = [(await memory.scopes.list(limit=1, after=after))[0] for after in (None, listed[0], "b")]

    assert [("a", 2, 8), ("b", 1, 5), ("c", 1, 4)] == [(one.scope, one.memories, one.bytes) for one in listed]
    assert [written, restored] == [listed[0].written_at, listed[2].written_at]
    assert listed == parts
    assert "scope 'b': 1 memory, 5 bytes, last written " in str(listed[1])


async def test_scopes_are_listed_where_the_store_tells_no_sizes() -> None:
    """Memories are counted all the same; bytes are not known."""
    store = limit_store(MemoryStore())
    async with remanence.open(store=store, scope="harbour") as memory:
        await memory.learn(["Brot", "Wein"])
        (one,) = await memory.scopes.list()

    assert ("harbour", 2, None) == (one.scope, one.memories, one.bytes)


def test_the_command_line_lists_scopes(tmp_path: Path) -> None:
    """A line a scope; one that nobody wrote to is not made by looking."""
    db = ("--db", str(tmp_path / "m.db"))
    typed("learn", "Brot", "--scope", "a", *db)
    typed("learn", "Wein", "--scope", "b", *db)
    lines = typed("scopes", "list", *db).stdout.splitlines()
    last = json.loads(typed("scopes", "list", "--after", "a", "--json", *db).stdout)

    assert [["a", "1", "memory"], ["b", "1", "memory"]] == [line.split()[:3] for line in lines]
    assert ["b"] == [one["scope"] for one in last]
    assert last[0]["written_at"] is not None
