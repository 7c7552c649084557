"""Items of a store of namespaces, keys and values, as pure functions: how each is named, said, filtered and matched.

Knows labels, keys and JSON; must not know which framework's store it is, nor where items are kept.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from operator import ge, gt, le, lt
from typing import Any
from urllib.parse import quote, unquote

import numpy as np
import numpy.typing as npt

from remanence.core.attributes import parse_attribute_filter
from remanence.core.errors import InvalidInput
from remanence.core.model import NAME_CHARS_MAX, TEXT_CHARS_MAX

Namespace = tuple[str, ...]
Vector = npt.NDArray[Any]

_PLAIN = "-_@:+=,~"  # beside letters and digits: what stands in a name as it is
_DIGEST_BYTES = 16
_CUT = "%%"  # in no name that was encoded
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {"$gt": gt, "$gte": ge, "$lt": lt, "$lte": le}
_OPERATORS = ("$eq", "$ne", *_COMPARISONS)


def encode(part: str) -> str:
    """Write a label or a key with letters, digits and a few signs; the rest as the hex of its bytes behind %."""
    return "".join(
        one if one.isalnum() or one in _PLAIN else quote(one, safe="", errors="surrogatepass") for one in part
    ).replace(".", "%2E")


def decode(part: str) -> str:
    """Read what `encode` wrote."""
    return unquote(part, errors="surrogatepass")


def write_namespace(namespace: Namespace) -> str:
    """Write a namespace so that it begins with what each namespace above it is written as."""
    return "".join(f"{encode(label)}." for label in namespace)


def read_namespace(written: str) -> Namespace:
    """Read what `write_namespace` wrote."""
    return tuple(decode(label) for label in written.split(".")[:-1])


def name_item(namespace: Namespace, key: str) -> str:
    """Name the memory of an item: users.mara/prefs; of a longer name the beginning, and a digest of all of it."""
    name = f"{write_namespace(namespace)[:-1]}/{encode(key)}"
    if len(name) <= NAME_CHARS_MAX:
        return name
    digest = blake2b(name.encode(), digest_size=_DIGEST_BYTES).hexdigest()
    return f"{name[: NAME_CHARS_MAX - len(_CUT + digest)]}{_CUT}{digest}"


def read_name(name: str) -> tuple[Namespace, str]:
    """Read what `name_item` wrote; of a name that was cut, or is none of its names, the namespace is empty."""
    written, _, key = name.partition("/")
    return ((), "") if _CUT in name else (read_namespace(f"{written}." if written else ""), decode(key))


def say_value(value: Mapping[str, Any], texts: Sequence[str] | None, name: str) -> str:
    """Say an item in words: the `texts` of its indexed fields; without them what is in it, "field: value" each.

    An empty list of texts, or blank ones, leave its name alone. What is longer than a memory's text can be is cut, and
    says how much of it: the value itself is kept whole beside it.
    """
    lines = list(_say_value(value)) if texts is None else list(texts)
    said = "\n".join(lines).replace("\0", " ").strip() or name
    if len(said) <= TEXT_CHARS_MAX:
        return said
    mark = f" … ({len(said):,} characters; all are in the value)"
    return said[: TEXT_CHARS_MAX - len(mark)] + mark


def _say_value(value: Mapping[str, Any]) -> Iterator[str]:
    only = next(iter(value.values())) if len(value) == 1 else None
    return iter([only]) if isinstance(only, str) else _say_leaves(value, "")


def _say_leaves(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from _say_leaves(one, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple) and any(isinstance(one, Mapping | list | tuple) for one in value):
        for one in value:
            yield from _say_leaves(one, path)
    elif isinstance(value, list | tuple):
        yield f"{path}: {', '.join(map(_say_scalar, value))}"
    else:
        yield f"{path}: {_say_scalar(value)}"


def _say_scalar(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Tell whether a value has all that a filter wants; a key that the value has not is taken as a path with dots."""
    return all(_matches_filter(_find_value(value, key), one) for key, one in (wanted or {}).items())


