"""How guards, built in and of a policy, are weighed against proposed actions.

Knows which rows may not be touched and names why; knows nothing of rules' order or of windows.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from remanence.core import guards
from remanence.core.guards import GuardInput
from remanence.core.snapshot import Bools, Ints
from remanence.curate.language.view import View
from remanence.curate.planner.diff import Refusal
from remanence.curate.policy.compiled import Policy
from remanence.curate.policy.rules import Guard

EXAMPLES_MAX = 20


def build_guard_input(view: View, policy: Policy) -> GuardInput:
    """Return what the built-in guards look at, of all memories in view."""
    codes = [view.code("category", name) for name, item in policy.categories.items() if item.system]
    system = np.isin(view.column("category"), codes)
    return GuardInput(
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
    instants = np.full(len(seqs), -1, np.int64)
    if view.snapshot.restored:
        numbers = np.array(sorted(view.snapshot.restored), np.int64)
        times = np.array([view.snapshot.restored[seq] for seq in numbers.tolist()], np.int64)
        places = np.searchsorted(numbers, seqs)
        places[places == len(numbers)] = 0
        instants = np.where(numbers[places] == seqs, times[places], instants)
    return instants


def _find_guarded_rows(guard: Guard, view: View) -> Bools:
    """Tell which rows a guard of the policy holds in a view: all of which it is not known that it does not."""
    assert guard.node.no is not None
    mask: Bools = ~guard.node.no(view.on(guard.clock))
    return mask


@dataclass(eq=False)
class Guarding:
    """All guards of a plan over its rows: a row once guarded stays so, whatever the cycle changes.

    A guard is evaluated when an action that it blocks is first asked about; most plans ask about few.
    """

    policy: Policy
    start: View | None = None
    masks: dict[str, Bools] = field(default_factory=dict)
    refused: dict[tuple[str, str], set[int]] = field(default_factory=dict)
    unions: dict[tuple[str, ...], Bools] = field(default_factory=dict)
    named: dict[str, tuple[str, ...]] = field(default_factory=dict)  # action → the guards that block it

    def look(self, view: View, changed: Iterable[str] | None = None) -> None:
        """Begin with a view, or evaluate the guards that read something changed and add what they now hold."""
        if changed is None:
            self.start = view
            return
        stale = set(changed)
        for guard in self.policy.guards:
            if guard.node.reads & stale:
                self.masks[guard.name] = self.mask(guard.name) | _find_guarded_rows(guard, view)
                self.unions.clear()

    def mask(self, name: str) -> Bools:
        """Tell which rows a guard protects."""
        if name not in self.masks:
            assert self.start is not None
            parts = [one.holds(self._built_in) for one in guards.BUILT_IN if one.name == name]
            parts += [_find_guarded_rows(one, self.start) for one in self.policy.guards if one.name == name]
            self.masks[name] = np.logical_or.reduce(parts)
        return self.masks[name]

    @cached_property
    def _built_in(self) -> GuardInput:
        assert self.start is not None
        return build_guard_input(self.start, self.policy)

    @cached_property
    def blocks(self) -> Mapping[str, tuple[str, ...]]:
        """The actions that each guard blocks, those built in first."""
        by_guard = {guard.name: guard.blocks for guard in guards.BUILT_IN}
        for guard in self.policy.guards:  # one that is called like a built-in one adds to that
            by_guard[guard.name] = (*by_guard.get(guard.name, ()), *guard.blocks)
        return by_guard

    def count_released(self, view: View, changed: AbstractSet[str]) -> dict[str, int]:
        """Count what guards that read something changed would no longer protect, if they were judged anew."""
        counts = {}
        for guard in self.policy.guards:
            if guard.node.reads & changed:
                assert guard.node.no is not None
                is_held = self.mask(guard.name)
                if is_held.any():
                    counts[guard.name] = int((is_held & guard.node.no(view.on(guard.clock))).sum())
        return {name: count for name, count in counts.items() if count}

    def find_guards(self, action: str) -> tuple[str, ...]:
        """Name the guards that block an action."""
        if action not in self.named:
            self.named[action] = tuple(name for name, blocks in self.blocks.items() if action in blocks)
        return self.named[action]

    def mark_blocked(self, action: str) -> Bools:
        """Tell which rows an action may not touch."""
        names = self.find_guards(action)
        if names not in self.unions:
            self.unions[names] = np.logical_or.reduce([self.mask(name) for name in names])
        return self.unions[names]

    def find_row_guards(self, row: int, action: str) -> tuple[str, ...]:
        """Name the guards that keep an action from a row."""
        return tuple(name for name in self.find_guards(action) if self.mask(name)[row])

    def check_allowed(self, rule: str, rows: Ints, action: str) -> Bools:
        """Tell which of a rule's rows its action may touch, and remember what was refused by whom."""
        is_blocked = self.mark_blocked(action)[rows]
        refused_rows = rows[is_blocked]
        if len(refused_rows):
            for name in self.find_guards(action):
                self.refuse(name, rule, refused_rows[self.mask(name)[refused_rows]])
        return ~is_blocked

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
