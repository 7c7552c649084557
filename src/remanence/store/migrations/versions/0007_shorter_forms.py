"""Memories are shown whole, condensed or as a summary, and it is known how long their short form is.

The checks of a table are altered where SQLite keeps its text, as its manual describes for what does not change how rows
lie on disk; the table is made anew where SQLite was built to refuse that. The lengths are computed from the texts once
the file is brought up, by the pass that computes what else follows from them.
"""

from alembic import op
from sqlalchemy.exc import DBAPIError

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

COLUMNS = (
    "ALTER TABLE states ADD COLUMN form INTEGER DEFAULT 0 NOT NULL",
    "ALTER TABLE states ADD COLUMN short_tokens INTEGER DEFAULT 0 NOT NULL",
    "ALTER TABLE states ADD COLUMN short_words INTEGER DEFAULT 0 NOT NULL",
    "ALTER TABLE memories ADD COLUMN summary TEXT",
)
# What the checks of a table said, and what they say.
SAID = "CONSTRAINT archived_is_archive"
SAYS = (
    "CONSTRAINT form_range CHECK (form BETWEEN 0 AND 2),\n"
    "    CONSTRAINT short_tokens_range CHECK (short_tokens BETWEEN -2147483647 AND 2147483647),\n"
    "    CONSTRAINT short_words_range CHECK (short_words BETWEEN -2147483647 AND 2147483647),\n"
    f"    {SAID}"
)
# The sums of what is changed here are made anew where no mark says that they were made.
UNSUMMED = "DELETE FROM meta WHERE name = 'sums'"


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    for statement in COLUMNS:
        run(statement)
    try:
        _in_place()
    except DBAPIError:
        _made_anew()
    run(UNSUMMED)


def _in_place() -> None:
    run = op.get_bind().exec_driver_sql
    run("PRAGMA writable_schema = ON")
    try:
        run("UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = 'states'", (_said_anew(),))
        (version,) = run("PRAGMA schema_version").one()
        run(f"PRAGMA schema_version = {version + 1}")
    finally:
        run("PRAGMA writable_schema = RESET")


def _said_anew() -> str:
    """Return what makes the table, with its checks as they are to be."""
    run = op.get_bind().exec_driver_sql
    (sql,) = run("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'states'").one()
    before, after = sql.split(SAID)
    return f"{before}{SAYS}{after}"


def _made_anew() -> None:
    run = op.get_bind().exec_driver_sql
    indexes = run(
        "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'states' AND sql NOT NULL"
    ).all()
    _, _, rest = _said_anew().partition("(")
    run(f"CREATE TABLE states_next ({rest}")
    run("INSERT INTO states_next SELECT * FROM states")
    run("DROP TABLE states")
    run("ALTER TABLE states_next RENAME TO states")
    for (sql,) in indexes:
        run(sql)
