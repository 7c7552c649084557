"""What keeps the nodes of a database apart and findable: made once, under a node that says in which version."""

from remanence.core.errors import StoreIncompatible
from remanence.store.neo4j.neo_transactions import Neo4jTransactions

VERSION = 1
# By label the properties of which no two nodes have the same, the scope first.
UNIQUE = {
    "memory_seq": ("Memory", "scope", "seq"),
    "memory_id": ("Memory", "scope", "id"),
    "memory_key": ("Memory", "scope", "key"),
    "gone_seq": ("Gone", "scope", "seq"),
    "part_position": ("Part", "scope", "position"),
    "part_run": ("Part", "scope", "run", "part"),
    "stem_block": ("Stem", "scope", "key", "block"),
    "vector_seq": ("Vector", "scope", "model", "seq"),
    "conversation_name": ("Conversation", "scope", "name"),
    "forbidden_fold": ("Forbidden", "scope", "fold"),
    "erased_mark": ("Erased", "scope", "mark"),
    "box_number": ("Box", "scope", "box"),
    "trace_number": ("Trace", "scope", "trace"),
    "setting_name": ("Setting", "scope", "name"),
    "counter_name": ("Counter", "scope", "name"),
    "lease_name": ("Lease", "scope", "name"),
    "heard_minute": ("Heard", "scope", "minute"),
    "scope_name": ("Scope", "name"),
    "gate_scope": ("Gate", "scope"),
    "remanence_version": ("Remanence", "name"),
}
# The first two answer what people ask of curation.
INDEXES = {
    "memory_curation": ("Memory", "scope", "last_curated_at", "tier"),
    "memory_tombstone": ("Memory", "scope", "tombstone", "deleted_at"),
    "memory_fingerprint": ("Memory", "scope", "fingerprint"),
    "memory_session": ("Memory", "scope", "session", "seq"),
    "memory_category": ("Memory", "scope", "category", "status"),
    "part_run_position": ("Part", "scope", "run", "position"),
    "part_at": ("Part", "scope", "at"),
    "stem_key": ("Stem", "scope", "key"),
    "stem_hash": ("Stem", "scope", "hash"),
    "vector_memory": ("Vector", "scope", "seq"),
    "span_began": ("Span", "scope", "began"),
}
_READ = "MATCH (r:Remanence {name: 'remanence'}) RETURN r.version AS version"
_PUT = "MERGE (r:Remanence {name: 'remanence'}) ON CREATE SET r.version = $version"
_GATE = "MERGE (g:Gate {scope: ''}) ON CREATE SET g.writes = 0, g.lock = 1"  # of scopes that are new


def prepare_database(database: Neo4jTransactions, *, read_only: bool) -> None:
    """Make what is missing in an empty database; raise StoreIncompatible where another version made it."""
    version = _read_version(database)
    if version is None and not read_only:
        for statement in list_statements():
            database.make(statement)
        database.run_alone("CALL db.awaitIndexes(60)")
        database.run_alone(_GATE)
        database.run_alone(_PUT, version=VERSION)
        version = _read_version(database)
    if version is None:
        raise StoreIncompatible(
            "there is no memory in this database", recovery="open it once to write, then read-only"
        )
    if version > VERSION:
        raise StoreIncompatible(
            f"the database has version {version}, this program knows versions up to {VERSION}",
            recovery="use a newer version of Remanence; the database was not touched",
        )


def list_statements() -> list[str]:
    """Return what makes all constraints and indexes, each only where it is missing."""
    return [
        *(
            f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE ({_join(columns)}) IS UNIQUE"
            for name, (label, *columns) in UNIQUE.items()
        ),
        *(
            f"CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON ({_join(columns)})"
            for name, (label, *columns) in INDEXES.items()
        ),
    ]


def _join(columns: list[str]) -> str:
    return ", ".join(f"n.{name}" for name in columns)


def _read_version(database: Neo4jTransactions) -> int | None:
    rows = database.run_alone(_READ)
    return rows[0]["version"] if rows else None
