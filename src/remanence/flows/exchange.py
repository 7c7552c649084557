"""A scope leaves as lines of JSON and comes back whole: every column, vector, tag, source and link of every status.

Lossless but for what belongs to a store: sequence numbers, revisions, and the audit of how it came to be.
"""

import base64
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import orjson

from remanence.change import Change, Receipt
from remanence.clock import TIME_MAX
from remanence.errors import IngestError, InvalidInput
from remanence.flows.core import Core, receipt
from remanence.model import COLUMNS, LINK_COLUMNS, SYMMETRIC, Column, Link, Memory, Relation, Status, Tier
from remanence.store.base import Find
from remanence.store.rules import refuse_malformed, refuse_state

FORMAT = "remanence-export"
VERSION = 1
PAGE = 1_000
_NOT_EXPORTED = frozenset({"revision", "touched", "vector"})
_CARRIED = tuple(column for column in COLUMNS if column.name not in _NOT_EXPORTED)


async def export(core: Core) -> AsyncIterator[bytes]:
    """Yield the scope line by line: a header, the memories in order of arrival, then the links by id."""
    header = {"format": FORMAT, "version": VERSION, "scope": core.scope, "embedder": core.embedder.name}
    yield _line(header)
    ids: dict[int, str] = {}
    async for page in _pages(core):
        seqs, vectors = await core.store.vectors(core.scope, only=[memory.seq for memory in page])
        vector = {int(seq): row for seq, row in zip(seqs, vectors, strict=True)}
        for memory in page:
            ids[memory.seq] = memory.id
            row = vector.get(memory.seq)
            yield _line(_memory_out(memory, None if row is None else row.astype("<f2").tobytes()))
    seqs_all = sorted(ids)
    for start in range(0, len(seqs_all), PAGE):
        page_seqs = set(seqs_all[start : start + PAGE])
        for link in await core.store.neighbours(core.scope, sorted(page_seqs)):
            if link.source in page_seqs:
                yield _line(_link_out(link, ids))


async def _pages(core: Core) -> AsyncIterator[list[Memory]]:
    after = 0
    while True:
        page = await core.store.find(core.scope, Find(after=after, limit=PAGE, oldest_first=True))
        if not page:
            return
        yield page
        after = page[-1].seq


