"""What a verb does step by step, as spans of a tracer that somebody gave: gather, decide, commit.

Knows the protocol of a tracer, which is that of OpenTelemetry, and imports none; tells it no text, id or name.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, TypeVar

StepName = Literal["gather", "decide", "commit"]
Answer = TypeVar("Answer")
Given = ParamSpec("Given")
Open = TypeVar("Open", bound="TracerHolder")


class Tracer(Protocol):
    """What begins spans: a tracer of OpenTelemetry, or anything that is called like one."""

    def start_as_current_span(
        self, name: str, *, record_exception: bool = True, set_status_on_exception: bool = True
    ) -> AbstractContextManager[Any]:
        """Begin a span that lasts as long as the block."""
        ...


def begin_span(tracer: Tracer | None, name: str) -> AbstractContextManager[Any]:
    """Begin a span, if there is a tracer; an error is told to none, as its message may name a memory."""
    if tracer is None:
        return nullcontext()
    return tracer.start_as_current_span(
        f"remanence.{name}", record_exception=False, set_status_on_exception=False
    )


class TracerHolder(Protocol):
    """What has a tracer, or none: an open memory."""

    tracer: Tracer | None


def trace_step(
    name: StepName,
) -> Callable[
    [Callable[Concatenate[Open, Given], Awaitable[Answer]]],
    Callable[Concatenate[Open, Given], Awaitable[Answer]],
]:
    """Let what works on an open memory be a span of its tracer, where it has one."""

    def decorate(
        step: Callable[Concatenate[Open, Given], Awaitable[Answer]],
    ) -> Callable[Concatenate[Open, Given], Awaitable[Answer]]:
        @wraps(step)
        async def take_step(memory: Open, /, *given: Given.args, **named: Given.kwargs) -> Answer:
            with begin_span(memory.tracer, name):
                return await step(memory, *given, **named)

        return take_step

    return decorate
