"""What a memory does of its own accord before a session, what comes of it, what time will bring, and its settings."""

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, HOUR, MINUTE, ManualClock, SystemClock, format_duration
from remanence.core.errors import InvalidInput, NameUnknown, PolicyMismatch
from remanence.core.model import Turn
from remanence.core.receipt import AutomaticRun
from remanence.flows.base import policy_reading
from remanence.flows.base import settings as declared
from remanence.flows.base.settings import Setting
from remanence.flows.consolidate import sessions
from remanence.flows.curate import curating, scheduling
from remanence.flows.curate.scheduling import LEASE
from remanence.store.base import Bookkeeping, setting_row
from remanence_store_kit.builders import expect_error
from tests import command_line
from tests.flows.conftest import Measured, Opener

ROOT = Path(__file__).parents[2]
# Archives what is a day old, by itself once in ten hours of the wall's clock.
DAILY = """
version = 1
name = "daily"
interval = "10 hours"

[[rule]]
name = "day-old"
every = "deep"
phase = "value"
where = "status == 'active' and age(learned_at) > days(1)"
do = "archive"
because = "test"
"""
MERGING = """
version = 1
name = "merging"
interval = "1 hours"

[[rule]]
name = "twins"
every = "deep"
phase = "deduplicate"
over = "pairs"
min = 0.98
do = "merge"
where = "both(status == 'active')"
"""
REINFORCING = """
version = 1
name = "reinforcing"
interval = "10 hours"

[[rule]]
name = "all"
every = "deep"
phase = "reinforce"
where = "status == 'active'"
do = "reinforce"
because = "test"
"""
PRUNING = DAILY.replace('do = "archive"', 'do = "prune"').replace("daily", "pruning")


async def _filled(memory: remanence.Engine, clock: ManualClock, n: int = 4) -> None:
    """Some active memories, two days old."""
    await memory.learn([Turn(f"note number {k}", category="knowledge") for k in range(n)])
    await memory.consolidate()
    clock.advance(days=2)


async def _statuses(memory: remanence.Engine) -> dict[str, int]:
    return dict((await memory.status()).statuses)


# When


async def test_it_runs_by_itself_when_the_interval_has_passed(opener: Opener, clock: ManualClock) -> None:
    """What never ran is due; from then on the interval counts, to the microsecond, from its last run, also by hand."""
    async with opener(policy=DAILY) as memory:
        never = (
            (await memory.status()).is_due,
            (await memory.status()).due_at,
            (await memory.status()).automatic.get("curate"),
        )
        await memory.curate()
        asked = clock.now()
        clock.advance(hours=9)
        foretold = ((await memory.status()).is_due, (await memory.status()).due_at)
        clock.set(asked + 10 * HOUR - 1)
        early = (await memory.status()).is_due
        clock.set(asked + 10 * HOUR)

        assert (True, asked, None) == never
        assert ((False, asked + 10 * HOUR), False) == (foretold, early)
        assert (await memory.status()).is_due


@pytest.mark.parametrize("policy", [None, "default"])
async def test_without_a_policy_or_an_interval_nothing_runs(
    opener: Opener, clock: ManualClock, policy: str | None
) -> None:
    """Curation is never a surprise."""
    async with opener(policy=policy) as memory:
        await _filled(memory, clock)
        clock.advance(days=400)
        async with memory.session():
            pass
        state = await memory.status()

        assert (False, None, None) == (state.is_due, state.due_at, state.automatic.get("curate"))
        assert None is state.last_curate_at


async def test_an_adopted_policy_runs_by_itself_in_every_process(opener: Opener, clock: ManualClock) -> None:
    """Whoever opens the scope without naming a policy has it."""
    async with opener() as memory:
        await _filled(memory, clock)
        await memory.policy.use(DAILY)
    async with opener() as memory, memory.session():
        assert {"archived": 4} == await _statuses(memory)


