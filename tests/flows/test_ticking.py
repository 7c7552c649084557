"""A tick does what is due in a scope, each sort of work by itself and within its time, and keeps how far it came."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest

import remanence
from remanence.core.change import Cause
from remanence.core.clock import DAY, HOUR, MINUTE, ManualClock, SystemClock
from remanence.core.errors import InvalidInput, LeaseLost
from remanence.core.model import Turn
from remanence.curate.schedule import WITHIN
from remanence.flows.base.context import QUIET, Lease
from remanence.flows.curate import applying, curating
from remanence.store.base import Bookkeeping, BookkeepResult, writes
from remanence.store.sqlite.sqlite_store import SqliteStore
from tests import command_line
from tests.flows.conftest import Opener
from tests.sentences import Sentences

RAPID = """
version = 1
name = "by-cadence"

[[rule]]
name = "quick"
every = "rapid"
phase = "value"
where = "category == 'message' and age(learned_at) > minutes(1)"
do = "archive"

[[rule]]
name = "slow"
every = "hourly"
phase = "value"
where = "category == 'fact' and age(learned_at) > minutes(1)"
do = "archive"

[[rule]]
name = "gone"
every = "deep"
phase = "expire"
where = "category == 'memory_entry' and age(learned_at) > minutes(1)"
do = "prune"
"""


async def _learned(memory: remanence.Engine, category: str, count: int, tell: str = "") -> None:
    await memory.learn([Turn(f"{category} {tell} {k}", category=category) for k in range(count)])


async def _archived(memory: remanence.Engine) -> int:
    return (await memory.status()).statuses.get("archived", 0)


async def test_a_tick_judges_the_rules_that_are_due_and_quicker_ones(
    opener: Opener, clock: ManualClock
) -> None:
    """Rapid rules each five minutes, hourly ones each hour; a plan by hand judges all, and so does the first tick."""
    async with opener(policy=RAPID) as memory:
        first = await memory.run_jobs()
        await _learned(memory, "message", 2)
        await _learned(memory, "fact", 3)
        clock.advance(minutes=5)
        planned = {rule for _, rule, _ in (await memory.plan()).by_rule}
        rapid, after_rapid = await memory.run_jobs(), await _archived(memory)
        clock.advance(minutes=55)
        hourly, after_hourly = await memory.run_jobs(), await _archived(memory)

    assert {"quick", "slow"} == planned
    assert ("deep", "rapid", "hourly") == (first.cadence, rapid.cadence, hourly.cadence)
    assert (2, 5) == (after_rapid, after_hourly)
    assert {"archive": 2} == dict(rapid.ran["curate"].counts)


async def test_a_cadence_that_is_named_is_judged_at_once(opener: Opener, clock: ManualClock) -> None:
    """Due or not, and then it is due again when its time has passed from there."""
    async with opener(policy=RAPID) as memory:
        await memory.run_jobs()
        await _learned(memory, "fact", 1)
        clock.advance(minutes=2)
        done = await memory.run_jobs("hourly")
        await _learned(memory, "message", 1)  # else it is known that nothing more is due before tomorrow
        known = (await memory.status()).schedule

        assert known is not None
        assert ("hourly", {"archive": 1}) == (done.cadence, dict(done.ran["curate"].counts))
        assert (clock.now() + HOUR, clock.now() + 5 * MINUTE) == (known.next["hourly"], known.next["rapid"])
        assert {"rapid", "standard", "hourly"} == {
            name for name, at in known.last.items() if at == clock.now()
        }


async def test_without_a_policy_nothing_runs(opener: Opener) -> None:
    """The error says how one sees what a policy would do, and adopts it."""
    async with opener() as memory:
        with pytest.raises(InvalidInput, match="no policy") as refused:
            await memory.run_jobs()

        assert "--dry-run" in refused.value.recovery
        assert "policy use" in refused.value.recovery
        assert (await memory.status()).schedule is None
        await memory.policy.use(RAPID)
        assert "deep" == (await memory.run_jobs()).cadence


async def test_a_scope_in_which_nothing_is_due_is_passed_by(opener: Opener, clock: ManualClock) -> None:
    """Until what was foretold, or a write, or another policy or setting, whatever the cadences say."""
    async with opener() as memory:
        await memory.policy.use(RAPID)
        await _learned(memory, "relationship", 3)
        await memory.consolidate()
        clock.advance(minutes=20)
        before = await memory.run_jobs()
        clock.advance(minutes=50)
        quiet = await memory.run_jobs()
        await memory.settings.set("note_turns", 40)
        after_setting = await memory.run_jobs()
        await memory.policy.use(RAPID)
        after_adopting = await memory.run_jobs()
        await _learned(memory, "fact", 1)
        after_write = await memory.run_jobs()
        named = await memory.run_jobs("rapid")

    assert before.next_at >= before.at + 6 * HOUR
    assert (True, None) == (quiet.quiet, quiet.cadence)
    assert [False] * 4 == [one.quiet for one in (after_setting, after_adopting, after_write, named)]


async def test_what_was_left_due_is_done_too(opener: Opener, clock: ManualClock) -> None:
    """Uses are counted, turns that were noted are listened to, the inbox is made active."""
    async with opener(policy=RAPID, writer=Sentences()) as memory:
        await memory.note("I moved to Lisbon in May.", speaker="Ana", session="one", later=True)
        await _learned(memory, "relationship", 1)
        await memory.recall("relationship")
        clock.advance(minutes=40)
        done = await memory.run_jobs()
        clock.advance(minutes=40)
        later = await memory.run_jobs()
        state = await memory.status()
        used = await memory.history(verb="use")

    assert {"curate", "extract"} == done.ran.keys()
    assert {"curate", "consolidate"} == later.ran.keys()
    assert 1 == done.ran["extract"].counts["turns"]
    assert "inbox" not in state.statuses
    assert () == state.waiting
    assert used


async def test_what_fails_fails_alone_and_is_tried_again_later(
    opener: Opener, clock: ManualClock, tmp_path: Path
) -> None:
    """The other work is done, the failure is kept and shown, and each next try is later; then it is forgotten."""
    folder = tmp_path / "mirror"
    folder.write_text("a file where the folder should be")
    async with opener(policy=RAPID) as memory:
        await memory.settings.set("mirror_folder", str(folder))
        await _learned(memory, "message", 1)
        clock.advance(minutes=10)
        first = await memory.run_jobs()
        clock.advance(minutes=4)
        waits = await memory.run_jobs("rapid"), (await memory.status()).schedule
        state, checks = await memory.status(), await memory.doctor()
        folder.unlink()
        clock.advance(minutes=20)
        healed, known = await memory.run_jobs(), (await memory.status()).schedule

    assert ("failed", "done") == (first.ran["mirror"].outcome, first.ran["curate"].outcome)
    assert not first.is_well
    assert {"archive": 1} == dict(first.ran["curate"].counts)
    assert waits[1] is not None
    assert ["mirror"] == list(waits[1].failures)
    assert state.schedule is not None
    assert not state.schedule.is_well
    assert ["schedule"] == [check.name for check in checks if check.advice and check.name == "schedule"]
    assert "done" == healed.ran["mirror"].outcome
    assert known is not None
    assert known.is_well
    assert (folder / "README.md").exists() or any(folder.iterdir())


async def test_a_mirror_is_named_by_its_whole_path(memory: remanence.Engine) -> None:
    """A daemon has another working directory."""
    with pytest.raises(InvalidInput, match="mirror_folder"):
        await memory.settings.set("mirror_folder", "mirror")


async def test_when_time_is_up_the_next_tick_goes_on(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plan stops between two parts and is a whole run; the work that was left comes first then."""
    monkeypatch.setattr(applying, "PART_CHANGES_MAX", 4)
    monkeypatch.setattr("remanence.flows.schedule.ticking.WITHIN", dict.fromkeys(WITHIN, 0))
    async with opener(policy=RAPID) as memory:
        await _learned(memory, "message", 10)
        await memory.note("I moved to Lisbon in May.", speaker="Ana", session="one", later=True)
        clock.advance(minutes=20)
        first, told = await memory.run_jobs(), (await memory.status()).schedule
        monkeypatch.undo()
        second, state = await memory.run_jobs(), await memory.status()

    assert ("deep", {"archive": 4}) == (first.cadence, dict(first.ran["curate"].counts))
    assert ("extract", "consolidate", "embed", "mirror", "erase", "expire") == first.left
    assert told is not None
    assert "deep rules" in told.left
    assert ["extract", "curate"] == [*second.ran]
    assert () == second.left
    assert () == state.interrupted
    assert 10 == state.statuses["archived"]


