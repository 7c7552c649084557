"""What the policy will do in the days to come: read once, judged in memory; nothing is written and no lease is taken.

Knows what of a scope a forecast needs and what it cannot know; how time goes on lies with `curate.future`.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from remanence.core.arguments import check_count
from remanence.core.clock import DAY, HOUR, SECOND
from remanence.core.errors import InvalidInput, format_value
from remanence.core.keywords import Overrides
from remanence.core.model import AffectedMemory, Decay, Status
from remanence.core.results import number
from remanence.core.snapshot import Snapshot
from remanence.curate.forecast.forecast_report import LEAVES, Forecast, Leaving, RunToCome
from remanence.curate.forecast.ticks_to_come import Begin, ForecastTick, Future
from remanence.curate.planner.plan_report import actions
from remanence.curate.policy.compiled import Policy
from remanence.flows.base.audit_log import newest_first
from remanence.flows.base.context import Core
from remanence.flows.consolidate import consolidation
from remanence.flows.consolidate.sessions import list_open_sessions
from remanence.flows.curate import curating
from remanence.flows.curate.curating import GOING_ON, LAST_CURATE
from remanence.flows.curate.scheduling import read
from remanence.flows.schedule import ticking
from remanence.store.base import Bookkeeping

DAYS_MAX = 3_650
LISTED_MAX = 1_000_000
EVERY_LEAST_S, EVERY_MOST_S = 60, 7 * DAY // SECOND
NO_POLICY = (
    "adopt one (memory.policy.use('default'), `remanence policy use default`), or name one to see what it would do:"
    " policy='default', --policy default"
)


@dataclass(frozen=True, slots=True)
class Wish:
    """What a forecast is asked for: how far ahead, under which policy, how often something ticks, what is listed."""

    days: int
    policy: str | None = None
    overrides: Overrides | None = None
    every: float | None = None
    limit: int = 1_000
    offset: int = 0


async def forecast(core: Core, wish: Wish) -> Forecast:
    """Say what a policy will do in so many days, if nothing but time passes."""
    check_count("days", wish.days, 1, DAYS_MAX)
    check_count("limit", wish.limit, 0, LISTED_MAX)
    check_count("offset", wish.offset, 0, LISTED_MAX * LISTED_MAX)
    if wish.every is not None and not EVERY_LEAST_S <= wish.every <= EVERY_MOST_S:
        raise InvalidInput(
            f"every cannot be {format_value(wish.every)} seconds",
            recovery=f"pass {EVERY_LEAST_S:,} to {EVERY_MOST_S:,} seconds between two rounds, or None",
        )
    if wish.policy is None and not core.policy_given:
        raise InvalidInput(
            f"scope {core.scope!r} has adopted no policy, so nothing runs here by itself", recovery=NO_POLICY
        )
    policy = curating.choose(core, wish.policy, wish.overrides)
    begin = await _read_beginning(core, policy)
    until = begin.now + wish.days * DAY
    table = _ForecastTable(begin, wish)
    after = await asyncio.to_thread(_foretell_ticks, table, Future(begin), until)
    memories = await curating.read_affected(core, [one[0] for one in table.listed])
    return table.build_forecast(after, until, memories)


async def _read_beginning(core: Core, policy: Policy) -> Begin:
    """Read how the scope stands, with all uses that are still to be counted, and what decides when ticks come."""
    await core.uses.settle()
    snapshot, now = await curating.read_frozen(core, policy, GOING_ON | {"decay"})
    record, quiet, _ = await read(core)
    answer = await core.store.bookkeep(core.scope, Bookkeeping(now, get=(LAST_CURATE,)))
    is_own = core.policy_given and policy.hash == core.policy.hash
    is_quiet = is_own and ticking.is_quiet(quiet, snapshot.position, now)
    return Begin(
        snapshot,
        policy,
        now,
        record,
        quiet["due_at"] if is_quiet and quiet is not None else None,
        answer.values.get(LAST_CURATE),
        tuple([one async for one in _iterate_destroying_runs(core, now)]) if snapshot.destroyed_today else (),
        tuple(one.counted_until for one in await list_open_sessions(core) if one.every is not None),
        await ticking.is_dirtied(core, record, snapshot.position),
        await consolidation.due_at(core),
        await ticking.is_doubted(core),
    )


async def _iterate_destroying_runs(core: Core, now: int) -> AsyncIterator[tuple[int, int]]:
    """Yield the automatic runs of the last 24 hours that destroyed something, and how much."""
    async for part in newest_first(core):
        if part.cause.at <= now - DAY:
            break
        if part.cause.destroyed:
            yield part.cause.at, part.cause.destroyed


@dataclass(slots=True)
class _ForecastTable:
    """What runs to come do, counted whole: how many memories or links by day, action and rule, and how many leave.

    Of runs and of what leaves so many are listed, from an offset on.
    """

    begin: Begin
    wish: Wish
    acts: Counter[tuple[int, str, str]] = field(default_factory=Counter)
    leavings: Counter[tuple[str, str]] = field(default_factory=Counter)  # by decay class and action
    runs: list[RunToCome] = field(default_factory=list)
    listed: list[tuple[int, int, str, str, str]] = field(default_factory=list)
    runs_count: int = 0
    held: tuple[int, str] | None = None
    coarse: tuple[int, int] | None = None
    deferred: int = 0

    def add(self, judged: ForecastTick) -> None:
        """Take in one tick."""
        plan, hold = judged.plan, judged.hold
        self.deferred = judged.deferred
        if judged.coarse and self.coarse is None:
            self.coarse = (plan.now, judged.coarse)
        if hold is not None and self.held is None:
            self.held = (plan.now, hold.why)
        elif hold is None and judged.cadence == "deep":
            self.held = None
        if plan.empty or judged.after is judged.before:
            return
        self.runs_count += 1
        if self.wish.offset < self.runs_count <= self.wish.offset + self.wish.limit:
            self.runs.append(_build_run(judged))
        day = min((plan.now - self.begin.now) // DAY, self.wish.days - 1)
        self.acts.update({(day, action, rule): count for action, rule, count in plan.by_rule})
        self._add_leaving(judged)

    def _add_leaving(self, judged: ForecastTick) -> None:
        """Count by decay class what leaves, and list what is asked for."""
        plan, decay = judged.plan, judged.before.columns["decay"]
        for act in (one for one in actions(plan) if one.name in LEAVES):
            classes = [
                Decay(code).label if code in list(Decay) else "none"
                for code in decay[np.searchsorted(judged.before.seq, act.seqs)].tolist()
            ]
            since = max(0, self.wish.offset - self.leavings.total())
            until = since + self.wish.limit - len(self.listed)
            self.listed += [
                (seq, plan.now, act.name, act.rule, name)
                for seq, name in zip(act.seqs[since:until], classes[since:until], strict=True)
            ]
            self.leavings.update((name, act.name) for name in classes)

    def build_forecast(self, after: Snapshot, until: int, memories: Mapping[int, AffectedMemory]) -> Forecast:
        """Return the forecast, with the scope as it stands after the last tick."""
        begin, every = self.begin, self.wish.every
        counts, by_rule = Counter[str](), Counter[tuple[str, str]]()
        by_day = [Counter[str]() for _ in range(self.wish.days)]
        for (day, action, rule), count in self.acts.items():
            counts[action] += count
            by_rule[action, rule] += count
            by_day[day][action] += count
        by_class: dict[str, dict[str, int]] = {}
        for (name, action), count in self.leavings.items():
            by_class.setdefault(name, {})[action] = count
        return Forecast(
            begin.snapshot.scope,
            begin.policy.name,
            begin.now,
            until,
            dict(counts),
            tuple((*key, count) for key, count in sorted(by_rule.items())),
            dict(sorted(by_class.items())),
            tuple(map(dict, by_day)),
            tuple(self.runs),
            tuple(
                Leaving(at, action, rule, memories.get(seq, AffectedMemory(seq)), decay)
                for seq, at, action, rule, decay in self.listed
            ),
            _count_statuses(begin.snapshot),
            _count_statuses(after),
            self.runs_count - len(self.runs),
            self.leavings.total() - len(self.listed),
            self.deferred,
            "" if self.held is None else self.held[1],
            None if self.held is None else self.held[0],
            every if self.coarse is None else self.coarse[1] / SECOND,
            None if self.coarse is None else self.coarse[0],
            tuple(_list_unknowns(begin, 0 if self.coarse is None else self.coarse[1])),
        )


def _build_run(judged: ForecastTick) -> RunToCome:
    plan, hold = judged.plan, judged.hold
    return RunToCome(
        plan.now,
        judged.cadence,
        plan.counts,
        plan.by_rule,
        plan.destroyed,
        len(plan.exempt),
        judged.deferred,
        "" if hold is None else f"held: {hold.why}",
    )


def _foretell_ticks(table: _ForecastTable, future: Future, until: int) -> Snapshot:
    """Judge every tick to come, and return the scope as it stands then."""
    every = 0 if table.wish.every is None else round(table.wish.every * SECOND)
    for tick in future.ticks(until, every):
        table.add(tick)
    return future.snapshot


def _count_statuses(snapshot: Snapshot) -> dict[str, int]:
    status = snapshot.columns["status"]
    counts = {one.label: int(np.count_nonzero(status == one)) for one in Status}
    return {name: count for name, count in counts.items() if count}


def _list_unknowns(begin: Begin, coarse: int) -> Iterator[str]:
    """Say in words what no forecast can know, and what this one leaves open where ticks are taken together."""
    policy, snapshot = begin.policy, begin.snapshot
    if coarse:
        often = [rule.name for rule in policy.rules if rule.period is not None and rule.period < coarse]
        yield (
            f"the hour of a run: rounds are taken {coarse / HOUR:g} hours apart, so it is up to that much later than in"
            " truth, and twice that where one run waits for another"
            + (f"; and what {', '.join(often)} do, which act more often than that" if often else "")
        )
    yield "what is learned, used, rated, edited, pinned or released from now on"
    inbox = int(np.count_nonzero(snapshot.columns["status"] == Status.INBOX))
    if inbox:
        waits = number(inbox, "memory", "memories")
        then = "stays there" if begin.settles_at is None else "becomes active, and no more"
        yield f"what the next consolidation finds among {waits} of the inbox: here each {then}"
    clocks = {rule.clock for rule in policy.rules} | {guard.clock for guard in policy.guards} | {policy.clock}
    if clocks - {"wall"}:
        names = " and ".join(sorted(clocks - {"wall"}))
        yield f"work to come: the {names} clock stands still here, as it does without sessions"
    if any(rule.effect.needs_text for rule in policy.rules):
        yield "what a summary says and how long it is: it is made when the run comes, and may fail"
    if any(rule.effect.unites for rule in policy.rules):
        yield "near duplicates that are found later, and the decay class of a memory that takes another in"
    yield "when due jobs run: a run comes at the first round after it is due, and none comes where no jobs run"
    yield "how long rounds take, and what undoes or repeats a run"
