"""What a store keeps of uses that follow each other: parts of one run, each with its own time."""

from collections.abc import Sequence
from dataclasses import replace

from remanence.core.change import Change, CommitResult, Increment
from remanence.core.clock import MINUTE
from remanence.store.audit_parts import USE_PARTS_MAX
from remanence.store.base import Find, Store
from remanence.testing.builders import NOW, SCOPE, because, create_change, keep, one, tag_change


async def use(
    store: Store,
    seqs: Sequence[int],
    at: int,
    *,
    after: CommitResult | None = None,
    scope: str = SCOPE,
    actor: str | None = None,
) -> CommitResult:
    """Count a use of some memories, as what follows `after` where the store can go on with it."""
    changes = [Change("memories", seq, {"uses": Increment(-1)}, {"uses": Increment(1)}) for seq in seqs]
    extends = None if after is None else (after.run, after.part + 1)
    return await store.commit(scope, changes, because("use", at, actor=actor, extends=extends))


class UseRunsContract:
    """Uses of a minute share a run; what each part says is what it would say alone."""

    async def test_uses_go_on_with_the_run_that_is_the_last(self, store: Store) -> None:
        """Each is a part with its own time, position, count and memories, and is read alone or with the others."""
        a, b = (await keep(store, create_change(1, "a a"), create_change(2, "b b"))).assigned
        first = await use(store, [a], NOW)
        second = await use(store, [a, b], NOW + 5, after=first)
        third = await use(store, [b], NOW + 9, after=second)
        parts = (await store.history(SCOPE))[1:]

        assert [(first.run, number, number + 2) for number in range(3)] == [
            (done.run, done.part, done.position) for done in (first, second, third)
        ]
        assert [(0, NOW, (a,), 1), (1, NOW + 5, (a, b), 2), (2, NOW + 9, (b,), 1)] == [
            (part.cause.part, part.cause.at, part.used, part.count) for part in parts
        ]
        assert parts == await store.history(SCOPE, run=first.run)
        for number, part in enumerate(parts):
            assert parts[number:] == await store.history(SCOPE, after=part.position - 1)
            assert [part] == await store.history(SCOPE, after=part.position - 1, limit=1)
            assert [part] == await store.history(SCOPE, run=first.run, after=part.position - 1, limit=1)
        bare = await store.history(SCOPE, after=parts[0].position - 1, rows=False)
        assert [replace(part, used=()) for part in parts] == bare
        assert [] == await store.history(SCOPE, after=third.position)
        assert (1, 2) == ((await one(store, a)).uses - 1, (await one(store, b)).uses)
        assert all(check.ok for check in await store.check())

    async def test_what_a_part_of_uses_says_stays_when_others_follow(self, store: Store) -> None:
        """Cause, digest, count and memories are what they were before the next part, and once more was done."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        done = await use(store, [a], NOW)
        before = await store.history(SCOPE)
        done = await use(store, [a], NOW + 1, after=done)
        between = await store.history(SCOPE)
        await keep(store, tag_change(a, "x"), verb="tag")

        assert before == between[:2]
        assert between == (await store.history(SCOPE))[:3]

    async def test_uses_begin_a_run_where_they_cannot_go_on(self, store: Store) -> None:
        """After anything else, of another agent, a minute later, of before, in another scope, or of no run at all."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        (b,) = (await keep(store, create_change(1, "a a"), scope="other")).assigned
        first = await use(store, [a], NOW)
        elsewhere = await use(store, [b], NOW, after=first, scope="other")
        other = await use(store, [a], NOW, after=first, actor="bob")
        late = await use(store, [a], NOW + MINUTE, after=other, actor="bob")
        early = await use(store, [a], NOW - 1, after=late, actor="bob")
        skipped = await use(store, [a], NOW - 1, after=replace(early, part=1), actor="bob")
        await keep(store, tag_change(a, "x"), verb="tag")
        behind = await use(store, [a], NOW - 1, after=skipped, actor="bob")
        runs = [first, elsewhere, other, late, early, skipped, behind]

        assert 7 == len({done.run for done in runs})
        assert {0} == {done.part for done in runs}
        assert all(check.ok for check in await store.check())

    async def test_scopes_in_turns_go_on_each_with_its_own_uses(self, store: Store) -> None:
        """A part between two of another scope parts nothing there; every scope is proven."""
        for scope in (SCOPE, "other"):
            await keep(store, create_change(1, "a a"), scope=scope)
        ends = {scope: (await store.find(scope, Find()))[0].seq for scope in (SCOPE, "other")}
        last: dict[str, CommitResult | None] = dict.fromkeys(ends)
        for number in range(6):
            for scope, seq in ends.items():
                last[scope] = await use(store, [seq], NOW + number, after=last[scope], scope=scope)

        for scope, seq in ends.items():
            uses = (await store.history(scope))[1:]
            assert [(number, NOW + number, (seq,)) for number in range(6)] == [
                (part.cause.part, part.cause.at, part.used) for part in uses
            ]
            assert 1 == len({part.cause.run for part in uses})
        assert all(check.ok for check in await store.check())

    async def test_a_run_of_uses_has_an_end(self, store: Store) -> None:
        """Of parts, and of memories that they name: what comes then begins another."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        done: CommitResult | None = None
        for _ in range(USE_PARTS_MAX + 1):
            done = await use(store, [a], NOW, after=done)
        uses = (await store.history(SCOPE))[1:]

        assert [*range(USE_PARTS_MAX), 0] == [part.cause.part for part in uses]
        assert 2 == len({part.cause.run for part in uses})
        assert USE_PARTS_MAX + 1 == (await one(store, a)).uses

    async def test_a_part_of_uses_is_written_once(self, store: Store) -> None:
        """Asked for again, by whoever never learned that it was written, it is answered and nothing is counted."""
        (a,) = (await keep(store, create_change(1, "a a"))).assigned
        first = await use(store, [a], NOW)
        again = because("use", NOW + 1, extends=(first.run, 1))
        change = [Change("memories", a, {"uses": Increment(-1)}, {"uses": Increment(1)})]
        answers = [await store.commit(SCOPE, change, again) for _ in range(3)]

        assert {answers[0]} == {*answers}
        assert (first.run, 1, 3) == (answers[0].run, answers[0].part, answers[0].position)
        assert 2 == (await one(store, a)).uses
