"""The commands that curate: make a plan, keep it in a file, apply it, say why.

Knows where plans are kept; must not know what is in one.
"""

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from remanence.errors import InvalidInput
from remanence.faces.cli import files
from remanence.faces.cli.options import INPUT, OUTPUT, Memory, Name
from remanence.faces.cli.progress import waiting

if TYPE_CHECKING:
    from remanence.curate.plan import Plan

Output = Annotated[
    str | None, OUTPUT, Parameter(alias="-o", help="Keep the plan in this file, for `apply`; - prints it.")
]
Allowed = Annotated[int | None, Parameter(help="Apply a held plan that destroys at most so many memories.")]


async def plan(*, memory: Memory, output: Output = None) -> Any:
    made = await _planned(memory, output)
    return None if output == "-" else made


async def apply(
    file: Annotated[str, INPUT, Parameter(help="A plan made by `plan -o`; - reads standard input.")],
    /,
    *,
    memory: Memory,
    allow_destroyed: Allowed = None,
) -> Any:
    return await _applied(memory, _read(file), allow_destroyed)


async def curate(
    *,
    memory: Memory,
    dry_run: Annotated[bool, Parameter(help="Show the plan and do nothing.")] = False,
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
        return await _applied(memory, _read(given), allow_destroyed)
    made = await _planned(memory, output)
    return made if dry_run else await _applied(memory, made, allow_destroyed)


async def explain(name: Name, /, *, memory: Memory) -> Any:
    return await memory.explain(name)


async def _planned(memory: Memory, output: str | None) -> "Plan":
    with waiting("planning"):
        made = await memory.plan()
    if output is not None:
        files.write(output, made.to_json())
    return made


async def _applied(memory: Memory, made: "Plan", allow_destroyed: int | None) -> Any:
    with waiting("applying"):
        return await memory.apply(made, allow_destroyed=allow_destroyed)


def _read(file: str) -> "Plan":
    from remanence.curate.plan import Plan

    return Plan.from_json(files.read(file))
