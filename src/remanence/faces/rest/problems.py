"""Refusals as problem documents (RFC 9457): a status, what was wrong, and what to do about it.

Knows errors and statuses; must not know routes.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, JsonValue
from starlette.exceptions import HTTPException

from remanence.core.errors import (
    CapabilityMissing,
    Conflict,
    Erased,
    ErasedSince,
    ImagesEnded,
    InvalidInput,
    LeaseLost,
    ModelError,
    NotFound,
    PlanHeld,
    PolicyMismatch,
    Protected,
    RemanenceError,
    StoreError,
    StoreIncompatible,
    StoreUnavailable,
    suggest,
)
from remanence.core.results import encode_json_value
from remanence.core.synonyms import ARGUMENTS, VERBS
from remanence.faces.rest.wire import BY_TOKEN, LEAVE_OUT

MEDIA_TYPE = "application/problem+json"
# The first that fits; what fits none is a fault of the server.
_STATUS: tuple[tuple[type[RemanenceError], int], ...] = (
    (Erased, 410),
    (ImagesEnded, 410),
    (InvalidInput, 400),
    (NotFound, 404),
    (Protected, 403),
    (Conflict, 409),
    (LeaseLost, 409),
    (PlanHeld, 409),
    (PolicyMismatch, 409),
    (CapabilityMissing, 501),
    (ErasedSince, 503),
    (StoreIncompatible, 409),  # of one scope: for another file no server begins
    (StoreUnavailable, 503),
    (ModelError, 502),
    (StoreError, 500),
)
TITLES = {
    400: "The request is wrong",
    401: "A token is needed",
    403: "This is not allowed",
    404: "There is no such thing",
    405: "There is no such method here",
    408: "The request took too long to arrive",
    409: "What is here stands against it",
    410: "It is gone for good",
    412: "The revision is another one",
    413: "The request is too large",
    415: "The request is not JSON",
    429: "Too much is asked for at once",
    500: "The server failed",
    501: "This store cannot do this",
    502: "A model failed",
    503: "The store cannot be used now",
    504: "It took too long",
}
# Attributes of errors that a caller may know: none names a file of the server.
DETAILS = frozenset(
    {"capability", "clock", "column", "count", "destroyed", "extension", "guards", "key", "lease", "line"}
    | {"runs", "tokens_used"}
)
FAULTS_MAX = 10  # that one answer names
_REFUSED = -32600  # an invalid request, in JSON-RPC
SCHEMA, VERBS_UNDER = "/openapi.json", "/v1/"
INSIDE = "its log tells why; what was answered before is kept"


class Problem(BaseModel):
    """What was refused and why (RFC 9457); `recovery` says what to do.

    `error` is the class that the engine raised, and `details` are its attributes, such as `guards` or `line`. Of a
    revision that is another one `expected` and `current` say which.
    """

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    recovery: str
    error: str = ""
    details: dict[str, JsonValue] | None = None
    expected: int | None = None
    current: int | None = None


class RequestRefused(Exception):  # it is no error of the program
    """A request that is refused before a verb is called."""

    def __init__(
        self, status: int, detail: str, recovery: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.recovery, self.headers = status, detail, recovery, headers


def build_response(
    status: int, detail: str, recovery: str, headers: Mapping[str, str] | None = None, **raised: Any
) -> JSONResponse:
    """Return a problem document as an answer; `raised` tells of the error, if one was."""
    title = TITLES.get(status, "It is refused")
    problem = Problem(title=title, status=status, detail=detail, recovery=recovery, **raised)
    return JSONResponse(
        problem.model_dump(exclude_defaults=True) | {"type": problem.type}, status, headers, MEDIA_TYPE
    )


def build_answer_to_agent(
    status: int, detail: str, recovery: str, headers: Mapping[str, str] | None = None, **_: Any
) -> JSONResponse:
    """Return a refusal as the Model Context Protocol has it: its clients show the message of nothing else."""
    error = {"code": _REFUSED, "message": f"{detail}\n→ {recovery}"}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status, headers)


def describe_refusal(error: RequestRefused) -> JSONResponse:
    """Return the answer to a request that was refused before a verb was called."""
    return build_response(error.status, error.detail, error.recovery, error.headers)


def find_status(error: RemanenceError) -> int:
    """Return the status of an answer that tells of an error."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def describe_error(error: RemanenceError, *, named_revision: bool = False) -> JSONResponse:
    """Return the answer to a verb that refused; 412 where a revision was named in the head and another one stands."""
    raised: dict[str, Any] = {"error": type(error).__name__}
    if details := {
        name: value for name, value in vars(error).items() if name in DETAILS and value not in ("", ())
    }:
        raised["details"] = encode_json_value(details)
    if isinstance(error, Conflict):
        raised |= {"expected": error.expected, "current": error.current}
    status = find_status(error)
    if named_revision and raised.get("expected") is not None:
        status = 412
    return build_response(status, str(error), error.recovery, **raised)


