"""The commands that curate: policies, plans that are made, kept and applied, and the schedule by which they run.

Knows arguments, where plans are kept, signals and exit codes; must not know what is in a policy or a plan, nor what is
due.
"""

import asyncio
import re
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from cyclopts import Parameter

from remanence.core.arguments import check_path
from remanence.core.errors import InvalidInput, NotFound, suggest
from remanence.core.keywords import CadenceName
from remanence.faces.cli import files
from remanence.faces.cli.options import INPUT, OUTPUT, POLICY, Given, Memory, PolicyOption
from remanence.faces.cli.running import counting_until_stopped, database, open_engine
from remanence.faces.style import Text, Undoable, waiting, write_lines
from remanence.store.address import exists, hide_password, is_postgres

if TYPE_CHECKING:
    from remanence.curate.planner.plan import Plan
    from remanence.curate.planner.plan_report import PlanReport


EVERY = 1_000_000  # memories of one rule; the engine lists no more
Output = Annotated[
    str | None, OUTPUT, Parameter(alias="-o", help="Save the plan in this file for `apply`; - prints it.")
]
Listing = Annotated[
    bool,
    Parameter(
        name="--list", negative=(), help="List all memories of the plan, not only the first of each rule."
    ),
]
Allowed = Annotated[
    int | None,
    Parameter(help="Apply a plan above the deletion limit that deletes at most this many memories."),
]


async def plan(
    file: Annotated[
        str | None, INPUT, Parameter(help="Show the plan in this file instead; - reads standard input.")
    ] = None,
    /,
    *,
    memory: Memory,
    policy: PolicyOption = None,
    output: Output = None,
    every: Listing = False,
    compare: Annotated[
        str | None, INPUT, Parameter(help="Compare the plan in this file with now; - reads standard input.")
    ] = None,
) -> Any:
    if compare is not None:
        if file is not None or output is not None:
            raise InvalidInput(
                "--compare shows what differs and keeps no plan",
                recovery="leave the other file and --output out",
            )
        from remanence.curate.planner.plan_report import LISTED

        with waiting("comparing"):
            return await memory.plan(policy, compare=_read(compare), limit=EVERY if every else LISTED)
    if file is not None and (output is not None or policy is not None):
        raise InvalidInput("the plan is in a file already", recovery="leave --output and --policy out")
    draft = await _make_plan(memory, policy, output) if file is None else _read(file)
    return None if output == "-" else await build_plan_report(memory, draft, every=every)


async def apply(
    file: Annotated[str, INPUT, Parameter(help="A plan made by `plan -o`; - reads standard input.")],
    /,
    *,
    memory: Memory,
    policy: PolicyOption = None,
    allow_destroyed: Allowed = None,
) -> Any:
    return await _apply_plan(memory, _read(file), policy, allow_destroyed)


async def curate(
    *,
    memory: Memory,
    policy: PolicyOption = None,
    dry_run: Annotated[bool, Parameter(help="Show the plan; change nothing.")] = False,
    every: Listing = False,
    output: Output = None,
    given: Annotated[
        str | None, INPUT, Parameter(name="--apply", help="Apply the plan in this file.")
    ] = None,
    allow_destroyed: Allowed = None,
) -> Any:
    if given is not None:
        if dry_run or output is not None:
            raise InvalidInput(
                "--apply makes no plan", recovery="leave --dry-run and --output out, or use `plan`"
            )
        return await _apply_plan(memory, _read(given), policy, allow_destroyed)
    draft = await _make_plan(memory, policy, output)
    if dry_run:
        await _tell_due_images(memory)
    return (
        await build_plan_report(memory, draft, every=every)
        if dry_run
        else await _apply_plan(memory, draft, policy, allow_destroyed)
    )


async def forecast(
    *,
    memory: Memory,
    policy: PolicyOption = None,
    days: Annotated[int, Parameter(help="How many days to look ahead.")] = 30,
    every: Annotated[
        float | None, Parameter(help="Seconds between two runs, if no daemon runs due jobs.")
    ] = None,
    limit: Annotated[int, Parameter(help="Number of runs and memories in --json.")] = 1_000,
    offset: Annotated[int, Parameter(help="From this number on.")] = 0,
    svg: Annotated[
        str | None, OUTPUT, Parameter(help="Draw the forecast as SVG into this file; - prints it.")
    ] = None,
) -> Any:
    with waiting("looking ahead"):
        answer = await memory.forecast(days, policy, every=every, limit=limit, offset=offset)
    if svg is not None:
        files.write(svg, answer.svg())
    return None if svg == "-" else answer


