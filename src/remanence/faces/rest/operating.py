"""What an operator asks of a server: whether it answers, its numbers, and a line for each request.

Stands before everything else. Knows ASGI; must not know routes, nor what is counted.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remanence.core.clock import SECOND, read_monotonic_micros
from remanence.core.errors import RemanenceError
from remanence.engine import Engine
from remanence.faces.rest import problems
from remanence.faces.rest.problems import RequestRefused
from remanence.faces.rest.request_limits import FindToken
from remanence.faces.rest.request_log import METRICS
from remanence.flows.base.access_tokens import ANY_SCOPE
from remanence.flows.inspect.inspect import find_position

HEALTH = "/health"
KEPT_S = 1  # the store is read at most so often, however many ask
SECONDS_MAX = 10.0  # in which the store must have answered
_HEADERS = {"cache-control": "no-store"}
NoteRequest = Callable[
    [Scope, int, int, int], None
]  # what was asked, status, microseconds, bytes that were sent


class ServerNumbers(Protocol):
    """What tells the numbers of a server, and counts requests."""

    media_type: str

    async def render(self) -> bytes:
        """Return all numbers."""
        ...

    def count_request(self, status: int) -> None:
        """Count a request that was answered."""
        ...


class OperatorsDoor:
    """Answers `/health`, and `/metrics` where there are `numbers`; tells `note` of each request that was answered."""

    def __init__(
        self,
        app: ASGIApp,
        memory: Engine,
        find_token: FindToken,
        numbers: ServerNumbers | None = None,
        note: NoteRequest | None = None,
    ) -> None:
        self._app = app
        self._memory = memory
        self._find_token = find_token
        self._numbers, self._note = numbers, note
        self._turn = asyncio.Lock()
        self._kept_until = 0
        self._health: Response | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif scope["path"] == HEALTH:
            await (await self._tell_health())(scope, receive, send)
        else:
            began, status, sent = read_monotonic_micros(), 0, 0

            async def send_noted(message: Message) -> None:
                nonlocal status, sent
                status = message.get("status", status)
                sent += len(message.get("body", b""))
                await send(message)

            try:
                if scope["path"] == METRICS and self._numbers is not None:
                    answer = await self._tell_numbers(scope, self._numbers)
                    await answer(scope, receive, send_noted)
                else:
                    await self._app(scope, receive, send_noted)
            finally:
                if self._numbers is not None and status:
                    self._numbers.count_request(status)
                if self._note is not None:
                    self._note(scope, status, read_monotonic_micros() - began, sent)

    async def _tell_health(self) -> Response:
        """Say whether the store can be read; who asks needs no token, and is told nothing else."""
        async with self._turn:
            if self._health is None or read_monotonic_micros() >= self._kept_until:
                self._health = await _look_at(self._memory)
                self._kept_until = read_monotonic_micros() + KEPT_S * SECOND
            return self._health

    async def _tell_numbers(self, scope: Scope, numbers: ServerNumbers) -> Response:
        """Return the numbers to a token that opens every scope, since they are those of every scope."""
        try:
            token = await self._find_token(Headers(scope=scope).get("authorization", ""))
            scope["token"] = token
            if ANY_SCOPE not in token.scopes:
                return problems.build_response(
                    403,
                    f"the token {token.name} does not open every scope",
                    "make one: remanence token add NAME --scope '*' --role watch",
                )
            async with asyncio.timeout(SECONDS_MAX):
                return Response(await numbers.render(), headers=_HEADERS, media_type=numbers.media_type)
        except RequestRefused as refusal:
            return problems.describe_refusal(refusal)
        except RemanenceError as error:
            return problems.describe_error(error)
        except TimeoutError:
            return problems.build_response(
                504, f"the store took more than {SECONDS_MAX:g} s", "ask again later"
            )


async def _look_at(memory: Engine) -> Response:
    try:
        async with asyncio.timeout(SECONDS_MAX):
            await find_position(memory._core)  # noqa: SLF001 # of the file, and no verb
    except (RemanenceError, TimeoutError):
        return problems.build_response(503, "the store cannot be read", problems.INSIDE)
    return JSONResponse({"status": "ok"}, headers=_HEADERS)
