"""Stories of many verbs in any order, told to two engines: one on the memory store, one on a file of SQLite.

Each rule says one verb to both and asserts what it owes; the invariants of `invariants.py` are looked through after
each. Only public verbs are said, but for what no verb does: a lease that is lost, and boxes.
"""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from hypothesis import Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from remanence.core.box import FindBoxes
from remanence.core.change import ROWLESS, AuditPart, Change, Increment
from remanence.core.clock import DAY, MINUTE, ManualClock
from remanence.core.errors import (
    Conflict,
    InvalidInput,
    LeaseLost,
    NotFound,
    PlanHeld,
    Protected,
    RemanenceError,
)
from remanence.core.model import STANDING, Form, Lifecycle, RecallResult, Relation, Status, Tier
from remanence.core.receipt import Receipt
from remanence.core.score import decay
from remanence.curate.planner.plan import Plan
from remanence.curate.policy.document import PRESETS
from remanence.engine import Engine
from remanence.flows.base.context import Core
from remanence.flows.base.policy_reading import NO_RULES
from remanence.flows.curate import applying, curating
from remanence.store.base import Bookkeeping
from remanence.store.capabilities import FullStore
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import NOW, box_change, make_cause
from remanence_store_kit.dump import HAPPENED, Dump, dump
from remanence_store_kit.memory.memory_store import MemoryStore
from remanence_store_kit.policies import PolicyTables, policies
from remanence_store_kit.worlds import TAGS, WORDS, World, fill, worlds
from tests.laws.invariants import Step, broken, destroyed
from tests.laws.lab import ANY_NUMBER, SCOPE, Trusting, live, loaded
from tests.laws.laws import HARSH, steady
from tests.laws.recast import recast

OTHER = "other"  # a scope beside, which nothing is said to
PICKS = st.integers(0, 1_000)
PART_SMALL = 4  # changes in a part of a run, in every third story
RULED = policies(rules_max=4) | st.sampled_from(PRESETS)
Outcome = tuple[Any, RemanenceError | None]
# What a verb may refuse; anything else that is raised ends the story.
REFUSALS = (Conflict, InvalidInput, LeaseLost, NotFound, PlanHeld, Protected)
BESIDE = World(
    tuple({"status": Status.ACTIVE, "learned_at": NOW - k * 100 * DAY} for k in (1, 2)),
    links=((1, 2, Relation.NEAR_DUPLICATE, {"weight": 1.0, "confidence": 1.0}),),
)
SAYINGS: dict[str, Callable[[Engine, int, int, int], Awaitable[object]]] = {
    "forget": lambda it, one, two, n: it.forget(one),
    "confirm": lambda it, one, two, n: it.rate(one, "right"),
    "dispute": lambda it, one, two, n: it.rate(one, "wrong"),
    "validate": lambda it, one, two, n: it.update(one, lifecycle="validated"),
    "state": lambda it, one, two, n: it.update(one, state=("pending", "completed", "read")[n % 3]),
    "supersede": lambda it, one, two, n: it.correct(one, by=two),
    "correct": lambda it, one, two, n: it.correct(one, f"corrected {WORDS[n % len(WORDS)]} {n}"),
    "pin": lambda it, one, two, n: it.pin(one),
    "unpin": lambda it, one, two, n: it.pin(one, off=True),
    "hold": lambda it, one, two, n: it.hold(one, "story", until=it._core.clock.now() + n * DAY),
    "release": lambda it, one, two, n: it.hold(one, "story", off=True),
    "tag": lambda it, one, two, n: it.tag(one, TAGS[n % len(TAGS)]),
    "untag": lambda it, one, two, n: it.tag(one, TAGS[n % len(TAGS)], off=True),
    "rate": lambda it, one, two, n: it.rate([one], (0.9, -0.5, 0.2)[n % 3]),
    "unlink": lambda it, one, two, n: it.link(
        one, two, ("supports", "similar", "near_duplicate")[n % 3], off=True
    ),
    "merge": lambda it, one, two, n: it.merge(one, two),
}


