"""The processes that serve one database: each is asked what runs in it, and ends what another is told to end.

Knows calls under way and posts; must not know requests.
"""

import asyncio
import logging
import secrets
from collections.abc import Sequence
from typing import Any, Self

import orjson
from pydantic import TypeAdapter

from remanence.core.errors import RemanenceError
from remanence.faces.rest.calls import RunningCall, RunningCalls, RunningView
from remanence.faces.rest.events import PROGRESS
from remanence.faces.server_state import ServerState, StatePlace, find_place
from remanence.flows.base.access_tokens import AccessToken
from remanence.flows.base.copies import EVERY_SCOPE

LOG = logging.getLogger("remanence")
BEAT_S, ALIVE_S = 3.0, 10.0  # how often a process says that it is there, and for how long it is taken to be
ASK_S = 10.0  # in which others must have answered; a call under way may take a while to end
UNHEARD_S = 0.5  # between two looks for questions, where nothing tells of them
SWEEP_S = 60.0
PROGRESS_S = 0.5  # at least, between two times that others are told how far a call is
_TOKEN, _VIEWS = TypeAdapter(AccessToken), TypeAdapter(list[RunningView])


class ServerProcesses:
    """Asks the others and answers them: `async with`. Alone in its database, it does neither."""

    def __init__(self, state: ServerState, running: RunningCalls) -> None:
        self._state, self._running = state, running
        self._tasks: set[asyncio.Task[None]] = set()
        self._told_at: dict[str, float] = {}  # when the others heard last how far a call is, by its key

    async def __aenter__(self) -> Self:
        if self._state.process:
            self._start(self._answer_others())
        return self

    async def __aexit__(self, *_raised: object) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._state.process:
            await self._post(find_place("process", self._state.process), b"0", seconds=0)

    async def view(self, token: AccessToken) -> list[RunningView]:
        """Return what a token may see of what runs, of this process first."""
        others = await self._ask("view", token)
        return [
            *self._running.view(token),
            *(view for told in others for view in _VIEWS.validate_python(told)),
        ]

    async def cancel(self, token: AccessToken, key: str) -> int:
        """End the calls of a key that a token may end, wherever they run; return how many there were."""
        here, others = await asyncio.gather(self._running.cancel(token, key), self._ask("cancel", token, key))
        return sum(map(int, others), here)

    def tell_progress(self, call: RunningCall) -> None:
        """Let those hear how far a call is who listen at another process."""
        now = asyncio.get_running_loop().time()
        is_over = call.ending is not None
        if not self._state.process or not (is_over or now - self._told_at.get(call.key, 0.0) >= PROGRESS_S):
            return
        self._told_at[call.key] = now
        if is_over:
            del self._told_at[call.key]
        value = orjson.dumps({"process": self._state.process, **call.to_event()})
        self._start(self._post(StatePlace(call.scope, PROGRESS, secrets.token_hex(8)), value))

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _post(self, place: StatePlace, value: bytes, seconds: float = ASK_S) -> None:
        try:
            await self._state.post(place, value, seconds=seconds)
        except RemanenceError as error:
            LOG.warning("other processes are not told: %s", error)

    async def _ask(self, what: str, token: AccessToken, key: str = "") -> Sequence[Any]:
        """Ask every other process that is there, and return what they answered in time."""
        others = {*await self._state.read_posts(EVERY_SCOPE, "process")} - {self._state.process}
        if not others:
            return []
        name, end = secrets.token_hex(16), asyncio.get_running_loop().time() + ASK_S
        question = {
            "process": self._state.process,
            "what": what,
            "token": _TOKEN.dump_python(token, mode="json"),
            "key": key,
        }
        await self._state.post(find_place("question", name), orjson.dumps(question), seconds=ASK_S)
        while True:
            stamp = self._state.find_stamp(EVERY_SCOPE)
            answers = await self._state.read_posts(EVERY_SCOPE, f"answer {name}")
            left = end - asyncio.get_running_loop().time()
            alive = {*await self._state.read_posts(EVERY_SCOPE, "process")}
            if not (others & alive) - answers.keys() or left <= 0:
                return [orjson.loads(value) for _, value in answers.values()]
            await self._state.wait(EVERY_SCOPE, stamp, min(left, BEAT_S), 0.1)

    async def _answer_others(self) -> None:
        """Say that this process is there, and answer what the others ask, as long as the server runs."""
        loop = asyncio.get_running_loop()
        beat_at = sweep_at = -SWEEP_S
        heard: set[str] = set()
        while True:
            try:
                stamp = self._state.find_stamp(EVERY_SCOPE)
                if loop.time() - beat_at >= BEAT_S:
                    beat_at = loop.time()
                    await self._state.post(find_place("process", self._state.process), b"1", seconds=ALIVE_S)
                if loop.time() - sweep_at >= SWEEP_S:
                    sweep_at = loop.time()
                    await self._state.sweep()
                questions = await self._state.read_posts(EVERY_SCOPE, "question")
                for name in questions.keys() - heard:
                    self._start(self._answer(name, orjson.loads(questions[name][1])))
                heard = {*questions}
                await self._state.wait(EVERY_SCOPE, stamp, BEAT_S, UNHEARD_S)
            except RemanenceError as error:  # the store may come back
                LOG.warning("other processes are not heard: %s", error)
                await asyncio.sleep(BEAT_S)

    async def _answer(self, name: str, question: Any) -> None:
        if question["process"] == self._state.process:
            return
        token = _TOKEN.validate_python(question["token"])
        if question["what"] == "cancel":
            answer: Any = await self._running.cancel(token, question["key"])
        else:
            answer = [view.model_dump() for view in self._running.view(token)]
        await self._post(find_place(f"answer {name}", self._state.process), orjson.dumps(answer))