def _find_value(value: Mapping[str, Any], key: str) -> Any:
    if key in value:
        return value[key]
    found: Any = value
    for step in str(key).split("."):
        if not isinstance(found, Mapping) or step not in found:
            return None
        found = found[step]
    return found


def _matches_filter(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(key).startswith("$") for key in wanted):
            return all(_compare(value, operator, bound) for operator, bound in wanted.items())
        return isinstance(value, Mapping) and all(
            _matches_filter(value.get(key), one) for key, one in wanted.items()
        )
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(map(_matches_filter, value, wanted))
        )
    return bool(value == wanted)


def _compare(value: Any, operator: str, bound: Any) -> bool:
    """Compare two numbers or two texts; of anything else nothing is more than the other."""
    if operator not in _OPERATORS:
        raise InvalidInput(
            f"Unsupported operator: {operator}", recovery=f"name one of {', '.join(_OPERATORS)}"
        )
    if operator == "$eq":
        return bool(value == bound)
    if operator == "$ne":
        return bool(value != bound)
    is_comparable = any(isinstance(value, kind) and isinstance(bound, kind) for kind in (str, int | float))
    return is_comparable and _COMPARISONS[operator](value, bound)


def narrow(wanted: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a memory's filters can ask of the fields of a value: all that `passes`, and perhaps more, will do.

    A key with a dot may be a path; what else no attribute can be asked is left to `passes`, too.
    """
    asked = {str(key): _narrow_filter(one) for key, one in (wanted or {}).items() if "." not in str(key)}
    return {key: one for key, one in asked.items() if _is_askable(key, one)}


def _narrow_filter(wanted: Any) -> list[Any] | dict[str, Any]:
    if isinstance(wanted, Mapping) and "$eq" not in wanted:
        return {name.removeprefix("$"): bound for name, bound in wanted.items() if name in _COMPARISONS}
    one = wanted["$eq"] if isinstance(wanted, Mapping) else wanted
    # To Python True is 1; to attributes it is another value.
    return [one, bool(one), int(one)] if isinstance(one, int | float) and one in (0, 1) else [one]


def _is_askable(key: str, asked: list[Any] | dict[str, Any]) -> bool:
    try:
        parse_attribute_filter(key, asked)
    except InvalidInput:
        return False
    return True


def lies_under(namespace: Namespace, prefix: Sequence[str]) -> bool:
    """Tell whether a namespace begins with some labels; * is any one of them."""
    return len(namespace) >= len(prefix) and all(
        wanted in ("*", label) for wanted, label in zip(prefix, namespace, strict=False)
    )


def ends_in(namespace: Namespace, suffix: Sequence[str]) -> bool:
    """Tell whether a namespace ends in some labels; * is any one of them."""
    return lies_under(namespace[::-1], suffix[::-1])


def read_vectors(kept: Any) -> list[Vector]:
    """Return the vectors of an item; none where something among them is no list of numbers."""
    try:
        rows = [np.asarray(one) for one in kept.values()] if isinstance(kept, dict) else []
    except ValueError:  # lists of several lengths in one another
        return []
    return rows if all(one.ndim == 1 and one.dtype.kind in "fi" for one in rows) else []


def best_cosine(query: Sequence[float], vectors: Sequence[Vector]) -> float | None:
    """Return the highest cosine of a question's vector and an item's; None where it has none, 0 for one of zeros.

    One of another length is none: it was made by another function.
    """
    comparable = [one for one in vectors if len(one) == len(query)]
    if not comparable:
        return None
    rows, one = np.asarray(comparable, np.float64), np.asarray(query, np.float64)
    lengths = np.linalg.norm(rows, axis=1) * np.linalg.norm(one)
    return float(np.max(np.divide(rows @ one, lengths, out=np.zeros(len(rows)), where=lengths > 0)))
