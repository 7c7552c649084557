"""What a verb answers tells of itself: as one line, as data that JSON can hold, and in times that Python knows.

Knows the shape of values; must not know any single result.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from enum import IntEnum
from functools import cache
from types import NoneType
from typing import Any, ClassVar, Self

from remanence.core.clock import DAY, HOUR, MINUTE, SECOND, to_datetime
from remanence.core.half_characters import HALF, describe_mended
from remanence.core.text_cuts import step_back

TOO_OLD, UNVERIFIED = "too old", "unverified"  # reasons of a question that is strict
SAID_ALREADY = "duplicate"  # a reason: the turn that a fact was extracted from stands here, or that fact
WEAK = "nothing here answers this well"  # how a weak answer begins
# So many places are advised where the first beyond a limit scores so much of the best. On LoCoMo twenty places find
# .8 to 1.2 points more than ten where it scores below .52, and 6.7 to 10.5 from .59 on.
PLACES_ADVISED, NEXT_SCORE_MIN = 20, 0.6
UNSURE = "unsure: this may not answer it"  # how one begins that is a little stronger
DOUBTS = frozenset({WEAK, UNSURE})
LINE_CHARS = 100  # of a result in a traceback or at a prompt
JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"  # belong to Persian, to Indic scripts and to emoji
_TIMES = frozenset({"at", "now", "until", "valid_from", "valid_to", "hold_until", "counted_until"})
OF_TIMES = frozenset({"holds", "first_archives", "tagged_at"})  # mappings whose values are times
_PLAIN = frozenset({str, bool, float, NoneType})
OF_FIELDS = frozenset({"accessors"})  # mappings of mappings by field


class Result:
    """Answer of a verb: `str()` returns the text for a person, `repr()` one line."""

    __slots__ = ()
    HIDDEN: ClassVar[frozenset[str]] = frozenset()  # fields that mean nothing to a reader

    def to_dict(self) -> dict[str, Any]:
        """Return it as data that `json.dumps` takes: enumerations by name, times in ISO 8601, UTC."""
        return fields_of(self, self.HIDDEN)

    def with_mended(self, count: int) -> Self:
        """Return it with a note that `count` halves of characters were replaced, where it has room for notes."""
        kind: type = type(self)
        has, changes = _names_of(kind), dict[str, Any]()
        note = describe_mended(count)
        for name in ("notes", "replacements"):
            if name in has:
                changes[name] = (*getattr(self, name), note)
        if "replacements" in has:
            changes["replaced"] = {**self.to_dict()["replaced"], HALF: count}
        return replace(self, **changes) if changes else self  # type: ignore[type-var] # every result is a dataclass

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {one_line(self._line())}>"

    def _line(self) -> str:
        """Say what it is in one line."""
        return str(self).partition("\n")[0]


def fields_of(value: Any, hidden: AbstractSet[str] = frozenset()) -> dict[str, Any]:
    """Return the fields of a dataclass as data that JSON can hold."""
    kind: type = type(value)
    names = _names_of(kind)
    return {name: encode_json_value(getattr(value, name), name) for name in names if name not in hidden}


@cache
def _names_of(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def encode_json_value(value: Any, name: str = "") -> Any:
    """Turn a value into what JSON knows; `name` is the field it stands in."""
    kind = type(value)
    if kind in _PLAIN:  # most values, and asked by the class alone, which costs a fifth
        return value
    if kind is int:
        return to_datetime(value).isoformat() if is_time(name) else value
    if isinstance(value, Result):
        return value.to_dict()
    if is_dataclass(value) and not isinstance(value, type):
        return fields_of(value)
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, float | str):
        return value
    if isinstance(value, int):
        return to_datetime(value).isoformat() if is_time(name) else int(value)
    if isinstance(value, Mapping):
        return {str(key): _encode_mapping_item(name, item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Sequence | AbstractSet):
        return [encode_json_value(item) for item in value]
    return str(value)


def _encode_mapping_item(name: str, item: Any) -> Any:
    """Turn one item of a mapping into what JSON knows; what callers made themselves is given back as it is."""
    if name in OF_FIELDS:
        return {field: encode_json_value(value, field) for field, value in item.items()}
    return encode_json_value(item, "until" if name in OF_TIMES else "")


def is_time(name: str) -> bool:
    """Tell whether the numbers of a field are times."""
    return name not in OF_TIMES and (name.endswith("_at") or name in _TIMES)


class Time:
    """The time in a field of a result, which is microseconds, as an aware datetime: in UTC unless it has an offset.

    `offset` names the field of it, in seconds east of UTC.
    """

    def __init__(self, field: str, offset: str = "") -> None:
        self._field, self._offset = field, offset

    def __get__(self, result: Any, kind: type | None = None) -> datetime:
        offset = getattr(result, self._offset) if self._offset else 0
        return to_datetime(getattr(result, self._field), offset)


class MaybeTime:
    """The same where there may be no time."""

    def __init__(self, field: str, offset: str = "") -> None:
        self._field, self._time = field, Time(field, offset)

    def __get__(self, result: Any, kind: type | None = None) -> datetime | None:
        return None if getattr(result, self._field) is None else self._time.__get__(result)


def date_of(micros: int | None) -> str:
    """Write the day of a time, UTC."""
    return "never" if micros is None else to_datetime(micros).date().isoformat()


def minute_of(micros: int | None) -> str:
    """Write a time to the minute."""
    return "never" if micros is None else f"{to_datetime(micros):%Y-%m-%d %H:%M} UTC"


def render_span(micros: float) -> str:
    """Write how long something takes in its largest unit: days, hours, minutes or seconds."""
    for unit, name in ((DAY, "days"), (HOUR, "hours"), (MINUTE, "minutes")):
        if abs(micros) >= unit:
            return f"{micros / unit:.4g} {name}"
    return f"{micros / SECOND:.4g} seconds"


def format_counts(counts: Mapping[str, int]) -> str:
    """Write counts in a line; what is none is left out."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count) or "nothing"


def advise_longer(next_score: float, shown: int) -> str:
    """Say that a longer list may find more, "" where it hardly would; `next_score` is over the best."""
    if next_score < NEXT_SCORE_MIN or shown >= PLACES_ADVISED:
        return ""
    return f"the next result scores {next_score:.0%} of the best: a limit of {PLACES_ADVISED} may find more"


def kept_out(counts: Mapping[str, int]) -> str:
    """Write how many were left out of an answer by which reason, such as `3 by the budget, 1 duplicate`."""
    said = {SAID_ALREADY: ("duplicate", "duplicates"), **{why: (why, why) for why in (TOO_OLD, UNVERIFIED)}}
    return ", ".join(
        number(count, *said.get(reason, (f"by the {reason}",) * 2)) for reason, count in counts.items()
    )


def number(count: int, one: str, many: str) -> str:
    """Write how many of something there are."""
    return f"{count:,} {one if count == 1 else many}"


def one_line(text: str, chars: int = LINE_CHARS) -> str:
    """Return a text as one line of so many characters at most, in which nothing steers a terminal."""
    flat = visible(" ".join(text[: 4 * chars].split()))
    return flat if len(flat) <= chars else flat[: step_back(flat, chars - 1)] + "…"


def visible(text: str) -> str:
    """Return a text, line by line, in which nothing steers a terminal, hides from a reader or turns words round."""
    return "\n".join(line if line.isprintable() else "".join(map(_sign, line)) for line in text.splitlines())


def _sign(sign: str) -> str:
    if sign.isprintable() or sign in JOINERS:
        return sign
    return " " if sign.isspace() else "\N{REPLACEMENT CHARACTER}"
