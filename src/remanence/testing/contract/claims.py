"""What memories claim, what is forbidden, and counters: how commits write them and how they are read."""

import pytest

from remanence.core.change import Change
from remanence.core.claim import Claim, Forbidden
from remanence.core.errors import Conflict, InvalidInput
from remanence.core.model import COMING_BACK, KEYING
from remanence.store.base import Bookkeeping, Find, Store
from remanence.testing.builders import (
    NOW,
    SCOPE,
    claim_change,
    create_change,
    destroy_changes,
    expect_error,
    keep,
    make_cause,
    one,
    tag_change,
    update_change,
)
from remanence.testing.dump import dump
from remanence.text.folding import fold_keys

OPENS = ("market hall", "opens")


def ends(claim: Claim, by: int, at: int = NOW) -> Change:
    """Let a claim hold no longer, by the claim of another memory."""
    return Change(
        "claims", claim.key, {"valid_to": None, "replaced_by": None}, {"valid_to": at, "replaced_by": by}
    )


class ClaimContract:
    """Claims hang on memories, and what is forbidden on the scope; counters only ever add up."""

    async def test_claims_are_read_by_memory_and_by_what_they_are_about(self, store: Store) -> None:
        """In order of memory and number, each as it was written; of another scope none."""
        a, b = (
            await keep(
                store,
                create_change(1, "the market hall opens at seven"),
                create_change(2, "the market hall opens at eight, the toll is five"),
                claim_change(-1, 1, *OPENS, "seven", valid_from=NOW),
                claim_change(-2, 1, *OPENS, "eight"),
                claim_change(-2, 2, "toll", "is", "five"),
            )
        ).assigned
        await keep(store, create_change(1, "elsewhere"), claim_change(-1, 1, *OPENS, "noon"), scope="other")
        first, second = Claim(a, 1, *OPENS, "seven", valid_from=NOW), Claim(b, 1, *OPENS, "eight")
        toll = Claim(b, 2, "toll", "is", "five")

        assert [first, second, toll] == await store.claims(SCOPE, [b, a, b, 10**9])
        assert [first, second] == await store.find_latest_claims(
            SCOPE, [OPENS, ("market hall", "closes"), OPENS], 9
        )
        assert [first, second, toll] == await store.find_latest_claims(SCOPE, [("toll", "is"), OPENS], 9)
        assert [second, toll] == await store.find_latest_claims(SCOPE, [("toll", "is"), OPENS], 1)
        assert [] == await store.find_latest_claims(SCOPE, [], 9)
        assert [] == await store.claims("nowhere", [a])

    async def test_a_claim_is_replaced_by_one_that_comes_in_the_same_commit(self, store: Store) -> None:
        """The placeholder of what replaces it becomes that memory's number; an unknown one is refused."""
        (a,) = (await keep(store, create_change(1, "old"), claim_change(-1, 1, *OPENS, "seven"))).assigned
        (old,) = await store.claims(SCOPE, [a])
        (b,) = (
            await keep(store, create_change(1, "new"), claim_change(-1, 1, *OPENS, "eight"), ends(old, -1))
        ).assigned
        await expect_error(
            InvalidInput, keep(store, claim_change(a, 2, "toll", "is", "five", replaced_by=-1))
        )

        assert [Claim(a, 1, *OPENS, "seven", valid_to=NOW, replaced_by=b)] == await store.claims(SCOPE, [a])

    async def test_a_claim_that_is_no_longer_so_is_a_conflict(self, store: Store) -> None:
        """Nothing is written where a claim is otherwise, gone, or there already."""
        (a,) = (await keep(store, create_change(1, "old"), claim_change(-1, 1, *OPENS, "seven"))).assigned
        (old,) = await store.claims(SCOPE, [a])
        await keep(store, ends(old, a))
        before = await dump(store, SCOPE)
        missing_claim = Claim(a, 7, *OPENS, "nine")
        conflicts = [
            await expect_error(Conflict, keep(store, change))
            for change in (ends(old, a), ends(missing_claim, a), claim_change(a, 1, *OPENS, "eight"))
        ]

        assert [[("claims", (a, number))] for number in (1, 7, 1)] == [list(one.keys) for one in conflicts]
        assert before == await dump(store, SCOPE)

    async def test_a_claim_revises_its_memory(self, store: Store) -> None:
        """Whoever read a memory before must read it again once it claims something else; its neighbours need not."""
        a, b = (await keep(store, create_change(1, "old"), create_change(2, "other"))).assigned
        await keep(store, claim_change(a, 1, *OPENS, "seven"))

        assert (2, 1) == ((await one(store, a)).revision, (await one(store, b)).revision)

    async def test_claims_go_with_their_memory(self, store: Store) -> None:
        """A memory that claims something is destroyed together with its claims or not at all; so is what claims."""
        (a,) = (await keep(store, create_change(1, "old"), claim_change(-1, 1, *OPENS, "seven"))).assigned
        (claim,) = await store.claims(SCOPE, [a])
        memory = await one(store, a)
        await expect_error(InvalidInput, keep(store, *destroy_changes(memory)))
        await expect_error(InvalidInput, keep(store, claim_change(a + 10**6, 1, *OPENS, "six")))
        await keep(store, Change("claims", claim.key, claim.values, None), *destroy_changes(memory))

        assert ([], [None]) == (await store.claims(SCOPE, [a]), await store.get(SCOPE, [a]))

    async def test_claims_are_in_the_audit_of_their_memory(self, store: Store) -> None:
        """A creation by its key, an update by what changed, a destruction whole."""
        (a,) = (await keep(store, create_change(1, "old"), claim_change(-1, 1, *OPENS, "seven"))).assigned
        (old,) = await store.claims(SCOPE, [a])
        await keep(store, ends(old, a))
        (new,) = await store.claims(SCOPE, [a])
        await keep(store, Change("claims", new.key, {}, None))
        parts = await store.history(SCOPE, memory=a)
        changes = [change for part in parts for change in part.changes if change.table == "claims"]

        assert [
            Change("claims", (a, 1), None, {}),
            ends(old, a),
            Change("claims", (a, 1), new.values, None),
        ] == changes
        assert all(check.ok for check in await store.check())

    async def test_what_is_forbidden_belongs_to_the_scope(self, store: Store) -> None:
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

    async def test_what_is_forbidden_is_lifted_and_logged(self, store: Store) -> None:
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

    @pytest.mark.parametrize("verb", sorted(KEYING))
    async def test_a_key_stands_beside_what_says_the_same(self, store: Store, verb: str) -> None:
        """Put or imported, also together; without a key, or learned with one, a text in sight is refused."""
        await keep(store, create_change(1, "the gate is open"))
        equal = [create_change(n, "the gate is open", key=f"k{n}", id=f"{n:032x}") for n in (1, 2)]
        await keep(store, *equal, verb=verb)
        before = await dump(store, SCOPE)
        await expect_error(
            Conflict, keep(store, create_change(1, "the gate is open", id="a" * 32), verb=verb)
        )
        await expect_error(Conflict, keep(store, create_change(1, "the gate is open", id="a" * 32, key="k3")))

        assert before == await dump(store, SCOPE)
        assert 3 == len(await store.find(SCOPE, Find(limit=9)))

    async def test_a_forbidden_text_comes_in_by_no_commit(self, store: Store) -> None:
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
    async def test_a_forbidden_text_may_come_back(self, store: Store, verb: str) -> None:
        """Undo and restore bring back what was there, whatever was forbidden since."""
        (a,) = (await keep(store, create_change(1, "the gate is open"))).assigned
        forbidden = [Change("forbidden", fold, None, {"seq": a}) for fold in fold_keys("the gate is open")]
        await keep(store, update_change(await one(store, a), text="the gate is shut"), *forbidden)
        await keep(store, update_change(await one(store, a), text="the gate is open"), verb=verb)

        assert "the gate is open" == (await one(store, a)).text

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
        assert all(check.ok for check in await store.check())
