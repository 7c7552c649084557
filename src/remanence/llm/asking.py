"""How a vendor's model is asked: within a time limit, again where that helps, and never for more than it may answer.

Knows the order of tries and what an error says; a vendor's own module knows how its requests and answers look.
"""

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from functools import partial
from random import random
from types import TracebackType
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import orjson

from remanence.core.arguments import check_count, check_name
from remanence.core.errors import ExtensionError, InvalidInput, ModelError, WriterError, format_value
from remanence.core.half_characters import mend_json
from remanence.llm.base import Judgement
from remanence.llm.questions import (
    SHORTENED_CHARS_MAX,
    ModelQuestion,
    build_extract_question,
    build_judge_question,
    shortening,
)
from remanence.llm.replies import RECOVERY, build_reply_error, extraction, judgement, shorter
from remanence.read.extraction import ExtractRequest, ExtractResult, ExtractTurn, ShortenResult, checked_turns
from remanence.text.tokens import token_counts

SECONDS_MAX = 60.0  # for one question, with all tries
SECONDS_MOST = 3_600.0
TRIES_MAX = 3
PAUSE_S = 0.5  # before the second try, doubled for each further one, where the server names no time
PAUSE_JITTER = 0.25  # at most so much less, so that many that failed together do not come again together
ANSWER_BYTES_MAX = (
    1 << 20
)  # a judgement has some hundred bytes; an answer that thinks aloud has some thousand
SHORTER_TOKENS_MAX = 10_000
_PASSING = frozenset({408, 409, 429})  # and all from 500 on: the same request may be answered later
AGAIN = "The answer before this one could not be read. Answer by the schema alone: one JSON object, nothing around it."
_SOMEWHERE = "keyless"  # what is sent as the key to a server of one's own that wants none


class Closing(Protocol):
    """A vendor's client."""

    async def close(self) -> None:
        """Let its connections go."""
        ...


class Answering(Protocol):
    """An answer whose body is still to be read."""

    def iter_bytes(self) -> AsyncIterator[bytes]:
        """Return the body piece by piece, unpacked."""
        ...


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote, and what it cost, question included; None where the server did not say."""

    text: str
    tokens_used: int | None


C = TypeVar("C", bound=Closing)
A = TypeVar("A")
T = TypeVar("T")


class Vendor(ABC, Generic[C]):
    """What asks a vendor's model over the network.

    The client is made at the first question, and anew in another event loop; `close` lets its connections go, and who
    was closed may be asked again.
    """

    vendor: ClassVar[str]
    key_variable: ClassVar[str]
    url_variable: ClassVar[str]
    what: ClassVar[str]  # it is, in words
    error: ClassVar[type[ModelError]]

    def __init__(self, model: str, *, base_url: str | None = None, seconds_max: float = SECONDS_MAX) -> None:
        check_name("a model", model)
        if not 0 < seconds_max <= SECONDS_MOST:
            raise InvalidInput(
                f"seconds_max is {format_value(seconds_max)}",
                recovery=f"use a number above 0, up to {SECONDS_MOST:,g}",
            )
        self.model = model
        self.name = f"{self.vendor}:{model}"
        self.seconds_max = seconds_max
        self._base_url = base_url or os.environ.get(self.url_variable) or None
        self._client: tuple[asyncio.AbstractEventLoop, C] | None = None
        self._errors = self._failures()
        self._read_key()

    async def close(self) -> None:
        """Let the connections go."""
        if self._client is not None and self._client[0] is asyncio.get_running_loop():
            await self._client[1].close()
        self._client = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @abstractmethod
    def _make_client(self, key: str, base_url: str | None) -> C:
        """Make the vendor's client, which tries once and follows no redirect: it would send the texts elsewhere."""

    @abstractmethod
    def _failures(self) -> tuple[type[Exception], ...]:
        """Return what the vendor's client raises where a request fails; ModuleNotFoundError where it is missing."""

    def _read_key(self) -> str:
        """Return the key, which stands in the environment and nowhere else."""
        key = os.environ.get(self.key_variable)
        if key:
            return key
        if self._base_url is None:
            raise InvalidInput(
                f"the {self.what} {self.name!r} has no key",
                recovery=f"set the environment variable {self.key_variable}; a server of yours, named by"
                f" {self.url_variable}, may need none",
            )
        return _SOMEWHERE

    async def _ask_in_time(self, ask: Callable[[C], Awaitable[A]], tokens: int) -> A:
        """Ask within the time limit; `tokens` are those of the question."""
        try:
            async with asyncio.timeout(self.seconds_max) as limit:
                return await self._ask_with_retries(ask, limit)
        except TimeoutError:
            why = f"{self.name} gave no answer within {self.seconds_max:g} s"
            # Who was not waited for may have answered all the same, for the price of the question at least.
            raise self.error(why, recovery=RECOVERY, tokens_used=tokens) from None

    async def _ask_with_retries(self, ask: Callable[[C], Awaitable[A]], limit: asyncio.Timeout) -> A:
        """Ask again where a failure passes and there is time to wait for it."""
        loop = asyncio.get_running_loop()
        for attempt in range(1, TRIES_MAX + 1):
            try:
                if self._client is None or self._client[0] is not loop:
                    self._client = (loop, self._make_client(self._read_key(), self._base_url))
                return await ask(self._client[1])
            except self._errors as error:
                pause = _choose_pause(error, attempt)
                remaining = (limit.when() or 0) - loop.time()
                if pause is None or attempt == TRIES_MAX or pause >= remaining:
                    raise self._build_model_error(error, pause, remaining) from None
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    def _build_model_error(self, error: Exception, pause: float | None, left: float) -> ModelError:
        """Say what went wrong by the status alone: what a server says of it may be anything, and would be kept."""
        status = getattr(error, "status_code", None)
        what = (
            f"answered with status {status}"
            if status is not None
            else f"gave no whole answer ({type(error).__name__})"
        )
        later = f"; it asks to wait {pause:g} s" if pause is not None and pause >= left else ""
        recovery = RECOVERY
        if status in {401, 403}:
            recovery = f"see whether {self.key_variable} is right"
        elif status is not None and 300 <= status < 400:
            what += ", which leads elsewhere, and texts are sent nowhere else"
            recovery = f"give {self.url_variable}, or `base_url`, the address that answers itself"
        return self.error(f"{self.name} {what}{later}", recovery=recovery)


