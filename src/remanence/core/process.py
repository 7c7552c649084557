"""The process in which something was opened: after a fork the child has a copy that no thread serves any more."""

import os
import sys
from pathlib import Path

from remanence.core.errors import StoreUnavailable


class OpeningProcess:
    """Remembers which process it was made in."""

    def __init__(self) -> None:
        self._id = os.getpid()

    @property
    def is_this(self) -> bool:
        """Whether that is this process."""
        return self._id == os.getpid()

    def refuse_child(self) -> None:
        """Raise StoreUnavailable in a process that was forked since."""
        if not self.is_this:
            raise StoreUnavailable(
                "this memory was opened by the process that this one was forked from",
                recovery="open the memory in the child; the parent keeps its own",
            )


def memory_share() -> float | None:
    """Return which share of the machine's memory this process takes; None where the system does not say so at once."""
    if sys.platform != "linux":
        return None
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages / os.sysconf("SC_PHYS_PAGES")
