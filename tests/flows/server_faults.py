"""What is done to a store on any server that is killed, or cut off at any message, and what must hold then."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from remanence.core.change import AuditPart, Cause, Change, CommitResult
from remanence.core.errors import StoreUnavailable
from remanence.core.model import Relation
from remanence.store.base import Bookkeeping, Find, Store
from remanence_store_kit.builders import (
    create_change,
    find_damage,
    link_change,
    make_cause,
    source_change,
    tag_change,
)
from tests.relay import Cutter

ANSWERS_IN_S = 60
MESSAGES_MAX = 1_000  # far more than a verb has


@dataclass
class Learner:
    """A process that learns, and the ids that it has acknowledged so far."""

    child: subprocess.Popen[str]
    acknowledged: list[str]

    def wait_for(self, count: int) -> None:
        """Wait until so many memories are acknowledged."""
        wait_until(lambda: len(self.acknowledged) >= count or self.child.poll() is not None)
        assert len(self.acknowledged) >= count, f"the process ended with {self.child.returncode}"


@contextmanager
def learning(address: str, scope: str, name: str, *more: str) -> Iterator[Learner]:
    """Let a process learn; it is killed at the end."""
    command = [sys.executable, "-m", "tests.flows.learning_on_server", address, scope, name, *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        lines = child.stdout
        assert lines.readline() == "open\n"
        learner = Learner(child, [])

        def listen() -> None:
            learner.acknowledged.extend(line.strip() for line in lines)

        listener = threading.Thread(target=listen)
        listener.start()
        try:
            yield learner
        finally:
            child.kill()
            listener.join()


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    until = time.monotonic() + ANSWERS_IN_S
    while not condition():
        assert time.monotonic() < until, "nothing happens any more"
        time.sleep(0.005)


async def all_parts(store: Store, scope: str) -> list[AuditPart]:
    """Return the whole log of a scope."""
    return await store.history(scope, limit=1_000_000, rows=False)


async def refuse_faults(store: Store, scope: str, acknowledged: list[str]) -> list[str]:
    """Look whether all is sound, all acknowledged memories are there and nothing is twice; return the texts."""
    await store.open()
    try:
        memories = await store.find(scope, Find(limit=1_000_000))
        parts = await all_parts(store, scope)
        assert [] == await find_damage(store)
    finally:
        await store.close()
    texts = [memory.text for memory in memories]
    assert not set(acknowledged) - {memory.id for memory in memories}
    assert len(set(texts)) == len(texts)
    assert [part.position for part in parts] == list(range(1, len(parts) + 1))
    assert len([part for part in parts if part.cause.verb == "learn"]) == len(texts)
    return texts


def wide_commit() -> tuple[list[Change], Cause]:
    """Return a commit of several tables."""
    changes = [
        create_change(1, "The mill stands by the river."),
        create_change(2, "The miller is called Tom."),
        tag_change(-1, "place"),
        source_change(-2, "a letter"),
        link_change(-1, -2, Relation.REFERS),
    ]
    return changes, make_cause(run="1" * 32)


async def cut_commits_off(store: Store, cutter: Cutter) -> tuple[list[CommitResult], list[int]]:
    """Cut a commit off at each of its messages; return what each said, and how many messages followed."""
    changes, cause = wide_commit()
    results: list[CommitResult] = []
    again: list[int] = []
    for messages in range(1, MESSAGES_MAX):
        scope = f"commit {messages}"
        cutter.cut_after(messages)
        results.append(await store.commit(scope, changes, cause))
        was_cut = cutter.was_cut
        again.append(cutter.count - messages)
        cutter.cut_after(None)
        assert results[-1].position == 1
        assert [part.position for part in await all_parts(store, scope)] == [1]
        first, second = await store.get(scope, [1, 2])
        assert first is not None
        assert second is not None
        assert (first.tags, second.sources) == (("place",), ("a letter",))
        if not was_cut:
            return results, again
    raise AssertionError("the commit never came to its end")


async def cut_counts_off(store: Store, cutter: Cutter) -> int:
    """Cut a count off at each of its messages; return how often nobody knew whether it was counted."""
    unknown = 0
    for messages in range(1, MESSAGES_MAX):
        scope = f"count {messages}"
        cutter.cut_after(messages)
        try:
            await store.bookkeep(scope, Bookkeeping(1, count={"asked": 1}))
            least = 1
        except StoreUnavailable as error:
            least, unknown = 0, unknown + ("not known" in str(error))
        was_cut = cutter.was_cut
        cutter.cut_after(None)
        told = await store.bookkeep(scope, Bookkeeping(1, counters=("asked",)))
        assert least <= told.counters.get("asked", 0) <= 1
        if not was_cut:
            return unknown
    raise AssertionError("the count never came to its end")
