"""The columns of a scope while a cycle changes them, and which rule changed what.

Knows what each action does to columns; knows nothing of conditions, windows or guards.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from remanence.curate.frame import LINKS, Array, Frame
from remanence.curate.merge import ADDED, Merge, link_keys, picked, rehomed, survivors_columns
from remanence.curate.policy import Policy
from remanence.curate.rules import Rule
from remanence.model import Lifecycle, Reason, Status, Tier
from remanence.snapshot import Bools, Ints, LinkColumns, Snapshot

# A purged memory has no status any more; until the plan is done, its row needs a mark that is none.
GONE = 100
# What a cycle may change; the same columns make a plan.
CHANGEABLE = (
    "status",
    "tier",
    "reason",
    "lifecycle",
    "status_at",
    "tier_at",
    "state",
    "state_at",
    "reinforced",
    "reinforced_at",
    *ADDED,
    "used_at",
    "use_days",
    "use_day",
)
# Within a group of columns the safest action wins: the smallest of these.
_RANKS = {"move": 0, "archive": 10, "merge": 11, "prune": 12, "purge": 13}
NOBODY = -1


def rank(rule: Rule) -> int:
    """Say how safe an action on status and tier is; the least wins, of moves the one that leaves it nearest."""
    return _RANKS[rule.do] + (Tier[rule.to.upper()] if rule.do == "move" and rule.to else 0)


@dataclass(eq=False)
class Working:
    """A frame that moves on with each phase, and what it was at the start."""

    frame: Frame
    start: Mapping[str, Array]
    start_links: LinkColumns | None
    why: dict[str, Array] = field(default_factory=dict)
    versions: Counter[str] = field(default_factory=Counter)
    merges: list[Merge] = field(default_factory=list)
    cut_by: dict[int, Array] = field(default_factory=dict)  # rule → keys of links

    @property
    def now(self) -> int:
        """The instant of the plan."""
        return int(self.frame.now)

    def put(self, rows: Ints, values: Mapping[str, Any]) -> None:
        """Set columns of some rows."""
        if not len(rows):
            return
        changed = {}
        for name, value in values.items():
            changed[name] = self.frame.column(name).copy()
            changed[name][rows] = value
        self.replace(changed)

    def replace(self, changed: Mapping[str, Array], links: LinkColumns | None = None) -> None:
        """Go on with other columns and links."""
        self.frame = self.frame.evolve(changed, links)
        self.versions.update([*changed, *([LINKS] if links is not None else [])])

    def blame(self, group: str, rows: Ints, rule: int) -> None:
        """Remember which rule changed some rows."""
        if group not in self.why:
            self.why[group] = np.full(len(self.frame), NOBODY, np.int16)
        self.why[group][rows] = rule

    def act(self, rule: Rule, index: int, rows: Ints) -> None:
        """Do what a rule says to rows that it has won; rows that are so already stay as they are."""
        match rule.do:
            case "move":
                self._move(rows, Tier[str(rule.to).upper()])
            case "archive":
                rows = rows[self.frame.column("status")[rows] != Status.ARCHIVED]
                self._archive(rows, rule.reason)
            case "prune":
                self._prune(rows, rule.reason)
            case "purge":
                self.put(rows, {"status": GONE})
            case "transition":
                rows = self._transition(rule, rows)
            case "flag":
                self.replace(
                    {f"tag:flag/{rule.to}": self.frame.tag(f"flag/{rule.to}") | _mask(rows, len(self.frame))}
                )
            case "reinforce":
                self._reinforce(rows)
        self.blame(_group_of(rule), rows, index)

    def _move(self, rows: Ints, tier: Tier) -> None:
        rows = rows[self.frame.column("tier")[rows] != tier]
        self.put(rows, {"tier": tier, "tier_at": self.now})

    def _archive(self, rows: Ints, reason: Reason) -> None:
        self.put(
            rows,
            {
                "status": Status.ARCHIVED,
                "tier": Tier.ARCHIVE,
                "reason": reason,
                "lifecycle": Lifecycle.ARCHIVED,
                "status_at": self.now,
                "tier_at": self.now,
            },
        )

    def _prune(self, rows: Ints, reason: Reason) -> None:
        archived = rows[self.frame.column("tier")[rows] == Tier.ARCHIVE]
        # Only what is archived may be in the archive tier.
        self.put(archived, {"tier": Tier.COLD, "tier_at": self.now})
        self.put(rows, {"status": Status.PRUNED, "reason": reason, "status_at": self.now})

    def _transition(self, rule: Rule, rows: Ints) -> Ints:
        if rule.column == "lifecycle":
            rows = rows[self.frame.column("lifecycle")[rows] != Lifecycle[str(rule.to).upper()]]
            self.put(rows, {"lifecycle": Lifecycle[str(rule.to).upper()]})
        else:
            code = self.frame.code("state", str(rule.to))
            rows = rows[self.frame.column("state")[rows] != code]
            self.put(rows, {"state": code, "state_at": self.now})
        return rows

    def _reinforce(self, rows: Ints) -> None:
        counts = self.frame.column("reinforced").copy()
        counts[rows] += 1
        self.replace({"reinforced": counts})
        self.put(rows, {"reinforced_at": self.now})

    def merge(self, merges: list[Merge]) -> None:
        """Let survivors take in the others' counts and links, and put the others out of sight."""
        discards = np.array([merge.discard for merge in merges])
        values = {"status": Status.SUPERSEDED, "reason": Reason.MERGED, "status_at": self.now}
        self.put(discards, values)
        self.replace(survivors_columns(self.frame, merges), rehomed(self.frame, merges))
        self.merges += merges
        for merge in merges:
            self.blame("status", np.array([merge.discard]), merge.rule)

    def note_cut(self, edges: Ints, rule: int) -> None:
        """Remember which rule cuts some links."""
        keys, known = link_keys(self.frame.edges(), len(self.frame))[edges], self.cut_by.get(rule)
        # Uniting sorts hundreds of thousands of keys, and mostly there is nothing to unite with.
        self.cut_by[rule] = keys if known is None else np.union1d(known, keys)

    def unlink(self, edges: Ints) -> None:
        """Cut links."""
        self.replace({}, without(self.frame.edges(), edges))

    def settle_tiers(self) -> None:
        """Where a tier is again what it was, it has not moved: only the net move of a cycle is a change."""
        back = self.frame.column("tier") == self.start["tier"]
        back &= self.frame.column("tier_at") != self.start["tier_at"]
        rows = np.flatnonzero(back)
        self.put(rows, {"tier_at": self.start["tier_at"][rows]})

    def revert(self, rows: Ints) -> None:
        """Give rows back what they were at the start."""
        self.replace({name: self._reverted(name, rows) for name in self.start})

    def _reverted(self, name: str, rows: Ints) -> Array:
        column = (self.frame.tag(name[4:]) if name.startswith("tag:") else self.frame.column(name)).copy()
        column[rows] = self.start[name][rows]
        return column

    def same_as(self, other: Frame) -> Bools:
        """Tell which rows are as they were in another frame."""
        same = np.ones(len(self.frame), np.bool_)
        for name in self.start:
            now = self.frame.tag(name[4:]) if name.startswith("tag:") else self.frame.column(name)
            then = other.tag(name[4:]) if name.startswith("tag:") else other.column(name)
            if now is not then:
                same &= _equal(now, then)
        return same


