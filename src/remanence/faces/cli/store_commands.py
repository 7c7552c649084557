"""The commands of stores: scopes from one to another; roles and nodes of a PostgreSQL server.

Knows arguments; what is done is loaded when one of them runs.
"""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from remanence.core.errors import InvalidInput, NotFound
from remanence.faces.cli.keys import read_key, read_named_key
from remanence.faces.cli.options import Common, Given
from remanence.faces.cli.running import database
from remanence.faces.style import waiting
from remanence.store.address import hide_password, is_postgres

if TYPE_CHECKING:
    from psycopg import Connection

Work = Callable[["Connection[Any]"], Any]


TargetKeyFile = Annotated[str | None, Parameter(help="A file with the key of the target.")]
TargetKeyCommand = Annotated[str | None, Parameter(help="A command that prints the key of the target.")]


async def copy(
    source: Annotated[str, Parameter(help="The file, folder or server to copy from.")],
    target: Annotated[str, Parameter(help="The file, folder or server to copy to; made if missing.")],
    /,
    *,
    common: Given,
    to_key_file: TargetKeyFile = None,
    to_key_command: TargetKeyCommand = None,
) -> Any:
    from remanence.store_copy import copy_scopes

    with waiting("copying"):
        return await copy_scopes(
            source,
            target,
            scopes=None if common.scope is None else [common.scope],
            key=read_key(common.key_file, common.key_command),
            target_key=read_named_key(to_key_file, to_key_command, "--to-key"),
        )


async def move(
    scope: Annotated[str, Parameter(help="The scope to move, of the database that --db names.")],
    target: Annotated[str, Parameter(help="The file, folder or server to move it to; made if missing.")],
    /,
    *,
    common: Given,
    to_key_file: TargetKeyFile = None,
    to_key_command: TargetKeyCommand = None,
) -> Any:
    from remanence.store_copy import move_scope

    if common.read_only:
        raise InvalidInput("--read-only writes nothing", recovery="leave it out, or copy: remanence copy")
    with waiting("moving"):
        return await move_scope(
            scope,
            database(common),
            target,
            key=read_key(common.key_file, common.key_command),
            target_key=read_named_key(to_key_file, to_key_command, "--to-key"),
        )


async def store_grant(
    role: Annotated[str, Parameter(help="A role of the server that can log in.")],
    /,
    *,
    common: Given,
    read: Annotated[bool, Parameter(negative=(), help="Let it read only.")] = False,
    scope: Annotated[
        str | None,
        Parameter(help="The one scope that it may see, made if missing; all scopes if absent."),
    ] = None,
) -> Any:
    def work(connection: "Connection[Any]") -> Any:
        from remanence.store.postgres import pg_roles

        return pg_roles.grant(connection, role, writes=not read, scope=scope)

    return await _ask(common, work, makes=True)


async def store_distribute(*, common: Given) -> Any:
    def work(connection: "Connection[Any]") -> Any:
        from remanence.store.postgres import pg_cluster

        return pg_cluster.distribute(connection)

    with waiting("dividing"):
        return await _ask(common, work, makes=True)


async def store_status(*, common: Given) -> Any:
    def work(connection: "Connection[Any]") -> Any:
        from remanence.store.postgres import pg_cluster

        return pg_cluster.read_status(connection)

    return await _ask(common, work, makes=False)


async def _ask(common: Common, work: Work, *, makes: bool) -> Any:
    """Do work on a connection to the server that the options name; where it `makes`, missing tables are made first."""
    address = database(common)
    if not is_postgres(address):
        raise InvalidInput(
            f"{hide_password(address)} is no PostgreSQL server: roles and nodes are those of one",
            recovery="name a server: --db postgresql://user@host/database",
        )
    if makes and common.read_only:
        raise InvalidInput("--read-only writes nothing", recovery="leave it out")
    try:
        from remanence.store.postgres.pg_roles import connect
    except ImportError as error:
        raise NotFound(
            f"the extra `postgres` is not installed ({error})", recovery="pip install 'remanence[postgres]'"
        ) from None

    def run() -> Any:
        with connect(address, makes=makes) as connection:
            return work(connection)

    return await asyncio.to_thread(run)
