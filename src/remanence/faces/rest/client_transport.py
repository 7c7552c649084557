"""Connections to one server: requests sent in threads, ended there where the caller is cancelled, progress heard.

Knows HTTP and problem documents; must not know verbs.
"""

import asyncio
import http.client
import secrets
import socket
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import orjson

from remanence.core import errors
from remanence.core.clock import SECOND, read_monotonic_micros
from remanence.core.errors import Conflict, InvalidInput, RemanenceError, StoreUnavailable
from remanence.core.keywords import Progress

THREADS_MAX = 64  # requests under way at once; further ones wait for their turn
CANCEL_S = 0.05  # between two attempts to end a call, which may not have begun over there
ABORT_S = 0.1  # between two attempts to let go of an answer that does not come
SILENCE_S = 60.0  # in which a stream says something, if only that nothing came
LATE_S = 1.0  # that progress may come behind its answer
Heard: TypeAlias = "tuple[int, int] | None"  # how much of how much is done; None where no more will come
_BUSY = 429
_UNKNOWN = (
    "see whether the server runs; whether the verb was done is not known: look before you call it again"
)


def _read_seconds() -> float:
    return read_monotonic_micros() / SECOND


@dataclass(eq=False)
class Request:
    """Arguments that are sent to a route, and the key that names the call while it runs.

    `heard_at` is when it was sent, or its progress heard last.
    """

    path: str
    body: bytes
    key: str = field(default_factory=lambda: secrets.token_hex(16))
    heard_at: float = field(default_factory=_read_seconds)
    carrier: socket.socket | None = None
    is_late: bool = False

    def abort(self) -> None:
        """Wait for its answer no longer: the thread that does comes to its end."""
        self.is_late = True
        if self.carrier is not None:
            with suppress(OSError):
                self.carrier.shutdown(socket.SHUT_RDWR)


class Transport:
    """Connections to one server; those that are free are used again."""

    def __init__(self, url: str, token: str, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise InvalidInput(
                f"{url[:80]!r} is no address", recovery="pass one such as http://127.0.0.1:8377"
            )
        self.url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self.threads = ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="remanence-http")
        self.timeout = timeout
        self._parts = parts
        self._heads = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        self._free: list[http.client.HTTPConnection] = []

    def send(self, request: Request) -> Any:
        """Send arguments and return the document that is answered; raise what the verb raised."""
        connection = self._free.pop() if self._free else self._connect()
        request.heard_at = _read_seconds()
        try:
            if connection.sock is None:
                connection.connect()
            connection.sock.settimeout(None)
            request.carrier = connection.sock
            heads = {**self._heads, "idempotency-key": request.key}
            connection.request("POST", self._find_path(request.path), request.body, heads)
            answer = connection.getresponse()
            data = answer.read()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            why = f"nothing came for {self.timeout:g} s" if request.is_late else str(error)
            raise self._build_silence(why or type(error).__name__) from error
        self._free.append(connection)
        if answer.status != http.client.OK:
            raise build_error(answer.status, data)
        if answer.headers.get_content_type() != "application/json":
            raise StoreUnavailable(f"{self.url} is no Remanence", recovery="check the address")
        return orjson.loads(data)

    def open_stream(self, path: str) -> "EventStream":
        """Listen to events from now on; return once the server has said so."""
        connection = self._connect()
        try:
            connection.request("GET", self._find_path(path), headers=self._heads)
            answer = connection.getresponse()
            connection.sock.settimeout(max(self.timeout, SILENCE_S))
            if answer.status != http.client.OK:
                raise build_error(answer.status, answer.read())
            answer.readline()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise self._build_silence(str(error) or type(error).__name__) from error
        except RemanenceError:
            connection.close()
            raise
        return EventStream(connection, answer)

    def close(self) -> None:
        """Close what is free; what is under way closes by itself."""
        while self._free:
            self._free.pop().close()
        self.threads.shutdown(wait=False)

    def _find_path(self, path: str) -> str:
        return self._parts.path.rstrip("/") + path

    def _build_silence(self, why: str) -> StoreUnavailable:
        return StoreUnavailable(f"{self.url} did not answer: {why}", recovery=_UNKNOWN)

    def _connect(self) -> http.client.HTTPConnection:
        host, port = str(self._parts.hostname), self._parts.port
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self.timeout)
        return http.client.HTTPSConnection(
            host, port, timeout=self.timeout, context=ssl.create_default_context()
        )


