"""Why a run is not taken back, and what later runs changed of it: told before anything is written.

A person may take back all, an agent its own runs where they touched nothing that protects. A later run stands in the
way of a memory where it changed columns that belong to those the run changed, and has not been taken back itself. Uses,
links and tags that nothing hangs on do not, nor does what the engine did by itself.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from remanence.core.box import BOX_COLUMNS, BoxRow, FindBoxes, FindTraces, TraceRow
from remanence.core.change import (
    ROWLESS,
    AuditPart,
    Block,
    Cause,
    Change,
    Entry,
    Ints,
    inverses,
    row_count,
    rows_of,
)
from remanence.core.errors import Erased, ImagesEnded, InvalidInput, Protected
from remanence.core.model import COUNTERS, STANDING, TEXT_COLUMNS, Status
from remanence.core.owner import BY_ENGINE, PERSON, owner_of
from remanence.core.results import date_of
from remanence.core.score import FADING_TAGS
from remanence.flows.base.audit_log import iterate_audit_log
from remanence.flows.base.context import Core
from remanence.store.base import Arriving
from remanence.store.constraints import memories_of
from remanence.store.erasure import of_seq
from remanence.text.forbidden_keys import fold_keys

GUARD = "owner"
ASK = "ask the user: a person can take back what an agent cannot, on the command line or in Python"


def refuse_ended(run: str, left: Sequence[AuditPart]) -> None:
    """Refuse to take back a run of which images have ended."""
    for part in left:
        if part.ended_at is not None:
            raise ImagesEnded(
                f"run {run} is of {date_of(part.cause.at)} and cannot be undone: its images ended on"
                f" {date_of(part.ended_at)}",
                recovery="change its memories by hand; images are kept for as long as the setting `audit_days` says",
            )


async def refuse_erased_memories(core: Core, run: str, left: Sequence[AuditPart]) -> None:
    """Refuse to take back a run of which an erasure took something away."""
    if not (await core.store.arriving(core.scope, Arriving())).forbids:
        return
    for part in left:
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        seqs = {seq for change in rows_of(whole.entries) for seq in memories_of(change.table, change.key)}
        names = sorted(await core.store.find_erased_names(core.scope, sorted(map(of_seq, seqs))))
        if names or row_count(whole.entries) < whole.count:
            what = f"memory {names[0].partition(':')[2]}" if names else "a memory of it"
            raise Erased(
                f"the run cannot be undone: {what} was erased since",
                recovery="change the other memories of the run one by one",
            )


async def refuse_protected(core: Core, run: str, left: Sequence[AuditPart]) -> None:
    """Refuse an opening to take back what only a person takes off; of a run of many parts all or nothing."""
    for part in left if "release" in core.denials else ():
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        await core.refuse_protected(inverses(whole.entries))


async def refuse_forbidden_texts(core: Core, run: str, left: Sequence[AuditPart]) -> None:
    """Refuse to give memories a text that was forbidden since, unless the run forbade it itself."""
    if not await core.store.forbidden(core.scope):
        return
    texts: set[str] = set()
    lifts: set[object] = set()
    for part in left:
        (whole,) = await core.store.history(core.scope, run=run, after=part.position - 1, limit=1)
        for change in inverses([one for one in whole.entries if isinstance(one, Change)]):
            after = change.after or {}
            if change.table == "forbidden" and change.after is None:
                lifts.add(change.key)
            elif change.table == "memories" and after.get("status", Status.INBOX) in STANDING:
                texts |= {after["text"]} if "text" in after else set()
    keys = await asyncio.to_thread(lambda: sorted({key for text in texts for key in fold_keys(text)}))
    bans = (
        [one for one in await core.store.forbidden(core.scope, keys) if one.fold not in lifts] if keys else []
    )
    if bans:
        raise InvalidInput(
            f"undone, the run would bring back a text that is forbidden since: {bans[0]}",
            recovery=f"lift it first: remanence forbid {bans[0].fold} --off; or leave the run as it is",
        )


def takes_all_back(core: Core) -> bool:
    """Tell whether a person opened the memory."""
    return core.owner == PERSON


def is_own(core: Core, cause: Cause) -> bool:
    """Tell whether a run was made by who opened the memory."""
    return owner_of(cause) in core.owners


def may_be_named(core: Core, cause: Cause) -> bool:
    """Tell whether a run may be named to who opened the memory: an agent is told of its own alone."""
    return takes_all_back(core) or is_own(core, cause)


def refuse_another(core: Core, first: Cause) -> None:
    """Refuse to take a run back that is not an agent's own; nothing is said of whose it is."""
    if not may_be_named(core, first):
        raise Protected(
            "that run is not taken back here: an agent takes back its own runs alone",
            recovery=ASK,
            guards=(GUARD,),
        )


