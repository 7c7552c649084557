"""The law that a file and a server come to the same, to the digests of their audit: chance is the same for both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from unittest.mock import patch
from uuid import UUID

from remanence.store.capabilities import FullStore
from remanence_store_kit import builders
from remanence_store_kit.policies import PolicyTables
from remanence_store_kit.worlds import World
from tests.laws.lab import ANY_NUMBER, SCOPE, Lab, lab
from tests.laws.laws import changes_of


async def file_and_server_agree(
    world: World, rules: PolicyTables, file: FullStore, server: FullStore
) -> None:
    """The same world gives the same plans, rows and digests, before a policy, after it and after its undo."""
    async with open_lab(world, file) as one, open_lab(world, server) as two:
        assert await read_digests(one) == await read_digests(two)
        plans = await one.plan(rules), await two.plan(rules)
        assert changes_of(plans[0].changes()) == changes_of(plans[1].changes())
        assert plans[0].digest == plans[1].digest
        receipts = await one.apply(plans[0]), await two.apply(plans[1])
        assert await one.dump() == await two.dump()
        assert await read_digests(one) == await read_digests(two)
        if receipts[0].changes:
            await one.engine.undo(receipts[0])
            await two.engine.undo(receipts[1])
        assert await one.dump() == await two.dump()
        assert await read_digests(one) == await read_digests(two)


@asynccontextmanager
async def open_lab(world: World, store: FullStore) -> AsyncIterator[Lab]:
    """Open an engine on a world, whose ids and runs are the same each time."""
    chance = Random(0)
    with patch.object(builders, "uuid4", lambda: UUID(bytes=chance.randbytes(16))):
        async with lab(world, store) as it:
            it.engine._core.random = chance.randbytes
            yield it


async def read_digests(it: Lab) -> list[str]:
    """Return the digest of each part of the audit, which stands for all that the part says and changed."""
    return [part.digest for part in await it.store.history(SCOPE, limit=ANY_NUMBER, rows=False)]
