"""What a writer is shown beside a text: the older memories that it may change, with no threshold."""

import asyncio
from collections.abc import Mapping, Sequence

import numpy as np

from remanence.flows.core import Core
from remanence.model import Memory
from remanence.recall.nearest import nearest
from remanence.recall.older import Field, older_alike, rarest
from remanence.store.base import Arriving
from remanence.text import stems, term_hash

COLUMNS = frozenset({"status", "words", "speaker", "said_at"})
NEAREST = 40  # by vector, of whom the older ones count


async def candidates(core: Core, memories: Sequence[Memory]) -> dict[int, list[int]]:
    """Return by the number of each memory those of the older ones that it may change, the likeliest first."""
    if not memories:
        return {}
    told = await asyncio.to_thread(_stems, memories)
    wanted = {term for mine in told.values() for term in mine.values()}
    known = await core.store.arriving(core.scope, Arriving(terms=list(wanted)))
    asked = {
        seq: rarest({stem: known.df.get(term, 0) for stem, term in mine.items()})
        for seq, mine in told.items()
    }
    postings = (
        await core.store.search(core.scope, sorted({one for mine in asked.values() for one in mine}))
    ).rows
    vectors = core.index.dimensions > 0
    async with core.index.still(core.clock.now(), COLUMNS, vectors=vectors):
        return await asyncio.to_thread(_found, core, asked, postings)


def _stems(memories: Sequence[Memory]) -> dict[int, dict[str, int]]:
    return {one.seq: {stem: term_hash(stem) for stem in stems(one.text)} for one in memories}


def _found(
    core: Core,
    asked: Mapping[int, Sequence[str]],
    postings: Mapping[str, np.ndarray[tuple[int], np.dtype[np.int64]]],
) -> dict[int, list[int]]:
    index = core.index
    rows = index.rows_of(asked)
    near = [np.empty(0, np.intp)] * len(rows)
    if index.dimensions:
        near = [one.rows for one in nearest(index.bare, rows, index.stands, least=0.0, most=NEAREST)]
    field = Field(
        index.column("words"),
        index.column("speaker"),
        index.column("said_at"),
        index.stands,
        index.bare if index.dimensions else None,
    )
    found: dict[int, list[int]] = {}
    for row, (seq, mine), alike in zip(rows.tolist(), asked.items(), near, strict=True):
        held = {stem: index.lending_rows(postings[stem]) for stem in mine if stem in postings}
        others = older_alike(field, row, held, alike)
        found[seq] = index.seq[others].tolist()
    return found
