"""An export read back: each line looked at by the rules of the columns, before anything of it is believed.

Knows the lines of an export and what may stand in them; knows nothing of the memory that takes them in.
"""

import base64
import binascii
import hashlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import orjson

from remanence.core.arguments import check_name, check_validity
from remanence.core.box import BOX_COLUMN, TRACE_COLUMN
from remanence.core.clock import TIME_MAX
from remanence.core.errors import IngestError, InvalidInput, format_value
from remanence.core.half_characters import describe_mended, mend_json, mend_text
from remanence.core.model import COLUMN, INT_MAX, LINK_COLUMNS, STANDING, Column, Relation, Role, Status, Tier
from remanence.core.score import decay
from remanence.edit.one_memory import hold_until
from remanence.llm.local import REPLACED
from remanence.store.constraints import LINK_COLUMN, TAG_COLUMN, fits, refuse_state
from remanence.text.analysis import FINGERPRINT_VERSION, check_text, fingerprint
from remanence.text.text_columns import lengths_of, summary_shown
from remanence.write.imported import EXPORT
from remanence.write.roles import BY_ROLE

FORMAT = EXPORT
VERSION = 7
UNTRAILED = 1  # the version whose exports say nothing at their end
UNTRUSTED = 2  # the last one that does not say how far a memory is believed
NOT_EXPORTED = frozenset({"revision", "touched"})
MEASURED_TOGETHER = 256
# Beside the columns; `claims` stands in exports of files that an older program wrote, and is passed over.
_ATTACHED = frozenset({"tags", "sources", "tagged_at", "claims"})
_REQUIRED = ("id", "text", "said_at", "learned_at", "status_at", "tier_at")
_LINK_FIELDS = frozenset({"source", "target", "relation", *LINK_COLUMNS})
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One memory of an export: its line, its columns, and whether its text is another than was written."""

    line: int
    columns: dict[str, Any]
    tags: tuple[str, ...]
    sources: tuple[str, ...]
    is_edited: bool = False
    tagged_at: Mapping[str, int] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Its id in every store."""
        id_: str = self.columns["id"]
        return id_

    @property
    def stands(self) -> bool:
        """Whether recall may return it."""
        return self.columns.get("status", Status.INBOX) in STANDING


@dataclass(frozen=True, slots=True)
class ForbiddenRow:
    """One text that an export forbids: the hash of its folded form, since when, and the id of what said it."""

    fold: str
    at: int
    memory: str | None = None


@dataclass(frozen=True, slots=True)
class LinkRow:
    """One link of an export: its line, the ids of its ends and its columns."""

    line: int
    source: str
    target: str
    relation: Relation
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class BoxLine:
    """One box of an export: its columns, the ids of its turns and of the one that states its goal, and its trace.

    `number` and `trace` mean something within the file alone.
    """

    number: int
    values: Mapping[str, Any]
    members: tuple[str, ...]
    goal: str | None
    trace: int | None


@dataclass(frozen=True, slots=True)
class TraceLine:
    """One trace of an export, by its number within the file, and its columns."""

    trace: int
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExportData:
    """A whole export, sound in itself; `remarks` say what about the file wants saying."""

    embedder: str | None
    rows: Sequence[ExportRow]
    links: Sequence[LinkRow]
    forbidden: Sequence[ForbiddenRow] = ()
    boxes: Sequence[BoxLine] = ()
    traces: Sequence[TraceLine] = ()
    erased: Sequence[str] = ()  # ids of memories that were erased at the export's origin before it
    remarks: tuple[str, ...] = ()


