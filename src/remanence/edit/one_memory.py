"""What becomes of one memory, as changes: its row, tags and holds, and what the commit compares before it writes.

Knows a memory as it was read and what it is to be; knows no store, no clock and not who calls.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from remanence.core.change import Change, Increment
from remanence.core.clock import TIME_MAX
from remanence.core.effects import Effect
from remanence.core.model import Memory
from remanence.core.score import FADING_TAGS, decay

Holds = Mapping[str, int | None]  # a reason, and until when; None for good


def hold_until(holds: Holds) -> int | None:
    """Return when the last of some holds ends; None where there is none."""
    return max((TIME_MAX if until is None else until for until in holds.values()), default=None)


def hold_columns(holds: Holds) -> dict[str, Any]:
    """Return the columns of a memory that has these holds."""
    return {"holds": dict(holds) or None, "hold_until": hold_until(holds)}


def with_holds(own: Holds | None, others: Holds | None, now: int) -> dict[str, int | None]:
    """Add another memory's holds that still last to a memory's own; of two of one name the longer one counts."""
    holds = dict(own or {})
    for name, until in (others or {}).items():
        if until is None or until > now:
            mine = holds.get(name, until)
            holds[name] = None if until is None or mine is None else max(mine, until)
    return holds


OWN = "self/"  # what tags of who an agent is, of its values and goals begin with
GUARD = "identity"


def says_who(tags: Iterable[str], *, system: bool) -> bool:
    """Tell whether tags, or a category of the `system`, say who an agent is."""
    return system or any(tag.strip().casefold().startswith(OWN) for tag in tags)


def act(memory: Memory, effect: Effect, now: int, **given: Any) -> list[Change]:
    """Turn what a verb does to a memory into one change; none where the memory is so already."""
    after = effect.after(memory, now, given)
    increments = {name: value for name, value in after.items() if isinstance(value, Increment)}
    values = {name: value for name, value in after.items() if name not in increments}
    changes = update(memory, values, guarded=effect.compares_uses)
    if not increments:
        return changes
    before = {name: Increment(-value.by) for name, value in increments.items()}
    first = changes[0] if changes else Change("memories", memory.seq, {}, {})
    return [
        Change(
            "memories", memory.seq, {**(first.before or {}), **before}, {**(first.after or {}), **increments}
        )
    ]


def update(
    memory: Memory, values: Mapping[str, Any], *, tags: Iterable[str] | None = None, guarded: bool = False
) -> list[Change]:
    """Turn new values of a memory's columns, and the tags it is to have, into changes, leaving out what stays.

    The memory's own change comes first. Where tags or category are given, the decay class follows from them, also where
    they are as they were. `guarded` also names `touched`.
    """
    new_tags = frozenset(memory.tags if tags is None else tags)
    category = values.get("category", memory.category)
    toggles = new_tags.symmetric_difference(memory.tags)
    if tags is not None or "category" in values:
        values = {**values, "decay": decay(new_tags, category)}
    after = {name: value for name, value in values.items() if getattr(memory, name) != value}
    changes: list[Change] = []
    if after:
        before: dict[str, Any] = {name: getattr(memory, name) for name in after}
        before |= {"revision": memory.revision} | ({"touched": memory.touched} if guarded else {})
        changes = [Change("memories", memory.seq, before, {**after, "revision": memory.revision + 1})]
    elif toggles & FADING_TAGS:  # the class follows from all tags: from those that it had when it was read
        changes = [build_unchanged_check(memory)]
    return changes + [_toggle_tag(memory, tag) for tag in sorted(toggles)]


def _toggle_tag(memory: Memory, tag: str) -> Change:
    """Take a tag that a memory has, or give it one that it lacks."""
    has = tag in memory.tags
    return Change("tags", (memory.seq, tag), {} if has else None, None if has else {})


def build_unchanged_check(memory: Memory, *, guarded: bool = False) -> Change:
    """Change nothing, and have the commit refused where a memory is no longer as it was read."""
    still = {"confirmations": Increment(0)}
    guards = {"revision": memory.revision} | ({"touched": memory.touched} if guarded else {})
    return Change("memories", memory.seq, {**still, **guards}, still)


def merge_changes(changes: Iterable[Change]) -> list[Change]:
    """Make one change of several of the same memory, since a commit names each row once; counters add up."""
    by_key: dict[tuple[str, Any], Change] = {}
    for change in changes:
        earlier = by_key.get((change.table, change.key))
        by_key[change.table, change.key] = change if earlier is None else _merge_pair(earlier, change)
    return list(by_key.values())


def _merge_pair(one: Change, other: Change) -> Change:
    sides: list[dict[str, Any] | None] = []
    for first, second in ((one.before, other.before), (one.after, other.after)):
        if first is None and second is None:  # both make the row, or both remove it
            sides.append(None)
            continue
        both = {**(first or {}), **(second or {})}
        for name, value in (first or {}).items():
            if isinstance(value, Increment) and isinstance(both[name], Increment):
                both[name] = Increment(value.by + (second or {}).get(name, Increment(0)).by)
        sides.append(both)
    return Change(one.table, one.key, *sides)


def on_revision(memory: Memory, changes: Sequence[Change]) -> list[Change]:
    """Have a commit refused where a memory no longer has the revision with which it was read."""
    own = [change for change in changes if change.table == "memories" and change.key == memory.seq]
    if not own:
        return [*changes, build_unchanged_check(memory)] if changes else []
    check = replace(own[0], before={**(own[0].before or {}), "revision": memory.revision})
    return [check if change is own[0] else change for change in changes]
