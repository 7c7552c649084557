"""What an erasure takes out of a graph beside the rows that its commit names, and what is known of it afterwards.

Knows parts, marks and nodes; the rules are those of `erasure` and `part_rules`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from secrets import token_hex
from typing import Any, cast

import orjson

from remanence.core.change import AuditPart, Cause, Change
from remanence.core.errors import Conflict
from remanence.core.forbidden import Forbidden
from remanence.core.redaction import Names
from remanence.store import erasure
from remanence.store.neo4j.neo_parts import decode_part, encode_content
from remanence.store.neo4j.neo_rows import dump_json
from remanence.store.neo4j.neo_transactions import Transaction
from remanence.store.part_rules import RedactedLog, end_mark_detail, redact_log
from remanence.store.row_rules import Tables
from remanence.store.undo_data_pruning import ImageEndMark
from remanence.text.analysis import fingerprint

_PARTS_AT_ONCE = 500
_ROWS_AT_ONCE = 10_000
_SALT_BYTES = 16
_ID, _HASH = "id", "hash"  # kinds of marks
BEYOND = (
    "the server's transaction logs, its backups and pages of its files that are not used again yet keep what they have:"
    " look at db.tx_log.rotation.retention_policy and how long backups are kept"
)


def refuse_erased(db: Transaction, salt: str | None, changes: Sequence[Change]) -> None:
    """Raise Conflict for what would come in and was erased."""
    coming = erasure.names_coming_in(changes) if salt is not None else {}
    by_mark = {_mark(salt, name): row for name, row in coming.items()}
    if by_mark and (back := [by_mark[row["mark"]] for row in db.rows("read_erased", marks=[*by_mark])]):
        raise Conflict(sorted(back))


def _mark(salt: str | None, name: str) -> str:
    return erasure.mark(bytes.fromhex(salt or ""), name)


def erase_from_log(
    db: Transaction, scope: Mapping[str, Any], before: Tables, logged: Sequence[Change], cause: Cause
) -> tuple[tuple[Change, ...], Cause, dict[str, Any]]:
    """Take images and names out of all parts, and keep marks of what went.

    Return what the log keeps of it, why, and what the node of the scope says from now on. `before` are the tables as
    the commit found them; what it writes is written.
    """
    seqs = [cast("int", change.key) for change in logged if change.table == "memories"]
    mark = read_mark(db)
    redacted: list[RedactedLog] = []
    detail: dict[str, Any] = {}
    for log in _page_parts(db, seqs, cause.unnamed):
        one = redact_log(log, seqs, cause.unnamed)
        _write_redacted(db, log, one)
        if more := end_mark_detail(mark, log, one.log):
            mark, detail = ImageEndMark.read(more), more
        redacted.append(one)
    former = {seq: before["memories"][seq] for seq in seqs if seq in before["memories"]}
    texts = {row["text"] for row in former.values()}.union(*(one.texts for one in redacted))
    ids = {seq: id_ for one in redacted for seq, id_ in one.ids.items()}
    ids |= {seq: row["id"] for seq, row in former.items()}
    texts -= set(db.collect("read_texts", fingerprints=[fingerprint(text).hex() for text in texts]))
    salt = scope.get("salt") or token_hex(_SALT_BYTES)
    _keep_marks(db, salt, erasure.names_of(sorted(ids.items()), texts), cause.at)
    db.run("strip_gone", seqs=seqs)
    if cause.unnamed is not None:
        _remove_accessors(db, cause.unnamed)
    db.run("mark_uncleaned")
    entries = tuple(Change("memories", seq, {}, None) for seq in seqs)
    return entries, replace(cause, detail={**cause.detail, **detail}), {"salt": salt}


def read_mark(db: Transaction) -> ImageEndMark:
    """Return how far images have ended, as the last part that took some says."""
    row = db.row("read_mark")
    return ImageEndMark() if row is None else ImageEndMark.read(orjson.loads(row["detail"]))


def _page_parts(db: Transaction, seqs: Sequence[int], names: Names | None) -> Any:
    """Yield the parts of which some goes: those about the memories, and any that may say a name."""
    if names is None:
        yield [decode_part(row["part"]) for row in db.rows("read_parts_about", seqs=seqs)]
        return
    after = 0
    while rows := db.rows("read_parts", after=after, limit=_PARTS_AT_ONCE, rows=True):
        yield [decode_part(row["part"]) for row in rows]
        after = rows[-1]["part"]["position"]


def _write_redacted(db: Transaction, log: Sequence[AuditPart], redacted: RedactedLog) -> None:
    rows = [
        {
            "position": new.position,
            **encode_content(new),
            **({"header_cut": True} if new.cause != old.cause else {}),
            **({"rest_cut": True} if len(new.entries) < len(old.entries) else {}),
        }
        for old, new in zip(log, redacted.log, strict=True)
        if new.position in redacted.digests
    ]
    if rows:
        db.run("write_parts", rows=rows)


def _keep_marks(db: Transaction, salt: str, names: Sequence[str], at: int) -> None:
    rows = [
        {
            "mark": _mark(salt, name),
            "kind": _ID if erasure.ids_among([name]) else _HASH,
            "at": at,
            "place": place,
        }
        for place, name in enumerate(names)
    ]
    if rows:
        db.run("put_erased", rows=rows)


def _remove_accessors(db: Transaction, names: Names) -> None:
    """Let no memory tell that a person used it."""
    after = 0
    while page := db.collect("page_accessors", after=after, limit=_ROWS_AT_ONCE):
        rows = []
        for seq, text in page:
            accessors = orjson.loads(text)
            left = {agent: access for agent, access in accessors.items() if not names.stand_in(agent)}
            if len(left) < len(accessors):
                rows.append({"seq": seq, "accessors": dump_json(left) if left else None})
        if rows:
            db.run("update_memories", rows=rows)
        after = page[-1][0]


def find_erased(db: Transaction, names: Collection[str]) -> dict[str, int]:
    """Return which of these names were erased, and when."""
    salt = db.read_scope().get("salt")
    by_mark = {_mark(salt, name): name for name in names} if salt is not None else {}
    rows = db.rows("read_erased", marks=[*by_mark]) if by_mark else []
    return {by_mark[row["mark"]]: row["at"] for row in rows}


def list_erased_ids(db: Transaction) -> list[str]:
    """Return the ids of the memories that were erased, the earliest first."""
    return [row["mark"] for row in db.rows("list_erased", kind=_ID)]


def list_forbidden(db: Transaction, folds: Sequence[str] | None) -> list[Forbidden]:
    """Return which of these folds are forbidden or of what was erased, or all that are forbidden, in order."""
    rows = db.rows("list_forbidden", folds=None if folds is None else list(folds))
    entries = [Forbidden(row["fold"], **orjson.loads(row["row"])) for row in rows]
    names = {erasure.of_fold(fold): fold for fold in folds or ()}
    entries += [Forbidden(names[name], at, is_erased=True) for name, at in find_erased(db, names).items()]
    return sorted(entries, key=lambda one: one.fold)
