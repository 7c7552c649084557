"""What comes back in sight is linked to the oldest memory that says the same."""

from collections.abc import Sequence
from typing import cast

from remanence.core.change import Change, Entry, rows_of
from remanence.core.model import STANDING, Memory, Relation, Status, link_values
from remanence.flows.base.context import Core
from remanence.store.base import Arriving


async def link_equal_texts(
    core: Core, entries: Sequence[Entry], risen: Sequence[Memory] = ()
) -> list[Change]:
    """Return links of what comes back in sight to the oldest memory that says the same, where nothing links them."""
    marks = {memory.seq: memory.fingerprint for memory in risen}
    for change in rows_of(one for one in entries if one.table == "memories" and one.before is None):
        after = change.after or {}
        if after.get("status", Status.INBOX) in STANDING:
            marks[cast("int", change.key)] = after["fingerprint"]
    if not marks:
        return []
    context = await core.store.arriving(core.scope, Arriving(fingerprints=sorted(set(marks.values()))))
    pairs = {
        (min(seq, twin.seq), max(seq, twin.seq))
        for seq, mark in marks.items()
        if (twin := context.twins.get(mark)) is not None and twin.status in STANDING and twin.seq != seq
    }
    link_keys = (
        {link.key for link in await core.store.neighbours(core.scope, sorted(marks))} if pairs else set()
    )
    made = [one for one in entries if one.table == "links" and one.after is not None]
    link_keys |= {key for one in made for key in one.row_keys()}
    near, now = int(Relation.NEAR_DUPLICATE), core.clock.now()
    link_pairs = {(min(source, target), max(source, target)) for source, target, _ in link_keys}
    return [
        Change("links", (*pair, near), None, link_values(now, 1.0, 1.0))
        for pair in sorted(pairs - link_pairs)
    ]