def _line(value: Mapping[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS) + b"\n"


def _memory_out(memory: Memory, vector: bytes | None) -> dict[str, Any]:
    """Write a memory by names instead of codes; what is at its default is left out."""
    out: dict[str, Any] = {
        "id": memory.id,
        "text": memory.text,
        "tags": memory.tags,
        "sources": memory.sources,
    }
    for column in _CARRIED:
        value = getattr(memory, column.name)
        if value is None or (value == column.default and column.name != "status"):
            continue
        out[column.name] = value.label if column.labels is not None else _plain(value)
    if vector is not None:
        out["vector"] = _plain(vector)
    return out


def _plain(value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value


def _link_out(link: Link, ids: Mapping[int, str]) -> dict[str, Any]:
    out = {
        "source": ids[link.source],
        "target": ids[link.target],
        "relation": link.relation.label,
        **link.values,
    }
    if link.resolved_at is None:  # as before links could be resolved
        del out["resolved_at"]
    return out


async def import_(core: Core, lines: Iterable[bytes], name: str = "import") -> Receipt:
    """Take an export in; memories whose id is here already are left alone, so a second import changes nothing.

    Everything is read and checked before the first row is written.
    """
    header, rows, links = _parse(lines, name)
    _refuse_vectors(core, rows, name)
    if header.get("embedder") != core.embedder.name and any("vector" in row for row in rows):
        raise InvalidInput(
            f"the export was embedded by {header.get('embedder')!r}, this memory by {core.embedder.name!r}",
            recovery="open with the same embedder",
        )
    cause = core.cause("import", detail={"from": name, "memories": len(rows)})
    written = 0
    fresh = await _absent(core, [row["id"] for row in rows])
    rows = [row for row in rows if row["id"] in fresh]
    for number, start in enumerate(range(0, len(rows), PAGE)):
        changes = _memory_changes(rows[start : start + PAGE])
        await core.commit(
            changes, core.cause("import", run=cause.run, part=number, final=False, detail=cause.detail)
        )
        written += len(changes)
    changes = await _link_changes(core, links)
    parts = -(-len(rows) // PAGE)
    if changes or rows:
        await core.commit(changes, core.cause("import", run=cause.run, part=parts, detail=cause.detail))
    return receipt(
        core.scope,
        cause,
        written + len(changes),
        {"import": len(rows), "link": len(changes)},
        parts=parts + 1,
    )


def _refuse_vectors(core: Core, rows: Sequence[Mapping[str, Any]], name: str) -> None:
    """Refuse vectors of another length than the embedder's, or with numbers that are not finite."""
    for number, row in enumerate(rows, start=2):
        vector = (
            np.frombuffer(row.get("vector", b""), "<f2") if len(row.get("vector", b"")) % 2 == 0 else None
        )
        if "vector" in row and (
            vector is None or len(vector) != core.embedder.dimensions or not np.isfinite(vector).all()
        ):
            raise _malformed(name, number, f"a vector is not {core.embedder.dimensions} finite numbers")


def _parse(
    lines: Iterable[bytes], name: str
) -> tuple[dict[str, Any], list[dict[str, Any]], list[tuple[int, dict[str, Any]]]]:
    header: dict[str, Any] = {}
    rows: list[dict[str, Any]] = []
    links: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(lines, start=1):
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise _malformed(name, number, f"not JSON: {error}") from error
        if number == 1:
            header = _header(value, name)
        elif isinstance(value, dict) and "relation" in value:
            links.append((number, _link_in(value, name, number)))
        else:
            rows.append(_memory_in(value, name, number))
    if not header:
        raise _malformed(name, 1, "the file is empty")
    ids = {row["id"] for row in rows}
    for number, link in links:
        if not set(link["ends"]) <= ids:
            raise _malformed(name, number, "a link names a memory that is not in the file")
    return header, rows, links


def _malformed(name: str, line: int, what: str) -> IngestError:
    return IngestError(what, recovery="export the memory again; nothing was taken in", source=name, line=line)


def _header(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise _malformed(name, 1, f"not a {FORMAT} file")
    if value.get("version") != VERSION:
        raise _malformed(
            name, 1, f"version {value.get('version')} of the format is not known, only {VERSION}"
        )
    return value


def _memory_in(value: Any, name: str, line: int) -> dict[str, Any]:
    """Read one memory, each column by its kind."""
    if not isinstance(value, dict):
        raise _malformed(name, line, "a memory must be a JSON object")
    known = {column.name: column for column in _CARRIED}
    row: dict[str, Any] = {}
    try:
        for key, item in value.items():
            if key == "vector":
                row[key] = base64.b64decode(item, validate=True)
            elif key in ("tags", "sources"):
                row[key] = [str(one) for one in item]
            else:
                row[key] = _column_in(known[key], item)
        columns = {key: item for key, item in row.items() if key not in ("tags", "sources")}
        refuse_malformed([Change("memories", -1, None, columns)])
        refuse_state(line, {"status": Status.INBOX, "tier": Tier.HOT, "reason": None, **columns})
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise _malformed(name, line, f"{type(error).__name__}: {error}") from error
    return row


def _column_in(column: Column, item: Any) -> Any:
    if column.labels is not None:
        return column.labels[item.upper()]
    if column.kind == "blob":
        return base64.b64decode(item, validate=True)
    if column.kind == "time":
        return _time(item)
    expected: dict[str, type | tuple[type, ...]] = {
        "text": str,
        "name": str,
        "json": dict,
        "fraction": (int, float),
    }
    if not isinstance(item, expected.get(column.kind, int)):
        raise TypeError(f"{column.name} cannot be {item!r}")
    return item


def _time(item: Any) -> int:
    """Refuse a time that no store keeps; the last one stands for ever."""
    if not isinstance(item, int) or not -TIME_MAX <= item <= TIME_MAX:
        raise ValueError(f"{item} is no time in microseconds")
    return item


def _link_in(value: dict[str, Any], name: str, line: int) -> dict[str, Any]:
    link = {"resolved_at": None, **value}  # left out of an open one
    try:
        relation = Relation[link["relation"].upper()]
        values: dict[str, Any] = {key: link[key] for key in LINK_COLUMNS}
        refuse_malformed([Change("links", (1, 2, int(relation)), None, values)])
        for time in ("created_at", "last_at", "resolved_at"):
            _time(values[time] or 0)
        return {"ends": (str(link["source"]), str(link["target"])), "relation": relation} | values
    except (KeyError, ValueError, AttributeError) as error:
        raise _malformed(name, line, f"not a link: {error}") from error


async def _absent(core: Core, ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for start in range(0, len(ids), PAGE):
        page = ids[start : start + PAGE]
        here = await core.store.get(core.scope, page)
        found |= {id_ for id_, memory in zip(page, here, strict=True) if memory is None}
    return found


def _memory_changes(rows: Sequence[dict[str, Any]]) -> list[Change]:
    changes: list[Change] = []
    for number, row in enumerate(rows, start=1):
        columns = {key: value for key, value in row.items() if key not in ("tags", "sources")}
        changes.append(Change("memories", -number, None, columns))
        changes += [Change("tags", (-number, tag), None, {}) for tag in row.get("tags", ())]
        changes += [
            Change("sources", (-number, source), None, {"span": None}) for source in row.get("sources", ())
        ]
    return changes


async def _link_changes(core: Core, links: Sequence[tuple[int, dict[str, Any]]]) -> list[Change]:
    ids = sorted({end for _, link in links for end in link["ends"]})
    seqs: dict[str, int] = {}
    for start in range(0, len(ids), PAGE):
        for memory in await core.store.get(core.scope, ids[start : start + PAGE]):
            if memory is not None:
                seqs[memory.id] = memory.seq
    have = {
        (link.source, link.target, int(link.relation))
        for link in await core.store.neighbours(core.scope, sorted(seqs.values()))
    }
    changes: list[Change] = []
    for _, link in links:
        ends = [seqs[end] for end in link["ends"]]
        source, target = sorted(ends) if link["relation"] in SYMMETRIC else ends
        key = (source, target, int(link["relation"]))
        if key not in have:
            changes.append(Change("links", key, None, {field: link[field] for field in LINK_COLUMNS}))
    return changes
