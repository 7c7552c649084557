"""The commands about forbidden texts; `forget --forbid` forbids one. Knows memories by name and texts by hash."""

from typing import Any

from remanence.faces.cli.options import Memory, Names


async def list_(*, memory: Memory) -> Any:
    return await memory.forbidden.list()


async def lift(names: Names, /, *, memory: Memory) -> Any:
    return await memory.forbidden.lift(*names)
