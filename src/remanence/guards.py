"""The engine's own guards: what no policy can switch off, for one memory and, on arrays, for a whole scope.

Knows what each looks at and why it protects; knows no policy and no plan.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from remanence.effects import BLOCKS, DESTROY
from remanence.model import Memory, Status


@dataclass(frozen=True, slots=True)
class Guarded:
    """What these guards look at: single values, or arrays of one length; `hold_until` is −1 or NaN without a hold.

    `system` tells whether the system itself needs the memory's category; `now` is in microseconds, or an instant each.
    """

    pinned: Any
    hold_until: Any
    status: Any
    system: Any
    now: Any


@dataclass(frozen=True, slots=True)
class BuiltInGuard:
    """A guard of the engine's own: its name, the mildest action it blocks, why, and where it holds."""

    name: str
    blocks: str
    because: str
    holds: Callable[[Guarded], Any]


BUILT_IN = (
    BuiltInGuard("pinned", "move", "somebody pinned it", lambda it: it.pinned != 0),
    BuiltInGuard("held", "archive", "a hold on it has not ended", lambda it: it.hold_until > it.now),
    BuiltInGuard("system-category", "archive", "the system itself needs it", lambda it: it.system),
    BuiltInGuard(
        "unknown-status",
        "move",
        "where it stands is not known",
        lambda it: (it.status < min(Status)) | (it.status > max(Status)),
    ),
)


def protecting(memory: Memory, *, system: bool, now: int, level: int | None = DESTROY) -> tuple[str, ...]:
    """Name the guards that protect one memory from an action of this level; user verbs obey these and no others."""
    if level is None:
        return ()
    until = -1 if memory.hold_until is None else memory.hold_until
    it = Guarded(memory.pinned, until, memory.status, system, now)
    return tuple(guard.name for guard in BUILT_IN if BLOCKS.index(guard.blocks) <= level and guard.holds(it))
