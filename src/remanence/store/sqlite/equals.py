"""Memories that have come to say the same, since what counts as the same is told in another way: linked, all standing.

Knows fingerprints and links; decides nothing about what stands.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from hashlib import blake2b

from remanence.core.change import PART_CHANGES_MAX, Cause, Change
from remanence.core.effects import UPGRADE
from remanence.core.model import Relation, link_values
from remanence.store.sqlite import commits
from remanence.store.sqlite.string_ids import Fresh, StringIds
from remanence.text.analysis import FINGERPRINT_VERSION

_EQUAL = (
    "WITH several AS (SELECT scope, fingerprint FROM memories GROUP BY scope, fingerprint HAVING count(*) > 1)"
    " SELECT m.scope, m.fingerprint, m.seq FROM several CROSS JOIN memories m"
    " ON m.scope = several.scope AND m.fingerprint = several.fingerprint"
    " JOIN states s ON s.seq = m.seq WHERE s.status < 2 ORDER BY m.scope, m.seq"
)
_LINKED = (
    "SELECT 1 FROM links WHERE scope = ? AND source = ? AND target = ?"
    f" AND relation = {int(Relation.NEAR_DUPLICATE)}"
)


def link_equals(connection: sqlite3.Connection) -> None:
    """Link all inbox and active memories of one fingerprint to the oldest of them, in an audited run of each scope."""
    pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for scope, oldest, later in _equal(connection):
        if connection.execute(_LINKED, (scope, oldest, later)).fetchone() is None:
            pairs[scope].append((oldest, later))
    for scope, found in pairs.items():
        _link(connection, scope, found)


def _equal(connection: sqlite3.Connection) -> Iterator[tuple[int, int, int]]:
    """Yield (scope, the oldest memory of a fingerprint, a later one)."""
    oldest: dict[tuple[int, bytes], int] = {}
    for scope, mark, seq in connection.execute(_EQUAL).fetchall():
        if oldest.setdefault((scope, mark), seq) != seq:
            yield scope, oldest[scope, mark], seq


def _link(connection: sqlite3.Connection, scope: int, pairs: list[tuple[int, int]]) -> None:
    (name,) = connection.execute("SELECT name FROM names WHERE no = ?", (scope,)).fetchone()
    (at,) = connection.execute("SELECT newest_at FROM scopes WHERE scope = ?", (scope,)).fetchone()
    links = [
        Change("links", (*pair, int(Relation.NEAR_DUPLICATE)), None, link_values(at, 1.0, 1.0))
        for pair in pairs
    ]
    names, run = Fresh(StringIds()), _run(connection, name)
    for part, start in enumerate(range(0, len(links), PART_CHANGES_MAX)):
        some = links[start : start + PART_CHANGES_MAX]
        cause = Cause(UPGRADE, at, run, part=part, final=start + PART_CHANGES_MAX >= len(links))
        commits.commit(connection, names, name, some, cause)


def _run(connection: sqlite3.Connection, scope: str) -> str:
    (database,) = connection.execute("SELECT value FROM meta WHERE name = 'database'").fetchone()
    said = f"{database} {FINGERPRINT_VERSION} {scope}".encode()
    return blake2b(said, digest_size=16, person=b"upgrade").hexdigest()
