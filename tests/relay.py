"""What stands between a client and a server: it cuts a connection off at any message, or shares connections.

Both run on a thread of their own and listen as the server does, on a socket in a folder or at a port.
"""

import asyncio
import struct
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

_SOCKET = ".s.PGSQL.5432"
_LENGTH = struct.Struct(">i")
_CHUNK = 1 << 16
_ANSWERS_IN_S = 30
_QUIET_S = 0.02
_SHARED = 3  # connections of the server, whatever number of clients
_OTHER_PROCESS = 4_242  # what a pooler names for cancelling is not the process of the server
_READY, _KEY, _PARAMETER, _AUTHENTICATION = b"Z", b"K", b"S", b"R"
_TERMINATE = b"X"
_IDLE = b"I"


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[Any, Any, None]]
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Socket:
    """Where a server listens on a socket in a folder, and another one is listened on instead."""

    def __init__(self, server: str) -> None:
        self._folder = TemporaryDirectory(prefix="remanence-relay-")
        parts = urlsplit(server)
        (host,) = parse_qs(parts.query)["host"]
        self._server = str(Path(host) / _SOCKET)
        self.address = f"{parts.scheme}://{parts.netloc}{parts.path}?host={self._folder.name}"

    async def listen(self, serve: Serve) -> asyncio.Server:
        """Listen in a folder of its own."""
        return await asyncio.start_unix_server(serve, str(Path(self._folder.name) / _SOCKET))

    async def connect(self) -> Streams:
        """Connect to the server."""
        return await asyncio.open_unix_connection(self._server)

    def remove(self) -> None:
        """Take the folder away."""
        self._folder.cleanup()


class _Port:
    """Where a server listens at a port, and another one is listened at instead."""

    def __init__(self, server: str) -> None:
        self._parts = urlsplit(server)
        self.address = ""

    async def listen(self, serve: Serve) -> asyncio.Server:
        """Listen at a port that is free."""
        listener = await asyncio.start_server(serve, "127.0.0.1", 0)
        self.address = f"{self._parts.scheme}://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
        return listener

    async def connect(self) -> Streams:
        """Connect to the server."""
        return await asyncio.open_connection(self._parts.hostname, self._parts.port)

    def remove(self) -> None:
        """Leave nothing to take away."""


class _Between:
    """A thread with a loop that listens; what it does with a client is said by those below."""

    def __init__(self, server: str) -> None:
        self._is_socket = "host=" in server
        self._place = _Socket(server) if self._is_socket else _Port(server)
        self._loop = asyncio.new_event_loop()
        self._listener: Any = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def address(self) -> str:
        """Where clients connect, once it listens."""
        return self._place.address

    def __enter__(self) -> Self:
        """Listen."""
        self._thread.start()
        self._listener = self.do(self._place.listen(self._serve))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all that is under way."""
        self.do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._place.remove()

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Do work on the thread, and return what came of it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_ANSWERS_IN_S)

    async def _end(self) -> None:
        self._listener.close()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0.01)  # what was closed is closed in the next rounds of the loop

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        raise NotImplementedError


class Cutter(_Between):
    """Passes everything on until the message that it was told of: that one goes to the server, its answer nowhere.

    Of a server at a port, whatever a client sends at once counts as one message.
    """

    def __init__(self, server: str) -> None:
        super().__init__(server)
        self._left: int | None = None
        self.count = 0  # messages since `cut_after`
        self.was_cut = False

    def cut_after(self, messages: int | None) -> None:
        """Cut a connection off once so many more messages have come from the client; None for never."""
        self._left, self.count, self.was_cut = messages, 0, False

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await self._place.connect()
        # Given back to the client only where nothing was cut meanwhile.
        answers = asyncio.create_task(_copy(from_server, writer))
        try:
            if self._is_socket:
                to_server.write(await _read_start(reader))
            while message := await (_read_message(reader) if self._is_socket else reader.read(_CHUNK)):
                to_server.write(message)
                if self._is_socket and message[:1] == _TERMINATE:
                    await to_server.drain()
                    return
                self.count += 1
                if self._left is not None and self.count >= self._left:
                    self._left, self.was_cut = None, True
                    answers.cancel()
                    await asyncio.gather(answers, return_exceptions=True)
                    await to_server.drain()
                    await _read_until_quiet(from_server)
                    return
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            answers.cancel()
            writer.transport.abort()
            to_server.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_CHUNK):
        writer.write(data)
    writer.close()


async def _read_until_quiet(reader: asyncio.StreamReader) -> None:
    """Let the server come to the end of what it was sent: one that can answer nobody stops before."""
    try:
        while await asyncio.wait_for(reader.read(_CHUNK), _QUIET_S):
            pass
    except TimeoutError:
        pass


async def _read_start(reader: asyncio.StreamReader) -> bytes:
    """Return the first message of a client, which has no type."""
    head = await reader.readexactly(4)
    return head + await reader.readexactly(_LENGTH.unpack(head)[0] - 4)


async def _read_message(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readexactly(5)
    return head + await reader.readexactly(_LENGTH.unpack(head[1:])[0] - 4)


class _Backend:
    """A connection of the server that clients share."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.greeting: list[bytes] = []
        self.is_free = True


