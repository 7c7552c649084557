"""What a commit does to tables given as plain dicts, and leases, values and counters beside them, without a store.

The tables need not be whole: rows that no change names, that claim nothing that a change claims and that hang on none
of its memories are of no account. A row of a memory may lack columns that nothing in the commit names. Knows changes,
rows, names, times and holders; knows nothing of scopes, audit chains or how rows are kept.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, cast

from remanence.core.change import GUARDS, Cause, Change, Increment
from remanence.core.errors import Conflict, InvalidInput
from remanence.core.model import COLUMNS, STANDING
from remanence.core.redaction import Names
from remanence.store.base import LEASES_MOST
from remanence.store.constraints import (
    APART,
    HANGING,
    REVISING,
    as_far_as,
    claims_text,
    count_use,
    defaults,
    encode_values,
    find_freed_keys,
    find_leaving_texts,
    folds_of,
    memories_of,
    refuse_class,
    refuse_state,
    refuse_transition,
    texts_coming_in,
)
from remanence.store.erasure import ERASE

Row = Mapping[str, Any]
Tables = dict[str, dict[Any, Row]]

_DEFAULTS: Row = {
    column.name: int(column.default) if column.labels and column.default is not None else column.default
    for column in COLUMNS
}


def empty() -> Tables:
    """Return tables without rows."""
    return {table: {} for table in ("memories", *HANGING, *APART)}


def refuse_conflicts(tables: Tables, changes: Sequence[Change], verb: str) -> None:
    """Raise Conflict with every row that is not as its change says it was."""
    leaving = find_leaving_texts(changes)
    claims = {
        (name, row[name])
        for seq, row in tables["memories"].items()
        for name in ("id", "key", "fingerprint")
        if row.get(name) is not None
        and (name != "fingerprint" or (row["status"] in STANDING and seq not in leaving))
    } - {("key", key) for key in find_freed_keys(changes)}
    going = _find_destroyed_keys(tables, changes)
    conflicts: list[tuple[str, Any]] = []
    for change in changes:
        row = tables[change.table].get(change.key)
        if row is None and is_purged(change, verb):
            continue
        if change.before is not None:
            is_expected = row is not None and all(
                row[name] == value for name, value in _expected_values(change).items()
            )
            if not is_expected or not _claim_key(change, claims, going):
                conflicts.append((change.table, change.key))
        elif row is not None or (change.table == "memories" and not _claim(change.after or {}, claims, verb)):
            conflicts.append((change.table, change.key))
    folds = folds_of(texts_coming_in(changes, verb)) if tables["forbidden"] else set()
    conflicts += [("forbidden", fold) for fold in sorted(folds & tables["forbidden"].keys())]
    if conflicts:
        raise Conflict(conflicts)


def is_purged(change: Change, verb: str) -> bool:
    """Tell whether an erasure means the images of a memory that may have no row any more."""
    return verb == ERASE and change.table == "memories" and change.after is None and not change.before


def apply_changes(
    tables: Tables, changes: Sequence[Change], cause: Cause
) -> tuple[Tables, tuple[Change, ...]]:
    """Return new tables with all changes done and the changes as the log keeps them; the old tables stay as they are.

    Placeholders are resolved and conflicts refused already. Raise InvalidInput where the result would break a rule.
    """
    after = {name: dict(rows) for name, rows in tables.items()}
    entries = tuple(_write(after, change, cause) for change in changes)
    _refuse_dangling(after, changes)
    _revise(tables, after, changes)
    if not cause.planned:
        _touch(after, changes, but=after["memories"].keys() - tables["memories"].keys())
    return after, entries


def unused_by(tables: Tables, names: Names) -> Tables:
    """Return tables in which no memory tells that a person used it."""
    rows = {
        seq: {
            **row,
            "accessors": {
                agent: access for agent, access in row["accessors"].items() if not names.stand_in(agent)
            }
            or None,
        }
        if row["accessors"]
        else row
        for seq, row in tables["memories"].items()
    }
    return {**tables, "memories": rows}


def _expected_values(change: Change) -> Row:
    """Return the values that the row must have, counters aside."""
    before = change.before or {}
    guards = {name: before[name] for name in GUARDS & before.keys()}
    return guards | {
        name: value
        for name, value in encode_values(change.table, before).items()
        if not isinstance(value, Increment)
    }


def _claim(row: Row, taken: set[tuple[str, Any]], verb: str) -> bool:
    """Take id, key and, for a memory that comes in sight, fingerprint for a new row; tell whether all were free."""
    names = ["id", "key"] + ["fingerprint"] * claims_text(verb, row)
    claims = {(name, row[name]) for name in names if row.get(name) is not None}
    free = not claims & taken
    taken |= claims
    return free


def _find_destroyed_keys(tables: Tables, changes: Iterable[Change]) -> set[Any]:
    """Return the keys of memories whose rows go in a commit: an update may give them to others in the same."""
    seqs = [change.key for change in changes if change.table == "memories" and change.after is None]
    return {tables["memories"][seq]["key"] for seq in seqs if seq in tables["memories"]}


def _claim_key(change: Change, taken: set[tuple[str, Any]], going: set[Any]) -> bool:
    """Take the key that an update gives to a memory; tell whether it was free."""
    key = (change.after or {}).get("key")
    if change.table != "memories" or key is None or key == (change.before or {}).get("key"):
        return True
    free = ("key", key) not in taken or key in going
    taken.add(("key", key))
    going.discard(key)
    return free


def _write(tables: Tables, change: Change, cause: Cause) -> Change:
    """Do one change in `tables`; return it as the log keeps it."""
    rows, old = tables[change.table], tables[change.table].get(change.key)
    if change.after is None:
        if old is None:  # purged: `refuse_conflicts` looked
            return Change(change.table, change.key, {}, None)
        del rows[change.key]
        return Change(change.table, change.key, old, None)
    values = encode_values(change.table, change.after)
    if change.table == "memories":
        return _write_memory(rows, change, values, cause)
    rows[change.key] = {**defaults(change.table, cause.at), **(old or {}), **values}
    if old is None:
        return Change(change.table, change.key, None, {})
    return Change(change.table, change.key, {name: old[name] for name in values}, values)


def _write_memory(rows: dict[Any, Row], change: Change, values: dict[str, Any], cause: Cause) -> Change:
    seq = cast("int", change.key)
    old, after = rows.get(seq), change.after or {}
    if old is None:
        rows[seq] = {**_DEFAULTS, **values, "revision": after.get("revision", 1)}
        refuse_state(seq, rows[seq])
        return Change("memories", seq, None, {"revision": rows[seq]["revision"]})
    increments = {name: value.by for name, value in values.items() if isinstance(value, Increment)}
    columns = {name: value for name, value in values.items() if name not in increments}
    counts = {name: as_far_as(old[name], by) for name, by in increments.items()}
    new = {**old, **columns} | {name: old[name] + by for name, by in counts.items()}
    if increments.get("uses", 0) > 0:
        new |= {
            name: value
            for name, value in count_use(old, cause.at, counts["uses"]).items()
            if name not in columns
        }
        if cause.verb == "use" and cause.actor is not None:
            new["accessors"] = count_access(old["accessors"], cause.actor, cause.at, counts["uses"])
    new["touched"] += bool(counts)
    new["revision"] += bool(columns) and cause.verb != "embed"
    rows[seq] = new
    refuse_transition(seq, old["status"], new["status"], cause.verb)
    refuse_class(seq, old["policy_class"], new["policy_class"], cause.verb)
    refuse_state(seq, new)
    names = [*columns, *(["revision"] if columns else [])]
    return Change(
        "memories",
        seq,
        {name: old[name] for name in names} | {name: Increment(-by) for name, by in counts.items()},
        {name: new[name] for name in names} | {name: Increment(by) for name, by in counts.items()},
    )


def count_access(
    accessors: Mapping[str, Mapping[str, int]] | None, agent: str, at: int, by: int
) -> dict[str, Mapping[str, int]]:
    """Return who used a memory, with an agent's uses counted."""
    by_agent = dict(accessors or {})
    entry = by_agent.get(agent, {"uses": 0, "last_at": at})
    uses = entry["uses"] + as_far_as(entry["uses"], by)
    by_agent[agent] = {"uses": uses, "last_at": max(entry["last_at"], at)}
    return dict(sorted(by_agent.items()))


