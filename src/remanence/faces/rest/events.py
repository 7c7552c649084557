"""What happens in a scope, told as it happens (server-sent events), each by its position in the change sequence.

Knows the audit and the format of events; must not know who may hear them.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

import orjson

from remanence.core.errors import InvalidInput
from remanence.faces.rest.engines import Engines
from remanence.faces.server_state import POLL_S, ServerState
from remanence.flows.base.access_tokens import AccessToken
from remanence.flows.inspect.inspect import Event, find_position, read_events

HEARTBEAT_S = 15.0
PROGRESS = "progress"  # the kind of posts that tell how far a call is
JUST_BEGUN_S = 1.0
LOOK_S = 5.0  # between two looks for what another process wrote, where it is told of as well
LISTEN_S = 20.0  # after which it is said again that somebody listens
PAGE = 200
PROGRESS_MAX = 1_000  # reports that are kept for listeners
MEDIA_TYPE = "text/event-stream"


def read_position(last_event_id: str | None) -> int | None:
    """Read where a listener was; None where it hears only what is yet to come."""
    if last_event_id is None:
        return None
    if not (last_event_id.isascii() and last_event_id.isdigit() and len(last_event_id) <= 18):
        raise InvalidInput(
            f"Last-Event-ID {last_event_id[:40]!r} is no position",
            recovery="send the id of the last event you heard",
        )
    return int(last_event_id)


class EventFeed:
    """The events of one scope: looked for once, however many listen, and only as long as somebody does."""

    def __init__(self, engines: Engines, state: ServerState, scope: str) -> None:
        self._engines = engines
        self._state = state
        self._scope = scope
        self._position = 0
        self._progress: deque[tuple[int, bytes]] = deque(maxlen=PROGRESS_MAX)
        self._told = 0  # how often progress was told
        self._came = asyncio.Event()  # another one each time that something has come
        self._listeners = 0
        self._has_ended = False
        self._watching: asyncio.Task[None] | None = None

    async def listen(
        self, token: AccessToken, after: int | None, still_allowed: Callable[[], Awaitable[bool]]
    ) -> AsyncIterator[bytes]:
        """Yield events as they are sent: first what came after a position, then what comes, and a comment every 15 s.

        A position that the scope has not reached is taken for its newest. It ends where a token was ended, which is
        looked at every 15 s.
        """
        async with self._engines.use(self._scope, token) as memory:
            latest = await find_position(memory._core)  # noqa: SLF001 # the change sequence is no verb's
        position = latest if after is None else min(after, latest)
        self._listeners += 1
        if self._watching is None or self._watching.done():
            self._position = latest
            self._watching = asyncio.create_task(self._watch_scope(token))
        try:
            yield f": from {position}\n\n".encode()
            async for line in self._follow_events(token, position, still_allowed):
                yield line
        finally:
            self._listeners -= 1

    async def _follow_events(
        self, token: AccessToken, position: int, still_allowed: Callable[[], Awaitable[bool]]
    ) -> AsyncIterator[bytes]:
        """Yield what comes after a position and how far calls are from now on; a comment after 15 quiet seconds."""
        told = self._told
        while not self._has_ended:
            for event in await self._read(token, position) if position < self._position else ():
                position = event.position
                yield format_event(event)
            later = [one for one in self._progress if one[0] > told]
            told = self._told
            for _, line in later:
                yield line
            if not await self._wait(position, told):
                if not await still_allowed() or self._watching is None or self._watching.done():
                    return  # it asks again, and goes on where it was
                yield b": quiet\n\n"

    def end(self) -> None:
        """Let all listeners go."""
        self._has_ended = True
        self._wake_listeners()

    def tell_progress(self, progress: Mapping[str, object]) -> None:
        """Tell all who listen how far a call is, without an `id`: it is in no audit, and nobody can go on behind it."""
        self._told += 1
        line = b"event: progress\ndata: " + orjson.dumps(progress) + b"\n\n"
        self._progress.append((self._told, line))
        self._wake_listeners()

    def _wake_listeners(self) -> None:
        self._came.set()
        self._came = asyncio.Event()

    async def _read(self, token: AccessToken, position: int) -> list[Event]:
        """Read what came after a position from the audit: nothing is kept here that an erasure would have to empty."""
        async with self._engines.use(self._scope, token) as memory:
            return await read_events(memory._core, position, PAGE)  # noqa: SLF001 # the change sequence is no verb's

    async def _wait(self, position: int, told: int) -> bool:
        """Wait for something later than a position, or progress; return False where nothing came for 15 s."""
        try:
            async with asyncio.timeout(HEARTBEAT_S):
                while not (self._has_ended or self._position > position or self._told > told):
                    await self._came.wait()
        except TimeoutError:
            return False
        return True

    async def _watch_scope(self, token: AccessToken) -> None:
        """Look for what was written, here or by another process, as long as somebody listens."""
        loop = asyncio.get_running_loop()
        began = said_at = -LISTEN_S
        posts = await self._state.read_posts(self._scope, PROGRESS)
        while self._listeners and not self._has_ended:
            if loop.time() - said_at >= LISTEN_S:
                await self._state.listen(self._scope)
                began, said_at = (loop.time() if began < 0 else began), loop.time()
            stamp = self._state.find_stamp(self._scope)
            events = await self._read(token, self._position)
            posts = await self._hear_others(posts)
            if events:
                self._position = events[-1].position
                self._wake_listeners()
                continue
            # Who was writing before it was said does not tell of it.
            has_just_begun = loop.time() - began < JUST_BEGUN_S
            await self._state.wait(self._scope, stamp, POLL_S if has_just_begun else LOOK_S, POLL_S)

    async def _hear_others(self, heard: Mapping[str, tuple[int, bytes]]) -> dict[str, tuple[int, bytes]]:
        """Tell how far calls of other processes are, where they have told it since."""
        posts = await self._state.read_posts(self._scope, PROGRESS)
        for name, post in posts.items():
            if post != heard.get(name):
                progress = orjson.loads(post[1])
                if progress.pop("process") != self._state.process:
                    self.tell_progress(progress)
        return posts


def format_event(event: Event) -> bytes:
    """Return an event as it is sent."""
    return (
        f"id: {event.position}\nevent: {event.verb}\ndata: ".encode()
        + orjson.dumps(event.to_dict())
        + b"\n\n"
    )
