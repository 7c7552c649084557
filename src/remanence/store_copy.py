"""Scopes from one store to another, as `remanence.copy_scopes` and `remanence.move_scope`."""

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from remanence.core.arguments import check_name, check_path
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.signatures import validate_arguments
from remanence.flows.scopes import moving
from remanence.flows.scopes.moving import ScopeCopy
from remanence.opening import build_store
from remanence.store.address import exists, hide_password, is_address, is_folder
from remanence.store.capabilities import TransferStore

Place = str | Path


@validate_arguments
async def copy_scopes(
    source: Place,
    target: Place,
    *,
    scopes: Sequence[str] | None = None,
    key: object = None,
    target_key: object = None,
) -> list[ScopeCopy]:
    """Copy scopes from one store to another: files, folders and servers, as `open` takes them.

    A copy has the same memories by the same ids, links, vectors, history, undo data, settings and policy, and refuses
    what was erased. All scopes are copied where none is named, each whole or not at all. Access tokens and the register
    of copies, which are those of a whole store, stay. A scope that is there with the same content is left as it is.

    Args:
        source: the store to read.
        target: the store to write; a file or folder is made where it is missing.
        scopes: the names of the scopes.
        key: the key of an encrypted source, as for `open`.
        target_key: the key of the target.

    Returns:
        One entry for each scope, with the number of its rows and the hash that both sides have.

    Raises:
        NotFound: there is no source, or no such scope.
        Conflict: the target has a scope of that name that holds something else.
    """
    async with _open_both(source, target, key, target_key, writes=False) as (origin, goal):
        names = sorted(await origin.survey(())) if scopes is None else list(dict.fromkeys(scopes))
        for name in names:
            check_name("a scope", name)
        return [await moving.copy_scope(origin, goal, name) for name in names]


@validate_arguments
async def move_scope(
    scope: str, source: Place, target: Place, *, key: object = None, target_key: object = None
) -> ScopeCopy:
    """Copy a scope as `copy_scopes` does, then delete it in the source, which names the target from then on.

    Programs that use it are answered throughout; where they write meanwhile, it is copied again. Nothing is deleted
    before the copy was read back and has the same hash. After a kill the same call goes on where it was.

    Raises:
        NotFound: there is no source, or no such scope.
        Conflict: the target has another scope of that name, or the scope is written to all the time.
    """
    check_name("a scope", scope)
    place = hide_password(_name_place(target))
    async with _open_both(source, target, key, target_key, writes=True) as (origin, goal):
        return await moving.move_scope(origin, goal, scope, place)


@asynccontextmanager
async def _open_both(
    source: Place, target: Place, key: object, target_key: object, *, writes: bool
) -> AsyncIterator[tuple[TransferStore, TransferStore]]:
    """Open two stores, which must not be one."""
    for place in (source, target):
        if not is_address(str(place)):
            check_path(place)
    if not exists(str(source)):
        raise NotFound(f"there is no {source}", recovery="check the path of the source")
    if _name_place(source) == _name_place(target):
        raise InvalidInput("source and target are one store", recovery="name another target")
    origin = moving.require_transfer(build_store(source, key), hide_password(str(source)))
    goal = moving.require_transfer(build_store(target, target_key), hide_password(str(target)))
    await origin.open(read_only=not writes)
    try:
        await goal.open()
        try:
            yield origin, goal
        finally:
            await goal.close()
    finally:
        await origin.close()


def _name_place(place: Place) -> str:
    if is_address(str(place)):
        return str(place)
    return os.path.realpath(place) + os.sep * is_folder(place)
