"""How an attribute answers a filter: which values are asked for, and which a stored one has.

Knows values as JSON has them; must not know memories or stores. The operators are those of MongoDB and Qdrant.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from remanence.core import synonyms
from remanence.core.errors import INT_BITS, InvalidInput, NameUnknown, format_value

Scalar: TypeAlias = tuple[str, str | int | float | bool]  # with its type: True is not 1, and "1" is neither
Codes: TypeAlias = npt.NDArray[np.int32]

WANTED_MAX = 1_000  # values of one filter
LONG_CHARS = 64  # of a longer text its beginning and its digest are kept and compared
_DIGEST_BYTES = 16
_WORDS = "a text, a number, True, False, None, or a list of those"
_LAST_CHARACTER = "\U0010ffff"
OPERATORS = ("gt", "gte", "lt", "lte", "prefix", "not")
_TYPES = {"text": ("a text", "texts"), "number": ("a number", "numbers"), "flag": ("True or False",) * 2}
_BARE = "mappings or empty lists, which are equal to nothing"


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of some values, or absent; with `negated` neither."""

    scalars: frozenset[Scalar]
    absent: bool = False
    negated: bool = False

    def is_met(self, value: Any) -> bool:
        """Tell whether a stored value will do; None is none."""
        met = self.absent if value is None else not self.scalars.isdisjoint(scalars(value))
        return met is not self.negated

    @property
    def types(self) -> frozenset[str]:
        """Return of which types a value must be to be compared, none where absence is asked for as well."""
        return frozenset() if self.absent else frozenset(kind for kind, _ in self.scalars)


@dataclass(frozen=True, slots=True)
class Range:
    """A text or a number between two bounds, None where there is none; texts go by the numbers of their letters."""

    kind: str  # of a Scalar
    low: Any = None
    high: Any = None
    with_low: bool = True
    with_high: bool = True

    def is_met(self, value: Any) -> bool:
        """Tell whether a stored value, or an item of a list, lies between the bounds; None is none."""
        return any(kind == self.kind and self.of([one]) for kind, one in scalars(value))

    @property
    def types(self) -> frozenset[str]:
        """Return of which types a value must be to be compared."""
        return frozenset({self.kind})

    def of(self, ascending: Sequence[Any]) -> range:
        """Return the places of those of some values of this kind, ascending, that lie between the bounds."""
        begin, end = 0, len(ascending)
        if self.low is not None:
            begin = (bisect_left if self.with_low else bisect_right)(ascending, self.low)
        if self.high is not None:
            end = (bisect_right if self.with_high else bisect_left)(ascending, self.high)
        return range(begin, max(begin, end))


@dataclass(frozen=True, slots=True)
class AttributeFilter:
    """What an attribute must be: all of these."""

    conditions: tuple[OneOf | Range, ...]

    def is_met(self, value: Any) -> bool:
        """Tell whether a stored value will do; None is none."""
        return all(condition.is_met(value) for condition in self.conditions)


def parse_attribute_filter(name: str, value: Any) -> AttributeFilter:
    """Read what a caller asks of an attribute: a value, None for none, a list for any of them, or operators."""
    if isinstance(value, Mapping):
        return AttributeFilter(tuple(_parse_operators(name, value)))
    return AttributeFilter((_parse_choices(name, value),))


