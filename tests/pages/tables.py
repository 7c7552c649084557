"""The SQL that makes the tables of a new file, written from `schema.py`, so that opening one loads no SQLAlchemy."""

from pathlib import Path

from remanence.store.schema import statements
from remanence.store.sqlite import upgrade

FILE = Path(upgrade.__file__).with_name("tables.sql")


def script() -> str:
    """Return every statement, without blanks at the ends of lines, each followed by what ends it."""
    lines = "".join(statement.strip() + upgrade.END for statement in statements()).splitlines()
    return "".join(line.rstrip() + "\n" for line in lines)
