"""A scope leaves as lines of JSON and comes back whole: every column, vector, tag, source and link of every status.

Lossless but for what belongs to a store: sequence numbers, revisions, and the audit of how it came to be. What comes
in meets what is here as `learn` would meet it, and never writes over it.
"""

import asyncio
import base64
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import orjson

from remanence.core.change import PART_CHANGES_MAX, Cause, Change
from remanence.core.errors import InvalidInput
from remanence.core.keywords import Progress
from remanence.core.model import COLUMNS, Link, Memory, Role, Trust
from remanence.core.receipt import Receipt
from remanence.core.snapshot import SnapshotRequest
from remanence.edit.one_memory import OWN
from remanence.flows.base import copies
from remanence.flows.base.context import (
    LOOP_ITEMS_MAX,
    Core,
    first_remarks,
    ignore_progress,
    label,
    receipt,
    retry_conflicts,
    run_off_loop,
)
from remanence.flows.base.cut_runs import closed_run, commit_part
from remanence.flows.base.paging import iterate_pages, read_memories
from remanence.flows.exchange import connections, erased_elsewhere
from remanence.flows.exchange.exported import (
    FORMAT,
    NOT_EXPORTED,
    VERSION,
    Digest,
    ExportData,
    ExportRow,
    read,
    refuse_vectors,
)
from remanence.flows.exchange.overlap import Overlap
from remanence.flows.write import gating
from remanence.flows.write.embedding import wait_until_embedded
from remanence.store.capabilities import BOXES, ERASABLE, can, require
from remanence.text.analysis import FINGERPRINT_VERSION
from remanence.write.roles import lower_trust

PAGE = 1_000
ERASED_SHOWN = 100  # of the memories that were erased at their origin; the rest is counted
COUNTED = ("taken", "kept", "merged", "refused", "link")
UNGUARDED = (
    f"memories that come without their pin, their confirmation by the user, tags under {OWN} or a category of the"
    " system, which only `trust='user'` lets a file bring"
)
CARRIED = tuple(column for column in COLUMNS if column.name not in {*NOT_EXPORTED, "vector"})


async def export(
    core: Core, to: str | Path = copies.ELSEWHERE, progress: Progress | None = None
) -> AsyncIterator[bytes]:
    """Yield the scope line by line: a header, the memories in order of arrival, the links by id, and a trailer.

    It is registered as a copy, put at `to`; who is cancelled leaves it there as unfinished. `progress` hears how many
    memories are written, of how many.
    """
    digest = Digest()
    number = memories = 0
    await core.uses.settle_to_read()
    await wait_until_embedded(core)
    tell = await _begin_telling(core, progress)
    name = await copies.begin(core, core.scope, "export", to)
    async for value in _iterate_values(core):
        line = await run_off_loop(len(value.get("text", "")), _encode_line, value)
        digest.add(line)
        yield line
        number, memories = number + 1, memories + ("text" in value)
        if "text" in value and not memories % PAGE:
            tell(memories)
        if not number % LOOP_ITEMS_MAX:
            await asyncio.sleep(0)
    await copies.finish(core, core.scope, name, memories)
    tell(memories)
    yield _encode_line(digest.trailer)


async def _begin_telling(core: Core, progress: Progress | None) -> Callable[[int], None]:
    """Return what is to be told how many memories are written; what is learned meanwhile counts with them."""
    if progress is None:
        return lambda _: None
    total = len(await core.store.snapshot(core.scope, SnapshotRequest(frozenset()), core.clock.now()))
    progress(0, total)
    return lambda done: progress(done, max(done, total))