class EventStream:
    """What a server tells as it happens, heard in a thread."""

    def __init__(self, connection: http.client.HTTPConnection, answer: http.client.HTTPResponse) -> None:
        self._connection, self._answer = connection, answer

    def hear(self, request: Request, tell: Callable[[Heard], None]) -> None:
        """Tell how far a call is until it has ended or the stream has, then None."""
        try:
            is_progress = False
            while line := self._answer.readline():
                if not line.startswith(b"data:"):
                    is_progress = line == b"event: progress\n" or (is_progress and line != b"\n")
                    continue
                event = orjson.loads(line[5:]) if is_progress else {}
                if event.get("key") != request.key:
                    continue
                request.heard_at = _read_seconds()
                if event["ending"] is not None:
                    return
                tell((event["done"], event["total"]))
        except (OSError, http.client.HTTPException, ValueError):
            pass  # the answer comes by another connection, and without its progress
        finally:
            tell(None)

    def end(self) -> None:
        """Have the thread that hears come to its end."""
        if self._connection.sock is not None:
            with suppress(OSError):
                self._connection.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let the connection go."""
        self._answer.close()
        self._connection.close()


async def send_until_cancelled(transport: Transport, request: Request) -> Any:
    """Send a request and return its document; who is cancelled has the call end over there, and waits for that."""
    loop = asyncio.get_running_loop()
    sending = loop.run_in_executor(transport.threads, transport.send, request)
    try:
        return await _wait_for_answer(transport, request, sending)
    except asyncio.CancelledError:
        try:
            await _cancel_call(transport, request, sending)
        except asyncio.CancelledError:  # again: nothing is waited for
            if not sending.done():
                request.abort()
        raise


async def _wait_for_answer(transport: Transport, request: Request, sending: "asyncio.Future[Any]") -> Any:
    """Wait for an answer as long as it may take; who is cancelled leaves the request under way."""
    while not sending.done():
        left = request.heard_at + transport.timeout - _read_seconds()
        if left <= 0:
            request.abort()
        await asyncio.wait({sending}, timeout=max(left, ABORT_S))
    return await sending


async def _cancel_call(transport: Transport, request: Request, sending: "asyncio.Future[Any]") -> None:
    """Have a call end, and wait until it has; it may not have begun when that is asked for first."""
    loop = asyncio.get_running_loop()
    until = _read_seconds() + transport.timeout
    while not sending.done():
        if _read_seconds() > until:
            request.abort()
        ending = Request("/v1/cancel", orjson.dumps({"key": request.key}))
        try:
            await _wait_for_answer(transport, ending, loop.run_in_executor(None, transport.send, ending))
        except RemanenceError:  # it has not begun, or has ended; or nobody is there
            pass
        except asyncio.CancelledError:
            ending.abort()
            raise
        await asyncio.wait({sending}, timeout=CANCEL_S)
    if not sending.cancelled():
        sending.exception()  # looked at: who was cancelled hears of that alone


async def send_and_hear(transport: Transport, request: Request, events: str, progress: Progress) -> Any:
    """Send a request and return its document; `progress` hears how far it is, and ends the call where it raises."""
    loop = asyncio.get_running_loop()
    heard: asyncio.Queue[Heard] = asyncio.Queue()

    def tell(one: Heard) -> None:
        with suppress(RuntimeError):  # the loop is gone
            loop.call_soon_threadsafe(heard.put_nowait, one)

    stream = await loop.run_in_executor(transport.threads, transport.open_stream, events)
    hearing = loop.run_in_executor(transport.threads, stream.hear, request, tell)
    sending = asyncio.create_task(send_until_cancelled(transport, request))
    sending.add_done_callback(lambda done: _end_hearing(done, heard))
    try:
        while (one := await heard.get()) is not None:
            progress(*one)
        return await sending
    finally:
        if not sending.done():  # cancelled, or what heard it raised
            sending.cancel()
            await asyncio.wait({sending})
        stream.end()
        await hearing
        stream.close()


def _end_hearing(sending: "asyncio.Task[Any]", heard: "asyncio.Queue[Heard]") -> None:
    """Wait for no more progress of a call that has ended: of one that was refused none comes, else soon."""
    refused = sending.cancelled() or sending.exception() is not None
    asyncio.get_running_loop().call_later(0 if refused else LATE_S, heard.put_nowait, None)


def build_error(status: int, data: bytes) -> RemanenceError:
    """Return what was raised over there: of the same class, with the same words."""
    document: Any = {}
    with suppress(orjson.JSONDecodeError):
        document = orjson.loads(data)
    if not isinstance(document, dict) or "detail" not in document:
        return StoreUnavailable(f"the server answered {status}", recovery="see its log")
    kind = getattr(errors, str(document.get("error")), None)
    if not (isinstance(kind, type) and issubclass(kind, RemanenceError)):
        kind = InvalidInput if status < 500 and status != _BUSY else StoreUnavailable
    error: RemanenceError = kind.__new__(kind)
    RemanenceError.__init__(error, document["detail"], recovery=document.get("recovery", ""))
    details = document.get("details") or {}
    if isinstance(error, Conflict):
        error.keys, error.runs = (), ()
        error.expected, error.current = document.get("expected"), document.get("current")
    for name, value in details.items():
        setattr(error, name, tuple(value) if isinstance(value, list) else value)
    return error
