"""What a verb answered, read back from its JSON: the reverse of `results.encode_json_value`, by annotations.

Knows types and JSON; must not know any single result.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from remanence.core.clock import to_datetime
from remanence.core.results import OF_FIELDS, OF_TIMES, is_time

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
        return _decode_class(annotation, value, name)
    return value


def _decode_class(kind: type, value: Any, name: str) -> Any:
    if issubclass(kind, IntEnum) and isinstance(value, str):
        return kind[value.upper()]
    if is_dataclass(kind) and isinstance(value, Mapping):
        return kind(**{one.name: _decode_field(kind, one, value) for one in fields(kind) if one.init})
    if kind is int and isinstance(value, str) and is_time(name):
        return _read_time(value)
    if kind is bytes and isinstance(value, str):
        return bytes.fromhex(value)
    return value


def _decode_field(kind: type, one: "Field[Any]", value: Mapping[str, Any]) -> Any:
    """Return a field; one that is not told to readers has its default, or nothing of its type."""
    if one.name in value:
        return decode_json_value(_hints(kind)[one.name], value[one.name], one.name)
    if one.default is not MISSING:
        return one.default
    if one.default_factory is not MISSING:
        return one.default_factory()
    return _ZEROS.get(_hints(kind)[one.name])


def _decode_container(origin: type, inner: tuple[Any, ...], value: Any, name: str) -> Any:
    if issubclass(origin, Mapping) and isinstance(value, Mapping):
        return {_decode_key(inner[0], key): _decode_item(inner[1], one, name) for key, one in value.items()}
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


def _decode_key(kind: Any, key: str) -> Any:
    return int(key) if kind is int else key


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
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)
