"""How far a text is believed as it arrives: the least of what its door, its role and its caller say. No store.

Nothing that a machine does raises it: what is made of several texts is believed as far as the least of them.
"""

from collections.abc import Mapping

from remanence.core.errors import InvalidInput
from remanence.core.model import Role, Trust

BY_ROLE: Mapping[Role, Trust] = {
    Role.USER: Trust.USER,
    Role.SYSTEM: Trust.USER,
    Role.ASSISTANT: Trust.AGENT,
    Role.TOOL: Trust.TOOL,
}


def compute_trust(door: Trust, role: Role) -> Trust:
    """Return how far a text is believed that comes through a door, from who spoke."""
    return min(door, BY_ROLE[role])


def lower_trust(door: Trust, role: Role, said: Trust | None) -> Trust:
    """Return a door as its caller has it: lower than it is, if at all."""
    most = compute_trust(door, role)
    if said is None:
        return door
    if said > most:
        raise InvalidInput(
            f"a text that comes this way is believed as far as {most.label}, not {said.label}",
            recovery=f"leave `trust` out, or pass one of: {', '.join(one.label for one in Trust if one <= most)}",
        )
    return said


def limit_trust(door: Trust, was: Trust) -> Trust:
    """Return how far a text is believed that takes another's place: a person's as the door, else not more than that."""
    return door if door is Trust.USER else min(door, was)
