"""The Model Context Protocol over HTTP: each request by itself, with the tools that its token allows, over its memory.

Knows tokens and the protocol's library, which is there with the extra `mcp` alone; must not know what a tool does.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Self

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from remanence.core.errors import RemanenceError
from remanence.core.half_characters import untold_as_before
from remanence.core.permissions import ROLES, TokenRole
from remanence.engine import Engine
from remanence.faces.mcp.server import Offering, RequestContext, build_shared_server
from remanence.faces.mcp.tools import Plans, Tools
from remanence.faces.rest import problems
from remanence.faces.rest.engines import Engines
from remanence.faces.rest.problems import RequestRefused
from remanence.faces.rest.shown_things import identify
from remanence.faces.server_state import ServerState
from remanence.flows.base.access_tokens import AccessToken

LOG = logging.getLogger("remanence")
# Agents whose session is open, the one that called longest ago dropped first.
DESKS_MAX = 64
IDLE_S = 30 * 60.0  # after which nobody comes back: the session of the agent ends
FindScope = Callable[[AccessToken, str | None], str]  # raises RequestRefused


@dataclass
class _Desk:
    """What is kept of an agent between its calls: where its plans wait, and in which memory its session began."""

    plans: Plans
    began_in: Engine | None = None
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    leaving: asyncio.TimerHandle | None = None


class McpAgents:
    """Answers agents by the protocol: an application of ASGI behind tokens; `async with`, within the engines.

    A request is answered by itself and keeps nothing open, so that a client that vanishes leaves nothing behind. A
    session of the memory begins with the first tool that a token calls in a scope, and ends when none was called for
    half an hour, or with the server.
    """

    def __init__(self, engines: Engines, find_scope: FindScope, state: ServerState) -> None:
        self._engines, self._find_scope, self._state = engines, find_scope, state
        self._desks: OrderedDict[tuple[str, AccessToken], _Desk] = OrderedDict()
        self._ending: set[asyncio.Task[None]] = set()
        self._managers = {role: self._build_manager(role) for role in ROLES}
        self._running = AsyncExitStack()
        engines.on_erasure.append(self._forget_scope)

    def _build_manager(self, role: TokenRole) -> StreamableHTTPSessionManager:
        curates = ROLES.index(role) >= ROLES.index("curate")
        offering = Offering(allow_curation=curates, allow_writing=role != "read", by_token=True)
        # One answer a request, in JSON: hosts and origins are looked at by who stands before it.
        return StreamableHTTPSessionManager(
            build_shared_server(self._use_tools, offering), json_response=True, stateless=True
        )

    async def __aenter__(self) -> Self:
        for manager in self._managers.values():
            await self._running.enter_async_context(manager.run())
        return self

    async def __aexit__(self, *_raised: object) -> None:
        await self._running.aclose()
        while self._desks:
            self._drop_desk(next(iter(self._desks)))
        await asyncio.gather(*self._ending)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that was sent with a token."""
        token: AccessToken = scope["token"]
        try:
            asked = Request(scope).query_params
            scope["memory"] = self._find_scope(token, asked.get("scope"))
            scope["also_read"] = [self._find_scope(token, one) for one in asked.getlist("also_read")]
        except RequestRefused as refusal:
            answer = problems.build_answer_to_agent(refusal.status, str(refusal), refusal.recovery)
            await answer(scope, receive, send)
            return
        await self._managers[token.role].handle_request(scope, receive, send)

    @asynccontextmanager
    async def _use_tools(self, ctx: RequestContext, *, works: bool) -> AsyncIterator[Tools]:
        """Use the tools of the token and the scope that a request was sent with."""
        request = ctx.request
        assert isinstance(request, Request)  # it is served over HTTP alone
        asked: Scope = request.scope
        token: AccessToken = asked["token"]
        # Whoever calls here is an agent, and no person: without a name of its own it has that of its token.
        key = (str(asked["memory"]), replace(token, agent=token.agent or token.name))
        reads = token.role == "read"
        desk = self._find_desk(key)
        async with self._engines.use(*key) as memory:
            if works and not reads:
                await self._begin_session(key, desk, memory)
            yield Tools(memory, token.may("curate"), desk.plans, not reads, asked["also_read"])

    def _find_desk(self, key: tuple[str, AccessToken]) -> _Desk:
        if key not in self._desks:
            self._desks[key] = _Desk(Plans(self._state, key[0], identify(key[1])))
        desk = self._desks[key]
        self._desks.move_to_end(key)
        while len(self._desks) > DESKS_MAX:
            self._drop_desk(next(iter(self._desks)))
        return desk

    async def _begin_session(self, key: tuple[str, AccessToken], desk: _Desk, memory: Engine) -> None:
        """Begin a session unless one is open, and put off its end; one of a memory that was closed since ended then."""
        async with desk.turn:
            if desk.began_in is not memory:
                with untold_as_before():  # what was mended on the way is told by the tool
                    await memory.begin_session("mcp")
                desk.began_in = memory
        if desk.leaving is not None:
            desk.leaving.cancel()
        desk.leaving = asyncio.get_running_loop().call_later(IDLE_S, self._leave_desk, key, desk)

    def _forget_scope(self, scope: str) -> None:
        """Keep no memory of a scope, which is closed: its session ends with it."""
        for (of, _), desk in self._desks.items():
            if of == scope:
                desk.began_in = None

    def _drop_desk(self, key: tuple[str, AccessToken]) -> None:
        """Forget an agent."""
        self._leave_desk(key, self._desks.pop(key))

    def _leave_desk(self, key: tuple[str, AccessToken], desk: _Desk) -> None:
        """End the session of an agent, beside what goes on."""
        if desk.leaving is not None:
            desk.leaving.cancel()
        task = asyncio.create_task(self._end_session(key, desk))
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def _end_session(self, key: tuple[str, AccessToken], desk: _Desk) -> None:
        async with desk.turn:
            if desk.began_in is None:
                return
            desk.began_in = None
            try:
                async with self._engines.use(*key) as memory:
                    await memory.end_session()
            except RemanenceError as error:
                LOG.warning("the session of %s did not end: %s", key[1].agent, error)