class ModelWriter(Vendor[C]):
    """A writer that asks a vendor's model over the network."""

    what = "writer"
    error = WriterError

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Judge one text in the light of who the agent is and of other memories by id."""
        return await self._ask_and_read(build_judge_question(text, identity, others), judgement)

    async def extract(self, turns: Sequence[ExtractTurn], wanted: ExtractRequest) -> ExtractResult:
        """Find facts in what was said, each with the turn that it was learned from."""
        checked_turns(turns)
        read = partial(extraction, turns=turns, wanted=wanted)
        return await self._ask_and_read(build_extract_question(turns, wanted), read)

    async def shorten(self, text: str, tokens_max: int) -> ShortenResult:
        """Return a text of at most `tokens_max` tokens that says the same as this one."""
        check_count("tokens_max", tokens_max, 1, SHORTER_TOKENS_MAX)
        if len(text) > SHORTENED_CHARS_MAX:
            raise InvalidInput(
                f"a text of {len(text):,} characters is too long to be shortened",
                recovery=f"split it into parts of at most {SHORTENED_CHARS_MAX:,}",
            )
        return await self._ask_and_read(
            shortening(text, tokens_max), partial(shorter, original=text, tokens_max=tokens_max)
        )

    @abstractmethod
    async def _ask(self, client: C, question: ModelQuestion) -> Reply:
        """Ask once."""

    async def _ask_and_read(self, question: ModelQuestion, read: Callable[[str, int], T]) -> T:
        """Ask, and read the answer with what it cost; one that cannot be read is asked for once more."""
        text, spent = await self._ask_once(question)
        try:
            return read(text, spent)
        except WriterError:
            again = replace(question, instructions=f"{question.instructions}\n{AGAIN}")
        try:
            text, tokens_used = await self._ask_once(again)
        except WriterError as error:
            tokens_used = spent + error.tokens_used
            raise WriterError(str(error), recovery=error.recovery, tokens_used=tokens_used) from None
        return read(text, spent + tokens_used)

    async def _ask_once(self, question: ModelQuestion) -> tuple[str, int]:
        """Ask once; what the answer cost is estimated where the server did not say it."""
        reply = await self._ask_in_time(lambda client: self._ask(client, question), question.tokens)
        estimate = question.tokens + sum(token_counts([reply.text]))
        return reply.text, estimate if reply.tokens_used is None else reply.tokens_used


def missing(vendor: str) -> ExtensionError:
    """Return the error of a vendor whose package is not there."""
    return ExtensionError(
        f"the models of {vendor} need the package {vendor}, which is not installed",
        recovery=f"install it: pip install 'remanence[{vendor}]'",
        extension=vendor,
    )


async def document(answer: Answering, bytes_max: int = ANSWER_BYTES_MAX) -> dict[str, Any]:
    """Read the body of an answer, up to a limit, as the JSON object that it has to be."""
    body = bytearray()
    async for piece in answer.iter_bytes():
        body += piece
        if len(body) > bytes_max:
            raise build_reply_error(f"the answer is longer than {bytes_max:,} bytes", 0)
    try:
        value = orjson.loads(mend_json(body.decode())[0])
    except (orjson.JSONDecodeError, UnicodeDecodeError) as error:
        raise build_reply_error(f"the server answered with what is no JSON: {error}", 0) from None
    if not isinstance(value, dict):
        raise build_reply_error(f"the server answered with a JSON {type(value).__name__}, not an object", 0)
    return value


def items(found: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the objects of a list in an answer; what is none is passed over."""
    entries = found.get(name)
    return [one for one in entries if isinstance(one, dict)] if isinstance(entries, list) else []


def tokens(found: Mapping[str, Any], *names: str) -> int | None:
    """Return the sum of some counts of an answer's usage; None where it has none of them."""
    usage = found.get("usage")
    counts = [usage.get(name) for name in names] if isinstance(usage, dict) else []
    valid_counts = [count for count in counts if type(count) is int and 0 <= count < 1 << 40]
    return sum(valid_counts) if valid_counts else None


def _choose_pause(error: Exception, tried: int) -> float | None:
    """Return how many seconds to wait before the next try; None where the same request fails again."""
    status = getattr(error, "status_code", None)
    headers = getattr(getattr(error, "response", None), "headers", {})
    if status is not None:
        passes = status in _PASSING or status >= 500
        if headers.get("x-should-retry") == "false" or not passes:
            return None
    retry_after = _parse_retry_after(headers)
    if retry_after is not None:
        return retry_after
    pause: float = PAUSE_S * 2.0 ** (tried - 1) * (1 - PAUSE_JITTER * random())
    return pause


def _parse_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: a number, or a day and time beside its own."""
    retry_after = headers.get("retry-after", "")
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        wait = parsedate_to_datetime(retry_after) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError):
        return None
    return max(0.0, wait.total_seconds())
