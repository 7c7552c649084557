"""Threads that serve the connections of one file, or of all files of a folder.

Knows threads; knows nothing of connections, nor of what is done on them.
"""

from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread

from remanence.core.process import OpeningProcess


class ThreadPool:
    """Up to so many threads, of which some run from `start` and the others as they are needed, until `stop`."""

    def __init__(self, most: int, *, from_start: int | None = None) -> None:
        self._most, self._from_start = most, most if from_start is None else from_start
        self._process = OpeningProcess()
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads: list[Thread] = []
        self._lock = Lock()
        self._unfinished = 0  # what is being done, and what waits

    def start(self) -> None:
        """Let threads begin; raise RuntimeError where the system starts no more, and let none go on."""
        for _ in range(self._from_start):
            try:
                self._start_thread()
            except RuntimeError:
                self._end()
                raise

    def submit(self, work: Callable[[], None]) -> None:
        """Have something done that raises nothing."""
        with self._lock:
            self._unfinished += 1
            if len(self._threads) < min(self._unfinished, self._most):
                with suppress(RuntimeError):  # those that run do it later
                    self._start_thread()
        self._queue.put(work)

    def stop(self) -> None:
        """End the threads, and wait until what they do is done; a process that was forked since has none."""
        if not self._process.is_this:
            return
        self._end()
        for thread in self._threads:
            thread.join()

    def _start_thread(self) -> None:
        number = len(self._threads)
        thread = Thread(target=self._run, name=f"remanence-store-{number}", daemon=True)
        thread.start()
        self._threads.append(thread)

    def _end(self) -> None:
        for _ in self._threads:
            self._queue.put(None)

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            try:
                work()
            finally:
                del work  # it holds a connection, and what was answered on it
                with self._lock:
                    self._unfinished -= 1
