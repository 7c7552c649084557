"""What was shown to somebody and is done, or looked at again, by its name: previews, plans, proofs, tokens just made.

A preview has texts of memories: another process works it out anew, as it was asked for, and takes it where it would do
the same. Knows who was shown what; must not know what it is for.
"""

import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import astuple, dataclass, field
from functools import reduce
from hashlib import sha256
from typing import Any

import orjson
from pydantic import TypeAdapter

from remanence.core.errors import Conflict, NotFound, RemanenceError
from remanence.curate.planner.plan import Plan
from remanence.engine import Engine
from remanence.faces.server_state import KEPT_S, ServerState, StatePlace, find_place
from remanence.flows.base.access_tokens import AccessToken, NewToken
from remanence.flows.erase.erase_results import ErasePreview, Erasure
from remanence.flows.scopes.dropping import DropPreview

SHOWN_MAX = 100  # of one token and verb; the oldest is shown again where it is still wanted
_WITHOUT_TEXT: Mapping[str, TypeAdapter[Any]] = {
    "erase.apply": TypeAdapter(Erasure),
    "token.add": TypeAdapter(NewToken | AccessToken),
}


def identify(token: AccessToken) -> str:
    """Return what stands for a token, and for no other that bears its name later."""
    return sha256("\0".join(map(str, astuple(token))).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ShownTo:
    """To whom something was shown, of which scope, and by which verb."""

    token: AccessToken
    scope: str
    verb: str

    def find_place(self, name: str) -> StatePlace:
        """Return where it is kept: beside the scope's memories, where it may have a text of them in it."""
        full = f"{identify(self.token)}/{self.scope}/{self.verb}/{name}"
        kind = f"shown by {self.verb}"
        return find_place(kind, full) if self.verb in _WITHOUT_TEXT else StatePlace(self.scope, kind, full)


@dataclass(frozen=True, slots=True)
class VerbRequest:
    """What a preview was asked for with, and the position at which its scope was looked at."""

    position: int
    places: Sequence[Any] = ()
    named: Mapping[str, Any] = field(default_factory=dict)


class ShownThings:
    """What was shown, by a name that nobody guesses, for a day at most or until an erasure."""

    def __init__(self, state: ServerState) -> None:
        self._state = state
        self._here: OrderedDict[StatePlace, Any] = OrderedDict()  # what this process has shown itself

    async def keep(self, to: ShownTo, thing: Any, asked: VerbRequest | None = None, name: str = "") -> str:
        """Keep what is shown and return its name; under a `name` that is there it takes the place of the other."""
        name = name or secrets.token_hex(16)
        place = to.find_place(name)
        if isinstance(thing, Plan):
            value = thing.to_json().encode()
        elif asked is None:
            value = _WITHOUT_TEXT[to.verb].dump_json(thing)
        else:
            value = orjson.dumps([asked.position, asked.places, asked.named, _decide(thing)])
            self._here[place] = thing
            while len(self._here) > SHOWN_MAX:
                self._here.popitem(last=False)
        await self._put(to, place, value, None if asked is None else asked.position)
        return name

    async def find(self, to: ShownTo, name: str, memory: Engine) -> Any:
        """Return what was shown under a name, None where nothing was, or to somebody else, or it changed since."""
        place = to.find_place(name)
        value = await self._state.find(place)
        try:
            return await self._restore(to, place, value, memory) if value else None
        except RemanenceError:
            return None

    def forget(self, scope: str) -> None:
        """Keep nothing here of a scope that may have a text in it."""
        for place, thing in list(self._here.items()):
            elsewhere = thing.elsewhere if isinstance(thing, ErasePreview) else ()
            if scope in {place.scope, *(one.scope for one in elsewhere)}:
                del self._here[place]

    @asynccontextmanager
    async def use(self, to: ShownTo, name: str, memory: Engine) -> AsyncIterator[Any]:
        """Give what was shown to who does it, once; where that is refused, it may be asked for again."""
        place = to.find_place(name)
        value = await self._state.take(place)
        if not value:
            raise NotFound("this was not shown, or was done already", recovery=f"ask {to.verb} again")
        try:
            yield await self._restore(to, place, value, memory)
        except RemanenceError:
            await self._put(to, place, value, orjson.loads(value)[0])
            raise
        self._here.pop(place, None)

    async def _put(self, to: ShownTo, place: StatePlace, value: bytes, position: int | None) -> None:
        await self._state.put(
            place, value, seconds=KEPT_S, since=position, owner=identify(to.token), most=SHOWN_MAX
        )

    async def _restore(self, to: ShownTo, place: StatePlace, value: bytes, memory: Engine) -> Any:
        """Return what was shown; raise Conflict where another process showed it and it would do something else now."""
        if to.verb in _WITHOUT_TEXT:
            return _WITHOUT_TEXT[to.verb].validate_json(value)
        if to.verb == "plan":
            return Plan.from_json(value)
        if place in self._here:
            return self._here[place]
        _, places, named, decided = orjson.loads(value)
        show: Any = reduce(getattr, to.verb.split("."), memory)
        thing = await show(*places, **named)
        if _decide(thing) != decided:
            raise Conflict(
                (), "what was shown has changed since", recovery=f"ask {to.verb} again, and look at it"
            )
        return thing


def _decide(preview: ErasePreview | DropPreview) -> str:
    """Return the digest of what a preview would do; two that would do the same have the same."""
    decided: Any = (
        [preview.scope, preview.position]
        if isinstance(preview, DropPreview)
        else [
            preview.scope,
            sorted(preview.revisions.items()),
            sorted(preview.redacts.items()),
            sorted((seq, list(group)) for seq, group in preview.anew.items()),
            preview.subject,
            preview.namesakes,
            [one.seq for one in preview.held],
            [_decide(one) for one in preview.elsewhere],
        ]
    )
    return sha256(orjson.dumps(decided)).hexdigest()
