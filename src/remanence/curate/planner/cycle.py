"""One cycle of curation on a frozen scope: phases in their order, round after round until nothing changes.

Knows how rules, windows and guards meet; knows nothing of the brake or of how a plan is written down. Going round
until nothing changes is what makes a second run at the same instant do nothing.
"""

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from remanence.core.clock import HOUR
from remanence.core.effects import CONTESTED, NO_SHORTER, NO_SUMMARY, Stage
from remanence.core.model import Form, Status
from remanence.core.snapshot import Bools, Ints
from remanence.core.timekeeping import is_ahead
from remanence.curate.language.view import LinkView, visible
from remanence.curate.planner.merge import Merge, candidates, may_merge, settle
from remanence.curate.planner.protection import Guarding
from remanence.curate.planner.state import NOBODY, Working
from remanence.curate.planner.windows import Sight, Window, select
from remanence.curate.policy.compiled import Policy
from remanence.curate.policy.rules import PHASES, Rule

ROUNDS_MAX = 16
DWELL = HOUR  # how long a memory stays in a tier before a rule of taste may move it again
_WORST = 127
# Moves that a budget does not force; they wait for the dwell.
_VOLUNTARY = frozenset({"keep-recent", "value", "tiers"})


def dwells(rule: Rule) -> bool:
    """Tell whether a rule leaves alone what has moved lately."""
    return rule.effect.moves and rule.phase in _VOLUNTARY


