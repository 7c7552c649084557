"""What is not memory: values by name, leases with fences, spans, turns heard, and a store that is closed."""

import asyncio
from dataclasses import replace
from itertools import groupby
from random import Random

import pytest

from remanence.core.change import Cause, Change, inverses
from remanence.core.clock import MINUTE
from remanence.core.errors import Conflict, InvalidInput, NameUnknown, StoreUnavailable
from remanence.core.snapshot import Ints, Snapshot, SnapshotRequest
from remanence.store.base import Bookkeeping, BookkeepResult, Store
from remanence_store_kit.builders import (
    LONG,
    NOW,
    SCOPE,
    SHORT,
    create_change,
    expect_error,
    find_damage,
    has_own_clock,
    keep,
    let_pass,
    make_cause,
    tag_change,
)
from remanence_store_kit.dump import dump
from remanence_store_kit.invariants import find_broken_invariants


async def lease(store: Store, holder: str, now: int, until: int) -> int | None:
    """Ask for the one lease of these tests; return its fence."""
    return (await store.bookkeep(SCOPE, Bookkeeping(now, lease=("curate", holder, until)))).fence


async def clock(store: Store, name: str, scope: str = SCOPE) -> list[list[int]]:
    """Read the rows of one clock, as a snapshot and as bookkeeping tells them; the other, unasked for, is absent."""
    clocks = frozenset({name})
    answers: list[BookkeepResult | Snapshot] = [
        await store.bookkeep(scope, Bookkeeping(NOW, clocks=clocks)),
        await store.snapshot(scope, SnapshotRequest(frozenset(), clocks=clocks), NOW),
    ]
    pairs = [(one.spans, one.heard) if name == "active" else (one.heard, one.spans) for one in answers]
    assert [None, None] == [other for _, other in pairs]
    first, second = (rows(spans) for spans, _ in pairs if spans is not None)
    assert first == second
    return first


def rows(pairs: Ints) -> list[list[int]]:
    """Return the rows of a clock, which come in two columns of whole numbers."""
    assert ("int64", 2) == (pairs.dtype.name, pairs.shape[1])
    return pairs.tolist()  # type: ignore[no-any-return]


async def cover(store: Store, scope: str, *intervals: tuple[int, int]) -> None:
    """Cover intervals, asked for all at once."""
    await asyncio.gather(*(store.bookkeep(scope, Bookkeeping(NOW, cover=interval)) for interval in intervals))


def union(intervals: list[tuple[int, int]]) -> list[list[int]]:
    """Return the union of intervals between small whole numbers, counted unit by unit."""
    units = sorted({unit for began, end in intervals for unit in range(began, end)})
    runs = [[unit for _, unit in run] for _, run in groupby(enumerate(units), lambda pair: pair[1] - pair[0])]
    return [[run[0], run[-1] + 1] for run in runs]


