"""One idea, one name: what a verb is called in Python it is called on the command line and by an agent's tools."""

from remanence.core.verb_help import COMMANDS, ONLY_COMMANDS
from remanence.core.verbs import SHELVES, TABLE
from remanence.engine import Engine
from remanence.faces.cli.helping import FIRST, list_commands, overview
from remanence.faces.mcp.tools import names

# Each is one command with another: what it adds is a word or an option there.
NO_COMMAND = {
    "erase.apply": "`erase --yes`",
    "settings.set": "`settings NAME VALUE`",
    "end_session": "`session --off`",
    "session": "`session` and `session --off`: no block of code lives between two commands",
    "close": "each command closes",
}
OTHERWISE = {"import_", "begin_session", "run_jobs", "erase.show", "settings.get"}


def test_a_command_has_the_words_of_its_verb() -> None:
    """A dot is a space and a line is a hyphen there; what is called otherwise has its reason in the table."""
    verbs = {row.verb: row.command for row in TABLE if row.verb and row.command}

    assert {verb for verb in verbs if verbs[verb].replace(" ", ".").replace("-", "_") != verb} == OTHERWISE
    assert OTHERWISE == COMMANDS.keys()


def test_a_verb_without_a_command_says_why() -> None:
    """And a command without a verb is a person's at a terminal."""
    assert NO_COMMAND.keys() == {row.verb for row in TABLE if not row.command}
    assert {row.command for row in TABLE if not row.verb} == ONLY_COMMANDS


def test_the_first_page_names_nine_commands_and_how_to_see_all() -> None:
    """Those that a new user needs; each is a verb of the table."""
    page = overview()

    assert 9 == len(FIRST) == len([line for line in page.splitlines() if line[:2] == "  " and line[2] != " "])
    assert {*FIRST} <= {row.command for row in TABLE}
    assert "remanence more" in page


def test_the_page_of_all_names_every_command() -> None:
    """Each by itself, or by its word on the line of its shelf."""
    page = " ".join(list_commands().split())
    names = {row.command for row in TABLE if row.command}
    shelves = {name.split()[0] for name in names if " " in name}
    words = {name: [one.split()[1] for one in names if one.startswith(f"{name} ")] for name in shelves}

    assert shelves - names == SHELVES.keys()
    assert [] == [name for name in names if " " not in name and f" {name} " not in page]
    assert [] == [
        (shelf, word)
        for shelf, many in words.items()
        for word in many
        if word not in page.partition(f" {shelf} ")[2].partition(")")[0]
    ]


def test_a_tool_has_the_name_of_its_verb() -> None:
    """Every tool that an agent is given is a verb of the engine."""
    assert [] == [name for name in names(allow_curation=True) if not hasattr(Engine, name)]
