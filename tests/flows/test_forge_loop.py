"""forge-loop's compaction: all that is load-bearing and exactly the newest episodes stay, and `doctor` says when."""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, RemanenceError
from remanence.core.keywords import KindName
from remanence.core.model import REJECTED_PATH, Kind, Reason, Status, is_load_bearing
from remanence.flows.curate import curating
from remanence.flows.inspect.checks import NAME
from remanence.store.base import Check
from remanence_store_kit.builders import create_change, make_cause
from remanence_store_kit.memory.memory_store import MemoryStore
from tests import command_line
from tests.flows.forge import compact, item, keys, on_file, said_by, started

ITEMS = ("semantic", "procedural", "episodic", "rejected", "unclassified")


async def test_what_stands_is_listed_by_kind_and_by_the_tag_of_rejected_paths(
    memory: remanence.Engine,
) -> None:
    """Newest first, what was just put too unless the status is asked for; what was superseded is not in it."""
    for kind in ("semantic", "procedural", "episodic", "rejected"):
        await item(memory, kind, kind)
    await item(memory, "old", "episodic")
    await memory.correct("old", by="episodic")
    put, active = await memory.list(), await memory.list(status="active")
    same = await memory.list()
    await memory.consolidate()
    every = await memory.list()
    episodes = await memory.list(kind="episodic")
    rejected = await memory.list(tags=[REJECTED_PATH])

    assert [] == active
    assert put == same
    assert ["rejected", "episodic", "procedural", "semantic"] == [one.key for one in put]
    assert [one.key for one in put] == [one.key for one in every]
    assert ["rejected", "episodic"] == [one.key for one in episodes]
    assert ["rejected"] == [one.key for one in rejected]


# Compaction


async def test_all_that_is_load_bearing_and_the_newest_episodes_stay(memory: remanence.Engine) -> None:
    """Of two load-bearing and five episodes, keeping two, three go."""
    for key, kind in (("a decision", "semantic"), ("a skill", "procedural")):
        await item(memory, key, kind)
    for number in range(5):
        await item(memory, f"failed-{number}")

    assert 3 == await compact(memory, 2)
    assert ["a decision", "a skill", "failed-3", "failed-4"] == await keys(memory)


async def test_a_rejected_path_survives_whatever_its_age(memory: remanence.Engine) -> None:
    """Keeping none prunes every episode but the path that was tried and rejected."""
    await item(memory, "a dead end", "rejected")
    for number in range(4):
        await item(memory, f"merged-{number}")

    assert 4 == await compact(memory, 0)
    assert ["a dead end"] == await keys(memory)


async def test_a_second_compaction_prunes_nothing(memory: remanence.Engine) -> None:
    """At the cap it is a no-op, which writes no run."""
    for number in range(5):
        await item(memory, f"failed-{number}")
    first = await compact(memory, 2)
    left, runs = await keys(memory), await memory.history()

    assert (3, 0) == (first, await compact(memory, 2))
    assert (left, runs) == (await keys(memory), await memory.history())


@pytest.mark.parametrize(("episodes", "keep"), [(3, 10), (3, 3), (0, 0), (0, 5)])
async def test_under_the_cap_nothing_goes(memory: remanence.Engine, episodes: int, keep: int) -> None:
    """As many as are kept, or fewer, or none at all beside what is load-bearing."""
    await item(memory, "a decision", "semantic")
    for number in range(episodes):
        await item(memory, f"failed-{number}")

    assert 0 == await compact(memory, keep)
    assert 1 + episodes == len(await keys(memory))


async def test_survivors_are_there_after_a_reopen(tmp_path: Path) -> None:
    """Compaction is on the disk when it returns."""
    async with on_file(tmp_path) as memory:
        await item(memory, "a decision", "semantic")
        for number in range(5):
            await item(memory, f"failed-{number}")
        await compact(memory, 2)
    async with on_file(tmp_path) as again:
        assert ["a decision", "failed-3", "failed-4"] == await keys(again)


@pytest.mark.parametrize("wrong", [-1, True, False, 1.0, "5", None, float("nan")])
async def test_what_is_no_number_from_0_up_is_refused(memory: remanence.Engine, wrong: Any) -> None:
    """As an argument error, which is a ValueError; nothing goes."""
    await item(memory, "failed-1")

    with pytest.raises(ValueError, match="rows") as refused:
        await compact(memory, wrong)
    assert isinstance(refused.value, InvalidInput)
    assert ["failed-1"] == await keys(memory)


