"""The commands that keep a memory in order: look whether it is sound, compact its episodes, read and set its numbers.

Knows what a look at a missing or broken file answers; must not know what is looked at.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanence.errors import InvalidInput
from remanence.faces.cli.progress import waiting
from remanence.faces.cli.running import look, verb

if TYPE_CHECKING:
    from remanence.engine import Engine

Keep = Annotated[int, typer.Option(min=0, help="How many of the newest episodes stay.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would go and do nothing.")]


def add(app: typer.Typer) -> None:
    """Give an app the commands of this module."""
    look(app)(doctor)
    for function in (compact, settings, accept_clock):
        verb(app)(function)


async def doctor(memory: "Engine") -> Any:
    """Check what is stored: structure, references, row hashes, audit, full text, episodes, and who speaks."""
    with waiting("checking"):
        return await memory.doctor()


async def compact(memory: "Engine", keep: Keep, dry_run: DryRun = False) -> Any:
    """Make old episodes tombstones; knowledge and rejected paths stay, whatever their age."""
    from remanence.flows.curate import curating

    if dry_run:
        with waiting("planning"):
            plan = await memory.plan(curating.COMPACTION, overrides=curating.overrides(keep))
        # Asked for by name, it is done however much goes: the brake is for what nobody asked for.
        return replace(plan, held=None)
    with waiting("compacting"):
        return {"pruned": await memory.compact_episodic(keep)}


async def settings(
    memory: "Engine",
    name: Annotated[str | None, typer.Argument(help="One setting; all if absent.")] = None,
    value: Annotated[str | None, typer.Argument(help="What it is to be.")] = None,
) -> Any:
    """List the settings of a scope, or show or set one."""
    if name is None:
        return await memory.settings.all()
    if value is None:
        return await memory.settings.get(name)
    if not value.isascii() or not value.isdigit():
        raise InvalidInput(f"{value!r} is not a whole number", recovery=f"see: remanence settings {name}")
    return await memory.settings.set(name, int(value))


async def accept_clock(memory: "Engine") -> Any:
    """Believe the clock as it stands now, so that plans it held go on; nothing stored is changed."""
    return {"was in doubt": await memory.schedule.accept_clock() or "nothing"}
