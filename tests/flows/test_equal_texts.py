"""What was computed under older rules is computed anew, and texts that have become the same stand beside each other.

The file is made by today's code with two rules as they once were: capitals told texts apart, and no tag told how fast a
memory fades. One scope learned texts that differ in capitals, edited one, tagged one with a value, and purged one.
"""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import orjson
import pytest

import remanence
from remanence.core import score
from remanence.core.clock import DAY, ManualClock
from remanence.core.model import Decay, Memory, Relation, Status
from remanence.store.sql import schema_versions
from remanence.store.sqlite.sqlite_store import SqliteStore
from remanence.text import analysis
from remanence.text.analysis import fingerprint
from remanence.text.text_columns import text_columns
from tests.flows.upgrades import rows, started_with

LATER = 1_790_000_000_000_000  # after the last of the runs in them
OLDEST, LATER_ONE, LAST, PLAIN, ABBREVIATED, EDITED, PURGED, VALUE, ALONE, AGAIN = range(1, 11)
SAID = (
    "The Harbour opens at Six",
    "the harbour opens at six",
    "THE harbour opens at six!",
    "They told us so",
    "They told US so",
    "Ann likes Tea",
    "The Ferry leaves at noon",
    "Honesty comes first",
    "the tide turns at Four",
)
PURGE = """version = 1
name = "clear"
[[rule]]
name = "gone"
phase = "purge"
every = "rapid"
where = "status == 'pruned'"
do = "purge"
"""


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file as code with the older rules left it."""
    path = tmp_path_factory.mktemp("older") / "memory.db"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(analysis, "folded_text", lambda said: " ".join(said.split()))
        patched.setattr(score, "DURABLE_TAGS", frozenset())
        asyncio.run(live(path))
    changed(path, "UPDATE meta SET value = '0' WHERE name IN ('fingerprint', 'decay')")
    return path.read_bytes()


@pytest.fixture
def path(content: bytes, tmp_path: Path) -> Path:
    """A copy of that file."""
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    return path


async def live(path: Path) -> None:
    """Learn, edit, tag, forget and purge, under whatever rules this process has."""
    clock = ManualClock(LATER - 100 * DAY)
    async with remanence.open(path, scope="work", clock=clock, embedder="hashed") as memory:
        for said in SAID:
            clock.advance(minutes=1)
            await memory.learn(said, tags=["boat"] if "Ferry" in said else [])
        await memory.update(EDITED, text="Ann likes Black Tea")
        await memory.tag(VALUE, "self/value")
        await memory.forget(PURGED)
        clock.advance(days=40)
        await memory.curate(PURGE)
        await memory.learn("the ferry leaves at noon")


def opened(path: Path) -> remanence.Engine:
    """Open the file as its makers did."""
    return remanence.open(path, scope="work", clock=ManualClock(LATER), embedder="hashed")


def follows(memory: Memory) -> bool:
    """Tell whether all that is computed from a memory's text is what today's rules make of it."""
    computed = text_columns(memory.text, memory.speaker)
    return computed == {name: getattr(memory, name) for name in computed}


async def sound(memory: remanence.Engine) -> bool:
    """Tell whether nothing in the file is damaged."""
    return all(check.ok for check in await memory.doctor())


async def test_all_that_is_computed_is_todays(path: Path) -> None:
    """Fingerprints, counts and decay classes of an old file are those that its texts and tags have today."""
    async with opened(path) as memory:
        held = await memory.list(limit=100)
        value = await memory.get(VALUE)
        whole = await sound(memory)

    assert (9, []) == (len(held), [one.text for one in held if not follows(one)])
    assert (Decay.DURABLE, True) == (value.decay, whole)
    assert (
        dict(schema_versions.MARKS).items() <= dict(rows(path, {"meta": ["name", "value"]})["meta"]).items()
    )


async def test_a_repeat_confirms_the_oldest_of_equal_texts(path: Path) -> None:
    """Those that have become the same all stand, and the oldest one is seen again."""
    async with opened(path) as memory:
        answer = await memory.learn("the Harbour OPENS at six")
        equal = [await memory.get(seq) for seq in (OLDEST, LATER_ONE, LAST)]

    assert ("confirmed", equal[0].id) == (answer.status, answer.id)
    assert [1, 0, 0] == [one.confirmations for one in equal]
    assert 1 == len({one.fingerprint for one in equal})
    assert {Status.INBOX} == {one.status for one in equal}


async def test_equal_texts_are_linked_to_the_oldest(path: Path) -> None:
    """A run tells of the links, and taking it back takes them away; what capitals tell apart is not linked."""
    async with opened(path) as memory:
        links = await memory.links(OLDEST)
        none = [await memory.links(seq) for seq in (PLAIN, ABBREVIATED, ALONE)]
        (run,) = await memory.history(limit=1, verb="upgrade")
        await memory.undo(run.run)
        undone = await memory.links(OLDEST)
        whole = await sound(memory)

    near = Relation.NEAR_DUPLICATE
    assert {(OLDEST, LATER_ONE, near), (OLDEST, LAST, near)} == {
        (link.source, link.target, link.relation) for link in links
    }
    assert ([[], [], []], [], True) == (none, undone, whole)


async def test_an_edit_from_before_is_undone_and_done_again(path: Path) -> None:
    """The text that an old image holds comes back with what today's rules compute from it."""
    async with opened(path) as memory:
        (run,) = await memory.history(limit=1, verb="update")
        undoing = await memory.undo(run.run)
        back = await memory.get(EDITED)
        answer = await memory.learn("ann likes tea")
        await memory.undo(answer.run or "")
        await memory.undo(undoing)
        again = await memory.get(EDITED)
        whole = await sound(memory)

    assert ("Ann likes Tea", True) == (back.text, follows(back))
    assert ("confirmed", back.id) == (answer.status, answer.id)
    assert ("Ann likes Black Tea", True, True) == (again.text, follows(again), whole)


