"""What happens before the first verb: the store opens, the embedder must fit it, the adopted policy is taken up."""

from remanence.curate.policy import load
from remanence.errors import StoreDamaged, StoreIncompatible, shown
from remanence.flows import curating, frames, settings
from remanence.flows.core import Core
from remanence.process import OpeningProcess
from remanence.store.base import Bookkeeping

EMBEDDER = "embedder"  # the bookkeeping's name for which model made the vectors


async def start(core: Core) -> None:
    """Open the store and settle what it remembers with what the caller asked for."""
    core.process = OpeningProcess()
    await core.store.open()
    fits = False
    try:
        await _settle(core)
        fits = True
    finally:
        if not fits:
            await core.store.close()


async def _settle(core: Core) -> None:
    """Refuse vectors of another model, and take up the policy that the scope has adopted."""
    now = core.clock.now()
    mine = {"name": core.embedder.name, "dimensions": core.embedder.dimensions}
    booked = await core.store.bookkeep(core.scope, Bookkeeping(now, get=(EMBEDDER,)))
    stored = booked.values.get(EMBEDDER)
    if stored is None:
        await core.store.bookkeep(core.scope, Bookkeeping(now, put={EMBEDDER: mine}))
    elif not isinstance(stored, dict) or "name" not in stored:
        raise StoreDamaged(
            f"which model made the vectors is not to be read: {shown(stored)}",
            recovery="run `doctor`, then go back to the latest backup",
        )
    elif stored != mine:
        raise StoreIncompatible(
            f"this memory was embedded by {stored['name']!r}, not by {mine['name']!r}",
            recovery="open it with the embedder it was made with",
        )
    await settings.seed(core, settings.built_in() | frames.built_in())
    adopted = await curating.adopted(core)
    if adopted is not None and not core.policy_given:
        core.policy, core.policy_given = load(adopted["source"]), True
