"""What memories claim: how commits write it and how it is read."""

from remanence.core.change import Change
from remanence.core.claim import Claim
from remanence.core.errors import Conflict, InvalidInput
from remanence.store.capabilities import CLAIMS, ClaimStore
from remanence.testing.builders import (
    NOW,
    SCOPE,
    claim_change,
    create_change,
    destroy_changes,
    expect_error,
    find_damage,
    keep,
    one,
)
from remanence.testing.contract.needs import needs
from remanence.testing.dump import dump

OPENS = ("market hall", "opens")


def ends(claim: Claim, by: int, at: int = NOW) -> Change:
    """Let a claim hold no longer, by the claim of another memory."""
    return Change(
        "claims", claim.key, {"valid_to": None, "replaced_by": None}, {"valid_to": at, "replaced_by": by}
    )


@needs(CLAIMS)
class ClaimContract:
    """Claims hang on memories, are read by what they are about, and go with their memories."""

    async def test_claims_are_read_by_memory_and_by_what_they_are_about(self, store: ClaimStore) -> None:
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

    async def test_a_claim_is_replaced_by_one_that_comes_in_the_same_commit(self, store: ClaimStore) -> None:
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

    async def test_a_claim_that_is_no_longer_so_is_a_conflict(self, store: ClaimStore) -> None:
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

    async def test_a_claim_revises_its_memory(self, store: ClaimStore) -> None:
        """Whoever read a memory before must read it again once it claims something else; its neighbours need not."""
        a, b = (await keep(store, create_change(1, "old"), create_change(2, "other"))).assigned
        await keep(store, claim_change(a, 1, *OPENS, "seven"))

        assert (2, 1) == ((await one(store, a)).revision, (await one(store, b)).revision)

    async def test_claims_go_with_their_memory(self, store: ClaimStore) -> None:
        """A memory that claims something is destroyed together with its claims or not at all; so is what claims."""
        (a,) = (await keep(store, create_change(1, "old"), claim_change(-1, 1, *OPENS, "seven"))).assigned
        (claim,) = await store.claims(SCOPE, [a])
        memory = await one(store, a)
        await expect_error(InvalidInput, keep(store, *destroy_changes(memory)))
        await expect_error(InvalidInput, keep(store, claim_change(a + 10**6, 1, *OPENS, "six")))
        await keep(store, Change("claims", claim.key, claim.values, None), *destroy_changes(memory))

        assert ([], [None]) == (await store.claims(SCOPE, [a]), await store.get(SCOPE, [a]))

    async def test_claims_are_in_the_audit_of_their_memory(self, store: ClaimStore) -> None:
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
        assert [] == await find_damage(store)