async def test_the_seeds_example(tmp_path: Path) -> None:
    """3 decisions, 5 skills and 592 episodes, keeping 50: 542 go and 58 are left."""
    async with on_file(tmp_path) as memory:
        items = [("semantic", 3), ("procedural", 5), ("episodic", 592)]
        turns = [
            {"text": f"{kind} {n}", "kind": kind, "key": f"{kind}-{n}"}
            for kind, count in items
            for n in range(count)
        ]
        await memory.learn(turns)

        assert 542 == await compact(memory, 50)
        assert [turn["key"] for turn in (*turns[:8], *turns[-50:])] == await keys(memory)


@given(st.lists(st.sampled_from(ITEMS), max_size=30), st.integers(0, 12))
def test_exactly_the_newest_episodes_are_left(kinds: Sequence[str], keep: int) -> None:
    """Whatever is put in whatever order: all that is load-bearing, and min(M, k) episodes, the newest."""
    put = [(f"{kind}-{number}", kind) for number, kind in enumerate(kinds)]
    episodes = [key for key, kind in put if kind == "episodic"]
    newest = set(episodes[max(0, len(episodes) - keep) :])

    async def compacted() -> tuple[int, list[str | None], int]:
        async with remanence.open(store=MemoryStore(), embedder="none", clock=ManualClock()) as memory:
            for key, kind in put:
                await item(memory, key, kind)
            return (
                await compact(memory, keep),
                await keys(memory),
                await compact(memory, keep),
            )

    left = [key for key, kind in put if kind != "episodic" or key in newest]

    assert (max(0, len(episodes) - keep), left, 0) == asyncio.run(compacted())


async def test_what_is_put_again_keeps_its_place(memory: remanence.Engine, clock: ManualClock) -> None:
    """Order is that of arrival; a policy may order by evidence instead, which moves with each put."""
    for key in ("failed-1", "failed-2", "failed-3"):
        await item(memory, key)
        clock.advance(hours=1)
    await item(memory, "failed-1")
    by_evidence = {"newest-episodes": {"order": "said_at desc, seq desc", "keep": {"rows": 1}}}
    plan = await memory.plan("episodic-cap", overrides=by_evidence)
    await compact(memory, 1)

    assert ["failed-3"] == await keys(memory)
    assert [2, 3] == plan.seq.tolist()


async def test_superseded_episodes_go_with_their_successor_only(memory: remanence.Engine) -> None:
    """What a standing memory superseded is its history; what a pruned one superseded goes too, unless load-bearing."""
    for key in ("old-1", "new-1", "old-2", "new-2"):
        await item(memory, key)
    await item(memory, "old decision", "semantic")
    for old, by in (("old-1", "new-1"), ("old-2", "new-2"), ("old decision", "new-1")):
        await memory.correct(old, by=by)
    first = await compact(memory, 1)
    found = {
        key: (await memory.get(key)).status for key in ("old-1", "new-1", "old-2", "new-2", "old decision")
    }

    assert (2, 0) == (first, await compact(memory, 1))
    assert {
        "old-1": Status.PRUNED,
        "new-1": Status.PRUNED,
        "old-2": Status.SUPERSEDED,
        "new-2": Status.INBOX,
        "old decision": Status.SUPERSEDED,
    } == found


async def test_pins_and_holds_bind_compaction_too(memory: remanence.Engine) -> None:
    """A built-in guard is nobody's to pass."""
    for number in range(4):
        await item(memory, f"failed-{number}")
    await memory.pin("failed-0")
    await memory.hold("failed-1", "legal")

    assert 2 == await compact(memory, 0)
    assert ["failed-0", "failed-1"] == await keys(memory)


async def test_tombstones_come_back(memory: remanence.Engine) -> None:
    """One by one, or all by undoing the run; nothing of them is lost."""
    for number in range(3):
        await item(memory, f"failed-{number}")
    await memory.tag("failed-0", "axis:speed")
    before = [line async for line in memory.export()]
    await compact(memory, 0)
    fallen = await memory.get("failed-0")
    await memory.undo((await memory.history())[-1].run)

    assert (Status.PRUNED, Reason.COMPACTED) == (fallen.status, fallen.reason)
    assert before == [line async for line in memory.export()]

    await compact(memory, 0)
    await memory.restore("failed-0")
    back = await memory.get("failed-0")

    assert (Status.ACTIVE, ("axis:speed",), ("log",)) == (back.status, back.tags, back.sources)


