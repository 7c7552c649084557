"""The newest requests of a server, as the page of whoever runs it lists them: no texts, no arguments, nothing on disk.

Knows statuses and times; must not know what was asked.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from remanence.core.clock import read_monotonic_micros

KEPT_MAX = 500
PATH_CHARS_MAX = 120


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """One request: when it came, what it named, for which token, its status, and how many milliseconds it took."""

    at: int
    method: str
    path: str
    token: str
    status: int
    ms: float


class RecentRequests:
    """The newest requests."""

    def __init__(self) -> None:
        self._kept: deque[AnsweredRequest] = deque(maxlen=KEPT_MAX)

    def add(self, request: AnsweredRequest) -> None:
        """Keep one; the oldest goes where there are too many."""
        self._kept.append(request)

    def list_newest(self) -> list[AnsweredRequest]:
        """Return them, newest first."""
        return list(reversed(self._kept))


class RequestRecorder:
    """Stands before an application and keeps what was asked below some paths, once it was answered."""

    def __init__(
        self, app: ASGIApp, log: RecentRequests, now: Callable[[], int], paths: tuple[str, ...]
    ) -> None:
        self._app, self._log, self._now, self._paths = app, log, now, paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and keep how it went."""
        if scope["type"] != "http" or not scope["path"].startswith(self._paths):
            await self._app(scope, receive, send)
            return
        at, began, status = self._now(), read_monotonic_micros(), 0

        async def send_on(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        finally:
            token = scope.get("token")
            self._log.add(
                AnsweredRequest(
                    at,
                    scope["method"],
                    scope["path"][:PATH_CHARS_MAX],
                    "" if token is None else token.name,
                    status,
                    (read_monotonic_micros() - began) / 1_000,
                )
            )
