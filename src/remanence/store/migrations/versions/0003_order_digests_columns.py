"""Order by scope, digests of what is stored, and the columns that rules ask for.

`states` is made anew, copied in one statement and renamed, because SQLite adds no checked column in the middle of a
table; that is also faster than adding columns with checks one by one.
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

STATES = """
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
"""
# What the new columns hold in rows that were there before: the text and the confidence are from arrival as far as
# anybody knows, and nothing becomes ephemeral after it.
ADDED = {
    "verification": "0",
    "policy_class": (
        "CASE WHEN category IN (SELECT no FROM names WHERE space = 'category' AND name IN"
        " ('commitment', 'preference', 'decision', 'principle', 'procedure')) THEN 2 ELSE 1 END"
    ),
    "text_at": "NULL",
    "confidence_at": "NULL",
    "importance": "NULL",
}
INDEXES = (
    "CREATE INDEX states_inbox ON states (scope, seq) WHERE status = 0",
    "CREATE UNIQUE INDEX states_scope ON states (scope, seq)",
    "CREATE INDEX states_session ON states (scope, session) WHERE session IS NOT NULL",
)


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    run(STATES.strip())
    kept = ", ".join(row[1] for row in run("PRAGMA table_info(states)"))
    names, values = ", ".join(ADDED), ", ".join(ADDED.values())
    run(f"INSERT INTO states_next ({kept}, {names}) SELECT {kept}, {values} FROM states")
    run("DROP TABLE states")
    run("ALTER TABLE states_next RENAME TO states")
    for statement in INDEXES:
        run(statement)
