"""The commands about frames and what they rest on: looking through one, beginning, rating, contradictions.

Knows arguments and how a frame is described on a command line; must not know how one is weighed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from remanence.errors import InvalidInput
from remanence.faces.cli.options import name_of, pairs
from remanence.faces.cli.running import Verb, verb
from remanence.model import Recalled

if TYPE_CHECKING:
    from remanence.engine import Engine

Name = Annotated[
    str, typer.Argument(metavar="FRAME", help="self, attention, task, simulate or one of yours.")
]
Memory = Annotated[str, typer.Argument(metavar="MEMORY", help="Its sequence number, id or key.")]
Budget = Annotated[int | None, typer.Option(min=1, help="At most so many tokens.")]
Alone = Annotated[bool, typer.Option("--text", help="Print the text alone, as an agent is given it.")]
Why = Annotated[bool, typer.Option("--explain", help="Show the parts of every score.")]


@dataclass(frozen=True, slots=True)
class Definition:
    """What to change of a frame; what is not named stays, or is as in `attention`."""

    weight: Annotated[list[str] | None, typer.Option(help="PART=SHARE, all five parts, 1 in all.")] = None
    tag: Annotated[
        list[str] | None, typer.Option(help="Only memories with any of these, such as self/*.")
    ] = None
    category: Annotated[list[str] | None, typer.Option(help="Only memories of any of these.")] = None
    guarantee: Annotated[
        list[str] | None, typer.Option(help="A tag whose memories are returned before all others.")
    ] = None
    budget: Budget = None
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many memories.")] = None
    window_hours: Annotated[
        float | None, typer.Option(help="Only what was learned or used within so many hours.")
    ] = None
    template: Annotated[str | None, typer.Option(help="The text around {memories}.")] = None
    clock: Annotated[str | None, typer.Option(help="The clock it fades by: wall, active or turns.")] = None

    def values(self) -> dict[str, Any]:
        """Return the fields of a frame that were named."""
        given = {
            "weights": None if self.weight is None else _shares(self.weight),
            "tags": self.tag,
            "categories": self.category,
            "guarantees": self.guarantee,
            "budget": self.budget,
            "limit": self.limit,
            "window_hours": self.window_hours,
            "template": self.template,
            "clock": self.clock,
        }
        return {name: value for name, value in given.items() if value is not None}


def add(app: typer.Typer) -> None:
    """Give an app the commands of this module and the group `frames`."""
    single: tuple[Verb, ...] = (frame, boot, rate, contradictions, resolve)
    for function in single:
        verb(app)(function)
    group = typer.Typer(help="Read and change frames.", no_args_is_help=True, rich_markup_mode=None)
    verb(group, "list")(list_frames)
    verb(group)(show)
    verb(group)(put)
    verb(group)(reset)
    app.add_typer(group, name="frames")


async def frame(
    memory: "Engine",
    name: Name,
    query: Annotated[
        str | None, typer.Argument(metavar="[QUERY]", help="A question; none weighs all.")
    ] = None,
    budget: Budget = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many memories.")] = None,
    count_use: Annotated[bool, typer.Option(help="Count the returned memories as used.")] = True,
    text: Alone = False,
    explain: Why = False,
) -> Any:
    """Look at the memory through a frame: what it guarantees, then the best by its score."""
    answer = await memory.frame(name, query, budget=budget, limit=limit, count_use=count_use)
    return answer.text if text else answer if explain else _brief(answer)


async def boot(memory: "Engine", budget: Budget = None, text: Alone = False) -> Any:
    """Show what to begin with: what is load-bearing first, then the newest episodes."""
    answer = await memory.boot(budget=budget)
    return answer.text if text else _brief(answer)


async def rate(
    memory: "Engine",
    signal: Annotated[
        float, typer.Argument(metavar="SIGNAL", min=0, max=1, help="0 misled, 0.5 neither, 1 helped.")
    ],
    memories: Annotated[list[str], typer.Argument(metavar="MEMORY", help="One memory or several.")],
) -> Any:
    """Say how far memories helped."""
    return await memory.rate([name_of(name) for name in memories], signal)


async def contradictions(
    memory: "Engine",
    all_: Annotated[
        bool, typer.Option("--all", help="Those that were resolved or have fallen, too.")
    ] = False,
) -> Any:
    """List what contradicts each other, the surest first."""
    return await memory.graph.contradictions(open_only=not all_)


async def resolve(
    memory: "Engine",
    one: Memory,
    other: Memory,
    keep: Annotated[
        str | None, typer.Option(help="Which of the two supersedes the other; neither if absent.")
    ] = None,
) -> Any:
    """Call a contradiction resolved, in favour of one memory if you say so."""
    return await memory.graph.resolve(name_of(one), name_of(other), None if keep is None else name_of(keep))


async def list_frames(memory: "Engine") -> Any:
    """List the frames of this scope."""
    return await memory.frames.list()


async def show(memory: "Engine", name: Name) -> Any:
    """Show a frame whole."""
    return (kept := await memory.frames.get(name)).row | {"name": kept.name}


async def put(memory: "Engine", name: Name, definition: Definition) -> Any:
    """Change a frame, or make one."""
    return await memory.frames.put(name, **definition.values())


async def reset(memory: "Engine", name: Name) -> Any:
    """Take a built-in frame back to what it came as; one of yours is gone."""
    kept = await memory.frames.reset(name)
    return {"removed": name} if kept is None else kept


def _brief(answer: Recalled) -> Recalled:
    return replace(answer, memories=tuple(replace(hit, parts={}) for hit in answer.memories))


def _shares(given: list[str]) -> Mapping[str, float]:
    try:
        return {part: float(share) for part, share in pairs(given, "--weight").items()}
    except ValueError as error:
        raise InvalidInput(
            f"a weight is no number: {error}", recovery="write it like --weight recency=0.2"
        ) from error
