"""A plan's changes: blocks of like ones, and groups of those that are done together or not at all.

Knows plans and changes; knows nothing of rules. Changes of one memory, and of all that one merge touches, are one
group. Rows that change alone and whose values are numbers go into blocks, cut from the arrays of the plan.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from remanence.core.change import ABSENT, MILLION, Block, Change, Increment, unpack_column
from remanence.core.effects import DESTROYED, action
from remanence.core.model import COLUMN, COUNTERS, Form
from remanence.core.snapshot import Bools, Ints
from remanence.curate.planner.diff import Edits, PlanDecision

CHUNK = 8_192
Group = list[Change]
_BLOCK_KINDS = frozenset({"int", "time", "enum", "flag", "fraction"})
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CommitPart:
    """What one commit does of a plan."""

    groups: list[Group] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


def parts(plan: PlanDecision, changes_max: int) -> Iterator[CommitPart]:
    """Yield a plan's changes in parts of so many at most, or of one group where that is larger."""
    part, size, merging = CommitPart(), 0, clusters(plan)
    together, alone = _mark_grouped(plan, merging), _find_lone_cuts(plan, merging)
    later: list[Group] = []
    for group in _iterate_groups(plan, merging, together, alone):
        if summed_up(group) is not None:
            later.append(group)
            continue
        if size and size + len(group) > changes_max:
            yield part
            part, size = CommitPart(), 0
        part.groups.append(group)
        size += len(group)
    rows, cuts = np.flatnonzero(~together), plan.links.where(alone)
    while len(rows) or len(cuts):
        if size >= changes_max:
            yield part
            part, size = CommitPart(), 0
        room = changes_max - size
        part.blocks.extend(_memory_blocks(plan, rows[:room]))
        some = cuts.where(slice(0, room - len(rows[:room])))
        if len(some):
            ends, columns = np.column_stack([some.source, some.target, some.relation]), some.before
            part.blocks.append(
                Block("links", tuple(columns), ends, np.column_stack([*columns.values()]), None)
            )
        size += len(rows[:room]) + len(some)
        rows, cuts = rows[room:], cuts.where(slice(len(some), None))
    if size:
        yield part
    # The text of each is made when all else is done, and committed by itself: who writes it may take its time.
    yield from (CommitPart([group]) for group in later)


def summed_up(group: Iterable[Change]) -> Change | None:
    """Return the change of a group that makes a summary, None where none does."""
    return next((change for change in group if (change.after or {}).get("form") == Form.SUMMARY), None)


def changes(plan: PlanDecision) -> Iterator[Group]:
    """Yield a plan's changes in groups, row by row."""
    for part in parts(plan, CHUNK):
        yield from part.groups
        for block in part.blocks:
            yield from ([change] for change in block.changes())


def _iterate_groups(
    plan: PlanDecision, merging: dict[int, int], rows: Bools, alone: Bools
) -> Iterator[Group]:
    """Yield what is in no block: merges with all they touch, some rows with what changes with them, single links."""
    together: dict[int, Group] = {}
    for seq, change in _iterate_tag_changes(plan):
        if seq in merging:
            together.setdefault(merging[seq], []).append(change)
    single = []
    for change in _iterate_link_changes(replace(plan, links=plan.links.where(~alone))):
        source, target, _ = cast("tuple[int, int, int]", change.key)
        cluster = merging.get(source, merging.get(target))
        if cluster is None:
            single.append(change)
        else:
            together.setdefault(cluster, []).append(change)
    yield from _iterate_memory_groups(plan.where(rows), merging, together)
    for change in single:
        yield [change]


def _mark_grouped(plan: PlanDecision, merging: dict[int, int]) -> Bools:
    """Tell which memories of a plan change together with something else, or go, or change what no block holds."""
    mask = np.zeros(len(plan.seq), np.bool_)
    mask[plan.purged] = True
    for name, edits in plan.columns.items():
        if name in COUNTERS or COLUMN[name].kind not in _BLOCK_KINDS:
            mask[edits.rows] = True
    form = plan.columns.get("form", Edits.none())
    mask[form.rows[form.after == Form.SUMMARY]] = True
    mask |= np.isin(plan.seq, _build_int_array(merging))
    for _, _, seqs in plan.iterate_tag_changes():
        mask |= np.isin(plan.seq, seqs)
    return mask


def _find_lone_cuts(plan: PlanDecision, merging: dict[int, int]) -> Bools:
    """Tell which links of a plan are cut, and by no merge."""
    links = plan.links
    members = _build_int_array(merging)
    return links.was & ~links.stays & ~(np.isin(links.source, members) | np.isin(links.target, members))


def _build_int_array(seqs: Iterable[int]) -> Ints:
    return np.array(list(seqs), np.int64)


def _memory_blocks(plan: PlanDecision, rows: Ints) -> Iterator[Block]:
    """Yield the blocks of some of a plan's memories: of each those that change the same columns."""
    if not len(rows):
        return
    kind, edits = np.zeros(len(rows), np.int64), {}
    for bit, (name, whole) in enumerate(sorted(plan.columns.items())):
        begin, end = np.searchsorted(whole.rows, [rows[0], rows[-1] + 1])
        near = whole.where(slice(begin, end))
        slots = np.minimum(np.searchsorted(rows, near.rows), len(rows) - 1)
        here = rows[slots] == near.rows
        mine = Edits(slots[here], near.before[here], near.after[here])
        edits[name] = mine
        kind[mine.rows] |= 1 << bit
    status = edits.get("status", Edits.none())
    kind[status.rows[np.isin(status.after, DESTROYED)]] |= 1 << len(edits)
    for one in np.unique(kind).tolist():
        places = np.flatnonzero(kind == one)
        names = [name for bit, name in enumerate(edits) if one >> bit & 1]
        some = [edits[name].where(np.searchsorted(edits[name].rows, places)) for name in names]
        before, after = (
            np.column_stack([getattr(one, side) for one in some]) for side in ("before", "after")
        )
        alike = rows[places]
        yield Block(
            "memories",
            tuple(names),
            plan.seq[alike],
            before,
            after,
            revision=plan.revision[alike],
            touched=plan.touched[alike] if one >> len(edits) else None,
        )