class Machine(RuleBasedStateMachine):
    """A scope in two stores, its engines, one clock, and all that their audit has said.

    All is planned `under` one policy where one is given, else under any.
    """

    under: PolicyTables | None = None

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = ManualClock(NOW, boot="one")
        self.folder = TemporaryDirectory(dir=_fast())
        path = Path(self.folder.name) / "memory.db"
        shutil.copyfile(_empty(), path)
        self.stores = (MemoryStore(), SqliteStore(str(path)))
        self.engines = tuple(self._engine(store) for store in self.stores)
        for engine in self.engines:
            self.run(engine.__aenter__())
        self.log: list[AuditPart] = []
        self.runs: dict[str, tuple[Dump, int]] = {}  # what was there before, where the audit stood after
        self.spent: list[tuple[int, int]] = []  # when ticks deleted how many
        self.leases = 0
        self.patch = pytest.MonkeyPatch()
        self.sound = True
        self.quarantined: set[int] = set()  # what is, or once was
        self.ids: dict[int, str] = {}  # of every memory that was ever seen
        self.last = self.dump(0)
        self.beside = self.last

    def _engine(self, store: FullStore) -> Engine:
        core = Core(store, SCOPE, self.clock, Trusting(), loaded(NO_RULES))
        core.random = Random(1).randbytes
        return Engine(core)

    def run(self, doing: Any) -> Any:
        """Wait for something.

        Its loop is asked, as the runner would write down the task with all that it returned, three times, while it
        puts back who answers to Ctrl-C: a snapshot takes longer to write down than to read.
        """
        return self.runner.get_loop().run_until_complete(doing)

    def dump(self, which: int, scope: str = SCOPE) -> Dump:
        """Read everything."""
        return self.run(dump(self.stores[which], scope))  # type: ignore[no-any-return]

    def teardown(self) -> None:
        """Look once more at what costs most to look at, and let everything go."""
        self.patch.undo()
        try:
            if self.sound:
                self.look("end", whole=True)
        finally:
            for engine in self.engines:
                self.run(engine.close())
            self.runner.close()
            self.folder.cleanup()

    def both(self, doing: Callable[[Engine], Awaitable[Any]]) -> Outcome:
        """Do the same with both engines, which both do it or both refuse it; return what the first said."""
        one, other = (self.run(_outcome(doing(engine))) for engine in self.engines)
        assert _why(one[1]) == _why(other[1]), (one, other)
        return one  # type: ignore[no-any-return]

    def step(self, verb: str, doing: Callable[[Engine], Awaitable[Any]], **more: Any) -> Any:
        """Say a verb to both engines, and look whether all holds; return what was said to it, None if refused."""
        said, error = self.both(doing)
        self.look(verb, error=error, said=said, **more)
        return said

    def look(self, verb: str, *, whole: bool = False, said: Any = None, **more: Any) -> None:
        """Look through all invariants, `whole` with those that cost most."""
        before, after = self.last, self.dump(0)
        fresh = self.run(self.stores[0].history(SCOPE, after=self.log[-1].position if self.log else 0))
        if whole:
            more["elsewhere"] = (self.beside, self.dump(1, OTHER))
            more["checks"] = [check for store in self.stores for check in self.run(store.check())]
            more["logs"] = tuple([_said(self.run(store.history(SCOPE))) for store in self.stores])
            more["kept_logs"] = [*self.log, *fresh] == self.run(self.stores[0].history(SCOPE))
        # A merge by hand of two that nothing links links them first, in a run of its own, which its undoing leaves.
        alone = {part.cause.run for part in fresh if part.cause.verb not in ROWLESS}
        if isinstance(said, Receipt) and said.changes and verb != "undo" and alone <= {said.run}:
            self.runs[said.run] = (before, fresh[-1].position)
        if isinstance(said, RecallResult):
            more["tokens"] = said.tokens
        step = Step(
            verb,
            self.clock.now(),
            before,
            after,
            self.dump(1),
            fresh,
            self.log,
            spent=sum(count for at, count in self.spent if at > self.clock.now() - DAY),
            ever=frozenset(self.ids),
            merges=_merges(fresh),
            **more,
        )
        self.last, self.log = after, [*self.log, *fresh]
        self.ids |= {seq: row["id"] for seq, row in after.memories.items()}
        self.quarantined |= {
            seq for seq, row in after.memories.items() if row["status"] == Status.QUARANTINED
        }

        found = broken(step)
        self.sound = not found
        assert not found, found
        if verb == "tick":
            self.spent.append((self.clock.now(), destroyed(step)))

    def any_memory(self, pick: int, *, standing: bool = False) -> int | None:
        """Choose a memory, one in sight if asked."""
        rows = self.last.memories
        seqs = [seq for seq, row in rows.items() if not standing or row["status"] in STANDING]
        return seqs[pick % len(seqs)] if seqs else None

    @initialize(world=worlds(memories_max=18), pick=PICKS)
    def begin(self, world: World, pick: int) -> None:
        """Fill the scope, of each other story with what presets know, and a scope beside it."""
        if pick % 3 == 0:
            self.patch.setattr(applying, "PART_CHANGES_MAX", PART_SMALL)
        for store in self.stores:
            self.run(fill(store, OTHER, BESIDE))
            self.run(store.commit(SCOPE, [], make_cause("learn", NOW - 500 * DAY, turns=1)))
        filled = _crowded(world) if pick % 5 == 0 else recast(world, pick) if pick % 2 else world
        for store in self.stores:
            self.run(fill(store, SCOPE, filled))
            self.run(live(store))
        for engine in self.engines:  # the fill was long ago: that nothing was written since is believed
            self.run(engine.review.settle("clock", "accept"))
            # What stands is accounted for by the whole log; how images end has tests of its own.
            self.run(engine.settings.set("audit_days", 36_500))
        self.beside = self.dump(1, OTHER)
        self.log = self.run(self.stores[0].history(SCOPE))
        self.last = self.dump(0)
        self.ids = {seq: row["id"] for seq, row in self.last.memories.items()}
        self.learn(0, 0)

    @rule(pick=PICKS, more=PICKS)
    def learn(self, pick: int, more: int) -> None:
        """What is learned is there; only what has the same words is taken for a repeat."""
        text = f"{WORDS[pick % len(WORDS)]} and {WORDS[more % len(WORDS)]} said {pick % 4}"
        tags = (TAGS[more % len(TAGS)],) if more % 3 == 0 else ()
        told = self.step("learn", lambda it: it.learn(text, category="fact", tags=tags))
        if told is not None:
            row = self.last.memories[told.seq]
            assert row["text"] == text
            if told.status == "stored" and pick % 2:
                self.step("consolidate", lambda it: it.consolidate())

    @rule(pick=PICKS, budget=st.sampled_from([None, 5, 40]))
    def recall(self, pick: int, budget: int | None) -> None:
        """It keeps within its budget, and counts uses alone."""

        async def recalled(it: Engine) -> Any:
            found = await it.recall(f"{WORDS[pick % len(WORDS)]} number{pick % 5}", budget=budget)
            await it._core.uses.settle()
            return found

        self.step("recall", recalled, budget=budget)

    @rule(pick=PICKS, other=PICKS, relation=st.sampled_from(list(Relation)))
    def link(self, pick: int, other: int, relation: Relation) -> None:
        """A link is drawn, or seen again."""
        one, two = self.any_memory(pick), self.any_memory(other)
        if one is not None and two is not None:
            self.step("link", lambda it: it.link(one, two, relation, weight=0.9, confidence=0.9))

    @rule(some=st.lists(st.tuples(st.sampled_from(sorted(SAYINGS)), PICKS, PICKS), min_size=1, max_size=4))
    def say_several(self, some: list[tuple[str, int, int]]) -> None:
        """A person says several things."""
        for verb, pick, other in some:
            self.say(verb, pick, other)

    @rule(verb=st.sampled_from(sorted(SAYINGS)), pick=PICKS, other=PICKS)
    def say(self, verb: str, pick: int, other: int) -> None:
        """A person's verb changes a memory, or is refused."""
        one, two = self.any_memory(pick), self.any_memory(other)
        if one is not None and two is not None:
            self.step(verb, lambda it: SAYINGS[verb](it, one, two, pick))

    @rule(pick=PICKS)
    def drop(self, pick: int) -> None:
        """The scope is dropped or refused; most are taken back at once, so that the story goes on."""

        async def drop(it: Engine) -> object:
            return await it.scopes.drop(await it.scopes.drop())

        if pick % 4 == 0:
            self.step("drop", drop)
            if pick % 16:
                self.undo(1)

    @rule(what=st.sampled_from(["box", "jump", "wait", "wait", "wake"]), pick=PICKS, policy=RULED)
    def happen(self, what: str, pick: int, policy: PolicyTables | str) -> None:
        """What is not said by anybody: time, clocks that jump, a process that wakes up, turns in boxes."""
        match what:
            case "box":
                self.box(pick)
            case "jump":
                self.jump(-1 if pick % 2 else 5 * 365, accepts=pick % 4 < 2)
            case "wait":
                self.clock.advance(hours=(1, 25, 24 * 8, 24 * 40)[pick % 4])
            case _:
                self.wake(policy)

    def box(self, pick: int) -> None:
        """A box of turns is made once, grows, and is taken away; a turn is in one at most, and knows nothing of it."""
        seq = self.any_memory(pick)
        if seq is None:
            return
        boxes = self.run(self.stores[0].boxes(SCOPE, FindBoxes()))
        held = next((one for one in boxes if one.box == seq), None)
        taken = {turn for one in boxes if one is not held for turn in one.members}
        if seq in taken or (held is not None and len(held.members) == 1 and seq + 1 in taken):
            return
        change = box_change(seq, [seq])
        if held is not None and len(held.members) > 1:
            change = Change("boxes", seq, {}, None)
        elif held is not None:
            change = Change("boxes", seq, {"members": [seq]}, {"members": [seq, seq + 1]})
        cause, before = make_cause("extract", self.clock.now()), self.last.memories
        self.step("box", lambda it: it._core.store.commit(SCOPE, [change], cause))

        assert before == self.last.memories

    @rule(policy=RULED, order=PICKS, undoes=st.booleans())
    def clean(self, policy: PolicyTables | str, order: int, undoes: bool) -> None:
        """Curate, and half of the time take it back at once."""
        self.curate(policy, order)
        if undoes:
            self.undo(1)

    @rule(policy=RULED, order=PICKS)
    def curate(self, policy: PolicyTables | str, order: int) -> None:
        """Held by the brake, or done; the plan is the same in any order of rules and in both stores."""
        policy = self.under or policy
        plans = [self._planned(policy, engine) for engine in self.engines]
        told = [_content(plan) for plan in plans]
        if isinstance(policy, PolicyTables):
            told.append(_content(self._planned(policy.shuffle_rules(order), self.engines[0])))
        self.look("plan", plans=told)
        if plans[0].held is not None:
            self.step("curate", self._applied(plans, None))
        self.step("curate", self._applied(plans, ANY_NUMBER), allowed=plans[0].held is not None)
        again = self._planned(steady(policy) if isinstance(policy, PolicyTables) else policy, self.engines[0])
        if not isinstance(policy, PolicyTables) or steady(policy) == policy:
            self.look("plan", again=_changed(again))

    def _planned(self, policy: PolicyTables | str, engine: Engine) -> Plan:
        text = policy if isinstance(policy, str) else policy.toml()
        return self.run(curating.plan(engine._core, loaded(text)))  # type: ignore[no-any-return]

    def _applied(
        self, plans: Sequence[Plan], allowed: int | None, fence: tuple[str, int] | None = None
    ) -> Callable[[Engine], Awaitable[Receipt]]:
        """Apply to each engine the plan that it made."""

        def applied(it: Engine) -> Awaitable[Receipt]:
            plan = plans[self.engines.index(it)]
            return curating.apply(it._core, plan, allowed, fence=fence)

        return applied

    @rule(policy=RULED)
    def tick(self, policy: PolicyTables | str) -> None:
        """By itself, under a policy that was adopted, no more is deleted a day than a few."""
        policy = self.under or policy
        text = policy if isinstance(policy, str) else policy.toml()
        for engine in self.engines:
            self.run(engine.policy.use(text))
        self.look("adopt")
        self.step("tick", lambda it: it.run_jobs("deep"))
        for engine in self.engines:
            self.run(engine.policy.use(None))

    @rule(pick=PICKS)
    def undo(self, pick: int) -> None:
        """A run is taken back whole, or refused whole because something changed since; never twice."""
        own = (part.cause for part in self.log if part.cause.verb not in {*ROWLESS, "import"})
        runs = list(dict.fromkeys(cause.run for cause in own))
        if not runs:
            return
        run = runs[-1] if pick % 2 else runs[pick % len(runs)]
        before, position = self.runs.get(run, (None, -1))
        at_once = position == self.log[-1].position
        done = self.step("undo", lambda it: it.undo(run), undone=before if at_once else None)
        assert not at_once or done is not None
        if done is None:
            return
        self._as_before(run)
        twice, error = self.both(lambda it: it.undo(run))
        self.look("undo", error=error, undone_twice=twice)

    def _as_before(self, run: str) -> None:
        """Look whether the rows that a run changed are as before it; what was used since stays used."""
        now = self.last
        for change in (change for part in self.log if part.cause.run == run for change in part.changes):
            stood = change.before is not None
            if change.table == "memories" and change.before and change.after:
                self._columns_as_before(change)
            elif change.table == "memories":
                assert stood is (change.key in now.memories), change
            elif change.table == "links":
                assert stood is (change.key in now.links), change
            elif change.table in {"tags", "sources"}:
                seq, name = cast("tuple[int, str]", change.key)
                assert stood is (seq in now.memories and name in now.memories[seq][change.table]), change

    def _columns_as_before(self, change: Change) -> None:
        row = self.last.memories[change.key]  # type: ignore[index]
        for name, value in (change.before or {}).items():
            if name == "decay":  # it follows from the tags that the memory has by now
                assert decay(row["tags"], row["category"]) == row["decay"]
            elif name not in {*HAPPENED, "vector"} and not isinstance(value, Increment):
                assert value == row[name], name

    @rule(pick=PICKS)
    def restore(self, pick: int) -> None:
        """What fell stands again, whole, or is in quarantine where it was before; what stands whole is refused."""
        gone = sorted(self.ids.keys() - self.last.memories.keys())
        seq = gone[pick % len(gone)] if gone and pick % 3 == 0 else self.any_memory(pick)
        if seq is None:
            return
        name, was = self.ids[seq], self.last.memories.get(seq)
        done = self.step("restore", lambda it: it.restore(name))
        row = self.last.memories.get(seq)
        if was is not None and was["status"] in STANDING:
            assert (done is None) is (was["form"] == Form.FULL)
        elif was is not None and was["status"] == Status.QUARANTINED:
            assert done is None
        elif done is not None:
            assert row is not None
            back = Status.QUARANTINED if seq in self.quarantined else Status.ACTIVE
            assert was is None or back == row["status"]
            assert Tier.ARCHIVE != row["tier"]
        if done is not None:
            assert row is not None
            assert row["form"] == Form.FULL
        if done is not None and was is None:
            self._whole_again(seq)

    def _whole_again(self, seq: int) -> None:
        """Look whether a memory that was purged has its tags, its sources and its links to what is there."""
        here = self.last
        purges = [
            part
            for part in self.log
            if any(
                (change.table, change.key, change.after) == ("memories", seq, None) for change in part.changes
            )
        ]
        gone = [change for change in purges[-1].changes if change.after is None]
        for change in gone:
            if change.table in {"tags", "sources"} and change.key[0] == seq:  # type: ignore[index]
                assert change.key[1] in here.memories[seq][change.table]  # type: ignore[index]
            elif change.table == "links" and seq in change.key[:2]:  # type: ignore[index]
                ends = {*change.key[:2]}  # type: ignore[index]
                assert change.key in here.links or ends - here.memories.keys()

    def jump(self, days: int, *, accepts: bool) -> None:
        """Under a clock that jumped nothing is carried out; set right or accepted, things go on."""
        for engine in self.engines:
            self.run(engine._core.watch.look())
        self.clock.jump(days=days)
        rules = PolicyTables((), HARSH)
        plans = [self._planned(rules, engine) for engine in self.engines]
        self.step("curate", self._applied(plans, ANY_NUMBER), doubted=True)
        for engine in self.engines:
            self.run(engine.policy.use(rules.toml()))
        self.step("tick", lambda it: it.run_jobs("deep"), doubted=True)
        for engine in self.engines:
            self.run(engine.policy.use(None))
        if accepts:
            for engine in self.engines:
                assert self.run(engine.review.settle("clock", "accept")) is not None
        else:
            self.clock.jump(days=-days)

    def wake(self, policy: PolicyTables | str) -> None:
        """Whose lease another took meanwhile writes nothing of its plan, nor that it ran."""
        policy = self.under or policy
        self.leases += 1
        name = f"story {self.leases}"
        plans = [self._planned(policy, engine) for engine in self.engines]
        fence = (name, self._leased(name, "one"))
        self.clock.advance(minutes=2)
        self._leased(name, "two")
        self.step("curate", self._applied(plans, ANY_NUMBER, fence), fenced=True, allowed=True)

    def _leased(self, name: str, holder: str) -> int:
        now = self.clock.now()
        asked = Bookkeeping(now, lease=(name, holder, now + MINUTE))
        one, other = (self.run(store.bookkeep(SCOPE, asked)).fence for store in self.stores)
        assert one is not None
        assert one == other
        return int(one)


