"""The commands that copy a memory to files and back, and how the command line reads and writes a file.

Knows what such a file is; must not know what is in one.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, BinaryIO

from cyclopts import Parameter

from remanence.core.arguments import check_path
from remanence.core.beside import DOCUMENT_BYTES_MAX, read_named, read_regular
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.keywords import TrustName
from remanence.faces.cli.options import INPUT, OUTPUT, Memory
from remanence.faces.cli.running import counting_until_stopped
from remanence.faces.style import waiting

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
    file: Annotated[str, INPUT, Parameter(help="A file made by export; - reads standard input.")],
    /,
    *,
    memory: Memory,
    edited: Annotated[bool, Parameter(help="Accept a file that was edited or truncated.")] = False,
    trust: Annotated[TrustName, Parameter(help="Trust of the source; user for your own export.")] = "outside",
) -> Any:
    rest = "the same command takes in the rest, nothing twice"
    with counting_until_stopped("taking in", "rows are written", rest) as progress:
        lines = read(file).splitlines()
        return await memory.import_(lines, Path(file).name, edited=edited, trust=trust, progress=progress)


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
