"""The newest requests of a server, as the page of whoever runs it lists them: no texts, no arguments, nothing on disk.

Knows statuses and times; must not know what was asked.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import Scope

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
    """The newest requests below some paths."""

    def __init__(self, now: Callable[[], int], paths: tuple[str, ...]) -> None:
        self._now, self._paths = now, paths
        self._kept: deque[AnsweredRequest] = deque(maxlen=KEPT_MAX)

    def note(self, scope: Scope, status: int, micros: int, _: int) -> None:
        """Keep one that was answered after so many microseconds; the oldest goes where there are too many."""
        path, token = scope["path"], scope.get("token")
        if path.startswith(self._paths):
            name = "" if token is None else token.name
            path = path[:PATH_CHARS_MAX]
            self._kept.append(
                AnsweredRequest(self._now() - micros, scope["method"], path, name, status, micros / 1_000)
            )

    def forget(self, _scope: str) -> None:
        """Keep none: a path may have a name in it."""
        self._kept.clear()

    def list_newest(self) -> list[AnsweredRequest]:
        """Return them, newest first."""
        return list(reversed(self._kept))