@dataclass(eq=False)
class Cycle:
    """The rules of a policy at work on one scope."""

    policy: Policy
    working: Working
    guarding: Guarding
    merges_left: int | None = None  # how many more merges the brake lets through
    fired: dict[str, Ints] = field(default_factory=dict)  # rule with a period → the rows that it chose
    notes: dict[str, None] = field(default_factory=dict)
    deferred_merges: list[tuple[int, int]] = field(default_factory=list)  # (row, rule)
    linked: dict[str, int] = field(default_factory=dict)  # rule → pairs that stay linked, unmerged
    taken: set[int] = field(default_factory=set)
    matches: dict[int, tuple[int, Ints]] = field(
        default_factory=dict
    )  # rule → after which step, and the rows
    rested: bool = False  # whether another run on what it leaves would find the same guards and nothing to do

    def run(self) -> None:
        """Go round until nothing changes, then let the rules with a period fire, and round again if any did."""
        self.guarding.look(self.working.view)
        before = self.working.versions.copy()
        while self._settle_rules():
            versions = self.working.versions.copy()
            if not self._fire_periodic():
                self.rested = True
                break
            self._look_again(versions)
        releases = self.guarding.count_released(self.working.view, self._find_changed_columns(before))
        self.rested &= not releases
        for guard, count in releases.items():
            self.notes[
                f"{guard}: {count:,} of what it protects in this run it will not protect in the next, which may do more"
            ] = None

    def _settle_rules(self) -> bool:
        """Go round until nothing changes; tell whether it came to rest."""
        moving = np.zeros(0, np.int64)
        for _ in range(ROUNDS_MAX):
            before, links, versions = (
                self.working.view,
                self.working.view.links,
                self.working.versions.copy(),
            )
            for phase, rules in self.each_time.items():
                if phase == "links":
                    self._cut_links(rules)
                else:
                    self._in_turn(rules, phase)
            self.working.settle_tiers()
            moving = np.flatnonzero(~self.working.same_as(before))
            if not len(moving) and self.working.view.links is links:
                return True
            self._look_again(versions)
        # Left alone is what the rules push to and fro.
        self.working.revert(moving)
        seqs = self.working.view.snapshot.seq[moving[:5]].tolist()
        self.notes[f"rules disagree about {len(moving)} memories, which stay as they are: {seqs}"] = None
        return False

    def _look_again(self, versions: Counter[str]) -> None:
        """Evaluate the guards that read what has changed since some versions."""
        self.guarding.look(self.working.view, self._find_changed_columns(versions))

    def _find_changed_columns(self, versions: Counter[str]) -> AbstractSet[str]:
        """Name the columns that have changed since some versions."""
        return (self.working.versions - versions).keys()

    @cached_property
    def each_time(self) -> Mapping[str, list[tuple[int, Rule]]]:
        """The rules that act in each round, with their numbers, by phase in its order."""
        acting = [(index, rule) for index, rule in enumerate(self.policy.rules) if rule.period is None]
        by_phase = {phase: [one for one in acting if one[1].phase == phase] for phase in PHASES}
        return {phase: rules for phase, rules in by_phase.items() if rules}

    def _in_turn(self, rules: list[tuple[int, Rule]], phase: str) -> None:
        """Do the rules of a phase: all on the same values, but for budgets of tiers, which fill the next tier's."""
        filling = [item for item in rules if phase == "budgets" and item[1].effect.moves]
        for item in filling:
            self._run_phase([item])
        rest = [item for item in rules if item not in filling]
        if rest:
            self._run_phase(rest)

    def _run_phase(self, rules: list[tuple[int, Rule]]) -> None:
        """Let all rules of a phase choose on the same values; then the safest of each group is done."""
        uniting = [item for item in rules if item[1].effect.unites]
        each = (
            (index, rule, self._choose_rows(rule, index)) for index, rule in rules if not rule.effect.unites
        )
        choices = [item for item in each if len(item[2])]
        # What was chosen by a rule with a period was its turn, also where a safer rule wins.
        self.fired |= {rule.name: rows for _, rule, rows in choices if rule.period is not None}
        if not choices and not uniting:
            return
        won: dict[int, Ints] = {}
        for group in CONTESTED:
            won |= self._pick_safest([item for item in choices if item[1].effect.group == group])
        for index, rule, rows in sorted(choices, key=lambda item: item[1].effect.stage):
            won |= {index: rows} if rule.effect.stage is not Stage.SAFEST else {}
        merges = self._choose_merges(uniting, won)
        if not merges and not any(map(len, won.values())):
            return
        merge_rows = np.array(
            sorted({row for merge in merges for row in (merge.survivor, merge.discard)}), np.int64
        )
        falling = self._find_falling_rows(won, merges)
        for index, rows in won.items():
            rule = self.policy.rules[index]
            yields = bool(merges) and rule.effect.is_graver(uniting[0][1].effect)
            rest = np.setdiff1d(rows, merge_rows) if yields else rows
            rest = rows[~falling[rows]] if rule.effect.of_what_stands else rest
            if len(rest):
                self.working.act(rule, index, rest)
        if merges:
            self.working.merge(merges)

    def _find_falling_rows(self, won: Mapping[int, Ints], merges: list[Merge]) -> Bools:
        """Tell which rows go out of sight in this phase: to condense them, too, would change what nobody is shown.

        And the lifecycle of what is archived is archived, not stale.
        """
        falling = np.zeros(len(self.working.view), np.bool_)
        falling[[merge.discard for merge in merges]] = True
        for index, rows in won.items():
            if "status" in self.policy.rules[index].effect.sets:
                falling[rows] = True
        return falling

    def _pick_safest(self, chosen: list[tuple[int, Rule, Ints]]) -> dict[int, Ints]:
        """Of several actions on one memory the safest wins, and among equals the rule first by name."""
        if not chosen:
            return {}
        best = np.full(len(self.working.view), _WORST, np.int8)
        winner = np.full(len(self.working.view), NOBODY, np.int16)
        for index, rule, rows in chosen:
            safety = rule.effect.safety(rule.target)
            better = rows[safety < best[rows]]
            best[better], winner[better] = safety, index
        return {index: rows[winner[rows] == index] for index, _, rows in chosen}

    def _choose_rows(self, rule: Rule, index: int) -> Ints:
        """Return the rows that a rule may act on: matched, in its sight, beyond its window, not guarded."""
        hits = self.find_matches(rule, index)
        if not len(hits):
            return hits
        view, action = self.working.view, rule.effect.guarded
        window = self.window(rule, index)
        if len(window.overfull):
            self.notes[f"{rule.name}: what is protected alone exceeds the budget; nothing is moved there"] = (
                None
            )
        if len(window.unmet) and rule.effect is rule.last_effect:
            self.notes[f"{rule.name}: what is there exceeds the budget also where all of it is condensed"] = (
                None
            )
        if not len(window.rows):
            return window.rows
        rows = self._filter_dwelling(rule, window.rows)
        if rule.effect.known_by == "state":
            rows = self._filter_by_state(rule, rows)
        if rule.effect.needs_text:
            # Left to the rule's next turn is what this run condenses: it may have no summary, and is condensed then.
            condensed = self.working.view.column("form")[rows] != self.working.start["form"][rows]
            if condensed.any():
                self.fired[rule.name] = rows  # else a second run would sum it up
            rows = rows[~condensed]
        elif rule.effect.form is not None:
            rows = rows[view.column("short_words")[rows] < view.column("words")[rows]]
        if rule.period is not None:
            rows = self.working.select_differing(rule, rows)
        return self._filter_by_guards(rule, rows) if action else rows

    def window(self, rule: Rule, index: int) -> Window:
        """Look which of the memories that a rule matches its window selects."""
        view, guarding, last = self.working.view, self.guarding, rule.last_effect.guarded
        hits = self.find_matches(rule, index)
        if not len(hits):
            return Window(hits, hits, hits)
        if not rule.has_window:
            return Window(hits[self.mark_visible(rule)[hits]], hits[:0], hits[:0])
        nobody = np.zeros(len(view), np.bool_)
        shrinks = nobody
        if rule.shortening is not None:
            shrinks = (view.column("form") == Form.FULL) & ~guarding.mark_blocked(rule.shortening.guarded)
            shrinks &= view.column("short_words") < view.column("words")
        sight = Sight(self.mark_visible(rule), guarding.mark_blocked(last) if last else nobody, shrinks)
        return select(rule, view.on(rule.clock), hits, sight)

    def find_matches(self, rule: Rule, index: int) -> Ints:
        """Evaluate a rule's condition, or take what it was if nothing that it reads has changed."""
        entry, working = self.matches.get(index), self.working
        if entry is None or working.has_changed(rule.node.reads, entry[0]):
            (hits,) = rule.node.run(working.view.on(rule.clock)).nonzero()
            entry = self.matches[index] = (working.steps, hits)
        return entry[1]

    def mark_visible(self, rule: Rule) -> Bools:
        """Tell which rows a rule looks at: what is in sight, or all but tombstones if it names the status."""
        status, effect = self.working.view.column("status"), rule.effect
        if effect.needs_text:
            # What was archived before this run, is no summary, and of which none was refused.
            view = self.working.view
            is_refused = view.tag(NO_SUMMARY)
            if not view.snapshot.shortens:
                is_refused = is_refused | view.tag(NO_SHORTER)
            is_archived = (status == Status.ARCHIVED) & (self.working.start["status"] == Status.ARCHIVED)
            return np.asarray(is_archived & (view.column("form") != Form.SUMMARY) & ~is_refused)
        if rule.sees_all or effect.seeks_hidden:
            reached: Bools = np.logical_or.reduce([status == one for one in effect.reach])
            return reached
        return self.working.view.find_standing()

    def _filter_dwelling(self, rule: Rule, rows: Ints) -> Ints:
        """Leave out what moved so lately that only a budget may move it."""
        if not dwells(rule):
            return rows
        dwelling = self.working.view.column("tier_at")[rows] > self.working.now - DWELL
        elsewhere = self.working.view.column("tier")[rows] != rule.target
        start = self.working.start["tier_at"][rows] > self.working.now - DWELL
        self.guarding.refuse("dwell", rule.name, rows[dwelling & elsewhere & start])
        free: Ints = rows[~dwelling | ~elsewhere]
        return free

    def _filter_by_state(self, rule: Rule, rows: Ints) -> Ints:
        """Leave out memories whose category lacks the state, or whose state is a last one."""
        view, categories = self.working.view, self.policy.categories
        names, states = view.names("category"), view.names("state")
        allowed = np.zeros((len(names) + 1, len(states) + 1), np.bool_)
        for code, name in enumerate(names):
            category = categories.get(name)
            if category is not None and rule.to in category.states:
                # The row's last column is the state that is absent.
                allowed[code] = [*(state not in category.terminal for state in states), True]
        fits = allowed[view.column("category")[rows], view.column("state")[rows]]
        already = view.column("state")[rows] == view.code("state", str(rule.to))
        self.guarding.refuse("states", rule.name, rows[~fits & ~already])
        free: Ints = rows[fits | already]
        return free

    def _filter_by_guards(self, rule: Rule, rows: Ints) -> Ints:
        if rule.effect.moves:
            down = self.working.view.column("tier")[rows] < rule.target
            allowed = self.guarding.check_allowed(rule.name, rows[down], rule.effect.guarded)
            return np.sort(np.r_[rows[~down], rows[down][allowed]])
        return rows[self.guarding.check_allowed(rule.name, rows, rule.effect.guarded)]

    def _choose_merges(self, rules: list[tuple[int, Rule]], won: Mapping[int, Ints]) -> list[Merge]:
        """Choose pairs to merge, within what the brake lets through; what a milder action has won stays out."""
        if not rules:
            return []
        union = rules[0][1].effect
        milder = {
            row
            for index, rows in won.items()
            if union.is_graver(self.policy.rules[index].effect)
            for row in rows.tolist()
        }
        allowed = [
            merge
            for index, rule in rules
            for merge in candidates(rule, index, self.working.view)
            if merge.discard not in milder and merge.survivor not in milder
            if self.guarding.check_allowed(rule.name, np.array([merge.discard]), union.guarded)[0]
        ]
        snapshot = self.working.view.snapshot
        may = [may_merge(snapshot, merge.survivor, merge.discard) for merge in allowed]
        self._leave_linked([merge for merge, sure in zip(allowed, may, strict=True) if not sure])
        merges = settle((merge for merge, sure in zip(allowed, may, strict=True) if sure), self.taken)
        if self.merges_left is None:
            return merges
        self.deferred_merges += [(merge.discard, merge.rule) for merge in merges[self.merges_left :]]
        merges = merges[: self.merges_left]
        self.merges_left -= len(merges)
        return merges

    def _leave_linked(self, merges: list[Merge]) -> None:
        """Say of each rule how many pairs it would have made one, as they were first seen."""
        for index, pairs in Counter(merge.rule for merge in merges).items():
            self.linked.setdefault(self.policy.rules[index].name, pairs)

    def _cut_links(self, rules: list[tuple[int, Rule]]) -> None:
        """Cut links; all rules of the phase see the same links."""
        links = visible(self.working.view)
        is_cut = np.zeros(len(self.working.view.edges()), np.bool_)
        cut: Mapping[int, Ints] = {
            index: links[rule.node.run(LinkView(self.working.view.on(rule.clock), links))]
            for index, rule in rules
        }
        for index, edges in cut.items():
            fresh = edges[~is_cut[edges]]
            is_cut[fresh] = True
            if len(fresh):
                self.working.note_cut(fresh, index)
        if is_cut.any():
            self.working.unlink(np.flatnonzero(is_cut))

    def _fire_periodic(self) -> bool:
        """Let the rules whose period has passed act, when all others have come to rest; tell whether any did."""
        due = [
            (index, rule)
            for index, rule in enumerate(self.policy.rules)
            if rule.period is not None and rule.name not in self.fired and not self.rests(rule)
        ]
        before = len(self.fired)
        for phase in PHASES:
            rules = [pair for pair in due if pair[1].phase == phase]
            if rules:
                self._run_phase(rules)
        return len(self.fired) > before

    def rests(self, rule: Rule) -> bool:
        """Tell whether a rule with a period has fired less than that ago, by its own clock."""
        last, view = self.working.view.snapshot.fired.get(rule.name), self.working.view.on(rule.clock)
        if rule.period is None or last is None or is_ahead(last, self.working.now):
            return False
        return bool(view.now - view.read_clock(last) < rule.period)
