"""The application: a route for each verb that is offered, behind tokens, with answers that may be asked for again.

Knows routes, tokens and heads of requests; must not know what a verb does.
"""

import asyncio
import hmac
import inspect
import secrets
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Protocol

import orjson
from fastapi import Body, FastAPI, Header, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from remanence._version import __version__
from remanence.core.errors import RemanenceError
from remanence.core.permissions import TokenRole, role_of
from remanence.core.results import encode_json_value
from remanence.curate.planner.plan import Plan
from remanence.engine import Engine
from remanence.faces.rest import events, problems
from remanence.faces.rest.answers_by_key import AnswersByKey, CallOutcome, KeyedCall
from remanence.faces.rest.calls import (
    KEY_CHARS_MAX,
    CancelledView,
    CancelRequest,
    RunningCall,
    RunningCalls,
    RunningView,
)
from remanence.faces.rest.engines import Engines, Opener
from remanence.faces.rest.offers import SHOWN_BY, Offer, is_file_wide, list_offers
from remanence.faces.rest.problems import Problem, RequestRefused
from remanence.faces.rest.request_limits import AGENTS, RequestGuard
from remanence.faces.rest.server_processes import ServerProcesses
from remanence.faces.rest.shown_things import ShownThings, ShownTo, VerbRequest, identify
from remanence.faces.rest.wire import BY_TOKEN, Arguments
from remanence.faces.server_state import ServerState, StatePlace
from remanence.flows.base.access_tokens import ANY_SCOPE, AccessToken, Door, find_token
from remanence.flows.schedule.schedules import UntilStopped

# Verbs that only show: asked again they are done again, so that no answer outlives what it was read from.
SHOWING = frozenset({*SHOWN_BY.values(), "export"})
CANCELLED = "what was committed before stays: history names its run, and undo takes it back"
_WRONG: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": Problem, "description": "Refused", "content": {problems.MEDIA_TYPE: {}}},
    "5XX": {"model": Problem, "description": "Failed", "content": {problems.MEDIA_TYPE: {}}},
}
_BEHIND_TOKENS: dict[str, Any] = {"security": [{"token": []}]}
_DESCRIPTION = (
    "Every verb is a POST whose body holds its arguments. A token says whose memory it is and what is allowed; `scope`"
    " names one of several. Refusals are problem documents (RFC 9457) whose `recovery` says what to do."
)

ScopeName = Annotated[
    str | None,
    Query(
        description="Scope of the memory; may be left out if the token opens one scope alone.", max_length=200
    ),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        description="Sent again with the same body, the first answer is given again; names the call while it runs.",
        max_length=KEY_CHARS_MAX,
    ),
]
IfMatch = Annotated[
    str | None, Header(description="The revision that the memory must have, as `if_revision`.")
]


