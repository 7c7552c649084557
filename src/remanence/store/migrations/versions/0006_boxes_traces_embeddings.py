"""Boxes of turns about one matter, traces of boxes, and vectors of models beside the memories' own."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

TABLES = (
    """
CREATE TABLE boxes (
    scope INTEGER NOT NULL,
    box INTEGER NOT NULL,
    session TEXT NOT NULL,
    topics TEXT NOT NULL,
    members TEXT NOT NULL,
    goal INTEGER,
    outcome INTEGER,
    opened_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    sealed_at INTEGER,
    reason INTEGER,
    trace INTEGER,
    PRIMARY KEY (scope, box),
    CONSTRAINT outcome_range CHECK (outcome BETWEEN 0 AND 3),
    CONSTRAINT opened_at_range CHECK (opened_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT last_at_range CHECK (last_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT sealed_at_range CHECK (sealed_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT reason_range CHECK (reason BETWEEN 0 AND 3),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    "CREATE INDEX boxes_open ON boxes (scope) WHERE sealed_at IS NULL",
    "CREATE INDEX boxes_session ON boxes (scope, session, box)",
    "CREATE INDEX boxes_trace ON boxes (scope, trace) WHERE trace IS NOT NULL",
    """
CREATE TABLE traces (
    scope INTEGER NOT NULL,
    trace INTEGER NOT NULL,
    topics TEXT NOT NULL,
    began_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (scope, trace),
    CONSTRAINT began_at_range CHECK (began_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT last_at_range CHECK (last_at BETWEEN -9007199254740991 AND 9007199254740991),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    "CREATE INDEX traces_last ON traces (scope, last_at)",
    """
CREATE TABLE embeddings (
    seq INTEGER NOT NULL,
    model INTEGER NOT NULL,
    vector BLOB NOT NULL,
    digest INTEGER NOT NULL,
    PRIMARY KEY (seq, model),
    FOREIGN KEY(seq) REFERENCES memories (seq) ON DELETE RESTRICT,
    FOREIGN KEY(model) REFERENCES names (no) ON DELETE RESTRICT
)
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