class Digest:
    """What an export's last line says of all lines before it; how lines are ended does not matter."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._lines = 0

    def add(self, line: bytes) -> None:
        """Count one line."""
        self._hash.update(line.rstrip(b"\r\n") + b"\n")
        self._lines += 1

    @property
    def trailer(self) -> dict[str, Any]:
        """The last line: how many lines stand before it, and the digest of them."""
        return {"end": {"lines": self._lines, "digest": self._hash.hexdigest()}}


@dataclass
class _ExportReader:
    """How far a file has been read."""

    name: str
    edited: bool
    digest: Digest = field(default_factory=Digest)
    header: dict[str, Any] = field(default_factory=dict)
    rows: list[ExportRow] = field(default_factory=list)
    links: list[LinkRow] = field(default_factory=list)
    forbidden: list[ForbiddenRow] = field(default_factory=list)
    boxes: list[BoxLine] = field(default_factory=list)
    traces: list[TraceLine] = field(default_factory=list)
    erased: list[str] = field(default_factory=list)
    measured: int = 0  # rows that have their lengths
    lines: dict[str, int] = field(default_factory=dict)  # id → the line that has it
    trailer: dict[str, Any] | None = None
    last: int = 0
    halves: int = 0  # of characters, which were replaced

    def read(self, lines: Iterable[bytes | str]) -> ExportData:
        for number, line in enumerate(lines, start=1):
            self.last = number
            self._read_line(number, self._encode_line(number, line))
        self._measure_rows()
        if not self.header:
            raise self.make_ingest_error(1, "the file is empty")
        for link in self.links:
            if not {link.source, link.target} <= self.lines.keys():
                raise self.make_ingest_error(link.line, "a link names a memory that is not in the file")
        remarks = self._verify_integrity()
        return ExportData(
            self.header.get("embedder"),
            self.rows,
            self.links,
            self.forbidden,
            self.boxes,
            self.traces,
            self.erased,
            (*remarks, *[describe_mended(self.halves)] * bool(self.halves)),
        )

    def make_ingest_error(self, line: int, what: str) -> IngestError:
        return IngestError(
            what, recovery="export the memory again; nothing was taken in", source=self.name, line=line
        )

    def _encode_line(self, number: int, line: object) -> bytes:
        if isinstance(line, bytes | bytearray | memoryview):
            return bytes(line)
        if not isinstance(line, str):
            raise self.make_ingest_error(number, f"a line cannot be {line!r:.40}")
        text, count = mend_text(line)
        self.halves += count
        return text.encode()

    def _mend_escapes(self, line: bytes) -> str | bytes:
        """Return a line with whole characters; what is not UTF-8 is refused where it is parsed."""
        if b"\\u" not in line:
            return line
        text, count = mend_json(line.decode(errors="replace"))
        self.halves += count
        return text if count else line

    def _read_line(self, number: int, line: bytes) -> None:
        if self.trailer is not None:
            raise self.make_ingest_error(number, "the export ended before this line")
        try:
            value = orjson.loads(self._mend_escapes(line))
        except orjson.JSONDecodeError as error:
            raise self.make_ingest_error(number, f"not JSON: {error}") from error
        if not isinstance(value, dict):
            raise self.make_ingest_error(number, "a line must be a JSON object")
        if "end" in value and self._has_trailer:
            self.trailer = value
            return
        self.digest.add(line)
        try:
            self._take_value(number, value)
        except IngestError:
            raise
        except InvalidInput as error:
            raise self.make_ingest_error(number, str(error)) from error

    @property
    def _has_trailer(self) -> bool:
        return bool(self.header) and self.header["version"] != UNTRAILED

    def _take_value(self, number: int, value: dict[str, Any]) -> None:
        if number == 1:
            if value.get("format") != FORMAT:
                raise _build_format_error(f"not a {FORMAT} file")
            version = value.get("version")
            if version not in range(UNTRAILED, VERSION + 1) or isinstance(version, bool):
                raise _build_format_error(
                    f"version {version!r:.40} of the format is not known, only up to {VERSION}"
                )
            self.header = dict(value)
        elif "relation" in value:
            self.links.append(_link_row(number, value))
        elif "forbidden" in value:
            if not value.keys() <= {"forbidden", "at", "memory"}:
                raise _build_format_error(
                    "a forbidden text has its fold, `at` and `memory`, and nothing else"
                )
            at = _read_time(TAG_COLUMN["at"], value.get("at"))
            self.forbidden.append(
                ForbiddenRow(
                    _read_id(value["forbidden"]),
                    at,
                    None if "memory" not in value else _read_id(value["memory"]),
                )
            )
        elif "box" in value:
            self.boxes.append(_box_line(value))
        elif "erased" in value:
            ids = value["erased"]
            if not isinstance(ids, list):
                raise _build_format_error("what was erased is a list of ids")
            self.erased += [_read_id(one) for one in ids]
        elif "began_at" in value:
            if value.keys() != {"trace", *TRACE_COLUMN}:
                raise _build_format_error("not a trace: a field is missing or unknown")
            values = {name: _read_group_column(column, value[name]) for name, column in TRACE_COLUMN.items()}
            self.traces.append(TraceLine(_check_positive(value["trace"]), values))
        else:
            row = _read_memory_row(
                number, value, compares=self.header.get("fingerprints", 1) == FINGERPRINT_VERSION
            )
            if self.header["version"] <= UNTRUSTED:
                # A line of an older export is believed as far as who spoke.
                role = row.columns.get("role", Role.USER)
                row = replace(row, columns={**row.columns, "trust": BY_ROLE[role]})
            if row.id in self.lines:
                raise self.make_ingest_error(number, f"line {self.lines[row.id]} has the same id")
            self.lines[row.id] = number
            self.rows.append(row)
            if len(self.rows) - self.measured >= MEASURED_TOGETHER:
                self._measure_rows()

    def _measure_rows(self) -> None:
        """Give the rows read last their lengths; together, since each alone takes ten times as long."""
        columns = [row.columns for row in self.rows[self.measured :]]
        lengths = lengths_of([one["text"] for one in columns], [summary_shown(one) for one in columns])
        for one, sizes in zip(columns, lengths, strict=True):
            one.update(sizes)
        self.measured = len(self.rows)

    def _verify_integrity(self) -> tuple[str, ...]:
        """Refuse a file that is cut or was edited, unless it is to be taken in as it is; then say what of it is so."""
        doubts = [*self._check_completeness(), *((row.line, _EDITED) for row in self.rows if row.is_edited)]
        untold = (
            f"an export of version {UNTRAILED} says nothing at its end: whether it is whole cannot be told"
        )
        return (
            *([] if self._has_trailer else [untold]),
            *(self._describe_doubt(line, what) for line, what in doubts),
        )

    def _check_completeness(self) -> Iterator[tuple[int, str]]:
        """Say where and how a file is not the whole that was exported; an edited text says so itself."""
        if not self._has_trailer or self.trailer == self.digest.trailer:
            return
        end = None if self.trailer is None else self.trailer["end"]
        was = end.get("lines") if isinstance(end, dict) else None
        now = self.digest.trailer["end"]["lines"]
        if self.trailer is None:
            yield self.last, "the end of the export is missing: it was cut"
        elif was != now:
            yield self.last, f"the export had {was!r:.40} lines before its end, here are {now}"
        elif not any(row.is_edited for row in self.rows):
            yield self.last, "the file was edited after it was exported; no text, so the line cannot be told"

    def _describe_doubt(self, line: int, what: str) -> str:
        if self.edited:
            return f"line {line}: {what}"
        raise IngestError(
            what,
            recovery="export the memory again, or take the file in as it is with edited=True (--edited);"
            " nothing was taken in",
            source=self.name,
            line=line,
        )


_EDITED = "the text was edited after it was exported: the fingerprint is another text's"


def read(lines: Iterable[bytes | str], name: str, *, edited: bool) -> ExportData:
    """Read an export whole, or raise IngestError with the line at which it cannot be believed."""
    return _ExportReader(name, edited).read(lines)


def refuse_vectors(export: ExportData, embedder: str, dimensions: int, name: str) -> None:
    """Refuse vectors of another embedder or length, or not finite; those of one that was replaced are made anew."""
    vectors = [(row.line, row.columns["vector"]) for row in export.rows if "vector" in row.columns]
    if export.embedder is not None and REPLACED.get(export.embedder) == embedder:
        return
    if vectors and export.embedder != embedder:
        raise InvalidInput(
            f"the export was embedded by {export.embedder!r:.80}, this memory by {embedder!r}",
            recovery="open with the same embedder",
        )
    for line, vector in vectors:
        if len(vector) != 2 * dimensions or not np.isfinite(np.frombuffer(vector, "<f2")).all():
            raise IngestError(
                f"a vector is not {dimensions} finite numbers",
                recovery="export the memory again; nothing was taken in",
                source=name,
                line=line,
            )


def _read_memory_row(line: int, value: Mapping[str, Any], *, compares: bool) -> ExportRow:
    """Read one memory, each column by its kind; what can be derived is derived, not believed."""
    missing = [name for name in _REQUIRED if value.get(name) is None]
    if missing:
        raise _build_format_error(f"a memory lacks {', '.join(missing)}")
    columns = {name: _read_column(name, item) for name, item in value.items() if name not in _ATTACHED}
    check_validity(columns.get("valid_from"), columns.get("valid_to"))
    line_fingerprint = columns.get("fingerprint")
    tags = _read_names(value, "tags")
    # These follow from the text, who said it, the holds, the tags and the category.
    columns |= {
        "fingerprint": fingerprint(columns["text"], columns.get("speaker") or ""),
        "hold_until": hold_until(columns.get("holds") or {}),
        "decay": decay(tags, columns.get("category")),
    }
    refuse_state(line, {"status": Status.INBOX, "tier": Tier.HOT, "reason": None, **columns})
    is_edited = compares and line_fingerprint is not None and line_fingerprint != columns["fingerprint"]
    return ExportRow(line, columns, tags, _read_names(value, "sources"), is_edited, _tagged_at(value, tags))


_BOX_FIELDS = frozenset({"box", "members", *BOX_COLUMN})
_TOPIC = re.compile(r"[0-9a-f]{1,16}")


def _box_line(value: Mapping[str, Any]) -> BoxLine:
    """Read one box; what it has none of is left out."""
    own = {name: item for name, item in value.items() if name in BOX_COLUMN and name not in _BY_IDS}
    missing = [name for name, column in BOX_COLUMN.items() if not column.nullable and name not in value]
    if missing or not value.keys() <= _BOX_FIELDS or not isinstance(value["members"], list):
        raise _build_format_error("not a box: a field is missing or unknown")
    values = {name: _read_group_column(BOX_COLUMN[name], item) for name, item in own.items()}
    members = tuple(map(_read_id, value["members"]))
    goal, trace = value.get("goal"), value.get("trace")
    return BoxLine(
        _check_positive(value["box"]),
        values,
        members,
        None if goal is None else _read_id(goal),
        None if trace is None else _check_positive(trace),
    )


_BY_IDS = frozenset({"members", "goal", "trace"})  # what a box names by ids, or by a number within the file


def _read_group_column(column: Column, item: Any) -> Any:
    """Read one column of a box or a trace."""
    if column.labels is not None:
        return _read_label(column, item)
    if column.kind == "time":
        return _check_fit(column, _read_time(column, item))
    if column.name == "session":
        if item != "":  # of turns without a session
            check_name(column.name, item)
        return item
    if not isinstance(item, dict) or not all(map(_is_topic_weight, item.items())):
        raise _build_format_error("topics must be a JSON object of hashes and their weights")
    return item


def _is_topic_weight(item: tuple[Any, Any]) -> bool:
    topic, weight = item
    return _TOPIC.fullmatch(topic) is not None and type(weight) is int and 0 < weight <= INT_MAX


def _check_positive(item: Any) -> int:
    if type(item) is not int or item <= 0:
        raise _build_format_error(f"a box or a trace is numbered, not {item!r:.40}")
    return item


def _read_names(value: Mapping[str, Any], what: str) -> tuple[str, ...]:
    """Read a list of names, in order and each once."""
    names = value.get(what, [])
    if not isinstance(names, list):
        raise _build_format_error(f"{what} must be a list")
    for one in names:
        check_name(f"each of {what}", one)
    return tuple(sorted(set(names)))


def _tagged_at(value: Mapping[str, Any], tags: Sequence[str]) -> dict[str, int]:
    """Read when tags were set; an export of an older version does not say."""
    times = value.get("tagged_at", {})
    if not isinstance(times, dict) or not times.keys() <= set(tags):
        raise _build_format_error("tagged_at must be a JSON object whose keys are in tags")
    return {tag: _read_time(TAG_COLUMN["at"], at) for tag, at in times.items()}


def _read_column(name: str, item: Any) -> Any:
    column = COLUMN.get(name)
    if column is None or name in NOT_EXPORTED:
        raise _build_format_error(f"unknown field {name!r:.40}")
    if column.labels is not None:
        return _read_label(column, item)
    return _check_fit(
        column, _BY_NAME[name](item) if name in _BY_NAME else _BY_KIND[column.kind](column, item)
    )


def _check_fit(column: Column, value: Any) -> Any:
    """Refuse what every store refuses, while nothing is written yet."""
    if not fits(column, value):
        raise _build_format_error(f"{column.name} cannot be {format_value(value)}")
    return value


def _read_label(column: Column, item: Any) -> Any:
    assert column.labels is not None
    label = column.labels.__members__.get(item.upper()) if isinstance(item, str) else None
    if label is None:
        raise _build_format_error(f"{column.name} cannot be {item!r:.40}")
    return label


def _read_text(item: Any) -> str:
    check_text(item)
    text: str = item
    return text


def _read_id(item: Any) -> str:
    if not isinstance(item, str) or _ID.fullmatch(item) is None:
        raise _build_format_error(f"an id is 32 digits of 0-9 and a-f, not {item!r:.40}")
    return item


def _read_key(item: Any) -> str:
    check_name("a key", item)
    key: str = item
    return key


def _read_attributes(item: Any) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise _build_format_error("attributes must be a JSON object")
    try:
        # The audit keeps them a few levels down in what it writes, and no JSON writer goes down without end.
        orjson.dumps([[[[[[[[item]]]]]]]])
    except TypeError as error:
        raise _build_format_error(f"attributes cannot be kept: {error}") from error
    return item


def _read_accessors(item: Any) -> dict[str, dict[str, int]]:
    if not isinstance(item, dict):
        raise _build_format_error("accessors must be a JSON object")
    for name in item:
        check_name("an accessor", name)
    return item


def _read_holds(item: Any) -> dict[str, int | None]:
    if not isinstance(item, dict):
        raise _build_format_error("holds must be a JSON object")
    for reason, until in item.items():
        check_name("a hold", reason)
        if until is not None:
            _read_time(COLUMN["hold_until"], until)
    return item


def _read_blob(column: Column, item: Any) -> bytes:
    try:
        return base64.b64decode(item, validate=True)
    except (binascii.Error, ValueError, TypeError) as error:
        raise _build_format_error(f"{column.name} is not base64") from error


def _read_time(column: Column, item: Any) -> int:
    """Refuse a time that no store keeps; the last one stands for ever."""
    if type(item) is not int or not -TIME_MAX <= item <= TIME_MAX:
        raise _build_format_error(f"{column.name} {item!r:.40} is no time in microseconds")
    return item


def _check_integer(column: Column, item: Any) -> int:
    if type(item) is not int:
        raise _build_format_error(f"{column.name} cannot be {item!r:.40}")
    return item


def _read_fraction(column: Column, item: Any) -> float:
    if type(item) not in (int, float) or not math.isfinite(item) or not 0 <= item <= column.limit:
        raise _build_format_error(f"{column.name} {item!r:.40} is not between 0 and {column.limit:g}")
    return float(item)


def _read_name(column: Column, item: Any) -> str:
    check_name(column.name, item)
    name: str = item
    return name


_BY_NAME: Mapping[str, Callable[[Any], Any]] = {
    "id": _read_id,
    "key": _read_key,
    "text": _read_text,
    "summary": _read_text,
    "attributes": _read_attributes,
    "holds": _read_holds,
    "accessors": _read_accessors,
}
_BY_KIND: Mapping[str, Callable[[Column, Any], Any]] = {
    "blob": _read_blob,
    "time": _read_time,
    "int": _check_integer,
    "flag": _check_integer,
    "fraction": _read_fraction,
    "name": _read_name,
}


def _link_row(line: int, value: Mapping[str, Any]) -> LinkRow:
    """Read one link; `resolved_at` is left out of an open one."""
    link = {"resolved_at": None, **value}
    wrong = link.keys() ^ _LINK_FIELDS
    if wrong:
        raise _build_format_error(f"not a link: {', '.join(sorted(wrong))[:80]} missing or unknown")
    relation = (
        Relation.__members__.get(link["relation"].upper()) if isinstance(link["relation"], str) else None
    )
    if relation is None:
        raise _build_format_error(f"not a link: no relation {link['relation']!r:.40}")
    source, target = _read_id(link["source"]), _read_id(link["target"])
    if source == target:
        raise _build_format_error("a link from a memory to itself")
    values = {name: _read_link_column(link[name], *reading) for name, reading in _LINK_READINGS.items()}
    return LinkRow(line, source, target, relation, values)


_LINK_READINGS = {name: (LINK_COLUMN[name], _BY_KIND[LINK_COLUMN[name].kind]) for name in LINK_COLUMNS}


def _read_link_column(item: Any, column: Column, read_value: Callable[[Column, Any], Any]) -> Any:
    return None if item is None and column.nullable else _check_fit(column, read_value(column, item))


def _build_format_error(what: str) -> InvalidInput:
    return InvalidInput(what, recovery="export the memory again; nothing was taken in")
