"""Several processes behind one port: started, started again where one dies, and ended together.

Knows processes and signals; must not know what they serve.
"""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

LOG = logging.getLogger("remanence")
AGAIN_S = 0.5  # before one that died is started again
KILL_S = 15.0  # in which one that is told to end has ended, with what is under way


class ProcessGroup:
    """Processes that do the same work.

    Each is called with what is given, whether it announces the server, and a connection on which it says that it began.
    """

    def __init__(self, count: int, work: Callable[..., None], *given: Any) -> None:
        self._count, self._work, self._given = count, work, given
        self._context = get_context("spawn")  # a fork would take over threads and connections
        self._ending = asyncio.Event()

    async def run(self) -> int:
        """Keep them until this process is told to end; return 0, or the exit code of a first one that did not begin."""
        loop = asyncio.get_running_loop()
        numbers = () if sys.platform == "win32" else (signal.SIGTERM, signal.SIGINT)
        for number in numbers:
            loop.add_signal_handler(number, self._ending.set)
        try:
            codes = await asyncio.gather(*(self._keep(announces=not number) for number in range(self._count)))
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)
        return max(codes)

    async def _keep(self, *, announces: bool) -> int:
        is_first = True
        while not self._ending.is_set():
            begun, begins = self._context.Pipe(duplex=False)
            process = self._context.Process(
                target=self._work, args=(*self._given, announces and is_first, begins)
            )
            process.start()
            begins.close()
            joining = asyncio.create_task(asyncio.to_thread(process.join))
            ending = asyncio.create_task(self._ending.wait())
            await asyncio.wait({joining, ending}, return_when=asyncio.FIRST_COMPLETED)
            ending.cancel()
            if self._ending.is_set():
                await self._end(process, joining)
            elif not _has_begun(begun) and is_first:  # it said why
                self._ending.set()
                return abs(process.exitcode or 1)
            else:
                LOG.warning("a process of the server ended (%s) and is started again", process.exitcode)
                await asyncio.sleep(AGAIN_S)
            begun.close()
            is_first = False
        return 0

    async def _end(self, process: Any, joining: "asyncio.Task[None]") -> None:
        """End a process as the signal ends one alone; kill it where it does not."""
        process.terminate()
        await asyncio.wait({joining}, timeout=KILL_S)
        if process.is_alive():
            process.kill()
        await joining


def _has_begun(begun: "Connection") -> bool:
    try:
        return begun.poll() and bool(begun.recv())
    except EOFError:
        return False
