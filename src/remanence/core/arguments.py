"""What a caller may pass, refused in the same words wherever it is passed.

Knows single values; must not know which verb takes them.
"""

from collections.abc import Collection, Iterable, Mapping
from math import isfinite

from remanence.core.clock import to_datetime
from remanence.core.errors import INT_BITS, InvalidInput, format_value
from remanence.core.model import NAME_CHARS_MAX

TAGS_MAX = 64
ATTRIBUTES_DEPTH_MAX = 64
# What every system keeps to; some count bytes, and refuse a shorter one by themselves.
FILE_NAME_CHARS_MAX, PATH_CHARS_MAX = 255, 4_096


def check_name(what: str, name: object) -> None:
    """Refuse a name that is blank, too long or not plain text."""
    if not isinstance(name, str) or not name.strip() or len(name) > NAME_CHARS_MAX or not name.isprintable():
        raise InvalidInput(
            f"{what} must be 1 to {NAME_CHARS_MAX} printable characters, not {format_value(name)}",
            recovery=f"pass a shorter plain name for {what}",
        )


def check_tags(tags: object) -> None:
    """Refuse tags that are no plain names, or too many."""
    if not isinstance(tags, Collection) or isinstance(tags, str | bytes | Mapping) or len(tags) > TAGS_MAX:
        raise InvalidInput(
            f"tags must be a list of at most {TAGS_MAX} names", recovery="pass a list such as ['self/goal']"
        )
    for tag in tags:
        check_name("a tag", tag)


def check_memory(name: object) -> None:
    """Refuse what cannot name a memory."""
    if isinstance(name, bool) or not isinstance(name, int | str):
        raise InvalidInput(
            f"{format_value(name)} names no memory", recovery="pass its id, its key or its sequence number"
        )


def check_fraction(what: str, value: object, recovery: str = "pass a number from 0 to 1") -> None:
    """Refuse what is no number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidInput(f"{what} {format_value(value)} is not between 0 and 1", recovery=recovery)


def check_validity(valid_from: int | None, valid_to: int | None) -> None:
    """Refuse a time of validity that ends before it begins."""
    if valid_from is not None and valid_to is not None and valid_from > valid_to:
        raise InvalidInput(
            f"valid_from {_shown_time(valid_from)} is after valid_to {_shown_time(valid_to)}",
            recovery="pass both, the earlier one as valid_from",
        )


def check_count(what: str, value: object, least: int, most: int) -> None:
    """Refuse what is no whole number within two bounds; True and False are none."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(
            f"{what} cannot be {format_value(value)}",
            recovery=f"pass a whole number from {least:,} to {most:,}",
        )


def _shown_time(micros: int) -> str:
    return to_datetime(micros).isoformat(timespec="seconds")


def check_path(path: object) -> None:
    """Refuse what no file can be called."""
    name = str(path)
    try:
        fits = bool(name.strip()) and b"\0" not in name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        fits = False
    if not fits:
        raise InvalidInput(f"{format_value(name)} names no file", recovery="pass the path of a file")
    if len(name) > PATH_CHARS_MAX or max(map(len, name.replace("\\", "/").split("/"))) > FILE_NAME_CHARS_MAX:
        raise InvalidInput(
            f"{format_value(name)} names no file: it is too long",
            recovery=f"shorten it: a name has at most {FILE_NAME_CHARS_MAX} signs, a path {PATH_CHARS_MAX:,}",
        )


def check_attributes(attributes: Mapping[str, object] | None) -> None:
    """Refuse attributes that JSON would not give back as they are."""
    if attributes is None:
        return
    what = _not_json(attributes, ATTRIBUTES_DEPTH_MAX)
    if what:
        raise InvalidInput(
            f"attributes cannot hold {what}",
            recovery="use texts, finite numbers of at most 64 bits, True, False, None, lists and mappings of those",
        )


def _not_json(value: object, depth: int) -> str:
    """Say what in a value is not JSON, or is too deep in it; "" where all is well."""
    if not depth:
        return f"more than {ATTRIBUTES_DEPTH_MAX} things in one another"
    if isinstance(value, Mapping):
        odd = next((key for key in value if not isinstance(key, str) or not is_unicode(key)), "")
        return f"the key {format_value(odd)}" if odd != "" else _first_odd(value.values(), depth)
    if isinstance(value, list | tuple):
        return _first_odd(value, depth)
    fits = (
        (isinstance(value, str) and is_unicode(value))
        or value is None
        or (isinstance(value, int) and value.bit_length() < INT_BITS)
        or (isinstance(value, float) and isfinite(value))
    )
    return "" if fits else format_value(value)


def _first_odd(values: Iterable[object], depth: int) -> str:
    return next((odd for value in values if (odd := _not_json(value, depth - 1))), "")


def is_unicode(text: str) -> bool:
    """Tell whether a text has no half characters (lone surrogates)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