async def describe_raised(_: Request, error: Exception) -> JSONResponse:
    """Return the answer where something was raised: what is none of ours is logged, and not told."""
    match error:
        case RequestRefused():
            return describe_refusal(error)
        case RemanenceError():
            return describe_error(error)
    return build_response(500, "it failed within", INSIDE)


async def describe_validation(request: Request, error: Exception) -> JSONResponse:
    """Return the answer to arguments that are none of the verb's: the verb, each wrong field, and the likely one."""
    assert isinstance(error, RequestValidationError)  # it is called for these alone
    body = getattr(request.scope.get("route"), "body_field", None)
    fields = getattr(getattr(getattr(body, "field_info", None), "annotation", None), "model_fields", {})
    verb, known = request.url.path.removeprefix(VERBS_UNDER).replace("/", "."), [*fields]
    faults, recovery = [], ""
    for fault in error.errors():
        where = ".".join(str(part) for part in fault["loc"][1:])
        if fault["type"] == "extra_forbidden":
            faults.append(f"{verb} has no field {where!r}")
            recovery = recovery or _advise_field(where, known)
        elif fault["type"] == "missing":
            faults.append(f"{verb} needs {where}" if where else f"{verb} needs a body in JSON")
        elif fault["type"] == "json_invalid":
            faults.append("the body is no valid JSON")
        else:
            faults.append(f"{where or 'the body'} of {verb}: {fault['msg'][0].lower()}{fault['msg'][1:]}")
    recovery = " ".join(filter(None, [recovery, f"All its fields: {SCHEMA}, under {request.url.path}"]))
    return build_response(400, "; ".join(dict.fromkeys(faults[:FAULTS_MAX])), recovery)


def _advise_field(field: str, known: Sequence[str]) -> str:
    """Say what to send in place of a field that a verb has not; "" where nothing is known."""
    if field in BY_TOKEN:
        return LEAVE_OUT
    return suggest(field, known, ARGUMENTS) if known else ""


async def describe_http(request: Request, error: Exception) -> JSONResponse:
    """Return the answer to a request that no route takes; of a mistyped verb the likely one."""
    assert isinstance(error, HTTPException)  # it is called for these alone
    path = request.url.path
    detail, recovery = f"{request.method} {path}: {error.detail}", f"see {SCHEMA} for what there is"
    if error.status_code == HTTPStatus.NOT_FOUND and path.startswith(VERBS_UNDER):
        paths = [one.path for one in request.app.routes if getattr(one, "path", "").startswith(VERBS_UNDER)]
        verbs = [one.removeprefix(VERBS_UNDER) for one in paths]
        detail = f"there is no verb {path.removeprefix(VERBS_UNDER)!r}"
        near = suggest(path.removeprefix(VERBS_UNDER), verbs, VERBS)
        recovery = f"{near} All verbs: {SCHEMA}" if near.startswith("did") else recovery
    return build_response(error.status_code, detail, recovery, error.headers)
