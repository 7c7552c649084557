"""Who used a memory, how often and when last: one row for each agent and memory.

Knows the rows of one commit; knows nothing of recall or of what a use means.
"""

from collections.abc import Iterable, Mapping, Sequence

from remanence.core.model import INT_MAX
from remanence.store.sqlite.dialect import id_list
from remanence.store.sqlite.transaction import CommitContext

SPACE = "agent"  # of the names, the one that the column `agent` of a memory has
_HELD = "SELECT scope, seq, agent, uses, last_at FROM json_each(?) CROSS JOIN accessors ON scope = ? AND seq = value"
_BY = "SELECT scope, seq, agent, uses, last_at FROM accessors WHERE scope = ? AND agent = ?"
_PUT = (
    "INSERT INTO accessors (scope, seq, agent, uses, last_at) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (scope, seq, agent) DO UPDATE SET uses = excluded.uses, last_at = excluded.last_at"
)

Access = Mapping[str, Mapping[str, int]]
Row = tuple[int, int, int, int, int]


def count(work: CommitContext, uses: Sequence[tuple[int, int]]) -> None:
    """Count (memory, how often) for whoever the commit is by; nobody is counted where nobody is named."""
    cause = work.cause
    if cause.actor is None:
        return
    agent = work.number(SPACE, cause.actor)
    seqs = id_list(seq for seq, _ in uses)
    rows = work.connection.execute(f"{_HELD} WHERE agent = ?", (seqs, work.no, agent)).fetchall()
    by_seq = {row[1]: row for row in rows}
    new: list[Row] = []
    for seq, by in uses:
        *_, former_uses, last_at = by_seq.get(seq, (0, cause.at))
        new.append((work.no, seq, agent, min(former_uses + by, INT_MAX), max(last_at, cause.at)))
    work.connection.executemany(_PUT, new)
    work.sums.remove_rows("accessors", rows)
    work.sums.add_rows("accessors", new)


def put(work: CommitContext, created: Iterable[tuple[int, Access | None]]) -> None:
    """Write who used memories that come in."""
    rows = [
        (work.no, seq, work.number(SPACE, name), access["uses"], access["last_at"])
        for seq, accessors in created
        for name, access in (accessors or {}).items()
    ]
    if rows:
        work.connection.executemany(_PUT, rows)
        work.sums.add_rows("accessors", rows)


def drop(work: CommitContext, seqs: Iterable[int]) -> None:
    """Forget who used memories that go."""
    rows = work.connection.execute(_HELD, (id_list(seqs), work.no)).fetchall()
    work.connection.executemany(
        "DELETE FROM accessors WHERE scope = ? AND seq = ? AND agent = ?", [row[:3] for row in rows]
    )
    work.sums.remove_rows("accessors", rows)


def drop_agent(work: CommitContext, agent: int) -> None:
    """Forget which memories of the scope an agent used."""
    rows = work.connection.execute(_BY, (work.no, agent)).fetchall()
    work.connection.execute("DELETE FROM accessors WHERE scope = ? AND agent = ?", (work.no, agent))
    work.sums.remove_rows("accessors", rows)
