"""What a text is taken for, by rules alone: how fast it fades, by the tags and the category it has now."""

from collections.abc import Collection

from remanence.core.model import CONSTITUTIONAL, Decay

# Raised where a rule changes: stored classes are then chosen anew.
DECAY_VERSION = 1
DURABLE_TAGS = frozenset({"self/value", "self/constraint", "self/goal"})
# Tags that say how fast a memory fades; all others leave its decay class as it is.
FADING_TAGS = DURABLE_TAGS | {CONSTITUTIONAL}


def decay(tags: Collection[str], category: str | None) -> Decay:
    """Choose the decay class; the first rule that matches wins (elfmem's priority list)."""
    if CONSTITUTIONAL in tags:
        return Decay.PERMANENT
    if DURABLE_TAGS.intersection(tags):
        return Decay.DURABLE
    if category == "observation":
        return Decay.EPHEMERAL
    return Decay.STANDARD
