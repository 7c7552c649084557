"""The commands that read and write files: plans, copies and policies.

Knows what such a file is; must not know what a plan or a policy says.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from remanence.arguments import check_path
from remanence.errors import InvalidInput, NotFound
from remanence.faces.cli.progress import waiting
from remanence.faces.cli.running import verb

if TYPE_CHECKING:
    from remanence.engine import Engine


def add(app: typer.Typer) -> None:
    """Give an app the commands of this module."""
    for function in (backup, export):
        verb(app)(function)
    verb(app, makes=True)(import_)


async def backup(
    memory: "Engine", path: Annotated[str, typer.Argument(help="A file that is not there yet.")]
) -> Any:
    """Write a verified copy of the whole database."""
    with waiting("copying"):
        await memory.backup(path)
    return {"backup": path}


async def export(
    memory: "Engine",
    file: Annotated[str, typer.Argument(help="A file that is not there yet; - prints.")] = "-",
) -> Any:
    """Write all memories and links, whole, as lines of JSON; clocks, settings and policy stay."""
    count = 0
    with _sink(file) as sink:
        async for line in memory.export():
            sink.write(line)
            count += 1
    return None if file == "-" else {"export": file, "lines": count}


async def import_(
    memory: "Engine",
    file: Annotated[str, typer.Argument(help="A file made by export.")],
    edited: Annotated[
        bool, typer.Option("--edited", help="Take in a file that was edited or cut, as it is.")
    ] = False,
) -> Any:
    """Take an export in: what is here already stays as it is, a text that is here already is confirmed."""
    with waiting("taking in"):
        return await memory.import_(read(file).splitlines(), Path(file).name, edited=edited)


def read(file: str) -> bytes:
    """Return what a file holds."""
    check_path(file)
    try:
        return Path(file).read_bytes()
    except FileNotFoundError:
        raise NotFound(f"no file {file}", recovery="check the path") from None
    except OSError as error:
        raise InvalidInput(
            f"cannot read {file}: {error.strerror}", recovery="name a file that you may read"
        ) from None


def write(file: str, text: str) -> None:
    """Put a text in a new file."""
    with _sink(file) as sink:
        sink.write(text.encode())


def _private(file: str, flags: int) -> int:
    return os.open(file, flags, 0o600)


def _sink(file: str) -> BinaryIO:
    if file == "-":
        return open(sys.stdout.fileno(), "wb", closefd=False)
    check_path(file)
    try:
        return open(file, "xb", opener=_private)
    except FileExistsError:
        raise InvalidInput(f"{file} is there already", recovery="name a file that is not there yet") from None
    except OSError as error:
        raise InvalidInput(
            f"cannot write {file}: {error.strerror}", recovery="name a file that you may write"
        ) from None
