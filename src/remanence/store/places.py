"""Every place that holds texts, vectors or names of memories, in one table: an erasure, `doctor` and tests walk it.

A table of a database that is in none of the rows fails a test. Knows places by name; must not know how one is emptied.
"""

from dataclasses import dataclass
from typing import Literal

Holds = Literal[
    "text", "vector", "name", "hash", "number"
]  # the most telling of what is held; a number tells nothing


@dataclass(frozen=True, slots=True)
class Place:
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
    Place("memories", "text", _GO, ("id", "key", "text", "attributes", "holds", "summary")),
    Place("states", "number", _GO),
    Place("vectors", "vector", _GO, ("vector",)),
    Place("embeddings", "vector", _GO, ("vector",)),
    Place("tags", "number", _GO),
    Place("accessors", "number", _GO),
    Place("sources", "text", _GO, ("source", "span")),
    Place("links", "number", _GO),
    Place("claims", "text", _GO, ("subject", "attribute", "value")),
    Place("forbidden", "hash", _GO),
    Place("boxes", "text", "made anew from the turns that stay", ("session",)),
    Place("traces", "text", "made anew from the turns that stay"),
    Place("words", "text", "merged, so that no deleted word is left"),
    Place("words_data", "text", "merged, so that no deleted word is left"),
    Place("words_idx", "text", "merged, so that no deleted word is left"),
    Place("words_config", "number", _NOTHING),
    Place("waiting", "text", _GO, ("stems",)),
    Place("archive_words", "hash", "packed anew without the rows that go"),
    Place("archive_waiting", "number", "the number is nobody's once the words are indexed"),
    Place("terms", "hash", _FOLLOWS),
    Place("sums", "hash", _FOLLOWS),
    Place("scopes", "hash", _FOLLOWS),
    Place("changes", "text", "the images go", ("subkey", '"before"', '"after"')),
    Place("purged", "text", "the id and the key of what goes leave with it", ("id", "key")),
    Place(
        "runs",
        "text",
        "what goes is taken out of `detail`; the digests stay",
        ("run", "actor", "verb", "policy", "fired"),
    ),
    Place("names", "name", "a name that nothing bears any more goes, its number stays", ("name", "space")),
    Place("settings", "text", "proposals about the memories go", ("name",)),
    Place("meta", "hash", "pieces by salted hashes, until it is proven", ("name",)),
    Place("erased", "hash", "what stays of an erasure: salted hashes, and ids, which are random"),
    Place("emptied", "hash", "what stays of an erasure: digests"),
    Place("blocks", "number", "numbers of memories, no word of them"),
    Place("mentions", "number", "numbers of memories, no word of them"),
    Place("fired", "number", _NOTHING, ("rule",)),
    Place("spans", "number", _NOTHING),
    Place("heard", "number", _NOTHING),
    Place("counters", "number", _NOTHING, ("name",)),
    Place("leases", "number", _NOTHING, ("name",)),
    Place("alembic_version", "number", _NOTHING),
    Place("sqlite_schema", "number", _NOTHING, ("sql",)),
    Place("sqlite_sequence", "number", _NOTHING, ("name",)),
)
# Looked through for what was erased, byte by byte: the file itself, its log and index, and what a crash may leave.
LOOKED_THROUGH = (
    Lies("", "every page is written anew"),
    Lies("-wal", "cut to nothing"),
    Lies("-shm", "holds no row"),
    Lies("-journal", "none is kept; one that lies there was left by something else"),
)
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
