"""The open memories of a server: one for each scope and each token that uses it, the least used closed first.

Knows tokens and engines; must not know requests.
"""

import asyncio
import gc
from collections import OrderedDict, defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import clear_cache  # type: ignore[attr-defined] # the stubs lack it

from remanence.core.errors import Protected, StoreIncompatible, format_value
from remanence.core.text_caches import clear_text_caches
from remanence.curate.policy.compiled import load
from remanence.engine import Engine
from remanence.flows.base.access_tokens import AccessToken
from remanence.flows.base.context import Core
from remanence.flows.base.opening_checks import NewScope, refuse_new_scope
from remanence.flows.base.policy_reading import POLICY, no_policy, read_adopted_policy
from remanence.flows.inspect.inspect import read_events
from remanence.store.base import Bookkeeping
from remanence.store.erasure import ERASE

OPEN_MAX = 64  # memories that are open at once, but for those in use
RUNS_READ_MAX = 200  # since the last look at a scope; after more an erasure is assumed to be among them
# Opens the memory of a scope for a token, and says what is done where the scope is new.
Opener = Callable[[str, AccessToken, NewScope], AbstractAsyncContextManager[Engine]]


@dataclass
class _OpenEngine:
    """An open memory, and how many requests use it now; `adopted` is the policy that its scope had at the last use."""

    opening: AbstractAsyncContextManager[Engine]
    memory: Engine | None = None
    users: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    adopted: Mapping[str, Any] | None = None

    def follow_policy(self, core: Core, adopted: Mapping[str, Any] | None) -> None:
        """Go by the policy that the scope has adopted by now, by whatever process."""
        if adopted == self.adopted:
            return
        self.adopted = adopted
        if adopted is None:
            core.policy, core.policy_given = no_policy(), False
        elif not core.policy_given or core.policy.hash != adopted["hash"]:
            core.policy, core.policy_given = load(adopted["source"], stored=True), True