BOXED = "boxes"  # in the detail of a run: which turns it put into boxes that it made
BOXES_LOOKED_AT = 100  # the latest of a trace


def make_column_changes(
    table: Any, key: int, before: Mapping[str, Any], after: Mapping[str, Any]
) -> list[Change]:
    """Return the change of the columns that differ, none where none does."""
    before = {name: _unpack_tuple(before[name]) for name in after}
    names = [name for name, value in after.items() if before[name] != value]
    if not names:
        return []
    return [Change(table, key, {name: before[name] for name in names}, {name: after[name] for name in names})]


def _unpack_tuple(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


async def undo_box_changes(core: Core, entries: Sequence[Entry], detail: Mapping[str, Any]) -> list[Entry]:
    """Let the undoing of a run take its turns out of boxes as they are by now, whatever came to these since.

    `entries` are the inverted changes of the run, `detail` what it said of itself.
    """
    changes = [one for one in entries if isinstance(one, Change) and one.table in {"boxes", "traces"}]
    if not changes:
        return list(entries)
    numbers = {
        table: tuple(one.key for one in changes if one.table == table) for table in ("boxes", "traces")
    }
    rows = await core.store.boxes(core.scope, FindBoxes(only=numbers["boxes"]))  # type: ignore[arg-type]
    traces = await core.store.traces(core.scope, FindTraces(only=numbers["traces"]))  # type: ignore[arg-type]
    new_members = detail.get(BOXED, {})
    here = {one.box: one for one in rows}
    boxes_back = [
        one
        for change in changes
        if change.table == "boxes"
        for one in _box_back(change, here.get(change.key), new_members)  # type: ignore[arg-type]
    ]
    boxes_back = await _one_open(core, boxes_back, here)
    going = {one.key for one in boxes_back if one.after is None}
    used = {
        trace.trace
        for trace in traces
        for box in await core.store.boxes(core.scope, FindBoxes(trace=trace.trace, limit=BOXES_LOOKED_AT))
        if box.box not in going and not _leaves(box.box, trace.trace, boxes_back)
    }
    by_trace = {one.trace: one for one in traces}
    traces_back = [
        one
        for change in changes
        if change.table == "traces"
        for one in _trace_back(change, by_trace.get(change.key), used)  # type: ignore[arg-type]
    ]
    others = [one for one in entries if not (isinstance(one, Change) and one.table in {"boxes", "traces"})]
    return [*others, *boxes_back, *traces_back]


async def _one_open(core: Core, back: Sequence[Change], here: Mapping[Any, BoxRow]) -> list[Change]:
    """Leave a box sealed that would be opened again beside another open one of its session."""
    going = {one.key for one in back if one.after is None}
    changes: list[Change] = []
    for change in back:
        opens = (
            change.before
            and change.before.get("sealed_at")
            and (change.after or {}).get("sealed_at", 0) is None
        )
        if opens:
            query = FindBoxes(session=here[change.key].session, is_open=True)
            if any(box.box not in going for box in await core.store.boxes(core.scope, query)):
                values = {name: _unpack_tuple(value) for name, value in here[change.key].values.items()}
                after = {name: value for name, value in (change.after or {}).items() if name not in _SEALING}
                changes += make_column_changes("boxes", here[change.key].box, values, after)
                continue
        changes.append(change)
    return changes


_SEALING = frozenset({"sealed_at", "reason", "outcome", "trace"})


def _box_back(change: Change, now: BoxRow | None, made: Mapping[str, Sequence[int]]) -> list[Change]:
    if now is None:  # nothing is left to take back, or all of it comes back
        return [change] if change.before is None else []
    if change.before is None:
        return []
    values = {name: _unpack_tuple(now.values[name]) for name in BOX_COLUMNS}
    if change.after is not None and all(values[name] == value for name, value in change.before.items()):
        return [change]
    members = set(now.members)
    if change.after is None:
        rest = members - set(made.get(str(change.key), now.members))
    else:
        was, became = (set(side.get("members", ())) for side in (change.after, change.before))
        rest = (members - (became - was)) | (was - became)
    if not rest:
        return [Change("boxes", change.key, {"members": values["members"]}, None)]
    goal = now.goal if now.goal in rest else None
    return make_column_changes("boxes", now.box, values, {"members": sorted(rest), "goal": goal})


def _leaves(box: int, trace: int, back: Sequence[Change]) -> bool:
    """Tell whether a box is in a trace no more once some changes are made."""
    return any(one.key == box and (one.after or {}).get("trace", trace) != trace for one in back)


def _trace_back(change: Change, now: TraceRow | None, used: set[int]) -> list[Change]:
    if now is None or change.before is None:
        return [change] if change.before is None and now is None else []
    if change.after is None:
        return [] if now.trace in used else [change]
    same = all(now.values[name] == value for name, value in change.before.items())
    return [change] if same else []


MEMORY_USE = ("used_at", "use_days", "use_day")  # what a use sets in a memory, beside its counter
_Rows = tuple[Ints, frozenset[str]]  # memories of a part, and which of their columns it changed


@dataclass(frozen=True, slots=True)
class _LaterPart:
    """What a part of a later run changed: memories by columns, and the rows of other tables."""

    cause: Cause
    rows: list[_Rows]
    others: list[Entry]
    entries: tuple[Entry, ...] = ()  # what the engine made by itself, and whose place it gave away

    def names_any(self, wanted: AbstractSet[tuple[str, Any]]) -> bool:
        """Tell whether one of these rows of other tables is among them."""
        tables = {table for table, _ in wanted}
        return any(
            (entry.table, key) in wanted
            for entry in self.others
            if entry.table in tables
            for key in (entry.row_keys() if isinstance(entry, Block) else [entry.key])
        )


# Columns that are true together: of each group at most one run decides. What is in no group stands alone.
_GROUPS = (
    frozenset({"text", "text_at", "speaker", "form", "summary", "vector", *TEXT_COLUMNS}),
    frozenset({"status", "status_at", "reason", "tier", "tier_at", "lifecycle", "valid_from", "valid_to"}),
    frozenset({"confidence", "confidence_at"}),
    frozenset({"state", "state_at"}),
)
# What protects a memory, or says what it is: after a change of it nothing older is taken back.
_DECISIVE = frozenset({"pinned", "holds", "hold_until", "category", "policy_class", "decay", "trust"})
_COUNTED = COUNTERS | {"revision", "touched", *MEMORY_USE}


def columns_of(entry: Entry) -> frozenset[str]:
    """Return the columns of memories that an entry changes, `*` for all where a row comes or goes."""
    if isinstance(entry, Block):
        return frozenset(entry.columns) - _COUNTED
    if entry.before is None or entry.after is None:
        return frozenset("*")
    return frozenset({*entry.before, *entry.after}) - _COUNTED


def in_the_way(mine: AbstractSet[str], since: AbstractSet[str]) -> bool:
    """Tell whether what was changed since leaves no room to take back what is `mine`."""
    if not since or "*" in mine | since:
        return bool(since)
    if mine and (since & _DECISIVE or not mine.isdisjoint(since)):
        return True
    return any(mine & group and since & group for group in _GROUPS)


class Later:
    """The runs after a position that stand, but those of `own`, and which columns of memories they changed.

    Those of the engine are kept apart: they stand in nobody's way.
    """

    def __init__(self, core: Core, position: int, own: AbstractSet[str]) -> None:
        self._core = core
        self._read_to = position
        self._own = own
        self._parts: dict[tuple[str, int], _LaterPart] = {}
        self._engine: dict[tuple[str, int], _LaterPart] = {}

    async def catch_up(self) -> None:
        """Read what was logged since the last look."""
        async for part in iterate_audit_log(self._core, None, None, self._read_to):
            self._read_to = part.position
            cause = part.cause
            undone = cast("str", cause.detail.get("undoes")), cause.part
            if undone in self._parts or undone in self._engine:
                self._parts.pop(undone, None)
                self._engine.pop(undone, None)
            elif cause.run not in self._own and cause.verb not in ROWLESS:
                others = [entry for entry in part.entries if entry.table != "memories"]
                mine = _LaterPart(cause, list(_rows(part.entries)), others)
                if owner_of(cause) == BY_ENGINE:
                    entries = tuple(entry for entry in part.entries if _tells(entry))
                    self._engine[cause.run, cause.part] = replace(mine, others=[], entries=entries)
                else:
                    self._parts[cause.run, cause.part] = mine

    def columns(self, seqs: Collection[int]) -> dict[int, frozenset[str]]:
        """Return the columns of these memories that were changed; a memory without such is left out."""
        return _columns(self._parts.values(), seqs)

    def engine_columns(self, seqs: Collection[int]) -> dict[int, frozenset[str]]:
        """Return the columns of these memories that the engine changed by itself."""
        return _columns(self._engine.values(), seqs)

    def by_engine(self) -> list[tuple[Entry, ...]]:
        """Return what the engine did by itself, part by part, the newest first."""
        return [part.entries for part in reversed(self._engine.values())]

    def changed_by_others(self, wanted: AbstractSet[tuple[str, Any]]) -> set[tuple[str, Any]]:
        """Return those of some rows of other tables that anybody but the engine changed."""
        parts = self._parts.values() if wanted else ()
        return {row for row in wanted if any(part.names_any({row}) for part in parts)}

    def came_or_went(self) -> set[int]:
        """Return the memories that were created or purged."""
        parts = (*self._parts.values(), *self._engine.values())
        rows = (row for part in parts for row in part.rows)
        return {seq for keys, columns in rows if "*" in columns for seq in keys.tolist()}

    def runs(self, keys: Iterable[tuple[str, Any]], mine: AbstractSet[str]) -> list[Cause]:
        """Return why any of these rows was changed, of memories in the way of `mine`; a run once, newest first."""
        row_keys = set(keys)
        seqs = np.array(sorted(key for table, key in row_keys if table == "memories"), np.int64)
        causes: dict[str, Cause] = {}
        for (run, _), part in self._parts.items():
            rows = (keys for keys, columns in part.rows if in_the_way(mine, columns))
            if any(np.isin(keys, seqs).any() for keys in rows) or part.names_any(row_keys):
                causes[run] = part.cause
        return list(reversed(causes.values()))


def _tells(entry: Entry) -> bool:
    """Tell whether an entry made a row, or ended one's time: what only changed a memory is in its columns."""
    if entry.table != "memories" or entry.before is None:
        return True
    return isinstance(entry, Change) and (entry.after or {}).get("status") == Status.SUPERSEDED


def _columns(parts: Iterable[_LaterPart], seqs: Collection[int]) -> dict[int, frozenset[str]]:
    wanted_seqs = np.array(sorted(seqs), np.int64)
    by_seq: dict[int, frozenset[str]] = {}
    for part in parts:
        for keys, columns in part.rows:
            for seq in keys[np.isin(keys, wanted_seqs)].tolist():
                by_seq[seq] = by_seq.get(seq, frozenset()) | columns
    return by_seq


def _rows(entries: Sequence[Entry]) -> Iterable[_Rows]:
    """Return which memories entries revise, by the columns that they change."""
    by_columns: dict[frozenset[str], list[int]] = {}
    for entry in entries:
        if isinstance(entry, Block):
            if entry.table == "memories" and entry.revision is not None:
                yield entry.keys, columns_of(entry)
        elif (columns := _find_revised_columns(entry)) is not None:
            key: Any = entry.key
            by_columns.setdefault(columns, []).append(key[0] if isinstance(key, tuple) else key)
    yield from ((np.array(keys, np.int64), columns) for columns, keys in by_columns.items())


def _find_revised_columns(change: Change) -> frozenset[str] | None:
    """Return the columns that a change of more than counts revises; None for counts, and what is no memory's."""
    if change.table == "tags":
        return frozenset({"decay"}) if cast("tuple[int, str]", change.key)[1] in FADING_TAGS else None
    sides = change.before, change.after
    revises = None in sides or any("revision" in (side or {}) for side in sides)
    return columns_of(change) if change.table == "memories" and revises else None
