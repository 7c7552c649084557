"""Ratings count as evidence of whether a memory helped, and never hold up one another, on both stores."""

import asyncio
from typing import Any, cast

import numpy as np
import pytest

import remanence
from remanence.core.errors import InvalidInput, Protected
from remanence.core.keywords import RelationName
from remanence.core.model import DroppedMemory
from remanence.core.receipt import RateResult
from remanence.core.score import confidence
from tests.flows.conftest import Opener


async def sure(memory: remanence.Engine, name: str) -> float:
    """Return how sure a memory is, after its ratings."""
    kept = await memory.get(name)
    return float(confidence(np.nan if kept.confidence is None else kept.confidence, kept.helped, kept.failed))


@pytest.mark.parametrize(
    ("signal", "counts", "expected"),
    [
        (1.0, (1_000, 0), (1.8 + 1) / 3),
        (0.0, (0, 1_000), 1.8 / 3),
        (0.75, (750, 250), (1.8 + 0.75) / 3),
        (0.5, (500, 500), (1.8 + 0.5) / 3),
        (1, (1_000, 0), (1.8 + 1) / 3),
    ],
)
async def test_a_rating_is_evidence_in_thousandths(
    memory: remanence.Engine, signal: float, counts: tuple[int, int], expected: float
) -> None:
    """What was said, 0.9, weighs two ratings and each rating one; nothing that was said is overwritten."""
    learned = await memory.learn("the tide turns at noon", confidence=0.9)
    rated = await memory.rate(learned.id, signal)
    kept = await memory.get(learned.id)

    assert ((learned.id,), ()) == (rated.rated, rated.skipped)
    assert (*counts, 0.9) == (kept.helped, kept.failed, kept.confidence)
    assert expected == pytest.approx(await sure(memory, learned.id))


async def test_a_rating_of_a_half_is_neutral(memory: remanence.Engine) -> None:
    """It moves confidence towards a half only, from either side, and leaves a half where it is."""
    names = [(await memory.learn(f"entry {k}", confidence=k)).id for k in (0.1, 0.5, 0.9)]
    for _ in range(3):
        await memory.rate(names, 0.5)

    assert [(0.2 + 1.5) / 5, 0.5, (1.8 + 1.5) / 5] == pytest.approx(
        [await sure(memory, name) for name in names]
    )
    assert [(1_500, 1_500)] * 3 == [
        (kept.helped, kept.failed) for kept in [await memory.get(name) for name in names]
    ]


async def test_a_half_leaves_fading_as_it_is(memory: remanence.Engine, clock: remanence.ManualClock) -> None:
    """After ratings of a half a memory fades at the rate of its class; after ratings of 0 at that of the ephemeral."""
    half = await memory.learn("the tide turns at noon")
    low = await memory.learn("the lamp is lit at dusk")
    for _ in range(5):
        await memory.rate(half.id, 0.5)
        await memory.rate(low.id, 0.0)
    clock.advance(hours=50)
    answer = await memory.frame("attention", count_use=False)
    recency = {hit.memory.id: hit.parts["recency"] for hit in answer.memories}

    assert {half.id: 0.607, low.id: 0.082} == pytest.approx(recency, abs=1e-3)


async def test_what_cannot_be_rated_is_reported_and_holds_up_nothing(memory: remanence.Engine) -> None:
    """Unknown, archived, pruned and superseded ids and identity memories are skipped by name; the rest is rated."""
    good = await memory.learn("the tide turns at noon")
    inbox = await memory.learn("the lamp is lit")
    pruned = await memory.learn("the gate shuts at six")
    await memory.forget(pruned.id)
    old = await memory.learn("the gate shuts at seven")
    newer = await memory.correct(old.id, "the gate shuts at eight")
    belief = await memory.learn("I keep the log", tags=["self/constitutional"])
    rated = await memory.rate(
        [good.id, "nowhere", pruned.id, old.id, belief.id, inbox.id, newer.id, good.id, good.seq], 0.9
    )

    assert (good.id, inbox.id, newer.id) == rated.rated
    assert (
        DroppedMemory("nowhere", "unknown"),
        DroppedMemory(pruned.id, "pruned", seq=pruned.seq),
        DroppedMemory(old.id, "superseded", seq=old.seq),
        DroppedMemory(belief.id, "identity", seq=belief.seq),
    ) == rated.skipped
    assert [900, 900, 900] == [(await memory.get(name)).helped for name in rated.rated]
    assert [0, 0, 0] == [(await memory.get(one.id)).helped for one in rated.skipped[1:]]


