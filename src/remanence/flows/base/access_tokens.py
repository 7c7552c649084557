"""Access tokens of a database, as `memory.token`: who may reach which scopes over the network, and what for.

Of a token its salted hash is kept, beside the memories of every scope and in no audit; a backup holds it, an export
does not. Knows names, roles and scopes; must not know how a token is sent.
"""

import builtins
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Literal

from remanence.core.arguments import check_name
from remanence.core.errors import Conflict, InvalidInput, NotFound, format_value
from remanence.core.keywords import TrustName
from remanence.core.permissions import (
    CAPABILITIES,
    ROLES,
    Capability,
    TokenRole,
    capability_of,
    role_of,
)
from remanence.core.results import Result, Time, minute_of, visible
from remanence.flows.base.context import Core
from remanence.flows.base.copies import EVERY_SCOPE
from remanence.flows.base.permission_checks import verb_class
from remanence.store.base import Bookkeeping

Door = Literal["mcp", "rest"]
ANY_SCOPE = "*"
SCOPES_MAX = 1_000
_ROWS = "token/"  # what the bookkeeping's names of tokens begin with
_MARK = "rmn"  # what a token begins with, by which scanners for secrets know it
_ID_BYTES, _SECRET_BYTES, _SALT_BYTES = 6, 32, 16


@dataclass(frozen=True, slots=True, repr=False)
class AccessToken(Result):
    """A token by its name: its role, the scopes that it opens ("*" for all), and the agent that it speaks for.

    Texts that come in by a token with an `agent` are believed as an agent is, other texts as a person is. A token with
    a `door` opens that door alone: "mcp" the tools at /mcp, "rest" the verbs at /v1/. `denies` lists what the token is
    refused, whatever its role. `added_at` is when it was made, in microseconds; `is_revoked` is True in the answer of
    `end` alone.
    """

    name: str
    role: TokenRole
    scopes: tuple[str, ...]
    agent: str | None
    added_at: int
    door: Door | None = None
    denies: tuple[Capability, ...] = ()
    is_revoked: bool = False

    added_time = Time("added_at")

    def opens(self, scope: str) -> bool:
        """Return True if it opens a scope."""
        return ANY_SCOPE in self.scopes or scope in self.scopes

    @property
    def trust(self) -> TrustName:
        """How far texts that come in by it are believed at most."""
        return "user" if self.agent is None else "agent"

    def may(self, role: TokenRole) -> bool:
        """Return True if it may do what a role may."""
        return ROLES.index(role) <= ROLES.index(self.role)

    def may_call(self, verb: str, arguments: Mapping[str, object] = MappingProxyType({})) -> bool:
        """Return True if its role and what it is denied let it call a verb with these arguments."""
        role, denied = role_of(verb, arguments), self.denies if self.agent is None else CAPABILITIES
        return role is not None and self.may(role) and capability_of(verb, arguments) not in denied

    def __str__(self) -> str:
        scopes = "every scope" if ANY_SCOPE in self.scopes else ", ".join(self.scopes)
        agent = f", for the agent {self.agent}" if self.agent else ""
        door = f", at the door {self.door} alone" if self.door else ""
        denies = f", but not {', '.join(self.denies)}" if self.denies else ""
        name = f"{'revoked: ' if self.is_revoked else ''}token {self.name}"
        return visible(
            f"{name}: may {self.role}{denies} in {scopes}{agent}{door}; of {minute_of(self.added_at)}"
        )


@dataclass(frozen=True, slots=True, repr=False)
class NewToken(Result):
    """A token that was just made; `secret` is shown this once and kept nowhere."""

    token: AccessToken
    secret: str

    def __str__(self) -> str:
        return f"{self.token}\n{self.secret}\nKeep it now: it is not shown again."


