"""What a verb takes over the network: its arguments as JSON has them, read from its annotations.

Knows annotations and JSON; must not know what a verb does with what it is given.
"""

import inspect
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue, create_model

from remanence.core.errors import INT_BITS, InvalidInput, format_value
from remanence.core.signatures import list_parameters
from remanence.core.verb_help import VerbHelp
from remanence.curate.planner.plan import Plan
from remanence.flows.base.settings import MIRROR_FOLDER

PLAIN = (str, int, float, bool, type(None), datetime)
SMALLEST, LARGEST = -(1 << INT_BITS - 1), (1 << INT_BITS - 1) - 1
Whole = Annotated[int, Field(strict=True, ge=SMALLEST, le=LARGEST)]
Fraction = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Flag = Annotated[bool, Field(strict=True)]
Time = Annotated[datetime, Field(description="with its zone, such as 2027-01-01T00:00:00+00:00")]
# By the token alone, never by what is sent: who writes, and how far it is believed.
BY_TOKEN = frozenset({"agent", "trust"})
LEAVE_OUT = "leave it out: the token says who writes, and how far it is believed"
_LEFT_OUT = frozenset({"self", "progress", "heartbeats"})
_NOTHING: Any = object()


class Arguments:
    """The arguments of one verb: `model` is what is sent, `call` passes it on."""

    def __init__(self, row: VerbHelp, verb: Callable[..., Any], *, without: Collection[str] = ()) -> None:
        parameters = [one for one in list_parameters(verb) if one.name not in {*_LEFT_OUT, *without}]
        fields: dict[str, Any] = {}
        self._verb, self._rest = row.verb, ""
        self._plans: set[str] = set()
        for one in parameters:
            if one.kind is one.VAR_POSITIONAL:
                self._rest = one.name
                fields[one.name] = (list[_wire_type(one.annotation)], [])  # type: ignore[misc] # made here
            else:
                fields[one.name] = self._build_field(one.name, one.annotation, one.default)
        fields = {name: field for name, field in fields.items() if field is not None}
        config = ConfigDict(extra="forbid", title=f"{row.verb} arguments", ser_json_inf_nan="null")
        self.model: type[BaseModel] = create_model(
            f"{row.verb.replace('.', '_')}_arguments", __config__=config, **fields
        )
        self.takes_revision = "if_revision" in fields
        self.takes_progress = any(one.name == "progress" for one in list_parameters(verb))
        self.is_required = any(field[1] is ... for field in fields.values())
        self._places = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]

    def read(self, given: BaseModel) -> tuple[list[Any], dict[str, Any]]:
        """Return what is passed by place and what by name: what was given, plans as plans."""
        named = {name: getattr(given, name) for name in given.model_fields_set}
        if isinstance(named.get("text"), list):
            named["text"] = [_read_item(item) for item in named["text"]]
        # Refused is what would have the server read or write a place that a caller chose.
        policy = named.get("policy")
        if isinstance(policy, str) and "\n" not in policy and policy.endswith(".toml"):
            raise InvalidInput(
                "a policy is no path here", recovery="send its TOML text, or the name of a preset"
            )
        if self._verb == "settings.set" and named["name"] == MIRROR_FOLDER:
            raise InvalidInput(
                f"{MIRROR_FOLDER} is a folder of the server, and not set from here",
                recovery="leave it out; who runs the server sets it on its command line",
            )
        for name in self._plans & named.keys():
            named[name] = None if named[name] is None else _read_plan(named[name])
        if not self._rest:
            return [], named
        rest = named.pop(self._rest, [])
        return [*(named.pop(name) for name in self._places if name in named), *rest], named

    def _build_field(self, name: str, annotation: Any, default: Any) -> Any:
        if name == "shown":  # the name under which the server keeps what it showed
            return (str, ...) if default is inspect.Parameter.empty else (str | None, None)
        if annotation is Plan or Plan in get_args(annotation):
            self._plans.add(name)
            plan = dict[str, JsonValue]
            return (plan, ...) if default is inspect.Parameter.empty else (plan | None, None)
        kind = _wire_type(annotation)
        if kind is _NOTHING:
            return None
        if default is inspect.Parameter.empty:
            return (kind, ...)
        return (kind, default if isinstance(default, PLAIN) else None)


def _read_item(item: Any) -> Any:
    """Return one text of several with its time as a time; refuse what only the token says."""
    if not isinstance(item, Mapping):
        return item
    if claimed := sorted(BY_TOKEN & item.keys()):
        raise InvalidInput(f"{claimed[0]} in an item: extra inputs are not permitted", recovery=LEAVE_OUT)
    said_at = item.get("said_at")
    if not isinstance(said_at, str):
        return item
    try:
        return {**item, "said_at": datetime.fromisoformat(said_at)}
    except ValueError:
        raise InvalidInput(
            f"said_at in an item is {format_value(said_at)}",
            recovery="write it with its zone, such as 2027-01-01T00:00:00+00:00",
        ) from None


def _read_plan(document: Any) -> Plan:
    try:
        return Plan.from_json(orjson.dumps(document))
    except TypeError as error:  # JSON has numbers that no plan has
        raise InvalidInput(
            f"this is no plan: {error}", recovery="send what `plan` answered, as it was"
        ) from error


def _wire_type(annotation: Any) -> Any:
    """Return what stands for a type in JSON: of several those that JSON has, `_NOTHING` where it has none."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _wire_type(inner[0])
    if annotation is Any:
        return JsonValue
    if annotation is int:
        return Whole
    if annotation is float:
        return Fraction
    if annotation is bool:
        return Flag
    if annotation is datetime:
        return Time
    if annotation in PLAIN:
        return annotation
    if origin is Literal:
        return annotation
    if origin is tuple:
        parts = [_wire_type(one) for one in inner if one is not ...]
        return list[parts[0]] if ... in inner else tuple[tuple(parts)]  # type: ignore[misc,valid-type] # made here
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return dict[str, _wire_type(inner[1])]  # type: ignore[misc] # made here
    if isinstance(origin, type) and issubclass(origin, Iterable) and not issubclass(origin, AsyncIterator):
        item = _wire_type(inner[0])
        return _NOTHING if item is _NOTHING else list[item]  # type: ignore[valid-type] # made here
    if inner:
        kinds = [kind for kind in map(_wire_type, inner) if kind is not _NOTHING]
        return Union[tuple(kinds)] if [kind for kind in kinds if kind is not type(None)] else _NOTHING  # noqa: UP007 # made here
    return _NOTHING
