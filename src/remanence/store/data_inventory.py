"""Every place that holds texts, vectors or names of memories, in one table: an erasure, `doctor` and tests walk it.

A table of a database that is in none of the rows fails a test. Knows places by name; must not know how one is emptied.
"""

from dataclasses import dataclass
from typing import Literal

Holds = Literal[
    "text", "vector", "name", "hash", "number"
]  # the most telling of what is held; a number tells nothing


@dataclass(frozen=True, slots=True)
class RegisteredTable:
    """One table: what it holds, what an erasure makes of it, and the columns in which memories that stay say things."""

    name: str
    holds: Holds
    erased: str
    says: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Lies:
    """Files that lie beside a database, by how their names go on, or elsewhere: what an erasure makes of them."""

    name: str
    erased: str


_GO = "the rows go"
_FOLLOWS = "counted down with the rows"
_NOTHING = "nothing of a memory is in it"

TABLES = (
    RegisteredTable("memories", "text", _GO, ("id", "key", "text", "attributes", "holds", "summary")),
    RegisteredTable("states", "number", _GO),
    RegisteredTable("vectors", "vector", _GO, ("vector",)),
    RegisteredTable("embeddings", "vector", _GO, ("vector",)),
    RegisteredTable("tags", "number", _GO),
    RegisteredTable("accessors", "number", _GO),
    RegisteredTable("sources", "text", _GO, ("source", "span")),
    RegisteredTable("links", "number", _GO),
    RegisteredTable("forbidden", "hash", _GO),
    RegisteredTable("boxes", "text", "made anew from the turns that stay", ("session",)),
    RegisteredTable("traces", "text", "made anew from the turns that stay"),
    RegisteredTable("postings", "text", "stems that nothing says any more go", ("stem",)),
    RegisteredTable("waiting", "text", _GO, ("stems",)),
    RegisteredTable("sums", "hash", _FOLLOWS),
    RegisteredTable("scopes", "hash", _FOLLOWS),
    RegisteredTable("changes", "text", "the images go", ("subkey", '"before"', '"after"')),
    RegisteredTable("purged", "text", "the id and the key of what goes leave with it", ("id", "key")),
    RegisteredTable(
        "runs",
        "text",
        "what goes is taken out of `detail`; the digests stay",
        ("run", "actor", "verb", "policy", "fired"),
    ),
    RegisteredTable("scope_names", "name", "a scope keeps its name", ("name",)),
    RegisteredTable(
        "names", "name", "a name that nothing bears any more goes, its number stays", ("name", "space")
    ),
    RegisteredTable("settings", "text", "proposals about the memories go", ("name",)),
    RegisteredTable("meta", "hash", "pieces by salted hashes, until it is proven", ("name",)),
    RegisteredTable("erased", "hash", "what stays of an erasure: salted hashes, and ids, which are random"),
    RegisteredTable("emptied", "hash", "what stays of an erasure: digests"),
    RegisteredTable("blocks", "number", "numbers of memories, no word of them"),
    RegisteredTable("mentions", "number", "numbers of memories, no word of them"),
    RegisteredTable("fired", "number", _NOTHING, ("rule",)),
    RegisteredTable("spans", "number", _NOTHING),
    RegisteredTable("heard", "number", _NOTHING),
    RegisteredTable("counters", "number", _NOTHING, ("name",)),
    RegisteredTable("leases", "number", _NOTHING, ("name",)),
    RegisteredTable("sqlite_schema", "number", _NOTHING, ("sql",)),
)
# What a database on a server has besides.
SERVER_TABLES = (
    RegisteredTable("server_state", "text", "answers, notes and what was shown of the scope are emptied"),
)
# Looked through for what was erased, byte by byte: the file itself, its log and index, and what a crash may leave.
LOOKED_THROUGH = (
    Lies("", "every page is written anew"),
    Lies("-wal", "cut to nothing"),
    Lies("-shm", "holds no row"),
    Lies("-journal", "none is kept; one that lies there was left by something else"),
)
# Taken away before anything is looked through: rounded vectors are too short to be found by their bytes.
INDEX_FILES = Lies("-index-", "taken away with every erasure, and made anew of what stays")
# Not written: an erasure names those that hold something, or may.
NAMED = (
    Lies(
        ".*", "copies of the file that lie beside it are looked through, and named where they hold something"
    ),
    Lies("exports and backups", "those that were made here are registered and named"),
    Lies("mirrors", "named until they are synced"),
)

BY_NAME = {place.name: place for place in TABLES}
VECTORS = tuple(place.name for place in TABLES if place.holds == "vector")
# Words that the engine itself writes as JSON: names of fields, and values that are one plain word.
_ITS_OWN = (
    "SELECT DISTINCT key FROM {0}, json_tree({0}.{1}) WHERE json_valid({0}.{1}) AND typeof(key) = 'text' UNION"
    " SELECT DISTINCT atom FROM {0}, json_tree({0}.{1})"
    " WHERE json_valid({0}.{1}) AND type = 'text' AND atom NOT GLOB '*[^a-z_]*'"
)
# What stands there is said by what stays.
SAYING = (
    *(f"SELECT {', '.join(place.says)} FROM {place.name}" for place in TABLES if place.says),
    *(_ITS_OWN.format(*column) for column in (("runs", "detail"), ("settings", "value"))),
    "SELECT value FROM meta WHERE name = 'home'",  # the path of the file, which may have somebody's name
)