class Service:
    """Answers requests: finds the token, opens the memory, calls the verb."""

    def __init__(self, opener: Opener, tokens: Engine, state: ServerState) -> None:
        self.engines = Engines(opener)
        self._tokens = tokens  # a memory of the same file, open as long as the server
        self.state = state
        self._feeds: dict[str, events.EventFeed] = {}
        self.running = RunningCalls(self._tell_progress)
        self.processes = ServerProcesses(state, self.running)
        self._answers = AnswersByKey(state)
        self.shown = ShownThings(state)
        self.engines.on_erasure += [self.shown.forget, state.forget]
        state.on_erasure.append(self.engines.forget)

    @property
    def scope(self) -> str:
        """The scope that the server was started with."""
        return self._tokens.scope

    def now(self) -> int:
        """Return what time it is, in microseconds."""
        return self._tokens._core.clock.now()  # noqa: SLF001 # the time is no verb's

    async def end_streams(self) -> None:
        """Let all who listen to events go."""
        for feed in self._feeds.values():
            feed.end()

    def _tell_progress(self, call: RunningCall) -> None:
        """Tell those who listen to a scope how far a call in it is."""
        if (feed := self._feeds.get(call.scope)) is not None:
            feed.tell_progress(call.to_event())
        self.processes.tell_progress(call)

    async def find_token(self, authorization: str, door: Door = "rest") -> AccessToken:
        """Return the token that a request was sent with, or refuse it where it is unknown or not for this door."""
        kind, _, secret = authorization.partition(" ")
        token = None
        if kind.lower() == "bearer" and secret.isascii():
            token = await find_token(self._tokens._core, secret.strip())  # noqa: SLF001 # of the file, and no verb
        if token is None:
            raise RequestRefused(
                401,
                "no token, or none that is known" if not secret else "this token is not known, or was ended",
                "send `Authorization: Bearer TOKEN`; make one: remanence token add NAME --scope SCOPE --role write",
                {"www-authenticate": "Bearer"},
            )
        if token.door not in (None, door):
            raise RequestRefused(
                403,
                f"the token {token.name} opens the door {token.door} alone",
                f"call the tools at {AGENTS}"
                if token.door == "mcp"
                else "call the verbs at /v1/, or make one: remanence token add NAME --door mcp",
            )
        return token

    def find_scope(self, token: AccessToken, named: str | None, role: TokenRole, *, file_wide: bool) -> str:
        """Return whose memory is meant, or refuse what the token does not allow."""
        if not token.may(role):
            raise RequestRefused(
                403, f"the token {token.name} may {token.role}, not {role}", "use a token of that role"
            )
        if file_wide and ANY_SCOPE not in token.scopes:
            raise RequestRefused(
                403, f"the token {token.name} does not open every scope", 'use one for the scope "*"'
            )
        if named is None:
            if len(token.scopes) > 1 or ANY_SCOPE in token.scopes:
                raise RequestRefused(400, "the token opens several scopes", "name one: ?scope=SCOPE")
            return token.scopes[0]
        if not token.opens(named):
            raise RequestRefused(
                403, f"the token {token.name} does not open this scope", "use a token that does"
            )
        return named

    async def answer(
        self, offer: Offer, arguments: Arguments, given: BaseModel | None, heads: "_RequestHeads"
    ) -> Response:
        """Call a verb and return its answer."""
        token: AccessToken = heads.request.scope["token"]
        sent = {} if given is None else {name: getattr(given, name) for name in given.model_fields_set}
        file_wide = is_file_wide(offer.row.verb, sent)
        role = role_of(offer.row.verb, sent) or offer.role
        scope = self.find_scope(token, heads.scope, role, file_wide=file_wide)
        places, named = ([], {}) if given is None else arguments.read(given)
        if heads.if_match is not None:
            revision = heads.if_match.strip().removeprefix("W/").strip('"')
            is_number = revision.isascii() and revision.isdigit() and len(revision) <= 18
            if not (arguments.takes_revision and is_number):
                raise RequestRefused(
                    400,
                    f"If-Match {heads.if_match[:40]!r} is no revision",
                    "send the `revision` of one memory, as ETag has it",
                )
            named["if_revision"] = int(revision)
        if token.role == "read" and offer.row.verb in {"recall", "frame"}:
            named["count_use"] = False
        key = heads.key or secrets.token_hex(8)
        running = RunningCall(key, offer.row.verb, scope, token, heads.request.scope["prolong"])
        if arguments.takes_progress:
            named["progress"] = partial(self.running.advance, running)
        call = _VerbCall(offer, token, scope, places, named, running)
        is_showing = offer.row.verb in SHOWING and named.get("shown") is None
        if heads.key is None or role == "read" or is_showing:
            return await self._call(call, named_revision=heads.if_match is not None)
        return await self._answer_once(call, heads)

    async def _answer_once(self, call: "_VerbCall", heads: "_RequestHeads") -> Response:
        """Call a verb once for a key, however often it is asked for; the same key for something else is refused."""
        owner, key = identify(call.token), str(heads.key)
        body = await heads.request.body() + str(heads.if_match).encode()
        place = StatePlace(call.scope, "answer", f"{owner}/{call.offer.path}/{key}")
        asked = hmac.digest(key.encode(), body, "sha256")

        async def work() -> CallOutcome:
            answer = await self._call(call, named_revision=heads.if_match is not None)
            # What was refused did nothing, and may be tried again; what was cancelled may have done a part.
            is_kept = answer.status_code < 400 or call.running.is_cancelled
            # The answer to an erasure has no text in it.
            return CallOutcome(answer, is_kept, None if call.offer.role == "erase" else call.position)

        return await self._answers.answer(KeyedCall(place, asked, owner), work)

    async def _call(self, call: "_VerbCall", *, named_revision: bool) -> Response:
        try:
            with self.running.hold(call.running):
                async with self.engines.use(call.scope, call.token) as memory:
                    call.position = self.engines.find_position(call.scope)
                    answer = await self._carry_out(call, memory)
                call.running.ending = "answered"
        except RemanenceError as error:
            return problems.describe_error(error, named_revision=named_revision)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or not call.running.is_cancelled or task.uncancel():
                raise  # the server ends, or the time has run out
            return problems.build_response(409, "it was cancelled", CANCELLED, error="Conflict")
        revision = getattr(answer, "revision", None)
        headers = {"etag": f'"{revision}"'} if isinstance(revision, int) else None
        return Response(_encode_answer(answer), headers=headers, media_type="application/json")

    async def _carry_out(self, call: "_VerbCall", memory: Engine) -> Any:
        verb = call.offer.row.verb
        is_wide = is_file_wide(verb, call.named)
        is_done = call.named.get("shown") is not None or SHOWN_BY.get(verb) != verb
        if verb in SHOWN_BY and is_done and not is_wide:
            # Where it is refused, it may be asked for again.
            to = ShownTo(call.token, call.scope, SHOWN_BY[call.offer.row.verb])
            async with self.shown.use(to, call.named["shown"], memory) as shown:
                return await call.offer.of(memory)(*call.places, **{**call.named, "shown": shown})
        if verb == "begin_session":
            call.named["heartbeats"] = False  # it outlives the request, and is ended by who began it
        answer = call.offer.of(memory)(*call.places, **call.named)
        if isinstance(answer, AsyncIterator):
            return "".join([line.decode() async for line in answer])
        answer = await answer if inspect.isawaitable(answer) else answer
        if verb in SHOWN_BY.values() and not is_wide:
            named = {one: value for one, value in call.named.items() if one != "progress"}
            asked = VerbRequest(call.position, call.places, named)
            name = await self.shown.keep(ShownTo(call.token, call.scope, verb), answer, asked)
            return {"shown": name, **answer.to_dict()}
        return answer

    async def find_feed(self, scope: str, token: AccessToken) -> events.EventFeed:
        """Return what tells of a scope, one for all who listen to it; NotFound where nobody ever wrote to it."""
        async with self.engines.use(scope, token):
            return self._feeds.setdefault(scope, events.EventFeed(self.engines, self.state, scope))

    async def stream(self, request: Request, scope: str | None, last_event_id: str | None) -> Response:
        """Return what happens in a scope, as it happens."""
        token: AccessToken = request.scope["token"]
        name = self.find_scope(token, scope, "read", file_wide=False)
        try:
            after = events.read_position(last_event_id)
            feed = await self.find_feed(name, token)
        except RemanenceError as error:
            return problems.describe_error(error)

        async def still_allowed() -> bool:
            try:
                return await self.find_token(request.headers["authorization"]) == token
            except RequestRefused:
                return False

        return StreamingResponse(feed.listen(token, after, still_allowed), media_type=events.MEDIA_TYPE)


