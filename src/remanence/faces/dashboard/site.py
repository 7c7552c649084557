"""The routes of the dashboard: pages, their JSON twins, forms, logging in, and what tells pages of changes.

Knows requests and answers; must not know what a page shows or a form does.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import orjson
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from remanence.core.clock import SECOND
from remanence.core.errors import NotFound, RemanenceError
from remanence.core.results import encode_json_value
from remanence.faces.dashboard import curation_pages, rendering
from remanence.faces.dashboard.browser_sessions import (
    BrowserSession,
    BrowserSessions,
    Note,
    SentForm,
    build_operator_token,
    is_marked,
)
from remanence.faces.dashboard.computing import Computations
from remanence.faces.dashboard.form_fields import FormFields, read_form
from remanence.faces.dashboard.forms import FORMS, FormResult, PageForm
from remanence.faces.dashboard.page_table import ERROR_PAGE, PAGES, DashboardPage, find_list_page
from remanence.faces.dashboard.visits import NOTE, Visit
from remanence.faces.rest import events, problems
from remanence.faces.rest.app import Service
from remanence.faces.rest.problems import RequestRefused
from remanence.flows.base.access_tokens import ANY_SCOPE, AccessToken

SCOPES_FRESH = 10 * SECOND  # how long their list is taken for the newest
SCOPES_MAX = 200  # that the choice of a scope lists
LIVE = "/live"
_LOGIN = "/login"
_NOTHING_SENT = SentForm("", FormFields({}))


class _MissingPage(Route):
    """Any address that a browser asks for; a program is answered as by the other routes."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Tell whether a request is a browser's."""
        if "text/html" not in Headers(scope=scope).get("accept", ""):
            return Match.NONE, {}
        return super().matches(scope)


