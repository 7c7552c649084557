"""The first page of help: every command in its group, from the table of verbs.

Knows the table; must not know any single command, nor the library that reads a command line.
"""

from shutil import get_terminal_size
from textwrap import fill

from remanence.verbs import GROUPS

HELP = frozenset({"-h", "--help"})
ABOUT = (
    "A memory for AI agents: store conversations, search them, archive and delete by a policy, explain, undo."
)
MORE = "One of them: remanence COMMAND --help. When to use which: remanence guide."
NAME_CHARS = 18


def overview() -> str:
    """Return the page."""
    said = [wrapped("remanence [--db FILE] COMMAND …", 2), "", wrapped(ABOUT)]
    for title, rows in GROUPS.items():
        offered = [row for row in rows if row.command]
        said += ["", f"{title}:", *(entry(row.command, row.summary) for row in offered)]
    return "\n".join([*said, "", wrapped(MORE)])


def entry(name: str, text: str) -> str:
    """Write a name and what it is, the text wrapped beside it."""
    head = f"  {name:<{NAME_CHARS}}  "
    return wrapped(head + text if len(head) == NAME_CHARS + 4 else f"  {name}  {text}", NAME_CHARS + 4)


def wrapped(text: str, indent: int = 0) -> str:
    """Wrap a text at words to the width of the screen."""
    width = min(get_terminal_size().columns, 100)
    return fill(text, width, subsequent_indent=" " * indent, drop_whitespace=True, break_long_words=False)