async def test_a_tag_from_before_is_undone_with_the_score(path: Path) -> None:
    """Without the tag the memory fades as any other, whatever the old image says of that."""
    async with opened(path) as memory:
        (run,) = await memory.history(limit=1, verb="tag")
        await memory.undo(run.run)
        value = await memory.get(VALUE)
        whole = await sound(memory)

    assert ((), Decay.STANDARD, True) == (value.tags, value.decay, whole)


async def test_a_text_from_before_is_unlearned_and_comes_back_beside_its_like(path: Path) -> None:
    """Once the links are taken back, a later one of equal texts can go and return, and is linked again."""
    async with opened(path) as memory:
        (drawn,) = await memory.history(limit=1, verb="upgrade")
        await memory.undo(drawn.run)
        later = await memory.get(LATER_ONE)
        learned = (await memory.history(limit=100, verb="learn"))[LATER_ONE - 1]
        undoing = await memory.undo(learned.run)
        await memory.undo(undoing)
        back = await memory.get(LATER_ONE)
        links = await memory.links(LATER_ONE)
        whole = await sound(memory)

    assert (later.id, later.text, Status.INBOX) == (back.id, back.text, back.status)
    assert [(OLDEST, LATER_ONE, Relation.NEAR_DUPLICATE)] == [
        (link.source, link.target, link.relation) for link in links
    ]
    assert (True, True) == (follows(back), whole)


async def test_a_purged_text_is_restored_beside_its_like(path: Path) -> None:
    """Rebuilt from its image it has today's fingerprint, stands, and is linked to the one that says the same."""
    async with opened(path) as memory:
        await memory.restore(PURGED)
        back = await memory.get(PURGED)
        links = await memory.links(PURGED)
        answer = await memory.learn("THE FERRY LEAVES AT NOON")
        whole = await sound(memory)

    assert ("The Ferry leaves at noon", Status.ACTIVE, ("boat",)) == (back.text, back.status, back.tags)
    assert [(PURGED, AGAIN, Relation.NEAR_DUPLICATE)] == [
        (link.source, link.target, link.relation) for link in links
    ]
    assert ("confirmed", back.id) == (answer.status, answer.id)
    assert (True, True) == (follows(back), whole)


