"""Every command of the command line explains itself, is in the reference, and its example can be typed."""

import shlex
from pathlib import Path

import pytest

from remanence.core.verb_help import VerbHelp
from remanence.core.verbs import TABLE
from remanence.faces.cli import tree
from remanence.faces.cli.helping import common_options, find_command, options_of, words_of
from tests.command_line import typed

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference" / "cli.md"
APP = tree()
ROWS = [row for row in TABLE if row.command]
NAMES = [row.command for row in ROWS]


def test_every_command_is_in_the_table() -> None:
    """A command is called as the table says, and the table names no other; a group may be a command itself."""
    groups = {name.split()[0] for name in NAMES if " " in name}
    called = {name for name in APP if name not in groups or APP[name].default_command is not None}

    assert {f"{group} {name}" for group in groups for name in APP[group]} | called == set(NAMES)


def test_every_word_and_option_says_what_it_is() -> None:
    """Every word and option of every command has help."""
    apps = {name: find_command(APP, name.split()) for name in NAMES}
    every = [(name, *one) for name, app in apps.items() for one in (*words_of(app), *options_of(app))]
    every += [("remanence", *one) for one in common_options(APP)]

    assert [] == [(command, name) for command, name, text in every if text in {"", "None"}]


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_the_help_shows_how_it_is_typed(row: VerbHelp) -> None:
    """The help of a command says what it does, when to use it, and an example."""
    done = typed(*row.command.split(), "--help")

    assert (0, "") == (done.exit_code, done.stderr)
    assert row.summary in " ".join(done.stdout.split())
    assert f"  remanence {row.example}" == done.stdout.splitlines()[-1]


def test_every_example_can_be_typed() -> None:
    """Every example is one that the command line understands, and of the command that it stands beside."""
    for row in ROWS:
        words = shlex.split(row.example)
        _, parted, _ = APP.meta.parse_args(words, print_error=False, exit_on_error=False)
        command, _, _ = APP.parse_args(parted.args, print_error=False, exit_on_error=False)

        assert row.command.split() == words[: len(row.command.split())], row.command
        assert command is find_command(APP, row.command.split()).default_command, row.command


def test_every_command_is_in_the_reference() -> None:
    """Every command is named in the reference of the command line."""
    page = REFERENCE.read_text(encoding="utf-8")

    assert [] == [name for name in NAMES if f"`remanence {name}" not in page]
