"""What no route has to think of: foreign hosts and pages, bodies too large or too slow, answers that never come.

Knows ASGI; must not know verbs, nor what a token allows.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from functools import partial

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remanence.core.errors import RemanenceError
from remanence.core.half_characters import mend_json, note_mended, start_counting
from remanence.faces.rest import problems
from remanence.faces.rest.offers import BODY_BYTES_MAX, SEND_LESS
from remanence.faces.rest.problems import RequestRefused
from remanence.flows.base.access_tokens import AccessToken, Door

LOG = logging.getLogger("remanence")
BODY_SECONDS_MAX = 10.0  # in which the whole body must have arrived
AGENTS = "/mcp"
BEHIND_TOKENS = ("/v1/", AGENTS)
STREAMS = frozenset({"/v1/events", "/live"})  # answers without end
# Of the head `Authorization`, for a door, "rest" where none is named; raises RequestRefused.
FindToken = Callable[..., Awaitable[AccessToken]]
Refuse = Callable[..., JSONResponse]
_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)


class RequestGuard:
    """Stands before the application: refuses what must not reach it, and answers for it where it fails."""

    def __init__(
        self, app: ASGIApp, hosts: Collection[str], seconds_max: float, find_token: FindToken
    ) -> None:
        self._app = app
        self._find_token = find_token
        self._hosts = frozenset(hosts)
        self._seconds_max = seconds_max

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = False
        # What is refused is told as those who ask there read it.
        refuse: Refuse = (
            problems.build_answer_to_agent if scope["path"] == AGENTS else problems.build_response
        )

        async def send_safely(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                given = {name for name, _ in message["headers"]}
                message["headers"] = [*message["headers"], *(one for one in _HEADERS if one[0] not in given)]
            await send(message)

        try:
            headers = Headers(scope=scope)
            self._refuse_foreign(headers)
            if scope["path"].startswith(BEHIND_TOKENS):
                # Before the body is read: who has no token takes up no room.
                door: Door = "mcp" if scope["path"] == AGENTS else "rest"
                scope["token"] = await self._find_token(headers.get("authorization", ""), door)
            body = await _read_body(headers, receive)
            if headers.get("content-type", "").startswith("application/json"):
                body = _mend_escapes(body)
            answering = self._app(scope, _Replay(body, receive), send_safely)
            async with asyncio.timeout(None if scope["path"] in STREAMS else self._seconds_max) as limit:
                scope["prolong"] = partial(self._prolong_limit, limit)
                await answering
        except RequestRefused as refusal:
            answer = refuse(refusal.status, str(refusal), refusal.recovery, refusal.headers)
            answer.headers["connection"] = (
                "close"  # the body was not read, and is not to be taken for a request
            )
            await answer(scope, receive, send_safely)
        except RemanenceError as error:  # the tokens are in the store
            name = type(error).__name__
            answer = refuse(problems.find_status(error), str(error), error.recovery, error=name)
            await answer(scope, receive, send_safely)
        except TimeoutError:
            if not began:
                answer = refuse(
                    504,
                    f"it took more than {self._seconds_max:g} s",
                    "ask for less, or for longer: --seconds",
                )
                await answer(scope, receive, send_safely)
        except Exception:
            LOG.exception("%s %s failed", scope["method"], scope["path"])
            if not began:
                await refuse(500, "it failed within", problems.INSIDE)(scope, receive, send_safely)

    def _prolong_limit(self, limit: asyncio.Timeout) -> None:
        """Give a request its whole time anew, unless that has run out already."""
        if not limit.expired():
            limit.reschedule(asyncio.get_running_loop().time() + self._seconds_max)

    def _refuse_foreign(self, headers: Headers) -> None:
        """Refuse other pages, and a name that is not this server's: a page elsewhere may have had it resolved so."""
        host = headers.get("host", "")
        name, _, port = host.lower().rpartition(":")
        if not port.isdigit():  # what stands there is the end of an address, or a name without a port
            name = host.lower()
        if name not in self._hosts:
            raise RequestRefused(
                403, f"the host {host[:80]!r} is not this server's", "name it: serve --allow-host"
            )
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            raise RequestRefused(
                403, f"the page {origin[:80]!r} is another one's", "call the server from no page elsewhere"
            )


async def _read_body(headers: Headers, receive: Receive) -> bytes:
    """Read the whole body, within its bounds."""
    told = headers.get("content-length", "0")
    if not told.isdecimal() or int(told) > BODY_BYTES_MAX:
        raise _too_large()
    try:
        return await asyncio.wait_for(_collect_body(receive), BODY_SECONDS_MAX)
    except TimeoutError:
        raise RequestRefused(
            408, f"the body took more than {BODY_SECONDS_MAX:g} s", "send it at once"
        ) from None


def _mend_escapes(body: bytes) -> bytes:
    """Return a JSON body with whole characters, which a parser would refuse; the verb's answer says so."""
    try:
        mended, count = mend_json(body.decode())
    except UnicodeDecodeError:  # refused where it is parsed
        return body
    start_counting()
    note_mended(count)
    return mended.encode() if count else body


async def _collect_body(receive: Receive) -> bytes:
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b""
        part = message.get("body", b"")
        size += len(part)
        if size > BODY_BYTES_MAX:
            raise _too_large()
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


def _too_large() -> RequestRefused:
    return RequestRefused(
        413,
        f"a body has at most {BODY_BYTES_MAX:,} bytes",
        SEND_LESS,
    )


class _Replay:
    """Gives a body that was read once more, then what comes after it."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._message: Message | None = {"type": "http.request", "body": body, "more_body": False}
        self._receive = receive

    async def __call__(self) -> Message:
        message, self._message = self._message, None
        return message if message is not None else await self._receive()
