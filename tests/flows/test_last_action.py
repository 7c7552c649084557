"""What `get` tells of the last run of a policy that did something to a memory."""

import remanence
from remanence.core.clock import ManualClock
from tests.flows.conftest import Opener


async def test_get_says_what_a_run_last_did(memory: remanence.Engine, clock: ManualClock) -> None:
    """Which action, when, by which rule and in which run; nothing where no run has changed it."""
    await memory.learn("The heron nests by the weir", category="fact")
    clock.advance(days=3)
    assert (await memory.get(1)).last_action is None
    moved = await memory.curate("janitor")
    said = [(await memory.get(1)).last_action]
    await memory.recall("heron")
    await memory.plan("janitor")  # which waits until the use is written
    await memory.update(1, importance=0.4)
    said.append((await memory.get(1)).last_action)
    clock.advance(days=95)
    archived = await memory.curate("janitor")

    assert [f"move by hardly-used 2026-01-04 00:00 UTC (run {moved.run})"] * 2 == said
    assert (
        f"archive by long-unused 2026-04-09 00:00 UTC (run {archived.run})"
        == (await memory.get(1)).last_action
    )


async def test_what_was_undone_was_not_done(memory: remanence.Engine, clock: ManualClock) -> None:
    """And undoing that does it again."""
    await memory.learn("The heron nests by the weir", category="fact")
    clock.advance(days=3)
    moved = await memory.curate("janitor")
    undone = await memory.undo(moved)
    before = (await memory.get(1)).last_action
    await memory.undo(undone)

    assert before is None
    assert f"(run {moved.run})" in str((await memory.get(1)).last_action)


async def test_flags_are_told_too(opener: Opener, clock: ManualClock) -> None:
    """Also after the memory is opened again, and also in what is printed as data."""
    async with opener() as memory:
        await memory.learn("The weir leaks", category="analysis", severity="low", state="open")
        clock.advance(days=8)
        await memory.curate("janitor")
    async with opener() as memory:
        found = (await memory.get(1)).to_dict()["last_action"]

    assert found.startswith("move by hardly-used, flag by orphans-marked")
