"""A plan's changes, made one group at a time from its arrays: a million of them never exist at once.

Knows plans and changes; knows nothing of rules. Changes of one memory, and of all that one merge touches, are one
group: they are done together or not at all.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import isnan
from typing import Any, cast

import numpy as np

from remanence.change import Change, Increment
from remanence.curate.planner.diff import ABSENT, MILLION, Decision, Edits, Sides
from remanence.effects import ACTIONS, DESTROYED, UNFLAG, Effect, action_of
from remanence.model import COLUMN, COUNTERS

CHUNK = 8_192
Group = list[Change]
Row = dict[str, Any]
_OPEN: Row = {"resolved_at": None}  # a link of which nobody says that it is settled


def groups(plan: Decision) -> Iterator[Group]:
    """Yield a plan's changes: merges with all they touch, then memory by memory, then the links that are cut."""
    merging = clusters(plan)
    together: dict[int, Group] = {}
    for seq, change in _flags(plan):
        if seq in merging:
            together.setdefault(merging[seq], []).append(change)
    links = _links(plan)
    cuts = []
    for change in links:
        source, target, _ = cast("tuple[int, int, int]", change.key)
        cluster = merging.get(source, merging.get(target))
        if cluster is None:
            cuts.append(change)
        else:
            together.setdefault(cluster, []).append(change)
    yield from _memories(plan, merging, together)
    for change in cuts:
        yield [change]


def gravest(group: Iterable[Change]) -> Effect:
    """Return the gravest action that a group of changes carries out."""
    return min(map(action_of, group), key=ACTIONS.index)


def clusters(plan: Decision) -> dict[int, int]:
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


def _flags(plan: Decision) -> Iterator[tuple[int, Change]]:
    for action, tag, seqs in plan.tagged():
        goes = action == UNFLAG.name
        for seq in seqs.tolist():
            yield seq, Change("tags", (seq, tag), {} if goes else None, None if goes else {})


def _memories(plan: Decision, clusters: dict[int, int], together: dict[int, Group]) -> Iterator[Group]:
    flagged: dict[int, Group] = {}
    for seq, change in _flags(plan):
        if seq not in clusters:
            flagged.setdefault(seq, []).append(change)
    waiting = Counter(clusters[seq] for seq in plan.seq.tolist() if seq in clusters) if clusters else {}
    for change in _rows(plan):
        seq = cast("int", change.key)
        if seq not in clusters:
            yield [change, *flagged.pop(seq, ())]
            continue
        cluster = clusters[seq]
        together.setdefault(cluster, []).append(change)
        waiting[cluster] -= 1
        if not waiting[cluster]:
            yield together.pop(cluster)
    yield from flagged.values()


def _rows(plan: Decision) -> Iterator[Change]:
    """Yield the changes of memories, a chunk of them at a time."""
    purged = set(plan.purged.tolist())
    for low in range(0, len(plan.seq), CHUNK):
        high = min(low + CHUNK, len(plan.seq))
        before: list[Row] = [{} for _ in range(low, high)]
        after: list[Row] = [{} for _ in range(low, high)]
        for name, edits in plan.columns.items():
            _fill(plan, name, edits, low, high, before, after)
        guards = zip(
            plan.seq[low:high].tolist(),
            plan.revision[low:high].tolist(),
            plan.touched[low:high].tolist(),
            strict=True,
        )
        for place, (seq, revision, touched) in enumerate(guards):
            if low + place in purged:
                yield Change("memories", seq, {"revision": revision, "touched": touched}, None)
                continue
            _guard(before[place], after[place], revision, touched)
            yield Change("memories", seq, before[place], after[place])


def _guard(before: Row, after: Row, revision: int, touched: int) -> None:
    """Name the revision where more than counters change, and `touched` where a memory is destroyed."""
    if not after.keys() - COUNTERS:
        return
    before["revision"], after["revision"] = revision, revision + 1
    if after.get("status") in DESTROYED:
        before["touched"] = touched


def _fill(
    plan: Decision, name: str, edits: Edits, low: int, high: int, before: list[Row], after: list[Row]
) -> None:
    begin, end = np.searchsorted(edits.rows, [low, high])
    places = (edits.rows[begin:end] - low).tolist()
    old, new = edits.before[begin:end].tolist(), edits.after[begin:end].tolist()
    if name in COUNTERS:
        for place, was, is_ in zip(places, old, new, strict=True):
            before[place][name], after[place][name] = Increment(was - is_), Increment(is_ - was)
        return
    written = _writer(plan, name)
    for place, was, is_ in zip(places, old, new, strict=True):
        before[place][name], after[place][name] = written(was), written(is_)


def _writer(plan: Decision, name: str) -> Callable[[int], int | float | str | None]:
    """Return how a column's integers are written in changes."""
    if name == "state":
        return lambda number: None if number == ABSENT else plan.states[number]
    if COLUMN[name].kind == "fraction":
        return lambda number: None if number == ABSENT else number / MILLION
    return lambda number: None if number == ABSENT else number


def _links(plan: Decision) -> Iterator[Change]:
    links = plan.links
    keys = zip(links.source.tolist(), links.target.tolist(), links.relation.tolist(), strict=True)
    for key, before, after in zip(keys, _values(links.before), _values(links.after), strict=True):
        if before is None and after is not None:
            after["created_at"] = plan.now
        if before is None or after is None:
            yield Change("links", key, before, after)
        else:
            yield Change("links", key, {**_OPEN, **before}, {**_OPEN, **after})


def _values(sides: Sides) -> Iterator[Row | None]:
    rows = zip(
        sides.weight.tolist(),
        sides.confidence.tolist(),
        sides.last_at.tolist(),
        sides.count.tolist(),
        sides.resolved_at.tolist(),
        strict=True,
    )
    for weight, confidence, last_at, count, resolved_at in rows:
        if isnan(weight):
            yield None
            continue
        values: Row = {
            "weight": round(weight, 6),
            "confidence": None if isnan(confidence) else round(confidence, 6),
        }
        if last_at != ABSENT:
            values["last_at"] = last_at
        if count != ABSENT:
            values["count"] = count
        if resolved_at != ABSENT:
            values["resolved_at"] = resolved_at
        yield values
