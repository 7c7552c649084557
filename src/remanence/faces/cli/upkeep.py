"""The commands that keep a memory in order: look whether it is sound, read and set its numbers.

Knows what a look at a missing or broken file answers; must not know what is looked at.
"""

from shlex import quote
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from remanence.core.errors import InvalidInput, StoreError
from remanence.faces.cli import files
from remanence.faces.cli.options import INPUT, Given, Memory
from remanence.faces.cli.running import database, open_engine
from remanence.faces.style import Undoable, counting, waiting


async def doctor(*, common: Given) -> Any:
    from remanence.flows.inspect.checks import build_absent_check, make_unreadable_check

    path = database(common)
    if not path.exists():
        return [build_absent_check(str(path))]
    try:
        async with open_engine(common, erased_since="look") as memory:
            with waiting("checking"):
                return await memory.doctor()
    except StoreError as error:
        return [make_unreadable_check(error)]


async def reembed(
    embedder: Annotated[
        str | None,
        Parameter(
            help="The model to change to: local:FOLDER, multilingual, openai, openai:MODEL or one that a package"
            " registers; auto for none beside the static vectors; the one under way if absent."
        ),
    ] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    with counting("embedding") as progress:
        return await memory.reembed(embedder, progress)


async def settings(
    name: Annotated[str | None, Parameter(help="One setting; all if absent.")] = None,
    value: Annotated[str | None, Parameter(help="What it is to be.")] = None,
    /,
    *,
    memory: Memory,
    advanced: Annotated[bool, Parameter(negative=(), help="List those that tune the inside, too.")] = False,
    toml: Annotated[bool, Parameter(help="Print all as one document that --load takes.")] = False,
    load: Annotated[
        str | None,
        INPUT,
        Parameter(help="Set what a document names, and the others to what they are built in; - reads it."),
    ] = None,
) -> Any:
    if name is not None and (toml or load is not None):
        raise InvalidInput(f"{name} beside a document", recovery="name one setting, or a document, not both")
    if load is not None:
        before = {one.name: one.value for one in await memory.settings.all(advanced=True)}
        changed = await memory.settings.load(files.read_document(load).decode(errors="replace"))
        back = "; ".join(_setting(one.name, before[one.name]) for one in changed)
        return Undoable({one.name: one.value for one in changed}, back) if changed else []
    if toml:
        return (await memory.settings.document()).rstrip()
    if name is None:
        return await memory.settings.all(advanced=advanced)
    return await memory.settings.get(name) if value is None else await _set(memory, name, value)


async def _set(memory: Memory, name: str, value: str) -> Undoable:
    before = await memory.settings.get(name)
    if isinstance(before.value, str):
        new_value: int | str = value
    elif value.isascii() and value.isdigit():
        new_value = int(value)
    else:
        raise InvalidInput(f"{value!r} is not a whole number", recovery=f"see: remanence settings {name}")
    return Undoable(await memory.settings.set(name, new_value), _setting(name, before.value))


def _setting(name: str, value: int | str) -> str:
    return f"remanence settings {name} {value if isinstance(value, int) else quote(value)}"


def guide(
    verb: Annotated[str | None, Parameter(help="All verbs in a line each if absent.")] = None,
    /,
    *,
    agents: Annotated[bool, Parameter(help="Print a text to paste into an agent's instructions.")] = False,
) -> Any:
    from remanence.core import guide as told

    return told.FOR_AGENTS if agents else told.guide(verb)


def completion(shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="Your shell.")], /) -> Any:
    from remanence.faces.cli import tree

    return tree().generate_completion(prog_name="remanence", shell=shell)
