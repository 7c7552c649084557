"""The commands that curate: make a plan, keep it in a file, apply it, say why.

Knows where plans are kept; must not know what is in one.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanence.errors import InvalidInput
from remanence.faces.cli import files
from remanence.faces.cli.options import name_of
from remanence.faces.cli.progress import waiting
from remanence.faces.cli.running import verb

if TYPE_CHECKING:
    from remanence.curate.plan import Plan
    from remanence.engine import Engine

Output = Annotated[
    str | None, typer.Option("--output", "-o", help="Keep the plan in this file, for `apply`.")
]
Allowed = Annotated[
    int | None, typer.Option(min=0, help="Apply a held plan that destroys at most so many memories.")
]


def add(app: typer.Typer) -> None:
    """Give an app the commands of this module."""
    for function in (plan, apply, curate, explain):
        verb(app)(function)


async def plan(memory: "Engine", output: Output = None) -> Any:
    """Show what a policy would do now; nothing is written to the memory."""
    with waiting("planning"):
        made = await memory.plan()
    if output is not None:
        files.write(output, made.to_json())
    return made


async def apply(
    memory: "Engine",
    file: Annotated[str, typer.Argument(help="A plan made by `plan -o`.")],
    allow_destroyed: Allowed = None,
) -> Any:
    """Do what of a plan its policy would do now; the rest is left out and listed."""
    return await _applied(memory, _read(file), allow_destroyed)


async def curate(
    memory: "Engine",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan and do nothing.")] = False,
    output: Output = None,
    apply_: Annotated[str | None, typer.Option("--apply", help="Apply the plan in this file.")] = None,
    allow_destroyed: Allowed = None,
) -> Any:
    """Plan and apply in one go, or with --dry-run and --apply in two."""
    if apply_ is not None:
        if dry_run or output is not None:
            raise InvalidInput(
                "--apply makes no plan", recovery="leave --dry-run and --output out, or use `plan`"
            )
        return await _applied(memory, _read(apply_), allow_destroyed)
    made = await plan(memory, output)
    return made if dry_run else await _applied(memory, made, allow_destroyed)


async def explain(
    memory: "Engine", name: Annotated[str, typer.Argument(metavar="MEMORY", help="Which.")]
) -> Any:
    """Show every rule and guard of the policy for one memory, with the values they see."""
    return await memory.explain(name_of(name))


async def _applied(memory: "Engine", made: "Plan", allow_destroyed: int | None) -> Any:
    with waiting("applying"):
        return await memory.apply(made, allow_destroyed=allow_destroyed)


def _read(file: str) -> "Plan":
    from remanence.curate.plan import Plan

    return Plan.from_json(files.read(file))