async def _iterate_values(core: Core) -> AsyncIterator[dict[str, Any]]:
    yield {
        "format": FORMAT,
        "version": VERSION,
        "scope": core.scope,
        "embedder": core.embedder.name,
        "fingerprints": FINGERPRINT_VERSION,
    }
    ids: dict[int, str] = {}
    async for page in iterate_pages(core):
        seqs, vectors = await core.store.vectors(core.scope, only=[memory.seq for memory in page])
        vector = {int(seq): row for seq, row in zip(seqs, vectors, strict=True)}
        ids |= {memory.seq: memory.id for memory in page}
        for memory in page:
            row = vector.get(memory.seq)
            yield _memory_out(memory, None if row is None else row.astype("<f2").tobytes())
    seqs_all = sorted(ids)
    for start in range(0, len(seqs_all), PAGE):
        page_seqs = set(seqs_all[start : start + PAGE])
        for link in await core.store.neighbours(core.scope, sorted(page_seqs)):
            # What was learned since the memories were read is in the next export, with its links.
            if link.source in page_seqs and link.target in ids:
                yield _link_out(link, ids)
    for one in await core.store.forbidden(core.scope):
        yield {"forbidden": one.fold, "at": one.at, **({"memory": ids[one.seq]} if one.seq in ids else {})}
    async for line in connections.iterate_box_lines(core, ids):
        yield line
    heard_ids = set(await erased_elsewhere.list_ids(core)) - {*ids.values()}
    erased_ids = [*await core.store.erased_ids(core.scope), *sorted(heard_ids)]
    for start in range(0, len(erased_ids), PAGE):
        yield {"erased": erased_ids[start : start + PAGE]}


def _encode_line(value: Mapping[str, Any]) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS) + b"\n"


def _memory_out(memory: Memory, vector: bytes | None) -> dict[str, Any]:
    """Write a memory by names instead of codes; what is at its default is left out."""
    out: dict[str, Any] = {
        "id": memory.id,
        "text": memory.text,
        "tags": memory.tags,
        "sources": memory.sources,
    }
    for column in CARRIED:
        value = getattr(memory, column.name)
        if value is None or (value == column.default and column.name != "status"):
            continue
        out[column.name] = value.label if column.labels is not None else _encode_bytes(value)
    if memory.tagged_at:
        out["tagged_at"] = memory.tagged_at
    if vector is not None:
        out["vector"] = _encode_bytes(vector)
    return out


def _encode_bytes(value: Any) -> Any:
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


async def import_(
    core: Core,
    lines: Iterable[bytes | str],
    name: str = "import",
    *,
    edited: bool = False,
    trust: str | Trust = Trust.OUTSIDE,
    progress: Progress | None = None,
) -> Receipt:
    """Take an export in, so that a second import of it changes nothing.

    Everything is read and checked before the first row is written. A memory whose id is here already stays as it is
    here; one whose text is here already is merged into that, as if it were learned again. Who is cancelled leaves a run
    of what was taken in, and the same import takes in the rest. `progress` hears how much is written, of how much.
    """
    if isinstance(lines, str | bytes):
        raise InvalidInput(
            "an export is many lines, not one text", recovery="pass the lines of the file: data.splitlines()"
        )
    door = lower_trust(core.trust, Role.USER, label(Trust, trust, "trust"))
    exported = await asyncio.to_thread(_read_export, core, list(lines), name, edited=edited)
    exported = _leave_out_unsupported(core, exported)
    if "erase" not in core.denials:  # or an agent's file could keep out what a person brings
        await erased_elsewhere.keep(core, exported.erased)
    cause = core.cause("import", detail={"from": name, "memories": len(exported.rows)})
    ids, embeds = {row.id for row in exported.rows}, exported.embedder != core.embedder.name
    overlap = Overlap(core, ids, core.clock.now(), embeds, door)
    taking = _Taking(overlap, exported, cause, progress or ignore_progress)
    async with closed_run(core, cause):
        await taking.run()
    advice = []
    if door < Trust.AGENT and any(name.startswith("replaced personal") for name in taking.counts):
        advice = ["personal data gave way to markers; those of an export of yours stay with trust='user'"]
    return receipt(
        core.scope,
        cause,
        taking.changes,
        dict(taking.counts),
        skipped=first_remarks([*exported.remarks, *taking.remarks]),
        parts=taking.parts,
        notes=(*advice, *await _erased_at_origin(core, exported.erased)),
    )


def _read_export(core: Core, lines: Sequence[bytes | str], name: str, *, edited: bool) -> ExportData:
    """Read an export whole, or refuse it with its vectors."""
    exported = read(lines, name, edited=edited)
    refuse_vectors(exported, core.embedder.name, core.embedder.dimensions, name)
    return exported