async def build_plan_report(memory: Memory, made: "Plan", *, every: bool) -> "PlanReport":
    """Return what a plan shows: the first memories of each rule, or every one."""
    from remanence.curate.planner.plan_report import LISTED
    from remanence.flows.curate.curating import describe

    if made.preview is not None and not every:
        return made.describe()
    core = memory._core  # noqa: SLF001 # a part of showing a plan, and no verb
    return await describe(core, made, EVERY if every else LISTED)


async def _make_plan(memory: Memory, policy: str | None, output: str | None) -> "Plan":
    with waiting("planning"):
        draft = await memory.plan(policy)
    if output is not None:
        files.write(output, draft.to_json())
    return draft


async def _apply_plan(memory: Memory, made: "Plan", policy: str | None, allow_destroyed: int | None) -> Any:
    rest = "the same plan does the rest; remanence history names the run of what was done"
    with counting_until_stopped("applying", "actions are done", rest) as progress:
        return await memory.apply(made, policy=policy, allow_destroyed=allow_destroyed, progress=progress)


def _read(file: str) -> "Plan":
    from remanence.curate.planner.plan import Plan

    return Plan.from_json(files.read_document(file))


PolicyName = Annotated[
    str | None, POLICY, Parameter(metavar="POLICY", help="A preset's name or a TOML file.")
]


async def policy_use(
    name: PolicyName = None,
    /,
    *,
    memory: Memory,
    off: Annotated[
        bool, Parameter(negative=(), help="Drop the adopted policy; nothing is curated automatically then.")
    ] = False,
    dry_run: Annotated[
        bool, Parameter(help="Show what it would do here within a week; adopt nothing.")
    ] = False,
) -> Any:
    if off == (name is not None):
        raise InvalidInput("no policy is named, or one and --off", recovery="name one, or give --off alone")
    if name is not None:
        _load_policy(name)
        await _tell_due_images(memory)
    result = await memory.policy.use(name, dry_run=dry_run)
    is_done = not dry_run and result.name != result.before
    return Undoable(result, _render_use_command(result.before)) if is_done else result


async def policy_show(
    name: PolicyName = None,
    /,
    *,
    common: Given,
    words: Annotated[bool, Parameter(help="Say in words what it does.")] = False,
    columns: Annotated[
        bool, Parameter(negative=(), help="List the columns and functions for conditions instead.")
    ] = False,
) -> Any:
    from remanence.curate.language.reference import reference
    from remanence.flows.schedule.scope_policy import no_policy_here, render_policy

    if columns:
        if words or name is not None:
            raise InvalidInput("--columns shows no policy", recovery="give it alone")
        return reference()
    if name is not None:
        return render_policy(_load_policy(name), words=words)
    if not exists(database(common)):
        raise no_policy_here()
    async with open_engine(common, new_scope="refuse") as memory:
        return await memory.policy.show(words=words)


def policy_check(name: Annotated[str, POLICY, Parameter(metavar="FILE", help="A TOML file.")], /) -> Any:
    read = _load_policy(name)
    return {"name": read.name, "hash": read.hash, "guards": len(read.guards), "rules": len(read.rules)}


async def _tell_due_images(memory: Memory) -> None:
    """Say on stderr which images of an old audit the first tick would end, while that can still be decided."""
    from remanence.flows.base.undo_data_expiry import find_due_images

    due = await find_due_images(memory._core)  # noqa: SLF001 # a part of these commands, and no verb
    if due is not None:
        write_lines([Text(str(due))], sys.stderr)


def _render_use_command(name: str | None) -> str:
    """Return the command that adopts a policy again; one of the user's own is named by its file."""
    from remanence.curate.policy.document import PRESETS

    if name is None:
        return "remanence policy use --off"
    return f"remanence policy use {name if name in PRESETS else f'FILE, which holds {name}'}"


def _load_policy(name: str) -> Any:
    from remanence.flows.base.policy_reading import read_policy

    return read_policy(name)


_SPAN = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)")
_SECONDS = {"s": 1, "m": 60, "h": 3_600}
PACE = Parameter(metavar="NAME=TIME,…", help="How often rules run, such as rapid=1m,deep=12h; units s, m, h.")
STOPPED_BY = ("SIGTERM", "SIGINT", "SIGHUP")


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Round:
    """What one round of due jobs does; only with --once."""

    cadence: Annotated[
        CadenceName | None,
        Parameter(help="With --once: the rules of this cadence and of shorter ones, due or not."),
    ] = None
    policy: Annotated[
        str | None,
        POLICY,
        Parameter(
            metavar="POLICY", help="With --once: a preset's name or a TOML file, where none is adopted."
        ),
    ] = None
    expire: Annotated[bool, Parameter(negative=(), help="With --once: also delete expired undo data.")] = (
        False
    )
    all_scopes: Annotated[
        bool,
        Parameter(
            negative=(), help="With --once: in every scope with an adopted policy, by what is due there."
        ),
    ] = False


