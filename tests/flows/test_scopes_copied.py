"""A scope copied into an empty one of the same store: what comes along, what does not, and what ends a copy early."""

import asyncio
import os
import random
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.change import CommitResult
from remanence.core.clock import ManualClock
from remanence.core.errors import Conflict, InvalidInput, NotFound, Protected
from remanence.flows.base import paging
from remanence.flows.exchange import transfer
from remanence.flows.scopes import copying
from remanence.store.capabilities import complete
from remanence_store_kit.dump import dump
from remanence_store_kit.invariants import find_unowned_changes
from remanence_store_kit.limited_store import limit_store
from remanence_store_kit.memory.memory_store import MemoryStore
from tests.flows.conftest import Opener
from tests.flows.scope_stories import exported, fill


def in_small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a copy have many parts."""
    for module in (paging, transfer, copying):
        monkeypatch.setattr(module, "PAGE", 2)


def before_commit(memory: remanence.Engine, number: int, act: Callable[[], Awaitable[object]]) -> None:
    """Do something before the commit of that number, counted from 1, that a memory makes from now on."""
    store = memory._core.store
    commit, count = store.commit, 0

    async def acted(*given: Any) -> CommitResult:
        nonlocal count
        count += 1
        if count == number:
            await act()
        return await commit(*given)

    store.commit = acted  # type: ignore[assignment]


async def test_a_copy_holds_all_that_an_export_does(opener: Opener, clock: ManualClock) -> None:
    """With settings, frames and policy, and memories that say the same; the scope itself is left as it was."""
    async with opener(scope="a") as memory:
        await fill(memory, clock)
        before = await exported(memory)
        done = await memory.scopes.copy("b")
        settings, frames = await memory.settings.get(), await memory.frames.get()
        answer = await memory.recall("Where does Tom live?", count_use=False)
        after = await exported(memory)
    async with opener(scope="b") as copy:
        copied = await exported(copy)
        same = (settings, frames) == (await copy.settings.get(), await copy.frames.get())
        policy = copy.policy.current.name
        checks = await copy.doctor()
        strays = find_unowned_changes(await copy._core.store.history("b"))
        found = await copy.recall("Where does Tom live?", count_use=False)

    assert before == after
    assert before == copied
    assert same and policy == "janitor"
    assert [] == [check for check in checks if not check.ok] + strays
    assert [one.text for one in answer.memories] == [one.text for one in found.memories]
    assert ("b", "copy") == (done.scope, done.verb)
    assert sum("text" in line for line in before) == done.counts["copy"]
    assert any("not copied: history" in note for note in done.notes)


async def test_a_copy_is_undone_in_its_scope(opener: Opener, clock: ManualClock) -> None:
    """What is left is empty and may be copied to again; undone and done again it is the same."""
    async with opener(scope="a") as memory:
        await fill(memory, clock)
        before = await exported(memory)
        done = await memory.scopes.copy("b")
    async with opener(scope="b") as copy:
        undone = await copy.undo(done)
        left = await copy.list(status="any")
        await copy.undo(undone)
        again = await exported(copy)
        await copy.undo("last")
    async with opener(scope="a") as memory:
        await memory.scopes.copy("b")
    async with opener(scope="b") as copy:
        anew = await exported(copy)
        checks = await copy.doctor()

    assert [] == left
    assert before == again == anew
    assert [] == [check for check in checks if not check.ok]


async def test_what_can_be_no_copy_is_refused(opener: Opener) -> None:
    """To itself, to one that holds a tombstone, from one that is empty, to no name; nothing is written."""
    async with opener(scope="b") as other:
        learned = await other.learn("The bell rings at noon.")
        await other.forget(learned)
    async with opener(scope="a") as memory:
        with pytest.raises(NotFound, match="scope 'a' holds no memories"):
            await memory.scopes.copy("d")
        await memory.learn("The ferry leaves at nine.")
        with pytest.raises(InvalidInput, match="scope 'a' is this one"):
            await memory.scopes.copy("a")
        with pytest.raises(InvalidInput, match="scope 'b' holds memories"):
            await memory.scopes.copy("b")
        with pytest.raises(InvalidInput):
            await memory.scopes.copy("")
        scopes = {one.scope: one.memories for one in await memory.scopes.list()}

    assert {"a": 1, "b": 1} == scopes


async def test_a_scope_that_refuses_texts_is_not_copied_to(opener: Opener) -> None:
    """What was erased there might come back by a copy."""
    async with opener(scope="b") as other:
        learned = await other.learn("The ferry leaves at nine.")
        await other.erase.apply(await other.erase.show(learned.id))
    async with opener(scope="a") as memory:
        await memory.learn("The ferry leaves at nine.")
        with pytest.raises(InvalidInput, match="were erased in scope 'b'"):
            await memory.scopes.copy("b")


async def test_settings_of_the_target_give_way(opener: Opener, tmp_path: Path) -> None:
    """It is as the source is, but for the folder of a mirror, which two scopes cannot share."""
    async with opener(scope="b") as other:
        await other.settings.set("note_turns", 9)
        await other.settings.set("note_minutes", 9)
        await other.policy.use("mvs")
        await other.frames.set("theirs", limit=3)
    async with opener(scope="a") as memory:
        await memory.learn("The ferry leaves at nine.")
        await memory.settings.set("note_turns", 7)
        await memory.settings.set("mirror_folder", str(tmp_path / "mirror"))
        await memory.scopes.copy("b")
    async with opener(scope="b") as copy:
        values = {one.name: one.value for one in await copy.settings.get()}
        frames = [one.name for one in await copy.frames.get()]
        policy = copy.policy.current.name

    assert (7, 15, "") == (values["note_turns"], values["note_minutes"], values["mirror_folder"])
    assert "theirs" not in frames
    assert "none" == policy


async def test_who_writes_to_the_target_meanwhile_is_left_alone(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy is taken back whole, and what the other wrote stands."""
    in_small_pages(monkeypatch)
    async with opener(scope="a") as memory, opener(scope="b") as other:
        await memory.learn([f"Berth {number} is free." for number in range(9)])
        before_commit(memory, 3, lambda: other.learn("The ferry leaves at nine."))
        with pytest.raises(Conflict, match="scope 'b' was written to by somebody else") as refused:
            await memory.scopes.copy("b")
        left = [one.text for one in await other.list(status="any")]
        state = await other.status()

    assert "taken back" in refused.value.recovery
    assert ["The ferry leaves at nine."] == left
    assert () == state.interrupted