async def test_a_purge_from_before_is_undone(path: Path) -> None:
    """A tombstone that comes back beside a text that was learned anew stays a tombstone."""
    async with opened(path) as memory:
        (run,) = await memory.history(limit=1, verb="curate")
        await memory.undo(run.run)
        back = await memory.get(PURGED)
        whole = await sound(memory)

    assert (Status.PRUNED, True, True) == (back.status, follows(back), whole)


async def test_an_upgraded_file_is_exported_and_taken_in(path: Path, tmp_path: Path) -> None:
    """Elsewhere equal texts are one, which was said as often as all of them."""
    async with opened(path) as memory, opened(tmp_path / "new.db") as other:
        await other.import_([line async for line in memory.export()])
        held = await other.list(limit=100)
        whole = await sound(other)

    harbour = [one for one in held if one.fingerprint == fingerprint("the harbour opens at six")]
    assert [2] == [one.confirmations for one in harbour]
    assert ([], True) == ([one.text for one in held if not follows(one)], whole)


async def test_an_export_with_old_fingerprints_is_taken_in(path: Path, tmp_path: Path) -> None:
    """What a file says of its fingerprints, counts and decay classes is not believed."""
    async with opened(path) as memory, opened(tmp_path / "new.db") as other:
        lines = [orjson.loads(line) async for line in memory.export()][:-1]
        false = {"fingerprint": "AAAAAAAAAAAAAAAAAAAAAA==", "tokens": 7_000, "words": 0, "decay": "ephemeral"}
        old = [
            {**line, **({"fingerprints": 1} if "format" in line else false)}
            for line in lines
            if "id" in line or "format" in line
        ]
        await other.import_([orjson.dumps(line) for line in old], edited=True)
        held = await other.list(limit=100)

    assert (7, []) == (len(held), [one.text for one in held if not follows(one)])


async def test_a_refresh_that_is_killed_leaves_the_old_file(path: Path) -> None:
    """Dying after all was computed leaves the old file; whoever comes next computes it again."""
    program = """
import asyncio, os, sys
from remanence.store.sql import refresh
from remanence.store.sqlite.sqlite_store import SqliteStore

refresh.link_equals = lambda scope: os._exit(9)
print(flush=True)
asyncio.run(SqliteStore(sys.argv[1]).open())
"""
    columns = {
        "memories": ["seq", "fingerprint", "digest"],
        "states": ["seq", "tokens", "decay"],
        "meta": ["*"],
    }
    before = rows(path, columns)
    killed = await started_with(program, str(path))
    await killed.communicate()
    between = rows(path, columns)
    async with opened(path) as memory:
        whole = await sound(memory)
        held = await memory.list(limit=100)

    assert (9, before, True) == (killed.returncode, between, whole)
    assert [] == [one.text for one in held if not follows(one)]


async def test_what_is_up_to_date_is_left_alone(path: Path) -> None:
    """A second opening computes nothing, also where only one of the marks is old, but that one."""
    store = SqliteStore(str(path))
    await store.open()
    await store.close()
    columns = {"memories": ["*"], "states": ["*"]}
    before = rows(path, columns)
    for statement in (
        "UPDATE meta SET value = '0' WHERE name = 'tokens'",
        "UPDATE states SET tokens = 5000, decay = 3",
    ):
        changed(path, statement)
    store = SqliteStore(str(path))
    await store.open()
    await store.close()
    now = rows(path, {"states": ["tokens", "decay"], "memories": ["*"]})

    assert before["memories"] == now["memories"]
    assert {3} == {decay for _, decay in now["states"]}
    assert 5_000 > max(tokens for tokens, _ in now["states"])


def changed(path: Path, statement: str) -> None:
    """Write to a closed file by SQL."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
