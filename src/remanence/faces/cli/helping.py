"""The first page of help, from the table of verbs, and the help of one command: its words, options and an example.

Knows what the library says of a command's arguments, and the table of verbs; must not know any single command.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from shutil import get_terminal_size
from textwrap import fill
from typing import TYPE_CHECKING, get_args

from remanence.core.verb_help import VerbHelp
from remanence.core.verbs import GROUPS, SHELVES, TABLE, advice
from remanence.faces.cli.options import Common

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.argument import Argument


HELP = frozenset({"-h", "--help"})
ABOUT = (
    "A memory for AI agents: store conversations, search them, archive and delete by a policy, explain, undo."
)
FIRST = ("learn", "recall", "list", "correct", "forget", "plan", "curate", "undo", "serve")
ALL = "more"  # the word that asks for every command
MORE = f"All commands: remanence {ALL}. Options of one: remanence COMMAND --help. When to use which: remanence guide."
USAGE = "remanence [--db FILE] COMMAND …"
NAME_CHARS = 18


def overview() -> str:
    """Return the first page: the commands that a new user needs."""
    lines = [USAGE, "", wrap_text(ABOUT), "", *(entry(name, advice(name).summary) for name in FIRST)]
    return "\n".join([*lines, "", wrap_text(MORE)])


def list_commands() -> str:
    """Return the page of all commands, by what they are for."""
    lines = [USAGE]
    names: set[str] = set()
    for title, rows in GROUPS.items():
        lines += ["", f"{title}:", *_iterate_entries(rows, names)]
    return "\n".join(lines)


def _iterate_entries(rows: Iterable[VerbHelp], told: set[str]) -> Iterator[str]:
    """Yield each command with what it is; those of a shelf stand together, once, and its own help has a line each."""
    for row in rows:
        name = row.command.partition(" ")[0]
        if not name or name in told:
            continue
        told.add(name)
        words = [one.command.partition(" ")[2] for one in TABLE if one.command.startswith(f"{name} ")]
        about = row.summary if row.command == name else SHELVES[name]
        yield entry(name, f"{about} ({', '.join(words)})" if words else about)


def entry(name: str, text: str) -> str:
    """Write a name and what it is, the text wrapped beside it."""
    head = f"  {name:<{NAME_CHARS}}  "
    return wrap_text(head + text if len(head) == NAME_CHARS + 4 else f"  {name}  {text}", NAME_CHARS + 4)


def wrap_text(text: str, indent: int = 0) -> str:
    """Wrap a text at words to the width of the screen."""
    width = min(get_terminal_size().columns, 100)
    return fill(text, width, subsequent_indent=" " * indent, drop_whitespace=True, break_long_words=False)


COMMON = frozenset(one.name for one in fields(Common))


def page(app: "App", words: Sequence[str]) -> str:
    """Return the help of the command that the first of the words name; of a group, its commands."""
    chain, apps, _ = app.parse_commands(list(words))
    if not chain:
        return overview()
    if apps[-1].default_command is None:
        return "\n".join(_of_group(chain[0]))
    row = next(row for row in TABLE if row.command == " ".join(chain))
    lines = [wrap_text(usage_of(apps[-1], chain), 4), "", wrap_text(row.summary)]
    lines += [wrap_text(f"Use it when {row.use_when}.")]
    for title, entries in (("Words", words_of(apps[-1])), ("Options", options_of(apps[-1]))):
        lines += ["", f"{title}:", *(entry(name, text) for name, text in entries)] if entries else []
    lines += ["", "Options of every command:", *(entry(name, text) for name, text in common_options(app))]
    return "\n".join([*lines, "", "Example:", f"  remanence {row.example}"])


def _of_group(name: str) -> Iterator[str]:
    yield f"remanence {name} COMMAND …"
    yield ""
    for rows in GROUPS.values():
        yield from (entry(row.command, row.summary) for row in rows if row.command.startswith(f"{name} "))


def usage_of(app: "App | None", chain: Sequence[str]) -> str:
    """Return how a command is called."""
    if app is None or not chain or app.default_command is None:
        return " ".join(["remanence", *chain, "COMMAND …"])
    return " ".join(["remanence", *chain, *(name for name, _ in words_of(app)), "[options]"])


def find_command(app: "App", chain: Sequence[str]) -> "App":
    """Return a command by the words that call it."""
    for word in chain:
        app = app[word]
    return app


def words_of(app: "App") -> list[tuple[str, str]]:
    """Return the words that a command takes, each with its help; one that may be left out is in brackets."""
    return [
        (argument_name(one) if one.required else f"[{argument_name(one)}]", str(one.parameter.help))
        for one in arguments(app)
        if one.field_info.is_positional
    ]


def options_of(app: "App") -> list[tuple[str, str]]:
    """Return the options of a command, each with its help."""
    return [_describe_option(one) for one in arguments(app) if not one.field_info.is_positional]


def common_options(app: "App") -> list[tuple[str, str]]:
    """Return the options of every command."""
    return [_describe_option(one) for one in arguments(app.meta) if one.field_info.name in COMMON]


def arguments(app: "App") -> list["Argument"]:
    """Return what a command takes, groups of options flat."""
    from cyclopts import Parameter

    collection = app.assemble_argument_collection(default_parameter=Parameter(negative_iterable=()))
    return [one for one in collection if one.show and not one.children]


def argument_name(one: "Argument | None") -> str:
    """Return what a word is called in help and errors."""
    if one is None:
        return "a word"
    if not one.field_info.is_positional:
        return str(one.names[0])
    name = one.parameter.metavar or one.field_info.name.upper().strip("_")
    return f"{name}…" if one.token_count()[1] else name


def _describe_option(one: "Argument") -> tuple[str, str]:
    names = " / ".join(one.names)
    is_flag = one.token_count()[0] == 0 or bool in get_args(one.hint)
    choices = one.get_choices(force=True)
    value = "" if is_flag else f" {one.parameter.metavar or _choose_metavar(one)}"
    default = one.field_info.default
    unsaid = is_flag or default in (None, "") or not isinstance(default, int | str)
    parts = [
        str(one.parameter.help),
        f"One of {', '.join(choices)}." if choices else "",
        "" if unsaid else f"Default: {default}.",
    ]
    return names + value, " ".join(filter(None, parts))


def _choose_metavar(one: "Argument") -> str:
    return "N" if {int, float} & {one.hint, *get_args(one.hint)} else one.names[0].strip("-").upper()
