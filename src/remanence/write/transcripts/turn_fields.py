"""What one turn may hold, field by field: each check returns the value that `Turn` has, or raises a `FlawError`.

Knows limits and names; must not know where in a file the value stood.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, tzinfo
from hashlib import blake2b
from typing import Any, TypeAlias

from remanence.core.clock import SECOND, to_micros
from remanence.core.errors import InvalidInput, suggest
from remanence.core.half_characters import mend_text
from remanence.core.keywords import Moment
from remanence.core.model import NAME_CHARS_MAX, Kind, Label, Role, Severity, Trust
from remanence.text.analysis import check_text
from remanence.write.transcripts.long_texts import cut_text

Path: TypeAlias = tuple[str | int, ...]

NAMES = ("category", "speaker", "agent", "thread", "session", "source", "key", "state")
LABELS: Mapping[str, type[Label]] = {"role": Role, "kind": Kind, "severity": Severity, "trust": Trust}
FRACTIONS = ("confidence", "importance")
# Seconds or milliseconds since 1970 lie below this; as microseconds it is a day in March 1973.
MICROS_MIN = 10**14
TIME_RECOVERY = 'write it like "2026-03-01T09:30:00+00:00", or name the zone: remanence settings zone NAME'


# An importer is handed a text and no scope, and those of other packages stay as they are.
_ZONE: ContextVar[tzinfo | None] = ContextVar("zone", default=None)


class FlawError(Exception):
    """Something wrong inside a document; `path` leads to it by names and positions."""

    def __init__(self, message: str, recovery: str, path: Path = ()) -> None:
        super().__init__(message)
        self.recovery = recovery
        self.path = path


def value(name: str, given: Any) -> Any:
    """Check one field of a turn by its name."""
    if name in NAMES:
        return plain_name(name, given)
    if name in LABELS:
        known = [label.label for label in LABELS[name]]
        if given not in known:
            raise FlawError(f"unknown {name} {given!r}", suggest(str(given), known))
        return str(given)
    return _CHECKS[name](given)


def content_key(prefix: str, source: str, content: str, seen: Counter[str]) -> str:
    """Name a turn by its file and words; the ordinal counts equal ones, so a file may grow and be read again."""
    digest = blake2b(digest_size=16)
    for part in (source, content, str(seen[content])):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0")
    seen[content] += 1
    return f"{prefix}:{digest.hexdigest()}"


def check_at(path: Path, check: Callable[..., str], *arguments: Any) -> str:
    """Run a check on something that stood at `path`, so that its flaw says so."""
    try:
        return check(*arguments)
    except FlawError as flaw:
        raise FlawError(str(flaw), flaw.recovery, path) from None


def plain_name(name: str, given: Any) -> str:
    """Check a name: printable, not blank, at most `NAME_CHARS_MAX` characters; half a character will be replaced."""
    if (
        not isinstance(given, str)
        or not given.strip()
        or len(given) > NAME_CHARS_MAX
        or not mend_text(given)[0].isprintable()
    ):
        recovery = f"give 1 to {NAME_CHARS_MAX} printable characters, or leave it out"
        raise FlawError(f"field {name!r} is not a name", recovery)
    return given


def text(given: Any) -> str:
    """Check the text of a turn as it will be mended; one that is too long comes in as parts, which are checked each."""
    if not isinstance(given, str):
        raise FlawError("the text is not a string", 'write it like {"text": "…"}')
    try:
        for part in cut_text(mend_text(given)[0]) or [""]:
            check_text(part)
    except InvalidInput as error:
        raise FlawError(str(error), error.recovery) from None
    return given


def problem_of(given: str) -> str | None:
    """Say why a text can't be learnt, or None where it can."""
    try:
        text(given)
    except FlawError as flaw:
        return str(flaw)
    return None


@contextmanager
def reading_in(zone: tzinfo | None) -> Iterator[None]:
    """Read times without a zone as those of the clocks in one."""
    token = _ZONE.set(zone)
    try:
        yield
    finally:
        _ZONE.reset(token)


def place_moment(moment: datetime, otherwise: tzinfo | None = None) -> datetime:
    """Return a time with its zone: its own, else that of the scope, else `otherwise`; InvalidInput for none."""
    if moment.utcoffset() is None:
        moment = moment.replace(tzinfo=_ZONE.get() or otherwise)
    to_micros(moment)
    return moment


def _read_time(given: Any) -> Moment:
    try:
        if isinstance(given, str):
            return place_moment(datetime.fromisoformat(given))
        return to_micros(_read_micros(given))
    except InvalidInput as error:
        raise FlawError(f"'said_at': {error}", TIME_RECOVERY) from None
    except ValueError:
        raise FlawError(f"'said_at' {given!r} is not a time", TIME_RECOVERY) from None


def read_seconds(given: Any) -> int | None:
    """Turn seconds since 1970 into microseconds; what is no time counts as not said."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    try:
        return to_micros(round(given * SECOND))
    except (InvalidInput, OverflowError, ValueError):
        return None


def _read_micros(given: Any) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise FlawError("'said_at' is not a time", TIME_RECOVERY)
    if 0 < given < MICROS_MIN:
        raise FlawError(
            f"'said_at' {given} is not in microseconds", f"multiply seconds by 1000000, or {TIME_RECOVERY}"
        )
    return given


def _read_tags(given: Any) -> tuple[str, ...]:
    if not isinstance(given, list):
        raise FlawError("'tags' is not a list", 'write tags like ["boats", "self/value"]')
    return tuple(dict.fromkeys(plain_name("tags", tag) for tag in given))


def _check_fraction(name: str) -> Callable[[Any], float]:
    def check(given: Any) -> float:
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
            raise FlawError(f"{name!r} {given!r} is not between 0 and 1", "give a number from 0 to 1")
        return float(given)

    return check


def _read_attributes(given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise FlawError("'attributes' is not an object", 'write attributes like {"room": "12"}')
    try:
        json.dumps(given, allow_nan=False)
    except ValueError:
        raise FlawError("'attributes' holds a number that is too large", "write it as a string") from None
    return given


_CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "text": text,
    "said_at": _read_time,
    "tags": _read_tags,
    **{name: _check_fraction(name) for name in FRACTIONS},
    "attributes": _read_attributes,
}
