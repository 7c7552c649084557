"""The SQL that makes the tables of a new database, written from `tables.py`: opening one loads no SQLAlchemy."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from remanence.store.sql.tables import DIALECTS, list_statements

_FOLDER = Path(__file__).parents[2] / "src" / "remanence" / "store" / "sql"
_END = ";\n"
_FIRST_LINE = (
    "-- The tables of an empty database, written from tables.py by `make pages`: change them there.\n"
)


def script(dialect: str) -> str:
    """Return every statement, without blanks at the ends of lines, each followed by what ends it."""
    statements = list_statements(DIALECTS[dialect])
    lines = "".join(statement.strip() + _END for statement in statements).splitlines()
    return _FIRST_LINE + "".join(line.rstrip() + "\n" for line in lines)


FILES: Mapping[Path, Callable[[], str]] = {
    _FOLDER / f"{dialect}.sql": partial(script, dialect) for dialect in DIALECTS
}
