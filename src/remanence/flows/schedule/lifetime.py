"""What happens before the first verb and after the last: the store opens; uses are written, it closes."""

from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING

from remanence.core.errors import StoreUnavailable
from remanence.core.later import import_later
from remanence.core.process import OpeningProcess
from remanence.curate.policy.compiled import load
from remanence.flows.base import extra_vectors, opening_checks, policy_reading, settings
from remanence.flows.base.async_embedder import Model
from remanence.flows.base.context import Core
from remanence.flows.consolidate.listening import Listener
from remanence.flows.recall import kept_frames
from remanence.flows.write import embedding

if TYPE_CHECKING:
    from remanence.flows.consolidate import sessions
    from remanence.flows.erase import erase_since
else:
    import_later(
        globals(), {"remanence.flows.consolidate": "sessions", "remanence.flows.erase": "erase_since"}
    )


async def close(core: Core) -> None:
    """Close a memory; what could not be written is said once it is closed."""
    unheard = unended = uncounted = None
    try:
        if core.embedding is not None:
            await core.embedding.stop()
        if core.listener is not None:
            await core.listener.stop()
            unheard = await _catch_unavailable(core.listener.wait_until_done())
        try:
            if core.pulse is not None or core.gate.locked():
                unended = await _catch_unavailable(sessions.leave(core))
        finally:
            uncounted = await _catch_unavailable(core.uses.settle())
    finally:
        await _shut(core)
    why = unheard or unended or uncounted
    if why is not None:
        loss = f"{core.uses.give_up():,} uses are not counted" if uncounted else "no use is lost"
        raise StoreUnavailable(
            f"the memory is closed; at its end {loss}: {why}",
            recovery="all that a verb has answered is kept; make room, and open it again: a session that was open"
            " ends where it was last counted",
        ) from why


async def _shut(core: Core) -> None:
    """Close the store, and the connections of a writer and of a model that were made with it."""
    try:
        await core.store.close()
    finally:
        try:
            if core.let_go is not None:
                await core.let_go()
        finally:
            await let_go((core.model, *core.others))


async def let_go(models: Iterable[Model | None]) -> None:
    """Close models that were made here."""
    for model in models:
        if model is not None:
            await model.close()


async def _catch_unavailable(work: Awaitable[None]) -> StoreUnavailable | None:
    """Do something; return why the store did not let it."""
    try:
        await work
    except StoreUnavailable as error:
        return error
    return None


async def start(core: Core) -> None:
    """Open the store and settle what it remembers with what the caller asked for.

    A file that holds what was erased since it was copied is refused, or only looked at, unless that is to be erased.
    """
    core.process = OpeningProcess()
    await opening_checks.compare_ledgers(core)
    looks = core.unsettled is not None and core.erased_since == "look"
    await core.store.open(read_only=looks or core.reads_only)
    core.reads_only = core.reads_only or (not looks and getattr(core.store, "reads_only", False))
    core.uses.are_counted = not core.reads_only
    fits = False
    try:
        if not looks:
            if core.new_scope == "refuse" or core.reads_only:
                await opening_checks.refuse_new_scope(core)
            if core.unsettled is not None or not core.reads_only:
                await opening_checks.settle_ledgers(core, _erase_again)
            await resume(core)
        fits = True
    finally:
        if not fits:
            await core.store.close()


async def resume(core: Core) -> None:
    """Go on with an opening once nothing is in the file that was erased since."""
    await settle(core)
    core.listener = Listener(core)


async def settle(core: Core) -> None:
    """Refuse vectors of another model, and take up the policy that the scope has adopted."""
    await embedding.settle(core)
    await extra_vectors.settle(core)
    await opening_checks.settle_salt(core)
    await settings.seed(core, settings.built_in() | kept_frames.built_in())
    policy = await policy_reading.read_adopted_policy(core)
    if policy is not None and not core.policy_given:
        core.policy, core.policy_given = load(policy["source"], stored=True), True


async def _erase_again(core: Core) -> int:
    """Erase again what was erased since the file was copied, and count it."""
    return (await erase_since.erase_again(core, None)).erased
