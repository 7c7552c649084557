"""Whatever happened before: lines of uses that go with their images take nothing else along, and all stays proven."""

import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from remanence.core.change import Change, Increment
from remanence.core.clock import DAY
from remanence.flows.scopes.moving import copy_rows
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    create_change,
    find_damage,
    keep,
    make_cause,
    one,
    tag_change,
    update_change,
)
from remanence_store_kit.dump import dump
from remanence_store_kit.memory.memory_store import MemoryStore

STEPS = st.lists(
    st.tuples(
        st.sampled_from(["use", "use", "use", "tag", "learn", "hold", "erase", "end"]),
        st.integers(0, 3),  # of which memory
        st.sampled_from([None, "fox", "owl"]),
        st.sampled_from([0, 1, 90, DAY // 1_000_000]),  # seconds later
    ),
    min_size=4,
    max_size=40,
)
# What somebody may do to a line that stays, or in place of one that is gone.
TAMPERING = (
    "UPDATE runs SET at = at + 1 WHERE position = ?",
    "UPDATE runs SET actor = 'eve' WHERE position = ?",
    "UPDATE runs SET position = -position WHERE position = ?",
    "DELETE FROM runs WHERE position = ?",
)


class World:
    """Two stores to which the same happens."""

    def __init__(self, path: Path) -> None:
        self.file, self.rules = SqliteStore(str(path)), MemoryStore()
        self.now, self.seqs, self.last_use = NOW, list[int](), ("", 0)

    async def open(self) -> None:
        """Give both some memories."""
        for store in (self.file, self.rules):
            await store.open()
            await keep(store, *(create_change(k, f"text {k}") for k in range(1, 4)), run="first")
        self.seqs = [1, 2, 3]

    async def take(self, number: int, step: tuple[str, int, str | None, int]) -> None:
        """Do one thing in both."""
        verb, which, actor, later = step
        self.now += later * 1_000_000
        seq = self.seqs[which % len(self.seqs)]
        cause = make_cause(verb, self.now, run=f"run {number}", actor=actor)
        extends = self.last_use if verb == "use" else None
        for store in (self.file, self.rules):
            memory = await one(store, seq)
            if verb == "use":
                cause = make_cause("use", self.now, run=f"run {number}", actor=actor, extends=extends)
                done = await store.commit(SCOPE, [update_change(memory, uses=Increment(1))], cause)
                self.last_use = done.run, done.part + 1
            elif verb == "tag":
                await store.commit(SCOPE, [tag_change(seq, f"t{number}")], cause)
            elif verb == "learn":
                (new,) = (await store.commit(SCOPE, [create_change(1, f"text of {number}")], cause)).assigned
                self.seqs = sorted({*self.seqs, new})
            elif verb == "hold":
                until = self.now + which * DAY
                change = update_change(memory, holds={f"case {number}": until}, hold_until=until)
                await store.commit(SCOPE, [change], cause)
            elif verb == "erase" and len(self.seqs) > 2:
                tags = [Change("tags", (seq, tag), {}, None) for tag in memory.tags]
                gone = Change("memories", seq, {"revision": memory.revision}, None)
                await store.commit(SCOPE, [gone, *tags], cause)
            elif verb == "end":
                await self._end(store, cause.run)
        if verb == "erase" and len(self.seqs) > 2:
            self.seqs.remove(seq)

    async def _end(self, store: SqliteStore | MemoryStore, run: str) -> None:
        """Let images end, and see what else goes."""
        log, rows = await store.history(SCOPE, limit=1_000), await dump(store, SCOPE)
        done = await store.end_images(SCOPE, self.now - DAY, make_cause("expire", self.now, run=run))
        left = await store.history(SCOPE, limit=1_000)
        kept = {part.position: (part.cause, part.digest, part.count) for part in left}

        assert rows.drop_unrestorable() == (await dump(store, SCOPE)).drop_unrestorable()
        for part in log:
            said = kept.get(part.position)
            assert said == (part.cause, part.digest, part.count) or (
                said is None and part.cause.verb == "use" and part.position < done.through
            )

    async def is_sound(self) -> bool:
        """Tell whether both are proven."""
        return not [*await find_damage(self.file), *await find_damage(self.rules)]


@given(STEPS, st.sampled_from(TAMPERING), st.integers(0, 100))
async def test_nothing_but_uses_goes(
    steps: Sequence[tuple[str, int, str | None, int]], tampering: str, which: int
) -> None:
    """Rows and all other lines stay as they were; the chain is proven, also in a copy; a forged line is found."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        world, copy = World(path), SqliteStore(str(Path(folder) / "b.db"))
        await world.open()
        await copy.open()
        for number, step in enumerate([*steps, ("end", 0, None, 2 * DAY // 1_000_000)]):
            await world.take(number, step)
        runs = [
            [part.cause.run for part in await store.history(SCOPE, limit=1_000)]
            for store in (world.file, world.rules)
        ]

        assert await world.is_sound()
        assert {*runs[0]} >= {*runs[1]}  # a line of several uses stays or goes as a whole
        await copy_rows(world.file, copy, SCOPE, moves=False)
        assert not await find_damage(copy)
        await copy.close()
        with closing(sqlite3.connect(path)) as connection, connection:
            # Of a part that an erasure emptied and whose images ended, why it was done is as the erasure left it.
            positions = connection.execute(
                "SELECT position FROM runs WHERE position NOT IN (SELECT position FROM emptied) ORDER BY position"
            ).fetchall()
            connection.execute(tampering, positions[which % len(positions)])
        found = [check.name for check in await world.file.check() if not check.ok]
        await world.file.close()

        assert "audit" in found