async def test_an_error_leaves_all_as_it_was(tmp_path: Path) -> None:
    """A commit that fails in its middle prunes nothing, and the next one all."""
    path = tmp_path / "memory.db"
    async with on_file(tmp_path) as memory:
        for number in range(9):
            await item(memory, f"failed-{number}")
        _run(
            path,
            "CREATE TRIGGER broken BEFORE UPDATE ON states WHEN old.seq = 5 BEGIN SELECT RAISE(ABORT, 'no'); END",
        )
        with pytest.raises(RemanenceError):
            await compact(memory, 1)
        unchanged = await keys(memory)
        _run(path, "DROP TRIGGER broken")

        assert 9 == len(unchanged)
        assert 8 == await compact(memory, 1)


async def test_more_rows_than_a_statement_has_variables(tmp_path: Path) -> None:
    """33,000 episodes, past SQLite's 32,766 bound variables, in several parts of one run."""
    async with on_file(tmp_path) as memory:
        for start in range(0, 33_000, 11_000):
            numbers = range(start, start + 11_000)
            rows = [
                create_change(n - start + 1, f"{n}", id=f"{n:032x}", key=f"{n}", kind=Kind.EPISODIC)
                for n in numbers
            ]
            await memory._core.store.commit(memory.scope, rows, make_cause())

        assert 32_990 == await compact(memory, 10)
        assert [f"{n}" for n in range(32_990, 33_000)] == await keys(memory)


async def test_the_order_outlives_a_vacuum_and_a_copy(tmp_path: Path) -> None:
    """The oldest is told by the order of arrival, whatever SQLite does with its pages and an import with its rows."""
    async with on_file(tmp_path) as memory:
        for number in range(8):
            await item(memory, f"failed-{number}")
        await memory.forget("failed-6")
        lines = [line async for line in memory.export()]
    _run(tmp_path / "memory.db", "VACUUM")
    async with on_file(tmp_path) as memory, remanence.open(tmp_path / "copy.db", embedder="none") as copy:
        await copy.import_(lines)

        assert (5, 5) == (await compact(memory, 2), await compact(copy, 2))
        assert ["failed-5", "failed-7"] == await keys(memory) == await keys(copy)


# Several processes

TAGGING = """
import asyncio, sys, remanence
async def main(path):
    async with remanence.open(path, embedder="none") as memory:
        await memory.tag("failed-0", "rejected-path")
        await memory.tag("failed-1", "axis:ci")
asyncio.run(main(*sys.argv[1:]))
"""
COMPACTING = """
import asyncio, sys, remanence
from tests.flows.forge import compact
async def main(path, keep):
    async with remanence.open(path, embedder="none") as memory:
        print(await compact(memory, int(keep)))
asyncio.run(main(*sys.argv[1:]))
"""


def _run(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path, timeout=30)) as connection:
        connection.execute(statement)
        connection.commit()


