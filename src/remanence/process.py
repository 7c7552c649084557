"""The process in which something was opened: after a fork the child has a copy that no thread serves any more."""

import os

from remanence.errors import StoreUnavailable


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
                recovery="open the memory in the child; the parent goes on with its own",
            )
