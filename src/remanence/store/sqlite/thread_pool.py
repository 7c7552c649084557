"""Threads that serve the connections of one file, or of all files of a folder.

Knows threads; knows nothing of connections, nor of what is done on them.
"""

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread

from remanence.core.process import OpeningProcess


class ThreadPool:
    """So many threads, all of which run from `start` to `stop`; each takes the next thing to do."""

    def __init__(self, threads: int) -> None:
        self._process = OpeningProcess()
        self._queue: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._threads = [
            Thread(target=self._run, name=f"remanence-store-{number}", daemon=True)
            for number in range(threads)
        ]

    def start(self) -> None:
        """Let the threads begin; raise RuntimeError where the system starts no more, and let none go on."""
        for place, thread in enumerate(self._threads):
            try:
                thread.start()
            except RuntimeError:
                self._threads = self._threads[:place]
                self._end()
                raise

    def submit(self, work: Callable[[], None]) -> None:
        """Have something done that raises nothing."""
        self._queue.put(work)

    def stop(self) -> None:
        """End the threads, and wait until what they do is done; a process that was forked since has none."""
        if not self._process.is_this:
            return
        self._end()
        for thread in self._threads:
            thread.join()

    def _end(self) -> None:
        for _ in self._threads:
            self._queue.put(None)

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            work()
            del work  # it holds a connection, and what was answered on it
