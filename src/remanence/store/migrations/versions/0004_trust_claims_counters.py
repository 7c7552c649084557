"""How far a memory is to be believed, what it claims, which texts are forbidden, and counters.

The checks of a table are altered where SQLite keeps its text, as its manual describes for what does not change how rows
lie on disk. Tables made anew would make an upgrade a fifth longer; that is done where SQLite was built to refuse it.
"""

from alembic import op
from sqlalchemy.exc import DBAPIError

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TABLES = (
    """
CREATE TABLE claims (
    scope INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    number INTEGER NOT NULL,
    subject TEXT NOT NULL,
    attribute TEXT NOT NULL,
    value TEXT NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    replaced_by INTEGER,
    PRIMARY KEY (scope, seq, number),
    CONSTRAINT claims_seq FOREIGN KEY(scope, seq) REFERENCES states (scope, seq) ON DELETE RESTRICT,
    CONSTRAINT valid_from_range CHECK (valid_from BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT valid_to_range CHECK (valid_to BETWEEN -9007199254740991 AND 9007199254740991)
)
 WITHOUT ROWID,
 STRICT
""",
    "CREATE INDEX claims_about ON claims (scope, subject, attribute)",
    """
CREATE TABLE forbidden (
    scope INTEGER NOT NULL,
    fold TEXT NOT NULL,
    at INTEGER NOT NULL,
    seq INTEGER,
    PRIMARY KEY (scope, fold),
    CONSTRAINT at_range CHECK (at BETWEEN -9007199254740991 AND 9007199254740991),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE counters (
    scope INTEGER NOT NULL,
    name TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (scope, name),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    # Filled anew once the file is brought up.
    "DROP TABLE sums",
    """
CREATE TABLE sums (
    chunk INTEGER NOT NULL,
    states INTEGER NOT NULL,
    vectors INTEGER NOT NULL,
    tags INTEGER NOT NULL,
    accessors INTEGER NOT NULL,
    sources INTEGER NOT NULL,
    links INTEGER NOT NULL,
    claims INTEGER NOT NULL,
    forbidden INTEGER NOT NULL,
    mentions INTEGER NOT NULL,
    names INTEGER NOT NULL,
    settings INTEGER NOT NULL,
    fired INTEGER NOT NULL,
    leases INTEGER NOT NULL,
    spans INTEGER NOT NULL,
    heard INTEGER NOT NULL,
    counters INTEGER NOT NULL,
    PRIMARY KEY (chunk)
)
 STRICT
""",
)
TRUST = "trust INTEGER DEFAULT 3 NOT NULL"
# What the checks of a table said, and what they say.
CHECKS = {
    "states": (
        ("status BETWEEN 0 AND 4", "status BETWEEN 0 AND 5"),
        ("reason BETWEEN 0 AND 6", "reason BETWEEN 0 AND 7"),
        (
            "CONSTRAINT archived_is_archive",
            "CONSTRAINT trust_range CHECK (trust BETWEEN 0 AND 3),\n    CONSTRAINT archived_is_archive",
        ),
    ),
    "links": (("relation BETWEEN 0 AND 10", "relation BETWEEN 0 AND 12"),),
}
# By who spoke, in rows that were there before; through which door a text came nobody knows any more.
TRUSTED = "UPDATE states SET trust = CASE role WHEN 1 THEN 2 ELSE 1 END WHERE role IN (1, 3) AND seq >= ? AND seq < ?"
RANGE = 8_192


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    for statement in TABLES:
        run(statement.strip())
    run(f"ALTER TABLE states ADD COLUMN {TRUST}")
    try:
        _in_place()
    except DBAPIError:
        for table in CHECKS:
            _made_anew(table)
    (last,) = run("SELECT coalesce(max(seq), 0) FROM states").one()
    # SQLite holds in memory every page that one statement changes, as it was.
    for first in range(0, last + 1, RANGE):
        run(TRUSTED, (first, first + RANGE))


def _in_place() -> None:
    run = op.get_bind().exec_driver_sql
    run("PRAGMA writable_schema = ON")
    try:
        for table in CHECKS:
            run(
                "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?",
                (_said_anew(table), table),
            )
        (version,) = run("PRAGMA schema_version").one()
        run(f"PRAGMA schema_version = {version + 1}")
    finally:
        run("PRAGMA writable_schema = RESET")


def _said_anew(table: str) -> str:
    """Return what makes a table, with its checks as they are to be."""
    run = op.get_bind().exec_driver_sql
    (sql,) = run("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", (table,)).one()
    for said, says in CHECKS[table]:
        before, after = sql.split(said)
        sql = f"{before}{says}{after}"
    return str(sql)


def _made_anew(table: str) -> None:
    run = op.get_bind().exec_driver_sql
    indexes = run(
        "SELECT sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql NOT NULL", (table,)
    ).all()
    _, _, rest = _said_anew(table).partition("(")
    run(f"CREATE TABLE {table}_next ({rest}")
    run(f"INSERT INTO {table}_next SELECT * FROM {table}")
    run(f"DROP TABLE {table}")
    run(f"ALTER TABLE {table}_next RENAME TO {table}")
    for (sql,) in indexes:
        run(sql)
