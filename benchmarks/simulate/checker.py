"""What the exit criteria of the Jochi design say of the rows of a memory's file: looked for, counted, judged.

Knows the tables of the file, the criteria and a time; imports nothing of the engine, so that no mistake of its planner
or of its policies can be repeated here. Enumerations are written down as the file keeps them, and a test compares.
"""

import hashlib
import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

MINUTE = 60 * 1_000_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
BEAT = 5 * MINUTE
# As the file keeps them.
INBOX, ACTIVE, SUPERSEDED, ARCHIVED, PRUNED = range(5)
HOT, WARM, COLD = range(3)
MERGED = 4  # a reason
LEARNED_FROM = 9
MILLION = 1_000_000  # fractions are kept in millionths

BUDGETS = {HOT: 1_600, WARM: 400, COLD: 200}  # tokens of an agent, by tier
CADENCES = {"rapid": 5 * MINUTE, "standard": 15 * MINUTE, "hourly": HOUR, "deep": 6 * HOUR}
NOTICE_LIVES = 7 * DAY + 5 * MINUTE
TASK_LIVES = 14 * DAY + 15 * MINUTE
GRACE = DAY
UNUSED = 12 * HOUR  # from then on a memory leaves the hot tier without a budget
NEARER_MAX = 2  # of a memory and day, however far, between moves away
AGENTS_SHARE = 4
FEW_RUNS = 2_000  # more are not written between two judgements of the rarest rules
# What says that a row is no longer as it was, and not what it holds: a restored memory may differ in these.
HAPPENED = frozenset(
    {
        "status",
        "status_at",
        "tier",
        "tier_at",
        "reason",
        "lifecycle",
        "revision",
        "touched",
        "digest",
        "edits",
    }
)
# What a memory holds, what hangs on each memory by which columns, and where it is written that something changed.
HOLDS = (
    "memories",
    "states",
    "vectors",
    "tags",
    "links",
    "sources",
    "forbidden",
    "boxes",
    "traces",
)
AUDITED = ("runs", "changes", "blocks")
HANGS = {"links": ("source", "target"), "tags": ("seq",), "sources": ("seq",), "vectors": ("seq",)}
# What an export says of a memory that the other store may count or number otherwise.
APART = frozenset({"vector", "value", "revision", "touched"})

_LISTED = "(SELECT value FROM json_each(?))"

SAYS = {
    "E1": "the schedule of 5, 15, 60 and 360 minutes runs, and no work of it fails, waits or is late",
    "E2": "no agent has more than 1,600 tokens hot, 400 warm and 200 cold after a cycle",
    "E3": "no notice that was read 7 days and 5 minutes ago is left",
    "E4": "no task that ended 14 days and 15 minutes ago is at hand, unless something was learned from it",
    "E5": "nothing that a safety rail protects is deleted",
    "E6": "a dry run changes no byte of the file",
    "E7": "a second run at the same time changes nothing",
    "E8": "what was deleted comes back as it was, with its links and tags",
    "E9": "the memory store and the file decide alike",
    "E10": "the eight scenarios of the design end as it says",
    "E11": "what a budget takes from an agent's hot tier was used before what stays there",
    "E12": "no memory goes to and fro between tiers: it comes nearer twice a day at most",
    "E13": "what a running session or task is linked to does not move away",
}
_NEAR = "near JOIN states m ON m.scope = :scope AND m.seq = near.seq"
_NAMED = (
    "LEFT JOIN names c ON c.scope = m.scope AND c.no = m.category"
    " LEFT JOIN names t ON t.scope = m.scope AND t.no = m.state"
)
_PROTECTED = f"""(
    m.pinned OR c.name IN ('identity', 'agent_key', 'migration', 'configuration', 'audit')
    OR c.name = 'task' AND coalesce(t.name, 'pending') IN ('pending', 'in_progress', 'blocked')
    OR c.name = 'session_context' AND coalesce(t.name, 'active') = 'active'
    OR c.name = 'belief' AND coalesce(t.name, 'held') = 'held' AND coalesce(m.confidence, 1e9) >= {MILLION * 9 // 10}
    OR c.name = 'reflection' AND coalesce(t.name, 'consolidated') = 'consolidated' AND m.uses > 5
    OR (SELECT count(*) FROM accessors a WHERE a.scope = m.scope AND a.seq = m.seq AND a.agent IS NOT m.agent)
        >= {AGENTS_SHARE})"""


