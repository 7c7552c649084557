"""Who used a memory, how often and when last: one row for each agent and memory.

Knows the rows of one commit; knows nothing of recall or of what a use means.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from remanence.core.model import INT_MAX
from remanence.store.sql.dialect import Statement, build_insert
from remanence.store.sql.transaction import CommitContext

SPACE = "agent"  # of the names, the one that the column `agent` of a memory has
_COLUMNS = ("scope", "seq", "agent", "uses", "last_at")
_RETURNING = f"RETURNING {', '.join(_COLUMNS)}"
_HELD = Statement(
    lambda sql: (
        f"SELECT {', '.join(_COLUMNS)} FROM accessors WHERE scope = ?1 AND agent = ?2 AND seq {sql.among(3)}"
    )
)
_PUT = Statement(build_insert("accessors", _COLUMNS, _COLUMNS[:3]))
_DROP = Statement(lambda sql: f"DELETE FROM accessors WHERE scope = ?1 AND seq {sql.among(2)} {_RETURNING}")
_DROP_AGENT = Statement(f"DELETE FROM accessors WHERE scope = ?1 AND agent = ?2 {_RETURNING}")

Access = Mapping[str, Mapping[str, int]]
Row = tuple[int, int, int, int, int]


def count(work: CommitContext, uses: Sequence[tuple[int, int]]) -> None:
    """Count (memory, how often) for whoever the commit is by; nobody is counted where nobody is named."""
    cause = work.cause
    if cause.actor is None or not uses:
        return
    agent = work.names.make(SPACE, cause.actor)
    rows = work.db.rows(_HELD, (work.no, agent, work.db.make_list(seq for seq, _ in uses)))
    by_seq = {row[1]: row for row in rows}
    new: list[Row] = []
    for seq, by in uses:
        *_, former_uses, last_at = by_seq.get(seq, (0, cause.at))
        new.append((work.no, seq, agent, min(former_uses + by, INT_MAX), max(last_at, cause.at)))
    _put_rows(work, new)
    work.sums.remove_rows("accessors", rows)


def put(work: CommitContext, created: Iterable[tuple[int, Access | None]]) -> None:
    """Write who used memories that come in."""
    rows = [
        (work.no, seq, work.names.make(SPACE, name), access["uses"], access["last_at"])
        for seq, accessors in created
        for name, access in (accessors or {}).items()
    ]
    if rows:
        _put_rows(work, rows)


def drop(work: CommitContext, seqs: Collection[int]) -> None:
    """Forget who used memories that go."""
    if seqs:
        work.sums.remove_rows("accessors", work.db.rows(_DROP, (work.no, work.db.make_list(seqs))))


def drop_agent(work: CommitContext, agent: int) -> None:
    """Forget which memories of the scope an agent used."""
    work.sums.remove_rows("accessors", work.db.rows(_DROP_AGENT, (work.no, agent)))


def _put_rows(work: CommitContext, rows: Sequence[Row]) -> None:
    work.scope.write_names()
    work.db.run_many(_PUT, rows)
    work.sums.add_rows("accessors", rows)
