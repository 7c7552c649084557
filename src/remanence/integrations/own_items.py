"""What an adapter takes for an item of its own, and what it may put over.

Knows how far memories are believed, and what protects them; must not know any framework.
"""

from remanence.core.model import Memory, Trust
from remanence.edit.decide import refuse_guarded
from remanence.engine import Engine
from remanence.write.roles import compute_trust


def is_believed(engine: Engine, memory: Memory) -> bool:
    """Tell whether a memory is believed as far as what an adapter stores for its role through this opening.

    Less has what came from outside, which may imitate an item: with its tag and all its attributes.
    """
    return memory.trust >= compute_trust(find_own_trust(engine), memory.role)


def find_own_trust(engine: Engine) -> Trust:
    """Return how far an agent's own words are believed through this opening."""
    return min(Trust.AGENT, engine._core.trust)  # noqa: SLF001 # how the memory was opened is no verb's


def refuse_protected(engine: Engine, memory: Memory) -> None:
    """Raise Protected for what a built-in guard protects, as a pin does, and what says who an agent is."""
    core = engine._core  # noqa: SLF001 # the time, and which categories are the system's, are no verb's
    refuse_guarded(memory, system=core.policy.is_system(memory.category), now=core.clock.now())
