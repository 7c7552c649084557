"""One commit: reads the rows that its changes are about, has the shared rules decide on them, writes what is otherwise.

Knows the order of a commit; the rules are those of `row_rules`, `audit_parts` and `constraints`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from remanence.core.change import AuditPart, Cause, CommitResult, Entry, rows_of
from remanence.core.clock import MINUTE
from remanence.store.audit_parts import USE_PARTS_MAX, content_digest, extend_run, refuse_lost, refuse_other
from remanence.store.constraints import resolve
from remanence.store.erasure import ERASE
from remanence.store.neo4j.neo_erasing import erase_from_log, refuse_erased
from remanence.store.neo4j.neo_parts import append_part, decode_part, decode_result
from remanence.store.neo4j.neo_settings import add_counts, put_settings
from remanence.store.neo4j.neo_slices import ScopeSlice
from remanence.store.neo4j.neo_transactions import Transaction, WriteOutcome
from remanence.store.row_rules import apply_changes, refuse_conflicts


def commit_changes(db: Transaction, changes: Sequence[Entry], cause: Cause) -> WriteOutcome[CommitResult]:
    """Write all changes with their audit, or raise."""
    asked = content_digest(changes)
    keys = [(cause.run, cause.part), *([] if cause.extends is None else [cause.extends])]
    scope = db.lock_scope(None if cause.fence is None else cause.fence[0], keys)
    if (known := _find_written(scope.parts, cause, asked)) is not None:
        return WriteOutcome(known, scope.is_new)
    if cause.fence is not None:
        refuse_lost(cause.fence, scope.fence)
    rows = list(rows_of(changes))
    position = scope.values["position"]
    some = ScopeSlice(db, cause, position + 1, forbids=scope.values["forbidden"] > 0)
    some.read(rows)
    refuse_conflicts(some.tables, rows, cause.verb)
    refuse_erased(db, scope.values.get("salts", ()), rows)
    final, new_seqs = resolve(rows, scope.values["latest_seq"])
    some.read_ends(final, scope.values["latest_seq"])
    tables, entries = apply_changes(some.tables, final, cause)
    counts = some.write(tables)
    cause = extend_run(_read_last_run(db, scope.values, cause), cause, entries)
    values: dict[str, Any] = {name: scope.values[name] + count for name, count in counts.items()}
    values["latest_seq"] = max(scope.values["latest_seq"], *tables["memories"], 0)
    if cause.verb == ERASE:
        entries, cause, more = erase_from_log(db, scope.values, (some.tables, tables), entries, cause)
        values |= more
    if rows or cause.closes:
        values |= append_part(db, scope.values, cause, entries, asked, new_seqs)[1]
    if cause.fired:
        fired = orjson.loads(scope.values.get("fired", "{}")) | dict.fromkeys(cause.fired, cause.at)
        values["fired"] = orjson.dumps(fired).decode()
    if cause.turns:
        db.run("add_turns", rows=[[cause.at // MINUTE * MINUTE, cause.turns]])
    add_counts(db, cause.counts)
    put_settings(db, cause.values)
    result = CommitResult(
        cause.run, cause.part, values.get("position", position), new_seqs, len(entries), position
    )
    return WriteOutcome(result, scope.is_new, values)


def _find_written(written: Sequence[Mapping[str, Any]], cause: Cause, asked: bytes) -> CommitResult | None:
    """Return what was done where the part, or the one that it would be by now, is written already."""
    parts = {(one["run"], one["part"]): one for one in written}
    node = parts.get((cause.run, cause.part))
    if node is not None:
        refuse_other(cause, node["asked"], asked)
        return decode_result(node, is_repeated=True)
    node = parts.get(cause.extends) if cause.extends is not None else None
    return decode_result(node) if node is not None and node["asked"] == asked else None


def _read_last_run(db: Transaction, scope: Mapping[str, Any], cause: Cause) -> list[AuditPart]:
    """Return the parts of the last run of a scope, without their changes, where a commit of uses may go on with it."""
    last = scope.get("last_run"), scope.get("last_part", 0) + 1
    if cause.extends is None or cause.extends != last:
        return []
    after = max(scope["position"] - USE_PARTS_MAX, 0)
    rows = db.rows("read_run", run=last[0], after=after, limit=USE_PARTS_MAX, rows=False)
    return [decode_part(row["part"]) for row in rows]
