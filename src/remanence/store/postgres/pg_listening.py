"""A connection of its own that hears what the server tells: of commits in scopes that are listened to, and of erasures.

Knows notifications; must not know what they are about. Behind a pooler, which may give the connection to others, none
are heard: who waits for one then looks by itself.
"""

import logging
import threading
from collections.abc import Callable

import psycopg

from remanence.store.postgres.pg_address import is_pooled
from remanence.store.postgres.pg_database import PgDatabase, configure

_PAUSE_S = 0.5  # in which it is noticed that nobody wants to hear any more
_AGAIN_S = 1.0  # before the next attempt after the connection was lost
LOG = logging.getLogger("remanence")


class PgListening(threading.Thread):
    """Calls `hear`, on its own thread, with each notification, and with "" where some may have been missed."""

    def __init__(self, address: str, hear: Callable[[str], object]) -> None:
        super().__init__(name="remanence-listening", daemon=True)
        self._address, self._hear = address, hear
        self._ending = threading.Event()
        self.is_heard = False

    def end(self) -> None:
        """Hear no more."""
        self._ending.set()

    def run(self) -> None:
        """Listen until the end, again where the connection was lost."""
        try:
            while not self._ending.is_set() and self._listen():
                self._ending.wait(_AGAIN_S)
        finally:
            self.is_heard = False

    def _listen(self) -> bool:
        """Listen until the end or the loss of the connection; return False where nothing would be heard."""
        try:
            with psycopg.connect(self._address, autocommit=True, prepare_threshold=None) as connection:
                configure(connection)
                if is_pooled(connection, PgDatabase(connection)):
                    return False
                connection.execute("LISTEN remanence")
                self.is_heard = True
                self._hear("")
                self._hear_all(connection)
        except psycopg.Error as error:
            LOG.info("no notifications are heard: %s", type(error).__name__)
            self.is_heard = False
        return True

    def _hear_all(self, connection: "psycopg.Connection[tuple[object, ...]]") -> None:
        while not self._ending.is_set():
            for notification in connection.notifies(timeout=_PAUSE_S):
                self._hear(notification.payload)
