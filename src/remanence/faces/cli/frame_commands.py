"""The commands about frames: looking through one, beginning, changing one.

Knows arguments and how a frame is described on a command line; must not know how one is weighed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from remanence.core.errors import InvalidInput
from remanence.core.timescale import ClockName
from remanence.faces.cli.options import (
    FRAME,
    Alone,
    Budget,
    Limit,
    Memory,
    Why,
    drop_score_parts,
    given_of,
    pairs,
)
from remanence.faces.style import Undoable

if TYPE_CHECKING:
    from remanence.recall.frames import Frame

# Options that may be given several times, and the fields that they fill.
_MANY = {"tag": "tags", "category": "categories", "guarantee": "guarantees", "weight": "weights"}
Name = Annotated[str, FRAME, Parameter(help="self, attention, task, simulate or one of yours.")]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Definition:
    """What to change of a frame; what is not named stays, or is as in `attention`."""

    weight: Annotated[list[str] | None, Parameter(metavar="PART=SHARE", help="All five parts, 1 in all.")] = (
        None
    )
    tag: Annotated[list[str] | None, Parameter(help="Only memories with any of these, such as self/*.")] = (
        None
    )
    category: Annotated[list[str] | None, Parameter(help="Only memories of any of these.")] = None
    guarantee: Annotated[
        list[str] | None, Parameter(help="A tag whose memories are returned before all others.")
    ] = None
    budget: Budget = None
    limit: Limit = None
    window_hours: Annotated[
        float | None, Parameter(help="Only what was learned or used within so many hours.")
    ] = None
    template: Annotated[str | None, Parameter(help="The text around {memories}.")] = None
    clock: Annotated[ClockName | None, Parameter(help="The clock it fades by.")] = None
    profile: Annotated[
        bool | None, Parameter(negative="--no-profile", help="Show the profile after the memories.")
    ] = None

    def values(self) -> dict[str, Any]:
        """Return the fields of a frame that were named."""
        definition = {_MANY.get(name, name): value for name, value in given_of(self).items()}
        return definition | ({"weights": _shares(definition["weights"])} if self.weight else {})


async def frame(
    name: Name,
    query: Annotated[str | None, Parameter(help="A question; none weighs all.")] = None,
    /,
    *,
    memory: Memory,
    budget: Budget = None,
    limit: Limit = None,
    count_use: Annotated[
        bool, Parameter(negative="--no-count-use", help="Count the returned memories as used.")
    ] = True,
    text: Alone = False,
    why: Why = False,
) -> Any:
    answer = await memory.frame(name, query, budget=budget, limit=limit, count_use=count_use)
    return answer.text if text else answer if why else drop_score_parts(answer)


async def boot(*, memory: Memory, budget: Budget = None, text: Alone = False) -> Any:
    answer = await memory.boot(budget=budget)
    return answer.text if text else drop_score_parts(answer)


async def profile(*, memory: Memory, text: Alone = False) -> Any:
    answer = await memory.profile()
    return answer.text if text else answer


async def topics(
    *, memory: Memory, limit: Annotated[int, Parameter(help="At most so many words.")] = 50
) -> Any:
    return await memory.topics(limit=limit)


async def frames_list(*, memory: Memory) -> Any:
    return await memory.frames.list()


async def frames_get(name: Name, /, *, memory: Memory) -> Any:
    return (kept := await memory.frames.get(name)).row | {"name": kept.name}


async def frames_put(name: Name, /, *, memory: Memory, definition: Definition = Definition()) -> Any:
    frame = await memory.frames.put(name, **definition.values())
    return Undoable(frame, f"remanence frames reset {name}")


async def frames_reset(name: Name, /, *, memory: Memory) -> Any:
    before = await memory.frames.get(name)
    kept = await memory.frames.reset(name)
    if kept == before:
        return kept
    return Undoable({"removed": name} if kept is None else kept, _render_put_command(before))


def _render_put_command(frame: "Frame") -> str:
    """Return the command that defines a frame as it is."""
    words = ["remanence frames put", frame.name]
    for field, value in frame.row.items():
        if isinstance(value, bool):
            words.append(f"--{field}" if value else f"--no-{field}")
            continue
        option = next((one for one, many in _MANY.items() if many == field), field).replace("_", "-")
        each = [f"{part}={share}" for part, share in value.items()] if isinstance(value, Mapping) else value
        each = each if isinstance(each, Sequence) and not isinstance(each, str) else [each]
        words += [f"--{option} {quote(str(one))}" for one in each if one is not None]
    return " ".join(words)


def _shares(given: list[str]) -> Mapping[str, float]:
    try:
        return {part: float(share) for part, share in pairs(given, "--weight").items()}
    except ValueError as error:
        raise InvalidInput(
            f"a weight is no number: {error}", recovery="write it like --weight recency=0.2"
        ) from error
