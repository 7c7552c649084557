"""Answers by the keys that calls were sent with: a key is worked on once, and whoever sends it again hears the same.

A process that works on a key holds it by a lease, which lasts as long as the process. Knows keys and answers; must not
know what a call does.
"""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import orjson
from starlette.responses import Response

from remanence.core.errors import StoreError
from remanence.faces.rest import problems
from remanence.faces.rest.problems import RequestRefused
from remanence.faces.server_state import KEPT_S, ServerState, StatePlace

LOG = logging.getLogger("remanence")
LEASE_S = 15.0  # after which a key may be worked on again, if the process that did has died
WAIT_S, WAIT_MAX_S = 0.05, 0.5  # between two looks for the answer of another
ANSWERS_MAX = 10_000  # of one token; the oldest is dropped first
EMPTIED = problems.build_response(
    410,
    "this was done once; its answer was emptied when memories of the scope were erased",
    "see what is there now; with a new key it is done again",
)


@dataclass(frozen=True, slots=True)
class KeyedCall:
    """A call that is done once: where its answer is kept, the hash of what it was asked with, and whose it is."""

    place: StatePlace
    asked: bytes
    owner: str


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What came of a call; one that is not `kept` did nothing, and may be sent again.

    `since` is the position at which texts in the answer were read, None where none are in it.
    """

    answer: Response
    is_kept: bool
    since: int | None


class AnswersByKey:
    """Answers each key once, for a day or until an erasure empties the answer."""

    def __init__(self, state: ServerState) -> None:
        self._state = state

    async def answer(self, call: KeyedCall, work: Callable[[], Awaitable[CallOutcome]]) -> Response:
        """Do the work of a call, or return what came of it; 409 where its key was sent with something else."""
        holder, wait = secrets.token_hex(8), WAIT_S
        while (found := await self._state.claim(call.place, call.asked, holder, LEASE_S)) is not None:
            asked, value = found
            if asked != call.asked:
                raise RequestRefused(
                    409,
                    "this Idempotency-Key was sent with something else",
                    "draw a new key for each request",
                )
            if value is not None:
                return _decode(value)
            await asyncio.sleep(wait)
            wait = min(2 * wait, WAIT_MAX_S)
        is_kept = False
        try:
            async with self._hold(call.place, holder):
                outcome = await work()
                if outcome.is_kept:
                    is_kept = await self._keep(call, outcome)
                return outcome.answer
        finally:
            if not is_kept:
                await self._state.drop(call.place, holder)

    async def _keep(self, call: KeyedCall, outcome: CallOutcome) -> bool:
        """Keep an answer; where that fails the call was done all the same, and is answered."""
        try:
            await self._state.put(
                call.place,
                _encode(outcome.answer),
                seconds=KEPT_S,
                since=outcome.since,
                owner=call.owner,
                most=ANSWERS_MAX,
            )
        except StoreError as error:
            LOG.warning("the answer of a call is not kept for who sends it again: %s", error)
        return True

    @asynccontextmanager
    async def _hold(self, place: StatePlace, holder: str) -> AsyncIterator[None]:
        """Hold a key for a block, however long it takes."""
        task = asyncio.create_task(self._prolong(place, holder))
        try:
            yield
        finally:
            task.cancel()

    async def _prolong(self, place: StatePlace, holder: str) -> None:
        while True:
            await asyncio.sleep(LEASE_S / 3)
            try:
                await self._state.prolong(place, holder, LEASE_S)
            except StoreError as error:  # it is tried again
                LOG.warning("a key is not held for longer: %s", error)


def _encode(answer: Response) -> bytes:
    head = {
        "status": answer.status_code,
        "type": answer.headers["content-type"],
        "etag": answer.headers.get("etag"),
    }
    return orjson.dumps(head) + b"\n" + answer.body


def _decode(value: bytes) -> Response:
    if not value:
        return EMPTIED
    line, _, body = value.partition(b"\n")
    head = orjson.loads(line)
    etag = {} if head["etag"] is None else {"etag": head["etag"]}
    return Response(body, head["status"], headers=etag, media_type=head["type"])
