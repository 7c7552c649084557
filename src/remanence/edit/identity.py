"""What says who an agent is: tags under self/, and the categories of the system.

Knows how it is told and how its change is refused where a caller may not change it; must not know who calls.
"""

from collections.abc import Iterable

from remanence.core.errors import Protected
from remanence.core.model import Memory

OWN = "self/"  # what tags of who an agent is, of its values and goals begin with
GUARD = "identity"


def says_who(tags: Iterable[str], *, system: bool) -> bool:
    """Tell whether tags, or a category of the `system`, say who an agent is."""
    return system or any(tag.strip().casefold().startswith(OWN) for tag in tags)


def refuse_identity(tags: Iterable[str], *, system: bool) -> None:
    """Refuse a text that would say who an agent is."""
    if says_who(tags, system=system):
        raise Protected(
            "tags under self/ and categories of the system are not accepted here",
            recovery=f"leave out tags under {OWN} and categories of the system, or ask the user",
            guards=(GUARD,),
        )


def refuse_repeat(memory: Memory, *, system: bool) -> None:
    """Refuse a text that a memory of who an agent is says already: a repeat confirms it, and adds what it brings."""
    if says_who(memory.tags, system=system):
        raise Protected(
            f"memory {memory.id} says this, and under self/ or in a category of the system it is not changed here",
            recovery="say what is new in other words, or ask the user",
            guards=(GUARD,),
        )