async def test_many_changes_make_a_tick_due_before_its_time(opener: Opener, clock: ManualClock) -> None:
    """Fifty and a fifth of the scope."""
    async with opener(policy=RAPID) as memory:
        await _learned(memory, "relationship", 10)
        await memory.run_jobs()
        clock.advance(seconds=61)
        await _learned(memory, "relationship", 50, "more")
        few = await memory.run_jobs()
        await _learned(memory, "relationship", 70, "even more")
        clock.advance(seconds=1)
        many = await memory.run_jobs()

    assert (None, "rapid") == (few.cadence, many.cadence)


async def test_what_changes_between_looks_adds_up_until_rules_are_judged(
    opener: Opener, clock: ManualClock
) -> None:
    """240 memories in three minutes, 20 a look: looking judges nothing, so it does not begin the count anew."""
    looks = []
    async with opener(policy=RAPID) as memory:
        await memory.run_jobs()
        for look in range(12):
            clock.advance(seconds=15)
            await _learned(memory, "relationship", 20, f"of look {look}")
            looks.append((await memory.run_jobs()).cadence)

    assert [None, None, "rapid"] == looks[:3]
    assert 3 == looks.count("rapid")


async def test_a_held_plan_waits_while_quicker_rules_go_on(opener: Opener, clock: ManualClock) -> None:
    """Until a person releases it; status, doctor and review say so."""
    async with opener(policy=RAPID) as memory:
        await _learned(memory, "memory_entry", 30)
        await _learned(memory, "message", 2)
        clock.advance(minutes=5)
        held = await memory.run_jobs()
        await _learned(memory, "message", 1, "later")
        clock.advance(minutes=5)
        rapid = await memory.run_jobs()
        state, checks, review = await memory.status(), await memory.doctor(), await memory.review.list()
        done = await memory.apply(await memory.plan(), allow_destroyed=30)
        clock.advance(minutes=1)
        after = (await memory.status()).schedule

    assert ("share", 30, {"archive": 2}) == (
        held.ran["curate"].held,
        held.ran["curate"].destroyed,
        dict(held.ran["curate"].counts),
    )
    assert ("rapid", {"archive": 1}, "") == (
        rapid.cadence,
        dict(rapid.ran["curate"].counts),
        rapid.ran["curate"].held,
    )
    assert state.schedule is not None
    assert state.schedule.held.startswith("held: it would destroy 30 of 32")
    assert {"held plan": 1} == dict(state.review)
    assert "remanence review list" in next(check.advice for check in checks if check.name == "schedule")
    assert review.items[0].commands["apply it"].endswith("--allow-destroyed 30")
    assert (30, "") == (done.pruned, after.held if after is not None else None)