async def test_an_archived_memory_is_not_rated(memory: remanence.Engine) -> None:
    """What has left sight gathers no evidence."""
    learned = await memory.learn("the tide turns at noon")
    rule = '[[rule]]\nname = "all"\nevery = "deep"\nphase = "value"\ndo = "archive"\nbecause = "test"\n'
    await memory.curate(f'version = 1\nname = "test"\n{rule}where = "status == \'inbox\'"\n')
    rated = await memory.rate(learned.id, 1.0)

    assert RateResult((), (DroppedMemory(learned.id, "archived", seq=learned.seq),), None) == rated


async def test_an_agent_leaves_alone_who_it_is(opener: Opener) -> None:
    """It rates, repeats and rewrites no value and no goal; what is said beside it is not held up."""
    async with opener() as memory:
        goal = await memory.learn("Mend the bell.", tags=["self/goal"], key="bell")
        fact = await memory.learn("The bell is cracked.")
        before = await memory.get(goal.id)
    async with opener(trust="agent", agent="codex") as memory:
        rated = await memory.rate([goal.id, fact.id], 0.0)
        said, *learned = await asyncio.gather(
            memory.learn("mend the bell", tags=["x"], source="s"),
            *(memory.learn(f"The bell {number} rings.") for number in range(3)),
        )
        with pytest.raises(Protected, match="identity"):
            await memory.learn("Sell the bell.", key="bell", source="s")
        after = await memory.get(goal.id)

    assert ((fact.id,), ["identity"]) == (rated.rated, [one.reason for one in rated.skipped])
    assert ("known", "it says who the agent is, which only a person confirms") == (said.status, said.reason)
    assert ["stored"] * 3 == [one.status for one in learned]
    assert before == after


async def test_identity_is_immune_by_category_too(memory: remanence.Engine) -> None:
    """A memory of the category identity is not rated, whatever its tags."""
    learned = await memory.learn("I am the keeper of the lighthouse", category="identity")
    rated = await memory.rate([learned.id], 0.0)

    assert (DroppedMemory(learned.id, "identity", seq=learned.seq),) == rated.skipped


async def test_what_helped_together_is_linked_more_closely(memory: remanence.Engine) -> None:
    """Above a half the links inside the rated set gain 0.10, capped at 1; at a half or of one alone they do not."""
    a, b, c = [(await memory.learn(f"entry {word}")).id for word in ("ash", "birch", "cedar")]
    for other, relation, weight in ((b, "supports", 0.65), (c, "similar", 0.97)):
        await memory.link(a, other, cast("RelationName", relation), weight=weight)
    await memory.link(b, c, "contradicts", weight=0.6)

    async def weights() -> list[float]:
        links = {link.key: link for name in (a, b) for link in await memory.links(name)}
        return [links[key].weight for key in sorted(links)]

    await memory.rate([a, b, c], 0.5)
    await memory.rate(a, 1.0)
    assert [0.65, 0.97, 0.6] == await weights()
    rated = await memory.rate([a, b, c], 0.6)
    assert [0.75, 1.0, 0.6] == await weights()
    assert rated.run is not None
    await memory.undo(rated.run)
    assert [0.65, 0.97, 0.6] == await weights()
    assert 500 + 1_000 == (await memory.get(a)).helped


@pytest.mark.parametrize(
    ("ids", "signal"),
    [
        ("a", float("nan")),
        ("a", True),
        ("a", -0.01),
        ("a", 1.01),
        ("a", "good"),
        ("a", None),
        ([], 1.0),
        (["a"] * 1 + [str(k) for k in range(1_000)], 1.0),
    ],
)
async def test_a_rating_that_is_none_is_refused(memory: remanence.Engine, ids: Any, signal: Any) -> None:
    """Signals beyond 0 and 1, NaN, truths and words are refused, and so are no memories or too many."""
    await memory.learn("the tide turns at noon", key="a")
    with pytest.raises(InvalidInput) as caught:
        await memory.rate(ids, signal)

    assert caught.value.recovery
    assert 0 == (await memory.get("a")).helped


async def test_ratings_at_once_all_count(memory: remanence.Engine) -> None:
    """Twenty at once, with links to strengthen, lose none of each other's."""
    a, b = [(await memory.learn(f"entry {word}")).id for word in ("ash", "birch")]
    await memory.link(a, b, "supports", weight=0.1)
    await asyncio.gather(*(memory.rate([a, b], 1.0) for _ in range(5)))
    (link,) = await memory.links(a)

    assert [5_000, 5_000] == [(await memory.get(name)).helped for name in (a, b)]
    assert (0.6, 6) == (link.weight, link.count)
