"""Memories and boxes of a scope read a page at a time, so that no answer of the store grows with the scope."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from remanence.core.box import BoxRow, FindBoxes
from remanence.core.model import Memory
from remanence.flows.base.context import Core
from remanence.store.base import Find

PAGE = 1_000


async def iterate_pages(core: Core, wanted: Find | None = None) -> AsyncIterator[list[Memory]]:
    """Yield all memories of the scope, or those that are wanted, in order of arrival, a page at a time."""
    after = 0
    while True:
        find = replace(wanted or Find(), after=after, limit=PAGE, oldest_first=True)
        page = await core.store.find(core.scope, find)
        if not page:
            return
        yield page
        after = page[-1].seq


async def iterate_boxes(core: Core, session: str | None = None) -> AsyncIterator[BoxRow]:
    """Yield all boxes, of one session if asked, those of the latest turns first."""
    before = None
    while page := await core.store.boxes(core.scope, FindBoxes(session=session, before=before, limit=PAGE)):
        for box in page:
            yield box
        before = page[-1].box


async def read_memories(core: Core, names: Sequence[int | str]) -> dict[int, Memory]:
    """Return memories by number, named by that, id or key; without those that are gone."""
    memories: dict[int, Memory] = {}
    for begin in range(0, len(names), PAGE):
        some = await core.store.get(core.scope, names[begin : begin + PAGE])
        memories |= {one.seq: one for one in some if one is not None}
    return memories