async def test_a_policy_with_an_interval_runs_at_that(opener: Opener, clock: ManualClock) -> None:
    """On its clock, as before a session; its cadences do not matter."""
    often = RAPID.replace('name = "by-cadence"', 'name = "by-interval"\ninterval = "10 hours"')
    async with opener(policy=often) as memory:
        cadences = [(await memory.run_jobs()).cadence]
        for _ in range(3):
            clock.advance(hours=5)
            await _learned(memory, "message", 1, str(clock.now()))
            cadences.append((await memory.run_jobs()).cadence)

    assert ["deep", None, "deep", None] == cadences


async def test_the_command_says_by_its_exit_code_how_it_went(tmp_path: Path) -> None:
    """0 where all is well, 1 where a plan is held, 2 lines of error where no policy is adopted."""
    path, clock = tmp_path / "m.db", ManualClock(SystemClock().now() - DAY)
    async with remanence.open(path, clock=clock) as memory:
        await _learned(memory, "memory_entry", 30)
    refused = await asyncio.to_thread(command_line.typed, "--db", str(path), "run", "--once")
    async with remanence.open(path, clock=clock) as memory:
        await memory.policy.use(RAPID)
    held = await asyncio.to_thread(command_line.typed, "--db", str(path), "--json", "run", "--once")
    status = await asyncio.to_thread(command_line.typed, "--db", str(path), "status")

    assert (1, True) == (refused.exit_code, "policy use" in refused.stderr)
    assert (1, "share") == (held.exit_code, json.loads(held.stdout)["ran"]["curate"]["held"])
    assert (1, True) == (status.exit_code, "held" in status.stdout)


