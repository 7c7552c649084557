"""How guards, built in and of a policy, are weighed against proposed actions.

Knows which rows may not be touched and names why; knows nothing of rules' order or of windows.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

import numpy as np

from remanence import guards
from remanence.curate.language.view import View
from remanence.curate.planner.diff import Refusal
from remanence.curate.policy.compiled import Policy
from remanence.guards import Guarded
from remanence.snapshot import Bools, Ints

EXAMPLES_MAX = 20


def guarded(view: View, policy: Policy) -> Guarded:
    """Return what the built-in guards look at, of all memories in view."""
    codes = [view.code("category", name) for name, item in policy.categories.items() if item.system]
    system = np.isin(view.column("category"), codes)
    return Guarded(
        view.column("pinned"),
        view.column("hold_until"),
        view.column("status"),
        system,
        view.now,
        _restored_at(view),
    )


def _restored_at(view: View) -> Ints:
    """Return when somebody restored each memory of late, -1 where nobody did."""
    seqs: Ints = view.column("seq")
    found = np.full(len(seqs), -1, np.int64)
    if view.snapshot.restored:
        known = np.array(sorted(view.snapshot.restored), np.int64)
        times = np.array([view.snapshot.restored[seq] for seq in known.tolist()], np.int64)
        places = np.searchsorted(known, seqs)
        places[places == len(known)] = 0
        found = np.where(known[places] == seqs, times[places], found)
    return found


@dataclass(eq=False)
class Guarding:
    """All guards of a plan over its rows: a row once guarded stays so, whatever the cycle changes."""

    policy: Policy
    masks: dict[str, Bools] = field(default_factory=dict)
    blocks: dict[str, tuple[str, ...]] = field(default_factory=dict)
    refused: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    unions: dict[tuple[str, ...], Bools] = field(default_factory=dict)

    def look(self, view: View, changed: Iterable[str] | None = None) -> None:
        """Evaluate the guards, or only those that read something changed, and add what they now hold."""
        stale = None if changed is None else set(changed)
        if stale is None:
            them = guarded(view, self.policy)
            for built_in in guards.BUILT_IN:
                self._add(built_in.name, built_in.blocks, built_in.holds(them))
        for guard in self.policy.guards:
            if stale is None or guard.node.reads & stale:
                assert guard.node.no is not None
                self._add(guard.name, guard.blocks, ~guard.node.no(view.on(guard.clock)))

    def released(self, view: View, changed: AbstractSet[str]) -> dict[str, int]:
        """Count what guards that read something changed would no longer protect, if they were judged anew."""
        counts = {}
        for guard in self.policy.guards:
            if guard.node.reads & changed:
                assert guard.node.no is not None
                counts[guard.name] = int((self.masks[guard.name] & guard.node.no(view.on(guard.clock))).sum())
        return {name: count for name, count in counts.items() if count}

    def _add(self, name: str, blocks: tuple[str, ...], mask: Bools) -> None:
        known = self.masks.get(name)
        self.masks[name] = mask if known is None else known | mask
        self.blocks[name] = blocks
        self.unions.clear()

    def against(self, action: str) -> tuple[str, ...]:
        """Name the guards that block an action."""
        return tuple(name for name, blocks in self.blocks.items() if action in blocks)

    def blocked(self, action: str) -> Bools:
        """Tell which rows an action may not touch."""
        names = self.against(action)
        if names not in self.unions:
            self.unions[names] = np.logical_or.reduce([self.masks[name] for name in names])
        return self.unions[names]

    def holding(self, row: int, action: str) -> tuple[str, ...]:
        """Name the guards that keep an action from a row."""
        return tuple(name for name in self.against(action) if self.masks[name][row])

    def allowed(self, rule: str, rows: Ints, action: str) -> Bools:
        """Tell which of a rule's rows its action may touch, and remember what was refused by whom."""
        blocked = self.blocked(action)[rows]
        refused = rows[blocked]
        if len(refused):
            for name in self.against(action):
                self.refuse(name, rule, refused[self.masks[name][refused]])
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
