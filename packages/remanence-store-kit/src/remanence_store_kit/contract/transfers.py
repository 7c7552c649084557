"""What becomes of a scope that goes to another store, and comes back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from remanence.core.change import Change, Increment
from remanence.core.errors import Conflict, NotFound, StoreUnavailable
from remanence.core.model import Relation
from remanence.flows.scopes.moving import copy_rows
from remanence.store.base import Bookkeeping, EmbeddingRow, Find
from remanence.store.capabilities import BOXES, ERASABLE, TRANSFER, VECTORS, TransferStore, can
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    box_change,
    create_change,
    destroy_changes,
    find_damage,
    keep,
    link_change,
    one,
    source_change,
    tag_change,
    trace_change,
    update_change,
)
from remanence_store_kit.contract.needs import needs
from remanence_store_kit.dump import dump

PLACE = "elsewhere.db"


@asynccontextmanager
async def open_partner() -> AsyncIterator[TransferStore]:
    """Yield another store, which is empty."""
    partner = SqliteStore(":memory:")
    await partner.open()
    yield partner
    await partner.close()


async def read_all(store: Any) -> tuple[object, ...]:
    """Return all that a scope holds: rows, history, values and counters, what was purged."""
    asked = Bookkeeping(now=NOW, under=("setting/",), counters=("",), clocks=frozenset({"active", "turns"}))
    books = await store.bookkeep(SCOPE, asked)
    return (
        await dump(store, SCOPE),
        await store.history(SCOPE, limit=1_000),
        (books.values, books.counters, books.position),
        await store.find_purged_memories(SCOPE, [1, 2, 3, 4, 5, 6]),
    )


async def live(store: Any) -> None:
    """Let a scope have a past: rows of every table, updates, a purge, uses of one run, and an erasure."""
    vector = bytes(8) if can(store, VECTORS) else None
    creations = [create_change(k, f"boat number {k}", vector=vector, agent="ann") for k in range(1, 7)]
    attached = (tag_change(-1, "x"), tag_change(-1, "b"), source_change(-2, "turn"), link_change(-1, -2))
    a, b, c, d, e, _ = (await keep(store, *creations, *attached)).assigned
    values = {"key": "boat", "attributes": {"n": {"z": 1, "a": "Käse"}}, "confidence": 0.25, "thread": "t"}
    await keep(store, update_change(await one(store, b), **values), verb="update", actor="ann")
    await keep(store, update_change(await one(store, c), text="a boat renamed", key="other"), verb="update")
    await keep(store, *[link_change(c, seq, Relation.SUPPORTS) for seq in (a, b)], verb="link")
    await keep(store, *destroy_changes(await one(store, d)), verb="purge")
    await keep(store, *_use(a, b), verb="use", run="u" * 32, actor="bob")
    await keep(store, *_use(a), verb="use", extends=("u" * 32, 1), actor="bob")
    await store.bookkeep(
        SCOPE,
        Bookkeeping(
            now=NOW,
            put={"setting/x": {"b": 1}},
            count={"seen": 2},
            cover=(NOW, NOW + 5),
            lease=("run", "me", NOW + 9),
        ),
    )
    if can(store, VECTORS):
        mark = (await one(store, a)).fingerprint
        await store.embed(SCOPE, "model", [EmbeddingRow(a, mark, bytes(8))])
    if can(store, BOXES):
        await keep(store, box_change(a, [a, b], trace=a), trace_change(a), verb="box")
    if can(store, ERASABLE):
        await keep(store, *destroy_changes(await one(store, e)), verb="erase")


def _use(*seqs: int) -> list[Change]:
    return [Change("memories", seq, {"uses": Increment(-1)}, {"uses": Increment(1)}) for seq in seqs]


@needs(TRANSFER)
class TransferContract:
    """A scope goes to another store as it is, and is in one of them at every moment."""

    async def test_a_scope_comes_back_as_it_was(self, store: TransferStore) -> None:
        """Rows, history and all that is beside it are the same in another store, and here when they are back."""
        await live(store)
        before, content = await read_all(store), await store.read_content(SCOPE)
        async with open_partner() as partner:
            copied = await copy_rows(store, partner, SCOPE, moves=False)
            there = await read_all(partner)
            await store.remove_scope(SCOPE, content, PLACE)
            back = await copy_rows(partner, store, SCOPE, moves=False)

        assert content == copied == back
        assert before == there == await read_all(store)
        assert [] == await find_damage(store)

    async def test_what_was_erased_stays_away(self, store: TransferStore) -> None:
        """Another store refuses it, and so does this one when the scope is back."""
        if not can(store, ERASABLE):
            pytest.skip("this store erases nothing")
        await live(store)
        async with open_partner() as partner:
            content = await copy_rows(store, partner, SCOPE, moves=False)
            await store.remove_scope(SCOPE, content, PLACE)
            await copy_rows(partner, store, SCOPE, moves=False)
            for one_of_both in (partner, store):
                with pytest.raises(Conflict):
                    await keep(one_of_both, create_change(1, "boat number 5"))

    async def test_a_scope_that_moved_names_its_place(self, store: TransferStore) -> None:
        """Whoever reads or writes it is told where it is; the other scopes stay."""
        await keep(store, create_change(1, "a boat"))
        await keep(store, create_change(1, "another boat"), scope="other")
        await store.remove_scope(SCOPE, await store.read_content(SCOPE), PLACE)
        for verb in (
            store.find(SCOPE, Find()),
            store.get(SCOPE, [1]),
            store.history(SCOPE),
            store.bookkeep(SCOPE, Bookkeeping(now=NOW, put={"setting/x": 1})),
            keep(store, create_change(1, "late")),
        ):
            with pytest.raises(NotFound, match=PLACE):
                await verb

        assert ["other"] == [*await store.survey(())]
        assert 1 == len(await store.find("other", Find()))

    async def test_what_arrives_is_read_alone(self, store: TransferStore) -> None:
        """It is written over when it is sent again, and written to once it is settled."""
        async with open_partner() as partner:
            await keep(partner, create_change(1, "a boat"))
            await copy_rows(partner, store, SCOPE, moves=True)
            read = await store.find(SCOPE, Find())
            with pytest.raises(StoreUnavailable, match="is being moved here"):
                await keep(store, create_change(1, "too early"))
            with pytest.raises(StoreUnavailable, match="is being moved here"):
                await store.bookkeep(SCOPE, Bookkeeping(now=NOW, put={"setting/x": 1}))
            await keep(partner, create_change(1, "one more boat"))
            await copy_rows(partner, store, SCOPE, moves=True)
        unsettled = await store.survey(())
        await store.settle_scope(SCOPE)
        await store.settle_scope(SCOPE)
        result = await keep(store, create_change(1, "in time"))

        assert (["a boat"], {}) == ([memory.text for memory in read], dict(unsettled))
        assert (3, 2) == (result.position, result.follows)
        assert 3 == len(await store.find(SCOPE, Find()))

    async def test_something_else_is_not_written_over(self, store: TransferStore) -> None:
        """What is there stays; the same once more is left as it is."""
        await keep(store, create_change(1, "a boat"))
        async with open_partner() as partner:
            first = await copy_rows(store, partner, SCOPE, moves=False)
            again = await copy_rows(partner, store, SCOPE, moves=False)
            await keep(partner, create_change(1, "another"))
            with pytest.raises(Conflict, match="holds something else"):
                await copy_rows(partner, store, SCOPE, moves=False)

        assert first == again == await store.read_content(SCOPE)

    async def test_a_scope_that_went_on_is_not_removed(self, store: TransferStore) -> None:
        """What was written since it was copied would be lost."""
        await keep(store, create_change(1, "a boat"))
        was = await store.read_content(SCOPE)
        await keep(store, Change("tags", (1, "x"), None, {}), verb="tag")
        with pytest.raises(Conflict, match="was written to meanwhile"):
            await store.remove_scope(SCOPE, was, PLACE)

        assert 2 == (await store.read_content(SCOPE)).position
