"""What is kept beside memories that were erased: a session's rows go with its last turn, other words are named."""

import sqlite3
from contextlib import closing
from pathlib import Path

import remanence
from tests.flows.conftest import Opener, hear

SAID = "Quirkleton keeps three lighthouses in Zanzibrook."
NAMED = "quirkleton keeps three lighthouses"  # a session, named by its first words
POLICY = """
version = 1
name = "about quirkleton keeps three lighthouses"
[[rule]]
name = "old"
every = "deep"
phase = "expire"
where = "age(learned_at) > days(900)"
do = "archive"
"""


def _rows(path: Path) -> list[str]:
    """Return what is kept beside memories, in words."""
    with closing(sqlite3.connect(path)) as file:
        found = [
            row
            for table in ("settings", "counters", "leases")
            for row in file.execute(f"SELECT * FROM {table}").fetchall()
        ]
    return [text for row in found for text in map(str, row) if "uirkleton" in text]


async def test_what_is_kept_of_a_session_goes_with_its_last_turn(tmp_path: Path) -> None:
    """Cursor, counters and lease of a session that was named by what was said in it."""
    path = tmp_path / "memory.db"
    async with remanence.open(path, embedder="none") as memory:
        await memory.note(SAID, speaker="Ana", session=NAMED, later=True)
        await memory.note("And a boat.", speaker="Ana", session=NAMED, later=True)
        await hear(memory)
        await memory.note("It is blue.", speaker="Ana", session=NAMED, later=True)
        first = await memory.erase.apply(await memory.erase.show("#1"))
        last = await memory.erase.apply(await memory.erase.show(scope=True))
        state = await memory.status()

    assert ("the name of a session with other turns; erase those, too: remanence erase",) == first.words_left
    assert (False, True) == (first.is_well, last.is_well)
    assert ((), []) == (state.waiting, _rows(path))


async def test_words_left_in_a_policy_are_named_with_what_changes_it(opener: Opener) -> None:
    """By the kind of row; what another memory says, too, is no such word."""
    async with opener() as memory:
        said = await memory.learn(SAID)
        await memory.policy.use(POLICY)
        done = await memory.erase.apply(await memory.erase.show(said))
        other, beside = await memory.learn(f"{SAID} So."), await memory.learn(f"{SAID} Yes.")
        well = await memory.erase.apply(await memory.erase.show(other))

    assert ("the adopted policy; adopt one without them: remanence policy use",) == done.words_left
    assert "words of it stand in the adopted policy; adopt one" in str(done)
    assert (True, ()) == (well.is_well, well.words_left)
    assert beside.status == "stored"