def _refuse_dangling(tables: Tables, changes: Sequence[Change]) -> None:
    """Raise InvalidInput for what hangs on no memory, made so from either side."""
    destroyed_seqs = {change.key for change in changes if change.table == "memories" and change.after is None}
    new_rows = [(change.table, change.key) for change in changes if change.after is not None]
    old_rows = [(table, key) for table in HANGING for key in tables[table]] if destroyed_seqs else []
    for table, key in new_rows + old_rows:
        missing = [seq for seq in memories_of(table, key) if seq not in tables["memories"]]
        if missing:
            raise InvalidInput(
                f"{table} {key} would name memory {missing[0]}, which does not exist",
                recovery="destroy a memory together with its tags, links and sources",
            )


def _revise(before: Tables, after: Tables, changes: Sequence[Change]) -> None:
    """Raise the revision of a memory whose tags alone changed: whoever read it before must read it again."""
    tagged_seqs = {change.key[0] for change in changes if change.table in REVISING}  # type: ignore[index]
    for seq in tagged_seqs & before["memories"].keys() & after["memories"].keys():
        row = after["memories"][seq]
        if row["revision"] == before["memories"][seq]["revision"]:
            after["memories"][seq] = {**row, "revision": row["revision"] + 1}


def _touch(tables: Tables, changes: Sequence[Change], but: AbstractSet[int]) -> None:
    """Raise `touched` where something was written that hangs on a memory, and of all neighbours of one that changed."""
    neighbours: dict[int, set[int]] = {}
    for source, target, _ in tables["links"]:
        neighbours.setdefault(source, set()).add(target)
        neighbours.setdefault(target, set()).add(source)
    seqs: set[int] = set()
    for change in changes:
        if change.table != "memories":
            seqs |= set(memories_of(change.table, change.key))
        elif changes_state(change):
            seqs |= neighbours.get(cast("int", change.key), set())
    for seq in seqs & tables["memories"].keys() - but:
        row = tables["memories"][seq]
        tables["memories"][seq] = {**row, "touched": row["touched"] + 1}


