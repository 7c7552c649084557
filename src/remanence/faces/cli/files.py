"""The commands that copy a memory to files and back, and how the command line reads and writes a file.

Knows what such a file is; must not know what is in one.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, BinaryIO

from cyclopts import Parameter

from remanence.core.arguments import check_path
from remanence.core.beside import DOCUMENT_BYTES_MAX, read_named, read_regular
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.keywords import TrustName
from remanence.faces.cli.options import INPUT, OUTPUT, Common, Given, Memory
from remanence.faces.cli.running import counting_until_stopped, open_engine
from remanence.faces.style import waiting

_SQLITE = b"SQLite format 3\0"  # how each database begins
_HEAD_BYTES = 4_096  # of which an export, as text, has none that is 0
NOTHING_LEFT = "of the file nothing is left"
NewFile = Annotated[str, OUTPUT, Parameter(help="A new file; - prints.")]


async def backup(path: NewFile, /, *, memory: Memory) -> Any:
    with waiting("copying"), TemporaryDirectory() as folder:
        if path != "-":
            await memory.backup(path)
            return {"backup": path}
        await memory.backup(Path(folder) / "copy.db", to="-")
        sys.stdout.buffer.write((Path(folder) / "copy.db").read_bytes())
        return None


async def export(file: NewFile = "-", /, *, memory: Memory) -> Any:
    count = 0
    with (
        counting_until_stopped("writing", "memories were written", NOTHING_LEFT) as progress,
        _open_sink(file) as sink,
    ):
        async for line in memory.export(to=file, progress=progress):
            sink.write(line)
            count += 1
    return None if file == "-" else {"export": file, "lines": count}


async def import_(
    file: Annotated[str, INPUT, Parameter(help="An export, or a memory's database; - reads standard input.")],
    /,
    *,
    memory: Memory,
    common: Given,
    edited: Annotated[bool, Parameter(help="Accept a file that was edited or truncated.")] = False,
    trust: Annotated[TrustName, Parameter(help="Trust of the source; user for your own export.")] = "outside",
    from_scope: Annotated[
        str | None, Parameter(help="Scope of the other database; by default the one of the same name.")
    ] = None,
    dry_run: Annotated[bool, Parameter(help="Report the counts; write nothing.")] = False,
) -> Any:
    rest = "the same command takes in the rest, nothing twice"
    with counting_until_stopped("taking in", "rows are written", rest) as progress:
        lines = await _read_lines(file, common, from_scope)
        return await memory.import_(
            lines, Path(file).name, edited=edited, trust=trust, dry_run=dry_run, progress=progress
        )


async def _read_lines(file: str, common: Common, scope: str | None) -> list[bytes]:
    """Return the lines of an export, or those that a memory's database would export, which is opened to be read."""
    if _is_database(file):
        other = replace(common, db=file, scope=scope or common.scope, read_only=True, writer=None)
        async with open_engine(other, new_scope="refuse") as memory:
            return [line async for line in memory.export(to=None)]
    if scope is not None:
        raise InvalidInput(f"{file} has one scope", recovery="leave out --from-scope: it is for a database")
    data = read(file)
    if 0 in data[:_HEAD_BYTES]:
        raise InvalidInput(
            f"{file} is neither an export nor a database of a memory",
            recovery="name a file made by export, or a database; of one that is encrypted or damaged name a backup",
        )
    return data.splitlines()


def _is_database(file: str) -> bool:
    """Tell whether a regular file is a database, in plain or encrypted; a pipe is read once, and is none."""
    from remanence.store.sqlite.driver import is_encrypted
    from remanence.store.sqlite.ledger_file import read_blocks

    check_path(file)
    try:
        if not Path(file).is_file():
            return False
        with closing(read_blocks(file, _HEAD_BYTES)) as blocks:  # it may be the file that is open here
            head = next(blocks, b"")
    except OSError:  # why is told where it is read whole
        return False
    return head.startswith(_SQLITE) or (0 in head and is_encrypted(file))


def read(file: str) -> bytes:
    """Return what a file holds."""
    check_path(file)
    try:
        return read_named(file)
    except FileNotFoundError:
        raise NotFound(f"no file {file}", recovery="check the path") from None
    except OSError as error:
        raise InvalidInput(
            f"cannot read {file}: {error.strerror}", recovery="name a file that you may read"
        ) from None


def read_document(file: str) -> bytes:
    """Return what a plan, a policy or settings hold: a regular file that is no link, of a limited size."""
    check_path(file)
    try:
        return read_regular(file, bytes_max=DOCUMENT_BYTES_MAX)
    except FileNotFoundError:
        raise NotFound(f"no file {file}", recovery="check the path") from None
    except OSError as error:
        raise InvalidInput(
            f"cannot read {file}: {error.strerror}", recovery="name a regular file; - reads standard input"
        ) from None


def write(file: str, text: str) -> None:
    """Put a text in a new file, or print it."""
    with _open_sink(file) as sink:
        sink.write(text.encode())


def _open_private(file: str, flags: int) -> int:
    return os.open(file, flags, 0o600)


@contextmanager
def _open_sink(file: str) -> Iterator[BinaryIO]:
    """Give a new file to write to, or standard output; a file that is not written to its end is taken away again."""
    if file == "-":
        with open(sys.stdout.fileno(), "wb", closefd=False) as sink:
            yield sink
        return
    check_path(file)
    is_done = False
    try:
        sink = open(file, "xb", opener=_open_private)  # noqa: SIM115 - closed below, where what fails at it is known
    except FileExistsError:
        raise InvalidInput(f"{file} is there already", recovery="name a file that is not there yet") from None
    except OSError as error:
        raise _build_write_refusal(file, error) from None
    try:
        with sink:
            yield sink
        is_done = True
    except OSError as error:
        raise _build_write_refusal(file, error) from error
    finally:
        if not is_done:
            with suppress(OSError):  # of a disk that is gone
                Path(file).unlink(missing_ok=True)


def _build_write_refusal(file: str, error: OSError) -> InvalidInput:
    return InvalidInput(
        f"cannot write {file}: {error.strerror}",
        recovery="name a file that you may write, on a disk with room; nothing is left of it",
    )
