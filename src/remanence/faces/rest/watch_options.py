"""Observers of a server: metrics, spans, a log, and each verb that is called; what was not asked for is not imported.

Knows which part is needed for what; must not know what it counts.
"""

import inspect
from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol, cast

from starlette.types import ASGIApp

from remanence.core.errors import NotFound
from remanence.core.verbs import TABLE
from remanence.engine import Engine
from remanence.faces.rest.engines import Opener
from remanence.faces.rest.operating import OperatorsDoor
from remanence.faces.rest.request_limits import FindToken
from remanence.faces.rest.request_log import LogFormat, log_request, write_log
from remanence.flows.base.access_tokens import AccessToken
from remanence.flows.base.opening_checks import NewScope
from remanence.flows.base.tracing import Tracer

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


if TYPE_CHECKING:
    from remanence.faces.rest.metrics import Metrics


@dataclass
class ServerWatch:
    """Who watches over a server: `tracer` hears of the steps of verbs, `observers` of verbs, `log` of requests."""

    log: LogFormat | None = None
    tracer: Tracer | None = None
    observers: Sequence[VerbObserver] = ()
    numbers: "Metrics | None" = field(default=None, init=False)
    has_metrics: bool = False

    def begin(self, memory: Engine, opener: Opener) -> Opener:
        """Begin to count; return the opener of memories that tell of their verbs, if anybody hears them."""
        if self.has_metrics:
            from remanence.faces.rest.metrics import Metrics

            self.numbers = Metrics(memory)
        observers = [*self.observers, *([] if self.numbers is None else [self.numbers])]
        return watch_verbs(opener, observers) if observers else opener

    def stand_before(self, app: ASGIApp, memory: Engine, find_token: FindToken) -> ASGIApp:
        """Return an application that answers to operators, too, and logs each request where that was asked for."""
        return OperatorsDoor(
            app, memory, find_token, self.numbers, note=None if self.log is None else log_request
        )


@contextmanager
def begin_watch(*, metrics: bool, spans: str | None, log: LogFormat | None) -> Iterator[ServerWatch]:
    """Yield what was asked for; the last spans are exported at the end of the block."""
    if log is not None:
        write_log(log)
    if metrics:
        _require("prometheus_client")
    if spans is None:
        yield ServerWatch(log, has_metrics=metrics)
        return
    _require("opentelemetry.sdk")
    from remanence.faces.rest.verb_spans import VerbSpans, export_spans

    with export_spans(spans) as tracer:
        yield ServerWatch(log, tracer, [VerbSpans(tracer)], has_metrics=metrics)


def _require(package: str) -> None:
    try:
        is_there = find_spec(package) is not None
    except ModuleNotFoundError:  # of the package that it is in
        is_there = False
    if not is_there:
        raise NotFound("the extra `metrics` is not installed", recovery="pip install 'remanence[metrics]'")