async def test_what_is_used_in_the_target_meanwhile_is_no_matter(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recall of what is there already counts its use, and the copy goes on."""
    in_small_pages(monkeypatch)
    async with opener(scope="a") as memory, opener(scope="b") as other:
        await memory.learn([f"Berth {number} is free." for number in range(9)])

        async def recall() -> None:
            await other.recall("berth 1")
            await other._core.uses.settle()

        before_commit(memory, 3, recall)
        done = await memory.scopes.copy("b")

    assert 9 == done.counts["copy"]


async def test_a_scope_that_is_written_to_while_it_is_copied_says_so(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came in before its page was read is in the copy, and what came in later need not be."""
    in_small_pages(monkeypatch)
    async with opener(scope="a") as memory, opener(scope="a") as writer:
        await memory.learn([f"Berth {number} is free." for number in range(9)])
        before_commit(memory, 3, lambda: writer.learn("The ferry leaves at nine."))
        done = await memory.scopes.copy("b")

    assert any("scope 'a' was written to meanwhile" in note for note in done.notes)


async def test_a_copy_that_is_cancelled_leaves_nothing(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Ctrl-C does it: what was written is taken back before the error comes."""
    in_small_pages(monkeypatch)
    async with opener(scope="a") as memory:
        await memory.learn([f"Berth {number} is free." for number in range(9)])
        task: asyncio.Task[object] = asyncio.ensure_future(memory.scopes.copy("b"))

        async def cancel() -> None:
            task.cancel()

        before_commit(memory, 3, cancel)
        with pytest.raises(asyncio.CancelledError):
            await task
    async with opener(scope="b") as other:
        left, state = await other.list(status="any"), await other.status()

    assert ([], ()) == (left, state.interrupted)


async def test_a_part_under_way_is_taken_back_with_the_rest(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store goes on writing what nobody waits for any more; the copy waits for it before it is taken back."""
    in_small_pages(monkeypatch)
    async with opener(scope="a") as memory:
        await memory.learn([f"Berth {number} is free." for number in range(9)])
        task: asyncio.Task[object] = asyncio.ensure_future(memory.scopes.copy("b"))
        slow = _Slow(memory, task)
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait(slow.under_way)
    async with opener(scope="b") as other:
        left, state = await other.list(status="any"), await other.status()

    assert ([], ()) == (left, state.interrupted)


class _Slow:
    """Writes the third part of a copy late, whoever waits for it, and cancels the copy meanwhile."""

    def __init__(self, memory: remanence.Engine, copy: asyncio.Task[object]) -> None:
        store = memory._core.store
        self.under_way: list[asyncio.Task[CommitResult]] = []
        self._count = 0
        commit = store.commit

        async def late(*given: Any) -> CommitResult:
            await asyncio.sleep(0.2)
            return await commit(*given)

        async def acted(*given: Any) -> CommitResult:
            self._count += 1
            if self._count != 3:
                return await commit(*given)
            self.under_way.append(asyncio.ensure_future(late(*given)))
            asyncio.get_running_loop().call_soon(copy.cancel)
            return await asyncio.shield(self.under_way[0])

        store.commit = acted  # type: ignore[assignment]


async def test_an_agent_copies_what_is_its_own_alone(opener: Opener) -> None:
    """A scope in which a person wrote is refused, and nothing is said of whose it is."""
    async with opener(scope="a", trust="agent", agent="quill") as memory:
        await memory.learn("The ferry leaves at nine.")
        await memory.consolidate()
        done = await memory.scopes.copy("b")
    async with opener(scope="a") as person:
        await person.learn("The bell rings at noon.")
    async with opener(scope="a", trust="agent", agent="quill") as memory:
        with pytest.raises(Protected, match="others than this agent") as refused:
            await memory.scopes.copy("c")

    assert 1 == done.counts["copy"]
    assert "ask the user" in refused.value.recovery


async def test_a_store_of_the_core_alone_is_copied_in(clock: ManualClock) -> None:
    """What such a store keeps is copied."""
    store = limit_store(MemoryStore())
    async with remanence.open(store=store, scope="a", clock=clock) as memory:
        learned = await memory.learn("The ferry leaves at nine.", tags=["x"])
        await memory.pin(learned)
        await memory.scopes.copy("b")
        before = await exported(memory)
    async with remanence.open(store=store, scope="b", clock=clock) as copy:
        after = await exported(copy)

    assert before == after


async def test_an_erasure_names_the_copy(opener: Opener) -> None:
    """It says the same in another scope, which no erasure here reaches; it can be taken out of the list."""
    async with opener(scope="a") as memory:
        learned = await memory.learn("The ferry leaves at nine.")
        await memory.scopes.copy("b")
        shown = await memory.erase.show(learned.id)
        done = await memory.erase.apply(shown)
        dismissed = await memory.erase.settle(copies="b")
    async with opener(scope="b") as copy:
        kept = await copy.list()

    assert ["b"] == [one.path for one in shown.registered] == [one.path for one in dismissed]
    assert "in scope 'b' of this file (1 memory)" in str(shown)
    assert done.is_well
    assert ["The ferry leaves at nine."] == [one.text for one in kept]


KILLS = 8


def test_a_killed_copy_is_taken_back_by_the_next(tmp_path: Path) -> None:
    """It is listed as interrupted; whoever copies again gets the whole, and the file is sound."""
    path = tmp_path / "memory.db"
    chance = random.Random(5)
    before = asyncio.run(_made(path))
    interrupted = sum(_kill_copy(path, chance.randint(1, 9), number) for number in range(KILLS))

    assert interrupted > 0
    for number in range(KILLS):
        copied, checks = asyncio.run(_copied_again(path, f"b{number}"))

        assert before == copied
        assert [] == checks


async def _made(path: Path) -> list[dict[str, Any]]:
    clock = ManualClock()
    async with remanence.open(path, scope="a", embedder="hashed", clock=clock) as memory:
        await fill(memory, clock)
        return await exported(memory)


def _kill_copy(path: Path, commits: int, number: int) -> int:
    """Let a process copy until it is killed so many commits on; return whether the copy was interrupted."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reader)
            asyncio.run(_copy(path, f"b{number}", writer))
        finally:
            os._exit(1)
    os.close(writer)
    heard = b""
    while len(heard) < commits and (more := os.read(reader, 1)):
        heard += more
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reader)
    return asyncio.run(_count_interrupted(path, f"b{number}"))


async def _copy(path: Path, to: str, told: int) -> None:
    for module in (copying, paging, transfer):
        vars(module)["PAGE"] = 2
    async with remanence.open(path, scope="a", embedder="hashed") as memory:
        commit = memory._core.store.commit

        async def committed(*given: Any) -> CommitResult:
            done = await commit(*given)
            os.write(told, b"+")
            return done

        memory._core.store.commit = committed  # type: ignore[assignment]
        await memory.scopes.copy(to)


async def _count_interrupted(path: Path, scope: str) -> int:
    async with remanence.open(path, scope=scope, embedder="hashed") as memory:
        return len((await memory.status()).interrupted)


async def _copied_again(path: Path, scope: str) -> tuple[list[dict[str, Any]], list[object]]:
    """Copy again where the copy was interrupted; return what the copy holds, and what is unsound."""
    async with remanence.open(path, scope="a", embedder="hashed") as memory:
        if await _count_interrupted(path, scope):
            await memory.scopes.copy(scope)
    async with remanence.open(path, scope=scope, embedder="hashed") as copy:
        content = await dump(complete(copy._core.store), scope)
        checks = await copy.doctor()
        assert content.memories
        return await exported(copy), [check for check in checks if not check.ok]


async def test_of_two_copies_at_once_one_is_whole(opener: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """The later one takes back what the earlier one has written, as if it had been killed; that one is refused."""
    in_small_pages(monkeypatch)
    async with opener(scope="a") as memory, opener(scope="a") as second:
        await memory.learn([f"Berth {number} is free." for number in range(9)])
        before = await exported(memory)
        before_commit(memory, 3, lambda: second.scopes.copy("b"))
        with pytest.raises(Conflict, match="scope 'b' was written to by somebody else"):
            await memory.scopes.copy("b")
    async with opener(scope="b") as copy:
        copied, state, checks = await exported(copy), await copy.status(), await copy.doctor()

    assert before == copied
    assert () == state.interrupted
    assert [] == [check for check in checks if not check.ok]
