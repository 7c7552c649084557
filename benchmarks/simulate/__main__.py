"""A fleet of agents whose memory is curated for days: `python -m benchmarks.simulate [--agents 6] [--days 21]`.

Each agent and day has 20 notices, 4 sessions, 5 tasks, 10 entries and 20 recalls, said to a file under the policy
`janitor`, brake on, with a clock that jumps to the next beat at which something is to be done; `--grid` ticks at every
beat of five minutes instead. Then what a tick cost that did something, by day, in CPU ms, and one that only looked;
and the exit criteria of the Jochi design, each computed from the rows of the file by a
checker that knows neither planner nor policies. `--sabotage E3` plants a fault that this criterion has to notice.

With `--graph` the fleet's memory is on a Neo4j server that is started for it, and the file that is looked at is a copy,
made at one tick of twenty, after each day and for each trial.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

import remanence
from benchmarks.report import figure, note, rss_peak_mb, settings, spent
from benchmarks.simulate import scenarios
from benchmarks.simulate.checker import SAYS, Checker
from benchmarks.simulate.fleet import SHIFTS, Fleet
from benchmarks.simulate.mirror import GraphMirror
from benchmarks.simulate.sabotage import FAULTS, Fault
from benchmarks.simulate.trials import Trials
from benchmarks.simulate.walk import Walk
from remanence.core.clock import ManualClock
from remanence.flows.schedule.ticking import JobsResult
from tests.neo4j_server import Neo4jServer

SCOPE = "fleet"
TRIALS_DAYS = (7, 14, 21)  # after these days, and
TICKS_OF_DAYS = (1, 3, 7, 14)  # of which is said what a tick cost
TRIALS_EVERY = 60  # then every so many: each goes through a copy of all there is


@dataclass(frozen=True)
class Asked:
    """What to simulate."""

    agents: int = 6
    days: int = 21
    seed: int = 21
    shifts: int = len(SHIFTS)
    grid: bool = False
    sabotage: str | None = None
    graph: bool = False

    @property
    def fault(self) -> Fault:
        """What is out of order: nothing, unless it is asked for."""
        return Fault("nothing") if self.sabotage is None else FAULTS[self.sabotage]


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate, and print criteria and figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--agents", type=int, default=6)
    parser.add_argument("--days", type=int, default=21)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--shifts", type=int, default=len(SHIFTS), help="sessions of an agent and day")
    parser.add_argument("--grid", action="store_true", help="tick at every beat of five minutes")
    parser.add_argument("--graph", action="store_true", help="on a Neo4j server")
    parser.add_argument("--sabotage", choices=FAULTS, help="plant a fault that this criterion has to notice")
    asked = Asked(**vars(parser.parse_args(arguments)))
    settings(**asdict(asked), fault=asked.fault.says)
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measured(Path(folder), asked))


async def measured(folder: Path, asked: Asked) -> None:
    """Simulate in a folder, and print what came of it."""
    with spent() as took, asked.fault.planted():
        walk, checker = await simulated(folder / "fleet.db", asked)
    for name, says in SAYS.items():
        one = checker.criteria[name]
        figure(
            f"simulate.{name}",
            one.value,
            "",
            goal=0,
            met=one.met,
            looks=one.looks,
            says=says,
            found=one.found[:3],
        )
    figure(
        "simulate.criteria_met",
        checker.met,
        "criteria",
        goal=len(SAYS),
        missed=[n for n in SAYS if not checker.criteria[n].met],
    )
    size = (folder / "fleet.db").stat().st_size
    figure(
        "simulate.cpu_s",
        took.cpu_s,
        "s",
        wall_s=round(took.wall_s, 2),
        checker_s=round(walk.checked_s, 2),
        trials_s=round(walk.tried_s, 2),
    )
    figure("simulate.rss_mb", rss_peak_mb(), "MB")
    figure("simulate.said", walk.verbs, "verbs", **walk.fleet.counts)
    figure("simulate.ticks", walk.ticks, "ticks")
    for day in sorted({day for day in TICKS_OF_DAYS if day < asked.days} | {asked.days}):
        busy, idle = walk.busy_ms[day - 1], walk.idle_ms[day - 1]
        figure(
            "simulate.tick_ms",
            median(busy or [0.0]),
            "ms",
            day=day,
            busy=len(busy),
            idle_ms=round(median(idle or [0.0]), 2),
        )
    figure("simulate.file_mb", size / 1e6, "MB")


async def simulated(path: Path, asked: Asked) -> tuple[Walk, Checker]:
    """Go through the days, looking after each tick and each day."""
    clock, policy = ManualClock(boot="works"), asked.fault.policy
    async with AsyncExitStack() as opened:
        place, server = str(path), Neo4jServer() if asked.graph else None
        if server is not None:
            opened.callback(server.stop)
            place = server.address
        memory = await opened.enter_async_context(
            remanence.open(place, scope=SCOPE, policy=policy, clock=clock, embedder="hashed")
        )
        mirror = None if server is None else await GraphMirror.open(place, path, SCOPE)
        if mirror is not None:
            opened.push_async_callback(mirror.close)
        checker = Checker(path, SCOPE)

        async def looked(tick: JobsResult) -> None:
            if mirror is None or await mirror.refresh_sometimes():
                with spent() as took:
                    checker.after_tick(tick.at)
                walk.checked_s += took.cpu_s

        fleet = Fleet(asked.agents, clock.now(), asked.seed, asked.shifts)
        walk = Walk(memory, clock, fleet, asked.grid, looked)
        trials = Trials(path.parent, SCOPE, policy, mirror)
        async for day in walk.days(asked.days):
            if mirror is not None:
                await mirror.refresh()
            with spent() as took:
                checker.after_day(clock.now())
            walk.checked_s += took.cpu_s
            over = day + 1
            if over in (*TRIALS_DAYS, asked.days) or not over % TRIALS_EVERY:
                with spent() as took:
                    await trials.tried(memory, checker, clock.now())
                walk.tried_s += took.cpu_s
            broken = [name for name, one in checker.criteria.items() if one.found]
            note(
                f"day {over}: {walk.verbs} verbs, {walk.ticks} ticks, {checker.met} criteria met, broken: {broken}"
            )
    await scenarios.told(path.parent, policy, checker)
    return walk, checker


if __name__ == "__main__":
    main()
