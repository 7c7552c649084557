"""The SQL that makes the tables of a new database, written from `tools/sql_tables.py`: no program needs SQLAlchemy."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tools.sql_tables import DIALECTS, list_statements

_FOLDER = Path(__file__).parents[2] / "src" / "remanence" / "store" / "sql"
_END = ";\n"
_FIRST_LINE = (
    "-- The tables of an empty database, written by `make pages`: change them in tools/sql_tables.py.\n"
)


def script(dialect: str) -> str:
    """Return every statement, without blanks at the ends of lines, each followed by what ends it."""
    statements = list_statements(DIALECTS[dialect])
    lines = "".join(statement.strip() + _END for statement in statements).splitlines()
    return _FIRST_LINE + "".join(line.rstrip() + "\n" for line in lines)


FILES: Mapping[Path, Callable[[], str]] = {
    _FOLDER / f"{dialect}.sql": partial(script, dialect) for dialect in DIALECTS
}