@dataclass(frozen=True, slots=True)
class _RequestHeads:
    """What a request says besides the arguments."""

    request: Request
    scope: str | None
    key: str | None
    if_match: str | None


@dataclass(slots=True)
class _VerbCall:
    """A verb to be called: for whom, where, and with what; `position` is that of the scope when it began."""

    offer: Offer
    token: AccessToken
    scope: str
    places: list[Any]
    named: dict[str, Any]
    running: RunningCall
    position: int = 0


class Agents(Protocol):
    """What answers agents, `async with`; where the library of their protocol is not installed there is none."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        ...

    async def __aenter__(self) -> object:
        """Begin to answer."""
        ...

    async def __aexit__(self, *raised: object) -> None:
        """End what was begun for them."""
        ...


def build_app(
    service: Service,
    hosts: Collection[str],
    *,
    seconds_max: float,
    agents: Agents | None = None,
    pages: Sequence[BaseRoute] = (),
) -> ASGIApp:
    """Return the application; `hosts` are the names it answers to, `seconds_max` how long a verb may take.

    `agents` answers agents, `pages` are routes that stand behind those of the verbs.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with service.engines, agents or nullcontext(), service.processes:
            yield

    app = FastAPI(
        title="Remanence",
        version=__version__,
        description=_DESCRIPTION,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
        docs_url=None,  # its page fetches scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        routes=[Route(AGENTS, agents, methods=["POST"])] if agents is not None else None,
        responses=_WRONG,
        separate_input_output_schemas=False,
    )
    app.add_exception_handler(RequestValidationError, problems.describe_validation)
    app.add_exception_handler(HTTPException, problems.describe_http)
    for kind in (RequestRefused, RemanenceError, Exception):
        app.add_exception_handler(kind, problems.describe_raised)
    for offer in list_offers():
        app.add_api_route(
            offer.path,
            _build_endpoint(service, offer),
            methods=["POST"],
            summary=offer.row.summary,
            description=f"Use when {offer.row.use_when}. Returns {offer.row.returns}. Needs the role {offer.role}.",
            operation_id=offer.row.verb.rstrip("_"),
            response_model=None,
            openapi_extra=_BEHIND_TOKENS,
        )

    @app.get(
        "/v1/events",
        operation_id="events",
        summary="What happens in a scope, as it happens.",
        response_model=None,
        openapi_extra=_BEHIND_TOKENS,
    )
    async def listen(
        request: Request, scope: ScopeName = None, last_event_id: Annotated[str | None, Header()] = None
    ) -> Response:
        return await service.stream(request, scope, last_event_id)

    _add_call_routes(app, service)
    app.router.routes.extend(pages)
    _declare_tokens(app)
    return RequestGuard(app, hosts, seconds_max, service.find_token)


