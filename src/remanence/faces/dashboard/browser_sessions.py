"""Who looks: a browser logs in once, by a link that the server printed or by an access token, and sends a cookie then.

Knows cookies and the marks on forms; must not know pages.
"""

import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from remanence.core.clock import HOUR, MINUTE, SECOND
from remanence.faces.dashboard.form_fields import FormFields
from remanence.flows.base.access_tokens import ANY_SCOPE, AccessToken

LINK_VALID = 60 * MINUTE  # in which the link that is printed logs a browser in, once
LINKS_APART = 30 * SECOND  # at least, of links that somebody asks for
IDLE_MAX = 12 * HOUR  # after which a browser that asked for nothing logs in again
SESSIONS_MAX = 10  # of one token; the oldest ends where more browsers log in
NOTES_MAX = 20  # that wait for their pages
_BYTES = 32  # of what nobody guesses


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


@dataclass
class BrowserSession:
    """A browser that is logged in: for which token, since when, and the mark that its forms bear.

    `secret` is what it logged in with, to see that it is not ended; None for who came by the link.
    """

    token: AccessToken
    secret: str | None
    seen_at: int
    mark: str = field(default_factory=lambda: secrets.token_urlsafe(_BYTES))
    _notes: dict[str, Note] = field(default_factory=dict)

    @property
    def is_operator(self) -> bool:
        """Tell whether it came by the link that only who started the server was shown."""
        return self.secret is None

    def keep_note(self, note: Note) -> str:
        """Keep a note for the page that the form leads to, and return its name: another tab is not told it."""
        name = secrets.token_hex(8)
        if note.sent is not None:  # as long as a text may be, so of one form at a time
            self._notes = {one: replace(kept, sent=None) for one, kept in self._notes.items()}
        self._notes[name] = note
        while len(self._notes) > NOTES_MAX:
            del self._notes[next(iter(self._notes))]
        return name

    def take_note(self, name: str) -> Note | None:
        """Return a note, once."""
        return self._notes.pop(name, None)

    def forget_notes(self) -> None:
        """Keep no note."""
        self._notes.clear()


class BrowserSessions:
    """The browsers that are logged in, as long as the server lives."""

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._links: dict[str, int] = {}
        self._open: dict[str, BrowserSession] = {}

    def make_link(self) -> str:
        """Return a key that logs one browser in, as whoever started the server."""
        key = secrets.token_urlsafe(_BYTES)
        self._links[key] = self._now()
        return key

    def may_make_link(self) -> bool:
        """Tell whether another key may be made by now: whoever asks for one need not be logged in."""
        self._links = {one: at for one, at in self._links.items() if self._now() - at <= LINK_VALID}
        return all(self._now() - at > LINKS_APART for at in self._links.values())

    def take_link(self, key: str) -> bool:
        """Tell whether a key logs in now; it does so once."""
        known = next((one for one in self._links if hmac.compare_digest(one.encode(), key.encode())), None)
        return known is not None and self._now() - self._links.pop(known) <= LINK_VALID

    def begin(self, request: Request, response: Response, token: AccessToken, secret: str | None) -> None:
        """Log a browser in: its next requests are for this token."""
        name = secrets.token_urlsafe(_BYTES)
        self._open[name] = BrowserSession(token, secret, self._now())
        same = [one for one, session in self._open.items() if session.token.name == token.name]
        for oldest in same[:-SESSIONS_MAX]:  # nobody logs out who came by another token
            del self._open[oldest]
        response.set_cookie(
            _cookie_name(request),
            name,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
            path="/",
        )

    def find(self, request: Request, *, is_looking: bool = True) -> BrowserSession | None:
        """Return whose browser this is, None where it is not logged in."""
        name = request.cookies.get(_cookie_name(request), "")
        session = self._open.get(name)
        if session is None:
            return None
        if self._now() - session.seen_at > IDLE_MAX:
            del self._open[name]
            return None
        if is_looking:
            session.seen_at = self._now()
        return session

    def forget(self, _scope: str) -> None:
        """Keep no note: what was typed into a refused form is in it."""
        for session in self._open.values():
            session.forget_notes()

    def end(self, request: Request, response: Response) -> None:
        """Log a browser out."""
        self._open.pop(request.cookies.get(_cookie_name(request), ""), None)
        response.delete_cookie(_cookie_name(request), path="/", httponly=True, samesite="strict")


def build_operator_token(now: int) -> AccessToken:
    """Return what the link stands for: everything, in every scope, as a person."""
    return AccessToken("this browser", "erase", (ANY_SCOPE,), None, now)


def is_marked(session: BrowserSession, mark: str) -> bool:
    """Tell whether a form bears the mark of its session."""
    return hmac.compare_digest(session.mark.encode(), mark.encode())


def _cookie_name(request: Request) -> str:
    """Name the cookie by the port: those of two servers on one machine would be one."""
    return f"remanence_{request.url.port or 'web'}"
