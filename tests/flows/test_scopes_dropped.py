"""A scope dropped: shown first, out of sight in one run, and brought back whole by undo until it is purged."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import Conflict, InvalidInput, Protected, StoreUnavailable
from remanence.core.model import Status
from remanence.flows.scopes import dropping
from remanence.flows.scopes.dropping import DropPreview
from remanence.store.base import Store
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import NOW
from remanence_store_kit.dump import dump
from remanence_store_kit.invariants import find_unowned_changes
from remanence_store_kit.limited_store import limit_store
from remanence_store_kit.memory.memory_store import MemoryStore
from remanence_store_kit.worlds import SYSTEM_CATEGORY, World, worlds
from remanence_store_kit.worlds import fill as fill_world
from tests.command_line import typed
from tests.flows.conftest import Opener
from tests.flows.scope_stories import exported, fill
from tests.flows.test_scopes_copied import before_commit
from tests.sentences import Sentences


async def _release(memory: remanence.Engine) -> None:
    """Release what a story holds, so that its scope can be dropped."""
    for one in await memory.list(status="any"):
        if "legal" in (one.holds or {}):
            await memory.hold(one.id, "legal", off=True)


async def test_what_a_drop_takes_is_shown_first(opener: Opener, clock: ManualClock, tmp_path: Path) -> None:
    """By status, with what is held and protected, what stays, and when tombstones are purged; nothing is written."""
    async with opener(scope="a") as memory:
        await fill(memory, clock)
        await memory.mirror.sync(str(tmp_path / "mirror"))
        before = await exported(memory)
        shown = await memory.scopes.drop()
        every = await memory.list(status="any")
        after = await exported(memory)

    going = [one for one in every if one.status is not Status.PRUNED]
    assert before == after
    assert len(going) <= len(shown)  # entities are listed by themselves
    assert {"active", "inbox", "archived", "superseded", "quarantined"} == shown.counts.keys()
    assert 1 == shown.tombstones == sum(one.status is Status.PRUNED for one in every)
    assert ["The old bell hangs in the tower."] == [one.text for one in shown.held]
    assert ["The bell of the harbour rings at six."] == [one.text for one in shown.protected]
    assert sum("relation" in line for line in before) == shown.links
    assert shown.bytes
    assert "janitor, rule tombstones (a tombstone stands for 30 days)" == shown.purge
    assert 60 == shown.audit_days
    assert [str(tmp_path / "mirror")] == list(shown.mirrors)
    assert "HELD, so nothing is dropped" in str(shown)
    assert "remanence erase --all --scope a" in str(shown)


async def test_a_dropped_scope_is_brought_back_bit_for_bit(opener: Opener, clock: ManualClock) -> None:
    """By undo of its one run, after a restart; meanwhile nothing is found, listed or recalled."""
    async with opener(scope="a") as memory:
        await fill(memory, clock)
        await _release(memory)
        before, content = await exported(memory), await dump(memory._core.store, "a")
        clock.advance(hours=1)
        shown = await memory.scopes.drop()
        done = await memory.scopes.drop(shown, allow_protected=1)
        dropped = await dump(memory._core.store, "a")
        left, found = await memory.list(), await memory.recall("the bell of the harbour")
    async with opener(scope="a") as memory:
        standing = await memory.list()
        again = await memory.scopes.drop()
        undone = await memory.undo(done.run)
        back, whole = await exported(memory), await dump(memory._core.store, "a")
        checks = await memory.doctor()
        strays = find_unowned_changes(await memory._core.store.history("a"))

    assert {Status.PRUNED} == {one["status"] for one in dropped.memories.values()}
    assert dropped.links == content.links
    assert ([], [], []) == (left, list(found.memories), standing)
    assert 0 == len(again)
    assert before == back
    assert content.drop_unrestorable() == whole.drop_unrestorable()
    assert [] == [check for check in checks if not check.ok] + strays
    assert done.run == undone.undoes
    assert {"drop": len(shown)} == done.counts
    assert any("out of sight, not gone" in note for note in done.notes)
    assert any("rule tombstones" in note for note in done.notes)
    assert any("erase --all --scope a" in note for note in done.notes)


async def test_nothing_comes_of_what_was_dropped(opener: Opener, clock: ManualClock) -> None:
    """Turns that waited are passed over, by a consolidation too; a text may be said again and is stored anew."""
    writer = Sentences()
    async with opener(scope="a", writer=writer) as memory:
        await memory.note("My brother Tom lives in Bergen.", speaker="Ana", session="s", later=True)
        await memory.learn("The ferry leaves at nine.")
        await memory.scopes.drop(await memory.scopes.drop())
        clock.advance(hours=1)
        await memory.consolidate(listen=True)
        left = await memory.list()
        again = await memory.learn("The ferry leaves at nine.")

    assert ([], []) == (left, writer.asked)
    assert "stored" == again.status


async def test_a_drop_is_refused_once_the_scope_has_changed(opener: Opener) -> None:
    """By whatever was written since it was shown, but for uses; one that was shown of another scope is refused too."""
    async with opener(scope="a") as memory:
        learned = await memory.learn("The ferry leaves at nine.")
        shown = await memory.scopes.drop()
        await memory.update(learned.id, text="The ferry leaves at ten.")
        with pytest.raises(Conflict, match="written to since it was shown"):
            await memory.scopes.drop(shown)
        shown = await memory.scopes.drop()
        await memory.recall("the ferry")
        other = await _refused_elsewhere(memory, shown)
        done = await memory.scopes.drop(shown)
        with pytest.raises(InvalidInput, match="no active memories"):
            await memory.scopes.drop(await memory.scopes.drop())

    assert "shown of scope 'z'" in other
    assert 1 == done.changes


async def _refused_elsewhere(memory: remanence.Engine, shown: DropPreview) -> str:
    elsewhere = DropPreview("z", shown.at, shown.position, shown.counts)
    with pytest.raises(InvalidInput) as refused:
        await memory.scopes.drop(elsewhere)
    return str(refused.value)


async def test_holds_refuse_a_drop_whole(opener: Opener, clock: ManualClock) -> None:
    """They are named; one that has ended is none, and that entities are held keeps policies from them alone."""
    async with opener(scope="a") as memory:
        await memory.note("My brother Tom lives in Bergen.", speaker="Ana", session="s")
        held = await memory.learn("The contract ends in May.")
        ending = await memory.learn("The lease ends in June.")
        await memory.hold(held.id, "legal")
        await memory.hold(ending.id, "tax", clock.now() + 1_000_000)
        await memory.consolidate()
        entities = [one for one in await memory.list(status="any", limit=100) if one.category == "entity"]
        before = await exported(memory)
        with pytest.raises(Protected, match=f"2 memories are held: #{held.seq}, #{ending.seq}") as refused:
            await memory.scopes.drop(await memory.scopes.drop())
        after = await exported(memory)
        clock.advance(hours=1)
        await memory.hold(held.id, "legal", off=True)
        done = await memory.scopes.drop(await memory.scopes.drop())

    assert ("held",) == refused.value.guards
    assert before == after
    assert all(one.holds for one in entities)
    assert done.changes


async def test_what_is_protected_goes_only_as_far_as_it_is_allowed(opener: Opener) -> None:
    """Pins and categories of the system, as many as somebody has seen and no more."""
    async with opener(scope="a") as memory:
        pinned = await memory.learn("The contract ends in May.")
        await memory.pin(pinned.id)
        system = await memory.learn("I am the agent of the harbour.", category=SYSTEM_CATEGORY)
        await memory.learn("The ferry leaves at nine.")
        shown = await memory.scopes.drop()
        with pytest.raises(Protected, match="2 memories are pinned or of the system") as refused:
            await memory.scopes.drop(shown)
        with pytest.raises(Protected):
            await memory.scopes.drop(shown, allow_protected=1)
        with pytest.raises(InvalidInput):
            await memory.scopes.drop(shown, allow_protected=-1)
        done = await memory.scopes.drop(shown, allow_protected=2)
        await memory.undo(done)
        back = await memory.get(pinned.id)

    assert [pinned.seq, system.seq] == [one.seq for one in shown.protected]
    assert "allow 2" in refused.value.recovery
    assert 1 == back.pinned


async def test_an_agent_drops_what_is_its_own_and_unprotected(opener: Opener) -> None:
    """A scope in which a person wrote is refused, and so is what a pin protects, whatever is allowed."""
    async with opener(scope="a", trust="agent", agent="quill") as memory:
        learned = await memory.learn("The ferry leaves at nine.")
        await memory.consolidate()
        done = await memory.scopes.drop(await memory.scopes.drop())
        await memory.undo(done)
        await memory.pin(learned.id)
        with pytest.raises(Protected, match="pinned") as pinned:
            await memory.scopes.drop(await memory.scopes.drop(), allow_protected=1)
    async with opener(scope="a") as person:
        await person.pin(learned.id, off=True)
        await person.learn("The bell rings at noon.")
    async with opener(scope="a", trust="agent", agent="quill") as memory:
        with pytest.raises(Protected, match="others than this agent") as refused:
            await memory.scopes.drop(await memory.scopes.drop())
        left = await memory.list()

    assert 1 == done.changes
    assert "ask the user" in pinned.value.recovery
    assert ("owner",) == refused.value.guards
    assert 2 == len(left)


async def test_one_memory_of_a_dropped_scope_is_restored(opener: Opener) -> None:
    """As one that was forgotten; the run is then no longer taken back whole."""
    async with opener(scope="a") as memory:
        learned = await memory.learn("The ferry leaves at nine.")
        await memory.learn("The bell rings at noon.")
        done = await memory.scopes.drop(await memory.scopes.drop())
        await memory.restore(learned.id)
        left = [one.seq for one in await memory.list()]
        listed = await memory.scopes.list()
        with pytest.raises(Conflict):
            await memory.undo(done)

    assert [learned.seq] == left
    assert None is listed[0].dropped_at


async def test_undo_ends_where_a_policy_has_purged(opener: Opener, clock: ManualClock) -> None:
    """Tombstones stand for 30 days under the janitor; then the run is not taken back, and each memory may be."""
    async with opener(scope="a", policy="janitor") as memory:
        await memory.policy.use("janitor")
        learned = await memory.learn("The ferry leaves at nine.")
        done = await memory.scopes.drop(await memory.scopes.drop())
        clock.advance(days=31)
        await memory.apply(await memory.plan(), allow_destroyed=1)
        with pytest.raises(Conflict, match="cannot be undone"):
            await memory.undo(done)
        listed = await memory.scopes.list()
        await memory.restore(learned.id)
        back = await memory.get(learned.id)

    assert (0, True) == (listed[0].memories, listed[0].dropped_at is not None)
    assert Status.ACTIVE is back.status


async def test_a_dropped_scope_is_listed_as_such(opener: Opener, clock: ManualClock) -> None:
    """With its tombstones and the time, until anything stands there again."""
    async with opener(scope="a") as memory:
        await memory.learn("The ferry leaves at nine.")
        clock.advance(hours=1)
        done = await memory.scopes.drop(await memory.scopes.drop())
        at = clock.now()
        (dropped,) = await memory.scopes.list()
        await memory.undo(done)
        (back,) = await memory.scopes.list()
        await memory.scopes.drop(await memory.scopes.drop())
        await memory.learn("The bell rings at noon.")
        (begun,) = await memory.scopes.list()

    assert (1, at) == (dropped.memories, dropped.dropped_at)
    assert "all are tombstones" in str(dropped)
    assert (None, None) == (back.dropped_at, begun.dropped_at)


def in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a drop have many parts."""
    monkeypatch.setattr(dropping, "PART_CHANGES_MAX", 2)


