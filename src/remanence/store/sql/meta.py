"""What is said of a whole database: what its hashes are salted with, and which code filled its columns."""

from remanence.store.sql.database import Database, first
from remanence.store.sql.dialect import Statement, build_insert

SALT = "database"
ERASED_AT = (
    "erased_at"  # begins the names of what says that a scope erased something and nobody cleaned up since
)
READ = Statement("SELECT value FROM meta WHERE name = ?1")
PUT = Statement(build_insert("meta", ("name", "value"), ("name",)))


def name_erasure(scope: int) -> str:
    """Return under which name it stands that a scope erased something."""
    return f"{ERASED_AT} {scope}"


def read_salt(db: Database) -> bytes:
    """Return what the database's hashes are salted with."""
    return bytes.fromhex(first(db.row(READ, (SALT,))))