def _parse_operators(name: str, given: Mapping[Any, Any]) -> Iterator[OneOf | Range]:
    """Read operators by name, all of which must hold; bounds make one range, which one item of a list must meet."""
    for operator in given:
        if operator not in OPERATORS:
            raise NameUnknown("operator", str(operator), OPERATORS, synonyms.OPERATORS)
    if not given:
        raise InvalidInput(
            f"the filter {name} has no operator", recovery=f"name one of {', '.join(OPERATORS)}"
        )
    for one, other in (("gt", "gte"), ("lt", "lte")):
        if one in given and other in given:
            raise InvalidInput(
                f"the filter {name} has both {one} and {other}", recovery="name one of the two"
            )
    if "not" in given:
        yield _parse_choices(name, given["not"], negated=True)
    bounds = {
        operator: _parse_bound(name, operator, given[operator])
        for operator in OPERATORS[:5]
        if operator in given
    }
    if "prefix" in bounds:
        kind, prefix = bounds.pop("prefix")
        if not isinstance(prefix, str):
            raise InvalidInput(
                f"the filter {name} begins with {prefix!r}", recovery="pass a text as `prefix`"
            )
        yield Range(kind, prefix, _next_prefix(prefix), with_high=False)
    if bounds:
        kinds = {kind for kind, _ in bounds.values()}
        if len(kinds) > 1:
            raise InvalidInput(
                f"the filter {name} compares a number with a text", recovery="pass two numbers or two texts"
            )
        low, high = bounds.get("gt", bounds.get("gte")), bounds.get("lt", bounds.get("lte"))
        yield Range(
            kinds.pop(), low and low[1], high and high[1], with_low="gte" in bounds, with_high="lte" in bounds
        )


def _parse_bound(name: str, operator: str, value: Any) -> Scalar:
    if not _is_scalar(value) or isinstance(value, bool):
        raise InvalidInput(
            f"the filter {name} cannot be {operator} {format_value(value)}",
            recovery="pass a number or a text",
        )
    if isinstance(value, str) and len(value) > LONG_CHARS:
        raise InvalidInput(
            f"the filter {name} compares by a text of {len(value):,} characters",
            recovery=f"pass at most {LONG_CHARS} to {operator}",
        )
    return _scalar(value)


def _next_prefix(prefix: str) -> str | None:
    """Return the first text after all that begin with this one, None where nothing comes after them."""
    stem = prefix.rstrip(_LAST_CHARACTER)
    return stem[:-1] + chr(ord(stem[-1]) + 1) if stem else None


def _parse_choices(name: str, value: Any, *, negated: bool = False) -> OneOf:
    several = list_filter_values(name, value)
    odd = [one for one in several if one is not None and not _is_scalar(one)]
    if odd:
        raise InvalidInput(
            f"the filter {name} cannot be {format_value(odd[0])}",
            recovery=f"pass {_WORDS}, or operators such as {{'gte': 3}}",
        )
    choices = [one for one in several if one is not None]
    return OneOf(frozenset(map(_scalar, choices)), absent=len(choices) < len(several), negated=negated)


def list_filter_values(name: str, value: Any) -> Sequence[Any]:
    """Return the values of a filter, of which any will do; refuse a list of none, and one of too many."""
    if not isinstance(value, list | tuple | set | frozenset):
        return [value]
    if not 1 <= len(value) <= WANTED_MAX:
        raise InvalidInput(
            f"the filter {name} lists {len(value):,} values",
            recovery=f"name 1 to {WANTED_MAX:,} of which any will do, or leave the filter out",
        )
    return list(value)


def scalars(value: Any) -> frozenset[Scalar]:
    """Return what a stored value answers to: itself, or each item of a list; a mapping answers to nothing."""
    items = value if isinstance(value, list | tuple) else [value]
    return frozenset(_scalar(item) for item in items if _is_scalar(item))


def _is_scalar(value: Any) -> bool:
    if isinstance(value, float):
        return isfinite(value)
    return isinstance(value, str) or (isinstance(value, int) and value.bit_length() < INT_BITS)


def _scalar(value: Any) -> Scalar:
    if isinstance(value, bool):
        return "flag", value
    if not isinstance(value, str):
        return "number", value
    if len(value) <= LONG_CHARS:
        return "text", value
    # What a text is compared with has no more characters than its beginning, so that order and prefix are its own.
    content = value.encode("utf-8", "surrogatepass")
    return "text", value[:LONG_CHARS] + blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


