"""Spans of the server for OpenTelemetry: each verb, and what its curation gathers, decides and commits.

Knows the SDK of OpenTelemetry, and is imported where somebody asked for spans alone. Its provider is the server's own:
what other packages trace stays untraced, and what somebody set for the whole process is left as it is.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points

from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import StatusCode, Tracer

from remanence._version import __version__
from remanence.core.errors import NameUnknown
from remanence.flows.base.tracing import begin_span

EXPORTERS = "opentelemetry_traces_exporter"  # the group of entry points under which exporters are installed


class VerbSpans:
    """Has each verb a span, around those of its steps."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def observe(self, verb: str) -> Iterator[None]:
        """Have a verb a span; one that raises is marked as an error, without its words."""
        with begin_span(self._tracer, verb) as span:
            has_ended = False
            try:
                yield
                has_ended = True
            finally:
                kind = None if has_ended else sys.exc_info()[0]
                if kind is not None:
                    span.set_status(StatusCode.ERROR)
                    span.set_attribute("error.type", kind.__name__)


@contextmanager
def export_spans(name: str) -> Iterator[Tracer]:
    """Yield a tracer whose spans go to the exporter of that name, the last of them at the end of the block."""
    found = {one.name: one for one in entry_points(group=EXPORTERS)}
    if name not in found:
        raise NameUnknown("exporter of spans", name, sorted(found))
    resource = Resource({SERVICE_NAME: "remanence", SERVICE_VERSION: __version__})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(found[name].load()()))
    try:
        yield provider.get_tracer("remanence", __version__)
    finally:
        provider.shutdown()
