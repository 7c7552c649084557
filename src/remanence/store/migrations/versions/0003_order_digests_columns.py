"""Order by scope, digests of what is stored, and the columns that rules ask for.

Tables are made anew, copied in one statement and renamed, because SQLite adds no checked column in the middle of a
table; that is also faster than adding columns with checks one by one.

The one chain over all scopes ends with the last part that is there: its position and digest are kept in `meta`, and
each scope's own chain begins with that digest.
"""

import json
from collections.abc import Sequence
from typing import Any

from alembic import op

from remanence.store.sqlite.sums import vector_digest

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

RUNS = """
CREATE TABLE runs_next (
    position INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    scope INTEGER NOT NULL,
    run TEXT NOT NULL,
    part INTEGER NOT NULL,
    final INTEGER NOT NULL,
    verb TEXT NOT NULL,
    at INTEGER NOT NULL,
    actor TEXT,
    policy TEXT,
    detail TEXT,
    fired TEXT,
    destroyed INTEGER NOT NULL,
    planned INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    previous BLOB NOT NULL,
    digest BLOB NOT NULL,
    entries BLOB,
    asked BLOB,
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 STRICT
"""
SCOPES = """
CREATE TABLE scopes_next (
    scope INTEGER NOT NULL,
    position INTEGER NOT NULL,
    memories INTEGER NOT NULL,
    newest_at INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (scope),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 STRICT
"""
TABLES = (
    """
CREATE TABLE states_next (
    seq INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    status INTEGER NOT NULL,
    tier INTEGER NOT NULL,
    reason INTEGER,
    category INTEGER,
    kind INTEGER,
    state INTEGER,
    severity INTEGER,
    decay INTEGER NOT NULL,
    lifecycle INTEGER NOT NULL,
    verification INTEGER NOT NULL,
    policy_class INTEGER NOT NULL,
    role INTEGER NOT NULL,
    agent INTEGER,
    speaker INTEGER,
    thread INTEGER,
    session INTEGER,
    said_at INTEGER NOT NULL,
    learned_at INTEGER NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    used_at INTEGER,
    state_at INTEGER,
    status_at INTEGER NOT NULL,
    tier_at INTEGER NOT NULL,
    reinforced_at INTEGER,
    text_at INTEGER,
    confidence_at INTEGER,
    hold_until INTEGER,
    pinned INTEGER NOT NULL,
    confidence INTEGER,
    importance INTEGER,
    alignment INTEGER,
    value INTEGER,
    tokens INTEGER NOT NULL,
    words INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    use_days INTEGER NOT NULL,
    use_day INTEGER NOT NULL,
    confirmations INTEGER NOT NULL,
    disputes INTEGER NOT NULL,
    reinforced INTEGER NOT NULL,
    helped INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    touched INTEGER NOT NULL,
    PRIMARY KEY (seq),
    CONSTRAINT status_range CHECK (status BETWEEN 0 AND 4),
    CONSTRAINT tier_range CHECK (tier BETWEEN 0 AND 3),
    CONSTRAINT reason_range CHECK (reason BETWEEN 0 AND 6),
    CONSTRAINT kind_range CHECK (kind BETWEEN 0 AND 2),
    CONSTRAINT severity_range CHECK (severity BETWEEN 0 AND 4),
    CONSTRAINT decay_range CHECK (decay BETWEEN 0 AND 3),
    CONSTRAINT lifecycle_range CHECK (lifecycle BETWEEN 0 AND 4),
    CONSTRAINT verification_range CHECK (verification BETWEEN 0 AND 3),
    CONSTRAINT policy_class_range CHECK (policy_class BETWEEN 0 AND 2),
    CONSTRAINT role_range CHECK (role BETWEEN 0 AND 3),
    CONSTRAINT said_at_range CHECK (said_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT learned_at_range CHECK (learned_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT valid_from_range CHECK (valid_from BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT valid_to_range CHECK (valid_to BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT used_at_range CHECK (used_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT state_at_range CHECK (state_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT status_at_range CHECK (status_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT tier_at_range CHECK (tier_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT reinforced_at_range CHECK (reinforced_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT text_at_range CHECK (text_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT confidence_at_range CHECK (confidence_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT hold_until_range CHECK (hold_until BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT pinned_range CHECK (pinned IN (0, 1)),
    CONSTRAINT confidence_range CHECK (confidence BETWEEN 0 AND 1000000),
    CONSTRAINT importance_range CHECK (importance BETWEEN 0 AND 1000000),
    CONSTRAINT alignment_range CHECK (alignment BETWEEN 0 AND 1000000),
    CONSTRAINT value_range CHECK (value BETWEEN 0 AND 1000000000000),
    CONSTRAINT tokens_range CHECK (tokens BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT words_range CHECK (words BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT uses_range CHECK (uses BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT use_day_range CHECK (use_day BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT confirmations_range CHECK (confirmations BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT disputes_range CHECK (disputes BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT reinforced_range CHECK (reinforced BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT helped_range CHECK (helped BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT failed_range CHECK (failed BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT revision_range CHECK (revision BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT touched_range CHECK (touched BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT archived_is_archive CHECK ((status = 3) = (tier = 3)),
    CONSTRAINT fallen_has_reason CHECK (status < 2 OR reason IS NOT NULL),
    FOREIGN KEY(seq) REFERENCES memories (seq) ON DELETE RESTRICT,
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT,
    FOREIGN KEY(category) REFERENCES names (no) ON DELETE RESTRICT,
    FOREIGN KEY(state) REFERENCES names (no) ON DELETE RESTRICT,
    FOREIGN KEY(agent) REFERENCES names (no) ON DELETE RESTRICT,
    FOREIGN KEY(speaker) REFERENCES names (no) ON DELETE RESTRICT,
    FOREIGN KEY(thread) REFERENCES names (no) ON DELETE RESTRICT,
    FOREIGN KEY(session) REFERENCES names (no) ON DELETE RESTRICT
)
 STRICT
""",
    """
CREATE TABLE tags_next (
    scope INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    tag INTEGER NOT NULL,
    at INTEGER,
    PRIMARY KEY (scope, seq, tag),
    CONSTRAINT at_range CHECK (at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT tags_seq FOREIGN KEY(scope, seq) REFERENCES states (scope, seq) ON DELETE RESTRICT,
    FOREIGN KEY(tag) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE accessors (
    scope INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    agent INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    PRIMARY KEY (scope, seq, agent),
    CONSTRAINT accessors_seq FOREIGN KEY(scope, seq) REFERENCES states (scope, seq) ON DELETE RESTRICT,
    CONSTRAINT uses_range CHECK (uses BETWEEN 1 AND 2147483647),
    CONSTRAINT last_at_range CHECK (last_at BETWEEN -9007199254740991 AND 9007199254740991),
    FOREIGN KEY(agent) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
)
# What the new columns hold in rows that were there before: the text and the confidence are from arrival as far as
# anybody knows, and nothing becomes ephemeral after it.
ADDED = {
    "states": {
        "verification": "0",
        "policy_class": (
            "CASE WHEN category IN (SELECT no FROM names WHERE space = 'category' AND name IN"
            " ('commitment', 'preference', 'decision', 'principle', 'procedure')) THEN 2 ELSE 1 END"
        ),
        "text_at": "NULL",
        "confidence_at": "NULL",
        "importance": "NULL",
    },
    "tags": {"at": "NULL"},
}
RUN_INDEXES = (
    "CREATE INDEX runs_destroyed ON runs (scope, at) WHERE destroyed > 0",
    "CREATE UNIQUE INDEX runs_part ON runs (scope, run, part) WHERE entries IS NOT NULL",
    "CREATE INDEX runs_run ON runs (run) WHERE entries IS NULL",
    "CREATE INDEX runs_scope ON runs (scope)",
)
STATE_INDEXES = (
    "CREATE INDEX states_inbox ON states (scope, seq) WHERE status = 0",
    "CREATE UNIQUE INDEX states_scope ON states (scope, seq)",
    "CREATE INDEX states_session ON states (scope, session) WHERE session IS NOT NULL",
)
ADDED_INDEXES = {"states": STATE_INDEXES, "tags": ("CREATE INDEX tags_tag ON tags (scope, tag, seq)",)}
SUMS = """
CREATE TABLE sums (
    chunk INTEGER NOT NULL,
    states INTEGER NOT NULL,
    vectors INTEGER NOT NULL,
    tags INTEGER NOT NULL,
    accessors INTEGER NOT NULL,
    sources INTEGER NOT NULL,
    links INTEGER NOT NULL,
    mentions INTEGER NOT NULL,
    names INTEGER NOT NULL,
    settings INTEGER NOT NULL,
    fired INTEGER NOT NULL,
    leases INTEGER NOT NULL,
    spans INTEGER NOT NULL,
    heard INTEGER NOT NULL,
    PRIMARY KEY (chunk)
)
 STRICT
"""
RANGE = 8_192
BLOCK_INDEX = "CREATE INDEX blocks_bounds ON blocks (least, greatest) WHERE least IS NOT NULL"
# Changes of many rows at once, as the audit keeps them.
BLOCKS = """
CREATE TABLE blocks (
    position INTEGER NOT NULL,
    n INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    shape INTEGER,
    rows INTEGER NOT NULL,
    least INTEGER,
    greatest INTEGER,
    keys BLOB NOT NULL,
    image BLOB,
    PRIMARY KEY (position, n),
    FOREIGN KEY(position) REFERENCES runs (position) ON DELETE RESTRICT
)
 STRICT
"""


def upgrade() -> None:
    _chains()
    _added()
    _vectors()
    _links()
    op.get_bind().exec_driver_sql(SUMS.strip())
    op.get_bind().exec_driver_sql(BLOCKS.strip())
    op.get_bind().exec_driver_sql(BLOCK_INDEX)


def _chains() -> None:
    """Seal the chain over all scopes; each scope's own goes on from its end."""
    run = op.get_bind().exec_driver_sql
    last = run("SELECT position, digest FROM runs ORDER BY position DESC LIMIT 1").fetchone()
    position, digest = last or (0, bytes(32))
    run("INSERT INTO meta (name, value) VALUES ('audit_sealed', ?)", (json.dumps([position, digest.hex()]),))
    latest = run("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'runs'").scalar_one()
    run(RUNS.strip())
    run("INSERT INTO runs_next SELECT *, NULL, NULL FROM runs")
    _renamed("runs", RUN_INDEXES)
    # A part that is missing at the end stays missed.
    run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'runs'", (latest,))
    run(SCOPES.strip())
    run("INSERT INTO scopes_next SELECT *, ? FROM scopes", (digest,))
    _renamed("scopes")


def _added() -> None:
    run = op.get_bind().exec_driver_sql
    for statement in TABLES:
        run(statement.strip())
    for table, added in ADDED.items():
        kept = ", ".join(row[1] for row in run(f"PRAGMA table_info({table})"))
        names, values = ", ".join(added), ", ".join(added.values())
        run(f"INSERT INTO {table}_next ({kept}, {names}) SELECT {kept}, {values} FROM {table}")
        _renamed(table, ADDED_INDEXES[table])


def _vectors() -> None:
    """Put a digest beside each vector, in place: half the work of a table made anew, and no second copy of them."""
    run = op.get_bind().exec_driver_sql
    connection: Any = op.get_bind().connection.driver_connection
    connection.create_function("vector_digest", 1, vector_digest, deterministic=True)
    run("ALTER TABLE vectors ADD COLUMN digest INTEGER DEFAULT 0 NOT NULL")
    (last,) = run("SELECT coalesce(max(seq), 0) FROM vectors").one()
    # SQLite holds in memory every page that one statement changes, as it was.
    for first in range(0, last + 1, RANGE):
        run(
            "UPDATE vectors SET digest = vector_digest(vector) WHERE seq >= ? AND seq < ?",
            (first, first + RANGE),
        )


def _links() -> None:
    """Leave the digest of each link away: the sums tell of every link, also of one that has gone."""
    op.get_bind().exec_driver_sql("ALTER TABLE links DROP COLUMN digest")


def _renamed(table: str, indexes: Sequence[str] = ()) -> None:
    run = op.get_bind().exec_driver_sql
    run(f"DROP TABLE {table}")
    run(f"ALTER TABLE {table}_next RENAME TO {table}")
    for statement in indexes:
        run(statement)
