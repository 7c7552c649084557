"""What was asked for of those who watch over a server: metrics, spans, a log; what was not is never imported.

Knows which part is needed for what; must not know what it counts.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from starlette.types import ASGIApp

from remanence.core.errors import NotFound
from remanence.engine import Engine
from remanence.faces.rest.engines import Opener
from remanence.faces.rest.operating import OperatorsDoor
from remanence.faces.rest.request_limits import FindToken
from remanence.faces.rest.request_log import LogFormat, log_request, write_log
from remanence.faces.rest.watching import VerbObserver, watch_verbs
from remanence.flows.base.tracing import Tracer

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
