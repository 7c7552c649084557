"""Half characters (lone surrogates), which no store can keep: one rule for every text that comes in.

Each becomes U+FFFD and is counted, and the answer says how many did; both halves side by side become their character.
Knows values and how many were mended in a call; must not know verbs.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, replace
from typing import Any, TypeVar

HALF = "half a character"  # what is counted, where an answer counts by kind
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_DEPTH_MAX = 80  # more than attributes may have, which are refused after this
_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]")
# Escapes of JSON, each whole, so that a backslash before another one begins none.
_ESCAPES = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)")
# Mended on the way to a verb, and not told in its answer yet; None where no answer will tell it.
_UNTOLD: ContextVar[int | None] = ContextVar("half_characters", default=None)
C = TypeVar("C", bound=type)
T = TypeVar("T")
_OF_TEXTS: dict[type, tuple[str, ...]] = {}


def of_texts(kind: C) -> C:
    """Let the fields of a frozen dataclass be mended with it."""
    _OF_TEXTS[kind] = ()  # read at first use: a decorator below may still be at work
    return kind


def mend_text(text: str) -> tuple[str, int]:
    """Return a text with whole characters, and how many halves of one were replaced."""
    if text.isascii():
        return text, 0
    try:
        text.encode()
    except UnicodeEncodeError:
        pieces = [found.group() for found in _HALVES.finditer(text)]
        mended = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return mended, sum(len(piece) == 1 for piece in pieces)
    return text, 0


def mend_json(text: str) -> tuple[str, int]:
    """Return a JSON text whose escapes are whole characters, as long as it was, and how many halves were replaced."""
    if "\\ud" not in text and "\\uD" not in text:
        return text, 0
    parts, begin, count = [], 0, 0
    for found in _ESCAPES.finditer(text):
        if found.group(1):
            parts += [text[begin : found.start()], r"\ufffd"]
            begin = found.end()
            count += 1
    return "".join([*parts, text[begin:]]), count


def mend(value: T, depth: int = _DEPTH_MAX) -> tuple[T, int]:
    """Return a value as it was, or with whole characters in all texts in it, and how many halves were replaced."""
    given: Any = value
    kind = given.__class__
    if kind is str:
        return mend_text(given)  # type: ignore[return-value] # a text, as it was given
    if kind in _WALKED:
        return _WALKED[kind](given, depth) if depth else (value, 0)
    if kind in _OF_TEXTS:
        return _mend_fields(given, depth)
    if isinstance(given, Mapping):
        return _mend_mapping(given, depth) if depth else (value, 0)
    return value, 0


def _is_plain(value: Any) -> bool:
    """Tell at once of most values that nothing in them is half a character: they are empty, or texts in ASCII."""
    return not value or (value.__class__ is str and value.isascii())


def _mend_items(items: Any, depth: int) -> tuple[Any, int]:
    mended = [mend(item, depth - 1) for item in items]
    count = sum(one for _, one in mended)
    changed = any(new is not old for (new, _), old in zip(mended, items, strict=True))
    return (items.__class__(one for one, _ in mended), count) if changed else (items, 0)


def _mend_mapping(given: Mapping[Any, Any], depth: int) -> tuple[Any, int]:
    made: dict[Any, Any] = {}
    count, changed = 0, False
    if all(map(_is_plain, given)) and all(map(_is_plain, given.values())):
        return given, 0
    for key, value in given.items():
        new_key, in_key = mend(key, depth - 1)
        new, inside = mend(value, depth - 1)
        if new_key is not key:
            while new_key in made or new_key in given:  # two names stay two
                new_key += REPLACEMENT
        made[new_key] = new
        changed = changed or new_key is not key or new is not value
        count += in_key + inside
    return (made, count) if changed else (given, 0)


def _mend_fields(given: Any, depth: int) -> tuple[Any, int]:
    kind = given.__class__
    names = _OF_TEXTS[kind] = _OF_TEXTS[kind] or tuple(one.name for one in fields(kind))
    changes, count = {}, 0
    for name in names:
        value = getattr(given, name)
        if not value or (
            value.__class__ is str and value.isascii()
        ):  # as `_is_plain`, which takes as long again
            continue
        new, found = mend(value, depth - 1)
        if new is not value:
            changes[name] = new
            count += found
    return (replace(given, **changes), count) if changes else (given, 0)


_WALKED: Mapping[type, Callable[[Any, int], tuple[Any, int]]] = {
    dict: _mend_mapping,
    list: _mend_items,
    tuple: _mend_items,
    set: _mend_items,
    frozenset: _mend_items,
}


def mend_counted(value: T) -> T:
    """Return a value with whole characters; the answer of the verb says how many halves were replaced."""
    mended, count = mend(value)
    note_mended(count)
    return mended


def note_mended(count: int) -> None:
    """Count what was mended on the way to a verb, so that its answer says so; outside of a call nothing is counted."""
    before = _UNTOLD.get()
    if count and before is not None:
        _UNTOLD.set(before + count)


def start_counting() -> None:
    """Count from now on what is mended on the way to a verb, which will be called in this context."""
    _UNTOLD.set(0)


@contextmanager
def counting_untold() -> Iterator[Callable[[], int]]:
    """Count what is mended for one verb; yield what returns the number, with what was mended on the way to it."""
    before = _UNTOLD.get()
    if before is None:
        _UNTOLD.set(0)
    count = 0

    def read_count() -> int:
        return count

    try:
        yield read_count
    finally:
        count = _UNTOLD.get() or 0
        _UNTOLD.set(None if before is None else 0)


@contextmanager
def untold_as_before() -> Iterator[None]:
    """Forget in the end what was mended in this block."""
    count = _UNTOLD.get()
    yield
    if _UNTOLD.get() != count:
        _UNTOLD.set(count)


def describe_mended(count: int) -> str:
    """Say what was replaced."""
    often = f" ×{count:,}" if count > 1 else ""
    return f"replaced {HALF}{often} by U+FFFD: it came without its other half"