def _declare_tokens(app: FastAPI) -> None:
    """Have the document of the routes say how a token is sent."""
    describe_routes = app.openapi

    def describe_api() -> dict[str, Any]:
        document = describe_routes()
        document["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        return document

    app.openapi = describe_api  # type: ignore[method-assign] # as FastAPI has it extended


def _add_call_routes(app: FastAPI, service: Service) -> None:
    """Add the routes that list calls under way, and that end one."""

    @app.get(
        "/v1/running",
        operation_id="running",
        summary="What runs now: the calls of this token, and of a curator's scopes those of others.",
        openapi_extra=_BEHIND_TOKENS,
    )
    async def view_running(request: Request) -> list[RunningView]:
        return await service.processes.view(request.scope["token"])

    @app.post(
        "/v1/cancel",
        operation_id="cancel",
        summary="End a call before its time; what it committed stays, and is undone like any run.",
        openapi_extra=_BEHIND_TOKENS,
    )
    async def cancel(request: Request, given: CancelRequest) -> CancelledView:
        count = await service.processes.cancel(request.scope["token"], given.key)
        if not count:
            raise RequestRefused(404, "no call of this key runs", "see what does: GET /v1/running")
        return CancelledView(cancelled=count)


def _build_endpoint(service: Service, offer: Offer) -> Callable[..., Any]:
    """Return the function of a route, with the arguments of its verb as its body."""
    # A list is narrowed by them, and an import is believed no more than it says.
    # Jobs run once here, in the scope that is asked for: what else they take is for a process that has no end.
    by_verb = {
        "list": frozenset[str](),
        "import_": frozenset({"agent"}),
        "run_jobs": frozenset(UntilStopped.__annotations__),
    }
    without = by_verb.get(offer.row.verb, BY_TOKEN)
    arguments = Arguments(offer.row, offer.verb, without=without)

    async def answer(
        request: Request,
        scope: ScopeName = None,
        idempotency_key: IdempotencyKey = None,
        if_match: IfMatch = None,
        given: Any = None,
    ) -> Response:
        heads = _RequestHeads(request, scope, idempotency_key, if_match)
        return await service.answer(offer, arguments, given, heads)

    body = arguments.model if arguments.is_required else (arguments.model | None)
    answer.__annotations__["given"] = Annotated[body, Body()]
    if arguments.is_required:
        parameters = [
            one.replace(
                default=inspect.Parameter.empty,
                kind=one.KEYWORD_ONLY,
                annotation=answer.__annotations__[one.name],
            )
            if one.name == "given"
            else one.replace(kind=one.KEYWORD_ONLY, annotation=answer.__annotations__[one.name])
            for one in inspect.signature(answer).parameters.values()
        ]
        answer.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # FastAPI reads it
    return answer


def _encode_answer(answer: Any) -> bytes:
    """Write an answer as JSON: a plan as `apply` takes it, with what it shows; anything else as it tells of itself."""
    if isinstance(answer, Plan):
        preview = orjson.dumps(encode_json_value(answer.preview))
        return answer.to_json().encode().removesuffix(b"}") + b',"preview":' + preview + b"}"
    return orjson.dumps(encode_json_value(answer))
