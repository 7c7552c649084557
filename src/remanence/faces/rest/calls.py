"""What runs on a server: calls under way by the keys that they were sent with, how far they are, and who may end them.

Knows calls and tokens; must not know requests, nor what a verb does.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from remanence.faces.rest.problems import RequestRefused
from remanence.flows.base.access_tokens import AccessToken

KEY_CHARS_MAX = 200
LONG_VERBS = frozenset(
    {"forecast", "plan", "export", "history", "explain", "doctor"} | {"erase.show", "scopes.drop"}
)
LONG_MAX = 2  # of these at once by one token, however many it asks for
RETRY_S = 1
Ending = Literal["answered", "refused", "cancelled"]


class RunningView(BaseModel):
    """A call under way: its key, its verb and scope, whose token it came by, since how many seconds, and how far it is.

    `done` and `total` are those of the verb's progress, null where it tells of none.
    """

    key: str
    verb: str
    scope: str
    token: str
    seconds: float
    done: int | None = None
    total: int | None = None


class CancelRequest(BaseModel):
    """Which call is to end."""

    model_config = ConfigDict(extra="forbid")

    key: str = Field(max_length=KEY_CHARS_MAX)


class CancelledView(BaseModel):
    """How many calls were ended; each had one key, and more than one only where it was sent to several routes."""

    cancelled: int


@dataclass(eq=False)
class RunningCall:
    """A call under way; `prolong` gives it its whole time anew, `ended` is set once nothing of it runs any more."""

    key: str
    verb: str
    scope: str
    token: AccessToken
    prolong: Callable[[], None]
    task: "asyncio.Task[None] | None" = None
    began: float = 0.0  # by the clock of the loop
    done: int | None = None
    total: int | None = None
    is_cancelled: bool = False
    ending: Ending | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    def may_end(self, token: AccessToken) -> bool:
        """Tell whether a token may see and end it: the one that began it, and any of the role curate for its scope."""
        return token == self.token or (token.may("curate") and token.opens(self.scope))

    def to_event(self) -> dict[str, object]:
        """Return how far it is, as listeners hear it."""
        return {
            "key": self.key,
            "verb": self.verb,
            "done": self.done,
            "total": self.total,
            "ending": self.ending,
        }


class RunningCalls:
    """The calls under way; `tell` hears of each how far it is and that it has ended."""

    def __init__(self, tell: Callable[[RunningCall], None]) -> None:
        self._tell = tell
        self._calls: dict[RunningCall, None] = {}  # in the order in which they began

    @contextmanager
    def hold(self, call: RunningCall) -> Iterator[None]:
        """Keep a call in the list while it runs in the task that entered this; raise where its token has too many."""
        long_calls = [one for one in self._calls if one.token == call.token and one.verb in LONG_VERBS]
        if call.verb in LONG_VERBS and len(long_calls) >= LONG_MAX:
            verbs = ", ".join(one.verb for one in long_calls)
            raise RequestRefused(
                429,
                f"the token {call.token.name} has {LONG_MAX} long calls under way: {verbs}",
                f"send it again in {RETRY_S} s, or end one of them: POST /v1/cancel",
                {"retry-after": str(RETRY_S)},
            )
        call.task = asyncio.current_task()
        call.began = asyncio.get_running_loop().time()
        self._calls[call] = None
        try:
            yield
        finally:
            del self._calls[call]
            call.ended.set()
            if call.total is not None:  # of what told nothing of its progress nobody waits to hear
                call.ending = call.ending or ("cancelled" if call.is_cancelled else "refused")
                self._tell(call)

    def advance(self, call: RunningCall, done: int, total: int) -> None:
        """Hear from a verb how far it is: who listens hears it, and it has its whole time anew."""
        call.done, call.total = done, total
        call.prolong()
        self._tell(call)

    def view(self, token: AccessToken) -> list[RunningView]:
        """Return what a token may see of what runs, the oldest first."""
        now = asyncio.get_running_loop().time()
        return [
            RunningView(
                key=call.key,
                verb=call.verb,
                scope=call.scope,
                token=call.token.name,
                seconds=round(now - call.began, 3),
                done=call.done,
                total=call.total,
            )
            for call in self._calls
            if call.may_end(token)
        ]

    async def cancel(self, token: AccessToken, key: str) -> int:
        """End the calls of a key that a token may end, and wait until nothing of them runs; return how many there were.

        A call ends at the next place where it waits: what is being committed then is committed whole.
        """
        ending = [call for call in self._calls if call.key == key and call.may_end(token)]
        for call in ending:
            assert call.task is not None  # it is held
            call.is_cancelled = True
            call.task.cancel()
        for call in ending:
            await call.ended.wait()
        return len(ending)
