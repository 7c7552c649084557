"""What links lead to from a memory or a question, with the way there, and links as an arm of recall; on both stores."""

from pathlib import Path

import pytest

import remanence
from remanence.core.clock import ManualClock
from remanence.core.errors import InvalidInput, NotFound
from remanence.core.model import Relation
from remanence.core.recall_explanation import RecallExplanation
from remanence.faces import show
from remanence.flows.recall import link_walk
from tests.models import Naming

from .conftest import Opener, hear

TEXTS = ("The bakery closed in March", "Flour became dear", "Ana left the town", "The mill burnt down")


@pytest.fixture
async def chain(memory: remanence.Engine) -> remanence.Engine:
    """The mill (4) supports flour (2), which causes the bakery (1), which causes Ana (3)."""
    for text in TEXTS:
        await memory.learn(text)
    await memory.link(4, 2, "supports")
    await memory.link(2, 1, "causes", confidence=0.9)
    await memory.link(1, 3, "causes", confidence=0.5)
    return memory


def seqs(found: remanence.types.RelatedResult) -> list[int]:
    """Return what was found by number."""
    return [one.memory.seq for one in found.memories]


async def test_each_comes_with_its_way(chain: remanence.Engine) -> None:
    """Three hops from the mill to Ana, each with its confidence; nobody said how sure the first is."""
    found = await chain.links(4, depth=3)
    ana = found.memories[-1]

    assert ((4,), [2, 1, 3], {}) == (found.seeds, seqs(found), found.left_out)
    assert [(4, 2, None), (2, 1, 0.9), (1, 3, 0.5)] == [
        (hop.source, hop.target, hop.confidence) for hop in ana.path
    ]
    assert [0.525, 0.28665, 0.111475] == [one.activation for one in found.memories]
    assert "confidence 0.50" in "\n".join(line.plain for line in show.lines(found))
    assert all(memory.uses == 0 for memory in await chain.list())


async def test_causes_lead_to_their_effects_alone(chain: remanence.Engine) -> None:
    """From the effect nothing leads back to its cause; who supports is reached both ways."""
    assert [] == seqs(await chain.links(3, depth=3))
    assert {1, 3, 4} == {*seqs(await chain.links(2, depth=3))}


async def test_hops_and_limit(chain: remanence.Engine) -> None:
    """What the limit leaves out is counted."""
    one, two = await chain.links(4, depth=1), await chain.links(4, depth=3, limit=2)

    assert ([2], [2, 1]) == (seqs(one), seqs(two))
    assert {"limit": 1} == two.left_out


async def test_links_of_old_lead_no_further(chain: remanence.Engine, clock: ManualClock) -> None:
    """At half a confidence Ana is reached for 360 days; drawn again, the link leads there anew."""
    clock.advance(days=360)
    held = await chain.links(1, depth=3)
    clock.advance(days=1)
    lost = await chain.links(1, depth=3)
    await chain.link(1, 3, "causes")

    assert 0.2 == held.memories[0].path[0].confidence
    assert ([3], [], [3]) == (seqs(held), seqs(lost), seqs(await chain.links(1, depth=3)))


async def test_reinforcement_ends_at_one(chain: remanence.Engine) -> None:
    """Drawn ever again, a link weighs 1 and is as sure as can be; its activation is then .7."""
    for _ in range(20):
        await chain.link(1, 3, "causes")
    (ana,) = (await chain.links(1, depth=3)).memories

    assert (1.0, 1.0, 0.7) == (ana.path[0].weight, ana.path[0].confidence, ana.activation)


async def test_what_stands_no_more_is_no_way(chain: remanence.Engine) -> None:
    """Neither found nor passed through; to begin at it is allowed."""
    await chain.forget(2)

    assert [] == seqs(await chain.links(4, depth=3))
    assert [1, 3] == [one for one in seqs(await chain.links(2, depth=3)) if one != 4]


async def test_an_entity_is_a_way_and_no_answer(opener: Opener) -> None:
    """Two facts that mention one person are two hops apart, through that person, who is not listed."""
    async with opener(writer=Naming(("Mia", "person"))) as memory:
        for session, text in (
            ("a", "My sister Mia lives in Tartu."),
            ("b", "My sister Mia plays the cello."),
        ):
            await memory.note(text, session=session, speaker="Ines", later=True)
            await hear(memory)
        mia = (await memory.entities.get("Mia")).entity
        facts = [one for one in await memory.list() if "It is said" in one.text]
        found = await memory.links(facts[0].id, depth=2)
        near = seqs(await memory.links(mia.id, depth=1))
    (other,) = [one for one in found.memories if one.memory.seq == facts[1].seq]

    assert [Relation.MENTIONS.label] * 2 == [hop.relation for hop in other.path]
    assert mia.seq == other.path[0].target
    assert mia.seq not in seqs(found)
    assert {one.seq for one in facts} <= {*near}


