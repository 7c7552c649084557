"""The reference page of the settings, written from where they are declared: those that users set, and the others."""

from collections.abc import Iterable

from remanence.flows.base.settings import SETTINGS, Setting

HEAD = """# Settings

Numbers and words that hold for a scope in every process: `remanence settings NAME VALUE`,
`memory.settings.set(name, value)`. Of words the bounds count the characters.
"""
ADVANCED = """
## Advanced

They tune the inside, and rarely need anybody: `remanence settings --advanced`, `memory.settings.all(advanced=True)`.
"""
TOP = "\n| setting | built in | from | to | what it says |\n|---|---|---|---|---|\n"


def page() -> str:
    """Return the page."""
    usual = [one for one in SETTINGS.values() if not one.advanced]
    return HEAD + _table(usual) + ADVANCED + _table(one for one in SETTINGS.values() if one.advanced)


def _table(rows: Iterable[Setting]) -> str:
    return TOP + "".join(map(_row, rows))


def _row(one: Setting) -> str:
    value = f"{one.value:,}" if isinstance(one.value, int) else "none"
    return f"| `{one.name}` | {value} | {one.least:,} | {one.most:,} | {one.meaning} |\n"
