"""What is settled with a store at each opening, before the first verb: its ledgers, and the salt of the scope.

Knows what a file that was copied may hold; must not know how anything is erased.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import Literal

from remanence.core.errors import Conflict, NotFound, format_value, suggest
from remanence.core.results import number
from remanence.flows.base.context import RACES_MAX, Core, wait_before_retry
from remanence.store.base import Bookkeeping

LOG = logging.getLogger("remanence")
SALT = "gate/salt"  # made once for each scope; no export holds it
SALT_BYTES = 16

Answer = Literal["refuse", "look", "erase"]
NewScope = Literal["make", "refuse"]


async def compare_ledgers(core: Core) -> None:
    """Look whether the file that is to be opened holds what was erased since, and refuse it unless asked otherwise."""
    found = await core.store.compare_ledgers()
    core.unsettled = None if found.is_settled else found
    if not found.is_settled and core.erased_since == "refuse":
        raise found.refusal()


async def settle_ledgers(core: Core, erase_again: Callable[[Core], Awaitable[int]]) -> None:
    """Let a file that is open and its ledgers learn from each other, or refuse it where it holds what they name."""
    if core.unsettled is not None and core.erased_since == "erase":
        erased = await erase_again(core)
        LOG.warning("this is an older copy: erased again, as since: %s", number(erased, "memory", "memories"))
        return
    for attempt in range(RACES_MAX):
        found = await core.store.compare_ledgers()
        if not found.is_settled:
            raise found.refusal()
        if not found.is_due or await core.store.take_ledgers(core.scope):
            return
        await wait_before_retry(attempt, Conflict([], "the ledgers change all the time"))


async def refuse_new_scope(core: Core, scope: str) -> None:
    """Raise NotFound where nobody ever wrote to a scope or opened it to write; nothing is made then."""
    surveys = await core.store.survey(())
    if scope in surveys:
        return
    held = await core.store.bookkeep(scope, Bookkeeping(core.clock.now(), get=(SALT,)))
    if not held.values:
        known = suggest(scope, [*surveys]) if surveys else "there is no scope yet"
        raise NotFound(
            f"no scope {format_value(scope)} here", recovery=f"{known} (the first text makes one: learn)"
        )


async def settle_salt(core: Core) -> None:
    """Take up the salt of the scope, made where there is none."""
    now = core.clock.now()
    asked = Bookkeeping(now, get=(SALT,))
    held = (await core.store.bookkeep(core.scope, asked)).values.get(SALT)
    if held is None:
        made = core.random(SALT_BYTES).hex()
        swapped = Bookkeeping(now, swap={SALT: (None, made)}, get=(SALT,))
        held = (await core.store.bookkeep(core.scope, swapped)).values[SALT]
    core.salt = bytes.fromhex(held)
