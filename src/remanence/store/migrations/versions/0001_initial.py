"""The tables of the first version."""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# As SQLite was given them then; what `schema` says today is reached by the steps that follow.
STATEMENTS = (
    """
CREATE TABLE meta (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (name)
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE names (
    no INTEGER NOT NULL,
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (no)
)
 STRICT
""",
    """
CREATE TABLE terms (
    no INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    term INTEGER NOT NULL,
    df INTEGER NOT NULL,
    PRIMARY KEY (no)
)
 STRICT
""",
    """
CREATE TABLE fired (
    scope INTEGER NOT NULL,
    rule TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (scope, rule),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE leases (
    scope INTEGER NOT NULL,
    name TEXT NOT NULL,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL,
    fence INTEGER NOT NULL,
    PRIMARY KEY (scope, name),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE memories (
    seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    scope INTEGER NOT NULL,
    id TEXT NOT NULL,
    "key" TEXT,
    text TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    attributes TEXT,
    holds TEXT,
    digest BLOB NOT NULL,
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 STRICT
""",
    """
CREATE TABLE runs (
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
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 STRICT
""",
    """
CREATE TABLE scopes (
    scope INTEGER NOT NULL,
    position INTEGER NOT NULL,
    memories INTEGER NOT NULL,
    newest_at INTEGER NOT NULL,
    PRIMARY KEY (scope),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 STRICT
""",
    """
CREATE TABLE settings (
    scope INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (scope, name),
    FOREIGN KEY(scope) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE changes (
    position INTEGER NOT NULL,
    n INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    "key" INTEGER NOT NULL,
    subkey TEXT,
    shape INTEGER,
    "before" TEXT,
    "after" TEXT,
    PRIMARY KEY (position, n),
    FOREIGN KEY(position) REFERENCES runs (position) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE mentions (
    seq INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (seq, position),
    FOREIGN KEY(position) REFERENCES runs (position) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE states (
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
    value INTEGER,
    tokens INTEGER NOT NULL,
    words INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    use_days INTEGER NOT NULL,
    use_day INTEGER NOT NULL,
    confirmations INTEGER NOT NULL,
    disputes INTEGER NOT NULL,
    reinforced INTEGER NOT NULL,
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
    CONSTRAINT value_range CHECK (value BETWEEN 0 AND 1000000000000),
    CONSTRAINT tokens_range CHECK (tokens BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT words_range CHECK (words BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT uses_range CHECK (uses BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT use_day_range CHECK (use_day BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT confirmations_range CHECK (confirmations BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT disputes_range CHECK (disputes BETWEEN -2147483647 AND 2147483647),
    CONSTRAINT reinforced_range CHECK (reinforced BETWEEN -2147483647 AND 2147483647),
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
CREATE TABLE vectors (
    seq INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (seq),
    FOREIGN KEY(seq) REFERENCES memories (seq) ON DELETE RESTRICT
)
 STRICT
""",
    """
CREATE TABLE waiting (
    seq INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    stems TEXT NOT NULL,
    terms BLOB NOT NULL,
    PRIMARY KEY (seq),
    FOREIGN KEY(seq) REFERENCES memories (seq) ON DELETE RESTRICT
)
 STRICT
""",
    """
CREATE TABLE links (
    scope INTEGER NOT NULL,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    relation INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    confidence INTEGER,
    count INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (scope, source, target, relation),
    CONSTRAINT links_source FOREIGN KEY(scope, source) REFERENCES states (scope, seq) ON DELETE RESTRICT,
    CONSTRAINT links_target FOREIGN KEY(scope, target) REFERENCES states (scope, seq) ON DELETE RESTRICT,
    CONSTRAINT relation_range CHECK (relation BETWEEN 0 AND 10),
    CONSTRAINT weight_range CHECK (weight BETWEEN 0 AND 1000000),
    CONSTRAINT confidence_range CHECK (confidence BETWEEN 0 AND 1000000),
    CONSTRAINT last_at_range CHECK (last_at BETWEEN -9007199254740991 AND 9007199254740991),
    CONSTRAINT count_range CHECK (count BETWEEN 0 AND 16777215),
    CONSTRAINT no_self_link CHECK (source <> target),
    CONSTRAINT mutual_in_order CHECK (relation NOT IN (0, 1, 2, 3) OR source < target)
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE sources (
    scope INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    source TEXT NOT NULL,
    span TEXT,
    PRIMARY KEY (scope, seq, source),
    CONSTRAINT sources_seq FOREIGN KEY(scope, seq) REFERENCES states (scope, seq) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE TABLE tags (
    scope INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    tag INTEGER NOT NULL,
    PRIMARY KEY (scope, seq, tag),
    CONSTRAINT tags_seq FOREIGN KEY(scope, seq) REFERENCES states (scope, seq) ON DELETE RESTRICT,
    FOREIGN KEY(tag) REFERENCES names (no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT
""",
    """
CREATE UNIQUE INDEX names_name ON names (space, name)
""",
    """
CREATE UNIQUE INDEX terms_term ON terms (scope, term)
""",
    """
CREATE INDEX memories_fingerprint ON memories (scope, fingerprint)
""",
    """
CREATE UNIQUE INDEX memories_id ON memories (scope, id)
""",
    """
CREATE UNIQUE INDEX memories_key ON memories (scope, "key") WHERE key IS NOT NULL
""",
    """
CREATE INDEX runs_destroyed ON runs (scope, at) WHERE destroyed > 0
""",
    """
CREATE INDEX runs_run ON runs (run)
""",
    """
CREATE INDEX runs_scope ON runs (scope)
""",
    """
CREATE INDEX states_inbox ON states (scope, seq) WHERE status = 0
""",
    """
CREATE UNIQUE INDEX states_scope ON states (scope, seq)
""",
    """
CREATE INDEX states_session ON states (scope, session) WHERE session IS NOT NULL
""",
    """
CREATE INDEX links_target ON links (scope, target)
""",
    """
CREATE INDEX tags_tag ON tags (scope, tag, seq)
""",
    r"""
CREATE VIRTUAL TABLE words USING fts5(stems, content='', detail='none', columnsize=0,
    tokenize="ascii tokenchars '!""#$%&''()*+,-./:;<=>?@[\]^_`{|}~'")
""",
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.get_bind().exec_driver_sql(statement.strip())
