"""The log of the reference store: parts chained by digests, and what an erasure leaves of them.

Knows parts and changes; knows nothing of scopes.
"""

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import fields, replace
from typing import Any, NamedTuple

from remanence.change import ROWLESS, Cause, Change, Logged
from remanence.redaction import Names
from remanence.store.chain import UNCHAINED, digest_of, part_digest
from remanence.store.constraints import memories_of


class Left(NamedTuple):
    """What an erasure leaves of a log, the digests that its parts had, and the texts and ids of what went."""

    log: list[Logged]
    digests: dict[int, tuple[bytes, bytes]]  # of why a part was done, and of what it changed
    texts: set[str]
    ids: dict[int, str]


def emptied(log: Sequence[Logged], gone: Collection[int], names: Names | None) -> Left:
    """Take the images of memories out of every part, and a person's names out of why it was done, and by whom."""
    meant = frozenset(gone)
    left: list[Logged] = []
    digests: dict[int, tuple[bytes, bytes]] = {}
    for part in log:
        kept = tuple(one for one in part.changes if not _is_of(one, meant))
        cause = part.cause if names is None else _unnamed(part.cause, names)
        if len(kept) < len(part.changes) or cause != part.cause:
            digests[part.position] = header_digest(part), entries_digest(part)
        left.append(replace(part, cause=cause, entries=kept))
    sides = [
        (change.key, side)
        for part in log
        for change in part.changes
        if isinstance(change.key, int) and change.table == "memories" and change.key in meant
        for side in (change.before, change.after)
        if side
    ]
    texts = {side["text"] for _, side in sides if "text" in side}
    return Left(left, digests, texts, {seq: side["id"] for seq, side in sides if "id" in side})


def _unnamed(cause: Cause, names: Names) -> Cause:
    actor = None if cause.actor is None else names.without(cause.actor)
    detail = names.taken_out_of(cause.detail) if names.within(cause.detail) else cause.detail
    return replace(cause, actor=actor, detail=detail)


def part_of(log: Sequence[Logged], cause: Cause, changes: tuple[Change, ...]) -> Logged:
    """Return a part as it is logged after the others."""
    previous = bytes.fromhex(log[-1].digest) if log else UNCHAINED
    rowless = cause.verb in ROWLESS
    kept = () if rowless else changes
    used = {seq for change in changes if rowless for seq in memories_of(change.table, change.key)}
    cause = replace(
        cause, turns=0, fence=None, counts={}, values={}, unnamed=None
    )  # none of these is in the log
    part = Logged(len(log) + 1, cause, kept, "", len(changes), tuple(sorted(used)))
    return replace(part, digest=digest(previous, part))


def digest(previous: bytes, part: Logged, kept: tuple[bytes, bytes] | None = None) -> str:
    """Return the digest of a part; `kept` are those of why and of what, where an erasure took some of that away."""
    because, entries = kept or (header_digest(part), entries_digest(part))
    return part_digest(previous, because, entries).hex()


def header_digest(part: Logged) -> bytes:
    """Return the digest of why a part was done."""
    return digest_of([part.position, _said(part.cause), part.count])


def entries_digest(part: Logged) -> bytes:
    """Return the digest of what a part changed."""
    return digest_of([[_said(change) for change in part.changes], part.used])


def _said(what: Cause | Change) -> dict[str, Any]:
    return {one.name: getattr(what, one.name) for one in fields(what)}


def _is_of(change: Change, gone: AbstractSet[int]) -> bool:
    """Tell whether a logged change is an image of what goes; links hold numbers only."""
    return change.table != "links" and not gone.isdisjoint(memories_of(change.table, change.key))
