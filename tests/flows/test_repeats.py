"""Labelled pairs and texts in disguise, learned and curated: what differs stays two, repeats are recognised."""

import pytest

from benchmarks import labels
from benchmarks.dedup import met
from benchmarks.labels.intake import repeats

DISGUISES_MIN = {"auto": 13, "none": 12}  # of 14; homoglyphs alone hide a repeat


@pytest.mark.parametrize("embedder", DISGUISES_MIN)
async def test_what_differs_never_becomes_one(embedder: str) -> None:
    """However little tells two texts apart, in any script, neither is dropped; what becomes one says the same."""
    pairs = labels.pairs("first")
    bands, merged = await met([(pair.one, pair.other) for pair in pairs], embedder)
    confirmed = [pair.same for pair, band in zip(pairs, bands, strict=True) if band == "confirmed"]

    assert {True} == set(confirmed)
    assert [] == [pairs[at].id for at in merged if not pairs[at].same]
    assert len(confirmed) >= 20


@pytest.mark.parametrize("embedder", DISGUISES_MIN)
async def test_a_repeat_in_disguise_is_confirmed_or_linked(embedder: str) -> None:
    """Whatever blanks, marks, capitals or forms of letters it has."""
    some = [(one.text, disguise) for one in repeats("first") for disguise in one.disguises]
    bands, _ = await met([(text, disguise.text) for text, disguise in some], embedder)
    unknown = {disguise.name for (_, disguise), band in zip(some, bands, strict=True) if band == "apart"}

    assert 14 - len(unknown) >= DISGUISES_MIN[embedder]