def clusters(plan: PlanDecision) -> dict[int, int]:
    """Number the merges that must be done together: those that share a link, by their members."""
    parent = {}
    for survivor, discard in zip(plan.merges.survivor.tolist(), plan.merges.discard.tolist(), strict=True):
        parent[survivor] = parent[discard] = survivor
    if not parent:
        return {}

    def root(seq: int) -> int:
        while parent[seq] != seq:
            parent[seq] = parent[parent[seq]]
            seq = parent[seq]
        return seq

    for source, target in zip(plan.links.source.tolist(), plan.links.target.tolist(), strict=True):
        if source in parent and target in parent:
            parent[root(source)] = root(target)
    return {seq: root(seq) for seq in parent}


def _iterate_tag_changes(plan: PlanDecision) -> Iterator[tuple[int, Change]]:
    for name, tag, seqs in plan.iterate_tag_changes():
        goes = not action(name).adds_row
        for seq in seqs.tolist():
            yield seq, Change("tags", (seq, tag), {} if goes else None, None if goes else {})


def _iterate_memory_groups(
    plan: PlanDecision, clusters: dict[int, int], together: dict[int, Group]
) -> Iterator[Group]:
    flags: dict[int, Group] = {}
    for seq, change in _iterate_tag_changes(plan):
        if seq not in clusters:
            flags.setdefault(seq, []).append(change)
    waiting = Counter(clusters[seq] for seq in plan.seq.tolist() if seq in clusters) if clusters else {}
    for change in _rows(plan):
        seq = cast("int", change.key)
        if seq not in clusters:
            yield [change, *flags.pop(seq, ())]
            continue
        cluster = clusters[seq]
        together.setdefault(cluster, []).append(change)
        waiting[cluster] -= 1
        if not waiting[cluster]:
            yield together.pop(cluster)
    yield from flags.values()


def _rows(plan: PlanDecision) -> Iterator[Change]:
    """Yield the changes of memories, a chunk of them at a time."""
    purges = set(plan.purged.tolist())
    for low in range(0, len(plan.seq), CHUNK):
        high = min(low + CHUNK, len(plan.seq))
        before: list[Row] = [{} for _ in range(low, high)]
        after: list[Row] = [{} for _ in range(low, high)]
        for name, edits in plan.columns.items():
            _fill_columns(plan, name, edits, low, high, before, after)
        guards = zip(
            plan.seq[low:high].tolist(),
            plan.revision[low:high].tolist(),
            plan.touched[low:high].tolist(),
            strict=True,
        )
        for place, (seq, revision, touched) in enumerate(guards):
            if low + place in purges:
                yield Change("memories", seq, {"revision": revision, "touched": touched}, None)
                continue
            _guard_row(before[place], after[place], revision, touched)
            yield Change("memories", seq, before[place], after[place])


def _guard_row(before: Row, after: Row, revision: int, touched: int) -> None:
    """Name the revision where more than counters change, and `touched` where a memory is destroyed."""
    if not after.keys() - COUNTERS:
        return
    before["revision"], after["revision"] = revision, revision + 1
    if after.get("status") in DESTROYED:
        before["touched"] = touched


def _fill_columns(
    plan: PlanDecision, name: str, edits: Edits, low: int, high: int, before: list[Row], after: list[Row]
) -> None:
    begin, end = np.searchsorted(edits.rows, [low, high])
    places = (edits.rows[begin:end] - low).tolist()
    old, new = edits.before[begin:end].tolist(), edits.after[begin:end].tolist()
    write = _build_value_writer(plan, name)
    for place, was, is_ in zip(places, old, new, strict=True):
        if name in COUNTERS:
            before[place][name], after[place][name] = Increment(was - is_), Increment(is_ - was)
        else:
            before[place][name], after[place][name] = write(was), write(is_)


def _build_value_writer(plan: PlanDecision, name: str) -> Callable[[int], int | float | str | None]:
    """Return how a column's integers are written in changes."""
    if name == "state":
        return lambda number: None if number == ABSENT else plan.states[number]
    if COLUMN[name].kind == "fraction":
        return lambda number: None if number == ABSENT else number / MILLION
    return lambda number: None if number == ABSENT else number


def _iterate_link_changes(plan: PlanDecision) -> Iterator[Change]:
    links = plan.links
    sides = zip(_rows_of_links(links.before), _rows_of_links(links.after), strict=True)
    for key, (before, after) in zip(links.list_keys(), sides, strict=True):
        if before is None and after is not None:
            after["created_at"] = plan.now
        yield Change("links", key, before, after)


def _rows_of_links(side: Mapping[str, Ints]) -> Iterator[Row | None]:
    """Yield what each link holds, of the columns that a plan knows; None where there is no link."""
    columns = [unpack_column(name, values) for name, values in side.items()]
    for row in zip(*columns, strict=True):
        values = dict(zip(side, row, strict=True))
        yield None if values["weight"] is None else values
