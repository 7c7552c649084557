"""What a writer is shown beside a text: the older memories that it may change, with no threshold."""

import asyncio
import itertools
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from remanence.core.model import Memory, Relation
from remanence.core.segment import TURN
from remanence.flows.base.context import Core
from remanence.llm.base import Extractor
from remanence.recall.nearest import nearest
from remanence.recall.update_candidates import (
    CandidateColumns,
    RankedRow,
    choose_own_first,
    last_said,
    older_alike,
    rarest,
)
from remanence.store.base import Arriving
from remanence.text.analysis import stems, term_hash

COLUMNS = frozenset({"status", "words", "speaker", "said_at", "category"})
NEAREST = 40  # by vector, of whom the older ones count


async def candidates(core: Core, memories: Sequence[Memory]) -> dict[int, list[int]]:
    """Return by the number of each memory those of the older ones that it may change, the likeliest first.

    Those nearest by vector and what the same speaker said last are among them. A turn of which facts were found gives
    way to these; where a writer finds them, those of which none was found come last, and few: hardly one holds what
    could change.
    """
    if not memories:
        return {}
    stems_by_seq = await asyncio.to_thread(_stems, memories)
    terms = {term for mine in stems_by_seq.values() for term in mine.values()}
    context = await core.store.arriving(core.scope, Arriving(terms=list(terms)))
    rare_stems = {
        seq: rarest({stem: context.df.get(term, 0) for stem, term in mine.items()})
        for seq, mine in stems_by_seq.items()
    }
    postings = (
        await core.store.search(core.scope, sorted({one for mine in rare_stems.values() for one in mine}))
    ).rows
    vectors = core.index.dimensions > 0
    now = core.clock.now()
    async with core.index.hold_rows(now, COLUMNS, vectors=vectors, tags=frozenset({TURN})):
        ranked = await asyncio.to_thread(_find_alike, core, rare_stems, postings)
        rows = sorted({one.row for mine in ranked.values() for one in mine})
        seqs = dict(zip(rows, core.index.seq[rows].tolist(), strict=True))
        turns = (await core.index.match_tag(TURN, now))[rows]
        bare = turns & (core.index.column("category")[rows] < 0)
    read = await _filter_with_facts(core, {seqs[row] for row in itertools.compress(rows, turns.tolist())})
    last = isinstance(core.writer, Extractor)
    bare_rows = frozenset(itertools.compress(rows, bare.tolist())) if last else frozenset[int]()
    found: dict[int, list[int]] = {}
    for seq, mine in ranked.items():
        best = choose_own_first([one for one in mine if seqs[one.row] not in read], bare_rows)
        found[seq] = [seqs[one.row] for one in best]
    return found


async def _filter_with_facts(core: Core, turns: Collection[int]) -> set[int]:
    """Return of some turns those of which facts were found."""
    links = await core.store.neighbours(core.scope, sorted(turns), Relation.LEARNED_FROM) if turns else []
    return {link.target for link in links}


def _stems(memories: Sequence[Memory]) -> dict[int, dict[str, int]]:
    return {one.seq: {stem: term_hash(stem) for stem in stems(one.text)} for one in memories}


def _find_alike(
    core: Core,
    asked: Mapping[int, Sequence[str]],
    postings: Mapping[str, np.ndarray[tuple[int], np.dtype[np.int64]]],
) -> dict[int, list[RankedRow]]:
    index = core.index
    rows = index.rows_of(asked)
    near = [np.empty(0, np.intp)] * len(rows)
    if index.dimensions:
        near = [one.rows for one in nearest(index.bare_vectors, rows, index.stands, least=0.0, most=NEAREST)]
    field = CandidateColumns(
        index.column("words"),
        index.column("speaker"),
        index.column("said_at"),
        index.stands,
        index.bare_vectors if index.dimensions else None,
    )
    near = [np.union1d(some, last_said(field, row)) for some, row in zip(near, rows.tolist(), strict=True)]
    lending = {stem: index.lending_rows(found) for stem, found in postings.items()}
    return {
        seq: older_alike(field, row, {stem: lending[stem] for stem in mine if stem in lending}, alike)
        for row, (seq, mine), alike in zip(rows.tolist(), asked.items(), near, strict=True)
    }