def begin(snapshot: Snapshot, policy: Policy, now: int) -> Working:
    """Start with a snapshot; states that rules lead to get a code though no memory has them yet."""
    leads = {str(rule.to) for rule in policy.rules if rule.do == "transition" and rule.column == "state"}
    known = snapshot.names.get("state", ())
    if leads - set(known):
        snapshot = replace(snapshot, names={**snapshot.names, "state": (*known, *sorted(leads - set(known)))})
    start = {name: snapshot.columns[name] for name in CHANGEABLE if name in snapshot.columns}
    start |= {
        f"tag:flag/{rule.to}": snapshot.tags[f"flag/{rule.to}"] for rule in policy.rules if rule.do == "flag"
    }
    return Working(Frame(snapshot, now, shared=_shared(policy)), start, snapshot.links)


def _shared(policy: Policy) -> frozenset[str]:
    """Find the conditions that stand in more than one place."""
    seen: Counter[str] = Counter()
    nodes = [rule.node for rule in policy.rules if rule.over == "memories"] + [
        guard.node for guard in policy.guards
    ]
    while nodes:
        node = nodes.pop()
        if node.type == "truth":
            seen[node.text] += 1
        nodes += node.parts
    several = {text for text, count in seen.items() if count > 1}
    return frozenset(several | {f"not {text}" for text in several})


def without(links: LinkColumns, edges: Ints) -> LinkColumns:
    """Return links but some."""
    kept = np.ones(len(links), np.bool_)
    kept[edges] = False
    return picked(links, kept)


def _group_of(rule: Rule) -> str:
    match rule.do:
        case "transition":
            return rule.column
        case "flag":
            return f"tag:flag/{rule.to}"
        case "reinforce":
            return "counters"
        case _:
            return "status"


def _mask(rows: Ints, count: int) -> Bools:
    mask = np.zeros(count, np.bool_)
    mask[rows] = True
    return mask


def _equal(a: Array, b: Array) -> Bools:
    if a.dtype.kind == "f":
        equal: Bools = (a == b) | (np.isnan(a) & np.isnan(b))
        return equal
    return np.asarray(a == b)
