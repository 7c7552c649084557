"""What is not memory: values by name, leases with fences, and a store that is closed."""

from remanence.change import Change
from remanence.errors import StoreUnavailable
from remanence.snapshot import Wanted
from remanence.store.base import Booked, Bookkeeping, Store
from remanence.testing.builders import NOW, SCOPE, created, keep, raised


async def lease(store: Store, holder: str, now: int, until: int) -> int | None:
    """Ask for the one lease of these tests; return its fence."""
    return (await store.bookkeep(SCOPE, Bookkeeping(now, lease=("curate", holder, until)))).fence


class BooksContract:
    """Bookkeeping is read and written beside the audit; leases are held by one at a time."""

    async def test_values_are_kept_by_name(self, store: Store) -> None:
        """JSON values come back as they were put; names without a value are left out; None deletes."""
        put = {"policy": {"name": "tidy", "n": [1, 2.5, None, True, "é"]}, "due_at": 2**53, "flag": False}
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put=put))
        names = ("policy", "due_at", "flag", "absent")

        assert Booked(put, None) == await store.bookkeep(SCOPE, Bookkeeping(NOW, get=names))
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"policy": None, "due_at": 3}))
        assert {"due_at": 3, "flag": False} == dict(
            (await store.bookkeep(SCOPE, Bookkeeping(NOW, get=names))).values
        )

    async def test_values_belong_to_a_scope(self, store: Store) -> None:
        """One scope's values and leases are not another's."""
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"x": 1}, lease=("curate", "a", NOW + 10)))
        other = await store.bookkeep("another", Bookkeeping(NOW, get=("x",), lease=("curate", "b", NOW + 10)))

        assert {} == dict(other.values)
        assert other.fence is not None

    async def test_bookkeeping_is_not_audited(self, store: Store) -> None:
        """Values and leases leave no part in the history and do not move the position."""
        done = await keep(store, created(1, "a a"))
        await store.bookkeep(SCOPE, Bookkeeping(NOW, put={"x": 1}, lease=("curate", "a", NOW + 10)))

        assert 1 == len(await store.history(SCOPE))
        assert done.position == (await store.snapshot(SCOPE, Wanted(frozenset()), NOW)).position

    async def test_a_lease_is_held_by_one(self, store: Store) -> None:
        """While one holds it, another is refused."""
        assert await lease(store, "ann", NOW, NOW + 10) is not None
        assert await lease(store, "bob", NOW + 9, NOW + 20) is None

    async def test_a_lease_is_renewed_by_its_holder(self, store: Store) -> None:
        """The same holder takes it again and keeps its fence."""
        first = await lease(store, "ann", NOW, NOW + 10)
        again = await lease(store, "ann", NOW + 5, NOW + 15)

        assert first == again
        assert await lease(store, "bob", NOW + 12, NOW + 20) is None

    async def test_an_expired_lease_is_free(self, store: Store) -> None:
        """At its end a lease may be taken, with a higher fence, and the old holder is refused then."""
        first = await lease(store, "ann", NOW, NOW + 10)
        second = await lease(store, "bob", NOW + 10, NOW + 20)

        assert first is not None
        assert second is not None
        assert first < second
        assert await lease(store, "ann", NOW + 11, NOW + 21) is None

    async def test_a_released_lease_is_free_and_its_fence_rises(self, store: Store) -> None:
        """Its holder gives it back; the next one's fence is still higher."""
        first = await lease(store, "ann", NOW, NOW + 10)
        await store.bookkeep(SCOPE, Bookkeeping(NOW + 1, release=("curate", "bob")))
        assert await lease(store, "bob", NOW + 1, NOW + 11) is None
        await store.bookkeep(SCOPE, Bookkeeping(NOW + 2, release=("curate", "ann")))
        second = await lease(store, "bob", NOW + 2, NOW + 12)

        assert first is not None
        assert second is not None
        assert first < second

    async def test_a_scope_that_holds_something_is_listed(self, store: Store) -> None:
        """Scopes are listed by name, those never written to are not."""
        assert [] == await store.scopes()
        for scope in ("b", "a"):
            await keep(store, created(1, "a a", id=scope * 32), scope=scope)

        assert ["a", "b"] == sorted(await store.scopes())

    async def test_an_empty_store_is_sound(self, store: Store) -> None:
        """Every check passes on a store that holds nothing, and says what it looked at."""
        checks = await store.check()

        assert [] == [check for check in checks if not check.ok]
        assert all(check.name and check.detail for check in checks)

    async def test_a_closed_store_says_so(self, store: Store) -> None:
        """After close every method raises StoreUnavailable; closing twice is allowed."""
        await store.close()
        await store.close()
        await raised(StoreUnavailable, store.get(SCOPE, [1]))
        await raised(StoreUnavailable, store.snapshot(SCOPE, Wanted(frozenset()), NOW))
        await raised(StoreUnavailable, keep(store, Change("tags", (1, "x"), None, {})))
        error = await raised(StoreUnavailable, store.bookkeep(SCOPE, Bookkeeping(NOW)))

        assert error.recovery
