"""Labelled pairs and texts in disguise, learned and curated: what differs stays two, repeats are recognised."""

from collections.abc import Sequence

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.model import Reason, Relation
from tests.labelled import read_labelled

DISGUISES_MIN = {"auto": 13, "none": 12}  # of 14; homoglyphs alone hide a repeat
LINKS = {Relation.NEAR_DUPLICATE, Relation.SIMILAR}
MERGE = """
version = 1
name = "merge"

[[rule]]
name = "near-duplicates"
every = "deep"
phase = "deduplicate"
over = "pairs"
min = 0.85
do = "merge"
where = "both(status == 'active')"
"""


async def met(pairs: Sequence[tuple[str, str]], embedder: str) -> tuple[list[str], set[int]]:
    """Return whether each pair is confirmed, linked or apart, and which pairs became one memory by curation."""
    clock = ManualClock()
    async with remanence.open(clock=clock, embedder=embedder) as memory:
        first = await memory.learn(one for one, _ in pairs)
        second = await memory.learn(other for _, other in pairs)
        await memory.consolidate()
        bands = []
        for one, other in zip(first, second, strict=True):
            links = [link for link in await memory.links(one.seq) if other.seq in (link.source, link.target)]
            is_linked = any(link.relation in LINKS for link in links)
            bands.append("confirmed" if one.seq == other.seq else "linked" if is_linked else "apart")
        clock.advance(days=2)
        await memory.apply(await memory.plan(MERGE), allow_destroyed=len(pairs))
        merged = {
            at
            for at, (one, other) in enumerate(zip(first, second, strict=True))
            for seq in {one.seq, other.seq}
            if (await memory.get(seq)).reason is Reason.MERGED
        }
    return bands, merged


@pytest.mark.parametrize("embedder", DISGUISES_MIN)
async def test_what_differs_never_becomes_one(embedder: str) -> None:
    """However little tells two texts apart, in any script, neither is dropped; what becomes one says the same."""
    pairs = read_labelled("flows/data/pairs.jsonl")
    bands, merged = await met([(pair["one"], pair["other"]) for pair in pairs], embedder)
    confirmed = [pair["same"] for pair, band in zip(pairs, bands, strict=True) if band == "confirmed"]

    assert {True} == set(confirmed)
    assert [] == [pairs[at]["id"] for at in merged if not pairs[at]["same"]]
    assert len(confirmed) >= 20


@pytest.mark.parametrize("embedder", DISGUISES_MIN)
async def test_a_repeat_in_disguise_is_confirmed_or_linked(embedder: str) -> None:
    """Whatever blanks, marks, capitals or forms of letters it has."""
    lines = read_labelled("flows/data/repeats.jsonl")
    some = [(one["text"], disguise) for one in lines for disguise in one["disguises"]]
    bands, _ = await met([(text, disguise["text"]) for text, disguise in some], embedder)
    unknown = {disguise["name"] for (_, disguise), band in zip(some, bands, strict=True) if band == "apart"}

    assert 14 - len(unknown) >= DISGUISES_MIN[embedder]