async def test_due_jobs_run_by_the_policy_that_is_given(tmp_path: Path) -> None:
    """Where none is adopted; beside another one it is refused. What runs all scopes goes by theirs, and takes none."""
    path, clock = tmp_path / "m.db", ManualClock(SystemClock().now() - DAY)
    (tmp_path / "rapid.toml").write_text(RAPID)
    async with remanence.open(path, clock=clock) as memory:
        await _learned(memory, "memory_entry", 30)
    words = ("--db", str(path), "--policy", str(tmp_path / "rapid.toml"))
    held = await asyncio.to_thread(command_line.typed, "--json", "run", "--once", *words)
    everywhere = await asyncio.to_thread(command_line.typed, "run", *words)
    async with remanence.open(path, clock=clock) as memory:
        await memory.policy.use("janitor")
    beside = await asyncio.to_thread(command_line.typed, "run", "--once", *words)

    assert (1, "share") == (held.exit_code, json.loads(held.stdout)["ran"]["curate"]["held"])
    assert (1, True) == (everywhere.exit_code, "are for one scope" in everywhere.stderr)
    assert (1, True) == (beside.exit_code, "has adopted the policy 'janitor'" in beside.stderr)


class _Counted(SqliteStore):
    """A store that counts what is read and committed."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.calls: list[str] = []
        self.read: list[tuple[int, int]] = []  # how many memories of how many

    async def snapshot(self, scope: str, *more: Any, **named: Any) -> Any:
        """Count it."""
        self.calls.append(f"snapshot {scope}")
        found = await super().snapshot(scope, *more, **named)
        self.read.append((len(found), found.memories))
        return found

    async def commit(self, scope: str, changes: Any, cause: Cause) -> Any:
        """Count it."""
        self.calls.append(f"commit {scope}")
        return await super().commit(scope, changes, cause)


class _Writing(SqliteStore):
    """A store that notes what is written to it, one after the other."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.written: list[str] = []

    async def bookkeep(self, scope: str, asked: Bookkeeping) -> BookkeepResult:
        """Note it where it writes."""
        if writes(asked):
            self.written.append("lease" if asked.lease else "release" if asked.release else "values")
        return await super().bookkeep(scope, asked)

    async def commit(self, scope: str, changes: Any, cause: Cause) -> Any:
        """Note it."""
        self.written.append(cause.verb)
        return await super().commit(scope, changes, cause)


async def test_a_tick_writes_at_its_beginning_what_it_does_and_at_its_end(
    tmp_path: Path, clock: ManualClock
) -> None:
    """The lease comes with what begins it, and goes with what is kept of it: three transactions."""
    store = _Writing(str(tmp_path / "m.db"))
    async with remanence.open(clock=clock, embedder="none", store=store, policy=RAPID) as memory:
        await memory.run_jobs()
        await _learned(memory, "message", 3)
        clock.advance(minutes=5)
        store.written.clear()
        done = await memory.run_jobs()
        written = [*store.written]
        kept = (await memory.status()).automatic["curate"]

    assert {"archive": 3} == dict(done.ran["curate"].counts)
    assert ["lease", "curate", "release"] == written
    assert done.ran["curate"] == kept


