"""What was shown to somebody and is done, or looked at again, by its name: previews, proofs, tokens just made.

Knows who was shown what; must not know what it is.
"""

import secrets
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from remanence.core.errors import NotFound, RemanenceError
from remanence.flows.base.access_tokens import AccessToken

SHOWN_MAX = 100  # at once; the oldest is shown again where it is still wanted
WITHOUT_TEXT = frozenset({"erase.apply", "token.add"})  # verbs that show no text of a memory


@dataclass(frozen=True, slots=True)
class ShownTo:
    """To whom something was shown, of which scope, and by which verb."""

    token: AccessToken
    scope: str
    verb: str


class ShownThings:
    """What was shown, by a name that nobody guesses, as long as the server lives or until an erasure."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[ShownTo, Any]] = OrderedDict()

    def keep(self, to: ShownTo, thing: Any, name: str = "") -> str:
        """Keep what is shown and return its name; under a `name` that is there it takes the place of the other."""
        name = name or secrets.token_hex(16)
        self._kept[name] = (to, thing)
        while len(self._kept) > SHOWN_MAX:
            self._kept.popitem(last=False)
        return name

    def find(self, to: ShownTo, name: str) -> Any:
        """Return what was shown under a name, None where nothing was, or to somebody else."""
        kept_for, thing = self._kept.get(name, (None, None))
        return thing if kept_for == to else None

    def forget(self, scope: str) -> None:
        """Keep nothing of a scope that may have a text in it."""
        for name, (to, _) in [*self._kept.items()]:
            if to.scope == scope and to.verb not in WITHOUT_TEXT:
                del self._kept[name]

    @contextmanager
    def use(self, to: ShownTo, name: str) -> Iterator[Any]:
        """Give what was shown to who does it, once; where that is refused, it may be asked for again."""
        thing = self.find(to, name)
        if thing is None:
            raise NotFound("this was not shown, or was done already", recovery=f"ask {to.verb} again")
        del self._kept[name]
        try:
            yield thing
        except RemanenceError:
            self.keep(to, thing, name)
            raise
