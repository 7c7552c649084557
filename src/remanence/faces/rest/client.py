"""A memory behind a server, with the verbs of an engine: `remanence.connect(url, token)`.

Knows how verbs are called over HTTP and how their answers are read from JSON; must not know what one does.
"""

import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from datetime import datetime, timedelta
from enum import IntEnum
from functools import cache, wraps
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, Self, Union, get_args, get_origin, get_type_hints
from urllib.parse import quote

import orjson

from remanence.core.clock import to_datetime
from remanence.core.errors import CapabilityMissing, InvalidInput
from remanence.core.forbidden import Forbidden
from remanence.core.half_characters import mend
from remanence.core.keywords import Progress
from remanence.core.model import AffectedMemory, DroppedMemory, Hit, LearnResult, Memory, RecallResult, Turn
from remanence.core.results import OF_FIELDS, OF_TIMES, encode_json_value, is_time
from remanence.curate.planner.plan import Plan
from remanence.curate.planner.plan_report import PlanDiff, Preview
from remanence.engine import Engine
from remanence.faces.rest.client_transport import Request, Transport, send_and_hear, send_until_cancelled
from remanence.faces.rest.offers import (
    BODY_BYTES_MAX,
    NOT_OFFERED,
    SEND_LESS,
    SHOWN_BY,
    Offer,
    is_file_wide,
    list_offers,
)
from remanence.flows.base.context import Core
from remanence.flows.base.naming import plain_name
from remanence.flows.consolidate.boxes import ConversationSegment, ConversationThread
from remanence.flows.inspect.review import ReviewItem
from remanence.flows.scopes.scopes import ScopeOverview

_ZEROS: Mapping[Any, Any] = {int: 0, float: 0.0, str: "", bytes: b"", bool: False}


