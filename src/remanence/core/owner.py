"""Who made a run: a person, an agent by name or else by session, a policy, or the engine of its own accord.

Told by the trust of the opening that it came through, and kept in the detail of the run, which the audit's chain
covers. A run that says nothing is a person's. Knows causes; must not know what an owner may take back.
"""

from dataclasses import dataclass
from typing import Literal

from remanence.core.change import ROWLESS, Cause

OWNER = "owner"  # its name in the detail of a run
# What the engine does by itself, whoever opened the memory: it follows from what was stored, and nobody decides it.
ENGINE_VERBS = frozenset({"consolidate", "extract", "box", "replace"}) | ROWLESS

OwnerKind = Literal["person", "agent", "policy", "engine"]


@dataclass(frozen=True, slots=True)
class Owner:
    """Who made a run; `name` tells agents apart, by name, else by session or opening."""

    kind: OwnerKind
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".strip()


PERSON, BY_POLICY, BY_ENGINE = Owner("person"), Owner("policy"), Owner("engine")


def said_of(owner: Owner, verb: str) -> dict[str, str]:
    """Return what the detail of a run of a verb says of its owner: nothing of what follows without saying."""
    return {} if owner == PERSON or verb in ENGINE_VERBS else {OWNER: str(owner)}


def owner_of(cause: Cause) -> Owner:
    """Return whose a run is."""
    if cause.verb in ENGINE_VERBS:
        return BY_ENGINE
    name = cause.detail.get(OWNER, str(PERSON))
    for owner in (PERSON, BY_POLICY, BY_ENGINE):
        if name == str(owner):
            return owner
    return Owner("agent", str(name).removeprefix("agent").strip())
