"""A file that the third version of the tables made and lived with is brought up whole when it is opened.

`data/version-3.db.gz` was written by the code of that version: two scopes, the larger with texts of every role learned,
repeated, consolidated, recalled, rated, linked, tagged, pinned, held, edited, corrected, superseded, disputed,
confirmed, forgotten, purged, compacted and undone.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from remanence.flows.write import claiming
from remanence.flows.write.claiming import UNREAD
from remanence.model import Role, Trust
from remanence.store.base import Bookkeeping
from remanence.store.sqlite import upgrade
from remanence.store.sqlite.dialect import connect
from remanence.write.claims import claims_of
from tests.flows.old_files import columns_of, old_file, opened, rows, without_unread
from tests.flows.test_migrations import tables

OLD = old_file(3)
# How far what each role said in an older file is believed.
BY_ROLE = {
    Role.USER: Trust.USER,
    Role.ASSISTANT: Trust.AGENT,
    Role.SYSTEM: Trust.USER,
    Role.TOOL: Trust.TOOL,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A copy of the old file."""
    path = tmp_path / "memory.db"
    path.write_bytes(OLD)
    return path


async def test_where_checks_cannot_be_altered_the_tables_are_made_anew(path: Path, tmp_path: Path) -> None:
    """Where SQLite lets nobody write to its schema, the file comes to be the same."""
    columns = {table: names for table, names in columns_of(path).items() if table != "sums"}
    before = rows(path, columns)
    async with opened(tmp_path / "new.db"):
        pass

    asked: list[str | None] = []

    def refusing(action: int, name: str | None, value: str | None, *_: object) -> int:
        if action == sqlite3.SQLITE_PRAGMA and name == "writable_schema":
            asked.append(value)
        writes = action == sqlite3.SQLITE_UPDATE and name == "sqlite_master"
        return sqlite3.SQLITE_DENY if writes and asked[-1:] == ["ON"] else sqlite3.SQLITE_OK

    with closing(connect(str(path))) as connection:
        connection.set_authorizer(refusing)
        upgrade.prepare(connection, str(path), bytes(16))

    assert ["ON", "RESET"] * 2 == asked  # two of the steps alter checks
    assert tables(tmp_path / "new.db") == tables(path)
    assert before == without_unread(rows(path, columns))


async def test_what_it_holds_is_believed_as_far_as_its_role_was(path: Path) -> None:
    """What an assistant said is an agent's, what a tool said is a tool's, all else is the user's."""
    async with opened(path) as memory:
        held = [*await memory.list_memories(limit=100), *await memory.list_memories(status="superseded")]

    assert set(Role) == {one.role for one in held}
    assert [BY_ROLE[one.role] for one in held] == [one.trust for one in held]


async def test_what_its_memories_claim_is_read_once_when_they_are_consolidated(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many at a time, until nothing is left; a newer text takes the place of one that came before."""
    monkeypatch.setattr(claiming, "READ_AT_ONCE", 2)
    async with opened(path) as memory:
        await memory.schedule.accept_clock()
        none = await memory._core.store.claims("work", range(100))
        for _ in range(20):
            await memory.consolidate()
        asked = Bookkeeping(0, get=(UNREAD,))
        held = (await memory._core.store.bookkeep("work", asked)).values.get(UNREAD)
        claims = await memory._core.store.claims("work", range(100))
        stand = await memory.list_memories(limit=100)

    assert [] == none
    assert held is None
    assert {claim.key for claim in claims} == {
        (one.seq, number) for one in stand for number in range(len(claims_of(one.text, one.speaker)))
    }
    assert claims


async def test_its_runs_are_undone(path: Path) -> None:
    """What the last compaction took away comes back, and the doctor finds nothing."""
    async with opened(path) as memory:
        before = len(await memory.list_memories(status="pruned"))
        (compaction,) = await memory.history(limit=1, verb="compact")
        await memory.undo(compaction.run)
        after = len(await memory.list_memories(status="pruned"))
        checks = await memory.doctor()

    assert (6, 0) == (before, after)
    assert [] == [check for check in checks if not check.ok]
