"""The first page of help: every command or shelf of commands in its group, from the table of verbs.

Knows the table; must not know any single command, nor the library that reads a command line.
"""

from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from textwrap import fill

from remanence.core.verbs import GROUPS, SHELVES, TABLE, Advice

HELP = frozenset({"-h", "--help"})
ABOUT = (
    "A memory for AI agents: store conversations, search them, archive and delete by a policy, explain, undo."
)
MORE = "One of them, or a shelf of them: remanence COMMAND --help. When to use which: remanence guide."
NAME_CHARS = 18


def overview() -> str:
    """Return the page."""
    lines = [wrap_text("remanence [--db FILE] COMMAND …", 2), "", wrap_text(ABOUT)]
    names: set[str] = set()
    for title, rows in GROUPS.items():
        lines += ["", f"{title}:", *_entries(rows, names)]
    return "\n".join([*lines, "", wrap_text(MORE)])


def _entries(rows: Iterable[Advice], told: set[str]) -> Iterator[str]:
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
