"""Purged memories are found by their names, images of the audit can end, and archived memories have hashes of words."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

TABLES = (
    """
CREATE TABLE purged (
    scope INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    "key" TEXT,
    position INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, seq),
    CONSTRAINT at_range CHECK (at BETWEEN -9007199254740991 AND 9007199254740991),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    "CREATE INDEX purged_id ON purged (scope, id)",
    'CREATE INDEX purged_key ON purged (scope, "key") WHERE key IS NOT NULL',
    "CREATE INDEX runs_ending ON runs (scope, position) WHERE verb IN ('expire', 'erase')",
    # The latest image of each memory that has no row; of what was erased there is none.
    """
INSERT INTO purged (scope, seq, id, "key", position, at)
SELECT scope, gone, json_extract(image, '$.id'), json_extract(image, '$.key'), max(position), at
FROM (
    SELECT runs.scope, changes."key" AS gone, changes."before" AS image, position, runs.at
    FROM changes JOIN runs USING (position)
    WHERE kind = 0 AND "after" IS NULL AND shape IS NULL AND "before" IS NOT NULL AND "before" <> '{}'
    AND changes."key" NOT IN (SELECT seq FROM memories)
)
WHERE json_extract(image, '$.id') IS NOT NULL
GROUP BY scope, gone
""",
    # Hashes of the words of archived memories, in parts of up to 1,024 memories.
    """
CREATE TABLE archive_words (
    scope INTEGER NOT NULL,
    part INTEGER NOT NULL,
    position INTEGER NOT NULL,
    held INTEGER NOT NULL,
    packed BLOB NOT NULL,
    PRIMARY KEY (scope, part),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 STRICT
""",
    "CREATE INDEX archive_words_changed ON archive_words (scope, position, held)",
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
    purged INTEGER NOT NULL,
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