def _crowded(world: World) -> World:
    """Return a world with three of each memory, all of which stand and none of which is protected: for the brake."""
    stand = {"status": Status.ACTIVE, "tier": Tier.HOT, "lifecycle": Lifecycle.VALIDATED, "category": "fact"}
    others = {"reason", "holds", "hold_until", "pinned", "state"}
    rows = [{name: value for name, value in row.items() if name not in others} for row in world.memories]
    return replace(world, memories=tuple({**row, **stand} for row in rows * 3))


async def _outcome(doing: Awaitable[Any]) -> Outcome:
    """Wait for something; return what it says, or why it was refused."""
    try:
        return await doing, None
    except REFUSALS as error:
        return None, error


def _content(plan: Plan) -> object:
    """Return what a plan changes, in a comparable order."""
    return _changed(plan), plan.policy_hash, plan.counts, plan.held


def _why(error: RemanenceError | None) -> object:
    """Return what an error says, of a conflict the rows: which of them comes first is a store's own affair."""
    return (type(error), set(error.keys) if isinstance(error, Conflict) else str(error))


def _changed(plan: Plan) -> list[str]:
    return sorted(repr(change) for group in plan.changes() for change in group)


def _said(log: Sequence[AuditPart]) -> list[object]:
    """Return what an audit says, whatever the numbers of its positions and the order within a part."""
    return [
        (
            part.cause.verb,
            part.cause.at,
            part.cause.part,
            part.used,
            sorted(part.changes, key=lambda change: (change.table, str(change.key))),
        )
        for part in log
        if part.cause.verb != "import"
    ]


