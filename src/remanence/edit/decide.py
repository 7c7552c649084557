"""What the verbs decide about one memory: hold and release, and how one takes another's place.

Knows memories as they were read and the present as a number; knows no store.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from remanence.core.change import Change
from remanence.core.clock import to_datetime
from remanence.core.effects import VERBS
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.model import Link, Memory, Relation, Status, Turn, link_values, short_id
from remanence.edit.one_memory import (
    act,
    build_unchanged_check,
    hold_columns,
    merge_changes,
    update,
    with_holds,
)


def decide_hold(memory: Memory, reason: str, until: int | None, now: int) -> list[Change]:
    """Decide a named hold that lasts until a time, or for good."""
    if until is not None and until <= now:
        raise InvalidInput(
            f"a hold until {to_datetime(until):%Y-%m-%d %H:%M} protects nothing",
            recovery="give a time that lies ahead, or none for a hold that lasts until it is released",
        )
    return act(memory, VERBS["hold"], now, **hold_columns({**(memory.holds or {}), reason: until}))


def decide_release(memory: Memory, reason: str, now: int) -> list[Change]:
    """Decide that a named hold ends."""
    holds = dict(memory.holds or {})
    if reason not in holds:
        raise NotFound(
            f"memory {short_id(memory.seq)} has no hold {reason!r}",
            recovery=f"its holds: {', '.join(holds) or 'none'}",
        )
    del holds[reason]
    return act(memory, VERBS["release"], now, **hold_columns(holds))


def decide_replacement(
    old: Memory, links: Iterable[Link], by: int, key: str | None, now: int, *, ends: int | None = None
) -> list[Change]:
    """Decide what becomes of a memory whose place another one takes; nothing where that one has it already.

    `links` are those of the old memory. It gives up the `key` that goes with its place, None where it keeps its name.
    It holds until `ends`, without which until now.
    """
    refuse_out_of_sight(old)
    lineage = [link for link in links if link.relation is Relation.SUPERSEDES and link.target == old.seq]
    if old.status is Status.SUPERSEDED and [by] == [link.source for link in lineage]:
        return []
    # What was to hold only later never held: its time is empty, not turned round.
    changes = act(
        old, VERBS["supersede"], now, valid_to=_find_validity_end(old, now if ends is None else ends)
    )
    if key is not None:
        changes = merge_changes([*changes, *update(old, {"key": None})])
    changes += [Change("links", link.key, link.values, None) for link in lineage if link.source != by]
    if by not in {link.source for link in lineage}:
        changes.append(Change("links", (by, old.seq, int(Relation.SUPERSEDES)), None, link_values(now)))
    return changes


def _find_validity_end(old: Memory, ends: int) -> int:
    return ends if old.valid_from is None else max(ends, old.valid_from)


def taken_over(old: Memory, line: Sequence[Memory], key: str | None, now: int) -> list[Change]:
    """Decide what passes on to the memory that takes a place, and to those that took its own in turn."""
    changes: list[Change] = []
    for memory in line:
        values = combine_protection(old, memory.pinned, memory.holds, now)
        if key is not None and memory is line[-1]:
            values["key"] = key
        changes += update(memory, values, guarded=True) or [build_unchanged_check(memory, guarded=True)]
    return changes


def combine_protection(
    old: Memory, pinned: int, holds: Mapping[str, int | None] | None, now: int
) -> dict[str, Any]:
    """Return the pin and the holds of what takes a memory's place: its own, and those that the old one has.

    The old one keeps them too: it is what was pinned and held.
    """
    return {"pinned": max(pinned, old.pinned), **hold_columns(with_holds(holds, old.holds, now))}


def refuse_out_of_sight(memory: Memory) -> None:
    """Refuse a tombstone, and what is in quarantine, as what is replaced or takes a place."""
    refuse_quarantined(memory)
    if memory.status is Status.PRUNED:
        raise InvalidInput(
            f"memory {short_id(memory.seq)} is pruned", recovery=f"bring it back first: restore {memory.seq}"
        )


def refuse_quarantined(memory: Memory) -> None:
    """Refuse what is in quarantine; a person who has read it may accept it."""
    if memory.status is Status.QUARANTINED:
        raise InvalidInput(
            f"memory {short_id(memory.seq)} is in quarantine",
            recovery=f"read it, and accept it first: remanence review settle {memory.seq} accept",
        )


def decide_acceptance(memory: Memory, now: int) -> list[Change]:
    """Decide that a memory leaves the quarantine and arrives as any other."""
    if memory.status is not Status.QUARANTINED:
        raise InvalidInput(
            f"memory {short_id(memory.seq)} is not in quarantine: it is {memory.status.label}",
            recovery="list those that are: remanence review list --sort quarantine",
        )
    return act(memory, VERBS["accept"], now)


def build_corrected_turn(old: Memory, text: str) -> Turn:
    """Return a corrected text as a turn, with what it takes over: tags, category, state, speaker, thread and so on."""
    return Turn(
        text=text,
        category=old.category,
        kind=old.kind.label if old.kind is not None else None,
        tags=old.tags,
        role=old.role.label,
        speaker=old.speaker,
        thread=old.thread,
        session=old.session,
        state=old.state,
        severity=old.severity.label if old.severity is not None else None,
        importance=old.importance,
    )