async def test_history_and_contradictions_lead_nowhere(memory: remanence.Engine) -> None:
    """What contradicts or superseded a memory is no way to what it has to do with."""
    for text in TEXTS[:2]:
        await memory.learn(text)
    await memory.link(1, 2, "contradicts")

    assert [] == seqs(await memory.links(1, depth=3))


async def test_where_too_many_are_reached_it_says_so(
    memory: remanence.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links of the strongest are read; of the others it is said that theirs were not."""
    monkeypatch.setattr(link_walk, "EXPANDED_MOST", 2)
    for text in TEXTS:
        await memory.learn(text)
    await memory.learn("A fifth thing")
    for other, weight in ((2, 0.9), (3, 0.8), (4, 0.7)):
        await memory.link(1, other, "supports", weight=weight)
    await memory.link(4, 5, "supports")
    found = await memory.links(1, depth=3)

    assert ([2, 3, 4], {"not followed": 1}) == (seqs(found), found.left_out)
    assert str(found).endswith("left out: not followed 1")


async def test_from_a_question(chain: remanence.Engine) -> None:
    """Links begin at the best answers, which are the seeds and not among what is found."""
    await chain.learn("Ana's sister sings in a choir")
    await chain.link(3, 5, "causes")
    found = await chain.links(query="flour bakery mill Ana town")

    assert 3 == len(found.seeds)
    assert not {*found.seeds} & {*seqs(found)}
    assert all(
        one.path[0].source in found.seeds or one.path[0].target in found.seeds for one in found.memories
    )


async def test_refusals(chain: remanence.Engine) -> None:
    """Neither, both, too many hops, an unknown memory: one clear error each. A weak answer is no place to begin."""
    for wrong in (
        {},
        {"name": 1, "query": "flour"},
        {"name": 1, "depth": 4},
        {"name": 1, "limit": 0},
        {"name": 1, "depth": 2, "limit": 0},
    ):
        with pytest.raises(InvalidInput) as refused:
            await chain.links(**wrong)

        assert refused.value.recovery
    with pytest.raises(NotFound):
        await chain.links(99)
    found = await chain.links(query="zebra quartz")

    assert ((), ()) == (found.seeds, found.memories)


# As an arm of recall


async def linked_store(memory: remanence.Engine) -> None:
    """Fill a memory with one answer, what its link leads to, and much else that has a word of the question."""
    await memory.learn("The boathouse key hangs behind the stove")
    for number in range(30):
        await memory.learn(f"A key of room {number} is lost")
    await memory.learn("Under the stairs there is a loose board")
    await memory.link(1, 32, "elaborates", weight=0.9)


async def test_off_it_adds_nothing(memory: remanence.Engine) -> None:
    """Without the setting no score has the part, and what is linked stays where its words put it."""
    await linked_store(memory)
    answer = await memory.recall("boathouse key stove", explain=True)

    assert not any("linked" in hit.parts for hit in answer.memories)
    assert 32 not in {hit.memory.seq for hit in answer.memories}


async def test_on_it_raises_what_the_best_lead_to(memory: remanence.Engine) -> None:
    """The answer stays first, what it leads to comes in, and the record tells the part, the way and the sum."""
    await linked_store(memory)
    await memory.settings.set("recall_links", 40)
    answer = await memory.recall("boathouse key stove", explain=True)
    why = answer.explanation
    assert isinstance(why, RecallExplanation)
    scores = {one.seq: one for one in why.scores}

    assert 1 == answer.memories[0].memory.seq
    assert [(1, 32, "elaborates")] == [(hop.source, hop.target, hop.relation) for hop in scores[32].path]
    assert "linked" in str(scores[32])
    assert "linked" not in {part.name for part in scores[1].parts}
    for hit in answer.memories:
        assert hit.score == pytest.approx(scores[hit.seq].total, abs=1e-6)
    assert sorted(one.rank for one in why.scores) == [one.rank for one in why.scores]


async def test_on_within_a_budget(memory: remanence.Engine) -> None:
    """The answer holds its budget, and a question that nothing answers has no seeds."""
    await linked_store(memory)
    await memory.settings.set("recall_links", 40)
    answer = await memory.recall("boathouse key stove", budget=80)
    nothing = await memory.recall("zebra quartz velvet")

    assert {1, 32} <= {hit.memory.seq for hit in answer.memories}
    assert answer.tokens <= 80
    assert not any("linked" in hit.parts for hit in nothing.memories)


async def test_on_beside_a_large_archive(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the archive has left the index, what stands is raised all the same."""
    async with remanence.open(tmp_path / "some.db", clock=clock, embedder="hashed") as memory:
        await linked_store(memory)
        monkeypatch.setattr("remanence.flows.indexes.scope_index.INDEXED_MAX", 0)
        await memory.settings.set("recall_links", 40)
        answer = await memory.recall("boathouse key stove", explain=True)

        assert 32 in {hit.memory.seq for hit in answer.memories}


async def test_what_joins_was_in_no_pool_and_passes_the_filters(memory: remanence.Engine) -> None:
    """A memory without a word of the question comes in behind hundreds that have one; of another thread it does not."""
    await linked_store(memory)
    await memory.learn([f"Room {number} has a key" for number in range(300)])
    (other,) = await memory.learn(["A plank is loose by the well"], thread="elsewhere")
    await memory.link(1, other.seq, "elaborates", weight=0.9)
    await memory.settings.set("recall_links", 40)
    everywhere = await memory.recall("boathouse key stove", limit=5)
    within = await memory.recall("boathouse key stove", limit=5, thread="elsewhere")

    assert {1, 32, other.seq} <= {hit.seq for hit in everywhere.memories}
    assert 32 not in {hit.seq for hit in within.memories}


@pytest.mark.parametrize("frame", ["attention", "task", "simulate"])
async def test_a_frame_expands_by_one_link(memory: remanence.Engine, frame: str) -> None:
    """What one link leads to joins with similarity 0 and says why; two links away, or without `expand`, it does not."""
    await linked_store(memory)
    await memory.learn("The cellar hatch is behind it")
    await memory.link(32, 33, "elaborates", weight=0.9)
    shown = await memory.frame(frame, "boathouse key stove", explain=True, count_use=False)
    await memory.frames.set(frame, expand=False)
    closed = await memory.frame(frame, "boathouse key stove", count_use=False)
    linked = {hit.seq: hit for hit in shown.memories}[32]
    why = shown.explanation
    assert why is not None

    assert pytest.approx([0, 0.7 * 0.9]) == [linked.parts[name] for name in ("similarity", "linked")]
    assert ["linked to one of the best answers"] == [one.because for one in why.scores if one.seq == 32]
    assert 1 == shown.memories[0].seq
    assert 33 not in {hit.seq for hit in shown.memories}
    assert 32 not in {hit.seq for hit in closed.memories}


async def test_a_frame_follows_no_link_that_is_hardly_sure(memory: remanence.Engine) -> None:
    """Below a confidence of .2 a link leads nowhere, and a frame's filter holds for what is linked, too."""
    await linked_store(memory)
    await memory.learn("The plank is loose by the well")
    await memory.link(1, 33, "elaborates", weight=0.9, confidence=0.19)
    unsure = await memory.frame("attention", "boathouse key stove", count_use=False)
    await memory.frames.set("attention", tags="room/*")
    filtered = await memory.frame("attention", "boathouse key stove", count_use=False)

    assert {32} == {hit.seq for hit in unsure.memories} & {32, 33}
    assert 32 not in {hit.seq for hit in filtered.memories}


async def test_a_policy_says_how_recall_uses_links_and_lifecycles(opener: Opener, clock: ManualClock) -> None:
    """The preset engram raises what is active, lowers what is stale and follows links; a user's setting is above it."""
    async with opener(policy="engram") as memory:
        await linked_store(memory)
        await memory.update(2, lifecycle="active")
        await memory.update(3, lifecycle="stale")
        answer = await memory.recall("boathouse key stove", limit=40)
        then = await memory.recall("boathouse key stove", limit=40, as_of=clock.now())
        by_policy = await memory.settings.get("recall_links")
        await memory.settings.set("recall_links", 0)
        without = await memory.recall("boathouse key stove", limit=40)
        by_user = await memory.settings.get("recall_links")
    factors = {hit.seq: hit.parts.get("lifecycle") for hit in answer.memories}

    assert [pytest.approx(1.05), pytest.approx(0.94), None] == [factors[seq] for seq in (2, 3, 4)]
    assert factors[2] == {hit.seq: hit.parts.get("lifecycle") for hit in then.memories}[2]
    assert any("linked" in hit.parts for hit in answer.memories)
    assert not any("linked" in hit.parts for hit in without.memories)
    assert [(5, "policy"), (0, "user")] == [(one.value, one.source) for one in (by_policy, by_user)]


async def test_a_policy_leaves_out_what_is_stale(opener: Opener) -> None:
    """A list in the policy counts for recall and for frames."""
    policy = 'version = 1\nname = "fresh"\n[recall]\nleaves_out = ["stale"]\n'
    async with opener(policy=policy) as memory:
        await linked_store(memory)
        await memory.update(1, lifecycle="stale")
        answers = [await memory.recall("boathouse key"), await memory.frame("attention", "boathouse key")]

    assert all(1 not in {hit.seq for hit in answer.memories} for answer in answers)
