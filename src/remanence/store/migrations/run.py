"""Runs alembic on an open connection, in one transaction; the only place that imports it."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool


def migrate(
    connection: sqlite3.Connection,
    scripts: Path,
    revision: str,
    start: Callable[[], None],
    finish: Callable[[], None],
) -> None:
    """Bring the database to a revision, where it is not there yet.

    `start` and `finish` run in the same transaction, which is the only one to write, and may refuse it all by raising.
    Errors are sqlite3's own.
    """
    engine = create_engine(
        "sqlite://", creator=lambda: connection, poolclass=StaticPool, pool_reset_on_return=None
    )

    @event.listens_for(engine, "begin")
    def begin(wrapped: Connection) -> None:
        wrapped.exec_driver_sql("BEGIN IMMEDIATE")

    try:
        with engine.begin() as engine_connection:
            start()
            command.upgrade(config(scripts, engine_connection), revision)
            finish()
    except DBAPIError as error:
        raise error.orig or error from error


def config(scripts: Path, connection: Connection, **attributes: Any) -> Config:
    """Return what alembic needs to know: where the steps lie, and the connection to use."""
    settings = Config()
    settings.set_main_option("script_location", str(scripts).replace("%", "%%"))
    settings.attributes.update(connection=connection, **attributes)
    return settings
