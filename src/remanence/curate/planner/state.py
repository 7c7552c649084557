"""The columns of a scope while a cycle changes them, and which rule changed what.

Knows what each action does to columns; knows nothing of conditions, windows or guards.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np

from remanence.core.effects import MERGE, STANDING_COLUMNS, Effect, becomes
from remanence.core.snapshot import Bools, Ints, LinkColumns, Snapshot
from remanence.core.stamps import STAMPS
from remanence.curate.language.array_logic import alias_key
from remanence.curate.language.view import LINKS, Array, Node, View
from remanence.curate.planner.merge import (
    Merge,
    link_keys,
    move_merged_links,
    select_links,
    survivors_columns,
)
from remanence.curate.policy.compiled import Policy
from remanence.curate.policy.rules import Rule

# A purged memory has no status any more; until the plan is done, its row needs a mark that is none.
GONE = 100
NOBODY = -1


@dataclass(eq=False)
class Working:
    """A view that moves on with each phase, and what it was at the start."""

    view: View
    start: Mapping[str, Array]
    start_links: LinkColumns | None
    why: dict[str, Array] = field(default_factory=dict)
    versions: Counter[str] = field(default_factory=Counter)
    steps: int = 0  # how often columns were replaced, and for each in which step last
    last_step: dict[str, int] = field(default_factory=dict)
    merges: list[Merge] = field(default_factory=list)
    cut_by: dict[int, Array] = field(default_factory=dict)  # rule → keys of links

    @property
    def now(self) -> int:
        """The instant of the plan."""
        return int(self.view.now)

    def put(self, rows: Ints, values: Mapping[str, Any]) -> None:
        """Set columns of some rows."""
        if not len(rows):
            return
        self.replace(
            {name: _copy_with(self.view.column(name), rows, value) for name, value in values.items()}
        )

    def replace(self, changed: Mapping[str, Array], links: LinkColumns | None = None) -> None:
        """Go on with other columns and links."""
        self.view = self.view.evolve(changed, links)
        names = [*changed, *([LINKS] if links is not None else [])]
        self.steps += 1
        self.versions.update(names)
        self.last_step.update(dict.fromkeys(names, self.steps))

    def has_changed(self, names: Iterable[str], step: int) -> bool:
        """True if any of some columns was replaced after a step."""
        return step < self.steps and any(self.last_step.get(name, 0) > step for name in names)

    def blame(self, group: str, rows: Ints, rule: int) -> None:
        """Remember which rule changed some rows."""
        if group not in self.why:
            self.why[group] = np.full(len(self.view), NOBODY, np.int16)
        self.why[group][rows] = rule

    def act(self, rule: Rule, index: int, rows: Ints) -> None:
        """Do what a rule says to rows that it has won; rows that are so already stay as they are."""
        if rule.tag:
            there = self.view.tag(rule.tag).copy()
            there[rows] = rule.effect.adds_row
            self.replace({f"tag:{rule.tag}": there})
        elif rule.effect.removes:
            self.put(rows, {"status": GONE})
        else:
            rows = self.select_differing(rule, rows)
            self._do_effect(rule.effect, rows, self._collect_rule_values(rule))
        self.blame(group_of(rule), rows, index)

    def select_differing(self, rule: Rule, rows: Ints) -> Ints:
        """Return the rows that are not already as a rule would have them."""
        effect, values = rule.effect, self._collect_rule_values(rule)
        if rule.tag:
            unlike: Ints = rows[self.view.tag(rule.tag)[rows] != effect.adds_row]
            return unlike
        if effect.removes:
            return rows
        column = self.view.column(effect.known_by)[rows]
        into = becomes(effect.sets[effect.known_by], column, self.now, values.get(effect.known_by))
        rest: Ints = rows[column != into]
        return rest

    def _collect_rule_values(self, rule: Rule) -> Mapping[str, Any]:
        """Say what a rule names, as the columns hold it."""
        state = self.view.code("state", str(rule.to))
        values = {"reason": rule.reason, "state": state, "tier": rule.target, "lifecycle": rule.target}
        return {name: values[name] for name in values.keys() & rule.effect.columns}

    def _do_effect(self, effect: Effect, rows: Ints, given: Mapping[str, Any]) -> None:
        """Set what an effect sets, with the stamps of what changes."""
        columns: dict[str, Array] = {}
        for name, value in effect.sets.items():
            was = self.view.column(name)
            into = np.broadcast_to(becomes(value, was[rows], self.now, given.get(name)), len(rows))
            differs = was[rows] != into
            if differs.any():
                columns[name] = _copy_with(was, rows[differs], into[differs])
                if name in STAMPS:
                    stamp = self.view.column(STAMPS[name])
                    columns[STAMPS[name]] = _copy_with(stamp, rows[differs], self.now)
        self.replace(columns)

    def merge(self, merges: list[Merge]) -> None:
        """Let survivors take in the others' counts and links, and put the others out of sight."""
        discards = np.array([merge.discard for merge in merges])
        self._do_effect(MERGE, discards, {})
        self.replace(survivors_columns(self.view, merges), move_merged_links(self.view, merges))
        self.merges += merges
        for merge in merges:
            self.blame("status", np.array([merge.discard]), merge.rule)

    def note_cut(self, edges: Ints, rule: int) -> None:
        """Remember which rule cuts some links."""
        keys, earlier = (
            link_keys(select_links(self.view.edges(), edges), len(self.view)),
            self.cut_by.get(rule),
        )
        # Uniting sorts hundreds of thousands of keys, and mostly there is nothing to unite with.
        self.cut_by[rule] = keys if earlier is None else np.union1d(earlier, keys)

    def unlink(self, edges: Ints) -> None:
        """Cut links."""
        self.replace({}, self.view.edges().without(edges))

    def settle_tiers(self) -> None:
        """Where a tier is again what it was, it has not moved: only the net move of a cycle is a change."""
        stamp = STAMPS["tier"]
        if stamp not in self.versions:
            return
        back = self.view.column("tier") == self.start["tier"]
        back &= self.view.column(stamp) != self.start[stamp]
        rows = np.flatnonzero(back)
        self.put(rows, {stamp: self.start[stamp][rows]})

    def revert(self, rows: Ints) -> None:
        """Give rows back what they were at the start."""
        self.replace({name: self._restore_column(name, rows) for name in self.start if name in self.versions})

    def _restore_column(self, name: str, rows: Ints) -> Array:
        column = (self.view.tag(name[4:]) if name.startswith("tag:") else self.view.column(name)).copy()
        column[rows] = self.start[name][rows]
        return column

    def same_as(self, other: View) -> Bools:
        """Tell which rows are as they were in another view."""
        same = np.ones(len(self.view), np.bool_)
        for name in self.start:
            now = self.view.tag(name[4:]) if name.startswith("tag:") else self.view.column(name)
            then = other.tag(name[4:]) if name.startswith("tag:") else other.column(name)
            if now is not then:
                same &= _mark_equal(now, then)
        return same


