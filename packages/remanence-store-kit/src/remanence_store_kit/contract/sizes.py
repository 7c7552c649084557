"""What a store says of how much a scope holds."""

from remanence.store.base import ScopeSize
from remanence.store.capabilities import SIZES, VECTORS, MeasuredStore, can
from remanence_store_kit.builders import SCOPE, create_change, keep, one, prune_change
from remanence_store_kit.contract.needs import needs


@needs(SIZES)
class SizeContract:
    """Memories and bytes are counted scope by scope."""

    async def test_a_scope_is_measured_by_itself(self, store: MeasuredStore) -> None:
        """Memories of every status, the bytes of their texts in UTF-8 and of their vectors; nothing of others."""
        vector = bytes(8) if can(store, VECTORS) else b""
        creations = create_change(1, "Käse", vector=vector or None), create_change(2, "Brot")
        seq, _ = (await keep(store, *creations)).assigned
        await keep(store, create_change(1, "elsewhere"), scope="another")
        await keep(store, prune_change(await one(store, seq)), verb="forget")

        assert {SCOPE: ScopeSize(2, 5 + 4 + len(vector)), "another": ScopeSize(1, 9)} == dict(
            await store.measure_scopes([SCOPE, "another"])
        )

    async def test_a_scope_that_nobody_wrote_to_is_empty(self, store: MeasuredStore) -> None:
        """It has a size all the same: none."""
        assert {"nobody's": ScopeSize(0, 0)} == dict(await store.measure_scopes(["nobody's"]))
        assert {} == dict(await store.measure_scopes([]))