class Engines:
    """Opens memories as they are asked for, and closes them: `async with`.

    Each use checks whether memories of the scope were erased since the last one, by this process or another. Then its
    open memories are closed, with their caches, and each of `on_erasure` is called with the scope. So it is where the
    store tells of an erasure.
    """

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._open: OrderedDict[tuple[str, AccessToken], _OpenEngine] = OrderedDict()
        self._checked: dict[str, int] = {}  # up to which position the runs of a scope were checked
        self._checks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._erasures = 0
        self.on_erasure: list[Callable[[str], None]] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_raised: object) -> None:
        while self._open:
            await self._close(next(iter(self._open)))

    @asynccontextmanager
    async def use(self, scope: str, token: AccessToken) -> AsyncIterator[Engine]:
        """Use the memory of a scope by the name, trust and role of a token.

        Raises NotFound where a token that only reads names a scope that nobody ever wrote to, and StoreIncompatible
        where the scope was embedded by another model than the server's.
        """
        name = (scope, token)
        kept = self._open.get(name)
        if kept is None:
            kept = self._open[name] = _OpenEngine(self._build_opening(scope, token))
        self._open.move_to_end(name)
        kept.users += 1
        try:
            async with kept.turn:
                if kept.memory is None:
                    kept.memory = await _open(kept.opening)
                    core = kept.memory._core  # noqa: SLF001 # no verb's
                    core.reach = _PooledScopes(self, kept.memory, token)
                    kept.adopted = await read_adopted_policy(core) if core.policy_given else None
            async with self._forget_erased(kept, kept.memory, may_erase=token.may("erase")):
                yield kept.memory
        finally:
            kept.users -= 1
            is_open = self._open.get(name) is kept
            if kept.memory is None and is_open:
                del self._open[name]
            elif kept.memory is not None and not (is_open or kept.users):
                await kept.opening.__aexit__(None, None, None)
            await self._close_idle()

    def find_position(self, scope: str) -> int:
        """Return how far a scope had come when it was last checked for erasures, as it is at the start of each use."""
        return self._checked.get(scope, 0)

    async def forget(self, scope: str) -> None:
        """Empty what is kept of a scope: another process erased memories of it."""
        if scope in self._checked:
            async with self._checks[scope]:
                await self._empty_scope(scope)

    @asynccontextmanager
    async def _forget_erased(
        self, kept: _OpenEngine, memory: Engine, *, may_erase: bool
    ) -> AsyncIterator[None]:
        """Check for erasures before a memory is used, and after the block that may erase; find its policy, too."""
        kept.follow_policy(memory._core, await self._check_for_erasure(memory))  # noqa: SLF001 # no verb's
        erasures = self._erasures
        try:
            yield
        finally:
            if may_erase:
                await self._check_for_erasure(memory)
            if erasures != self._erasures:  # what was read before an erasure may have been kept since
                self._empty_kept(memory.scope)

    async def _check_for_erasure(self, memory: Engine) -> Mapping[str, Any] | None:
        """Empty what is kept if memories of the scope were erased since it was last checked; return its policy.

        A request that finds another one at it waits: otherwise an erasure could be answered before it is forgotten.
        """
        core, scope = memory._core, memory.scope  # noqa: SLF001 # the change sequence is no verb's
        async with self._checks[scope]:
            books = await core.store.bookkeep(scope, Bookkeeping(core.clock.now(), get=(POLICY,)))
            position = books.position
            checked = self._checked.get(scope, position)
            if position > checked:
                events = await read_events(core, checked, RUNS_READ_MAX)
                if len(events) == RUNS_READ_MAX or any(event.verb == ERASE for event in events):
                    await self._empty_scope(scope)
            self._checked[scope] = position
        return books.values.get(POLICY)

    async def _empty_scope(self, scope: str) -> None:
        self._erasures += 1
        self._empty_kept(scope)
        await self._close_scope(scope)

    def _empty_kept(self, scope: str) -> None:
        for empty in self.on_erasure:
            empty(scope)
        clear_text_caches()
        clear_cache()  # of addresses, which have questions in them

    def _build_opening(self, scope: str, token: AccessToken) -> AbstractAsyncContextManager[Engine]:
        return self._opener(scope, token, "make" if token.may("write") else "refuse")

    async def _close_scope(self, scope: str) -> None:
        for name in [name for name in self._open if name[0] == scope]:
            if name in self._open and self._open[name].users:
                del self._open[name]  # its last user closes it
            elif name in self._open:
                await self._close(name)
        gc.collect()  # memories, their stores and indexes are cycles

    async def _close_idle(self) -> None:
        idle = [name for name, kept in self._open.items() if not kept.users]
        for name in idle[: max(0, len(self._open) - OPEN_MAX)]:
            await self._close(name)

    async def _close(self, name: tuple[str, AccessToken]) -> None:
        kept = self._open.pop(name)
        if kept.memory is not None:
            await kept.opening.__aexit__(None, None, None)


class _PooledScopes:
    """Other scopes as a token reaches them: from the same pool, so that an erasure closes whatever holds a text."""

    def __init__(self, engines: Engines, memory: Engine, token: AccessToken) -> None:
        self._engines, self._memory, self._token = engines, memory, token

    @asynccontextmanager
    async def use(self, scope: str) -> AsyncIterator[Core]:
        """Use another scope for a block, if the token opens it; NotFound where nobody ever wrote to it."""
        if not self._token.opens(scope):
            raise Protected(
                f"the token {self._token.name} does not open scope {format_value(scope)}",
                recovery="use a token that does",
                guards=("token",),
            )
        await refuse_new_scope(self._memory._core, scope)  # noqa: SLF001 # no verb's
        async with self._engines.use(scope, self._token) as other:
            yield other._core  # noqa: SLF001 # no verb's

    async def close(self) -> None:
        """Do nothing: the pool closes what it opened."""


async def _open(opening: AbstractAsyncContextManager[Engine]) -> Engine:
    try:
        return await opening.__aenter__()
    except StoreIncompatible as error:
        raise StoreIncompatible(
            str(error),
            recovery=f"this server has one embedder for every scope: have another one serve this one, and"
            f" {error.recovery}",
        ) from error
