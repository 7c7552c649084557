"""A connection on which no head of a request arrives is closed: who only keeps it open takes the place of others.

Knows uvicorn's protocol; must not know requests.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

HEAD_SECONDS_MAX = (
    10.0  # in which the head of a request must have arrived, once a connection or its first byte has
)


class HeadProtocol(AutoHTTPProtocol):  # type: ignore[misc,valid-type] # uvicorn chooses it by what is installed
    """Closes a connection whose next request does not begin in time."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a head."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Go on waiting, or stop where the head has come."""
        super().data_received(data)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        if not self._is_between_requests():
            self._stop_waiting()
        elif self._waiting is None:
            self._waiting = asyncio.get_running_loop().call_later(HEAD_SECONDS_MAX, self._end)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _is_between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _end(self) -> None:
        self._waiting = None
        if self._is_between_requests():
            self.transport.close()
