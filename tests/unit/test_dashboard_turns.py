"""What browsers share: links that log in, and turns for what is worked out in the background."""

import asyncio

from remanence.core.clock import HOUR, SECOND
from remanence.faces.dashboard.browser_sessions import BrowserSessions
from remanence.faces.dashboard.computing import Computations
from remanence.faces.server_state import ProcessState


async def test_links_that_somebody_asks_for_come_apart() -> None:
    """Not within half a minute of the one before; one that was used up makes way, and each ends after an hour."""
    now = [0]
    sessions = BrowserSessions(ProcessState(lambda: now[0]), lambda: now[0])
    first = await sessions.make_link()
    assert not await sessions.may_make_link()
    now[0] = 31 * SECOND
    assert await sessions.may_make_link()
    second = await sessions.make_link()
    assert await sessions.take_link(second) and not await sessions.take_link(second)
    assert await sessions.take_link(first)
    late = await sessions.make_link()
    now[0] += HOUR + SECOND
    assert await sessions.may_make_link() and not await sessions.take_link(late)


async def test_what_one_token_asks_for_holds_up_no_other() -> None:
    """It has one turn at a time, however many answers it waits for."""
    computations = Computations(lambda: 0)
    gate = asyncio.Event()
    running = 0
    most = 0

    async def wait_at_the_gate() -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await gate.wait()
        running -= 1
        return "late"

    async def answer() -> str:
        return "now"

    asked = [
        asyncio.create_task(computations.read(("one", number), 1, wait_at_the_gate)) for number in range(3)
    ]
    await asyncio.sleep(0)
    other = await computations.read(("other", 0), 1, answer)
    assert "now" == other.value
    assert 1 == most
    gate.set()
    for task in asked:
        await task
    await computations.end()
    assert 1 == most
