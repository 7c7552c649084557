"""A living engine listens to the turns that were noted: at once where one makes it due, else now and then.

Made at each opening; what extracts facts is imported when a turn is due. Must not know how words become facts.
"""

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from remanence.core.clock import MINUTE
from remanence.core.errors import StoreError
from remanence.core.later import import_later
from remanence.core.receipt import AutomaticRun
from remanence.flows.base.context import Core

if TYPE_CHECKING:
    from remanence.flows.consolidate import consolidation, extract_pending
    from remanence.flows.curate import scheduling
    from remanence.flows.write import pending_turns
    from remanence.flows.write.pending_turns import Triggers
else:
    import_later(
        globals(),
        {
            "remanence.flows.consolidate": "consolidation extract_pending",
            "remanence.flows.curate": "scheduling",
            "remanence.flows.write": "pending_turns",
        },
    )

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
        self._task = asyncio.get_running_loop().create_task(self._listen())

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

    async def _due(self, core: Core) -> AutomaticRun | None:
        self._triggers, waits = (
            await pending_turns.triggers(core),
            await pending_turns.list_pending_turns(core),
        )
        self._due_at = min((one.due_at for one in waits if one.due_at is not None), default=None)
        return await extract_pending.due_now(core, lambda: self._stopping, waits)

    async def _consolidate(self, core: Core) -> AutomaticRun | None:
        return await consolidation.by_itself(core, lambda: self._stopping)

    async def stop(self) -> None:
        """End it after the batch that it is at; what is left waits."""
        self._stopping = True
        self._wake.set()
        await asyncio.wait({self._task})

    async def _listen(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_S):
                    await self._wake.wait()
            if self._stopping:
                return
            self._wake.clear()
            self._since = 0
            try:
                await scheduling.keep(self._core, "extract", self._due)
                await scheduling.keep(self._core, "consolidate", self._consolidate)
            except StoreError as error:  # not even that could be kept; what waits is looked for again
                LOG.warning("what was noted is not listened to: %s (%s)", error, error.recovery)
