"""How an attribute answers a filter: which values are asked for, and which a stored one has.

Knows values as JSON has them; must not know memories or stores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from remanence.core.errors import INT_BITS, InvalidInput, format_value

Scalar: TypeAlias = tuple[str, str | int | float | bool]  # with its type: True is not 1, and "1" is neither
Codes: TypeAlias = npt.NDArray[np.int32]

WANTED_MAX = 1_000  # values of one filter
_LONG_CHARS = 64  # of a longer text its digest is kept and compared
_DIGEST_BYTES = 16
_WORDS = "a text, a number, True, False, None, or a list of those"


@dataclass(frozen=True, slots=True)
class AttributeFilter:
    """What an attribute must be: one of some values, or absent."""

    scalars: frozenset[Scalar]
    absent: bool = False

    def is_met(self, value: Any) -> bool:
        """Tell whether a stored value will do; None is none."""
        return self.absent if value is None else not self.scalars.isdisjoint(scalars(value))


def parse_attribute_filter(name: str, value: Any) -> AttributeFilter:
    """Read what a caller asks of an attribute: a value, None for none, or a list for any of them."""
    several = list_filter_values(name, value)
    odd = [one for one in several if one is not None and not _is_scalar(one)]
    if odd:
        raise InvalidInput(f"the filter {name} cannot be {format_value(odd[0])}", recovery=f"pass {_WORDS}")
    choices = [one for one in several if one is not None]
    return AttributeFilter(frozenset(map(_scalar, choices)), absent=len(choices) < len(several))


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
    if len(value) <= _LONG_CHARS:
        return "text", value
    content = value.encode("utf-8", "surrogatepass")
    return "digest", blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()


class AttributeColumn:
    """One attribute of many memories: a code a row, −1 where it is absent, and the rows' codes by what they answer to.

    Values are not kept, only what they answer to: the longest takes no more room than a short one.
    """

    def __init__(self) -> None:
        self._codes: dict[Scalar | frozenset[Scalar], int] = {}
        self._by_scalar: dict[Scalar, list[int]] = {}

    def match_codes(self, codes: Codes, asked: AttributeFilter) -> npt.NDArray[np.bool_]:
        """Tell of which rows the value will do."""
        matching_codes = {code for one in asked.scalars for code in self._by_scalar.get(one, ())}
        will_do = np.zeros(len(self._codes) + 1, np.bool_)
        will_do[list(matching_codes)] = True
        will_do[-1] = asked.absent
        met: npt.NDArray[np.bool_] = will_do[codes]
        return met

    def code(self, value: Any) -> int:
        """Return the code of a stored value; None is none."""
        if value is None:
            return -1
        answers = _scalar(value) if _is_scalar(value) else scalars(value)
        code = self._codes.get(answers)
        if code is None:
            code = self._codes[answers] = len(self._codes)
            for one in answers if isinstance(answers, frozenset) else (answers,):
                self._by_scalar.setdefault(one, []).append(code)
        return code


def value_of(attributes: Mapping[str, Any] | None, name: str) -> Any:
    """Return an attribute of a memory, None where it has none."""
    return None if attributes is None else attributes.get(name)
