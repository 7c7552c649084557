"""What an erasure takes out of a graph beside the rows that its commit names, and what is known of it afterwards.

Knows parts, marks and nodes; what is taken out of the audit `redact_images` knows.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from secrets import token_hex
from typing import Any, cast

import orjson

from remanence.core.change import Cause, Change
from remanence.core.errors import Conflict
from remanence.core.forbidden import Forbidden
from remanence.core.redaction import Names
from remanence.store import erasure
from remanence.store.constraints import bans_of
from remanence.store.erasure import EMPTIED, MarkKind
from remanence.store.neo4j.neo_log import open_log
from remanence.store.neo4j.neo_reads import search_words
from remanence.store.neo4j.neo_rows import dump_json
from remanence.store.neo4j.neo_transactions import Transaction
from remanence.store.row_rules import Row, Tables
from remanence.store.sql import redact_images
from remanence.store.sql.erasing import PLAIN_ID, iterate_strings
from remanence.store.sql.redact_images import Emptying, QuotedStrings, RedactedContent
from remanence.text.analysis import fingerprint

_PARTS_AT_ONCE = 500
_ROWS_AT_ONCE = 10_000
_SALT_BYTES = 16
_LASTING = [int(MarkKind.ERASED), int(MarkKind.ID)]  # no other mark takes the place of these
BEYOND = (
    "the server's transaction logs, its backups and pages of its files that are not used again yet keep what they have:"
    " look at db.tx_log.rotation.retention_policy and how long backups are kept"
)


def refuse_erased(db: Transaction, salts: Sequence[str], changes: Sequence[Change]) -> None:
    """Raise Conflict for what would come in and was erased."""
    coming = erasure.names_coming_in(changes) if salts else {}
    if back := _find_marked(db, salts, coming):
        raise Conflict(sorted(coming[name] for name in back))


def _find_marked(db: Transaction, salts: Sequence[str], names: Collection[str]) -> dict[str, int]:
    by_mark = {erasure.mark(bytes.fromhex(salt), name): name for salt in salts for name in names}
    rows = db.rows("read_erased", marks=[*by_mark], kept=int(MarkKind.KEPT)) if by_mark else []
    return {by_mark[row["mark"]]: row["at"] for row in rows}


def erase_from_log(
    db: Transaction,
    scope: Mapping[str, Any],
    tables: tuple[Tables, Tables],
    logged: Sequence[Change],
    cause: Cause,
) -> tuple[tuple[Change, ...], Cause, dict[str, Any]]:
    """Take images, quotations and names out of all parts, and keep marks of what went.

    Return what the log keeps of it, why, and what the node of the scope says from now on. `tables` are those before and
    after; they are written already.
    """
    before, after = (some["memories"] for some in tables)
    seqs = [cast("int", change.key) for change in logged if change.table == "memories"]
    former = {seq: before[seq] for seq in seqs if seq in before}
    with open_log(db, page_parts(db)) as log:
        emptying = Emptying(log.scope, seqs)
        emptying.take()
        _take_said(db, emptying, former, logged, cause)
        left = emptying.part_digests()
        detail = {EMPTIED: redact_images.emptied_digest(left), **emptying.end_mark_detail()}
        redact_images.write(log.scope, scope["position"] + 1, left)
        log.save(db)
    salts = scope.get("salts") or [token_hex(_SALT_BYTES)]
    _keep_marks(db, salts[0], _list_marked(db, emptying.found, former, after.keys()), cause.at)
    db.run("strip_gone", seqs=seqs)
    if cause.unnamed is not None:
        _remove_accessors(db, cause.unnamed)
    db.run("mark_uncleaned")
    entries = tuple(Change("memories", seq, {}, None) for seq in seqs)
    return entries, replace(cause, detail={**cause.detail, **detail}), {"salts": salts}


def page_parts(db: Transaction) -> Iterator[Mapping[str, Any]]:
    """Yield the nodes of all parts."""
    after = 0
    while rows := db.rows("read_parts", after=after, limit=_PARTS_AT_ONCE, rows=True):
        yield from (row["part"] for row in rows)
        after = rows[-1]["part"]["position"]


def _take_said(
    db: Transaction, emptying: Emptying, former: Mapping[int, Row], logged: Sequence[Change], cause: Cause
) -> None:
    """Take out of the log what bans, boxes and traces said of what goes, quotations of it, and a person's names."""
    texts = {row["text"] for row in former.values()}.union(*emptying.found.texts.values())
    strings = {*texts, *emptying.found.strings, *iterate_strings(former.values())}
    emptying.take_named("forbidden", bans_of(texts))
    for table in ("boxes", "traces"):
        emptying.take_named(table, {str(change.key) for change in logged if change.table == table})

    def find_staying(stems: Sequence[str]) -> set[str]:
        return {stem for stem, rows in search_words(db, stems).rows.items() if len(rows)}

    emptying.silence(QuotedStrings((one for one in strings if not PLAIN_ID.fullmatch(one)), find_staying))
    if cause.unnamed is not None:
        emptying.take_names(cause.unnamed)


def _list_marked(
    db: Transaction, found: RedactedContent, former: Mapping[int, Row], staying: AbstractSet[int]
) -> dict[str, MarkKind]:
    """Return by what is known again what went, and what memories that stay do not say any more."""
    said = {seq: {row["text"]} for seq, row in former.items()}
    for seq, some in found.texts.items():
        said[seq] = said.get(seq, set()) | some
    every = set().union(*said.values())
    unsaid = every - set(db.collect("read_texts", fingerprints=[fingerprint(text).hex() for text in every]))
    ids = {**found.ids, **{seq: row["id"] for seq, row in former.items()}}
    gone = {seq: id_ for seq, id_ in ids.items() if seq not in staying}
    whole = {text for seq, texts in said.items() if seq not in staying for text in texts}
    return {
        **dict.fromkeys(erasure.names_of((), unsaid - whole), MarkKind.REDACTED),
        **dict.fromkeys(erasure.names_of(sorted(gone.items()), whole & unsaid), MarkKind.ERASED),
        **dict.fromkeys(map(erasure.of_id, gone.values()), MarkKind.ID),
    }


def _keep_marks(db: Transaction, salt: str, names: Mapping[str, MarkKind], at: int) -> None:
    rows = [[erasure.mark(bytes.fromhex(salt), name), at, int(kind)] for name, kind in names.items()]
    if rows:
        db.run("put_erased", rows=rows, lasting=_LASTING)


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
    return _find_marked(db, db.read_scope().get("salts", ()), names)


def list_erased_ids(db: Transaction) -> list[str]:
    """Return the ids of the memories that were erased, the earliest first."""
    return [row["mark"] for row in db.rows("list_erased") if row["kind"] == MarkKind.ID]


def list_forbidden(db: Transaction, folds: Sequence[str] | None) -> list[Forbidden]:
    """Return which of these folds are forbidden or of what was erased, or all that are forbidden, in order."""
    rows = db.rows("list_forbidden", folds=None if folds is None else list(folds))
    entries = [Forbidden(row["fold"], **orjson.loads(row["row"])) for row in rows]
    names = {erasure.of_fold(fold): fold for fold in folds or ()}
    entries += [Forbidden(names[name], at, is_erased=True) for name, at in find_erased(db, names).items()]
    return sorted(entries, key=lambda one: one.fold)
