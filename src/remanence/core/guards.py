"""The engine's own guards: what no policy can switch off, for one memory and, on arrays, for a whole scope.

Knows what each looks at and why it protects; knows no policy and no plan.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from remanence.core.clock import DAY
from remanence.core.effects import BLOCKS
from remanence.core.model import Memory, Status

RESTORED_FOR = DAY  # how long what somebody restored by name is left alone


@dataclass(frozen=True, slots=True)
class GuardInput:
    """What these guards look at: single values, or arrays of one length; `hold_until` is −1 or NaN without a hold.

    `system` tells whether the system itself needs the memory's category; `now` is in microseconds, or an instant each.
    `restored_at` is when somebody restored it, −1 where nobody did of late.
    """

    pinned: Any
    hold_until: Any
    status: Any
    system: Any
    now: Any
    restored_at: Any = -1


@dataclass(frozen=True, slots=True)
class BuiltInGuard:
    """A guard of the engine's own: its name, the actions that it blocks, why, and where it holds."""

    name: str
    blocks: tuple[str, ...]
    because: str
    holds: Callable[[GuardInput], Any]


BUILT_IN = (
    BuiltInGuard("pinned", BLOCKS["move"], "somebody pinned it", lambda it: it.pinned != 0),
    BuiltInGuard("held", BLOCKS["shrink"], "a hold on it has not ended", lambda it: it.hold_until > it.now),
    BuiltInGuard("system-category", BLOCKS["shrink"], "the system itself needs it", lambda it: it.system),
    BuiltInGuard(
        "unknown-status",
        BLOCKS["move"],
        "where it stands is not known",
        lambda it: (it.status < min(Status)) | (it.status > max(Status)),
    ),
    # Where it stands it may be moved: what comes back must not make a budget impossible.
    BuiltInGuard(
        "restored",
        BLOCKS["shrink"],
        "somebody brought it back within the last 24 hours",
        lambda it: (it.restored_at >= 0) & (it.restored_at + RESTORED_FOR > it.now),
    ),
)


def find_protecting_guards(
    memory: Memory, *, system: bool, now: int, action: str = "prune"
) -> tuple[str, ...]:
    """Name the guards that protect one memory from an action; user verbs obey these and no others."""
    until = -1 if memory.hold_until is None else memory.hold_until
    it = GuardInput(memory.pinned, until, memory.status, system, now)
    return tuple(guard.name for guard in BUILT_IN if action in guard.blocks and guard.holds(it))