async def test_it_runs_before_the_session_is_there(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run sees the time of work before this session, and no open session; what it did is kept."""
    seen: list[int] = []
    plan = curating.plan_part

    async def watched(core: Any, *more: Any, **named: Any) -> Any:
        seen.append(len(await sessions.list_open_sessions(core)))
        return await plan(core, *more, **named)

    monkeypatch.setattr(curating, "plan_part", watched)
    async with opener(policy=DAILY) as memory:
        await _filled(memory, clock)
        before = clock.now()
        await memory.begin_session()
        last = (await memory.status()).automatic.get("curate")
        run = (await memory.history())[-1].run
        await memory.end_session()
        await memory.begin_session()

        assert last is not None
        assert (before, "done", run, {"archive": 4}, "") == (
            last.at,
            last.outcome,
            last.run,
            last.counts,
            last.reason,
        )
        assert [0] == seen
        assert 4 == (await memory.undo(run)).changes


async def test_another_policy_is_not_the_curation_that_is_due(opener: Opener) -> None:
    """A run of one that is not in force moves no interval."""
    async with opener(policy=DAILY) as memory:
        await memory.curate("episodic-cap")

        assert (await memory.status()).is_due


# What may come of it


async def test_what_the_brake_holds_is_skipped(opener: Opener, clock: ManualClock) -> None:
    """Nobody is there to say yes: nothing is destroyed, the reason is kept, and the next run looks again."""
    async with opener(policy=PRUNING) as memory:
        await _filled(memory, clock, n=40)
        await memory.begin_session()
        last = (await memory.status()).automatic.get("curate")

        assert last is not None
        assert ("skipped", None) == (last.outcome, last.run)
        assert last.reason.startswith("held: it would destroy 40 of 40 memories")
        assert {"active": 40} == await _statuses(memory)
        assert not (await memory.status()).is_due
        clock.advance(hours=10)
        assert (await memory.status()).is_due


async def test_a_day_has_its_bound(opener: Opener, clock: ManualClock) -> None:
    """Of what is not held, an automatic run destroys at most ten a day, or a twentieth."""
    async with opener(policy=PRUNING) as memory:
        await _filled(memory, clock, n=20)
        await memory.learn([f"fresh {k}" for k in range(60)])
        async with memory.session():
            pass

        assert {"pruned": 10, "active": 70} == await _statuses(memory)


ELSE = 'version = 1\nname = "else"\n'


async def test_a_failure_is_kept_and_the_session_begins(
    opener: Opener, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Another process adopted another policy: the run is refused, the session is not; the next one tries again."""
    async with opener(policy=DAILY) as memory:
        await _filled(memory, clock)
        await memory._core.store.bookkeep(
            memory.scope,
            Bookkeeping(
                clock.now(), put={policy_reading.POLICY: {"name": "else", "hash": "0", "source": ELSE}}
            ),
        )
        async with memory.session() as session:
            last = (await memory.status()).automatic.get("curate")
        with pytest.raises(PolicyMismatch) as refused:
            await memory.curate()
        due = (await memory.status()).is_due

    assert session
    assert last is not None
    assert ("failed", f"{refused.value} → {refused.value.recovery}") == (last.outcome, last.reason)
    assert due
    assert "the automatic curate failed" in caplog.text


async def test_a_bug_is_kept_too_and_logged_with_its_traceback(
    opener: Opener, clock: ManualClock, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not hidden, and not the session's either."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    async with opener(policy=DAILY) as memory:
        await _filled(memory, clock)
        monkeypatch.setattr(curating, "decide", broken)
        async with memory.session():
            last = (await memory.status()).automatic.get("curate")

    assert last is not None
    assert ("failed", "ZeroDivisionError: by nothing") == (last.outcome, last.reason)
    (record,) = [record for record in caplog.records if record.exc_info]
    assert ("remanence", "ERROR") == (record.name, record.levelname)


async def test_who_comes_second_skips(opener: Opener, clock: ManualClock) -> None:
    """While another process curates a session begins without; a lease that was never given back runs out."""
    async with opener(policy=DAILY) as memory:
        await _filled(memory, clock)
        taken = Bookkeeping(clock.now(), lease=("curate", "another", clock.now() + LEASE))
        await memory._core.store.bookkeep(memory.scope, taken)
        async with memory.session():
            skipped, statuses = (await memory.status()).automatic.get("curate"), await _statuses(memory)
        clock.advance(minutes=LEASE / MINUTE)
        async with memory.session():
            done = (await memory.status()).automatic.get("curate")

        assert skipped is not None and done is not None
        assert ("skipped", "another process is curating", {"active": 4}) == (
            skipped.outcome,
            skipped.reason,
            statuses,
        )
        assert ("done", {"archive": 4}) == (done.outcome, done.counts)


async def test_the_lease_is_given_back(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by a run that failed: the next one need not wait."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    async with opener(policy=DAILY) as memory:
        await _filled(memory, clock)
        with monkeypatch.context() as once:
            once.setattr(curating, "decide", broken)
            async with memory.session():
                pass
        async with memory.session():
            assert {"archived": 4} == await _statuses(memory)


async def test_giving_up_on_a_begin_gives_up_its_run(
    opener: Opener, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cancelled in the middle: no session, no run that goes on behind it, and the next begin does both."""
    plan = curating.plan_part
    waits = asyncio.Event()

    async def slow(*_: object, **__: object) -> None:
        waits.set()
        await asyncio.Event().wait()

    async with opener(policy=DAILY) as memory:
        await _filled(memory, clock)
        monkeypatch.setattr(curating, "plan_part", slow)
        begin = asyncio.create_task(memory.begin_session())
        await waits.wait()
        begin.cancel()
        await asyncio.wait({begin})
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        monkeypatch.setattr(curating, "plan_part", plan)

        assert begin.cancelled()
        assert () == (await memory.status()).sessions
        assert [] == [task for task in tasks if "scheduling" in repr(task)]
        await memory.begin_session()
        assert {"archived": 4} == await _statuses(memory)


async def test_what_another_has_just_done_is_not_done_again(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found due, but done by another process before the lease was free: nobody plans a second time."""
    path, more = tmp_path / "memory.db", {"clock": clock, "embedder": "none", "policy": DAILY}
    due, plan, plans = scheduling.should_curate, curating.plan_part, list[Any]()

    async def overtaken(core: Any) -> bool:
        is_due = await due(core)
        monkeypatch.setattr(scheduling, "should_curate", due)
        await other.begin_session()
        return is_due

    async def counted(*given: Any, **named: Any) -> Any:
        plans.append(await plan(*given, **named))
        return plans[-1]

    async with remanence.open(path, **more) as memory, remanence.open(path, **more) as other:  # type: ignore[arg-type]
        await _filled(memory, clock)
        monkeypatch.setattr(scheduling, "should_curate", overtaken)
        monkeypatch.setattr(curating, "plan_part", counted)
        await memory.begin_session()
        last = (await memory.status()).automatic.get("curate")

    assert last is not None
    assert (1, "done") == (len(plans), last.outcome)


async def test_what_was_done_is_not_covered_by_a_skip(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who skips because another process curates tells it late: by then the other has told what it did."""
    path, more = tmp_path / "memory.db", {"clock": clock, "embedder": "none", "policy": DAILY}
    curate = scheduling.curate

    async def overtaken(core: Any) -> AutomaticRun | None:
        monkeypatch.setattr(scheduling, "curate", curate)
        await other.begin_session()
        return AutomaticRun(core.clock.now(), "skipped", reason="another process is curating")

    async with remanence.open(path, **more) as memory, remanence.open(path, **more) as other:  # type: ignore[arg-type]
        await _filled(memory, clock)
        monkeypatch.setattr(scheduling, "curate", overtaken)
        await memory.begin_session()
        last = (await memory.status()).automatic.get("curate")

    assert last is not None
    assert ("done", {"archive": 4}) == (last.outcome, last.counts)


# Thinks for a second between plan and apply, so that the processes surely meet.
BEGINNING = """
import asyncio, sys, remanence
from remanence.flows.curate import curating
plan = curating.plan_part
async def slowly(*given, **more):
    made = await plan(*given, **more)
    await asyncio.sleep(1)
    print("planned")
    return made
curating.plan_part = slowly
async def main(path, policy):
    async with remanence.open(path, embedder="none", policy=policy) as memory:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        await memory.begin_session()
asyncio.run(main(*sys.argv[1:]))
"""


async def test_processes_that_begin_at_once_curate_once(tmp_path: Path) -> None:
    """Four sessions, one run; the others skip it, or find that it has been."""
    path, clock = tmp_path / "memory.db", ManualClock(SystemClock().now() - DAY)
    async with remanence.open(path, embedder="none", clock=clock) as memory:
        await memory.learn([f"note {k}" for k in range(20)])
        await memory.consolidate()
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", BEGINNING, str(path), REINFORCING],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(4)
        ]
        for process in processes:
            assert process.stdout is not None
            process.stdout.readline()
        said = await asyncio.gather(
            *(asyncio.to_thread(process.communicate, "go\n") for process in processes)
        )
        runs = [event for event in await memory.history() if event.verb == "curate"]

        assert [0] * 4 == [process.returncode for process in processes], said
        assert 1 == len(runs)
        assert {1} == {one.reinforced for one in await memory.list()}
        assert ["", "", "", "planned"] == sorted(out.strip() for out, _ in said)


# What time will bring


async def test_status_foretells_at_the_present_pace(opener: Opener, clock: ManualClock) -> None:
    """An hour of work a day: what fades below a twentieth in 299.6 hours of work goes in as many days."""
    async with opener(policy="elfmem") as memory:
        for _ in range(30):
            async with memory.session():
                clock.advance(hours=1)
            clock.advance(hours=23)
        await memory.learn("It is learned now.")
        await memory.learn("It is who I am.", tags=["self/constitutional"])
        await memory.consolidate()
        state = await memory.status()
        pace = state.clocks["active"]
        standard = state.first_archives["standard"]

        assert 30.0 == pace.reading
        assert pytest.approx(1.0) == pace.per_day
        assert standard is not None
        assert 299.573 == pytest.approx((standard - clock.now()) / DAY, abs=0.01)
        assert None is state.first_archives["permanent"]


async def test_without_work_nothing_is_foretold(opener: Opener, clock: ManualClock) -> None:
    """On the clock of work a scope that nobody works in loses nothing, however long."""
    async with opener(policy="elfmem") as memory:
        await memory.learn("It is learned now.")
        await memory.consolidate()
        clock.advance(days=4_000)

        assert {"standard": None} == (await memory.status()).first_archives
    async with opener() as memory:
        assert {} == (await memory.status()).first_archives


async def test_status_says_when_the_policy_runs_again(tmp_path: Path) -> None:
    """At the present pace; what has faded waits for that run, and a policy without an interval never runs."""
    path, daily, never = tmp_path / "m.db", tmp_path / "daily.toml", tmp_path / "never.toml"
    daily.write_text(DAILY.replace("days(1)", "days(0)"), encoding="utf-8")
    never.write_text(DAILY.replace('interval = "10 hours"', ""), encoding="utf-8")
    async with remanence.open(path, policy=str(daily)) as memory:
        await memory.learn("The mast is stepped.", kind="episodic")
        await memory.learn("The keel is painted.")
        new = await memory.status()
        before = await _shown(path, daily)
        await memory.curate()
        await memory.consolidate()
        state, due = await memory.status(), (await memory.status()).due_at

    assert (new.at, due) == (new.due_at, state.due_at)
    assert {"(none)": 1, "episodic": 1} == state.kinds
    assert "due when the next session begins" in before
    shown = await _shown(path, daily)
    assert "due in 10 hours" in shown
    assert "first archived with the next run" in shown
    assert "due" not in await _shown(path, never)


async def _shown(path: Path, policy: Path) -> str:
    """What `remanence status` prints under a policy."""
    await asyncio.to_thread(command_line.typed, "policy", "use", str(policy), "--db", str(path))
    words = ["status", "--db", str(path)]
    done = await asyncio.to_thread(command_line.typed, *words)
    assert 0 == done.exit_code, done.output
    return str(done.stdout)


async def test_status_counts_turns(memory: remanence.Engine, clock: ManualClock) -> None:
    """Each text heard is one, also a repeat."""
    await memory.learn(["one boat", "two buoys", "one boat"])
    clock.advance(days=30)
    pace = (await memory.status()).clocks["turns"]

    assert 3.0 == pace.reading
    assert pytest.approx(0.1) == pace.per_day


# Settings


async def test_settings_are_listed_read_and_set(opener: Opener) -> None:
    """Each has bounds and a meaning; what a user sets stays through reopening, what nobody set is built in."""
    async with opener() as memory:
        names = [one.name for one in await memory.settings.get()]
        given = await memory.settings.get("frame_limit")
        edited = await memory.settings.set("frame_limit", 7)
    async with opener() as again:
        kept, other = await again.settings.get("frame_limit"), await again.settings.get("boot_tokens")
    async with opener(scope="another") as elsewhere:
        untouched = await elsewhere.settings.get("frame_limit")

    assert sorted(declared.SETTINGS) == names
    assert [(5, "builtin"), (7, "user"), (7, "user"), (1_600, "builtin"), (5, "builtin")] == [
        (one.value, one.source) for one in (given, edited, kept, other, untouched)
    ]


async def test_none_sets_a_setting_to_its_default(memory: remanence.Engine) -> None:
    """It then follows the version that opens the file, as before it was set."""
    before = await memory.settings.get("note_turns")
    await memory.settings.set("note_turns", 9)
    after = await memory.settings.set("note_turns", None)

    assert before == after
    assert "builtin" == after.source


async def test_a_stored_setting_that_is_gone_changes_nothing(opener: Opener) -> None:
    """A file that holds its row is opened and answers; to set it is refused as any unknown name is."""
    async with opener() as memory:
        await memory.learn("The key hangs behind the oar.")
        rows = {setting_row(name): {"source": "user", "value": 0} for name in ("recall_stale", "box_turns")}
        await memory._core.store.bookkeep(memory.scope, Bookkeeping(memory._core.clock.now(), put=rows))
    async with opener() as memory:
        found = await memory.recall("Where is the key?")
        listed = [one.name for one in await memory.settings.get()]
        for name in ("recall_stale", "box_turns"):
            await expect_error(NameUnknown, memory.settings.set(name, 1))

    assert 1 == len(found.memories)
    assert [*declared.SETTINGS] == listed


@pytest.mark.parametrize("words", ["archive", "archived stale", "archived, Stale"])
async def test_recall_leaves_out_what_it_knows_alone(memory: remanence.Engine, words: str) -> None:
    """Another word is refused with those that there are."""
    with pytest.raises(InvalidInput, match="recall_leaves_out is") as refused:
        await memory.settings.set("recall_leaves_out", words)

    assert "use archived, stale, or both with a comma between" == refused.value.recovery


def test_there_are_few_settings_each_with_a_plain_meaning() -> None:
    """One sentence with a capital letter and a full stop."""
    meanings = [one.meaning for one in declared.SETTINGS.values()]

    assert len(meanings) <= 19
    assert [] == [one for one in meanings if not re.fullmatch(r"[A-Z][^.]+\.", one)]


@pytest.mark.parametrize("wrong", [0, 1_001, -1, True, 5.0, "5"])
async def test_a_value_out_of_bounds_is_refused(memory: remanence.Engine, wrong: Any) -> None:
    """As an argument error that says the bounds, or that it must be a whole number; nothing is set."""
    with pytest.raises(InvalidInput) as refused:
        await memory.settings.set("frame_limit", wrong)
    way_out = "from 1 to 1,000" if type(wrong) is int else "or a text or None as value"
    if isinstance(wrong, str):
        way_out = "from 1 to 1,000"

    assert f"pass a whole number {way_out}" == refused.value.recovery
    assert "builtin" == (await memory.settings.get("frame_limit")).source


async def test_an_unknown_setting_is_named_with_the_nearest(memory: remanence.Engine) -> None:
    """Neither read nor set."""
    for verb in (memory.settings.get("frame_limits"), memory.settings.set("frame_limits", 3)):
        with pytest.raises(NameUnknown) as refused:
            await verb
        assert "did you mean 'frame_limit'?" == refused.value.recovery


async def test_a_newer_version_brings_its_numbers_but_for_those_set(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a user set stays, also where it is what was built in; the rest follows the version that opens."""
    async with opener() as memory:
        await memory.settings.set("boot_tokens", 1_600)
    newer = {
        name: Setting(name, one.value + 1, one.least, one.most, "")
        for name, one in declared.SETTINGS.items()
        if isinstance(one.value, int)
    }
    monkeypatch.setattr(declared, "SETTINGS", newer)
    async with opener() as memory:
        found = {one.name: (one.value, one.source) for one in await memory.settings.get()}
        rows = tuple(f"setting/{name}" for name in newer)
        booked = await memory._core.store.bookkeep(memory.scope, Bookkeeping(0, get=rows))

    assert (1_600, "user") == found.pop("boot_tokens")
    assert {name: (one.value, "builtin") for name, one in newer.items() if name != "boot_tokens"} == found
    assert {f"setting/{name}": value for name, (value, _) in found.items()} == {
        name: row["value"] for name, row in booked.values.items() if row["source"] == "builtin"
    }


async def test_opening_again_and_at_once_writes_the_settings_once(tmp_path: Path) -> None:
    """Two that open a new file together agree, and an edit between two openings stays."""
    path = tmp_path / "memory.db"
    first, second = (remanence.open(path, embedder="none") for _ in range(2))
    await asyncio.gather(first.__aenter__(), second.__aenter__())
    await first.settings.set("note_turns", 7)
    async with remanence.open(path, embedder="none") as third:
        values = [(await memory.settings.get("note_turns")).value for memory in (first, second, third)]
    await asyncio.gather(first.close(), second.close())

    assert [7, 7, 7] == values


def test_every_setting_is_read_by_somebody() -> None:
    """A number that nothing reads would be a promise."""
    source = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    unread = [
        name
        for name in declared.SETTINGS
        if not any(f'"{name}"' in text for path, text in source.items() if path.name != "settings.py")
    ]

    assert [] == unread


@pytest.mark.parametrize(
    ("micros", "said"),
    [
        (DAY - 1, "24 hours"),
        (DAY + 1, "24 hours"),
        (60 * DAY, "60 days"),
        (90 * MINUTE, "90 minutes"),
        (8_280_000, "8 seconds"),
        (1, "moments"),
    ],
)
def test_a_duration_is_said_in_a_unit_of_which_there_are_several(micros: int, said: str) -> None:
    """Nobody says "1 days", and a moment more or less changes nothing."""
    assert said == format_duration(micros)


def test_the_command_line_shows_it_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`settings` lists, shows and sets; `status` tells clocks, forecasts and what was done in words people use."""
    monkeypatch.chdir(tmp_path)

    def typed(*words: str) -> str:
        done = command_line.typed(*words)
        return str(done.stdout if done.exit_code == 0 else done.stderr)

    typed("learn", "It is learned now.")
    typed("policy", "use", DAILY)
    typed("session")
    listed = typed("settings")
    changed = json.loads(typed("settings", "note_turns", "200", "--json"))
    state = typed("status")

    assert len(declared.SETTINGS) == len(listed.splitlines())
    assert (200, "user") == (changed["value"], changed["source"])
    assert "user" in typed("settings", "note_turns")
    assert "is not a whole number" in typed("settings", "note_turns", "many")
    assert "did you mean" in typed("settings", "note_turn")
    assert "  clocks     0.0 active hours (0.0 a day), 1 turn (" in state
    assert "  curate     by itself" in state and "done: nothing" in state
    assert "  standard   first archived in 24 hours" in state


async def test_merges_count_in_the_day_of_the_brake(opener: Opener, clock: ManualClock) -> None:
    """Of twelve pairs ten are merged on the first day, none in the hours after, and the last two a day later."""
    merged = []
    async with opener(policy=MERGING, embedder=Measured()) as memory:
        texts = [f"In crate {k // 2}{', ' if k % 2 else ' '}ropes lie" for k in range(24)]
        texts += [f"In crate {k} oars lie" for k in range(24, 60)]
        await memory.learn([Turn(text, category="knowledge") for text in texts])
        for k in range(12):
            await memory.link(2 * k + 1, 2 * k + 2, "near_duplicate", weight=0.99, confidence=0.99)
        await memory.consolidate()
        for hours in (2, 2, 2, 24):
            clock.advance(hours=hours)
            async with memory.session():
                ran = (await memory.status()).automatic.get("curate")
            assert ran is not None
            merged.append(ran.counts.get("merge", 0))
        superseded = (await memory.status()).statuses["superseded"]

    assert ([10, 0, 0, 2], 12) == (merged, superseded)
