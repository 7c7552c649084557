"""The commands about policies: what words they may use, what one says, whether one compiles, which one holds.

Knows where a policy's text comes from; must not know what its rules do.
"""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli import files
from remanence.faces.cli.options import POLICY, Memory
from remanence.faces.style import Undoable

Policy = Annotated[str, POLICY, Parameter(metavar="POLICY", help="A preset's name or a TOML file.")]


def policy_columns() -> Any:
    from remanence.curate.language.reference import reference

    return reference()


def policy_show(
    name: Annotated[
        str | None,
        POLICY,
        Parameter(metavar="POLICY", help="A preset's name or a TOML file; all presets if absent."),
    ] = None,
    /,
) -> Any:
    from remanence.curate.policy.document import preset, presets

    if name is None:
        return list(presets())
    text = files.read_document(name).decode() if name.endswith(".toml") else preset(name)
    return text.rstrip("\n")


def policy_describe(name: Policy, /) -> Any:
    return _load_policy(name).describe()


def policy_check(name: Policy, /) -> Any:
    read = _load_policy(name)
    return {"name": read.name, "hash": read.hash, "guards": len(read.guards), "rules": len(read.rules)}


async def policy_adopt(name: Policy, /, *, memory: Memory) -> Any:
    before = memory.policy.current.name
    adopted = await memory.policy.adopt(name)
    return Undoable({"adopted": adopted.name, "hash": adopted.hash}, _render_adopt_command(before))


async def policy_drop(*, memory: Memory) -> Any:
    before = await memory.policy.drop()
    return (
        {"adopted": "none"}
        if before is None
        else Undoable({"dropped": before}, _render_adopt_command(before))
    )


def _render_adopt_command(name: str) -> str:
    """Return the command that adopts a policy again; one of the user's own is named by its file."""
    from remanence.curate.policy.document import presets

    if name == "none":
        return "remanence policy drop"
    return f"remanence policy adopt {name if name in presets() else f'FILE, which holds {name}'}"


def _load_policy(name: str) -> Any:
    from remanence.flows.base.policy_reading import read_policy

    return read_policy(name)
