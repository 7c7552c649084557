"""The commands that keep a memory in order: look whether it is sound, read and set its numbers.

Knows what a look at a missing or broken file answers; must not know what is looked at.
"""

from shlex import quote
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from remanence.errors import InvalidInput, StoreError
from remanence.faces.cli.options import Given, Memory
from remanence.faces.cli.progress import waiting
from remanence.faces.cli.running import database, opened
from remanence.faces.cli.undoable import Undoable


async def doctor(*, common: Given) -> Any:
    from remanence.flows.checks import absent, broken

    path = database(common)
    if not path.exists():
        return [absent(str(path))]
    try:
        async with opened(common) as memory:
            with waiting("checking"):
                return await memory.doctor()
    except StoreError as error:
        return [broken(error)]


async def settings(
    name: Annotated[str | None, Parameter(help="One setting; all if absent.")] = None,
    value: Annotated[str | None, Parameter(help="What it is to be.")] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    if name is None:
        return await memory.settings.all()
    if value is None:
        return await memory.settings.get(name)
    before = await memory.settings.get(name)
    if isinstance(before.value, str):
        given: int | str = value
    elif value.isascii() and value.isdigit():
        given = int(value)
    else:
        raise InvalidInput(f"{value!r} is not a whole number", recovery=f"see: remanence settings {name}")
    back = before.value if isinstance(before.value, int) else quote(before.value)
    return Undoable(await memory.settings.set(name, given), f"remanence settings {name} {back}")


async def accept_clock(*, memory: Memory) -> Any:
    return {"was in doubt": await memory.schedule.accept_clock() or "nothing"}


def guide(
    verb: Annotated[str | None, Parameter(help="All verbs in a line each if absent.")] = None,
    /,
    *,
    agents: Annotated[bool, Parameter(help="Print a text to paste into an agent's instructions.")] = False,
) -> Any:
    from remanence import guide as told

    return told.FOR_AGENTS if agents else told.guide(verb)


def completion(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Your shell.")], /) -> Any:
    from remanence.faces.cli import tree

    return tree().generate_completion(prog_name="remanence", shell=shell)