async def test_what_work_came_to_is_kept_of_a_tick_that_is_cut_short(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where its end cannot be written."""

    async def lost(*_: object, fenced: bool = True) -> None:
        if fenced:
            raise LeaseLost("curate")

    async with opener(policy=RAPID) as memory:
        await memory.run_jobs()
        await _learned(memory, "message", 3)
        clock.advance(minutes=5)
        monkeypatch.setattr(Lease, "release_with", lost)
        busy = await memory.run_jobs()
        kept = (await memory.status()).automatic["curate"]

    assert busy.busy
    assert {"archive": 3} == dict(kept.counts)


async def test_what_another_process_wrote_since_is_in_the_plan_of_who_keeps_a_snapshot(
    opener: Opener, clock: ManualClock
) -> None:
    """It plans what one that has just been opened plans, and does it."""
    async with opener(policy="janitor") as one, opener(policy="janitor") as other:
        for number in range(4):
            await one.learn(f"notice {number}", key=f"notice {number}", category="notification")
            await one.run_jobs("deep")
        for number in range(3):
            await other.update(f"notice {number}", state="read")
        await other.forget("notice 2")
        await other.learn("and another", key="another", category="fact")
        await other.link("another", "notice 0", "refers")
        clock.advance(days=8)
        kept = await curating.plan_part(one._core, one._core.policy, "deep")
        async with opener(policy="janitor") as fresh:
            anew = await curating.plan_part(fresh._core, fresh._core.policy, "deep")
            done = await one.run_jobs("deep")

    assert len(one._core.snapshots.kept) > 0
    assert ("prune", "read-notices", 2) in kept.plan.by_rule
    assert anew.plan.digest == kept.plan.digest
    assert kept.plan.counts == dict(done.ran["curate"].counts)


async def test_a_quiet_scope_is_neither_read_nor_written(tmp_path: Path, clock: ManualClock) -> None:
    """Whatever its size: its position and one row of the bookkeeping say that nothing is due."""
    store = _Counted(str(tmp_path / "m.db"))
    async with remanence.open(clock=clock, embedder="none", store=store, policy=RAPID) as memory:
        await _learned(memory, "relationship", 3)
        await memory.consolidate()
        clock.advance(minutes=20)
        await memory.run_jobs()
        store.calls.clear()
        clock.advance(hours=1)

        assert (await memory.run_jobs()).quiet
        assert [] == store.calls


async def test_a_tick_reads_what_its_rules_can_concern(tmp_path: Path, clock: ManualClock) -> None:
    """And the tasks, which tell what goes on; a rule that names no label looks at all that it can see."""
    store = _Counted(str(tmp_path / "m.db"))
    async with remanence.open(clock=clock, embedder="none", store=store, policy=RAPID) as memory:
        for category, count in (("relationship", 9), ("message", 3), ("fact", 4), ("task", 1)):
            await _learned(memory, category, count)
        await memory.consolidate()
        clock.advance(minutes=20)
        store.read.clear()
        rapid = await memory.run_jobs("rapid")
        quick = store.read.copy()
        await memory.policy.use(RAPID.replace("category == 'message' and ", ""))
        store.read.clear()
        await memory.run_jobs("rapid")

        assert ({"archive": 3}, [(4, 17)]) == (rapid.ran["curate"].counts, quick)
        assert (14, 17) in store.read


CATEGORIES = ("message", "fact", "memory_entry", "relationship")


async def _lived(path: Path, seed: int, *, skips: bool) -> list[Mapping[str, Any]]:
    """Live through some days of random writes and ticks; return what is there in the end."""
    random, clock = Random(seed), ManualClock()
    policy = RAPID.replace("minutes(1)", f"hours({random.choice([1, 7, 30])})")
    async with remanence.open(path, clock=clock, embedder="none", policy=policy) as memory:
        quiet = 0
        for step in range(60):
            clock.advance(minutes=random.choice([3, 5, 20, 61, 400]))
            if random.random() < 0.3:
                await _learned(memory, random.choice(CATEGORIES), random.randrange(1, 4), str(step))
            elif random.random() < 0.1:
                await memory.hold(
                    random.randrange(1, 3), "some", clock.now() + random.randrange(1, 40) * HOUR
                )
            if not skips:
                gone = Bookkeeping(clock.now(), put={QUIET: None})
                await memory._core.store.bookkeep(memory.scope, gone)
            quiet += (await memory.run_jobs()).quiet
        assert (quiet > 0) == skips
        return [one.to_dict() for one in await memory.list(status=None, limit=1_000)]


@pytest.mark.parametrize("seed", range(3))
async def test_passing_by_comes_to_the_same_as_looking_each_time(tmp_path: Path, seed: int) -> None:
    """Every memory ends in the same state, at the same instant."""
    skipped, looked = [await _lived(tmp_path / f"{skips}.db", seed, skips=skips) for skips in (True, False)]
    untold = {"id", "hash", "revision", "touched"}

    assert [{k: v for k, v in one.items() if k not in untold} for one in looked] == [
        {k: v for k, v in one.items() if k not in untold} for one in skipped
    ]
