"""What a text is taken for on arrival, by rules alone: how fast it fades, by its tags and category."""

from collections.abc import Collection

from remanence.model import CONSTITUTIONAL, Decay

DURABLE_TAGS = frozenset({"self/value", "self/constraint", "self/goal"})


def decay(tags: Collection[str], category: str | None) -> Decay:
    """Choose the decay class; the first rule that matches wins (elfmem's priority list)."""
    if CONSTITUTIONAL in tags:
        return Decay.PERMANENT
    if DURABLE_TAGS.intersection(tags):
        return Decay.DURABLE
    if category == "observation":
        return Decay.EPHEMERAL
    return Decay.STANDARD