def begin(snapshot: Snapshot, policy: Policy, now: int) -> Working:
    """Start with a snapshot; states that rules lead to get a code though no memory has them yet."""
    leads = {str(rule.to) for rule in policy.rules if rule.effect.known_by == "state"}
    states = snapshot.names.get("state", ())
    if leads - set(states):
        snapshot = replace(
            snapshot, names={**snapshot.names, "state": (*states, *sorted(leads - set(states)))}
        )
    may = STANDING_COLUMNS.union(*(rule.changes for rule in policy.rules))
    start = {name: snapshot.columns[name] for name in sorted(may)}
    start |= {f"tag:{rule.tag}": snapshot.tags[rule.tag] for rule in policy.rules if rule.tag}
    return Working(View(snapshot, now, shared=find_shared_conditions(policy)), start, snapshot.links)


def find_shared_conditions(policy: Policy) -> frozenset[str]:
    """Find the conditions and aliases that stand in more than one place."""
    rules = tuple(rule.node for rule in policy.rules if rule.over == "memories")
    return _in_several(rules + tuple(guard.node for guard in policy.guards))


@lru_cache(maxsize=64)  # policies, and parts of them, that are judged in turn
def _in_several(written: tuple[Node, ...]) -> frozenset[str]:
    counts: Counter[str] = Counter()
    nodes = list(written)
    while nodes:
        node = nodes.pop()
        if node.type == "truth":
            counts[node.text] += 1
        elif node.alias:
            counts[alias_key(node.alias)] += 1
            if counts[alias_key(node.alias)] > 1:
                continue  # what it is made of is computed once with it
        nodes += node.parts
    several = {text for text, count in counts.items() if count > 1}
    return frozenset(several | {f"not {text}" for text in several})


def group_of(rule: Rule) -> str:
    """Name the group of changes in which a rule answers for a row; each tag is one of its own."""
    return f"tag:{rule.tag}" if rule.tag else rule.effect.group


def _copy_with(column: Array, rows: Ints, values: Any) -> Array:
    copy = column.copy()
    copy[rows] = values
    return copy


def _mark_equal(a: Array, b: Array) -> Bools:
    if a.dtype.kind == "f":
        equal: Bools = (a == b) | (np.isnan(a) & np.isnan(b))
        return equal
    return np.asarray(a == b)
