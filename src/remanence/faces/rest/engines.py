"""The open memories of a server: one for each scope and each token that uses it, the least used closed first.

Knows tokens and engines; must not know requests.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Self

from remanence.core.errors import StoreIncompatible
from remanence.engine import Engine
from remanence.flows.base.access_tokens import AccessToken
from remanence.flows.base.opening_checks import NewScope

OPEN_MAX = 64  # memories that are open at once, but for those in use
# Opens the memory of a scope for a token, and says what is done where the scope is new.
Opener = Callable[[str, AccessToken, NewScope], AbstractAsyncContextManager[Engine]]


@dataclass
class _OpenEngine:
    """An open memory, and how many requests use it now."""

    opening: AbstractAsyncContextManager[Engine]
    memory: Engine | None = None
    users: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Engines:
    """Opens memories as they are asked for, and closes them: `async with`."""

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._open: OrderedDict[tuple[str, AccessToken], _OpenEngine] = OrderedDict()

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
            yield kept.memory
        finally:
            kept.users -= 1
            if kept.memory is None:
                self._open.pop(name, None)
            await self._close_idle()

    def _build_opening(self, scope: str, token: AccessToken) -> AbstractAsyncContextManager[Engine]:
        return self._opener(scope, token, "make" if token.may("write") else "refuse")

    async def _close_idle(self) -> None:
        idle = [name for name, kept in self._open.items() if not kept.users]
        for name in idle[: max(0, len(self._open) - OPEN_MAX)]:
            await self._close(name)

    async def _close(self, name: tuple[str, AccessToken]) -> None:
        kept = self._open.pop(name)
        if kept.memory is not None:
            await kept.opening.__aexit__(None, None, None)


async def _open(opening: AbstractAsyncContextManager[Engine]) -> Engine:
    try:
        return await opening.__aenter__()
    except StoreIncompatible as error:
        raise StoreIncompatible(
            str(error),
            recovery=f"this server has one embedder for every scope: have another one serve this one, and"
            f" {error.recovery}",
        ) from error
