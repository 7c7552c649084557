"""How old images of the audit end, and what was purged is found by name. Knows parts, and no rule of what ends."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import orjson

from remanence.core.change import Cause
from remanence.store.audit_parts import content_digest, refuse_lost, refuse_other, with_end
from remanence.store.base import EndImagesResult, PurgedMemory
from remanence.store.neo4j.neo_log import open_log
from remanence.store.neo4j.neo_parts import append_part, decode_part
from remanence.store.neo4j.neo_transactions import Transaction, WriteOutcome
from remanence.store.sql.audit import Ends
from remanence.store.sql.image_expiry import ImageEnding, read_end_result, remove_use_lines
from remanence.store.undo_data_pruning import EXPIRE, KEEPS_IMAGES, ImageEndMark, reach

_PARTS_AT_ONCE = 1_001


def end_images(db: Transaction, before: int, cause: Cause) -> WriteOutcome[EndImagesResult]:
    """Take away the images of the oldest parts, as long as each is of before a time, and log that as a part."""
    asked = content_digest(())
    scope = db.lock_scope(None if cause.fence is None else cause.fence[0], [(cause.run, cause.part)])
    if scope.parts:
        (node,) = scope.parts
        refuse_other(cause, node["asked"], asked)
        (row,) = db.rows("read_parts", after=node["position"] - 1, limit=1, rows=True)
        part = decode_part(row["part"])
        return WriteOutcome(read_end_result(part.position, part.cause.detail), scope.is_new)
    if cause.fence is not None:
        refuse_lost(cause.fence, scope.fence)
    ended = db.rows("list_ends")
    mark = ImageEndMark.read(orjson.loads(ended[-1]["detail"])) if ended else ImageEndMark()
    reached = reach(_page_counts(db, mark.through), before)
    through, more = reached
    rows = db.rows("list_held_parts", since=mark.proven_from, through=max(mark.through, through))
    keepers = db.collect("list_keepers", status=KEEPS_IMAGES.label, now=cause.at, before=before)
    with open_log(db, [row["part"] for row in rows]) as log:
        ending = ImageEnding(log.scope, frozenset(keepers))
        ending.end_released_images(mark.through)
        ending.end_whole_parts(
            [row["part"]["position"] for row in rows if row["part"]["position"] > mark.through]
        )
        if not through and not ending.parts:
            return WriteOutcome(EndImagesResult(0, mark.through), scope.is_new)
        mark = remove_use_lines(log.scope, mark.replace_parts(ending.gone, ending.stays), through)
        pairs = [(row["through"], row["at"]) for row in ended] + [(mark.through, cause.at)]
        log.save(db, Ends(*zip(*pairs, strict=True)))
    counts = {"parts": ending.parts, "changes": ending.changes, "kept": len(ending.stays), "more": more}
    cause = replace(cause, verb=EXPIRE, detail={**cause.detail, **mark.values(), **counts})
    part, values = append_part(db, scope.values, cause, (), asked, ())
    return WriteOutcome(read_end_result(part.position, part.cause.detail), scope.is_new, values)


def _page_counts(db: Transaction, after: int) -> Iterator[tuple[int, int, int]]:
    """Yield of the parts after a position their positions, times and counts, as far as somebody asks."""
    while rows := db.rows("page_counts", after=after, limit=_PARTS_AT_ONCE):
        for row in rows:
            at, count = orjson.loads(row["uses"])[:2] if row["uses"] else (row["at"], row["count"])
            yield row["position"], at, count
        after = rows[-1]["position"]


def find_purged(db: Transaction, names: Sequence[int | str]) -> list[PurgedMemory]:
    """Return the purged memories that have one of these numbers, ids or keys, or an id that ends so, in order."""
    seqs = [name for name in names if isinstance(name, int)]
    texts = [name for name in names if isinstance(name, str) and name]
    found = _find_gone(db, seqs, texts, [])
    exact = {name for one in found.values() for name in (one.id, one.key)}
    if others := [name for name in texts if name not in exact]:
        found |= _find_gone(db, [], [], others)
    return [one for _, one in sorted(found.items())]


def _find_gone(
    db: Transaction, seqs: Sequence[int], names: Sequence[str], endings: Sequence[str]
) -> dict[int, PurgedMemory]:
    rows = db.rows("find_gone", seqs=list(seqs), names=list(names), endings=list(endings))
    return {
        row["seq"]: with_end(
            [decode_part(row["part"])],
            PurgedMemory(row["seq"], row["id"], row["key"], row["run"], row["at"]),
        )
        for row in rows
    }
