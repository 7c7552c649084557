-- The tables of an empty database, written by `make pages`: change them in tools/sql_tables.py.
CREATE TABLE meta (
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (name)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE scope_names (
	scope INTEGER NOT NULL,
	name TEXT NOT NULL,
	PRIMARY KEY (scope)
)
 STRICT;
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
	CONSTRAINT boxes_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT,
	CONSTRAINT outcome_range CHECK (outcome BETWEEN 0 AND 3),
	CONSTRAINT opened_at_range CHECK (opened_at BETWEEN -9007199254740991 AND 9007199254740991),
	CONSTRAINT last_at_range CHECK (last_at BETWEEN -9007199254740991 AND 9007199254740991),
	CONSTRAINT sealed_at_range CHECK (sealed_at BETWEEN -9007199254740991 AND 9007199254740991),
	CONSTRAINT reason_range CHECK (reason BETWEEN 0 AND 3)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE counters (
	scope INTEGER NOT NULL,
	name TEXT NOT NULL,
	count INTEGER NOT NULL,
	PRIMARY KEY (scope, name),
	CONSTRAINT counters_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE erased (
	scope INTEGER NOT NULL,
	mark TEXT NOT NULL,
	at INTEGER NOT NULL,
	kind INTEGER NOT NULL,
	PRIMARY KEY (scope, mark),
	CONSTRAINT erased_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT,
	CONSTRAINT at_range CHECK (at BETWEEN -9007199254740991 AND 9007199254740991),
	CONSTRAINT kind_range CHECK (kind IN (0, 1, 2, 3))
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE fired (
	scope INTEGER NOT NULL,
	rule TEXT NOT NULL,
	at INTEGER NOT NULL,
	PRIMARY KEY (scope, rule),
	CONSTRAINT fired_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE forbidden (
	scope INTEGER NOT NULL,
	fold TEXT NOT NULL,
	at INTEGER NOT NULL,
	seq INTEGER,
	PRIMARY KEY (scope, fold),
	CONSTRAINT forbidden_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT,
	CONSTRAINT at_range CHECK (at BETWEEN -9007199254740991 AND 9007199254740991)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE heard (
	scope INTEGER NOT NULL,
	minute INTEGER NOT NULL,
	turns INTEGER NOT NULL,
	PRIMARY KEY (scope, minute),
	CONSTRAINT heard_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT,
	CONSTRAINT minute_whole CHECK (minute % 60000000 = 0),
	CONSTRAINT turns_positive CHECK (turns > 0)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE leases (
	scope INTEGER NOT NULL,
	name TEXT NOT NULL,
	holder TEXT NOT NULL,
	until INTEGER NOT NULL,
	fence INTEGER NOT NULL,
	PRIMARY KEY (scope, name),
	CONSTRAINT leases_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE memories (
	scope INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	id TEXT NOT NULL,
	"key" TEXT,
	text TEXT NOT NULL,
	fingerprint BLOB NOT NULL,
	attributes TEXT,
	holds TEXT,
	summary TEXT,
	edits TEXT,
	digest BLOB NOT NULL,
	PRIMARY KEY (scope, seq),
	CONSTRAINT memories_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT
)
 STRICT;
CREATE TABLE names (
	scope INTEGER NOT NULL,
	no INTEGER NOT NULL,
	space TEXT NOT NULL,
	name TEXT NOT NULL,
	PRIMARY KEY (scope, no),
	CONSTRAINT names_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE postings (
	scope INTEGER NOT NULL,
	stem TEXT NOT NULL,
	block INTEGER NOT NULL,
	term INTEGER NOT NULL,
	count INTEGER NOT NULL,
	seqs BLOB NOT NULL,
	PRIMARY KEY (scope, stem, block),
	CONSTRAINT postings_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE purged (
	scope INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	id TEXT NOT NULL,
	"key" TEXT,
	position INTEGER NOT NULL,
	at INTEGER NOT NULL,
	PRIMARY KEY (scope, seq),
	CONSTRAINT purged_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT,
	CONSTRAINT at_range CHECK (at BETWEEN -9007199254740991 AND 9007199254740991)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE runs (
	scope INTEGER NOT NULL,
	position INTEGER NOT NULL,
	run BLOB NOT NULL,
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
	digest BLOB NOT NULL,
	entries BLOB NOT NULL,
	asked BLOB NOT NULL,
	parts BLOB,
	PRIMARY KEY (scope, position),
	CONSTRAINT runs_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE scopes (
	scope INTEGER NOT NULL,
	position INTEGER NOT NULL,
	latest INTEGER NOT NULL,
	held INTEGER NOT NULL,
	memories INTEGER NOT NULL,
	newest_at INTEGER NOT NULL,
	names_gone INTEGER NOT NULL,
	digest BLOB NOT NULL,
	"before" BLOB NOT NULL,
	PRIMARY KEY (scope),
	CONSTRAINT scopes_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE settings (
	scope INTEGER NOT NULL,
	name TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (scope, name),
	CONSTRAINT settings_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE spans (
	scope INTEGER NOT NULL,
	began_at INTEGER NOT NULL,
	ended_at INTEGER NOT NULL,
	PRIMARY KEY (scope, began_at),
	CONSTRAINT spans_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT,
	CONSTRAINT began_at_range CHECK (began_at >= -9007199254740991),
	CONSTRAINT ended_at_range CHECK (ended_at <= 9007199254740991),
	CONSTRAINT began_before_end CHECK (began_at < ended_at)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE sums (
	scope INTEGER NOT NULL,
	chunk INTEGER NOT NULL,
	states INTEGER NOT NULL,
	vectors INTEGER NOT NULL,
	embeddings INTEGER NOT NULL,
	tags INTEGER NOT NULL,
	accessors INTEGER NOT NULL,
	sources INTEGER NOT NULL,
	links INTEGER NOT NULL,
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
	PRIMARY KEY (scope, chunk),
	CONSTRAINT sums_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE traces (
	scope INTEGER NOT NULL,
	trace INTEGER NOT NULL,
	topics TEXT NOT NULL,
	began_at INTEGER NOT NULL,
	last_at INTEGER NOT NULL,
	PRIMARY KEY (scope, trace),
	CONSTRAINT traces_scope FOREIGN KEY(scope) REFERENCES scope_names (scope) ON DELETE RESTRICT,
	CONSTRAINT began_at_range CHECK (began_at BETWEEN -9007199254740991 AND 9007199254740991),
	CONSTRAINT last_at_range CHECK (last_at BETWEEN -9007199254740991 AND 9007199254740991)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE blocks (
	scope INTEGER NOT NULL,
	position INTEGER NOT NULL,
	n INTEGER NOT NULL,
	kind INTEGER NOT NULL,
	shape INTEGER,
	rows INTEGER NOT NULL,
	least INTEGER,
	greatest INTEGER,
	keys BLOB NOT NULL,
	image BLOB,
	PRIMARY KEY (scope, position, n),
	CONSTRAINT blocks_position FOREIGN KEY(scope, position) REFERENCES runs (scope, position) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE changes (
	scope INTEGER NOT NULL,
	position INTEGER NOT NULL,
	n INTEGER NOT NULL,
	kind INTEGER NOT NULL,
	"key" INTEGER NOT NULL,
	subkey TEXT,
	shape INTEGER,
	"before" TEXT,
	"after" TEXT,
	PRIMARY KEY (scope, position, n),
	CONSTRAINT changes_position FOREIGN KEY(scope, position) REFERENCES runs (scope, position) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE embeddings (
	scope INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	model INTEGER NOT NULL,
	vector BLOB NOT NULL,
	digest INTEGER NOT NULL,
	PRIMARY KEY (scope, seq, model),
	CONSTRAINT embeddings_seq FOREIGN KEY(scope, seq) REFERENCES memories (scope, seq) ON DELETE RESTRICT,
	CONSTRAINT embeddings_model FOREIGN KEY(scope, model) REFERENCES names (scope, no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE emptied (
	scope INTEGER NOT NULL,
	position INTEGER NOT NULL,
	"by" INTEGER NOT NULL,
	header BLOB NOT NULL,
	rest BLOB NOT NULL,
	PRIMARY KEY (scope, position, "by"),
	CONSTRAINT emptied_position FOREIGN KEY(scope, position) REFERENCES runs (scope, position) ON DELETE RESTRICT,
	CONSTRAINT emptied_by FOREIGN KEY(scope, "by") REFERENCES runs (scope, position) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE mentions (
	scope INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	position INTEGER NOT NULL,
	PRIMARY KEY (scope, seq, position),
	CONSTRAINT mentions_position FOREIGN KEY(scope, position) REFERENCES runs (scope, position) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE states (
	scope INTEGER NOT NULL,
	seq INTEGER NOT NULL,
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
	said_offset INTEGER NOT NULL,
	said_again_at INTEGER,
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
	trust INTEGER NOT NULL,
	form INTEGER NOT NULL,
	short_tokens INTEGER NOT NULL,
	short_words INTEGER NOT NULL,
	PRIMARY KEY (scope, seq),
	CONSTRAINT status_range CHECK (status BETWEEN 0 AND 5),
	CONSTRAINT tier_range CHECK (tier BETWEEN 0 AND 3),
	CONSTRAINT reason_range CHECK (reason BETWEEN 0 AND 7),
	CONSTRAINT kind_range CHECK (kind BETWEEN 0 AND 2),
	CONSTRAINT severity_range CHECK (severity BETWEEN 0 AND 4),
	CONSTRAINT decay_range CHECK (decay BETWEEN 0 AND 3),
	CONSTRAINT lifecycle_range CHECK (lifecycle BETWEEN 0 AND 4),
	CONSTRAINT verification_range CHECK (verification BETWEEN 0 AND 3),
	CONSTRAINT policy_class_range CHECK (policy_class BETWEEN 0 AND 2),
	CONSTRAINT role_range CHECK (role BETWEEN 0 AND 3),
	CONSTRAINT said_at_range CHECK (said_at BETWEEN -9007199254740991 AND 9007199254740991),
	CONSTRAINT said_offset_range CHECK (said_offset BETWEEN -86399 AND 86399),
	CONSTRAINT said_again_at_range CHECK (said_again_at BETWEEN -9007199254740991 AND 9007199254740991),
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
	CONSTRAINT trust_range CHECK (trust BETWEEN 0 AND 3),
	CONSTRAINT form_range CHECK (form BETWEEN 0 AND 2),
	CONSTRAINT short_tokens_range CHECK (short_tokens BETWEEN -2147483647 AND 2147483647),
	CONSTRAINT short_words_range CHECK (short_words BETWEEN -2147483647 AND 2147483647),
	CONSTRAINT archived_is_archive CHECK ((status = 3) = (tier = 3)),
	CONSTRAINT fallen_has_reason CHECK (status < 2 OR reason IS NOT NULL),
	CONSTRAINT states_seq FOREIGN KEY(scope, seq) REFERENCES memories (scope, seq) ON DELETE RESTRICT,
	CONSTRAINT states_category FOREIGN KEY(scope, category) REFERENCES names (scope, no) ON DELETE RESTRICT,
	CONSTRAINT states_state FOREIGN KEY(scope, state) REFERENCES names (scope, no) ON DELETE RESTRICT,
	CONSTRAINT states_agent FOREIGN KEY(scope, agent) REFERENCES names (scope, no) ON DELETE RESTRICT,
	CONSTRAINT states_speaker FOREIGN KEY(scope, speaker) REFERENCES names (scope, no) ON DELETE RESTRICT,
	CONSTRAINT states_thread FOREIGN KEY(scope, thread) REFERENCES names (scope, no) ON DELETE RESTRICT,
	CONSTRAINT states_session FOREIGN KEY(scope, session) REFERENCES names (scope, no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE vectors (
	scope INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	vector BLOB NOT NULL,
	digest INTEGER NOT NULL,
	PRIMARY KEY (scope, seq),
	CONSTRAINT vectors_seq FOREIGN KEY(scope, seq) REFERENCES memories (scope, seq) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE waiting (
	scope INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	stems TEXT NOT NULL,
	terms BLOB NOT NULL,
	PRIMARY KEY (scope, seq),
	CONSTRAINT waiting_seq FOREIGN KEY(scope, seq) REFERENCES memories (scope, seq) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE accessors (
	scope INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	agent INTEGER NOT NULL,
	uses INTEGER NOT NULL,
	last_at INTEGER NOT NULL,
	PRIMARY KEY (scope, seq, agent),
	CONSTRAINT accessors_seq FOREIGN KEY(scope, seq) REFERENCES states (scope, seq) ON DELETE RESTRICT,
	CONSTRAINT accessors_agent FOREIGN KEY(scope, agent) REFERENCES names (scope, no) ON DELETE RESTRICT,
	CONSTRAINT uses_range CHECK (uses BETWEEN 1 AND 2147483647),
	CONSTRAINT last_at_range CHECK (last_at BETWEEN -9007199254740991 AND 9007199254740991)
)
 WITHOUT ROWID,
 STRICT;
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
	resolved_at INTEGER,
	PRIMARY KEY (scope, source, target, relation),
	CONSTRAINT links_source FOREIGN KEY(scope, source) REFERENCES states (scope, seq) ON DELETE RESTRICT,
	CONSTRAINT links_target FOREIGN KEY(scope, target) REFERENCES states (scope, seq) ON DELETE RESTRICT,
	CONSTRAINT relation_range CHECK (relation BETWEEN 0 AND 13),
	CONSTRAINT weight_range CHECK (weight BETWEEN 0 AND 1000000),
	CONSTRAINT confidence_range CHECK (confidence BETWEEN 0 AND 1000000),
	CONSTRAINT last_at_range CHECK (last_at BETWEEN -9007199254740991 AND 9007199254740991),
	CONSTRAINT resolved_at_range CHECK (resolved_at BETWEEN -9007199254740991 AND 9007199254740991),
	CONSTRAINT count_range CHECK (count BETWEEN 0 AND 16777215),
	CONSTRAINT no_self_link CHECK (source <> target),
	CONSTRAINT mutual_in_order CHECK (relation NOT IN (0, 1, 2, 3) OR source < target)
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE sources (
	scope INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	source TEXT NOT NULL,
	span TEXT,
	PRIMARY KEY (scope, seq, source),
	CONSTRAINT sources_seq FOREIGN KEY(scope, seq) REFERENCES states (scope, seq) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE TABLE tags (
	scope INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	tag INTEGER NOT NULL,
	at INTEGER,
	PRIMARY KEY (scope, seq, tag),
	CONSTRAINT at_range CHECK (at BETWEEN -9007199254740991 AND 9007199254740991),
	CONSTRAINT tags_seq FOREIGN KEY(scope, seq) REFERENCES states (scope, seq) ON DELETE RESTRICT,
	CONSTRAINT tags_tag FOREIGN KEY(scope, tag) REFERENCES names (scope, no) ON DELETE RESTRICT
)
 WITHOUT ROWID,
 STRICT;
CREATE UNIQUE INDEX scope_names_name ON scope_names (name);
CREATE INDEX boxes_open ON boxes (scope) WHERE sealed_at IS NULL;
CREATE INDEX boxes_session ON boxes (scope, session, box);
CREATE INDEX boxes_trace ON boxes (scope, trace) WHERE trace IS NOT NULL;
CREATE INDEX memories_fingerprint ON memories (scope, fingerprint);
CREATE UNIQUE INDEX memories_id ON memories (scope, id);
CREATE UNIQUE INDEX memories_key ON memories (scope, "key") WHERE key IS NOT NULL;
CREATE UNIQUE INDEX names_name ON names (scope, space, name);
CREATE INDEX postings_term ON postings (scope, term);
CREATE INDEX purged_id ON purged (scope, id);
CREATE INDEX purged_key ON purged (scope, "key") WHERE key IS NOT NULL;
CREATE INDEX runs_destroyed ON runs (scope, at) WHERE destroyed > 0;
CREATE INDEX runs_ending ON runs (scope, position) WHERE verb IN ('expire', 'erase');
CREATE UNIQUE INDEX runs_part ON runs (scope, run, part);
CREATE INDEX traces_last ON traces (scope, last_at);
CREATE INDEX blocks_bounds ON blocks (scope, least, greatest) WHERE least IS NOT NULL;
CREATE INDEX states_inbox ON states (scope, seq) WHERE status = 0;
CREATE INDEX states_session ON states (scope, session, seq) WHERE session IS NOT NULL;
CREATE INDEX links_contradicts ON links (scope) WHERE relation = 3;
CREATE INDEX links_target ON links (scope, target);
CREATE INDEX tags_tag ON tags (scope, tag, seq);
