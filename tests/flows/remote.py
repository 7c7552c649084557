"""Engines of tests behind a server: the same store, clock and models, reached over a socket by `remanence.connect`.

The server runs in a thread of this process, so that a test may hand it what it made; guards, routes, wire and client
are those of `remanence serve`. `tests/flows/not_remote.toml` lists the tests that cannot hold so, and why.
"""

import asyncio
import threading
import tomllib
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import uvicorn

import remanence
from remanence.core.clock import read_monotonic_micros
from remanence.faces.rest.app import Service, build_app
from remanence.faces.rest.client import RemoteEngine
from remanence.faces.rest.engines import Engines
from remanence.faces.rest.listening_socket import listen
from remanence.faces.server_state import ProcessState
from remanence.flows.base.access_tokens import AccessToken, Door

# Of these files `make test` runs each test that holds; of the others `make deep` does.
ALWAYS = frozenset(
    {"test_counting", "test_times", "test_putting", "test_if_revision", "test_effects", "test_scopes"}
)
LIST = Path(__file__).parent / "not_remote.toml"
Open = Callable[[str], remanence.Engine]


class ServedEngines(Engines):
    """Opens what a test handed over, by the token that it was given for that."""

    def __init__(self) -> None:
        super().__init__(lambda *_: NotImplemented)
        self.handed: dict[str, Open] = {}

    def _build_opening(self, scope: str, token: AccessToken) -> AbstractAsyncContextManager[remanence.Engine]:
        return self.handed[token.name](scope)

    async def close_all(self, token: AccessToken) -> None:
        """Close what was opened for a token."""
        for name in [name for name in self._open if name[1] == token]:
            await self._close(name)


class ServedService(Service):
    """A service whose tokens are those of the tests, each its own secret."""

    def __init__(self) -> None:
        super().__init__(lambda *_: NotImplemented, NotImplemented, ProcessState(read_monotonic_micros))
        self.engines: ServedEngines = ServedEngines()
        self.tokens: dict[str, AccessToken] = {}

    async def find_token(self, authorization: str, door: Door = "rest") -> AccessToken:
        """Return the token of a test."""
        return self.tokens[authorization.removeprefix("Bearer ")]


@dataclass(frozen=True)
class TestServer:
    """A server in a thread of its own, and where it listens."""

    service: ServedService
    loop: asyncio.AbstractEventLoop
    url: str

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Do something in the loop of the server, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)


_NAMES = count(1)


@cache
def serve() -> TestServer:
    """Start the server of this process, once; it ends with the process."""
    service, loop = ServedService(), asyncio.new_event_loop()
    listening = listen("127.0.0.1", 0)
    config = uvicorn.Config(
        build_app(service, {"127.0.0.1"}, seconds_max=60), log_level="warning", lifespan="off", loop="none"
    )
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # type: ignore[assignment,method-assign] # a thread hears none
    work = server.serve(sockets=[listening])
    threading.Thread(target=loop.run_until_complete, args=(work,), daemon=True).start()
    return TestServer(service, loop, f"http://127.0.0.1:{listening.getsockname()[1]}")


class ServedEngine(RemoteEngine):
    """A memory behind that server, which is closed there when it is closed here."""

    def __init__(self, server: TestServer, token: AccessToken, scope: str) -> None:
        super().__init__(server.url, token.name, scope=scope)
        self._server, self._token = server, token

    async def close(self) -> None:
        """Close it here and there."""
        await super().close()
        await asyncio.to_thread(lambda: self._server.do(self._server.service.engines.close_all(self._token)))


def open_behind_server(settings: Mapping[str, Any]) -> RemoteEngine:
    """Return a memory as `remanence.open` would, behind the server of this process."""
    server = serve()
    given = dict(settings)
    scope = given.pop("scope", "default")
    name = f"token-{next(_NAMES)}"
    token = AccessToken(name, "erase", ("*",), given.get("agent"), 0)
    server.service.tokens[name] = token
    server.service.engines.handed[name] = lambda asked: remanence.open(scope=asked, **given)
    return ServedEngine(server, token, scope)


@cache
def read_list() -> Mapping[str, Mapping[str, list[str]]]:
    """Return the tests that do not hold over a network, by file and by the reason; `*` means all of a file."""
    listed: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(LIST.read_text(encoding="utf-8"))
    return listed


def holds_remotely(file: str, test: str) -> bool:
    """Tell whether a test is told to hold behind a server."""
    tests = [name for names in read_list().get(file, {}).values() for name in names]
    return test not in tests and "*" not in tests
