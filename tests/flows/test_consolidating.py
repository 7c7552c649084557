"""What consolidation links, to the number, with an embedder that places each text where a test says."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

import remanence
from remanence.core.change import Cause, Change, CommitResult
from remanence.core.model import Relation, Turn
from remanence.core.receipt import ConsolidateResult
from remanence.flows.consolidate.activate import CHUNK
from remanence.llm.base import SimilarityThresholds, Vectors, WordWeight
from tests.flows.conftest import Opener

WORDS = "anchor beacon cable derrick eddy ferry gannet harbour islet jetty keel lantern mooring".split()


class Placed:
    """An embedder that looks up where a text lies: its share in each direction, the rest in one of its own."""

    name = "placed"
    dimensions = 32

    def __init__(self, places: Mapping[str, Mapping[int, float]], *, similar: float, near: float) -> None:
        self.places = places
        self.thresholds = SimilarityThresholds(similar=similar, near=near, calibrated=True)

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one row per text, of length 1."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for direction, share in self.places[text].items():
                row[direction] = share
            row[-1 - list(self.places).index(text)] += np.sqrt(1 - np.square(row).sum())
        return rows


def _leaning(share: float, count: int) -> dict[str, dict[int, float]]:
    """Return a first text in one direction, and others that lean to it and not to one another."""
    return {WORDS[0]: {0: 1.0}} | {word: {0: share} for word in WORDS[1 : count + 1]}


async def _linked(memory: remanence.Engine, seq: int) -> list[tuple[int, int, Relation]]:
    return sorted((link.source, link.target, link.relation) for link in await memory.links(seq))


async def _one_by_one(memory: remanence.Engine, texts: Sequence[str]) -> list[ConsolidateResult]:
    done = []
    for text in texts:
        await memory.learn(text)
        done.append(await memory.consolidate())
    return done


@pytest.mark.parametrize(
    ("similar", "near", "relation"),
    [
        (0.5, 0.9, Relation.SIMILAR),
        (0.25, 0.5, Relation.NEAR_DUPLICATE),
        (0.5, 0.5, Relation.NEAR_DUPLICATE),
        (0.501, 0.9, None),
        (0.25, 0.501, Relation.SIMILAR),
    ],
)
async def test_the_bands_of_an_embedder_are_within(
    opener: Opener, similar: float, near: float, relation: Relation | None
) -> None:
    """A cosine of just as much is enough; weight and confidence are the cosine, and the sums say what was drawn."""
    embedder = Placed(_leaning(0.5, 1), similar=similar, near=near)
    async with opener(embedder=embedder) as memory:
        for text in WORDS[:2]:
            await memory.learn(text)
        done = await memory.consolidate()
        links = await memory.links(1)

    drawn = [] if relation is None else [(1, 2, relation, 0.5, 0.5)]

    assert drawn == [
        (link.source, link.target, link.relation, link.weight, link.confidence) for link in links
    ]
    assert (2, 0, int(relation is Relation.NEAR_DUPLICATE), int(relation is Relation.SIMILAR)) == (
        done.activated,
        done.embedded,
        done.near_duplicates,
        done.similar,
    )
    assert (0, 0, ()) == (done.judged, done.contradictions, done.unjudged)
    assert done.run


async def test_what_another_said_is_no_duplicate(opener: Opener) -> None:
    """However near it lies, it is similar: two who say the same are two."""
    async with opener(embedder=Placed(_leaning(0.99, 1), similar=0.5, near=0.9)) as memory:
        await memory.learn([Turn(WORDS[0], speaker="Ann"), Turn(WORDS[1], speaker="Bob")])
        await memory.consolidate()

        assert [(1, 2, Relation.SIMILAR)] == await _linked(memory, 1)


@pytest.mark.parametrize(
    ("near", "drawn"), [(0.3, [(Relation.NEAR_DUPLICATE, 3)]), (0.9, [(Relation.SIMILAR, 5)])]
)
async def test_a_newcomer_draws_so_many_links(
    opener: Opener, near: float, drawn: list[tuple[Relation, int]]
) -> None:
    """Three to near duplicates or five to what is similar, the older of equals first."""
    places = _leaning(0.31, 8)
    async with opener(embedder=Placed(places, similar=0.3, near=near)) as memory:
        for text in [*WORDS[1:9], WORDS[0]]:
            await memory.learn(text)
            await memory.consolidate()
        found = await _linked(memory, 9)

    (relation, count) = drawn[0]

    assert [(seq, 9, relation) for seq in range(1, count + 1)] == found


async def test_a_hub_takes_ten_similar_links(opener: Opener) -> None:
    """Then no more; each pair is linked once, whoever comes first."""
    async with opener(embedder=Placed(_leaning(0.31, 12), similar=0.3, near=0.9)) as memory:
        done = await _one_by_one(memory, WORDS)
        found = await _linked(memory, 1)

    assert [(1, seq, Relation.SIMILAR) for seq in range(2, 12)] == found
    assert [0, *[1] * 10, 0, 0] == [each.similar for each in done]


async def test_near_duplicates_always_find_room(opener: Opener) -> None:
    """No hub is too full for what may be one memory."""
    async with opener(embedder=Placed(_leaning(0.31, 12), similar=0.2, near=0.3)) as memory:
        await _one_by_one(memory, WORDS)

        assert 12 == len(await _linked(memory, 1))


async def test_what_is_done_is_told_as_it_goes(opener: Opener) -> None:
    """Chunk by chunk, and in all; an empty inbox is no run."""
    heard: list[tuple[int, int]] = []

    def hear(done: int, of: int) -> None:
        heard.append((done, of))

    async with opener(embedder="none") as memory:
        await memory.learn([Turn(f"berth number {number}") for number in range(401)])
        done = await memory.consolidate(hear)
        again = await memory.consolidate(hear)
        events = await memory.history()

    assert [(0, 401), (200, 401), (400, 401), (401, 401), (0, 0)] == heard
    assert 3 == sum(event.run == done.run for event in events)
    assert (401, 0) == (done.activated, done.embedded)
    assert 0 == again.activated


class Apart(Placed):
    """An embedder that puts each text by itself, but for those that end in the same number."""

    dimensions = 512

    def __init__(self) -> None:
        super().__init__({}, similar=0.5, near=0.9)

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return one row per text, of length 1."""
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        rows[np.arange(len(texts)), [int(text.split()[-1]) for text in texts]] = 1
        return rows


async def test_who_fell_since_it_was_compared_is_not_linked(
    opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many are compared at once and committed by and by; what was forgotten in between takes no link."""
    async with opener(embedder=Apart()) as memory:
        old = await memory.learn([Turn("berth 500"), Turn("berth 501")])
        await memory.consolidate()
        new = await memory.learn(
            [*(Turn(f"pier {number}") for number in range(CHUNK)), Turn("quay 500"), Turn("quay 501")]
        )
        store, commit = memory._core.store, memory._core.store.commit

        async def and_forget(scope: str, changes: Sequence[Change], cause: Cause) -> CommitResult:
            answer = await commit(scope, changes, cause)
            if cause.verb == "consolidate" and cause.part == 0:
                await memory.forget(old[0].id)
            return answer

        monkeypatch.setattr(store, "commit", and_forget)
        done = await memory.consolidate()
        linked = [[(link.source, link.target) for link in await memory.links(one.id)] for one in new[-2:]]

    assert [[], [(old[1].seq, new[-1].seq)]] == linked
    assert CHUNK + 2 == done.activated
