"""The commands about policies: what words they may use, what one says, whether one compiles, which one holds.

Knows where a policy's text comes from; must not know what its rules do.
"""

from typing import Annotated, Any

from cyclopts import Parameter

from remanence.faces.cli.options import POLICY, Memory

Policy = Annotated[str, POLICY, Parameter(metavar="POLICY", help="A preset's name or a TOML file.")]


def columns() -> Any:
    from remanence.curate.language.vocabulary import reference

    return reference()


def show(
    name: Annotated[
        str | None,
        POLICY,
        Parameter(metavar="POLICY", help="A preset's name or a TOML file; all presets if absent."),
    ] = None,
    /,
) -> Any:
    from remanence.curate.policy.document import presets

    return list(presets()) if name is None else _loaded(name).describe()


def check(name: Policy, /) -> Any:
    read = _loaded(name)
    return {"name": read.name, "hash": read.hash, "guards": len(read.guards), "rules": len(read.rules)}


async def adopt(name: Policy, /, *, memory: Memory) -> Any:
    adopted = await memory.adopt(name)
    return {"adopted": adopted.name, "hash": adopted.hash}


def _loaded(name: str) -> Any:
    from remanence.flows.curate.curating import read_policy

    return read_policy(name)
