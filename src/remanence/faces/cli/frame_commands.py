"""The commands of frames: one or all are shown, and one is defined, changed or reset.

Knows what of a frame can be given as an option, and the command that defines a frame as it was.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from remanence.core.errors import InvalidInput
from remanence.core.timescale import ClockName
from remanence.faces.cli.options import FRAME, Budget, Limit, Memory, given_of, pairs
from remanence.faces.style import Undoable

if TYPE_CHECKING:
    from remanence.recall.frames import Frame

# Options that may be given several times, and the fields that they fill.
_MANY = {
    "tag": "tags",
    "category": "categories",
    "guarantee": "guarantees",
    "weight": "weights",
    "term": "terms",
}
FrameName = Annotated[str, FRAME, Parameter(help="self, attention, task, simulate or one of yours.")]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Definition:
    """What to change of a frame; what is not named stays, or is as in `attention`."""

    weight: Annotated[
        list[str] | None, Parameter(metavar="PART=SHARE", help="The five weights; they add up to 1.")
    ] = None
    tag: Annotated[list[str] | None, Parameter(help="Only memories with any of these, such as self/*.")] = (
        None
    )
    category: Annotated[list[str] | None, Parameter(help="Only memories of these categories.")] = None
    guarantee: Annotated[
        list[str] | None, Parameter(help="A tag whose memories are always returned first.")
    ] = None
    guaranteed_share: Annotated[
        float | None,
        Parameter(help="Share of the budget for guaranteed memories if there is a question, 0 to 1."),
    ] = None
    budget: Budget = None
    limit: Limit = None
    window_hours: Annotated[
        float | None, Parameter(help="Only memories learned or used within this many hours.")
    ] = None
    template: Annotated[str | None, Parameter(help="The text around {memories}.")] = None
    clock: Annotated[ClockName | None, Parameter(help="The clock for recency.")] = None
    profile: Annotated[
        bool | None, Parameter(negative="--no-profile", help="Show the profile after the memories.")
    ] = None

    term: Annotated[
        list[str] | None,
        Parameter(
            help="A term to add to the score: used, important, lifecycle, confirmed, rated, helpful, cold_start."
        ),
    ] = None
    diversity: Annotated[float | None, Parameter(help="Preference for diverse memories, from 0 to 1.")] = None
    per_token: Annotated[
        bool | None,
        Parameter(negative="--no-per-token", help="Prefer the best score per token."),
    ] = None
    expand: Annotated[
        bool | None,
        Parameter(negative="--no-expand", help="Add memories linked to the best answers."),
    ] = None

    def values(self) -> dict[str, Any]:
        """Return the fields of a frame that were named."""
        definition = {_MANY.get(name, name): value for name, value in given_of(self).items()}
        return definition | ({"weights": _read_shares(definition["weights"])} if self.weight else {})


async def frames_get(
    name: Annotated[str | None, FRAME, Parameter(help="One frame; all if absent.")] = None,
    /,
    *,
    memory: Memory,
) -> Any:
    if name is None:
        return await memory.frames.get()
    kept = await memory.frames.get(name)
    return kept.row | {"name": kept.name}


async def frames_set(
    name: FrameName,
    /,
    *,
    memory: Memory,
    definition: Definition = Definition(),
    off: Annotated[
        bool, Parameter(negative=(), help="Reset a built-in frame, delete one of yours; give it alone.")
    ] = False,
) -> Any:
    changes = definition.values()
    if not off:
        frame = await memory.frames.set(name, **changes)
        return Undoable(frame, f"remanence frames set {name} --off")
    if changes:
        raise InvalidInput("--off beside other options", recovery="give --off alone")
    before = await memory.frames.get(name)
    kept = await memory.frames.set(name, off=True)
    if kept == before:
        return kept
    return Undoable({"removed": name} if kept is None else kept, _render_set_command(before))


def _render_set_command(frame: "Frame") -> str:
    """Return the command that defines a frame as it is."""
    words = ["remanence frames set", frame.name]
    for field, value in frame.row.items():
        option = next((one for one, many in _MANY.items() if many == field), field).replace("_", "-")
        if isinstance(value, bool):
            words.append(f"--{option}" if value else f"--no-{option}")
            continue
        each = [f"{part}={share}" for part, share in value.items()] if isinstance(value, Mapping) else value
        each = each if isinstance(each, Sequence) and not isinstance(each, str) else [each]
        words += [f"--{option} {quote(str(one))}" for one in each if one is not None]
    return " ".join(words)


def _read_shares(given: list[str]) -> Mapping[str, float]:
    try:
        return {part: float(share) for part, share in pairs(given, "--weight").items()}
    except ValueError as error:
        raise InvalidInput(
            f"a weight is no number: {error}", recovery="write it like --weight recency=0.2"
        ) from error
