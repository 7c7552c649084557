"""What was erased is known again by salted hashes, and parts of the audit that were emptied keep their digests."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TABLES = (
    """
CREATE TABLE erased (
    scope INTEGER NOT NULL,
    mark TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, mark),
    CONSTRAINT at_range CHECK (at BETWEEN -9007199254740991 AND 9007199254740991),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE emptied (
    position INTEGER NOT NULL,
    "by" INTEGER NOT NULL,
    header BLOB NOT NULL,
    rest BLOB NOT NULL,
    PRIMARY KEY (position, "by"),
    FOREIGN KEY(position) REFERENCES runs (position) ON DELETE RESTRICT,
    FOREIGN KEY("by") REFERENCES runs (position) ON DELETE RESTRICT
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
    embeddings INTEGER NOT NULL,
    tags INTEGER NOT NULL,
    accessors INTEGER NOT NULL,
    sources INTEGER NOT NULL,
    links INTEGER NOT NULL,
    claims INTEGER NOT NULL,
    forbidden INTEGER NOT NULL,
    erased INTEGER NOT NULL,
    boxes INTEGER NOT NULL,
    traces INTEGER NOT NULL,
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
# The sums of what is changed here are made anew where no mark says that they were made.
UNSUMMED = "DELETE FROM meta WHERE name = 'sums'"


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    for statement in TABLES:
        run(statement.strip())
    run(UNSUMMED)
