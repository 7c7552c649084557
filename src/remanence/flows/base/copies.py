"""The register of copies: each export and backup that was made here, where it was put, and which of them may hold what.

It is kept beside the memories and is in no audit. Knows files by their paths; never opens one.
"""

import asyncio
import logging
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from remanence.core.arguments import check_path
from remanence.core.errors import NotFound, StoreUnavailable, format_value
from remanence.core.results import Result, Time, minute_of, number, visible
from remanence.flows.base.context import Core
from remanence.gate.screening import screen_name
from remanence.store.base import Bookkeeping
from remanence.store.capabilities import FILE, require

LOG = logging.getLogger("remanence")
COPIES = "copy/"  # what the bookkeeping's names of copies begin with
UNLISTED = "copies/unlisted"
REGISTERED_MAX = (
    200  # of a scope, and as many backups; then those go whose files are gone, and then the oldest
)
EVERY_SCOPE = ""  # no scope has this name: what concerns a whole file is kept under it
ELSEWHERE = "-"  # printed, or handed to a program
IN_SCOPE = "scope"  # a copy in another scope of the store

Kind = Literal["backup", "export", "scope"]


@dataclass(frozen=True, slots=True, repr=False)
class RegisteredCopy(Result):
    """An export of a scope, or a backup of every scope, and where it was put; "-" where it was put in no file.

    Of the kind "scope" it is a copy in another scope of the store, whose name is the path. `memories` is None if the
    copy was not completed. `is_gone` is True if its file is no longer there.
    """

    kind: Kind
    path: str
    at: int
    memories: int | None = None
    is_gone: bool = False

    time = Time("at")

    def __str__(self) -> str:
        where = "printed, or handed to a program" if self.path == ELSEWHERE else self.path
        if self.kind == IN_SCOPE:
            where = f"in scope {self.path!r} of this file"
        what = "unfinished" if self.memories is None else number(self.memories, "memory", "memories")
        absence = "; the file is gone" if self.is_gone else ""
        kind = "copy" if self.kind == IN_SCOPE else self.kind
        return visible(f"{kind} of {minute_of(self.at)}: {where} ({what}){absence}")


@dataclass(frozen=True, slots=True)
class Register:
    """The copies that are listed, oldest first, and how many older ones are not any more."""

    listed: tuple[RegisteredCopy, ...] = ()
    unlisted: int = 0


async def backup(core: Core, path: str | Path, to: str | Path = "") -> None:
    """Write a verified copy of the file, and register it as put at `to`, or else at `path`."""
    check_path(path)
    require(core.store, FILE, "backup")
    name = await begin(core, EVERY_SCOPE, "backup", to or path)
    is_done = False
    try:
        memories = await core.store.backup(str(path))
        is_done = True
    finally:
        if not is_done:
            await _drop_copies(core, EVERY_SCOPE, [name])
    await finish(core, EVERY_SCOPE, name, memories)


async def begin(core: Core, scope: str, kind: Kind, to: str | Path) -> str:
    """Register a copy before it is made, and return what names it; one at the same path takes the place of the other.

    Where it cannot be registered, such as on a full disk, a warning says so: a copy may be all that helps there.
    """
    path = str(to) if kind == IN_SCOPE else _shown_path(core, str(to))
    now = core.clock.now()
    request = Bookkeeping(now, under=(COPIES,), get=(UNLISTED,))
    try:
        rows = dict((await core.store.bookkeep(scope, request)).values)
        before = int(rows.pop(UNLISTED, 0))
        going = await asyncio.to_thread(_find_dropped_copies, rows, kind, path)
        still = sum(not _is_gone(rows[one]) and rows[one]["path"] != path for one in going)
        name = f"{COPIES}{core.new_id()}"
        put: dict[str, Any] = {**dict.fromkeys(going), name: {"kind": kind, "path": path, "at": now}}
        if still:
            put[UNLISTED] = before + still
        await core.store.bookkeep(scope, Bookkeeping(now, put=put))
    except StoreUnavailable as error:
        LOG.warning("this %s is not registered, so no erasure will name it: %s", kind, error)
        return ""
    return name


