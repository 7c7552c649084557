"""The log of the reference store: parts chained by digests, and what an erasure leaves of them.

Knows parts and changes; knows nothing of scopes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

from remanence.change import ROWLESS, Cause, Change, Logged
from remanence.store.chain import UNCHAINED, digest_of, part_digest
from remanence.store.constraints import memories_of


class Left(NamedTuple):
    """What an erasure leaves of a log, the digests of what the parts changed before, and the texts that went."""

    log: list[Logged]
    digests: dict[int, bytes]
    texts: set[str]


def emptied(log: Sequence[Logged], gone: Mapping[int, Mapping[str, Any]]) -> Left:
    """Take the images of memories out of every part; `gone` are their rows by number."""
    parts = [(part, tuple(one for one in part.changes if not _is_of(one, gone))) for part in log]
    digests = {part.position: entries_digest(part) for part, left in parts if len(left) < len(part.changes)}
    former = {
        side["text"]
        for part in log
        for change in part.changes
        if change.table == "memories" and change.key in gone
        for side in (change.before, change.after)
        if side and "text" in side
    }
    texts = former | {row["text"] for row in gone.values()}
    return Left([replace(part, entries=left) for part, left in parts], digests, texts)


def part_of(log: Sequence[Logged], cause: Cause, changes: tuple[Change, ...]) -> Logged:
    """Return a part as it is logged after the others."""
    previous = bytes.fromhex(log[-1].digest) if log else UNCHAINED
    rowless = cause.verb in ROWLESS
    kept = () if rowless else changes
    used = {seq for change in changes if rowless for seq in memories_of(change.table, change.key)}
    cause = replace(cause, turns=0, fence=None, counts={}, values={})  # none of these is in the log
    part = Logged(len(log) + 1, cause, kept, "", len(changes), tuple(sorted(used)))
    return replace(part, digest=digest(previous, part))


def digest(previous: bytes, part: Logged, entries: bytes | None = None) -> str:
    """Return the digest of a part; `entries` is that of what it changed, where an erasure took some of that away."""
    header = digest_of([part.position, _said(part.cause), part.count])
    return part_digest(previous, header, entries or entries_digest(part)).hex()


def entries_digest(part: Logged) -> bytes:
    """Return the digest of what a part changed."""
    return digest_of([[_said(change) for change in part.changes], part.used])


def _said(what: Cause | Change) -> dict[str, Any]:
    return {one.name: getattr(what, one.name) for one in fields(what)}


def _is_of(change: Change, gone: Mapping[int, Any]) -> bool:
    """Tell whether a logged change is an image of what goes; links hold numbers only."""
    return change.table != "links" and not gone.keys().isdisjoint(memories_of(change.table, change.key))
