"""Before the first verb and after the last: the store opens, facts are extracted from noted turns, uses are written."""

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from remanence.core.clock import MINUTE
from remanence.core.errors import StoreError, StoreUnavailable
from remanence.core.later import import_later
from remanence.core.process import OpeningProcess
from remanence.core.receipt import AutomaticRun
from remanence.curate.policy.compiled import load
from remanence.flows.base import extra_vectors, opening_checks, policy_reading, settings
from remanence.flows.base.async_embedder import Model
from remanence.flows.base.context import Core
from remanence.flows.recall import kept_frames
from remanence.flows.schedule.other_scopes import OtherScopes
from remanence.flows.write import embedding

if TYPE_CHECKING:
    from remanence.flows.consolidate import consolidation, extract_pending
    from remanence.flows.curate import scheduling
    from remanence.flows.write import pending_turns
    from remanence.flows.write.pending_turns import Triggers

import_later(globals())

POLL_S = 60.0  # how often a living engine looks for what other processes noted
CLOSING_TRIES = 50
LOG = logging.getLogger("remanence")


class Listener:
    """Listens in a living engine: at once where a turn makes it due, and to what other processes noted."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._wake = asyncio.Event()
        self._sessions: set[str] = set()
        self._triggers: Triggers | None = None
        self._since = 0
        self._due_at: int | None = None  # of what waited when it looked last, or was noted since
        self._stopping = False
        self._task = asyncio.get_running_loop().create_task(self._listen_to_turns())

    def notify_turn(self, session: str, *, high: bool) -> None:
        """Hear that a turn of a session was noted here; look what is due where that may have made it so."""
        self._sessions.add(session)
        self._since += 1
        known, now = self._triggers, self._core.clock.now()
        if known is not None and known.minutes and self._due_at is None:
            self._due_at = now + known.minutes * MINUTE
        is_due = self._due_at is not None and self._due_at <= now
        if known is None or is_due or high or 0 < known.turns <= self._since:
            self._wake.set()

    async def wait_until_done(self) -> None:
        """Listen to what is left of the sessions that were noted here."""
        if self._sessions:
            await scheduling.keep(
                self._core, "extract", lambda core: extract_pending.rest(core, self._sessions, CLOSING_TRIES)
            )

    async def _find_due(self, core: Core) -> AutomaticRun | None:
        self._triggers, waits = (
            await pending_turns.triggers(core),
            await pending_turns.list_pending_turns(core),
        )
        self._due_at = min((one.due_at for one in waits if one.due_at is not None), default=None)
        return await extract_pending.due_now(core, lambda: self._stopping, waits)

    async def _consolidate_inbox(self, core: Core) -> AutomaticRun | None:
        return await consolidation.by_itself(core, lambda: self._stopping)

    async def stop(self) -> None:
        """End it after the batch that it is at; what is left waits."""
        self._stopping = True
        self._wake.set()
        await asyncio.wait({self._task})

    async def _listen_to_turns(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._wake.wait()
            if self._stopping:
                return
            self._wake.clear()
            self._since = 0
            try:
                await scheduling.keep(self._core, "extract", self._find_due)
                await scheduling.keep(self._core, "consolidate", self._consolidate_inbox)
            except StoreError as error:  # not even that could be kept; what waits is looked for again
                LOG.warning("what was noted is not listened to: %s (%s)", error, error.recovery)


if TYPE_CHECKING:
    from remanence.flows.consolidate import sessions
    from remanence.flows.erase import erase_since


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
            if core.reach is not None:
                uncounted = await _catch_unavailable(core.reach.close()) or uncounted
            with suppress(StoreError):  # nothing is lost with it but time
                await core.index.save()
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
                await opening_checks.refuse_new_scope(core, core.scope)
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
    core.reach = OtherScopes(core, settle)


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
