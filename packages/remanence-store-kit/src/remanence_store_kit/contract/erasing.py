"""What an erasure takes away, what is refused from then on, and what is forbidden without having been erased."""

import asyncio
from contextlib import suppress

import pytest

from remanence.core.change import Change
from remanence.core.errors import Conflict
from remanence.core.forbidden import Forbidden
from remanence.core.model import COMING_BACK
from remanence.store.base import Store
from remanence.store.capabilities import ERASABLE, ErasableStore
from remanence.store.erasure import ERASE, of_fold, of_id, of_seq
from remanence.text.forbidden_keys import fold_keys
from remanence_store_kit.builders import (
    NOW,
    SCOPE,
    create_change,
    destroy_changes,
    expect_error,
    find_damage,
    keep,
    make_cause,
    one,
    tag_change,
    update_change,
)
from remanence_store_kit.contract.needs import needs
from remanence_store_kit.contract.writers import ROUNDS, SecondWriter, at_once
from remanence_store_kit.dump import dump

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
    await store.commit(SCOPE, changes, make_cause("update"))
    gone = [Change("memories", said, {"revision": 2}, None), Change("tags", (said, "boats"), {}, None)]
    await store.commit(SCOPE, gone, make_cause(ERASE))
    return said, other, memory.id


@needs(ERASABLE)
class ErasableContract(SecondWriter):
    """What was erased has no row and no image and never comes in again; nor does what is forbidden."""

    async def test_an_erased_memory_has_no_row_and_no_image(self, store: ErasableStore) -> None:
        """What changed beside it in the same part is still told; each part has its count and digest."""
        said, other, _ = await erase_one_memory(store)
        parts = await store.history(SCOPE)
        told = [(change.table, change.key) for part in parts for change in part.changes]
        mine = [change for part in await store.history(SCOPE, memory=said) for change in part.changes]

        assert [None] == await store.get(SCOPE, [said])
        assert [("memories", other), ("memories", other), ("memories", said)] == told
        assert [Change("memories", said, {}, None)] == mine
        assert [2, 3, 1] == [part.count for part in parts]
        assert [] == await find_damage(store)

    async def test_what_was_erased_is_known_again(self, store: ErasableStore) -> None:
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

    async def test_what_was_erased_never_comes_in_again(self, store: ErasableStore) -> None:
        """Neither a text that it had, also in disguise, nor its id, by any verb, also one that brings things back."""
        _, other, id_ = await erase_one_memory(store)
        fresh = create_change(1, "something else")
        named = Change("memories", -1, None, {**(fresh.after or {}), "id": id_})
        beside = await one(store, other)
        for verb in sorted({"learn", *COMING_BACK}):
            for change in (
                create_change(1, TEXT),
                create_change(1, FORMER),
                create_change(1, " ".join(TEXT)),
                named,
                update_change(beside, text=TEXT),
            ):
                await expect_error(Conflict, store.commit(SCOPE, [change], make_cause(verb)))
        await store.commit("other", [create_change(1, TEXT)], make_cause("learn"))

        assert (await store.clean(SCOPE)).found == ()

    async def test_what_is_forbidden_belongs_to_the_scope(self, store: ErasableStore) -> None:
        """It is known by its fold, since the commit, and stays when the memory that said it goes."""
        (a,) = (await keep(store, create_change(1, "a secret"))).assigned
        await keep(
            store, Change("forbidden", "ab" * 16, None, {"seq": a}), Change("forbidden", "cd" * 16, None, {})
        )
        await keep(store, *destroy_changes(await one(store, a)))
        first, second = Forbidden("ab" * 16, NOW, a), Forbidden("cd" * 16, NOW)

        assert [first, second] == await store.forbidden(SCOPE)
        assert [second] == await store.forbidden(SCOPE, ["cd" * 16, "ef" * 16])
        assert [] == await store.forbidden(SCOPE, [])
        assert [] == await store.forbidden("other")

    async def test_what_is_forbidden_is_lifted_and_logged(self, store: ErasableStore) -> None:
        """Forbidden twice is a conflict; lifted, it is whole in the audit, which no memory's history shows."""
        (a,) = (await keep(store, create_change(1, "a secret"))).assigned
        forbid = Change("forbidden", "ab" * 16, None, {"seq": a})
        await keep(store, forbid)
        conflict = await expect_error(Conflict, keep(store, forbid))
        await keep(store, Change("forbidden", "ab" * 16, {"seq": a}, None))
        changes = [change for part in await store.history(SCOPE) for change in part.changes]

        assert [("forbidden", "ab" * 16)] == list(conflict.keys)
        assert [] == await store.forbidden(SCOPE)
        assert [
            Change("forbidden", "ab" * 16, None, {}),
            Change("forbidden", "ab" * 16, {"at": NOW, "seq": a}, None),
        ] == [change for change in changes if change.table == "forbidden"]
        assert 1 == len(await store.history(SCOPE, memory=a))

    async def test_a_forbidden_text_comes_in_by_no_commit(self, store: ErasableStore) -> None:
        """Neither new nor in the place of another text, in none of its looks; what else is written is not looked at."""
        (a,) = (await keep(store, create_change(1, "the gate is open"))).assigned
        folds = fold_keys("The moon is a lamp")
        await keep(store, *(Change("forbidden", fold, None, {"seq": a}) for fold in folds))
        memory, before = await one(store, a), await dump(store, SCOPE)
        new = await expect_error(
            Conflict, keep(store, create_change(1, "the moon is A LAMP"), tag_change(a, "seen"))
        )
        other = await expect_error(
            Conflict, keep(store, update_change(memory, text="The  m\u043e\u043en is a lamp."))
        )

        assert [("forbidden", fold) for fold in sorted(folds)] == sorted({*new.keys, *other.keys})
        assert before == await dump(store, SCOPE)
        await keep(store, update_change(memory, importance=0.5), create_change(1, "the moon is a lamp post"))
        await keep(store, create_change(1, "the moon is a lamp"), scope="other")

    @pytest.mark.parametrize("verb", sorted(COMING_BACK))
    async def test_a_forbidden_text_may_come_back(self, store: ErasableStore, verb: str) -> None:
        """Undo and restore bring back what was there, whatever was forbidden since."""
        (a,) = (await keep(store, create_change(1, "the gate is open"))).assigned
        forbidden = [Change("forbidden", fold, None, {"seq": a}) for fold in fold_keys("the gate is open")]
        await keep(store, update_change(await one(store, a), text="the gate is shut"), *forbidden)
        await keep(store, update_change(await one(store, a), text="the gate is open"), verb=verb)

        assert "the gate is open" == (await one(store, a)).text

    async def test_no_text_slips_in_beside_its_forbidding(
        self, store: ErasableStore, other: ErasableStore
    ) -> None:
        """Who looked before a text was forbidden, and commits after, is refused: nobody else looks at that moment."""
        text, folds = "the moon is a lamp", fold_keys("the moon is a lamp")
        start = asyncio.Event()

        async def learn(to: ErasableStore, who: str) -> None:
            for k in range(ROUNDS):
                if await to.forbidden(SCOPE, folds):
                    return
                await asyncio.sleep(0)
                mark = f"{who} {k}".encode()
                with suppress(Conflict):
                    await keep(to, create_change(1, text, id=mark.hex(), fingerprint=mark), run=mark.hex())
                start.set()

        async def forbid() -> None:
            await start.wait()
            await keep(other, *(Change("forbidden", fold, None, {}) for fold in folds), run="forbid")

        await at_once(lambda: learn(store, "a"), lambda: learn(store, "b"), lambda: learn(other, "c"), forbid)
        runs = [part.cause.run for part in await store.history(SCOPE)]

        assert "forbid" == runs[-1]
