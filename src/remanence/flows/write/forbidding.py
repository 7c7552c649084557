"""The texts that are refused, as `memory.forbidden`. Knows them by hash; `forget` with `forbid` adds to them."""

from remanence.core.claim import Forbidden
from remanence.core.model import OneMemory
from remanence.core.receipt import Receipt
from remanence.core.signatures import checked_class
from remanence.flows.base.context import Core
from remanence.flows.write import gating


@checked_class
class ForbiddenTexts:
    """The texts that are refused, whoever says them: `memory.forbidden`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def lift(self, *names: OneMemory) -> Receipt:
        """Allow forbidden texts again, named by their memories or by the hashes that `forbidden.list` gives."""
        return await gating.lift(self._core, names)

    async def list(self) -> list[Forbidden]:
        """List the texts that are forbidden: the hash of each, since when, and which memory said it."""
        return await self._core.store.forbidden(self._core.scope)
