"""How parts of the audit follow each other: which are one run of uses, how each is proven and cut to one memory.

The same in every store. Knows changes, numbers and digests; knows nothing of how rows are kept.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Any

import orjson

from remanence.core.change import AuditPart, Cause, Change, Entry, Fence, Increment, Ints
from remanence.core.clock import MINUTE
from remanence.core.errors import InvalidInput, LeaseLost
from remanence.store.base import PurgedMemory
from remanence.store.constraints import memories_of

_CONTENT_BYTES = 16
_ASKED_BYTES = 8  # by which a number that was used twice by mistake is known
_CHAIN_BYTES = 32
UNCHAINED = bytes(_CHAIN_BYTES)  # what the first part follows
USE_PARTS_MAX = 64
USED_MAX = 1_000  # memories that the parts of one run name, so that a store can keep them in one page
USE = "use"
_ID_DIGITS = 32
_RANDOM, _GIVEN = b"\x00", b"\x01"  # the first byte of the id of a run as it is kept


def digest_of(value: Any, size: int = _CHAIN_BYTES) -> bytes:
    """Return the digest of a value that JSON can hold, bytes as hex digits; the order of keys is of no account."""
    try:
        said = orjson.dumps(value, default=_plain, option=orjson.OPT_SORT_KEYS)
    except (
        orjson.JSONEncodeError
    ):  # an increment may be of any size; what cannot be kept is refused elsewhere
        said = json.dumps(value, default=_plain, sort_keys=True).encode()
    return blake2b(said, digest_size=size).digest()


def part_digest(previous: bytes, header: bytes, entries: bytes) -> bytes:
    """Return the digest of a part from those of the part before, of why it was done and of what it changed.

    What it changed may be taken away and its digest kept: the chain is proven all the same.
    """
    return blake2b(previous + header + entries, digest_size=_CHAIN_BYTES).digest()


def content_digest(entries: Sequence[Entry]) -> bytes:
    """Return the digest of what a commit was asked to write, by which a repeated one is known."""
    return digest_of(list(map(_encode_entry, entries)), _ASKED_BYTES)


def refuse_other(cause: Cause, written: bytes, asked: bytes) -> None:
    """Raise InvalidInput where a part that was written is to be written again with other changes."""
    if written != asked:
        raise InvalidInput(
            f"part {cause.part} of run {cause.run} was written already, with other changes",
            recovery="give each part of a run its own number, and each run its own id; nothing was written",
        )


def refuse_lost(fence: Fence, held: int | None) -> None:
    """Raise LeaseLost unless the lease was given last with the number that the work relies on."""
    name, number = fence
    if held != number:
        raise LeaseLost(name)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    return {"by": value.by} if isinstance(value, Increment) else dict(value)


def _encode_entry(entry: Entry) -> Any:
    """Return an entry as values that JSON can hold; arrays of a block by their digests."""
    if isinstance(entry, Change):
        return entry.table, entry.key, _without_vector(entry.before), _without_vector(entry.after)
    arrays = entry.keys, entry.before, entry.after, entry.revision, entry.touched
    return entry.table, entry.columns, [None if array is None else _digest(array) for array in arrays]


def _without_vector(row: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Leave out what follows from the text and is most of a row's bytes."""
    if row is None or "vector" not in row:
        return row
    return {name: value for name, value in row.items() if name != "vector"}


def _digest(array: Ints) -> str:
    return blake2b(array.tobytes(), digest_size=_CONTENT_BYTES).hexdigest()


def goes_on(cause: Cause, last: Cause, began: int, used: int) -> bool:
    """Tell whether a commit is one more part of the run whose `last` part is the last of the scope.

    `began` is when that run began, `used` how many memories its parts name with this one.
    """
    return (
        cause.verb == USE
        and cause.extends == (last.run, last.part + 1)
        and _cause_key(cause) == _cause_key(last)
        and last.at <= cause.at < began + MINUTE
        and last.part + 1 < USE_PARTS_MAX
        and used <= USED_MAX
    )


def _cause_key(cause: Cause) -> tuple[object, ...]:
    return (
        cause.verb,
        cause.final,
        cause.actor,
        cause.policy,
        dict(cause.detail),
        cause.destroyed,
        cause.fired,
        cause.planned,
    )


def extend_run(log: Sequence[AuditPart], cause: Cause, changes: tuple[Change, ...]) -> Cause:
    """Return why a commit happens, as one more part of the last run where it is uses that go on with it."""
    if cause.extends is None or not log:
        return cause
    run = [part for part in log[-USE_PARTS_MAX:] if part.cause.run == log[-1].cause.run]
    used = sum(len(part.used) for part in run) + len(find_used(changes))
    if run[0].cause.part or not goes_on(cause, log[-1].cause, run[0].cause.at, used):
        return cause
    last = log[-1].cause
    return replace(cause, run=last.run, part=last.part + 1, extends=None)


def find_used(changes: Sequence[Change]) -> set[int]:
    """Return the memories that some changes are about."""
    return {seq for change in changes for seq in memories_of(change.table, change.key)}


def with_end(log: Sequence[AuditPart], one: PurgedMemory) -> PurgedMemory:
    """Return a purged memory that says when its image ended, where it has."""
    (part,) = [part for part in log if part.cause.run == one.run and part.cause.at == one.at][-1:]
    held = any(change.table == "memories" and change.key == one.seq for change in part.changes)
    return one if held else replace(one, ended_at=part.ended_at)


def filter_part(part: AuditPart, memory: int) -> AuditPart:
    """Return a part with its changes of one memory alone."""
    changes = tuple(change for change in part.changes if memory in memories_of(change.table, change.key))
    return replace(part, entries=changes, count=len(changes), used=())


def pack_run_id(run: str) -> bytes:
    """Return the id of a run as it is kept: half as long where it is what `model.new_id` makes."""
    if len(run) == _ID_DIGITS and not run.strip("0123456789abcdef"):
        return _RANDOM + bytes.fromhex(run)
    return _GIVEN + run.encode()


def unpack_run_id(kept: bytes) -> str:
    """Return the id of a run from what is kept of it; raise ValueError where that is something else."""
    if kept[:1] not in {_RANDOM, _GIVEN}:
        raise ValueError("no id of a run begins so")
    return kept[1:].hex() if kept[:1] == _RANDOM else kept[1:].decode()
