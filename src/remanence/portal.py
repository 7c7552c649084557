"""An event loop in a thread of its own, through which plain code calls async code, and plain twins of async classes.

Knows threads, futures and one thing that it keeps open; must not know any verb that is called through it.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from functools import cache, wraps
from threading import RLock, Thread, current_thread
from types import TracebackType
from typing import Any, Generic, TypeVar, get_type_hints

from remanence.core.errors import InvalidInput, StoreUnavailable
from remanence.core.process import OpeningProcess

T = TypeVar("T")

ITEMS = 256  # of an iterator fetched at once: a hop between threads costs as much as a small verb


class Portal:
    """Keeps an async context manager open in a daemon thread; calls may come from any number of other threads."""

    def __init__(self, kept: AbstractAsyncContextManager[Any]) -> None:
        self._kept = kept
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, name="remanence-sync", daemon=True)
        self._calls: set[asyncio.Task[Any] | None] = set()
        # Reentrant: the garbage collector may close an iterator, which calls, while its thread is in here.
        self._lock = RLock()
        self._process = OpeningProcess()
        self._is_open = True

    def open(self) -> None:
        """Begin the thread and enter what is kept; where that fails the thread ends again."""
        self._thread.start()
        is_open = False
        try:
            self.call(self._kept.__aenter__())
            is_open = True
        finally:
            if not is_open:
                self._end(self._close_loop_resources())

    def close(self) -> None:
        """Let the calls under way finish, leave what is kept and end the thread; closing twice is allowed."""
        self._end(self._close_context())

    def resolve_answer(self, answer: Any) -> Any:
        """Turn what an async function returned into what a plain one would have."""
        if asyncio.iscoroutine(answer):
            return self.call(answer)
        if isinstance(answer, AbstractAsyncContextManager):
            return Within(self, answer)
        return self.iterate(answer) if isinstance(answer, AsyncIterator) else answer

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Do the work over there and wait for its answer; an interrupt here cancels it there."""
        future = self.submit(work)
        try:
            return future.result()
        finally:
            future.cancel()  # does nothing to a call that is done

    def iterate(self, items: AsyncIterator[T]) -> Iterator[T]:
        """Yield the items of an async iterator."""
        try:
            while some := self.call(_collect_batch(items)):
                yield from some
        finally:
            if self._complaint() is None:  # else closing the memory closes its iterators
                self.call(_close_iterator(items))

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin the work over there and return what its answer will be in; cancelling that cancels the work."""
        if not self._process.is_this:
            work.close()
            self._process.refuse_child()  # before the lock, which a thread of the parent may have held
        with self._lock:
            complaint = self._complaint()
            if complaint is None:
                return asyncio.run_coroutine_threadsafe(self._run_call(work), self._loop)
        work.close()
        raise complaint

    def _complaint(self) -> Exception | None:
        """Say why no call can be made now."""
        if not self._is_open or not self._thread.is_alive():
            return StoreUnavailable(
                "this memory is closed", recovery="open it again with remanence.sync.open"
            )
        return _within_another() if current_thread() is self._thread else None

    async def _run_call(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.current_task()
        self._calls.add(task)
        try:
            return await work
        finally:
            self._calls.discard(task)

    def _end(self, last: Coroutine[Any, Any, None]) -> None:
        """Do the last work over there and end the thread; it ends too where this caller is interrupted."""
        if current_thread() is self._thread:
            last.close()
            raise _within_another()
        if not self._process.is_this:
            last.close()
            return
        with self._lock:
            was_open, self._is_open = self._is_open, False
        if not was_open or not self._thread.is_alive():
            last.close()
            return
        future = asyncio.run_coroutine_threadsafe(last, self._loop)
        future.add_done_callback(lambda _: self._loop.call_soon_threadsafe(self._loop.stop))
        future.result()
        self._thread.join()

    async def _close_context(self) -> None:
        await self._wait_for_calls()
        try:
            await self._kept.__aexit__(None, None, None)
        finally:
            await self._close_loop_resources()

    async def _close_loop_resources(self) -> None:
        await self._wait_for_calls()
        await self._loop.shutdown_asyncgens()
        await self._loop.shutdown_default_executor()

    async def _wait_for_calls(self) -> None:
        """Wait for the calls under way; one that was cancelled tidies up first."""
        while calls := [task for task in self._calls if task is not None]:
            await asyncio.wait(calls)

    def _run(self) -> None:
        """Run the loop until it is stopped: what asyncio lets through to here belongs to whoever made the call."""
        is_stopped = False
        try:
            while not is_stopped:
                with suppress(
                    SystemExit, KeyboardInterrupt
                ):  # kept in the call's task, too, which tells its caller
                    self._loop.run_forever()
                    is_stopped = True
        finally:
            self._loop.close()


@dataclass(frozen=True, slots=True)
class Within(Generic[T]):
    """An async context manager as a plain one."""

    portal: Portal
    kept: AbstractAsyncContextManager[T]

    def __enter__(self) -> T:
        return self.portal.call(self.kept.__aenter__())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return self.portal.call(self.kept.__aexit__(kind, error, trace))


class SyncProxy:
    """The plain twin of an object with async methods: the object itself, and the portal to its thread."""

    def __init__(self, thing: Any, portal: Portal) -> None:
        self._thing = thing
        self._portal = portal

    def __repr__(self) -> str:
        return repr(self._thing)


def thing_and_portal(self: Any) -> tuple[Any, Portal]:
    """Return what a plain twin stands for and the portal to its thread, for whoever has work of its own done there."""
    return self._thing, self._portal


@cache
def sync_proxy(kind: type) -> type[SyncProxy]:
    """Make the plain twin of a class: each public member by its own name and with its own signature."""
    members = {name: member for one in reversed(kind.__mro__[:-1]) for name, member in vars(one).items()}
    plain = {name: _member(name, member) for name, member in members.items() if not name.startswith("_")}
    return type(kind.__name__, (SyncProxy,), {"__doc__": kind.__doc__, **plain})


def is_namespace(kind: Any) -> bool:
    """Tell whether a class of ours has verbs, which must be called over there."""
    return (
        isinstance(kind, type)
        and kind.__module__.startswith("remanence.")
        and not getattr(kind, "_is_protocol", False)
        and any(inspect.iscoroutinefunction(member) for member in vars(kind).values())
    )


def _member(name: str, member: Any) -> Any:
    if isinstance(member, property):
        return property(lambda self: _read(self, name, member), doc=member.__doc__)

    @wraps(member)
    def verb(self: SyncProxy, *given: Any, **more: Any) -> Any:
        return self._portal.resolve_answer(getattr(self._thing, name)(*given, **more))

    return verb


def _read(self: SyncProxy, name: str, member: property) -> Any:
    value = getattr(self._thing, name)
    made = _proxy_of(member)
    return value if made is None else made(value, self._portal)


@cache
def _proxy_of(member: property) -> type[SyncProxy] | None:
    """Make the plain twin of what a property returns, when it is first read: its class may not be imported before."""
    kind = get_type_hints(member.fget).get("return")
    return sync_proxy(kind) if isinstance(kind, type) and is_namespace(kind) else None


def _within_another() -> InvalidInput:
    return InvalidInput(
        "a verb was called from inside another one's callback",
        recovery="note what the callback says and call the verb after the other one has returned",
    )


async def _collect_batch(items: AsyncIterator[T]) -> list[T]:
    some: list[T] = []
    while len(some) < ITEMS:
        try:
            some.append(await anext(items))
        except StopAsyncIteration:
            break
    return some


async def _close_iterator(items: AsyncIterator[Any]) -> None:
    if hasattr(items, "aclose"):
        await items.aclose()
