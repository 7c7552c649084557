"""A log as a list of parts: chained by digests, what an erasure or the end of images leaves, who has gone.

Knows parts, rows and changes; knows nothing of scopes.
"""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, replace
from typing import Any, NamedTuple

from remanence.core.change import ROWLESS, AuditPart, Cause, Change
from remanence.core.redaction import Names
from remanence.store.audit_parts import UNCHAINED, USE, digest_of, find_used, part_digest
from remanence.store.base import PurgedMemory
from remanence.store.constraints import memories_of
from remanence.store.erasure import ERASE
from remanence.store.row_rules import Tables
from remanence.store.undo_data_pruning import (
    EXPIRE,
    KEEPS_IMAGES,
    THROUGH,
    ImageEndMark,
    PartHead,
    update_sum,
)

# Of why a part was done, None where that is said still, and of what it changed.
Digests = tuple[bytes | None, bytes]


class RedactedLog(NamedTuple):
    """What an erasure leaves of a log, the digests that its parts had, and the texts and ids of what went."""

    log: list[AuditPart]
    digests: dict[int, Digests]
    texts: set[str]
    ids: dict[int, str]


def redact_log(log: Sequence[AuditPart], gone: Collection[int], names: Names | None) -> RedactedLog:
    """Take the images of memories out of every part, and a person's names out of why it was done, and by whom."""
    targets = frozenset(gone)
    parts: list[AuditPart] = []
    digests: dict[int, Digests] = {}
    for part in log:
        entries = tuple(one for one in part.changes if not _is_of(one, targets))
        cause = part.cause if names is None else _redact_names(part.cause, names)
        if len(entries) < len(part.changes) or cause != part.cause:
            digests[part.position] = header_digest(part), entries_digest(part)
        parts.append(replace(part, cause=cause, entries=entries))
    sides = [
        (change.key, side)
        for part in log
        for change in part.changes
        if isinstance(change.key, int) and change.table == "memories" and change.key in targets
        for side in (change.before, change.after)
        if side
    ]
    texts = {side["text"] for _, side in sides if "text" in side}
    return RedactedLog(parts, digests, texts, {seq: side["id"] for seq, side in sides if "id" in side})


def _redact_names(cause: Cause, names: Names) -> Cause:
    actor = None if cause.actor is None else names.without(cause.actor)
    detail = names.taken_out_of(cause.detail) if names.stand_in_json(cause.detail) else cause.detail
    return replace(cause, actor=actor, detail=detail)


class EndedLog(NamedTuple):
    """A log of which images have ended, the digests of what the parts changed before, and why, as the log says it."""

    log: list[AuditPart]
    digests: dict[int, Digests]
    cause: Cause


def end_log_images(
    log: Sequence[AuditPart],
    emptied: Mapping[int, Digests],
    reached: tuple[int, bool],
    keeping: Collection[int],
    cause: Cause,
) -> EndedLog | None:
    """Let the images of the oldest parts end, but for those of memories that keep them; None where nothing is due.

    Parts of uses go with them, but for the last part of which images end.
    """
    mark = mark_of(log)
    through, more = reached
    parts = {
        part.position: replace(
            part,
            entries=tuple(one for one in part.changes if _is_kept(one, keeping)),
            used=(),
        )
        for part in log
        if part.position <= max(through, mark.through)
    }
    held = [part for part in log if part.position <= mark.through]
    again = [part for part in held if parts[part.position].entries != part.changes]
    if not through and not again:
        return None
    fresh = [part for part in log if mark.through < part.position <= through]
    stays = [held_digest(one) for part in (*again, *fresh) if (one := parts[part.position]).entries]
    now, uses = mark.replace_parts(map(held_digest, again), stays), list[int]()
    if through:
        between = (part for part in log if mark.proven_from <= part.position <= through)
        now, uses = now.advance(through, (_head_of(part, emptied) for part in between))
    ended_parts = [*again, *fresh]
    counts = {
        "parts": len(ended_parts),
        "changes": sum(
            len(part.changes) + len(part.used) - len(parts[part.position].entries) for part in ended_parts
        ),
        "kept": len(stays),
        "more": more,
    }
    digests: dict[int, Digests] = {part.position: (None, entries_digest(part)) for part in fresh}
    cause = replace(cause, verb=EXPIRE, detail={**cause.detail, **now.values(), **counts})
    places = {part.position for part in ended_parts}
    new_log = [
        _with_end(part, parts[part.position], cause.at) if part.position in places else part
        for part in log
        if part.position not in uses
    ]
    return EndedLog(new_log, digests, cause)


def _head_of(part: AuditPart, emptied: Mapping[int, Digests]) -> PartHead:
    """Return what stays of a part whose images have ended."""
    why, entries = emptied.get(part.position) or (None, entries_digest(part))
    return PartHead(
        part.position, why or header_digest(part), entries, part.cause.verb == USE and why is None
    )


