"""Ratings and alignment of memories, when a link was resolved, what sessions covered and what was heard.

SQLite adds no checked column in the middle of a table: `states` and `links` are made anew, copied in one statement
and renamed. Nothing but the page cache is held, and references to them are by name.
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

TABLES = (
    """
CREATE TABLE spans (
    scope INTEGER NOT NULL,
    began_at INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    PRIMARY KEY (scope, began_at),
    CONSTRAINT began_at_range CHECK (began_at >= -9007199254740991),
    CONSTRAINT ended_at_range CHECK (ended_at <= 9007199254740991),
    CONSTRAINT began_before_end CHECK (began_at < ended_at),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE heard (
    scope INTEGER NOT NULL,
    minute INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    PRIMARY KEY (scope, minute),
    CONSTRAINT minute_whole CHECK (minute % 60000000 = 0),
    CONSTRAINT turns_positive CHECK (turns > 0),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
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
    hold_until INTEGER,
    pinned INTEGER NOT NULL,
    confidence INTEGER,
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
    CONSTRAINT hold_until_range CHECK (hold_until BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT pinned_range CHECK (pinned IN (0, 1)),
    CONSTRAINT confidence_range CHECK (confidence BETWEEN 0 AND 1000000),
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
CREATE TABLE links_next (
    scope INTEGER NOT NULL,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    relation INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    confidence INTEGER,
    count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    resolved_at INTEGER,
    digest BLOB NOT NULL,
    PRIMARY KEY (scope, source, target, relation),
    CONSTRAINT links_source FOREIGN KEY(scope, source) REFERENCES states (scope, seq) ON DELETE RESTRICT,
    CONSTRAINT links_target FOREIGN KEY(scope, target) REFERENCES states (scope, seq) ON DELETE RESTRICT,
    CONSTRAINT relation_range CHECK (relation BETWEEN 0 AND 10),
    CONSTRAINT weight_range CHECK (weight BETWEEN 0 AND 1000000),
    CONSTRAINT confidence_range CHECK (confidence BETWEEN 0 AND 1000000),
    CONSTRAINT last_at_range CHECK (last_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT resolved_at_range CHECK (resolved_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT count_range CHECK (count BETWEEN 0 AND 16777215),
    CONSTRAINT no_self_link CHECK (source <> target),
    CONSTRAINT mutual_in_order CHECK (relation NOT IN (0, 1, 2, 3) OR source < target)
)
 WITHOUT ROWID,
 STRICT
""",
)
# What the new columns hold in rows that were there before.
ADDED = {
    "states": {"alignment": "NULL", "helped": "0", "failed": "0"},
    "links": {"resolved_at": "NULL"},
}
INDEXES = (
    "CREATE INDEX states_inbox ON states (scope, seq) WHERE status = 0",
    "CREATE UNIQUE INDEX states_scope ON states (scope, seq)",
    "CREATE INDEX states_session ON states (scope, session) WHERE session IS NOT NULL",
    "CREATE INDEX links_resolved ON links (scope) WHERE resolved_at IS NOT NULL",
    "CREATE INDEX links_target ON links (scope, target)",
)


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    for statement in TABLES:
        run(statement.strip())
    for table, added in ADDED.items():
        kept = ", ".join(row[1] for row in run(f"PRAGMA table_info({table})"))
        names, values = ", ".join(added), ", ".join(added.values())
        run(f"INSERT INTO {table}_next ({kept}, {names}) SELECT {kept}, {values} FROM {table}")
        run(f"DROP TABLE {table}")
        run(f"ALTER TABLE {table}_next RENAME TO {table}")
    for statement in INDEXES:
        run(statement)