def _merges(parts: Sequence[AuditPart]) -> list[tuple[int, int]]:
    """Return who was merged into whom, as the new links of lineage in the runs of rules tell."""
    drawn = [
        cast("tuple[int, int, int]", change.key)
        for part in parts
        if part.cause.verb == "curate"
        for change in part.changes
        if change.table == "links" and change.before is None
    ]
    return [(gone, survivor) for survivor, gone, relation in drawn if relation == Relation.MERGED_FROM]


def _fast() -> str | None:
    """Return a folder in memory where there is one: what waits for a disk here tells nothing."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


@cache
def _empty() -> Path:
    """Make an empty file once, since most of opening one is making its tables."""
    folder = TemporaryDirectory(dir=_fast())
    _FOLDERS.append(folder)
    path = Path(folder.name) / "empty.db"
    asyncio.run(_made(SqliteStore(str(path))))
    return path


async def _made(store: FullStore) -> None:
    await store.open()
    await store.close()


_FOLDERS: list[TemporaryDirectory[str]] = []  # kept as long as the process lives


def hunt(under: PolicyTables | None, stories: int, verbs: int, seeds: int) -> None:
    """Tell stories without shrinking, for a bug that is known to be there."""
    for number in range(seeds):
        machine: type[Machine] = seed(number)(type("Hunted", (Machine,), {"under": under}))
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=stories,
                stateful_step_count=verbs,
                database=None,
                derandomize=False,
                phases=[Phase.generate],
                report_multiple_bugs=False,
            ),
        )