# What a running session or task is linked to, asked from the few that run: an index answers one side of a link.
_WORKED = f"""WITH working AS (SELECT m.seq FROM {_NEAR} {_NAMED} WHERE m.status IN (:inbox, :active)
    AND (c.name = 'session_context' AND t.name = 'active' OR c.name = 'task' AND t.name = 'in_progress'))
    SELECT l.target AS seq FROM working JOIN links l ON l.scope = :scope AND l.source = working.seq
    UNION SELECT l.source FROM working JOIN links l ON l.scope = :scope AND l.target = working.seq"""
_MOVES = {"inbox": INBOX, "active": ACTIVE, "archived": ARCHIVED, "hot": HOT, "gone": len(BUDGETS)}
_TIER = "CASE WHEN m.status = :archived THEN :gone ELSE m.tier END"
_USED_AT = "coalesce(m.used_at, m.learned_at)"
# When what each agent has hot was used, on average, but for what it works with.
_STAYS = f"""SELECT m.agent, avg({_USED_AT}) AS used_at FROM {_NEAR} WHERE m.status IN (:inbox, :active)
    AND m.tier = :hot AND m.seq NOT IN ({_WORKED}) GROUP BY m.agent"""


@dataclass(frozen=True)
class Image:
    """One memory as the file keeps it: its status, and its row, links, tags and sources without what happened since."""

    status: int
    parts: dict[str, list[Any]]


@dataclass
class Criterion:
    """One criterion: how often it was looked at, and what was found that it forbids."""

    name: str
    looks: int = 0
    found: list[str] = field(default_factory=list)
    value: float = 0.0

    @property
    def met(self) -> bool:
        """Tell whether it was looked at, and nothing that it forbids was found."""
        return bool(self.looks) and not self.found

    def look(self, found: Iterable[str], value: float | None = None) -> None:
        """Count a look, and keep what was found; the value is the largest, or how much was found in all."""
        before = len(self.found)
        self.found += found
        self.looks += 1
        fresh = len(self.found) - before
        self.value = self.value + fresh if value is None else max(self.value, value)