@verb_class("token")
class AccessTokens:
    """The access tokens of this database: `memory.token`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def add(
        self,
        name: str,
        *,
        scopes: Sequence[str],
        role: TokenRole = "read",
        agent: str | None = None,
        door: Door | None = None,
        denies: Sequence[Capability] = (),
    ) -> NewToken:
        """Create an access token for the server, and show it once.

        `scopes` are the scopes that it opens, "*" every scope. A role may do what those before it may: watch (the
        numbers of a server, no memory), read (counts no use), write, curate (apply, undo, forget), erase. With a `door`
        it opens that one alone. `denies` lists what it is refused: release (unpin, end a hold, settle quarantine and
        bans), policy, settings, erase; a token with an `agent` is refused all of these. A name that is taken raises
        Conflict.
        """
        check_name("a token", name)
        if agent is not None:
            check_name("an agent", agent)
        if not 1 <= len(scopes) <= SCOPES_MAX:
            raise InvalidInput(
                f"a token opens 1 to {SCOPES_MAX:,} scopes, not {len(scopes):,}",
                recovery='name each scope, or "*" for every one',
            )
        for scope in scopes:
            check_name("a scope", scope)
        row_name, key, salt = f"{_ROWS}{name}", secrets.token_hex(_ID_BYTES), secrets.token_bytes(_SALT_BYTES)
        secret = f"{_MARK}_{key}_{secrets.token_urlsafe(_SECRET_BYTES)}"
        now = self._core.clock.now()
        row = {
            "key": key,
            "salt": salt.hex(),
            "hash": _hash_secret(salt, secret),
            "role": role,
            "scopes": sorted(set(scopes)),
            "agent": agent,
            "at": now,
            "door": door,
            "denies": sorted(set(denies)),
        }
        answer = await self._core.store.bookkeep(
            EVERY_SCOPE, Bookkeeping(now, swap={row_name: (None, row)}, get=(row_name,))
        )
        if answer.values[row_name] != row:
            raise Conflict(
                (),
                f"there is a token {format_value(name)} already",
                recovery=f"choose another name, or end it first: remanence token end {name}",
            )
        return NewToken(_read_row(name, row), secret)

    async def list(self) -> builtins.list[AccessToken]:
        """List the access tokens."""
        rows = await _read_rows(self._core)
        return [_read_row(name, rows[name]) for name in sorted(rows)]

    async def end(self, name: str) -> AccessToken:
        """Revoke an access token."""
        rows = await _read_rows(self._core)
        if name not in rows:
            raise NotFound(
                f"there is no token {format_value(name)}", recovery="list them: remanence token list"
            )
        await self._core.store.bookkeep(
            EVERY_SCOPE, Bookkeeping(self._core.clock.now(), put={f"{_ROWS}{name}": None})
        )
        return replace(_read_row(name, rows[name]), is_revoked=True)


async def find_token(core: Core, secret: str) -> AccessToken | None:
    """Return the token that this is, None where there is none, or none any more."""
    key = secret.removeprefix(f"{_MARK}_").partition("_")[0]
    for name, row in (await _read_rows(core)).items():
        if row["key"] == key and hmac.compare_digest(
            row["hash"], _hash_secret(bytes.fromhex(row["salt"]), secret)
        ):
            return _read_row(name, row)
    return None


async def _read_rows(core: Core) -> dict[str, dict[str, Any]]:
    answer = await core.store.bookkeep(EVERY_SCOPE, Bookkeeping(core.clock.now(), under=(_ROWS,)))
    return {name.removeprefix(_ROWS): dict(row) for name, row in answer.values.items()}


def _read_row(name: str, row: dict[str, Any]) -> AccessToken:
    door, denies = row.get("door"), tuple(row.get("denies", ()))
    return AccessToken(name, row["role"], tuple(row["scopes"]), row["agent"], row["at"], door, denies)


def _hash_secret(salt: bytes, secret: str) -> str:
    """Hash a secret of 256 random bits: nobody guesses one, so that a slow hash would gain nothing."""
    return sha256(salt + secret.encode()).hexdigest()
