"""What goes with a memory that is purged: its tags and sources, and what else hangs on it.

Knows changes in groups; reads and writes nothing.
"""

from collections.abc import Iterator, Mapping

from remanence.core.change import Change
from remanence.core.model import Memory
from remanence.curate.planner.changes import Group


def cut_links(group: Group) -> Iterator[tuple[int, int, int]]:
    """Yield the links that a group cuts."""
    return (change.key for change in group if change.table == "links" and change.after is None)  # type: ignore[misc]


def attached_changes(memory: Memory) -> list[Change]:
    """Return the changes that take the tags and sources of a memory away."""
    tags = [Change("tags", (memory.seq, tag), {}, None) for tag in memory.tags]
    return tags + [Change("sources", (memory.seq, source), {}, None) for source in memory.sources]


def hanging_changes(group: Group, hanging: Mapping[int, list[Change]]) -> list[Change]:
    """Return, of what hangs on memories, the changes that go with those that a group purges."""
    return [
        change
        for owner in group
        if owner.table == "memories" and owner.after is None and isinstance(owner.key, int)
        for change in hanging.get(owner.key, ())
    ]
