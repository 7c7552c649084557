"""What a store says of itself when it looks through what it holds."""

from remanence.core.change import Change
from remanence.core.model import Memory, Reason, Relation, Status
from remanence.store.base import Check
from remanence.store.capabilities import CHECKED, CheckedStore
from remanence_store_kit.builders import (
    archive_change,
    create_change,
    keep,
    link_change,
    one,
    prune_change,
    update_change,
)
from remanence_store_kit.contract.needs import needs


async def lineage(store: CheckedStore) -> Check:
    """Return what check says of superseded memories."""
    (lineage_check,) = [check for check in await store.check() if check.name == "lineage"]
    return lineage_check


def supersede_change(memory: Memory, reason: Reason = Reason.SUPERSEDED) -> Change:
    """Mark a memory as one whose place another took."""
    return update_change(memory, status=Status.SUPERSEDED, reason=reason)


@needs(CHECKED)
class CheckedContract:
    """A sound store says so, and advises where something wants attention."""

    async def test_an_empty_store_is_sound(self, store: CheckedStore) -> None:
        """Every check passes on a store that holds nothing, and says what it looked at."""
        checks = await store.check()

        assert [] == [check for check in checks if not check.ok]
        assert all(check.name and check.detail for check in checks)

    async def test_what_has_no_successor_left_is_advice(self, store: CheckedStore) -> None:
        """A superseded memory whose chain of successors ends in pruned ones or in nothing is told, and is no damage."""
        texts = [create_change(k, f"text {k}", status=Status.ACTIVE) for k in range(1, 9)]
        a, b, c, d, e, f, g, h = (await keep(store, *texts)).assigned
        chain = [link_change(new, old, Relation.SUPERSEDES) for new, old in ((b, a), (c, b), (e, d), (h, g))]
        fallen = [supersede_change(await one(store, seq)) for seq in (a, d, f, g)]
        merge = supersede_change(await one(store, b), Reason.MERGED)
        await keep(store, *chain, link_change(c, f, Relation.SUPPORTS), *fallen, merge, verb="supersede")
        await keep(
            store, archive_change(await one(store, h)), prune_change(await one(store, e)), verb="curate"
        )
        before = await lineage(store)
        await keep(store, prune_change(await one(store, c)), verb="curate")
        after = await lineage(store)

        told = "the memories that replaced these are deleted"

        assert [True, True] == [before.ok, after.ok]
        # A store of several files says first in which one.
        assert f": {before.detail}".endswith(f": {d}, {f}: {told}")
        assert before.advice
        assert f": {after.detail}".endswith(f": {a}, {d}, {f}: {told}")

    async def test_successors_in_place_need_no_advice(self, store: CheckedStore) -> None:
        """A chain of successors that ends in a memory in sight or archived is well, and so is a merged duplicate."""
        texts = [create_change(k, f"text {k}", status=Status.ACTIVE) for k in range(1, 5)]
        a, b, c, d = (await keep(store, *texts)).assigned
        links = link_change(b, a, Relation.SUPERSEDES), link_change(c, b, Relation.MERGED_FROM)
        fallen = supersede_change(await one(store, a)), supersede_change(await one(store, b), Reason.MERGED)
        await keep(
            store, *links, *fallen, supersede_change(await one(store, d), Reason.MERGED), verb="curate"
        )

        assert "" == (await lineage(store)).advice
