"""Many verbs in any order: a machine learns, links, uses, edits, curates, undoes and restores, and looks each time.

Every rule asserts its own result; the invariants hold after every step.
"""

import asyncio
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from remanence.box import FindBoxes
from remanence.change import Change, Increment
from remanence.clock import ManualClock
from remanence.decay_class import decay
from remanence.errors import Conflict, InvalidInput, Protected
from remanence.model import SYMMETRIC, Link, Memory, Relation, Status, Tier
from remanence.opening import open as open_engine
from remanence.receipt import Receipt
from remanence.store.memory.memory_store import MemoryStore
from remanence.testing.builders import (
    NOW,
    because,
    boxed,
    created,
    keep,
    linked,
    raised,
    tagged,
    unlinked,
    updated,
)
from remanence.testing.dump import HAPPENED, Dump, dump
from remanence.testing.invariants import broken, misordered, revisions_fallen, strayed, unaccounted
from remanence.testing.policies import Rules, policies
from remanence.testing.worlds import TAGS, World, fill, worlds
from remanence.text_columns import text_columns
from tests.laws.lab import ANY_NUMBER, SCOPE

PICKS = st.integers(0, 1_000)


class Machine(RuleBasedStateMachine):
    """A scope of the memory store, its engine, and the last run that can be undone."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.store = MemoryStore()
        self.clock = ManualClock(NOW)
        self.engine = open_engine(store=self.store, scope=SCOPE, clock=self.clock, embedder="none")
        self.run(self.engine.__aenter__())
        self.latest: tuple[Receipt, Dump] | None = None
        self.before = self.dump()
        self.learned = 0
        self.quarantined: set[int] = set()  # what is, or once was

    def run(self, doing: Any) -> Any:
        """Wait for something."""
        return self.runner.run(doing)

    def dump(self) -> Dump:
        """Read everything."""
        return self.run(dump(self.store, SCOPE))  # type: ignore[no-any-return]

    def teardown(self) -> None:
        """Let everything go."""
        self.run(self.engine.close())
        self.runner.close()

    def any_memory(self, pick: int, *, standing: bool = False) -> Memory | None:
        """Choose a memory, one in sight if asked."""
        rows = self.dump().memories
        seqs = [seq for seq, row in rows.items() if not standing or row["status"] <= Status.ACTIVE]
        if not seqs:
            return None
        (memory,) = self.run(self.store.get(SCOPE, [seqs[pick % len(seqs)]]))
        return memory  # type: ignore[no-any-return]

    @initialize(world=worlds())
    def begin(self, world: World) -> None:
        """Fill the scope."""
        self.run(fill(self.store, SCOPE, world))

    @rule(pick=PICKS)
    def learn(self, pick: int) -> None:
        """A new memory stands, with a number above all others."""
        self.learned += 1
        text = f"machine {self.learned} of {pick}"
        follows = text_columns(text, None) | {"decay": decay((), "fact")}
        change = created(1, text, status=Status.ACTIVE, category="fact", **follows)
        highest = max(self.dump().memories, default=0)
        (seq,) = self.run(keep(self.store, change, scope=SCOPE, at=self.clock.now())).assigned

        assert highest < seq

    @rule(pick=PICKS, other=PICKS, relation=st.sampled_from(list(Relation)))
    def link(self, pick: int, other: int, relation: Relation) -> None:
        """A link is drawn once; drawing it again is a Conflict."""
        one, two = self.any_memory(pick), self.any_memory(other)
        if one is None or two is None or one.seq == two.seq:
            return
        ends = sorted((one.seq, two.seq)) if relation in SYMMETRIC else (one.seq, two.seq)
        change = linked(ends[0], ends[1], relation, weight=0.5, last_at=self.clock.now())
        if change.key in self.dump().links:
            self.run(raised(Conflict, self.store.commit(SCOPE, [change], because("link", self.clock.now()))))
        else:
            self.run(self.store.commit(SCOPE, [change], because("link", self.clock.now())))
            assert change.key in self.dump().links

    @rule(pick=PICKS)
    def unlink(self, pick: int) -> None:
        """A link is cut."""
        links: list[Link] = sorted(self.dump().links.values(), key=repr)
        if links:
            change = unlinked(links[pick % len(links)])
            self.run(self.store.commit(SCOPE, [change], because("unlink", self.clock.now())))
            assert change.key not in self.dump().links

    @rule(pick=PICKS, tag=st.sampled_from(TAGS))
    def tag(self, pick: int, tag: str) -> None:
        """A tag is added once."""
        memory = self.any_memory(pick)
        if memory is not None and tag not in memory.tags:
            self.run(self.store.commit(SCOPE, [tagged(memory.seq, tag)], because("tag", self.clock.now())))

    @rule(pick=PICKS)
    def box(self, pick: int) -> None:
        """A box of turns is made once, grows, and is taken away; the turns know nothing of it."""
        memory = self.any_memory(pick)
        if memory is None:
            return
        found = self.run(self.store.boxes(SCOPE, FindBoxes(only=(memory.seq,))))
        held = found[0] if found else None
        change = boxed(memory.seq, [memory.seq])
        if held is not None and len(held.members) > 1:
            change = Change("boxes", memory.seq, {}, None)
        elif held is not None:
            grown = {"members": [memory.seq, memory.seq + 1]}
            change = Change("boxes", memory.seq, {"members": [memory.seq]}, grown)
        self.run(self.store.commit(SCOPE, [change], because("extract", self.clock.now())))
        (after,) = self.run(self.store.get(SCOPE, [memory.seq]))

        assert memory == after

    @rule(pick=PICKS)
    def use(self, pick: int) -> None:
        """A use counts, and leaves the revision."""
        memory = self.any_memory(pick)
        if memory is None:
            return
        change = updated(memory, uses=Increment(1))
        self.run(self.store.commit(SCOPE, [change], because("use", self.clock.now())))
        (after,) = self.run(self.store.get(SCOPE, [memory.seq]))

        assert (memory.uses + 1, memory.revision) == (after.uses, after.revision)
        assert memory.touched < after.touched

    @rule(pick=PICKS, state=st.sampled_from(["pending", "completed", None]))
    def edit(self, pick: int, state: str | None) -> None:
        """An edit on an old reading is a Conflict; on a fresh one it is done."""
        memory = self.any_memory(pick)
        if memory is None:
            return
        change = updated(memory, state=state, state_at=self.clock.now())
        self.run(self.store.commit(SCOPE, [change], because("update", self.clock.now())))
        self.run(raised(Conflict, self.store.commit(SCOPE, [change], because("update", self.clock.now()))))

    @rule(pick=PICKS)
    def pin(self, pick: int) -> None:
        """A memory is pinned, or unpinned."""
        memory = self.any_memory(pick)
        if memory is not None:
            change = updated(memory, pinned=1 - memory.pinned)
            self.run(self.store.commit(SCOPE, [change], because("pin", self.clock.now())))

    @rule(hours=st.sampled_from([0, 1, 24, 24 * 8, 24 * 40]))
    def wait(self, hours: int) -> None:
        """Time passes."""
        self.clock.advance(hours=hours)

    @rule(rules=policies(rules_max=4))
    def curate(self, rules: Rules) -> None:
        """Nobody pinned falls; a second plan at the same instant is empty."""
        before = self.dump()
        plan = self.run(self.engine.plan(rules.toml()))
        receipt = self.run(self.engine.apply(plan, allow_destroyed=ANY_NUMBER))
        again = self.run(self.engine.plan(rules.toml()))
        after = self.dump()

        assert [] == list(again.changes())
        assert not receipt.skipped
        assert [] == [
            seq
            for seq, row in before.memories.items()
            if row["pinned"] and (seq not in after.memories or after.memories[seq]["status"] != row["status"])
        ]
        if receipt.changes:
            self.latest = receipt, before

    @precondition(lambda self: self.latest is not None)
    @rule()
    def undo(self) -> None:
        """The last run is taken back whole, or refused whole because something changed since; never twice."""
        assert self.latest is not None
        receipt, before = self.latest
        now = self.dump()
        try:
            self.run(self.engine.undo(receipt))
        except (Conflict, InvalidInput):
            assert now == self.dump()
        else:
            self.run(raised(InvalidInput, self.engine.undo(receipt)))
            run = self.run(self.store.history(SCOPE, run=receipt.run))
            for change in (change for part in run for change in part.changes if change.table == "memories"):
                self._as_before(change.key, change.before or {}, before)
        self.latest = None

    def _as_before(self, seq: Any, changed: Any, before: Dump) -> None:
        """Look whether the columns that the run changed are as before it; what was used since stays used."""
        now = self.dump()
        row = now.memories[seq]
        for name in changed.keys() - {*HAPPENED, "vector", "decay"}:
            if not isinstance(changed[name], Increment):
                assert before.memories[seq][name] == row[name], name
        if "decay" in changed:  # it follows from the tags that the memory has by now
            assert decay(row["tags"], row["category"]) == row["decay"]

    @rule(pick=PICKS)
    def restore(self, pick: int) -> None:
        """What fell stands again, or is in quarantine where it was before; what stands or is there is refused."""
        memory = self.any_memory(pick)
        if memory is None:
            return
        if memory.status in {Status.INBOX, Status.ACTIVE, Status.QUARANTINED}:
            self.run(raised(InvalidInput, self.engine.restore(memory.id)))
            return
        self.run(self.engine.restore(memory.id))
        (after,) = self.run(self.store.get(SCOPE, [memory.seq]))

        kept_out = memory.seq in self.quarantined

        assert (Status.QUARANTINED if kept_out else Status.ACTIVE) == after.status
        assert kept_out is (after.reason is not None)
        assert Tier.ARCHIVE != after.tier

    @rule(pick=PICKS, verb=st.sampled_from(["forget", "confirm", "validate", "supersede"]))
    def say(self, pick: int, verb: str) -> None:
        """A verb changes a memory, or is refused with nothing changed."""
        memory, other = self.any_memory(pick), self.any_memory(pick + 1)
        if memory is None or other is None:
            return
        before = self.dump()
        said = {
            "forget": lambda: self.engine.forget(memory.seq),
            "confirm": lambda: self.engine.confirm(memory.seq),
            "validate": lambda: self.engine.update(memory.seq, lifecycle="validated"),
            "supersede": lambda: self.engine.supersede(memory.seq, other.seq),
        }
        try:
            self.run(said[verb]())
        except (InvalidInput, Protected):
            assert before == self.dump()

    @invariant()
    def everything_holds(self) -> None:
        """Nothing dangles, one archive, reasons, canonical links, indexes as texts, revisions rise, nothing is lost."""
        after = self.dump()

        assert [] == broken(after)
        assert [] == revisions_fallen(self.before, after)
        log = self.run(self.store.history(SCOPE))
        assert [] == unaccounted(after, log)
        assert [[], []] == [strayed(log), misordered(log)]
        assert [] == [check for check in self.run(self.store.check()) if not check.ok]
        self.before = after
        self.quarantined |= {
            seq for seq, row in after.memories.items() if row["status"] == Status.QUARANTINED
        }


def test_the_laws_hold_in_any_order_of_verbs() -> None:
    """Forty stories of up to thirty verbs each."""
    run_state_machine_as_test(Machine, settings=settings(max_examples=40, stateful_step_count=30))


@pytest.mark.deep
def test_the_laws_hold_in_2_000_stories() -> None:
    """The same deep."""
    run_state_machine_as_test(Machine, settings=settings(max_examples=800, stateful_step_count=40))
