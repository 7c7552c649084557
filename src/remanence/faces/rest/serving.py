"""The server: listens on one address until it is told to end, and closes connections that send no whole request head.

Knows sockets and uvicorn; must not know routes.
"""

import asyncio
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from multiprocessing import parent_process
from typing import Any, Protocol

import uvicorn
from starlette.routing import BaseRoute
from uvicorn.config import LOGGING_CONFIG
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from remanence.engine import Engine
from remanence.faces.rest.app import Agents, Service, build_app
from remanence.faces.rest.engines import Opener
from remanence.faces.rest.watch_options import ServerWatch
from remanence.faces.server_state import ProcessState, ServerState

HEAD_SECONDS_MAX = (
    10.0  # in which the head of a request must have arrived, once a connection or its first byte has
)


class HeadProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type] # uvicorn chooses it by what is installed
    """Closes a connection whose next request does not begin in time."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Go on waiting, or stop where the head has come."""
        super().data_received(data)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if not self._is_between_requests():
            self._stop_waiting()
        elif self._waiting is None:
            self._waiting = asyncio.get_running_loop().call_later(HEAD_SECONDS_MAX, self._end)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _is_between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _end(self) -> None:
        self._waiting = None
        if self._is_between_requests():
            self.transport.close()


CONNECTIONS_MAX = 1_000
ENDING_S = 5  # in which requests under way may come to their end


class Pages(Protocol):
    """What browsers are shown beside the routes of the verbs."""

    def build_routes(self) -> Sequence[BaseRoute]:
        """Return its routes."""
        ...

    async def announce_login(self) -> None:
        """Make an address, on this server, that logs one browser in, and tell it."""
        ...

    async def end(self) -> None:
        """End what is under way."""
        ...


@dataclass(frozen=True, slots=True)
class ServerProcess:
    """The process that serves: `tell` hears, in lines, where it `announces` that, and login links that are asked for.

    `address` is that of a database which other processes may serve as well, None for a file.
    """

    address: str | None
    tell: Callable[[str], None]
    announces: bool = True
    tell_begun: Callable[[], None] = lambda: None


@asynccontextmanager
async def open_state(address: str | None, memory: Engine) -> AsyncIterator[ServerState]:
    """Yield what keeps things between requests: in the database where others may serve it and this one may write."""
    core = memory._core  # noqa: SLF001 # its clock and store are no verbs
    if address is None or core.reads_only:
        yield ProcessState(core.clock.now)
        return
    from remanence.store.postgres.pg_server_state import PgServerState

    async with PgServerState(address) as state:
        yield state


async def serve(
    opener: Opener,
    tokens: AbstractAsyncContextManager[Engine],
    listening: socket.socket,
    *,
    hosts: Sequence[str],
    seconds_max: float,
    build_dashboard: Callable[[Service, Callable[[str], None]], Pages],
    watch: ServerWatch,
    process: ServerProcess,
) -> None:
    """Serve memories on a socket that listens, until the process is told to end."""
    host, port = listening.getsockname()[:2]
    home = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def tell_login(path: str) -> None:
        process.tell(f"Open it in a browser, once within an hour: {home}{path}")

    async with tokens as memory, open_state(process.address, memory) as state:
        service = Service(watch.begin(memory, opener), memory, state)
        dashboard = build_dashboard(service, tell_login)
        app = build_app(
            service,
            {*hosts, *_name_hosts(host)},
            seconds_max=seconds_max,
            agents=_build_agents(service),
            pages=dashboard.build_routes(),
        )
        config = uvicorn.Config(
            watch.stand_before(app, memory, service.find_token),
            http=HeadProtocol,
            log_config=LOGGING_CONFIG if watch.log is None else None,
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=CONNECTIONS_MAX,
            timeout_graceful_shutdown=ENDING_S,
            lifespan="on",
        )
        if process.announces:
            process.tell(f"Remanence listens on {home}")
            await dashboard.announce_login()
            process.tell(
                f"Verbs: POST {home}/v1/recall and so on, with a token ({home}/openapi.json); agents: {home}/mcp"
            )
            if not await memory.token.list():
                process.tell("Nobody has a token yet: remanence token add NAME --scope default --role write")
        process.tell_begun()
        try:
            await _Server(config, service).serve(sockets=[listening])
        finally:
            await dashboard.end()


def _build_agents(service: Service) -> Agents | None:
    """Return what answers agents, None where the library of their protocol is not installed."""
    if find_spec("mcp") is None:
        return None
    from remanence.faces.rest.agents import McpAgents

    return McpAgents(
        service.engines, partial(service.find_scope, role="read", file_wide=False), service.state
    )


class _Server(uvicorn.Server):
    """A server that is ended by a signal and goes on to close what it opened; uvicorn's own would raise it again."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service
        self._ending: asyncio.Task[None] | None = None

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Listen to signals while it serves, where the platform delivers any to a loop."""
        loop = asyncio.get_running_loop()
        numbers = () if sys.platform == "win32" else (signal.SIGTERM, signal.SIGINT)
        for number in numbers:
            loop.add_signal_handler(number, self._hear_signal, number)
        parent = parent_process()
        if parent is not None and numbers:
            loop.add_reader(parent.sentinel, self._hear_parent_end, parent.sentinel)
        try:
            yield
        finally:
            if parent is not None and numbers:
                loop.remove_reader(parent.sentinel)
            for number in numbers:
                loop.remove_signal_handler(number)

    def _hear_parent_end(self, sentinel: int) -> None:
        """End with the process that started this one."""
        asyncio.get_running_loop().remove_reader(sentinel)
        self._hear_signal(signal.SIGTERM)

    def _hear_signal(self, number: signal.Signals) -> None:
        """End: what is under way comes to its end, but for streams, which have none; at a second Ctrl-C at once."""
        self.force_exit = self.should_exit and number == signal.SIGINT  # others are sent twice by supervisors
        self.should_exit = True
        self._ending = asyncio.create_task(self._service.end_streams())


def _name_hosts(host: str) -> set[str]:
    """Return the names under which an address is reached."""
    loopback = {"localhost", "127.0.0.1", "[::1]"}
    return (
        loopback
        if host in {"127.0.0.1", "::1", "localhost"}
        else {host, f"[{host}]"}
        if ":" in host
        else {host}
    )