def _leave_out_unsupported(core: Core, exported: ExportData) -> ExportData:
    """Leave out, with a remark, what the store cannot keep; that a text is forbidden is never left out."""
    if exported.forbidden:
        require(core.store, ERASABLE, "importing forbidden texts")
    remarks = list(exported.remarks)
    boxes = len(exported.boxes) + len(exported.traces)
    if boxes and not can(core.store, BOXES):
        exported = replace(exported, boxes=(), traces=())
        remarks.append(f"boxes and traces that are left out, because this store keeps none: {boxes:,}")
    return replace(exported, remarks=tuple(remarks))


async def _erased_at_origin(core: Core, ids: Sequence[str]) -> list[str]:
    """Say which memories that stand here were erased where the export comes from, and how they are erased here."""
    standing = sorted(await read_memories(core, ids))
    if not standing:
        return []
    numbers = " ".join(f"#{seq}" for seq in standing[:ERASED_SHOWN])
    more = f" and {len(standing) - ERASED_SHOWN:,} more" if len(standing) > ERASED_SHOWN else ""
    return [f"{len(standing):,} of these were erased at their origin since: erase {numbers}{more}"]


@dataclass
class _Taking:
    """How far an export has been taken in."""

    overlap: Overlap
    exported: ExportData
    cause: Cause
    tell: Progress
    counts: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(COUNTED, 0)))
    replaced: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    changes: int = 0
    parts: int = 0
    _is_closed: bool = False

    async def run(self) -> None:
        """Write memories a page at a time, then what hangs between them; the last part of all closes the run."""
        rows, exported = self.exported.rows, self.exported
        more = len(exported.links) + len(exported.forbidden) + len(exported.boxes) + len(exported.traces)
        total, unguarded_count = len(rows) + more, 0
        self.tell(0, total)
        for start in range(0, len(rows), PAGE):
            is_last = start + PAGE >= len(rows) and not more
            unguarded_count += await self._take_page(rows[start : start + PAGE], is_last=is_last)
            self.tell(min(start + PAGE, len(rows)), total)
        if unguarded_count:
            self.remarks.append(f"{UNGUARDED}: {unguarded_count:,}")
        await self._write_connections()
        if self.parts and not self._is_closed:
            await self._commit([], is_last=True)
        self.tell(total, total)
        await gating.count(self.overlap.core, gating.counted_markers(self.replaced))
        self.counts.update({f"replaced {kind}": count for kind, count in self.replaced.items()})

    @retry_conflicts
    async def _take_page(self, rows: Sequence[ExportRow], *, is_last: bool) -> int:
        """Decide some lines and write what becomes of them; return how many came without what only a person sets."""
        page = await self.overlap.decide(rows)
        changes = await asyncio.to_thread(page.changes)
        assigned = await self._commit(changes, is_last=is_last) if changes else ()
        self.overlap.note_written(page, assigned)
        self.counts.update(page.counts)
        self.counts["link"] += len(page.links)
        self.replaced += page.replaced
        self.remarks += page.remarks
        return page.unguarded

    @retry_conflicts
    async def _write_connections(self) -> None:
        """Write what hangs between memories."""
        decided = await self.overlap.connect(self.exported)
        for start in range(0, len(decided.changes), PART_CHANGES_MAX):
            part = decided.changes[start : start + PART_CHANGES_MAX]
            await self._commit(part, is_last=start + PART_CHANGES_MAX >= len(decided.changes))
            links = [change.key for change in part if change.table == "links"]
            self.overlap.drawn.update(links)
            self.counts["link"] += len(links)
            if bans := sum(change.table == "forbidden" for change in part):
                self.counts["forbidden"] += bans
        self.replaced += decided.replaced
        self.remarks += decided.remarks

    async def _commit(self, changes: Sequence[Change], *, is_last: bool) -> Sequence[int]:
        cause = replace(self.cause, part=self.parts, final=is_last)
        commit = await commit_part(self.overlap.core, changes, cause)
        self.parts += 1
        self.changes += len(changes)
        self._is_closed = is_last
        return commit.assigned