class Pooler(_Between):
    """Gives each transaction of a client another connection of the server, as poolers do in transaction mode.

    It knows nothing of prepared statements: a name that a client made is there, or means another statement, by chance.
    """

    def __init__(self, server: str) -> None:
        super().__init__(server)
        self._backends: list[_Backend] = []
        self._next, self._start = 0, b""
        self._freed = asyncio.Condition()
        self.transactions = 0

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._start = await _read_start(reader)
        async with self._freed:
            await self._fill()
        key = _KEY + _LENGTH.pack(12) + _LENGTH.pack(_OTHER_PROCESS) + _LENGTH.pack(0)
        writer.writelines([key if message[:1] == _KEY else message for message in self._backends[0].greeting])
        try:
            while True:
                message = await _read_message(reader)
                if message[:1] == _TERMINATE:
                    return
                await self._transact(message, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _end(self) -> None:
        for backend in self._backends:
            backend.writer.transport.abort()
        await super()._end()

    async def _fill(self) -> None:
        while len(self._backends) < _SHARED:
            self._backends.append(await self._connect())

    async def _connect(self) -> _Backend:
        backend = _Backend(*await self._place.connect())
        backend.writer.write(self._start)
        while not backend.greeting or backend.greeting[-1][:1] != _READY:
            backend.greeting.append(await _read_message(backend.reader))
        return backend

    async def _take(self) -> _Backend:
        """Return a connection that is free: never the last one again while others are."""
        async with self._freed:
            await self._fill()
            await self._freed.wait_for(lambda: any(backend.is_free for backend in self._backends))
            self._next += 1
            ordered = [*self._backends[self._next % _SHARED :], *self._backends[: self._next % _SHARED]]
            backend = next(backend for backend in ordered if backend.is_free)
            backend.is_free = False
            return backend

    async def _transact(
        self, message: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Pass messages on until the connection is in no transaction."""
        backend = await self._take()
        self.transactions += 1
        is_over = False
        backend.writer.write(message)
        asked = asyncio.create_task(_pass_on(reader, backend.writer.write))
        asked.add_done_callback(lambda _: backend.reader.feed_eof() if _is_gone(asked) else None)
        try:
            while True:
                answer = await _read_message(backend.reader)
                writer.write(answer)
                is_over = answer[:1] == _READY and answer[5:6] == _IDLE
                if is_over:
                    return
        finally:
            asked.cancel()
            await asyncio.gather(asked, return_exceptions=True)
            if not is_over:  # its client has gone in the midst of a transaction
                self._backends.remove(backend)
                backend.writer.transport.abort()
            async with self._freed:
                backend.is_free = True
                self._freed.notify()


def _is_gone(asked: "asyncio.Task[None]") -> bool:
    """Tell whether a client ended its connection."""
    return not asked.cancelled() and asked.exception() is not None


async def _pass_on(reader: asyncio.StreamReader, write: Callable[[bytes], None]) -> None:
    while True:
        write(await _read_message(reader))