class Checker:
    """The criteria of one scope of a file, looked at as it stands and kept."""

    def __init__(self, path: Path, scope: str) -> None:
        self.criteria = {name: Criterion(name) for name in SAYS}
        self._path = path
        self._rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
        self._rows.row_factory = sqlite3.Row
        self._rows.execute("CREATE TEMP TABLE near (seq INTEGER PRIMARY KEY)")
        # In which tier a memory was at the last look, where it was not always in the first.
        self._rows.execute("CREATE TEMP TABLE tiers (seq INTEGER PRIMARY KEY, tier INTEGER)")
        self._name = scope
        self._newest = self._position = self._looked_at = 0
        self._told: set[tuple[str, int]] = set()
        self._stood: dict[int, int] = {}
        self._ways: defaultdict[int, list[int]] = defaultdict(
            list
        )  # 1 away, -1 nearer, of the day and memory

    def close(self) -> None:
        """Let the file go."""
        self._rows.close()

    @property
    def met(self) -> int:
        """Count the criteria that are met."""
        return sum(one.met for one in self.criteria.values())

    def after_tick(self, now: int) -> None:
        """Look at what must hold whenever a cycle has ended: the schedule, the budgets, two life times."""
        fresh = self._all(
            "SELECT seq FROM states WHERE scope = :scope AND seq > :newest", newest=self._newest
        )
        self._rows.executemany("INSERT OR IGNORE INTO near VALUES (?)", [(row["seq"],) for row in fresh])
        self._newest = max((row["seq"] for row in fresh), default=self._newest)
        self._schedule(now)
        self._budgets()
        self._notices(now)
        self._tasks(now)
        self._look_at_moves(now)

    def after_day(self, now: int) -> None:
        """Look at what is deleted since the last day, and at all rows anew for the looks of the day to come."""
        self._rails(now)
        self.criteria["E12"].look(
            f"#{seq} came nearer {ways.count(-1)} times"
            for seq, ways in self._ways.items()
            if ways.count(-1) > NEARER_MAX
        )
        self._ways.clear()
        self._rows.execute("DELETE FROM near")
        self._rows.execute(
            "INSERT INTO near SELECT m.seq FROM states m LEFT JOIN names c ON c.scope = m.scope AND c.no = m.category"
            " WHERE m.scope = (SELECT scope FROM scope_names WHERE name = ?)"
            " AND (m.status IN (?, ?) OR m.status = ? AND c.name IN ('notification', 'task'))",
            (self._name, INBOX, ACTIVE, ARCHIVED),
        )

    def _all(self, sql: str, **values: Any) -> list[sqlite3.Row]:
        (values["scope"],) = self._rows.execute(
            "SELECT scope FROM scope_names WHERE name = ?", (self._name,)
        ).fetchone()
        return self._rows.execute(sql, values).fetchall()

    def _schedule(self, now: int) -> None:
        """E1: nothing of a tick failed or waits, and no rules were judged later than their cadence says."""
        rows = self._all(
            "SELECT name, value FROM settings WHERE scope = :scope"
            " AND (name = 'schedule' OR name LIKE 'automatic/%')"
        )
        kept = {row["name"]: json.loads(row["value"]) for row in rows}
        schedule = kept.pop("schedule")
        found = [
            f"{name} {ran['outcome']}: {ran['reason']}"
            for name, ran in kept.items()
            if ran["at"] == now and ran["outcome"] != "done"
        ]
        found += [f"{name} failed: {one['reason']}" for name, one in schedule["failures"].items()]
        last = {name: schedule["last"].get(name, 0) for name in CADENCES}
        (waits,) = self._all(
            f"SELECT {', '.join(f'min(CASE WHEN at > :{name} THEN at END) AS {name}' for name in CADENCES)}"
            " FROM runs WHERE position > :position AND scope = :scope",
            position=self._position - FEW_RUNS,
            **last,
        )
        for name, every in CADENCES.items():
            late = now if waits[name] is None else waits[name]
            if now - max(late, last[name] + every) > BEAT:
                found.append(f"{name} rules were judged last {(now - last[name]) // MINUTE} minutes ago")
        (self._position,) = self._all("SELECT max(position) FROM runs WHERE scope = :scope")[0]
        self.criteria["E1"].look(found)

    def _budgets(self) -> None:
        """E2: the tokens of each agent and tier, without what alone is longer than a tier and was marked."""
        rows = self._all(
            f"SELECT n.name AS agent, m.tier, sum(m.tokens) AS tokens FROM {_NEAR}"
            " LEFT JOIN names n ON n.scope = m.scope AND n.no = m.agent"
            " WHERE m.status IN (:inbox, :active) AND m.tier < :budgets AND NOT EXISTS (SELECT 1 FROM tags t"
            " JOIN names o ON o.scope = t.scope AND o.no = t.tag AND o.name = 'flag/oversize'"
            " WHERE t.scope = :scope AND t.seq = m.seq) GROUP BY m.agent, m.tier",
            inbox=INBOX,
            active=ACTIVE,
            budgets=len(BUDGETS),
        )
        over = {
            f"{row['agent']} has {row['tokens']} tokens in tier {row['tier']}": row["tokens"] - budget
            for row in rows
            if row["tokens"] > (budget := BUDGETS[row["tier"]])
        }
        self.criteria["E2"].look(over, max([0, *over.values()]))

    def _look_at_moves(self, now: int) -> None:
        """E11, E13: which memories changed their tier since the last look, or left all of them; E12 counts them."""
        moved = self._all(
            f"SELECT m.seq, m.agent, coalesce(tiers.tier, :hot) AS before, {_TIER} AS tier, {_USED_AT} AS used_at"
            f" FROM {_NEAR} LEFT JOIN tiers USING (seq) WHERE m.status IN (:inbox, :active, :archived)"
            f" AND {_TIER} <> coalesce(tiers.tier, :hot)",
            **_MOVES,
        )
        tiers = [(row["seq"], row["tier"]) for row in moved]
        self._rows.executemany("INSERT OR REPLACE INTO tiers VALUES (?, ?)", tiers)
        for row in moved:
            ways = self._ways[row["seq"]]
            way = 1 if row["tier"] > row["before"] else -1
            if ways[-1:] != [way]:
                ways.append(way)
        away = [row for row in moved if row["tier"] > row["before"]]
        worked = {row["seq"] for row in self._all(_WORKED, inbox=INBOX, active=ACTIVE)} if away else set()
        self.criteria["E13"].look(f"#{row['seq']} moved away" for row in away if row["seq"] in worked)
        leaves = defaultdict(list)
        for row in away:
            if row["before"] == HOT and now - row["used_at"] <= UNUSED:
                leaves[row["agent"]].append(row["used_at"])
        stays = self._all(_STAYS, **_MOVES) if leaves else []
        later = {
            row["agent"]: fmean(leaves[row["agent"]]) - row["used_at"]
            for row in stays
            if leaves[row["agent"]]
        }
        self.criteria["E11"].look(
            f"what left agent {agent} was used {by / HOUR:.1f} hours later"
            for agent, by in later.items()
            if by > HOUR
        )

    def _notices(self, now: int) -> None:
        """E3: notices that were read so long ago and are there, in sight or archived; what rails protect stays."""
        rows = self._all(
            f"SELECT m.seq, m.state_at FROM {_NEAR} {_NAMED}"
            " WHERE c.name = 'notification' AND t.name = 'read' AND m.status IN (:inbox, :active, :archived)"
            f" AND m.state_at < :before AND NOT {_PROTECTED}",
            inbox=INBOX,
            active=ACTIVE,
            archived=ARCHIVED,
            before=now - NOTICE_LIVES,
        )
        self._left("E3", now, rows)

    def _tasks(self, now: int) -> None:
        """E4: tasks that ended so long ago and are at hand, and from which nothing that is kept was learned."""
        rows = self._all(
            f"SELECT m.seq, m.state_at FROM {_NEAR} {_NAMED}"
            " WHERE c.name = 'task' AND t.name IN ('completed', 'cancelled') AND m.status IN (:inbox, :active)"
            " AND m.state_at < :before AND NOT m.pinned AND NOT EXISTS (SELECT 1 FROM"
            " (SELECT target AS other FROM links WHERE scope = :scope AND source = m.seq AND relation = :learned_from"
            " UNION ALL SELECT source FROM links WHERE scope = :scope AND target = m.seq AND relation = :learned_from)"
            " JOIN states o ON o.scope = :scope AND o.seq = other WHERE o.status <> :pruned)",
            inbox=INBOX,
            active=ACTIVE,
            pruned=PRUNED,
            learned_from=LEARNED_FROM,
            before=now - TASK_LIVES,
        )
        self._left("E4", now, rows)

    def _left(self, name: str, now: int, rows: Sequence[sqlite3.Row]) -> None:
        """Count each memory once that is left beyond its time."""
        late = {row["seq"]: row["state_at"] for row in rows if (name, row["seq"]) not in self._told}
        self._told |= {(name, seq) for seq in late}
        self.criteria[name].look(f"#{seq} since {(now - at) / DAY:.2f} days" for seq, at in late.items())

    def _rails(self, now: int) -> None:
        """E5: of what was deleted since the last look, what a rail protected then, and what is gone undeleted."""
        rows = self._all(
            f"SELECT m.seq, c.name AS category FROM states m {_NAMED} WHERE m.scope = :scope"
            " AND (m.status = :pruned OR m.status = :superseded AND m.reason = :merged)"
            " AND m.status_at > :since AND m.status_at <= :now"
            f" AND ({_PROTECTED} OR m.status_at - m.learned_at < :grace)",
            pruned=PRUNED,
            superseded=SUPERSEDED,
            merged=MERGED,
            since=self._looked_at,
            grace=GRACE,
            now=now,
        )
        stand = {
            row["seq"]: row["status"]
            for row in self._all("SELECT seq, status FROM states WHERE scope = :scope")
        }
        gone = [seq for seq, status in self._stood.items() if seq not in stand and status != PRUNED]
        self._stood, self._looked_at = stand, now
        self.criteria["E5"].look(
            [
                *(f"{row['category']} #{row['seq']} was deleted" for row in rows),
                *(f"#{seq} is gone" for seq in gone),
            ]
        )

    # Trials: what was looked at before is compared with what is there after.

    def files(self) -> dict[str, str]:
        """Return digests of the files that hold the rows: the database and its log."""
        files = (self._path, self._path.with_name(f"{self._path.name}-wal"))
        return {one.name: hashlib.blake2b(one.read_bytes()).hexdigest() for one in files if one.exists()}

    def unchanged(self, name: str, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        """Compare digests of files."""
        self.criteria[name].look(f"{file} changed" for file in after if before.get(file) != after[file])

    def rows(self, path: Path) -> dict[str, str]:
        """Return a digest of the rows of each table that says what the memory holds, and of the audit."""
        with closing(_opened(path)) as rows:
            return {
                table: _digest(map(tuple, rows.execute(f"SELECT * FROM {table} ORDER BY 1, 2")))
                for table in (*HOLDS, *AUDITED)
            }

    def same(self, name: str, before: Mapping[str, str], after: Mapping[str, str]) -> None:
        """Compare digests of tables."""
        self.criteria[name].look(f"table {table} changed" for table in after if before[table] != after[table])

    def images(self, path: Path, seqs: Sequence[int]) -> dict[int, Image]:
        """Return of some memories the status, and all that each is: row, links, tags, sources."""
        listed, mine = json.dumps(seqs), "scope = (SELECT scope FROM scope_names WHERE name = ?)"
        with closing(_opened(path)) as rows:
            found: dict[int, Image] = {}
            every = f"SELECT * FROM states JOIN memories USING (scope, seq) WHERE {mine} AND seq IN {_LISTED}"
            for row in rows.execute(every, (self._name, listed)):
                kept = {name: row[name] for name in row.keys() if name not in HAPPENED}  # noqa: SIM118 # no mapping
                found[row["seq"]] = Image(row["status"], {"row": [sorted(kept.items(), key=str)]})
            for table, ends in HANGS.items():
                for end in ends:
                    of_some = f"SELECT * FROM {table} WHERE {mine} AND {end} IN {_LISTED}"
                    for row in rows.execute(of_some, (self._name, listed)):
                        found[row[end]].parts.setdefault(table, []).append(tuple(row))
        return found

    def keep(self, path: Path) -> Path:
        """Return a copy of a file beside it, of how it is now."""
        copy = path.with_name(f"{path.name} kept")
        with closing(_opened(path)) as rows, closing(sqlite3.connect(copy)) as kept:
            rows.backup(kept)
        return copy

    def deleted(self, path: Path, before: Path) -> list[int]:
        """Return the memories that were deleted since a file was kept."""
        was, now = (self._standing(one) for one in (before, path))
        return [seq for seq, status in was.items() if status != PRUNED and now.get(seq) == PRUNED]

    def _standing(self, path: Path) -> dict[int, int]:
        """Return the status of each memory of a file."""
        with closing(_opened(path)) as rows:
            scope = "(SELECT scope FROM scope_names WHERE name = ?)"
            every = f"SELECT seq, status FROM states WHERE scope = {scope} ORDER BY seq"
            return dict(map(tuple, rows.execute(every, (self._name,))))

    def as_before(self, before: Path, path: Path, restored: Sequence[int]) -> None:
        """E8: what was deleted and brought back is in sight and what it was; where nothing was deleted is no look."""
        if not restored:
            return
        was, now = (self.images(one, restored) for one in (before, path))
        found = []
        for seq in restored:
            if now[seq].status not in (INBOX, ACTIVE):
                found.append(f"#{seq} is not in sight, it has status {now[seq].status}")
            parts = was[seq].parts.keys() | now[seq].parts.keys()
            found += [
                f"#{seq}: {part} differs"
                for part in sorted(parts)
                if sorted(was[seq].parts.get(part, []), key=str)
                != sorted(now[seq].parts.get(part, []), key=str)
            ]
        self.criteria["E8"].look(found)

    def alike(self, here: Sequence[bytes], there: Sequence[bytes]) -> None:
        """E9: what both stores hold after the same run, by id, where their exports say it."""
        ours, theirs = _exported(here), _exported(there)
        missing = [f"{one} is in one store alone" for one in sorted(ours.keys() ^ theirs.keys())]
        differ = [
            f"{one}: {[name for name in ours[one] if ours[one][name] != theirs[one].get(name)][:2]}"
            for one in sorted(ours.keys() & theirs.keys())
            if ours[one] != theirs[one]
        ]
        self.criteria["E9"].look(missing + differ)

    def ended(self, path: Path, scenario: str, believed: float | None) -> None:
        """E10: how one of the eight scenarios ended."""
        with closing(_opened(path)) as rows:
            scope = "(SELECT scope FROM scope_names WHERE name = ?)"
            found = rows.execute(
                f"SELECT key, status, tier, confidence, tokens FROM states JOIN memories USING (seq, scope)"
                f" WHERE scope = {scope} ORDER BY seq",
                (scenario,),
            ).fetchall()
        first = found[0]
        hot = sum(row["tokens"] for row in found if row["status"] in (INBOX, ACTIVE) and row["tier"] == HOT)
        ends = {
            "too much": (
                sum(row["tokens"] for row in found) >= 2_000 and 0 < hot <= BUDGETS[HOT],
                f"{hot} hot",
            ),
            "read notice": (first["status"] == PRUNED, "the notice is there"),
            "an agent": (first["status"] in (INBOX, ACTIVE), "the agent is gone"),
            "cold, used": (first["tier"] == WARM, f"tier {first['tier']}"),
            "hot, unused": (first["tier"] == WARM, f"tier {first['tier']}"),
            "belief": (
                believed is not None
                and abs(believed - 0.73) < 1e-6
                and first["confidence"] == MILLION * 8 // 10,
                f"believed {believed}, kept {first['confidence']}",
            ),
            "orphan": (first["status"] == PRUNED, "the orphan is there"),
            "young": (first["status"] in (INBOX, ACTIVE) and first["tier"] == HOT, "it was moved"),
        }
        well, what = ends[scenario]
        self.criteria["E10"].look([] if well else [f"{scenario}: {what}"])


def _opened(path: Path) -> sqlite3.Connection:
    """Open a file for reading."""
    rows = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    rows.row_factory = sqlite3.Row
    return rows


def _digest(rows: Iterable[Any]) -> str:
    kept = hashlib.blake2b()
    for row in rows:
        kept.update(repr(row).encode())
    return kept.hexdigest()


def _exported(lines: Sequence[bytes]) -> dict[str, dict[str, Any]]:
    """Return what an export says of each memory, by id."""
    rows = map(json.loads, lines)
    return {
        row["id"]: {name: value for name, value in row.items() if name not in APART}
        for row in rows
        if "id" in row and "text" in row
    }
