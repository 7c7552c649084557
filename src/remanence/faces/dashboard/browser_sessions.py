"""Who looks: a browser logs in once, by a link that the server printed or by an access token, and sends a cookie then.

Knows cookies and the marks on forms; must not know pages.
"""

import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from remanence.core.clock import HOUR, MINUTE, SECOND
from remanence.faces.dashboard.form_fields import FormFields
from remanence.faces.server_state import ServerState, StatePlace, find_place
from remanence.flows.base.access_tokens import ANY_SCOPE, AccessToken

LINK_VALID = 60 * MINUTE  # in which the link that is printed logs a browser in, once
LINKS_APART = 30 * SECOND  # at least, of links that somebody asks for
IDLE_MAX = 12 * HOUR  # after which a browser that asked for nothing logs in again
SEEN_APART = MINUTE  # between two times that it is noted that a browser asked for something
SESSIONS_MAX = 10  # of one token; the oldest ends where more browsers log in
NOTES_MAX = 20  # that wait for their pages
_BYTES = 32  # of what nobody guesses
_LINK_MADE = find_place("link made", "")


@dataclass(frozen=True, slots=True)
class SentForm:
    """A form that was refused and what was typed into it, to stand there again."""

    name: str
    fields: FormFields

    def read(self, form: str, field: str, default: Any = "", **same: Any) -> Any:
        """Return what was typed into a field; of another form, or one whose fields are not the `same`, the default."""
        is_it = self.name == form and all(self.fields.take(name) == str(one) for name, one in same.items())
        return self.fields.take(field) if is_it and self.fields.has(field) else default


@dataclass(frozen=True, slots=True)
class Note:
    """What one form did, told on the next page; `run` can be taken back.

    Of one that was refused, `sent` is what was typed, and `problems` says what is wrong with which field.
    """

    text: str
    run: str | None = None
    detail: str = ""
    is_refusal: bool = False
    sent: SentForm | None = None
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """A browser that is logged in: for which token, since when, and the mark that its forms bear.

    `secret` is what it logged in with, to see that it is not ended; None for who came by the link.
    """

    token: AccessToken
    secret: str | None
    seen_at: int
    mark: str

    @property
    def is_operator(self) -> bool:
        """Tell whether it came by the link that only who started the server was shown."""
        return self.secret is None


_SESSION, _NOTE = TypeAdapter(BrowserSession), TypeAdapter(Note)


class BrowserSessions:
    """The browsers that are logged in, by their cookies, at every process that serves the same."""

    def __init__(self, state: ServerState, now: Callable[[], int]) -> None:
        self._state, self._now = state, now

    async def make_link(self) -> str:
        """Return a key that logs one browser in, as whoever started the server."""
        key = secrets.token_urlsafe(_BYTES)
        await self._state.put(find_place("link", key), b"1", seconds=LINK_VALID / SECOND)
        await self._state.put(_LINK_MADE, _hash(key).encode(), seconds=LINKS_APART / SECOND)
        return key

    async def may_make_link(self) -> bool:
        """Tell whether another key may be made by now: whoever asks for one need not be logged in."""
        return await self._state.find(_LINK_MADE) is None

    async def take_link(self, key: str) -> bool:
        """Tell whether a key logs in now; it does so once."""
        if await self._state.take(find_place("link", key)) is None:
            return False
        if await self._state.find(_LINK_MADE) == _hash(key).encode():
            await self._state.take(_LINK_MADE)  # once it is used up, the way is free
        return True

    async def begin(
        self, request: Request, response: Response, token: AccessToken, secret: str | None
    ) -> None:
        """Log a browser in: its next requests are for this token."""
        name = secrets.token_urlsafe(_BYTES)
        await self._put(name, BrowserSession(token, secret, self._now(), secrets.token_urlsafe(_BYTES)))
        response.set_cookie(
            _cookie_name(request),
            name,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
            path="/",
        )

    async def find(self, request: Request, *, is_looking: bool = True) -> BrowserSession | None:
        """Return whose browser this is, None where it is not logged in."""
        name = _read_cookie(request)
        kept = await self._state.find(_place(name)) if name else None
        if kept is None:
            return None
        session = _SESSION.validate_json(kept)
        if is_looking and self._now() - session.seen_at > SEEN_APART:
            await self._put(name, replace(session, seen_at=self._now()))
        return session

    async def end(self, request: Request, response: Response) -> None:
        """Log a browser out."""
        await self._state.take(_place(_read_cookie(request)))
        response.delete_cookie(_cookie_name(request), path="/", httponly=True, samesite="strict")

    async def keep_note(self, request: Request, scope: str, position: int, note: Note) -> str:
        """Keep a note for the page that the form leads to, and return its name: another tab is not told it."""
        name = secrets.token_hex(16)
        cookie = _read_cookie(request)
        await self._state.put(
            StatePlace(scope, "note", f"{cookie}/{name}"),
            _NOTE.dump_json(note),
            seconds=LINK_VALID / SECOND,
            since=position,
            owner=_hash(cookie),
            most=NOTES_MAX,
        )
        return name

    async def take_note(self, request: Request, scope: str, name: str) -> Note | None:
        """Return a note, once; None where it was emptied, as what was typed into a refused form is in it."""
        kept = await self._state.take(StatePlace(scope, "note", f"{_read_cookie(request)}/{name}"))
        return _NOTE.validate_json(kept) if kept else None

    async def _put(self, name: str, session: BrowserSession) -> None:
        """Keep a session, of one token at most so many: nobody logs out who came by another token."""
        await self._state.put(
            _place(name),
            _SESSION.dump_json(session),
            seconds=IDLE_MAX / SECOND,
            owner=_hash(session.token.name),
            most=SESSIONS_MAX,
        )


def build_operator_token(now: int) -> AccessToken:
    """Return what the link stands for: everything, in every scope, as a person."""
    return AccessToken("this browser", "erase", (ANY_SCOPE,), None, now)


def is_marked(session: BrowserSession, mark: str) -> bool:
    """Tell whether a form bears the mark of its session."""
    return hmac.compare_digest(session.mark.encode(), mark.encode())


def _place(cookie: str) -> StatePlace:
    return find_place("session", cookie)


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _read_cookie(request: Request) -> str:
    return request.cookies.get(_cookie_name(request), "")


def _cookie_name(request: Request) -> str:
    """Name the cookie by the port: those of two servers on one machine would be one."""
    return f"remanence_{request.url.port or 'web'}"