class BooksContract:
    """Bookkeeping is read and written beside the audit; leases are held by one at a time."""

    async def test_a_survey_tells_how_far_each_scope_has_come(self, store: Store) -> None:
        """Every scope that was written to, by name, with some values that are kept; what was only kept is none."""
        assert {} == await store.survey(())
        for scope in ("two", "one"):
            await store.commit(scope, [create_change(1, "A text.")], Cause("learn", NOW, scope))
        await store.bookkeep("one", Bookkeeping(NOW, put={"a": {"n": 1}, "b": 2, "c": 3}))
        await store.bookkeep("three", Bookkeeping(NOW, put={"a": 1}))
        surveys = await store.survey(("a", "b"))
        ends = {scope: (await store.history(scope, rows=False))[-1].position for scope in ("one", "two")}

        assert list(ends.items()) == [(scope, one.position) for scope, one in surveys.items()]
        assert [{"a": {"n": 1}, "b": 2}, {}] == [dict(one.values) for one in surveys.values()]
        assert [{}, {}] == [dict(one.values) for one in (await store.survey(())).values()]

    async def test_values_are_kept_by_name(self, store: Store) -> None:
        """JSON values come back as they were put; names without a value are left out; None deletes."""
        put = {"policy": {"name": "tidy", "n": [1, 2.5, None, True, "é"]}, "due_at": 2**53, "flag": False}
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put=put))
        names = ("policy", "due_at", "flag", "absent")

        assert BookkeepResult(put, None) == await store.bookkeep(SCOPE, Bookkeeping(NOW, get=names))
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"policy": None, "due_at": 3}))
        assert {"due_at": 3, "flag": False} == dict(
            (await store.bookkeep(SCOPE, Bookkeeping(NOW, get=names))).values
        )

    async def test_the_bookkeeping_tells_how_far_a_scope_has_come(self, store: Store) -> None:
        """By the same look as the values, where it writes and where it reads; 0 where nothing was committed."""
        before = await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"x": 1}))
        commit = await keep(store, create_change(1, "a a"))
        after = [await store.bookkeep(SCOPE, Bookkeeping(NOW, put=put)) for put in ({}, {"x": 2})]

        assert (0, [commit.position] * 2) == (before.position, [one.position for one in after])

    async def test_values_belong_to_a_scope(self, store: Store) -> None:
        """One scope's values and leases are not another's."""
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"x": 1}, lease=("curate", "a", NOW + 10)))
        other = await store.bookkeep("another", Bookkeeping(NOW, get=("x",), lease=("curate", "b", NOW + 10)))

        assert {} == dict(other.values)
        assert other.fence is not None

    async def test_a_swap_needs_what_it_expects(self, store: Store) -> None:
        """A value is exchanged only where it still is what the caller saw; None is nothing there, or nothing left."""
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"a": {"n": 1}, "b": 1, "c": 1}))
        swap = {"a": ({"n": 1}, 2), "b": (7, 2), "c": (1, None), "d": (None, 2), "e": (1, 2)}
        bookkeeping = Bookkeeping(NOW, swap=swap, get=tuple(swap))

        assert {"a": 2, "b": 1, "d": 2} == dict((await store.bookkeep(SCOPE, bookkeeping)).values)

    async def test_of_two_swaps_one_wins(self, store: Store) -> None:
        """Whoever comes second finds another value and changes nothing."""
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"n": 0}))
        turns = [Bookkeeping(NOW, swap={"n": (0, number)}) for number in range(1, 9)]
        await asyncio.gather(*(store.bookkeep(SCOPE, bookkeeping) for bookkeeping in turns))
        (first,) = (await store.bookkeep(SCOPE, Bookkeeping(NOW, get=("n",)))).values.values()
        again = await store.bookkeep(SCOPE, Bookkeeping(NOW, swap={"n": (0, 99)}, get=("n",)))

        assert {"n": first} == dict(again.values)
        assert 0 < first < 9

    async def test_names_are_listed_by_their_beginning(self, store: Store) -> None:
        """Every name that begins so is answered, of this scope only, beside what is asked for by name."""
        values = {"open/a": 1, "open/b%": 2, "open": 3, "open0": 4, "opened/c": 5, "x": 6}
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put=values))
        await store.bookkeep("another", Bookkeeping(NOW, put={"open/z": 7}))
        listing = await store.bookkeep(SCOPE, Bookkeeping(NOW, under=("open/",), get=("x", "absent")))
        answer = await store.bookkeep(SCOPE, Bookkeeping(NOW, under=("open/",), put={"x": 0, "open/c": 8}))

        assert {"open/a": 1, "open/b%": 2, "x": 6} == dict(listing.values)
        assert {"open/a": 1, "open/b%": 2, "open/c": 8} == dict(answer.values)

    async def test_spans_are_the_union_of_what_was_covered(self, store: Store) -> None:
        """Whatever the order and overlap, spans are disjoint, ascending, and all that was covered in their scope."""
        random = Random(7)
        for example in range(60):
            cells = range(random.choice((8, 30, 90)))
            bounds = [sorted(random.choices(cells, k=2)) for _ in range(random.choice((1, 5, 20)))]
            intervals = [(began, end) for began, end in bounds]
            scopes = {name: intervals[at::2] for at, name in enumerate((f"a{example}", f"b{example}"))}
            await asyncio.gather(*(cover(store, name, *spans) for name, spans in scopes.items()))
            clocks = {name: await clock(store, "active", name) for name in scopes}

            assert {name: union(spans) for name, spans in scopes.items()} == clocks
            assert [] == find_broken_invariants(await dump(store, f"a{example}"))

    async def test_touching_spans_are_one(self, store: Store) -> None:
        """Beats that follow each other leave one interval; a clock set back takes nothing away."""
        await cover(store, SCOPE, (NOW, NOW + 5), (NOW + 5, NOW + 9), (NOW - 4, NOW), (NOW + 1, NOW + 2))
        await cover(store, SCOPE, (NOW + 11, NOW + 11))

        assert [[NOW - 4, NOW + 9]] == await clock(store, "active")

    async def test_an_interval_that_ends_before_it_began_is_refused(self, store: Store) -> None:
        """A wrong interval is InvalidInput, and nothing of its request is written."""
        for wrong in ((NOW, NOW - 1), (NOW, 2**60), (-(2**60), NOW)):
            bookkeeping = Bookkeeping(NOW, put={"x": 1}, cover=wrong, get=("x",))
            error = await expect_error(InvalidInput, store.bookkeep(SCOPE, bookkeeping))
            assert error.recovery

        assert {} == dict((await store.bookkeep(SCOPE, Bookkeeping(NOW, get=("x",)))).values)
        assert [] == await clock(store, "active")

    async def test_turns_are_counted_by_the_minute(self, store: Store) -> None:
        """The turns of commits add up in the minute of their cause, each scope's own; a commit without leaves none."""
        for at, turns in ((5, 2), (MINUTE - 1, 3), (MINUTE, 1), (-1, 7), (0, 0)):
            await keep(store, create_change(1, f"text {at}"), at=NOW + at, turns=turns)
        await keep(store, create_change(1, "else", id="e" * 32), at=NOW, turns=4, scope="another")

        assert [[NOW - MINUTE, 7], [NOW, 5], [NOW + MINUTE, 1]] == await clock(store, "turns")
        assert [[NOW, 4]] == await clock(store, "turns", "another")

    async def test_a_refused_commit_was_not_heard(self, store: Store) -> None:
        """Turns are counted with the changes of their commit, or not at all."""
        (seq,) = (await keep(store, create_change(1, "zebra"), turns=1)).assigned
        stale = Change("memories", seq, {"revision": 9}, {"state": "x", "revision": 10})
        await expect_error(Conflict, keep(store, create_change(1, "lion"), stale, turns=5))
        await expect_error(InvalidInput, keep(store, create_change(1, "tiger"), tag_change(99, "x"), turns=5))

        assert [[NOW, 1]] == await clock(store, "turns")

    async def test_clocks_are_beside_the_log(self, store: Store) -> None:
        """What was heard and covered is not in the history and stays where its commit is undone."""
        cause = Cause("learn", NOW, "a" * 32, turns=2)
        await store.commit(SCOPE, [create_change(1, "zebra")], cause)
        await cover(store, SCOPE, (NOW, NOW + 1))
        (part,) = await store.history(SCOPE)
        await keep(store, *inverses(part.changes), verb="undo")

        assert replace(cause, turns=0) == part.cause
        assert [[NOW, 2]] == await clock(store, "turns")
        assert [[NOW, NOW + 1]] == await clock(store, "active")
        assert [] == await find_damage(store)

    async def test_an_unknown_clock_is_refused(self, store: Store) -> None:
        """The wall's clock is nobody's to ask for; a scope never written to has empty clocks."""
        wall = frozenset({"wall"})
        await expect_error(NameUnknown, store.bookkeep(SCOPE, Bookkeeping(NOW, clocks=wall)))
        await expect_error(NameUnknown, store.snapshot(SCOPE, SnapshotRequest(frozenset(), clocks=wall), NOW))

        assert [[], []] == [await clock(store, name) for name in ("active", "turns")]

    async def test_bookkeeping_is_not_audited(self, store: Store) -> None:
        """Values and leases leave no part in the history and do not move the position."""
        commit = await keep(store, create_change(1, "a a"))
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"x": 1}, lease=("curate", "a", NOW + 10)))

        assert 1 == len(await store.history(SCOPE))
        assert commit.position == (await store.snapshot(SCOPE, SnapshotRequest(frozenset()), NOW)).position

    async def test_a_lease_is_held_by_one(self, store: Store) -> None:
        """While one holds it, another is refused."""
        assert await lease(store, "ann", NOW, NOW + LONG) is not None
        assert await lease(store, "bob", NOW + LONG - 1, NOW + 2 * LONG) is None

    async def test_nothing_is_written_with_a_lease_that_is_refused(self, store: Store) -> None:
        """Values, counters and spans come with it or not at all; what is asked for is answered either way."""
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"x": 1, "y": 1}))
        first, second = [
            await store.bookkeep(
                SCOPE,
                Bookkeeping(
                    NOW,
                    get=("x", "y"),
                    put={"x": value},
                    swap={"y": (value - 1, value)},
                    count={"n": 1},
                    counters=("n",),
                    lease=("curate", holder, NOW + LONG),
                ),
            )
            for holder, value in (("ann", 2), ("bob", 3))
        ]

        assert first.fence is not None
        assert second.fence is None
        assert ({"x": 2, "y": 2}, {"n": 1}) == (dict(second.values), dict(second.counters))

    async def test_a_lease_is_renewed_by_its_holder(self, store: Store) -> None:
        """The same holder takes it again and keeps its fence."""
        first = await lease(store, "ann", NOW, NOW + LONG)
        again = await lease(store, "ann", NOW + LONG - 5, NOW + 2 * LONG)

        assert first == again
        assert await lease(store, "bob", NOW + LONG + 5, NOW + 2 * LONG) is None

    async def test_a_lease_that_a_clock_set_back_left_far_ahead_is_free(self, store: Store) -> None:
        """Nobody holds one for so much longer than it is asked for; the clock of a server is set back by nobody."""
        if has_own_clock(store):
            pytest.skip("leases of this store go by its own clock")
        first = await lease(store, "ann", NOW + 1_000, NOW + 1_010)
        second = await lease(store, "bob", NOW, NOW + 10)

        assert first is not None
        assert second == first + 1

    async def test_an_expired_lease_is_free(self, store: Store) -> None:
        """At its end a lease may be taken, with a higher fence, and the old holder is refused then."""
        first = await lease(store, "ann", NOW, NOW + SHORT)
        await let_pass(store, SHORT)
        second = await lease(store, "bob", NOW + SHORT, NOW + LONG)

        assert first is not None
        assert second is not None
        assert first < second
        assert await lease(store, "ann", NOW + SHORT + 1, NOW + LONG) is None

    async def test_a_released_lease_is_free_and_its_fence_rises(self, store: Store) -> None:
        """Its holder gives it back; the next one's fence is still higher."""
        first = await lease(store, "ann", NOW, NOW + LONG)
        await store.bookkeep(SCOPE, Bookkeeping(NOW + 1, release=("curate", "bob")))
        assert await lease(store, "bob", NOW + 1, NOW + LONG) is None
        await store.bookkeep(SCOPE, Bookkeeping(NOW + 2, release=("curate", "ann")))
        second = await lease(store, "bob", NOW + 2, NOW + LONG)

        assert first is not None
        assert second is not None
        assert first < second

    async def test_a_closed_store_says_so(self, store: Store) -> None:
        """After close every method raises StoreUnavailable; closing twice is allowed."""
        await store.close()
        await store.close()
        await expect_error(StoreUnavailable, store.get(SCOPE, [1]))
        await expect_error(StoreUnavailable, store.snapshot(SCOPE, SnapshotRequest(frozenset()), NOW))
        await expect_error(StoreUnavailable, keep(store, Change("tags", (1, "x"), None, {})))
        error = await expect_error(StoreUnavailable, store.bookkeep(SCOPE, Bookkeeping(NOW)))

        assert error.recovery

    async def test_counters_add_up(self, store: Store) -> None:
        """By commits and by bookkeeping alike; they are answered by how their names begin, and stay in their scope."""
        await keep(store, create_change(1, "one"), counts={"gate/secret": 2, "spend": 5})
        await keep(store, counts={"gate/secret": 1})
        books = await store.bookkeep(
            SCOPE, Bookkeeping(NOW, count={"gate/forbidden": 4, "gatf": 1}, counters=("gate/",))
        )
        other = await store.bookkeep("other", Bookkeeping(NOW, counters=("gate/", "s")))
        spent = await store.bookkeep(SCOPE, Bookkeeping(NOW, counters=("s",)))

        assert {"gate/forbidden": 4, "gate/secret": 3} == dict(books.counters)
        assert ({}, {"spend": 5}) == (dict(other.counters), dict(spent.counters))

    async def test_a_counter_that_comes_to_nothing_is_gone(self, store: Store) -> None:
        """By a commit as by bookkeeping, and it counts again from nothing."""
        await keep(store, create_change(1, "one"), counts={"waiting/a": 2, "waiting/b": 1, "waiting/c": 0})
        await keep(store, counts={"waiting/b": -1})
        await store.bookkeep(SCOPE, Bookkeeping(NOW, count={"waiting/a": -2}))
        books = await store.bookkeep(SCOPE, Bookkeeping(NOW, counters=("waiting/",)))
        again = await store.bookkeep(SCOPE, Bookkeeping(NOW, count={"waiting/a": 1}, counters=("waiting/",)))

        assert ({}, {"waiting/a": 1}) == (dict(books.counters), dict(again.counters))

    async def test_a_repeated_commit_counts_once(self, store: Store) -> None:
        """A part that was written already adds nothing to counters, and puts no values."""
        cause = make_cause(counts={"gate/secret": 1}, values={"cursor/a": {"seq": 1}})
        await store.commit(SCOPE, [create_change(1, "one")], cause)
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"cursor/a": {"seq": 7}}))
        await store.commit(SCOPE, [create_change(1, "one")], cause)
        books = await store.bookkeep(SCOPE, Bookkeeping(NOW, counters=("gate/",), under=("cursor/",)))

        assert ({"gate/secret": 1}, {"cursor/a": {"seq": 7}}) == (dict(books.counters), dict(books.values))

    async def test_values_are_put_together_with_what_is_committed(self, store: Store) -> None:
        """Both or neither: a commit in conflict puts nothing; None takes a value away."""
        (a,) = (
            await keep(store, create_change(1, "one"), values={"cursor/a": {"seq": 1}, "cursor/b": 2})
        ).assigned
        await expect_error(Conflict, keep(store, create_change(1, "one"), values={"cursor/a": {"seq": a}}))
        await keep(store, create_change(1, "two"), values={"cursor/b": None})
        books = await store.bookkeep(SCOPE, Bookkeeping(NOW, under=("cursor/",)))
        parts = await store.history(SCOPE)

        assert {"cursor/a": {"seq": 1}} == dict(books.values)
        assert [{}, {}] == [dict(part.cause.values) for part in parts]
        assert [] == await find_damage(store)
