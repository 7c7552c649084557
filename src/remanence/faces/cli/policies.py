"""The commands about policies: what words they may use, what one says, whether one compiles, which one holds.

Knows where a policy's text comes from; must not know what its rules do.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanence.faces.cli.running import tool, verb

if TYPE_CHECKING:
    from remanence.engine import Engine

Name = Annotated[str, typer.Argument(metavar="POLICY", help="A preset's name or a TOML file.")]


def add(app: typer.Typer) -> None:
    """Give an app the group `policy`."""
    group = typer.Typer(
        help="Read, check and adopt curation policies.", no_args_is_help=True, rich_markup_mode=None
    )
    for function in (columns, show, check):
        tool(group)(function)
    verb(group)(adopt)
    app.add_typer(group, name="policy")


def columns() -> Any:
    """List every column and function that a condition may name."""
    from remanence.curate.language.vocabulary import reference

    return reference()


def show(
    name: Annotated[str | None, typer.Argument(metavar="[POLICY]", help="All presets if absent.")] = None,
) -> Any:
    """Say in words what a policy does, or list the presets."""
    from remanence.curate.policy.document import presets

    return list(presets()) if name is None else _loaded(name).describe()


def check(name: Name) -> Any:
    """Compile a policy; a mistake is named with its line, column and the nearest valid name."""
    read = _loaded(name)
    return {"name": read.name, "hash": read.hash, "guards": len(read.guards), "rules": len(read.rules)}


async def adopt(memory: "Engine", name: Name) -> Any:
    """Make a policy the one of this scope, for every process that opens it."""
    adopted = await memory.adopt(name)
    return {"adopted": adopted.name, "hash": adopted.hash}


def _loaded(name: str) -> Any:
    from remanence.flows.curate.curating import read_policy

    return read_policy(name)