async def run(
    *,
    memory: Memory,
    common: Given,
    once: Annotated[
        bool, Parameter(negative=(), help="Run them once in this scope; else in all scopes until stopped.")
    ] = False,
    one: Round = Round(),
    intervals: Annotated[
        str | None,
        PACE,
    ] = None,
    backup: Annotated[
        str | None,
        Parameter(metavar="FOLDER", help="Write a verified copy there before the first deletion of a day."),
    ] = None,
) -> Any:
    of_one_scope = one.cadence is not None or one.policy is not None or one.expire
    if (of_one_scope or one.all_scopes) and (not once or (of_one_scope and one.all_scopes)):
        raise InvalidInput(
            "--cadence, --policy, --expire are for one scope and --all-scopes for one round of all",
            recovery="give them with --once, and --all-scopes without the others",
        )
    if once and not one.all_scopes:
        if intervals is not None or backup is not None:
            raise InvalidInput(
                "--intervals and --backup are for all scopes",
                recovery="leave --once out, or add --all-scopes",
            )
        with waiting("doing what is due"):
            return await memory.run_jobs(one.cadence, policy=one.policy, expire=one.expire)
    stop = stop_on_signals()
    if backup is not None:
        check_path(backup)
    return await memory.run_jobs(
        stop=stop,
        intervals=cadences(intervals),
        begin=lambda start: write_lines([Text(f"{start}; Ctrl-C ends it")], sys.stderr),
        tell=lambda done: write_lines([Text(str(done))], sys.stderr),
        backup=None if backup is None else Path(backup, Path(database(common)).stem),
        in_scope=common.scope,
        once=once,
    )


async def worker(
    *,
    common: Given,
    jobs: Annotated[int, Parameter(help="How many scopes it works in at a time.")] = 1,
    intervals: Annotated[
        str | None,
        PACE,
    ] = None,
) -> Any:
    address = database(common)
    if not is_postgres(address):
        raise InvalidInput(
            f"workers share the scopes of a PostgreSQL server, and {hide_password(address)} is none",
            recovery="for a file or another server: remanence run; for PostgreSQL: --db postgresql://…",
        )
    if common.scope is not None:
        raise InvalidInput(
            "a worker works in all scopes", recovery="leave --scope out; for one scope alone: remanence run"
        )
    if any(find_spec(name) is None for name in ("procrastinate", "psycopg", "psycopg_pool")):
        raise NotFound("the extra `workers` is not installed", recovery="pip install 'remanence[workers]'")
    from remanence.flows.schedule.workers import run_worker

    pace = cadences(intervals)
    async with open_engine(common) as memory:
        stop = stop_on_signals()
        return await run_worker(
            memory._core,  # noqa: SLF001 # a part of this command, and no verb
            address,
            stop,
            {
                "jobs": jobs,
                "intervals": pace,
                "begin": lambda start: write_lines([Text(f"{start}; Ctrl-C ends it")], sys.stderr),
                "tell": lambda done: write_lines([Text(str(done))], sys.stderr),
            },
        )


def stop_on_signals() -> asyncio.Event:
    """Return what is set when somebody asks this process to end."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in STOPPED_BY:
        with suppress(NotImplementedError, AttributeError):  # Windows has not all of them
            loop.add_signal_handler(getattr(signal, name), stop.set)
    return stop


def cadences(given: str | None) -> dict[CadenceName, float]:
    """Read how many seconds lie between two judgements of rules, from NAME=TIME words with commas between."""
    intervals: dict[CadenceName, float] = {}
    for word in (given or "").split(",") if given else ():
        name, _, span = word.strip().partition("=")
        cadence = next((one for one in get_args(CadenceName) if one == name), None)
        if cadence is None:
            raise InvalidInput(f"unknown cadence {name!r}", recovery=suggest(name, get_args(CadenceName)))
        read = _SPAN.fullmatch(span)
        if read is None:
            raise InvalidInput(
                f"{word!r} says no time", recovery=f"write it like {name}=30s, {name}=5m or {name}=6h"
            )
        intervals[cadence] = float(read[1]) * _SECONDS[read[2]]
    return intervals
