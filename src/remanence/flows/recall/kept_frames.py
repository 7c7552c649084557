"""Frames as a scope keeps them: the built-in ones are seeded when it opens, and all may be changed and taken back.

Knows where a definition is kept; what it means is in `recall.frames`.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, overload

from remanence.core.arguments import check_name
from remanence.core.errors import InvalidInput, NameUnknown
from remanence.core.later import import_later
from remanence.flows.base import settings
from remanence.flows.base.context import Core
from remanence.flows.base.permission_checks import verb_class
from remanence.recall.frames import BUILTIN, FIXED, Frame, FrameDefinition, build_frame
from remanence.store.base import Bookkeeping

if TYPE_CHECKING:
    from remanence.flows.write import learning

import_later(globals())

UNDER = "frame/"  # what the bookkeeping's names of frames begin with


@verb_class("frames")
class Frames:
    """The frames of a memory, as `memory.frames`."""

    def __init__(self, core: Core) -> None:
        self._core = core

    @overload
    async def get(self, name: None = None) -> list[Frame]: ...

    @overload
    async def get(self, name: str) -> Frame: ...

    async def get(self, name: str | None = None) -> Frame | list[Frame]:
        """Show one frame with all its numbers, or all: built-in ones, then yours.

        Raises NameUnknown with the nearest name.
        """
        return await read_all_frames(self._core) if name is None else await one(self._core, name)

    @overload
    async def set(self, name: str, **definition: Unpack[FrameDefinition]) -> Frame: ...

    @overload
    async def set(self, name: str, *, off: bool) -> Frame | None: ...

    async def set(
        self, name: str, *, off: bool = False, **definition: Unpack[FrameDefinition]
    ) -> Frame | None:
        """Change or create a frame; with `off` reset a built-in one, delete one of yours.

        A field that you do not name keeps its value, or in a new frame has the value of `attention`. Fields: weights,
        tags, categories, guarantees, guaranteed_share, budget, limit, window_hours, template, clock, profile, terms,
        diversity, per_token, expand. With `off` it returns the built-in frame, or None.
        """
        if not off:
            return await put(self._core, name, definition)
        if definition:
            raise InvalidInput(
                f"off beside {', '.join(definition)}", recovery="pass off alone, or what to change"
            )
        return await reset(self._core, name)


def built_in() -> dict[str, Mapping[str, Any]]:
    """Return the rows of the built-in frames, by their names in the bookkeeping."""
    return {**_BUILT_IN}


async def one(core: Core, name: str) -> Frame:
    """Read one frame."""
    _refuse_fixed(name)
    return (await one_with_settings(core, name)).frame


class KeptFrame(NamedTuple):
    """A frame as it is kept, the rows of settings that were asked for with it, and where the scope stood then."""

    frame: Frame
    rows: Mapping[str, Any]
    position: int


async def one_with_settings(core: Core, name: str, *names: str) -> KeptFrame:
    """Read one frame, and the rows of some settings, by one request."""
    request = Bookkeeping(core.clock.now(), get=(_frame_key(name), *settings.rows_of(*names)))
    answer = await core.store.bookkeep(core.scope, request)
    rows = answer.values
    row: Mapping[str, Any] | None = rows.get(_frame_key(name))
    if row is None:
        known = [frame.name for frame in await read_all_frames(core)]
        raise NameUnknown("frame", str(name)[:80], [*FIXED, *known])
    return KeptFrame(_make_frame(name, row), rows, answer.position)


async def read_all_frames(core: Core) -> list[Frame]:
    """Read all frames."""
    rows = (await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), under=(UNDER,)))).values
    frames = [_make_frame(key.removeprefix(UNDER), row) for key, row in rows.items()]
    return sorted(frames, key=lambda frame: (frame.name not in BUILTIN, frame.name))


async def put(core: Core, name: str, definition: Mapping[str, Any]) -> Frame:
    """Check a definition and keep it as a user's."""
    check_name("a frame", name)
    _refuse_fixed(name)
    request = Bookkeeping(core.clock.now(), get=(_frame_key(name),))
    row: Mapping[str, Any] | None = (await core.store.bookkeep(core.scope, request)).values.get(
        _frame_key(name)
    )
    frame = build_frame(name, definition, None if row is None else _make_frame(name, row))
    for category in frame.categories:
        learning.check_state(core, category, None)
    await _write_frame(core, name, {"source": "user", **frame.row})
    return frame


async def reset(core: Core, name: str) -> Frame | None:
    """Forget what a user made of a frame."""
    await one(core, name)
    await _write_frame(core, name, built_in().get(_frame_key(name)))
    return BUILTIN.get(name)


def _refuse_fixed(name: str) -> None:
    """Refuse the frames that have no definition: there is nothing of them to show or to change."""
    if name in FIXED:
        raise InvalidInput(
            f"the frame {name!r} has no numbers of its own",
            recovery=f"show it: frame({name!r}), `remanence frame {name}`; your own frame needs another name",
        )


def _frame_key(name: str) -> str:
    return f"{UNDER}{name}"


async def _write_frame(core: Core, name: str, row: Mapping[str, Any] | None) -> None:
    await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), put={_frame_key(name): row}))


_BUILT_IN: Mapping[str, Mapping[str, Any]] = {
    _frame_key(name): {"source": "builtin", **frame.row} for name, frame in BUILTIN.items()
}


def _make_frame(name: str, row: Mapping[str, Any]) -> Frame:
    if row == _BUILT_IN.get(_frame_key(name)):
        return BUILTIN[name]
    return build_frame(name, {key: value for key, value in row.items() if key != "source"})