async def _interfered(
    opener: Opener, act: Callable[[remanence.Engine], Awaitable[object]]
) -> tuple[remanence.Receipt | Conflict, list[str], tuple[str, ...]]:
    """Drop nine memories, with somebody else who acts before the third part; return what came of it and what stands."""
    async with opener(scope="a") as memory, opener(scope="a") as other:
        await memory.learn([f"Berth {number} is free." for number in range(9)])
        shown = await memory.scopes.drop()
        before_commit(memory, 3, lambda: act(other))
        try:
            done: remanence.Receipt | Conflict = await memory.scopes.drop(shown)
        except Conflict as conflict:
            done = conflict
        return done, [one.text for one in await memory.list()], (await memory.status()).interrupted


async def test_an_edit_meanwhile_refuses_the_drop_whole(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was out of sight by then comes back before the error."""
    in_small_parts(monkeypatch)
    seq = []

    async def edit(other: remanence.Engine) -> None:
        last = (await other.list(limit=1))[0]
        seq.append(last.seq)
        await other.update(last.seq, text="Berth 8 is taken.")

    done, left, interrupted = await _interfered(opener, edit)

    assert isinstance(done, Conflict)
    assert "nothing was dropped" in done.recovery
    assert ["Berth 8 is taken.", *(f"Berth {number} is free." for number in range(7, -1, -1))] == left
    assert () == interrupted


async def test_what_comes_in_meanwhile_stays_in_sight(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody was shown it; the receipt says that it stands."""
    in_small_parts(monkeypatch)

    done, left, _ = await _interfered(opener, lambda other: other.learn("The ferry leaves at nine."))

    assert not isinstance(done, Conflict)
    assert ["The ferry leaves at nine."] == left
    assert "1 memory came in meanwhile and stay active" in done.notes[0]


async def test_a_drop_that_is_cancelled_leaves_all_standing(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Ctrl-C does it."""
    in_small_parts(monkeypatch)
    async with opener(scope="a") as memory:
        await memory.learn([f"Berth {number} is free." for number in range(9)])
        shown = await memory.scopes.drop()
        task: asyncio.Task[object] = asyncio.ensure_future(memory.scopes.drop(shown))

        async def cancel() -> None:
            task.cancel()
            await asyncio.sleep(0)

        before_commit(memory, 3, cancel)
        with pytest.raises(asyncio.CancelledError):
            await task
        left, state = await memory.list(), await memory.status()

    assert (9, ()) == (len(left), state.interrupted)


async def test_a_disk_that_fails_leaves_a_run_that_is_named(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What kept it from being written keeps it from being taken back at once; undo does that later."""
    in_small_parts(monkeypatch)
    async with opener(scope="a") as memory:
        await memory.learn([f"Berth {number} is free." for number in range(9)])
        shown = await memory.scopes.drop()
        store = memory._core.store
        commit = store.commit

        async def fail(*_: Any) -> Any:
            raise StoreUnavailable("the disk is full", recovery="make room")

        async def failing() -> None:
            store.commit = fail  # type: ignore[assignment]
            await fail()

        before_commit(memory, 3, failing)
        with pytest.raises(StoreUnavailable):
            await memory.scopes.drop(shown)
        store.commit = commit  # type: ignore[method-assign]
        (run,) = (await memory.status()).interrupted
        await memory.undo(run)
        left = await memory.list()

    assert 9 == len(left)


async def test_a_store_of_the_core_alone_is_dropped_in(clock: ManualClock) -> None:
    """It tells no bytes; all else is as elsewhere."""
    async with remanence.open(store=limit_store(MemoryStore()), scope="a", clock=clock) as memory:
        await memory.learn("The ferry leaves at nine.")
        before = await exported(memory)
        shown = await memory.scopes.drop()
        done = await memory.scopes.drop(shown)
        await memory.undo(done)
        after = await exported(memory)

    assert None is shown.bytes
    assert before == after


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("memory", marks=pytest.mark.deep)])
@settings(max_examples=40)
@given(world=worlds(), pins=st.sets(st.integers(1, 12)))
def test_any_scope_is_dropped_whole_and_comes_back(
    kind: str, world: World, pins: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With whatever pins and holds: a hold refuses all of it, and undo gives back each row as it was."""
    rows = tuple({**row, "pinned": int(number in pins)} for number, row in enumerate(world.memories, start=1))
    drawn = World(rows, world.tags, world.sources, world.links)
    path = tmp_path_factory.mktemp("drop") / "memory.db"
    asyncio.run(_dropped_and_back(MemoryStore() if kind == "memory" else SqliteStore(str(path)), drawn))


async def _dropped_and_back(store: Store, world: World) -> None:
    async with remanence.open(store=store, embedder="none", clock=ManualClock(NOW)) as memory:
        await fill_world(store, "default", world)
        before = await dump(store, "default")
        going = [one for one in before.memories.values() if one["status"] is not Status.PRUNED]
        held = [one for one in going if (one["hold_until"] or 0) > NOW]
        protected = [one for one in going if one["pinned"] or one["category"] == SYSTEM_CATEGORY]
        shown = await memory.scopes.drop()
        assert (len(going), len(held), len(protected)) == (
            len(shown),
            shown.held_count,
            shown.protected_count,
        )
        try:
            done = await memory.scopes.drop(shown, allow_protected=len(protected))
        except (Protected, InvalidInput):
            done = None
        assert (done is None) == bool(held or not going)
        if done is None:
            assert before == await dump(store, "default")
            return
        dropped = await dump(store, "default")
        assert {Status.PRUNED} == {one["status"] for one in dropped.memories.values()}
        await memory.undo(done)
        assert before.drop_unrestorable() == (await dump(store, "default")).drop_unrestorable()


def test_the_command_line_shows_before_it_drops(tmp_path: Path) -> None:
    """Without --yes nothing is written; what is refused leaves with another code, and undo takes it back."""
    db = ("--db", str(tmp_path / "m.db"), "--scope", "a")
    typed("learn", "The ferry leaves at nine.", *db)
    typed("pin", "1", *db)
    shown = typed("scopes", "drop", *db)
    listed = json.loads(typed("list", "--json", *db).stdout)
    refused = typed("scopes", "drop", "--yes", *db)
    done = typed("scopes", "drop", "--yes", "--allow-protected", "1", *db)
    left = json.loads(typed("list", "--json", *db).stdout)
    scopes = typed("scopes", "list", *db)
    undone = typed("undo", "last", *db)
    back = json.loads(typed("list", "--json", *db).stdout)
    missing = typed("scopes", "drop", "--db", str(tmp_path / "m.db"), "--scope", "b")
    again = typed("scopes", "list", *db)

    assert (0, 1) == (shown.exit_code, len(listed))
    assert "to drop it, repeat the command with --yes --allow-protected 1" in shown.stdout
    assert 1 == refused.exit_code
    assert "pinned or of the system: #1" in refused.stderr
    assert (0, []) == (done.exit_code, left)
    assert "take it back with: remanence undo " in done.stdout and " --scope a;" in done.stdout
    assert "all are tombstones" in scopes.stdout
    assert (0, 1) == (undone.exit_code, len(back))
    assert "no scope 'b'" in missing.stderr
    assert missing.exit_code != 0
    assert 1 == len(again.stdout.splitlines())


def test_the_command_line_copies_a_scope(tmp_path: Path) -> None:
    """It says how the copy is undone; a target that holds memories is refused with two lines."""
    path = str(tmp_path / "m.db")
    typed("learn", "The ferry leaves at nine.", "--db", path, "--scope", "a")
    done = typed("scopes", "copy", "b", "--db", path, "--scope", "a")
    again = typed("scopes", "copy", "b", "--db", path, "--scope", "a")
    (command,) = [line for line in done.stdout.splitlines() if "take it back with: " in line]
    words = command.partition("remanence ")[2].split()
    undone = typed(*words, "--db", path)
    scopes = json.loads(typed("scopes", "list", "--json", "--db", path).stdout)

    assert (0, 0) == (done.exit_code, undone.exit_code)
    assert "scope 'b' holds memories" in again.stderr
    assert again.exit_code != 0
    assert [("a", 1), ("b", 0)] == [(one["scope"], one["memories"]) for one in scopes]


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """In two lines, and nothing changes."""
    path = tmp_path / "m.db"
    typed("learn", "The ferry leaves at nine.", "--db", str(path), "--scope", "a")
    path.chmod(0o444)
    refused = [
        typed("scopes", *words, "--db", str(path), "--scope", "a")
        for words in (("copy", "b"), ("drop", "--yes"))
    ]
    path.chmod(0o644)

    assert all("read-only" in one.stderr and one.exit_code == 1 for one in refused)
