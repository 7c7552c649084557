"""The commands that curate: make a plan, keep it in a file, apply it, compact, say why.

Knows where plans are kept; must not know what is in one.
"""

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from remanence.core.errors import InvalidInput
from remanence.faces.cli import files
from remanence.faces.cli.options import INPUT, OUTPUT, Given, Memory, Name
from remanence.faces.style import waiting

if TYPE_CHECKING:
    from remanence.curate.planner.plan import Plan
    from remanence.curate.planner.plan_report import PlanReport

EVERY = 1_000_000  # memories of one rule; the engine lists no more
Output = Annotated[
    str | None, OUTPUT, Parameter(alias="-o", help="Keep the plan in this file, for `apply`; - prints it.")
]
Listing = Annotated[
    bool,
    Parameter(
        name="--list", negative=(), help="List all memories that it names, not the first of each rule."
    ),
]
Allowed = Annotated[int | None, Parameter(help="Apply a held plan that destroys at most so many memories.")]


async def plan(
    file: Annotated[
        str | None, INPUT, Parameter(help="Show the plan in this file instead; - reads standard input.")
    ] = None,
    /,
    *,
    memory: Memory,
    output: Output = None,
    every: Listing = False,
) -> Any:
    if file is not None and output is not None:
        raise InvalidInput("the plan is in a file already", recovery="leave --output out")
    draft = await _make_plan(memory, output) if file is None else _read(file)
    return None if output == "-" else await build_plan_report(memory, draft, every=every)


async def diff(
    file: Annotated[str, INPUT, Parameter(help="A plan made by `plan -o`; - reads standard input.")],
    /,
    *,
    memory: Memory,
    every: Listing = False,
) -> Any:
    from remanence.curate.planner.plan_report import LISTED

    with waiting("comparing"):
        return await memory.diff(_read(file), limit=EVERY if every else LISTED)


async def apply(
    file: Annotated[str, INPUT, Parameter(help="A plan made by `plan -o`; - reads standard input.")],
    /,
    *,
    memory: Memory,
    allow_destroyed: Allowed = None,
) -> Any:
    return await _apply_plan(memory, _read(file), allow_destroyed)


async def curate(
    *,
    memory: Memory,
    dry_run: Annotated[bool, Parameter(help="Show the plan and do nothing.")] = False,
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
        return await _apply_plan(memory, _read(given), allow_destroyed)
    draft = await _make_plan(memory, output)
    return (
        await build_plan_report(memory, draft, every=every)
        if dry_run
        else await _apply_plan(memory, draft, allow_destroyed)
    )


async def compact(
    *,
    memory: Memory,
    common: Given,
    keep: Annotated[int, Parameter(help="How many of the newest episodes stay.")],
    dry_run: Annotated[bool, Parameter(help="Show what would go and do nothing.")] = False,
    every: Listing = False,
    allow_destroyed: Allowed = None,
) -> Any:
    from remanence.engine import plan_compaction
    from remanence.faces import show

    with waiting("planning"):
        draft = await plan_compaction(memory, keep)
    report = await build_plan_report(memory, draft, every=every)
    if dry_run:
        return report
    if not common.json:
        show.write(report)
    return await _apply_plan(memory, draft, allow_destroyed)


async def forecast(
    *,
    memory: Memory,
    days: Annotated[int, Parameter(help="How many days to look ahead.")] = 30,
    every: Annotated[
        float | None, Parameter(help="Seconds between two ticks, where no daemon ticks when one is due.")
    ] = None,
    limit: Annotated[int, Parameter(help="How many runs and memories --json lists.")] = 1_000,
    offset: Annotated[int, Parameter(help="From which on.")] = 0,
    svg: Annotated[
        str | None, OUTPUT, Parameter(help="Draw what leaves when as SVG into this file; - prints it.")
    ] = None,
) -> Any:
    with waiting("looking ahead"):
        answer = await memory.forecast(days, every=every, limit=limit, offset=offset)
    if svg is not None:
        files.write(svg, answer.svg())
    return None if svg == "-" else answer


async def explain(name: Name, /, *, memory: Memory) -> Any:
    return await memory.explain(name)


async def build_plan_report(memory: Memory, made: "Plan", *, every: bool) -> "PlanReport":
    """Return what a plan shows: the first memories of each rule, or every one."""
    from remanence.curate.planner.plan_report import LISTED

    if made.preview is not None and not every:
        return made.describe()
    return await memory.describe_plan(made, limit=EVERY if every else LISTED)


async def _make_plan(memory: Memory, output: str | None) -> "Plan":
    with waiting("planning"):
        draft = await memory.plan()
    if output is not None:
        files.write(output, draft.to_json())
    return draft


async def _apply_plan(memory: Memory, made: "Plan", allow_destroyed: int | None) -> Any:
    with waiting("applying"):
        return await memory.apply(made, allow_destroyed=allow_destroyed)


def _read(file: str) -> "Plan":
    from remanence.curate.planner.plan import Plan

    return Plan.from_json(files.read_document(file))
