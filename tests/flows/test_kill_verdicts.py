"""A process killed at any commit of judging and superseding loses nothing: the next run comes to the same.

Each round forks a process that consolidates with a writer, and dies just before or just after one of
its commits. Then another goes on; all that was told is there, each pair is settled once, and the file is sound.
"""

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import remanence
from remanence.core.clock import DAY, SystemClock
from remanence.core.model import Memory, Relation, Status, Turn
from remanence.flows.write import proposals
from tests.flows.test_verdicts import Replaces

BOATS = 8
TEXTS = [
    *(f"Boat{number} berth: north." for number in range(BOATS)),
    *(f"Boat{number} berth: gone." for number in range(BOATS)),
]
COMMITS = 6


class Later:
    """The wall clock, a day ahead: what a killed process held is free again."""

    def now(self) -> int:
        """Return the time."""
        return SystemClock().now() + DAY


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("commit", range(1, COMMITS + 1))
def test_a_kill_at_a_commit_loses_nothing(tmp_path: Path, commit: int, after: bool) -> None:
    """What was judged is kept or judged again; what gave up its place did so once, with its link."""
    path = tmp_path / "memory.db"
    status = _killed(path, commit, after=after)
    held, links, waiting, unsound = asyncio.run(_looked_over(path))

    assert -signal.SIGKILL == os.waitstatus_to_exitcode(status)
    assert sorted(TEXTS) == sorted(one.text for one in held)
    texts_of = {one.seq: one.text for one in held}
    gone = {one.text for one in held if one.status is Status.SUPERSEDED}
    replaced = set(TEXTS[:BOATS])
    assert gone <= replaced
    # What was judged and not carried out waits for a person, and nothing is lost between the two.
    assert replaced - gone == waiting
    assert Counter(links) == Counter(dict.fromkeys(links, 1))
    assert set(zip(TEXTS[:BOATS], TEXTS[BOATS:], strict=True)) == {
        (texts_of[old], texts_of[new]) for new, old, relation in links if relation == Relation.NEWER
    }
    assert len(gone) == sum(relation == Relation.SUPERSEDES for _, _, relation in links)
    assert [] == unsound


def _killed(path: Path, commit: int, *, after: bool) -> int:
    """Let a process work until it kills itself at a commit; return how it ended."""
    child = os.fork()
    if child == 0:
        try:
            asyncio.run(_work(path, commit, after=after))
        finally:
            os._exit(0)
    return os.waitpid(child, 0)[1]


async def _work(path: Path, dies_at: int, *, after: bool) -> None:
    count = 0
    async with remanence.open(path, embedder="auto", writer=Replaces()) as memory:
        commit = memory._core.store.commit

        async def dying(*given: Any) -> Any:
            nonlocal count
            count += 1
            if count == dies_at and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            done = await commit(*given)
            if count == dies_at:
                os.kill(os.getpid(), signal.SIGKILL)
            return done

        await memory.learn([Turn(text, speaker="Ana") for text in TEXTS])
        memory._core.store.commit = dying  # type: ignore[method-assign, assignment]
        await memory.consolidate()


async def _looked_over(
    path: Path,
) -> tuple[list[Memory], list[tuple[int, int, int]], set[str], list[str]]:
    """Go on a day later, and return all texts, all links, what waits for a person, and what the doctor finds."""
    async with remanence.open(path, embedder="auto", writer=Replaces(), clock=Later()) as memory:
        await memory.consolidate()
        held = await memory.list(status="any", limit=100)
        links = [link.key for link in await memory._core.store.neighbours("default", None)]
        waiting = {old.text for one in await proposals.list_proposals(memory._core) for old in one.replaces}
        unsound = [check.name for check in await memory.doctor() if not check.ok]
    return held, links, waiting, unsound
