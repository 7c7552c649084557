"""A file that the fourth version of the tables made and lived with is brought up whole when it is opened.

`data/version-4.db.gz` was written by the code of that version: what the file of version 3 holds, and claims, one of
which took the place of another, a text in quarantine, a forbidden one, and a secret that a marker took the place of.
"""

from pathlib import Path

import pytest

from remanence.flows.write.claiming import UNREAD
from remanence.store.base import Bookkeeping
from tests.flows.old_files import old_file, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A copy of the old file."""
    path = tmp_path / "memory.db"
    path.write_bytes(old_file(4))
    return path


async def test_what_waits_for_a_person_is_found_in_it(path: Path) -> None:
    """Its contradiction, what it has in quarantine, and what it forbids."""
    async with opened(path) as memory:
        await memory.schedule.accept_clock()
        (contradiction,) = await memory.graph.contradictions()
        review = await memory.review()
        refused = await memory.learn("The hall BURNT down in spring")

    assert "north door" in contradiction.one.text + contradiction.other.text
    assert {"contradiction": 1, "quarantine": 1} == review.counts
    assert "gated" == refused.status


async def test_what_was_read_for_claims_is_not_read_again(path: Path) -> None:
    """Each claim stays as it is, and stands once; then nothing is left to be read."""
    async with opened(path) as memory:
        await memory.schedule.accept_clock()
        before = await memory._core.store.claims("work", range(100))
        await memory.consolidate()
        after = await memory._core.store.claims("work", range(100))
        (current,) = [
            hit for hit in await memory.recall("when does the open day start") if "four" in hit.text
        ]

    assert before == after
    assert None is (await _unread(path))
    assert "The open day starts at four" == current.text


async def _unread(path: Path) -> object:
    async with opened(path) as memory:
        asked = Bookkeeping(0, get=(UNREAD,))
        return (await memory._core.store.bookkeep("work", asked)).values.get(UNREAD)