def changes_state(change: Change) -> bool:
    """Tell whether a change of a memory that stays is more than counting: its neighbours are touched by it."""
    if change.before is None or change.after is None:
        return False
    values = encode_values(change.table, change.after).values()
    return not all(isinstance(value, Increment) for value in values)


def merge_span(spans: Sequence[tuple[int, int]], cover: tuple[int, int]) -> list[tuple[int, int]]:
    """Return spans with one interval more, which takes in all that it meets; an empty one covers nothing."""
    met = [span for span in spans if span[0] <= cover[1] and span[1] >= cover[0]]
    union = min(span[0] for span in (cover, *met)), max(span[1] for span in (cover, *met))
    apart = [span for span in spans if span not in met]
    return sorted([*apart, union]) if union[0] < union[1] else apart


def lease(
    leases: dict[str, tuple[str, int, int]], name: str, holder: str, until: int, *, now: int
) -> int | None:
    """Take or renew a lease; return its fence, or None where another holds it."""
    held_by, held_until, fence = leases.get(name, ("", now, 0))
    if held_by != holder and now < held_until <= now + LEASES_MOST * (until - now):
        return None
    leases[name] = (holder, until, fence + (held_by != holder))
    return leases[name][2]


def release(leases: dict[str, tuple[str, int, int]], name: str, holder: str) -> None:
    """Free a lease; its fence stays, so that the next holder's is higher."""
    held_by, until, fence = leases.get(name, ("", 0, 0))
    if held_by == holder:
        leases[name] = ("", min(until, 0), fence)


def put(values: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return values as JSON keeps them with some set anew, without those that are set to None."""
    entries = {**values, **json.loads(json.dumps(dict(new)))}
    return {name: value for name, value in entries.items() if value is not None}


def add_counts(counters: Counter[str], counts: Mapping[str, int]) -> Counter[str]:
    """Return the counters with so much added; one that comes to 0 is gone."""
    totals = Counter(counters)
    totals.update(counts)
    return Counter({name: count for name, count in totals.items() if count})
