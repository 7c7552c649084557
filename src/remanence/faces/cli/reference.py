"""The reference page of the command line, written from the commands.

Knows Markdown and the tree of commands; must not know any single one.
"""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import typer

from remanence.faces.cli import app
from remanence.faces.cli.options import Common

HEAD = """# The command line

`MEMORY` is a sequence number, an id or a key.
Every command answers in lines for a person, or with `--json` in one JSON document. Exit codes: 0 done, 1 refused or
failed (one line says why, the next what to do), 2 wrong usage, 130 interrupted.
"""


def reference() -> str:
    """Return the page."""
    root: Any = typer.main.get_command(app)
    common = {one.name for one in fields(Common)}
    shared = "\n".join(_option(option) for option in root.params if option.name in common)
    head = f"{HEAD}\nOptions of every command, before or after its name:\n\n{shared}\n"
    return head + "".join(
        _section(name, command, common) for name, command in sorted(walk(root, "remanence"))
    )


def walk(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield every command below a group with the words that call it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from walk(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _section(name: str, command: Any, common: set[str]) -> str:
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option" and one.name not in common]
    words = " ".join([name, *(_word(one) for one in arguments)])
    listed = [f"- `{_word(one)}`: {one.help}" for one in arguments] + [_option(one) for one in options]
    return f"\n## `{words}`\n\n{command.help}\n" + ("\n" + "\n".join(listed) + "\n" if listed else "")


def _word(argument: Any) -> str:
    word = str(argument.metavar or argument.name.upper()).strip("[]")
    word = f"{word}…" if argument.nargs == -1 else word
    return word if argument.required else f"[{word}]"


def _option(option: Any) -> str:
    words = " / ".join([*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" {option.name.upper()}"
    default = (
        "" if option.default in (None, False, (), []) or option.is_flag else f" Default: {option.default}."
    )
    return f"- `{words}{value}`: {option.help}{default}"
