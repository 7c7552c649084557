"""Worlds of the categories that the presets know, each memory with one of its category's states."""

from dataclasses import replace

from remanence.curate.policy.compiled import load
from remanence_store_kit.worlds import World

# Of system categories nothing ever changes.
STATES = {
    name: (None, *item.states) for name, item in load("janitor").categories.items() if not item.system
}  # fmt: skip
NAMES = sorted(STATES)


def recast(world: World, pick: int) -> World:
    """Give a world's memories the categories of the presets instead of their own, each with one of its states."""
    rows = []
    for number, row in enumerate(world.memories):
        states = STATES[name := NAMES[(7 * number + pick) % len(NAMES)]]
        rows.append({**row, "category": name, "state": states[(number + pick) % len(states)]})
    return replace(world, memories=tuple(rows))
