"""The heartbeat of an open session: every so often the time since the last beat is counted, so a crash loses little.

Knows what one beat writes; sessions are begun and ended elsewhere.
"""

import asyncio
import logging

from remanence.core.clock import SECOND, SystemClock, read_monotonic_micros
from remanence.core.errors import StoreError
from remanence.flows.base.context import Core, Pulse
from remanence.store.base import Bookkeeping

LOG = logging.getLogger("remanence")
OPEN = "open/"  # what the marks of open sessions begin with
MISSED_MAX = 2  # beats that a session may miss before what comes after the last one counts for nothing


def session_key(session: str) -> str:
    """Name the row of a session in the bookkeeping."""
    return f"session/{session}"


def heartbeat_key(session: str) -> str:
    """Name the mark that says until when an open session is counted; it is gone when the session has ended."""
    return f"{OPEN}{session}"


async def beat(core: Core) -> None:
    """Count the time of the open session up to now; let go of one that was ended from elsewhere."""
    pulse = core.pulse
    if pulse is None or pulse.every is None:
        return
    await core.watch.look()
    now, alive, mark = core.clock.now(), read_monotonic_micros(), heartbeat_key(pulse.session)
    last = (await core.store.bookkeep(core.scope, Bookkeeping(now, get=(mark,)))).values.get(mark)
    if last is None:
        core.pulse = None
        if pulse.task is not None and pulse.task is not asyncio.current_task():
            pulse.task.cancel()
        return
    since = (
        now - alive + pulse.lived_until
        if _has_slept(core, pulse, now, alive)
        else min(pulse.counted_until, now)
    )
    # A swap: whoever ends the session at this moment has the last word.
    request = Bookkeeping(now, swap={mark: (last, now)}, cover=(since, now))
    await core.store.bookkeep(core.scope, request)
    pulse.counted_until, pulse.lived_until = now, alive


def has_missed_beats(every: int, silent: int) -> bool:
    """Tell whether a heart has missed the beats it promised; `silent` in microseconds."""
    return silent > MISSED_MAX * every * SECOND


def start(core: Core, pulse: Pulse) -> None:
    """Let a session's heart beat, if it promised to."""
    core.pulse = pulse
    if pulse.every is not None:
        pulse.task = asyncio.get_running_loop().create_task(_beat_on(core, pulse, pulse.every))


async def stop(core: Core) -> None:
    """Let go of the open session, and wait until its heart has stopped."""
    pulse, core.pulse = core.pulse, None
    if pulse is None or pulse.task is None:
        return
    pulse.task.cancel()
    await asyncio.wait({pulse.task})
    if not pulse.task.cancelled() and pulse.task.exception() is not None:
        LOG.error("the heartbeat of session %s failed", pulse.session, exc_info=pulse.task.exception())


def _has_slept(core: Core, pulse: Pulse, now: int, alive: int) -> bool:
    """Tell whether the machine's clock went on while the process did not: it slept, or somebody moved the clock."""
    assert pulse.every is not None
    gap, lived_through = now - pulse.counted_until, alive - pulse.lived_until
    # Any other clock goes as its owner says.
    return isinstance(core.clock, SystemClock) and has_missed_beats(pulse.every, gap - lived_through)


async def _beat_on(core: Core, pulse: Pulse, every: int) -> None:
    while core.pulse is pulse:
        await asyncio.sleep(every)
        try:
            await beat(core)
        except StoreError as error:
            LOG.warning("a heartbeat was not counted; the next one counts its time: %s", error)
