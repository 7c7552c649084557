"""What only the reference store can be asked: what it does when its own memory is tampered with."""

from dataclasses import replace

from remanence.core.change import Change
from remanence_store_kit.builders import SCOPE, create_change, keep, tag_change
from remanence_store_kit.memory.memory_store import MemoryStore


async def tampered() -> list[str]:
    """Change one value in an old part of the log; return the names of the checks that notice."""
    store = MemoryStore()
    await store.open()
    (seq,) = (await keep(store, create_change(1, "zebra"))).assigned
    await keep(store, tag_change(seq, "x"), verb="tag")
    log = store._scopes[SCOPE].log
    log[0] = replace(log[0], entries=(Change("memories", seq, None, {"revision": 9}),))
    return [check.name for check in await store.check() if not check.ok]


async def test_a_log_that_was_changed_is_noticed() -> None:
    """The chain of digests covers every value of every change."""
    assert ["audit"] == await tampered()


async def test_a_dangling_row_is_noticed() -> None:
    """A tag whose memory has gone behind the store's back is told by name."""
    store = MemoryStore()
    await store.open()
    (seq,) = (await keep(store, create_change(1, "zebra"), tag_change(-1, "x"))).assigned
    del store._scopes[SCOPE].tables["memories"][seq]

    assert [f"{SCOPE}: tags {(seq, 'x')}"] == [check.detail for check in await store.check() if not check.ok]
