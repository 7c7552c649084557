"""A store in this process that keeps nothing: on it a verb shows whether it would be refused, before a file is made.

Knows where the checks of a verb end and its work begins; must not know any verb.
"""

from typing import NoReturn

from remanence.store.sqlite.driver import IN_MEMORY
from remanence.store.sqlite.sqlite_store import SqliteStore


class Accepted(Exception):
    """All that a verb was given has passed its checks."""


class Rehearsal(SqliteStore):
    """An empty store that raises Accepted as soon as something would be written."""

    def __init__(self) -> None:
        super().__init__(IN_MEMORY)

    async def arriving(self, *_: object, **__: object) -> NoReturn:
        """Texts that are asked about were checked, and are next weighed and written."""
        raise Accepted

    async def commit(self, *_: object, **__: object) -> NoReturn:
        """Write nothing."""
        raise Accepted
