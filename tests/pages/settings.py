"""The reference page of the settings, written from where they are declared."""

from remanence.flows.base.settings import SETTINGS, Setting

HEAD = """# Settings

Numbers and words that hold for a scope in every process: `remanence settings NAME VALUE`,
`memory.settings.set(name, value)`; `None`, on a command line `''`, sets one to its default. Of words the bounds
count the characters.

| setting | default | from | to | what it does |
|---|---|---|---|---|
"""


def page() -> str:
    """Return the page."""
    return HEAD + "".join(map(_row, SETTINGS.values()))


def _row(one: Setting) -> str:
    value = f"{one.value:,}" if isinstance(one.value, int) else "empty"
    return f"| `{one.name}` | {value} | {one.least:,} | {one.most:,} | {one.meaning} |\n"
