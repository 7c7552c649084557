"""A line of uses that grows: a commit of uses that goes on with the last line of its scope becomes a part of that line.

Knows the row of a line and its digest; knows nothing of what a use does to a memory.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from remanence.core.change import Cause, CommitResult
from remanence.store.audit_parts import USE, goes_on, pack_run_id, part_digest
from remanence.store.sqlite import audit, block_log
from remanence.store.sqlite.audit import (
    HEADER,
    ChainLink,
    entries_digest,
    header_digest,
    own_digest,
    plain_header,
)
from remanence.store.sqlite.string_ids import Fresh
from remanence.store.sqlite.use_parts import UsePart, pack_part, pack_used

_ROW = f"SELECT {', '.join(HEADER)}, asked FROM runs"
_LAST = f"{_ROW} INDEXED BY runs_scope WHERE scope = ? ORDER BY position DESC LIMIT 1"
_OF_RUN = f"{_ROW} WHERE scope = ? AND id = ? AND part = 0 AND verb = '{USE}'"
_GROW = (
    "UPDATE runs SET at = ?, changes = ?, digest = ?, entries = ?, asked = ?, parts = ? WHERE position = ?"
)
_COUNTED = "UPDATE sqlite_sequence SET seq = ? WHERE name = 'runs'"
_BEFORE = "SELECT before FROM scopes WHERE scope = ?"


def find_written(
    connection: sqlite3.Connection, scope: int, cause: Cause, asked: bytes
) -> CommitResult | None:
    """Return what was done where a commit was written as a part of the line that it goes on with."""
    if cause.extends is None:
        return None
    run, number = cause.extends
    row = connection.execute(_OF_RUN, (scope, pack_run_id(run))).fetchone()
    parts = [] if row is None else audit.parts_of(row[: len(HEADER)], row[-1])
    if number >= len(parts) or parts[number].asked != asked:
        return None
    return CommitResult(run, number, parts[number].position, (), parts[number].changes)


@dataclass(frozen=True, slots=True)
class UseLine:
    """The last line of a scope, given by number and name, which a commit goes on with as `cause`."""

    scope: tuple[int, str]
    header: tuple[Any, ...]
    parts: list[UsePart]
    block: block_log.Row
    cause: Cause

    def grow(self, connection: sqlite3.Connection, part: UsePart, used: Sequence[int]) -> ChainLink:
        """Write one more part into the line, and return the link of the chain that it is by now."""
        parts = [*self.parts, part]
        packed_parts = b"".join(map(pack_part, parts, [None, *self.parts]))
        header_fields = dict(zip(HEADER, self.header, strict=True))
        changes = header_fields["changes"] + part.changes
        header = list({**header_fields, "at": part.at, "changes": changes, "parts": packed_parts}.values())
        block = block_log.add_used(self.block, pack_used(used), len(used))
        entries = entries_digest({}, [], [block])
        why = header_digest(header, self.scope[1], part.asked)
        first = self.parts[0].position
        connection.execute(
            _GROW, (part.at, changes, own_digest(why, entries), entries, part.asked, packed_parts, first)
        )
        block_log.rewrite(connection, block)
        connection.execute(_COUNTED, (part.position,))
        (before,) = connection.execute(_BEFORE, (self.scope[0],)).fetchone()
        return ChainLink(part_digest(before, why, entries), before)


def find_line(
    connection: sqlite3.Connection, names: Fresh, scope: tuple[int, str], cause: Cause, used: int
) -> UseLine | None:
    """Return the line that a commit of so many uses goes on with, None where that is not the last of its scope."""
    if cause.extends is None or cause.verb != USE:
        return None
    row = connection.execute(_LAST, (scope[0],)).fetchone()
    if row is None or row[HEADER.index("run")] != cause.extends[0]:
        return None
    header = plain_header(connection, names, row[: len(HEADER)])
    parts = audit.parts_of(header, row[-1])
    blocks = block_log.read(connection, parts[0].position)
    last = replace(audit.cause_of(header), part=len(parts) - 1)
    if len(blocks) != 1 or not block_log.can_grow(blocks[0]):
        return None
    if not goes_on(cause, last, parts[0].at, blocks[0][4] + used):
        return None
    return UseLine(
        scope, header, parts, blocks[0], replace(cause, run=last.run, part=len(parts), extends=None)
    )
