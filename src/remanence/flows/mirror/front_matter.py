"""One text file of the mirror: fields between two lines of dashes, one a line, and below them the text as it is.

A strict part of YAML that other programs read, and that is read back exactly: no anchors, no tags, no blocks, and what
is not a list or a mapping is text, so that `NO` and `1.10` stay what they are. Knows no file and no memory.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Any, TypeAlias

import orjson

from remanence.core.errors import InvalidInput, format_value
from remanence.core.half_characters import mend_json, mend_text

FRONT_BYTES_MAX = 65_536  # of the fields with both lines of dashes
FIELDS_CHECKSUM = "fields_checksum"  # over the fields alone: these were not edited
CHECKSUM = "checksum"  # over all the rest: a file that has it right was not edited
Field: TypeAlias = str | list[str] | dict[str, Any]
_FENCE = "---"
_OPEN, _CLOSE = b"---\n", b"---\n\n"
_NAME = re.compile(r"([a-z][a-z_]{0,39}):(?: +(.*)|)")
_ITEM = re.compile(r"\A *- +(.*)")
_CHECKSUM = re.compile(r'^checksum: "([0-9a-f]{16})"\n', re.MULTILINE)
_REFUSED = "&*!|>%@`"  # what a plain word may not begin with: YAML means something else by it
_BOM = "\ufeff"
_PLAIN = "write `name: value`, a line each; put a value with special signs in double quotes"


@dataclass(frozen=True, slots=True)
class Page:
    """What a file says: its fields, its text, and whether it still is as the mirror wrote it (`is_whole`)."""

    fields: Mapping[str, Field]
    text: str
    is_whole: bool


def line(name: str, value: object) -> bytes:
    """Write one field: texts in quotes, lists and mappings on one line, numbers as they are."""
    return _named_bytes(name) + orjson.dumps(value) + b"\n"


@cache
def _named_bytes(name: str) -> bytes:
    """Return a field's name, of which there are few."""
    return f"{name}: ".encode()


def render_file(lines: Iterable[bytes], text: str) -> tuple[bytes, str]:
    """Return a file of the mirror and its checksum."""
    head = _OPEN + b"".join(lines)
    tail = _CLOSE + text.encode() + b"\n"
    checksum = _compute_checksum(head, tail)
    return b'%bchecksum: "%b"\n%b' % (head, checksum.encode(), tail), checksum


def as_read(value: Any) -> Field:
    """Return a field that was written as it is read."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str | list | dict) else str(value)


def fields_checksum(fields: Mapping[str, Any]) -> str:
    """Return what tells whether any field says something else, however it is written."""
    values = {
        name: as_read(value) for name, value in fields.items() if name not in (CHECKSUM, FIELDS_CHECKSUM)
    }
    return blake2b(orjson.dumps(values, option=orjson.OPT_SORT_KEYS), digest_size=8).hexdigest()


def read(data: bytes) -> Page:
    """Read a file; raise InvalidInput for one that is neither fields and a text nor a text alone."""
    is_whole = checksum_of(data) is not None
    try:
        content = mend_text(data.decode("utf-8", "surrogatepass"))[0].removeprefix(_BOM)
    except UnicodeDecodeError:
        raise InvalidInput("it is not UTF-8", recovery="save it as UTF-8") from None
    if "\r\n" in content and not is_whole:  # saved by an editor that ends lines so
        content = content.replace("\r\n", "\n")
    first, _, rest = content.partition("\n")
    if first.rstrip() != _FENCE:
        return Page({}, content.removesuffix("\n"), is_whole=False)
    fields, text = _split_fields(rest)
    return Page(_read_fields(fields), text.removeprefix("\n").removesuffix("\n"), is_whole)


def checksum_of(data: bytes) -> str | None:
    """Return the checksum of a file that is as the mirror wrote it."""
    match = _CHECKSUM.search(
        data[:FRONT_BYTES_MAX].decode("latin-1")
    )  # a sign a byte, so that places are the same
    if not data.startswith(_OPEN) or match is None:
        return None
    checksum = match[1]
    return checksum if checksum == _compute_checksum(data[: match.start()], data[match.end() :]) else None


def _compute_checksum(head: bytes, tail: bytes) -> str:
    digest = blake2b(head, digest_size=8)
    digest.update(tail)
    return digest.hexdigest()


def _split_fields(rest: str) -> tuple[list[str], str]:
    """Return the lines of the fields and the text below them."""
    lines: list[str] = []
    size = start = 0
    while start < len(rest) and size <= FRONT_BYTES_MAX:
        end = rest.find("\n", start)
        end = len(rest) if end < 0 else end
        one = rest[start : min(end, start + FRONT_BYTES_MAX)]
        size += len(one.encode()) + 1
        if one.rstrip() == _FENCE:
            return lines, rest[end + 1 :]
        lines.append(one)
        start = end + 1
    raise InvalidInput(
        f"its fields do not end within {FRONT_BYTES_MAX:,} bytes",
        recovery="end them with a line of three dashes, above the text",
    )


def _read_fields(lines: Iterable[str]) -> dict[str, Field]:
    """Read the fields; a list may also stand below its name, an item a line."""
    fields: dict[str, Field] = {}
    name = ""
    for one in lines:
        if not one.strip() or one.lstrip().startswith("#"):
            continue
        item = _ITEM.fullmatch(one)
        above = fields.get(name)
        if item is not None and (above == "" or isinstance(above, list)):
            fields[name] = [*(above or ()), _read_scalar(item[1].strip())]
            continue
        match = _NAME.fullmatch(one.rstrip())
        if match is None:
            raise InvalidInput(f"{format_value(one)} is no field", recovery=_PLAIN)
        name, value = match[1], (match[2] or "").strip()
        if name in fields:
            raise InvalidInput(f"{name} is given twice", recovery="leave one of them")
        fields[name] = _read_value(value) if value else ""
    return fields


def _read_value(value: str) -> Field:
    if value[0] == "[":
        return _read_list(value)
    return dict(_read_json(value)) if value[0] == "{" else _read_scalar(value)


def _read_scalar(value: str) -> str:
    """Read a text: in quotes, or as it stands."""
    if value[:1] == '"':
        read_ = _read_json(value)
        if isinstance(read_, str):
            return read_
    if value[:1] == "'":
        if len(value) > 1 and value[-1] == "'":
            return value[1:-1].replace("''", "'")
        raise InvalidInput(f"{format_value(value)} does not end", recovery=_PLAIN)
    if value[:1] and value[0] in _REFUSED:
        raise InvalidInput(f"{format_value(value)} begins with a sign of YAML's own", recovery=_PLAIN)
    return value


def _read_list(value: str) -> list[str]:
    """Read a list: of texts in quotes, or of plain words."""
    if value.endswith("]") and not any(sign in value[1:-1] for sign in "[]{}\"'"):
        return [_read_scalar(item.strip()) for item in value[1:-1].split(",") if item.strip()]
    read_ = _read_json(value)
    if not all(isinstance(item, str) for item in read_):
        raise InvalidInput(
            f"{format_value(value)} is no list of texts", recovery='write it like ["one", "two"]'
        )
    return list(read_)


def _read_json(value: str) -> Any:
    try:
        return json.loads(
            mend_json(value)[0], object_pairs_hook=_refuse_repeated_names, parse_constant=_no_number
        )
    except (ValueError, RecursionError):
        raise InvalidInput(f"{format_value(value)} cannot be read", recovery=_PLAIN) from None


def _refuse_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name is given twice")
    return dict(pairs)


def _no_number(name: str) -> Any:
    raise ValueError(name)