async def test_what_another_process_rejects_between_plan_and_apply_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tag of a second process makes the oldest episode load-bearing after it was chosen to go.

    Another, which it only touches, goes with the next run.
    """
    plan = curating.plan
    tagged: list[Any] = []

    async def interrupted(*given: Any, **more: Any) -> Any:
        made = await plan(*given, **more)
        if not tagged:
            tagged.append(await asyncio.to_thread(said_by, started(TAGGING, str(tmp_path / "memory.db"))))
        return made

    async with on_file(tmp_path) as memory:
        for number in range(6):
            await item(memory, f"failed-{number}")
        monkeypatch.setattr(curating, "plan", interrupted)

        assert [2, 1] == [await compact(memory, 2) for _ in range(2)]
        assert ["failed-0", "failed-4", "failed-5"] == await keys(memory)
        assert (REJECTED_PATH,) == (await memory.get("failed-0")).tags


async def test_processes_that_compact_at_once_count_each_episode_once(tmp_path: Path) -> None:
    """What they return adds up to what went, and the newest are left."""
    async with on_file(tmp_path) as memory:
        await memory.learn([{"text": f"episode {n}", "kind": "episodic", "key": f"{n}"} for n in range(300)])
        processes = [started(COMPACTING, str(tmp_path / "memory.db"), "10") for _ in range(3)]
        pruned = [int(said_by(process)[0]) for process in processes]

        assert 290 == sum(pruned)
        assert [f"{n}" for n in range(290, 300)] == await keys(memory)


# The probe


async def _probe(memory: remanence.Engine) -> Check:
    (found,) = [check for check in await memory.doctor() if check.name == NAME]
    return found


async def test_doctor_counts_what_could_go(memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Above 50 episodes, strictly and however young, it advises to look what would go."""
    for kind in ("semantic", "procedural", "rejected", "unclassified"):
        await item(memory, kind, kind)
    await memory.learn([{"text": f"episode {n}", "kind": "episodic"} for n in range(50)])
    at, detail = (
        await _probe(memory),
        "decisions/active={}, rejected_paths=1, episodes={}, skills/procedural=1, prunable={}",
    )
    await item(memory, "one more")
    above = await _probe(memory)
    monkeypatch.setattr("remanence.flows.inspect.checks.PRUNABLE_MAX", 51)

    assert Check(NAME, True, detail.format(54, 51, 50)) == at
    assert (True, detail.format(55, 52, 51)) == (above.ok, above.detail)
    assert above.advice.startswith("51 episodes could go, more than 50; see which")
    assert above.advice.endswith("remanence curate --policy episodic-cap --dry-run")
    assert "" == (await _probe(memory)).advice


@pytest.mark.parametrize("kind", [None, *Kind])
@pytest.mark.parametrize("tags", [(), (REJECTED_PATH,), ("axis:ci",), (REJECTED_PATH, "axis:ci")])
async def test_compaction_and_probe_agree_on_what_is_load_bearing(
    memory: remanence.Engine, kind: Kind | None, tags: tuple[str, ...]
) -> None:
    """There is one judge of it, for every kind and tag."""
    await memory.learn("a text", kind=None if kind is None else cast("KindName", kind.label), tags=tags)
    counted = (await _probe(memory)).detail

    assert f"prunable={int(not is_load_bearing(kind, tags))}" in counted
    assert int(not is_load_bearing(kind, tags)) == await compact(memory, 0)


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Types a command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return command_line.typed


def test_doctor_of_nothing_is_a_warning(typed: Callable[..., Any], tmp_path: Path) -> None:
    """A file that is not there is no damage, and none is made."""
    done = typed("doctor")

    assert (0, []) == (done.exit_code, list(tmp_path.iterdir()))
    assert done.stdout.startswith("warning memory-integrity: there is no agent.db")


@pytest.mark.parametrize(
    "content", [b"this is not a database at all", b"SQLite format 3\0" + b"\xff" * 8_000]
)
def test_doctor_of_a_broken_file_is_a_failure(
    typed: Callable[..., Any], tmp_path: Path, content: bytes
) -> None:
    """What cannot be opened is a failed check with exit code 1, and stays as it is."""
    (tmp_path / "agent.db").write_bytes(content)
    done = typed("doctor", "--json")
    (check,) = json.loads(done.stdout)

    assert (1, NAME, False) == (done.exit_code, check["name"], check["ok"])
    assert content == (tmp_path / "agent.db").read_bytes()


def test_the_command_shows_before_it_does(typed: Callable[..., Any]) -> None:
    """With --dry-run nothing goes; without, what was shown goes. `doctor` advises it above 50 that could go."""
    turns = [json.dumps({"text": f"It failed {number}.", "kind": "episodic"}) for number in range(52)]
    Path("turns.jsonl").write_text("\n".join(turns), encoding="utf-8")
    typed("ingest", "turns.jsonl")
    advised = typed("doctor").stdout
    shown = typed("curate", "--policy", "episodic-cap", "--dry-run").stdout
    kept = json.loads(typed("status", "--json").stdout)["statuses"]
    done = typed("curate", "--policy", "episodic-cap").stdout
    left = json.loads(typed("status", "--json").stdout)["statuses"]

    assert "52 episodes could go, more than 50" in advised
    assert "delete 2 memories  [newest-episodes]" in shown
    assert 2 == shown.count("  It failed ")
    assert "curate: delete 2 memories" in done
    assert ({"inbox": 52}, {"inbox": 50, "pruned": 2}) == (kept, left)
    assert "warning" not in typed("doctor").stdout
