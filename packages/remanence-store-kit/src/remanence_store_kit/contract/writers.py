"""Several who write to one scope at once, and one who cannot know whether it wrote.

Asks a store only through its protocol, and through `other`, a second store on the same data.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import numpy as np
import pytest

from remanence.core.change import Cause, Change, CommitResult, Increment
from remanence.core.errors import Conflict, InvalidInput, LeaseLost
from remanence.core.model import Relation
from remanence.core.snapshot import SnapshotRequest
from remanence.store.base import Bookkeeping, Store
from remanence_store_kit.builders import (
    LONG,
    NOW,
    SCOPE,
    SHORT,
    create_change,
    destroy_changes,
    expect_error,
    find_damage,
    keep,
    let_pass,
    link_change,
    make_cause,
    one,
    tag_change,
    update_change,
)
from remanence_store_kit.dump import dump

ROUNDS = 20
VECTOR = np.ones(4, "<f2").tobytes()


async def at_once(*writing: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """Let several go on at once; what one of them raises is raised."""
    async with asyncio.TaskGroup() as group:
        for work in writing:
            group.create_task(work())


async def lease(store: Store, holder: str, now: int, until: int) -> int:
    """Take the one lease of these tests; return its fence."""
    fence = (await store.bookkeep(SCOPE, Bookkeeping(now, lease=("curate", holder, until)))).fence
    assert fence is not None
    return fence


async def read_scope_state(store: Store) -> tuple[object, ...]:
    """Return all that a scope holds and all that its audit tells."""
    return await dump(store, SCOPE), await store.history(SCOPE)


class SecondWriter:
    """Rules in which two write at once."""

    @pytest.fixture
    def other(self, store: Store) -> Store:
        """A second store on the same data, opened; here the same one, used by several at once."""
        return store


class WritersContract(SecondWriter):
    """Two who write at once are put in order, and what one was told of is there for the other."""

    async def test_of_two_who_read_the_same_one_writes(self, store: Store, other: Store) -> None:
        """Nobody writes over what he has not read: every addition of several who add to one number is in it."""
        (seq,) = (await keep(store, create_change(1, "count", attributes={"n": 0}))).assigned

        async def add(to: Store) -> None:
            count = 0
            while count < ROUNDS:
                memory = await one(to, seq)
                await asyncio.sleep(0)
                more = {"n": (memory.attributes or {})["n"] + 1}
                try:
                    await keep(to, update_change(memory, attributes=more), verb="update")
                except Conflict:
                    continue
                count += 1

        await at_once(lambda: add(store), lambda: add(store), lambda: add(other))
        memory = await one(store, seq)

        assert ({"n": 3 * ROUNDS}, 3 * ROUNDS + 1) == (memory.attributes, memory.revision)
        assert [] == await find_damage(other)

    async def test_parts_become_visible_in_their_order(self, store: Store, other: Store) -> None:
        """Who follows the history above the last position he has misses no part, and gets each once."""
        seen: list[tuple[str, int]] = []
        done = asyncio.Event()

        async def write(to: Store, name: str) -> None:
            for k in range(ROUNDS):
                await keep(to, create_change(1, f"{name} {k}"), run=name, part=k)
                await asyncio.sleep(0)

        async def writers() -> None:
            await at_once(lambda: write(store, "a"), lambda: write(other, "b"))
            done.set()

        async def follow() -> None:
            after, ends = 0, False
            while not ends:
                ends = done.is_set()
                for part in await store.history(SCOPE, after=after, limit=3):
                    assert part.position > after
                    after = part.position
                    seen.append((part.cause.run, part.cause.part))
                    ends = False
                await asyncio.sleep(0)

        await at_once(writers, follow)

        assert [("a", k) for k in range(ROUNDS)] == [part for part in seen if part[0] == "a"]
        assert [("b", k) for k in range(ROUNDS)] == [part for part in seen if part[0] == "b"]

    async def test_what_is_read_together_is_of_one_moment(self, store: Store, other: Store) -> None:
        """Each commit moves one confirmation between two memories and links or unlinks them; no reader sees a half."""
        texts = [create_change(1, "a a", confirmations=ROUNDS), create_change(2, "b b")]
        a, b = (await keep(store, *texts)).assigned
        done = asyncio.Event()

        async def move() -> None:
            for k in range(ROUNDS):
                changes = [
                    Change(
                        "memories", seq, {"confirmations": Increment(-by)}, {"confirmations": Increment(by)}
                    )
                    for seq, by in ((a, -1), (b, 1))
                ]
                link = Change("links", (a, b, int(Relation.REFERS)), {}, None) if k % 2 else link_change(a, b)
                await keep(other, *changes, link, verb="confirm")
                await asyncio.sleep(0)
            done.set()

        async def look() -> None:
            while not done.is_set():
                memories = await store.get(SCOPE, [a, b])
                assert ROUNDS == sum(memory.confirmations for memory in memories if memory is not None)
                request = SnapshotRequest(frozenset({"confirmations"}), links=frozenset())
                snapshot = await store.snapshot(SCOPE, request, NOW)
                left, right = snapshot.columns["confirmations"].tolist()
                assert snapshot.links is not None
                assert (ROUNDS, right % 2) == (left + right, len(snapshot.links))
                await asyncio.sleep(0)

        await at_once(move, look, look)

        assert (0, ROUNDS) == ((await one(store, a)).confirmations, (await one(store, b)).confirmations)

    async def test_a_commit_may_be_repeated(self, store: Store, other: Store) -> None:
        """Who never learned whether it was written asks again: the answer is what was done, and nothing is written."""
        (seq,) = (await keep(store, create_change(1, "old"))).assigned
        memory = await one(store, seq)
        changes = [
            create_change(2, "second"),
            update_change(memory, text="newer", helped=Increment(3)),
            create_change(1, "first", key="k"),
            link_change(-2, -1),
            tag_change(seq, "x"),
        ]
        cause = make_cause("learn", run="r", part=4, fired=("weekly",), turns=2)
        first = await store.commit(SCOPE, changes, cause)
        await keep(store, create_change(1, "later"))
        before = await read_scope_state(store)
        again = [
            await store.commit(SCOPE, changes, cause),
            await other.commit(SCOPE, changes, make_cause("learn", NOW + 1, run="r", part=4)),
        ]

        assert [first, first] == again
        assert before == await read_scope_state(store)
        assert ["first", "second"] == [(await one(store, seq)).text for seq in first.assigned]

    async def test_a_part_of_a_run_is_written_once(self, store: Store, other: Store) -> None:
        """Asked by several at once one part is written, and all are told the same; counters count it once."""
        (seq,) = (await keep(store, create_change(1, "old"))).assigned
        commits: list[CommitResult] = []

        async def ask(to: Store) -> None:
            dispute = Change("memories", seq, {"disputes": Increment(-1)}, {"disputes": Increment(1)})
            commits.append(await keep(to, dispute, create_change(1, "new"), verb="dispute", run="r"))

        await at_once(*(lambda to=to: ask(to) for to in (store, other, store, other)))

        assert [commits[0]] * 4 == commits
        assert (1, 2) == ((await one(store, seq)).disputes, len(await store.history(SCOPE)))

    async def test_the_end_of_a_run_may_be_repeated(self, store: Store, other: Store) -> None:
        """The empty last part of several, and a part that only counted uses, are known again too."""
        (seq,) = (await keep(store, create_change(1, "old"), run="r", final=False)).assigned
        used = Change("memories", seq, {"uses": Increment(-1)}, {"uses": Increment(1)})
        requests: Sequence[tuple[list[Change], Cause]] = (
            ([], make_cause("curate", run="r", part=1)),
            ([used], make_cause("use", run="u")),
        )
        first = [await store.commit(SCOPE, *one) for one in requests]
        before = await read_scope_state(store)

        assert first == [await other.commit(SCOPE, *one) for one in requests]
        assert before == await read_scope_state(store)

    async def test_a_creation_is_known_after_its_memory_is_gone(self, store: Store, other: Store) -> None:
        """The numbers that were given stay the answer, also where the rows were destroyed since."""
        changes, cause = [create_change(1, "first"), create_change(2, "second")], make_cause(run="r")
        first = await store.commit(SCOPE, changes, cause)
        removals = [change for seq in first.assigned for change in destroy_changes(await one(store, seq))]
        await keep(store, *removals, verb="purge")
        before = await read_scope_state(store)

        assert first == await other.commit(SCOPE, changes, cause)
        assert before == await read_scope_state(store)

    async def test_other_changes_under_the_same_part_are_refused(self, store: Store, other: Store) -> None:
        """A run id or a part number used twice by mistake is an error, so that nothing is lost without a word."""
        cause = make_cause(run="r", part=1)
        await store.commit(SCOPE, [create_change(1, "one")], cause)
        before = await read_scope_state(store)
        for changes in (
            [create_change(1, "two")],
            [create_change(1, "one"), create_change(2, "two")],
            [create_change(1, "one", key="k")],
        ):
            error = await expect_error(InvalidInput, other.commit(SCOPE, changes, cause))
            assert error.recovery
        after = await read_scope_state(store)
        await store.commit("another", [create_change(1, "two")], cause)
        await store.commit(SCOPE, [create_change(1, "two")], make_cause(run="r", part=2))

        assert before == after

    async def test_a_refused_commit_may_be_repeated_otherwise(self, store: Store) -> None:
        """Of a part that met a conflict nothing was written, so it may come again with other changes."""
        (seq,) = (await keep(store, create_change(1, "old"))).assigned
        stale = await one(store, seq)
        await keep(store, update_change(stale, text="newer"), verb="update")
        await expect_error(Conflict, keep(store, update_change(stale, text="mine"), verb="update", run="r"))
        commit = await keep(store, update_change(await one(store, seq), text="mine"), verb="update", run="r")

        assert ("mine", 1) == ((await one(store, seq)).text, commit.changes)

    async def test_who_has_lost_a_lease_writes_nothing(self, store: Store, other: Store) -> None:
        """A commit under a lease that was given to another since raises LeaseLost; the new holder's is written."""
        mine = await lease(store, "ann", NOW, NOW + SHORT)
        await keep(store, create_change(1, "in time"), fence=("curate", mine))
        await let_pass(store, SHORT)
        theirs = await lease(other, "bob", NOW + SHORT, NOW + LONG)
        before = await read_scope_state(store)
        error = await expect_error(
            LeaseLost, keep(store, create_change(1, "too late"), fence=("curate", mine))
        )
        after = await read_scope_state(store)
        commit = await keep(other, create_change(1, "theirs"), fence=("curate", theirs))

        assert ("curate", before) == (error.lease, after)
        assert "theirs" == (await one(store, commit.assigned[0])).text

    async def test_a_fence_is_of_a_scope_and_a_lease(self, store: Store) -> None:
        """A lease that was never taken protects nothing, and another scope's or another name is another lease."""
        number = await lease(store, "ann", NOW, NOW + 10)
        await expect_error(LeaseLost, keep(store, create_change(1, "x"), fence=("curate", number + 1)))
        await expect_error(LeaseLost, keep(store, create_change(1, "x"), fence=("purge", number)))
        await expect_error(
            LeaseLost, keep(store, create_change(1, "x"), fence=("curate", number), scope="another")
        )

        assert [] == await store.history(SCOPE)
        assert [] == await store.history("another")

    async def test_a_lease_counts_until_it_is_given_away(self, store: Store) -> None:
        """Clocks decide nothing: after its end, and renewed, a lease is good for writing until another has it."""
        number = await lease(store, "ann", NOW, NOW + 10)
        await keep(store, create_change(1, "after the end"), at=NOW + 1_000, fence=("curate", number))
        await lease(store, "ann", NOW + 1_000, NOW + 2_000)
        await keep(store, create_change(1, "renewed"), fence=("curate", number))
        await store.bookkeep(SCOPE, Bookkeeping(NOW + 2_000, release=("curate", "ann")))
        await lease(store, "bob", NOW + 2_000, NOW + 3_000)
        await expect_error(LeaseLost, keep(store, create_change(1, "given away"), fence=("curate", number)))

        assert ["after the end", "renewed"] == [
            row["text"] for row in (await dump(store, SCOPE)).memories.values()
        ]

    async def test_bookkeeping_under_a_lost_lease_is_not_done(self, store: Store) -> None:
        """Values, leases and what sessions covered are left as they are, whatever else was asked for."""
        mine = await lease(store, "ann", NOW, NOW + SHORT)
        fence = ("curate", mine)
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"x": 1}, fence=fence))
        await let_pass(store, SHORT)
        await lease(store, "bob", NOW + SHORT, NOW + LONG)
        bookkeeping = Bookkeeping(
            NOW + SHORT + 1, put={"x": 2}, cover=(NOW, NOW + 1), release=("curate", "bob"), fence=fence
        )
        await expect_error(LeaseLost, store.bookkeep(SCOPE, bookkeeping))
        await expect_error(LeaseLost, store.bookkeep(SCOPE, Bookkeeping(NOW, get=("x",), fence=fence)))
        books = await store.bookkeep(
            SCOPE,
            Bookkeeping(
                NOW + SHORT + 2, get=("x",), clocks=frozenset({"active"}), lease=("curate", "cat", NOW + LONG)
            ),
        )

        assert books.spans is not None
        assert ({"x": 1}, None, []) == (dict(books.values), books.fence, books.spans.tolist())

    async def test_what_was_done_is_told_also_to_who_lost_the_lease(self, store: Store) -> None:
        """A part that was written in time stays the answer to its repetition, which writes nothing."""
        mine = await lease(store, "ann", NOW, NOW + SHORT)
        cause = make_cause(run="r", fence=("curate", mine))
        first = await store.commit(SCOPE, [create_change(1, "in time")], cause)
        await let_pass(store, SHORT)
        await lease(store, "bob", NOW + SHORT, NOW + LONG)

        assert first == await store.commit(SCOPE, [create_change(1, "in time")], cause)
