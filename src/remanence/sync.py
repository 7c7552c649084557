"""The same memory for code that is not async: `remanence.sync.open(…)` has the verbs of `remanence.open(…)`.

Each verb is the engine's own, called through a portal. `sync.pyi` states the types; `make pages`
writes it from the engine.
"""

from functools import wraps
from typing import Any, Self

from remanence import engine, opening
from remanence.portal import Portal, sync_proxy


class Engine(sync_proxy(engine.Engine)):  # type: ignore[misc] # made from the async one
    """A memory in one scope, open until `close` or the end of its `with` block; any thread may call it."""

    def __init__(self, thing: engine.Engine) -> None:
        super().__init__(thing, Portal(thing))
        self._portal.open()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Finish the calls under way, write what is pending and let the store go; closing twice is allowed."""
        self._portal.close()


@wraps(opening.open)
def open(*given: Any, **more: Any) -> Engine:  # noqa: A001 - the verb of the package
    """Open a memory, at once; the arguments are those of `remanence.open`."""
    return Engine(opening.open(*given, **more))
