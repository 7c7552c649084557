"""Every command of the command line explains itself and is in the reference."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference" / "cli.md"


def commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Yield every command below a group, with the words that call it."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


APP: Any = typer.main.get_command(importlib.import_module("remanence.faces.cli").app)
COMMANDS = dict(commands(APP, "remanence"))
OPTIONS = [
    (name, parameter)
    for name, command in COMMANDS.items()
    for parameter in command.params
    if parameter.param_type_name == "option"
]


def test_there_are_commands() -> None:
    """The walk over the command line finds its commands."""
    assert {"remanence ingest", "remanence recall", "remanence undo"} <= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_says_what_it_does(name: str) -> None:
    """Every command has help."""
    assert (COMMANDS[name].help or "").strip()


@pytest.mark.parametrize(
    ("name", "option"), OPTIONS, ids=[f"{name} {option.opts[0]}" for name, option in OPTIONS]
)
def test_an_option_says_what_it_does(name: str, option: Any) -> None:
    """Every option of a command has help."""
    assert (option.help or "").strip()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_in_the_reference(name: str) -> None:
    """Every command is named in the reference of the command line."""
    assert f"`{name}" in REFERENCE.read_text(encoding="utf-8")