class AttributeColumn:
    """One attribute of many memories: a code a row, −1 where it is absent, and the rows' codes by what they answer to.

    Values are not kept, only what they answer to: the longest takes no more room than a short one.
    """

    def __init__(self) -> None:
        self._codes: dict[Scalar | frozenset[Scalar], int] = {}
        self._by_scalar: dict[Scalar, list[int]] = {}
        self._by_type: dict[str, list[int]] = {}
        self._ascending: dict[str, tuple[list[Any], npt.NDArray[np.int64]]] = {}

    def match_codes(self, codes: Codes, asked: AttributeFilter) -> npt.NDArray[np.bool_]:
        """Tell of which rows the value will do."""
        will_do = np.ones(len(self._codes) + 1, np.bool_)  # the last of absence, which is −1
        for condition in asked.conditions:
            will_do &= self._match(condition)
        met: npt.NDArray[np.bool_] = will_do[codes]
        return met

    def check_types(self, name: str, codes: Codes, asked: AttributeFilter) -> None:
        """Refuse a condition that no row's value can be compared with, unless no row has a value at all."""
        there = np.zeros(len(self._codes) + 1, np.bool_)  # the last of absence, which is −1
        there[codes] = True
        if not there[:-1].any():
            return
        for condition in asked.conditions:
            wanted = condition.types
            if wanted and not any(self._has_type(kind, there) for kind in wanted):
                held = [_TYPES[kind][1] for kind in _TYPES if self._has_type(kind, there)] or [_BARE]
                raise InvalidInput(
                    f"the filter {name} compares with {' and '.join(_TYPES[kind][0] for kind in sorted(wanted))},"
                    f" but the values of that attribute are {' and '.join(held)}",
                    recovery="compare with a value of that type: in code 3 is a number, '3' a text and True neither; on"
                    " the command line 3 and true are read as such, and double quotes make a text",
                )

    def _has_type(self, kind: str, there: npt.NDArray[np.bool_]) -> bool:
        """Tell whether a row has a value of a type, alone or in a list."""
        return any(there[code] for code in self._by_type.get(kind, ()))

    def count_values(self, codes: Codes) -> Counter[Scalar | None]:
        """Count in how many of some rows each value stands, None where it is absent; of a list each item counts."""
        rows = np.bincount(np.where(codes < 0, len(self._codes), codes), minlength=len(self._codes) + 1)
        counts: Counter[Scalar | None] = Counter({None: int(rows[-1])})
        for one, its_codes in self._by_scalar.items():
            counts[one] = int(rows[its_codes].sum())
        return +counts

    def code(self, value: Any) -> int:
        """Return the code of a stored value; None is none."""
        if value is None:
            return -1
        answers = _scalar(value) if _is_scalar(value) else scalars(value)
        code = self._codes.get(answers)
        if code is None:
            code = self._codes[answers] = len(self._codes)
            self._ascending = {}
            for one in answers if isinstance(answers, frozenset) else (answers,):
                self._by_scalar.setdefault(one, []).append(code)
                self._by_type.setdefault(one[0], []).append(code)
        return code

    def _match(self, condition: OneOf | Range) -> npt.NDArray[np.bool_]:
        """Tell of each code whether its value will do, the last of absence."""
        met = np.zeros(len(self._codes) + 1, np.bool_)
        if isinstance(condition, OneOf):
            met[[code for one in condition.scalars for code in self._by_scalar.get(one, ())]] = True
            met[-1] = condition.absent
            return ~met if condition.negated else met
        values, its_codes = self._sort(condition.kind)
        within = condition.of(values)
        met[its_codes[within.start : within.stop]] = True
        return met

    def _sort(self, kind: str) -> tuple[list[Any], npt.NDArray[np.int64]]:
        """Return the values of one kind, ascending, each as often as it has codes, and these codes."""
        if kind not in self._ascending:
            pairs = sorted(
                (value, code)
                for (its_kind, value), codes in self._by_scalar.items()
                if its_kind == kind
                for code in codes
            )
            its_codes = np.fromiter((code for _, code in pairs), np.int64, len(pairs))
            self._ascending[kind] = [value for value, _ in pairs], its_codes
        return self._ascending[kind]


def value_of(attributes: Mapping[str, Any] | None, name: str) -> Any:
    """Return an attribute of a memory, None where it has none."""
    return None if attributes is None else attributes.get(name)