def chain_holds(log: Sequence[AuditPart], emptied: Mapping[int, Digests]) -> bool:
    """Tell whether each part follows from the one before, and all are there that were kept."""
    mark = mark_of(log)
    heads = [_head_of(part, emptied) for part in log if part.position <= mark.proven_from]
    if update_sum("", (), (head.digest for head in heads)) != mark.heads:
        return False
    previous = bytes.fromhex(mark.chain) or UNCHAINED
    for position, part in enumerate(log[len(heads) :], start=mark.proven_from + 1):
        if (part.position, part.digest) != (position, digest(previous, part, emptied.get(position))):
            return False
        previous = bytes.fromhex(part.digest)
    digests = [held_digest(part) for part in log if part.position <= mark.through and part.entries]
    return update_sum("", (), digests) == mark.left


def _with_end(whole: AuditPart, left: AuditPart, now: int) -> AuditPart:
    """Return what is left of a part with when its images ended, where any have."""
    is_shorter = left.entries != whole.entries or bool(whole.used)
    return replace(left, ended_at=left.ended_at or (now if is_shorter else None))


def mark_of(log: Sequence[AuditPart]) -> ImageEndMark:
    """Return how far images have ended, and what stands of them, as the last part that took some says."""
    details = [
        part.cause.detail
        for part in log
        if part.cause.verb in {EXPIRE, ERASE} and THROUGH in part.cause.detail
    ]
    return ImageEndMark.read(details[-1]) if details else ImageEndMark()


def end_mark_detail(
    mark: ImageEndMark, log: Sequence[AuditPart], left: Sequence[AuditPart]
) -> dict[str, Any]:
    """Return what an erasure has to say of images that were kept beyond their time, where it took some of them."""
    pairs = [(old, new) for old, new in zip(log, left, strict=True) if old.position <= mark.through]
    edits = [(old, new) for old, new in pairs if old.entries != new.entries]
    if not edits:
        return {}
    stays = [held_digest(new) for _, new in edits if new.entries]
    return mark.replace_parts([held_digest(old) for old, _ in edits], stays).values()


def held_digest(part: AuditPart) -> bytes:
    """Return the digest of what a part holds."""
    return digest_of([part.position, [_field_values(change) for change in part.changes]])


def part_of(log: Sequence[AuditPart], cause: Cause, changes: tuple[Change, ...]) -> AuditPart:
    """Return a part as it is logged after the others."""
    previous = bytes.fromhex(log[-1].digest) if log else UNCHAINED
    rowless = cause.verb in ROWLESS
    entries = () if rowless else changes
    used = find_used(changes) if rowless else set()
    cause = replace(
        cause, turns=0, fence=None, counts={}, values={}, unnamed=None, extends=None
    )  # none of these is in the log
    position = log[-1].position + 1 if log else 1
    part = AuditPart(position, cause, entries, "", len(changes), tuple(sorted(used)))
    return replace(part, digest=digest(previous, part))


def digest(previous: bytes, part: AuditPart, kept: Digests | None = None) -> str:
    """Return the digest of a part; `kept` are those of why and of what, where some of that was taken away."""
    because, entries = kept or (None, entries_digest(part))
    return part_digest(previous, because or header_digest(part), entries).hex()


def kept_digests(before: Mapping[int, Digests], now: Mapping[int, Digests]) -> dict[int, Digests]:
    """Return the digests that parts had at first, of those that were taken from before and of those that are now."""
    digests = {**now, **before}
    for position in before.keys() & now.keys():
        digests[position] = (before[position][0] or now[position][0], before[position][1])
    return digests


def header_digest(part: AuditPart) -> bytes:
    """Return the digest of why a part was done."""
    return digest_of([part.position, _field_values(part.cause), part.count])


def entries_digest(part: AuditPart) -> bytes:
    """Return the digest of what a part changed."""
    return digest_of([[_field_values(change) for change in part.changes], part.used])


def _field_values(what: Cause | Change) -> dict[str, Any]:
    return {one.name: getattr(what, one.name) for one in fields(what)}


def _is_kept(change: Change, keeping: Collection[int]) -> bool:
    return not set(keeping).isdisjoint(memories_of(change.table, change.key))


def _is_of(change: Change, gone: AbstractSet[int]) -> bool:
    """Tell whether a logged change is an image of what goes; links hold numbers only."""
    return change.table != "links" and not gone.isdisjoint(memories_of(change.table, change.key))


def update_purged(
    purged: Mapping[int, PurgedMemory], logged: Sequence[Change], cause: Cause
) -> dict[int, PurgedMemory]:
    """Return which memories have gone after a commit; of what was erased nothing is known."""
    found = dict(purged)
    for change in logged:
        if change.table != "memories" or not isinstance(change.key, int):
            continue
        if change.after is None and change.before:
            row = change.before
            found[change.key] = PurgedMemory(change.key, row["id"], row["key"], cause.run, cause.at)
        elif None in (change.before, change.after):
            found.pop(change.key, None)
    return found


def keeping(tables: Tables, purged: Mapping[int, PurgedMemory], before: int, now: int) -> set[int]:
    """Return the memories that keep their images."""
    rows = tables["memories"].items()
    held = {seq for seq, row in rows if row["status"] == KEEPS_IMAGES or (row["hold_until"] or now) > now}
    return held | {seq for seq, one in purged.items() if one.at >= before}
