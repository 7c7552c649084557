"""What a proposed plan and a plan made now agree on: the rows, links and tags that both change alike.

Knows two plans of one scope, and who protects what in it; knows nothing of stores or files.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from remanence.core.change import ABSENT
from remanence.core.effects import DESTROYED
from remanence.core.model import COLUMN, COUNTERS, short_id
from remanence.core.snapshot import Bools, Ints, Snapshot
from remanence.curate.language.view import View
from remanence.curate.planner.changes import clusters
from remanence.curate.planner.diff import AnyPlan, Edits, PlanDecision
from remanence.curate.planner.plan_report import CUT_LINK_LEFT
from remanence.curate.planner.protection import Guarding
from remanence.curate.policy.compiled import Policy

_NOW = ABSENT + 1  # stands for the instant of a plan, which differs between two
_NOWHERE = ABSENT + 2  # for the value of a row that does not change


def filter_to_proposed(proposed: PlanDecision, fresh: AnyPlan, policy: Policy) -> AnyPlan:
    """Return the fresh plan without what was not proposed just so; what belongs together stays or goes together."""
    rows, links = _same_rows(proposed, fresh), _same_links(proposed, fresh)
    mismatches = set(fresh.seq[~rows].tolist())
    for action, tag, seqs in fresh.iterate_tag_changes():
        mismatches |= set(np.setdiff1d(seqs, _find_tag_bearers(proposed, action, tag)).tolist())
    partners = _find_torn_partners(fresh, mismatches, links)
    removals = np.array(sorted(mismatches | partners), np.int64)
    merging = np.array(sorted(partners), np.int64)
    rows &= ~np.isin(fresh.seq, removals)
    links &= ~(np.isin(fresh.links.source, merging) | np.isin(fresh.links.target, merging))
    part = _select_plan_part(fresh, rows, links, removals)
    # The rules whose turn it was: not those of which all is left out, for it would be their turn again.
    rules, part_rules = (set(_iterate_acting_rules(plan, policy)) for plan in (fresh, part))
    fired = (name for name in fresh.fired if name in part_rules or (name not in rules and not part.empty))
    return replace(part, fired=tuple(fired))


def _find_tag_bearers(plan: PlanDecision, action: str, tag: str) -> Ints:
    """Return the memories that get or lose a tag."""
    return plan.tags.get(action, {}).get(tag, np.zeros(0, np.int64))


def destroyed_count(plan: PlanDecision) -> int:
    """Count the memories that a plan's changes prune, purge or merge away and that limits count."""
    status = plan.columns.get("status", Edits.none())
    return len(plan.purged) + int(np.isin(status.after, DESTROYED).sum()) - len(plan.exempt)


def left_out(
    proposed: PlanDecision, kept: PlanDecision, snapshot: Snapshot, policy: Policy, most: int
) -> tuple[tuple[str, ...], int]:
    """Say what was proposed and is not done, and why: so many at most, and how many more there are."""
    tags = [
        np.setdiff1d(seqs, _find_tag_bearers(kept, action, tag))
        for action, tag, seqs in proposed.iterate_tag_changes()
    ]
    missing = np.unique(np.concatenate([np.setdiff1d(proposed.seq, kept.seq), *tags])).tolist()
    why = ExclusionReasons(proposed, kept, snapshot, policy)
    kept_keys = set(kept.links.list_keys())
    merge_ends = {*proposed.merges.survivor.tolist(), *proposed.merges.discard.tolist()}
    cut = [
        key for key in proposed.links.list_keys() if key not in kept_keys and merge_ends.isdisjoint(key[:2])
    ]
    lines = [f"{short_id(seq)}: {why(seq)}" for seq in missing[:most]]
    lines += [
        f"{short_id(key[0])} to {short_id(key[1])}: {CUT_LINK_LEFT}" for key in cut[: most - len(lines)]
    ]
    return tuple(lines), len(missing) + len(cut) - len(lines)


class ExclusionReasons:
    """Why a memory is left out: its guards come first, since what protects it also changed it."""

    def __init__(
        self, proposed: PlanDecision, kept: PlanDecision, snapshot: Snapshot, policy: Policy
    ) -> None:
        self._proposed, self._snapshot = proposed, snapshot
        self._acts = _describe_acts(proposed)
        self._guarding = Guarding(policy)
        self._guarding.look(View(snapshot, kept.now))

    def __call__(self, seq: int) -> str:
        """Say why in a few words."""
        at = int(np.searchsorted(self._snapshot.seq, seq))
        if at == len(self._snapshot) or self._snapshot.seq[at] != seq:
            return "it is gone"
        guards = self._guarding.find_row_guards(at, self._acts.get(seq, ""))
        if guards:
            return f"protected: {', '.join(guards)}"
        place = int(np.searchsorted(self._proposed.seq, seq))
        if place < len(self._proposed.seq) and self._proposed.seq[place] == seq:
            then = (self._proposed.revision[place], self._proposed.touched[place])
            if then != tuple(self._snapshot.columns[name][at] for name in ("revision", "touched")):
                return "changed, used or linked since the plan was made"
        return "its policy does not do this now"


