"""The reference page of the command line, written from its commands and the table of verbs."""

from typing import TYPE_CHECKING

from remanence.core.verb_help import VerbHelp
from remanence.core.verbs import GROUPS
from remanence.faces.cli import tree
from remanence.faces.cli.helping import common_options, find_command, options_of, usage_of, words_of

if TYPE_CHECKING:
    from cyclopts import App

HEAD = """# The command line

`MEMORY` is a sequence number, an id or a key.
Every command answers in lines for a person, or with `--json` in one JSON document. Exit codes: 0 done, 1 refused or
failed (one line says why, the next what to do), 2 wrong usage, 130 interrupted.
"""


def page() -> str:
    """Return the page."""
    app = tree()
    shared = _listed(common_options(app))
    parts = [f"{HEAD}\nOptions of every command, before or after its name:\n\n{shared}"]
    for title, rows in GROUPS.items():
        offered = [row for row in rows if row.command]
        parts += [f"\n## {title}\n", *(_section(app, row) for row in offered)]
    return "".join(parts)


def _section(root: "App", row: VerbHelp) -> str:
    chain = row.command.split()
    app = find_command(root, chain)
    listed = _listed([*words_of(app), *options_of(app)])
    said = f"{row.summary} Use it when {row.use_when}; it returns {row.returns}."
    example = f"```console\n$ remanence {row.example}\n```"
    usage = usage_of(app, chain).removesuffix(" [options]")
    return f"\n### `{usage}`\n\n{said}\n\n{listed}{example}\n"


def _listed(rows: list[tuple[str, str]]) -> str:
    return "".join(f"- `{name}`: {text}\n" for name, text in rows) + "\n" * bool(rows)
