"""What no policy can switch off, and how guards are weighed against proposed actions.

Knows which rows may not be touched and names why; knows nothing of rules' order or of windows.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from remanence.curate.language.view import View
from remanence.curate.planner.diff import Refusal
from remanence.curate.policy.compiled import Policy
from remanence.effects import BLOCKS, DESTROY
from remanence.model import Memory, Status
from remanence.snapshot import Bools, Ints

EXAMPLES_MAX = 20


@dataclass(frozen=True, slots=True)
class BuiltInGuard:
    """A guard of the engine's own: what it blocks, why, and where it holds."""

    name: str
    blocks: str
    because: str
    holds: Callable[[View, Policy], Bools]


def _system(view: View, policy: Policy) -> Bools:
    codes = [view.code("category", name) for name, item in policy.categories.items() if item.system]
    return np.isin(view.column("category"), codes)


def _unknown_status(view: View, _: Policy) -> Bools:
    status = view.column("status")
    found: Bools = (status < min(Status)) | (status > max(Status))
    return found


BUILT_IN = (
    BuiltInGuard("pinned", "move", "somebody pinned it", lambda view, _: view.column("pinned") != 0),
    BuiltInGuard(
        "held",
        "archive",
        "a hold on it has not ended",
        lambda view, _: view.column("hold_until") > view.now,
    ),
    BuiltInGuard("system-category", "archive", "the system itself needs it", _system),
    BuiltInGuard("unknown-status", "move", "where it stands is not known", _unknown_status),
)


def protecting(memory: Memory, policy: Policy, now: int, level: int | None = DESTROY) -> tuple[str, ...]:
    """Name the built-in guards that protect one memory from this level; user verbs obey these and no others."""
    if level is None:
        return ()
    category = policy.categories.get(memory.category or "")
    holds = {
        "pinned": bool(memory.pinned),
        "held": memory.hold_until is not None and memory.hold_until > now,
        "system-category": category is not None and category.system,
        "unknown-status": memory.status not in set(Status),
    }
    return tuple(
        guard.name for guard in BUILT_IN if holds[guard.name] and BLOCKS.index(guard.blocks) <= level
    )


@dataclass(eq=False)
class Guarding:
    """All guards of a plan over its rows: a row once guarded stays so, whatever the cycle changes."""

    policy: Policy
    masks: dict[str, Bools] = field(default_factory=dict)
    levels: dict[str, int] = field(default_factory=dict)
    refused: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    unions: dict[int, Bools] = field(default_factory=dict)

    def look(self, view: View, changed: Iterable[str] | None = None) -> None:
        """Evaluate the guards, or only those that read something changed, and add what they now hold."""
        stale = None if changed is None else set(changed)
        for built_in in BUILT_IN:
            if stale is None:
                self._add(built_in.name, built_in.blocks, built_in.holds(view, self.policy))
        for guard in self.policy.guards:
            if stale is None or guard.node.reads & stale:
                assert guard.node.no is not None
                self._add(guard.name, guard.blocks, ~guard.node.no(view.on(guard.clock)))

    def _add(self, name: str, blocks: str, mask: Bools) -> None:
        known = self.masks.get(name)
        self.masks[name] = mask if known is None else known | mask
        self.levels[name] = BLOCKS.index(blocks)
        self.unions.clear()

    def blocked(self, level: int) -> Bools:
        """Tell which rows no action of this level may touch."""
        if level not in self.unions:
            masks = [mask for name, mask in self.masks.items() if self.levels[name] <= level]
            self.unions[level] = np.logical_or.reduce(masks)
        return self.unions[level]

    def holding(self, row: int, level: int) -> tuple[str, ...]:
        """Name the guards that keep an action of this level from a row."""
        return tuple(name for name, mask in self.masks.items() if self.levels[name] <= level and mask[row])

    def allowed(self, rule: str, rows: Ints, level: int) -> Bools:
        """Tell which of a rule's rows its action may touch, and remember what was refused by whom."""
        blocked = self.blocked(level)[rows]
        refused = rows[blocked]
        if len(refused):
            for name, mask in self.masks.items():
                if self.levels[name] <= level:
                    self.refuse(name, rule, refused[mask[refused]])
        return ~blocked

    def refuse(self, guard: str, rule: str, rows: Ints) -> None:
        """Remember that a guard kept a rule from some rows."""
        if len(rows):
            self.refused.setdefault((guard, rule), set()).update(rows.tolist())

    def refusals(self, seq: Ints) -> tuple[Refusal, ...]:
        """Return what was refused, by guard and rule."""
        return tuple(
            Refusal(guard, rule, len(rows), tuple(seq[sorted(rows)[:EXAMPLES_MAX]].tolist()))
            for (guard, rule), rows in sorted(self.refused.items())
        )