class Dashboard:
    """Answers browsers."""

    def __init__(self, service: Service, tell_login: Callable[[str], None]) -> None:
        self._service = service
        self._tell_login = tell_login  # to whoever started the server
        self._now = service.now
        self.sessions = BrowserSessions(service.state, self._now)
        self._computations = Computations(self._now)
        service.engines.on_erasure.append(self._computations.forget)
        self._scopes: list[str] = []
        self._scopes_at = -SCOPES_FRESH  # when they were listed: they are counted with their memories
        self._static = rendering.StaticFiles()
        self._environment = rendering.build_environment(self._static)

    def build_routes(self) -> list[BaseRoute]:
        """Return the routes, to be put behind those of the verbs."""
        routes: list[BaseRoute] = [
            Route("/", self._show_home),
            Route("/static/{name}", self._send_static),
            Route(_LOGIN, self._log_in, methods=["GET", "POST"]),
            Route(f"{_LOGIN}/link", self._announce_another, methods=["POST"]),
            Route("/logout", self._log_out, methods=["POST"]),
            Route(LIVE, self._tell_changes),
            Route("/forecast.svg", self._send_forecast),
        ]
        for page in PAGES:
            # The twin first: a name in an address would take its ending for a part of itself.
            routes += [
                Route(f"{page.path}.json", self._build_endpoint(page, as_json=True)),
                Route(page.path, self._build_endpoint(page, as_json=False)),
            ]
        routes += [
            Route(f"/do/{form.name}", self._build_form_endpoint(form), methods=["POST"]) for form in FORMS
        ]
        return [*routes, _MissingPage("/{path:path}", self._show_missing)]

    async def announce_login(self) -> None:
        """Make an address, on this server, that logs one browser in, and tell it to whoever started the server."""
        self._tell_login(f"{_LOGIN}?key={await self.sessions.make_link()}")

    async def end(self) -> None:
        """End what is worked out in the background."""
        await self._computations.end()

    # Who looks

    async def _find_visitor(
        self, request: Request, *, is_looking: bool = True
    ) -> tuple[AccessToken, BrowserSession | None] | None:
        """Return for which token a request is, and of which browser; None where it is of nobody.

        A page that only listens, and nobody looks at, does not keep its browser logged in.
        """
        authorization = request.headers.get("authorization")
        if authorization is not None:
            return await self._service.find_token(authorization), None
        session = await self.sessions.find(request, is_looking=is_looking)
        if session is None:
            return None
        if session.secret is not None:
            try:
                await self._service.find_token(f"Bearer {session.secret}")
            except RequestRefused:
                return None  # it was ended
        return session.token, session

    async def _log_in(self, request: Request) -> Response:
        if request.method == "POST":
            secret = read_form(await request.body()).take("token").strip()
            try:
                token = await self._service.find_token(f"Bearer {secret}")
            except RequestRefused as refusal:
                return self._render_login(refusal.detail, 401)
            return await self._let_in(request, token, secret)
        key = request.query_params.get("key")
        if key is None or request.method == "HEAD":  # what only looks at a link uses it up for nobody
            return self._render_login("", 200)
        if not await self.sessions.take_link(key):
            return self._render_login("this link was used already, or is older than an hour", 401)
        return await self._let_in(request, build_operator_token(self._now()), None)

    async def _let_in(self, request: Request, token: AccessToken, secret: str | None) -> Response:
        # No redirection: what follows one from a link of another site does not bear the cookie yet.
        answer = rendering.render(self._environment, "entered.html", {})
        await self.sessions.begin(request, answer, token, secret)
        return answer

    async def _announce_another(self, _: Request) -> Response:
        """Tell another link where the server was started, to whoever can look there."""
        if not await self.sessions.may_make_link():
            return self._render_login(
                "a link was printed a moment ago; look where the server was started", 429
            )
        await self.announce_login()
        return rendering.render(self._environment, "announced.html", {})

    def _render_login(self, refusal: str, status: int) -> Response:
        return rendering.render(self._environment, "login.html", {"refusal": refusal}, status)

    async def _log_out(self, request: Request) -> Response:
        session = await self.sessions.find(request)
        answer = RedirectResponse(_LOGIN, 303)
        if session is not None and is_marked(session, read_form(await request.body()).take("mark")):
            await self.sessions.end(request, answer)
        return answer

    # Pages

    async def _show_home(self, request: Request) -> Response:
        query = request.url.query
        return RedirectResponse(f"/overview?{query}" if query else "/overview", 303)

    async def _send_static(self, request: Request) -> Response:
        answer = self._static.answer(request.path_params["name"])
        return answer if answer is not None else await self._show_missing(request)

    def _build_endpoint(
        self, page: DashboardPage, *, as_json: bool
    ) -> Callable[[Request], Awaitable[Response]]:
        async def show(request: Request) -> Response:
            if as_json:
                return await self._send_json(page, request)
            return await self._answer_browser(request, lambda visit: self._render_page(page, visit))

        return show

    async def _answer_browser(
        self, request: Request, work: Callable[[Visit], Awaitable[Response]]
    ) -> Response:
        """Answer a browser: who is not logged in does so first, and what is refused is a page that says so."""
        try:
            found = await self._find_visitor(request)
            if found is None:
                return RedirectResponse(_LOGIN, 303)
            return await self._visit_page(request, *found, partial(self._work_or_tell, work))
        except (RequestRefused, RemanenceError) as error:
            status, shown = _describe_refusal(error)
            return rendering.render(self._environment, "error.html", {"visit": None, **shown}, status)

    async def _send_json(self, page: DashboardPage, request: Request) -> Response:
        async def encode(visit: Visit) -> Response:
            shown = {"page": page.name, "scope": visit.scope, **await page.gather(visit)}
            return Response(
                orjson.dumps({name: encode_json_value(value, name) for name, value in shown.items()}),
                media_type="application/json",
            )

        try:
            found = await self._find_visitor(request)
            if found is None:
                return problems.build_response(401, "nobody is logged in", f"open {_LOGIN}, or send a token")
            return await self._visit_page(request, *found, encode)
        except RequestRefused as refusal:
            return problems.describe_refusal(refusal)
        except RemanenceError as error:
            return problems.describe_error(error)

    async def _visit_page(
        self,
        request: Request,
        token: AccessToken,
        session: BrowserSession | None,
        work: Callable[[Visit], Awaitable[Response]],
    ) -> Response:
        scope = self._find_scope(token, request.query_params.get("scope") or None)
        async with self._service.engines.use(scope, token) as memory:
            visit = Visit(
                request,
                self._service.engines,
                memory,
                token,
                session,
                self._computations,
                self._service.shown,
            )
            visit.scope_names = await self._list_scopes(visit)
            visit.position = await visit.find_position()
            visit.path = request.url.path.removesuffix(".json")
            return await work(visit)

    def _find_scope(self, token: AccessToken, named: str | None) -> str:
        """Return whose memory is meant: that of the server's own scope where none is named and it is open."""
        if named is None:
            named = self._service.scope if token.opens(self._service.scope) else token.scopes[0]
        return self._service.find_scope(token, named, "read", file_wide=False)

    async def _list_scopes(self, visit: Visit) -> tuple[str, ...]:
        if ANY_SCOPE not in visit.token.scopes:
            return visit.token.scopes
        if self._now() - self._scopes_at > SCOPES_FRESH:
            self._scopes_at = self._now()
            self._scopes = [one.scope for one in await visit.memory.scopes.list(limit=SCOPES_MAX)]
        return tuple(dict.fromkeys([*self._scopes, visit.scope]))

    async def _render_page(
        self,
        page: DashboardPage,
        visit: Visit,
        more: Mapping[str, Any] | None = None,
        status: int = 200,
    ) -> Response:
        shown = {**await page.gather(visit), **(more or {})}
        told = visit.request.query_params.get(NOTE)
        note = None
        if visit.session is not None and told:
            note = await self.sessions.take_note(visit.request, visit.scope, told)
        return rendering.render(
            self._environment,
            page.template,
            {
                "now": self._now(),
                "page": page,
                "pages": PAGES,
                "visit": visit,
                "note": note,
                "sent": note.sent if note is not None and note.sent is not None else _NOTHING_SENT,
                **shown,
            },
            status,
        )

    async def _send_forecast(self, request: Request) -> Response:
        """Send the picture of a forecast; its page has begun to work it out."""

        async def draw(visit: Visit) -> Response:
            forecast = (await curation_pages.show_forecast(visit))["forecast"]
            if forecast is None:
                raise NotFound("it is not worked out yet", recovery="open its page")
            headers = {"content-security-policy": rendering.PICTURE_POLICY}
            return Response(forecast.svg(), media_type="image/svg+xml", headers=headers)

        return await self._answer_browser(request, draw)

    async def _work_or_tell(self, work: Callable[[Visit], Awaitable[Response]], visit: Visit) -> Response:
        """Answer a visit; what is refused is told beside the list of pages."""
        try:
            return await work(visit)
        except (RequestRefused, RemanenceError) as error:
            status, shown = _describe_refusal(error)
            return await self._render_page(
                ERROR_PAGE, visit, {**shown, "back": find_list_page(visit.path)}, status
            )

    async def _show_missing(self, request: Request) -> Response:
        async def refuse(_: Visit) -> Response:
            path = request.url.path[:200]
            raise RequestRefused(404, f"there is no page {path}", "see the list of pages")

        return await self._answer_browser(request, refuse)

    # Forms

    def _build_form_endpoint(self, form: PageForm) -> Callable[[Request], Awaitable[Response]]:
        async def take(request: Request) -> Response:
            return await self._answer_browser(request, lambda visit: self._carry_out(form, visit))

        return take

    async def _carry_out(self, form: PageForm, visit: Visit) -> Response:
        """Do what a form asks for, and go back to the page that it was on; what is refused is told there."""
        session = visit.session
        given = read_form(await visit.request.body())
        if session is None or not is_marked(session, given.take("mark")):
            raise RequestRefused(403, "this form is too old", "open the page again, and send it from there")
        if not visit.may(form.verb, **form.arguments):
            raise RequestRefused(
                403, f"the token {visit.token.name} may not {form.verb}", "log in with another"
            )
        back = given.take_path("back")
        try:
            done = await form.carry_out(visit, given)
        except RemanenceError as error:
            done = FormResult(Note(str(error), detail=error.recovery, is_refusal=True))
        go = done.go or back
        if done.note is not None:
            told = replace(done.note, sent=SentForm(form.name, given)) if done.note.is_refusal else done.note
            name = await self.sessions.keep_note(visit.request, visit.scope, visit.position, told)
            go += f"{'&' if '?' in go else '?'}{NOTE}={name}"
        return RedirectResponse(go, 303)

    # What changes

    async def _tell_changes(self, request: Request) -> Response:
        """Tell a page, as it happens, that its scope has changed; what changed it asks for itself."""
        found = await self._find_visitor(request)
        if found is None:
            raise RequestRefused(401, "nobody is logged in", f"open {_LOGIN}")
        token, _ = found
        try:
            scope = self._find_scope(token, request.query_params.get("scope") or None)
            # What came while the page was on its way is told, too.
            drawn_at = request.query_params.get("after")
            after = events.read_position(request.headers.get("last-event-id", drawn_at))
            feed = await self._service.find_feed(scope, token)
        except RemanenceError as error:
            return problems.describe_error(error)

        async def still_allowed() -> bool:
            return await self._find_visitor(request, is_looking=False) is not None

        async def name_changes() -> AsyncIterator[bytes]:
            async for told in feed.listen(token, after, still_allowed):
                if told.startswith(b":"):
                    yield told
                elif told.startswith(b"id:"):  # else it says how far a call is
                    position = told.partition(b"\n")[0]
                    yield (
                        position + b"\nevent: changed\ndata: \n\n"
                    )  # its name and what it holds are left out

        return StreamingResponse(name_changes(), media_type=events.MEDIA_TYPE)


def _describe_refusal(error: RequestRefused | RemanenceError) -> tuple[int, dict[str, Any]]:
    """Return the status of a refusal, and what its page says."""
    if isinstance(error, RequestRefused):
        return error.status, {"status": error.status, "detail": error.detail, "recovery": error.recovery}
    status = problems.find_status(error)
    return status, {"status": status, "detail": str(error), "recovery": error.recovery}