async def finish(core: Core, scope: str, name: str, memories: int) -> None:
    """Say how many memories are in a copy, now that it is whole."""
    if not name:
        return
    now = core.clock.now()
    try:
        rows = (await core.store.bookkeep(scope, Bookkeeping(now, get=(name,)))).values
        if name in rows:
            put = {name: {**rows[name], "memories": memories}}
            await core.store.bookkeep(scope, Bookkeeping(now, put=put))
    except StoreUnavailable as error:
        LOG.warning("the register does not say that a copy is whole: %s", error)


async def register(core: Core) -> Register:
    """Return the copies that hold memories of this scope: its exports, and backups of the whole file."""
    rows = [
        row for scope in (core.scope, EVERY_SCOPE) for row in (await _read_copy_rows(core, scope)).items()
    ]
    unlisted = sum(value for name, value in rows if name == UNLISTED)
    copies = await asyncio.to_thread(_build_copies, [value for name, value in rows if name != UNLISTED])
    return Register(copies, unlisted)


async def dismiss(core: Core, paths: Iterable[str | Path]) -> list[RegisteredCopy]:
    """Take copies out of the register by where they were put, and return them; NotFound where one is not there."""
    written = {str(path): _shown_path(core, str(path)) for path in paths}
    wanted, rows = {*written, *written.values()}, list[Mapping[str, Any]]()
    by_scope: dict[str, list[str]] = {}
    for scope in (core.scope, EVERY_SCOPE):
        by_name = await _read_copy_rows(core, scope)
        names = [name for name, one in by_name.items() if name != UNLISTED and one["path"] in wanted]
        rows += [by_name[name] for name in names]
        by_scope[scope] = names
    found = {row["path"] for row in rows}
    for path, shown in written.items():
        if found.isdisjoint({path, shown}):
            raise NotFound(
                f"no copy at {format_value(path)} is registered",
                recovery="list them: remanence erase --copies",
            )
    for scope, names in by_scope.items():
        await _drop_copies(core, scope, names)
    return list(await asyncio.to_thread(_build_copies, rows))


async def _read_copy_rows(core: Core, scope: str) -> Mapping[str, Any]:
    request = Bookkeeping(core.clock.now(), under=(COPIES,), get=(UNLISTED,))
    return (await core.store.bookkeep(scope, request)).values


async def _drop_copies(core: Core, scope: str, names: Iterable[str]) -> None:
    put = dict.fromkeys(name for name in names if name)
    if put:
        await core.store.bookkeep(scope, Bookkeeping(core.clock.now(), put=put))


def _shown_path(core: Core, path: str) -> str:
    """Return a path from the root on, as somebody else finds it, with a marker for what looks like a secret."""
    return path if path == ELSEWHERE else screen_name(str(Path(path).absolute()), core.salt).text


def _find_dropped_copies(kept: Mapping[str, Mapping[str, Any]], kind: Kind, path: str) -> list[str]:
    """Return which rows go as another comes: of the same place, and past the limit of files that are gone, then old."""
    places = {name: (one["kind"] == IN_SCOPE, one["path"]) for name, one in kept.items()}
    same = [name for name, place in places.items() if place == (kind == IN_SCOPE, path) and path != ELSEWHERE]
    rest = sorted(kept.keys() - set(same), key=lambda name: (not _is_gone(kept[name]), name))
    return [*same, *rest[: max(0, len(rest) + 1 - REGISTERED_MAX)]]


def _build_copies(rows: Iterable[Mapping[str, Any]]) -> tuple[RegisteredCopy, ...]:
    by_time = sorted(rows, key=lambda one: (one["at"], one["path"]))
    return tuple(RegisteredCopy(**one, is_gone=_is_gone(one)) for one in by_time)


def _is_gone(row: Mapping[str, Any]) -> bool:
    """True if a copy's file lies there no longer; of what lies in no file of its own that is not known."""
    return row["kind"] != IN_SCOPE and row["path"] != ELSEWHERE and not os.path.lexists(row["path"])
