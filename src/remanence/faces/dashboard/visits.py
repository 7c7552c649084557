"""One request for a page: whose memory it is about, who looks, and what was asked for.

Knows requests and memories; must not know what any page shows.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.permissions import ROLE_OF
from remanence.curate.policy.document import PRESETS
from remanence.engine import Engine
from remanence.faces.dashboard.browser_sessions import BrowserSession
from remanence.faces.dashboard.computing import BackgroundAnswer, Computations
from remanence.faces.rest.engines import Engines
from remanence.faces.rest.offers import is_file_wide
from remanence.faces.rest.shown_things import ShownThings, ShownTo
from remanence.flows.base.access_tokens import ANY_SCOPE, AccessToken
from remanence.flows.inspect.inspect import find_position

COUNT_MAX = 100_000
DIGITS_MAX = 19  # of a number in an address
NOTE = "note"  # the part of an address that says what a form did


def check_preset(name: str) -> str:
    """Return the name of a preset; raise NameUnknown where it is none."""
    if name not in PRESETS:
        raise NameUnknown("preset", name, PRESETS)
    return name


@dataclass
class Visit:
    """One request: the open memory, the token that opened it, and the answers that are worked out in the background.

    `session` is the browser that sent it, None where a program sends its token.
    """

    request: Request
    engines: Engines
    memory: Engine
    token: AccessToken
    session: BrowserSession | None
    computations: Computations
    shown: ShownThings
    scope_names: tuple[str, ...] = ()
    path: str = ""  # of the page, also where a form's answer shows it
    position: int = 0  # how far the scope had come before anything of it was read

    @property
    def scope(self) -> str:
        """Whose memory it is."""
        return self.memory.scope

    @property
    def names(self) -> dict[str, str]:
        """The parts of its address that name something."""
        return self.request.path_params

    @cached_property
    def query(self) -> dict[str, str]:
        """What was asked for in the address, without what is empty."""
        given = self.request.query_params.items()
        return {name: value for name, value in given if value.strip() and name != NOTE}

    @property
    def is_narrowed(self) -> bool:
        """Whether anything was asked for but a scope."""
        return bool(self.query.keys() - {"scope"})

    def read_number(self, name: str, default: int, *, least: int = 1, most: int = COUNT_MAX) -> int:
        """Read a whole number that was asked for."""
        given = self.query.get(name)
        if given is None:
            return default
        digits = given.strip()
        if (
            not (digits.isascii() and digits.isdigit() and len(digits) <= DIGITS_MAX)
            or not least <= int(digits) <= most
        ):
            raise InvalidInput(
                f"{name} is {given[:40]!r}", recovery=f"write a number from {least:,} to {most:,}"
            )
        return int(digits)

    def read_policy(self) -> str | None:
        """Read which preset was asked for: no path, which would have the server read a file that a caller chose."""
        name = self.query.get("policy")
        return None if name is None else check_preset(name)

    def may(self, verb: str, **arguments: object) -> bool:
        """Tell whether who looks may call a verb with these arguments."""
        if is_file_wide(verb, arguments) and ANY_SCOPE not in self.token.scopes:
            return False
        if ROLE_OF.get(verb) is None:  # what no token may, only who started the server
            return self.session is not None and self.session.is_operator
        return self.token.may_call(verb, arguments)

    def link(self, path: str, **parts: Any) -> str:
        """Return the address of a page of this scope; what is None or empty is left out."""
        parts = {"scope": self.scope if len(self.scope_names) > 1 else None, **parts}
        given = {name: str(value) for name, value in parts.items() if value not in (None, "", False)}
        return f"{path}?{urlencode(given)}" if given else path

    def link_here(self, **parts: Any) -> str:
        """Return the address of this page, asked with something else."""
        return self.link(self.path, **{**self.query, **parts})

    def link_json(self) -> str:
        """Return the address of this page's twin."""
        return self.link(f"{self.path}.json", **self.query)

    def shown_by(self, verb: str) -> ShownTo:
        """Say to whom a verb shows something here."""
        return ShownTo(self.token, self.scope, verb)

    async def find_shown(self, verb: str, name: str) -> Any:
        """Return what a verb has shown here under a name, None where nothing was, or it would be another by now."""
        return await self.shown.find(self.shown_by(verb), name, self.memory) if name else None

    async def find_position(self) -> int:
        """Return how far the scope has come."""
        return await find_position(self.memory._core)  # noqa: SLF001 # the change sequence is no verb's

    async def compute(
        self, name: str, work: Callable[[Engine], Awaitable[Any]], *details: Any
    ) -> BackgroundAnswer:
        """Return what is worked out in the background for this scope and token, as it is known now."""

        async def work_on_it() -> Any:
            async with self.engines.use(self.scope, self.token) as memory:
                return await work(memory)

        key = (self.token, (name, self.scope, *details))
        return await self.computations.read(key, await self.find_position(), work_on_it)
