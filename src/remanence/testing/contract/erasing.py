"""What an erasure takes away and leaves: rows, images, the chain of the audit, and what is refused from then on."""

from remanence.core.change import Change
from remanence.core.errors import Conflict
from remanence.core.model import COMING_BACK
from remanence.store.base import LedgerFindings, Store
from remanence.store.erasure import ERASE, of_fold, of_id, of_seq
from remanence.testing.builders import (
    NOW,
    SCOPE,
    because,
    create_change,
    expect_error,
    keep,
    one,
    tag_change,
    update_change,
)
from remanence.text.folding import fold_keys

TEXT, FORMER = "the pier is painted blue", "the pier is painted green"


async def erase_one_memory(store: Store) -> tuple[int, int, str]:
    """Keep two memories, change both in one part, erase one of them; return both numbers and the id that went."""
    said, other = (await keep(store, create_change(1, FORMER), create_change(2, "the toll is five"))).assigned
    memory, beside = await one(store, said), await one(store, other)
    changes = [
        update_change(memory, text=TEXT),
        update_change(beside, importance=0.5),
        tag_change(said, "boats"),
    ]
    await store.commit(SCOPE, changes, because("update"))
    gone = [Change("memories", said, {"revision": 2}, None), Change("tags", (said, "boats"), {}, None)]
    await store.commit(SCOPE, gone, because(ERASE))
    return said, other, memory.id


class ErasingContract:
    """What was erased has no row and no image, and the chain is proven all the same."""

    async def test_an_erased_memory_has_no_row_and_no_image(self, store: Store) -> None:
        """What changed beside it in the same part is still told; each part has its count and digest."""
        said, other, _ = await erase_one_memory(store)
        parts = await store.history(SCOPE)
        told = [(change.table, change.key) for part in parts for change in part.changes]
        mine = [change for part in await store.history(SCOPE, memory=said) for change in part.changes]
        checks = await store.check()

        assert [None] == await store.get(SCOPE, [said])
        assert [("memories", other), ("memories", other), ("memories", said)] == told
        assert [Change("memories", said, {}, None)] == mine
        assert [2, 3, 1] == [part.count for part in parts]
        assert [] == [check for check in checks if not check.ok]

    async def test_what_was_erased_is_known_again(self, store: Store) -> None:
        """By number, by id and by every text that it had; in its scope, and from when on."""
        said, other, id_ = await erase_one_memory(store)
        folds = [fold_keys(text)[0] for text in (TEXT, FORMER, "the toll is five")]
        asked = [of_seq(said), of_seq(other), of_id(id_), *map(of_fold, folds)]
        known = await store.find_erased_names(SCOPE, asked)

        assert {of_seq(said), of_id(id_), *map(of_fold, folds[:2])} == known.keys()
        assert {NOW} == set(known.values())
        assert {} == await store.find_erased_names("other", asked)
        assert [True, True] == [found.is_erased for found in await store.forbidden(SCOPE, folds)]
        assert [] == await store.forbidden(SCOPE)

    async def test_what_was_erased_never_comes_in_again(self, store: Store) -> None:
        """Neither a text that it had nor its id, by any verb, one that brings things back among them."""
        _, other, id_ = await erase_one_memory(store)
        fresh = create_change(1, "something else")
        named = Change("memories", -1, None, {**(fresh.after or {}), "id": id_})
        beside = await one(store, other)
        for verb in sorted({"learn", *COMING_BACK}):
            for change in (
                create_change(1, TEXT),
                create_change(1, FORMER),
                named,
                update_change(beside, text=TEXT),
            ):
                await expect_error(Conflict, store.commit(SCOPE, [change], because(verb)))
        await store.commit("other", [create_change(1, TEXT)], because("learn"))

        assert (await store.clean()).found == ()

    async def test_a_store_that_nothing_took_the_place_of_has_nothing_back(self, store: Store) -> None:
        """The ledger, where one is kept, says what the store knows."""
        await erase_one_memory(store)
        await store.clean()

        assert LedgerFindings() == await store.compare_ledgers()
        assert await store.take_ledgers()
        assert LedgerFindings() == await store.compare_ledgers()
