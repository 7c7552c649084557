"""What all scopes of a file come to in numbers, for who watches over a server: what waits, is held, late or failing.

Knows how each flow keeps what is to be done; tells no text, id or name.
"""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from remanence.core.guards import BUILT_IN
from remanence.core.receipt import CYCLE, AutomaticRun
from remanence.core.snapshot import SnapshotRequest
from remanence.curate.schedule import CADENCES, MISSED_MANY, Record
from remanence.flows.base.context import Core
from remanence.flows.base.policy_reading import POLICY
from remanence.flows.base.spending import EMBEDDER, WRITER, name_day_counters
from remanence.flows.curate.curating import LAST_CURATE
from remanence.flows.curate.scheduling import HELD, ROW
from remanence.flows.write.embedding import AFTER
from remanence.flows.write.embedding import EMBEDDER as EMBEDDED_BY
from remanence.flows.write.reembedding import UNDER_WAY
from remanence.store.base import Bookkeeping, ScopeSurvey
from remanence.write.turns import RELEASED, TURNS

COUNTED_MAX = 1_000  # scopes whose turns, embeddings and tokens are counted at one look, the first by name
PARTS_MAX = 1_000  # of the audit of a scope that are read at one look; the next goes on behind them
OF_POLICY = "policy"  # stands for every guard that a policy names
_ACCOUNTS = {"writer": WRITER, "embedder": EMBEDDER}
_BUILT_IN = frozenset(guard.name for guard in BUILT_IN)


@dataclass(slots=True)
class Oversight:
    """The numbers of one look; times are microseconds, 0 where nothing ever ran.

    `scopes` are all, `counted` those in which turns, embeddings and tokens were counted, `late` those in which three
    runs or more were missed. `held` counts plans that wait, by what holds them; `failing` scopes by the work that fails
    there. `tokens` are those of today, UTC, by the model that took them.
    """

    scopes: int = 0
    counted: int = 0
    adopting: int = 0
    turns_waiting: int = 0
    embeddings_waiting: int = 0
    late: int = 0
    last_tick_at: int = 0
    last_curate_at: int = 0
    held: Counter[str] = field(default_factory=lambda: Counter({"share": 0, "clock": 0}))
    failing: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(_ACCOUNTS, 0)))


@dataclass
class Overseer:
    """Looks at a file again and again; what guards kept from policies is counted from the first look on.

    Runs of every process count, as they are read from the audit.
    """

    core: Core
    refusals: Counter[str] = field(default_factory=Counter)
    _read_to: dict[str, int] = field(default_factory=dict)
    _has_looked: bool = False

    async def look(self) -> Oversight:
        """Read the numbers as they are now; nothing is written."""
        core, now = self.core, self.core.clock.now()
        surveys = await core.store.survey((POLICY, ROW, HELD, LAST_CURATE, EMBEDDED_BY, UNDER_WAY))
        seen = Oversight(scopes=len(surveys), counted=min(len(surveys), COUNTED_MAX))
        for number, (scope, survey) in enumerate(sorted(surveys.items())):
            last = survey.values.get(LAST_CURATE) or 0
            seen.last_curate_at = max(seen.last_curate_at, last)
            if POLICY in survey.values:
                _add_schedule(seen, survey, last, now)
            if number < COUNTED_MAX:
                await self._count_work(seen, scope, survey, now)
            await self._read_audit(scope, survey.position)
        self._has_looked = True
        return seen

    async def _count_work(self, seen: Oversight, scope: str, survey: ScopeSurvey, now: int) -> None:
        names = {account: name_day_counters(now, of)[1] for account, of in _ACCOUNTS.items()}
        asked = Bookkeeping(now, counters=(TURNS, *names.values()), under=(RELEASED,))
        answer = await self.core.store.bookkeep(scope, asked)
        turns = [max(0, count) for name, count in answer.counters.items() if name.startswith(TURNS)]
        seen.turns_waiting += sum(turns) + len(answer.values)
        for account, name in names.items():
            seen.tokens[account] += answer.counters.get(name, 0)
        rows = [survey.values.get(name, {}) for name in (EMBEDDED_BY, UNDER_WAY)]
        after = [row[AFTER] for row in rows if AFTER in row]
        if after:
            snapshot = await self.core.store.snapshot(scope, SnapshotRequest(frozenset({"status"})), now)
            seen.embeddings_waiting += sum(int(np.count_nonzero(snapshot.seq > one)) for one in after)

    async def _read_audit(self, scope: str, position: int) -> None:
        """Count what guards kept from the runs since the last look, of a scope that is new since from its first on."""
        after = self._read_to.setdefault(scope, 0 if self._has_looked else position)
        if after >= position:
            return
        parts = await self.core.store.history(scope, after=after, limit=PARTS_MAX, rows=False)
        for part in parts:
            for guard, count in part.cause.detail.get(CYCLE, {}).get("refused", {}).items():
                self.refusals[name_guard(guard)] += count
        self._read_to[scope] = parts[-1].position if parts else position


def name_guard(guard: str) -> str:
    """Return what a guard is called where no name may be told: its own where it is the engine's."""
    return guard if guard in _BUILT_IN else OF_POLICY


def _add_schedule(seen: Oversight, survey: ScopeSurvey, last: int, now: int) -> None:
    """Add what ticks keep of a scope that has adopted a policy; `last` is when it was curated last."""
    record = Record.read(survey.values.get(ROW))
    seen.adopting += 1
    seen.last_tick_at = max(seen.last_tick_at, record.at)
    seen.failing.update(record.failures.keys())
    row = survey.values.get(HELD)
    held = None if row is None else AutomaticRun(**row["ran"])
    if held is not None and last <= held.at:  # else somebody has curated since
        seen.held[held.held] += 1
    seen.late += record.promised and any(
        record.pace.count_missed_runs(name, record.compute_due_at(record.pace, name, survey.position), now)
        >= MISSED_MANY
        for name in CADENCES
    )