def decode_json_value(annotation: Any, value: Any, name: str = "") -> Any:
    """Return a value of a type from what JSON has for it; `name` is the field it stands in."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if value is None or annotation in (Any, object):
        return value
    if origin is Annotated:
        return decode_json_value(inner[0], value, name)
    if origin in (Union, UnionType):
        return _decode_union(inner, value, name)
    if isinstance(origin, type):
        return _decode_container(origin, inner, value, name)
    if isinstance(annotation, type):
        if issubclass(annotation, IntEnum) and isinstance(value, str):
            return annotation[value.upper()]
        if is_dataclass(annotation) and isinstance(value, Mapping):
            return annotation(
                **{one.name: _decode_field(annotation, one, value) for one in fields(annotation) if one.init}
            )
        if annotation is int and isinstance(value, str) and is_time(name):
            return _read_time(value)
        if annotation is bytes and isinstance(value, str):
            return bytes.fromhex(value)
        return value
    return value


def _decode_field(kind: type, one: "Field[Any]", value: Mapping[str, Any]) -> Any:
    """Return a field; one that is not told to readers has its default, or nothing of its type."""
    if one.name in value:
        return decode_json_value(_resolve_hints(kind)[one.name], value[one.name], one.name)
    if one.default is not MISSING:
        return one.default
    if one.default_factory is not MISSING:
        return one.default_factory()
    return _ZEROS.get(_resolve_hints(kind)[one.name])


def _decode_container(origin: type, inner: tuple[Any, ...], value: Any, name: str) -> Any:
    if issubclass(origin, Mapping) and isinstance(value, Mapping):
        return {
            (int(key) if inner[0] is int else key): _decode_item(inner[1], one, name)
            for key, one in value.items()
        }
    if not isinstance(value, list):
        return value
    if origin is tuple and ... not in inner:
        return tuple(decode_json_value(kind, one) for kind, one in zip(inner, value, strict=True))
    items = [decode_json_value(inner[0], one) for one in value]
    if issubclass(origin, tuple):
        return tuple(items)
    if issubclass(origin, AbstractSet):
        return frozenset(items)
    return items if issubclass(origin, list) else tuple(items) if issubclass(origin, Sequence) else items


def _decode_item(kind: Any, value: Any, name: str) -> Any:
    """Return an item of a mapping: a time where the mapping holds times, or fields by their names."""
    if name in OF_FIELDS:
        return {one: decode_json_value(int, held, one) for one, held in value.items()}
    if name in OF_TIMES:
        return None if value is None else _read_time(value)
    return decode_json_value(kind, value)


def _decode_union(inner: tuple[Any, ...], value: Any, name: str) -> Any:
    """Return a value of the first of several types that has such a one: a class for a mapping, else what is plain.

    Of several classes it is the first whose fields are all there.
    """
    for kind in sorted(inner, key=lambda kind: not _has_fields(kind, value)):
        told = get_args(kind)[0] if get_origin(kind) is Annotated else kind
        if kind is NoneType:
            continue
        if isinstance(value, Mapping | list):
            if _may_hold(told, value):
                return decode_json_value(told, value, name)
        elif isinstance(told, type) and not is_dataclass(told):
            decoded = decode_json_value(told, value, name)
            if isinstance(decoded, told):
                return decoded
    return value


def _may_hold(kind: Any, value: Any) -> bool:
    """Return True if a type is written in JSON as an object, or as a list, just as the value is."""
    origin = get_origin(kind)
    if is_dataclass(kind) or (isinstance(origin, type) and issubclass(origin, Mapping)):
        return isinstance(value, Mapping)
    return isinstance(origin, type) and isinstance(value, list)


def _has_fields(kind: Any, value: Any) -> bool:
    """Return True if a value has all fields that a class, or the items of a list of one, must have."""
    if get_origin(kind) is list and isinstance(value, list):
        return not value or _has_fields(get_args(kind)[0], value[0])
    if not is_dataclass(kind) or not isinstance(value, Mapping):
        return True
    hidden = getattr(kind, "HIDDEN", ())
    needed = (one for one in fields(kind) if one.init and one.default is one.default_factory is MISSING)
    return all(one.name in value for one in needed if one.name not in hidden)


def _read_time(value: str) -> int:
    """Return a time in microseconds, also the end of all times, which no caller may give."""
    return (datetime.fromisoformat(value) - to_datetime(0)) // timedelta(microseconds=1)


@cache
def _resolve_hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


_OF_MEMORIES = Memory, Hit, LearnResult, DroppedMemory, AffectedMemory
# What else a verb returns that names a thing, by which of its fields it does.
_NAMED_BY: Mapping[type, str] = {
    ConversationSegment: "number",
    ConversationThread: "number",
    Forbidden: "fold",
    ReviewItem: "cursor",
    ScopeOverview: "scope",
}
_LOCAL = frozenset({"guide"})  # what needs no memory


class RemoteEngine(Engine):
    """A memory in one scope of a server: the verbs of `Engine` that it offers, called over HTTP.

    A verb that is not offered raises CapabilityMissing. If the server refuses a call, the error of its engine is raised
    here.
    """

    def __init__(self, url: str, token: str, *, scope: str | None = None, timeout: float = 60.0) -> None:
        self._transport = Transport(url, token, timeout)
        self._scope = scope
        self._shown: dict[int, tuple[Any, str]] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {self._transport.url}>"

    async def __aenter__(self) -> Self:
        return self

    async def close(self) -> None:
        """Let the connections go."""
        self._transport.close()

    @property
    def scope(self) -> str:
        """Scope of this memory, where one was named."""
        return self._core.scope if self._scope is None else self._scope

    @property
    def _core(self) -> Core:
        raise CapabilityMissing(
            "what is kept in the process of a memory is not known behind a server",
            recovery="ask by a verb, or open the file itself where it lies",
            capability="process",
        )

    async def _call(self, offer: Offer, arguments: dict[str, Any], progress: Progress | None = None) -> Any:
        """Call a verb, and return what it answered as the engine would."""
        verb = offer.row.verb
        shown = arguments.get("shown") if verb in SHOWN_BY else None
        if shown is not None:
            kept, name = self._shown.get(id(shown), (None, ""))
            if kept is not shown:
                raise InvalidInput(
                    "this was not shown here", recovery="pass what the verb that shows it answered"
                )
            arguments["shown"] = name
        query = "" if self._scope is None else f"?scope={quote(self._scope, safe='')}"
        body = _write_body(arguments)
        request = Request(f"{offer.path}{query}", body)
        if progress is None:
            document = await send_until_cancelled(self._transport, request)
        else:
            document = await send_and_hear(self._transport, request, f"/v1/events{query}", progress)
        self._shown.pop(id(shown), None)  # it is done; what was refused may be asked for again
        answer = _decode_answer(offer, document)
        if verb in SHOWN_BY.values() and shown is None and not is_file_wide(verb, arguments):
            self._shown[id(answer)] = answer, document["shown"]
        return answer


def connect(url: str, token: str, *, scope: str | None = None, timeout: float = 60.0) -> RemoteEngine:
    """Reach a memory that `remanence serve` serves; open it with `async with`, or `await` it and `close` it.

    Args:
        url: where the server listens, such as http://127.0.0.1:8377.
        token: an access token of that database.
        scope: whose memory; may be left out where the token opens one alone.
        timeout: seconds that an answer may take, or the next sign of progress to who hears `progress`.
    """
    return RemoteEngine(url, token, scope=scope, timeout=timeout)


def _write_body(arguments: Mapping[str, Any]) -> bytes:
    try:
        encoded = {name: _encode_argument(one) for name, one in arguments.items()}
        if mend(encoded)[1]:  # sent as escapes: the server replaces what is half a character, and says so
            return json.dumps(encoded, default=lambda one: orjson.loads(orjson.dumps(one))).encode()
        body = orjson.dumps(encoded)
    except (TypeError, UnicodeDecodeError) as error:  # what JSON has not
        raise InvalidInput(
            f"it cannot be sent: {error}",
            recovery="pass texts, numbers of 64 bits, times, and lists and mappings of those",
        ) from error
    if len(body) > BODY_BYTES_MAX:  # a server hangs up before it has read so much
        raise InvalidInput(f"a body has at most {BODY_BYTES_MAX:,} bytes", recovery=SEND_LESS)
    return body


def _encode_argument(value: Any) -> Any:
    """Return an argument as it is sent: a memory by its id, a run by its own, a plan as it is written down."""
    if isinstance(value, _OF_MEMORIES):
        return plain_name(value)
    if type(value) in _NAMED_BY:
        return getattr(value, _NAMED_BY[type(value)])
    if isinstance(value, RecallResult):
        return [hit.id for hit in value.memories]
    if isinstance(value, Plan):
        return orjson.loads(value.to_json())
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Turn):
        return _encode_turn(value)
    if isinstance(value, Mapping):
        return {str(name): _encode_argument(one) for name, one in value.items()}
    if isinstance(value, float) and not isfinite(value):
        raise InvalidInput(f"{value} is no number that can be sent", recovery="pass a finite number")
    if isinstance(value, str | bytes | IntEnum):
        return value.decode() if isinstance(value, bytes) else encode_json_value(value)
    if is_dataclass(value) and hasattr(value, "run"):
        return value.run
    if isinstance(value, Iterable):
        return [_encode_argument(one) for one in value]
    return value


def _encode_turn(turn: Turn) -> dict[str, Any]:
    given = {one.name: getattr(turn, one.name) for one in fields(turn)}
    return {name: _encode_argument(one) for name, one in given.items() if one is not None and one != ()}


def _decode_answer(offer: Offer, document: Any) -> Any:
    annotation = get_type_hints(offer.verb, include_extras=True).get("return")
    if Plan in get_args(annotation):
        if "planned_at" in document:  # which a comparison has, and a plan has not
            return decode_json_value(PlanDiff, document)
        preview = decode_json_value(Preview, document.pop("preview", {}))
        return replace(Plan.from_json(orjson.dumps(document)), preview=preview)
    return decode_json_value(annotation, document)


def _build_verb(offer: Offer) -> Callable[..., Any]:
    """Return the function that calls a verb over HTTP, with the signature of the engine's."""
    signature = inspect.signature(offer.verb)
    free = {one.name for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD}

    def bind(given: tuple[Any, ...], more: dict[str, Any]) -> dict[str, Any]:
        try:
            arguments = dict(signature.bind(None, *given, **more).arguments)
        except TypeError as error:
            raise InvalidInput(f"{offer.row.verb}: {error}", recovery=f"it takes {signature}") from error
        for name in free & arguments.keys():
            arguments |= arguments.pop(name)
        for name in ("turn", "text"):  # of `note` and of `learn`
            turn = arguments.get(name)
            if isinstance(turn, Turn):
                said = {field: one for field, one in _encode_turn(turn).items() if field != "text"}
                arguments = {**said, **arguments, name: turn.text}
        return {name: one for name, one in arguments.items() if name not in {"self", "heartbeats"}}

    @wraps(offer.verb)
    async def verb(self: Any, *given: Any, **more: Any) -> Any:
        arguments = bind(given, more)
        return await self._call(offer, arguments, arguments.pop("progress", None))

    @wraps(offer.verb)
    async def lines(self: Any, *given: Any, **more: Any) -> AsyncIterator[bytes]:
        arguments = bind(given, more)
        whole = await self._call(offer, arguments, arguments.pop("progress", None))
        for line in whole.splitlines(keepends=True):
            yield line.encode()

    return lines if offer.row.verb == "export" else verb