def _describe_acts(plan: PlanDecision) -> dict[int, str]:
    """Return what a plan does to each memory that a guard could block."""
    acts: dict[int, str] = {}
    tier = plan.columns.get("tier", Edits.none())
    # The gravest comes last, and counts.
    for effect, places in reversed([*plan.iterate_actions()]):
        # Moving up is never blocked.
        rows = places[np.isin(places, tier.rows[tier.after > tier.before])] if effect.moves else places
        acts |= dict.fromkeys(plan.seq[rows].tolist(), effect.guarded) if effect.guarded else {}
    return acts


def _same_rows(proposed: PlanDecision, fresh: PlanDecision) -> Bools:
    """Tell which rows of the fresh plan the proposed one changes alike."""
    at = np.searchsorted(proposed.seq, fresh.seq)
    at[at == len(proposed.seq)] = 0
    if not len(proposed.seq):
        return np.zeros(len(fresh.seq), np.bool_)
    same: Bools = proposed.seq[at] == fresh.seq
    purges, mine = (np.zeros(len(plan.seq), np.bool_) for plan in (proposed, fresh))
    purges[proposed.purged], mine[fresh.purged] = True, True
    same &= (purges[at] == mine) & (proposed.revision[at] == fresh.revision)
    # Of rows that are destroyed a use or a link since is reason enough to stay.
    destroyed = mine.copy()
    status = fresh.columns.get("status", Edits.none())
    destroyed[status.rows[np.isin(status.after, DESTROYED)]] = True
    same &= ~destroyed | (proposed.touched[at] == fresh.touched)
    for name in proposed.columns.keys() | fresh.columns.keys():
        for theirs, ours in zip(
            _iterate_sides(proposed, name, fresh), _iterate_sides(fresh, name, fresh), strict=True
        ):
            same &= theirs[at] == ours
    return same


def _iterate_sides(plan: PlanDecision, name: str, names: PlanDecision) -> Iterator[Ints]:
    """Yield a column's values before and after, row by row, in terms that mean the same in two plans."""
    edits = plan.columns.get(name, Edits.none())
    before, after = edits.before, edits.after
    if name in COUNTERS:
        before, after = np.zeros_like(before), after - before
    elif name == "state":
        before, after = _renumber_states(before, plan, names), _renumber_states(after, plan, names)
    elif COLUMN[name].kind == "time":
        after = _mark_now(after, plan.now)
    for values in (before, after):
        column = np.full(len(plan.seq), _NOWHERE)
        column[edits.rows] = values
        yield column


def _renumber_states(values: Ints, plan: PlanDecision, names: PlanDecision) -> Ints:
    """Give states the numbers that another plan has for them."""
    codes = {name: code for code, name in enumerate(names.states)}
    unknown = len(codes)
    table = np.array([*(codes.get(name, unknown) for name in plan.states), ABSENT])
    numbers: Ints = table[np.where(values == ABSENT, len(plan.states), values)]
    return numbers


def _same_links(proposed: PlanDecision, fresh: PlanDecision) -> Bools:
    """Tell which links of the fresh plan the proposed one changes alike, in the columns that its policy reads."""
    places = {key: place for place, key in enumerate(proposed.links.list_keys())}
    at = np.array([places.get(key, -1) for key in fresh.links.list_keys()], np.int64)
    same: Bools = at >= 0
    if not same.any():
        return same
    for side in ("before", "after"):
        theirs, ours = getattr(proposed.links, side), getattr(fresh.links, side)
        for name in ours:
            if name not in theirs:
                return np.zeros(len(at), np.bool_)
            values = [
                _mark_now(values, plan.now) if name.endswith("_at") and side == "after" else values
                for values, plan in ((theirs[name][at], proposed), (ours[name], fresh))
            ]
            same &= values[0] == values[1]
    return same


def _mark_now(values: Ints, now: int) -> Ints:
    """Let the instant of a plan, which differs between two, mean the same in both."""
    return np.where(values == now, _NOW, values)


def _find_torn_partners(plan: PlanDecision, lost: set[int], links: Bools) -> set[int]:
    """Return the memories of merges of which a memory or a link is not agreed on."""
    together = clusters(plan)
    if not together:
        return set()
    torn = {
        end for key, same in zip(plan.links.list_keys(), links, strict=True) if not same for end in key[:2]
    }
    torn_clusters = {together[seq] for seq in (lost | torn) & together.keys()}
    return {seq for seq, cluster in together.items() if cluster in torn_clusters}


def _select_plan_part(plan: AnyPlan, rows: Bools, links: Bools, gone: Ints) -> AnyPlan:
    """Return a plan of some rows and links, without tags of memories that are gone."""
    tags: dict[str, dict[str, Ints]] = {}
    for action, tag, seqs in plan.iterate_tag_changes():
        if len(rest := np.setdiff1d(seqs, gone)):
            tags.setdefault(action, {})[tag] = rest
    return replace(
        plan.where(rows),
        tags=tags,
        links=plan.links.where(links),
        merges=plan.merges.where(np.isin(plan.merges.discard, plan.seq[rows])),
    )


def _iterate_acting_rules(plan: PlanDecision, policy: Policy) -> Iterator[str]:
    """Yield the rules of which something shows in a plan; a flag shows by its tag."""
    for rules in (*plan.why.values(), plan.links.why):
        yield from (plan.rules[rule] for rule in np.unique(rules).tolist() if rule >= 0)
    yield from (rule.name for rule in policy.rules if rule.tag in plan.tags.get(rule.do, {}))
