"""Tells observers of each verb that is called on a memory of the server, whichever face calls it.

Knows verbs by name; must not know what an observer does with them.
"""

import inspect
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from typing import Any, Protocol, cast

from remanence.core.verbs import TABLE
from remanence.engine import Engine
from remanence.faces.rest.engines import Opener
from remanence.flows.base.access_tokens import AccessToken
from remanence.flows.base.opening_checks import NewScope

VERBS = frozenset(row.verb for row in TABLE if row.verb)
SHELVES = frozenset(verb.rpartition(".")[0] for verb in VERBS) - {""}


class VerbObserver(Protocol):
    """Hears of a verb when it begins and, by the end of the block, how it ended."""

    def observe(self, verb: str) -> AbstractContextManager[Any]:
        """Begin a verb that lasts as long as the block; what is raised in it goes on."""
        ...


def watch_verbs(opener: Opener, observers: Sequence[VerbObserver]) -> Opener:
    """Return an opener whose memories tell of their verbs."""

    @asynccontextmanager
    async def open_watched(scope: str, token: AccessToken, new_scope: NewScope) -> AsyncIterator[Engine]:
        async with opener(scope, token, new_scope) as memory:
            yield cast("Engine", _WatchedShelf(memory, observers))

    return open_watched


class _WatchedShelf:
    """A memory, or one of its shelves, with the same members; verbs that are waited for are told of."""

    def __init__(self, shelf: Any, observers: Sequence[VerbObserver], name: str = "") -> None:
        self._shelf = shelf
        self._observers = observers
        self._name = name

    def __getattr__(self, name: str) -> Any:
        """Return a member of what is watched."""
        member, verb = getattr(self._shelf, name), f"{self._name}{name}"
        if verb in SHELVES:
            return _WatchedShelf(member, self._observers, f"{verb}.")
        if verb not in VERBS:
            return member

        def call(*given: Any, **named: Any) -> Any:
            answer = member(*given, **named)
            return self._wait(verb, answer) if inspect.isawaitable(answer) else answer

        return call

    async def _wait(self, verb: str, answer: Awaitable[Any]) -> Any:
        with ExitStack() as blocks:
            for observer in self._observers:
                blocks.enter_context(observer.observe(verb))
            return await answer
