"""Reads fenced blocks out of Markdown and runs the Python ones; of a page that is followed, its commands too."""

import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tests.command_line import typed

NOT_RUN = "<!-- not run -->"
# Pages whose console blocks are typed too, in order with the Python: a newcomer follows them literally. What needs
# a network, a server or another program is in `sh` blocks, which are not run.
FOLLOWED = frozenset({"README.md", "index.md", "start.md"})
FOLLOWED_FOLDER = "how-to"
OURS = re.compile(r"^\$ ((?:remanence|cd|mv|cp) .*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
COLUMNS = 110
SYSTEM: dict[str, Callable[..., object]] = {"cd": os.chdir, "mv": shutil.move, "cp": shutil.copyfile}
FENCE = re.compile(r"^ {0,3}(```+)\s*(\S*)")


@dataclass(frozen=True)
class Block:
    """One fenced block: its language, its text, the line of its first row, and whether it is to be run."""

    language: str
    text: str
    line: int
    is_run: bool


@dataclass(frozen=True)
class Example:
    """A block that is run and the output that the document promises, None where it promises none."""

    block: Block
    output: str | None


def examples(path: Path) -> list[Example]:
    """Return the blocks of a document that are run, in order."""
    found = [*blocks(path.read_text(encoding="utf-8")), None]
    is_followed = path.name in FOLLOWED or path.parent.name == FOLLOWED_FOLDER
    languages = {"python", "console"} if is_followed else {"python"}
    return [
        Example(block, following.text if following and following.language == "text" else None)
        for block, following in pairwise(found)
        if block and block.language in languages and block.is_run
    ]


def commands(text: str) -> list[tuple[list[str], str]]:
    """Return the commands of a console block that are ours, as words, each with the output that is shown."""
    return [(shlex.split(line, comments=True), shown) for line, shown in OURS.findall(text)]


def blocks(text: str) -> list[Block]:
    """Return all fenced blocks of a Markdown text, in order."""
    found: list[Block] = []
    lines = iter(enumerate(text.splitlines(), start=1))
    before = ""
    for number, line in lines:
        fence = FENCE.match(line)
        if fence:
            body = "".join(f"{inner}\n" for inner in _until(lines, fence[1]))
            found.append(Block(fence[2], body, number + 1, before != NOT_RUN))
        before = line.strip() or before
    return found


def complaints(path: Path) -> list[str]:
    """Run the examples of a document in one namespace, in the current folder; say where the output differs."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    found: list[str] = []
    for example in examples(path):
        if example.block.language == "console":
            found += _typed(example.block, path)
            continue
        printed = _run(example.block, path, namespace)
        if example.output is not None and not _alike(example.output, printed):
            found.append(f"{path.name}:{example.block.line} promises\n{example.output}but prints\n{printed}")
    return found


def _until(lines: Iterator[tuple[int, str]], fence: str) -> list[str]:
    body: list[str] = []
    for _, line in lines:
        if line.strip() == fence:
            return body
        body.append(line)
    raise ValueError(f"a block opened by {fence} never ends")


def _typed(block: Block, path: Path) -> Iterator[str]:
    """Type the commands of a block; yield what fails, and what prints other lines than it shows."""
    for (program, *words), shown in commands(block.text):
        if program in SYSTEM:
            SYSTEM[program](*words)
            continue
        done = typed(*words, columns=COLUMNS)
        if done.exit_code or (shown and not _alike(shown, done.stdout)):
            command = " ".join(words)
            yield f"{path.name}:{block.line} {command} leaves with {done.exit_code} and prints\n{done.output}"


def _run(block: Block, path: Path, namespace: dict[str, object]) -> str:
    # Blank lines in front make a traceback name the line of the document.
    code = compile("\n" * (block.line - 1) + block.text, str(path), "exec")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)
    return printed.getvalue()


def _alike(promised: str, printed: str) -> bool:
    """Compare without trailing blanks; "..." stands for anything, such as an id."""
    return doctest.OutputChecker().check_output(_trimmed(promised), _trimmed(printed), doctest.ELLIPSIS)


def _trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.rstrip().splitlines())
