"""What the tests of forecasts share: memories as agents leave them, and the runs that come, foretold and ticked."""

from collections.abc import Mapping
from random import Random
from typing import Any

import remanence
from remanence.core.clock import DAY, HOUR, ManualClock
from remanence.core.model import Turn
from remanence.curate.forecast.forecast_report import LEAVES, Forecast

# Of each action that takes something away: which memories, by which rules.
Acts = dict[str, tuple[tuple[int, ...], tuple[str, ...]]]
# What a run does: when, how much of each action, and what it takes away.
Run = tuple[int, dict[str, int], Acts]
STATES: Mapping[str, tuple[str | None, ...]] = {
    "notification": ("read", "unread"),
    "task": ("pending", "in_progress", "completed", "failed", "cancelled"),
    "session_context": ("active", "ended"),
    "belief": ("held", "retired"),
    "reflection": ("raw", "consolidated"),
    "analysis": ("open", "resolved", None),
    "recommendation": ("open", "implemented", "rejected"),
    "compressed_context": ("keywords", None),
    "message": (None,),
    "fact": (None,),
    "memory_entry": (None,),
    "commitment": ("open", "fulfilled"),
    "synthesis": (None,),
    "relationship": (None,),
}
_NOUNS = (
    "harbour ferry lantern ledger orchard meter valve kettle sail anchor tariff ridge cellar beacon".split()
)
_SEVERITIES = ("info", "low", "medium", "high", "critical", None)