class _RemoteShelf:
    """The verbs of one matter, called over HTTP."""

    def __init__(self, memory: RemoteEngine) -> None:
        self._memory = memory

    async def _call(self, offer: Offer, arguments: dict[str, Any], progress: Progress | None = None) -> Any:
        return await self._memory._call(offer, arguments, progress)  # noqa: SLF001 # the shelf is a part of it


def _build_missing(name: str) -> Callable[..., Any]:
    async def missing(*_given: Any, **_more: Any) -> Any:
        raise CapabilityMissing(
            f"a server does not offer {name}: {NOT_OFFERED[name]}",
            recovery="open the file itself where it lies",
            capability=name,
        )

    return missing


def _build_shelf(name: str, members: Mapping[str, Any]) -> property:
    kind = type(f"Remote{name.title()}", (_RemoteShelf,), dict(members))
    return property(lambda memory: kind(memory))


def _add_verbs() -> None:
    """Give the class every verb: those that are offered call the server, the others say why not."""
    members: dict[str, Any] = {offer.row.verb: _build_verb(offer) for offer in list_offers()}
    members |= {name: _build_missing(name) for name in NOT_OFFERED if name not in {"close", "session"}}
    shelves: dict[str, dict[str, Any]] = {}
    for name, member in members.items():
        shelf, _, last = name.rpartition(".")
        if shelf:
            shelves.setdefault(shelf, {})[last] = member
        elif name not in _LOCAL:
            setattr(RemoteEngine, name, member)
    for name, verbs in shelves.items():
        setattr(RemoteEngine, name, _build_shelf(name, verbs))


_add_verbs()