async def peopled(memory: remanence.Engine, clock: ManualClock, random: Random, count: int) -> None:
    """Learn memories of all categories over some weeks, and use, link, pin, hold, merge and archive some."""
    for _ in range(4):
        turns = [_turn(random) for _ in range(count // 4)]
        await memory.learn(turns)
        if random.random() < 0.6:
            await memory.consolidate()
        clock.set(clock.now() + random.randrange(HOUR, 9 * DAY))
    await memory.consolidate()  # what it finds when it comes of itself, no forecast can know
    await _lived(memory, clock, random)


def _turn(random: Random) -> Turn:
    category = random.choice([*STATES])
    words = " ".join(random.choice(_NOUNS) for _ in range(random.randrange(4, 40)))
    state = random.choice(STATES[category])
    return Turn(
        f"The {words}. Nobody said more about number {random.randrange(10_000)}.",
        category=category,
        state=state,
        severity=random.choice(_SEVERITIES),
        confidence=random.choice((None, 0.2, 0.5, 0.95)),
        importance=random.choice((None, 0.1, 0.9)),
        thread=random.choice((None, "one", "two")),
        agent=random.choice((None, "ana", "ben")),
    )


async def _lived(memory: remanence.Engine, clock: ManualClock, random: Random) -> None:
    kept = [one for one in await memory.list(limit=1_000) if one.status.label in {"inbox", "active"}]
    some = random.sample(kept, min(8, len(kept)))
    for place, one in enumerate(some):
        if place % 4 == 0:
            await memory.hold(one.id, "an audit", until=clock.now() + random.randrange(DAY, 30 * DAY))
        elif place % 4 == 1:
            other = random.choice([each for each in kept if each is not one])
            await memory.link(one.id, other.id, "supports")
        elif place % 4 == 2:
            await memory.rate(one.id, random.choice((0.0, 1.0)))
        else:
            await memory.recall(one.text, limit=3)


def drawn(random: Random) -> str:
    """Draw a policy: ages, windows, periods, ladders, guards, links and purges, sometimes with an interval."""
    interval = random.choice(("", "", 'interval = "12 hours"\n', 'interval = "3 days"\n'))
    rules = random.sample(_RULES, random.randrange(2, 6))
    guards = random.sample(_GUARDS, random.randrange(3))
    head = f'version = 1\nname = "drawn"\n{interval}'
    return (
        head
        + "".join(f"\n[[guard]]\n{one}" for one in guards)
        + "".join(f"\n[[rule]]\n{one}" for one in rules)
    )


def told(forecast: Forecast) -> list[Run]:
    """Return the runs that a forecast tells of."""
    acts: dict[int, dict[str, list[int]]] = {run.at: {} for run in forecast.runs}
    for one in forecast.leaving:
        acts[one.at].setdefault(one.action, []).append(one.memory.seq)
    return [(run.at, dict(run.counts), _acts(acts[run.at], run.by_rule)) for run in forecast.runs]


def _acts(acts: Mapping[str, list[int]], by_rule: Any) -> Acts:
    return {
        action: (tuple(sorted(seqs)), tuple(sorted({rule for name, rule, _ in by_rule if name == action})))
        for action, seqs in sorted(acts.items())
    }


async def ticked(memory: remanence.Engine, clock: ManualClock, until: int) -> list[Run]:
    """Tick whenever it is due until an instant, and return what the runs did, as the audit tells it."""
    runs = []
    while clock.now() <= until:
        done = await memory.run_jobs()
        ran = done.ran.get("curate")
        assert ran is None or ran.outcome != "failed", ran
        if ran is not None and ran.run is not None:
            report = await memory.history(run=ran.run, limit=1_000)
            acts = {
                act.name: (tuple(sorted(one.seq for one in act.memories)), tuple(sorted(act.rules)))
                for act in sorted(report.acts, key=lambda act: act.name)
                if act.name in LEAVES
            }
            runs.append((report.at, dict(ran.counts), acts))
        clock.set(max(done.next_at, clock.now() + 1))
    return runs


_GUARDS = (
    """name = "young"\nwhere = "age(learned_at) < days(3)"\nblocks = ["archive", "prune", "merge"]\n""",
    """name = "grave"\nwhere = "severity >= 'high'"\nblocks = ["archive", "prune"]\n""",
    """name = "joined"\nwhere = "degree > 0"\nblocks = ["prune", "shrink"]\n""",
)
_RULES = (
    """name = "old-talk"\nevery = "rapid"\nphase = "expire"
where = "category == 'message' and age(learned_at) > days(12)"\ndo = "archive"\n""",
    """name = "old-notices"\nevery = "rapid"\nphase = "expire"
where = "category == 'notification' and age(state_at, learned_at) > days(9)"\ndo = "prune"\n""",
    """name = "never-used"\nevery = "deep"\nphase = "value"
where = "uses(7) < 1 and idle > days(15)"\ndo = "prune"\n""",
    """name = "faded"\nevery = "hourly"\nphase = "value"
where = "recency() < 0.3 and confidence < 0.6"\ndo = "archive"\n""",
    """name = "newest"\nevery = "hourly"\nphase = "keep-recent"
where = "kind == 'episodic'"\nper = ["category"]\norder = "said_at desc"\nkeep = { rows = 3 }\ndo = "archive"\n""",
    """name = "budget"\nevery = "standard"\nphase = "budgets"
where = "missing(category) or category != 'entity'"\norder = "recency() / (shown_words + 5) desc"
keep = { tokens = 500, down_to = 0.8 }\nladder = ["shrink", "archive"]\n""",
    """name = "few-a-day"\nevery = "standard"\nphase = "value"
where = "idle > days(2)"\norder = "idle desc"\ntop = 2\nperiod = "1 day"\ndo = "archive"\n""",
    """name = "weekly"\nevery = "deep"\nphase = "value"
where = "status == 'archived' and age(status_at) > days(2)"\norder = "said_at"\ntop = 3\nperiod = "1 week"
do = "prune"\n""",
    """name = "shorter"\nevery = "deep"\nphase = "value"
where = "idle > days(6) and short_words < words"\ndo = "shrink"\n""",
    """name = "finished"\nevery = "hourly"\nphase = "expire"
where = "category == 'task' and state == 'pending' and idle > days(8)"\ndo = "transition"\ncolumn = "state"
to = "cancelled"\n""",
    """name = "gone"\nevery = "deep"\nphase = "purge"
where = "status == 'pruned' and age(status_at) > days(5)"\ndo = "purge"\n""",
    """name = "weak"\nevery = "deep"\nphase = "links"\nover = "links"\nwhere = "decayed_weight < 0.4"
do = "unlink"\n""",
    """name = "cooler"\nevery = "standard"\nphase = "tiers"
where = "tier == 'hot' and idle > days(4)"\ndo = "move"\nto = "cold"\n""",
)
